//! Steps of a scene, for `main.rs` and, as a WebAssembly module, for JavaScript.

// Exported names are an unsafe attribute: another symbol of the same name would be undefined
// behavior. There is none in this package.
#![allow(unsafe_code)]

use std::cell::RefCell;
use triphase::{Bodies, SimdLevel, World, WorldConfig};
use triphase_scenes::{Scene, SceneName, SplitMix64};

/// A scene and the world that steps it.
pub struct Run {
    scene: Scene,
    world: World,
    frame: u64,
    order_hash: u64,
}

impl Run {
    /// A world of the scene `crowd`, before its first step.
    ///
    /// # Panics
    ///
    /// If the number of bodies is not one that the scene has.
    pub fn new(bodies: usize, simd_max: Option<SimdLevel>) -> Self {
        let scene = Scene::new(SceneName::Crowd, bodies, 1);
        let world = World::new(WorldConfig::new().with_simd_max(simd_max)).expect("valid settings");
        Self { scene, world, frame: 0, order_hash: 0 }
    }

    /// Steps the world, and nothing else: this is what is measured. Returns the number of pairs.
    ///
    /// # Panics
    ///
    /// If the step fails.
    pub fn step(&mut self) -> usize {
        let bodies = Bodies::new(&self.scene.centers, &self.scene.half_extents).with_ids(&self.scene.ids);
        self.world.step(bodies).expect("the rows of a scene are valid").body_pairs().len()
    }

    /// Adds the pairs of the last step to the hash, and moves the bodies of the scene.
    pub fn advance(&mut self) {
        for pair in self.world.contacts().body_pairs() {
            let row = u64::from(pair.a) << 32 | u64::from(pair.b);
            let mix = finish(finish(0x9e37_79b9_7f4a_7c15 + 2 * self.frame) ^ row);
            self.order_hash = finish(self.order_hash.wrapping_add(mix));
        }
        self.frame += 1;
        self.scene.advance();
    }

    /// `pair_order_hash` of the example `crowd`, of the frames so far.
    pub fn order_hash(&self) -> u64 {
        self.order_hash
    }
}

fn finish(z: u64) -> u64 {
    // The generator adds this constant to its state before the finalizer.
    SplitMix64::new(z.wrapping_sub(0x9e37_79b9_7f4a_7c15)).next_u64()
}

thread_local! {
    static RUN: RefCell<Option<Run>> = const { RefCell::new(None) };
}

fn with_run<T>(operation: impl FnOnce(&mut Run) -> T) -> T {
    RUN.with_borrow_mut(|run| operation(run.as_mut().expect("`start` was called")))
}

/// Replaces the run by a new one; if `portable`, without SIMD kernels.
#[unsafe(no_mangle)]
pub extern "C" fn start(bodies: u32, portable: u32) {
    let simd_max = (portable != 0).then_some(SimdLevel::Portable);
    RUN.set(Some(Run::new(bodies as usize, simd_max)));
}

/// [`Run::step`].
#[unsafe(no_mangle)]
pub extern "C" fn step() -> u32 {
    with_run(Run::step) as u32
}

/// [`Run::advance`].
#[unsafe(no_mangle)]
pub extern "C" fn advance() {
    with_run(Run::advance);
}

/// [`Run::order_hash`].
#[unsafe(no_mangle)]
pub extern "C" fn order_hash() -> u64 {
    with_run(|run| run.order_hash())
}
