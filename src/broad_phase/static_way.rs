//! How the pairs of a band's bodies with statics are found.
//!
//! Which way is the fastest depends on the statics that a band has:
//!
//! - Few: they are searched for in the band, like bodies of other bands.
//! - More, evenly distributed, and the bodies are of the most common size: each body is tested with
//!   the list of its cell. The lists are made once for all steps.
//! - More than bodies, or as many where a search of the band reads many bodies: its bodies search a
//!   point grid of the statics, in which these are sorted once for all steps.
//! - Of many sizes, or most of them in a pile, so that those ways are slow or do not suit: its
//!   bodies search a packed tree of the statics, which is built once for all steps.
//! - Up to a few times as many as bodies, but all that is very slow, as where statics of many sizes
//!   overlap: they are searched for in the band nevertheless, if that is faster.
//! - More, but its bodies touch few of them, or are too few for what would have to be made; and in
//!   a step that is told which rows changed: its bodies search the static tree, in groups of up to
//!   64 that are near each other.

use crate::broad_phase::context::{PassContext, StepContext};
use crate::frame::static_grid::{PackedStatics, StaticBands, StaticLists};
use crate::memory::body_record::BodyRecord;
use crate::tier::point_grid::band::built_band::BuiltBand;
use crate::tier::point_grid::band::other_method::GatheredPlan;
use crate::tier::point_grid::cell_lists::CellLists;
use smallvec::SmallVec;
use std::sync::Arc;

// Statics that are searched for in the band.

/// At most this many for four of its bodies.
const IN_BAND_PER_4_BODIES: usize = 5;

/// Or at most this many for each body, where all other ways take longer than `VERY_SLOW_NS` a body.
/// To gather so many takes about `GATHER_NS` a body.
const IN_BAND_PER_BODY_IF_SLOW: usize = 8;
const VERY_SLOW_NS: f64 = 350.0;
const GATHER_NS: f64 = 80.0;

/// There are taken to be more than a limit, without counting them, if the leaves that the band
/// touches have more than this many times as many entries. A static may have several.
const ENTRIES_PER_STATIC: usize = 3;

/// A grid is used in their place only if the band is estimated to take this many times as long:
/// estimates are not exact, and the grid has to be made.
const CLEARLY_FASTER: f64 = 1.5;

// What is built of all statics: lists, a grid and a packed tree.

/// They are used if there are at most this many statics for each body of the band. Otherwise, to
/// build them could take longer than all steps that use them.
const BUILT_PER_BODY: usize = 1000;

/// And if at most this many for each body have to be searched for in the band besides: statics that
/// are too large, in a pile, or changed.
const LOOSE_PER_BODY: usize = 4;

/// Lists, and a packed tree where there is another way, are built if there are at most this many
/// statics for each body of the most common size. Otherwise, to build them could take longer than
/// the next thousand steps gain by them.
const BUILT_TO_GAIN_PER_BODY: usize = 50;

/// Lists are used if the leaves of the tree that a band touches have at least one entry for so many
/// bodies.
const BODIES_PER_ENTRY: usize = 4;

/// And if at most this many statics have to be tested for a body, in the mean of a sample.
const LISTED_MAX: usize = 64;

/// A search of the grid for a body takes at least this many nanoseconds, where it has statics.
const PROBE_NS_MIN: f64 = 30.0;

/// If other ways take longer than this for a body, a packed tree is worth building: its searches
/// test fewer statics that the body does not touch.
const SLOW_NS: f64 = 100.0;

/// Where there are many statics and no grid suits them, the packed tree is considered if the leaves
/// of the static tree that a body touches have more entries than this, in the mean of a sample.
/// Otherwise bodies search the static tree, which is faster if they touch few statics or none.
const ENTRIES_MAX: usize = 16;

/// More entries of a body are not counted. A search skips parts of long leaves.
const ENTRIES_COUNTED: usize = 2048;

// Bodies of samples.

