//! The frames of a world: how they are published, and how their memory is reused.
//!
//! - FRAME-1: a frame does not change while anyone but its world has it: it is in an `Arc`.
//! - FRAME-2: the next step is built in a frame that nobody else has ([`unshared`]). It is
//!   published when the step can no longer fail, so a published step is complete. A step that is
//!   told what changed changes the front frame itself if nobody else has it.
//! - FRAME-3: any frame that a step is built in has the capacity that earlier steps needed. Frames
//!   that nobody else has get the same capacity after each step, others when they are taken.
//! - FRAME-4: readers and the step share one lock, locked while a pointer is copied or exchanged.
//!   The replaced frame is dropped after unlocking.
//! - FRAME-5: without readers nothing is published. Then nobody else has the front frame, two
//!   frames are enough, and the ids of one step can move to the next. The first reader is created
//!   only through a borrow of the world, so none appears while a step runs.
//! - FRAME-6: a front frame that readers see cannot be shrunk. Instead, the next step is built in a
//!   new frame without its capacity, and the front frame is not reused.

use crate::frame::frame::Frame;
use crate::memory::buffers::Buffers;
use crate::tier::point_grid::bands::Bands;
use crate::tier::static_tree::tree::StaticTree;
use parking_lot::{Condvar, Mutex};
use smallvec::SmallVec;
use std::sync::Arc;
use std::time::Duration;

/// Spare frames that are kept: one for the next step, and two for readers that keep earlier steps.
const SPARES_MAX: usize = 3;

/// The largest step number that is restored: no world reaches it by stepping.
#[cfg(any(feature = "record", feature = "serde"))]
pub(crate) const STEP_MAX: u64 = 1 << 63;

/// The state that a world shares with its readers.
#[derive(Default)]
pub(crate) struct Published {
    state: Mutex<PublishedState>,
    changed: Condvar,
}

#[derive(Default)]
struct PublishedState {
    /// The frame of the last successful step, if there are readers (FRAME-5).
    latest: Option<Arc<Frame>>,
    /// Whether the world was dropped, so that no step will follow.
    closed: bool,
}

impl Published {
    /// The frame published last.
    pub(crate) fn latest(&self) -> Arc<Frame> {
        // A reader calls this, so there is one (FRAME-5).
        self.state.lock().latest.clone().unwrap_or_default()
    }

    /// Waits until the step number of the published frame is above `step`.
    pub(crate) fn wait_newer(&self, step: u64, timeout: Duration) -> Option<Arc<Frame>> {
        let newer = |state: &PublishedState| state.latest.clone().filter(|latest| latest.step > step);
        let mut state = self.state.lock();
        if CAN_WAIT && newer(&state).is_none() {
            let is_waiting = |state: &mut PublishedState| !state.closed && newer(state).is_none();
            self.changed.wait_while_for(&mut state, is_waiting, timeout);
        }
        newer(&state)
    }

    /// Whether the world was dropped.
    pub(crate) fn is_closed(&self) -> bool {
        self.state.lock().closed
    }

    fn replace(&self, latest: Option<Arc<Frame>>) {
        let before = std::mem::replace(&mut self.state.lock().latest, latest);
        self.changed.notify_all();
        drop(before); // The lock is already released (FRAME-4).
    }
}

/// The world's end of [`Published`]: wakes waiting readers when the world is dropped.
#[derive(Default)]
struct Publisher(Arc<Published>);

impl Drop for Publisher {
    fn drop(&mut self) {
        self.0.state.lock().closed = true;
        self.0.changed.notify_all();
    }
}

/// Whether a thread can sleep until another one wakes it.
const CAN_WAIT: bool = cfg!(not(all(target_family = "wasm", target_os = "unknown", not(target_feature = "atomics"))));

/// Steps before the last one that snapshots keep.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KeptSteps {
    pub(crate) count: usize,
    /// Bytes held for the bodies of these steps.
    pub(crate) bytes: usize,
}

