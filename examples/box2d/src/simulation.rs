//! A Box2D world, and the boxes of its shapes.

use crate::boxes::Box4;
use boxdd::{
    Aabb, BodyBuilder, BodyId, BodyType, Capsule, ChainDef, Circle, Foundation, Polygon, Result, Segment, ShapeDef,
    ShapeId, World,
};

/// Seconds of a step, and in how many parts the solver divides it: those of Box2D's benchmark.
const STEP: (f32, i32) = (1.0 / 60.0, 4);

/// Largest margin of a leaf, in meters, and the margin as a share of a shape's radius.
const MARGIN_MAX: f32 = 0.05;
const MARGIN_SHARE: f32 = 0.125;

/// A body and its type.
#[derive(Clone, Copy)]
pub struct Body {
    /// Its id in Box2D.
    pub id: BodyId,
    is_static: bool,
}

/// A shape that moves: a row.
struct Moving {
    body: BodyId,
    shape: ShapeId,
}

/// A Box2D world whose shapes are rows.
pub struct Simulation {
    /// The world itself.
    pub world: World,
    foundation: &'static Foundation,
    moving: Vec<Moving>,
    statics: Vec<ShapeId>,
    margins: Vec<f32>,
}

impl Simulation {
    /// An empty world that pulls bodies down if `has_gravity`, and lets them sleep if `may_sleep`.
    ///
    /// # Errors
    ///
    /// Those of Box2D, here and below.
    pub fn new(has_gravity: bool, may_sleep: bool) -> Result<Self> {
        let foundation = Foundation::initialize_default()?;
        let gravity = if has_gravity { -10.0 } else { 0.0 };
        let world = foundation.world_builder().gravity([0.0, gravity]).enable_sleep(may_sleep).build()?;
        let world = foundation.create_world(world)?;
        Ok(Self { world, foundation, moving: Vec::new(), statics: Vec::new(), margins: Vec::new() })
    }

    /// Adds a body of this type, which `set` may place.
    pub fn body(&mut self, body_type: BodyType, set: impl FnOnce(BodyBuilder) -> BodyBuilder) -> Result<Body> {
        let def = set(self.foundation.body_builder().body_type(body_type)).build()?;
        Ok(Body { id: self.world.create_body(def)?, is_static: body_type == BodyType::Static })
    }

    /// Adds a polygon to a body.
    pub fn polygon(&mut self, body: Body, def: &ShapeDef, polygon: &Polygon) -> Result<()> {
        let shape = self.world.body(body.id)?.create_polygon(def, polygon)?;
        let center = polygon.centroid();
        let radius = |p: &boxdd::Vec2| (p.x - center.x).hypot(p.y - center.y);
        self.add(body, shape, polygon.vertices().iter().map(radius).fold(0.0, f32::max));
        Ok(())
    }

    /// Adds a circle to a body.
    pub fn circle(&mut self, body: Body, def: &ShapeDef, circle: &Circle) -> Result<()> {
        let shape = self.world.body(body.id)?.create_circle(def, circle)?;
        self.add(body, shape, circle.radius());
        Ok(())
    }

    /// Adds a capsule to a body.
    pub fn capsule(&mut self, body: Body, def: &ShapeDef, capsule: &Capsule) -> Result<()> {
        let shape = self.world.body(body.id)?.create_capsule(def, capsule)?;
        let [a, b] = [capsule.center1(), capsule.center2()];
        self.add(body, shape, 0.5 * (a.x - b.x).hypot(a.y - b.y) + capsule.radius());
        Ok(())
    }

    /// Adds a segment to a static body.
    pub fn segment(&mut self, ground: Body, def: &ShapeDef, segment: &Segment) -> Result<()> {
        let shape = self.world.body(ground.id)?.create_segment(def, segment)?;
        self.statics.push(shape);
        Ok(())
    }

    /// Adds a chain of segments to a static body.
    pub fn chain(&mut self, ground: Body, def: &ChainDef) -> Result<()> {
        let chain = self.world.body(ground.id)?.create_chain(def)?;
        self.statics.extend(self.world.chain(chain)?.segments()?);
        Ok(())
    }

    fn add(&mut self, body: Body, shape: ShapeId, radius: f32) {
        if body.is_static {
            self.statics.push(shape);
        } else {
            self.moving.push(Moving { body: body.id, shape });
            self.margins.push((MARGIN_SHARE * radius).min(MARGIN_MAX));
        }
    }

    /// Simulates one step.
    pub fn step(&mut self) -> Result<()> {
        self.world.step(STEP.0, STEP.1).map(|_| ())
    }

    /// Appends the boxes of the moving shapes, and whether the body of each sleeps.
    ///
    /// They are the boxes that Box2D keeps of its shapes: tight ones, 2 cm larger on each side,
    /// since contacts begin at that distance. Box2D compares them with the leaves of its tree.
    pub fn append_boxes(&mut self, boxes: &mut Vec<Box4>, asleep: &mut Vec<bool>) -> Result<()> {
        let Self { world, moving, .. } = self;
        for &Moving { body, shape } in &*moving {
            boxes.push(box4(world.shape(shape)?.aabb()?));
            asleep.push(!world.body(body)?.is_awake()?);
        }
        Ok(())
    }

    /// The boxes of the shapes on static bodies.
    pub fn static_boxes(&mut self) -> Result<Vec<Box4>> {
        let Self { world, statics, .. } = self;
        statics.iter().map(|&shape| Ok(box4(world.shape(shape)?.aabb()?))).collect()
    }

    /// The margins that Box2D gives the leaves of the moving shapes.
    pub fn margins(&self) -> &[f32] {
        &self.margins
    }
}

fn box4(aabb: Aabb) -> Box4 {
    let raw = aabb.into_raw();
    [raw.lowerBound.x, raw.lowerBound.y, raw.upperBound.x, raw.upperBound.y]
}