/// For searches of lists and of the grid.
const BODY_SAMPLE: usize = 16;
/// For searches of the packed tree.
const PACKED_SAMPLE: usize = 64;
/// For the entries that bodies touch: most statics may be in a pile that few of them touch.
const TOUCHING_SAMPLE: usize = 128;

/// How the pairs of a band's bodies with statics are found: see the head of this file.
pub(super) enum StaticWay<'s> {
    Lists(Arc<StaticLists>),
    /// Statics that the band has gathered are searched for in it.
    InBand(GatheredPlan),
    Grid(&'s StaticBands),
    Packed(&'s PackedStatics),
    Groups,
}

/// A search of what is built of all statics, and about how long it takes for a body.
struct BuiltSearch<'s> {
    way: StaticWay<'s>,
    ns: f64,
}

impl<'s> StaticWay<'s> {
    /// Chooses the way for a band. `found` is a buffer.
    pub(super) fn of(pass: &PassContext<'s>, band: &mut BuiltBand<'_>, found: &mut Vec<BodyRecord>) -> Self {
        let (step, population) = (&pass.step, band.band().population());
        let may_search_built = may_search_built(step, band);
        if may_search_built && let Some(lists) = lists_for(pass, band) {
            return Self::Lists(lists);
        }
        let body_ns = |gathered: GatheredPlan| gathered.ns / population as f64;
        let few = gather_up_to(IN_BAND_PER_4_BODIES * population / 4, step, band, found);
        if let Some(gathered) = few.filter(|&gathered| body_ns(gathered) < CLEARLY_FASTER * PROBE_NS_MIN) {
            return Self::InBand(gathered);
        }
        if !may_search_built {
            return few.map_or(Self::Groups, |gathered| Self::InBand(band.consider_tree(gathered, f64::INFINITY)));
        }

        let ns_of = |search: &Option<BuiltSearch<'_>>| search.as_ref().map_or(f64::INFINITY, |search| search.ns);
        let grid = grid_for(step, band);
        let fewest_ns = few.map_or(f64::INFINITY, body_ns).min(ns_of(&grid));
        let may_pack = if few.is_none() && grid.is_none() {
            touch_many(step, band)
        } else {
            let bodies = pass.common_sizes.map_or(population, |sizes| sizes.count);
            fewest_ns > SLOW_NS && step.statics.tree.len() <= BUILT_TO_GAIN_PER_BODY * bodies
        };
        let packed = if may_pack { packed_for(step, band) } else { None };

        // The grid counts as slower than it is, see `CLEARLY_FASTER`.
        let other_ns = ns_of(&packed).min(CLEARLY_FASTER * ns_of(&grid));
        let (gathered, gather_ns) = if few.is_none() && packed.is_some() && other_ns > VERY_SLOW_NS {
            (gather_up_to(IN_BAND_PER_BODY_IF_SLOW * population, step, band, found), GATHER_NS)
        } else {
            (few, 0.0)
        };
        if let Some(gathered) = gathered {
            let gathered = band.consider_tree(gathered, other_ns * population as f64);
            if gather_ns + body_ns(gathered) < other_ns {
                return Self::InBand(gathered);
            }
        }
        let faster = |a: BuiltSearch<'s>, b: BuiltSearch<'s>| if a.ns <= b.ns { a } else { b };
        [grid, packed].into_iter().flatten().reduce(faster).map_or(Self::Groups, |search| search.way)
    }
}

/// Gathers the statics that the band touches, to be searched for in it, if there are at most
/// `most`. `found` is a buffer.
fn gather_up_to(
    most: usize,
    step: &StepContext<'_>,
    band: &mut BuiltBand<'_>,
    found: &mut Vec<BodyRecord>,
) -> Option<GatheredPlan> {
    let (bounds, tree) = (band.bounds(), &step.statics.tree);
    if tree.len() > most && !tree.has_entries_up_to(ENTRIES_PER_STATIC * most, &bounds) {
        return None;
    }
    found.clear();
    tree.collect(&bounds, found, |found| (found.len() <= most).then_some(()))?;
    Some(band.gather(found.iter().copied()))
}

