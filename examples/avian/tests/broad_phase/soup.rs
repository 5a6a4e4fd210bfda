//! Random changes of all kinds in a crowded world: each step has the pairs of avian's broad phase.

use crate::twins::{Spawned, Twins, spawn_at};
use avian2d::prelude::*;
use bevy::prelude::*;

struct Random(u64);

impl Random {
    fn below(&mut self, count: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32 % count
    }

    fn up_to(&mut self, max: f32) -> f32 {
        max * self.below(10_001) as f32 / 10_000.0
    }
}

fn collider(random: &mut Random) -> Collider {
    let size = if random.below(20) == 0 { 6.0 } else { 0.3 + random.up_to(0.9) };
    if random.below(2) == 0 { Collider::circle(0.5 * size) } else { Collider::rectangle(size, 0.6) }
}

fn body(random: &mut Random) -> RigidBody {
    [RigidBody::Dynamic, RigidBody::Dynamic, RigidBody::Kinematic, RigidBody::Static][random.below(4) as usize]
}

fn layers(random: &mut Random) -> CollisionLayers {
    CollisionLayers::from_bits(1 << random.below(3), 1 + random.below(7))
}

fn spawn(world: &mut World, random: &mut Random) {
    let at = [random.up_to(20.0), random.up_to(20.0)];
    let velocity = LinearVelocity(Vec2::new(random.up_to(8.0) - 4.0, random.up_to(8.0) - 4.0));
    let shape = collider(random);
    let entity = match random.below(8) {
        0 => spawn_at(world, at, shape),
        _ => spawn_at(world, at, (body(random), shape, velocity)),
    };
    if random.below(3) == 0 {
        world.entity_mut(entity).insert(layers(random));
    }
    if random.below(6) == 0 {
        world.entity_mut(entity).insert(Sensor);
    }
}

/// Toggles a marker component.
fn toggle<C: Component + Default>(world: &mut World, entity: Entity) {
    if world.get::<C>(entity).is_some() {
        world.entity_mut(entity).remove::<C>();
    } else {
        world.entity_mut(entity).insert(C::default());
    }
}

/// Changes one of the entities at random.
fn change(world: &mut World, random: &mut Random) {
    let spawned = &world.resource::<Spawned>().0;
    let entity = spawned[random.below(spawned.len() as u32) as usize];
    let has_body = world.get::<RigidBody>(entity).is_some();
    match random.below(12) {
        0 => spawn(world, random),
        1 => {
            world.resource_mut::<Spawned>().0.retain(|&other| other != entity);
            world.despawn(entity);
            spawn(world, random);
        }
        2 | 3 => {
            let at = Position::from_xy(random.up_to(20.0), random.up_to(20.0));
            world.entity_mut(entity).insert(at);
        }
        4 => toggle::<Sensor>(world, entity),
        5 => _ = world.entity_mut(entity).insert(layers(random)),
        6 if has_body => _ = world.entity_mut(entity).insert(body(random)),
        7 => toggle::<ColliderDisabled>(world, entity),
        8 => _ = world.entity_mut(entity).remove::<Collider>().insert(collider(random)),
        9 => _ = world.entity_mut(entity).insert(collider(random)),
        10 if has_body => toggle::<RigidBodyDisabled>(world, entity),
        11 => _ = world.entity_mut(entity).remove::<CollisionLayers>(),
        _ => {}
    }
}

#[test]
fn random_changes_keep_pairs_equal() {
    for seed in 0..6 {
        let mut twins = Twins::new(|world| {
            let mut random = Random(seed);
            (0..150).for_each(|_| spawn(world, &mut random));
        });
        let mut pair_count = 0;
        for step in 0..120 {
            // Steps with many changes, with few, and with none.
            let changes = [12, 1, 0, 3][step as usize / 30];
            twins.each(|world| {
                let mut random = Random(1000 * seed + step);
                (0..changes).for_each(|_| change(world, &mut random));
            });
            pair_count += twins.step().len();
        }
        assert!(pair_count > 5000, "seed {seed}: only {pair_count} pairs");
    }
}
