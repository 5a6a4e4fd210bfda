//! Saved worlds: a restored world continues like the original, and damaged data is an error or
//! gives a world that works.

use serde_json::{Value, json};
use triphase::{
    Aabb, Bodies, BodyShape, Column, EndedPair, EndedStaticPair, Error, Filter, InvalidRows, Pair, SavedWorld,
    SimdLevel, StaticPair, Statics, TrackedPair, World, WorldConfig,
};
use triphase_scenes::{Scene, SceneName, SplitMix64};
use triphase_tests::{ExpectedPairs, FoundPairs, WorldSet, sequential, world};

const SEED: u64 = 0x5a7e;

fn to_text(saved: &SavedWorld) -> String {
    serde_json::to_string(saved).unwrap()
}

fn to_bytes(saved: &SavedWorld) -> Vec<u8> {
    postcard::to_stdvec(saved).unwrap()
}

fn filters(count: usize, by: u32) -> Vec<Filter> {
    (0..count as u32).map(|row| Filter::new(1 << (row % by), row.wrapping_mul(0x9e37_79b9) | 3)).collect()
}

/// Gives the world statics, some disabled, with ids and filters or without.
fn set_up_statics(world: &mut World, scene: &Scene, with_columns: bool) {
    let ids: Vec<u64> = (0..scene.statics.len() as u64).map(|row| u64::MAX - row).collect();
    let filters = filters(scene.statics.len(), 3);
    let statics = Statics::new(&scene.statics);
    world.set_statics(if with_columns { statics.with_ids(&ids).with_filters(&filters) } else { statics }).unwrap();
    // Some change after the tree was built.
    let boxes = &scene.statics[4..8];
    let added = Statics::new(boxes);
    let added = if with_columns { added.with_ids(&[1 << 40, 2 << 40, 3 << 40, 4 << 40]) } else { added };
    world.insert_statics(added).unwrap();
    world.remove_statics(&[1, 6]).unwrap();
    let moved = Statics::new(&boxes[..2]);
    let moved = if with_columns { moved.with_ids(&[5 << 40, 6 << 40]) } else { moved };
    world.replace_statics(&[2, 6], moved).unwrap();
    assert_eq!(world.report().static_changed_count, 7);
    for row in (0..scene.statics.len() as u32).step_by(7) {
        world.set_static_enabled(row, false).unwrap();
    }
}

fn step(world: &mut World, scene: &Scene) -> FoundPairs {
    let filters = filters(scene.centers.len(), 5);
    let bodies = Bodies::new(&scene.centers, &scene.half_extents).with_ids(&scene.ids).with_filters(&filters);
    FoundPairs::new(world.step(bodies).unwrap())
}

/// Started, persisting and ended contacts of one kind.
type Events<P, E> = (Vec<TrackedPair<P>>, Vec<TrackedPair<P>>, Vec<E>);

/// All contact events in their order, if contacts are tracked.
fn events(world: &World) -> Option<(Events<Pair, EndedPair>, Events<StaticPair, EndedStaticPair>)> {
    let events = world.contacts().events()?;
    let bodies = (events.started().collect(), events.persisting().collect(), events.ended().collect());
    let statics =
        (events.started_static().collect(), events.persisting_static().collect(), events.ended_static().collect());
    Some((bodies, statics))
}

/// The bits of the box, the id, the filter, and whether it is enabled.
type Static = (Option<[u32; 4]>, Option<u64>, Option<Filter>, Option<bool>);

/// Everything that can be read from the statics.
fn statics(world: &World) -> Vec<Static> {
    let tree = world.statics();
    let rows = 0..tree.len() as u32 + 1;
    let bits = |row| tree.aabb(row).map(|aabb| aabb.to_array().map(f32::to_bits));
    rows.map(|row| (bits(row), tree.id(row), tree.filter(row), tree.is_enabled(row))).collect()
}

