//! The report of a world: tiers, bounds, cells and phase times, and its text.

use std::ops::Range;
use std::time::Duration;
use triphase::{Bodies, GridReport, InvalidRows, PhaseTimes, Report, World, WorldConfig};
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
        grid.half_extents_max.iter().all(|max| (0.5..1.0).contains(max)),
        "the bound lies just above the crowd: {:?}",
        grid.half_extents_max
    );
    assert!((1.0..5.0).contains(&grid.cell_size[0]) && (1.0..5.0).contains(&grid.cell_size[1]), "{grid:?}");
    assert!((2.0..8.0).contains(&grid.crowding), "{grid:?}");
    assert!(grid.cell_count > 1_000 && grid.band_count > 1, "{grid:?}");
    assert_eq!(report.advice, []);
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
    assert!(report.grids.is_sorted_by(|a, b| a.half_extents_max < b.half_extents_max));
}

#[test]
fn wide_and_tall_bodies_get_a_grid_each() {
    let report = report(SceneName::WideAndTall, 20_000, WorldConfig::new());
    let [one, other] = &report.grids[..] else { panic!("two classes: {report}") };
    assert_eq!([one.body_count, other.body_count], [10_000; 2], "{report}");
    assert!(one.half_extents_max[1] < 0.01 && one.half_extents_max[0] > 20.0, "{report}");
    assert!(report.to_string().contains(" x 0.0"), "{report}");
}

