//! How the pairs of a band's bodies with statics are found.
//!
//! Which way is the fastest depends on the statics that a band has:
//!
//! - Few: they are searched for in the band, like bodies of other bands.
//! - More, evenly distributed, and the bodies are of the most common size: each body is tested with
//!   the list of its cell. The lists are made once for all steps.
//! - More than bodies, or as many where a search of the band reads many bodies: its bodies search a
//!   point grid of the statics, in which these are sorted once for all steps.
//! - More, but that grid does not suit, as where most statics are in a pile: its bodies search a
//!   packed tree of the statics, which is built once for all steps.
//! - More, but its bodies touch few of them, or are too few for what would have to be made; and in
//!   a step that is told which rows changed: its bodies search the static tree, in groups of up to
//!   64 that are near each other.

use crate::broad_phase::context::{PassContext, StepContext};
use crate::frame::static_grid::{PackedStatics, StaticBands, StaticLists};
use crate::memory::body_record::BodyRecord;
use crate::tier::point_grid::band::built_band::BuiltBand;
use crate::tier::point_grid::band::other_method::GatheredBoxes;
use crate::tier::point_grid::cell_lists::CellLists;
use std::sync::Arc;

/// Statics are searched for in a band if there are at most this many for four of its bodies.
const STATICS_PER_4_BODIES: usize = 5;

/// There are taken to be more, without counting them, if the leaves that the band touches have more
/// entries per body than this. A static may have several.
const ENTRIES_PER_BODY: usize = 4;

/// The grid of the statics is used if there are at most this many for each body of the band.
/// Otherwise, to make it could take longer than all steps that use it.
const STATICS_PER_BODY: usize = 1000;

/// And if at most this many for each body are not in its cells: they are too large, in a pile, or
/// changed.
const LOOSE_STATICS_PER_BODY: usize = 4;

/// And if a search of it takes a body at most this many nanoseconds, in the mean of a sample. A
/// longer one tests many statics that the body does not touch; a packed tree has fewer of these.
const PROBE_NS_MAX: f64 = 200.0;

/// Statics are listed if there are at most this many for each body of the most common size.
/// Otherwise, to make lists could take longer than the next thousand steps gain by them.
const LISTED_STATICS_PER_BODY: usize = 50;

/// Lists of statics are used if the leaves of the tree that a band touches have at least one entry
/// for so many bodies.
const BODIES_PER_ENTRY: usize = 4;

/// And if at most this many have to be tested for a body, in the mean of a sample.
const LISTED_MAX: usize = 64;

/// The packed tree is used if the leaves of the static tree that a body touches have more entries
/// than this, in the mean of a sample. Otherwise bodies search the static tree, which is faster if
/// they touch few statics or none.
const ENTRIES_MAX: usize = 16;

/// Bodies of that sample. It is large because most statics may be in a pile that few bodies touch.
const TOUCHING_SAMPLE: usize = 128;

/// More entries of a body are not counted. A search skips parts of long leaves.
const ENTRIES_COUNTED: usize = 2048;

/// A search of the grid for a body takes at least this many nanoseconds, where it has statics.
const PROBE_NS_MIN: f64 = 30.0;

/// Few statics are searched for in the band nevertheless, unless that is estimated to take this
/// many times as long: estimates are not exact, and the grid has to be made.
const CLEARLY_FASTER: f64 = 1.5;

/// Bodies of the samples.
const BODY_SAMPLE: usize = 16;

