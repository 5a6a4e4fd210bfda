//! Partners by row: those of brute force, ascending, in every configuration.

mod common;

use common::{Fleet, Truth, drawn, sequential};
use triphase::{Bodies, WorldConfig};
use triphase_scenes::{Scene, SceneName};

/// Of each row, its partners.
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

/// Steps and compares; how many partners a row has at most.
fn check(fleet: &mut Fleet, label: &str, bodies: &[Bodies<'_>], truth: &Truth, rows: usize) -> usize {
    let expected = [partners(&truth.body, rows, true), partners(&truth.static_row, rows, false)];
    fleet.each(|world| {
        let contacts = world.step(bodies).expect("a good step");
        for row in 0..rows as u32 {
            assert_eq!(contacts.partners(row), expected[0][row as usize], "{label}, row {row}");
            assert_eq!(contacts.static_partners(row), expected[1][row as usize], "{label}, statics of row {row}");
        }
        for row in [rows as u32, rows as u32 + 5000, u32::MAX] {
            assert!(contacts.partners(row).is_empty() && contacts.static_partners(row).is_empty());
        }
    });
    expected[0].iter().map(Vec::len).max().unwrap_or(0)
}

#[test]
fn lists_are_those_of_brute_force() {
    let mut most = 0;
    let mut fleet = Fleet::new(WorldConfig::new().with_partner_lists(true));
    for (name, bodies) in [
        (SceneName::Crowd, 9000),
        (SceneName::Castles, 1000),
        (SceneName::PowerLaw, 1000),
        (SceneName::Coincident, 2000),
        (SceneName::Empty, 0),
        (SceneName::One, 1),
        (SceneName::Churn, 3000),
    ] {
        let mut scene = Scene::new(name, bodies, 9);
        fleet.set_statics(&scene.statics).expect("good statics");
        for _ in 0..2 {
            let boxes: Vec<_> = (scene.centers.iter().zip(&scene.half_extents))
                .map(|(&center, &half)| triphase::reference::body_aabb(center, half, None))
                .collect();
            let truth = Truth::new(&boxes, &scene.statics, |_| true);
            let columns = [Bodies::new(&scene.centers, &scene.half_extents)];
            most = most.max(check(&mut fleet, name.as_str(), &columns, &truth, boxes.len()));
            scene.advance();
        }
    }
    assert!(most > 900, "rows of few and of many partners, {most}");
}

#[test]
fn lists_are_those_of_the_last_good_step() {
    let mut fleet = Fleet::new(WorldConfig::new().with_partner_lists(true));
    let columns = drawn(600, 0, 4);
    let truth = Truth::new(&columns.boxes(), &[[0.0, 0.0, 5.0, 5.0]], |_| true);
    fleet.set_statics(&[[0.0, 0.0, 5.0, 5.0]]).expect("good statics");
    check(&mut fleet, "drawn", &[columns.bodies()], &truth, columns.len());
    let list = partners(&truth.body, columns.len(), true);
    fleet.each(|world| {
        assert!(world.step(Bodies::uniform(&[[f32::NAN, 0.0]], [1.0, 1.0])).is_err());
        world.shrink_to_fit();
        let contacts = world.contacts();
        assert!((0..columns.len() as u32).all(|row| contacts.partners(row) == list[row as usize]));
        assert!((0..columns.len() as u32).any(|row| !contacts.static_partners(row).is_empty()));
        // As static pairs: none of a set that no step has seen.
        world.set_statics(&[[0.0f32, 0.0, 5.0, 5.0]]).expect("good statics");
        assert!((0..columns.len() as u32).all(|row| world.contacts().static_partners(row).is_empty()));
    });
    // Who did not ask has none.
    let mut plain = sequential();
    let contacts = plain.step(columns.bodies()).expect("a good step");
    assert!(contacts.body_pairs().len() > 0 && contacts.partners(0).is_empty());
}
