//! The world: all three tiers behind one call.
//!
//! A step is built beside the last good one, which it replaces when nothing went wrong: its bodies as an index in `frames`,
//! its pairs in `contacts`, beside the present ones.

mod ask;

use crate::broad_phase::band_pass::Task;
use crate::broad_phase::sleepers::Sleeping;
use crate::broad_phase::workers::Workers;
use crate::config::WorldConfig;
use crate::contacts::contacts::Contacts;
use crate::contacts::events::tracker::check_static_ids;
use crate::contacts::events::view::ContactEventsMut;
use crate::contacts::store::ContactStore;
use crate::contacts::stream::channel::StepStream;
use crate::contacts::stream::{Sender, StreamedPage};
use crate::error::{Error, InvalidRow};
use crate::frame::frames::Frames;
use crate::input::bodies::Bodies;
use crate::input::statics::Statics;
use crate::memory::page::PAGE_LEN;
use crate::query::frame::Searched;
use crate::report::Phases;
use crate::simd::Level;
use crate::tier::point_grid::partition::Partition;
use crate::tier::point_grid::plan::Plan;
use crate::tier::static_tree::StaticTree;

/// Moving bodies of every size and statics, and the pairs of them that overlap.
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
    pub(crate) config: WorldConfig,
    pub(crate) level: Level,
    pub(crate) frames: Frames,
    pub(crate) contacts: ContactStore,
    /// First band and bound of each class of the last good step.
    pub(crate) class_marks: Vec<(usize, f32)>,
    pub(crate) phases: Phases,
    pub(crate) statics: StaticTree,
    /// Counts changes of `statics`, of the set or of what is enabled.
    pub(crate) statics_version: u64,
    /// Counts replacements of the set.
    pub(crate) static_set: u64,
    pub(crate) skipped: Vec<InvalidRow>,
    pub(crate) plan: Plan,
    pub(crate) partition: Partition,
    pub(crate) sleeping: Sleeping,
    pub(crate) tasks: Vec<Task>,
    pub(crate) workers: Workers,
    pub(crate) row_starts: Vec<usize>,
    /// Set while tasks run: a panic in one of them leaves scratch that cannot be trusted.
    pub(crate) unfinished: bool,
}

impl World {
    /// A world with settings; `World::default()` has none.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidConfig`] names the setting and its value.
    pub fn new(config: WorldConfig) -> Result<Self, Error> {
        config.validate()?;
        let contacts = ContactStore::new(&config);
        let frames = Frames::new(config.contact_tracking);
        Ok(Self { level: Level::detect(config.simd_max), config, contacts, frames, ..Self::default() })
    }

    /// One frame: finds every pair of bodies, and every pair of a body and an enabled static, whose closed boxes overlap, and
    /// whose filters allow each other where there are any (see [`Filter`](crate::Filter)). Where the world was told that bodies
    /// are discs, these have to touch too (see [`BodyShape`](crate::BodyShape)).
    ///
    /// The pairs are exact: the boxes are computed in f32 (see [`Bodies`]), touching is overlap, none is missing,
    /// extra or reported twice, in whatever configuration and whatever was stepped before.
    ///
    /// Runs on the rayon pool of the caller, so `pool.install(|| world.step(bodies))` chooses one.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidBody`] names the lowest row that cannot be used (see [`InvalidRows`](crate::InvalidRows) to skip such rows);
    /// [`Error::ColumnLengthMismatch`], [`Error::InconsistentIds`], [`Error::TooManyRows`], [`Error::TooManyPairs`], where contacts are tracked
    /// [`Error::DuplicateBodyId`]. After an error the contacts and queries are still those of the last good step.
    ///
    /// # Determinism
    ///
    /// Pairs and their order are a pure function of columns, statics and settings; but for their order where bodies say that they
    /// sleep ([`Bodies::with_asleep`]).
    ///
    /// # Cost
    ///
    /// O(bodies + pairs), in parallel; see the README for figures. Allocates only when the world grows.
    pub fn step<'a>(&mut self, bodies: impl AsRef<[Bodies<'a>]>) -> Result<Contacts<'_>, Error> {
        self.build_frame(bodies.as_ref(), None)?;
        Ok(self.contacts())
    }

    /// Replaces the static set: boxes, taken bit for bit, and optionally ids. All are enabled. Queries see it at once;
    /// static pairs are empty until the next step. [Readers](Self::reader) see it from that step on; until then the old set is
    /// held for them.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidStatic`] names the lowest bad row; [`Error::ColumnLengthMismatch`], [`Error::TooManyRows`], where contacts are tracked
    /// [`Error::DuplicateStaticId`]. On an error the old set stays.
    ///
    /// # Cost
    ///
    /// A rebuild, in parallel for large sets: O(n log n), some hundred milliseconds for a million boxes. To open a door use
    /// [`set_static_enabled`](Self::set_static_enabled).
    pub fn set_statics<'s>(&mut self, statics: impl Into<Statics<'s>>) -> Result<(), Error> {
        let statics = StaticTree::build(statics.into(), self.config.may_use_threads())?;
        if self.config.contact_tracking {
            check_static_ids(&statics)?;
        }
        self.statics = statics;
        self.statics_version += 1;
        self.static_set += 1;
        self.contacts.clear_statics();
        Ok(())
    }

    /// Switches a static on or off (a door, a destroyed wall) and returns what it was. Queries see it at once, pairs from
    /// the next step on.
    ///
    /// # Errors
    ///
    /// [`Error::StaticOutOfRange`].
    ///
    /// # Cost
    ///
    /// O(1).
    pub fn set_static_enabled(&mut self, row: u32, enabled: bool) -> Result<bool, Error> {
        let was = self.statics.set_enabled(row, enabled)?;
        self.statics_version += u64::from(was != enabled);
        Ok(was)
    }

    /// The static set.
    pub fn statics(&self) -> &StaticTree {
        &self.statics
    }

    /// The contacts of the last good step again, by a shared borrow, so that queries can be asked while they are
    /// iterated (what `step` returns holds the world by its `&mut`). Empty before the first step.
    pub fn contacts(&self) -> Contacts<'_> {
        let frame = self.frames.front();
        Contacts::new(&self.contacts, frame, &self.statics, self.config.is_parallel(frame.row_count))
    }

    /// How many steps went well so far: the number of the last good one. 0 before the first; a step that was refused does
    /// not count.
    pub fn step_number(&self) -> u64 {
        self.frames.front().step
    }

    /// Rows that the last good step left out under [`InvalidRows::Skip`](crate::InvalidRows::Skip), ascending.
    pub fn skipped_rows(&self) -> &[InvalidRow] {
        &self.skipped
    }

    /// Gives back memory that the last good step does not need: scratch, spare frames, free pages. The next step
    /// takes it again. Frames that [readers](Self::reader) hold go when they let go of them; while there are readers, the
    /// frame of the last good step is left as it is.
    pub fn shrink_to_fit(&mut self) {
        self.sleeping.shrink_to_fit(self.frames.front(), &self.contacts.pool);
        self.contacts.shrink_to_fit();
        self.frames.shrink_to_fit();
        self.plan = Plan::default();
        self.partition.release();
        self.tasks = Vec::new();
        self.workers.release();
        self.row_starts = Vec::new();
        self.skipped.shrink_to_fit();
    }

    /// The settings it was made with.
    pub fn config(&self) -> &WorldConfig {
        &self.config
    }

    /// The bodies of the last good step, and the statics as of now.
    pub(crate) fn searched(&self) -> Searched<'_> {
        Searched::new(self.frames.front(), &self.statics, !self.config.may_use_threads())
    }

    /// Keeps what a report needs and later steps would overwrite.
    pub(crate) fn note(&mut self, phases: Phases) {
        self.phases = phases;
        self.class_marks.clear();
        self.class_marks.extend(self.plan.classes().iter().map(|class| (class.first_band, class.side_max * 0.5)));
    }

    pub(crate) fn bytes_bodies(&self) -> usize {
        let tasks = self.tasks.capacity() * size_of::<Task>();
        let small = self.row_starts.capacity() * size_of::<usize>() + self.skipped.capacity() * size_of::<InvalidRow>();
        let scratch = self.plan.bytes() + self.partition.bytes() + self.workers.bytes() + tasks + small;
        self.frames.bytes(self.sleeping.grids()) + self.sleeping.bytes() + scratch
    }

    pub(crate) fn bytes_pairs(&self) -> usize {
        self.contacts.bytes() + self.sleeping.page_count() * PAGE_LEN * size_of::<[u32; 2]>()
    }
}

