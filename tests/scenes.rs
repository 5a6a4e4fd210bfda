//! Every scene, by one check: stepped at several thread counts and instruction sets, by worlds with a history and by
//! fresh ones, it must give the pairs that brute force gives, each once, in one order.

mod common;

use common::{Fleet, Random, Truth, cross_pairs, hits, self_pairs};
use std::collections::BTreeSet;
use triphase::reference::{self, body_aabb};
use triphase::{Bodies, Hit, WorldConfig};
use triphase_scenes::{Scene, SceneName};

/// How many bodies each scene is tried with, in this order: worlds grow, shrink, and start from what came before.
const SIZES: [usize; 10] = [300, 0, 1, 3000, 17, 2, 0, 9000, 1000, 18];

const SEED: u64 = 0x7219;

/// The columns of a scene, as a step takes them.
fn bodies(scene: &Scene) -> Bodies<'_> {
    let bodies = Bodies::new(&scene.centers, &scene.half_extents).with_ids(&scene.ids);
    match &scene.displacements {
        Some(displacements) => bodies.with_displacements(displacements),
        None => bodies,
    }
}

fn boxes(scene: &Scene) -> Vec<[f32; 4]> {
    let rows = scene.centers.iter().zip(&scene.half_extents).enumerate();
    rows.map(|(row, (&c, &h))| body_aabb(c, h, scene.displacements.as_ref().map(|d| d[row]))).collect()
}

/// Steps `frames` of `scene` and compares each with brute force; a failure says what to run again.
fn check(fleet: &mut Fleet, scene: &mut Scene, frames: usize) {
    fleet.set_statics(&scene.statics).unwrap();
    for _ in 0..frames {
        let truth = Truth::new(&boxes(scene), &scene.statics, |_| true);
        let found = fleet.step(&[bodies(scene)], &scene.statics);
        let result = found.and_then(|step| truth.compare(&step.map_err(|error| error.to_string())?));
        if let Err(what) = result.and_then(|()| queries(fleet, scene)) {
            let (name, seed, frame) = (scene.name, scene.seed, scene.frame);
            panic!("{name}, {} bodies, seed {seed:#x}, frame {frame}: {what}", scene.centers.len());
        }
        scene.advance();
    }
}

/// A few queries about places where there is something, against brute force.
fn queries(fleet: &Fleet, scene: &Scene) -> Result<(), String> {
    let boxes = boxes(scene);
    let mut random = Random::new(scene.seed ^ scene.frame);
    for k in 0..4.min(boxes.len()) {
        let [min_x, min_y, max_x, max_y] = boxes[random.index(boxes.len())];
        let grow = [0.0, 1.0, 100.0, max_x - min_x][k];
        let area = [min_x - grow, min_y - grow, max_x + grow, max_y + grow].map(|edge| edge.clamp(-f32::MAX, f32::MAX));
        let body = reference::cross_pairs(&[area], &boxes).into_iter();
        let body = body.map(|(_, row)| Hit::Body { row, id: Some(scene.ids[row as usize]) });
        let static_row = reference::cross_pairs(&[area], &scene.statics).into_iter();
        let static_row = static_row.map(|(_, row)| Hit::Static { row, id: None });
        let (expected, met) = (body.chain(static_row).collect::<Vec<_>>(), hits(fleet.world(), area));
        if met != expected {
            let first = (0..).find(|&k| met.get(k) != expected.get(k)).expect("they differ");
            return Err(format!("query of {area:?}: {:?}, expected {:?}", met.get(first), expected.get(first)));
        }
    }
    Ok(())
}

fn every_size(name: SceneName) {
    let mut fleet = Fleet::new(WorldConfig::new());
    for (k, count) in SIZES.into_iter().enumerate() {
        check(&mut fleet, &mut Scene::new(name, count, SEED + k as u64), 3);
    }
}

/// A test for each scene, so that they run beside each other and a failure is named after one.
macro_rules! scenes {
    ($($test:ident $name:ident)*) => {
        $(
            #[test]
            fn $test() {
                every_size(SceneName::$name);
            }
        )*

        #[test]
        fn every_scene_has_a_test() {
            let tested: BTreeSet<_> = [$(SceneName::$name),*].into();
            let missing: Vec<_> = SceneName::ALL.iter().filter(|name| !tested.contains(name)).collect();
            assert!(missing.is_empty(), "{missing:?}");
        }
    };
}