#[test]
fn restored_world_continues_like_the_original() {
    let new = WorldConfig::new;
    let configs = [
        new().with_contact_tracking(true).with_margin(0.1).with_partner_lists(true),
        new().with_bounds([0.1, 0.45, 3.0]).with_cell_size(1.7),
        new().with_invalid_rows(InvalidRows::Skip).with_pair_limit(usize::MAX),
    ];
    for (name, config) in [SceneName::Castles, SceneName::PowerLaw, SceneName::BeamsStatic].into_iter().zip(configs) {
        for with_columns in [true, false] {
            let mut scene = Scene::new(name, 3000, SEED);
            if scene.statics.is_empty() {
                scene.statics = Scene::new(SceneName::Castles, 3000, SEED).statics;
            }
            let mut worlds = WorldSet::new(config.clone());
            worlds.each(|world| {
                set_up_statics(world, &scene, with_columns);
                (0..3).for_each(|_| _ = step(world, &scene));
                let Some(mut events) = world.events_mut() else { return };
                events.tracked().for_each(|(pair, value)| *value = pair.a.wrapping_mul(31) ^ pair.b);
                events.tracked_static().for_each(|(pair, value)| *value = pair.body ^ pair.static_row);
            });
            scene.advance();
            let next = scene.clone();
            scene.advance();
            worlds.each(|world| {
                let saved = world.save();
                assert_eq!((saved.step_number(), saved.config()), (3, world.config()));
                let from_text: SavedWorld = serde_json::from_str(&to_text(&saved)).unwrap();
                let from_value: SavedWorld = serde_json::from_value(serde_json::to_value(&saved).unwrap()).unwrap();
                let from_bytes: SavedWorld = postcard::from_bytes(&to_bytes(&saved)).unwrap();
                assert_eq!((&from_text, &from_value, &from_bytes), (&saved, &saved, &saved));
                let mut restored = [saved, from_text, from_bytes].map(|saved| World::restore(saved).unwrap());
                for other in &restored {
                    assert_eq!(statics(other), statics(world));
                    assert_eq!((other.config(), other.step_number()), (world.config(), 3));
                    assert_eq!((other.contacts().body_count(), other.contacts().static_pairs().len()), (0, 0));
                    assert_eq!(other.reader().latest().step_number(), 3);
                    assert_eq!(other.save(), world.save());
                }
                for (number, scene) in [(4, &next), (5, &scene)] {
                    let expected = step(world, scene);
                    assert!(!expected.statics.is_empty() && !expected.bodies.is_empty());
                    for other in &mut restored {
                        assert_eq!(step(other, scene), expected);
                        assert_eq!(events(other), events(world));
                        assert_eq!(events(other).is_some(), config.contact_tracking());
                        assert_eq!(other.step_number(), number);
                        // Changes after a restored world's first step.
                        other.set_static_enabled(0, number == 4).unwrap();
                    }
                    world.set_static_enabled(0, number == 4).unwrap();
                }
            });
        }
    }
}

#[test]
fn saved_boxes_are_restored_bit_for_bit() {
    let mut random = SplitMix64::new(SEED);
    let mut edge = || loop {
        let edge = f32::from_bits(random.next_u64() as u32);
        if edge.is_finite() {
            return edge;
        }
    };
    let boxes: Vec<[f32; 4]> = (0..20_000)
        .map(|_| {
            let [a, b, c, d] = [(); 4].map(|()| edge());
            [a.min(c), b.min(d), a.max(c), b.max(d)]
        })
        .chain([[-0.0, 0.0, -0.0, 0.0], [f32::MIN, f32::MIN, f32::MAX, f32::MAX]])
        .collect();
    let mut world = sequential();
    world.set_statics(&boxes).unwrap();
    let saved: SavedWorld = serde_json::from_str(&to_text(&world.save())).unwrap();
    assert!(statics(&World::restore(saved).unwrap()) == statics(&world));
}

#[test]
fn empty_world_is_saved_and_restored() {
    let saved: SavedWorld = postcard::from_bytes(&to_bytes(&World::default().save())).unwrap();
    let mut world = World::restore(saved).unwrap();
    assert_eq!((world.step_number(), world.statics().len(), world.config()), (0, 0, &WorldConfig::new()));
    world.step(Bodies::uniform(&[[0.0f32, 0.0]; 3], [1.0, 1.0])).unwrap();
    assert_eq!(world.contacts().body_pairs().len(), 3);
    world.shift_origin([1.0, 1.0]).unwrap();
}

