//! The report of a step: its figures, and what they advise.

use crate::advice::{Advice, SingleThreadCause};
use crate::frame::phases::PhaseTimes;
use crate::history::StepHistory;
use crate::memory::body_record::BodyRecord;
use crate::memory::page::PAGE_LEN;
use crate::memory::step_bits::StepBits;
use crate::state::WorldState;
use crate::tier::point_grid::bands::Bands;
use std::fmt;
use std::sync::OnceLock;

/// Figures of one point grid in the last step.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct GridReport {
    /// Largest half-extents that the grid takes along x and y, in world units: a bound from the
    /// settings, or derived from the sizes of a sample of the bodies. They differ if wide and tall
    /// bodies have a grid each.
    pub half_extents_max: [f32; 2],
    /// Number of bodies.
    pub body_count: usize,
    /// Number of bands: runs of cell rows, each handled by one task.
    pub band_count: usize,
    /// Number of cells, occupied or not.
    pub cell_count: usize,
    /// Mean width and height of a body's cell, in world units.
    pub cell_size: [f32; 2],
    /// Mean number of bodies in a body's cell, that body included.
    pub crowding: f32,
}

/// Counts, memory and times of the last step; `Display` prints them as text.
///
/// ```
/// use triphase::{Bodies, World};
/// let mut world = World::default();
/// world.step(Bodies::uniform(&[[0.0f32, 0.0], [0.6, 0.0], [9.0, 9.0]], [0.5, 0.5]))?;
/// let report = world.report();
/// assert_eq!((report.common_count(), report.body_pair_count), (3, 1));
/// println!("{report}");
/// # Ok::<(), triphase::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// Tier 1: the point grids of the step, those of the smallest bodies first. They do not count
    /// the bodies of [`cached_count`](Self::cached_count). After
    /// [`World::step_changed`](crate::World::step_changed) they are those of the step in which all
    /// rows were filed last, [`filed_steps_ago`](Self::filed_steps_ago), with the bodies of that
    /// step.
    pub grids: Vec<GridReport>,
    /// Number of steps since all rows were filed: 0 unless the last step was told which rows
    /// changed.
    pub filed_steps_ago: u64,
    /// Tier 1: bodies [marked as asleep](crate::Bodies::with_asleep) whose pairs were reused.
    pub cached_count: usize,
    /// Tier 2: bodies in the double grid, see [`Tier::Oversized`](crate::Tier::Oversized).
    pub oversized_count: usize,
    /// Tier 3: rows of the static set, those of disabled and of removed statics included.
    pub static_count: usize,
    /// Rows of the static set that were inserted, replaced or removed since its tree was built; see
    /// [`World::insert_statics`](crate::World::insert_statics).
    pub static_changed_count: usize,
    /// Invalid rows that were [skipped](crate::InvalidRows::Skip).
    pub skipped_count: usize,
    /// Pairs of two bodies.
    pub body_pair_count: usize,
    /// Pairs of a body and a static.
    pub static_pair_count: usize,
    /// Bytes held for bodies: the structures of two steps, those of steps that snapshots keep, and
    /// temporary memory. Pairs are not included.
    pub body_bytes: usize,
    /// Bytes held for statics.
    pub static_bytes: usize,
    /// Bytes held for the pairs of two steps, tracked contacts and partner lists.
    pub pair_bytes: usize,
    /// Time of each phase.
    pub phases: PhaseTimes,
    /// What to change, if a step or the memory of the world costs more than it has to; empty if its
    /// settings suit its bodies.
    pub advice: Vec<Advice>,
    common_count: usize,
}

impl Report {
    /// Number of bodies in point grids, those whose pairs were reused included.
    pub fn common_count(&self) -> usize {
        self.common_count
    }

    /// [`body_bytes`](Self::body_bytes) divided by the number of bodies.
    pub fn bytes_per_body(&self) -> f64 {
        self.body_bytes as f64 / (self.common_count() + self.oversized_count).max(1) as f64
    }

