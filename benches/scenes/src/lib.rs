//! Scenes for tests, benches and examples: columns of bodies and statics, created from a name, a
//! number of bodies and a seed, and moved frame by frame. [`Walkers`] move through a game [`Map`].
//!
//! This package does not use triphase, so what is checked with it cannot share its mistakes.
//!
//! The same name, number and seed give the same columns in every frame. Most scenes use
//! only exact IEEE operations; `power_law` and `cities` use `exp` and `ln` in f64, rounded to f32.
//!
//! Every value is finite, and no half-extent is negative.
//!
//! SCENE-3: rows of bodies and of statics of a scene are shuffled, so their order is unrelated to
//! positions.
//!
//! The number of pairs is linear in the number of bodies (`coincident` has 500 per body).
//!
//! ```
//! use triphase_scenes::{Scene, SceneName};
//! let mut scene = Scene::new("castles".parse()?, 1_000, 7);
//! assert_eq!((scene.centers.len(), scene.statics.len()), (1_000, 200));
//! scene.advance();
//! assert_eq!(scene.name, SceneName::Castles);
//! # Ok::<(), triphase_scenes::UnknownScene>(())
//! ```

mod layouts;
mod map;
mod name;
mod random;
mod random_rows;

mod motion;
mod pile;
mod scene;

mod advance;
mod create;

mod cities;
mod crowds;
mod extremes;
mod lattices;
mod lines;
mod mixed;
mod movers;
mod published;
mod slow;
mod thin;
mod walkers;

pub use layouts::BoxLayout;
pub use map::Map;
pub use movers::Movers;
pub use name::{SceneName, UnknownScene};
pub use random::SplitMix64;
pub use random_rows::{ROW_KINDS, RandomRows, random_rows};
pub use scene::Scene;
pub use walkers::Walkers;
