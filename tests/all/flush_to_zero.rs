//! Hosts that make the processor flush subnormal numbers to zero: audio and game engines do.
//!
//! Rust assumes that nobody does, so this is about what holds all the same: see ARCHITECTURE.md,
//! "Platforms".

// The mode is a register that only assembly can set.
#![allow(unsafe_code)]

use std::arch::asm;
use triphase::{Bodies, BodyShape, Pair, SimdLevel, WorldConfig};
use triphase_scenes::{Scene, SceneName, SplitMix64};
use triphase_tests::query_oracle::{Probe, QueryResults, run_queries};
use triphase_tests::{FoundPairs, simd_levels, world};

/// Bits of the control register: flush results, and treat subnormal operands as zero.
#[cfg(target_arch = "x86_64")]
const FLUSH: u64 = 1 << 15 | 1 << 6;
#[cfg(target_arch = "aarch64")]
const FLUSH: u64 = 1 << 24;

/// Replaces the control register of this thread, and returns what it was.
#[inline(never)]
fn replace_control(new: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        let (mut old, new) = (0u32, new as u32);
        // SAFETY: both are memory of four bytes. All bits of `new` are those of an earlier value
        // or of `FLUSH`.
        unsafe { asm!("stmxcsr [{0}]", "ldmxcsr [{1}]", in(reg) &raw mut old, in(reg) &raw const new) };
        u64::from(old)
    }
    #[cfg(target_arch = "aarch64")]
    {
        let old: u64;
        // SAFETY: all bits of `new` are those of an earlier value or of `FLUSH`.
        unsafe { asm!("mrs {0}, fpcr", "msr fpcr, {1}", out(reg) old, in(reg) new) };
        old
    }
}

fn start_flushing() {
    let control = replace_control(0);
    replace_control(control | FLUSH);
}

/// Calls `run` on a new thread that flushes subnormal numbers.
fn flushing<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            start_flushing();
            assert!(!keeps_subnormals());
            run()
        });
        thread.join().expect("no panic")
    })
}

/// Whether this thread computes with subnormal numbers.
fn keeps_subnormals() -> bool {
    std::hint::black_box(f32::MIN_POSITIVE) * std::hint::black_box(0.5) > 0.0
}

struct Rows {
    centers: Vec<[f32; 2]>,
    half_extents: Vec<[f32; 2]>,
}

impl Rows {
    fn bodies(&self) -> Bodies<'_> {
        Bodies::new(&self.centers, &self.half_extents)
    }

    /// All pairs, by comparing each with each on this thread.
    fn brute_force(&self) -> Vec<(u32, u32)> {
        let rows = self.centers.iter().zip(&self.half_extents);
        let boxes: Vec<_> = rows.map(|([x, y], [w, h])| [x - w, y - h, x + w, y + h]).collect();
        triphase::reference::self_pairs(&boxes)
    }

    /// The pairs of a world on this thread.
    fn step(&self, config: WorldConfig) -> FoundPairs {
        FoundPairs::new(world(config).step(self.bodies()).expect("valid rows"))
    }
}

/// A world of the size of the smallest numbers: a tenth of the positions and all sizes are
/// subnormal.
fn tiny() -> Rows {
    let mut random = SplitMix64::new(3);
    let mut below = |end: f32| (random.next_u64() >> 40) as f32 / (1u64 << 24) as f32 * end;
    let centers = (0..3000).map(|_| [below(1e-37), below(1e-37)]).collect();
    Rows { centers, half_extents: (0..3000).map(|_| [below(1.2e-38), below(1.2e-38)]).collect() }
}

/// Boxes that touch each other at 0, apart from subnormal gaps.
fn gaps_at_zero() -> Rows {
    const TINY: [f32; 6] = [0.0, -0.0, 1e-45, -1e-45, 1e-39, -1e-39];
    let mut random = SplitMix64::new(4);
    let mut tiny = || TINY[(random.next_u64() % 6) as usize];
    let row = |k: usize| {
        let side = [-0.5, 0.0, 0.5][k % 3];
        let half = if side == 0.0 { tiny().abs() } else { 0.5 };
        ([side + tiny(), (k / 3) as f32 * 0.75], [half, 0.25 + tiny()])
    };
    let (centers, half_extents) = (0..2000).map(row).unzip();
    Rows { centers, half_extents }
}

/// The scene `crowd`, its coordinates divided by a power of two.
fn crowd(exponent: i32) -> Rows {
    let scene = Scene::new(SceneName::Crowd, 3000, 1);
    let scaled = |column: &[[f32; 2]]| column.iter().map(|v| v.map(|v| v * 2f32.powi(-exponent))).collect();
    Rows { centers: scaled(&scene.centers), half_extents: scaled(&scene.half_extents) }
}

fn sorted(pairs: &FoundPairs) -> Vec<(u32, u32)> {
    let mut pairs = pairs.bodies.clone();
    pairs.sort_unstable();
    pairs
}

