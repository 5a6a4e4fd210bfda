//! Which classes are chosen for samples of sizes, and what they are estimated to cost.

use super::rows_beside::RowsBeside;
use super::single_class::single_class;
use super::size_sample::{REGIONS, THINNED, longest_side};
use super::*;
use triphase_scenes::SplitMix64;

const ANY: ClassOptions<'_> = ClassOptions { bounds: &[], has_oversized_tier: true, cell_size: CellSize::ForOwnPairs };

fn sorted_squares(sides: impl Iterator<Item = f32>) -> Vec<RawAabb> {
    let mut rng = SplitMix64::new(7);
    let mut boxes: Vec<RawAabb> = sides
        .map(|side| [rng.range(0.0, 400.0), rng.range(0.0, 400.0), side])
        .map(|[x, y, side]| [x, y, x + side, y + side])
        .collect();
    boxes.sort_by(|a, b| longest_side(a).total_cmp(&longest_side(b)));
    boxes
}

fn size_sample(sorted: &[RawAabb], population: usize) -> SizeSample {
    let mut sample = SizeSample::default();
    sample.rebuild(sorted, population, CellSize::ForOwnPairs);
    sample
}

#[test]
fn alike_sizes_are_one_class() {
    let boxes = sorted_squares((0..1000).map(|k| 0.7 + 0.3 * (k as f32 / 1000.0)));
    assert!(single_class(&boxes, 100_000, ANY, &mut Vec::new()).is_some_and(|single| single.all_alike));
    assert_eq!(choose_classes(&boxes, 100_000, ANY, &mut SizeSample::default()).len(), 1);
}

#[test]
fn a_few_large_bodies_among_alike_ones_are_oversized_without_an_estimate() {
    let boxes = sorted_squares((0..1000).map(|k| if k < 3 { 5.0 } else { 0.7 + 0.3 * (k as f32 / 1000.0) }));
    let single = |population, has_oversized_tier| {
        single_class(&boxes, population, ClassOptions { has_oversized_tier, ..ANY }, &mut Vec::new())
    };
    // Three in a thousand of 21,000 bodies are 63.
    let few = single(21_000, true).expect("few enough");
    assert!(!few.all_alike && (1.0..2.0).contains(&few.limit), "{few:?}");
    assert_eq!(single(22_000, true), None);
    assert_eq!(single(1000, false), None);
}

#[test]
fn few_large_bodies_do_not_widen_the_cells() {
    let boxes = sorted_squares((0..1000).map(|k| if k < 3 { 30.0 } else { 1.0 }));
    let limits = choose_classes(&boxes, 100_000, ANY, &mut SizeSample::default());
    assert!((1.0..2.0).contains(&limits[0]), "{limits:?}");
}

#[test]
fn many_sizes_share_a_class_where_cells_would_be_crowded_anyway() {
    let classes = |boxes: &[RawAabb], cell_size: CellSize| {
        choose_classes(boxes, 100_000, ClassOptions { cell_size, ..ANY }, &mut SizeSample::default()).len()
    };
    let of_many_sizes = sorted_squares((0..1000).map(|k| 0.01 * 10f32.powf(k as f32 / 250.0)));
    assert_eq!(classes(&of_many_sizes, CellSize::ForOwnPairs), 1);
    assert!([CellSize::ForSearches, CellSize::Given(1.0)].into_iter().all(|cells| classes(&of_many_sizes, cells) > 1));
    let of_two_sizes = sorted_squares((0..1000).map(|k| if k < 50 { 12.0 } else { 0.6 }));
    assert_eq!(classes(&of_two_sizes, CellSize::ForOwnPairs), 2, "few larger ones search cells of few");
}

/// Small squares, most of them in a row along x, and wide bodies.
fn squares_and_lines() -> Vec<RawAabb> {
    let mut boxes = sorted_squares((0..1000).map(|_| 0.5));
    for (k, [x, y, right, bottom]) in boxes.iter_mut().enumerate() {
        match k % 10 {
            0 => (*x, *right, *bottom) = (0.0, 400.0, *y + 0.01),
            1..8 => (*y, *bottom) = (200.0, 200.5),
            _ => {}
        }
    }
    boxes.sort_by(|a, b| longest_side(a).total_cmp(&longest_side(b)));
    boxes
}

#[test]
fn bodies_beside_each_other_are_counted_on_the_axis_on_which_they_are_fewer() {
    let boxes = squares_and_lines();
    let sample = size_sample(&boxes, 1000);
    let (beside, len) = (RowsBeside::new(&sample), sample.rows.len());
    // A tenth of them is beside each on x; on y, half of them is beside each other.
    let all = beside.mean(&sample, 0, len);
    assert!((100.0..250.0).contains(&all), "{all}");
    // A line is beside all lines on x, and beside none on y.
    let lines = sample.tried.iter().copied().find(|&border| len - border > 10).expect("a border among lines");
    assert!(beside.mean(&sample, lines, len) < 1.0);
    // In one place, each is beside all others, and half of those count, as they overlap.
    let pile = size_sample(&vec![[1.0, 2.0, 3.0, 4.0]; 1000], 1000);
    let of_pile = RowsBeside::new(&pile).mean(&pile, 0, pile.rows.len());
    assert!((490.0..500.0).contains(&of_pile), "{of_pile}");
}

