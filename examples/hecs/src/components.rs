//! The components that are read as columns, and those of the game.

use bytemuck::{Pod, Zeroable};
use triphase::Filter;
use triphase::glam::Vec2;

/// Center of a body. A column of these is read as it is: a newtype of two `f32` costs nothing.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(transparent)]
pub struct Position(pub Vec2);

/// From the center to the sides. An archetype without this column has bodies of one size.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(transparent)]
pub struct HalfExtents(pub Vec2);

/// The motion of a fast body in this frame, from its position on. It hits whatever is on the way.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(transparent)]
pub struct Displacement(pub Vec2);

/// The motion of units and dragons in a frame.
pub struct Velocity(pub Vec2);

/// What a unit has left. At 0 it dies.
pub struct Health(pub i32);

/// What a bullet takes from the health of a unit.
pub struct Damage(pub i32);

/// A wall, with its row in the static set.
pub struct Wall {
    pub static_row: u32,
}

/// Units that were hit run. The component moves them to another archetype.
pub struct Fleeing;

pub const UNITS: u32 = 1 << 0;
pub const DRAGONS: u32 = 1 << 1;
pub const BULLETS: u32 = 1 << 2;
pub const WALLS: u32 = 1 << 3;

// `Filter` is a component itself: its layers, and those that it accepts. A pair needs both sides.
pub const UNIT: Filter = Filter::new(UNITS, UNITS | DRAGONS | BULLETS | WALLS);
pub const DRAGON: Filter = Filter::new(DRAGONS, UNITS | DRAGONS | BULLETS); // flies over walls
pub const BULLET: Filter = Filter::new(BULLETS, UNITS | DRAGONS | WALLS);
pub const WALL: Filter = Filter::new(WALLS, UNITS | BULLETS);

pub const BULLET_HALF_EXTENTS: Vec2 = Vec2::new(0.1, 0.1);
