//! The scenes: each spawns the same entities in the same order in any app.

use avian2d::prelude::*;
use bevy::prelude::*;

/// What moves, and in what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scene {
    /// Balls of two sizes fall into a box, and come to rest in a heap.
    Balls,
    /// A pyramid of boxes, which settles and slides apart.
    Pyramid,
    /// Agents run through a maze of walls, and turn where they are blocked. None ever rests.
    Maze,
}

/// Walls and floors are thick: nothing gets through, so a body outside of them is an error.
const WALL: f32 = 20.0;

impl Scene {
    /// All scenes.
    pub const ALL: [Self; 3] = [Self::Balls, Self::Pyramid, Self::Maze];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Balls => "balls",
            Self::Pyramid => "pyramid",
            Self::Maze => "maze",
        }
    }

    /// Spawns `count` bodies and what they move in.
    pub fn spawn(self, app: &mut App, count: usize) {
        let gravity = if self == Self::Maze { 0.0 } else { -9.81 };
        app.insert_resource(Gravity(Vec2::new(0.0, gravity)));
        let mut random = Random(7);
        let bounds = match self {
            Self::Balls => spawn_balls(app.world_mut(), &mut random, count),
            Self::Pyramid => spawn_pyramid(app.world_mut(), count),
            Self::Maze => {
                app.add_systems(FixedUpdate, steer);
                spawn_maze(app.world_mut(), &mut random, count)
            }
        };
        app.insert_resource(bounds);
    }
}

/// Where bodies may be.
#[derive(Resource, Clone, Copy)]
pub struct Bounds(pub Rect);

/// Balls above a floor, between two walls.
fn spawn_balls(world: &mut World, random: &mut Random, count: usize) -> Bounds {
    let columns = (2.0 * (count as f32).sqrt()) as usize;
    let (width, height) = (1.2 * columns as f32, 1.2 * (count / columns + 1) as f32);
    let box_at = |min: Vec2, max: Vec2| {
        (RigidBody::Static, Collider::rectangle(max.x - min.x, max.y - min.y), place(0.5 * (min + max)))
    };
    world.spawn(box_at(Vec2::new(-WALL, -WALL), Vec2::new(width + WALL, 0.0)));
    world.spawn(box_at(Vec2::new(-WALL, 0.0), Vec2::new(0.0, 2.0 * height)));
    world.spawn(box_at(Vec2::new(width, 0.0), Vec2::new(width + WALL, 2.0 * height)));
    for k in 0..count {
        let cell = Vec2::new((k % columns) as f32, (k / columns) as f32);
        let at = 1.2 * cell + Vec2::new(0.6 + 0.1 * random.signed(), 2.0);
        let radius = if random.below(4) == 0 { 0.3 } else { 0.45 };
        world.spawn((RigidBody::Dynamic, Collider::circle(radius), Restitution::new(0.3), place(at)));
    }
    Bounds(Rect::new(0.0, 0.0, width, f32::MAX))
}

/// Rows of boxes, each one box shorter than the row below.
fn spawn_pyramid(world: &mut World, count: usize) -> Bounds {
    let base = ((0.25 + 2.0 * count as f32).sqrt() - 0.5).ceil();
    world.spawn((RigidBody::Static, Collider::rectangle(12.0 * base, WALL), place(Vec2::new(0.0, -0.5 * WALL))));
    let (mut row, mut column) = (0.0, 0.0);
    for _ in 0..count {
        let at = Vec2::new(1.02 * (column - 0.5 * (base - 1.0 - row)), 0.505 + 1.01 * row);
        world.spawn((RigidBody::Dynamic, Collider::rectangle(1.0, 1.0), Friction::new(0.6), place(at)));
        column += 1.0;
        if column >= base - row {
            (row, column) = (row + 1.0, 0.0);
        }
    }
    Bounds(Rect::new(-6.0 * base, 0.0, 6.0 * base, f32::MAX))
}

/// A place in the direction in which an agent runs.
#[derive(Component, Clone, Copy)]
struct Agent {
    heading: Vec2,
    last: Vec2,
}

/// The side of a square of the maze, in which four agents start.
const SQUARE: f32 = 4.0;
const SPEED: f32 = 3.0;

/// A maze with a wall on about half of the sides of its squares.
fn spawn_maze(world: &mut World, random: &mut Random, count: usize) -> Bounds {
    let squares = (count.div_ceil(4) as f32).sqrt().ceil() as usize;
    let side = SQUARE * squares as f32;
    for (x, y, w, h) in [
        (0.5 * side, -0.5 * WALL, side + 2.0 * WALL, WALL),
        (0.5 * side, side + 0.5 * WALL, side + 2.0 * WALL, WALL),
        (-0.5 * WALL, 0.5 * side, WALL, side),
        (side + 0.5 * WALL, 0.5 * side, WALL, side),
    ] {
        world.spawn((RigidBody::Static, Collider::rectangle(w, h), place(Vec2::new(x, y))));
    }
    for k in 0..squares * squares {
        // A wall on the left or the lower side of a square: a binary tree, so all is connected.
        let corner = SQUARE * Vec2::new((k % squares) as f32, (k / squares) as f32);
        let (size, middle) = match random.below(2) {
            0 => (Vec2::new(SQUARE, 0.4), Vec2::new(0.5 * SQUARE, 0.0)),
            _ => (Vec2::new(0.4, SQUARE), Vec2::new(0.0, 0.5 * SQUARE)),
        };
        world.spawn((RigidBody::Static, Collider::rectangle(size.x, size.y), place(corner + middle)));
    }
    for k in 0..count {
        let corner = SQUARE * Vec2::new((k / 4 % squares) as f32, (k / 4 / squares) as f32);
        let at = corner + Vec2::new(1.2 + 1.6 * (k % 2) as f32, 1.2 + 1.6 * (k / 2 % 2) as f32);
        let heading = [Vec2::X, Vec2::Y, Vec2::NEG_X, Vec2::NEG_Y][random.below(4) as usize];
        world.spawn((
            RigidBody::Dynamic,
            Collider::circle(0.35),
            Friction::ZERO,
            LockedAxes::ROTATION_LOCKED,
            SleepingDisabled,
            Agent { heading, last: at },
            place(at),
        ));
    }
    Bounds(Rect::new(0.0, 0.0, side, side))
}

/// Agents that came less than a third of their way turn to the left.
fn steer(mut agents: Query<(&Position, &mut LinearVelocity, &mut Agent)>, time: Res<Time>) {
    let way = SPEED * time.delta_secs();
    for (at, mut velocity, mut agent) in &mut agents {
        if agent.last.distance_squared(at.0) < way * way / 9.0 {
            agent.heading = agent.heading.perp();
        }
        agent.last = at.0;
        velocity.0 = SPEED * agent.heading;
    }
}

fn place(at: Vec2) -> Transform {
    Transform::from_xyz(at.x, at.y, 0.0)
}

/// A generator of random numbers: the same in each app.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32
    }

    fn below(&mut self, count: u32) -> u32 {
        self.next() % count
    }

    /// From -1 to 1.
    fn signed(&mut self) -> f32 {
        self.below(20_001) as f32 / 10_000.0 - 1.0
    }
}
