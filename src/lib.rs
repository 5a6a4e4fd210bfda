//! 2D broad phase: takes slices of bodies each frame, returns the pairs that overlap.
//!
#![doc = concat!("![A crowd and its pairs](", env!("CARGO_PKG_REPOSITORY"), "/raw/HEAD/examples/crowd.png)")]
//!
//! For engines, games, and simulations of crowds or particles that store their entities in columns:
//! one slice per property, one row per entity. Each frame you pass slices of *bodies*, which move;
//! you get every pair of bodies whose boxes overlap, each once, and every pair of a body and a
//! *static*, a box that the world keeps between steps and that rarely changes. Between steps you
//! can query the boxes in a rectangle, the nearest boxes and the hits of a ray ([`World::query`]).
//! Other threads can query the last step while the next one runs ([`World::reader`]).
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
//!     centers[pair.body as usize][1] += 0.1; // contacts do not borrow the columns
//! }
//! for hit in world.query_aabb(Aabb::new([40.0, 0.0], [60.0, 10.0])?) {
//!     println!("in view: {hit:?}");
//! }
//! # Ok::<(), triphase::Error>(())
//! ```
//!
#![doc = concat!("The [guide](", env!("CARGO_PKG_REPOSITORY"), "/blob/HEAD/guide/src/first-steps.md) shows how")]
//! to embed the library in an engine.
//!
//! # Three tiers
//!
//! | tier | contains | structure |
//! |---|---|---|
//! | 1 common | bodies up to a size limit, the bound, derived from each step's bodies unless set | point grids: each body is filed once, as a point, in cells so wide that boxes that overlap are in the same or adjacent cells; where sizes are mixed, cells may be narrower than bodies |
//! | 2 oversized | larger bodies | loose/tight double grid: each body is in one loose cell that grows to cover it; a coarser tight grid lists the loose cells |
//! | 3 static | boxes that rarely change | quadtree with nodes of 8 bytes; statics changed since it was built are in a second, small one. Where a part of the world has more than a few statics, steps search a grid of all |
//!
//! # Beyond pairs
//!
//! * Contacts that began, persisted and ended, and a value kept with each:
//!   [`WorldConfig::with_contact_tracking`], [`Contacts::events`].
//! * A parallel loop over pairs with mutable access to both rows:
//!   [`Contacts::par_for_each_pair_mut`].
//! * Groups of touching bodies: [`Contacts::build_islands`]. The partners of one body:
//!   [`Contacts::partners`].
//! * Pairs while the step still runs: [`World::step_streamed`], and [`stream`] for another thread.
//! * Worlds in which few bodies move: [`World::step_changed`], told which. Sleeping bodies:
//!   [`Bodies::with_asleep`]. Round bodies: [`BodyShape::Circle`]. A moving
//!   origin: [`World::shift_origin`].
//!
//! # Guarantees
//!
//! * **Exact.** The pairs are those whose closed boxes, computed in f32, overlap on both axes:
//!   touching counts, none is missing, extra or reported twice. [`Filter`]s and
//!   [`BodyShape::Circle`] only remove pairs.
//! * **Deterministic.** Pairs and their order depend only on columns, settings, and the static set
//!   with the changes made to it since it was set: not on the number of threads, the SIMD level,
//!   the platform or earlier steps. With [`Bodies::with_asleep`], the order depends on earlier
//!   steps too, and so does that of [`World::step_changed`].
//! * **Unbounded.** Any finite coordinates. Memory follows the number of bodies (about 51 to 61
//!   bytes each, more on many threads and in small worlds, 8.5 more with an id and 17 with a
//!   filter), pairs (18) and statics (160 to 250 near bodies), never the extent of the world.
//! * **Steady.** A step allocates only when the world grows: stepping the same frames again
//!   allocates nothing. (Exceptions are a [`World::step_changed`] that has to step all rows, steps
//!   while several snapshots are held, steps near many statics if the usual size of the bodies
//!   keeps changing by factors of two or more, the first few steps in which the rows come in
//!   another order, or many bodies in other places, than in the step before, and calls for help by
//!   a thread that is in no rayon pool.)
//! * **Robust.** Invalid input is an error that names the row, the column and the value. After an
//!   error, contacts and queries are still those of the last successful step.
//!
//! # Units
//!
//! Lengths are in world units: any unit that you use everywhere. Sizes of bodies are half-extents:
//! from the center to the sides. Rows are `u32`, ids are `u64` of your choice. Boxes are computed
//! in f32, so their precision decreases with their distance from the origin.
//!
//! # Features
//!
//! * `parallel` (default): steps run on the caller's rayon pool. A thread that is in none works on
//!   them itself, with help from the global pool or from that of `with_pool`. Without the feature,
//!   or with [`WorldConfig::with_parallel_threshold`]`(None)`, all work stays on the calling
//!   thread, with the same results. So it does on targets without threads, such as
//!   `wasm32-unknown-unknown` without web workers (see `benches/wasm` in the repository).
//! * `glam-columns` (default): columns may be slices of the re-exported [`glam`] vectors. A build
//!   without any feature compiles neither `syn` nor another procedural macro.
//! * `record`: `World::record_to` writes the calls of a world to a file; the module `record` makes
//!   them again. The way to report a bug.
//! * `serde`: `World::save` and `World::restore`, and serialization of [`WorldConfig`], [`Filter`],
//!   [`Aabb`] (validated when read), [`Pair`], [`StaticPair`], [`InvalidRows`], [`SimdLevel`] and
//!   [`BodyShape`].
//! * `tracing`: spans for subscribers of the crate `tracing`, with the target `triphase`: a step,
//!   its phases, changes of the static set and batches of queries at level debug, and the tasks of
//!   a step at level trace. Their fields are counts. Without a subscriber that wants them, they
//!   cost some nanoseconds a step.
//!
//! # Platforms
//!
//! Results are the same on all of them, except on i586 targets, whose x87 does not round each
//! result: pairs may be missing there (not tested). x86-64 and 64-bit ARM need no settings.
//! WebAssembly is faster with `-C target-feature=+simd128`; see [`SimdLevel`].
//!
//! Like all of Rust, triphase expects the processor's default floating-point mode. If the host
//! flushes subnormal numbers to zero (FTZ and DAZ), on all threads or on some, boxes and their
//! pairs do not change as long as coordinates, half-extents and displacements are zero or at least
//! 2e-31, and circles as long as radii and distances along each axis are zero or at least 2e-19.
//!
//! # Modules, in the order of data flow
//!
//! * [`geometry`]: boxes, query shapes, and the definitions of overlap and distance.
//! * [`config`], [`Bodies`], [`StridedColumn`], [`Statics`], [`Filter`]: settings and input.
//! * [`reference`](mod@reference): the same results by brute force, for tests.
//! * [`tier`]: the three tiers; [`LooseGrid`](tier::loose_grid::LooseGrid),
//!   [`StaticTree`](tier::static_tree::StaticTree) and [`PointGrid`](tier::point_grid::PointGrid)
//!   are usable alone.
//! * [`Contacts`], [`stream`]: the pairs of a step.
//! * [`query`]: queries of the world, of a snapshot or of a tier.
//! * [`World`]: all of these behind one call.

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod geometry; // boxes and query shapes; the definitions of overlap, distance and casts

