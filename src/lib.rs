//! Contact pairs of a 2D world, once a frame, from slices.
//!
//! `triphase` is the broad phase of a physics step for people who write their own engine, game, crowd or particle
//! simulation and keep their entities in columns. Once a frame they hand over slices; they get back every pair of
//! entities whose boxes overlap, each once, and every pair of an entity and a wall. Between steps they ask what lies
//! in a rectangle, what is nearest, what a ray hits ([`World::query`]); other threads may ask it of the last step while the next
//! one runs ([`World::reader`]).
//!
//! ```
//! use triphase::{Aabb, Bodies, World};
//!
//! let walls = [Aabb::new([0.0, -1.0], [100.0, 0.0])?];
//! let mut centers = vec![[1.0f32, 1.0], [1.6, 1.2], [50.0, 0.3]];
//! let half_extents = vec![[0.5f32, 0.5]; 3];
//!
//! let mut world = World::default();
//! world.set_statics(&walls)?;
//!
//! let contacts = world.step(Bodies::new(&centers, &half_extents))?;
//! for pair in contacts.body_pairs() {
//!     println!("bodies {} and {} overlap", pair.a, pair.b); // rows of the slices
//! }
//! for pair in contacts.static_pairs() {
//!     centers[pair.body as usize][1] += 0.1; // the columns are free again
//! }
//! for hit in world.query_aabb(Aabb::new([40.0, 0.0], [60.0, 10.0])?) {
//!     println!("in view: {hit:?}");
//! }
//! # Ok::<(), triphase::Error>(())
//! ```
//!
//! # Three tiers
//!
//! | tier | holds | structure |
//! |---|---|---|
//! | 1 common | moving bodies up to a bound that is found in each step's sizes, or given | point grids: each body is filed once, as a point; cells are wide enough for partners to be at most one cell away |
//! | 2 oversized | moving bodies above it | loose/tight double grid: each body is in one loose cell that grows around it; a tight grid lists the loose cells |
//! | 3 static | what never moves | quadtree, built once: nodes of 8 bytes without boxes |
//!
//! # What comes next in a physics step
//!
//! * What began and what ended, and a value that follows each contact: [`WorldConfig::with_contact_tracking`], [`Contacts::started`].
//! * Pairs with both rows of your columns to change, on all threads: [`Contacts::par_for_each_pair_mut`].
//! * Groups of bodies that touch: [`Contacts::build_islands`]. The partners of a body: [`Contacts::partners`].
//! * Pairs while the step still runs: [`World::step_streamed`], and [`stream`] for another thread.
//! * Bodies that rest: [`Bodies::with_asleep`]. Bodies that are round: [`BodyShape::Circle`]. An origin that moves:
//!   [`World::shift_origin`].
//!
//! # Guarantees
//!
//! * **Exact.** The pairs are those whose closed boxes, computed in f32, overlap on both axes: touching counts, none
//!   missing, none extra, none twice. Where [`Filter`]s are given, those that they allow; where bodies are to be
//!   [`BodyShape::Circle`], those that touch.
//! * **Deterministic.** Pairs and their order are a pure function of columns, statics and settings: the same at any
//!   number of threads and on any instruction set, whatever was stepped before (but for the order where bodies say that
//!   they [sleep](Bodies::with_asleep)).
//! * **Unbounded.** Any finite coordinates; memory follows bodies, pairs and statics, never the extent of the world.
//! * **Steady.** Stepping frames that were stepped before allocates nothing.
//! * **Nothing lost.** Bad input is an error that names the row, the column and the value; contacts and queries still
//!   answer from the last good step.
//!
//! # Units and sizes
//!
//! Any unit, as long as it is one. Sizes are half-extents (centre to side). Rows are `u32`, ids are the caller's `u64`.
//! Boxes are computed in f32, so far from the origin they are as coarse as f32 is there.
//!
//! # Features
//!
//! * `parallel` (default): steps run on the rayon pool of the caller, or the global one. Without it, or with
//!   [`WorldConfig::with_parallel_threshold`], no thread is made and the result is the same.
//! * `serde`: `World::save` and `World::restore`: settings, statics, contacts from step to step and the number of the step as a
//!   value that can be serialised. So can [`WorldConfig`], [`Filter`], [`Aabb`] (checked when read), [`Pair`],
//!   [`StaticPair`], [`InvalidRows`], [`SimdLevel`] and [`BodyShape`].
//!
//! # Modules, lowest layer first
//!
//! * [`geometry`]: boxes, the shapes that questions are asked with, the definitions of overlap and distance.
//! * [`config`], and at the top of the crate [`Bodies`], [`Filter`], [`Pair`], [`Error`]: the vocabulary.
//! * [`reference`](mod@reference): brute force, the oracle.
//! * [`query`]: questions, once for the tiers and the world.
//! * [`stream`]: pairs that are handed on while the step still runs.
//! * [`tier`]: the three tiers, each usable alone.
//! * [`World`]: all of them behind one call.

pub mod geometry;

pub mod config;
mod error;
mod pair;
mod parallel;
pub mod reference;

mod input;
mod memory;
mod simd;

mod frame;
pub mod tier;

mod broad_phase;
mod contacts;
pub mod query;

mod reader;
mod report;
#[cfg(feature = "serde")]
mod save;
mod step;
mod world;

pub use config::{BodyShape, InvalidRows, SimdLevel, WorldConfig};
pub use contacts::contacts::{Contacts, Pairs};
pub use contacts::events::{EndedPair, EndedStaticPair, Tracked};
pub use contacts::exclusive::RowColumns;
pub use contacts::islands::Islands;
pub use contacts::stream::{self, PagePairs, StreamedPage};
pub use error::{Column, Error, InvalidRow};
pub use geometry::{Aabb, AabbCast, Circle, InvalidShape, Point, Ray};
pub use glam;
pub use input::bodies::Bodies;
pub use input::filter::Filter;
pub use input::statics::Statics;
pub use pair::{Hit, Pair, StaticPair};
pub use query::frame::{Searched, Tier};
pub use query::{CastHit, Neighbor, QueryBuilder};
pub use reader::{Reader, Snapshot};
pub use report::{GridReport, Phases, Report};
#[cfg(feature = "serde")]
pub use save::SavedWorld;
pub use world::World;

/// The README's examples are compiled and run like all others.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
