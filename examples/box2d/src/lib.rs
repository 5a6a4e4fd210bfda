//! Box2D's own scenes, simulated by its solver, and the pairs of their boxes found by Box2D's tree,
//! by a uniform grid and by triphase.
//!
//! * [`scenes`]: the scenes; [`simulation`]: a Box2D world and the boxes of its shapes.
//! * [`recording`]: the boxes of all steps, and what changed from one to the next.
//! * [`engines`]: what finds pairs; `engines/triphase.rs` is the part to copy.
//! * [`race`]: replays a recording to several engines and compares their pairs.
//! * [`table`]: the output.

pub mod recording;
pub mod scenes;
pub mod simulation;

pub mod engines;

pub mod race;
pub mod table;

// Two engines of the peers, compiled from there: that package would build a dozen others as well.
#[path = "../../../benches/peers/src/boxes.rs"]
pub mod boxes;
#[path = "../../../benches/peers/src/engine.rs"]
pub mod engine;