#[test]
fn invalid_save_names_the_part() {
    let mut world = world(WorldConfig::new().with_bounds([0.5, 1.0]).with_cell_size(2.0));
    let ids = [7, 8, 9];
    let walls = [[0.0f32, 0.0, 1.0, 1.0]; 3];
    world.set_statics(Statics::new(&walls).with_ids(&ids).with_filters(&[Filter::ALL; 3])).unwrap();
    let good = serde_json::to_value(world.save()).unwrap();
    let restore = |value: Value| World::restore(serde_json::from_value(value).unwrap());
    restore(good.clone()).unwrap();
    let (nan, inf) = (f32::NAN.to_bits(), f32::INFINITY.to_bits());
    let cases = [
        ("/version", json!(1), "version", "version is 1; must be 3"),
        ("/version", json!(0), "version", "version is 0; must be 3"),
        ("/step", json!(u64::MAX), "step number", "step is 18446744073709551615; must be at most 2^63"),
        ("/config/bounds/0", json!(1.5), "settings", "bound is 1; must be finite, >= 0, and ascending"),
        ("/config/bounds", json!(vec![1; 10]), "settings", "number of bounds is 9; must be at most 8"),
        ("/config/bounds/1", json!(1e300), "settings", "bound is inf; must be finite, >= 0, and ascending"),
        ("/config/cell_size", json!(-1.0), "settings", "cell_size is -1; must be finite and > 0"),
        ("/config/margin", json!(0.5), "settings", "margin is 0.5; must be 0 unless contact_tracking is on"),
        ("/statics/boxes/1/0", json!(nan), "statics", "static row 1: min.x is NaN; must be finite"),
        ("/statics/boxes/2/3", json!(inf), "statics", "static row 2: max.y is inf; must be finite"),
        ("/statics/boxes/0/1", json!(2f32.to_bits()), "statics", "static row 0: max.y (1) is below min.y (2)"),
        ("/statics/ids", json!([1, 2]), "statics", "the id column of statics has 2 rows, but there are 3 boxes"),
        ("/statics/changed", json!([[3, [0, 0, 0, 0]]]), "statics", "static row 3 does not exist; the set has 3 rows"),
        (
            "/statics/changed",
            json!([[1, [0, 0, 0, 0]], [1, [0, 0, 0, 0]]]),
            "statics",
            "changed static row is 1; must be above the changed static row before it",
        ),
        ("/statics/changed", json!([[1, [0, 0, inf, 0]]]), "statics", "static row 1: max.x is inf; must be finite"),
        ("/statics/disabled", json!([0, 3]), "statics", "static row 3 does not exist; the set has 3 rows"),
    ];
    for (place, value, part, text) in cases {
        let mut bad = good.clone();
        *bad.pointer_mut(place).expect(place) = value;
        let Err(error) = restore(bad) else { panic!("{place}: accepted, expected {text:?}") };
        assert!(matches!(error, Error::InvalidSave { part: found, .. } if found == part), "{place}: {error:?}");
        assert_eq!(error.to_string(), format!("cannot restore: invalid {part}: {text}"), "{place}");
    }
    // An empty column means that there are no filters.
    let mut unfiltered = good.clone();
    *unfiltered.pointer_mut("/statics/filters").unwrap() = json!([]);
    assert_eq!(restore(unfiltered).unwrap().statics().filter(0), Some(Filter::ALL));
    let mut bad = good;
    *bad.pointer_mut("/statics/boxes").unwrap() = json!([]);
    let Err(Error::InvalidSave { source, .. }) = restore(bad) else { panic!() };
    assert_eq!(*source, Error::StaticColumnLengthMismatch { column: Column::Id, expected: 0, found: 3 });
}

