//! In small worlds, triphase's plugin adds the edges that avian's own broad phase adds.

use crate::twins::{Spawned, Twins, entity, spawn_at};
use avian2d::prelude::*;
use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use std::sync::Mutex;

fn square() -> Collider {
    Collider::rectangle(1.0, 1.0)
}

/// All pairs of the numbers from 1 to `count`.
fn all_pairs(count: u32) -> Vec<[u32; 2]> {
    (1..=count).flat_map(|a| (a + 1..=count).map(move |b| [a, b])).collect()
}

#[test]
fn kinds_of_bodies_pair_as_in_avian() {
    let mut twins = Twins::new(|world| {
        for body in [RigidBody::Dynamic, RigidBody::Kinematic, RigidBody::Static] {
            spawn_at(world, [0.0; 2], (body, square()));
            spawn_at(world, [0.1, 0.0], (body, square()));
        }
        spawn_at(world, [0.0; 2], square()); // 7 and 8 have no body
        spawn_at(world, [0.1, 0.0], square());
        spawn_at(world, [0.0; 2], (RigidBody::Static, square(), Sensor)); // 9
    });
    let mut expected = all_pairs(9);
    expected.retain(|pair| *pair != [5, 6] && *pair != [7, 8]);
    assert_eq!(twins.edges(), expected);

    // A static becomes dynamic, and a kinematic body static.
    twins.each(|world| {
        world.entity_mut(entity(world, 5)).insert(RigidBody::Dynamic);
        world.entity_mut(entity(world, 3)).insert(RigidBody::Static);
    });
    assert!(twins.edges().contains(&[5, 6]));
    for _ in 0..5 {
        twins.step();
    }
}

#[test]
fn static_colliders_are_added_moved_and_removed() {
    let mut twins = Twins::new(|world| {
        spawn_at(world, [0.0; 2], (RigidBody::Dynamic, square()));
        spawn_at(world, [0.9, 0.0], (RigidBody::Static, square()));
        spawn_at(world, [5.0, 0.0], (RigidBody::Static, square()));
    });
    assert_eq!(twins.edges(), [[1, 2]]);
    twins.each(|world| {
        let [moved, removed] = [entity(world, 3), entity(world, 2)];
        world.entity_mut(moved).insert(Position::from_xy(-0.9, 0.0));
        world.entity_mut(removed).despawn();
    });
    assert_eq!(twins.edges(), [[1, 3]]);
    twins.each(|world| _ = spawn_at(world, [0.0, 0.9], (RigidBody::Static, square())));
    assert_eq!(twins.edges().len(), 2);
}

#[test]
fn layers_and_masks_filter() {
    let layers = CollisionLayers::from_bits;
    let mut twins = Twins::new(|world| {
        spawn_at(world, [0.0; 2], (RigidBody::Dynamic, square(), layers(1, 2)));
        spawn_at(world, [0.1, 0.0], (RigidBody::Dynamic, square(), layers(2, 1)));
        spawn_at(world, [0.2, 0.0], (RigidBody::Dynamic, square(), layers(2, 2)));
        spawn_at(world, [0.0, 0.2], (RigidBody::Dynamic, square())); // layer 1, accepts all
        spawn_at(world, [0.0, 0.4], (RigidBody::Static, square(), layers(2, 1)));
    });
    assert_eq!(twins.edges(), [[1, 2], [1, 5], [2, 4], [4, 5]]);

    // New layers end pairs at once, and begin pairs when the collider moves.
    twins.each(|world| _ = world.entity_mut(entity(world, 3)).insert(layers(3, 3)));
    twins.step();
    twins.each(|world| _ = world.entity_mut(entity(world, 3)).insert(Position::from_xy(0.5, 0.3)));
    assert!(twins.edges().contains(&[3, 5]));
}

#[test]
fn sensors_may_appear_and_disappear() {
    let mut twins = Twins::new(|world| {
        spawn_at(world, [0.0; 2], (RigidBody::Static, square()));
        spawn_at(world, [0.5, 0.0], (RigidBody::Static, square(), Sensor));
        spawn_at(world, [0.5, 0.5], (RigidBody::Static, square(), Sensor));
        spawn_at(world, [0.0, 0.5], (RigidBody::Dynamic, square(), Sensor));
    });
    assert_eq!(twins.edges(), all_pairs(4));
    twins.each(|world| _ = world.entity_mut(entity(world, 2)).remove::<Sensor>());
    twins.step();
    twins.each(|world| _ = world.entity_mut(entity(world, 1)).insert((Sensor, Position::from_xy(0.1, 0.2))));
    assert!(twins.edges().contains(&[1, 2]));
    twins.each(|world| _ = world.entity_mut(entity(world, 2)).insert(Position::from_xy(0.6, 0.1)));
    twins.step();
}

