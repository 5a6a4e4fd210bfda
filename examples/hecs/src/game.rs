//! The game: units wander between walls and dragons, and bullets fly.

use crate::columns::{body_and_wall, entities, entity, step};
use crate::components::*;
use fastrand::Rng;
use hecs::{CommandBuffer, Entity};
use triphase::glam::{Vec2, vec2};
use triphase::{Aabb, Statics, WorldConfig};

const UNIT_HALF_EXTENTS: Vec2 = Vec2::new(0.4, 0.4);
/// World units per frame: many times the size of a bullet, which would jump over units.
const BULLET_SPEED: f32 = 3.0;

/// The game's entities, and the contacts of the last frame.
pub struct Game {
    pub ecs: hecs::World,
    pub physics: triphase::World,
    pub counts: Counts,
    rng: Rng,
    /// The world is a square from 0 to this.
    side: f32,
    unit_count: usize,
    /// Changes to entities that are made once no query runs.
    commands: CommandBuffer,
    frame: usize,
}

/// What happened since the start.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub began: usize,
    pub ended: usize,
    pub ended_after_despawn: usize,
    pub hits: usize,
    pub deaths: usize,
    pub bullets_stopped: usize,
    pub walls_fallen: usize,
}

impl Game {
    pub fn new(unit_count: usize, seed: u64) -> Result<Self, Box<dyn std::error::Error>> {
        let mut game = Self {
            ecs: hecs::World::new(),
            // Tracking reports what began and ended.
            physics: triphase::World::new(WorldConfig::new().with_contact_tracking(true))?,
            counts: Counts::default(),
            rng: Rng::with_seed(seed),
            side: (unit_count as f32 * 2.5).sqrt(),
            unit_count,
            commands: CommandBuffer::new(),
            frame: 0,
        };
        (0..unit_count).for_each(|_| game.spawn_unit());
        (0..unit_count.div_ceil(200)).for_each(|_| game.spawn_dragon());
        game.build_walls(unit_count.div_ceil(20))?;
        Ok(game)
    }

    fn random_place(&mut self) -> Vec2 {
        vec2(self.rng.f32(), self.rng.f32()) * self.side
    }

    fn random_direction(&mut self) -> Vec2 {
        Vec2::from_angle(self.rng.f32() * std::f32::consts::TAU)
    }

    fn spawn_unit(&mut self) {
        let (position, velocity) = (Position(self.random_place()), Velocity(self.random_direction() * 0.1));
        self.ecs.spawn((position, HalfExtents(UNIT_HALF_EXTENTS), velocity, UNIT, Health(3)));
    }

    fn spawn_dragon(&mut self) {
        let half_extents = HalfExtents(vec2(4.0, 2.0) * (1.0 + self.rng.f32()));
        let (position, velocity) = (Position(self.random_place()), Velocity(self.random_direction() * 0.3));
        self.ecs.spawn((position, half_extents, velocity, DRAGON));
    }

    fn spawn_bullet(&mut self) {
        let (position, displacement) = (self.random_place(), self.random_direction() * BULLET_SPEED);
        self.ecs.spawn((Position(position), Displacement(displacement), BULLET, Damage(1)));
    }

    /// Spawns walls, and hands them to the world as statics that have entities as ids.
    fn build_walls(&mut self, count: usize) -> Result<(), Box<dyn std::error::Error>> {
        let (mut boxes, mut ids) = (Vec::new(), Vec::new());
        for static_row in 0..count as u32 {
            let min = self.random_place();
            let size = if self.rng.bool() { vec2(5.0, 0.5) } else { vec2(0.5, 5.0) };
            let aabb = Aabb::new(min, min + size)?;
            boxes.push(aabb);
            ids.push(self.ecs.spawn((aabb, WALL, Wall { static_row })).to_bits().get());
        }
        self.physics.set_statics(Statics::new(&boxes).with_ids(&ids).with_filters(&vec![WALL; count]))?;
        Ok(())
    }

