//! The world: all three tiers behind one call.

use crate::broad_phase::broad_phase::BroadPhase;
use crate::config::WorldConfig;
use crate::contacts::contacts::Contacts;
use crate::contacts::events::tracker::check_static_ids;
use crate::contacts::events::view::ContactEventsMut;
use crate::contacts::store::ContactStore;
use crate::contacts::stream::channel::{Sender, StepStream};
use crate::contacts::stream::page::StreamedPage;
use crate::error::{Error, InvalidRow};
use crate::frame::frames::Frames;
use crate::frame::statics::StaticSet;
use crate::geometry::{Aabb, Circle, Point, RawAabb, Ray};
use crate::input::bodies::Bodies;
use crate::input::statics::Statics;
use crate::memory::usage::UsageWindow;
use crate::query::{CastHit, Hits, Neighbor, QueryBuilder};
use crate::reader::SnapshotReader;
use crate::report::Report;
#[cfg(feature = "serde")]
use crate::save::{RestoredParts, SavedWorld};
use crate::simd::DetectedSimd;
use crate::step::StepParts;
use crate::tier::DebugShape;
use crate::tier::static_tree::tree::StaticTree;

/// Moving bodies and statics, their contact pairs, and queries of them.
///
/// ```
/// use triphase::{Aabb, Bodies, World};
///
/// let mut world = World::default();
/// world.set_statics(&[Aabb::new([-10.0, -1.0], [10.0, 0.0])?])?;
///
/// let half_extents = [[0.5f32, 0.5]; 3];
/// let mut centers = [[0.0f32, 2.0], [0.8, 2.3], [5.0, 0.2]];
/// for _ in 0..2 {
///     let contacts = world.step(Bodies::new(&centers, &half_extents))?;
///     assert_eq!(contacts.body_pairs().len(), 1);
///     for pair in contacts.static_pairs() {
///         centers[pair.body as usize][1] += 0.1; // nothing of the columns stays borrowed
///     }
/// }
/// let view = Aabb::new([4.0, 0.0], [6.0, 1.0])?;
/// assert_eq!(world.query_aabb(view).count(), 2); // a body and the ground
/// # Ok::<(), triphase::Error>(())
/// ```
#[derive(Default)]
pub struct World {
    config: WorldConfig,
    simd: DetectedSimd,
    statics: StaticSet,
    frames: Frames,
    broad_phase: BroadPhase,
    contacts: ContactStore,
    usage: UsageWindow,
}

/// # Creation and settings
impl World {
    /// Creates a world with the given settings; `World::default()` has default settings.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidConfig`] names the setting and its value.
    pub fn new(config: WorldConfig) -> Result<Self, Error> {
        config.validate()?;
        let contacts = ContactStore::new(&config);
        let frames = Frames::new(config.contact_tracking);
        Ok(Self { simd: DetectedSimd::detect(config.simd_max), config, contacts, frames, ..Self::default() })
    }

    /// The settings.
    pub fn config(&self) -> &WorldConfig {
        &self.config
    }
}

