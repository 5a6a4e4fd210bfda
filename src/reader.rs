//! Handles for other threads: what they see is the last good step as a whole, while the next one runs.

use crate::frame::frame::Index;
use crate::frame::frames::Published;
use crate::geometry::{Aabb, Circle, Point, Ray};
use crate::query::{CastHit, Hits, Neighbor, QueryBuilder};
use crate::tier::DebugShape;
use crate::tier::static_tree::StaticTree;
use crate::world::World;
use std::fmt;
use std::sync::Arc;

/// A handle through which other threads see the last good step of a world, without borrowing the world. Made by
/// [`World::reader`]; cloned at the price of a counter. It outlives its world, and then still gives the last step.
#[derive(Clone)]
pub struct Reader {
    published: Arc<Published>,
}

/// The bodies and statics of one step: what [`Reader::latest`] gives.
///
/// It stays as it is while later steps run, for as long as it is held, by whichever thread; clones are of the same step.
/// Contacts are no part of it: they are the world's.
///
/// # Cost
///
/// A frame's memory is used for a later step once no one holds it. As long as it is held, it costs its size: some 31
/// bytes a body, 8 for an id and 8 for a filter. The frame of the last good step is there anyway.
#[derive(Clone)]
pub struct Snapshot {
    index: Arc<Index>,
}

impl World {
    /// A handle for other threads, which see each step as a whole once it has ended: for drawing, sound, paths, or a server's
    /// answers, while the next step runs.
    ///
    /// ```
    /// use triphase::{Aabb, Bodies, World};
    ///
    /// let mut world = World::default();
    /// world.set_statics(&[[0.0f32, -1.0, 100.0, 0.0]])?;
    /// let mut centers = vec![[1.0f32, 1.0], [50.0, 1.0]];
    /// world.step(Bodies::uniform(&centers, [0.5, 0.5]))?;
    ///
    /// let reader = world.reader();
    /// let view = Aabb::new([0.0, -5.0], [9.0, 5.0])?;
    /// std::thread::scope(|scope| {
    ///     scope.spawn(|| {
    ///         let frame = reader.latest(); // of step 1 or of a later one, and it stays that one
    ///         let drawn = frame.query_aabb(view).count();
    ///         assert_eq!(drawn, frame.query_aabb(view).count());
    ///         assert!(frame.step() >= 1 && drawn >= 2); // the ground and a body at least
    ///     });
    ///     for _ in 0..10 {
    ///         centers[1][0] -= 4.5;
    ///         world.step(Bodies::uniform(&centers, [0.5, 0.5])).expect("good bodies");
    ///     }
    /// });
    /// assert_eq!((reader.latest().step(), reader.latest().query_aabb(view).count()), (11, 3));
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Determinism
    ///
    /// Which step a reader finds is up to the threads; what it finds in it is not. Readers change nothing about steps.
    ///
    /// # Cost
    ///
    /// O(1). Neither side waits for the other for longer than it takes to copy a pointer. While there are readers, each
    /// frame has its ids to itself (8 bytes a body, where there are ids), and a step is built in memory that no one holds:
    /// with up to two frames held at once nothing is allocated once as many were held before.
    pub fn reader(&self) -> Reader {
        Reader { published: self.frames.publish() }
    }
}

impl Reader {
    /// The last good step, as it was when it ended: the same to all readers, until the next one has ended. Before the first
    /// step it is empty, with number 0 and without statics. A step that is refused changes nothing.
    ///
    /// # Cost
    ///
    /// O(1), nothing is allocated: a lock that is held for the copy of a pointer.
    pub fn latest(&self) -> Snapshot {
        Snapshot { index: self.published.latest() }
    }
}

impl Snapshot {
    /// How many steps had gone well when this one had: [`World::step_number`] of then. 0 before the first.
    pub fn step(&self) -> u64 {
        self.index.step
    }

    /// How many rows the step had, skipped ones included.
    pub fn len(&self) -> usize {
        self.index.row_count
    }

    /// Whether the step had no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The id of a row, where the step had an id column and the row.
    pub fn id(&self, row: u32) -> Option<u64> {
        self.index.ids.get(row as usize).copied()
    }

    /// The statics as they were in the step: the set, and which of them were enabled.
    pub fn statics(&self) -> &StaticTree {
        &self.index.statics
    }

    /// Returns a builder with every query and every restriction, about the bodies and enabled
    /// statics of the step; see [`QueryBuilder`]. Any number of threads may use it at once.
    pub fn query(&self) -> QueryBuilder<'_> {
        QueryBuilder::of_frame(&self.index, &self.index.statics)
    }

    /// Finds all entities whose boxes overlap `area`; see [`QueryBuilder::query_aabb`].
    pub fn query_aabb(&self, area: Aabb) -> Hits<'_> {
        self.query().query_aabb(area)
    }

    /// Finds all entities whose boxes overlap a circle; see [`QueryBuilder::query_circle`].
    pub fn query_circle(&self, circle: Circle) -> Hits<'_> {
        self.query().query_circle(circle)
    }

    /// Finds the entity nearest to a point; see [`QueryBuilder::nearest`].
    pub fn nearest(&self, point: Point) -> Option<Neighbor> {
        self.query().nearest(point)
    }

    /// Finds the first entity that a ray hits; see [`QueryBuilder::cast_ray`].
    pub fn cast_ray(&self, ray: Ray) -> Option<CastHit> {
        self.query().cast_ray(ray)
    }

    /// Visits the parts that the tiers are made of; as [`World::visit_debug_shapes`].
    pub fn visit_debug_shapes(&self, visitor: impl FnMut(DebugShape)) {
        self.index.visit_debug_shapes(&self.index.statics, visitor);
    }
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("latest", &self.latest()).finish()
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot")
            .field("step", &self.step())
            .field("bodies", &self.len())
            .field("statics", &self.statics().len())
            .finish()
    }
}

const _: () = {
    const fn shared<T: Clone + Send + Sync + 'static>() {}
    shared::<Reader>();
    shared::<Snapshot>();
};