scenes! {
    crowd Crowd
    dragons Dragons
    castles Castles
    cities Cities
    power_law PowerLaw
    sleepers Sleepers
    brownian Brownian
    gravity Gravity
    churn Churn
    far_outlier FarOutlier
    lattice_1 Lattice1
    lattice_64 Lattice64
    lattice_1024 Lattice1024
    lattice_4096 Lattice4096
    line_x LineX
    line_y LineY
    diagonal Diagonal
    coincident Coincident
    two_cities TwoCities
    touching Touching
    tiny_and_huge TinyAndHuge
    beams Beams
    beams_upright BeamsUpright
    beams_static BeamsStatic
    thin_diagonal ThinDiagonal
    sparse_crowded_cell SparseCrowdedCell
    bullets Bullets
    ulp Ulp
    zero_size ZeroSize
    negative_coordinates NegativeCoordinates
    wide_and_tall WideAndTall
    nested_clusters NestedClusters
    harp Harp
    cross Cross
    empty Empty
    one One
}

/// Large enough that every pass is split into several tasks.
#[test]
fn large_scenes() {
    let mut fleet = Fleet::new(WorldConfig::new());
    for &name in SceneName::ALL {
        // Ten million pairs would say no more than its 3,000 bodies do.
        if name != SceneName::Coincident {
            check(&mut fleet, &mut Scene::new(name, 20_000, SEED), 2);
        }
    }
}

/// What holds by default holds under settings that fit the scene and under such as do not.
#[test]
fn settings_do_not_change_the_pairs() {
    let new = WorldConfig::new;
    let configs = [
        new().with_bound(0.5),
        new().with_bound(0.0),
        new().with_bound(1e9),
        new().with_bounds([0.1, 0.4, 0.45, 3.0]),
        new().with_bounds([1e-7, 1e-6, 0.5, 10.0, 1e3, 1e6, 1e7, 1e30]),
        new().with_cell_size(1.5),
        new().with_cell_size(1e-5).with_bound(0.5),
        new().with_cell_size(1e5),
    ];
    for (k, config) in configs.into_iter().enumerate() {
        let mut fleet = Fleet::new(config);
        for &name in SceneName::ALL {
            let count = if name == SceneName::Coincident { 500 } else { 1200 };
            check(&mut fleet, &mut Scene::new(name, count, SEED + k as u64), 1);
        }
    }
}

/// A pile grows until most of its bodies rest on others: the one scene in which density changes by much.
#[test]
fn gravity_over_many_frames() {
    let mut fleet = Fleet::new(WorldConfig::new());
    let mut scene = Scene::new(SceneName::Gravity, 600, SEED);
    fleet.set_statics(&scene.statics).unwrap();
    for _ in 0..20 {
        check(&mut fleet, &mut scene, 1);
        (0..14).for_each(|_| scene.advance());
    }
}

/// Columns of several archetypes are one step: rows count through, empty chunks count nothing.
#[test]
fn chunks_are_rows_counted_through() {
    for name in [SceneName::Castles, SceneName::Bullets] {
        let scene = Scene::new(name, 5000, SEED);
        let truth = Truth::new(&boxes(&scene), &scene.statics, |_| true);
        let cuts = [0, 0, 1, 700, 700, 701, 4096, 5000, 5000];
        let part = |from: usize, to: usize| {
            let part = Bodies::new(&scene.centers[from..to], &scene.half_extents[from..to]);
            scene.displacements.as_ref().map_or(part, |d| part.with_displacements(&d[from..to]))
        };
        let chunks: Vec<_> = cuts.windows(2).map(|cut| part(cut[0], cut[1])).collect();
        let mut fleet = Fleet::new(WorldConfig::new());
        fleet.set_statics(&scene.statics).unwrap();
        let found = fleet.step(&chunks, &scene.statics).unwrap().unwrap();
        truth.compare(&found).unwrap_or_else(|what| panic!("{name}: {what}"));
    }
}

/// The quick oracle is held to the plain one.
#[test]
fn sort_and_sweep_agrees_with_brute_force() {
    for &name in SceneName::ALL {
        let scene = Scene::new(name, 1100, SEED);
        let boxes = boxes(&scene);
        assert_eq!(self_pairs(&boxes), reference::self_pairs(&boxes), "{name}");
        let twice = [&boxes[..], &scene.statics].concat();
        assert_eq!(cross_pairs(&boxes, &twice), reference::cross_pairs(&boxes, &twice), "{name}");
    }
}
