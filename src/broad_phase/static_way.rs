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
use crate::tier::point_grid::band::other_method::GatheredBoxes;
use crate::tier::point_grid::cell_lists::CellLists;
use smallvec::SmallVec;
use std::sync::Arc;

/// Statics are searched for in a band if there are at most this many for four of its bodies.
const STATICS_PER_4_BODIES: usize = 5;

/// They are also searched for there if there are at most this many for each body, and all other
/// ways are very slow.
const STATICS_PER_BODY_MAX: usize = 8;

/// There are taken to be more than a limit, without counting them, if the leaves that the band
/// touches have more than this many times as many entries. A static may have several.
const ENTRIES_PER_STATIC: usize = 3;

/// The grid of the statics is used if there are at most this many for each body of the band.
/// Otherwise, to make it could take longer than all steps that use it.
const STATICS_PER_BODY: usize = 1000;

/// And if at most this many for each body are not in its cells: they are too large, in a pile, or
/// changed.
const LOOSE_STATICS_PER_BODY: usize = 4;

/// If the pairs of a body take more nanoseconds than this, a packed tree is worth making: its
/// searches test fewer statics that the body does not touch.
const SLOW_NS: f64 = 100.0;

/// And if they still take more than this, it is worth while to gather more than a few statics,
/// which takes `GATHER_NS` a body.
const VERY_SLOW_NS: f64 = 350.0;
const GATHER_NS: f64 = 80.0;

/// Statics are listed, or packed in a tree although there is another way, if there are at most this
/// many for each body of the most common size. Otherwise, to make lists or a tree could take longer
/// than the next thousand steps gain by them.
const FASTER_STATICS_PER_BODY: usize = 50;

/// Lists of statics are used if the leaves of the tree that a band touches have at least one entry
/// for so many bodies.
const BODIES_PER_ENTRY: usize = 4;

/// And if at most this many have to be tested for a body, in the mean of a sample.
const LISTED_MAX: usize = 64;

/// Where there are many statics and no grid suits them, the packed tree is considered if the leaves
/// of the static tree that a body touches have more entries than this, in the mean of a sample.
/// Otherwise bodies search the static tree, which is faster if they touch few statics or none.
const ENTRIES_MAX: usize = 16;

/// Bodies of that sample. It is large because most statics may be in a pile that few bodies touch.
const TOUCHING_SAMPLE: usize = 128;

/// Bodies whose searches of the packed tree are estimated.
const PACKED_SAMPLE: usize = 64;

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
    /// Statics that the band has gathered are searched for in it.
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
        let (step, population) = (&pass.step, band.band().population());
        let per_body = |gathered: GatheredBoxes| gathered.ns() / population as f64;
        let few = gather_up_to(STATICS_PER_4_BODIES * population / 4, step, band, found);
        if let Some(gathered) = few.filter(|&gathered| per_body(gathered) < CLEARLY_FASTER * PROBE_NS_MIN) {
            return Self::InBand(gathered);
        }
        let Some(loose_max) = loose_max(step, band) else {
            return few.map_or(Self::Groups, |gathered| Self::InBand(band.consider_tree(gathered, f64::INFINITY)));
        };
        let grid = grid_for(step, band, loose_max);
        let (few_ns, grid_ns) = (few.map_or(f64::INFINITY, per_body), grid.map_or(f64::INFINITY, |(_, ns)| ns));
        let is_worth_packing = match (few, grid) {
            (None, None) => touch_many(step, band),
            _ => {
                let bodies = pass.common_sizes.map_or(population, |sizes| sizes.count);
                few_ns.min(grid_ns) > SLOW_NS && step.statics.tree.len() <= FASTER_STATICS_PER_BODY * bodies
            }
        };
        let packed = if is_worth_packing { packed_for(step, band) } else { None };
        let packed_ns = packed.map_or(f64::INFINITY, |(_, ns)| ns);
        let other_ns = packed_ns.min(CLEARLY_FASTER * grid_ns);
        let (gathered, gather_ns) = match few {
            None if packed.is_some() && other_ns > VERY_SLOW_NS => {
                (gather_up_to(STATICS_PER_BODY_MAX * population, step, band, found), GATHER_NS)
            }
            _ => (few, 0.0),
        };
        if let Some(gathered) = gathered {
            let gathered = band.consider_tree(gathered, other_ns * population as f64);
            if gather_ns + per_body(gathered) < other_ns {
                return Self::InBand(gathered);
            }
        }
        match (grid, packed) {
            (Some((grid, _)), _) if grid_ns <= packed_ns => Self::Grid(grid),
            (_, Some((packed, _))) => Self::Packed(packed),
            _ => Self::Groups,
        }
    }
}

/// Gathers the statics that the band touches, to be searched for in it, if there are at most
/// `most`. `found` is a buffer.
fn gather_up_to(
    most: usize,
    step: &StepContext<'_>,
    band: &mut BuiltBand<'_>,
    found: &mut Vec<BodyRecord>,
) -> Option<GatheredBoxes> {
    let (bounds, tree) = (band.bounds(), &step.statics.tree);
    if tree.len() > most && !tree.has_entries_up_to(ENTRIES_PER_STATIC * most, &bounds) {
        return None;
    }
    found.clear();
    tree.collect(&bounds, found, |found| (found.len() <= most).then_some(()))?;
    Some(band.gather(found.iter().copied()))
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
    if pass.step.statics.tree.len() > FASTER_STATICS_PER_BODY * sizes.count {
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

/// The grid of the statics, and about how long a search of it takes for a body of a band, in
/// nanoseconds; `None` if it does not suit the band.
fn grid_for<'s>(step: &StepContext<'s>, band: &BuiltBand<'_>, loose_max: usize) -> Option<(&'s StaticBands, f64)> {
    let grid = step.statics.bands(step.level)?;
    (grid.left_out.len() <= loose_max).then(|| (grid, mean_probe_ns(grid, band)))
}

/// The statics in a packed tree, and about how long a search of it takes for a body of a band, in
/// nanoseconds.
fn packed_for<'s>(step: &StepContext<'s>, band: &BuiltBand<'_>) -> Option<(&'s PackedStatics, f64)> {
    let packed = step.statics.packed()?;
    let bodies: SmallVec<[BodyRecord; PACKED_SAMPLE]> = sample(band, PACKED_SAMPLE).collect();
    Some((packed, packed.filed.searches_ns(step.level, &bodies) / bodies.len() as f64))
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
