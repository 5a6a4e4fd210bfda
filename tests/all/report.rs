//! The report of a world: tiers, bounds, cells, phase times, and advice about unsuitable settings.

use std::time::Duration;
use triphase::{Bodies, Report, World, WorldConfig};
use triphase_scenes::{Scene, SceneName};

fn report(name: SceneName, bodies: usize, config: WorldConfig) -> Report {
    let scene = Scene::new(name, bodies, 7);
    let mut world = World::new(config).unwrap();
    world.set_statics(&scene.statics).unwrap();
    world.step(Bodies::new(&scene.centers, &scene.half_extents)).unwrap();
    world.report()
}

#[test]
fn report_counts_each_tier() {
    let report = report(SceneName::Castles, 20_000, WorldConfig::new());
    assert_eq!((report.common_count(), report.oversized_count, report.static_count), (19_980, 20, 4_000));
    let [grid] = &report.grids[..] else { panic!("one class of size: {report:?}") };
    assert!(
        (0.5..1.0).contains(&grid.half_extent_max),
        "the bound lies just above the crowd: {}",
        grid.half_extent_max
    );
    assert!((1.0..5.0).contains(&grid.cell_size[0]) && (1.0..5.0).contains(&grid.cell_size[1]), "{grid:?}");
    assert!((2.0..8.0).contains(&grid.crowding), "{grid:?}");
    assert!(grid.cell_count > 1_000 && grid.band_count > 1, "{grid:?}");
    assert_eq!(report.advice, None);
}

#[test]
fn sizes_of_different_scale_get_several_classes() {
    // Sand, and a stone for every ten grains, in one place: in cells for stones, each grain would
    // be tested against a thousand.
    let place = |row: usize| [(row * 7919 % 10_007) as f32 * 0.01, (row * 104_729 % 10_009) as f32 * 0.01];
    let centers: Vec<[f32; 2]> = (0..20_000).map(place).collect();
    let half_extents: Vec<[f32; 2]> =
        (0..20_000).map(|row| if row % 11 == 0 { [4.0, 4.0] } else { [0.1, 0.1] }).collect();
    let mut world = World::default();
    world.step(Bodies::new(&centers, &half_extents)).expect("valid bodies");
    let report = world.report();
    assert!(report.grids.len() > 1, "{report}");
    assert!(report.grids.is_sorted_by(|a, b| a.half_extent_max < b.half_extent_max));
}

#[test]
fn given_bounds_are_reported() {
    let report = report(SceneName::Dragons, 20_000, WorldConfig::new().with_bounds([0.4, 0.5]));
    let [small, large] = &report.grids[..] else { panic!("two classes") };
    assert!((small.half_extent_max - 0.4).abs() < 1e-3 && (large.half_extent_max - 0.5).abs() < 1e-3, "{report}");
    assert!(small.body_count > 4_000 && large.body_count > 8_000, "{report}");
    assert_eq!(report.oversized_count, 20, "bodies at the bound are not above it: {report}");
}

#[test]
fn unsuitable_settings_get_advice() {
    let bound = report(SceneName::Crowd, 5_000, WorldConfig::new().with_bound(0.4)).advice.expect("most are oversized");
    assert!(bound.contains("bound") && bound.contains('%'), "{bound}");
    let cells =
        report(SceneName::Crowd, 5_000, WorldConfig::new().with_cell_size(30.0)).advice.expect("cells are crowded");
    assert!(cells.contains("cell size") && cells.contains("30"), "{cells}");
    let wide = report(SceneName::Crowd, 5_000, WorldConfig::new().with_bound(40.0).with_cell_size(30.0)).advice;
    assert!(wide.is_some());
    assert_eq!(report(SceneName::Crowd, 5_000, WorldConfig::new()).advice, None);
}

#[test]
fn phase_times_add_up() {
    let phases = report(SceneName::Castles, 20_000, WorldConfig::new().with_parallel_threshold(None)).phases;
    let passed = phases.plan + phases.partition + phases.layout + phases.find_pairs + phases.gather;
    assert!(phases.total > Duration::ZERO && passed <= phases.total);
    let passes = phases.passes;
    let parts = passes.sort + passes.common + passes.ghosts + passes.oversized + passes.statics;
    assert!(parts > Duration::ZERO && parts <= phases.find_pairs, "in one thread the passes fit into the phase");
}

#[test]
fn report_display_lists_tiers() {
    let text = report(SceneName::Castles, 5_000, WorldConfig::new()).to_string();
    for word in ["common", "oversized", "static", "pairs", "memory", "time", "population"] {
        assert!(text.contains(word), "{word} is missing from:\n{text}");
    }
    assert!(text.lines().all(|line| line.len() <= 130), "{text}");
    // Before the first step there is little to tell, and no fault in that.
    assert!(World::default().report().to_string().contains("oversized"));
}

/// What a world holds for workers tells how many there were.
#[cfg(feature = "parallel")]
#[test]
fn steps_below_the_parallel_threshold_stay_on_one_thread() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build().unwrap();
    let held = |bodies: usize, config: WorldConfig| {
        let centers: Vec<[f32; 2]> = (0..bodies).map(|k| [(k % 100) as f32, (k / 100) as f32]).collect();
        let mut world = World::new(config).unwrap();
        pool.install(|| world.step(Bodies::uniform(&centers, [0.4, 0.4])).map(|_| ())).unwrap();
        world.report().body_bytes
    };
    let (one, default) = (|| WorldConfig::new().with_parallel_threshold(None), WorldConfig::new);
    assert_eq!(held(7_999, default()), held(7_999, one()));
    assert!(held(8_000, default()) > held(8_000, one()));
    assert!(held(500, default().with_parallel_threshold(500)) > held(500, one()));
    assert_eq!(held(9_000, default().with_parallel_threshold(9_001)), held(9_000, one()));
}