/// How the pairs of a band's bodies with statics are found: see the head of this file.
pub(super) enum StaticWay<'s> {
    Lists(Arc<StaticLists>),
    /// Few statics, which the band has gathered, are searched for in it.
    InBand(GatheredBoxes),
    Grid(&'s StaticBands),
    Packed(&'s PackedStatics),
    Groups,
}

impl<'s> StaticWay<'s> {
    /// Chooses the way for a band. `found` is a buffer.
    pub(super) fn of(pass: &PassContext<'s>, band: &mut BuiltBand<'_>, found: &mut Vec<BodyRecord>) -> Self {
        if let Some(lists) = lists_for(pass, band) {
            return Self::Lists(lists);
        }
        let (step, population, bounds) = (&pass.step, band.band().population(), band.bounds());
        let statics = &step.statics.tree;
        let may_be_few =
            statics.len() <= population || statics.has_entries_up_to(ENTRIES_PER_BODY * population, &bounds);
        let are_few =
            |found: &mut Vec<BodyRecord>| (found.len() <= STATICS_PER_4_BODIES * population / 4).then_some(());
        found.clear();
        if may_be_few && statics.collect(&bounds, found, are_few).is_some() {
            let gathered = band.gather(found.iter().copied());
            return grid_if_faster(step, band, gathered.ns()).map_or(Self::InBand(gathered), Self::Grid);
        }
        let grid = grid_for(step, band).map(|(grid, _)| Self::Grid(grid));
        grid.or_else(|| packed_for(step, band).map(Self::Packed)).unwrap_or(Self::Groups)
    }
}

/// The most statics outside of cells with which the bodies of a band may search cells or a packed
/// tree. `None` if the band has too few bodies, if too many statics changed, or in a step
/// that is told which rows changed.
fn loose_max(step: &StepContext<'_>, band: &BuiltBand<'_>) -> Option<usize> {
    let population = band.band().population();
    let most = LOOSE_STATICS_PER_BODY * population;
    let suits = step.uses_static_grid
        && step.statics.tree.len().div_ceil(STATICS_PER_BODY) <= population
        && step.statics.tree.changed_count() <= most;
    suits.then_some(most)
}

/// The lists of the statics, if the bodies of a band are small enough for these, and if the band
/// has so many statics, and these so evenly, that nothing else is faster.
fn lists_for(pass: &PassContext<'_>, band: &BuiltBand<'_>) -> Option<Arc<StaticLists>> {
    let (population, bodies) = (band.band().population(), band.cells().columns());
    let loose_max = loose_max(&pass.step, band)?;
    if pass.step.statics.tree.has_entries_up_to(population / BODIES_PER_ENTRY, &band.bounds()) {
        return None;
    }
    let sizes = pass.common_sizes?;
    if pass.step.statics.tree.len() > LISTED_STATICS_PER_BODY * sizes.count {
        return None;
    }
    // Lists for smaller bodies are shorter; those for all are made only if some body needs them.
    let lists = [sizes.sampled_side, sizes.side_max]
        .into_iter()
        .find_map(|side| pass.step.statics.lists(side, |side| CellLists::suit(side, bodies)))?;
    if lists.left_out.len() > loose_max {
        return None;
    }
    let (mut tested, mut sampled) = (0, 0);
    for first in (0..population).step_by(population.div_ceil(BODY_SAMPLE)) {
        let mut ranges = [[0; 2]];
        lists.filed.find(bodies, first, band.axes().is_exchanged(), &mut ranges);
        let [[start, end]] = ranges;
        (tested, sampled) = (tested + (end - start) as usize, sampled + 1);
    }
    (tested <= LISTED_MAX * sampled).then_some(lists)
}

/// The grid of the statics, if to search it for each body of a band is clearly faster than what is
/// estimated to take `ns` nanoseconds.
fn grid_if_faster<'s>(step: &StepContext<'s>, band: &BuiltBand<'_>, ns: f64) -> Option<&'s StaticBands> {
    let ns_per_body = ns / band.band().population() as f64;
    // Before the grid is made.
    if ns_per_body < CLEARLY_FASTER * PROBE_NS_MIN {
        return None;
    }
    let (grid, probe_ns) = grid_for(step, band)?;
    (CLEARLY_FASTER * probe_ns < ns_per_body).then_some(grid)
}

/// The grid of the statics, and about how long a search of it takes for a body of a band, in
/// nanoseconds; `None` if it does not suit the band, or that is too long.
fn grid_for<'s>(step: &StepContext<'s>, band: &BuiltBand<'_>) -> Option<(&'s StaticBands, f64)> {
    let loose_max = loose_max(step, band)?;
    let grid = step.statics.bands(step.level)?;
    let probe_ns = mean_probe_ns(grid, band);
    (grid.left_out.len() <= loose_max && probe_ns <= PROBE_NS_MAX).then_some((grid, probe_ns))
}

/// The statics in a packed tree, if it suits the band and its bodies touch many statics in the mean
/// of a sample.
fn packed_for<'s>(step: &StepContext<'s>, band: &BuiltBand<'_>) -> Option<&'s PackedStatics> {
    loose_max(step, band)?;
    let (mut entries, mut sampled) = (0, 0);
    for body in sample(band, TOUCHING_SAMPLE) {
        entries += step.statics.tree.entries_near(ENTRIES_COUNTED, &body.aabb);
        sampled += 1;
    }
    if entries > ENTRIES_MAX * sampled { step.statics.packed() } else { None }
}

/// About how long a search of the grid takes for a body, in nanoseconds: the mean of a sample.
fn mean_probe_ns(grid: &StaticBands, band: &BuiltBand<'_>) -> f64 {
    let (sum, sampled) = sample(band, BODY_SAMPLE)
        .fold((0.0, 0), |(sum, sampled), body| (sum + grid.filed.probe_ns(&body.aabb), sampled + 1));
    sum / f64::from(sampled)
}

/// Up to `most` of the bodies of a band.
fn sample<'b>(band: &'b BuiltBand<'_>, most: usize) -> impl Iterator<Item = BodyRecord> + 'b {
    let population = band.band().population();
    band.bodies(0..population).step_by(population.div_ceil(most))
}
