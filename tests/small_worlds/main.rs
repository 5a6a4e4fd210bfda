//! Worlds of few bodies that reach each part with `unsafe` code: the kernels of each instruction
//! set, the records that tasks write to one buffer, strided columns, and mutable rows in parallel.
//!
//! `.ci/miri` runs them in Miri, which reports undefined behavior and data races, but is slow.

use std::sync::Mutex;
use triphase::{Bodies, BodyShape, ChangedRows, StreamedPage, StridedColumn, World, WorldConfig};
use triphase_scenes::SplitMix64;
#[cfg(feature = "parallel")]
use triphase_tests::pools;
use triphase_tests::query_oracle::{Probe, QueryOracle, run_queries};
use triphase_tests::{Columns, ExpectedPairs, FoundPairs, Shape, random_filters, sequential, simd_levels, world};

/// Rows of many sizes, so that some are oversized and cells differ in their population.
fn columns(count: usize, random: &mut SplitMix64) -> Columns {
    let side = (count as f32).sqrt() * 1.5;
    let half = |random: &mut SplitMix64| if random.below(20) == 0 { random.range(0.0, side / 2.0) } else { 0.6 };
    let rows: Vec<_> = (0..count).map(|_| (random.point(0.0, side), [half(random), half(random)])).collect();
    Columns::from_rows(&rows)
}

fn statics(count: usize, random: &mut SplitMix64) -> Vec<[f32; 4]> {
    let wall = |random: &mut SplitMix64| {
        let [x, y] = random.point(-1.0, 12.0);
        [x, y, x + random.range(0.0, 6.0), y + 1.0]
    };
    (0..count).map(|_| wall(random)).collect()
}

/// Calls `each` with a world of each instruction set, and with one whose passes run on two threads.
fn for_each_world(config: &WorldConfig, mut each: impl FnMut(&mut World) + Send) {
    for &level in simd_levels() {
        each(&mut world(config.clone().with_simd_max(level).with_parallel_threshold(None)));
    }
    #[cfg(feature = "parallel")]
    pools()[1].install(|| each(&mut world(config.clone().with_parallel_threshold(0))));
}

#[test]
fn pairs_of_each_kind_are_those_of_brute_force() {
    let mut random = SplitMix64::new(1);
    // So many that they are listed by cell.
    let (mut columns, walls) = (columns(40, &mut random), statics(30, &mut random));
    for shape in [BodyShape::Aabb, BodyShape::Circle] {
        for filters in [None, Some(random_filters(40, &mut random))] {
            let label = format!("{shape:?}, filters {}", filters.is_some());
            columns.filters = filters;
            let mut expected = ExpectedPairs::new(&columns.boxes(), &walls).filtered(columns.filters.as_deref(), None);
            if shape == BodyShape::Circle {
                expected = expected.circles();
            }
            assert!(!expected.bodies.is_empty() && !expected.statics.is_empty(), "{label}");
            let config = WorldConfig::new().with_body_shape(shape).with_bounds([0.7]);
            for_each_world(&config, |world| {
                world.set_statics(&walls).unwrap();
                let found = FoundPairs::new(world.step(columns.bodies()).expect(&label));
                expected.compare(&found).expect(&label);
            });
        }
    }
}

#[test]
fn queries_are_those_of_brute_force() {
    let mut random = SplitMix64::new(2);
    let (columns, walls) = (columns(40, &mut random), statics(10, &mut random));
    let oracle = QueryOracle::new(&columns, &walls);
    let probes = Probe::random(&columns.boxes(), &mut random, 1);
    for_each_world(&WorldConfig::new().with_bounds([0.7]), |world| {
        world.set_statics(&walls).unwrap();
        world.step(columns.bodies()).expect("valid rows");
        probes.iter().for_each(|probe| oracle.check(probe, &run_queries(world.query(), probe)).expect("all hits"));
    });
}

