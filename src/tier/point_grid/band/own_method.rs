//! How the pairs of a band's own bodies are found: in cells or, if those are crowded, in the way
//! that is estimated to be the cheapest.
//!
//! A cell is as high as the highest body of its band and, unless columns are fine, as wide as the
//! widest. So bodies of many sizes crowd cells, and so do bodies that are far denser in some places
//! than in others.
//!
//! - In cells, a body is tested with half of its own cell and with neighbors of it.
//! - In a sweep, it is tested with half of those beside it on one axis. That suits few of them.
//! - In a tree of the bodies (`packed_tree`), it searches for later ones. That suits few hits,
//!   unless each leaf has long bodies: once the tree is built, its leaves tell what searches take.
//!
//! The method depends on the band alone: on its bodies, and on its ghosts, as these search the same
//! tree.

use crate::memory::body_record::BodyRecord;
use crate::tier::point_grid::band::built_band::BuiltBand;
use crate::tier::point_grid::band::cell_searches::TEST_NS;
use crate::tier::sweep::axis_sample::{overlapping, sparse_axis};
use crate::tier::sweep::packed_tree;

/// With up to this mean number of bodies in a body's cell, nothing is faster than cells.
const CROWDED: f32 = 96.0;

// Measured costs of a sweep, in nanoseconds.

/// Sorting a body along an axis.
const SORT_NS: f64 = 40.0;
/// A test with a body that is beside it there, which is mostly not beside it on the other axis.
const SWEPT_TEST_NS: f64 = 0.15;

/// How the pairs of a band's own bodies are found.
#[derive(Clone, Copy, Debug)]
pub(super) enum OwnMethod {
    Cells,
    Sweep { axis: usize },
    Tree,
}

/// How they are to be found, and about how long that takes, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnPlan {
    pub(super) method: OwnMethod,
    pub(super) ns: f64,
}

impl OwnPlan {
    /// The cheaper way without a tree, for bodies in cells that are crowded so much.
    fn without_tree(own: &[BodyRecord], crowding: f32) -> Self {
        let population = own.len() as f64;
        // A body is tested with half of its cell, and with four neighbors of it, which may be
        // empty.
        let by_cells = Self { method: OwnMethod::Cells, ns: population * 2.0 * f64::from(crowding) * TEST_NS };
        if crowding <= CROWDED {
            return by_cells;
        }
        let (axis, beside) = sparse_axis(own);
        let swept_ns = population * (SORT_NS + beside / 2.0 * SWEPT_TEST_NS);
        let by_sweep = Self { method: OwnMethod::Sweep { axis }, ns: swept_ns };
        if by_sweep.ns < by_cells.ns { by_sweep } else { by_cells }
    }
}

