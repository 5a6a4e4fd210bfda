//! The game: components, and the systems around the plugin.

use bevy_app::{App, PostUpdate, Startup, TaskPoolPlugin, Update};
use bevy_ecs::prelude::*;
use bytemuck::{Pod, Zeroable};
use fastrand::Rng;
use triphase::glam::{Vec2, vec2};
use triphase::{Aabb, Bodies, Filter};
use triphase_bevy::{
    BodyColumns, BroadPhaseSystems, ContactEnded, ContactStarted, Displacement, EntityFilter, StaticBox,
    StaticContactStarted, TriphasePlugin,
};

// Newtypes of two `f32` are read as they are in Bevy's tables, without a copy. With summary ticks,
// Bevy knows of a whole table that nobody wrote to it.

#[derive(Clone, Copy, Component, Pod, Zeroable)]
#[repr(transparent)]
pub struct Position(pub Vec2);

#[derive(Clone, Copy, Component, Pod, Zeroable)]
#[component(summary_tick)]
#[repr(transparent)]
pub struct HalfExtents(pub Vec2);

/// Tells the plugin what a body is.
pub struct Columns;

impl BodyColumns for Columns {
    type Position = Position;
    type Size = HalfExtents;

    fn bodies<'a>(positions: &'a [Position], half_extents: &'a [HalfExtents]) -> Bodies<'a> {
        Bodies::new(positions, half_extents)
    }
}

/// World units per frame.
#[derive(Component)]
pub struct Velocity(Vec2);

/// Comes and goes on many units. In a sparse set, it does not move them to another table.
#[derive(Component)]
#[component(storage = "SparseSet")]
pub struct Walking;

#[derive(Component)]
pub struct Health(i32);

/// What a bullet takes from the health of a unit.
#[derive(Component)]
pub struct Damage(i32);

/// Tells observers that an entity was hit.
#[derive(EntityEvent)]
pub struct Hit {
    entity: Entity,
    damage: i32,
}

const UNITS: u32 = 1 << 0;
const DRAGONS: u32 = 1 << 1;
const BULLETS: u32 = 1 << 2;
const WALLS: u32 = 1 << 3;
const UNIT: EntityFilter = EntityFilter(Filter::new(UNITS, UNITS | DRAGONS | BULLETS | WALLS));
const DRAGON: EntityFilter = EntityFilter(Filter::new(DRAGONS, UNITS | DRAGONS | BULLETS));
const BULLET: EntityFilter = EntityFilter(Filter::new(BULLETS, UNITS | DRAGONS | WALLS));
const WALL: EntityFilter = EntityFilter(Filter::new(WALLS, UNITS | BULLETS));

/// World units per frame: many times the size of a bullet, which would jump over units.
const BULLET_SPEED: f32 = 3.0;

/// Settings and random numbers.
#[derive(Resource)]
pub struct Game {
    unit_count: usize,
    /// The world is a square from 0 to this.
    pub side: f32,
    rng: Rng,
}

/// What happened since the start.
#[derive(Debug, Default, Resource)]
pub struct Score {
    pub contacts: usize,
    pub ended: usize,
    pub hits: usize,
    pub deaths: usize,
    pub bullets_stopped: usize,
}

impl Game {
    pub fn new(unit_count: usize, seed: u64) -> Self {
        Self { unit_count, side: (unit_count as f32 * 2.5).sqrt(), rng: Rng::with_seed(seed) }
    }

    fn place(&mut self) -> Vec2 {
        vec2(self.rng.f32(), self.rng.f32()) * self.side
    }

    fn direction(&mut self) -> Vec2 {
        Vec2::from_angle(self.rng.f32() * std::f32::consts::TAU)
    }
}

/// Returns the app with all systems but those of the checks.
pub fn app(game: Game) -> App {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TriphasePlugin::<Columns>::default()))
        .insert_resource(game)
        .init_resource::<Score>()
        .add_systems(Startup, build)
        .add_systems(Update, (start_and_stop, walk, fly, shoot, reinforce).chain())
        .add_systems(PostUpdate, (count, hit, stop_bullets).chain().after(BroadPhaseSystems))
        .add_observer(on_hit);
    app
}

fn build(mut commands: Commands, mut game: ResMut<Game>) -> Result {
    (0..game.unit_count).for_each(|_| spawn_unit(&mut commands, &mut game));
    for _ in 0..game.unit_count.div_ceil(200) {
        let half_extents = HalfExtents(vec2(4.0, 2.0) * (1.0 + game.rng.f32()));
        let (position, velocity) = (Position(game.place()), Velocity(game.direction() * 0.3));
        commands.spawn((position, half_extents, velocity, DRAGON, Walking));
    }
    for _ in 0..game.unit_count.div_ceil(20) {
        let min = game.place();
        let size = if game.rng.bool() { vec2(5.0, 0.5) } else { vec2(0.5, 5.0) };
        commands.spawn((StaticBox(Aabb::new(min, min + size)?), WALL));
    }
    Ok(())
}

