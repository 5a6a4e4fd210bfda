//! triphase and other engines on the same frames, in turn, with the same pairs to be found.
//!
//! ```text
//! cargo run --release --manifest-path benches/peers/Cargo.toml -- --scene crowd --bodies 100000 --threads 1
//! cargo run --release --manifest-path benches/peers/Cargo.toml -- --scene crowd,dragons,castles --bodies 100000,1000000
//! ```
//!
//! Modules, lowest first:
//!
//! * [`engine`]: what an engine is; [`boxes`]: what all of them share.
//! * [`engines`]: them, a file each, and their list.
//! * [`memory`]: the allocator that counts for each engine.
//! * [`check`]: whether pairs are right; [`race`]: who is how fast.
//! * [`figures`], [`machine`], [`record`]: what comes of it. [`options`]: what is asked for.
//! * [`queries`]: all that once more for questions between steps.

pub mod boxes;
pub mod engine;

pub mod engines;

pub mod memory;

pub mod check;
pub mod race;

pub mod figures;
pub mod machine;
pub mod options;
pub mod record;

pub mod queries;
