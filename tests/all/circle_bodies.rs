//! Bodies as circles: of the pairs of boxes, a step reports those whose circles touch, in the same
//! order, whichever pass finds them.

use proptest::collection::vec;
use proptest::prelude::*;
use triphase::geometry::RawAabb;
use triphase::reference::{circle_self_pairs, circle_static_pairs};
use triphase::{Bodies, BodyShape, Error, Filter, InvalidRows, Statics, World, WorldConfig};
use triphase_scenes::{Scene, SceneName, SplitMix64};
use triphase_tests::{
    Columns, ExpectedPairs, FoundPairs, LARGE_WORLD_KINDS, Shape, WorldSet, hits, large_world, pile_and_row,
    random_filters, scene_columns, sequential, settings, world,
};

fn circles() -> WorldConfig {
    WorldConfig::new().with_body_shape(BodyShape::Circle)
}

/// What decides about the pairs of a step besides the boxes of bodies.
#[derive(Clone, Copy, Default)]
struct Rules<'a> {
    statics: &'a [RawAabb],
    body_filters: Option<&'a [Filter]>,
    static_filters: Option<&'a [Filter]>,
    /// Whether any row has a displacement.
    moves: bool,
}

impl Rules<'_> {
    fn set_statics(&self, world: &mut World) -> Result<(), Error> {
        let statics = Statics::new(self.statics);
        world.set_statics(self.static_filters.map_or(statics, |filters| statics.with_filters(filters)))
    }

    fn expected_pairs(&self, boxes: &[RawAabb]) -> ExpectedPairs {
        let expected_pairs = ExpectedPairs::new(boxes, self.statics).filtered(self.body_filters, self.static_filters);
        if self.moves { expected_pairs } else { expected_pairs.circles() }
    }
}

