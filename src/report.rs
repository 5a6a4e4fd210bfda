//! The report of a step.

use crate::advice::Advice;
use crate::frame::phases::PhaseTimes;
use crate::memory::buffers::Buffers;
use crate::memory::page::PAGE_LEN;
use crate::state::WorldState;
use crate::tier::point_grid::bands::Bands;
use std::fmt;

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
    /// Number of bands: parts of the grid with cells of their own, each handled by one task.
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
    /// Rows of the static set whose static was removed.
    pub static_removed_count: usize,
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
        self.body_bytes as f64 / self.body_count().max(1) as f64
    }

    /// All bodies, apart from skipped ones.
    pub(crate) fn body_count(&self) -> usize {
        self.common_count() + self.oversized_count
    }

    /// Pairs of bodies and with statics.
    pub(crate) fn pair_count(&self) -> usize {
        self.body_pair_count + self.static_pair_count
    }

    /// The report of a world, without advice.
    pub(crate) fn new(world: &WorldState) -> Self {
        let WorldState { statics, frames, broad_phase, contacts, .. } = world;
        let frame = frames.front();
        let cached_pages = broad_phase.sleepers.page_count();
        Self {
            grids: grid_reports(&frame.bands),
            filed_steps_ago: frame.moved.stamp.updates,
            cached_count: frame.cached.count(),
            oversized_count: frame.oversized.records().len(),
            static_count: statics.tree.len(),
            static_changed_count: statics.tree.changed_count(),
            static_removed_count: statics.tree.removed_count(),
            skipped_count: frame.skipped.len(),
            body_pair_count: contacts.found.body_pair_count(),
            static_pair_count: contacts.found.static_pair_count(),
            body_bytes: frames.bytes(broad_phase.sleepers.all_bands()) + broad_phase.bytes(),
            static_bytes: statics.bytes() + frames.bytes_statics(&statics.tree),
            pair_bytes: contacts.bytes()
                + broad_phase.changed_pairs.bytes()
                + cached_pages * PAGE_LEN * size_of::<[u32; 2]>(),
            phases: frame.phases,
            advice: Vec::new(),
            common_count: frame.row_count - frame.skipped.len() - frame.oversized.records().len(),
        }
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

/// Columns that the names of lines take.
const NAME_WIDTH: usize = 10;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let common = self.common_count();
        write!(f, "{:NAME_WIDTH$}{}", "bodies", self.body_count())?;
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
        if self.static_removed_count > 0 {
            write!(f, "; {} of these rows have no static", self.static_removed_count)?;
        }
        writeln!(f)?;
        let (bodies, statics) = (self.body_pair_count, self.static_pair_count);
        writeln!(f, "{:NAME_WIDTH$}{bodies} of two bodies, {statics} of a body and a static", "pairs")?;
        write!(f, "{:NAME_WIDTH$}", "memory")?;
        if self.body_count() > 0 {
            write!(f, "{:.1} bytes a body, ", self.bytes_per_body())?;
        }
        if self.static_count > 0 {
            write!(f, "{:.1} bytes a static, ", self.static_bytes as f64 / self.static_count as f64)?;
        }
        writeln!(f, "{:.1} MiB for pairs", self.pair_bytes as f64 / f64::from(1 << 20))?;
        self.phases.fmt(f)?;
        self.advice.iter().try_for_each(|advice| write!(f, "\n{:NAME_WIDTH$}{advice}", "advice"))
    }
}
