//! Each structure against brute force in every scene, and against triphase in large ones.

use triphase::{Aabb, Bodies, World, WorldConfig};
use triphase_scenes::{Scene, SceneName};

use crate::check::brute_force;
use crate::engine::{Engine, Found, Frame};
use crate::engines::loose_quadtree::LooseQuadtree;
use crate::engines::loose_tight_grid::LooseTightGrid;
use crate::engines::tight_quadtree::TightQuadtree;

fn engines() -> [Box<dyn Engine>; 3] {
    [Box::new(TightQuadtree::default()), Box::new(LooseQuadtree::default()), Box::new(LooseTightGrid::default())]
}

fn frame(scene: &Scene) -> Frame<'_> {
    Frame { centers: &scene.centers, half_extents: &scene.half_extents }
}

fn by_triphase(world: &mut World, frame: Frame<'_>) -> Found {
    let contacts = world.step(Bodies::new(frame.centers, frame.half_extents)).expect("a valid frame");
    let mut found = Found {
        bodies: contacts.body_pairs().map(|pair| [pair.a, pair.b]).collect(),
        statics: contacts.static_pairs().map(|pair| [pair.body, pair.static_row]).collect(),
    };
    found.bodies.sort_unstable();
    found.statics.sort_unstable();
    found
}

/// Steps an engine, with pairs in the buffer from before, and compares.
fn check(engine: &mut dyn Engine, frame: Frame<'_>, expected: &Found, at: &str) {
    let mut found = Found { bodies: vec![[7, 7]], statics: vec![[7, 7]] };
    engine.step(frame, &mut found);
    found.bodies.sort_unstable();
    found.statics.sort_unstable();
    let name = engine.name();
    assert!(found.bodies == expected.bodies, "{name}, {at}: {} body pairs", found.bodies.len());
    assert!(found.statics == expected.statics, "{name}, {at}: {} static pairs", found.statics.len());
}

#[test]
fn all_scenes_as_by_brute_force() {
    for &name in SceneName::ALL {
        for count in [3, 50, 400] {
            let mut scene = Scene::new(name, count, count as u64);
            let mut engines = engines();
            engines.iter_mut().for_each(|engine| engine.set_statics(&scene.statics));
            for step in 0..12 {
                let expected = brute_force(frame(&scene), &scene.statics);
                for engine in &mut engines {
                    check(engine.as_mut(), frame(&scene), &expected, &format!("{name} {count}, frame {step}"));
                }
                scene.advance();
            }
        }
    }
}

#[test]
fn rows_come_and_go_and_statics_change() {
    let mut engines = engines();
    for (name, count) in
        [("castles", 300), ("castles", 200), ("empty", 0), ("power_law", 200), ("one", 1), ("dragons", 500)]
    {
        let scene = Scene::new(name.parse().expect("a scene"), count, 5);
        let expected = brute_force(frame(&scene), &scene.statics);
        for engine in &mut engines {
            engine.set_statics(&scene.statics);
            check(engine.as_mut(), frame(&scene), &expected, name);
        }
    }
}

/// As many rows as before, at unrelated positions far outside of the first extent.
#[test]
fn everything_leaps_out_of_the_extent() {
    let mut engines = engines();
    let first = Scene::new(SceneName::Crowd, 300, 1);
    for (step, name) in
        [SceneName::Crowd, SceneName::Ulp, SceneName::TwoCities, SceneName::PowerLaw, SceneName::Coincident]
            .into_iter()
            .enumerate()
    {
        let mut scene = if step == 0 { first.clone() } else { Scene::new(name, 300, 2) };
        let half = scene.world[2];
        if step > 2 {
            scene.centers.iter_mut().for_each(|center| center[0] += 3.0 * half);
        }
        let expected = brute_force(frame(&scene), &[]);
        for engine in &mut engines {
            check(engine.as_mut(), frame(&scene), &expected, &format!("leap to {name}"));
        }
    }
}

#[test]
fn large_scenes_as_by_triphase() {
    for name in ["crowd", "dragons", "castles", "cities", "power_law", "sleepers", "churn"] {
        let mut scene = Scene::new(name.parse().expect("a scene"), 20_000, 3);
        let mut world = World::new(WorldConfig::new().with_parallel_threshold(None)).expect("a valid configuration");
        let statics: Vec<Aabb> =
            scene.statics.iter().map(|b| Aabb::new([b[0], b[1]], [b[2], b[3]]).expect("a valid box")).collect();
        world.set_statics(&statics).expect("valid statics");
        let mut engines = engines();
        engines.iter_mut().for_each(|engine| engine.set_statics(&scene.statics));
        for step in 0..20 {
            let expected = by_triphase(&mut world, frame(&scene));
            assert!(!expected.bodies.is_empty());
            assert_eq!(expected.statics.is_empty(), scene.statics.is_empty());
            for engine in &mut engines {
                check(engine.as_mut(), frame(&scene), &expected, &format!("{name}, frame {step}"));
            }
            scene.advance();
        }
    }
}
