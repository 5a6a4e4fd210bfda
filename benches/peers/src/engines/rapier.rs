//! rapier2d's `BroadPhaseBvh`, standalone: boxes go in by `set_aabb`, changes of pairs come out.
//!
//! It fattens boxes and tells of pairs that begin and end, so what it told is kept and filtered by the true boxes. It
//! needs colliders to know who may touch whom, so each body and each static has one: those of bodies take part in
//! collisions of fixed with fixed, for without a rigid body that is what they are; those of statics do not, which keeps
//! statics from being paired. It is built with its feature `parallel`, whatever the number of threads; on one that costs
//! it about 3 %. Rows that are given to other bodies (`churn`) are to it bodies that jump, which its tree takes badly.

use crate::boxes::{Box4, body_boxes, overlaps};
use crate::engine::{Engine, Found, Frame};
use rapier2d::geometry::BroadPhaseBvh;
use rapier2d::math::Vector;
use rapier2d::prelude::{
    Aabb, ActiveCollisionTypes, BroadPhasePairEvent, ColliderBuilder, ColliderHandle, ColliderPair, ColliderSet,
    IntegrationParameters, RigidBodySet,
};

/// A broad phase and what it told.
#[derive(Default)]
pub struct Rapier {
    broad_phase: BroadPhaseBvh,
    parameters: IntegrationParameters,
    colliders: ColliderSet,
    rigid_bodies: RigidBodySet,
    handles: Vec<ColliderHandle>,
    /// By body: partners of a higher index. Bodies come first, statics after them.
    partners: Vec<Vec<u32>>,
    events: Vec<BroadPhasePairEvent>,
    boxes: Vec<Box4>,
    statics: Vec<Box4>,
}

impl Rapier {
    /// Makes a collider for each body and each static. Indices are given in order.
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

    /// Keeps the list.
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

/// Of a pair, the lower first.
fn indices(pair: ColliderPair) -> [u32; 2] {
    let [a, b] = [pair.collider1, pair.collider2].map(|handle| handle.into_raw_parts().0);
    [a.min(b), a.max(b)]
}

fn aabb([min_x, min_y, max_x, max_y]: Box4) -> Aabb {
    Aabb { mins: Vector::new(min_x, min_y), maxs: Vector::new(max_x, max_y) }
}
