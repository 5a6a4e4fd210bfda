//! avian2d with triphase as its broad phase: copy this file into your project.
//!
//! avian keeps a tree of boxes per kind of body, and a list of *moved proxies*: the colliders that
//! were added, or that left their enlarged box, since the last step. Its own broad phase searches
//! the trees once for each of them. [`TriphaseBroadPhasePlugin`] tells triphase which rows changed
//! instead, and adds the same pairs to avian's `ContactGraph`. All that avian's search reads is
//! read here from the same place, the trees' proxies, so nothing else must be kept in step: layers,
//! sensors, bodies, hooks, disabled and removed colliders.
//!
//! What stays with avian: enlarged boxes and the trees, which spatial queries use, and the removal
//! of pairs whose boxes no longer overlap, by its narrow phase.

use avian2d::collider_tree::{
    ColliderTreeProxy, ColliderTreeProxyFlags, ColliderTreeProxyKey, ColliderTreeType, ColliderTrees, MovedProxies,
    ProxyId,
};
use avian2d::collision::CollisionDiagnostics;
use avian2d::collision::contact_types::ContactEdgeFlags;
use avian2d::data_structures::pair_key::PairKey;
use avian2d::dynamics::solver::joint_graph::JointGraph;
use avian2d::prelude::*;
use bevy::ecs::system::{StaticSystemParam, SystemParamItem};
use bevy::prelude::*;
use bevy::tasks::{ComputeTaskPool, ParallelSlice};
use std::marker::PhantomData;
use std::time::Instant;
use triphase::{Aabb, Bodies, Filter, Statics, WorldConfig};

/// Takes the place of avian's `BvhBroadPhasePlugin`; give it the same collision hooks `H`.
///
/// ```no_run
/// use avian2d::prelude::*;
/// use bevy::prelude::*;
/// use triphase_avian::plugin::TriphaseBroadPhasePlugin;
///
/// let physics = PhysicsPlugins::default().build().disable::<BvhBroadPhasePlugin>();
/// let broad_phase = TriphaseBroadPhasePlugin::<()>::default();
/// App::new().add_plugins((DefaultPlugins, physics, broad_phase)).run();
/// ```
pub struct TriphaseBroadPhasePlugin<H: CollisionHooks = ()>(PhantomData<H>);

impl<H: CollisionHooks> Default for TriphaseBroadPhasePlugin<H> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<H: CollisionHooks + 'static> Plugin for TriphaseBroadPhasePlugin<H>
where
    for<'w, 's> SystemParamItem<'w, 's, H>: CollisionHooks,
{
    fn build(&self, app: &mut App) {
        let config = WorldConfig::new().with_parallel_threshold(Some(PARALLEL_BODIES));
        let world = triphase::World::new(config).expect("any threshold is valid");
        app.insert_resource(BroadPhase { world, ..default() })
            .add_observer(note_new_collider)
            .add_systems(PhysicsSchedule, collect_pairs::<H>.in_set(BroadPhaseSystems::CollectCollisions));
    }
}

/// No row, or not moved.
const NONE: u32 = u32::MAX;

/// From this many bodies on, steps of triphase use several threads.
///
/// Its threads sleep while avian works. With two of them, a step of 10,000 bodies takes 0.45 ms,
/// and 0.33 ms on one thread; with 50,000 bodies there is no difference.
const PARALLEL_BODIES: usize = 50_000;

/// From this many candidates on, they are filtered on all threads. Only new pairs are candidates,
/// so that is rare: in the first step, or after a teleport.
const PARALLEL_CANDIDATES: usize = 1024;

/// triphase's world, and which collider is in which of its rows.
#[derive(Resource, Default)]
pub struct BroadPhase {
    world: triphase::World,
    /// What is filed for each proxy, by the kind of tree and the proxy's id.
    filed: [Vec<Option<Filed>>; 4],
    bodies: Rows,
    statics: StaticRows,
    /// Rows of bodies that differ from those of the last step.
    changed: Vec<u32>,
    /// Colliders that were added since the last step, or lost their collider and got another.
    new_colliders: Vec<Entity>,
    candidates: Vec<Candidate>,
}

/// A proxy as it was when it was filed.
#[derive(Clone, Copy)]
struct Filed {
    collider: Entity,
    row: u32,
    filter: Filter,
    is_sensor: bool,
}