    /// The report of a world.
    pub(crate) fn new(world: &WorldState) -> Self {
        let WorldState { statics, frames, broad_phase, contacts, .. } = world;
        let frame = frames.front();
        let cached_pages = broad_phase.sleepers.page_count();
        let mut report = Self {
            grids: grid_reports(&frame.bands),
            filed_steps_ago: frame.moved.stamp.updates,
            cached_count: frame.cached.count(),
            oversized_count: frame.oversized.records().len(),
            static_count: statics.tree.len(),
            static_changed_count: statics.tree.changed_count(),
            skipped_count: frame.skipped.len(),
            body_pair_count: contacts.found.body_pair_count(),
            static_pair_count: contacts.found.static_pair_count(),
            body_bytes: frames.bytes(broad_phase.sleepers.all_bands()) + broad_phase.bytes(),
            static_bytes: statics.bytes() + frames.bytes_statics(&statics.tree),
            pair_bytes: contacts.bytes() + cached_pages * PAGE_LEN * size_of::<[u32; 2]>(),
            phases: frame.phases,
            advice: Vec::new(),
            common_count: frame.row_count - frame.skipped.len() - frame.oversized.records().len(),
        };
        report.advice = world.advice(&report);
        report
    }
}

fn grid_reports(bands: &Bands) -> Vec<GridReport> {
    let mut reports = Vec::with_capacity(bands.classes().len());
    for class in bands.classes() {
        let (half_extents_max, band_count) = (class.sides_max.map(|side| side * 0.5), class.slots.len());
        let mut grid = GridReport { half_extents_max, band_count, ..GridReport::default() };
        let (mut squares, mut width, mut height) = (0.0f64, 0.0f64, 0.0f64);
        for slot in bands.slots()[class.slots.clone()].iter().filter(|slot| slot.population() > 0) {
            let bodies = slot.population() as f64;
            let [across, down] = slot.mean_cell_size();
            grid.body_count += slot.population();
            grid.cell_count += slot.cell_count();
            width += across * bodies;
            height += down * bodies;
            squares += bands.population_squares(slot);
        }
        let bodies = grid.body_count.max(1) as f64;
        grid.cell_size = [(width / bodies) as f32, (height / bodies) as f32];
        grid.crowding = (squares / bodies) as f32;
        reports.push(grid);
    }
    reports
}

impl WorldState {
    fn advice(&self, report: &Report) -> Vec<Advice> {
        let Self { config, frames, broad_phase, contacts, history, .. } = self;
        let body_count = report.common_count() + report.oversized_count;
        let pair_count = report.body_pair_count + report.static_pair_count;
        let thread_rule = (config.parallel_threshold(), config.is_parallel(body_count));
        let marks = broad_phase.sleepers.marks;
        let margin = contacts.events.as_ref().and_then(|tracker| {
            let contact_count = tracker.contact_count();
            about_margin(config.margin(), contact_count, pair_count)
        });
        let (kept_steps, kept_bytes) = frames.kept_by_snapshots();
        (about_pair_limit(pair_count, config.pair_limit()).into_iter())
            .chain(about_grids(self, report))
            .chain(about_threads(history, body_count, thread_rule))
            .chain(about_calls(history, body_count, report.static_count))
            .chain(about_sleepers(marks.count, marks.moved, marks.many_moved.count()))
            .chain(margin)
            .chain(about_snapshots(kept_steps, kept_bytes))
            .collect()
    }
}