/// Checks that a damaged save is refused, or gives a world whose steps are exact. Returns whether
/// there is a world.
fn try_out(saved: SavedWorld, scene: &Scene) -> bool {
    let Ok(mut world) = World::restore(saved) else { return false };
    let config = world.config().clone();
    let rows = 0..world.statics().len() as u32;
    let walls: Vec<[f32; 4]> =
        rows.clone().map(|row| world.statics().aabb(row).map_or([f32::NAN; 4], |aabb| aabb.to_array())).collect();
    let wall_filters: Vec<Filter> = rows.clone().map(|row| world.statics().filter(row).unwrap()).collect();
    let enabled: Vec<bool> = rows.map(|row| world.statics().is_enabled(row) == Some(true)).collect();
    let bodies = Bodies::new(&scene.centers, &scene.half_extents);
    // Restored contacts may have other ids or rows, but each is reported once.
    match world.step(bodies.with_ids(&scene.ids)) {
        Ok(contacts) => {
            let pair_count = contacts.body_pairs().len() + contacts.static_pairs().len();
            let events = contacts.events();
            assert_eq!(events.is_some(), config.contact_tracking());
            if let Some(events) = events {
                let body_count = events.started().chain(events.persisting()).count();
                let tracked_count = body_count + events.started_static().chain(events.persisting_static()).count();
                // With a margin, contacts persist while the boxes are apart.
                let may_be_apart = config.margin() > 0.0;
                assert!(tracked_count == pair_count || tracked_count > pair_count && may_be_apart, "{config:?}");
            }
        }
        Err(error) => assert_eq!(error, Error::TooManyPairs { limit: config.pair_limit() }),
    }
    match world.step(bodies).map(FoundPairs::new) {
        Ok(found) => {
            let boxes =
                scene.centers.iter().zip(&scene.half_extents).map(|([x, y], [w, h])| [x - w, y - h, x + w, y + h]);
            let expected_pairs = ExpectedPairs::new(&boxes.collect::<Vec<_>>(), &walls).enabled(|row| enabled[row]);
            let expected_pairs = expected_pairs.filtered(None, Some(&wall_filters));
            // The damage may have selected circles.
            let expected_pairs = match config.body_shape() {
                BodyShape::Circle => expected_pairs.circles(),
                BodyShape::Aabb => expected_pairs,
            };
            expected_pairs.compare(&found).unwrap();
        }
        Err(Error::TooManyPairs { limit }) => assert_eq!(limit, config.pair_limit()),
        Err(error) => panic!("{error}"),
    }
    world.shift_origin([3.0, 4.0]).unwrap_or_else(|error| assert!(matches!(error, Error::InvalidStatic(_))));
    let _ = world.report().to_string();
    true
}

fn small() -> (Scene, SavedWorld) {
    let scene = Scene::new(SceneName::Castles, 60, SEED);
    let mut world = world(
        WorldConfig::new()
            .with_bounds([0.5, 1.0])
            .with_cell_size(1.0)
            .with_simd_max(SimdLevel::Avx2)
            .with_contact_tracking(true),
    );
    set_up_statics(&mut world, &scene, true);
    step(&mut world, &scene);
    (scene, world.save())
}

#[test]
fn damaged_bytes_are_refused_or_give_a_working_world() {
    let (scene, saved) = small();
    let good = to_bytes(&saved);
    let mut random = SplitMix64::new(SEED);
    let (mut refused, mut worked) = (0, 0);
    for _ in 0..6000 {
        let mut bytes = good.clone();
        for _ in 0..=random.below(3) {
            let at = random.below(bytes.len());
            match random.below(8) {
                0 => bytes.truncate(at.max(1)),
                1 => bytes[at] = random.next_u64() as u8,
                2 => bytes.insert(at, random.next_u64() as u8),
                // The settings are few bytes, so more often.
                3 | 4 => bytes[at.min(40) % 30] = random.next_u64() as u8,
                _ => bytes[at] ^= 1 << random.below(8),
            }
        }
        match postcard::from_bytes::<SavedWorld>(&bytes) {
            Ok(saved) if try_out(saved.clone(), &scene) => worked += 1,
            _ => refused += 1,
        }
    }
    assert!(refused > 500 && worked > 500, "{refused} refused, {worked} worked");
}

/// Replaces, removes or duplicates a part of the value.
fn damage(value: &mut Value, random: &mut SplitMix64) {
    let leaf = |random: &mut SplitMix64| match random.below(10) {
        0 => Value::Null,
        1 => json!(-1),
        2 => json!(1e300),
        3 => json!("Portable"),
        4 => json!([]),
        5 => json!(u64::MAX),
        6 => json!(f32::NAN.to_bits()),
        7 => json!(true),
        8 => json!({}),
        _ => json!(random.next_u64() >> random.below(64)),
    };
    match value {
        Value::Array(items) if !items.is_empty() && random.below(8) > 0 => {
            let at = random.below(items.len());
            match random.below(8) {
                0 => _ = items.remove(at),
                1 => items.insert(at, items[at].clone()),
                2 => items.swap(at, 0),
                _ => damage(&mut items[at], random),
            }
        }
        Value::Object(fields) if !fields.is_empty() && random.below(8) > 0 => {
            let name = fields.keys().nth(random.below(fields.len())).expect("it has some").clone();
            if random.below(8) == 0 {
                fields.remove(&name);
            } else {
                damage(&mut fields[&name], random);
            }
        }
        other => *other = leaf(random),
    }
}

