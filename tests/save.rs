//! Worlds that are saved and restored: they go on as if nothing had been, and data that was damaged is an error or a world that
//! works.

mod common;

use common::{Fleet, Found, Random, Truth, sequential, world};
use serde_json::{Value, json};
use triphase::{
    Aabb, Bodies, Column, EndedPair, EndedStaticPair, Error, Filter, InvalidRows, Pair, SavedWorld, SimdLevel,
    StaticPair, Statics, Tracked, World, WorldConfig,
};
use triphase_scenes::{Scene, SceneName};

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

/// A world with doors, ids and filters.
fn furnish(world: &mut World, scene: &Scene, with_columns: bool) {
    let ids: Vec<u64> = (0..scene.statics.len() as u64).map(|row| u64::MAX - row).collect();
    let filters = filters(scene.statics.len(), 3);
    let statics = Statics::new(&scene.statics);
    world.set_statics(if with_columns { statics.with_ids(&ids).with_filters(&filters) } else { statics }).unwrap();
    for row in (0..scene.statics.len() as u32).step_by(7) {
        world.set_static_enabled(row, false).unwrap();
    }
}

fn step(world: &mut World, scene: &Scene) -> Found {
    let filters = filters(scene.centers.len(), 5);
    let bodies = Bodies::new(&scene.centers, &scene.half_extents).with_ids(&scene.ids).with_filters(&filters);
    Found::new(world.step(bodies).unwrap())
}

/// What is told of contacts, in its order: of bodies, and with statics, each that began, that goes on, that ended.
#[allow(clippy::type_complexity)]
fn events(
    world: &World,
) -> ([Vec<Tracked<Pair>>; 2], Vec<EndedPair>, [Vec<Tracked<StaticPair>>; 2], Vec<EndedStaticPair>) {
    let contacts = world.contacts();
    let bodies = [contacts.started().collect(), contacts.persisting().collect()];
    let statics = [contacts.started_statics().collect(), contacts.persisting_statics().collect()];
    (bodies, contacts.ended().collect(), statics, contacts.ended_statics().collect())
}

/// The bits of its box, its id, its filter, whether it is enabled.
type Static = (Option<[u32; 4]>, Option<u64>, Option<Filter>, Option<bool>);

/// All that can be read of the statics.
fn statics(world: &World) -> Vec<Static> {
    let tree = world.statics();
    let rows = 0..tree.len() as u32 + 1;
    let bits = |row| tree.aabb(row).map(|aabb| aabb.to_array().map(f32::to_bits));
    rows.map(|row| (bits(row), tree.id(row), tree.filter(row), tree.is_enabled(row))).collect()
}

#[test]
fn restored_worlds_go_on_as_if_nothing_had_been() {
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
            let mut fleet = Fleet::new(config.clone());
            fleet.each(|world| {
                furnish(world, &scene, with_columns);
                (0..3).for_each(|_| _ = step(world, &scene));
                world.tracked_mut().for_each(|(pair, value)| *value = pair.a.wrapping_mul(31) ^ pair.b);
                world.tracked_statics_mut().for_each(|(pair, value)| *value = pair.body ^ pair.static_row);
            });
            scene.advance();
            let next = scene.clone();
            scene.advance();
            fleet.each(|world| {
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
                    assert!(!expected.static_row.is_empty() && !expected.body.is_empty());
                    for other in &mut restored {
                        assert_eq!(step(other, scene), expected);
                        assert_eq!(events(other), events(world));
                        assert_eq!(other.step_number(), number);
                        // What comes after a restored world's first step is as ever, too.
                        other.set_static_enabled(0, number == 4).unwrap();
                    }
                    world.set_static_enabled(0, number == 4).unwrap();
                }
            });
        }
    }
}