/// Columns that the names of lines take.
const NAME_WIDTH: usize = 10;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let common = self.common_count();
        write!(f, "{:NAME_WIDTH$}{}", "bodies", common + self.oversized_count)?;
        write!(f, ": {common} common, {} oversized (in the double grid)", self.oversized_count)?;
        if self.skipped_count > 0 {
            write!(f, ", {} more skipped as invalid", self.skipped_count)?;
        }
        writeln!(f)?;
        for grid in self.grids.iter().filter(|grid| grid.body_count > 0) {
            let GridReport {
                half_extents_max: [x, y],
                body_count,
                band_count,
                cell_size: [width, height],
                crowding,
                ..
            } = grid;
            let largest = if x == y { format!("{x:.3}") } else { format!("{x:.3} x {y:.3}") };
            writeln!(
                f,
                "{:NAME_WIDTH$}{body_count} bodies with half-extents up to {largest}, in cells of \
                 {width:.2} x {height:.2} with {crowding:.1} bodies each, cut into {band_count} bands",
                "grid",
            )?;
        }
        if self.filed_steps_ago > 0 {
            let steps = if self.filed_steps_ago == 1 { "step" } else { "steps" };
            writeln!(f, "{:NAME_WIDTH$}all rows {} {steps} ago, changed ones since", "filed", self.filed_steps_ago)?;
        }
        if self.cached_count > 0 {
            writeln!(f, "{:NAME_WIDTH$}{} bodies, whose pairs were reused", "asleep", self.cached_count)?;
        }
        write!(f, "{:NAME_WIDTH$}{}", "statics", self.static_count)?;
        if self.static_changed_count > 0 {
            write!(f, ", of which {} changed since their tree was built", self.static_changed_count)?;
        }
        writeln!(f)?;
        let (bodies, statics) = (self.body_pair_count, self.static_pair_count);
        writeln!(f, "{:NAME_WIDTH$}{bodies} of two bodies, {statics} of a body and a static", "pairs")?;
        write!(f, "{:NAME_WIDTH$}{:.1} bytes a body, ", "memory", self.bytes_per_body())?;
        if self.static_count > 0 {
            write!(f, "{:.1} bytes a static, ", self.static_bytes as f64 / self.static_count as f64)?;
        }
        writeln!(f, "{:.1} MiB for pairs", self.pair_bytes as f64 / f64::from(1 << 20))?;
        self.phases.fmt(f)?;
        self.advice.iter().try_for_each(|advice| write!(f, "\n{:NAME_WIDTH$}{advice}", "advice"))
    }
}

/// Worlds with fewer bodies get no advice about time: their steps are short in any case.
const BODIES_MIN: usize = 1000;

/// Smaller static sets are built in less than a tenth of a millisecond.
const STATICS_MIN: usize = 256;

/// Bodies from which a second thread saves half a millisecond or more.
const PARALLEL_MIN: usize = 32_000;

/// Of this many bodies, more than one is oversized. A step of 100,000 bodies of `crowd` takes 1.6
/// times as long if one in 15 is, and twelve times if all are.
const OVERSIZED_SHARE: usize = 20;

/// Crowding above which a grid is worth advice, unless bodies have an eighth as many pairs.
const CROWDING_MAX: f32 = 32.0;
const CROWDING_PER_PAIR: f32 = 8.0;

/// Of the last [`StepBits::LEN`] steps, this many make a habit.
const HABIT_MIN: usize = StepBits::LEN / 2;

/// A step that starts again takes up to three times as long as a full one: from here on, full steps
/// would be as fast.
const RESTARTS_MIN: usize = StepBits::LEN / 3;

/// Steps that compare marked rows pause when this many in a row gained nothing.
const MOVING_STEPS_MIN: usize = 4;

/// A pair limit is near once less than one pair in this many is left.
const PAIR_LIMIT_SHARE: usize = 10;

/// Fewer contacts than this take no time.
const CONTACTS_MIN: usize = 1000;

/// Earlier steps that snapshots keep without a cost: steps reuse the memory of older ones.
const KEPT_STEPS_MAX: usize = 2;

/// Advice about bounds and cells: the first cause that applies.
fn about_grids(world: &WorldState, report: &Report) -> Option<Advice> {
    let (bounds, body_count) = (world.config.bounds(), report.common_count() + report.oversized_count);
    if body_count < BODIES_MIN {
        return None;
    }
    if let Some(&bound) = bounds.last()
        && report.oversized_count * OVERSIZED_SHARE > body_count
    {
        // Others are oversized because they would be in too many bands.
        let half_extents = world.frames.front().oversized.records().iter().map(half_extent);
        let above = half_extents.filter(|&half_extent| half_extent > bound);
        let (oversized_count, half_extent_max) =
            above.fold((0, 0.0), |(count, max): (usize, f32), half_extent| (count + 1, max.max(half_extent)));
        if oversized_count * OVERSIZED_SHARE > body_count {
            return Some(Advice::OversizedBodies { oversized_count, body_count, bound, half_extent_max });
        }
    }
    let is_crowded = |grid: &&GridReport| grid.crowding > CROWDING_MAX && grid.body_count * 10 > body_count;
    let &GridReport { half_extents_max: [x, y], body_count: in_grid, crowding, .. } =
        report.grids.iter().find(is_crowded)?;
    if report.body_pair_count as f32 * CROWDING_PER_PAIR >= crowding * body_count as f32 {
        return None; // The bodies overlap each other, so smaller cells would not help.
    }
    if let Some(cell_size) = world.config.cell_size() {
        return Some(Advice::LargeCellSize { cell_size, body_count: in_grid, crowding });
    }
    // The grid takes bodies up to its bound and a little more, for rounding.
    let bound = bounds.iter().copied().rfind(|&bound| bound <= x.max(y))?;
    Some(Advice::LargeBound { bound, body_count: in_grid, crowding })
}

