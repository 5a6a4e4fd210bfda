//! Notifies user code of each page of pairs as soon as it is complete, while the step still runs.
//!
//! - LISTENER-1: user code may panic, or wait for its own work on the threads of the step. So it is
//!   called without any lock that another task may wait for, and while the listener is out of its
//!   sink: a sink that is dropped during such a panic does not call it again.
//! - LISTENER-2: a page that a panic cut short is not reported.
//! - LISTENER-3: a page number consists of the kind of pairs (highest bit), the number of the task
//!   (31 bits) and the place among the pages of the task (32 bits). Tasks are numbered in the order
//!   of the input, and contacts are gathered in the same order. So ascending numbers are the order
//!   of contacts, bodies first.

/// Takes the number of a page and its pairs.
pub(crate) type OnPage<'s> = dyn Fn(u64, &[[u32; 2]]) + Sync + 's;

/// What the pairs of a page consist of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PairKind {
    /// Two bodies.
    Body,
    /// A body and a static.
    Static,
}

const STATIC_BIT: u64 = 1 << 63;

impl PairKind {
    /// The kind of the pairs of a numbered page.
    pub(crate) fn of_page(number: u64) -> Self {
        if number & STATIC_BIT == 0 { Self::Body } else { Self::Static }
    }
}

/// The number of a page (LISTENER-3).
pub(crate) fn page_number(kind: PairKind, task: usize, place: usize) -> u64 {
    debug_assert!((task as u64) < 1 << 31);
    let kind_bit = if kind == PairKind::Static { STATIC_BIT } else { 0 };
    kind_bit | (task as u64) << 32 | place as u64
}

/// Notifies of the pages of one task and kind.
#[derive(Clone, Copy)]
pub(crate) struct PageListener<'s> {
    on_page: &'s OnPage<'s>,
    kind: PairKind,
    task: usize,
    /// Whether the thread was already panicking: a step may run during a panic (LISTENER-2).
    was_panicking: bool,
}

impl<'s> PageListener<'s> {
    pub(crate) fn new(on_page: &'s OnPage<'s>, kind: PairKind, task: usize) -> Self {
        Self { on_page, kind, task, was_panicking: std::thread::panicking() }
    }

    /// Notifies of some of the task's pages, the first of which is at place `first`.
    pub(crate) fn notify<'p>(&self, first: usize, pages: impl Iterator<Item = &'p [[u32; 2]]>) {
        if self.was_panicking || !std::thread::panicking() {
            for (place, pairs) in (first..).zip(pages) {
                (self.on_page)(page_number(self.kind, self.task, place), pairs);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_numbers_ascend_by_kind_task_and_place() {
        let tasks = [0, 1, 2, 70_000, (1 << 31) - 1];
        let places = [0, 1, 9, u32::MAX as usize];
        let numbers = [PairKind::Body, PairKind::Static]
            .map(|kind| tasks.map(|task| places.map(|place| page_number(kind, task, place))));
        let all: Vec<u64> = numbers.as_flattened().as_flattened().to_vec();
        assert!(all.is_sorted_by(|a, b| a < b));
        let kinds = all.iter().map(|&number| PairKind::of_page(number));
        assert_eq!(kinds.filter(|&kind| kind == PairKind::Body).count(), all.len() / 2);
    }
}
