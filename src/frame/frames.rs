//! Indexes, how they are published, and how their memory is used again.
//!
//! F1: an index does not change as long as anyone but its world holds it: it is in an `Arc`.
//! F2: the next step is built in an index that no one else holds (so `Arc::make_mut` never clones). It is published when
//!     nothing can go wrong any more: what is published is always a whole step.
//! F3: whichever index a step is built in, it has the room that the steps before it took: those that no one else holds are
//!     levelled after each step, one that was held then when it is taken.
//! F4: readers and the step share one lock, held while a pointer is cloned or exchanged. What falls out is dropped outside.
//! F5: without readers nothing is published. So no one else holds the front, there are two indexes, and the ids of one
//!     step go to the next; only a world can make the first reader, so that no step runs while it does.

use crate::frame::frame::Index;
use crate::memory::buffers::{Buffers, reserve_like};
use crate::tier::point_grid::bands::Bands;
use crate::tier::static_tree::StaticTree;
use parking_lot::Mutex;
use smallvec::SmallVec;
use std::sync::Arc;

/// Indexes kept for the steps to come while no one else holds them: one for the next step, and as many as were held when
/// two frames were held at once. Those beyond are given back.
const SPARES_MAX: usize = 3;

/// What a world and its readers share: the index of the last good step while there are readers (F5).
#[derive(Default)]
pub(crate) struct Published(Mutex<Option<Arc<Index>>>);

impl Published {
    /// What was published last.
    pub(crate) fn latest(&self) -> Arc<Index> {
        // Whoever can ask is a reader, so there is one (F5).
        self.0.lock().clone().unwrap_or_default()
    }

    fn replace(&self, latest: Option<Arc<Index>>) {
        let before = std::mem::replace(&mut *self.0.lock(), latest);
        drop(before); // F4: the guard is gone.
    }
}

/// The index of the last good step, and those before it.
#[derive(Default)]
pub(crate) struct Frames {
    front: Arc<Index>,
    /// Each free once no one else holds it.
    spares: Vec<Arc<Index>>,
    /// Each reader holds it too.
    published: Arc<Published>,
    /// Whether each index has ids of its own, even without readers.
    own_ids: bool,
}

impl Frames {
    /// `own_ids` says whether the ids of the next step are needed while those of the last one still stand.
    pub(crate) fn new(own_ids: bool) -> Self {
        Self { own_ids, ..Self::default() }
    }

    /// Frames after so many steps, of which nothing is known.
    #[cfg(feature = "serde")]
    pub(crate) fn after(step: u64, own_ids: bool) -> Self {
        Self { front: Arc::new(Index { step, ..Index::default() }), ..Self::new(own_ids) }
    }

    /// The index of the last good step.
    pub(crate) fn front(&self) -> &Index {
        &self.front
    }

    /// What a new reader holds; from now on there are readers (F5).
    pub(crate) fn publish(&self) -> Arc<Published> {
        let published = Arc::clone(&self.published);
        published.replace(Some(Arc::clone(&self.front)));
        published
    }

    /// A spare that no one else holds, or a new one, to build a step in (F2, F3).
    pub(crate) fn next(&mut self) -> Arc<Index> {
        self.retract();
        let free = self.spares.iter_mut().position(|spare| Arc::get_mut(spare).is_some());
        let mut next = free.map(|at| self.spares.swap_remove(at)).unwrap_or_default();
        level(Arc::make_mut(&mut next), &self.front, self.has_readers() || self.own_ids);
        next
    }

    /// The ids of the last good step for the next one, with their buffer, unless someone else may look into it (F5). Whether
    /// they were handed on.
    pub(crate) fn hand_on_ids(&mut self, next: &mut Index) -> bool {
        let front = Arc::get_mut(&mut self.front);
        let handed_on = front.is_some();
        if let Some(front) = front {
            std::mem::swap(&mut next.ids, &mut front.ids);
        }
        handed_on
    }

    /// Copies to `next` what the last step stored apart from boxes and statics.
    pub(crate) fn copy_step(&mut self, next: &mut Index) {
        let front = self.front();
        (next.step, next.row_count, next.sequential) = (front.step, front.row_count, front.sequential);
        next.filters.clone_from(&front.filters);
        if !self.hand_on_ids(next) {
            next.ids.clone_from(&self.front().ids);
        }
    }

    /// Takes back what [`next`](Self::next) gave: the step was refused. It may be roomier than the others now.
    pub(crate) fn refuse(&mut self, mut next: Arc<Index>) {
        if let Some(next) = Arc::get_mut(&mut next) {
            next.cached.release_unless_in(&self.front.cached);
        }
        for other in self.spares.iter_mut().chain([&mut self.front]).filter_map(Arc::get_mut) {
            other.reserve_like(&next);
        }
        self.spares.push(next);
    }

    /// Makes what [`next`](Self::next) gave the index of the last good step, and publishes it.
    pub(crate) fn advance(&mut self, next: Arc<Index>) {
        let before = std::mem::replace(&mut self.front, next);
        let readers = self.has_readers();
        if readers {
            self.published.replace(Some(Arc::clone(&self.front)));
        }
        self.spares.push(before);
        let (mut free, front, own_ids) = (0, &self.front, readers || self.own_ids);
        self.spares.retain_mut(|spare| match Arc::get_mut(spare) {
            Some(spare) if free < SPARES_MAX => {
                level(spare, front, own_ids);
                free += 1;
                true
            }
            Some(_) => false,
            None => true,
        });
    }

    /// Drops spares, and lets go of those that others hold. The index of the last good step stays as it is if readers may
    /// ask for it.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.retract();
        self.spares = Vec::new();
        if let Some(front) = Arc::get_mut(&mut self.front) {
            front.shrink_to_fit();
        }
    }

    /// Bytes held for bodies in all indexes, those that others hold included, and by these grids of sleepers.
    pub(crate) fn bytes<'g>(&'g self, grids: impl Iterator<Item = &'g Arc<Bands>>) -> usize {
        // Indexes share grids.
        let shared: SmallVec<[_; 8]> =
            self.all().filter_map(|index| index.cached.shared_bands()).chain(grids).collect();
        let is_first = |&k: &usize| !shared[..k].iter().any(|before| Arc::ptr_eq(before, shared[k]));
        let sleepers: usize = (0..shared.len()).filter(is_first).map(|k| size_of::<Bands>() + shared[k].bytes()).sum();
        sleepers + self.all().map(|index| size_of::<Index>() + index.bytes()).sum::<usize>()
    }

    /// Bytes held for statics in all indexes, beside those of the present ones.
    pub(crate) fn bytes_statics(&self, present: &StaticTree) -> usize {
        self.all().map(|index| index.statics.bytes_beside(present)).sum()
    }

    fn all(&self) -> impl Iterator<Item = &Index> {
        self.spares.iter().chain([&self.front]).map(|index| &**index)
    }

    /// Whether anyone may ask for what is published. If not, no one can begin to as long as the world is borrowed mutably.
    fn has_readers(&self) -> bool {
        Arc::strong_count(&self.published) > 1
    }

    /// F5, once the last reader has gone.
    fn retract(&mut self) {
        if !self.has_readers() {
            self.published.replace(None);
        }
    }
}

/// F3; with readers, or where they are asked for, each index has ids of its own. Statics that were replaced and sleepers that
/// were filed anew are let go of.
fn level(index: &mut Index, front: &Index, own_ids: bool) {
    index.reserve_like(front);
    index.cached.release_unless_in(&front.cached);
    index.set_statics(&front.statics, front.statics_version);
    if own_ids {
        reserve_like(&mut index.ids, &front.ids);
    }
}
