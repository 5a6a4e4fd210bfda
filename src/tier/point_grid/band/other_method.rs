//! How the pairs of a band's bodies with other boxes are found: in the way that is estimated to be
//! the cheapest.
//!
//! - Each box searches the cells.
//! - Those that are short on one axis are sorted along it, and each body is tested with those
//!   beside it (`sweep`). Then the way is chosen anew for the longer ones. That suits thin boxes:
//!   wide ones are swept along y, and tall ones along x.
//! - Each box searches a tree of the bodies (`packed_tree`), which has to be built. That suits
//!   boxes of many sizes, and bodies that are distributed more unevenly than the cells.

use crate::input::filter::Filter;
use crate::memory::shared_column::SharedColumn;
use crate::tier::point_grid::band::built_band::{BuiltBand, lookup_by_row};
use crate::tier::point_grid::band::cell_searches::{CELL_SEARCH_NS, CellSearches, hits};
use crate::tier::point_grid::band::scratch::PairScratch;
use crate::tier::point_grid::band::sweep::SweepPlan;
use crate::tier::sweep::packed_tree;

/// Fewer boxes search the cells.
const FEW: usize = 16;

/// What other boxes are.
#[derive(Clone, Copy)]
pub(crate) enum Others<'o> {
    /// Bodies of the same step.
    Bodies,
    /// Statics, with the filters of all of them, if any has one.
    Statics(Option<&'o SharedColumn<Filter>>),
}

/// How the pairs with other boxes are found.
#[derive(Clone, Copy, Debug)]
pub(super) enum OtherMethod {
    Cells,
    Sweep(SweepPlan),
    Tree,
}

/// How the pairs with the gathered boxes are to be found, and about how long that
/// takes, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GatheredPlan {
    pub(super) method: OtherMethod,
    pub(crate) ns: f64,
}