/// # Stepping
impl World {
    /// Steps one frame: finds every contact pair of bodies, and of bodies and enabled statics.
    ///
    /// A contact pair is two entities whose closed boxes overlap and whose
    /// [`Filter`](crate::Filter)s accept each other; with
    /// [`BodyShape::Circle`](crate::BodyShape::Circle) the shapes must touch as well. Boxes are
    /// computed in f32 (see [`Bodies`]); touching counts as overlap. No pair is missing, extra or
    /// reported twice.
    ///
    /// Takes one [`Bodies`], or a slice, array or `Vec` of them: one for each archetype of an ECS,
    /// say. Rows are then numbered through all of them.
    ///
    /// Runs on the rayon pool of the caller, so `pool.install(|| world.step(bodies))` chooses one.
    ///
    /// ```
    /// use triphase::{Bodies, World};
    ///
    /// let mut world = World::default();
    /// let orcs = [[0.0f32, 0.0], [9.0, 9.0]];
    /// let arrows = [[0.2f32, 0.0, 0.4, 0.1]];
    /// let chunks = [Bodies::uniform(&orcs, [0.5, 0.5]), Bodies::from_aabbs(&arrows)];
    /// let pair = world.step(&chunks)?.body_pairs().next().unwrap();
    /// assert_eq!((pair.a, pair.b), (0, 2)); // the arrow is row 2
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidBody`] names the lowest invalid row (see [`InvalidRows`](crate::InvalidRows)
    /// to skip such rows). Also [`Error::ColumnLengthMismatch`], [`Error::InconsistentIds`],
    /// [`Error::TooManyRows`], [`Error::TooManyPairs`] and, if contacts are tracked,
    /// [`Error::DuplicateBodyId`]. After an error the world keeps the contacts and answers the
    /// queries of the last successful step.
    ///
    /// # Determinism
    ///
    /// Pairs and their order depend only on input, statics and settings: not on the number of
    /// threads, the SIMD level or earlier steps. Only [`Bodies::with_asleep`] may change the order.
    ///
    /// # Cost
    ///
    /// O(bodies + pairs), in parallel. Allocates only when the world grows. If 256 steps in a row
    /// have less than half of the rows or of the pairs that the world has memory for, the rest is
    /// given back, a part per step; see [`shrink_to_fit`](Self::shrink_to_fit) to have it at once.
    pub fn step<'a>(&mut self, bodies: impl AsRef<[Bodies<'a>]>) -> Result<Contacts<'_>, Error> {
        self.parts().step(bodies.as_ref(), None)?;
        Ok(self.contacts())
    }

    /// Like [`step`](Self::step), and delivers each page of pairs as soon as it is complete.
    ///
    /// Calls `on_page` on whichever thread of the step completed the page, on several threads at
    /// the same time, while other pages are still being filled.
    ///
    /// Pages are provisional until the call returns. On `Ok` they are the step's pairs: sorted by
    /// [`sequence`](StreamedPage::sequence), they are the pages of the contacts. On `Err` discard
    /// them. No more pairs than the [limit](WorldConfig::with_pair_limit) are delivered.
    ///
    /// `on_page` may run its own work on the thread pool. The step waits for it, so do long work
    /// after the step, or on the other side of a [channel](Self::step_to_channel).
    ///
    /// ```
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    /// use triphase::{Bodies, PagePairs, World};
    ///
    /// let mut world = World::default();
    /// world.set_statics(&[[0.0f32, -1.0, 100.0, 0.0]])?;
    /// let centers = [[1.0f32, 0.4], [1.6, 0.4], [50.0, 9.0]];
    /// let (body_pairs, static_pairs) = (AtomicUsize::new(0), AtomicUsize::new(0));
    /// world.step_streamed(Bodies::uniform(&centers, [0.5, 0.5]), |page| match page.pairs() {
    ///     PagePairs::Body(pairs) => _ = body_pairs.fetch_add(pairs.len(), Ordering::Relaxed),
    ///     PagePairs::Static(pairs) => _ = static_pairs.fetch_add(pairs.len(), Ordering::Relaxed),
    /// })?;
    /// assert_eq!((body_pairs.into_inner(), static_pairs.into_inner()), (1, 2));
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`step`](Self::step).
    ///
    /// # Panics
    ///
    /// Panics if `on_page` does. Other threads may get pages until the panic has reached the
    /// caller. The world keeps its last successful step, and can step again.
    ///
    /// # Determinism
    ///
    /// Pages and their numbers depend only on input, statics and settings; the time and the thread
    /// of a call do not. On a single thread, pages of each kind come in order.
    ///
    /// # Cost
    ///
    /// A call per page of up to a few thousand pairs. Pages of very large or crowded bands arrive
    /// when the band is complete. Allocates no more than `step`, unless `on_page` uses the pool:
    /// then a thread may start another task of the step while it waits, with temporary memory.
    pub fn step_streamed<'a>(
        &mut self,
        bodies: impl AsRef<[Bodies<'a>]>,
        on_page: impl Fn(StreamedPage<'_>) + Sync,
    ) -> Result<Contacts<'_>, Error> {
        self.parts().step(bodies.as_ref(), Some(&|sequence, pairs| on_page(StreamedPage::new(sequence, pairs))))?;
        Ok(self.contacts())
    }

    /// Like [`step`](Self::step), and sends a copy of each page of pairs as soon as it is complete.
    ///
    /// After the pages of a step, a message contains the outcome of the step. While the channel is
    /// full the step waits, so the consumer must not run on the threads of the step. If the
    /// receiver is dropped, the step continues without it. See [`stream`](crate::stream) for an
    /// example.
    ///
    /// # Errors
    ///
    /// As [`step`](Self::step). The consumer gets a clone of the error.
    ///
    /// # Determinism
    ///
    /// As [`step_streamed`](Self::step_streamed).
    ///
    /// # Cost
    ///
    /// A copy of the pairs, in pages of up to 16 KiB, and a message per page.
    pub fn step_to_channel<'a>(
        &mut self,
        bodies: impl AsRef<[Bodies<'a>]>,
        sender: &Sender,
    ) -> Result<Contacts<'_>, Error> {
        let stream = StepStream::new(sender);
        let outcome = self.parts().step(bodies.as_ref(), Some(&|sequence, pairs| stream.send_page(sequence, pairs)));
        stream.close(outcome.clone().map(|()| self.contacts.summary(self.step_number())));
        outcome.map(|()| self.contacts())
    }

    /// Number of successful steps.
    pub fn step_number(&self) -> u64 {
        self.frames.front().step
    }

    /// Rows skipped by the last successful step, ascending; see
    /// [`InvalidRows::Skip`](crate::InvalidRows::Skip).
    pub fn skipped_rows(&self) -> &[InvalidRow] {
        &self.frames.front().skipped
    }
}

