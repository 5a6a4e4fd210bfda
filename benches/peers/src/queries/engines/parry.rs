//! parry2d's `Bvh`, built from all boxes.
//!
//! Nanoseconds per query of `crowd`, 100,000 bodies, for its two build strategies, binned and PLOC:
//! small boxes 1117, 1132; boxes of 15 hits 1554, 1582; eight nearest, fastest runs, 2381, 3209;
//! rays 1666, 2021.
//!
//! It has a search for the best leaf only (nearer child first). The k nearest are composed of it:
//! the cost function rejects what is farther than the k best so far, and leaves are collected but
//! never reported as the best. Rays use its `cast_ray`, with leaf boxes tested in f64. Nodes are
//! tested in f32, so a ray that grazes a corner may miss.

use crate::boxes::Box4;
use crate::queries::engine::{Engine, Way};
use crate::queries::exact;
use crate::queries::lists::{List, Nearest, Queries, Ray};
use crate::queries::subject::Subject;
use parry2d::bounding_volume::Aabb;
use parry2d::math::Vector;
use parry2d::partitioning::{Bvh, BvhBuildStrategy, BvhNode};
use parry2d::query;
use std::cell::{Cell, RefCell};

/// A tree of all boxes.
pub(super) struct Parry {
    tree: Bvh,
    boxes: Vec<Box4>,
    rows: Vec<u32>,
    near: RefCell<Vec<(u32, f32)>>,
}

impl Parry {
    pub(super) fn new(subject: &Subject) -> Self {
        let leaves: Vec<Aabb> = subject.boxes.iter().map(aabb).collect();
        Self {
            tree: Bvh::from_leaves(BvhBuildStrategy::Binned, &leaves),
            boxes: subject.boxes.clone(),
            rows: Vec::new(),
            near: RefCell::default(),
        }
    }
}

impl Engine for Parry {
    fn name(&self) -> &'static str {
        "parry2d"
    }

    fn way(&self, list: &List) -> Way {
        match list.queries {
            Queries::Boxes(_) | Queries::Rays(_) => Way::Own,
            Queries::Nearest(_) => Way::Composed("search for the best leaf, keeping k"),
        }
    }

    fn boxes(&mut self, area: &Box4) -> usize {
        self.rows.clear();
        self.rows.extend(self.tree.intersect_aabb(&aabb(area)));
        self.rows.len()
    }

    fn nearest(&mut self, query: &Nearest) -> usize {
        let (point, near, within) = (Vector::from(query.point), &self.near, Cell::new(f32::MAX));
        near.borrow_mut().clear();
        let cost = |node: &BvhNode, _| {
            let distance = distance_squared(node.mins(), node.maxs(), point);
            if distance < within.get() { distance } else { f32::MAX }
        };
        let note = |row: u32, _| {
            let [min_x, min_y, max_x, max_y] = self.boxes[row as usize];
            let distance = distance_squared(Vector::new(min_x, min_y), Vector::new(max_x, max_y), point);
            if distance < within.get() {
                let near = &mut *near.borrow_mut();
                if near.len() == query.count {
                    near.pop();
                }
                let at = near.iter().rposition(|other| other.1 <= distance).map_or(0, |before| before + 1);
                near.insert(at, (row, distance));
                if let Some(last) = near.get(query.count - 1) {
                    within.set(last.1);
                }
            }
            None::<f32>
        };
        self.tree.find_best(f32::MAX, cost, note);
        near.borrow().len()
    }

    fn ray(&mut self, ray: &Ray) -> Option<(u32, f64)> {
        let cast = query::Ray::new(Vector::from(ray.origin), Vector::from(ray.direction));
        // A box that is entered at the very end of the ray counts.
        let end = ray.length.next_up();
        let met = self.tree.cast_ray(&cast, end, |row, _| Some(exact::entry(ray, &self.boxes[row as usize])? as f32));
        met.map(|(row, distance)| (row, f64::from(distance)))
    }

    fn rows(&self) -> Vec<u32> {
        self.rows.clone()
    }

    fn near(&self) -> Vec<(u32, f64)> {
        self.near.borrow().iter().map(|&(row, distance)| (row, f64::from(distance).sqrt())).collect()
    }
}

#[inline(always)]
fn distance_squared(mins: Vector, maxs: Vector, point: Vector) -> f32 {
    let apart = (mins - point).max(point - maxs).max(Vector::ZERO);
    apart.dot(apart)
}

fn aabb(&[min_x, min_y, max_x, max_y]: &Box4) -> Aabb {
    Aabb { mins: Vector::new(min_x, min_y), maxs: Vector::new(max_x, max_y) }
}