impl BuiltBand<'_> {
    /// Chooses how the pairs of its own bodies are to be found.
    ///
    /// A tree of them is built if that seems to be the fastest. Then its leaves tell what searches
    /// of it take.
    pub(super) fn choose_own_method(&mut self) -> OwnPlan {
        let (crowding, population) = (self.band().crowding, self.own().len() as f64);
        let best = OwnPlan::without_tree(self.own(), crowding);
        if crowding <= CROWDED {
            return best;
        }
        // The more hits, the more leaves are searched.
        let by_tree = population * (packed_tree::BUILD_NS + packed_tree::OWN_SEARCH_NS);
        let hits_ns = || population * packed_tree::HIT_NS * overlapping(self.own()) / 2.0;
        if by_tree >= best.ns || by_tree + hits_ns() >= best.ns {
            return best;
        }
        self.build_tree();
        let ns = self.scratch.tree.own_searches_ns(self.level, self.own());
        if ns < best.ns { OwnPlan { method: OwnMethod::Tree, ns } } else { best }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{RawAabb, overlaps};
    use crate::input::filter::Filter;
    use crate::input::filter::PairRules;
    use crate::memory::pair_sink::found;
    use crate::tier::point_grid::band::built_band::LoneBand;
    use crate::tier::point_grid::band::equal_cells::CellSize;
    use crate::tier::point_grid::band::sweep::tests::{circles_overlap, filter_of, records};
    use triphase_scenes::SplitMix64;

    /// The method for some bodies, and how crowded their cells are.
    fn chosen(own: &[BodyRecord]) -> (OwnMethod, f32) {
        let mut band = LoneBand::new(own, &[]);
        let mut band = band.build(CellSize::ForOwnPairs, PairRules::default());
        (band.choose_own_method().method, band.band().crowding)
    }

    /// Checks that all methods find what brute force finds.
    fn check(label: &str, own: &[BodyRecord]) {
        let filters: Vec<Filter> = (0..own.len() as u32).map(filter_of).collect();
        for (filtered, are_circles) in [(false, false), (true, false), (false, true), (true, true)] {
            let touch = |a: &BodyRecord, b: &BodyRecord| {
                overlaps(&a.aabb, &b.aabb)
                    && (!filtered || filter_of(a.row).interacts_with(filter_of(b.row)))
                    && (!are_circles || circles_overlap(a, b))
            };
            let places = (0..own.len()).flat_map(|a| (a + 1..own.len()).map(move |b| (a, b)));
            let hits = places.filter(|&(a, b)| touch(&own[a], &own[b]));
            let truth: Vec<_> = hits.map(|(a, b)| [own[a].row, own[b].row]).collect();
            let rules = PairRules { filters_by_row: filtered.then_some(&filters[..]), are_circles };
            let mut band = LoneBand::new(own, &own[..own.len() / 3]);
            let mut band = band.build(CellSize::ForOwnPairs, rules);
            // Estimates say how scans are divided among threads.
            for ns in [0.0, 1e9] {
                let [x, y] = [0, 1].map(|axis| OwnMethod::Sweep { axis });
                for method in [OwnMethod::Cells, x, y, OwnMethod::Tree] {
                    let pairs = found(|sink| band.own_pairs_by(OwnPlan { method, ns }, sink));
                    assert_eq!(pairs, truth, "{label}, {method:?}, filters {filtered}, circles {are_circles}");
                }
            }
        }
    }

    fn records_of(boxes: impl Iterator<Item = RawAabb>) -> Vec<BodyRecord> {
        (0..).zip(boxes).map(|(row, aabb)| BodyRecord { aabb, row }).collect()
    }

    #[test]
    fn all_methods_find_what_brute_force_finds() {
        let mut random = SplitMix64::new(12);
        let mut around = |width: f32, height: f32, spread: f32| {
            let [x, y] = random.point(0.0, spread);
            [x, y, x + width, y + height]
        };
        check("one", &records_of(std::iter::once([1.0; 4])));
        check("alike", &records_of((0..400).map(|_| around(1.0, 1.0, 9.0))));
        let long = |k: u32| if k.is_multiple_of(2) { [8.0, 0.01] } else { [0.01, 8.0] };
        check("wide and tall", &records_of((0..900).map(long).map(|[width, height]| around(width, height, 20.0))));
        let scales = (0..900).map(|k| 10f32.powi(k % 6 - 3));
        check("scales", &records_of(scales.map(|side| around(side * 0.02, side * 0.03, side))));
        let overflowing = |k: u32| k.is_multiple_of(9).then_some([-3e38, -3e38, 3e38, 3e38]);
        let overflowing = (0..500).map(|k| overflowing(k).unwrap_or_else(|| around(0.01, 0.01, 0.01)));
        check("sides that overflow", &records_of(overflowing));
        check("any", &records(&mut random, 0, 700));
    }

    #[test]
    fn each_method_is_chosen_where_it_is_the_cheapest() {
        let mut random = SplitMix64::new(7);
        let alike = records_of((0..4000).map(|_| random.point(0.0, 60.0)).map(|[x, y]| [x, y, x + 1.0, y + 1.0]));
        assert!(matches!(chosen(&alike).0, OwnMethod::Cells), "{:?}", chosen(&alike));

        // Many are beside each other on either axis, few on both, and a few large ones crowd cells.
        let side = |k: usize| if k.is_multiple_of(5000) { 300.0 } else { 10.0 };
        let mut square = |side: f32| random.point(0.0, 1000.0).map(|low| [low, low + side]);
        let squares = (0..40_000).map(|k| square(side(k))).map(|[[x, right], [y, bottom]]| [x, y, right, bottom]);
        let sparse = records_of(squares);
        assert!(matches!(chosen(&sparse), (OwnMethod::Tree, 96.0..)), "{:?}", chosen(&sparse));

        // Bodies of one place, each of which overlaps all others: a tree would test no fewer.
        let mut dense = records_of((0..4000).map(|_| [0.0, 0.0, 1.0, 1.0]));
        dense.iter_mut().zip(&alike).for_each(|(record, spread)| record.aabb[0] -= spread.aabb[0]);
        assert!(!matches!(chosen(&dense), (OwnMethod::Tree, _)), "{:?}", chosen(&dense));

        // Most leaves of a tree have a wide body and a tall one, so that a search visits many
        // leaves, most of them without a hit.
        let lines = (0..60_000).map(|k| match k % 16 {
            0 => [400.0, 0.1],
            1 => [0.1, 400.0],
            _ => [0.1; 2],
        });
        let lines = lines.map(|size| (random.point(0.0, 1000.0), size));
        let lines = records_of(lines.map(|([x, y], [width, height])| [x, y, x + width, y + height]));
        let mut band = LoneBand::new(&lines, &[]);
        let mut band = band.build(CellSize::ForOwnPairs, PairRules::default());
        let OwnPlan { method, .. } = band.choose_own_method();
        assert!(!band.scratch.tree.is_empty() && !matches!(method, OwnMethod::Tree), "{method:?}");

        // Few are beside each other on the second axis; in the cells of other bodies they are many.
        let lines = records_of((0..4000).map(|k| [0.0, k as f32, 1000.0, k as f32 + 2.5]));
        assert!(matches!(OwnPlan::without_tree(&lines, 2.0 * CROWDED).method, OwnMethod::Sweep { axis: 1 }));
        assert!(matches!(OwnPlan::without_tree(&lines, CROWDED).method, OwnMethod::Cells));
    }
}