/// # Statics
impl World {
    /// Replaces the static set, with all statics enabled.
    ///
    /// Queries see the new set at once. Static pairs are empty until the next step.
    /// [Readers](Self::reader) see the new set from the next step on; until then the old set stays
    /// in memory for them.
    ///
    /// ```
    /// use triphase::{Statics, World};
    ///
    /// let mut world = World::default();
    /// world.set_statics(&[[0.0f32, -1.0, 100.0, 0.0]])?;
    /// assert_eq!(world.statics().len(), 1);
    /// world.set_statics(Statics::default())?; // remove all
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidStatic`] names the lowest invalid row. Also [`Error::ColumnLengthMismatch`],
    /// [`Error::TooManyRows`] and, if contacts are tracked, [`Error::DuplicateStaticId`]. On an
    /// error the old set stays.
    ///
    /// # Cost
    ///
    /// Builds a tree, in parallel for large sets: O(n log n), some hundred milliseconds for a
    /// million boxes. To open a door use [`set_static_enabled`](Self::set_static_enabled).
    pub fn set_statics<'s>(&mut self, statics: impl Into<Statics<'s>>) -> Result<(), Error> {
        let tree = StaticTree::build(statics.into(), self.config.may_use_threads())?;
        if self.config.contact_tracking {
            check_static_ids(&tree)?;
        }
        self.statics.replace(tree);
        self.contacts.clear_statics();
        Ok(())
    }

    /// Enables or disables a static, and returns whether it was enabled.
    ///
    /// For doors and destroyed walls. Queries see the change at once, contact pairs from the next
    /// step on.
    ///
    /// ```
    /// use triphase::{Bodies, World};
    ///
    /// let mut world = World::default();
    /// world.set_statics(&[[0.0f32, 0.0, 1.0, 9.0]])?; // a door
    /// let bodies = [[0.5f32, 4.0]];
    /// assert_eq!(world.step(Bodies::uniform(&bodies, [0.5, 0.5]))?.static_pairs().len(), 1);
    ///
    /// assert_eq!(world.set_static_enabled(0, false)?, true);
    /// assert_eq!(world.step(Bodies::uniform(&bodies, [0.5, 0.5]))?.static_pairs().len(), 0);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::StaticOutOfRange`] if there is no such row.
    ///
    /// # Cost
    ///
    /// O(1).
    pub fn set_static_enabled(&mut self, row: u32, enabled: bool) -> Result<bool, Error> {
        self.statics.set_enabled(row, enabled)
    }

    /// The static set.
    pub fn statics(&self) -> &StaticTree {
        &self.statics.tree
    }
}

