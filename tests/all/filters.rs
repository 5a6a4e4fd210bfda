//! Layers and masks: of the pairs that overlap, a step reports those whose filters accept each
//! other, in the same order, whichever pass finds them.

use proptest::collection::vec;
use proptest::prelude::*;
use triphase::tier::static_tree::StaticTree;
use triphase::{Bodies, Column, Error, Filter, InvalidRows, Statics, World, WorldConfig};
use triphase_scenes::{Scene, SceneName, SplitMix64};
use triphase_tests::{
    Columns, ExpectedPairs, FoundPairs, LARGE_WORLD_KINDS, WorldSet, filters_accept, large_world, pile_and_row,
    scene_columns, sequential, settings, world,
};

/// Filters of which about half accept each other, with few bits or many, the highest one, none and
/// all.
fn random_filters(count: usize, random: &mut SplitMix64) -> Vec<Filter> {
    let few = random.below(3) > 0;
    let mut bits = || match random.below(8) {
        0 => random.pick(&[0, 1 << 31, u32::MAX]),
        _ if few => random.below(16) as u32,
        _ => random.next_u64() as u32 & random.next_u64() as u32 & random.next_u64() as u32,
    };
    (0..count).map(|_| Filter::new(bits(), bits())).collect()
}

/// Who has filters.
const WHO: [[bool; 2]; 3] = [[true, true], [true, false], [false, true]];

/// Columns of filters, or none.
#[derive(Clone, Default)]
struct Given {
    bodies: Option<Vec<Filter>>,
    statics: Option<Vec<Filter>>,
}

impl Given {
    fn random([bodies, statics]: [bool; 2], counts: [usize; 2], seed: u64) -> Self {
        let mut random = SplitMix64::new(seed);
        let mut some = |given: bool, count: usize| given.then(|| random_filters(count, &mut random));
        Self { bodies: some(bodies, counts[0]), statics: some(statics, counts[1]) }
    }

    fn set_statics(&self, world: &mut World, boxes: &[[f32; 4]]) -> Result<(), Error> {
        let statics = Statics::new(boxes);
        world.set_statics(self.statics.as_ref().map_or(statics, |filters| statics.with_filters(filters)))
    }

    /// The pairs of a step without filters that these filters accept, in their order.
    fn accepted_of(&self, found: &FoundPairs) -> FoundPairs {
        let of = |filters: &Option<Vec<Filter>>, row: u32| filters.as_ref().map_or(Filter::ALL, |f| f[row as usize]);
        let mut found = found.clone();
        found.bodies.retain(|&(a, b)| filters_accept(of(&self.bodies, a), of(&self.bodies, b)));
        found
            .statics
            .retain(|&(body, static_row)| filters_accept(of(&self.bodies, body), of(&self.statics, static_row)));
        found
    }
}

