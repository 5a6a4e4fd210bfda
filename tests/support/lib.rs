//! What the integration tests share: inputs that own their columns, brute-force oracles for pairs
//! and queries, and worlds in every configuration that must not change a result.

#![forbid(unsafe_op_in_unsafe_fn)]

mod columns;
mod large_worlds;
mod pair_oracle;
#[cfg(not(target_family = "wasm"))]
mod property;
mod sleep_check;
mod world_set;

pub mod allocation_counter;
pub mod query_oracle;

pub use columns::{
    Columns, Shape, clamp_to_finite, has_grids_for_orientations, pile_and_row, scene_bodies, scene_columns,
    wide_among_tall,
};
pub use large_worlds::{LARGE_WORLD_KINDS, large_world};
pub use pair_oracle::{ExpectedPairs, check_once, cross_pairs, filters_accept, self_pairs};
#[cfg(not(target_family = "wasm"))]
pub use property::settings;
pub use sleep_check::{SleepCheck, SleepSchedule};
#[cfg(feature = "parallel")]
pub use world_set::pools;
pub use world_set::{FoundPairs, WorldSet, hits, simd_levels};

use triphase::{Filter, World, WorldConfig};
use triphase_scenes::SplitMix64;

/// A world that runs on the calling thread alone.
pub fn sequential() -> World {
    world(WorldConfig::new().with_parallel_threshold(None))
}

/// A world of valid settings.
pub fn world(config: WorldConfig) -> World {
    World::new(config).expect("valid settings")
}

/// Filters of which about half accept each other.
pub fn random_filters(count: usize, random: &mut SplitMix64) -> Vec<Filter> {
    let mut bits = || random.pick(&[1, 2, 3, 1 << 31, u32::MAX]);
    (0..count).map(|_| Filter::new(bits(), bits())).collect()
}