/// # Contacts
impl World {
    /// The contacts of the last successful step, with a shared borrow.
    ///
    /// The contacts that [`step`](Self::step) returns borrow the world mutably; these do not, so
    /// queries can be made while they are iterated. Empty before the first step.
    pub fn contacts(&self) -> Contacts<'_> {
        let frame = self.frames.front();
        Contacts::new(&self.contacts, frame, &self.statics.tree, self.config.is_parallel(frame.row_count))
    }

    /// Mutable access to the values of tracked contacts.
    ///
    /// `None` unless [`WorldConfig::with_contact_tracking`] is on. See
    /// [`ContactEvents`](crate::ContactEvents) for an example.
    pub fn events_mut(&mut self) -> Option<ContactEventsMut<'_>> {
        self.contacts.events.as_deref_mut().map(ContactEventsMut::new)
    }
}

/// # Queries, and snapshots for other threads
impl World {
    /// Returns a builder with every query and every restriction; see [`QueryBuilder`].
    ///
    /// Queries find the bodies of the last successful step, and the statics as they are now.
    ///
    /// ```
    /// use triphase::{Aabb, Bodies, Hit, World};
    /// let mut world = World::default();
    /// world.set_statics(&[[0.0f32, -1.0, 100.0, 0.0]])?;
    /// world.step(Bodies::uniform(&[[2.0f32, 0.5], [4.0, 0.5]], [0.5, 0.5]))?;
    /// let others = world.query().only_bodies().exclude_bodies(&[0]);
    /// let area = Aabb::new([0.0, 0.0], [9.0, 9.0])?;
    /// assert!(others.query_aabb(area).eq([Hit::Body { row: 1, id: None }]));
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn query(&self) -> QueryBuilder<'_> {
        QueryBuilder::of_frame(self.frames.front(), &self.statics.tree, self.config.may_use_threads())
    }

    /// Finds all entities whose boxes overlap `area`; see [`QueryBuilder::query_aabb`].
    ///
    /// ```
    /// use triphase::{Aabb, Bodies, World};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[2.0f32, 0.5], [40.0, 0.5]], [0.5, 0.5]))?;
    /// for hit in world.query_aabb(Aabb::new([0.0, 0.0], [9.0, 9.0])?) {
    ///     println!("in view: {hit:?}");
    /// }
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn query_aabb(&self, area: Aabb) -> Hits<'_> {
        self.query().query_aabb(area)
    }

    /// Finds all entities whose boxes overlap a circle; see [`QueryBuilder::query_circle`].
    ///
    /// ```
    /// use triphase::{Bodies, Circle, World};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[1.0f32, 1.0], [4.0, 1.0]], [0.5, 0.5]))?;
    /// assert_eq!(world.query_circle(Circle::new([0.0, 1.0], 2.0)?).count(), 1);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn query_circle(&self, circle: Circle) -> Hits<'_> {
        self.query().query_circle(circle)
    }

    /// Finds the entity nearest to a point; see [`QueryBuilder::nearest`].
    ///
    /// ```
    /// use triphase::{Bodies, Point, World};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[1.0f32, 0.0], [5.0, 0.0]], [0.5, 0.5]))?;
    /// assert_eq!(world.nearest(Point::new([3.5, 0.0])?).unwrap().distance, 1.0);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn nearest(&self, point: Point) -> Option<Neighbor> {
        self.query().nearest(point)
    }

    /// Finds the first entity that a ray hits; see [`QueryBuilder::cast_ray`].
    ///
    /// ```
    /// use triphase::{Bodies, Ray, World};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[9.0f32, 0.0], [5.0, 0.0]], [0.5, 0.5]))?;
    /// let ray = Ray::new([0.0, 0.0], [1.0, 0.0], 100.0)?;
    /// assert_eq!(world.cast_ray(ray).unwrap().time_of_impact, 4.5);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn cast_ray(&self, ray: Ray) -> Option<CastHit> {
        self.query().cast_ray(ray)
    }

    /// The box of a body in the last successful step, as `[min_x, min_y, max_x, max_y]`.
    ///
    /// It is the box that the step used, in f32, displacement included. Edges may have rounded to
    /// infinity. Returns `None` for a row that was skipped or does not exist.
    ///
    /// ```
    /// use triphase::{Bodies, World};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[1.0f32, 2.0]], [0.5, 0.5]))?;
    /// assert_eq!(world.aabb(0), Some([0.5, 1.5, 1.5, 2.5]));
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Cost
    ///
    /// The first call after a step takes O(rows) and 16 bytes per row; later ones take O(1).
    pub fn aabb(&self, row: u32) -> Option<RawAabb> {
        self.frames.front().aabb(row)
    }

    /// Creates a handle through which other threads get each completed step.
    ///
    /// For drawing, sound, path finding or a server's answers, while the next step runs.
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
    ///         let snapshot = reader.latest(); // step 1 or a later one; it does not change
    ///         let drawn = snapshot.query_aabb(view).count();
    ///         assert_eq!(drawn, snapshot.query_aabb(view).count());
    ///         assert!(snapshot.step_number() >= 1 && drawn >= 2); // the ground and a body
    ///     });
    ///     for _ in 0..10 {
    ///         centers[1][0] -= 4.5;
    ///         world.step(Bodies::uniform(&centers, [0.5, 0.5])).expect("valid bodies");
    ///     }
    /// });
    /// let latest = reader.latest();
    /// assert_eq!((latest.step_number(), latest.query_aabb(view).count()), (11, 3));
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Determinism
    ///
    /// Which step a reader gets depends on timing; the content of a step does not. Readers do not
    /// affect steps.
    ///
    /// # Cost
    ///
    /// O(1). Steps and queries never block each other for longer than it takes to copy a pointer.
    /// While there are readers, each step copies its ids (8 bytes per body, if there are ids) and
    /// is built in memory that no snapshot uses. If readers keep up to two steps at once, nothing
    /// is allocated after as many were kept before.
    pub fn reader(&self) -> SnapshotReader {
        SnapshotReader::new(self.frames.publish())
    }

    /// Visits the parts of the three tiers' structures, for debug drawing.
    ///
    /// These are bands with their cells, loose and tight cells, nodes and leaves, as of the last
    /// successful step.
    ///
    /// # Cost
    ///
    /// O(cells + nodes).
    pub fn visit_debug_shapes(&self, visitor: impl FnMut(DebugShape)) {
        self.frames.front().visit_debug_shapes(&self.statics.tree, visitor);
    }
}

