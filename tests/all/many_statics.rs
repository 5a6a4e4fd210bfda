//! Worlds with many more statics than bodies: their bodies search a grid of the statics, which is
//! made at its first use and follows what happens to the statics.

use std::ops::Range;
use triphase::geometry::RawAabb;
use triphase::{Bodies, BodyShape, Filter, Statics, World, WorldConfig};
use triphase_scenes::SplitMix64;
use triphase_tests::{Columns, ExpectedPairs, FoundPairs, WorldSet, random_filters};

const BODIES: usize = 300;
const STATICS: usize = 3000;
const EXTENT: f32 = 60.0;
const STEPS: u64 = 12;

/// A pile of statics.
#[derive(Clone, Copy, Debug)]
enum Pile {
    /// Few statics, which are left out of the grid.
    Small,
    /// Most statics, near many bodies. There is no grid.
    Large,
}

impl Pile {
    /// How many of 40 statics are in it, and their box.
    fn share(self) -> (usize, RawAabb) {
        match self {
            Self::Small => (1, [20.0, 20.0, 20.5, 20.5]),
            Self::Large => (30, [20.0, 20.0, 35.0, 35.0]),
        }
    }
}

/// A box of a kind that occurs among the statics: small, long, large, or in a pile.
fn random_box(pile: Pile, random: &mut SplitMix64) -> RawAabb {
    let [x, y] = [0; 2].map(|_| random.range(0.0, EXTENT));
    let (share, piled) = pile.share();
    if random.below(40) < share {
        return piled;
    }
    let [width, height] = match random.below(40) {
        0 => [random.range(5.0, 20.0), 0.1],
        1 => [0.1, random.range(5.0, 20.0)],
        2 if random.below(10) == 0 => [EXTENT, EXTENT],
        4 => [0.0, 0.0],
        _ => [0; 2].map(|_| random.range(0.2, 1.2)),
    };
    [x, y, x + width, y + height]
}

/// A call that changes statics.
#[derive(Clone)]
enum Change {
    Enable(Range<u32>, bool),
    Insert(Vec<RawAabb>, Option<Vec<Filter>>),
    Replace(Vec<u32>, Vec<RawAabb>),
    Remove(Vec<u32>),
    ReplaceAll(Vec<RawAabb>),
}

fn statics<'s>(boxes: &'s [RawAabb], filters: &'s Option<Vec<Filter>>) -> Statics<'s> {
    let statics = Statics::new(boxes);
    filters.as_ref().map_or(statics, |filters| statics.with_filters(filters))
}

impl Change {
    fn random(step: u64, rows: usize, (pile, has_filters): (Pile, bool), random: &mut SplitMix64) -> Self {
        let rows_of = |count: usize, random: &mut SplitMix64| (0..count).map(|_| random.below(rows) as u32).collect();
        let boxes =
            |count: usize, random: &mut SplitMix64| (0..count).map(|_| random_box(pile, random)).collect::<Vec<_>>();
        match step {
            // More than the log of changes has room for.
            5 => Self::Enable(100..1400, false),
            // So many that the tree is built again.
            8 => Self::Replace(rows_of(STATICS / 4, random), boxes(STATICS / 4, random)),
            10 => Self::ReplaceAll(boxes(STATICS, random)),
            _ => match random.below(4) {
                0 => {
                    let first = random.below(rows - 20) as u32;
                    Self::Enable(first..first + 20, random.below(2) == 0)
                }
                1 => Self::Insert(boxes(9, random), has_filters.then(|| random_filters(9, random))),
                2 => Self::Replace(rows_of(9, random), boxes(9, random)),
                _ => Self::Remove(rows_of(9, random)),
            },
        }
    }

    fn make(&self, world: &mut World) {
        match self {
            Self::Enable(rows, enabled) => rows.clone().for_each(|row| {
                // Rows whose statics were removed cannot be enabled.
                if world.statics().aabb(row).is_some() {
                    world.set_static_enabled(row, *enabled).expect("a static");
                }
            }),
            Self::Insert(boxes, filters) => {
                world.insert_statics(statics(boxes, filters)).expect("valid statics");
            }
            Self::Replace(rows, boxes) => world.replace_statics(rows, &boxes[..]).expect("valid statics"),
            Self::Remove(rows) => world.remove_statics(rows).expect("rows that exist"),
            Self::ReplaceAll(boxes) => world.set_statics(&boxes[..]).expect("valid statics"),
        }
    }
}