fn spawn_unit(commands: &mut Commands, game: &mut Game) {
    let (position, velocity) = (Position(game.place()), Velocity(game.direction() * 0.1));
    commands.spawn((position, HalfExtents(vec2(0.4, 0.4)), velocity, Health(3), UNIT));
}

/// A few units start walking and a few stop.
fn start_and_stop(
    mut commands: Commands,
    mut game: ResMut<Game>,
    resting: Query<Entity, (With<Health>, Without<Walking>)>,
    walking: Query<Entity, (With<Health>, With<Walking>)>,
) {
    for entity in resting.iter().filter(|_| game.rng.u32(..1000) == 0) {
        commands.entity(entity).insert(Walking);
    }
    for entity in walking.iter().filter(|_| game.rng.u32(..100) == 0) {
        commands.entity(entity).remove::<Walking>();
    }
}

/// Only the positions of those that walk are written, so the step reads only these.
fn walk(mut walking: Query<(&mut Position, &mut Velocity), With<Walking>>, game: Res<Game>) {
    for (mut position, mut velocity) in &mut walking {
        let next = position.0 + velocity.0;
        let inside = next.clamp(Vec2::ZERO, Vec2::splat(game.side));
        if inside != next {
            velocity.0 = -velocity.0;
        }
        position.0 = inside;
    }
}

/// Bullets are where they were after the last step: now they fly.
fn fly(mut commands: Commands, mut bullets: Query<(Entity, &mut Position, &Displacement)>, game: Res<Game>) {
    for (entity, mut position, displacement) in &mut bullets {
        position.0 += Vec2::from(displacement.0);
        if position.0.cmplt(Vec2::ZERO).any() || position.0.cmpgt(Vec2::splat(game.side)).any() {
            commands.entity(entity).despawn();
        }
    }
}

fn shoot(mut commands: Commands, mut game: ResMut<Game>) {
    for _ in 0..game.unit_count.div_ceil(500) {
        let displacement = Displacement((game.direction() * BULLET_SPEED).into());
        commands.spawn((Position(game.place()), HalfExtents(vec2(0.1, 0.1)), displacement, BULLET, Damage(1)));
    }
}

/// New units take the places of dead ones.
fn reinforce(mut commands: Commands, mut game: ResMut<Game>, units: Query<(), With<Health>>) {
    let missing = game.unit_count - units.iter().len();
    (0..missing).for_each(|_| spawn_unit(&mut commands, &mut game));
}

fn count(mut score: ResMut<Score>, mut started: MessageReader<ContactStarted>, mut ended: MessageReader<ContactEnded>) {
    score.contacts += started.read().count();
    score.ended += ended.read().count(); // also of entities that were despawned meanwhile
}

/// Bullets hurt the units that they begin to touch.
///
/// A contact says that boxes overlap, and the box of a bullet covers its motion. A game that wants
/// more tests here what the bullet's path hits.
pub fn hit(
    mut commands: Commands,
    mut started: MessageReader<ContactStarted>,
    bullets: Query<&Damage>,
    units: Query<(), With<Health>>,
) {
    for contact in started.read() {
        for (bullet, target) in [(contact.a, contact.b), (contact.b, contact.a)] {
            if let Ok(damage) = bullets.get(bullet)
                && units.contains(target)
            {
                commands.trigger(Hit { entity: target, damage: damage.0 });
                commands.entity(bullet).try_despawn(); // it may hit several
            }
        }
    }
}

fn on_hit(hit: On<Hit>, mut commands: Commands, mut units: Query<&mut Health>, mut score: ResMut<Score>) {
    let Ok(mut health) = units.get_mut(hit.entity) else {
        return; // dead by an earlier hit of this frame
    };
    score.hits += 1;
    health.0 -= hit.damage;
    if health.0 <= 0 {
        score.deaths += 1;
        commands.entity(hit.entity).despawn();
    }
}

fn stop_bullets(
    mut commands: Commands,
    mut started: MessageReader<StaticContactStarted>,
    bullets: Query<(), With<Damage>>,
    mut score: ResMut<Score>,
) {
    for contact in started.read().filter(|contact| bullets.contains(contact.body)) {
        score.bullets_stopped += 1;
        commands.entity(contact.body).try_despawn();
    }
}
