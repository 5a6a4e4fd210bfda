//! The documented properties of the scenes.

use std::collections::HashSet;
use triphase_scenes::{Scene, SceneName};

/// Pairs by brute force over boxes sorted along x.
fn pair_count(scene: &Scene) -> usize {
    let mut boxes = scene.boxes();
    boxes.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut count = 0;
    for (i, a) in boxes.iter().enumerate() {
        for b in boxes[i + 1..].iter().take_while(|b| b[0] <= a[2]) {
            count += usize::from(a[1] <= b[3] && b[1] <= a[3]);
        }
    }
    count
}

fn pairs_per_body(name: SceneName, bodies: usize) -> f64 {
    pair_count(&Scene::new(name, bodies, 3)) as f64 / bodies as f64
}

fn area(scene: &Scene) -> f64 {
    scene.half_extents.iter().map(|h| 4.0 * f64::from(h[0]) * f64::from(h[1])).sum()
}

fn world_area(scene: &Scene) -> f64 {
    let [min_x, min_y, max_x, max_y] = scene.world.map(f64::from);
    (max_x - min_x) * (max_y - min_y)
}

#[test]
fn names_round_trip_through_text() {
    let unique: HashSet<String> = SceneName::ALL.iter().map(ToString::to_string).collect();
    assert_eq!(unique.len(), SceneName::ALL.len());
    for &name in SceneName::ALL {
        assert_eq!(name.to_string().parse(), Ok(name));
    }
    let rejected = "atlantis".parse::<SceneName>().unwrap_err().to_string();
    assert!(rejected.contains("atlantis") && rejected.contains("crowd"), "{rejected}");
}

#[test]
fn area_fractions_are_a_half() {
    for name in [SceneName::Crowd, SceneName::PowerLaw, SceneName::Churn, SceneName::NegativeCoordinates] {
        let scene = Scene::new(name, 20_000, 1);
        let fraction = area(&scene) / world_area(&scene);
        assert!((fraction - 0.5).abs() < 0.005, "{name}: {fraction}");
    }
}

#[test]
fn dragons_and_walls_do_not_widen_the_world() {
    let crowd = Scene::new(SceneName::Crowd, 20_000, 5);
    for name in [SceneName::Dragons, SceneName::Castles, SceneName::Sleepers, SceneName::Gravity] {
        assert_eq!(Scene::new(name, 20_000, 5).world, crowd.world, "{name}");
    }
    let castles = Scene::new(SceneName::Castles, 20_000, 5);
    assert_eq!(castles.half_extents.iter().filter(|h| h[0] >= 5.0).count(), 20);
    assert_eq!(castles.statics.len(), 4_000);
    for wall in &castles.statics {
        let (width, height) = (wall[2] - wall[0], wall[3] - wall[1]);
        assert!((width.min(height) - 1.0).abs() < 1e-3 && (1.99..=16.01).contains(&width.max(height)));
    }
}

#[test]
fn box_pruning_has_the_published_pairs() {
    let pairs = pairs_per_body(SceneName::BoxPruning, 10_000) * 10_000.0;
    assert_eq!(pairs.round(), 190_499.0);
}

#[test]
fn pair_counts_match_the_descriptions() {
    use SceneName as S;
    for name in [S::Crowd, S::Sleepers, S::Brownian, S::LineX, S::LineY, S::Diagonal, S::Bullets, S::FarOutlier] {
        let pairs = pairs_per_body(name, 20_000);
        assert!((0.9..1.1).contains(&pairs), "{name}: {pairs}");
    }
    for name in [S::ZeroSize, S::TwoCities, S::TinyAndHuge, S::PowerLaw, S::Ulp] {
        let pairs = pairs_per_body(name, 20_000);
        assert!((0.2..3.0).contains(&pairs), "{name}: {pairs}");
    }
    let touching = pairs_per_body(S::Touching, 10_000);
    assert!((3.9..4.0).contains(&touching), "{touching}");
    let coincident = pairs_per_body(S::Coincident, 10_000);
    assert!((499.0..520.0).contains(&coincident), "{coincident}");
}

#[test]
fn scenes_without_pairs_never_get_any() {
    use SceneName as S;
    let names = [S::Beams, S::BeamsUpright, S::ThinDiagonal, S::SparseCrowdedCell, S::Lattice64, S::Lattice4096];
    for name in names {
        let mut scene = Scene::new(name, 4_000, 3);
        for frame in 0..20 {
            assert_eq!(pair_count(&scene), 0, "{name} in frame {frame}");
            scene.advance();
        }
    }
}

#[test]
fn a_body_overlaps_at_most_one_static_beam() {
    let scene = Scene::new(SceneName::BeamsStatic, 2_000, 3);
    assert_eq!(scene.statics.len(), 400);
    let overlaps =
        scene.boxes().iter().map(|b| scene.statics.iter().filter(|s| b[1] <= s[3] && s[1] <= b[3]).count()).max();
    assert_eq!(overlaps, Some(1));
}

#[test]
fn cities_are_twice_as_dense() {
    // 80 % of the bodies have twice the pairs of a crowd's; the rest have next to none.
    let scene = Scene::new(SceneName::Cities, 40_000, 3);
    let pairs = pair_count(&scene) as f64 / 40_000.0;
    assert!((1.5..1.7).contains(&pairs), "{pairs}");
    let crowd = Scene::new(SceneName::Crowd, 40_000, 3);
    let wider = scene.world[2] / crowd.world[2];
    assert!((wider - 20.0).abs() < 0.01, "{wider}");
}