/// # Maintenance
impl World {
    /// Orders the rows of the last step so that bodies near each other become adjacent.
    ///
    /// Row `order[k]` belongs at position `k`. `order` is cleared first, and then contains each row
    /// once. If you sort your columns by it once in a hundred frames or so, loops over contacts
    /// find both rows of a pair close together in memory, and steps with a million bodies become
    /// faster too. The order stays useful for many frames, as bodies leave their neighbors slowly.
    ///
    /// Contacts, hits and your own references are rows of the step: read those of the last step
    /// before you reorder, and keep ids for references that must outlast it.
    ///
    /// Common bodies come first in cell order, [cached](crate::Bodies::with_asleep) ones after the
    /// others; oversized bodies follow, then [skipped rows](Self::skipped_rows). Before the first
    /// step `order` is empty; a failed step does not change it.
    ///
    /// ```
    /// use triphase::{Bodies, World};
    ///
    /// /// Sorts a column through a reused buffer.
    /// fn reorder<T: Copy>(column: &mut Vec<T>, order: &[u32], buffer: &mut Vec<T>) {
    ///     buffer.clear();
    ///     buffer.extend(order.iter().map(|&row| column[row as usize]));
    ///     std::mem::swap(column, buffer);
    /// }
    ///
    /// // A thousand bodies in a line, each overlapping the next, in random row order.
    /// let mut ids: Vec<u64> = (0..1000).map(|row| row * 617 % 1000).collect();
    /// let mut centers: Vec<[f32; 2]> = ids.iter().map(|&id| [id as f32, 0.0]).collect();
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&centers, [0.6, 0.6]).with_ids(&ids))?;
    ///
    /// let mut order = Vec::new();
    /// world.spatial_order(&mut order);
    /// reorder(&mut centers, &order, &mut Vec::new());
    /// reorder(&mut ids, &order, &mut Vec::new());
    ///
    /// let contacts = world.step(Bodies::uniform(&centers, [0.6, 0.6]).with_ids(&ids))?;
    /// assert_eq!(contacts.body_pairs().len(), 999);
    /// assert!(contacts.body_pairs().all(|pair| pair.b - pair.a < 100)); // near in memory too
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// With several chunks, rows are numbered through all of them. The rows of one chunk, in the
    /// order in which they appear here, are in spatial order as well:
    ///
    /// ```
    /// use triphase::{Bodies, World};
    /// let mut world = World::default();
    /// # let orcs = [[0.0f32, 0.0], [90.0, 0.0], [0.5, 0.0]];
    /// # let arrows = [[90.0f32, 0.1], [0.2, 0.1]];
    /// # world.step(&[Bodies::uniform(&orcs, [0.5, 0.5]), Bodies::uniform(&arrows, [0.1, 0.1])])?;
    /// let mut order = Vec::new();
    /// world.spatial_order(&mut order);
    /// let first_arrow = orcs.len() as u32;
    /// let orc_order: Vec<u32> = order.iter().copied().filter(|&row| row < first_arrow).collect();
    /// assert_eq!(orc_order.len(), orcs.len());
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Determinism
    ///
    /// As the order of pairs: depends only on input and settings, and on earlier steps only with
    /// [`Bodies::with_asleep`]. It may change between versions.
    ///
    /// # Cost
    ///
    /// O(rows) on the calling thread: four bytes are copied per row. Allocates only what `order`
    /// lacks.
    pub fn spatial_order(&self, order: &mut Vec<u32>) {
        self.frames.front().write_spatial_order(order);
    }

    /// Moves the origin of coordinates to `by`, so that the active part of a large world stays near
    /// the origin.
    ///
    /// Every coordinate that the world stores becomes `old - by`, in f32, edge by edge. Subtract
    /// `by` from your columns before the next step, and from query shapes from now on. Statics keep
    /// their rows, ids, filters and whether they are enabled. Queries of the world and of
    /// [readers](Self::reader) find the bodies of the last step at their new coordinates; a
    /// [`Snapshot`](crate::Snapshot) keeps the old ones. Contacts, [skipped
    /// rows](Self::skipped_rows) and the [step number](Self::step_number) do not change.
    ///
    /// Because of rounding, boxes that touched may no longer touch, or vice versa.
    ///
    /// ```
    /// use triphase::{Aabb, Bodies, World};
    ///
    /// let mut world = World::default();
    /// world.set_statics(&[[100_000.0f32, 0.0, 100_010.0, 1.0]])?;
    /// let mut centers = [[100_004.0f32, 1.25], [100_050.0, 9.0]];
    /// world.step(Bodies::uniform(&centers, [0.5, 0.5]))?;
    ///
    /// let by = [100_000.0, 0.0];
    /// world.shift_origin(by)?;
    /// assert_eq!(world.query_aabb(Aabb::new([0.0, 0.0], [10.0, 5.0])?).count(), 2);
    ///
    /// for center in &mut centers {
    ///     *center = [center[0] - by[0], center[1] - by[1]];
    /// }
    /// let contacts = world.step(Bodies::uniform(&centers, [0.5, 0.5]))?;
    /// assert_eq!(contacts.static_pairs().len(), 1);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidOrigin`] if `by` is not finite. [`Error::InvalidStatic`] names the lowest
    /// static with an edge that would not be finite: of the present set, or of the replaced one
    /// while a [reader](Self::reader) still has that one. Nothing has changed then. (An edge of a
    /// body may become infinite, as it may in a step.)
    ///
    /// # Determinism
    ///
    /// Depends only on the statics and the boxes of the last step. Queries return hits in the order
    /// of a world that was given the shifted boxes by [`Bodies::from_aabbs`].
    ///
    /// # Cost
    ///
    /// O(statics log statics), as [`set_statics`](Self::set_statics), plus the first half of a
    /// step, which files the bodies. Allocates 16 bytes per body and 32 per static while it runs.
    /// Shift by thousands, when f32 becomes too coarse, not every frame.
    pub fn shift_origin(&mut self, by: impl Into<[f32; 2]>) -> Result<(), Error> {
        let by = by.into();
        if let Some(axis) = (0..2).find(|&axis| !by[axis].is_finite()) {
            return Err(Error::InvalidOrigin { axis, value: by[axis] });
        }
        self.parts().shift_origin(by)
    }

    /// Releases memory that the last step does not need, such as scratch, spare frames and free
    /// pages.
    ///
    /// [Steps](Self::step) do this by themselves when they have needed far less for some hundreds
    /// of steps. Call this to have it sooner, or to give back what the next step then allocates
    /// again. Frames that [readers](Self::reader) hold are freed when they are dropped; while there
    /// are readers, the frame of the last step is freed by the next one.
    pub fn shrink_to_fit(&mut self) {
        self.parts().shrink_to_fit();
    }

    /// Reports counts, memory and times of the last step.
    ///
    /// # Cost
    ///
    /// O(cells): meant for occasional use, not for every frame.
    pub fn report(&self) -> Report {
        Report::new(&self.config, &self.statics.tree, &self.frames, &self.broad_phase, &self.contacts)
    }

    /// Saves the world as a value to serialize with any `serde` format. (Feature `serde`.)
    ///
    /// Contains the settings, the statics with their ids and filters and which are enabled, tracked
    /// contacts with their values, and the step number. Bodies are the caller's and not included.
    ///
    /// ```
    /// use triphase::{Bodies, SavedWorld, World, WorldConfig};
    ///
    /// let mut world = World::new(WorldConfig::new().with_bound(0.5))?;
    /// world.set_statics(&[[0.0f32, -1.0, 100.0, 0.0], [3.0, 0.0, 4.0, 9.0]])?;
    /// world.set_static_enabled(1, false)?;
    /// let centers = [[1.0f32, 0.4], [3.5, 0.2]];
    /// world.step(Bodies::uniform(&centers, [0.5, 0.5]))?;
    /// let saved: SavedWorld = world.save(); // implements `Serialize` and `Deserialize`
    ///
    /// let mut restored = World::restore(saved)?;
    /// assert_eq!(restored.statics().is_enabled(1), Some(false));
    /// let contacts = restored.step(Bodies::uniform(&centers, [0.5, 0.5]))?;
    /// assert_eq!(contacts.static_pairs().len(), 2); // with the ground
    /// assert_eq!(restored.step_number(), 2);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Cost
    ///
    /// O(statics + tracked contacts). Memory: 16 bytes per static, 8 each for its id and filter, 12
    /// bytes per contact, and 8 per body with tracked contacts.
    #[cfg(feature = "serde")]
    pub fn save(&self) -> SavedWorld {
        SavedWorld::new(&self.config, self.step_number(), &self.statics, &self.contacts)
    }

    /// Restores a [saved](Self::save) world. (Feature `serde`.)
    ///
    /// Its steps find the same pairs in the same order as those of the saved world, and [tracked
    /// contacts](WorldConfig::with_contact_tracking) continue with their values. (Bodies [marked as
    /// asleep](Bodies::with_asleep) are filed anew, which may change the order.) Until the first
    /// step it has no bodies and no pairs; its statics can be queried at once.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidSave`] if the data is damaged or its version unknown; it names the damaged
    /// part.
    ///
    /// # Cost
    ///
    /// As [`set_statics`](Self::set_statics).
    #[cfg(feature = "serde")]
    pub fn restore(saved: SavedWorld) -> Result<Self, Error> {
        let RestoredParts { config, statics, frames, contacts } = saved.restore()?;
        let simd = DetectedSimd::detect(config.simd_max);
        Ok(Self { config, simd, statics, frames, contacts, ..Self::default() })
    }
}

impl World {
    fn parts(&mut self) -> StepParts<'_> {
        let Self { config, simd, statics, frames, broad_phase, contacts, usage } = self;
        StepParts { config, simd: *simd, statics, frames, broad_phase, contacts, usage }
    }
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World")
            .field("config", &self.config)
            .field("contacts", &self.contacts())
            .field("statics", &self.statics.tree.len())
            .finish_non_exhaustive()
    }
}

const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<World>();
    shared::<Contacts<'static>>();
    shared::<Error>();
};
