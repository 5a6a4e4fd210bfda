//! What a world tells about its last step.

use crate::broad_phase::band_pass::TaskTimes;
use crate::world::World;
use std::fmt;
use std::time::Duration;

/// Time per phase of the last good step; all zero where the target has no clock.
///
/// The first six and `total` are time that passed. Those after `total` are parts of `pairs`, summed over threads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Phases {
    /// Sampling the rows, choosing classes and bands.
    pub plan: Duration,
    /// Checking the rows and handing each to its band: two parallel passes.
    pub partition: Duration,
    /// Filing the oversized bodies and giving bands their places.
    pub prepare: Duration,
    /// All passes over bands and loose cells, in parallel.
    pub pairs: Duration,
    /// Putting the pairs into order.
    pub gather: Duration,
    /// Comparing contacts with those of the last step, where they are tracked.
    pub tracking: Duration,
    /// From the call to the return.
    pub total: Duration,
    /// Sorting bands by cell.
    pub sort: Duration,
    /// Tier 1 with itself.
    pub common: Duration,
    /// Tier 1 with bodies of other bands and larger classes.
    pub visitors: Duration,
    /// Tier 2 with itself and with tier 1.
    pub oversized: Duration,
    /// Tiers 1 and 2 with tier 3.
    pub statics: Duration,
}

impl Phases {
    pub(crate) fn add(&mut self, times: &TaskTimes) {
        self.sort += times.sort;
        self.common += times.common;
        self.visitors += times.visitors;
        self.oversized += times.oversized;
        self.statics += times.statics;
    }
}

/// A point grid, as the last good step laid it out.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct GridReport {
    /// Half-extent up to which it takes bodies, in world units: a given bound, or one with room above the largest size
    /// that the step's sample of rows had.
    pub bound: f32,
    /// Bodies in it.
    pub bodies: usize,
    /// Bands, the units of parallel work.
    pub bands: usize,
    /// Cells with and without bodies.
    pub cells: usize,
    /// Mean width and height of its cells in world units, weighted by bodies.
    pub cell_size: [f32; 2],
    /// How many bodies share a typical body's cell, itself included.
    pub population: f32,
}

/// What the last good step found and how the world stands; `Display` prints it readably.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// Tier 1: the point grids of the bodies that were filed in the step, smallest bound first.
    pub grids: Vec<GridReport>,
    /// Tier 1: bodies that [sleep](crate::Bodies::with_asleep) and stayed where they were filed.
    pub asleep: usize,
    /// Tier 2: bodies above every bound.
    pub oversized: usize,
    /// Tier 3: statics, disabled ones included.
    pub statics: usize,
    /// Rows that were left out.
    pub skipped: usize,
    /// Pairs of bodies.
    pub body_pairs: usize,
    /// Pairs of a body and a static.
    pub static_pairs: usize,
    /// Bytes held for bodies: the indexes of two frames, or of more if readers hold some or did, and all scratch. Pairs are
    /// not counted.
    pub bytes_bodies: usize,
    /// Bytes held for statics.
    pub bytes_statics: usize,
    /// Bytes held for pairs of two frames.
    pub bytes_pairs: usize,
    /// Time per phase.
    pub phases: Phases,
    /// What could be set better, if anything.
    pub advice: Option<String>,
}

impl Report {
    /// Bodies in tier 1.
    pub fn common(&self) -> usize {
        self.grids.iter().map(|grid| grid.bodies).sum::<usize>() + self.asleep
    }

    /// Bytes held per body that was filed.
    pub fn bytes_per_body(&self) -> f64 {
        self.bytes_bodies as f64 / (self.common() + self.oversized).max(1) as f64
    }
}

impl World {
    /// What the last good step found, what is held, and where the time went.
    ///
    /// # Cost
    ///
    /// O(cells): meant for a person to read now and then, not for every frame.
    pub fn report(&self) -> Report {
        let grids = self.grid_reports();
        let index = self.frames.front();
        let mut report = Report {
            asleep: index.asleep.count(),
            oversized: index.oversized_rows.len(),
            statics: self.statics.len(),
            skipped: self.skipped.len(),
            body_pairs: self.contacts.found.body_pair_count(),
            static_pairs: self.contacts.found.static_pair_count(),
            bytes_bodies: self.bytes_bodies(),
            bytes_statics: self.statics.bytes() + self.frames.bytes_statics(&self.statics),
            bytes_pairs: self.bytes_pairs(),
            phases: self.phases,
            grids,
            advice: None,
        };
        report.advice = advice(&report, !self.config.bounds.is_empty(), self.config.cell_size);
        report
    }

