//! Two apps, one with avian's broad phase and one with triphase's, in which the same is done.

use avian2d::prelude::*;
use bevy::ecs::system::SystemParamItem;
use bevy::prelude::*;
use triphase_avian::simulation::{BroadPhaseKind, PairState, Simulation};

pub(crate) struct Twins {
    apps: [Simulation; 2],
}

impl Twins {
    /// Does `spawn` in both apps, without gravity. The entities that it spawns have numbers from 1.
    pub(crate) fn new(spawn: impl Fn(&mut World)) -> Self {
        Self::with_hooks::<()>(spawn)
    }

    pub(crate) fn with_hooks<H: CollisionHooks + 'static>(spawn: impl Fn(&mut World)) -> Self
    where
        for<'w, 's> SystemParamItem<'w, 's, H>: CollisionHooks,
    {
        let app_of = |kind| {
            Simulation::with_hooks::<H>(kind, |app| {
                app.insert_resource(Gravity::ZERO).init_resource::<Spawned>();
                spawn(app.world_mut());
            })
        };
        Self { apps: [BroadPhaseKind::Triphase, BroadPhaseKind::Avian].map(app_of) }
    }

    /// Does the same in both apps.
    pub(crate) fn each(&mut self, change: impl Fn(&mut World)) {
        self.apps.iter_mut().for_each(|app| change(app.world_mut()));
    }

    /// Makes a step in both apps, and compares all pairs, their order and their flags, and all
    /// bodies. Returns the pairs.
    pub(crate) fn step(&mut self) -> Vec<PairState> {
        let [triphase, avian] = &mut self.apps;
        triphase.step();
        avian.step();
        triphase.compare(avian).unwrap_or_else(|error| panic!("{error}"));
        triphase.pairs()
    }

    /// The pairs after another step, by the numbers of the colliders, in ascending order.
    pub(crate) fn edges(&mut self) -> Vec<[u32; 2]> {
        // The first entity is the resource of type `Spawned`.
        let ordered = |[a, b]: [u32; 2]| [a.min(b) - 1, a.max(b) - 1];
        let mut edges: Vec<_> = self.step().iter().map(|pair| ordered(pair.colliders)).collect();
        edges.sort_unstable();
        edges
    }

    /// A value of each app.
    pub(crate) fn both<T>(&mut self, read: impl Fn(&mut World) -> T) -> [T; 2] {
        let [triphase, avian] = &mut self.apps;
        [read(triphase.world_mut()), read(avian.world_mut())]
    }
}

/// The entities that a test spawned, in order.
#[derive(Resource, Default)]
pub(crate) struct Spawned(pub(crate) Vec<Entity>);

/// Spawns a collider at `at` and remembers it.
pub(crate) fn spawn_at(world: &mut World, at: [f32; 2], bundle: impl Bundle) -> Entity {
    let entity = world.spawn((Transform::from_xyz(at[0], at[1], 0.0), bundle)).id();
    world.resource_mut::<Spawned>().0.push(entity);
    entity
}

/// The entity that was spawned as number `number`, from 1.
pub(crate) fn entity(world: &World, number: usize) -> Entity {
    world.resource::<Spawned>().0[number - 1]
}
