//! Where scans write pairs.

#![allow(unsafe_code)]

use crate::memory::page::PAGE_SLACK;
use crate::memory::pair_sink::PairSink;
use std::ops::Range;

/// The free slots of a sink, as pointers in registers: a scan advances them up to a million times a
/// step.
pub(super) struct OutputSlots<'a, 's> {
    sink: &'a mut PairSink<'s>,
    start: *mut [u32; 2],
    next: *mut [u32; 2],
    end: *mut [u32; 2],
}

impl<'a, 's> OutputSlots<'a, 's> {
    #[inline(always)]
    pub(super) fn new(sink: &'a mut PairSink<'s>) -> Self {
        let none = std::ptr::null_mut();
        Self { sink, start: none, next: none, end: none }
    }

    /// Whether there is a slot for each candidate and [`PAGE_SLACK`] more.
    #[inline(always)]
    pub(super) fn has_room(&self, candidates: usize) -> bool {
        (self.end as usize - self.next as usize) >= (candidates + PAGE_SLACK) * size_of::<[u32; 2]>()
    }

    /// Returns a slot for each candidate and [`PAGE_SLACK`] more; `None` once the pair limit is
    /// exceeded.
    ///
    /// `candidates` is at most `PAGE_LEN - PAGE_SLACK`, which fit into a page.
    #[inline(always)]
    pub(super) fn reserve(&mut self, candidates: usize) -> Option<*mut [u32; 2]> {
        if !self.has_room(candidates) {
            // Not a method: a call that takes `self` would keep its fields in memory.
            let slots = next_page(self.sink, written(self.start, self.next), candidates)?;
            (self.start, self.next, self.end) = (slots.start, slots.start, slots.end);
        }
        Some(self.next)
    }

    /// The next free slot.
    #[inline(always)]
    pub(super) fn next(&self) -> *mut [u32; 2] {
        self.next
    }

    /// Keeps the first `hits` of the slots that were reserved.
    ///
    /// # Safety
    ///
    /// At least that many were reserved.
    #[inline(always)]
    pub(super) unsafe fn advance(&mut self, hits: usize) {
        // SAFETY: the caller vouches that the slots up to there are free slots of one page.
        self.next = unsafe { self.next.add(hits) };
    }

    /// Passes the pairs to the sink.
    #[inline(always)]
    pub(super) fn finish(self) {
        self.sink.advance(written(self.start, self.next));
    }
}

#[inline(always)]
fn written(start: *mut [u32; 2], next: *mut [u32; 2]) -> usize {
    (next as usize - start as usize) / size_of::<[u32; 2]>()
}

#[cold]
#[inline(never)]
fn next_page(sink: &mut PairSink<'_>, written: usize, candidates: usize) -> Option<Range<*mut [u32; 2]>> {
    sink.advance(written);
    sink.room(candidates).map(|slots| slots.as_mut_ptr_range())
}
