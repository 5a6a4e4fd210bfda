//! Partner lists by row: those of brute force, ascending, in every configuration.

use triphase::{Bodies, WorldConfig};
use triphase_scenes::{Scene, SceneName};
use triphase_tests::{ExpectedPairs, WorldSet, large_world, sequential};

/// The partners of each row.
fn partners(pairs: &[(u32, u32)], rows: usize, both: bool) -> Vec<Vec<u32>> {
    let mut partners = vec![Vec::new(); rows];
    for &(a, b) in pairs {
        partners[a as usize].push(b);
        if both {
            partners[b as usize].push(a);
        }
    }
    partners.iter_mut().for_each(|partners| partners.sort_unstable());
    partners
}

/// Steps and compares. Returns the most partners that a row has.
fn check(
    worlds: &mut WorldSet,
    label: &str,
    bodies: &[Bodies<'_>],
    expected_pairs: &ExpectedPairs,
    rows: usize,
) -> usize {
    let expected = [partners(&expected_pairs.bodies, rows, true), partners(&expected_pairs.statics, rows, false)];
    worlds.each(|world| {
        let contacts = world.step(bodies).expect("a valid step");
        for row in 0..rows as u32 {
            assert_eq!(contacts.partners(row).unwrap(), expected[0][row as usize], "{label}, row {row}");
            assert_eq!(
                contacts.static_partners(row).unwrap(),
                expected[1][row as usize],
                "{label}, statics of row {row}"
            );
        }
        for row in [rows as u32, rows as u32 + 5000, u32::MAX] {
            assert!(contacts.partners(row).unwrap().is_empty() && contacts.static_partners(row).unwrap().is_empty());
        }
    });
    expected[0].iter().map(Vec::len).max().unwrap_or(0)
}

#[test]
fn partner_lists_match_brute_force() {
    let mut most = 0;
    let mut worlds = WorldSet::new(WorldConfig::new().with_partner_lists(true));
    for (name, bodies) in [
        (SceneName::Crowd, 9000),
        (SceneName::Castles, 1000),
        (SceneName::PowerLaw, 1000),
        (SceneName::Coincident, 1000),
        (SceneName::Empty, 0),
        (SceneName::One, 1),
        (SceneName::Churn, 3000),
    ] {
        let mut scene = Scene::new(name, bodies, 9);
        worlds.set_statics(&scene.statics).expect("valid statics");
        for _ in 0..2 {
            let boxes: Vec<_> = (scene.centers.iter().zip(&scene.half_extents))
                .map(|(&center, &half)| triphase::reference::body_aabb(center, half, None))
                .collect();
            let expected_pairs = ExpectedPairs::new(&boxes, &scene.statics);
            let columns = [Bodies::new(&scene.centers, &scene.half_extents)];
            most = most.max(check(&mut worlds, name.as_str(), &columns, &expected_pairs, boxes.len()));
            scene.advance();
        }
    }
    assert!(most > 900, "rows of few and of many partners, {most}");
}

#[test]
fn partner_lists_are_those_of_the_last_successful_step() {
    let mut worlds = WorldSet::new(WorldConfig::new().with_partner_lists(true));
    let columns = large_world(600, 0, 4);
    let expected_pairs = ExpectedPairs::new(&columns.boxes(), &[[0.0, 0.0, 5.0, 5.0]]);
    worlds.set_statics(&[[0.0, 0.0, 5.0, 5.0]]).expect("valid statics");
    check(&mut worlds, "large_world", &[columns.bodies()], &expected_pairs, columns.len());
    let list = partners(&expected_pairs.bodies, columns.len(), true);
    worlds.each(|world| {
        assert!(world.step(Bodies::uniform(&[[f32::NAN, 0.0]], [1.0, 1.0])).is_err());
        world.shrink_to_fit();
        let contacts = world.contacts();
        assert!((0..columns.len() as u32).all(|row| contacts.partners(row).unwrap() == list[row as usize]));
        assert!((0..columns.len() as u32).any(|row| !contacts.static_partners(row).unwrap().is_empty()));
        // As with static pairs, a new set has none until the next step.
        world.set_statics(&[[0.0f32, 0.0, 5.0, 5.0]]).expect("valid statics");
        assert!((0..columns.len() as u32).all(|row| world.contacts().static_partners(row).unwrap().is_empty()));
    });
    // Without the setting, there are no lists.
    let mut plain = sequential();
    let contacts = plain.step(columns.bodies()).expect("a valid step");
    assert!(contacts.body_pairs().len() > 0 && contacts.partners(0).is_none());
}