#[test]
fn lines_are_a_class_of_their_own_where_many_bodies_are_beside_each_other() {
    let boxes = squares_and_lines();
    let classes = |population| choose_classes(&boxes, population, ANY, &mut SizeSample::default()).len();
    // In a sweep, a square would be tested with a tenth of the bodies. That is cheap for few.
    assert_eq!([2000, 100_000].map(classes), [1, 2]);
}

#[test]
fn no_estimate_is_below_its_bound() {
    let sides: [fn(usize) -> f32; 3] =
        [|k| 0.01 * 10f32.powf(k as f32 / 250.0), |k| if k < 990 { 0.001 } else { 90.0 }, |_| 3.0];
    for (side, population) in sides.into_iter().flat_map(|side| [100, 5000, 1_000_000].map(|count| (side, count))) {
        let boxes = sorted_squares((0..population.min(1000)).map(side));
        let sample = size_sample(&boxes, population);
        let mut known = KnownCosts::new();
        for (&first, &last) in sample.tried.iter().flat_map(|a| sample.tried.iter().map(move |b| (a, b))) {
            let borders = if first < last { Borders::from_slice(&[first, last]) } else { Borders::from_slice(&[last]) };
            let bound = sample.least_cost(&borders, &mut KnownCosts::new());
            let cost = sample.cost(&borders, &mut known);
            assert!(bound <= cost * (1.0 + 1e-12), "{borders:?} of {population}: {bound} {cost}");
            assert_eq!(sample.least_cost(&borders, &mut known), cost, "parts that were estimated are known");
        }
    }
}

#[test]
fn a_choice_does_not_depend_on_how_much_it_may_cost() {
    for population in [100, 300, 1000, 5000, 100_000] {
        let boxes = sorted_squares((0..population.min(1000)).map(|k| 0.01 * 10f32.powf(k as f32 / 250.0)));
        let sample = size_sample(&boxes, population);
        let borders = Borders::from_slice(&[sample.rows.len()]);
        let best = |most: f64| sample.best_extension(&borders, true, most, &mut KnownCosts::new());
        let (cost, chosen) = best(f64::INFINITY).expect("any choice is cheap enough");
        assert_eq!(best(cost * 1.0001), Some((cost, chosen)), "{population} bodies");
        assert_eq!(best(cost), None, "{population} bodies");
    }
}

/// Squares with centers on a line, of which every tenth is larger.
fn on_a_line(larger: f32) -> Vec<RawAabb> {
    let mut rng = SplitMix64::new(8);
    let side = |k: usize| if k.is_multiple_of(10) { larger } else { rng.range(0.5, 1.0) };
    let sides: Vec<f32> = (0..1000).map(side).collect();
    let mut boxes: Vec<RawAabb> = sides
        .iter()
        .map(|side| {
            let (x, half) = (rng.range(0.0, 1000.0), side / 2.0);
            [x - half, 7.0 - half, x + half, 7.0 + half]
        })
        .collect();
    boxes.sort_by(|a, b| longest_side(a).total_cmp(&longest_side(b)));
    boxes
}

#[test]
fn cost_of_a_line_follows_its_bodies() {
    let cost = |larger: f32, population: usize| {
        let mut sample = SizeSample::default();
        sample.rebuild(&on_a_line(larger), population, CellSize::ForSearches);
        sample.cost(&Borders::from_slice(&[THINNED]), &mut KnownCosts::new())
    };
    for larger in [4.0, 40.0] {
        let [once, twice] = [100_000, 200_000].map(|population| cost(larger, population));
        assert!(1.8 * once < twice && twice < 2.1 * once, "{larger}: {once}, {twice}");
    }
    // The cells are as wide as the large bodies; but not wider than the world.
    let wider = cost(40.0, 100_000) / cost(4.0, 100_000);
    assert!((5.0..10.0).contains(&wider), "{wider}");
    assert_eq!(cost(1e6, 100_000), cost(1e7, 100_000));
}

#[test]
fn regions_are_those_of_centers() {
    let sample = size_sample(&on_a_line(40.0), 1000);
    // Small and large bodies are in the same regions, although those begin far lower.
    for region in 0..(REGIONS * REGIONS) as u8 {
        let of_region = || sample.rows.iter().filter(|row| row.region == region);
        let large = of_region().filter(|row| row.side > 2.0).count();
        assert!(of_region().count() > 2 * large, "{large} large ones in region {region}");
    }
}

#[test]
fn given_bounds_include_boxes_of_that_size() {
    let boxes = sorted_squares((0..1000).map(|_| 1.0));
    let limits = choose_classes(&boxes, 1000, ClassOptions { bounds: &[0.5, 3.0], ..ANY }, &mut SizeSample::default());
    assert_eq!(limits.len(), 2);
    assert!(boxes.iter().all(|aabb| longest_side(aabb) <= limits[0]));
}

#[test]
fn without_an_oversized_tier_few_are_left_over() {
    // With a tier for oversized boxes, the large ones would go there.
    for share in [2, 20, 200] {
        let boxes = sorted_squares((0..4000).map(|k| if k % share == 0 { 50.0 + k as f32 * 0.1 } else { 0.1 }));
        let limits = choose_classes(
            &boxes,
            100_000,
            ClassOptions { has_oversized_tier: false, ..ANY },
            &mut SizeSample::default(),
        );
        let left = boxes.iter().filter(|aabb| longest_side(aabb) > limits[limits.len() - 1]).count();
        assert!(left * CLASS_ONE_IN < boxes.len(), "{left} of one in {share} are left over: {limits:?}");
    }
}