/// If all threads flush, the pairs are those that the same comparisons give by brute force, in the
/// same order on each SIMD level and each number of threads.
#[test]
fn pairs_are_exact_if_all_threads_flush() {
    for (name, rows) in [("tiny", tiny()), ("gaps_at_zero", gaps_at_zero())] {
        let flushed = flushing(|| rows.brute_force());
        assert_ne!(flushed, rows.brute_force(), "{name}: the mode makes a difference");
        for (exact, run) in [(rows.brute_force(), false), (flushed, true)] {
            let on_thread = |config: WorldConfig| if run { flushing(|| rows.step(config)) } else { rows.step(config) };
            let expected = on_thread(WorldConfig::new().with_parallel_threshold(None));
            assert_eq!(sorted(&expected), exact, "{name}, flushed: {run}");
            for &simd in simd_levels() {
                let config = WorldConfig::new().with_simd_max(simd);
                assert_eq!(on_thread(config.clone().with_parallel_threshold(None)), expected, "{name}, {simd:?}");
                #[cfg(feature = "parallel")]
                {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(3);
                    let pool = pool
                        .start_handler(move |_| {
                            if run {
                                start_flushing()
                            }
                        })
                        .build()
                        .expect("a pool");
                    let found = pool.install(|| rows.step(config.with_parallel_threshold(1)));
                    assert_eq!(found, expected, "{name}, {simd:?}, 3 threads");
                }
            }
        }
    }
}

/// If coordinates and half-extents are 0 or at least 2^-102, all boxes are computed without
/// subnormal numbers. Then the mode of no thread matters: neither that of the caller, nor those of
/// a pool, which do not inherit it.
#[test]
fn larger_coordinates_do_not_depend_on_the_mode() {
    for (shape, exponent) in
        [(BodyShape::Aabb, 0), (BodyShape::Aabb, 80), (BodyShape::Circle, 0), (BodyShape::Circle, 30)]
    {
        let rows = crowd(exponent);
        let smallest = rows.centers.iter().chain(&rows.half_extents).flatten().map(|v| v.abs()).filter(|&v| v > 0.0);
        assert!(smallest.fold(1.0, f32::min) >= 2f32.powi(-102));
        let config = WorldConfig::new().with_body_shape(shape);
        let expected = rows.step(config.clone().with_parallel_threshold(None));
        assert!(expected.bodies.len() > 1000);
        for &simd in simd_levels() {
            let config = config.clone().with_simd_max(simd);
            let label = format!("{shape:?}, 2^-{exponent}, {simd:?}");
            assert_eq!(flushing(|| rows.step(config.clone().with_parallel_threshold(None))), expected, "{label}");
            #[cfg(feature = "parallel")]
            {
                let config = config.with_parallel_threshold(1);
                // The caller alone: the threads of the global pool were started by another one.
                assert_eq!(flushing(|| rows.step(config.clone())), expected, "{label}, the caller");
                let pool = rayon::ThreadPoolBuilder::new().num_threads(3);
                let pool = pool
                    .start_handler(|k| {
                        if k != 1 {
                            start_flushing()
                        }
                    })
                    .build()
                    .expect("a pool");
                assert_eq!(pool.install(|| rows.step(config)), expected, "{label}, two of three threads");
            }
        }
    }
}

/// What a world finds in two steps, of bodies that move and of statics.
#[derive(Debug, PartialEq)]
struct Found {
    /// With displacements, and then told which rows changed.
    steps: [FoundPairs; 2],
    /// The contacts that began in the second step.
    started: Vec<Pair>,
    queries: Vec<QueryResults>,
}

impl Found {
    /// The scene `castles`, its coordinates divided by a power of two.
    fn of(exponent: i32, simd: SimdLevel, query_count: usize) -> Self {
        let scale = 2f32.powi(-exponent);
        let scaled = |column: &[[f32; 2]]| -> Vec<_> { column.iter().map(|v| v.map(|v| v * scale)).collect() };
        let scene = Scene::new(SceneName::Castles, 2000, 1);
        let statics: Vec<_> = scene.statics.iter().map(|aabb| aabb.map(|edge| edge * scale)).collect();
        let (mut centers, half_extents) = (scaled(&scene.centers), scaled(&scene.half_extents));
        let displacements: Vec<_> = (0..2000).map(|k| [[scale, 0.0], [-0.5 * scale, scale]][k % 2]).collect();
        let config = WorldConfig::new().with_simd_max(simd).with_contact_tracking(true).with_margin(0.25 * scale);
        let mut world = world(config.with_parallel_threshold(None));
        world.set_statics(&statics).expect("valid statics");
        let bodies = Bodies::new(&centers, &half_extents).with_displacements(&displacements);
        world.step_changed(bodies, &[0u32; 0]).expect("valid rows");
        let first = FoundPairs::new(world.contacts());
        let changed: Vec<u32> = (0..2000).step_by(50).collect();
        changed.iter().for_each(|&row| centers[row as usize][0] += scale);
        let bodies = Bodies::new(&centers, &half_extents).with_displacements(&displacements);
        let contacts = world.step_changed(bodies, &changed).expect("valid rows");
        let started = contacts.events().expect("contacts are tracked").started().map(|contact| contact.pair).collect();
        let boxes: Vec<_> = (0..2000).filter_map(|row| world.aabb(row)).collect();
        let probes = Probe::random(&boxes, &mut SplitMix64::new(5), query_count);
        let queries = probes.iter().take(query_count).map(|probe| run_queries(world.query(), probe)).collect();
        Self { steps: [first, FoundPairs::new(world.contacts())], started, queries }
    }
}

/// The same holds for displacements, statics, told steps and events, and for queries in worlds of
/// usual size, whose squares of distances are not subnormal.
#[test]
fn all_that_is_found_of_larger_coordinates_is_independent_of_the_mode() {
    for (exponent, query_count) in [(0, 40), (80, 0)] {
        for &simd in simd_levels() {
            let expected = Found::of(exponent, simd, query_count);
            assert!(
                expected.steps.iter().all(|pairs| pairs.statics.len() > 1000),
                "{}",
                expected.steps[0].statics.len()
            );
            assert!(!expected.started.is_empty());
            assert!(flushing(|| Found::of(exponent, simd, query_count)) == expected, "2^-{exponent}, {simd:?}");
        }
    }
}