/// Steps worlds while statics change, and compares each step with brute force and with the first
/// step of a new world to whose statics the same happened.
fn check(config: WorldConfig, pile: Pile, body_filters: bool, static_filters: bool, seed: u64) {
    let random = &mut SplitMix64::new(seed);
    let boxes: Vec<_> = (0..STATICS).map(|_| random_box(pile, random)).collect();
    let filters = static_filters.then(|| random_filters(STATICS, random));
    let halves = (0..BODIES).map(|k| [0; 2].map(|_| random.range(0.1, if k % 50 == 0 { 9.0 } else { 0.6 }))).collect();
    let centers = (0..BODIES).map(|_| [0; 2].map(|_| random.range(0.0, EXTENT))).collect();
    let mut columns = Columns::new(centers, halves);
    columns.filters = body_filters.then(|| random_filters(BODIES, random));
    // One that accepts nothing.
    columns.filters.iter_mut().for_each(|filters| filters[7] = Filter::new(0, u32::MAX));
    columns.half_extents_mut()[7] = [0.6, 0.6];
    let mut worlds = WorldSet::new(config.clone());
    worlds.each(|world| world.set_statics(statics(&boxes, &filters))).expect("valid statics");
    let (mut changes, mut found) = (Vec::new(), 0);
    for step in 0..STEPS {
        if step > 0 {
            let change = Change::random(step, worlds.world().statics().len(), (pile, static_filters), random);
            worlds.each(|world| change.make(world));
            changes.push(change);
        }
        for center in columns.centers_mut() {
            center.iter_mut().for_each(|at| *at += random.range(-0.5, 0.5));
        }
        let pairs = worlds.step_beside_new(&[columns.bodies()], &mut |new| {
            new.set_statics(statics(&boxes, &filters))?;
            changes.iter().for_each(|change| change.make(new));
            Ok(())
        });
        let pairs = pairs.unwrap_or_else(|difference| panic!("seed {seed}, step {step}: {difference}"));
        let pairs = pairs.expect("valid bodies");
        let tree = worlds.world().statics();
        let rows = 0..tree.len() as u32;
        let present: Vec<RawAabb> = rows.clone().map(|row| tree.aabb(row).map_or([0.0; 4], RawAabb::from)).collect();
        let present_filters: Vec<_> = rows.map(|row| tree.filter(row).expect("a row")).collect();
        let expected = ExpectedPairs::new(&columns.boxes(), &present);
        let expected = if config.body_shape() == BodyShape::Circle { expected.circles() } else { expected };
        let expected = expected
            .filtered(columns.filters.as_deref(), Some(&present_filters))
            .enabled(|row| tree.is_enabled(row as u32) == Some(true));
        expected.compare(&pairs).unwrap_or_else(|error| panic!("seed {seed}, step {step}: {error}"));
        found += pairs.statics.len();
    }
    assert!(found > 1000, "{found} pairs with statics");
}

#[test]
fn pairs_follow_many_statics_that_change() {
    for seed in 0..4 {
        check(WorldConfig::new(), Pile::Small, false, false, seed);
        check(WorldConfig::new(), Pile::Large, false, false, seed);
    }
}

#[test]
fn filters_of_either_side_reject_pairs_with_many_statics() {
    for pile in [Pile::Small, Pile::Large] {
        check(WorldConfig::new(), pile, true, false, 10);
        check(WorldConfig::new(), pile, false, true, 11);
        check(WorldConfig::new(), pile, true, true, 12);
    }
}

#[test]
fn circles_touch_many_statics() {
    let config = WorldConfig::new().with_body_shape(BodyShape::Circle);
    for pile in [Pile::Small, Pile::Large] {
        check(config.clone(), pile, false, false, 20);
        check(config.clone(), pile, true, true, 21);
    }
}

