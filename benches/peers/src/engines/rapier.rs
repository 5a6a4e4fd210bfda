//! rapier2d's `BroadPhaseBvh`, used alone: boxes go in by `set_aabb`, changes of pairs come out.
//!
//! It reports when pairs of fat boxes begin and end, so all present pairs are stored and filtered
//! by the exact boxes. It needs colliders to know which of them may collide, so each body and each
//! static has one. Without rigid bodies all colliders are fixed. Those of bodies are allowed to
//! collide with fixed ones, those of statics are not, so no two statics are paired.
//!
//! Its feature `parallel` is enabled for any number of threads; on one thread that costs about 3 %.
//! If a row is given to another body (`churn`), its collider jumps, which degrades the tree.

use crate::boxes::{Box4, body_boxes, overlaps};
use crate::engine::{Engine, Found, Frame};
use rapier2d::geometry::BroadPhaseBvh;
use rapier2d::math::Vector;
use rapier2d::prelude::{
    Aabb, ActiveCollisionTypes, BroadPhasePairEvent, ColliderBuilder, ColliderHandle, ColliderPair, ColliderSet,
    IntegrationParameters, RigidBodySet,
};

/// A broad phase, and the pairs that it has reported.
#[derive(Default)]
pub struct Rapier {
    broad_phase: BroadPhaseBvh,
    parameters: IntegrationParameters,
    colliders: ColliderSet,
    rigid_bodies: RigidBodySet,
    handles: Vec<ColliderHandle>,
    /// For each body, its partners with higher indices. Bodies come first, then statics.
    partners: Vec<Vec<u32>>,
    events: Vec<BroadPhasePairEvent>,
    boxes: Vec<Box4>,
    statics: Vec<Box4>,
}

impl Rapier {
    /// Creates a collider for each body and each static, with indices in this order.
    fn begin(&mut self, bodies: usize) {
        *self = Self { statics: std::mem::take(&mut self.statics), ..Self::default() };
        let body = ActiveCollisionTypes::all();
        let types = std::iter::repeat_n(body, bodies).chain(self.statics.iter().map(|_| ActiveCollisionTypes::empty()));
        for types in types {
            let collider = ColliderBuilder::ball(0.5).active_collision_types(types);
            self.handles.push(self.colliders.insert(collider));
        }
        self.partners.resize_with(bodies, Vec::new);
        for (edges, &handle) in self.statics.iter().zip(&self.handles[bodies..]) {
            self.broad_phase.set_aabb(&self.parameters, handle, aabb(*edges));
        }
    }

    /// Updates the partners by the events of the last step.
    fn follow_events(&mut self) {
        for event in self.events.drain(..) {
            match event {
                BroadPhasePairEvent::AddPair(pair) => {
                    let [low, high] = indices(pair);
                    self.partners[low as usize].push(high);
                }
                BroadPhasePairEvent::DeletePair(pair) => {
                    let [low, high] = indices(pair);
                    let partners = &mut self.partners[low as usize];
                    if let Some(at) = partners.iter().position(|&partner| partner == high) {
                        partners.swap_remove(at);
                    }
                }
            }
        }
    }
}

impl Engine for Rapier {
    fn name(&self) -> &'static str {
        "rapier2d"
    }

    fn set_statics(&mut self, statics: &[[f32; 4]]) {
        *self = Self { statics: statics.to_vec(), ..Self::default() };
    }

    fn step(&mut self, frame: Frame<'_>, found: &mut Found) {
        found.clear();
        let bodies = frame.centers.len();
        if self.partners.len() != bodies {
            self.begin(bodies);
        }
        self.boxes.clear();
        self.boxes.extend(body_boxes(frame));
        for (edges, &handle) in self.boxes.iter().zip(&self.handles) {
            self.broad_phase.set_aabb(&self.parameters, handle, aabb(*edges));
        }
        self.broad_phase.update(&self.parameters, &self.colliders, &self.rigid_bodies, &[], &[], &mut self.events);
        self.follow_events();
        for ((a, partners), row) in self.boxes.iter().zip(&self.partners).zip(0..) {
            for &partner in partners {
                match self.boxes.get(partner as usize) {
                    Some(b) if overlaps(a, b) => found.bodies.push([row, partner]),
                    Some(_) => {}
                    None => {
                        let fixed = partner - bodies as u32;
                        if overlaps(a, &self.statics[fixed as usize]) {
                            found.statics.push([row, fixed]);
                        }
                    }
                }
            }
        }
    }
}

/// The indices of a pair, the lower one first.
fn indices(pair: ColliderPair) -> [u32; 2] {
    let [a, b] = [pair.collider1, pair.collider2].map(|handle| handle.into_raw_parts().0);
    [a.min(b), a.max(b)]
}

fn aabb([min_x, min_y, max_x, max_y]: Box4) -> Aabb {
    Aabb { mins: Vector::new(min_x, min_y), maxs: Vector::new(max_x, max_y) }
}