/// Steps the worlds: the pairs must be the expected ones, in the order of a world of boxes. Returns
/// the number of pairs of circles and of boxes.
fn check(
    worlds: &mut WorldSet,
    chunks: &[Bodies<'_>],
    boxes: &[RawAabb],
    rules: Rules<'_>,
) -> Result<[usize; 2], String> {
    let config = worlds.world().config().clone();
    let mut box_world = world(config.with_body_shape(BodyShape::Aabb).with_parallel_threshold(None));
    rules.set_statics(&mut box_world).map_err(|error| error.to_string())?;
    let all = FoundPairs::new(box_world.step(chunks).map_err(|error| error.to_string())?);
    worlds.each(|world| rules.set_statics(world)).map_err(|error| error.to_string())?;
    let found = worlds.step_beside_new(chunks, &mut |fresh| rules.set_statics(fresh))?;
    let found = found.map_err(|error| error.to_string())?;
    let expected_pairs = rules.expected_pairs(boxes);
    expected_pairs.compare(&found)?;
    let mut left = all.clone();
    left.bodies.retain(|pair| expected_pairs.bodies.binary_search(pair).is_ok());
    left.statics.retain(|pair| expected_pairs.statics.binary_search(pair).is_ok());
    if found != left {
        return Err(format!("not in the order of a world of boxes: {found:?}"));
    }
    Ok([&found, &all].map(|found| found.bodies.len() + found.statics.len()))
}

fn check_columns(label: &str, worlds: &mut WorldSet, columns: &Columns, statics: &[RawAabb]) -> [usize; 2] {
    let rules = Rules { statics, moves: columns.displacements.is_some() && !columns.is_empty(), ..Rules::default() };
    let counts = check(worlds, &[columns.bodies()], &columns.boxes(), rules);
    counts.unwrap_or_else(|what| panic!("{label}: {what}"))
}

#[test]
fn circles_of_every_scene_match_brute_force() {
    let mut worlds = WorldSet::new(circles());
    for &name in SceneName::ALL {
        for count in [2000, 1, 300] {
            let count = if name == SceneName::Coincident { count.min(300) } else { count };
            let mut scene = Scene::new(name, count, 0xD15C);
            scene.advance();
            check_columns(&format!("{name}, {count} bodies"), &mut worlds, &scene_columns(&scene), &scene.statics);
        }
    }
}

#[test]
fn circles_lose_the_pairs_at_corners() {
    let mut worlds = WorldSet::new(circles());
    for name in [SceneName::Crowd, SceneName::Castles, SceneName::Dragons, SceneName::PowerLaw, SceneName::Cities] {
        let scene = Scene::new(name, 20_000, 0xD15C);
        let [touching, all] = check_columns(&name.to_string(), &mut worlds, &scene_columns(&scene), &scene.statics);
        assert!(touching > all / 2 && touching < all * 19 / 20, "{name}: {touching} of {all}");
    }
}

#[test]
fn oversized_circles_match_brute_force() {
    let mut worlds = WorldSet::new(circles().with_bound(0.1));
    let mut random = SplitMix64::new(37);
    // Swept; and so many beside each other that each searches the double grid.
    for (label, columns) in [
        ("swept", Columns::uniform((0..3000).map(|_| random.point(0.0, 60.0)).collect(), [0.4, 0.4])),
        ("a pile and a row", pile_and_row(14_000, &mut random)),
    ] {
        let [touching, all] = check_columns(label, &mut worlds, &columns, &[[0.0, 0.0, 9.0, 99.0]]);
        assert!(touching > all / 4 && touching < all, "{label}: {touching} of {all}");
    }
}

#[test]
fn circles_in_indivisible_bands_match_brute_force() {
    // Half of the bodies lie on a line that bands cannot divide: more of them than a worker has
    // scratch for. Small and large bodies alternate, so close that their boxes overlap, but not
    // their circles.
    let (mut centers, mut half_extents) = (Vec::new(), Vec::new());
    for k in 0..160_000 {
        let (along, half) = ((k / 2) as f32 * 0.79 - 32_000.0, [0.3, 0.5][k / 2 % 2]);
        centers.push(if k % 2 == 0 { [along, half] } else { [half, along] });
        half_extents.push([half; 2]);
    }
    let pairs = |overlap: BodyShape| {
        let mut world = world(WorldConfig::new().with_body_shape(overlap));
        world.step(Bodies::new(&centers, &half_extents)).map(FoundPairs::new).expect("a valid step").bodies
    };
    let boxes = Columns::new(centers.clone(), half_extents.clone()).boxes();
    let mut touching = pairs(BodyShape::Aabb);
    let all = touching.len();
    touching.retain(|&(a, b)| !circle_self_pairs(&[boxes[a as usize], boxes[b as usize]]).is_empty());
    assert!(touching.len() < all - 1000, "{} of {all}", touching.len());
    assert!(pairs(BodyShape::Circle) == touching);
}

#[test]
fn circles_and_filters_combine() {
    let mut worlds = WorldSet::new(circles());
    let mut random = SplitMix64::new(31);
    let mut sums = [0; 2];
    for name in [SceneName::Crowd, SceneName::Castles, SceneName::Dragons, SceneName::PowerLaw, SceneName::BeamsStatic]
    {
        for (count, who) in [(6000, [true, true]), (6000, [true, false]), (900, [false, true])] {
            let scene = Scene::new(name, count, 32);
            let columns = scene_columns(&scene);
            let body_filters = who[0].then(|| random_filters(count, &mut random));
            let static_filters = who[1].then(|| random_filters(scene.statics.len(), &mut random));
            let rules = Rules {
                statics: &scene.statics,
                body_filters: body_filters.as_deref(),
                static_filters: static_filters.as_deref(),
                moves: false,
            };
            let filtered = Columns { filters: body_filters.clone(), ..columns.clone() };
            let counts = check(&mut worlds, &[filtered.bodies()], &columns.boxes(), rules);
            let [touching, all] = counts.unwrap_or_else(|what| panic!("{name}, {who:?}: {what}"));
            sums = [sums[0] + touching, sums[1] + all];
        }
    }
    let [touching, all] = sums;
    assert!(touching > 10_000 && touching < all * 19 / 20, "{touching} of {all}");
}

#[test]
fn circles_are_independent_of_settings() {
    let mut random = SplitMix64::new(33);
    let wide_and_tall = |k: usize| if k.is_multiple_of(2) { [4.0, 0.005] } else { [0.005, 4.0] };
    let mut crowded: Vec<_> = (0..3000).map(|k| (random.point(0.0, 20.0), wide_and_tall(k))).collect();
    crowded.extend([([3.0, 3.0], [1.0, 1.0]), ([9.0, 9.0], [30.0, 40.0]), ([9.5, 9.5], [50.0, 20.0])]);
    let small: Vec<_> = (0..1500).map(|_| (random.point(0.0, 60.0), [0.4, 0.4])).collect();
    let walls: Vec<_> = (0..90).map(|_| random.point(0.0, 60.0)).map(|[x, y]| [x, y, x + 3.0, y + 0.5]).collect();
    let sizes = Scene::new(SceneName::PowerLaw, 6000, 34);
    for config in
        [circles(), circles().with_bound(0.5), circles().with_bounds([0.1, 1.0, 8.0]), circles().with_cell_size(1.5)]
    {
        let mut worlds = WorldSet::new(config);
        check_columns("wide and tall", &mut worlds, &Columns::from_rows(&crowded), &[[0.0, 0.0, 9.0, 9.0]]);
        check_columns("power_law", &mut worlds, &scene_columns(&sizes), &[]);
        for large in [1, 40, 3000] {
            let big: Vec<_> = (0..large).map(|_| (random.point(0.0, 60.0), [random.range(0.6, 5.0); 2])).collect();
            let columns = Columns::from_rows(&[&small[..], &big].concat());
            let [touching, all] = check_columns(&format!("{large} large"), &mut worlds, &columns, &walls);
            assert!(touching < all && touching > all / 2, "{large} large: {touching} of {all}");
        }
    }
}

#[test]
fn circle_radius_is_independent_of_band_direction() {
    let mut random = SplitMix64::new(35);
    for half in [[0.5, 0.3], [0.3, 0.5], [0.5, 0.5]] {
        for (width, height) in [(20.0, 3000.0), (3000.0, 20.0), (250.0, 250.0)] {
            let place = |random: &mut SplitMix64| [random.range(0.0, width), random.range(0.0, height)];
            let long = |k: usize| match k % 50 {
                0 if width > height => [0.5, 8.0],
                0 => [8.0, 0.5],
                _ => half,
            };
            let rows: Vec<_> = (0..30_000).map(|k| (place(&mut random), long(k))).collect();
            let walls: Vec<_> = (0..900).map(|_| place(&mut random)).map(|[x, y]| [x, y, x + 2.0, y + 1.0]).collect();
            let mut worlds = WorldSet::new(circles());
            let [touching, all] = check_columns("long worlds", &mut worlds, &Columns::from_rows(&rows), &walls);
            assert!(touching < all, "{touching} of {all}");
        }
    }
}

#[test]
fn circles_against_statics_match_brute_force_on_every_path() {
    let mut worlds = WorldSet::new(circles());
    let mut random = SplitMix64::new(36);
    // By search, by a test of each body, by a tree walk per body, and by a sweep along beams in
    // either direction.
    for (label, bodies, side, count, [w, h]) in [
        ("search", 4000, 60.0, 300, [2.0, 3.0]),
        ("test", 60, 20.0, 50, [2.0, 3.0]),
        ("walk", 6, 10.0, 50, [2.0, 3.0]),
        ("more statics than bodies", 300, 60.0, 5000, [1.0, 0.2]),
        ("sweep", 3000, 60.0, 600, [60.0, 0.01]),
        ("sweep upright", 3000, 60.0, 600, [0.01, 60.0]),
    ] {
        let walls: Vec<_> = (0..count).map(|_| random.point(0.0, side)).map(|[x, y]| [x, y, x + w, y + h]).collect();
        let columns = Columns::uniform((0..bodies).map(|_| random.point(0.0, side)).collect(), [0.4, 0.4]);
        let [touching, all] = check_columns(label, &mut worlds, &columns, &walls);
        assert!(touching < all || bodies < 10, "{label}: {touching} of {all}");
    }
}

#[test]
fn touching_circles_are_pairs_in_every_form_of_input() {
    // A triangle of 3, 4, 5: the second circle touches the first, the third misses it by one
    // rounding.
    let rows = [([0.0, 0.0], [2.0, 2.0]), ([3.0, 4.0], [3.0, 3.0]), ([-3.0, -4.0f32.next_up()], [3.0, 3.0])];
    let columns = Columns::from_rows(&rows);
    let aabbs = Columns::aabbs(columns.boxes());
    let walls = [[1.2, 1.6, 5.0, 5.0], [-5.0, 1.3, -1.6, 5.0], [2.0, -1.0, 3.0, 1.0], [-0.1, -0.1, 0.1, 0.1]];
    let mut sized = sequential_circles();
    for columns in [&columns, &aabbs] {
        sized.set_statics(&walls).unwrap();
        let mut found = FoundPairs::new(sized.step(columns.bodies()).unwrap());
        found.statics.sort_unstable();
        assert_eq!(found.bodies, [(0, 1)]);
        // 1.2 and 1.6 round up in f32, so their squares sum to more than 4.
        let first_pairs: Vec<_> = found.statics.into_iter().filter(|&(body, _)| body == 0).collect();
        let expected_pairs = circle_static_pairs(&columns.boxes()[..1], &walls);
        assert_eq!(first_pairs, expected_pairs);
        assert!(
            expected_pairs.contains(&(0, 2)) && expected_pairs.contains(&(0, 3)) && !expected_pairs.contains(&(0, 1)),
            "{expected_pairs:?}"
        );
    }
    let centers = [[0.0f32, 0.0], [0.6, 0.8], [0.0, 1.5]];
    let found = FoundPairs::new(sized.step(Bodies::uniform(&centers, [0.5, 0.5])).unwrap());
    assert_eq!(found.bodies.len(), 2, "{found:?}");
}

fn sequential_circles() -> World {
    world(circles().with_parallel_threshold(None))
}

#[test]
fn circle_reference_matches_the_documentation() {
    let of = |x: f32, y: f32, r: f32| [x - r, y - r, x + r, y + r];
    assert_eq!(circle_self_pairs(&[of(0.0, 0.0, 2.0), of(3.0, 4.0, 3.0), of(3.0, -4.0, 2.875)]), [(0, 1)]);
    assert_eq!(circle_self_pairs(&[[5.0; 4], [5.0; 4]]), [(0, 1)]);
    // The radius is half of the longer side on either axis, so that no body loses its ends.
    assert_eq!(circle_self_pairs(&[[-2.0, -0.5, 2.0, 0.5], [1.5, -0.5, 2.5, 0.5]]), [(0, 1)]);
    assert_eq!(circle_self_pairs(&[[-0.5, -2.0, 0.5, 2.0], [-0.5, 1.5, 0.5, 2.5]]), [(0, 1)]);
    // A circle of the shorter side would reach neither static; the boxes rule out the second one.
    assert_eq!(circle_static_pairs(&[[-2.0, -0.5, 2.0, 0.5]], &[[1.5, 0.5, 3.0, 3.0], [1.5, 0.6, 3.0, 3.0]]), [(0, 0)]);
    assert_eq!(circle_static_pairs(&[[-0.5, -2.0, 0.5, 2.0]], &[[0.5, 1.5, 3.0, 3.0], [0.6, 1.5, 3.0, 3.0]]), [(0, 0)]);
    assert_eq!(circle_static_pairs(&[of(0.0, 0.0, 5.0)], &[[3.0, 4.0, 9.0, 9.0], [3.5, 4.0, 9.0, 9.0]]), [(0, 0)]);
    // Where squares overflow or underflow on both sides, the boxes decide.
    for scale in [1e-30f32, 1e25] {
        let corner = [of(0.0, 0.0, 1.0), of(1.9, 1.9, 1.0)].map(|aabb| aabb.map(|edge| edge * scale));
        assert_eq!(circle_self_pairs(&corner), [(0, 1)], "{scale}");
        assert_eq!(circle_static_pairs(&corner[..1], &corner[1..]), [(0, 0)], "{scale}");
    }
    let infinite = [f32::NEG_INFINITY, f32::NEG_INFINITY, f32::INFINITY, f32::INFINITY];
    assert_eq!(circle_self_pairs(&[infinite, of(3.0, 3.0, 1.0)]), [(0, 1)]);
}

#[test]
fn circles_at_both_ends_of_f32_match_brute_force() {
    let mut worlds = WorldSet::new(circles());
    for scale in [1e-44f32, 1e-38, 1e-30, 3e-23, 1e-20, 1e15, 1e18, 1e25, 4e36] {
        let mut random = SplitMix64::new(37);
        let rows: Vec<_> = (0..600)
            .map(|_| (random.point(0.0, 40.0).map(|x| x * scale), [random.pick(&[0.5, 1.0, 2.5]) * scale; 2]))
            .collect();
        let walls: Vec<_> = (0..60)
            .map(|_| random.point(0.0, 40.0))
            .map(|[x, y]| [x, y, x + 3.0, y + 1.0].map(|edge| edge * scale))
            .collect();
        check_columns(&format!("scale {scale}"), &mut worlds, &Columns::from_rows(&rows), &walls);
    }
}

#[test]
fn step_with_displacements_tests_boxes_alone() {
    // The first two overlap at a corner of their boxes alone. The last two move onto each other.
    let columns = Columns::uniform(vec![[0.0, 0.0], [0.9, 0.9], [9.0, 9.0], [11.0, 9.0]], [0.5, 0.5]);
    let moves = [[0.0f32, 0.0], [2.0, 0.0]];
    let mut world = sequential_circles();
    world.set_statics(&[[0.45f32, -2.0, 2.0, -0.45]]).unwrap();
    let [still, moving] = [columns.rows(0, 2), columns.rows(2, 4).with_displacements(&moves)];
    for _ in 0..2 {
        let found = FoundPairs::new(world.step([still, columns.rows(2, 4)]).unwrap());
        assert_eq!((found.bodies.len(), found.statics.len()), (0, 0), "nothing moves: {found:?}");
        let found = FoundPairs::new(world.step([still, moving]).unwrap());
        assert_eq!((&found.bodies[..], &found.statics[..]), (&[(0, 1)][..], &[(0, 0)][..]), "a row of them does");
        // Displacements of a chunk without rows change nothing.
        let empty: [[f32; 2]; 0] = [];
        let none = columns.rows(0, 0).with_displacements(&empty);
        let found = FoundPairs::new(world.step([none, still]).unwrap());
        assert_eq!((found.bodies.len(), found.statics.len()), (0, 0), "{found:?}");
    }
    let scene = Scene::new(SceneName::Bullets, 5000, 38);
    let [found, all] = check_columns("bullets", &mut WorldSet::new(circles()), &scene_columns(&scene), &scene.statics);
    assert_eq!(found, all);
    // The same with one chunk that has no displacements.
    let columns = scene_columns(&scene);
    let still = Columns { displacements: None, ..columns.clone() };
    let chunks = [still.rows(0, 2500), columns.rows(2500, 5000)];
    let boxes = [&still.boxes()[..2500], &columns.boxes()[2500..]].concat();
    let rules = Rules { statics: &scene.statics, moves: true, ..Rules::default() };
    check(&mut WorldSet::new(circles()), &chunks, &boxes, rules).unwrap();
}

#[test]
fn chunks_limits_and_invalid_rows_work_with_circles() {
    // All boxes overlap at corners, few circles touch.
    let centers: Vec<[f32; 2]> = (0..20).map(|k| [(k % 5) as f32 * 0.9, (k / 5) as f32 * 0.9]).collect();
    let columns = Columns::uniform(centers, [0.5, 0.5]);
    let touching = circle_self_pairs(&columns.boxes()).len();
    let overlapping = triphase::reference::self_pairs(&columns.boxes()).len();
    assert!(touching < overlapping);
    let mut limited = world(circles().with_parallel_threshold(None).with_pair_limit(touching));
    let found = FoundPairs::new(limited.step([columns.rows(0, 7), columns.rows(7, 7), columns.rows(7, 20)]).unwrap());
    assert_eq!(found.bodies.len(), touching, "the limit counts what touches");
    let closer = Columns::uniform(vec![[1.0, 1.0]; 20], [0.5, 0.5]);
    assert_eq!(limited.step(closer.bodies()).map(|_| ()), Err(Error::TooManyPairs { limit: touching }));
    assert_eq!(FoundPairs::new(limited.contacts()), found, "a refused step loses nothing");

    let mut skipping = world(circles().with_parallel_threshold(None).with_invalid_rows(InvalidRows::Skip));
    let boxes = columns.boxes();
    let mut bad = columns.clone();
    if let Shape::Uniform { centers, .. } = &mut bad.shape {
        centers[6][1] = f32::NAN;
    }
    let found = FoundPairs::new(skipping.step(bad.bodies()).unwrap());
    ExpectedPairs::new(&boxes, &[]).circles().exclude_bodies(&[6]).compare(&found).unwrap();
}

#[test]
fn queries_test_boxes_of_circles() {
    let scene = Scene::new(SceneName::Castles, 3000, 39);
    let columns = scene_columns(&scene);
    let (mut boxes, mut circles) = (sequential(), sequential_circles());
    for world in [&mut boxes, &mut circles] {
        world.set_statics(&scene.statics).unwrap();
        world.step(columns.bodies()).unwrap();
    }
    for area in columns.boxes().into_iter().take(200) {
        assert_eq!(hits(&boxes, area), hits(&circles, area));
    }
}

#[test]
fn tracked_contacts_and_margin_are_of_circles() {
    for (margin, kept) in [(0.0, false), (0.3, true)] {
        let mut world = world(circles().with_parallel_threshold(None).with_contact_tracking(true).with_margin(margin));
        let ids = [7u64, 8];
        let mut event_counts = |at: [f32; 2]| {
            let centers = [[0.0f32, 0.0], at];
            let contacts = world.step(Bodies::uniform(&centers, [0.5, 0.5]).with_ids(&ids)).unwrap();
            let events = contacts.events().unwrap();
            [events.started().count(), events.persisting().count(), events.ended().count()]
        };
        assert_eq!(event_counts([0.9, 0.9]), [0; 3], "boxes overlap, circles do not");
        assert_eq!(event_counts([0.6, 0.6]), [1, 0, 0]);
        assert_eq!(event_counts([0.65, 0.65]), [0, 1, 0]);
        // First the gap is less than the margin, and boxes overlap; then it is more, and fat AABBs
        // overlap.
        let near = if kept { [0, 1, 0] } else { [0, 0, 1] };
        assert_eq!(event_counts([0.9, 0.9]), near, "margin {margin}");
        let far = [0, 0, usize::from(kept)];
        assert_eq!(event_counts([1.4, 1.4]), far, "margin {margin}");
    }
}

proptest! {
    #![proptest_config(settings("circle_bodies", 60))]

    #[test]
    fn circles_of_random_worlds_match_brute_force(
        (count, kind, seed) in (prop_oneof![3 => 0..300usize, 1 => 300..4000usize], 0..LARGE_WORLD_KINDS, any::<u64>()),
        (statics, filters) in (0..400usize, any::<u64>()),
        (bound, filtered) in (prop_oneof![3 => Just(None), 1 => (0.0..2.0f32).prop_map(Some)], any::<[bool; 2]>()),
        still in prop_oneof![3 => Just(true), 1 => Just(false)],
        cuts in vec(any::<prop::sample::Index>(), 0..4),
    ) {
        let mut columns = large_world(count, kind, seed);
        columns.displacements = columns.displacements.filter(|_| !still);
        let statics: Vec<_> = large_world(statics, kind, seed ^ 1).boxes();
        let statics: Vec<_> = statics.iter().map(|b| b.map(|edge| edge.clamp(-f32::MAX, f32::MAX))).collect();
        let mut random = SplitMix64::new(filters);
        columns.filters = filtered[0].then(|| random_filters(count, &mut random));
        let static_filters = filtered[1].then(|| random_filters(statics.len(), &mut random));
        let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(count + 1)).chain([0, count]).collect();
        ends.sort_unstable();
        let chunks: Vec<_> = ends.windows(2).map(|end| columns.rows(end[0], end[1])).collect();
        let rules = Rules {
            statics: &statics,
            body_filters: columns.filters.as_deref(),
            static_filters: static_filters.as_deref(),
            moves: columns.displacements.is_some() && count > 0,
        };
        let mut worlds = WorldSet::new(bound.map_or(circles(), |bound| circles().with_bound(bound)));
        check(&mut worlds, &chunks, &columns.boxes(), rules).map_err(TestCaseError::fail)?;
    }
}
