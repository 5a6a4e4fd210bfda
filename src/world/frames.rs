//! Indexes, and how their memory is used again.
//!
//! F1: an index in an `Arc` does not change as long as anyone but its world holds it: it is written to through
//!     `Arc::get_mut` alone.
//! F2: the next step is built in an index that the world owns. It goes into an `Arc` when nothing can go wrong any more.
//! F3: whichever index a step is built in, it has the room that the steps before it took: those that no one else holds are
//!     levelled after each step, one that was held when it is taken.

use super::index::Index;
use std::sync::Arc;

/// Indexes kept for the steps to come while no one else holds them: one for the next step, and as many as were held when
/// two frames were held at once. Those beyond are given back.
const SPARES_MAX: usize = 3;

/// The index of the last good step, and those before it.
#[derive(Default)]
pub(super) struct Frames {
    front: Arc<Index>,
    /// Each free once no one else holds it.
    spares: Vec<Arc<Index>>,
}

/// F2: an index that a step is built in, and the place that it goes to.
#[derive(Default)]
pub(super) struct Next {
    pub(super) index: Index,
    /// Empty, and held by no one else.
    place: Arc<Index>,
}

impl Next {
    fn place(mut self) -> Arc<Index> {
        match Arc::get_mut(&mut self.place) {
            Some(place) => *place = self.index,
            None => self.place = Arc::new(self.index),
        }
        self.place
    }
}

impl Frames {
    /// The index of the last good step.
    pub(super) fn front(&self) -> &Index {
        &self.front
    }

    /// The index of the last good step, if no one else holds it.
    pub(super) fn front_mut(&mut self) -> Option<&mut Index> {
        Arc::get_mut(&mut self.front)
    }

    /// A spare that no one else holds, or a new one, to build a step in (F3).
    pub(super) fn next(&mut self) -> Next {
        let free = self.spares.iter_mut().position(|spare| Arc::get_mut(spare).is_some());
        let mut place = free.map(|at| self.spares.swap_remove(at)).unwrap_or_default();
        let mut index = Arc::get_mut(&mut place).map(std::mem::take).unwrap_or_default();
        index.reserve_like(&self.front);
        Next { index, place }
    }

    /// Takes back what [`next`](Self::next) gave: the step was refused. It may be roomier than the others now.
    pub(super) fn refuse(&mut self, next: Next) {
        let place = next.place();
        for other in self.spares.iter_mut().chain([&mut self.front]).filter_map(Arc::get_mut) {
            other.reserve_like(&place);
        }
        self.spares.push(place);
    }

    /// Makes what [`next`](Self::next) gave the index of the last good step.
    pub(super) fn advance(&mut self, mut next: Next) {
        next.index.step = self.front.step + 1;
        let before = std::mem::replace(&mut self.front, next.place());
        self.spares.push(before);
        let mut free = 0;
        let front = &self.front;
        self.spares.retain_mut(|spare| match Arc::get_mut(spare) {
            Some(spare) if free < SPARES_MAX => {
                spare.reserve_like(front);
                free += 1;
                true
            }
            Some(_) => false,
            None => true,
        });
    }

    /// Drops spares, and lets go of those that others hold.
    pub(super) fn shrink_to_fit(&mut self) {
        self.spares = Vec::new();
        if let Some(front) = self.front_mut() {
            front.shrink_to_fit();
        }
    }

    /// Bytes of all indexes, those that others hold included.
    pub(super) fn bytes(&self) -> usize {
        self.spares.iter().chain([&self.front]).map(|index| size_of::<Index>() + index.bytes()).sum()
    }
}
