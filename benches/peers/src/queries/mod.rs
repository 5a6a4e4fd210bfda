//! Races queries: triphase and other engines run the same queries, with the same results required.
//!
//! ```text
//! cargo run --release --manifest-path benches/peers/Cargo.toml --bin queries -- \
//!     --scene crowd,castles --bodies 100000
//! cargo run --release --manifest-path benches/peers/Cargo.toml --bin queries -- \
//!     --scene towns,town_boxes --towns FILE
//! ```
//!
//! Modules, lowest first:
//!
//! * [`subject`]: the boxes that are queried; [`towns`]: towns from a file.
//! * [`lists`]: the queries, drawn from a seed; [`exact`]: their results by brute force.
//! * [`engine`]: the interface of an engine; [`engines`]: the engines, a file each, and the list of
//!   them.
//! * [`check`]: compares results; [`race`]: measures the engines with a [`clock`].
//! * [`figures`]: the output; [`options`]: the command line.

pub mod subject;
pub mod towns;

pub mod exact;
pub mod lists;

pub mod engine;
pub mod engines;

pub mod check;
pub mod clock;
pub mod race;

pub mod figures;
pub mod options;
