//! Colliders that move through a yard with walls.

use rapier2d::prelude::*;

/// Part of the yard that a collider takes, in its own areas: about three pairs a collider.
const AREA_PER_BODY: f32 = 1.6;

/// Bodies, colliders, and the velocity of each body.
pub struct Scene {
    /// Dynamic bodies, one for each moving collider; nothing simulates them.
    pub bodies: RigidBodySet,
    /// The colliders: balls and cuboids, and walls without a body.
    pub colliders: ColliderSet,
    /// Side of the yard.
    pub side: f32,
    moving: Vec<(RigidBodyHandle, Vector)>,
    random: u64,
}

impl Scene {
    /// A yard with so many moving colliders, and a wall for each ten of them.
    pub fn new(count: usize) -> Self {
        let side = (count as f32 * AREA_PER_BODY).sqrt();
        let (bodies, colliders) = (RigidBodySet::new(), ColliderSet::new());
        let mut scene = Self { bodies, colliders, side, moving: Vec::new(), random: 7 };
        for k in 0..count {
            let at = scene.random_point();
            let angle = scene.uniform(0.0, 6.0);
            let body = scene.bodies.insert(RigidBodyBuilder::dynamic().translation(at).rotation(angle));
            let shape = match k % 2 {
                0 => ColliderBuilder::ball(scene.uniform(0.3, 0.6)),
                _ => ColliderBuilder::cuboid(scene.uniform(0.2, 0.6), scene.uniform(0.2, 0.6)),
            };
            scene.colliders.insert_with_parent(shape.collision_groups(groups(k)), body, &mut scene.bodies);
            let velocity = Vector::new(scene.uniform(-0.1, 0.1), scene.uniform(-0.1, 0.1));
            scene.moving.push((body, velocity));
        }
        for _ in 0..count / 10 {
            let (at, length) = (scene.random_point(), scene.uniform(0.5, 3.0));
            scene.colliders.insert(ColliderBuilder::cuboid(length, 0.2).translation(at));
        }
        scene
    }

    /// Moves all bodies by one step; at the sides of the yard they turn around.
    pub fn advance(&mut self) {
        for (handle, velocity) in &mut self.moving {
            let body = &mut self.bodies[*handle];
            let at = body.translation() + *velocity;
            if at.x < 0.0 || at.x > self.side {
                velocity.x = -velocity.x;
            }
            if at.y < 0.0 || at.y > self.side {
                velocity.y = -velocity.y;
            }
            body.set_translation(at, true);
        }
    }

    /// A point of the yard.
    pub fn random_point(&mut self) -> Vector {
        let side = self.side;
        Vector::new(self.uniform(0.0, side), self.uniform(0.0, side))
    }

    /// A number between two limits (Steele, Lea, Flood: SplitMix64).
    pub fn uniform(&mut self, low: f32, high: f32) -> f32 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let unit = ((z ^ (z >> 31)) >> 40) as f32 / (1u32 << 24) as f32;
        low + (high - low) * unit
    }
}

/// Three kinds of colliders: one does not collide with its own kind, one in 50 has the mode `Or`.
fn groups(k: usize) -> InteractionGroups {
    let (members, accepted) = match k % 3 {
        0 => (Group::GROUP_1, Group::ALL & !Group::GROUP_1),
        _ => (Group::GROUP_2, Group::ALL),
    };
    let mode = if k.is_multiple_of(50) { InteractionTestMode::Or } else { InteractionTestMode::And };
    InteractionGroups::new(members, accepted, mode)
}