impl Filed {
    /// Colliders of static bodies are triphase's statics, so that pairs of two of them are never
    /// searched for. avian finds such pairs only if one is a sensor: sensors are bodies.
    fn is_static(&self, kind: ColliderTreeType) -> bool {
        kind.is_static() && !self.is_sensor
    }
}

/// Columns with a row for each collider that is not a static of triphase.
#[derive(Default)]
struct Rows {
    boxes: Vec<[f32; 4]>,
    filters: Vec<Filter>,
    sides: Vec<Side>,
}

/// The statics of triphase. Their rows are never renumbered, so free ones are used again.
#[derive(Default)]
struct StaticRows {
    sides: Vec<Side>,
    free: Vec<u32>,
    /// Changes since the last step: rows to be removed, and rows with their new boxes.
    removed: Vec<u32>,
    set: Vec<(u32, [f32; 4], Filter)>,
}

/// What decides which of two colliders searches for the other.
#[derive(Clone, Copy)]
struct Side {
    key: ColliderTreeProxyKey,
    /// The index of the collider's entity.
    index: u32,
    is_sensor: bool,
    /// The place in the list of moved proxies, or [`NONE`].
    moved: u32,
}

impl Side {
    /// avian's order of proxies: of two that moved, the first one searches.
    fn rank(&self) -> u32 {
        (self.key.tree_type() as u32) << 30 | self.key.id().id()
    }

    /// Whether avian searches the tree of `other` for partners of this one.
    fn searches(&self, other: &Self) -> bool {
        !self.key.is_static() || !other.key.is_static() || self.is_sensor
    }
}

/// A pair that one of its colliders finds: the searching one's place in the list of moved proxies
/// in the upper half, and the [rank](Side::rank) of the one that it finds in the lower half.
///
/// Edges are added in this order. It depends neither on threads nor on how pairs were found, so
/// results of the solver do not either.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate(u64);

impl Candidate {
    fn new(searching: &Side, found: &Side) -> Self {
        Self(u64::from(searching.moved) << 32 | u64::from(found.rank()))
    }

    fn keys(self, moved: &MovedProxies) -> [ColliderTreeProxyKey; 2] {
        let rank = self.0 as u32;
        let kind = ColliderTreeType::ALL[(rank >> 30) as usize];
        let found = ColliderTreeProxyKey::new(ProxyId::new(rank & (u32::MAX >> 2)), kind);
        [moved.proxies()[(self.0 >> 32) as usize], found]
    }
}

/// Adds what avian finds for two colliders whose boxes overlap: a pair if one of them moved, and if
/// the pair is not in the contact graph.
///
/// If both moved, the second one adds the pair as well if it is a sensor, as in avian. Then hooks
/// are asked twice; the contact graph ignores the second edge.
fn push_candidates(candidates: &mut Vec<Candidate>, contact_graph: &ContactGraph, a: &Side, b: &Side) {
    if (a.moved == NONE && b.moved == NONE) || contact_graph.contains_key(&PairKey::new(a.index, b.index)) {
        return;
    }
    let (first, second) = if a.rank() < b.rank() { (a, b) } else { (b, a) };
    if first.moved != NONE && first.searches(second) {
        candidates.push(Candidate::new(first, second));
    }
    if second.moved != NONE && (first.moved == NONE || second.is_sensor) && second.searches(first) {
        candidates.push(Candidate::new(second, first));
    }
}

/// A collider that is removed and added again to its entity may get its old proxy id back.
fn note_new_collider(trigger: On<Add, ColliderMarker>, mut broad_phase: ResMut<BroadPhase>) {
    broad_phase.new_colliders.push(trigger.entity);
}

/// The broad phase: what `BvhBroadPhasePlugin` does, in the same place of the schedule.
#[expect(clippy::too_many_arguments, reason = "the parameters of a system")]
fn collect_pairs<H: CollisionHooks>(
    mut broad_phase: ResMut<BroadPhase>,
    trees: Res<ColliderTrees>,
    moved: Res<MovedProxies>,
    keys: Query<&ColliderTreeProxyKey>,
    hooks: StaticSystemParam<H>,
    commands: ParallelCommands,
    mut contact_graph: ResMut<ContactGraph>,
    joint_graph: Res<JointGraph>,
    mut diagnostics: ResMut<CollisionDiagnostics>,
) -> Result
where
    for<'w, 's> SystemParamItem<'w, 's, H>: CollisionHooks,
{
    let start = Instant::now();
    // Without moved proxies there are no new pairs. Removed colliders can wait for the next step.
    if !moved.proxies().is_empty() {
        broad_phase.file(&trees, &moved, &keys);
        let found = broad_phase.find_candidates(&contact_graph);
        broad_phase.clear_moved(&moved);
        found.map_err(|error| broad_phase.named(error))?;
        let filters = PairFilters {
            trees: &trees,
            moved: &moved,
            joint_graph: &joint_graph,
            hooks: &hooks.into_inner(),
            commands: &commands,
        };
        let accepted = filters.accepted(&broad_phase.candidates);
        for candidate in accepted {
            let proxies = candidate.keys(&moved).map(|key| trees.get_proxy(key).expect("it was accepted"));
            add_edge(&mut contact_graph, proxies);
        }
    }
    diagnostics.broad_phase += start.elapsed();
    Ok(())
}