/// The bytes that a step of so many bodies among statics adds to those held for statics, and those
/// that are left of them after `shrink_to_fit`.
fn bytes_added(bodies: usize) -> [usize; 2] {
    let random = &mut SplitMix64::new(30);
    let boxes: Vec<_> = (0..STATICS).map(|_| random_box(Pile::Small, random)).collect();
    let centers: Vec<_> = (0..bodies).map(|_| [0; 2].map(|_| random.range(0.0, EXTENT))).collect();
    let mut world = World::default();
    world.set_statics(&boxes[..]).expect("valid statics");
    let before = world.report().static_bytes;
    let pairs = |world: &mut World| {
        let contacts = world.step(Bodies::uniform(&centers, [0.5; 2])).expect("valid bodies");
        contacts.static_pairs().collect::<Vec<_>>()
    };
    let first = pairs(&mut world);
    let with_grid = world.report().static_bytes;
    world.shrink_to_fit();
    let shrunk = world.report().static_bytes;
    assert_eq!(pairs(&mut world), first, "in the same order");
    [with_grid, shrunk].map(|bytes| bytes.saturating_sub(before))
}

#[test]
fn a_grid_of_statics_is_kept_where_bodies_repay_it() {
    let [added, left] = bytes_added(BODIES);
    assert!(added > 20 * STATICS && left < STATICS, "{added} bytes, and {left} after `shrink_to_fit`");
    // A thousand times as many statics as bodies are too many.
    let [added, _] = bytes_added(2);
    assert!(added < STATICS, "{added} bytes");
}

#[test]
fn few_statics_are_searched_for_in_a_grid_where_bodies_are_of_many_sizes() {
    let random = &mut SplitMix64::new(40);
    // Crowded, so a band has fine columns, in which a search for a box reads many of them.
    let halves: Vec<[f32; 2]> = (0..4000).map(|_| [2f32.powf(random.range(-5.0, 4.0)); 2]).collect();
    let mut points = |count: usize| -> Vec<[f32; 2]> { (0..count).map(|_| random.point(0.0, 150.0)).collect() };
    let (columns, corners) = (Columns::new(points(4000), halves), points(3000));
    let boxes: Vec<RawAabb> = corners.iter().map(|&[x, y]| [x, y, x + 0.3, y + 0.3]).collect();
    for (boxes, is_made) in [(&boxes[..], true), (&boxes[..100], false)] {
        let mut worlds = WorldSet::new(WorldConfig::new());
        worlds.each(|world| world.set_statics(boxes)).expect("valid statics");
        let before = worlds.world().report().static_bytes;
        let pairs = worlds.step_beside_new(&[columns.bodies()], &mut |new| new.set_statics(boxes));
        let pairs = pairs.unwrap_or_else(|difference| panic!("{difference}")).expect("valid bodies");
        ExpectedPairs::new(&columns.boxes(), boxes).compare(&pairs).unwrap_or_else(|error| panic!("{error}"));
        let has_grid = worlds.world().report().static_bytes > before + 20 * boxes.len();
        assert_eq!(has_grid, is_made, "{} statics", boxes.len());
    }
}

/// Lists of statics are for bodies of the most common size.
#[test]
fn larger_bodies_are_not_tested_with_the_lists_of_smaller_ones() {
    let random = &mut SplitMix64::new(42);
    let boxes: Vec<_> = (0..STATICS).map(|_| random_box(Pile::Small, random)).collect();
    let halves: Vec<_> = (0..5000).map(|k| [if k % 4 == 0 { 0.9 } else { 0.05 }; 2]).collect();
    let columns = Columns::new((0..5000).map(|_| random.point(0.0, EXTENT)).collect(), halves);
    let mut worlds = WorldSet::new(WorldConfig::new().with_bounds([0.05, 0.9]));
    worlds.each(|world| world.set_statics(&boxes[..])).expect("valid statics");
    let pairs = worlds.step_beside_new(&[columns.bodies()], &mut |new| new.set_statics(&boxes[..]));
    let pairs = pairs.unwrap_or_else(|difference| panic!("{difference}")).expect("valid bodies");
    ExpectedPairs::new(&columns.boxes(), &boxes).compare(&pairs).unwrap_or_else(|error| panic!("{error}"));
}