#[test]
fn rows_are_mutable_in_parallel_loops() {
    // Two piles of different sizes, so two bands, and enough pairs for two threads.
    let row = |k: usize| if k.is_multiple_of(2) { ([0.0, 0.0], [0.5, 0.5]) } else { ([50.0, 0.0], [1.0, 1.0]) };
    let columns = Columns::from_rows(&(0..48).map(row).collect::<Vec<_>>());
    let walls = statics(10, &mut SplitMix64::new(4));
    for_each_world(&WorldConfig::new().with_bounds([0.7, 2.0]), |world| {
        world.set_statics(&walls).unwrap();
        let contacts = world.step(columns.bodies()).expect("valid rows");
        let mut expected = vec![0; columns.len()];
        contacts.body_pairs().flat_map(|pair| [pair.a, pair.b]).for_each(|row| expected[row as usize] += 1);
        contacts.static_pairs().for_each(|pair| expected[pair.body as usize] += 100);
        let mut counts = vec![0; columns.len()];
        let count_both = |_, a: &mut u32, b: &mut u32| (*a, *b) = (*a + 1, *b + 1);
        contacts.par_for_each_pair_mut(&mut counts, count_both).expect("a column of the step");
        contacts.par_for_each_static_pair_mut(&mut counts, |_, row| *row += 100).expect("a column of the step");
        assert_eq!(counts, expected);
    });
}

#[test]
fn changed_rows_are_found_and_tracked() {
    let mut random = SplitMix64::new(5);
    let (first, walls) = (columns(40, &mut random), statics(10, &mut random));
    let config = WorldConfig::new().with_bounds([0.7]).with_contact_tracking(true);
    for_each_world(&config, |world| {
        let mut columns = first.clone();
        world.set_statics(&walls).unwrap();
        world.step_changed(columns.bodies(), ChangedRows::NONE).expect("valid rows");
        // So few that the step is updated; the row keeps moving, so its neighbors are listed.
        for frame in 1..4 {
            columns.centers_mut()[17] = random.point(4.0, 4.5);
            let contacts = world.step_changed(columns.bodies(), &[17]).expect("valid rows");
            let found = FoundPairs::new(contacts);
            ExpectedPairs::new(&columns.boxes(), &walls).compare(&found).expect("all pairs");
            assert_eq!(world.report().filed_steps_ago, frame);
        }
    });
}

#[test]
fn pages_are_streamed_from_tasks() {
    let columns = columns(40, &mut SplitMix64::new(6));
    for_each_world(&WorldConfig::new().with_bounds([0.7]), |world| {
        let streamed = Mutex::new(0);
        let listener = |page: StreamedPage<'_>| *streamed.lock().unwrap() += page.len();
        let count = world.step_streamed(columns.bodies(), listener).expect("valid rows").body_pairs().len();
        assert!(count > 0 && streamed.into_inner().unwrap() == count, "{count} pairs");
    });
}

#[test]
fn fields_of_structs_are_read_in_place() {
    #[derive(Clone, Copy, bytemuck::NoUninit)]
    #[repr(C)]
    struct Unit {
        is_alive: bool,
        unused: [u8; 3],
        center: [f32; 2],
    }
    let mut random = SplitMix64::new(8);
    let columns = Columns::uniform((0..40).map(|_| random.point(0.0, 8.0)).collect(), [0.5, 0.5]);
    let unit = |&center: &[f32; 2]| Unit { is_alive: true, unused: [0xff; 3], center };
    let Shape::Uniform { centers, half_extents } = &columns.shape else { unreachable!("as made") };
    let units: Vec<Unit> = centers.iter().map(unit).collect();
    let mut world = sequential();
    let bodies = Bodies::uniform_strided(StridedColumn::of(&units, |unit| &unit.center), *half_extents);
    let found = FoundPairs::new(world.step(bodies).expect("valid rows"));
    ExpectedPairs::new(&columns.boxes(), &[]).compare(&found).expect("all pairs");
}
