//! Bevy plugin of [`triphase`]: contacts of entities, found in the columns of their components.
//!
//! Add [`TriphasePlugin`] with the two components that make a body, such as your position and size.
//! In each frame, all entities that have both are stepped: their columns are read where they are in
//! Bevy's tables. If few rows changed, only these are searched for. Systems get contacts as
//! [messages](crate::ContactStarted), and query the [`BroadPhase`].
//!
//! ```
//! use bevy_app::{App, Update};
//! use bevy_ecs::prelude::*;
//! use bytemuck::{Pod, Zeroable};
//! use triphase::Bodies;
//! use triphase_bevy::{BodyColumns, ContactStarted, TriphasePlugin};
//!
//! #[derive(Clone, Copy, Component, Pod, Zeroable)]
//! #[repr(transparent)]
//! struct Position([f32; 2]); // or a vector of any version of glam
//!
//! #[derive(Clone, Copy, Component, Pod, Zeroable)]
//! #[repr(transparent)]
//! struct HalfExtents([f32; 2]);
//!
//! struct Columns;
//!
//! impl BodyColumns for Columns {
//!     type Position = Position;
//!     type Size = HalfExtents;
//!
//!     fn bodies<'a>(positions: &'a [Position], sizes: &'a [HalfExtents]) -> Bodies<'a> {
//!         Bodies::new(positions, sizes)
//!     }
//! }
//!
//! fn print_contacts(mut started: MessageReader<ContactStarted>) {
//!     for contact in started.read() {
//!         println!("{} touches {}", contact.a, contact.b);
//!     }
//! }
//!
//! let mut app = App::new();
//! app.add_plugins(TriphasePlugin::<Columns>::default()).add_systems(Update, print_contacts);
//! app.world_mut().spawn((Position([0.0, 0.0]), HalfExtents([0.5, 0.5])));
//! app.world_mut().spawn((Position([0.8, 0.0]), HalfExtents([0.5, 0.5])));
//! app.update();
//! assert_eq!(app.world().resource::<triphase_bevy::BroadPhase>().body_pairs().count(), 1);
//! ```
//!
//! # What is read
//!
//! - Bodies: entities with [`BodyColumns::Position`] and [`BodyColumns::Size`], and, if they have
//!   them, [`Displacement`] and [`EntityFilter`]. These components need table storage, which is the
//!   default.
//! - Statics: entities with [`StaticBox`], and, if they have it, [`EntityFilter`].
//!
//! # Which rows changed
//!
//! A row is the same as in the last step if the same entity is in the same row of the same table,
//! its table begins at the same row of the step, and Bevy's change ticks say that no component was
//! written. All other rows are told to [`World::step_changed`](triphase::World::step_changed), so
//! nothing needs to be known about spawning, despawning (which moves the last row of a table), or
//! components that move entities between tables. After an error, all rows are told.
//!
//! If more than one row in six changed, the step is a full one. Then ticks are read until that is
//! certain. For told steps to pay, write a component only if its value changes:
//! iterating over `&mut Position` marks what is dereferenced mutably, and no more.
//! `bypass_change_detection` must not be used on these components: a row that changes without being
//! marked stays where it was, and builds with debug assertions panic.
//!
//! Larger tables come first, so that a table which grows or shrinks shifts only smaller ones. A
//! component that comes and goes on many entities moves these between tables; as a marker, it is
//! better kept in a sparse set (`#[component(storage = "SparseSet")]`).
//!
//! # Threads
//!
//! A step of many bodies runs on rayon's threads, while one thread of Bevy's executor waits for it.
//! Systems that do not use [`BroadPhase`], nor write the columns, run at the same time. They can
//! query the step before: keep [`World::reader`](triphase::World::reader) in a resource of its own.

#![warn(unreachable_pub)]

mod broad_phase;
mod changed;
mod components;
mod error;
mod messages;
mod plugin;
mod static_rows;
mod statics;
mod step;
mod tables;

pub use broad_phase::{BroadPhase, entity_of_hit};
pub use components::{BodyColumns, Displacement, EntityFilter, StaticBox};
pub use error::StepError;
pub use messages::{ContactEnded, ContactStarted, StaticContactEnded, StaticContactStarted};
pub use plugin::{BroadPhaseSystems, TriphasePlugin};
pub use triphase;

/// The README's examples are compiled and run like all others.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
