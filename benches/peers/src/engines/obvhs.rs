//! obvhs: a bounding volume hierarchy, built by PLOC in each frame and queried once per body; one
//! thread.
//!
//! Queries come in the order of its nodes, so that queries close in time are close in space. It is
//! a 3D library; here all boxes are flat.

use crate::boxes::{Box4, body_boxes};
use crate::engine::{Engine, Found, Frame};
use obvhs::aabb::Aabb;
use obvhs::bvh2::Bvh2;
use obvhs::ploc::{PlocBuilder, PlocSearchDistance, SortPrecision};
use triphase::glam::Vec3A;

/// The quality of the tree of bodies.
///
/// Nanoseconds per body of `crowd` and `castles`, 100,000 bodies, on AMD EPYC (Zen 5): 230 and 550
/// with this; 250 and 561 with the next better, `VeryLow`; 314 and 627 with `Low`.
const SEARCH_DISTANCE: PlocSearchDistance = PlocSearchDistance::Minimum;

/// A tree per frame, and one of all statics.
#[derive(Default)]
pub struct Obvhs {
    bodies: Tree,
    statics: Tree,
}

impl Engine for Obvhs {
    fn name(&self) -> &'static str {
        "obvhs"
    }

    fn set_statics(&mut self, statics: &[[f32; 4]]) {
        self.statics.build(statics.iter().copied(), PlocSearchDistance::VeryHigh);
    }

    fn step(&mut self, frame: Frame<'_>, found: &mut Found) {
        found.clear();
        self.bodies.build(body_boxes(frame), SEARCH_DISTANCE);
        let bodies = &self.bodies.bvh;
        for node in bodies.nodes.iter().filter(|node| node.is_leaf()) {
            let row = bodies.primitive_indices[node.first_index as usize];
            for_each_hit(bodies, *node.aabb(), |other| {
                if other > row {
                    found.bodies.push([row, other]);
                }
            });
            for_each_hit(&self.statics.bvh, *node.aabb(), |fixed| found.statics.push([row, fixed]));
        }
    }
}

/// Calls `visit` with each box that overlaps `aabb`. There is one box per leaf.
#[inline(always)]
fn for_each_hit(bvh: &Bvh2, aabb: Aabb, mut visit: impl FnMut(u32)) {
    bvh.aabb_traverse(aabb, |bvh, node| {
        visit(bvh.primitive_indices[bvh.nodes[node as usize].first_index as usize]);
        true
    });
}

/// A tree, and the builder that reuses its memory.
struct Tree {
    builder: PlocBuilder,
    bvh: Bvh2,
    boxes: Vec<Aabb>,
}

impl Default for Tree {
    fn default() -> Self {
        Self { builder: PlocBuilder::new(), bvh: Bvh2::default(), boxes: Vec::new() }
    }
}

impl Tree {
    fn build(&mut self, boxes: impl Iterator<Item = Box4>, distance: PlocSearchDistance) {
        let flat = |x, y| Vec3A::new(x, y, 0.0);
        self.boxes.clear();
        self.boxes.extend(boxes.map(|[min_x, min_y, max_x, max_y]| Aabb::new(flat(min_x, min_y), flat(max_x, max_y))));
        let mut indices = std::mem::take(&mut self.bvh.primitive_indices);
        indices.clear();
        indices.extend(0..self.boxes.len() as u32);
        self.builder.build_with_bvh(&mut self.bvh, distance, &self.boxes, indices, SortPrecision::U64, 0);
    }
}
