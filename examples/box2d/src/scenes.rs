//! The scenes of Box2D's benchmark, in their sizes and with about 2,000 bodies.

use crate::simulation::Simulation;
use boxdd::shapes::{box_polygon, capsule, circle, offset_box_polygon, polygon_from_points};
use boxdd::shapes::{rounded_box_polygon, segment, square_polygon};
use boxdd::{BodyType, ChainDef, Polygon, Result, ShapeDef, SurfaceMaterial, Transform};
use std::f32::consts::{PI, TAU};

/// A scene and its size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scene {
    /// Name of the scene, with the number of bodies if that is not Box2D's.
    pub name: &'static str,
    /// Number of steps to simulate: Box2D's.
    pub step_count: usize,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// A box that turns, full of small boxes, this many a side.
    Tumbler(usize),
    /// A drum that turns, of 40 polygons, full of small boxes, this many a side.
    Washer(usize),
    /// A large box that hits sleeping small ones, so many columns and rows.
    Smash(usize, usize),
    /// A paddle that turns in a ring of segments, among this many shapes of three kinds.
    Spinner(usize),
    /// So many columns and rows of pyramids with ten boxes at the base.
    ManyPyramids(usize, usize),
    /// The same, asleep; this many balls hit one pyramid after the other.
    SleepingPyramids(usize, usize, usize),
    /// One pyramid with so many boxes at the base.
    LargePyramid(usize),
}

/// All scenes: Box2D's, then those of about 2,000 bodies. The tumbler has as many anyway.
pub const SCENES: &[Scene] = &[
    Scene { name: "tumbler", step_count: 750, kind: Kind::Tumbler(45) },
    Scene { name: "washer", step_count: 500, kind: Kind::Washer(90) },
    Scene { name: "smash", step_count: 300, kind: Kind::Smash(120, 80) },
    Scene { name: "spinner", step_count: 500, kind: Kind::Spinner(6076) },
    Scene { name: "many_pyramids", step_count: 200, kind: Kind::ManyPyramids(20, 20) },
    Scene { name: "large_pyramid", step_count: 500, kind: Kind::LargePyramid(100) },
    Scene { name: "washer_2000", step_count: 500, kind: Kind::Washer(45) },
    Scene { name: "smash_2000", step_count: 300, kind: Kind::Smash(55, 36) },
    Scene { name: "spinner_2000", step_count: 500, kind: Kind::Spinner(2000) },
    Scene { name: "many_pyramids_2000", step_count: 200, kind: Kind::ManyPyramids(6, 6) },
    Scene { name: "large_pyramid_2000", step_count: 500, kind: Kind::LargePyramid(62) },
    Scene { name: "sleeping_pyramids_2000", step_count: 500, kind: Kind::SleepingPyramids(36, 1, 18) },
];

impl Scene {
    /// The scene of this name.
    pub fn named(name: &str) -> Option<Self> {
        SCENES.iter().find(|scene| scene.name == name).copied()
    }

    /// Whether the scene has about 2,000 bodies.
    pub fn is_small(self) -> bool {
        self.name == "tumbler" || self.name.ends_with("_2000")
    }

    /// Creates the world of the scene.
    ///
    /// # Errors
    ///
    /// Those of Box2D.
    pub fn build(self) -> Result<Simulation> {
        match self.kind {
            Kind::Tumbler(side) => tumbler(side),
            Kind::Washer(side) => washer(side),
            Kind::Smash(columns, rows) => smash(columns, rows),
            Kind::Spinner(count) => spinner(count),
            Kind::ManyPyramids(columns, rows) => many_pyramids(columns, rows, false),
            Kind::SleepingPyramids(columns, rows, balls) => sleeping_pyramids(columns, rows, balls),
            Kind::LargePyramid(base) => large_pyramid(base),
        }
    }
}

/// Adds a dynamic body of one polygon.
fn add_box(to: &mut Simulation, at: [f32; 2], awake: bool, def: &ShapeDef, polygon: &Polygon) -> Result<()> {
    let body = to.body(BodyType::Dynamic, |body| body.position(at).awake(awake))?;
    to.polygon(body, def, polygon)
}

