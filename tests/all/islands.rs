//! Islands against the connected groups of brute-force pairs, with and without statics.

use proptest::prelude::*;
use triphase::{Bodies, Contacts, Islands, WorldConfig};
use triphase_scenes::{Scene, SceneName, SplitMix64};
use triphase_tests::{Columns, ExpectedPairs, WorldSet, sequential, settings};

/// The connected groups of rows, found by spreading the lowest row of each until nothing changes.
fn expected(rows: usize, links: &[(u32, u32)]) -> Vec<Vec<u32>> {
    let mut lowest: Vec<u32> = (0..rows as u32).collect();
    loop {
        let before = lowest.clone();
        for &(a, b) in links {
            let (a, b) = (a as usize, b as usize);
            let least = lowest[a].min(lowest[b]);
            (lowest[a], lowest[b]) = (least, least);
        }
        if lowest == before {
            break;
        }
    }
    let lowest = &lowest;
    let of = |root: u32| (0..rows as u32).filter(move |&row| lowest[row as usize] == root).collect();
    let mut all: Vec<Vec<u32>> = (0..rows as u32).map(of).collect();
    all.retain(|rows| !rows.is_empty());
    all
}

/// The pairs of bodies, and links between the bodies that touch one static.
fn links(expected_pairs: &ExpectedPairs, connect_statics: bool) -> Vec<(u32, u32)> {
    let mut links = expected_pairs.bodies.clone();
    if connect_statics {
        let mut static_pairs = expected_pairs.statics.clone();
        static_pairs.sort_unstable_by_key(|&(body, static_row)| (static_row, body));
        links.extend(static_pairs.windows(2).filter(|two| two[0].1 == two[1].1).map(|two| (two[0].0, two[1].0)));
    }
    links
}

/// The islands of the contacts. All ways to read them must agree.
fn read_islands(contacts: Contacts<'_>, islands: &mut Islands) -> Vec<Vec<u32>> {
    contacts.build_islands(islands);
    let all: Vec<Vec<u32>> = islands.iter().map(<[u32]>::to_vec).collect();
    assert_eq!((islands.len(), islands.is_empty()), (all.len(), all.is_empty()));
    assert_eq!((islands.iter().len(), islands.island_by_row().len()), (all.len(), contacts.body_count()));
    for (number, rows) in (0..).zip(&all) {
        assert_eq!(islands.rows(number), rows);
        assert!(
            rows.iter().all(|&row| islands.island_of(row) == number && islands.island_by_row()[row as usize] == number)
        );
    }
    all
}

#[test]
fn islands_of_every_scene_match_brute_force() {
    for &name in SceneName::ALL {
        let mut scene = Scene::new(name, 400, 3);
        let mut worlds = WorldSet::new(WorldConfig::new());
        worlds.set_statics(&scene.statics).unwrap();
        // Reused from frame to frame.
        let mut islands = [false, true].map(|connect_statics| Islands::new().connect_statics(connect_statics));
        for _ in 0..2 {
            let columns = Columns::new(scene.centers.clone(), scene.half_extents.clone());
            let columns = match &scene.displacements {
                Some(displacements) => columns.with_displacements(displacements.clone()),
                None => columns,
            };
            worlds.step(&[columns.bodies()], &scene.statics).expect("the same in every world").expect("valid rows");
            let expected_pairs = ExpectedPairs::new(&columns.boxes(), &scene.statics);
            for (connect_statics, islands) in [false, true].into_iter().zip(&mut islands) {
                let found = worlds.each(|world| read_islands(world.contacts(), islands));
                assert!(
                    found == expected(columns.len(), &links(&expected_pairs, connect_statics)),
                    "{name}, {connect_statics}"
                );
            }
            scene.advance();
        }
    }
}

