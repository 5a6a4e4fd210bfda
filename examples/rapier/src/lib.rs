//! triphase beside rapier2d: the colliders of a `ColliderSet` as rows of a world.
//!
//! * [`filter`]: interaction groups as filters.
//! * [`rows`]: fills a world from the colliders and finds their pairs: the part to copy.
//! * [`queries`]: rapier's queries, answered by a world and the shapes of the colliders.
//! * [`scene`]: colliders that move, for the comparison in `main.rs`.

pub mod filter;
pub mod queries;
pub mod rows;
pub mod scene;