pub mod config;
mod error;
#[cfg(feature = "parallel")]
mod helper_pool; // where helpers are from
mod pair; // pairs and hits
mod parallel; // the way into rayon
mod prefetch; // memory that will be read soon
pub mod reference; // brute force, for tests
#[cfg(feature = "parallel")]
mod team; // a calling thread and its helpers
mod trace; // spans, for who watches a world run

mod input; // columns of bodies and statics
mod memory; // pages of pairs, columns of boxes, buffers that outlive a step
mod plain_data; // what bytemuck may cast
mod simd; // the inner loops

mod frame; // all that one step filed: three tiers, ids, filters
pub mod tier; // point grids, loose/tight grids, static trees

mod broad_phase; // the passes that find pairs
mod contacts; // pairs as they are read: events, partners, islands, mutable rows, streams
pub mod query; // the query builder, over a world, a snapshot or a tier

mod history; // what the last steps were like

mod advice; // what to change if a step costs more than it has to
mod advice_rules; // which advice applies to a step
mod call; // the calls that change a world
#[cfg(feature = "record")]
pub mod record; // calls written to a file and read back
mod report;
#[cfg(feature = "serde")]
mod save;
mod snapshot; // snapshots for other threads
mod state; // what a world consists of
mod step; // the phases of a step, in order
mod step_changed; // the same, for a step that is told which rows changed
mod world; // every public call of a world

#[cfg(feature = "record")]
mod replay; // the calls of a recording, made again

pub use advice::{Advice, SingleThreadCause};
pub use config::{BodyShape, InvalidRows, SimdLevel, WorldConfig};
pub use contacts::contacts::{Contacts, Pairs};
pub use contacts::events::view::{ContactEvents, ContactEventsMut, EndedPair, EndedStaticPair, TrackedPair};
pub use contacts::exclusive::columns::ColumnsMut;
pub use contacts::islands::Islands;
pub use contacts::stream::{self, PagePairs, StreamedPage};
pub use error::{ChunkRow, Column, Error, InvalidRow, SettingValue};
pub use frame::phases::{PassTimes, PhaseTimes};
pub use geometry::{Aabb, AabbCast, Circle, InvalidShape, Point, Ray};
pub use glam;
#[cfg(feature = "parallel")]
pub use helper_pool::with_pool;
pub use history::RestartCause;
pub use input::bodies::Bodies;
pub use input::changed_rows::ChangedRows;
pub use input::filter::Filter;
pub use input::statics::Statics;
pub use input::strided::StridedColumn;
pub use pair::{Hit, Pair, StaticPair};
pub use query::{CastHit, Neighbor, QueryBuilder, Tier};
pub use report::{GridReport, Report};
#[cfg(feature = "serde")]
pub use save::SavedWorld;
pub use snapshot::{Snapshot, SnapshotReader};
pub use world::World;

/// The README's examples are compiled and run like all others.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