/// Whether the bodies of a band may search what is built of all statics: not if they are too few,
/// if too many statics changed, or in a step that is told which rows changed.
fn may_search_built(step: &StepContext<'_>, band: &BuiltBand<'_>) -> bool {
    let (statics, population) = (&step.statics.tree, band.band().population());
    step.uses_static_grid
        && statics.len() <= BUILT_PER_BODY * population
        && statics.changed_count() <= LOOSE_PER_BODY * population
}

/// The lists of the statics, if the bodies of a band are small enough for these, and if the band
/// has so many statics, and these so evenly, that nothing else is faster.
fn lists_for(pass: &PassContext<'_>, band: &BuiltBand<'_>) -> Option<Arc<StaticLists>> {
    let (population, bodies) = (band.band().population(), band.cells().columns());
    if pass.step.statics.tree.has_entries_up_to(population / BODIES_PER_ENTRY, &band.bounds()) {
        return None;
    }
    let sizes = pass.common_sizes?;
    if pass.step.statics.tree.len() > BUILT_TO_GAIN_PER_BODY * sizes.count {
        return None;
    }
    // Lists for smaller bodies are shorter; those for all are made only if some body needs them.
    let lists = [sizes.sampled_side, sizes.side_max]
        .into_iter()
        .find_map(|side| pass.step.statics.lists(side, |side| CellLists::suit(side, bodies)))?;
    if lists.left_out.len() > LOOSE_PER_BODY * population {
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

/// A search of the grid of the statics; `None` if it does not suit the band.
fn grid_for<'s>(step: &StepContext<'s>, band: &BuiltBand<'_>) -> Option<BuiltSearch<'s>> {
    let grid = step.statics.bands(step.level)?;
    let suits = grid.left_out.len() <= LOOSE_PER_BODY * band.band().population();
    suits.then(|| BuiltSearch { way: StaticWay::Grid(grid), ns: mean_probe_ns(grid, band) })
}

/// A search of the statics in a packed tree.
fn packed_for<'s>(step: &StepContext<'s>, band: &BuiltBand<'_>) -> Option<BuiltSearch<'s>> {
    let packed = step.statics.packed()?;
    let bodies: SmallVec<[BodyRecord; PACKED_SAMPLE]> = sample(band, PACKED_SAMPLE).collect();
    let ns = packed.filed.searches_ns(step.level, &bodies) / bodies.len() as f64;
    Some(BuiltSearch { way: StaticWay::Packed(packed), ns })
}

/// Whether the bodies of a band touch many statics, in the mean of a sample.
fn touch_many(step: &StepContext<'_>, band: &BuiltBand<'_>) -> bool {
    let bodies = sample(band, TOUCHING_SAMPLE);
    let (most, mut entries) = (ENTRIES_MAX * bodies.len(), 0);
    for body in bodies {
        entries += step.statics.tree.entries_near(ENTRIES_COUNTED, &body.aabb);
        if entries > most {
            return true;
        }
    }
    false
}

/// About how long a search of the grid takes for a body, in nanoseconds: the mean of a sample.
fn mean_probe_ns(grid: &StaticBands, band: &BuiltBand<'_>) -> f64 {
    let (sum, sampled) = sample(band, BODY_SAMPLE)
        .fold((0.0, 0), |(sum, sampled), body| (sum + grid.filed.probe_ns(&body.aabb), sampled + 1));
    sum / f64::from(sampled)
}

/// Up to `most` of the bodies of a band.
fn sample<'b>(band: &'b BuiltBand<'_>, most: usize) -> impl ExactSizeIterator<Item = BodyRecord> + 'b {
    let population = band.band().population();
    band.bodies(0..population).step_by(population.div_ceil(most))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::WorldConfig;
    use crate::frame::statics::StaticSet;
    use crate::geometry::{Aabb, RawAabb};
    use crate::input::filter::PairRules;
    use crate::memory::page::{PagePool, PairBudget};
    use crate::simd::DetectedSimd;
    use crate::tier::point_grid::band::built_band::LoneBand;
    use crate::tier::point_grid::band::equal_cells::CellSize;
    use crate::tier::point_grid::bands::CommonSizes;
    use crate::tier::static_tree::tree::StaticTree;
    use triphase_scenes::SplitMix64;

    /// The way for a band of bodies. Lists are made for the sizes `common`, if there are any.
    fn way_for(bodies: &[RawAabb], statics: &[RawAabb], common: Option<CommonSizes>) -> &'static str {
        let aabb = |&[x0, y0, x1, y1]: &RawAabb| Aabb::new([x0, y0], [x1, y1]).expect("a valid box");
        let boxes: Vec<Aabb> = statics.iter().map(aabb).collect();
        let mut statics = StaticSet::default();
        statics.replace(StaticTree::new(&boxes).expect("valid statics"));
        statics.update_grid();
        let records: Vec<_> = (0..).zip(bodies).map(|(row, &aabb)| BodyRecord { aabb, row }).collect();
        let mut band = LoneBand::new(&records, &[]);
        let mut band = band.build(CellSize::ForOwnPairs, PairRules::default());
        let (config, pool, budget) = (WorldConfig::new(), PagePool::default(), PairBudget::new(usize::MAX));
        let step = StepContext::new(&config, DetectedSimd::default(), false, &statics, false, &pool);
        let step = StepContext { uses_static_grid: true, ..step };
        let pass = PassContext { step, filters_by_row: None, oversized: None, common_sizes: common, budget: &budget };
        match StaticWay::of(&pass, &mut band, &mut Vec::new()) {
            StaticWay::Lists(_) => "lists",
            StaticWay::InBand(_) => "in band",
            StaticWay::Grid(_) => "grid",
            StaticWay::Packed(_) => "packed",
            StaticWay::Groups => "groups",
        }
    }

    #[test]
    fn each_way_is_chosen_where_it_is_the_fastest() {
        let mut random = SplitMix64::new(3);
        let mut squares = |count: usize, extent: f32, side: f32| -> Vec<RawAabb> {
            (0..count).map(|_| random.point(0.0, extent)).map(|[x, y]| [x, y, x + side, y + side]).collect()
        };
        let bodies = squares(4000, 100.0, 1.0);
        let common = Some(CommonSizes { sampled_side: 1.0, side_max: 1.5, count: bodies.len() });
        let few = squares(2000, 100.0, 1.0);
        assert_eq!(way_for(&bodies, &few, None), "in band");
        assert_eq!(way_for(&bodies, &few, common), "lists");
        let many = squares(20_000, 100.0, 1.0);
        assert_eq!(way_for(&bodies, &many, None), "grid");
        // Most of them in one place.
        let pile = squares(20_000, 1.0, 1.0);
        assert_eq!(way_for(&bodies, &pile, None), "packed");
        // The band reaches around a pile, but no body touches it.
        let far: Vec<RawAabb> = pile.iter().map(|aabb| aabb.map(|edge| edge + 200.0)).collect();
        let around: Vec<RawAabb> = bodies.iter().chain(&[[300.0, 300.0, 301.0, 301.0]]).copied().collect();
        assert_eq!(way_for(&around, &far, None), "groups");
        let mut of_any_size = |count: usize, octaves: f32| -> Vec<RawAabb> {
            let mut corner_and_side = || (random.point(-10.0, 100.0), 2f32.powf(random.range(-3.0, octaves)));
            (0..count).map(|_| corner_and_side()).map(|([x, y], side)| [x, y, x + side, y + side]).collect()
        };
        // The largest make cells so large that each has too many.
        assert_eq!(way_for(&bodies, &of_any_size(10_000, 5.0), None), "packed");
        // Three for each body, which overlap hundreds of them: no search of theirs is fast.
        assert_eq!(way_for(&bodies, &of_any_size(12_000, 8.0), None), "in band");
        // So are the bodies, so that to search the band takes long.
        assert_eq!(way_for(&of_any_size(4000, 5.0), &of_any_size(4000, 5.0), None), "packed");
    }
}
