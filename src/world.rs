//! The world: all three tiers behind one call.
//!
//! A step is built beside the last good one, which it replaces when nothing went wrong: its bodies as an index in `frames`,
//! its pairs in `next_found`, which then changes places with `found`.

mod ask;
mod streaming;

use crate::broad_phase::band_pass::Task;
use crate::broad_phase::pairs::FoundPairs;
use crate::broad_phase::sleepers::Sleeping;
use crate::broad_phase::workers::Workers;
use crate::config::WorldConfig;
use crate::contacts::contacts::Contacts;
use crate::contacts::events::Tracker;
use crate::contacts::partners::Lists;
use crate::error::{Error, InvalidRow};
use crate::frame::frames::Frames;
use crate::input::bodies::{Bodies, Statics};
use crate::memory::page::{PAGE_LEN, PagePool};
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
    pub(crate) found: FoundPairs,
    pub(crate) next_found: FoundPairs,
    /// First band and bound of each class of the last good step.
    pub(crate) class_marks: Vec<(usize, f32)>,
    pub(crate) phases: Phases,
    pub(crate) statics: StaticTree,
    /// Counts changes of `statics`, of the set or of what is enabled.
    pub(crate) statics_version: u64,
    /// Counts replacements of the set.
    pub(crate) static_set: u64,
    /// Where contacts are followed from step to step.
    pub(crate) tracker: Option<Box<Tracker>>,
    /// Where partners are listed by row.
    pub(crate) lists: Option<Box<Lists>>,
    pub(crate) skipped: Vec<InvalidRow>,
    pub(crate) plan: Plan,
    pub(crate) partition: Partition,
    pub(crate) sleeping: Sleeping,
    pub(crate) tasks: Vec<Task>,
    pub(crate) workers: Workers,
    pub(crate) pool: PagePool,
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
        let tracker = config.track_contacts.then(Box::default);
        let lists = config.partner_lists.then(Box::default);
        let frames = Frames::new(config.track_contacts);
        Ok(Self { level: Level::detect(config.simd), config, tracker, lists, frames, ..Self::default() })
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
    pub fn step(&mut self, bodies: Bodies<'_>) -> Result<Contacts<'_>, Error> {
        self.step_chunks(&[bodies])
    }

    /// Like [`step`](Self::step), for bodies that are held in several sets of columns, as by archetypes: rows are numbered
    /// through, chunk after chunk.
    ///
    /// ```
    /// use triphase::{Bodies, World};
    /// let mut world = World::default();
    /// let orcs = [[0.0f32, 0.0], [9.0, 9.0]];
    /// let arrows = [[0.2f32, 0.0, 0.4, 0.1]];
    /// let chunks = [Bodies::uniform(&orcs, [0.5, 0.5]), Bodies::from_aabbs(&arrows)];
    /// let pair = world.step_chunks(&chunks)?.body_pairs().next().unwrap();
    /// assert_eq!((pair.a, pair.b), (0, 2)); // the arrow is row 2
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`step`](Self::step).
    pub fn step_chunks(&mut self, chunks: &[Bodies<'_>]) -> Result<Contacts<'_>, Error> {
        self.build_frame(chunks, None)?;
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
        let statics = StaticTree::build(statics.into(), !self.config.sequential)?;
        if self.tracker.is_some() {
            crate::contacts::events::check_static_ids(&statics)?;
        }
        self.statics = statics;
        self.statics_version += 1;
        self.static_set += 1;
        self.found.clear_statics(&self.pool);
        if let Some(lists) = &mut self.lists {
            lists.clear_statics();
        }
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
        Contacts {
            found: &self.found,
            index: self.frames.front(),
            statics: &self.statics,
            tracker: self.tracker.as_deref(),
            lists: self.lists.as_deref(),
            parallel_threshold: self.config.parallel_threshold,
        }
    }

    /// How many steps went well so far: the number of the last good one. 0 before the first; a step that was refused does
    /// not count.
    pub fn step_number(&self) -> u64 {
        self.frames.front().step
    }

    /// Rows that the last good step left out under [`InvalidRows::Skip`](crate::InvalidRows::Skip), ascending.
    pub fn skipped(&self) -> &[InvalidRow] {
        &self.skipped
    }

    /// Gives back memory that the last good step does not need: scratch, spare frames, free pages. The next step
    /// takes it again. Frames that [readers](Self::reader) hold go when they let go of them; while there are readers, the
    /// frame of the last good step is left as it is.
    pub fn shrink_to_fit(&mut self) {
        self.next_found.clear(&self.pool);
        self.next_found = FoundPairs::default();
        self.found.shrink_to_fit();
        self.sleeping.shrink_to_fit(self.frames.front(), &self.pool);
        self.frames.shrink_to_fit();
        self.plan = Plan::default();
        self.partition.release();
        self.tasks = Vec::new();
        self.workers.release();
        self.pool.release();
        self.row_starts = Vec::new();
        self.skipped.shrink_to_fit();
        if let Some(tracker) = &mut self.tracker {
            tracker.shrink_to_fit();
        }
        if let Some(lists) = &mut self.lists {
            lists.shrink_to_fit();
        }
    }

    /// The settings it was made with.
    pub fn config(&self) -> &WorldConfig {
        &self.config
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
        let standing = self.sleeping.page_count();
        let pages = self.found.page_count() + self.next_found.page_count() + standing + self.pool.free_count();
        let sections = self.found.bytes_of_sections() + self.next_found.bytes_of_sections();
        let tracked = self.tracker.as_ref().map_or(0, |tracker| tracker.bytes());
        let listed = self.lists.as_ref().map_or(0, |lists| lists.bytes());
        pages * PAGE_LEN * size_of::<[u32; 2]>() + sections + tracked + listed
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