/// Filing: brings the rows up to date with avian's trees.
impl BroadPhase {
    fn file(&mut self, trees: &ColliderTrees, moved: &MovedProxies, keys: &Query<&ColliderTreeProxyKey>) {
        for kind in ColliderTreeType::ALL {
            self.file_tree(trees, kind);
        }
        let new_colliders = std::mem::take(&mut self.new_colliders);
        for key in new_colliders.iter().filter_map(|&collider| keys.get(collider).ok()) {
            self.set_box(trees, *key, NONE);
        }
        self.new_colliders = new_colliders;
        self.new_colliders.clear();
        for (place, key) in moved.proxies().iter().enumerate() {
            self.set_box(trees, *key, place as u32);
        }
    }

    /// Files the proxies of a tree that are not filed as they are, and removes those that are gone.
    ///
    /// This looks at each proxy, which takes about 4 nanoseconds. To be told what differs would
    /// take an observer for each of the dozen events after which avian changes a proxy.
    fn file_tree(&mut self, trees: &ColliderTrees, kind: ColliderTreeType) {
        let mut next = 0;
        for (id, proxy) in trees.tree_for_type(kind).proxies.iter() {
            for gone in next..id {
                self.remove(kind, gone);
            }
            next = id + 1;
            let filter = Filter::new(proxy.layers.memberships.0, proxy.layers.filters.0);
            let is_same = |filed: &Filed| {
                filed.collider == proxy.collider && filed.filter == filter && filed.is_sensor == proxy.is_sensor()
            };
            if !self.filed[kind as usize].get(id).is_some_and(|filed| filed.as_ref().is_some_and(is_same)) {
                self.remove(kind, id);
                self.insert(trees, kind, id, proxy, filter);
            }
        }
        for gone in next..self.filed[kind as usize].len() {
            self.remove(kind, gone);
        }
    }

    fn insert(
        &mut self,
        trees: &ColliderTrees,
        kind: ColliderTreeType,
        id: usize,
        proxy: &ColliderTreeProxy,
        filter: Filter,
    ) {
        let key = ColliderTreeProxyKey::new(ProxyId::new(id as u32), kind);
        let side = Side { key, index: proxy.collider.index_u32(), is_sensor: proxy.is_sensor(), moved: NONE };
        let mut filed = Filed { collider: proxy.collider, row: NONE, filter, is_sensor: proxy.is_sensor() };
        let Some(aabb) = box_of(trees, key) else { return };
        if filed.is_static(kind) {
            filed.row = self.statics.insert(side, aabb, filter);
        } else {
            filed.row = self.bodies.boxes.len() as u32;
            self.bodies.boxes.push(aabb);
            self.bodies.filters.push(filter);
            self.bodies.sides.push(side);
            self.changed.push(filed.row);
        }
        let slots = &mut self.filed[kind as usize];
        if slots.len() <= id {
            slots.resize(id + 1, None);
        }
        slots[id] = Some(filed);
    }

    fn remove(&mut self, kind: ColliderTreeType, id: usize) {
        let Some(filed) = self.filed[kind as usize].get_mut(id).and_then(Option::take) else { return };
        if filed.is_static(kind) {
            self.statics.remove(filed.row);
            return;
        }
        let row = filed.row as usize;
        self.bodies.boxes.swap_remove(row);
        self.bodies.filters.swap_remove(row);
        self.bodies.sides.swap_remove(row);
        // The last row took the place of the removed one.
        if let Some(side) = self.bodies.sides.get(row) {
            let last = self.filed[side.key.tree_type() as usize][side.key.id().index()].as_mut();
            last.expect("each row has a proxy that is filed").row = filed.row;
            self.changed.push(filed.row);
        }
    }