#[test]
fn colliders_of_one_body_never_pair() {
    let mut twins = Twins::new(|world| {
        for x in [0.0, 0.5] {
            let body = spawn_at(world, [x, 0.0], (RigidBody::Dynamic, square()));
            world.spawn((square(), Transform::from_xyz(0.2, 0.0, 0.0), ChildOf(body)));
        }
    });
    assert_eq!(twins.edges(), [[1, 3], [1, 4], [2, 3], [2, 4]]);
    // A child that is cut off has no body any more.
    twins.each(|world| {
        let body = entity(world, 1);
        world.entity_mut(body).detach_all_children();
    });
    for _ in 0..3 {
        twins.step();
    }
}

#[test]
fn joints_can_disable_collisions() {
    for is_disabled in [true, false] {
        let mut twins = Twins::new(|world| {
            let bodies = [0.0, 0.3, 0.6].map(|x| spawn_at(world, [x, 0.0], (RigidBody::Dynamic, square())));
            let joint = world.spawn(FixedJoint::new(bodies[0], bodies[1])).id();
            if is_disabled {
                world.entity_mut(joint).insert(JointCollisionDisabled);
            }
            world.resource_mut::<Spawned>().0.push(joint);
        });
        assert_eq!(twins.edges().contains(&[1, 2]), !is_disabled);
        twins.each(|world| {
            let [joint, body, other] = [4, 1, 2].map(|number| entity(world, number));
            world.entity_mut(joint).despawn();
            let at = world.get::<Position>(other).expect("it exists").0;
            world.entity_mut(body).insert(Position(at + Vec2::new(0.1, 0.9)));
        });
        assert!(twins.edges().contains(&[1, 2]));
    }
}

/// Rejects pairs whose entities have an odd sum, and notes each call.
#[derive(SystemParam)]
struct OddFilter<'w> {
    calls: Res<'w, Calls>,
}

#[derive(Resource, Default)]
struct Calls(Mutex<Vec<[u32; 2]>>);

impl CollisionHooks for OddFilter<'_> {
    fn filter_pairs(&self, a: Entity, b: Entity, _commands: &mut Commands) -> bool {
        let numbers = [a, b].map(|entity| entity.index_u32());
        self.calls.0.lock().expect("no call panics").push(numbers);
        numbers[0] % 2 == numbers[1] % 2
    }
}

#[test]
fn hooks_are_asked_as_often_as_in_avian() {
    let mut twins = Twins::with_hooks::<OddFilter>(|world| {
        world.init_resource::<Calls>();
        let hooks = ActiveCollisionHooks::FILTER_PAIRS;
        for x in [0.0, 0.1, 0.2] {
            spawn_at(world, [x, 0.0], (RigidBody::Dynamic, square(), hooks));
            spawn_at(world, [x, 0.1], (RigidBody::Dynamic, square()));
            spawn_at(world, [x, 0.2], (RigidBody::Dynamic, square(), Sensor, hooks));
        }
        spawn_at(world, [0.0; 2], (RigidBody::Static, square()));
    });
    let mut total = 0;
    for step in 0..8 {
        twins.step();
        let [mut calls, mut expected] =
            twins.both(|world| std::mem::take(&mut *world.resource::<Calls>().0.lock().expect("no call panics")));
        // Entities of the two apps differ by a constant, so the first of each is taken as the zero.
        for list in [&mut calls, &mut expected] {
            let first = list.iter().flatten().copied().min().unwrap_or_default();
            list.iter_mut().flatten().for_each(|number| *number -= first);
            list.sort_unstable();
        }
        assert_eq!(calls, expected, "step {step}");
        total += calls.len();
    }
    assert!(total > 40, "hooks were asked {total} times");
}

#[test]
fn disabled_and_despawned_colliders_have_no_pairs() {
    let mut twins = Twins::new(|world| {
        for k in 0..6 {
            spawn_at(world, [0.4 * k as f32, 0.0], (RigidBody::Dynamic, square()));
        }
    });
    assert!(!twins.edges().is_empty());
    twins.each(|world| {
        let numbers = [1, 2, 3, 4].map(|number| entity(world, number));
        world.entity_mut(numbers[0]).insert(ColliderDisabled);
        world.entity_mut(numbers[1]).insert(Disabled);
        world.entity_mut(numbers[2]).despawn();
        world.entity_mut(numbers[3]).insert(RigidBodyDisabled);
    });
    assert!(twins.edges().iter().flatten().all(|number| *number > 3));
    twins.each(|world| {
        let numbers = [1, 2, 4].map(|number| entity(world, number));
        world.entity_mut(numbers[0]).remove::<ColliderDisabled>();
        world.entity_mut(numbers[1]).remove::<Disabled>();
        world.entity_mut(numbers[2]).remove::<RigidBodyDisabled>();
    });
    assert!(twins.edges().contains(&[1, 2]));
    for _ in 0..4 {
        twins.step();
    }
}