/// Adds a square of boxes that do not touch, from its lower left box on.
fn add_square(to: &mut Simulation, side: usize, low: [f32; 2], spacing: f32, polygon: &Polygon) -> Result<()> {
    let def = ShapeDef::builder().build()?;
    (0..side * side).try_for_each(|k| {
        let [i, j] = [k % side, k / side].map(|k| k as f32 * spacing);
        add_box(to, [low[0] + i, low[1] + j], true, &def, polygon)
    })
}

/// Adds a pyramid of squares; its lowest row begins at `low` and has `base` of them.
fn add_pyramid(to: &mut Simulation, base: usize, half: f32, low: [f32; 2], awake: bool) -> Result<()> {
    let (def, polygon) = (ShapeDef::builder().build()?, square_polygon(half)?);
    for row in 0..base {
        for column in 0..base - row {
            let x = low[0] + half * (1 + row + 2 * column) as f32;
            add_box(to, [x, low[1] + half * (1 + 2 * row) as f32], awake, &def, &polygon)?;
        }
    }
    Ok(())
}

fn tumbler(side: usize) -> Result<Simulation> {
    let mut to = Simulation::new(true, true)?;
    let ground = to.body(BodyType::Static, |body| body)?;
    let walls = to.body(BodyType::Dynamic, |body| body.position([0.0, 10.0]))?;
    let def = ShapeDef::builder().density(50.0).build()?;
    let walls_at = [
        ([10.0, 0.0], [0.5, 10.0]),
        ([-10.0, 0.0], [0.5, 10.0]),
        ([0.0, 10.0], [10.0, 0.5]),
        ([0.0, -10.0], [10.0, 0.5]),
    ];
    for (center, [half_width, half_height]) in walls_at {
        let place = Transform::from_pos_angle(center, 0.0)?;
        to.polygon(walls, &def, &offset_box_polygon(half_width, half_height, place)?)?;
    }
    to.world.revolute(ground.id, walls.id).anchor_world([0.0, 10.0]).motor_deg(1e8, 25.0).build()?;
    let low = -0.2 * side as f32;
    add_square(&mut to, side, [low, low + 10.0], 0.4, &square_polygon(0.125)?)?;
    Ok(to)
}

fn washer(side: usize) -> Result<Simulation> {
    let mut to = Simulation::new(true, true)?;
    let turn = 25f32.to_radians();
    let drum = to.body(BodyType::Kinematic, |body| {
        body.position([0.0, 10.0]).angular_velocity(turn).linear_velocity([0.001, -0.002])
    })?;
    let def = ShapeDef::builder().build()?;
    // A polygon between two radii and two angles, in 36ths of a turn.
    let sector = |from: f32, to: f32, inner: f32, outer: f32| {
        let corner = |angle: f32, radius: f32| {
            let (sin, cos) = (angle * TAU / 36.0).sin_cos();
            [radius * cos, radius * sin]
        };
        polygon_from_points([corner(from, inner), corner(from, outer), corner(to, inner), corner(to, outer)], 0.0)
    };
    for k in 0..36u8 {
        let angle = f32::from(k);
        // The plates of the ring overlap by a tenth at either end; four paddles stand inwards.
        to.polygon(drum, &def, &sector(angle - 0.05, angle + 1.05, 16.0, 18.0)?)?;
        if k % 9 == 0 {
            to.polygon(drum, &def, &sector(angle, angle + 1.0, 14.0, 16.0)?)?;
        }
    }
    // With fewer boxes, these are larger, so that the drum is as full.
    let half = 9.0 / side as f32;
    let low = -1.1 * half * side as f32;
    add_square(&mut to, side, [low, low + 10.0], 2.1 * half, &square_polygon(half)?)?;
    Ok(to)
}

fn smash(columns: usize, rows: usize) -> Result<Simulation> {
    let mut to = Simulation::new(false, true)?;
    let hammer = to.body(BodyType::Dynamic, |body| body.position([-20.0, 0.0]).linear_velocity([40.0, 0.0]))?;
    to.polygon(hammer, &ShapeDef::builder().density(8.0).build()?, &square_polygon(4.0)?)?;
    let (def, polygon) = (ShapeDef::builder().build()?, square_polygon(0.2)?);
    for column in 0..columns {
        for row in 0..rows {
            let y = 0.4 * (row as f32 - 0.5 * rows as f32);
            add_box(&mut to, [0.4 * column as f32 + 30.0, y], false, &def, &polygon)?;
        }
    }
    Ok(to)
}