#[test]
fn any_box_comes_back_bit_for_bit() {
    let mut random = Random::new(SEED);
    let mut edge = || loop {
        let edge = f32::from_bits(random.bits() as u32);
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
fn an_empty_world_is_saved_and_restored() {
    let saved: SavedWorld = postcard::from_bytes(&to_bytes(&World::default().save())).unwrap();
    let mut world = World::restore(saved).unwrap();
    assert_eq!((world.step_number(), world.statics().len(), world.config()), (0, 0, &WorldConfig::new()));
    world.step(Bodies::uniform(&[[0.0f32, 0.0]; 3], [1.0, 1.0])).unwrap();
    assert_eq!(world.contacts().body_pairs().len(), 3);
    world.shift_origin([1.0, 1.0]).unwrap();
}

#[test]
fn what_is_wrong_with_a_save_is_named() {
    let mut world = world(WorldConfig::new().with_bounds([0.5, 1.0]).with_cell_size(2.0));
    let ids = [7, 8, 9];
    let walls = [[0.0f32, 0.0, 1.0, 1.0]; 3];
    world.set_statics(Statics::new(&walls).with_ids(&ids).with_filters(&[Filter::ALL; 3])).unwrap();
    let good = serde_json::to_value(world.save()).unwrap();
    let restore = |value: Value| World::restore(serde_json::from_value(value).unwrap());
    restore(good.clone()).unwrap();
    let (nan, inf) = (f32::NAN.to_bits(), f32::INFINITY.to_bits());
    let cases: [(&str, Value, &str, &[&str]); 13] = [
        ("/version", json!(2), "version", &["version is 2", "expected 1"]),
        ("/version", json!(0), "version", &["version is 0"]),
        ("/step", json!(u64::MAX), "step number", &["step is 18446744073709552000"]),
        ("/config/bounds/0", json!(1.5), "settings", &["bound is 1"]),
        ("/config/bounds", json!([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), "settings", &["number of bounds is 9"]),
        ("/config/bounds/1", json!(1e300), "settings", &["bound is inf"]),
        ("/config/cell_size", json!(-1.0), "settings", &["cell_size is -1"]),
        ("/statics/boxes/1/0", json!(nan), "statics", &["row 1: min x is NaN"]),
        ("/statics/boxes/2/3", json!(inf), "statics", &["row 2: max y is inf"]),
        ("/statics/boxes/0/1", json!(2f32.to_bits()), "statics", &["row 0: max y is 1"]),
        ("/statics/ids", json!([1, 2]), "statics", &["id column has 2 rows, expected 3"]),
        ("/statics/filters", json!([]), "", &[]),
        ("/statics/disabled", json!([0, 3]), "statics", &["no static row 3: the set has 3 rows"]),
    ];
    for (place, value, part, words) in cases {
        let mut bad = good.clone();
        *bad.pointer_mut(place).expect(place) = value;
        match restore(bad) {
            Err(error @ Error::InvalidSave { part: what, .. }) => {
                assert_eq!(what, part, "{place}");
                let text = error.to_string();
                assert!(words.iter().chain([&part]).all(|word| text.contains(word)), "{place}: {text}");
            }
            // No filters at all are fine.
            Ok(world) => assert!(part.is_empty() && world.statics().filter(0) == Some(Filter::ALL), "{place}"),
            Err(error) => panic!("{place}: {error}"),
        }
    }
    let mut bad = good;
    *bad.pointer_mut("/statics/boxes").unwrap() = json!([]);
    let Err(Error::InvalidSave { source, .. }) = restore(bad) else { panic!() };
    assert_eq!(*source, Error::ColumnLengthMismatch { chunk: None, column: Column::Id, expected: 0, found: 3 });
}

/// That whatever a save was turned into is refused, or a world whose steps are exact.
fn try_out(saved: SavedWorld, scene: &Scene) -> bool {
    let Ok(mut world) = World::restore(saved) else { return false };
    let config = serde_json::to_value(world.config()).unwrap();
    let tracks = usize::from(config["track_contacts"] == json!(true));
    let boxes = (0..world.statics().len() as u32).map(|row| world.statics().aabb(row).unwrap().to_array());
    let static_row: Vec<[f32; 4]> = boxes.collect();
    let of_fixed: Vec<Filter> = (0..static_row.len() as u32).map(|row| world.statics().filter(row).unwrap()).collect();
    let enabled: Vec<bool> = (0..static_row.len() as u32).map(|row| world.statics().is_enabled(row).unwrap()).collect();
    let bodies = Bodies::new(&scene.centers, &scene.half_extents);
    // Contacts that were read may be of other ids or rows, but each is told of once.
    if let Ok(contacts) = world.step(bodies.with_ids(&scene.ids)) {
        let found = contacts.body_pairs().len() + contacts.static_pairs().len();
        let now = contacts.started().chain(contacts.persisting()).count();
        let now = now + contacts.started_statics().chain(contacts.persisting_statics()).count();
        assert!(now == found * tracks || now > found && config["margin"] != json!(0.0));
    }
    match world.step(bodies).map(Found::new) {
        Ok(found) => {
            let boxes =
                scene.centers.iter().zip(&scene.half_extents).map(|([x, y], [w, h])| [x - w, y - h, x + w, y + h]);
            let truth = Truth::new(&boxes.collect::<Vec<_>>(), &static_row, |row| enabled[row]);
            let truth = truth.filtered(None, Some(&of_fixed));
            // The settings may be of discs now, which are in their boxes.
            if serde_json::to_value(world.config()).unwrap()["overlap"] == json!("Discs") {
                assert!(found.body.iter().all(|pair| truth.body.binary_search(pair).is_ok()));
                assert!(found.static_row.iter().all(|pair| truth.static_row.binary_search(pair).is_ok()));
            } else {
                truth.compare(&found).unwrap();
            }
        }
        Err(Error::TooManyPairs { limit }) => assert_eq!(limit, serde_limit(&world)),
        Err(error) => panic!("{error}"),
    }
    world.shift_origin([3.0, 4.0]).unwrap_or_else(|error| assert!(matches!(error, Error::InvalidStatic(_))));
    let _ = world.report().to_string();
    true
}

fn serde_limit(world: &World) -> usize {
    serde_json::to_value(world.config()).unwrap()["pair_limit"].as_u64().unwrap() as usize
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
    furnish(&mut world, &scene, true);
    step(&mut world, &scene);
    (scene, world.save())
}

#[test]
fn bytes_that_were_damaged_are_refused_or_a_world_that_works() {
    let (scene, saved) = small();
    let good = to_bytes(&saved);
    let mut random = Random::new(SEED);
    let (mut refused, mut worked) = (0, 0);
    for _ in 0..6000 {
        let mut bytes = good.clone();
        for _ in 0..=random.index(3) {
            let at = random.index(bytes.len());
            match random.index(8) {
                0 => bytes.truncate(at.max(1)),
                1 => bytes[at] = random.bits() as u8,
                2 => bytes.insert(at, random.bits() as u8),
                // The settings, which are few bytes, more often.
                3 | 4 => bytes[at.min(40) % 30] = random.bits() as u8,
                _ => bytes[at] ^= 1 << random.index(8),
            }
        }
        match postcard::from_bytes::<SavedWorld>(&bytes) {
            Ok(saved) if try_out(saved.clone(), &scene) => worked += 1,
            _ => refused += 1,
        }
    }
    assert!(refused > 500 && worked > 500, "{refused} refused, {worked} worked");
}

/// Replaces, removes or doubles something in there.
fn damage(value: &mut Value, random: &mut Random) {
    let leaf = |random: &mut Random| match random.index(10) {
        0 => Value::Null,
        1 => json!(-1),
        2 => json!(1e300),
        3 => json!("Portable"),
        4 => json!([]),
        5 => json!(u64::MAX),
        6 => json!(f32::NAN.to_bits()),
        7 => json!(true),
        8 => json!({}),
        _ => json!(random.bits() >> random.index(64)),
    };
    match value {
        Value::Array(items) if !items.is_empty() && random.index(8) > 0 => {
            let at = random.index(items.len());
            match random.index(8) {
                0 => _ = items.remove(at),
                1 => items.insert(at, items[at].clone()),
                2 => items.swap(at, 0),
                _ => damage(&mut items[at], random),
            }
        }
        Value::Object(fields) if !fields.is_empty() && random.index(8) > 0 => {
            let name = fields.keys().nth(random.index(fields.len())).expect("it has some").clone();
            if random.index(8) == 0 {
                fields.remove(&name);
            } else {
                damage(&mut fields[&name], random);
            }
        }
        other => *other = leaf(random),
    }
}

#[test]
fn values_that_were_damaged_are_refused_or_a_world_that_works() {
    let (scene, saved) = small();
    let good = serde_json::to_value(&saved).unwrap();
    let mut random = Random::new(SEED);
    let (mut refused, mut worked) = (0, 0);
    for _ in 0..6000 {
        let mut value = good.clone();
        (0..=random.index(3)).for_each(|_| damage(&mut value, &mut random));
        match serde_json::from_value::<SavedWorld>(value) {
            Ok(saved) if try_out(saved.clone(), &scene) => worked += 1,
            _ => refused += 1,
        }
    }
    assert!(refused > 500 && worked > 200, "{refused} refused, {worked} worked");
}

/// There and back, in text and in bytes.
fn there_and_back<T>(value: &T) -> [T; 2]
where
    T: serde::Serialize + serde::de::DeserializeOwned,
{
    let text = serde_json::to_string(value).unwrap();
    [serde_json::from_str(&text).unwrap(), postcard::from_bytes(&postcard::to_stdvec(value).unwrap()).unwrap()]
}

#[test]
fn the_vocabulary_is_serialised() {
    let aabb = Aabb::new([-0.0, f32::MIN], [1e-45, f32::MAX]).unwrap();
    assert_eq!(there_and_back(&aabb), [aabb; 2]);
    assert_eq!(serde_json::to_value(Aabb::new([1.0, 2.0], [3.0, 4.5]).unwrap()).unwrap(), json!([1.0, 2.0, 3.0, 4.5]));
    let inverted = serde_json::from_str::<Aabb>("[1.0, 0.0, 0.0, 2.0]").unwrap_err().to_string();
    assert!(inverted.contains("(1, 0) to (0, 2) is not a box"), "{inverted}");
    assert!(serde_json::from_str::<Aabb>("[0.0, 0.0, 1e300, 2.0]").is_err());
    assert!(postcard::from_bytes::<Aabb>(&postcard::to_stdvec(&[f32::NAN; 4]).unwrap()).is_err());

    let filter = Filter::new(u32::MAX, 7);
    assert_eq!(there_and_back(&filter), [filter; 2]);
    assert_eq!(there_and_back(&Pair { a: 1, b: u32::MAX }), [Pair { a: 1, b: u32::MAX }; 2]);
    assert_eq!(there_and_back(&StaticPair { body: 5, static_row: 6 }), [StaticPair { body: 5, static_row: 6 }; 2]);
    for simd in [SimdLevel::Portable, SimdLevel::Sse2, SimdLevel::Avx2, SimdLevel::Avx512] {
        assert_eq!(there_and_back(&simd), [simd; 2]);
    }
    for rows in [InvalidRows::Reject, InvalidRows::Skip] {
        assert_eq!(there_and_back(&rows), [rows; 2]);
    }
    let config = WorldConfig::new()
        .with_bounds([0.1, 7.5])
        .with_cell_size(0.3)
        .with_parallel_threshold(5)
        .with_parallel_threshold(None);
    let config = config.with_simd_max(SimdLevel::Sse2).with_invalid_rows(InvalidRows::Skip).with_pair_limit(99);
    assert_eq!(there_and_back(&config), [config.clone(), config]);
    // A file of settings says what differs.
    let config: WorldConfig = serde_json::from_str(r#"{ "bounds": [0.5], "invalid_rows": "Skip" }"#).unwrap();
    assert_eq!(config, WorldConfig::new().with_bound(0.5).with_invalid_rows(InvalidRows::Skip));
    let config: WorldConfig = serde_json::from_str(r#"{ "bounds": [2.0, 1.0] }"#).unwrap();
    assert!(matches!(World::new(config), Err(Error::InvalidConfig { setting: "bound", .. })));
}

#[test]
fn a_restored_world_knows_the_ids_of_its_first_step() {
    let mut world = world(WorldConfig::new().with_contact_tracking(true));
    let (near, apart) = ([[0.0f32, 0.0], [0.8, 0.0], [9.0, 0.0]], [[0.0f32, 0.0], [5.0, 0.0], [9.0, 0.0]]);
    let ids = [70u64, 71, 72];
    let step = |world: &mut World, centers: &[[f32; 2]]| {
        let contacts = world.step(Bodies::uniform(centers, [0.5, 0.5]).with_ids(&ids)).unwrap();
        assert_eq!([0, 1, 2].map(|row| contacts.body_id(row)), ids.map(Some));
        contacts.ended().collect::<Vec<_>>()
    };
    step(&mut world, &near);
    for shifted in [false, true] {
        let mut later = World::restore(world.save()).unwrap();
        if shifted {
            later.shift_origin([0.0, 0.0]).unwrap();
        }
        // The same ids, row by row, which the world has not seen since it was restored.
        assert_eq!(step(&mut later, &apart), [EndedPair { a: 70, b: 71, value: 0 }]);
        let saved = later.save();
        assert_eq!(step(&mut later, &near), []);
        assert_eq!(step(&mut World::restore(saved).unwrap(), &near), []);
    }
}

#[test]
fn a_world_whose_statics_were_replaced_before_it_was_saved_ends_contacts_with_the_old_ones() {
    let (floor, floors) = ([[-9.0f32, -1.0, 9.0, 0.0]], [[-9.0f32, -1.0, 9.0, 0.0], [40.0, 0.0, 41.0, 1.0]]);
    let centers = [[0.0f32, 0.3]];
    // With ids contacts go on; without, all end, whatever rows are the same.
    for (before, after, goes_on) in [
        (None, None, false),
        (Some(&[5u64, 6]), None, false),
        (None, Some(&[6u64]), false),
        (Some(&[6, 5]), Some(&[6]), true),
    ] {
        let mut world = world(WorldConfig::new().with_contact_tracking(true));
        let old = Statics::new(&floors);
        world.set_statics(before.map_or(old, |ids| old.with_ids(ids))).unwrap();
        world.step(Bodies::uniform(&centers, [0.5, 0.5])).unwrap();
        world.started_statics_mut().for_each(|(_, value)| *value = 9);
        let new = Statics::new(&floor);
        world.set_statics(after.map_or(new, |ids| new.with_ids(ids))).unwrap();
        let saved = world.save();
        let from_text: SavedWorld = serde_json::from_str(&to_text(&saved)).unwrap();
        let from_bytes: SavedWorld = postcard::from_bytes(&to_bytes(&saved)).unwrap();
        assert_eq!((&from_text, &from_bytes), (&saved, &saved));
        for mut world in [world, World::restore(from_text).unwrap(), World::restore(from_bytes).unwrap()] {
            let contacts = world.step(Bodies::uniform(&centers, [0.5, 0.5])).unwrap();
            let static_row = before.map_or(0, |ids| ids[0]);
            let ended: Vec<_> = contacts.ended_statics().collect();
            let goes: Vec<u32> = contacts.persisting_statics().map(|contact| contact.value).collect();
            if goes_on {
                assert_eq!((ended, goes), (vec![], vec![9]));
            } else {
                assert_eq!((ended, goes), (vec![EndedStaticPair { body: 0, static_row, value: 9 }], vec![]));
            }
        }
    }
}
