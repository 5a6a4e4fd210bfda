//! Races triphase against other engines, which must find the same pairs in the same frames.
//!
//! ```text
//! cargo run --release --manifest-path benches/peers/Cargo.toml -- \
//!     --scene crowd --bodies 100000 --threads 1
//! cargo run --release --manifest-path benches/peers/Cargo.toml -- \
//!     --scene crowd,dragons,castles --bodies 100000,1000000
//! cargo run --release --manifest-path benches/peers/Cargo.toml -- \
//!     --map FILE --bodies 100000
//! ```
//!
//! Modules, lowest first:
//!
//! * [`engine`]: the interface of an engine; [`boxes`]: what all engines share.
//! * [`engines`]: the engines, a file each, and the list of them.
//! * [`memory`]: an allocator that counts for each engine.
//! * [`check`]: compares pairs; [`subject`]: what is raced; [`race`]: measures the engines.
//! * [`figures`], [`machine`], [`record`]: the output; [`options`]: the command line.
//! * [`queries`]: the same for queries between steps.

pub mod boxes;
pub mod engine;

pub mod engines;

pub mod memory;

pub mod check;
pub mod subject;

pub mod race;

pub mod figures;
pub mod machine;
pub mod options;
pub mod record;

pub mod queries;
