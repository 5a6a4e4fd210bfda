//! How the pairs of a band's bodies with other boxes are found: in the way that is estimated to be
//! the cheapest.
//!
//! - Each box searches the cells.
//! - Those that are short on one axis are sorted along it, and each body is tested with those
//!   beside it (`sweep`); longer ones search the cells. That suits thin boxes.
//! - Each box searches a tree of the bodies (`packed_tree`), which has to be built. That suits
//!   boxes of many sizes, and bodies that are distributed more unevenly than the cells.

use crate::geometry::band_box::BandBox;
use crate::input::filter::Filter;
use crate::memory::record::BodyRecord;
use crate::memory::shared_column::SharedColumn;
use crate::simd::CellView;
use crate::tier::point_grid::band::cell_grid::CellLookup;
use crate::tier::point_grid::band::cell_searches::{CELL_SEARCH_NS, CellSearches};
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
pub(super) enum Method {
    Cells,
    Sweep(SweepPlan),
    Tree,
}

/// Other boxes that were taken, and how their pairs are to be found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GatheredBoxes {
    /// About how long a search of the cells for one of them takes, in nanoseconds.
    pub(super) cell_search_ns: f64,
    pub(super) method: Method,
    /// About how long it takes to find their pairs.
    ns: f64,
}

impl GatheredBoxes {
    pub(super) fn new(
        (lookup, cells): (&CellLookup<'_>, &CellView<'_>),
        bounds: &BandBox,
        boxes: &[BodyRecord],
        has_tree: bool,
    ) -> Self {
        if boxes.len() < FEW {
            let ns = CELL_SEARCH_NS * boxes.len() as f64;
            return Self { cell_search_ns: CELL_SEARCH_NS, method: Method::Cells, ns };
        }
        let searches = CellSearches::sample(lookup, cells, boxes);
        let bodies = cells.columns();
        let mut best = (searches.ns(), Method::Cells);
        if let Some(plan) = SweepPlan::cheapest(&searches, bounds, bodies, boxes) {
            best = (plan.ns, Method::Sweep(plan));
        }
        let built = if has_tree { 0.0 } else { packed_tree::BUILD_NS * bodies.len() as f64 };
        let tree = built + packed_tree::SEARCH_NS * boxes.len() as f64;
        if tree < best.0 && tree + packed_tree::HIT_NS * searches.hits(bodies) < best.0 {
            best = (tree, Method::Tree);
        }
        let (ns, method) = best;
        Self { cell_search_ns: searches.ns() / boxes.len() as f64, method, ns }
    }

    /// About how long it takes to find their pairs, in nanoseconds.
    pub(crate) fn ns(&self) -> f64 {
        self.ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::overlaps;
    use crate::memory::pair_sink::found;
    use crate::simd::DetectedSimd;
    use crate::tier::point_grid::band::cell_grid::words_max;
    use crate::tier::point_grid::band::equal_cells::CellSize;
    use crate::tier::point_grid::band::scratch::BandScratch;
    use crate::tier::point_grid::band::sorted::{PairRules, SortedBodies};
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
    fn methods<const N: usize>(own: &[BodyRecord], others: [&[BodyRecord]; N]) -> [GatheredBoxes; N] {
        methods_in(&mut BandScratch::default(), own, others)
    }

    fn methods_in<const N: usize>(
        scratch: &mut BandScratch,
        own: &[BodyRecord],
        others: [&[BodyRecord]; N],
    ) -> [GatheredBoxes; N] {
        let mut words = vec![0; words_max(own.len())];
        let mut bodies = SortedBodies::new(own, CellSize::ForOwnPairs, PairRules::default(), &mut words, scratch);
        others.map(|others| {
            let gathered = bodies.gather(others.iter().copied());
            let level = DetectedSimd::default();
            let pairs = found(|sink| bodies.pairs_with_gathered(level, gathered, Others::Bodies, sink));
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

    /// Bodies of which nearly all are on a line, and others of which two thirds are. The rest are
    /// beside it, along its whole length.
    fn line_and_mixed(random: &mut SplitMix64) -> [Vec<BodyRecord>; 2] {
        let mut line = boxes(random, 0..BODIES, [0.1, 100.0], [0.01, 0.01]);
        (0..40).for_each(|k| line[100 * k].aabb = [20.0 * k as f32, 50.0, 20.0 * k as f32 + 0.1, 50.1]);
        let mut mixed = boxes(random, BODIES..2 * BODIES, [0.1, 100.0], [0.1, 0.1]);
        for BodyRecord { aabb, .. } in mixed.iter_mut().step_by(3) {
            let x = 5.0 + 700.0 * aabb[1] / 100.0;
            *aabb = [x, 0.0, x + 0.1, 100.0];
        }
        [line, mixed]
    }

    #[test]
    fn each_method_is_chosen_where_it_is_the_cheapest() {
        let mut random = SplitMix64::new(6);
        let evenly = boxes(&mut random, 0..BODIES, [1000.0, 1000.0], [1.0, 1.0]);
        let alike = boxes(&mut random, BODIES..2 * BODIES, [1000.0, 1000.0], [1.0, 1.0]);
        let thin = boxes(&mut random, BODIES..2 * BODIES, [1000.0, 100.0], [0.1, 900.0]);
        let [alike, thin] = methods(&evenly, [&alike, &thin]);
        assert!(matches!(alike.method, Method::Cells), "{alike:?}");
        assert!(matches!(thin.method, Method::Sweep(SweepPlan { axis: 0, .. })), "{thin:?}");

        let [line, mixed] = line_and_mixed(&mut random);
        let [first, few] = methods(&line, [&mixed, &mixed[..200]]);
        assert!(matches!(first.method, Method::Tree), "{first:?}");
        // The tree is there, so even a few boxes search it.
        assert!(matches!(few.method, Method::Tree), "{few:?}");
        let [alone] = methods(&line, [&mixed[..200]]);
        assert!(!matches!(alone.method, Method::Tree), "{alone:?}");
        let [fewest] = methods(&line, [&mixed[..FEW - 1]]);
        assert!(matches!(fewest.method, Method::Cells), "{fewest:?}");
        // It was built for the first of them alone.
        let build_ns = f64::from(BODIES) * packed_tree::BUILD_NS;
        assert!(first.ns() > build_ns && few.ns() <= 200.0 * packed_tree::SEARCH_NS, "{first:?} {few:?}");
    }

    #[test]
    fn the_next_band_has_a_tree_of_its_own() {
        let (mut random, mut scratch) = (SplitMix64::new(6), BandScratch::default());
        for _ in 0..2 {
            let [line, mixed] = line_and_mixed(&mut random);
            let [gathered] = methods_in(&mut scratch, &line, [&mixed]);
            assert!(matches!(gathered.method, Method::Tree), "{gathered:?}");
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
        assert!(!matches!(gathered.method, Method::Tree), "{gathered:?}");
    }
}
