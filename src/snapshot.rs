//! Snapshots of steps for other threads.

use crate::frame::frame::Frame;
use crate::frame::frames::Published;
use crate::geometry::{Aabb, Circle, Point, RawAabb, Ray};
use crate::query::{CastHit, Hits, Neighbor, QueryBuilder};
use crate::tier::DebugShape;
use crate::tier::static_tree::tree::StaticTree;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Gives other threads the last successful step of a world, without borrowing the world.
///
/// Created by [`World::reader`](crate::World::reader). Cloning is cheap. A reader may outlive its
/// world; it then still returns the last step.
#[derive(Clone)]
pub struct SnapshotReader {
    published: Arc<Published>,
    /// Whether the world may use other threads.
    parallel: bool,
}

/// The bodies and statics of one step, which do not change while later steps run.
///
/// Created by [`SnapshotReader::latest`]. Clones share the same step. Contacts are not included.
///
/// # Cost
///
/// A snapshot keeps the memory of its step from being reused: about 25 bytes per body, and 8 each
/// for an id and a filter. The last step is in memory in any case.
#[derive(Clone)]
pub struct Snapshot {
    frame: Arc<Frame>,
    parallel: bool,
}

impl SnapshotReader {
    pub(crate) fn new(published: Arc<Published>, parallel: bool) -> Self {
        Self { published, parallel }
    }

    fn snapshot(&self, frame: Arc<Frame>) -> Snapshot {
        Snapshot { frame, parallel: self.parallel }
    }

    /// Returns the last successful step.
    ///
    /// Before the first step, the snapshot is empty: it has no bodies and no statics, and step
    /// number 0, or in a restored world that of the save. A failed step changes nothing.
    ///
    /// # Cost
    ///
    /// O(1) without allocation: a lock is taken while a pointer is copied.
    pub fn latest(&self) -> Snapshot {
        self.snapshot(self.published.latest())
    }

    /// Waits for a step with a number above `step_number`, for at most `timeout`.
    ///
    /// Returns the last successful step as soon as it is newer than `step_number`. Returns `None`
    /// if the time runs out, as in a pause of the game, or the world is dropped, before there is
    /// such a step; [`is_closed`](Self::is_closed) tells which. The thread sleeps while it waits.
    /// On targets without threads, the call returns at once.
    ///
    /// ```
    /// use std::time::Duration;
    /// use triphase::{Bodies, World};
    ///
    /// let mut world = World::default();
    /// let reader = world.reader();
    /// let consumer = std::thread::spawn(move || {
    ///     let mut last = 0;
    ///     loop {
    ///         match reader.wait_newer(last, Duration::from_secs(5)) {
    ///             Some(snapshot) => last = snapshot.step_number(), // draw it; some may be missed
    ///             None if reader.is_closed() => return last,
    ///             None => {} // the game is paused
    ///         }
    ///     }
    /// });
    /// for _ in 0..3 {
    ///     world.step(Bodies::uniform(&[[0.0f32, 0.0]], [0.5, 0.5]))?;
    /// }
    /// drop(world);
    /// assert_eq!(consumer.join().unwrap(), 3);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn wait_newer(&self, step_number: u64, timeout: Duration) -> Option<Snapshot> {
        self.published.wait_newer(step_number, timeout).map(|frame| self.snapshot(frame))
    }

    /// Whether the world was dropped, so that no step will follow.
    pub fn is_closed(&self) -> bool {
        self.published.is_closed()
    }
}

impl Snapshot {
    /// Number of the step: the value of [`World::step_number`](crate::World::step_number) after it.
    pub fn step_number(&self) -> u64 {
        self.frame.step
    }

    /// Number of rows of the step, including skipped ones.
    pub fn body_count(&self) -> usize {
        self.frame.row_count
    }

    /// The id of a body, or `None` if the step had no ids or no such row.
    pub fn body_id(&self, row: u32) -> Option<u64> {
        self.frame.ids.get(row as usize).copied()
    }

    /// The box of a body; see [`World::aabb`](crate::World::aabb).
    pub fn aabb(&self, row: u32) -> Option<RawAabb> {
        self.frame.aabb(row)
    }

    /// The statics of the step, and which of them were enabled. After
    /// [`World::shift_origin`](crate::World::shift_origin) these may be the present statics of the
    /// world; see there.
    pub fn statics(&self) -> &StaticTree {
        &self.frame.statics.tree
    }

    /// Returns a builder of queries about the bodies and enabled statics of the step.
    ///
    /// Any number of threads may query a snapshot at the same time. See [`QueryBuilder`].
    pub fn query(&self) -> QueryBuilder<'_> {
        QueryBuilder::of_frame(&self.frame, &self.frame.statics.tree, self.parallel)
    }

    /// Finds all entities whose boxes overlap `area`; see [`QueryBuilder::query_aabb`].
    pub fn query_aabb(&self, area: Aabb) -> Hits<'_> {
        self.query().query_aabb(area)
    }

    /// Finds all entities whose boxes overlap `circle`; see [`QueryBuilder::query_circle`].
    pub fn query_circle(&self, circle: Circle) -> Hits<'_> {
        self.query().query_circle(circle)
    }

    /// Finds the entity nearest to `point`; see [`QueryBuilder::nearest`].
    pub fn nearest(&self, point: Point) -> Option<Neighbor> {
        self.query().nearest(point)
    }

    /// Finds the first entity that `ray` hits; see [`QueryBuilder::cast_ray`].
    pub fn cast_ray(&self, ray: Ray) -> Option<CastHit> {
        self.query().cast_ray(ray)
    }

    /// Visits the parts of the three tiers' structures, for debug drawing; see
    /// [`World::visit_debug_shapes`](crate::World::visit_debug_shapes).
    pub fn visit_debug_shapes(&self, visitor: impl FnMut(DebugShape)) {
        self.frame.visit_debug_shapes(&self.frame.statics.tree, visitor);
    }
}

impl fmt::Debug for SnapshotReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SnapshotReader").field("latest", &self.latest()).finish()
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot")
            .field("step_number", &self.step_number())
            .field("bodies", &self.body_count())
            .field("statics", &self.statics().len())
            .finish()
    }
}

const _: () = {
    const fn shared<T: Clone + Send + Sync + 'static>() {}
    shared::<SnapshotReader>();
    shared::<Snapshot>();
};

#[cfg(test)]
mod tests {
    use crate::{Bodies, World, WorldConfig};

    #[test]
    fn snapshots_use_threads_if_their_world_may() {
        for threshold in [None, Some(1000)] {
            let mut world = World::new(WorldConfig::new().with_parallel_threshold(threshold)).expect("valid settings");
            let reader = world.reader();
            let before = reader.latest();
            world.step(Bodies::uniform(&[[0.0f32, 0.0]], [0.5, 0.5])).expect("a valid body");
            let may_use_threads = [before, reader.latest()].map(|snapshot| snapshot.parallel);
            assert_eq!(may_use_threads, [cfg!(feature = "parallel") && threshold.is_some(); 2]);
        }
    }
}