/// Steps the worlds with filters: the pairs must be the expected ones, in the order of a step
/// without filters. Returns the number of pairs with filters and without.
fn check(
    worlds: &mut WorldSet,
    chunks: [&[Bodies<'_>]; 2],
    (boxes, statics): (&[[f32; 4]], &[[f32; 4]]),
    given: &Given,
) -> Result<[usize; 2], String> {
    let [plain, filtered] = chunks;
    let mut unfiltered = world(worlds.world().config().clone().with_parallel_threshold(None));
    unfiltered.set_statics(statics).map_err(|error| error.to_string())?;
    let all = FoundPairs::new(unfiltered.step(plain).map_err(|error| error.to_string())?);
    worlds.each(|world| given.set_statics(world, statics)).map_err(|error| error.to_string())?;
    let found = worlds.step_beside_new(filtered, &mut |fresh| given.set_statics(fresh, statics))?;
    let found = found.map_err(|error| error.to_string())?;
    let expected_pairs = ExpectedPairs::new(boxes, statics).filtered(given.bodies.as_deref(), given.statics.as_deref());
    expected_pairs.compare(&found)?;
    if found != given.accepted_of(&all) {
        return Err(format!("not in the order of a step without filters: {found:?}"));
    }
    Ok([&found, &all].map(|found| found.bodies.len() + found.statics.len()))
}

/// The same for columns of one chunk.
fn check_columns(label: &str, worlds: &mut WorldSet, columns: &Columns, statics: &[[f32; 4]], seed: u64) -> [usize; 2] {
    let mut counts = [0; 2];
    for (k, who) in WHO.into_iter().enumerate() {
        let given = Given::random(who, [columns.len(), statics.len()], seed + k as u64);
        let filtered = Columns { filters: given.bodies.clone(), ..columns.clone() };
        let chunks = [&[columns.bodies()][..], &[filtered.bodies()]];
        let found = check(worlds, chunks, (&columns.boxes(), statics), &given);
        let found = found.unwrap_or_else(|what| panic!("{label}, {who:?}: {what}"));
        counts = [counts[0] + found[0], counts[1] + found[1]];
    }
    counts
}

#[test]
fn filtered_scenes_match_brute_force() {
    let mut worlds = WorldSet::new(WorldConfig::new());
    for name in [
        SceneName::Crowd,
        SceneName::Dragons,
        SceneName::Castles,
        SceneName::Cities,
        SceneName::PowerLaw,
        SceneName::Touching,
        SceneName::TinyAndHuge,
        SceneName::Bullets,
        SceneName::ThinDiagonal,
        SceneName::SparseCrowdedCell,
        SceneName::NestedClusters,
        SceneName::FarOutlier,
    ] {
        for count in [9000, 1, 700] {
            let mut scene = Scene::new(name, count, 91);
            scene.advance();
            let label = format!("{name}, {count} bodies");
            let [some, all] = check_columns(&label, &mut worlds, &scene_columns(&scene), &scene.statics, 5);
            if all > 1000 {
                assert!(some > all / 10 && some < all * 9 / 10, "{label}: {some} of {all}");
            }
        }
    }
}

#[test]
fn filters_apply_between_size_classes() {
    let mut worlds = WorldSet::new(WorldConfig::new().with_bounds([0.1, 1.0, 8.0]));
    for (count, seed) in [(6000, 92), (500, 93)] {
        let scene = Scene::new(SceneName::PowerLaw, count, seed);
        let [some, all] = check_columns("power_law", &mut worlds, &scene_columns(&scene), &[], seed);
        assert!(some > 0 && some < all);
    }
}

/// Bodies in one place of which half are wide and half tall: their bands are split by size.
fn wide_and_tall(count: usize, random: &mut SplitMix64) -> Columns {
    let row = |k: usize| (random.point(0.0, 20.0), if k.is_multiple_of(2) { [4.0, 0.005] } else { [0.005, 4.0] });
    Columns::from_rows(&(0..count).map(row).collect::<Vec<_>>())
}

#[test]
fn filters_apply_in_bands_split_by_size() {
    let mut worlds = WorldSet::new(WorldConfig::new());
    let mut columns = wide_and_tall(3000, &mut SplitMix64::new(94));
    // Bodies of a larger class, and oversized ones, overlap many of them.
    if let triphase_tests::Shape::Centers { centers, half_extents } = &mut columns.shape {
        centers.extend([[3.0, 3.0], [9.0, 9.0], [9.5, 9.5]]);
        half_extents.extend([[1.0, 1.0], [30.0, 40.0], [50.0, 20.0]]);
    }
    let [some, all] = check_columns("wide and tall", &mut worlds, &columns, &[[0.0, 0.0, 9.0, 9.0]], 6);
    assert!(some > 10_000 && some < all, "{some} of {all}");
}

#[test]
fn filters_apply_to_oversized_bodies() {
    let mut worlds = WorldSet::new(WorldConfig::new().with_bound(0.5));
    let mut random = SplitMix64::new(95);
    for large in [1, 40, 3000] {
        let small = (0..1500).map(|_| (random.point(0.0, 60.0), [0.4, 0.4])).collect::<Vec<_>>();
        let big = (0..large).map(|_| (random.point(0.0, 60.0), random.point(0.6, 5.0))).collect::<Vec<_>>();
        let walls: Vec<_> = (0..90).map(|_| random.point(0.0, 60.0)).map(|[x, y]| [x, y, x + 3.0, y + 0.5]).collect();
        let columns = Columns::from_rows(&[small, big].concat());
        let [some, all] = check_columns(&format!("{large} large"), &mut worlds, &columns, &walls, 7);
        assert!(some > all / 10 && some < all, "{some} of {all}");
    }
    // They search the double grid.
    let columns = pile_and_row(14_000, &mut random);
    let [some, all] = check_columns("a pile and a row", &mut worlds, &columns, &[[0.0, 0.0, 9.0, 99.0]], 7);
    assert!(some > all / 10 && some < all, "{some} of {all}");
}

#[test]
fn filters_apply_to_statics_on_every_path() {
    let mut worlds = WorldSet::new(WorldConfig::new());
    let mut random = SplitMix64::new(96);
    let square = |count: usize, side: f32, random: &mut SplitMix64| -> Columns {
        Columns::uniform((0..count).map(|_| random.point(0.0, side)).collect(), [0.4, 0.4])
    };
    let walls = |count: usize, side: f32, [w, h]: [f32; 2], random: &mut SplitMix64| -> Vec<[f32; 4]> {
        (0..count).map(|_| random.point(0.0, side)).map(|[x, y]| [x, y, x + w, y + h]).collect()
    };
    // Statics search the cells, groups of bodies search the tree, and sweeps along beams in either
    // direction.
    for (label, bodies, side, count, size) in [
        ("cells", 4000, 60.0, 300, [2.0, 3.0]),
        ("a group", 60, 20.0, 50, [2.0, 3.0]),
        ("few bodies", 6, 10.0, 50, [2.0, 3.0]),
        ("groups", 300, 60.0, 5000, [1.0, 0.2]),
        ("sweep", 3000, 60.0, 600, [60.0, 0.01]),
        ("sweep upright", 3000, 60.0, 600, [0.01, 60.0]),
    ] {
        let columns = square(bodies, side, &mut random);
        let walls = walls(count, side, size, &mut random);
        let [some, all] = check_columns(label, &mut worlds, &columns, &walls, 8);
        assert!(some > 0 && some < all, "{label}: {some} of {all}");
        // No static accepts any body.
        let given = Given { bodies: None, statics: Some(vec![Filter::new(1, 0); count]) };
        let chunk = [columns.bodies()];
        let found = check(&mut worlds, [&chunk, &chunk], (&columns.boxes(), &walls), &given);
        found.unwrap_or_else(|what| panic!("{label}, none: {what}"));
    }
    let scene = Scene::new(SceneName::BeamsStatic, 4000, 97);
    check_columns("beams_static", &mut worlds, &scene_columns(&scene), &scene.statics, 9);
}

/// The pairs of bodies and statics with these filters, all in one place.
fn on_one_place(bodies: &[Filter], statics: &[Filter]) -> FoundPairs {
    let mut worlds = WorldSet::new(WorldConfig::new());
    let mut columns = Columns::uniform(vec![[0.5, 0.5]; bodies.len()], [1.0, 1.0]);
    columns.filters = Some(bodies.to_vec());
    let boxes = vec![[0.0, 0.0, 1.0, 1.0]; statics.len()];
    let given = Given { bodies: None, statics: Some(statics.to_vec()) };
    worlds.each(|world| given.set_statics(world, &boxes)).unwrap();
    let found = worlds.step_beside_new(&[columns.bodies()], &mut |fresh| given.set_statics(fresh, &boxes));
    let mut found = found.unwrap().unwrap();
    found.bodies.sort_unstable();
    found.statics.sort_unstable();
    found
}

#[test]
fn filters_accept_when_layers_and_masks_agree_both_ways() {
    let top = 1 << 31;
    let (all, none) = (Filter::ALL, Filter::NONE);
    // `NONE` accepts nothing, not even itself; `ALL` accepts what has a layer and a mask.
    let found = on_one_place(&[none, none, all, all, Filter::new(top, top)], &[none, all]);
    assert_eq!(found.bodies, [(2, 3), (2, 4), (3, 4)]);
    assert_eq!(found.statics, [(2, 1), (3, 1), (4, 1)]);
    // One direction is not enough: the first accepts the second, which does not accept it.
    let (willing, unwilling) = (Filter::new(1, 2), Filter::new(2, 4));
    let found = on_one_place(&[willing, unwilling], &[willing, unwilling]);
    assert_eq!((found.bodies.len(), found.statics.len()), (0, 0));
    // A layer without a mask, a mask without a layer.
    let found = on_one_place(&[Filter::new(1, 0), Filter::new(0, 1), all], &[Filter::new(1, 0), Filter::new(0, 1)]);
    assert_eq!((found.bodies.len(), found.statics.len()), (0, 0));
    // Each of the 32 layers accepts itself alone.
    let each: Vec<Filter> = (0..64).map(|k| Filter::new(1 << (k % 32), 1 << (k % 32))).collect();
    let found = on_one_place(&each, &each[..32]);
    assert!(found.bodies.iter().copied().eq((0..32).map(|k| (k, k + 32))));
    assert!(found.statics.iter().copied().eq((0..64).map(|k| (k, k % 32))));
}

#[test]
fn filters_of_all_bits_change_nothing() {
    let scene = Scene::new(SceneName::Castles, 5000, 98);
    let (columns, mut world) = (scene_columns(&scene), sequential());
    world.set_statics(&scene.statics).unwrap();
    let plain = FoundPairs::new(world.step(columns.bodies()).unwrap());
    let filters = vec![Filter::ALL; 5000];
    assert_eq!(FoundPairs::new(world.step(columns.bodies().with_filters(&filters)).unwrap()), plain);
    world.set_statics(Statics::new(&scene.statics).with_filters(&filters[..scene.statics.len()])).unwrap();
    assert_eq!(FoundPairs::new(world.step(columns.bodies()).unwrap()), plain);
    let nothing = vec![Filter::NONE; 5000];
    let found = FoundPairs::new(world.step(columns.bodies().with_filters(&nothing)).unwrap());
    assert_eq!((found.bodies.len(), found.statics.len()), (0, 0));
}

#[test]
fn chunks_with_and_without_filters_can_be_mixed() {
    let scene = Scene::new(SceneName::Castles, 4000, 99);
    let columns = scene_columns(&scene);
    let ends = [0, 1000, 1000, 2500, 2501, 4000];
    let mut worlds = WorldSet::new(WorldConfig::new());
    for with in 0..1 << 5 {
        let given = Given::random([true, with % 3 == 0], [4000, scene.statics.len()], with);
        let mut filters = given.bodies.clone().unwrap();
        let parts: Vec<_> = ends.windows(2).map(|end| columns.rows(end[0], end[1])).collect();
        let mut chunks = parts.clone();
        for (k, end) in ends.windows(2).enumerate() {
            if with >> k & 1 == 1 {
                chunks[k] = chunks[k].with_filters(&given.bodies.as_ref().unwrap()[end[0]..end[1]]);
            } else {
                filters[end[0]..end[1]].fill(Filter::ALL);
            }
        }
        let given = Given { bodies: Some(filters), ..given };
        let found = check(&mut worlds, [&parts, &chunks], (&columns.boxes(), &scene.statics), &given);
        found.unwrap_or_else(|what| panic!("chunks {with:#b}: {what}"));
    }
}

#[test]
fn one_filter_for_all_rows_is_as_a_column_of_it() {
    let mut scene = Scene::new(SceneName::Crowd, 600, 11);
    let (few, many) = (Filter::new(1, 2), Filter::new(2, 3));
    let mut worlds = [(); 6].map(|()| sequential());
    for frame in 0..12u32 {
        let moved: Vec<u32> = (0..20).map(|k| (frame * 7 + k * 29) % 600).collect();
        moved.iter().for_each(|&row| scene.centers[row as usize][0] += 0.3);
        let (front, back) = scene.centers.split_at(200);
        let (front_halves, back_halves) = scene.half_extents.split_at(200);
        let columns = [vec![few; 200], vec![many; 400]];
        let chunks = [Bodies::new(front, front_halves), Bodies::new(back, back_halves)];
        let with_columns = [chunks[0].with_filters(&columns[0]), chunks[1].with_filters(&columns[1])];
        let with_one = [chunks[0].with_filter(few), chunks[1].with_filter(many)];
        // Full steps, told ones, and such with sleepers.
        let changed: Vec<u32> = (0..600).filter(|row| frame == 0 || moved.contains(row)).collect();
        let asleep: Vec<bool> = (0..600).map(|row| !moved.contains(&row)).collect();
        let (front_asleep, back_asleep) = asleep.split_at(200);
        for (k, chunks) in [with_columns, with_one].into_iter().enumerate() {
            let [full, told, marked] = worlds[3 * k..].first_chunk_mut().expect("three worlds");
            full.step(chunks).unwrap();
            told.step_changed(chunks, &changed[..]).unwrap();
            marked.step([chunks[0].with_asleep(front_asleep), chunks[1].with_asleep(back_asleep)]).unwrap();
        }
        let pairs = worlds.each_ref().map(|world| world.contacts().body_pairs().collect::<Vec<_>>());
        assert!(!pairs[0].is_empty() && pairs[..3] == pairs[3..], "frame {frame}");
        assert_eq!(worlds[3].contacts().body_pairs().len(), worlds[4].contacts().body_pairs().len());
    }
    // It has as many rows as there are bodies, also if there are none.
    let none: [[f32; 2]; 0] = [];
    assert!(worlds[0].step(Bodies::uniform(&none, [0.5, 0.5]).with_filter(few)).is_ok());
}

#[test]
fn filters_apply_to_their_step_alone() {
    let scene = Scene::new(SceneName::Dragons, 3000, 100);
    let (columns, mut world, mut random) = (scene_columns(&scene), sequential(), SplitMix64::new(101));
    let all = FoundPairs::new(world.step(columns.bodies()).unwrap());
    for frame in 0..12 {
        let filters = (frame % 3 != 2).then(|| random_filters(3000, &mut random));
        let given = Given { bodies: filters.clone(), statics: None };
        let bodies = filters.as_ref().map_or(columns.bodies(), |filters| columns.bodies().with_filters(filters));
        assert_eq!(FoundPairs::new(world.step(bodies).unwrap()), given.accepted_of(&all), "frame {frame}");
        if frame == 5 {
            world.shrink_to_fit();
        }
        // The contacts do not borrow the columns.
        drop(filters);
        assert_eq!(FoundPairs::new(world.contacts()), given.accepted_of(&all));
    }
}

#[test]
fn filter_column_of_wrong_length_is_named() {
    let columns = Columns::uniform(vec![[0.0, 0.0], [0.5, 0.0], [1.0, 0.0]], [0.4, 0.4]);
    let filters = [Filter::new(1, 1), Filter::new(1, 1), Filter::new(2, 2), Filter::ALL];
    let mut world = sequential();
    let walls = [[0.0f32, 0.0, 1.0, 1.0]];
    world.set_statics(Statics::new(&walls).with_filters(&[Filter::new(2, 2)])).unwrap();
    let before = FoundPairs::new(world.step(columns.bodies().with_filters(&filters[..3])).unwrap());
    assert_eq!((&before.bodies[..], &before.statics[..]), (&[(0, 1)][..], &[(2, 0)][..]));
    for found in [0, 2, 4] {
        let error = Error::ColumnLengthMismatch { chunk: Some(1), column: Column::Filter, expected: 3, found };
        let chunks = [columns.bodies(), columns.bodies().with_filters(&filters[..found])];
        assert_eq!(world.step(chunks).map(|_| ()), Err(error.clone()));
        assert_eq!(FoundPairs::new(world.contacts()), before);
    }
    let error = Error::StaticColumnLengthMismatch { column: Column::Filter, expected: 1, found: 4 };
    assert_eq!(world.set_statics(Statics::new(&walls).with_filters(&filters)), Err(error));
    assert_eq!(FoundPairs::new(world.contacts()), before, "nor do refused statics change anything");
    assert_eq!(FoundPairs::new(world.step(columns.bodies().with_filters(&filters[..3])).unwrap()), before);
}

#[test]
fn filters_of_a_refused_step_are_discarded() {
    let columns = Columns::uniform(vec![[0.5, 0.5]; 40], [1.0, 1.0]);
    let mut world = world(WorldConfig::new().with_parallel_threshold(None).with_pair_limit(20));
    let pairs = |k: u32| Filter::new(1 << (k / 2), 1 << (k / 2));
    let filters: Vec<Filter> = (0..40).map(pairs).collect();
    // The limit counts accepted pairs.
    let found = FoundPairs::new(world.step(columns.bodies().with_filters(&filters)).unwrap());
    assert_eq!(found.bodies.len(), 20);
    let refused = [vec![Filter::ALL; 40], vec![Filter::new(1, 1); 40]];
    for refused in &refused {
        let error = world.step(columns.bodies().with_filters(refused)).map(|_| ());
        assert_eq!(error, Err(Error::TooManyPairs { limit: 20 }));
        assert_eq!(FoundPairs::new(world.contacts()), found);
    }
    assert_eq!(world.step(columns.bodies()).map(|_| ()), Err(Error::TooManyPairs { limit: 20 }), "without any");
    assert_eq!(FoundPairs::new(world.step(columns.bodies().with_filters(&filters)).unwrap()), found);
}

#[test]
fn skipped_rows_keep_the_filters_of_others() {
    let mut random = SplitMix64::new(102);
    let mut world = world(WorldConfig::new().with_parallel_threshold(None).with_invalid_rows(InvalidRows::Skip));
    let mut columns = Columns::uniform((0..600).map(|_| random.point(0.0, 15.0)).collect(), [0.4, 0.4]);
    let boxes = columns.boxes();
    let filters = random_filters(600, &mut random);
    let bad: Vec<u32> = (0..600).step_by(7).collect();
    if let triphase_tests::Shape::Uniform { centers, .. } = &mut columns.shape {
        bad.iter().for_each(|&row| centers[row as usize][0] = f32::NAN);
    }
    let found = FoundPairs::new(world.step(columns.bodies().with_filters(&filters)).unwrap());
    let expected_pairs = ExpectedPairs::new(&boxes, &[]).exclude_bodies(&bad).filtered(Some(&filters), None);
    expected_pairs.compare(&found).unwrap();
    assert!(found.bodies.len() > 100);
}

#[test]
fn statics_keep_their_filters_while_disabled() {
    let walls = [[0.0f32, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0], [5.0, 5.0, 6.0, 6.0]];
    let filters = [Filter::new(1, 1), Filter::new(2, 2), Filter::NONE];
    let tree = StaticTree::new(Statics::new(&walls).with_filters(&filters)).unwrap();
    assert!((0..3).all(|row| tree.filter(row) == Some(filters[row as usize])) && tree.filter(3).is_none());
    let plain = StaticTree::new(&walls).unwrap();
    assert_eq!([plain.filter(2), plain.filter(3)], [Some(Filter::ALL), None]);

    let mut world = sequential();
    world.set_statics(Statics::new(&walls).with_filters(&filters).with_ids(&[7, 8, 9])).unwrap();
    let own = [Filter::new(2, u32::MAX)];
    let bodies = Bodies::uniform(&[[0.5f32, 0.5]], [0.5, 0.5]).with_filters(&own);
    let static_rows =
        |world: &mut World| world.step(bodies).unwrap().static_pairs().map(|p| p.static_row).collect::<Vec<_>>();
    assert_eq!(static_rows(&mut world), [1]);
    world.set_static_enabled(1, false).unwrap();
    assert_eq!(static_rows(&mut world), [0; 0]);
    world.set_static_enabled(1, true).unwrap();
    // New statics without filters.
    world.set_statics(&walls).unwrap();
    assert_eq!(static_rows(&mut world), [0, 1]);
}

proptest! {
    #![proptest_config(settings("filters", 60))]

    #[test]
    fn filtered_random_worlds_match_brute_force(
        (count, kind, seed) in (prop_oneof![3 => 0..300usize, 1 => 300..4000usize], 0..LARGE_WORLD_KINDS, any::<u64>()),
        (statics, filters) in (0..400usize, any::<u64>()),
        bound in prop_oneof![3 => Just(None), 1 => (0.0..2.0f32).prop_map(Some)],
        who in 0..3usize,
        cuts in vec((any::<prop::sample::Index>(), any::<bool>()), 0..4),
    ) {
        let columns = large_world(count, kind, seed);
        let statics: Vec<_> = large_world(statics, kind, seed ^ 1).boxes();
        let statics: Vec<_> = statics.iter().map(|b| b.map(|edge| edge.clamp(-f32::MAX, f32::MAX))).collect();
        let mut given = Given::random(WHO[who], [count, statics.len()], filters);
        // Chunks, some of them without filters.
        let mut cuts: Vec<_> = cuts.iter().map(|(cut, with)| (cut.index(count + 1), *with)).collect();
        cuts.extend([(count, true)]);
        cuts.sort_unstable();
        let (mut plain, mut chunks, mut from) = (Vec::new(), Vec::new(), 0);
        let column = given.bodies.clone();
        for (to, with) in cuts {
            let rows = columns.rows(from, to);
            plain.push(rows);
            chunks.push(match (&column, &mut given.bodies, with) {
                (Some(column), _, true) => rows.with_filters(&column[from..to]),
                (_, Some(filters), false) => {
                    filters[from..to].fill(Filter::ALL);
                    rows
                }
                _ => rows,
            });
            from = to;
        }
        let config = WorldConfig::new();
        let mut worlds = WorldSet::new(bound.map_or(config.clone(), |bound| config.with_bound(bound)));
        check(&mut worlds, [&plain, &chunks], (&columns.boxes(), &statics), &given).map_err(TestCaseError::fail)?;
    }
}