/// The frame of the last successful step, and spare ones.
#[derive(Default)]
pub(crate) struct Frames {
    front: Arc<Frame>,
    /// Each is free once nobody else has it.
    spares: Vec<Arc<Frame>>,
    /// Shared with each reader.
    published: Publisher,
    /// Whether each frame keeps ids of its own, even without readers.
    own_ids: bool,
    /// Whether the front frame may have far more capacity than steps need (FRAME-6).
    front_is_oversized: bool,
}

impl Frames {
    /// `own_ids`: the ids of the next step are needed while those of the last one are in use.
    pub(crate) fn new(own_ids: bool) -> Self {
        Self { own_ids, ..Self::default() }
    }

    /// Frames of a restored world that had made `step` steps.
    #[cfg(any(feature = "record", feature = "serde"))]
    pub(crate) fn after(step: u64, own_ids: bool) -> Self {
        Self { front: Arc::new(Frame::restored(step)), ..Self::new(own_ids) }
    }

    /// The frame of the last successful step.
    pub(crate) fn front(&self) -> &Frame {
        &self.front
    }

    /// Publishes the front frame for a new reader (FRAME-5).
    pub(crate) fn publish(&self) -> Arc<Published> {
        let published = Arc::clone(&self.published.0);
        published.replace(Some(Arc::clone(&self.front)));
        published
    }

    /// Whether a reader may have the frame of the last step, so that it must not change (FRAME-1).
    pub(crate) fn front_is_shared(&mut self) -> bool {
        self.retract();
        Arc::get_mut(&mut self.front).is_none()
    }

    /// The frame of the last step, to be changed into that of the next; nobody else may have it
    /// (see [`front_is_shared`](Self::front_is_shared)).
    pub(crate) fn front_mut(&mut self) -> &mut Frame {
        unshared(&mut self.front)
    }

    /// Takes a frame to build a step in: a free spare, or a new one (FRAME-2, FRAME-3).
    pub(crate) fn next(&mut self) -> Arc<Frame> {
        self.retract();
        // If the front frame is to be updated, the spare that is least far behind it.
        let filing = self.front.moved.stamp.filing;
        let rank = |spare: &Frame| if spare.moved.stamp.filing == filing { spare.moved.stamp.updates + 1 } else { 0 };
        let free = self.spares.iter_mut().enumerate().filter_map(|(at, spare)| {
            let spare = Arc::get_mut(spare)?;
            Some((rank(spare), at))
        });
        let free = free.reduce(|best, other| if other.0 > best.0 { other } else { best });
        let mut next = free.map(|(_, at)| self.spares.swap_remove(at)).unwrap_or_default();
        if !self.front_is_oversized {
            match_capacity(unshared(&mut next), &self.front, self.has_readers() || self.own_ids);
        }
        next
    }

    /// Moves the ids of the last step to the next one, unless a reader may read them (FRAME-5).
    ///
    /// Returns whether they were moved.
    pub(crate) fn move_ids(&mut self, next: &mut Frame) -> bool {
        let front = Arc::get_mut(&mut self.front);
        let handed_on = front.is_some();
        if let Some(front) = front {
            std::mem::swap(&mut next.ids, &mut front.ids);
            std::mem::swap(&mut next.ids_stamp, &mut front.ids_stamp);
        }
        handed_on
    }

    /// Copies to `next` what the last step stored apart from boxes and statics.
    pub(crate) fn copy_step(&mut self, next: &mut Frame) {
        let front = self.front();
        (next.step, next.row_count) = (front.step, front.row_count);
        next.phases = front.phases;
        next.skipped.clone_from(&front.skipped);
        next.filters.clone_from(&front.filters);
        if !self.move_ids(next) {
            next.ids.clone_from(&self.front().ids);
        }
    }

    /// Takes back the frame of a step that failed. It may have grown.
    pub(crate) fn discard(&mut self, mut next: Arc<Frame>) {
        if let Some(next) = Arc::get_mut(&mut next) {
            next.cached.release_unless_in(&self.front.cached);
        }
        for other in self.spares.iter_mut().chain([&mut self.front]).filter_map(Arc::get_mut) {
            other.reserve_like(&next);
        }
        self.spares.push(next);
    }