    /// Moves units and dragons, and finds the contacts. Then `check` may look at them, before
    /// [`respond`](Self::respond) changes entities.
    pub fn move_and_step(&mut self) -> Result<(), triphase::Error> {
        let (rng, side) = (&mut self.rng, self.side);
        for (Position(position), Velocity(velocity), flees) in
            self.ecs.query_mut::<(&mut Position, &mut Velocity, Option<&Fleeing>)>()
        {
            *velocity = velocity.rotate(Vec2::from_angle((rng.f32() - 0.5) * 0.2));
            *position += if flees.is_some() { 2.0 * *velocity } else { *velocity };
            // Turned around at the edge of the world.
            let outside = position.cmplt(Vec2::ZERO) | position.cmpgt(Vec2::splat(side));
            *velocity = Vec2::select(outside, -*velocity, *velocity);
            *position = position.clamp(Vec2::ZERO, Vec2::splat(side));
        }
        step(&mut self.physics, &self.ecs)?;
        Ok(())
    }

    /// Lets the contacts of the frame take effect, then spawns and despawns.
    ///
    /// hecs despawns by a swap-remove in the archetype, so rows of the step do not fit the columns
    /// any more. Hence everything here goes by entity.
    pub fn respond(&mut self) -> Result<(), Box<dyn std::error::Error>> {
        self.bodies_met();
        self.walls_met();
        // All bullets that are left have flown.
        for (entity, Position(position), Displacement(displacement)) in
            self.ecs.query_mut::<(Entity, &mut Position, &Displacement)>()
        {
            *position += *displacement;
            if position.cmplt(Vec2::ZERO).any() || position.cmpgt(Vec2::splat(self.side)).any() {
                self.commands.despawn(entity);
            }
        }
        self.commands.run_on(&mut self.ecs);
        if self.frame % 10 == 9 {
            self.fell_wall()?;
        }
        self.frame += 1;
        (0..self.unit_count.div_ceil(50)).for_each(|_| self.spawn_bullet());
        let dead = self.unit_count - self.ecs.query_mut::<&Health>().into_iter().count();
        (0..dead).for_each(|_| self.spawn_unit());
        Ok(())
    }

    /// Bullets hurt the units that they begin to touch.
    ///
    /// A contact says that boxes overlap, and the box of a bullet covers its motion. A game that
    /// wants more tests here what the bullet's path hits, for contacts that persist too.
    fn bodies_met(&mut self) {
        let contacts = self.physics.contacts();
        let events = contacts.events().expect("contacts are tracked");
        for started in events.started() {
            self.counts.began += 1;
            let (a, b) = entities(contacts, started.pair);
            // Which of both is the bullet? Rows follow the archetypes, whose order is not ours.
            for (bullet, target) in [(a, b), (b, a)] {
                let (Ok(damage), Ok(mut health)) =
                    (self.ecs.get::<&Damage>(bullet), self.ecs.get::<&mut Health>(target))
                else {
                    continue;
                };
                self.counts.hits += 1;
                health.0 -= damage.0;
                self.commands.despawn(bullet); // twice, if it hit two units: the second is ignored
                if health.0 > 0 {
                    self.commands.insert_one(target, Fleeing);
                } else if health.0 == 0 {
                    self.counts.deaths += 1;
                    self.commands.despawn(target);
                }
            }
        }
        for ended in events.ended() {
            self.counts.ended += 1;
            // Also reported if an entity was despawned. Its id then still tells which it was.
            let alive = [ended.a_id, ended.b_id].map(|id| self.ecs.contains(entity(id)));
            self.counts.ended_after_despawn += usize::from(alive != [true, true]);
        }
    }

    /// Walls stop bullets and turn units around.
    fn walls_met(&mut self) {
        let contacts = self.physics.contacts();
        let events = contacts.events().expect("contacts are tracked");
        for started in events.started_static() {
            let (body, _wall) = body_and_wall(contacts, started.pair);
            if self.ecs.satisfies::<&Damage>(body) {
                self.counts.bullets_stopped += 1;
                self.commands.despawn(body);
            } else if let Ok(mut velocity) = self.ecs.get::<&mut Velocity>(body) {
                velocity.0 = -velocity.0;
            }
        }
    }

    /// Despawns a wall and removes its static.
    fn fell_wall(&mut self) -> Result<(), Box<dyn std::error::Error>> {
        let Some((entity, row)) =
            self.ecs.query_mut::<(Entity, &Wall)>().into_iter().next().map(|(entity, wall)| (entity, wall.static_row))
        else {
            return Ok(());
        };
        self.physics.remove_statics(&[row])?;
        self.ecs.despawn(entity)?;
        self.counts.walls_fallen += 1;
        Ok(())
    }
}
