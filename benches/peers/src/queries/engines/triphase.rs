//! triphase as a user calls it: a world after a step, or a static tree alone.

use crate::boxes::Box4;
use crate::queries::engine::{Engine, Way};
use crate::queries::lists::{self, List};
use crate::queries::subject::Subject;
use triphase::tier::static_tree::StaticTree;
use triphase::{Aabb, Bodies, Hit, Neighbor, Point, QueryBuilder, Ray, World, WorldConfig};

/// Creates a world for subjects that move, else a static tree.
pub(super) fn make(subject: &Subject) -> Box<dyn Engine> {
    if !subject.is_static {
        return make_as_bodies(subject);
    }
    let tree = StaticTree::new(subject.boxes.as_slice()).expect("boxes of a subject are valid");
    Box::new(Triphase::new("triphase", tree))
}

/// Creates a world that has the boxes of the subject as bodies, even if they never move.
pub(super) fn make_as_bodies(subject: &Subject) -> Box<dyn Engine> {
    let world = stepped(subject, false);
    let (name, bodies) = (if subject.is_static { "triphase_bodies" } else { "triphase" }, subject.centers.len() as u32);
    Box::new(Triphase::new(name, Stepped { world, bodies }))
}

/// Steps a world once with the subject; all boxes are statics if `is_static` is set.
pub(super) fn stepped(subject: &Subject, is_static: bool) -> World {
    let config = subject.cell_size.map_or(WorldConfig::new(), |side| WorldConfig::new().with_cell_size(side));
    let mut world = World::new(config).expect("a valid size of cells");
    let statics = if is_static { &subject.boxes } else { &subject.statics };
    world.set_statics(statics).expect("statics of a subject are valid");
    if !is_static {
        world.step(Bodies::new(&subject.centers, &subject.half_extents)).expect("bodies of a subject are valid");
    }
    world
}

/// The number of a box in the subject; `bodies` is the number of bodies.
pub(super) fn number(hit: Hit, bodies: u32) -> u32 {
    match hit {
        Hit::Body { row, .. } => row,
        Hit::Static { row, .. } => bodies + row,
    }
}

/// What is queried: a world or a tree.
trait Asked {
    type Hit: Copy + Ord;

    fn query(&self) -> QueryBuilder<'_, Self::Hit>;

    /// The number of a hit among all boxes of the subject.
    fn number(&self, hit: Self::Hit) -> u32;
}

struct Stepped {
    world: World,
    /// Number of bodies, which is the number of the first static.
    bodies: u32,
}

impl Asked for Stepped {
    type Hit = Hit;

    fn query(&self) -> QueryBuilder<'_> {
        self.world.query()
    }

    fn number(&self, hit: Hit) -> u32 {
        number(hit, self.bodies)
    }
}

impl Asked for StaticTree {
    type Hit = u32;

    fn query(&self) -> QueryBuilder<'_, u32> {
        self.query()
    }

    fn number(&self, hit: u32) -> u32 {
        hit
    }
}

/// The queried structure, and results.
struct Triphase<T: Asked> {
    name: &'static str,
    asked: T,
    hits: Vec<T::Hit>,
    near: Vec<Neighbor<T::Hit>>,
}

impl<T: Asked> Triphase<T> {
    fn new(name: &'static str, asked: T) -> Self {
        Self { name, asked, hits: Vec::new(), near: Vec::new() }
    }
}

impl<T: Asked> Engine for Triphase<T> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn way(&self, _list: &List) -> Way {
        Way::Own
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn boxes(&mut self, area: &Box4) -> usize {
        self.hits.clear();
        self.asked.query().query_aabb(checked(area)).append_to(&mut self.hits)
    }

    fn nearest(&mut self, question: &lists::Nearest) -> usize {
        self.asked.query().k_nearest(point(question), question.count, &mut self.near);
        self.near.len()
    }

    fn ray(&mut self, ray: &lists::Ray) -> Option<(u32, f64)> {
        let met = self.asked.query().cast_ray(checked_ray(ray))?;
        Some((self.asked.number(met.target), met.time_of_impact))
    }

    fn rows(&self) -> Vec<u32> {
        self.hits.iter().map(|&hit| self.asked.number(hit)).collect()
    }

    fn near(&self) -> Vec<(u32, f64)> {
        self.near.iter().map(|near| (self.asked.number(near.target), near.distance)).collect()
    }
}

pub(super) fn checked(&[min_x, min_y, max_x, max_y]: &Box4) -> Aabb {
    Aabb::new([min_x, min_y], [max_x, max_y]).expect("areas are valid boxes")
}

fn point(question: &lists::Nearest) -> Point {
    Point::new(question.point).expect("points are finite")
}

pub(super) fn checked_ray(ray: &lists::Ray) -> Ray {
    Ray::new(ray.origin, ray.direction, ray.length).expect("rays are finite")
}