/// A pile is not in the grid of the statics around it. A part of it is disabled later.
#[test]
fn statics_in_a_pile_among_others_are_found() {
    let random = &mut SplitMix64::new(44);
    let at_random = |side: f32, random: &mut SplitMix64| {
        let [x, y] = random.point(0.0, 300.0);
        [x, y, x + side, y + side]
    };
    let mut boxes: Vec<RawAabb> =
        (0..40_000).map(|row| if row % 5 == 3 { [20.0, 20.0, 20.5, 20.5] } else { at_random(0.5, random) }).collect();
    let halves: Vec<_> = (0..4000).map(|k| [if k % 4 == 0 { 0.9 } else { 0.05 }; 2]).collect();
    let mut centers: Vec<_> = (0..4000).map(|_| random.point(0.0, 300.0)).collect();
    centers[..5].fill([20.0, 20.4]);
    let columns = Columns::new(centers, halves);
    // With two sizes of bodies, statics are not listed for the larger ones.
    let mut world = World::new(WorldConfig::new().with_bounds([0.05, 0.9])).expect("valid settings");
    world.set_statics(&boxes[..]).expect("valid statics");
    for _ in 0..2 {
        let found = FoundPairs::new(world.step(columns.bodies()).expect("valid bodies"));
        ExpectedPairs::new(&columns.boxes(), &boxes).compare(&found).unwrap_or_else(|error| panic!("{error}"));
        for row in (3..8000).step_by(5) {
            world.set_static_enabled(row, false).expect("a static");
            boxes[row as usize] = [1e9; 4];
        }
    }
}

/// Along either axis, so that bands divide each of both.
#[test]
fn statics_in_a_corridor_are_found() {
    for axis in [0, 1] {
        let random = &mut SplitMix64::new(43);
        let mut point = |_| {
            let mut at = [0.0, random.range(0.0, 6.0)];
            at[0] = random.range(0.0, 4000.0);
            if axis == 0 { at } else { [at[1], at[0]] }
        };
        let centers: Vec<[f32; 2]> = (0..20_000).map(&mut point).collect();
        let boxes: Vec<RawAabb> = (0..20_000).map(&mut point).map(|[x, y]| [x, y, x + 0.4, y + 0.9]).collect();
        let columns = Columns::new(centers, vec![[0.5, 0.3]; 20_000]);
        let mut world = World::default();
        world.set_statics(&boxes[..]).expect("valid statics");
        let found = FoundPairs::new(world.step(columns.bodies()).expect("valid bodies"));
        let expected = ExpectedPairs::new(&columns.boxes(), &boxes);
        expected.compare(&found).unwrap_or_else(|error| panic!("axis {axis}: {error}"));
    }
}

#[test]
fn statics_are_listed_anew_for_bodies_of_another_size() {
    let random = &mut SplitMix64::new(41);
    let boxes: Vec<_> = (0..STATICS).map(|_| random_box(Pile::Small, random)).collect();
    let centers: Vec<_> = (0..BODIES).map(|_| random.point(0.0, EXTENT)).collect();
    let mut worlds = WorldSet::new(WorldConfig::new());
    worlds.each(|world| world.set_statics(&boxes[..])).expect("valid statics");
    let mut bytes = Vec::new();
    for side in [0.1, 0.3, 1.2, 0.3, 0.1, 0.0, 2.0, 1.2] {
        let columns = Columns::new(centers.clone(), vec![[side / 2.0; 2]; BODIES]);
        let pairs = worlds.step_beside_new(&[columns.bodies()], &mut |new| new.set_statics(&boxes[..]));
        let pairs = pairs.unwrap_or_else(|difference| panic!("{difference}")).expect("valid bodies");
        ExpectedPairs::new(&columns.boxes(), &boxes).compare(&pairs).unwrap_or_else(|error| panic!("{side}: {error}"));
        bytes.push(worlds.world().report().static_bytes);
    }
    // Those for the last three sizes are kept.
    assert!(bytes[0] < bytes[1] && bytes[6] < 2 * bytes[1], "{bytes:?}");
}