impl BuiltBand<'_> {
    /// Chooses how the pairs with the gathered boxes are to be found without a tree.
    pub(super) fn choose_without_tree(&self) -> GatheredPlan {
        let (bodies, boxes) = (self.cells.columns(), &self.scratch.gathered);
        if boxes.len() < FEW {
            return GatheredPlan { method: OtherMethod::Cells, ns: CELL_SEARCH_NS * boxes.len() as f64 };
        }
        let searches = CellSearches::sample(&self.lookup(), &self.cells, boxes);
        match SweepPlan::cheapest(&searches, &self.band().bounds(), bodies, boxes) {
            Some(plan) => GatheredPlan { method: OtherMethod::Sweep(plan), ns: plan.ns },
            None => GatheredPlan { method: OtherMethod::Cells, ns: searches.ns() },
        }
    }

    /// Chooses between the method of the gathered boxes and a search of the tree of
    /// the bodies, if the pairs may also be found in another way in `other_ns` nanoseconds.
    ///
    /// The tree is built if that seems to be the fastest of all. Then its leaves tell what searches
    /// of it take.
    pub(crate) fn consider_tree(&mut self, gathered: GatheredPlan, other_ns: f64) -> GatheredPlan {
        let (bodies, best_ns) = (self.cells.columns(), gathered.ns.min(other_ns));
        let PairScratch { gathered: boxes, tree, sort, .. } = &mut *self.scratch;
        if boxes.len() < FEW {
            return gathered;
        }
        if tree.is_empty() {
            let built = packed_tree::BUILD_NS * bodies.len() as f64;
            let ns = built + packed_tree::SEARCH_NS * boxes.len() as f64;
            // Its leaves are not known, but the more hits, the more of them are searched.
            if ns >= best_ns || ns + packed_tree::HIT_NS * hits(boxes, bodies) >= best_ns {
                return gathered;
            }
            tree.build(bodies, boxes, lookup_by_row(self.filters_by_row), sort);
        }
        let ns = tree.searches_ns(self.level, boxes);
        if ns < gathered.ns { GatheredPlan { method: OtherMethod::Tree, ns } } else { gathered }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::overlaps;
    use crate::input::filter::PairRules;
    use crate::memory::body_record::BodyRecord;
    use crate::memory::pair_sink::{found, found_in_order};
    use crate::tier::point_grid::band::built_band::LoneBand;
    use crate::tier::point_grid::band::equal_cells::CellSize;
    use triphase_scenes::SplitMix64;

    const BODIES: u32 = 4000;

    /// Boxes at random places in an area, of a given size or smaller.
    fn boxes(random: &mut SplitMix64, rows: std::ops::Range<u32>, area: [f32; 2], size: [f32; 2]) -> Vec<BodyRecord> {
        let mut record = |row: u32| {
            let [x, y, w, h] = [area[0], area[1], size[0], size[1]].map(|end| random.range(0.0, end));
            BodyRecord { aabb: [x, y, x + w, y + h], row }
        };
        rows.map(&mut record).collect()
    }

    /// How pairs with other boxes are found, in turn. Checks that they are those of brute force.
    fn methods<const N: usize>(own: &[BodyRecord], others: [&[BodyRecord]; N]) -> [GatheredPlan; N] {
        methods_in(&mut LoneBand::new(own, &[]), own, others)
    }

    fn methods_in<const N: usize>(
        band: &mut LoneBand,
        own: &[BodyRecord],
        others: [&[BodyRecord]; N],
    ) -> [GatheredPlan; N] {
        let mut band = band.build(CellSize::ForOwnPairs, PairRules::default());
        others.map(|others| {
            let gathered = band.gather(others.iter().copied());
            let gathered = band.consider_tree(gathered, f64::INFINITY);
            let pairs = found(|sink| band.pairs_with_gathered(gathered, Others::Bodies, sink));
            let pairs_of = |a: &BodyRecord| {
                let (aabb, row) = (a.aabb, a.row);
                others.iter().filter(move |b| overlaps(&aabb, &b.aabb)).map(move |b| [row, b.row])
            };
            let mut truth: Vec<_> = own.iter().flat_map(pairs_of).collect();
            truth.sort_unstable();
            assert_eq!(pairs, truth);
            gathered
        })
    }

    /// Bodies and others in clusters, each a tenth of the one around it.
    fn nested(random: &mut SplitMix64) -> [Vec<BodyRecord>; 2] {
        let mut of_scales = |rows: std::ops::Range<u32>, side: f32| {
            let scale = |row: u32| 10f32.powi(row as i32 % 6 - 3);
            rows.flat_map(|row| boxes(random, row..row + 1, [scale(row); 2], [scale(row) * side; 2])).collect()
        };
        [of_scales(0..BODIES, 0.02), of_scales(BODIES..2 * BODIES, 0.1)]
    }

    #[test]
    fn each_method_is_chosen_where_it_is_the_cheapest() {
        let mut random = SplitMix64::new(6);
        let evenly = boxes(&mut random, 0..BODIES, [1000.0, 1000.0], [1.0, 1.0]);
        let alike = boxes(&mut random, BODIES..2 * BODIES, [1000.0, 1000.0], [1.0, 1.0]);
        let thin = boxes(&mut random, BODIES..2 * BODIES, [1000.0, 100.0], [0.1, 900.0]);
        let [alike, thin] = methods(&evenly, [&alike, &thin]);
        assert!(matches!(alike.method, OtherMethod::Cells), "{alike:?}");
        assert!(matches!(thin.method, OtherMethod::Sweep(SweepPlan { axis: 0, .. })), "{thin:?}");

        let [bodies, others] = nested(&mut random);
        let [first, few] = methods(&bodies, [&others, &others[..200]]);
        assert!(matches!(first.method, OtherMethod::Tree), "{first:?}");
        // The tree is there, so even a few boxes search it.
        assert!(matches!(few.method, OtherMethod::Tree), "{few:?}");
        let [alone] = methods(&bodies, [&others[..200]]);
        assert!(!matches!(alone.method, OtherMethod::Tree), "{alone:?}");
        let [fewest] = methods(&bodies, [&others[..FEW - 1]]);
        assert!(matches!(fewest.method, OtherMethod::Cells), "{fewest:?}");
    }

    #[test]
    fn no_tree_is_built_where_another_way_is_faster() {
        let mut random = SplitMix64::new(6);
        let [bodies, others] = nested(&mut random);
        let mut band = LoneBand::new(&bodies, &[]);
        let mut band = band.build(CellSize::ForOwnPairs, PairRules::default());
        let gathered = band.gather(others.iter().copied());
        let slow = packed_tree::BUILD_NS * bodies.len() as f64;
        assert!(
            !matches!(band.consider_tree(gathered, slow).method, OtherMethod::Tree) && band.scratch.tree.is_empty()
        );
        assert!(matches!(band.consider_tree(gathered, f64::INFINITY).method, OtherMethod::Tree));
    }

    #[test]
    fn the_next_band_has_a_tree_of_its_own() {
        let (mut random, mut last) = (SplitMix64::new(6), LoneBand::new(&[], &[]));
        for _ in 0..2 {
            let [bodies, others] = nested(&mut random);
            last = LoneBand::new(&bodies, &[]).after(last);
            let [gathered] = methods_in(&mut last, &bodies, [&others]);
            assert!(matches!(gathered.method, OtherMethod::Tree), "{gathered:?}");
        }
    }

    #[test]
    fn boxes_that_overlap_most_bodies_search_no_tree() {
        let mut random = SplitMix64::new(6);
        let bodies = boxes(&mut random, 0..BODIES, [1000.0, 1000.0], [1.0, 1.0]);
        let others = boxes(&mut random, BODIES..BODIES + 1000, [100.0, 100.0], [0.0, 0.0]);
        let large = |record: BodyRecord| {
            let [x, y, ..] = record.aabb;
            BodyRecord { aabb: [x, y, x + 900.0, y + 900.0], ..record }
        };
        let others: Vec<_> = others.into_iter().map(large).collect();
        let [gathered] = methods(&bodies, [&others]);
        assert!(!matches!(gathered.method, OtherMethod::Tree), "{gathered:?}");
    }

    /// Half of the boxes are wide and half are tall, of four orders of magnitude.
    fn wide_and_tall(random: &mut SplitMix64, rows: std::ops::Range<u32>) -> Vec<BodyRecord> {
        let mut record = |row: u32| {
            let (long, [x, y]) = (10f32.powf(random.range(-2.0, 2.0)), random.point(0.0, 100.0));
            let [w, h] = if row.is_multiple_of(2) { [long, long / 30.0] } else { [long / 30.0, long] };
            BodyRecord { aabb: [x, y, x + w, y + h], row }
        };
        rows.map(&mut record).collect()
    }

    #[test]
    fn wide_and_tall_boxes_are_swept_each_across_their_length() {
        let mut random = SplitMix64::new(6);
        let (own, others) = (wide_and_tall(&mut random, 0..BODIES), wide_and_tall(&mut random, BODIES..2 * BODIES));
        // A tree seems to be faster, until it is built: its leaves are as long as their longest
        // bodies.
        let [gathered] = methods(&own, [&others]);
        let OtherMethod::Sweep(plan) = gathered.method else { panic!("{gathered:?}") };
        let swept = others.iter().filter(|other| plan.sweeps(&other.aabb)).count();
        assert!((others.len() / 4..others.len() * 3 / 4).contains(&swept), "{swept}, {plan:?}");
        // If the longer ones searched the cells, that would take more than a millisecond.
        assert!(gathered.ns < 1e6, "{gathered:?}");
    }

    /// The pairs of some boxes, in the order in which they are found.
    fn pairs_in_order(own: &[BodyRecord], others: &[BodyRecord], what: Others<'_>) -> Vec<[u32; 2]> {
        let mut band = LoneBand::new(own, &[]);
        let mut band = band.build(CellSize::ForOwnPairs, PairRules::default());
        found_in_order(|sink| band.pairs_with(others.iter().copied(), what, sink))
    }

    #[test]
    fn longer_boxes_are_found_as_if_they_were_alone() {
        let mut random = SplitMix64::new(6);
        let (own, others) = (wide_and_tall(&mut random, 0..BODIES), wide_and_tall(&mut random, BODIES..2 * BODIES));
        let [gathered] = methods(&own, [&others]);
        let OtherMethod::Sweep(plan) = gathered.method else { panic!("{gathered:?}") };
        let longer: Vec<_> = others.iter().filter(|other| !plan.sweeps(&other.aabb)).copied().collect();
        let [alone] = methods(&own, [&longer]);
        assert!(matches!(alone.method, OtherMethod::Sweep(of) if of.axis != plan.axis), "{alone:?}");
        let [all, last] = [&others, &longer].map(|others| pairs_in_order(&own, others, Others::Bodies));
        assert!(last.len() > 1000 && all.ends_with(&last));
    }

    /// STATIC-1.
    #[test]
    fn filters_of_statics_do_not_change_how_the_longer_ones_are_found() {
        let mut random = SplitMix64::new(6);
        let own = wide_and_tall(&mut random, 0..BODIES);
        let others = wide_and_tall(&mut random, BODIES..2 * BODIES);
        let accepts = |row: u32| row.is_multiple_of(50);
        let filter = |row: u32| if accepts(row) { Filter::ALL } else { Filter::new(0, 0) };
        let filters: Vec<Filter> = (0..2 * BODIES).map(filter).collect();
        let filters = SharedColumn::of(&filters);
        let pairs = |what: Others<'_>| pairs_in_order(&own, &others, what);
        let mut all = pairs(Others::Statics(None));
        all.retain(|&[_, row]| accepts(row));
        assert!(all.len() > 1000 && pairs(Others::Statics(Some(&filters))) == all);
    }
}
