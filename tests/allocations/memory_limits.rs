//! Limits are checked before memory is allocated: the counting allocator knows the most bytes that
//! were held, and a single allocation of more than a gigabyte ends the process.

use triphase::{Bodies, Error, World, WorldConfig};
use triphase_tests::allocation_counter::Watch;
#[cfg(feature = "parallel")]
use triphase_tests::allocation_counter::WatchedPool;
use triphase_tests::world;

const MIB: usize = 1 << 20;

#[test]
fn more_rows_than_u32_can_number_are_refused_without_memory() {
    let watch = Watch::start();
    // All chunks share the same million rows, so that too many rows need little memory.
    let centers = vec![[0.0f32, 0.0]; 1 << 20];
    let chunk = Bodies::uniform(&centers, [0.0, 0.0]);
    let mut world = World::new(WorldConfig::new().with_pair_limit(100)).unwrap();
    world.step(Bodies::uniform(&[[1.0f32, 1.0], [1.0, 1.5]], [0.5, 0.5])).unwrap();
    let chunks = vec![chunk; 4097];
    let rows_given = chunks.len().saturating_mul(1 << 20); // on 32-bit targets too
    let (error, peak) = watch.peak(|| world.step(&chunks).map(|_| ()).unwrap_err());
    let Error::TooManyRows { rows, rows_max } = error else { panic!("{error}") };
    assert_eq!(rows, rows_given);
    assert!(rows_max as u64 <= 1 << 32);
    assert_eq!(error.to_string(), format!("{rows} rows exceed the maximum of {rows_max}"));
    assert!(peak < MIB, "{peak} bytes were held");
    assert_eq!((world.contacts().body_pairs().len(), world.contacts().body_count()), (1, 2));
}

/// Steps twelve million pairs, 100 MB of them, against a limit of a thousand.
fn check_pair_limit(watch: &Watch, config: WorldConfig) {
    let centers = vec![[3.0f32, 3.0]; 5000];
    let walls = vec![[3.0f32, 3.0, 4.0, 4.0]; 5000];
    for (bodies, statics) in [(5000, 0), (1000, 5000)] {
        let mut world = world(config.clone().with_pair_limit(1000));
        world.set_statics(&walls[..statics]).unwrap();
        let bodies = Bodies::uniform(&centers[..bodies], [0.5, 0.5]);
        let (result, peak) = watch.peak(|| world.step(bodies).map(|_| ()));
        assert_eq!(result, Err(Error::TooManyPairs { limit: 1000 }));
        assert!(peak < 4 * MIB, "{peak} bytes were held");
    }
}

#[test]
fn refused_step_holds_no_pairs_beyond_the_limit() {
    let watch = Watch::start();
    check_pair_limit(&watch, WorldConfig::new().with_parallel_threshold(None));
    #[cfg(feature = "parallel")]
    WatchedPool::new(4).install(|| check_pair_limit(&watch, WorldConfig::new().with_parallel_threshold(0)));
}

#[test]
fn memory_is_independent_of_the_extent_of_the_world() {
    let watch = Watch::start();
    // Four bodies at the corners of all there is; then small ones in one spot and one far away;
    // then beams.
    let big = f32::MAX;
    let corners = vec![[big, big, big, big], [-big, -big, -big, -big], [-big, big, -big, big], [0.0, 0.0, 0.0, 0.0]];
    let spot = (0..1000).map(|k| [k as f32 * 1e-6; 4]).chain([[1e30; 4]]).collect();
    let beams = (0..1000).map(|k| [-1e9, k as f32, 1e9, k as f32 + 0.5]).collect();
    let poles = (0..1000).map(|k| [k as f32, -1e9, k as f32 + 0.5, 1e9]).collect();
    let lattice = (0..1024).map(|k| [(k % 32) as f32, (k / 32) as f32].map(|x| x * 1e6)).map(|[x, y]| [x, y, x, y]);
    let layouts: [Vec<[f32; 4]>; 5] = [corners, spot, beams, poles, lattice.collect()];
    for (k, boxes) in layouts.iter().enumerate() {
        for cell_size in [None, Some(1e-6), Some(1e-30)] {
            let config = WorldConfig::new().with_parallel_threshold(None);
            let mut world = world(cell_size.map_or(config.clone(), |side| config.with_cell_size(side)));
            let (result, peak) = watch.peak(|| {
                world.set_statics(boxes)?;
                world.step(Bodies::from_aabbs(boxes)).map(|_| ())
            });
            result.unwrap();
            assert!(peak < 4 * MIB, "layout {k}, cells {cell_size:?}: {peak} bytes were held");
        }
    }
}

#[test]
fn crowded_cell_without_pairs_reserves_no_room_for_them() {
    let watch = Watch::start();
    // 100,000 points in what would be one cell of a few larger bodies; no two of them touch.
    let mut boxes: Vec<[f32; 4]> =
        (0..100_000).map(|k| [(k % 316) as f32 * 1e-4, (k / 316) as f32 * 1e-4]).map(|[x, y]| [x, y, x, y]).collect();
    boxes.extend(
        (0..1000).map(|k| [(k % 32) as f32 * 3.0 + 5.0, (k / 32) as f32 * 3.0]).map(|[x, y]| [x, y, x + 1.0, y + 1.0]),
    );
    let mut world = world(WorldConfig::new().with_parallel_threshold(None).with_bound(1.0));
    let (pairs, peak) = watch.peak(|| world.step(Bodies::from_aabbs(&boxes)).unwrap().body_pairs().len());
    assert_eq!(pairs, 0);
    assert!(peak < 64 * MIB, "{peak} bytes were held");
}

#[cfg(feature = "parallel")]
#[test]
fn memory_does_not_grow_with_threads_times_bodies() {
    let watch = Watch::start();
    // A cross: whichever axis bands divide, half of the bodies are at one place on it, and make one
    // large band.
    let count = 200_000;
    let bar = |k: usize| [k as f32 * 2.0, 0.0];
    let centers: Vec<[f32; 2]> =
        (0..count).map(|k| if k % 2 == 0 { bar(k) } else { [bar(k)[1] - 1.0, bar(k)[0] - 1e5] }).collect();
    let pool = WatchedPool::new(8);
    let start = watch.held();
    let mut world = World::default();
    for _ in 0..3 {
        pool.install(|| world.step(Bodies::uniform(&centers, [0.5, 0.5])).map(|_| ())).unwrap();
    }
    let per_body = (watch.held() - start) as usize / count;
    assert!(per_body < 130, "{per_body} bytes a body");
}