/// # Contacts while they are found, and values of contacts
impl World {
    /// The values of tracked contacts, to be changed.
    ///
    /// `None` unless [`WorldConfig::with_contact_tracking`] is on. See
    /// [`ContactEvents`](crate::ContactEvents) for an example.
    pub fn events_mut(&mut self) -> Option<ContactEventsMut<'_>> {
        self.contacts.events.as_deref_mut().map(ContactEventsMut::new)
    }

    /// Like [`step`](Self::step), and hands on each page of pairs as soon as it is complete.
    ///
    /// Calls `on_page` on whichever thread of the step completed the page, on several threads at
    /// the same time, while other pages are still being filled.
    ///
    /// Pages are provisional until the call returns. On `Ok` they are the step's pairs: sorted by
    /// [`sequence`](StreamedPage::sequence), they are the pages of the contacts. On `Err` discard
    /// them. No more pairs than the [limit](WorldConfig::with_pair_limit) are handed on.
    ///
    /// `on_page` may run work of its own on the thread pool. The step waits for it, so do what
    /// takes long after the step, or on the other side of a [channel](Self::step_to_channel).
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
    /// A call per page of up to a few thousand pairs. Pages of very large or crowded bands come
    /// when the band is complete. Allocates no more than `step`, unless `on_page` works on the
    /// pool: then a thread may start another task of the step while it waits, with temporary
    /// memory.
    pub fn step_streamed<'a>(
        &mut self,
        bodies: impl AsRef<[Bodies<'a>]>,
        on_page: impl Fn(StreamedPage<'_>) + Sync,
    ) -> Result<Contacts<'_>, Error> {
        self.build_frame(bodies.as_ref(), Some(&|sequence, pairs| on_page(StreamedPage::new(sequence, pairs))))?;
        Ok(self.contacts())
    }

    /// Like [`step`](Self::step), and sends a copy of each page of pairs as soon as it is complete.
    ///
    /// After the pages of a step, a message says how the step ended. While the channel is full the
    /// step waits, so the consumer must not run on the threads of the step. If the receiver is
    /// dropped, the step continues without it. See [`stream`](crate::stream) for an example.
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
        let outcome = self.build_frame(bodies.as_ref(), Some(&|sequence, pairs| stream.send_page(sequence, pairs)));
        stream.close(outcome.clone().map(|()| self.contacts.summary(self.step_number())));
        outcome.map(|()| self.contacts())
    }
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World")
            .field("config", &self.config)
            .field("contacts", &self.contacts())
            .field("statics", &self.statics.len())
            .finish_non_exhaustive()
    }
}

const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<World>();
    shared::<Contacts<'static>>();
    shared::<Error>();
};
