//! A listener that is told of each page of pairs once it is finished, while others are still being filled.
//!
//! N1: a listener is the caller's code: it may panic, and it may wait for work of its own on the threads that run the step. So it
//!     is not called while anything is held that another task may wait for, and while it runs the tap is out of its sink: a
//!     sink that is dropped because the listener panicked does not call it again.
//! N2: a page that a panic cut short is not told of.

use crate::memory::page::Page;

/// Takes the number of a page and its pairs.
pub(crate) type Listener<'s> = dyn Fn(u64, &[[u32; 2]]) + Sync + 's;

/// Who is told of the pages of one sink, and what the first of them is numbered.
#[derive(Clone, Copy)]
pub(crate) struct Tap<'s> {
    listener: &'s Listener<'s>,
    first: u64,
    /// Whether a panic was under way when the sink was made: a step may be called while one is.
    panicking: bool,
}

impl<'s> Tap<'s> {
    pub(crate) fn new(listener: &'s Listener<'s>, first: u64) -> Self {
        Self { listener, first, panicking: std::thread::panicking() }
    }

    /// Tells of the blocks of a task from the place `first` on.
    pub(crate) fn tell(&self, blocks: &[Page], first: usize) {
        if self.panicking || !std::thread::panicking() {
            for (place, block) in blocks.iter().enumerate().skip(first) {
                (self.listener)(self.first + place as u64, block.pairs());
            }
        }
    }
}
