//! What the test files share: inputs that own their columns, a quick oracle, worlds in every configuration that
//! must not matter, and a small random number generator.

#![allow(dead_code, unreachable_pub, unused_imports)] // Every test file is a crate of its own and uses a part of this.

pub mod counting;
mod drawn;
mod fleet;
mod input;
mod oracle;
mod play;
mod property;
pub mod questions;
mod random;

pub use drawn::{KINDS, drawn};
#[cfg(feature = "parallel")]
pub use fleet::pools;
pub use fleet::{Fleet, Found, hits};
pub use input::{Columns, Shape};
pub use oracle::{Truth, allowed, cross_pairs, self_pairs};
pub use play::{Lullaby, Play, plain};
pub use property::settings;
pub use random::Random;

use triphase::{World, WorldConfig};

/// A world that runs on the calling thread alone.
pub fn sequential() -> World {
    world(WorldConfig::new().with_parallel_threshold(None))
}

/// A world of settings that are known to be good.
pub fn world(config: WorldConfig) -> World {
    World::new(config).expect("good settings")
}

/// Steps `columns` once in a fresh world of each configuration and compares with the truth. `label` is printed
/// when they differ. Returns the truth, so that a test can say that its input is not idle.
pub fn check_once(label: &str, configs: &[(&str, WorldConfig)], columns: &Columns, statics: &[[f32; 4]]) -> Truth {
    let truth = Truth::new(&columns.boxes(), statics, |_| true);
    for (name, config) in configs {
        let mut world = world(config.clone());
        world.set_statics(statics).unwrap_or_else(|error| panic!("{label}, {name}: {error}"));
        match world.step(columns.bodies()) {
            Ok(contacts) => truth.compare(&Found::new(contacts)),
            Err(error) => Err(error.to_string()),
        }
        .unwrap_or_else(|what| panic!("{label}, {name}: {what}"));
    }
    truth
}
