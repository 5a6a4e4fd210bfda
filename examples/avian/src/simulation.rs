//! An app with a scene, whose steps are timed and can be compared with those of another app.

use crate::plugin::TriphaseBroadPhasePlugin;
use crate::scene::{Bounds, Scene};
use avian2d::collider_tree::{ColliderTreeDiagnostics, ColliderTreeProxyKey, ColliderTreeSystems, MovedProxies};
use avian2d::collision::CollisionDiagnostics;
use avian2d::data_structures::pair_key::PairKey;
use avian2d::prelude::*;
use bevy::ecs::system::SystemParamItem;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Which broad phase an app has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BroadPhaseKind {
    /// avian alone.
    Avian,
    /// avian with triphase.
    Triphase,
    /// The same, and avian's trees are not optimized: for apps without spatial queries.
    TriphaseAlone,
}

/// The fixed time step.
pub const TIME_STEP: Duration = Duration::from_nanos(16_666_667);

/// An app that makes one physics step per update.
pub struct Simulation {
    app: App,
    /// The entity before the scene. Systems are entities as well, and apps have different ones.
    before_scene: u32,
}

/// A pair of the contact graph. Entities are numbered from 1, in the order in which they were
/// spawned in the scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairState {
    /// The colliders, the one that found the other first.
    pub colliders: [u32; 2],
    /// Their bodies.
    pub bodies: [Option<u32>; 2],
    /// Whether the shapes touch.
    pub is_touching: bool,
    /// The bits of `ContactPairFlags`.
    pub pair_flags: u16,
    /// The bits of `ContactEdgeFlags`.
    pub edge_flags: Option<u8>,
}

/// What a step took.
#[derive(Clone, Copy, Default)]
pub struct StepTimes {
    /// The search for pairs.
    pub broad_phase: Duration,
    /// avian's upkeep of boxes and trees.
    pub tree_update: Duration,
    /// avian's optimization of its trees, as far as the step waits for it.
    pub tree_optimization: Duration,
    /// The whole update of the app.
    pub whole: Duration,
}

/// What sorting the new edges took in the last step; not part of avian.
#[derive(Resource, Default)]
struct SortingTime(Duration);

/// The number of active pairs before the broad phase.
#[derive(Resource, Default)]
struct PairCount(usize);

impl Simulation {
    /// Spawns a scene in an app of its own.
    pub fn new(kind: BroadPhaseKind, scene: Scene, count: usize) -> Self {
        Self::with_hooks::<()>(kind, |app| scene.spawn(app, count))
    }

    /// Calls `spawn` with an app of its own that has the collision hooks `H`.
    pub fn with_hooks<H: CollisionHooks + 'static>(kind: BroadPhaseKind, spawn: impl FnOnce(&mut App)) -> Self
    where
        for<'w, 's> SystemParamItem<'w, 's, H>: CollisionHooks,
    {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, TransformPlugin))
            .insert_resource(Time::<Fixed>::from_duration(TIME_STEP))
            .insert_resource(TimeUpdateStrategy::ManualDuration(TIME_STEP))
            .init_resource::<SortingTime>()
            .init_resource::<PairCount>();
        let physics = PhysicsPlugins::default().with_collision_hooks::<H>();
        if kind == BroadPhaseKind::Avian {
            let sort = sort_new_edges.after(BroadPhaseSystems::CollectCollisions).before(BroadPhaseSystems::Last);
            app.add_plugins(physics).add_systems(PhysicsSchedule, (count_pairs.in_set(BroadPhaseSystems::First), sort));
        } else {
            // All that an app needs to do.
            let physics = physics.build().disable::<BvhBroadPhasePlugin<H>>();
            app.add_plugins((physics, TriphaseBroadPhasePlugin::<H>::default()));
        }
        if kind == BroadPhaseKind::TriphaseAlone {
            app.configure_sets(PhysicsSchedule, ColliderTreeSystems::BeginOptimize.run_if(|| false));
        }
        app.finish();
        app.cleanup();
        let before_scene = app.world_mut().spawn_empty().id().index_u32();
        spawn(&mut app);
        app.update(); // the first update has no time to step
        Self { app, before_scene }
    }

    /// The world of the app.
    pub fn world_mut(&mut self) -> &mut World {
        self.app.world_mut()
    }

    /// Makes one physics step.
    pub fn step(&mut self) -> StepTimes {
        let start = Instant::now();
        self.app.update();
        let whole = start.elapsed() - self.app.world().resource::<SortingTime>().0;
        let collision = self.app.world().resource::<CollisionDiagnostics>();
        let trees = self.app.world().resource::<ColliderTreeDiagnostics>();
        StepTimes {
            broad_phase: collision.broad_phase,
            tree_update: trees.update,
            tree_optimization: trees.optimize,
            whole,
        }
    }
}

fn count_pairs(contact_graph: Res<ContactGraph>, mut count: ResMut<PairCount>) {
    count.0 = contact_graph.active_pairs().len();
}

