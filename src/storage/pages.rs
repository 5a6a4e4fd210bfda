//! Pairs in pages of equal size, taken from a pool and given back once a frame.
//!
//! S1: how many pages a step takes depends on its pairs alone, not on which worker found them, so a step
//! that was stepped before takes nothing new.

use parking_lot::Mutex;

/// Pairs in a page: 16 KiB, so that a page is opened once in a thousand bodies and a last, half-empty page a band
/// costs about one byte a body.
pub(crate) const PAGE_LEN: usize = 2048;

/// A page of `[u32; 2]`, all of it initialised.
pub(crate) type Page = Box<[[u32; 2]]>;

/// A page and how much of it is filled.
#[derive(Debug)]
pub(crate) struct Block {
    page: Page,
    len: u32,
}

impl Block {
    pub(crate) fn pairs(&self) -> &[[u32; 2]] {
        &self.page[..self.len as usize]
    }
}

/// Free pages. The lock is held for a push or a pop only.
#[derive(Default)]
pub(crate) struct PagePool {
    free: Mutex<Vec<Page>>,
}

impl PagePool {
    pub(crate) fn take(&self) -> Page {
        let recycled = self.free.lock().pop();
        recycled.unwrap_or_else(|| vec![[0; 2]; PAGE_LEN].into_boxed_slice())
    }

    pub(crate) fn recycle(&self, blocks: &mut Vec<Block>) {
        self.free.lock().extend(blocks.drain(..).map(|block| block.page));
    }

    pub(crate) fn block(page: Page, len: usize) -> Block {
        Block { page, len: len as u32 }
    }
}