fn spinner(count: usize) -> Result<Simulation> {
    let mut to = Simulation::new(true, true)?;
    let ground = to.body(BodyType::Static, |body| body)?;
    // Clockwise, so that the segments face inwards.
    let ring = (0..360u16).map(|k| {
        let (sin, cos) = (-f32::from(k) * PI / 180.0).sin_cos();
        [40.0 * cos, 40.0 * sin + 32.0]
    });
    let slippery = SurfaceMaterial::new().with_friction(0.1)?;
    to.chain(ground, &ChainDef::builder().points(ring).is_loop(true).single_material(&slippery).build()?)?;

    let paddle = to.body(BodyType::Dynamic, |body| body.position([0.0, 12.0]).enable_sleep(false))?;
    let smooth = ShapeDef::builder().material(SurfaceMaterial::new().with_friction(0.0)?).build()?;
    to.polygon(paddle, &smooth, &rounded_box_polygon(0.4, 20.0, 0.2)?)?;
    to.world.revolute(ground.id, paddle.id).anchor_world([0.0, 12.0]).motor(f32::MAX, 5.0).build()?;

    let material = SurfaceMaterial::new().with_friction(0.1)?.with_restitution(0.1)?;
    let def = ShapeDef::builder().material(material).density(0.25).build()?;
    let shapes = (capsule([-0.25, 0.0], [0.25, 0.0], 0.25)?, circle([0.0, 0.0], 0.35)?, square_polygon(0.35)?);
    for k in 0..count {
        let at = [-23.0 + 0.5 * (k % 92) as f32, 2.0 + 0.5 * (k / 92) as f32];
        let body = to.body(BodyType::Dynamic, |body| body.position(at))?;
        match k % 3 {
            0 => to.capsule(body, &def, &shapes.0)?,
            1 => to.circle(body, &def, &shapes.1)?,
            _ => to.polygon(body, &def, &shapes.2)?,
        }
    }
    Ok(to)
}

/// Boxes at the base of each of many pyramids, and half their side.
const BASE: usize = 10;
const HALF: f32 = 0.5;

fn many_pyramids(columns: usize, rows: usize, asleep: bool) -> Result<Simulation> {
    let mut to = Simulation::new(true, asleep)?;
    let ground = to.body(BodyType::Static, |body| body)?;
    // From one pyramid to the next, sideways and upwards.
    let spacing = 2.0 * HALF * (BASE + 1) as f32;
    let width = spacing * columns as f32;
    let def = ShapeDef::builder().build()?;
    for row in 0..rows {
        let y = spacing * row as f32;
        to.segment(ground, &def, &segment([-0.5 * width, y], [0.5 * width, y])?)?;
    }
    for row in 0..rows {
        for column in 0..columns {
            let x = -0.5 * width + spacing * column as f32 + HALF;
            add_pyramid(&mut to, BASE, HALF, [x, spacing * row as f32], !asleep)?;
        }
    }
    Ok(to)
}

fn sleeping_pyramids(columns: usize, rows: usize, balls: usize) -> Result<Simulation> {
    let mut to = many_pyramids(columns, rows, true)?;
    let spacing = 2.0 * HALF * (BASE + 1) as f32;
    let (def, ball) = (ShapeDef::builder().density(4.0).build()?, circle([0.0, 0.0], 1.0)?);
    for k in 0..balls {
        // One falls on every second pyramid, from left to right, a quarter of a second apart.
        let seconds = 1.0 + 0.25 * k as f32;
        let x = spacing * (2.0 * k as f32 - 0.5 * columns as f32 + 0.5);
        let y = spacing * rows as f32 + 5.0 * seconds * seconds;
        let body = to.body(BodyType::Dynamic, |body| body.position([x, y]))?;
        to.circle(body, &def, &ball)?;
    }
    Ok(to)
}

fn large_pyramid(base: usize) -> Result<Simulation> {
    let mut to = Simulation::new(true, false)?;
    let ground = to.body(BodyType::Static, |body| body.position([0.0, -1.0]))?;
    to.polygon(ground, &ShapeDef::builder().build()?, &box_polygon(100.0, 1.0)?)?;
    add_pyramid(&mut to, base, 0.5, [-0.5 * base as f32, 0.0], true)?;
    Ok(to)
}