#[test]
fn infinite_floors_hold_bodies() {
    let mut twins = Twins::new(|world| {
        world.insert_resource(Gravity(Vec2::NEG_Y * 9.81));
        spawn_at(world, [0.0; 2], (RigidBody::Static, Collider::half_space(Vec2::Y)));
        for k in 0..40 {
            spawn_at(world, [0.3 * k as f32, 1.0 + 0.7 * (k % 5) as f32], (RigidBody::Dynamic, Collider::circle(0.3)));
        }
    });
    for _ in 0..120 {
        twins.step();
    }
    let [lowest, _] = twins.both(|world| {
        let spawned = world.resource::<Spawned>().0.clone();
        spawned[1..].iter().map(|&ball| world.get::<Position>(ball).expect("it exists").y).fold(f32::MAX, f32::min)
    });
    assert!((0.2..0.4).contains(&lowest), "the lowest ball is at {lowest}");
}

#[test]
fn bodies_sleep_and_wake() {
    let mut twins = Twins::new(|world| {
        world.insert_resource(Gravity(Vec2::NEG_Y * 9.81));
        spawn_at(world, [0.0, -0.5], (RigidBody::Static, Collider::rectangle(20.0, 1.0)));
        for k in 0..8 {
            spawn_at(world, [0.0, 0.51 + 1.01 * k as f32], (RigidBody::Dynamic, square()));
        }
    });
    for _ in 0..200 {
        twins.step();
    }
    let [asleep, _] = twins.both(|world| world.query_filtered::<(), With<Sleeping>>().iter(world).count());
    assert_eq!(asleep, 8);
    twins.each(|world| {
        let ball = (RigidBody::Dynamic, Collider::circle(0.4), LinearVelocity(Vec2::new(-9.0, 0.0)));
        _ = spawn_at(world, [4.0, 2.0], ball);
    });
    for _ in 0..120 {
        twins.step();
    }
}

/// Entities that change while avian ends its step are not in its list of moved proxies.
#[test]
fn changes_by_collision_events_are_seen() {
    let mut twins = Twins::new(|world| {
        for k in 0..6 {
            let at = [3.0 * k as f32, 0.0];
            spawn_at(world, at, (RigidBody::Static, square()));
            let events = (CollisionEventsEnabled, LinearVelocity(Vec2::new(0.0, -6.0 - k as f32)));
            spawn_at(world, [at[0], 3.0], (RigidBody::Dynamic, Collider::circle(0.3), events));
        }
        world.add_observer(|start: On<CollisionStart>, mut commands: Commands, mut count: Local<u32>| {
            *count += 1;
            if *count > 12 {
                return;
            }
            let (ball, wall) = (start.collider1, start.collider2);
            commands.entity(ball).try_despawn();
            commands.entity(wall).try_remove::<Collider>();
            commands.entity(wall).try_insert(Collider::rectangle(5.0, 1.0));
            let at = Transform::from_xyz(7.5, -0.2, 0.0);
            commands.spawn((RigidBody::Static, Collider::circle(8.0), Sensor, at));
            let velocity = LinearVelocity(Vec2::new(4.0, 0.5));
            commands.spawn((RigidBody::Dynamic, Collider::circle(0.3), CollisionEventsEnabled, velocity, at));
        });
    });
    let mut most = 0;
    for _ in 0..60 {
        most = most.max(twins.step().len());
    }
    assert!(most > 5, "there were at most {most} pairs");
}

/// A wall that gets another collider while avian ends its step has its old proxy id again, and is
/// not in the list of moved proxies.
#[test]
fn a_static_collider_that_is_replaced_between_steps_is_seen() {
    let mut twins = Twins::new(|world| {
        let wall = spawn_at(world, [0.0; 2], (RigidBody::Static, square()));
        let velocity = LinearVelocity(Vec2::new(0.0, -6.0));
        spawn_at(world, [0.0, 1.2], (RigidBody::Dynamic, square(), CollisionEventsEnabled, velocity));
        spawn_at(world, [6.0, 0.0], (RigidBody::Dynamic, square(), LinearVelocity(Vec2::new(3.0, 0.0))));
        world.add_observer(move |_: On<CollisionStart>, mut commands: Commands| {
            commands.entity(wall).remove::<Collider>().insert(Collider::rectangle(20.0, 1.0));
        });
    });
    assert_eq!(twins.edges(), [] as [[u32; 2]; 0]);
    let mut edges = Vec::new();
    for _ in 0..20 {
        edges = twins.edges();
    }
    assert!(edges.contains(&[1, 3]), "the wall is longer now: {edges:?}");
}
