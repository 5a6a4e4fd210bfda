//! Scenes for tests, benches and examples: columns of bodies and statics, made from a name, a
//! number of bodies and a seed, and moved a frame at a time.
//!
//! Knows nothing of triphase, so that whatever is measured or checked with it cannot share its
//! mistakes.
//!
//! S1: the same name, number and seed give the same columns, frame after frame. Most scenes use
//! nothing but exact IEEE operations; `power_law` and `cities` use `exp` and `ln` in f64, rounded
//! to f32 after.
//! S2: every value is finite, and no half-extent is negative.
//! S3: rows are shuffled, statics too: the order of rows says nothing about place.
//! S4: pairs stay linear in the number of bodies, except where a scene says otherwise
//! (`coincident`: 500 a body).
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
mod name;
mod random;
mod random_rows;
mod scene;

mod motion;
mod pile;

mod cities;
mod crowds;
mod extremes;
mod lattices;
mod lines;
mod mixed;
mod thin;

pub use layouts::BoxLayout;
pub use name::{SceneName, UnknownScene};
pub use random::SplitMix64;
pub use random_rows::{ROW_KINDS, RandomRows, random_rows};
pub use scene::Scene;