    /// Reads the box of a proxy, and notes its place in the list of moved proxies.
    fn set_box(&mut self, trees: &ColliderTrees, key: ColliderTreeProxyKey, moved: u32) {
        if key == ColliderTreeProxyKey::PLACEHOLDER {
            return;
        }
        let kind = key.tree_type();
        let Some(&Some(filed)) = self.filed[kind as usize].get(key.id().index()) else { return };
        let Some(aabb) = box_of(trees, key) else { return };
        if filed.is_static(kind) {
            self.statics.sides[filed.row as usize].moved = moved;
            self.statics.set.push((filed.row, aabb, filed.filter));
        } else {
            self.bodies.sides[filed.row as usize].moved = moved;
            self.bodies.boxes[filed.row as usize] = aabb;
            self.changed.push(filed.row);
        }
    }

    /// Forgets which proxies moved.
    fn clear_moved(&mut self, moved: &MovedProxies) {
        for key in moved.proxies() {
            let kind = key.tree_type();
            if let Some(Some(filed)) = self.filed[kind as usize].get(key.id().index()) {
                let sides = if filed.is_static(kind) { &mut self.statics.sides } else { &mut self.bodies.sides };
                sides[filed.row as usize].moved = NONE;
            }
        }
    }
}

impl StaticRows {
    fn insert(&mut self, side: Side, aabb: [f32; 4], filter: Filter) -> u32 {
        let row = self.free.pop().unwrap_or(self.sides.len() as u32);
        if row as usize == self.sides.len() {
            self.sides.push(side);
        } else {
            self.sides[row as usize] = side;
        }
        self.set.push((row, aabb, filter));
        row
    }

    fn remove(&mut self, row: u32) {
        self.free.push(row);
        self.removed.push(row);
    }

    /// Makes the changes since the last step to the static set of `world`.
    fn apply(&mut self, world: &mut triphase::World) -> Result<(), triphase::Error> {
        // First, as a row may have got another static since.
        let known = world.statics().len() as u32;
        if !self.removed.is_empty() {
            self.removed.retain(|&row| row < known);
            world.remove_statics(&self.removed)?;
            self.removed.clear();
        }

        self.set.sort_by_key(|&(row, ..)| row); // stable: the last box of a row is the newest
        self.set.dedup_by(|later, earlier| {
            later.0 == earlier.0 && {
                *earlier = *later;
                true
            }
        });
        let appended = self.set.partition_point(|&(row, ..)| row < known);
        let columns = |set: &[(u32, [f32; 4], Filter)]| -> (Vec<[f32; 4]>, Vec<Filter>) {
            set.iter().map(|&(_, aabb, filter)| (aabb, filter)).unzip()
        };
        if appended > 0 {
            let rows: Vec<u32> = self.set[..appended].iter().map(|&(row, ..)| row).collect();
            let (boxes, filters) = columns(&self.set[..appended]);
            world.replace_statics(&rows, Statics::new(&boxes).with_filters(&filters))?;
        }
        if appended < self.set.len() {
            let (boxes, filters) = columns(&self.set[appended..]);
            world.insert_statics(Statics::new(&boxes).with_filters(&filters))?;
        }
        self.set.clear();
        Ok(())
    }
}

/// The enlarged box of a collider, as it is in avian's tree.
fn box_of(trees: &ColliderTrees, key: ColliderTreeProxyKey) -> Option<[f32; 4]> {
    let aabb = trees.tree_for_type(key.tree_type()).get_proxy_aabb(key.id())?;
    Some([aabb.min.x, aabb.min.y, aabb.max.x, aabb.max.y])
}

/// Finding: a step of triphase, and its pairs of which a collider moved.
impl BroadPhase {
    fn find_candidates(&mut self, contact_graph: &ContactGraph) -> Result<(), triphase::Error> {
        self.statics.apply(&mut self.world)?;
        let row_count = self.bodies.boxes.len();
        self.changed.retain(|&row| (row as usize) < row_count);
        let bodies = Bodies::from_aabbs(&self.bodies.boxes).with_filters(&self.bodies.filters);
        let contacts = self.world.step_changed(bodies, &self.changed)?;

        self.candidates.clear();
        let (sides, static_sides) = (&self.bodies.sides, &self.statics.sides);
        let mut push = |pair: &triphase::Pair| {
            push_candidates(&mut self.candidates, contact_graph, &sides[pair.a as usize], &sides[pair.b as usize]);
        };
        // Sorting the pairs of the rows that changed pays only if these are few.
        let are_few = self.changed.len() * 20 < row_count;
        if are_few {
            contacts.changed_pairs().iter().for_each(&mut push);
        } else {
            contacts.body_pages().flatten().for_each(&mut push);
        }
        let mut push = |pair: &triphase::StaticPair| {
            let fixed = &static_sides[pair.static_row as usize];
            push_candidates(&mut self.candidates, contact_graph, &sides[pair.body as usize], fixed);
        };
        if are_few {
            contacts.changed_static_pairs().iter().for_each(&mut push);
        } else {
            contacts.static_pages().flatten().for_each(&mut push);
        }
        self.changed.clear();
        Ok(())
    }
}