#[test]
fn lists_are_kept_when_bodies_are_too_large_for_any() {
    let random = &mut SplitMix64::new(42);
    let boxes: Vec<_> = (0..STATICS).map(|_| random_box(Pile::Small, random)).collect();
    let centers: Vec<_> = (0..BODIES).map(|_| random.point(0.0, EXTENT)).collect();
    let mut world = World::default();
    world.set_statics(&boxes[..]).expect("valid statics");
    let mut bytes = |side: f32| {
        let columns = Columns::new(centers.clone(), vec![[side / 2.0; 2]; BODIES]);
        world.step(columns.bodies()).expect("valid bodies");
        world.report().static_bytes
    };
    // First, because such bodies search other grids, which are made once.
    bytes(50.0);
    let [first, .., last] = [0.1, 0.3, 1.2].map(&mut bytes);
    assert!(first < last, "{first}, {last}: there are lists for each size");
    assert_eq!(bytes(100.0), last);
}

/// Lists are for the sizes of a sample. A larger body needs further ones, if its class is the most
/// common one; one of another class needs none.
#[test]
fn statics_are_listed_for_larger_bodies_only_if_lists_can_have_them() {
    let random = &mut SplitMix64::new(43);
    let boxes: Vec<_> = (0..STATICS).map(|_| random_box(Pile::Small, random)).collect();
    // So many that not all are in the sample.
    const MORE_BODIES: usize = 2000;
    let centers: Vec<_> = (0..MORE_BODIES).map(|_| random.point(0.0, EXTENT)).collect();
    let bytes = |classes: &[f32], half_extent_of: &dyn Fn(usize) -> f32| {
        let mut world = World::new(WorldConfig::new().with_bounds(classes.iter().copied())).expect("valid bounds");
        world.set_statics(&boxes[..]).expect("valid statics");
        let half_extents = (0..MORE_BODIES).map(|k| [half_extent_of(k); 2]).collect();
        let columns = Columns::new(centers.clone(), half_extents);
        let pairs = FoundPairs::new(world.step(columns.bodies()).expect("valid bodies"));
        ExpectedPairs::new(&columns.boxes(), &boxes).compare(&pairs).unwrap_or_else(|error| panic!("{error}"));
        world.report().static_bytes
    };
    let alike = bytes(&[0.2], &|_| 0.06);
    let with_larger = |row: usize| bytes(&[0.2], &|k| if k == row { 0.19 } else { 0.06 });
    let one_larger = [0, 400, 800, 1200, 1600].map(with_larger).into_iter().max().unwrap_or(0);
    assert!(one_larger > alike, "{alike}, {one_larger}");
    let other_class = bytes(&[0.2, 2.0], &|k| if k.is_multiple_of(10) { 1.9 } else { 0.06 });
    // A grid and a packed tree of the statics take 48 bytes for each, lists for large bodies more.
    assert!(other_class < alike + 60 * STATICS, "{alike}, {other_class}");
}

/// One body in a hundred touches all statics, and the others touch none.
#[test]
fn a_pile_that_few_bodies_touch_is_packed_for_them() {
    let (random, pile) = (&mut SplitMix64::new(45), [50.0, 50.0, 50.1, 50.1]);
    let place =
        |k: usize, random: &mut SplitMix64| if k.is_multiple_of(100) { [50.0; 2] } else { random.point(0.0, 100.0) };
    let centers: Vec<[f32; 2]> = (0..4000).map(|k| place(k, random)).collect();
    let (columns, boxes) = (Columns::new(centers, vec![[0.1; 2]; 4000]), vec![pile; 6000]);
    let mut world = World::default();
    world.set_statics(&boxes[..]).expect("valid statics");
    let before = world.report().static_bytes;
    let found = FoundPairs::new(world.step(columns.bodies()).expect("valid bodies"));
    ExpectedPairs::new(&columns.boxes(), &boxes).compare(&found).unwrap_or_else(|error| panic!("{error}"));
    let added = world.report().static_bytes.saturating_sub(before);
    assert!(added > 20 * boxes.len(), "{added} bytes: the bodies search the tree in groups");
}
