//! Limits are checked before memory is taken. The allocator of this file knows the most that was held, and hands
//! out no single piece of more than a gigabyte: a step that asks for one ends this process, which is the failure.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use triphase::{Bodies, Error, World, WorldConfig};

const PIECE_MAX: usize = 1 << 30;

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

struct Limiting;

#[allow(unsafe_code)]
// SAFETY: every call goes to `System` as it came, or returns null, which callers must expect.
unsafe impl GlobalAlloc for Limiting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() > PIECE_MAX {
            return std::ptr::null_mut();
        }
        PEAK.fetch_max(HELD.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Limiting = Limiting;

/// One test at a time, from before it makes its input.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The most that `call` held beyond what was held before.
fn peak<T>(call: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.load(Relaxed);
    PEAK.store(before, Relaxed);
    let result = call();
    (result, PEAK.load(Relaxed).saturating_sub(before))
}

#[test]
fn more_rows_than_a_u32_can_number_are_refused() {
    let _alone = alone();
    // The same million rows again and again: no memory is needed to have too many.
    let centers = vec![[0.0f32, 0.0]; 1 << 20];
    let chunk = Bodies::uniform(&centers, [0.0, 0.0]);
    let mut world = World::new(WorldConfig::new().with_pair_limit(100)).unwrap();
    world.step(Bodies::uniform(&[[1.0f32, 1.0], [1.0, 1.5]], [0.5, 0.5])).unwrap();
    let chunks = vec![chunk; 4097];
    let rows_given = chunks.len() << 20;
    let (error, taken) = peak(|| world.step(&chunks).map(|_| ()).unwrap_err());
    let Error::TooManyRows { rows, rows_max } = error else { panic!("{error}") };
    assert_eq!(rows, rows_given);
    assert!(rows_max <= 1 << 32);
    assert_eq!(error.to_string(), format!("{rows} rows are more than the {rows_max} that can be numbered"));
    assert!(taken < 1 << 20, "{taken} bytes were taken");
    assert_eq!((world.contacts().body_pairs().len(), world.contacts().body_count()), (1, 2));
}

#[test]
fn a_refused_step_takes_no_memory_for_the_pairs_beyond_the_limit() {
    let _alone = alone();
    // Twelve million pairs, 100 MB of them, against a limit of a thousand.
    let centers = vec![[3.0f32, 3.0]; 5000];
    let walls = vec![[3.0f32, 3.0, 4.0, 4.0]; 5000];
    for sequential in [true, false] {
        for (bodies, statics) in [(5000, 0), (1000, 5000)] {
            let config = WorldConfig::new().with_pair_limit(1000);
            let mut world = World::new(if sequential {
                config.with_parallel_threshold(None)
            } else {
                config.with_parallel_threshold(0)
            })
            .unwrap();
            world.set_statics(&walls[..statics]).unwrap();
            let bodies = Bodies::uniform(&centers[..bodies], [0.5, 0.5]);
            let (result, taken) = peak(|| world.step(bodies).map(|_| ()));
            assert_eq!(result, Err(Error::TooManyPairs { limit: 1000 }));
            assert!(taken < 4 << 20, "{taken} bytes were taken");
        }
    }
}

#[test]
fn memory_follows_bodies_and_not_the_extent_of_their_world() {
    let _alone = alone();
    // Four bodies at the corners of all there is; then small ones in one spot and one far away; then beams.
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
            let mut world = World::new(cell_size.map_or(config.clone(), |side| config.with_cell_size(side))).unwrap();
            let (result, taken) = peak(|| {
                world.set_statics(boxes)?;
                world.step(Bodies::from_aabbs(boxes)).map(|_| ())
            });
            result.unwrap();
            assert!(taken < 4 << 20, "layout {k}, cells {cell_size:?}: {taken} bytes were taken");
        }
    }
}

#[test]
fn one_crowded_spot_does_not_reserve_room_for_pairs_that_are_not_there() {
    let _alone = alone();
    // 100,000 points in what would be one cell of a few larger bodies; no two of them meet.
    let mut boxes: Vec<[f32; 4]> =
        (0..100_000).map(|k| [(k % 316) as f32 * 1e-4, (k / 316) as f32 * 1e-4]).map(|[x, y]| [x, y, x, y]).collect();
    boxes.extend(
        (0..1000).map(|k| [(k % 32) as f32 * 3.0 + 5.0, (k / 32) as f32 * 3.0]).map(|[x, y]| [x, y, x + 1.0, y + 1.0]),
    );
    let mut world = World::new(WorldConfig::new().with_parallel_threshold(None).with_bound(1.0)).unwrap();
    let (pairs, taken) = peak(|| world.step(Bodies::from_aabbs(&boxes)).unwrap().body_pairs().len());
    assert_eq!(pairs, 0);
    assert!(taken < 64 << 20, "{taken} bytes were taken");
}

#[cfg(feature = "parallel")]
#[test]
fn memory_does_not_grow_with_threads_times_bodies() {
    let _alone = alone();
    // A cross: whichever axis bands divide, half of the bodies are at one place on it, and make one large band.
    let count = 200_000;
    let bar = |k: usize| [k as f32 * 2.0, 0.0];
    let centers: Vec<[f32; 2]> =
        (0..count).map(|k| if k % 2 == 0 { bar(k) } else { [bar(k)[1] - 1.0, bar(k)[0] - 1e5] }).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build().unwrap();
    let mut world = World::default();
    for _ in 0..3 {
        pool.install(|| world.step(Bodies::uniform(&centers, [0.5, 0.5])).map(|_| ())).unwrap();
    }
    let bytes = world.report().body_bytes / count;
    assert!(bytes < 130, "{bytes} bytes a body");
}