    /// Makes `next` the frame of the last successful step, and publishes it.
    pub(crate) fn advance(&mut self, next: Arc<Frame>) {
        let before = std::mem::replace(&mut self.front, next);
        let readers = self.has_readers();
        if readers {
            self.published.0.replace(Some(Arc::clone(&self.front)));
        }
        if !std::mem::take(&mut self.front_is_oversized) {
            self.spares.push(before);
        }
        let (mut free, front, own_ids) = (0, &self.front, readers || self.own_ids);
        self.spares.retain_mut(|spare| match Arc::get_mut(spare) {
            Some(spare) if free < SPARES_MAX => {
                match_capacity(spare, front, own_ids);
                free += 1;
                true
            }
            Some(_) => false,
            None => true,
        });
    }

    /// Drops the spares, and shrinks the front frame or has it replaced by the next step (FRAME-6).
    pub(crate) fn shrink_to_fit(&mut self) {
        self.retract();
        self.spares = Vec::new();
        match Arc::get_mut(&mut self.front) {
            Some(front) => {
                front.shrink_to_fit();
                front.statics.tree.shrink_to_fit();
            }
            None => self.front_is_oversized = true,
        }
    }

    /// Bytes held for bodies in all frames, including those that readers have, and in `grids`.
    pub(crate) fn bytes<'g>(&'g self, grids: impl Iterator<Item = &'g Arc<Bands>>) -> usize {
        // Frames share the bands of cached bodies.
        let shared: SmallVec<[_; 8]> =
            self.all().filter_map(|frame| frame.cached.shared_bands()).chain(grids).collect();
        let is_first = |&k: &usize| !shared[..k].iter().any(|before| Arc::ptr_eq(before, shared[k]));
        let sleepers: usize = (0..shared.len()).filter(is_first).map(|k| size_of::<Bands>() + shared[k].bytes()).sum();
        sleepers + self.all().map(|frame| size_of::<Frame>() + frame.bytes()).sum::<usize>()
    }

    /// Bytes held for statics in all frames, without those shared with `present`.
    pub(crate) fn bytes_statics(&self, present: &StaticTree) -> usize {
        self.all().map(|frame| frame.statics.tree.bytes_beside(present)).sum()
    }

    /// The earlier steps that snapshots keep.
    pub(crate) fn kept_by_snapshots(&self) -> KeptSteps {
        let mut kept = KeptSteps::default();
        for frame in self.spares.iter().filter(|spare| Arc::strong_count(spare) > 1) {
            kept.count += 1;
            kept.bytes += size_of::<Frame>() + frame.bytes();
        }
        kept
    }

    fn all(&self) -> impl Iterator<Item = &Frame> {
        self.spares.iter().chain([&self.front]).map(|frame| &**frame)
    }

    /// Whether there are readers. None can appear while the world is borrowed mutably.
    fn has_readers(&self) -> bool {
        Arc::strong_count(&self.published.0) > 1
    }

    /// Stops publishing once the last reader is gone (FRAME-5).
    fn retract(&mut self) {
        // Not locked, as nobody else has it.
        if let Some(published) = Arc::get_mut(&mut self.published.0) {
            published.state.get_mut().latest = None;
        }
    }
}

/// A frame that is to change, which nobody else has (FRAME-1, FRAME-2).
///
/// # Panics
///
/// If somebody has it.
pub(crate) fn unshared(frame: &mut Arc<Frame>) -> &mut Frame {
    Arc::get_mut(frame).expect("a shared frame must not change")
}

/// Gives a frame the capacity of the front frame (FRAME-3), and releases sleepers and statics that
/// the front frame has replaced.
fn match_capacity(frame: &mut Frame, front: &Frame, own_ids: bool) {
    frame.reserve_like(front);
    frame.cached.release_unless_in(&front.cached);
    frame.statics.copy_from(&front.statics);
    if own_ids {
        frame.ids.reserve_like(&front.ids);
    }
}
