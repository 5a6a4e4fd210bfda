//! triphase as a user has it: a world that was stepped, or a tree of statics alone.

use crate::boxes::Box4;
use crate::queries::engine::{Engine, Way};
use crate::queries::lists::{self, List};
use crate::queries::subject::Subject;
use triphase::tier::static_tree::StaticTree;
use triphase::{Aabb, Bodies, Hit, Neighbor, Point, Ray, World, WorldConfig};

/// The subject as it is: what never moves in a tree alone, all else in a world.
pub(super) fn make(subject: &Subject) -> Box<dyn Engine> {
    if !subject.fixed {
        return make_as_bodies(subject);
    }
    let tree = StaticTree::new(subject.boxes.as_slice()).expect("boxes of a subject are good");
    Box::new(Tree { tree, rows: Vec::new(), near: Vec::new() })
}

/// The subject in a world, as bodies even if it never moves.
pub(super) fn make_as_bodies(subject: &Subject) -> Box<dyn Engine> {
    let world = stepped(subject, false);
    let (name, bodies) = (if subject.fixed { "triphase_bodies" } else { "triphase" }, subject.centers.len() as u32);
    Box::new(Stepped { name, world, bodies, rows: Vec::new(), near: Vec::new() })
}

/// A world of the subject; all of it statics if `fixed`.
pub(super) fn stepped(subject: &Subject, fixed: bool) -> World {
    let config = subject.cell_size.map_or(WorldConfig::new(), |side| WorldConfig::new().cell_size(side));
    let mut world = World::new(config).expect("a good size of cells");
    let statics = if fixed { &subject.boxes } else { &subject.statics };
    world.set_statics(statics).expect("statics of a subject are good");
    if !fixed {
        world.step(Bodies::new(&subject.centers, &subject.half_extents)).expect("bodies of a subject are good");
    }
    world
}

/// A box by its number; `bodies` is that of the first static.
pub(super) fn number(hit: Hit, bodies: u32) -> u32 {
    match hit {
        Hit::Body { row, .. } => row,
        Hit::Fixed { row, .. } => bodies + row,
    }
}

struct Stepped {
    name: &'static str,
    world: World,
    /// How many, which is the number of the first static.
    bodies: u32,
    rows: Vec<Hit>,
    near: Vec<Neighbor<Hit>>,
}

impl Stepped {
    fn number(&self, hit: Hit) -> u32 {
        number(hit, self.bodies)
    }
}

impl Engine for Stepped {
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
        self.rows.clear();
        self.world.query_aabb(checked(area)).append_to(&mut self.rows)
    }

    fn nearest(&mut self, question: &lists::Nearest) -> usize {
        self.world.k_nearest(point(question), question.count, &mut self.near);
        self.near.len()
    }

    fn ray(&mut self, ray: &lists::Ray) -> Option<(u32, f64)> {
        let met = self.world.cast_ray(checked_ray(ray))?;
        Some((self.number(met.hit), met.distance))
    }

    fn rows(&self) -> Vec<u32> {
        self.rows.iter().map(|&hit| self.number(hit)).collect()
    }

    fn near(&self) -> Vec<(u32, f64)> {
        self.near.iter().map(|near| (self.number(near.hit), near.distance)).collect()
    }
}

struct Tree {
    tree: StaticTree,
    rows: Vec<u32>,
    near: Vec<Neighbor<u32>>,
}

impl Engine for Tree {
    fn name(&self) -> &'static str {
        "triphase"
    }

    fn way(&self, _list: &List) -> Way {
        Way::Own
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn boxes(&mut self, area: &Box4) -> usize {
        self.rows.clear();
        self.tree.ask().query_aabb(checked(area)).append_to(&mut self.rows)
    }

    fn nearest(&mut self, question: &lists::Nearest) -> usize {
        self.tree.ask().k_nearest(point(question), question.count, &mut self.near);
        self.near.len()
    }

    fn ray(&mut self, ray: &lists::Ray) -> Option<(u32, f64)> {
        self.tree.ask().cast_ray(checked_ray(ray)).map(|met| (met.hit, met.distance))
    }

    fn rows(&self) -> Vec<u32> {
        self.rows.clone()
    }

    fn near(&self) -> Vec<(u32, f64)> {
        self.near.iter().map(|near| (near.hit, near.distance)).collect()
    }
}

pub(super) fn checked(&[min_x, min_y, max_x, max_y]: &Box4) -> Aabb {
    Aabb::new([min_x, min_y], [max_x, max_y]).expect("areas are good boxes")
}

fn point(question: &lists::Nearest) -> Point {
    Point::new(question.point).expect("points are finite")
}

pub(super) fn checked_ray(ray: &lists::Ray) -> Ray {
    Ray::new(ray.origin, ray.direction, ray.length).expect("rays are finite")
}
