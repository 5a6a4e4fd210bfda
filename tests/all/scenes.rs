//! Every scene, stepped at several thread counts and SIMD levels by worlds with a history and by
//! new ones, must give the pairs of brute force, each once, in one order.

use std::collections::BTreeSet;
use triphase::reference;
use triphase::{Bodies, Hit, WorldConfig};
use triphase_scenes::{Scene, SceneName, SplitMix64};
use triphase_tests::{ExpectedPairs, WorldSet, cross_pairs, hits, scene_bodies, self_pairs};

/// The numbers of bodies of each scene, in this order, so that worlds grow and shrink.
const SIZES: [usize; 10] = [300, 0, 1, 2000, 17, 2, 0, 9000, 700, 18];

const SEED: u64 = 0x7219;

/// Steps `frames` of `scene` and compares each with brute force. A failure names scene, seed and
/// frame.
fn check(worlds: &mut WorldSet, scene: &mut Scene, frames: usize) {
    worlds.set_statics(&scene.statics).unwrap();
    for _ in 0..frames {
        let expected_pairs = ExpectedPairs::new(&scene.boxes(), &scene.statics);
        let found = worlds.step(&[scene_bodies(scene)], &scene.statics);
        let result = found.and_then(|step| expected_pairs.compare(&step.map_err(|error| error.to_string())?));
        if let Err(what) = result.and_then(|()| queries(worlds, scene)) {
            let (name, seed, frame) = (scene.name, scene.seed, scene.frame);
            panic!("{name}, {} bodies, seed {seed:#x}, frame {frame}: {what}", scene.centers.len());
        }
        scene.advance();
    }
}

/// Compares a few queries where there are bodies with brute force.
fn queries(worlds: &WorldSet, scene: &Scene) -> Result<(), String> {
    let boxes = scene.boxes();
    let mut random = SplitMix64::new(scene.seed ^ scene.frame);
    for k in 0..4.min(boxes.len()) {
        let [min_x, min_y, max_x, max_y] = boxes[random.below(boxes.len())];
        let grow = [0.0, 1.0, 100.0, max_x - min_x][k];
        let area = [min_x - grow, min_y - grow, max_x + grow, max_y + grow].map(|edge| edge.clamp(-f32::MAX, f32::MAX));
        let body = reference::cross_pairs(&[area], &boxes).into_iter();
        let body = body.map(|(_, row)| Hit::Body { row, id: Some(scene.ids[row as usize]) });
        let statics = reference::cross_pairs(&[area], &scene.statics).into_iter();
        let statics = statics.map(|(_, row)| Hit::Static { row, id: None });
        let (expected, found) = (body.chain(statics).collect::<Vec<_>>(), hits(worlds.world(), area));
        if found != expected {
            let first = (0..).find(|&k| found.get(k) != expected.get(k)).expect("they differ");
            return Err(format!("query of {area:?}: {:?}, expected {:?}", found.get(first), expected.get(first)));
        }
    }
    Ok(())
}

fn every_size(name: SceneName) {
    let mut worlds = WorldSet::new(WorldConfig::new());
    for (k, count) in SIZES.into_iter().enumerate() {
        // Four million pairs would test no more than a million.
        let count = if name == SceneName::Coincident { count.min(2000) } else { count };
        check(&mut worlds, &mut Scene::new(name, count, SEED + k as u64), 3);
    }
}

/// A test for each scene, so that they run in parallel and a failure names its scene.
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
    few_among_many FewAmongMany
    forest Forest
    tile_map TileMap
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
    swarm Swarm
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
    corridors Corridors
    shaft Shaft
    shaft_clustered ShaftClustered
    staircase Staircase
    lines_and_squares LinesAndSquares
    box_pruning BoxPruning
    bepu Bepu
    cross Cross
    empty Empty
    one One
}

#[test]
fn large_scenes_match_brute_force() {
    let mut worlds = WorldSet::new(WorldConfig::new());
    for &name in SceneName::ALL {
        // Ten million pairs would test no more than its 3,000 bodies do.
        if name != SceneName::Coincident {
            check(&mut worlds, &mut Scene::new(name, 20_000, SEED), 2);
        }
    }
}

#[test]
fn pairs_are_independent_of_settings() {
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
        let mut worlds = WorldSet::new(config);
        for &name in SceneName::ALL {
            let count = if name == SceneName::Coincident { 500 } else { 1200 };
            check(&mut worlds, &mut Scene::new(name, count, SEED + k as u64), 1);
        }
    }
}

#[test]
fn growing_pile_matches_brute_force() {
    let mut worlds = WorldSet::new(WorldConfig::new());
    let mut scene = Scene::new(SceneName::Gravity, 600, SEED);
    worlds.set_statics(&scene.statics).unwrap();
    for _ in 0..20 {
        check(&mut worlds, &mut scene, 1);
        (0..14).for_each(|_| scene.advance());
    }
}

#[test]
fn chunks_number_rows_through() {
    for name in [SceneName::Castles, SceneName::Bullets] {
        let scene = Scene::new(name, 5000, SEED);
        let expected_pairs = ExpectedPairs::new(&scene.boxes(), &scene.statics);
        let cuts = [0, 0, 1, 700, 700, 701, 4096, 5000, 5000];
        let part = |from: usize, to: usize| {
            let part = Bodies::new(&scene.centers[from..to], &scene.half_extents[from..to]);
            scene.displacements.as_ref().map_or(part, |d| part.with_displacements(&d[from..to]))
        };
        let chunks: Vec<_> = cuts.windows(2).map(|cut| part(cut[0], cut[1])).collect();
        let mut worlds = WorldSet::new(WorldConfig::new());
        worlds.set_statics(&scene.statics).unwrap();
        let found = worlds.step(&chunks, &scene.statics).unwrap().unwrap();
        expected_pairs.compare(&found).unwrap_or_else(|what| panic!("{name}: {what}"));
    }
}

#[test]
fn sort_and_sweep_oracle_matches_brute_force() {
    for &name in SceneName::ALL {
        let scene = Scene::new(name, 1100, SEED);
        let boxes = scene.boxes();
        assert_eq!(self_pairs(&boxes), reference::self_pairs(&boxes), "{name}");
        let twice = [&boxes[..], &scene.statics].concat();
        assert_eq!(cross_pairs(&boxes, &twice), reference::cross_pairs(&boxes, &twice), "{name}");
    }
}