#[test]
fn islands_with_predicates_ignore_rejected_contacts() {
    let scene = Scene::new(SceneName::Castles, 600, 4);
    let columns = Columns::new(scene.centers, scene.half_extents);
    let mut world = sequential();
    world.set_statics(&scene.statics).unwrap();
    let contacts = world.step(columns.bodies()).unwrap();
    let (odd, even) = (|row: u32| row % 2 == 1, |row: u32| row.is_multiple_of(2));
    let mut expected_pairs = ExpectedPairs::new(&columns.boxes(), &scene.statics);
    let mut islands = Islands::new().connect_statics(true);
    contacts.build_islands_where(&mut islands, |pair| odd(pair.a + pair.b), |pair| even(pair.static_row));
    expected_pairs.bodies.retain(|&(a, b)| odd(a + b));
    expected_pairs.statics.retain(|&(_, static_row)| even(static_row));
    let expected = expected(columns.len(), &links(&expected_pairs, true));
    assert!(islands.iter().eq(expected.iter()) && expected.iter().any(|rows| rows.len() > 2));
    contacts.build_islands_where(&mut islands, |_| false, |_| false);
    assert!(islands.iter().eq((0..columns.len() as u32).map(|row| [row])));
}

#[test]
fn chain_is_one_island_in_any_row_order() {
    let mut random = SplitMix64::new(5);
    for order in 0..4 {
        let mut places: Vec<usize> = (0..2000).collect();
        match order {
            0 => {}
            1 => places.reverse(),
            2 => random.shuffle(&mut places),
            _ => places = (0..2000).map(|row| row * 999 % 2000).collect(),
        }
        let mut centers: Vec<[f32; 2]> = places.iter().map(|&place| [place as f32, 0.0]).collect();
        let mut world = sequential();
        let mut islands = Islands::new();
        let found = read_islands(world.step(Bodies::uniform(&centers, [0.5, 0.5])).unwrap(), &mut islands);
        assert!(found == [(0..2000).collect::<Vec<u32>>()]);
        // Split in two.
        centers.iter_mut().filter(|center| center[0] >= 700.0).for_each(|center| center[0] += 1.0);
        let found = read_islands(world.step(Bodies::uniform(&centers, [0.5, 0.5])).unwrap(), &mut islands);
        assert_eq!(found.iter().map(Vec::len).sum::<usize>(), 2000);
        assert!(found.len() == 2 && found.iter().any(|rows| rows.len() == 700));
    }
}

#[test]
fn islands_before_the_first_step_are_empty() {
    let mut islands = Islands::new().connect_statics(true);
    sequential().contacts().build_islands(&mut islands);
    assert!(islands.is_empty() && islands.iter().next().is_none() && islands.island_by_row().is_empty());
}

proptest! {
    #![proptest_config(settings("islands", 60))]

    #[test]
    fn islands_of_random_boxes_match_brute_force(
        rows in proptest::collection::vec((0i8..30, 0i8..30, 0u8..3, 0u8..3), 0..120),
        walls in proptest::collection::vec((0i8..30, 0i8..30, 0u8..9, 0u8..9), 0..20),
        connect_statics: bool,
    ) {
        // Small whole numbers, so that many boxes touch.
        let columns = Columns::from_rows(&rows.iter().map(|&(x, y, w, h)| {
            ([f32::from(x), f32::from(y)], [f32::from(w) * 0.5, f32::from(h) * 0.5])
        }).collect::<Vec<_>>());
        let walls: Vec<[f32; 4]> = walls.iter().map(|&(x, y, w, h)| {
            let (x, y) = (f32::from(x), f32::from(y));
            [x, y, x + f32::from(w), y + f32::from(h)]
        }).collect();
        let mut world = sequential();
        world.set_statics(&walls).unwrap();
        let contacts = world.step(columns.bodies()).unwrap();
        let expected_pairs = ExpectedPairs::new(&columns.boxes(), &walls);
        let mut islands = Islands::new().connect_statics(connect_statics);
        prop_assert_eq!(read_islands(contacts, &mut islands), expected(columns.len(), &links(&expected_pairs, connect_statics)));
    }
}