impl BroadPhase {
    /// Adds the collider to an error that names a row.
    fn named(&self, error: triphase::Error) -> BevyError {
        let is_invalid = |&[min_x, min_y, max_x, max_y]: &[f32; 4]| Aabb::new([min_x, min_y], [max_x, max_y]).is_err();
        let side = match error {
            triphase::Error::InvalidBody(invalid) => self.bodies.sides.get(invalid.row as usize),
            triphase::Error::InvalidStatic(_) => {
                let row = self.statics.set.iter().find(|(_, aabb, _)| is_invalid(aabb)).map(|&(row, ..)| row);
                row.map(|row| &self.statics.sides[row as usize])
            }
            _ => None,
        };
        let filed = side.and_then(|side| self.filed[side.key.tree_type() as usize][side.key.id().index()]);
        filed.map_or_else(|| error.clone().into(), |filed| format!("collider {}: {error}", filed.collider).into())
    }
}

/// What avian asks of a pair whose boxes overlap, in the same order.
struct PairFilters<'a, 'w, 's, H> {
    trees: &'a ColliderTrees,
    moved: &'a MovedProxies,
    joint_graph: &'a JointGraph,
    hooks: &'a H,
    commands: &'a ParallelCommands<'w, 's>,
}

impl<H: CollisionHooks> PairFilters<'_, '_, '_, H> {
    /// The candidates that become edges, in order.
    fn accepted(&self, candidates: &[Candidate]) -> Vec<Candidate> {
        let filter = |chunk: &[Candidate]| -> Vec<Candidate> {
            self.commands.command_scope(|mut commands| {
                chunk.iter().copied().filter(|&candidate| self.accepts(candidate, &mut commands)).collect()
            })
        };
        let mut accepted = if candidates.len() < PARALLEL_CANDIDATES {
            filter(candidates)
        } else {
            candidates.par_splat_map(ComputeTaskPool::get(), None, |_, chunk| filter(chunk)).concat()
        };
        accepted.sort_unstable();
        accepted
    }

    fn accepts(&self, candidate: Candidate, commands: &mut Commands) -> bool {
        let [Some(a), Some(b)] = candidate.keys(self.moved).map(|key| self.trees.get_proxy(key)) else {
            return false;
        };
        if !a.layers.interacts_with(b.layers) || a.body == b.body {
            return false;
        }
        if let (Some(body1), Some(body2)) = (a.body, b.body)
            && self.joint_graph.joints_between(body1, body2).any(|joint| joint.collision_disabled)
        {
            return false;
        }
        let is_custom = a.flags.union(b.flags).contains(ColliderTreeProxyFlags::CUSTOM_FILTER);
        !is_custom || self.hooks.filter_pairs(a.collider, b.collider, commands)
    }
}

/// Adds an edge as avian does, with the flags that its narrow phase expects.
fn add_edge(contact_graph: &mut ContactGraph, [a, b]: [&ColliderTreeProxy; 2]) {
    let flags = a.flags.union(b.flags);
    let mut edge = ContactEdge::new(a.collider, b.collider);
    (edge.body1, edge.body2) = (a.body, b.body);
    edge.flags.set(ContactEdgeFlags::CONTACT_EVENTS, flags.contains(ColliderTreeProxyFlags::CONTACT_EVENTS));
    contact_graph.add_edge_with(edge, |pair| {
        (pair.body1, pair.body2) = (a.body, b.body);
        pair.flags.set(ContactPairFlags::MODIFY_CONTACTS, flags.contains(ColliderTreeProxyFlags::MODIFY_CONTACTS));
        let generates = !flags.intersects(ColliderTreeProxyFlags::BODY_DISABLED | ColliderTreeProxyFlags::SENSOR);
        pair.flags.set(ContactPairFlags::GENERATE_CONSTRAINTS, generates);
    });
}
