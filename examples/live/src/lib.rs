//! Draws a world of triphase while it runs, into a buffer of pixels.
//!
//! An [`App`] is all that a front needs: it takes keys, pointer and size, and fills a canvas. There
//! are two fronts: a native window (the binary `live`), and a page in a browser (`web/`).
//!
//! In the order of data flow:
//!
//! * [`Settings`]: what can be changed while it runs.
//! * [`Population`]: bodies and statics of a scene, and how they move.
//! * [`Simulation`]: a population and the world that steps it.
//! * [`Camera`], [`Canvas`]: from world units to pixels, and what can be drawn there.
//! * [`App`]: layers, panel and chart on top of each other, and the state of the input.
//! * [`Comparison`]: a step beside a plain grid and brute force, on the same boxes.

mod color;
mod text; // characters of a bitmap font

mod camera;
mod canvas; // pixels and shapes, clipped

#[cfg(feature = "native")]
mod playback;
mod population; // columns that move
mod settings;
mod siege; // a scene like a game's

mod pair_hash;
mod simulation;
mod threads;

mod layers; // what is drawn in world units
mod overlay; // the names of what can be switched

mod chart; // times of the last steps
mod flashes; // contacts that began or ended
mod panel; // text
mod probe; // queries at the pointer

mod app;

mod comparison;
mod plain_grid;

pub use app::App;
pub use camera::Camera;
pub use canvas::Canvas;
pub use color::Color;
pub use comparison::Comparison;
pub use overlay::{Overlay, Overlays};
pub use pair_hash::PairHash;
pub use population::Population;
pub use probe::{Probe, ProbeKind};
pub use settings::{SceneChoice, Settings};
pub use simulation::{Clock, Simulation};