    fn grid_reports(&self) -> Vec<GridReport> {
        let classes = self.plan.classes();
        let mut reports = Vec::with_capacity(classes.len());
        let grid_index = &self.frames.front().grid;
        let slots = &grid_index.slots;
        for (k, &(first_band, bound)) in self.class_marks.iter().enumerate() {
            let end = self.class_marks.get(k + 1).map_or(slots.len(), |&(next, _)| next);
            let mut grid = GridReport { bound, bands: end - first_band, ..GridReport::default() };
            let (mut squares, mut width, mut height) = (0.0f64, 0.0f64, 0.0f64);
            for slot in &slots[first_band..end] {
                let band = &slot.band;
                if band.population == 0 {
                    continue;
                }
                let cells = band.columns() * band.rows();
                let bodies = band.population as f64;
                grid.bodies += band.population;
                grid.cells += cells;
                let [min_x, min_y, max_x, max_y] = band.bounds;
                let (across, down) = (f64::from(max_x - min_x), f64::from(max_y - min_y));
                let (across, down) = (across / band.columns() as f64, down / band.rows() as f64);
                let (across, down) = if slot.transposed { (down, across) } else { (across, down) };
                width += across * bodies;
                height += down * bodies;
                squares += grid_index.squares(slot);
            }
            let bodies = grid.bodies.max(1) as f64;
            grid.cell_size = [(width / bodies) as f32, (height / bodies) as f32];
            grid.population = (squares / bodies) as f32;
            reports.push(grid);
        }
        reports
    }
}

/// One sentence about the setting that costs most, if any does.
fn advice(report: &Report, bounds_given: bool, cell_size: Option<f32>) -> Option<String> {
    let bodies = report.common() + report.oversized;
    if bodies < 1000 {
        return None;
    }
    if bounds_given && report.oversized * 10 > bodies {
        let percent = report.oversized * 100 / bodies;
        return Some(format!(
            "{percent} % of the bodies are above the largest bound and go to the loose grid, which is slower: \
             raise the bound, add one, or leave bounds to be found."
        ));
    }
    let crowded = report.grids.iter().find(|grid| grid.population > 32.0 && grid.bodies * 10 > bodies)?;
    let pairs = report.body_pairs as f32 / bodies as f32;
    if let Some(side) = cell_size.filter(|_| pairs * 8.0 < crowded.population) {
        return Some(format!(
            "{:.0} bodies share a typical cell of side {side}: make the cell size smaller, or leave it to be found.",
            crowded.population
        ));
    }
    (bounds_given && pairs * 8.0 < crowded.population).then(|| {
        format!(
            "{:.0} bodies share a typical cell of the grid with bound {}: add a smaller bound, or leave bounds to be found.",
            crowded.population, crowded.bound
        )
    })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for grid in &self.grids {
            let [width, height] = grid.cell_size;
            if grid.bodies == 0 {
                continue;
            }
            writeln!(
                f,
                "common     {:>9} bodies up to half-extent {:.3}, {} bands, cells {width:.2} x {height:.2}, population {:.1}",
                grid.bodies, grid.bound, grid.bands, grid.population
            )?;
        }
        if self.asleep > 0 {
            writeln!(f, "asleep     {:>9} bodies", self.asleep)?;
        }
        writeln!(f, "oversized  {:>9} bodies", self.oversized)?;
        writeln!(f, "static     {:>9} boxes", self.statics)?;
        if self.skipped > 0 {
            writeln!(f, "skipped    {:>9} rows", self.skipped)?;
        }
        writeln!(f, "pairs      {:>9} of bodies, {} with statics", self.body_pairs, self.static_pairs)?;
        let per_static = self.bytes_statics as f64 / self.statics.max(1) as f64;
        writeln!(
            f,
            "memory     {:>9.1} bytes a body, {per_static:.1} a static, {:.1} MiB for pairs",
            self.bytes_per_body(),
            self.bytes_pairs as f64 / f64::from(1 << 20)
        )?;
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let phases = &self.phases;
        writeln!(
            f,
            "time       {:>9.3} ms: plan {:.3}, partition {:.3}, prepare {:.3}, pairs {:.3}, gather {:.3}",
            ms(phases.total),
            ms(phases.plan),
            ms(phases.partition),
            ms(phases.prepare),
            ms(phases.pairs),
            ms(phases.gather)
        )?;
        if phases.tracking > Duration::ZERO {
            writeln!(f, "           tracking of contacts {:.3}", ms(phases.tracking))?;
        }
        write!(
            f,
            "           pairs over all threads: sort {:.3}, common {:.3}, visitors {:.3}, oversized {:.3}, statics {:.3}",
            ms(phases.sort),
            ms(phases.common),
            ms(phases.visitors),
            ms(phases.oversized),
            ms(phases.statics)
        )?;
        if let Some(advice) = &self.advice {
            write!(f, "\nadvice     {advice}")?;
        }
        Ok(())
    }
}