#[test]
fn everything_is_finite_and_in_the_world() {
    for &name in SceneName::ALL {
        for bodies in [0, 1, 7, 3_000] {
            let mut scene = Scene::new(name, bodies, 11);
            for _ in 0..25 {
                check(&scene, bodies);
                scene.advance();
            }
        }
    }
}

fn check(scene: &Scene, bodies: usize) {
    let (name, frame) = (scene.name, scene.frame);
    let count = match name {
        SceneName::Empty => 0,
        SceneName::One => 1,
        _ => bodies,
    };
    assert_eq!(scene.centers.len(), count, "{name}");
    assert_eq!(scene.half_extents.len(), count, "{name}");
    assert_eq!(scene.ids.len(), count, "{name}");
    assert!(scene.displacements.as_ref().is_none_or(|d| d.len() == count), "{name}");
    assert!(scene.boxes().iter().chain(&scene.statics).flatten().all(|edge| edge.is_finite()), "{name} {frame}");
    assert!(scene.half_extents.iter().flatten().all(|&half| half >= 0.0), "{name}");
    let [min_x, min_y, max_x, max_y] = scene.world;
    let outside = |c: &&[f32; 2]| !((min_x..=max_x).contains(&c[0]) && (min_y..=max_y).contains(&c[1]));
    let allowed = usize::from(name == SceneName::FarOutlier && bodies > 0);
    assert_eq!(scene.centers.iter().filter(outside).count(), allowed, "{name} in frame {frame}");
}

#[test]
fn the_same_seed_gives_the_same_scene() {
    for &name in SceneName::ALL {
        let [mut a, mut b] = [5, 5].map(|seed| Scene::new(name, 500, seed));
        for _ in 0..3 {
            assert_eq!((&a.centers, &a.half_extents, &a.ids), (&b.centers, &b.half_extents, &b.ids), "{name}");
            assert_eq!((&a.statics, &a.displacements), (&b.statics, &b.displacements), "{name}");
            a.advance();
            b.advance();
        }
    }
    let [a, b] = [5, 6].map(|seed| Scene::new(SceneName::Crowd, 500, seed));
    assert_ne!(a.centers, b.centers);
}

#[test]
fn all_bodies_move_except_sleepers() {
    let moved = |name| {
        let mut scene = Scene::new(name, 2_000, 2);
        let before = scene.centers.clone();
        scene.advance();
        before.iter().zip(&scene.centers).filter(|(a, b)| a != b).count()
    };
    for name in [SceneName::Crowd, SceneName::Castles, SceneName::Brownian, SceneName::Bullets, SceneName::Beams] {
        assert_eq!(moved(name), 2_000, "{name}");
    }
    assert_eq!(moved(SceneName::Sleepers), 100);
}

#[test]
fn steps_are_a_tenth_of_a_side() {
    let mut scene = Scene::new(SceneName::Dragons, 5_000, 2);
    let before = scene.centers.clone();
    scene.advance();
    let mut full = 0;
    for ((a, b), half) in before.iter().zip(&scene.centers).zip(&scene.half_extents) {
        let (step, expected) = ((a[0] - b[0]).hypot(a[1] - b[1]), (0.2 * half[0]).min(0.5));
        assert!(step <= expected + 1e-4, "{step} of {expected}");
        full += usize::from(step >= expected - 1e-4);
    }
    // All except those at an edge.
    assert!(full > 4_900, "{full}");
}

#[test]
fn churn_replaces_a_twentieth() {
    let mut scene = Scene::new(SceneName::Churn, 2_000, 2);
    let before: HashSet<u64> = scene.ids.iter().copied().collect();
    scene.advance();
    let after: HashSet<u64> = scene.ids.iter().copied().collect();
    assert_eq!((after.len(), before.intersection(&after).count()), (2_000, 1_900));
}

#[test]
fn gravity_piles_up() {
    let mut scene = Scene::new(SceneName::Gravity, 5_000, 2);
    let mean = |scene: &Scene| scene.centers.iter().map(|c| f64::from(c[1])).sum::<f64>() / 5_000.0;
    let before = mean(&scene);
    for _ in 0..300 {
        scene.advance();
    }
    assert!(mean(&scene) < 0.9 * before);
    let floor = scene.boxes().iter().map(|b| b[1]).fold(f32::INFINITY, f32::min);
    assert!(floor > -1e-4, "{floor}");
    let pairs = pair_count(&scene) as f64 / 5_000.0;
    assert!((1.0..8.0).contains(&pairs), "{pairs}");
}

#[test]
fn coincident_groups_stay_together() {
    let mut scene = Scene::new(SceneName::Coincident, 3_000, 2);
    for _ in 0..200 {
        scene.advance();
    }
    let places: HashSet<[u32; 2]> = scene.centers.iter().map(|c| c.map(f32::to_bits)).collect();
    assert_eq!(places.len(), 3);
}

#[test]
fn reordered_rows_move_the_same() {
    for name in [SceneName::Castles, SceneName::Sleepers, SceneName::Gravity, SceneName::Bullets] {
        let (mut first, mut second) = (Scene::new(name, 500, 4), Scene::new(name, 500, 4));
        let order: Vec<u32> = (0..500).map(|k| k * 7 % 500).collect();
        first.reorder(&order);
        first.advance();
        second.advance();
        second.reorder(&order);
        assert_eq!((&first.centers, &first.half_extents), (&second.centers, &second.half_extents), "{name}");
        assert_eq!((&first.ids, &first.displacements), (&second.ids, &second.displacements), "{name}");
        assert!(first.ids[1] == Scene::new(name, 500, 4).ids[7], "{name}");
    }
}