#[test]
fn damaged_values_are_refused_or_give_a_working_world() {
    let (scene, saved) = small();
    let good = serde_json::to_value(&saved).unwrap();
    let mut random = SplitMix64::new(SEED);
    let (mut refused, mut worked) = (0, 0);
    for _ in 0..6000 {
        let mut value = good.clone();
        (0..=random.below(3)).for_each(|_| damage(&mut value, &mut random));
        match serde_json::from_value::<SavedWorld>(value) {
            Ok(saved) if try_out(saved.clone(), &scene) => worked += 1,
            _ => refused += 1,
        }
    }
    assert!(refused > 500 && worked > 200, "{refused} refused, {worked} worked");
}

/// Serialized and deserialized, as text and as bytes.
fn round_trip<T>(value: &T) -> [T; 2]
where
    T: serde::Serialize + serde::de::DeserializeOwned,
{
    let text = serde_json::to_string(value).unwrap();
    [serde_json::from_str(&text).unwrap(), postcard::from_bytes(&postcard::to_stdvec(value).unwrap()).unwrap()]
}

#[test]
fn public_types_round_trip_through_serde() {
    let aabb = Aabb::new([-0.0, f32::MIN], [1e-45, f32::MAX]).unwrap();
    assert_eq!(round_trip(&aabb), [aabb; 2]);
    assert_eq!(serde_json::to_value(Aabb::new([1.0, 2.0], [3.0, 4.5]).unwrap()).unwrap(), json!([1.0, 2.0, 3.0, 4.5]));
    let inverted = serde_json::from_str::<Aabb>("[1.0, 0.0, 0.0, 2.0]").unwrap_err().to_string();
    assert_eq!(inverted, "AABB: max.x is 0; must be >= min.x, which is 1");
    assert!(serde_json::from_str::<Aabb>("[0.0, 0.0, 1e300, 2.0]").is_err());
    assert!(postcard::from_bytes::<Aabb>(&postcard::to_stdvec(&[f32::NAN; 4]).unwrap()).is_err());

    let filter = Filter::new(u32::MAX, 7);
    assert_eq!(round_trip(&filter), [filter; 2]);
    assert_eq!(round_trip(&Pair { a: 1, b: u32::MAX }), [Pair { a: 1, b: u32::MAX }; 2]);
    assert_eq!(round_trip(&StaticPair { body: 5, static_row: 6 }), [StaticPair { body: 5, static_row: 6 }; 2]);
    let x86 = [SimdLevel::Portable, SimdLevel::Sse2, SimdLevel::Avx2, SimdLevel::Avx512];
    for simd in x86.into_iter().chain([SimdLevel::Neon, SimdLevel::Simd128]) {
        assert_eq!(round_trip(&simd), [simd; 2]);
    }
    for rows in [InvalidRows::Reject, InvalidRows::Skip] {
        assert_eq!(round_trip(&rows), [rows; 2]);
    }
    let config = WorldConfig::new()
        .with_bounds([0.1, 7.5])
        .with_cell_size(0.3)
        .with_parallel_threshold(5)
        .with_parallel_threshold(None);
    let config = config.with_simd_max(SimdLevel::Sse2).with_invalid_rows(InvalidRows::Skip).with_pair_limit(99);
    assert_eq!(round_trip(&config), [config.clone(), config]);
    // Missing settings are the defaults.
    let config: WorldConfig = serde_json::from_str(r#"{ "bounds": [0.5], "invalid_rows": "Skip" }"#).unwrap();
    assert_eq!(config, WorldConfig::new().with_bound(0.5).with_invalid_rows(InvalidRows::Skip));
    let config: WorldConfig = serde_json::from_str(r#"{ "bounds": [2.0, 1.0] }"#).unwrap();
    assert!(matches!(World::new(config), Err(Error::InvalidConfig { setting: "bound", .. })));
}

#[test]
fn restored_world_has_the_ids_of_its_first_step() {
    let mut world = world(WorldConfig::new().with_contact_tracking(true));
    let (near, apart) = ([[0.0f32, 0.0], [0.8, 0.0], [9.0, 0.0]], [[0.0f32, 0.0], [5.0, 0.0], [9.0, 0.0]]);
    let ids = [70u64, 71, 72];
    let step = |world: &mut World, centers: &[[f32; 2]]| {
        let contacts = world.step(Bodies::uniform(centers, [0.5, 0.5]).with_ids(&ids)).unwrap();
        assert_eq!([0, 1, 2].map(|row| contacts.body_id(row)), ids.map(Some));
        contacts.events().unwrap().ended().collect::<Vec<_>>()
    };
    step(&mut world, &near);
    for shifted in [false, true] {
        let mut later = World::restore(world.save()).unwrap();
        if shifted {
            later.shift_origin([0.0, 0.0]).unwrap();
        }
        // The same ids row by row, which the restored world has not seen yet.
        assert_eq!(step(&mut later, &apart), [EndedPair { a_id: 70, b_id: 71, value: 0 }]);
        let saved = later.save();
        assert_eq!(step(&mut later, &near), []);
        assert_eq!(step(&mut World::restore(saved).unwrap(), &near), []);
    }
}

#[test]
fn statics_replaced_before_a_save_end_their_contacts() {
    let (floor, floors) = ([[-9.0f32, -1.0, 9.0, 0.0]], [[-9.0f32, -1.0, 9.0, 0.0], [40.0, 0.0, 41.0, 1.0]]);
    let centers = [[0.0f32, 0.3]];
    // Contacts persist if both sets have ids; otherwise they all end.
    for (before, after, persists) in [
        (None, None, false),
        (Some(&[5u64, 6]), None, false),
        (None, Some(&[6u64]), false),
        (Some(&[6, 5]), Some(&[6]), true),
    ] {
        let mut world = world(WorldConfig::new().with_contact_tracking(true));
        let old = Statics::new(&floors);
        world.set_statics(before.map_or(old, |ids| old.with_ids(ids))).unwrap();
        world.step(Bodies::uniform(&centers, [0.5, 0.5])).unwrap();
        world.events_mut().unwrap().started_static().for_each(|(_, value)| *value = 9);
        let new = Statics::new(&floor);
        world.set_statics(after.map_or(new, |ids| new.with_ids(ids))).unwrap();
        let saved = world.save();
        let from_text: SavedWorld = serde_json::from_str(&to_text(&saved)).unwrap();
        let from_bytes: SavedWorld = postcard::from_bytes(&to_bytes(&saved)).unwrap();
        assert_eq!((&from_text, &from_bytes), (&saved, &saved));
        for mut world in [world, World::restore(from_text).unwrap(), World::restore(from_bytes).unwrap()] {
            let contacts = world.step(Bodies::uniform(&centers, [0.5, 0.5])).unwrap();
            let static_id = before.map_or(0, |ids| ids[0]);
            let events = contacts.events().unwrap();
            let ended: Vec<_> = events.ended_static().collect();
            let persisting: Vec<u32> = events.persisting_static().map(|contact| contact.value).collect();
            if persists {
                assert_eq!((ended, persisting), (vec![], vec![9]));
            } else {
                assert_eq!((ended, persisting), (vec![EndedStaticPair { body_id: 0, static_id, value: 9 }], vec![]));
            }
        }
    }
}

#[test]
fn replaced_statics_that_share_an_id_are_refused() {
    let mut world = world(WorldConfig::new().with_contact_tracking(true));
    let floors = [[-9.0f32, -1.0, 9.0, 0.0], [-9.0, -1.0, 9.0, 0.1], [40.0, 0.0, 41.0, 1.0]];
    world.set_statics(Statics::new(&floors).with_ids(&[5, 6, 7])).unwrap();
    world.step(Bodies::uniform(&[[0.0f32, 0.3]], [0.5, 0.5])).unwrap();
    world.set_statics(Statics::new(&floors).with_ids(&[1, 2, 5])).unwrap();
    let with_ids = |ids: [u64; 3]| {
        let mut saved = serde_json::to_value(world.save()).unwrap();
        *saved.pointer_mut("/tracked/other_statics").unwrap() = json!(ids);
        World::restore(serde_json::from_value(saved).unwrap())
    };
    let Err(Error::InvalidSave { part: "contacts", source }) = with_ids([5, 5, 7]) else { panic!("accepted") };
    assert_eq!(*source, Error::DuplicateStaticId { first: 0, second: 1, id: 5 });
    // Nothing touches the last one: its row may have been vacant.
    assert!(with_ids([5, 6, 5]).is_ok());
}