#[test]
fn given_bounds_are_reported() {
    let report = report(SceneName::Dragons, 20_000, WorldConfig::new().with_bounds([0.4, 0.5]));
    let [small, large] = &report.grids[..] else { panic!("two classes") };
    let is_about = |grid: &GridReport, bound: f32| grid.half_extents_max.iter().all(|max| (max - bound).abs() < 1e-3);
    assert!(is_about(small, 0.4) && is_about(large, 0.5), "{report}");
    assert!(small.body_count > 4_000 && large.body_count > 8_000, "{report}");
    assert_eq!(report.oversized_count, 20, "bodies at the bound are not above it: {report}");
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
fn told_steps_time_their_phases_from_32_changed_rows_on() {
    let centers: Vec<[f32; 2]> = (0..1000).map(|k| [k as f32, 0.0]).collect();
    let mut world = World::default();
    let mut step = |changed: Range<u32>| {
        let rows: Vec<u32> = changed.collect();
        world.step_changed(Bodies::uniform(&centers, [0.4, 0.4]), &rows).unwrap();
        world.report().phases
    };
    step(0..0);
    for count in [0, 0, 1, 31] {
        let mut phases = step(0..count);
        // May be less than a tick of the clock.
        phases.total = Duration::ZERO;
        assert_eq!(phases, PhaseTimes::default(), "{count} rows");
    }
    let phases = step(0..32);
    let passed = phases.plan + phases.find_pairs + phases.partition + phases.gather;
    assert!(phases.find_pairs > Duration::ZERO && passed <= phases.total, "{phases:?}");
}

#[test]
fn bands_are_planned_from_valid_rows_among_skipped_ones() {
    let scene = Scene::new(SceneName::Crowd, 40_000, 3);
    let config = WorldConfig::new().with_invalid_rows(InvalidRows::Skip);
    for invalid in [[f32::NAN; 2], [-1e3, 1e3]] {
        let mut half_extents = scene.half_extents.clone();
        half_extents.iter_mut().enumerate().filter(|(row, _)| row % 4 > 0).for_each(|(_, half)| *half = invalid);
        let mut world = World::new(config.clone()).unwrap();
        world.step(Bodies::new(&scene.centers, &half_extents)).unwrap();
        let report = world.report();
        let [grid] = &report.grids[..] else { panic!("one size: {report}") };
        assert!(report.skipped_count == 30_000 && grid.body_count == 10_000 && grid.band_count > 1, "{report}");
        assert!(grid.half_extents_max.iter().all(|half| (0.4..1.0).contains(half)), "{report}");
    }
}

/// Boxes, rows and ghosts of two steps take 42 bytes, and where their cells start 5; the rest is to
/// spare, or temporary.
#[test]
fn a_body_takes_little_memory() {
    let mut scene = Scene::new(SceneName::Crowd, 200_000, 1);
    let mut world = World::new(WorldConfig::new().with_parallel_threshold(None)).unwrap();
    for _ in 0..3 {
        scene.advance();
        world.step(Bodies::new(&scene.centers, &scene.half_extents)).unwrap();
    }
    let bytes = world.report().bytes_per_body();
    assert!((47.0..60.0).contains(&bytes), "{bytes}");
}

#[test]
fn report_prints_its_fields() {
    let report = report(SceneName::Castles, 5_000, WorldConfig::new());
    let text = report.to_string();
    let (tiers, times) = text.split_once("\ntime ").unwrap();
    let per_body = report.body_bytes as f64 / 5_000.0;
    let per_static = report.static_bytes as f64 / 1_000.0;
    let pair_mib = report.pair_bytes as f64 / (1 << 20) as f64;
    let expected = format!(
        "\
bodies    5000: 4995 common, 5 oversized (in the double grid)
grid      4995 bodies with half-extents up to 0.749, in cells of 1.10 x 2.90 with 3.2 bodies each, cut into 2 bands
statics   1000
pairs     {} of two bodies, {} of a body and a static
memory    {per_body:.1} bytes a body, {per_static:.1} bytes a static, {pair_mib:.1} MiB for pairs",
        report.body_pair_count, report.static_pair_count
    );
    assert_eq!(tiers, expected);
    assert!(report.body_pair_count > 0 && report.static_pair_count > 0);
    let total_ms = report.phases.total.as_secs_f64() * 1e3;
    assert!(times.trim_start().starts_with(&format!("{total_ms:.3} ms, of these: plan ")), "{times}");
    assert_eq!(format!("time {times}"), report.phases.to_string());
    assert!(!times.contains("track contacts"), "phases that were left out are not listed: {times}");
    assert!(text.lines().all(|line| line.len() <= 130), "{text}");
}

#[test]
fn report_prints_when_all_rows_were_filed() {
    let mut centers: Vec<[f32; 2]> = (0..500).map(|k| [k as f32, 0.0]).collect();
    let mut world = World::default();
    for (step, line) in [None, Some("1 step ago"), Some("2 steps ago")].into_iter().enumerate() {
        centers[3][1] += 0.1;
        let changed: &[u32] = if step == 0 { &[] } else { &[3] };
        world.step_changed(Bodies::uniform(&centers, [0.4, 0.4]), changed).unwrap();
        let report = world.report();
        assert_eq!(report.filed_steps_ago, step as u64);
        let line = line.map(|ago| format!("filed     all rows {ago}, changed ones since"));
        let text = report.to_string();
        assert_eq!(text.lines().find(|line| line.starts_with("filed")), line.as_deref(), "{text}");
    }
    world.step(Bodies::uniform(&centers, [0.4, 0.4])).unwrap();
    assert_eq!(world.report().filed_steps_ago, 0);
}

#[test]
fn report_prints_cached_and_skipped_rows_only_if_there_are_any() {
    let plain = World::default().report().to_string();
    let expected = "\
bodies    0: 0 common, 0 oversized (in the double grid)
statics   0
pairs     0 of two bodies, 0 of a body and a static
memory    ";
    assert!(plain.starts_with(expected), "before the first step:\n{plain}");
    assert!(!plain.contains("advice") && plain.ends_with("time      0.000 ms"), "{plain}");

    let mut centers: Vec<[f32; 2]> = (0..500).map(|k| [k as f32, 0.0]).collect();
    centers[7][0] = f32::NAN;
    let mut world = World::new(WorldConfig::new().with_invalid_rows(InvalidRows::Skip)).unwrap();
    for _ in 0..3 {
        world.step(Bodies::uniform(&centers, [0.4, 0.4]).with_asleep(&[true; 500])).unwrap();
    }
    let text = world.report().to_string();
    let lines: Vec<&str> = text.lines().collect();
    let expected = [
        "bodies    499: 499 common, 0 oversized (in the double grid), 1 more skipped as invalid",
        "asleep    499 bodies, whose pairs were reused",
    ];
    assert_eq!(lines[..2], expected, "{text}");
}
