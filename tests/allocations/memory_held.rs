//! What worlds and tiers hold is what they say they hold, and it is freed on request.

use crate::{film, reported_bytes, step};
use triphase::tier::loose_grid::LooseGrid;
use triphase::tier::point_grid::PointGrid;
use triphase::tier::static_tree::StaticTree;
use triphase::{Aabb, Bodies, Filter, Statics, World, WorldConfig};
use triphase_scenes::{Scene, SceneName};
use triphase_tests::allocation_counter::Watch;
use triphase_tests::{scene_bodies, scene_columns, sequential, world};

/// The library must name at least nine tenths of the bytes held, and no more than those and the
/// value `T` itself.
fn check_bytes<T>(reported: usize, held: isize, label: &str) {
    let held = held as usize;
    let held_max = held + size_of::<T>();
    assert!(reported <= held_max && reported >= held / 10 * 9, "{label}: {reported} bytes reported, {held} held");
}

fn check_report(world: &World, held: isize, label: &str) {
    check_bytes::<World>(reported_bytes(world), held, label);
}

#[test]
fn report_names_the_bytes_held() {
    let watch = Watch::start();
    for name in [SceneName::Castles, SceneName::Touching, SceneName::PowerLaw, SceneName::Cities] {
        let scene = Scene::new(name, 20_000, 84);
        let config = WorldConfig::new().with_parallel_threshold(None);
        let config = if name == SceneName::Castles {
            config.with_contact_tracking(true).with_partner_lists(true)
        } else {
            config
        };
        let start = watch.held();
        let mut world = world(config);
        world.set_statics(&scene.statics).unwrap();
        step(&mut world, &scene);
        step(&mut world, &scene);
        check_report(&world, watch.held() - start, name.as_str());
    }
}

#[test]
fn report_names_the_bytes_held_for_sleepers() {
    let watch = Watch::start();
    let film = film(SceneName::Sleepers, 20_000, 6);
    let asleep = vec![true; 20_000];
    let start = watch.held();
    let mut world = sequential();
    for (frame, scene) in film.iter().enumerate() {
        world.step(Bodies::new(&scene.centers, &scene.half_extents).with_asleep(&asleep)).unwrap();
        check_report(&world, watch.held() - start, &format!("frame {frame}"));
        assert!(frame == 0 || world.report().cached_count == 19_000);
    }
}

#[test]
fn shrink_to_fit_frees_memory_and_keeps_contacts() {
    let watch = Watch::start();
    let (large, small) = (Scene::new(SceneName::Castles, 20_000, 82), Scene::new(SceneName::Castles, 50, 83));
    let start = watch.held();
    let mut world = sequential();
    world.set_statics(&large.statics).unwrap();
    step(&mut world, &large);
    let bytes = |world: &World| {
        let report = world.report();
        [report.body_bytes, report.static_bytes, report.pair_bytes]
    };
    let (first, first_held) = (bytes(&world), watch.held() - start);
    world.set_statics(&small.statics).unwrap();
    let pairs = step(&mut world, &small);
    world.shrink_to_fit();
    let (last, last_held) = (bytes(&world), watch.held() - start);
    assert!(first_held > 20_000 * 16 && last_held < first_held / 10, "{first_held} bytes held, then {last_held}");
    for k in 0..3 {
        assert!(last[k] < first[k] / 4, "{first:?} bytes reported, then {last:?}");
    }
    assert_eq!(world.contacts().body_pairs().len(), pairs);
    assert_eq!(step(&mut world, &small), pairs);
    assert_eq!(step(&mut world, &large), step(&mut sequential(), &large));
}

#[test]
fn tiers_name_the_bytes_held() {
    let watch = Watch::start();
    for name in [SceneName::Castles, SceneName::PowerLaw, SceneName::WideAndTall] {
        let boxes = scene_columns(&Scene::new(name, 20_000, 86)).boxes();
        let filters = vec![Filter::new(1, 2); boxes.len()];

        let start = watch.held();
        let tree = StaticTree::new(Statics::new(&boxes).with_filters(&filters)).unwrap();
        check_bytes::<StaticTree>(tree.memory_bytes(), watch.held() - start, &format!("static tree, {name}"));

        let mut pairs = Vec::with_capacity(1 << 20);
        let start = watch.held();
        let mut point_grid = PointGrid::new();
        point_grid.rebuild(&boxes, &mut pairs).unwrap();
        assert!(!pairs.is_empty() && pairs.capacity() == 1 << 20, "the pairs are not the grid's");
        let label = format!("point grid, {name}");
        check_bytes::<PointGrid>(point_grid.memory_bytes(), watch.held() - start, &label);
        point_grid.shrink_to_fit();
        check_bytes::<PointGrid>(point_grid.memory_bytes(), watch.held() - start, &format!("{label}, shrunk"));

        let start = watch.held();
        let mut loose_grid = LooseGrid::new(Aabb::new([0.0, 0.0], [150.0, 150.0]).unwrap(), 2.0).unwrap();
        for &[min_x, min_y, max_x, max_y] in &boxes {
            loose_grid.insert(Aabb::new([min_x, min_y], [max_x, max_y]).unwrap());
        }
        check_bytes::<LooseGrid>(loose_grid.memory_bytes(), watch.held() - start, &format!("loose grid, {name}"));
    }
}

#[test]
fn filters_take_eight_bytes_per_row_and_frame() {
    let watch = Watch::start();
    let scene = Scene::new(SceneName::Crowd, 4000, 103);
    let filters = vec![Filter::new(1, 1); 4000];
    // Bytes held for the frames of two steps, then for that of the last step alone.
    let held = |bodies: Bodies<'_>| {
        let start = watch.held();
        let mut world = sequential();
        for _ in 0..2 {
            world.step(bodies).unwrap();
        }
        let two_frames = watch.held() - start;
        check_report(&world, two_frames, "two frames");
        world.shrink_to_fit();
        let one_frame = watch.held() - start;
        check_report(&world, one_frame, "one frame");
        [two_frames, one_frame]
    };
    let (plain, filtered) = (held(scene_bodies(&scene)), held(scene_bodies(&scene).with_filters(&filters)));
    let more = [0, 1].map(|k| filtered[k] - plain[k]);
    assert!((2 * 4000 * 8..5 * 4000 * 8).contains(&more[0]) && more[1] == 4000 * 8, "{more:?} bytes more");
}