/// Puts the edges that avian's broad phase has added into the order in which triphase's plugin adds
/// its own.
///
/// The solver's results depend on the order of edges, and avian's own depends on the shape of its
/// trees. With one order, two apps with the same pairs stay the same to the last bit, and one
/// missing pair shows.
fn sort_new_edges(
    mut contact_graph: ResMut<ContactGraph>,
    count: Res<PairCount>,
    moved: Res<MovedProxies>,
    keys: Query<&ColliderTreeProxyKey>,
    mut time: ResMut<SortingTime>,
) {
    let start = Instant::now();
    let places: HashMap<_, _> = moved.proxies().iter().enumerate().map(|(place, key)| (*key, place)).collect();
    let mut edges = Vec::new();
    // The newest first, so that the ids of edges are free again in the order in which they were
    // taken.
    while contact_graph.active_pairs().len() > count.0 {
        let pair = contact_graph.active_pairs().last().expect("there are more than before").clone();
        let pair_key = PairKey::new(pair.collider1.index_u32(), pair.collider2.index_u32());
        let edge = contact_graph.remove_edge_by_id(&pair_key, pair.contact_id).expect("it was just added");
        let [searching, found] = keys.get_many([pair.collider1, pair.collider2]).expect("colliders have proxies");
        edges.push(((places[searching], found.tree_type() as u8, found.id()), edge, pair));
    }
    edges.sort_by_key(|&(rank, ..)| rank);
    for (_, edge, pair) in edges {
        contact_graph.add_edge_with(edge, |added| {
            (added.body1, added.body2, added.flags) = (pair.body1, pair.body2, pair.flags);
        });
    }
    time.0 = start.elapsed();
}

/// What two apps must have in common after each step.
impl Simulation {
    /// Compares pairs, touching or not, and bodies with those of another app, to the last bit.
    ///
    /// # Errors
    ///
    /// The first difference.
    pub fn compare(&mut self, other: &mut Self) -> Result<(), String> {
        let (pairs, expected) = (self.pairs(), other.pairs());
        if let Some(k) = (0..pairs.len().max(expected.len())).find(|&k| pairs.get(k) != expected.get(k)) {
            return Err(format!("pair {k} is {:?}, expected {:?}", pairs.get(k), expected.get(k)));
        }
        let (bodies, expected) = (self.bodies(), other.bodies());
        match (0..bodies.len().max(expected.len())).find(|&k| bodies.get(k) != expected.get(k)) {
            Some(k) => Err(format!("body {k} is {:?}, expected {:?}", bodies.get(k), expected.get(k))),
            None => Ok(()),
        }
    }

    /// All pairs in the order of the contact graph.
    pub fn pairs(&self) -> Vec<PairState> {
        let graph = self.app.world().resource::<ContactGraph>();
        let number = |entity: Entity| entity.index_u32() - self.before_scene;
        let state = |pair: &ContactPair| PairState {
            colliders: [number(pair.collider1), number(pair.collider2)],
            bodies: [pair.body1.map(number), pair.body2.map(number)],
            is_touching: pair.is_touching(),
            pair_flags: pair.flags.bits(),
            edge_flags: graph.get_edge_by_id(pair.contact_id).map(|edge| edge.flags.bits()),
        };
        graph.iter_active().chain(graph.iter_sleeping()).map(state).collect()
    }

    /// The number of pairs, and of those that touch.
    pub fn pair_counts(&self) -> [usize; 2] {
        let pairs = self.pairs();
        [pairs.len(), pairs.iter().filter(|pair| pair.is_touching).count()]
    }

    /// Each body, with the bits of its position and velocity, in the order of their numbers.
    fn bodies(&mut self) -> Vec<(u32, [u32; 4])> {
        let before_scene = self.before_scene;
        let world = self.app.world_mut();
        let mut query = world.query::<(Entity, &Position, &LinearVelocity)>();
        let bits = |at: Vec2, velocity: Vec2| [at.x, at.y, velocity.x, velocity.y].map(f32::to_bits);
        let number = |entity: Entity| entity.index_u32() - before_scene;
        let states = query.iter(world).map(|(entity, at, velocity)| (number(entity), bits(at.0, velocity.0)));
        let mut bodies: Vec<_> = states.collect();
        bodies.sort_unstable(); // archetypes may be in another order
        bodies
    }

    /// Checks that no body left the scene: fell through the floor, or went through a wall.
    ///
    /// # Errors
    ///
    /// The first body that did.
    pub fn check_bounds(&mut self) -> Result<(), String> {
        let world = self.app.world_mut();
        let bounds = world.resource::<Bounds>().0.inflate(0.5);
        let mut query = world.query::<(Entity, &Position, &RigidBody)>();
        let mut bodies = query.iter(world).filter(|(.., body)| body.is_dynamic());
        match bodies.find(|(_, at, _)| !bounds.contains(at.0)) {
            Some((entity, at, _)) => Err(format!("body {entity} is at {}, outside of {bounds:?}", at.0)),
            None => Ok(()),
        }
    }
}
