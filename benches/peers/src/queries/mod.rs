//! triphase and other engines, asked the same questions between steps.
//!
//! ```text
//! cargo run --release --manifest-path benches/peers/Cargo.toml --bin queries -- --scene crowd,castles --bodies 100000
//! cargo run --release --manifest-path benches/peers/Cargo.toml --bin queries -- --scene towns,town_boxes --towns FILE
//! ```
//!
//! Modules, lowest first:
//!
//! * [`subject`]: the boxes that are asked about; [`towns`]: those of a file.
//! * [`lists`]: the questions, drawn from a seed; [`exact`]: their answers by brute force.
//! * [`engine`]: what an engine is here; [`engines`]: them, a file each, and their list.
//! * [`check`]: whether answers are right; [`race`]: who is how fast, by a
//!   [`clock`].
//! * [`figures`]: what comes of it; [`options`]: what is asked for.

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
