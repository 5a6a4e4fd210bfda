//! The report of a step.

use crate::broad_phase::broad_phase::BroadPhase;
use crate::config::WorldConfig;
use crate::contacts::store::ContactStore;
use crate::frame::frames::Frames;
use crate::frame::phases::PhaseTimes;
use crate::frame::statics::StaticSet;
use crate::memory::page::PAGE_LEN;
use crate::tier::point_grid::bands::Bands;
use std::fmt;

/// Figures of one point grid in the last step.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct GridReport {
    /// Largest half-extent that the grid takes, in world units: a bound from the settings, or one
    /// derived from the sizes of a sample of the bodies.
    pub half_extent_max: f32,
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
    /// rows were filed last, with the bodies of that step.
    pub grids: Vec<GridReport>,
    /// Tier 1: bodies [marked as asleep](crate::Bodies::with_asleep) whose pairs were reused.
    pub cached_count: usize,
    /// Tier 2: bodies larger than every bound.
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
    /// A sentence that names the setting to change, if a setting makes steps slow.
    pub advice: Option<String>,
    common_count: usize,
}

impl Report {
    /// Number of bodies in tier 1, cached and moved ones included.
    pub fn common_count(&self) -> usize {
        self.common_count
    }

    /// [`body_bytes`](Self::body_bytes) divided by the number of bodies.
    pub fn bytes_per_body(&self) -> f64 {
        self.body_bytes as f64 / (self.common_count() + self.oversized_count).max(1) as f64
    }

    /// The report of a world with these parts.
    pub(crate) fn new(
        config: &WorldConfig,
        statics: &StaticSet,
        frames: &Frames,
        broad_phase: &BroadPhase,
        contacts: &ContactStore,
    ) -> Self {
        let frame = frames.front();
        let cached_pages = broad_phase.sleepers.page_count();
        let mut report = Self {
            grids: grid_reports(&frame.bands),
            cached_count: frame.cached.count(),
            oversized_count: frame.oversized.rows().len(),
            static_count: statics.tree.len(),
            static_changed_count: statics.tree.changed_count(),
            skipped_count: frame.skipped.len(),
            body_pair_count: contacts.found.body_pair_count(),
            static_pair_count: contacts.found.static_pair_count(),
            body_bytes: frames.bytes(broad_phase.sleepers.all_bands()) + broad_phase.bytes(),
            static_bytes: statics.bytes() + frames.bytes_statics(&statics.tree),
            pair_bytes: contacts.bytes() + cached_pages * PAGE_LEN * size_of::<[u32; 2]>(),
            phases: frame.phases,
            advice: None,
            common_count: frame.row_count - frame.skipped.len() - frame.oversized.rows().len(),
        };
        report.advice = advice(&report, config);
        report
    }
}

fn grid_reports(bands: &Bands) -> Vec<GridReport> {
    let mut reports = Vec::with_capacity(bands.classes().len());
    for class in bands.classes() {
        let (half_extent_max, band_count) = (class.side_max * 0.5, class.slots.len());
        let mut grid = GridReport { half_extent_max, band_count, ..GridReport::default() };
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

/// Crowding above which a grid is worth advice.
const CROWDING_MAX: f32 = 32.0;

/// Worlds with fewer bodies get no advice: their steps are short in any case.
const ADVISED_MIN: usize = 1000;

/// Names the setting that makes steps slow, if one does.
fn advice(report: &Report, config: &WorldConfig) -> Option<String> {
    let bodies = report.common_count() + report.oversized_count;
    if bodies < ADVISED_MIN {
        return None;
    }
    let bounds_set = !config.bounds().is_empty();
    if bounds_set && report.oversized_count * 10 > bodies {
        let percent = report.oversized_count * 100 / bodies;
        return Some(format!(
            "{percent} % of the bodies exceed the largest bound and are in the slower loose grid: \
             raise the bound, add one, or omit bounds."
        ));
    }
    let is_crowded = |grid: &&GridReport| grid.crowding > CROWDING_MAX && grid.body_count * 10 > bodies;
    let GridReport { crowding, half_extent_max, .. } = report.grids.iter().find(is_crowded)?;
    let pairs_per_body = report.body_pair_count as f32 / bodies as f32;
    if pairs_per_body * 8.0 >= *crowding {
        return None; // The bodies overlap each other, so smaller cells would not help.
    }
    if let Some(side) = config.cell_size() {
        return Some(format!(
            "{crowding:.0} bodies share a cell of side {side}: make the cell size smaller, or omit it."
        ));
    }
    // The grid takes bodies up to its bound and a little more, for rounding.
    let bound = config.bounds().iter().rfind(|bound| *bound <= half_extent_max)?;
    Some(format!(
        "{crowding:.0} bodies share a cell of the grid with bound {bound}: add a smaller bound, or omit bounds."
    ))
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for grid in self.grids.iter().filter(|grid| grid.body_count > 0) {
            let [width, height] = grid.cell_size;
            writeln!(
                f,
                "common     {:>9} bodies, half-extent <= {:.3}: {} bands, cells {width:.2} x {height:.2}, crowding {:.1}",
                grid.body_count, grid.half_extent_max, grid.band_count, grid.crowding
            )?;
        }
        if self.cached_count > 0 {
            writeln!(f, "cached     {:>9} bodies", self.cached_count)?;
        }
        writeln!(f, "oversized  {:>9} bodies", self.oversized_count)?;
        write!(f, "static     {:>9} rows", self.static_count)?;
        if self.static_changed_count > 0 {
            write!(f, ", {} changed since the tree was built", self.static_changed_count)?;
        }
        writeln!(f)?;
        if self.skipped_count > 0 {
            writeln!(f, "skipped    {:>9} rows", self.skipped_count)?;
        }
        writeln!(f, "pairs      {:>9} of bodies, {} with statics", self.body_pair_count, self.static_pair_count)?;
        let per_static = self.static_bytes as f64 / self.static_count.max(1) as f64;
        writeln!(
            f,
            "memory     {:>9.1} B/body, {per_static:.1} B/static, {:.1} MiB of pairs",
            self.bytes_per_body(),
            self.pair_bytes as f64 / f64::from(1 << 20)
        )?;
        self.phases.fmt(f)?;
        if let Some(advice) = &self.advice {
            write!(f, "\nadvice     {advice}")?;
        }
        Ok(())
    }
}
