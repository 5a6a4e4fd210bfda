//! What a world holds is what its report says, and it is freed on request.

use crate::{film, reported_bytes, step};
use triphase::{Bodies, World, WorldConfig};
use triphase_scenes::{Scene, SceneName};
use triphase_tests::allocation_counter::Watch;
use triphase_tests::{sequential, world};

/// The report must name at least nine tenths of the bytes held, and no more than those and the
/// `World` itself.
fn check_report(world: &World, held: isize, label: &str) {
    let (held, reported) = (held as usize, reported_bytes(world));
    let held_max = held + size_of::<World>();
    assert!(reported <= held_max && reported >= held / 10 * 9, "{label}: {reported} bytes reported, {held} held");
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