/// The larger half-extent of a body.
fn half_extent(&BodyRecord { aabb: [x0, y0, x1, y1], .. }: &BodyRecord) -> f32 {
    (x1 - x0).max(y1 - y0) * 0.5
}

/// Advice about the threads of the last step of all rows. `is_allowed`: the settings allow several
/// for its bodies.
fn about_threads(
    history: &StepHistory,
    body_count: usize,
    (threshold, is_allowed): (Option<usize>, bool),
) -> Option<Advice> {
    if body_count < PARALLEL_MIN || history.was_told || history.thread_count > 1 {
        return None;
    }
    // Asked for once: it reads files on some systems.
    static AVAILABLE: OnceLock<usize> = OnceLock::new();
    let available_count = *AVAILABLE.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from));
    let cause = match is_allowed {
        _ if !cfg!(feature = "parallel") => SingleThreadCause::Feature,
        false => SingleThreadCause::Threshold(threshold),
        true => SingleThreadCause::Pool,
    };
    (available_count > 1).then_some(Advice::SingleThread { body_count, available_count, cause })
}

/// Advice about the calls between steps, and about steps that are told what changed.
fn about_calls(history: &StepHistory, body_count: usize, static_count: usize) -> Vec<Advice> {
    let mut advice = Vec::new();
    let step_count = history.set_statics.count();
    if step_count >= HABIT_MIN && static_count >= STATICS_MIN {
        advice.push(Advice::StaticsSetAgain { step_count, static_count, changed_count: history.changed_statics });
    }
    if body_count < BODIES_MIN || !history.was_told {
        return advice;
    }
    let step_count = history.told_many.count();
    if step_count >= HABIT_MIN {
        advice.push(Advice::ManyChangedRows { step_count, changed_count: history.many_rows, body_count });
    }
    let step_count = history.restarts.count();
    if step_count >= RESTARTS_MIN {
        advice.push(Advice::RestartedSteps { step_count, cause: history.restart_cause });
    }
    advice
}

/// Advice about rows that are marked as asleep; `step_count` of the last steps had many that moved.
fn about_sleepers(marked_count: usize, moved_count: usize, step_count: usize) -> Option<Advice> {
    let applies = marked_count >= BODIES_MIN && step_count >= MOVING_STEPS_MIN;
    applies.then_some(Advice::MovingSleepers { marked_count, moved_count })
}

/// Advice about the number of pairs.
fn about_pair_limit(pair_count: usize, pair_limit: usize) -> Option<Advice> {
    let is_near = pair_count > 0 && pair_count >= pair_limit - pair_limit / PAIR_LIMIT_SHARE;
    is_near.then_some(Advice::NearPairLimit { pair_count, pair_limit })
}

/// Advice about tracked contacts.
fn about_margin(margin: f32, contact_count: usize, pair_count: usize) -> Option<Advice> {
    let applies = margin > 0.0 && contact_count >= CONTACTS_MIN && contact_count > pair_count * 2;
    applies.then_some(Advice::LargeMargin { margin, contact_count, pair_count })
}

/// Advice about steps that snapshots keep.
fn about_snapshots(step_count: usize, bytes: usize) -> Option<Advice> {
    (step_count > KEPT_STEPS_MAX).then_some(Advice::KeptSnapshots { step_count, bytes })
}
