//! A scene like a game's: people walk the rooms of a palace, arrows fly until they hit a wall,
//! dragons fly over the walls, and doors open and close.
//!
//! Each kind is a chunk of bodies of its own, as the archetypes of an ECS are.

use triphase::Bodies;
use triphase_scenes::{Map, SplitMix64, Walkers};

/// Free and blocked cells for each person.
const CELLS_PER_PERSON: f64 = 2.0;
/// Cells of a room of the palace.
const ROOM_CELLS: f64 = 256.0;
/// One arrow in this many bodies, and one dragon.
const ARROW: usize = 20;
const DRAGON: usize = 800;
/// Half-extents and speeds, in cells and cells per frame.
const ARROW_HALF: f32 = 0.08;
const ARROW_SPEED: f64 = 0.35;
const DRAGON_HALF: [f32; 2] = [2.0, 7.0];
const DRAGON_SPEED: f64 = 0.12;
/// Frames that a door stays as it is.
const DOOR_FRAMES: u64 = 90;

/// The bodies and statics of the palace.
#[derive(Clone, Debug)]
pub(crate) struct Siege {
    map: Map,
    /// The walls, and then the doors.
    statics: Vec<[f32; 4]>,
    wall_count: usize,
    moving: Walkers,
    resting: Walkers,
    arrows: Flock,
    dragons: Flock,
    random: SplitMix64,
    frame: u64,
    /// The rows that move in each frame.
    moving_rows: Vec<u32>,
}

/// Bodies that fly, as columns.
#[derive(Clone, Debug, Default)]
struct Flock {
    centers: Vec<[f32; 2]>,
    half_extents: Vec<[f32; 2]>,
    velocities: Vec<[f32; 2]>,
}

impl Flock {
    fn push(&mut self, center: [f32; 2], half: [f32; 2], direction: [f64; 2], speed: f64) {
        self.centers.push(center);
        self.half_extents.push(half);
        self.velocities.push(direction.map(|d| (d * speed) as f32));
    }

    fn bodies(&self) -> Bodies<'_> {
        Bodies::new(&self.centers, &self.half_extents)
    }
}

impl Siege {
    /// A palace that is large enough for this many bodies, of which some percent move.
    pub(crate) fn new(bodies: usize, moving: u32, seed: u64) -> Self {
        let rooms = (bodies as f64 * CELLS_PER_PERSON / ROOM_CELLS).sqrt().ceil().max(2.0) as usize;
        let map = Map::palace(rooms, rooms);
        let mut random = SplitMix64::new(seed);
        let (arrow_count, dragon_count) = (bodies / ARROW, bodies / DRAGON);
        // A palace has free cells.
        let people = Walkers::spawn(&map, bodies - arrow_count - dragon_count, seed).unwrap_or_default();
        let (mut arrows, mut dragons) = (Flock::default(), Flock::default());
        for _ in 0..arrow_count {
            let from = random.pick(&people.centers);
            arrows.push(from, [ARROW_HALF; 2], random.direction(), ARROW_SPEED);
        }
        for _ in 0..dragon_count {
            let center = [random.range(0.0, map.width as f64), random.range(0.0, map.height as f64)];
            let length = random.range(DRAGON_HALF[0], DRAGON_HALF[1]);
            dragons.push(center, [length, 0.6 * length], random.direction(), DRAGON_SPEED);
        }
        let mut statics = map.walls();
        let wall_count = statics.len();
        statics.extend(doors(&map));
        let (resting, frame, moving_rows) = (Walkers::default(), 0, Vec::new());
        let mut siege =
            Self { map, statics, wall_count, moving: people, resting, arrows, dragons, random, frame, moving_rows };
        siege.set_moving(moving);
        siege
    }

    /// Sets the percentage of people that walk.
    pub(crate) fn set_moving(&mut self, percent: u32) {
        let count = (self.moving.centers.len() + self.resting.centers.len()) * percent.min(100) as usize / 100;
        let (all, rest) = (&mut self.moving, &mut self.resting);
        for (column, other) in [
            (&mut all.centers, &mut rest.centers),
            (&mut all.half_extents, &mut rest.half_extents),
            (&mut all.velocities, &mut rest.velocities),
        ] {
            column.append(other);
            *other = column.split_off(count);
        }
        let people = (count + self.resting.centers.len()) as u32;
        let flying = if percent == 0 { 0 } else { (self.arrows.centers.len() + self.dragons.centers.len()) as u32 };
        self.moving_rows.clear();
        self.moving_rows.extend((0..count as u32).chain(people..people + flying));
    }

    /// Moves everything by a frame.
    pub(crate) fn advance(&mut self) {
        self.frame += 1;
        if self.moving_rows.is_empty() {
            return;
        }
        self.moving.advance(&self.map);
        self.advance_arrows();
        let sides = [self.map.width as f32, self.map.height as f32];
        for (center, velocity) in self.dragons.centers.iter_mut().zip(&mut self.dragons.velocities) {
            for axis in 0..2 {
                center[axis] += velocity[axis];
                if !(0.0..=sides[axis]).contains(&center[axis]) {
                    center[axis] = center[axis].clamp(0.0, sides[axis]);
                    velocity[axis] = -velocity[axis];
                }
            }
        }
    }

    /// An arrow that hits a wall is shot again, by someone else.
    fn advance_arrows(&mut self) {
        let Self { map, arrows, random, moving, resting, .. } = self;
        let archers = if moving.centers.is_empty() { &resting.centers } else { &moving.centers };
        for (center, velocity) in arrows.centers.iter_mut().zip(&mut arrows.velocities) {
            let next = [center[0] + velocity[0], center[1] + velocity[1]];
            if map.is_blocked(next[0].floor() as i64, next[1].floor() as i64) {
                *center = random.pick(archers);
                *velocity = random.direction().map(|d| (d * ARROW_SPEED) as f32);
            } else {
                *center = next;
            }
        }
    }

    /// People, arrows and dragons.
    pub(crate) fn chunks(&self) -> Vec<Bodies<'_>> {
        let people = [&self.moving, &self.resting].map(|walkers| Bodies::new(&walkers.centers, &walkers.half_extents));
        let mut chunks = people.to_vec();
        chunks.extend([self.arrows.bodies(), self.dragons.bodies()]);
        chunks
    }

    pub(crate) fn statics(&self) -> &[[f32; 4]] {
        &self.statics
    }

    /// The rows that move in each frame.
    pub(crate) fn moving_rows(&self) -> &[u32] {
        &self.moving_rows
    }

    /// The rows of doors that are to be opened or closed in this frame, and whether they close.
    pub(crate) fn switched_doors(&self) -> impl Iterator<Item = (u32, bool)> + use<> {
        let doors = if self.frame % DOOR_FRAMES == 1 { self.wall_count..self.statics.len() } else { 0..0 };
        let turn = (self.frame / DOOR_FRAMES) as usize;
        doors.map(move |row| (row as u32, !(row + turn).is_multiple_of(3)))
    }

    /// The box of the map.
    pub(crate) fn world(&self) -> [f32; 4] {
        [0.0, 0.0, self.map.width as f32, self.map.height as f32]
    }
}

/// Boxes across the gaps in walls: three free cells between two blocked ones on either side.
fn doors(map: &Map) -> Vec<[f32; 4]> {
    let gap = [true, true, false, false, false, true, true];
    let mut doors = Vec::new();
    for row in 0..map.height as i64 {
        for column in 0..map.width as i64 {
            let (x, y) = (column as f32, row as f32);
            if (0..).zip(gap).all(|(k, blocked)| map.is_blocked(column + k, row) == blocked) {
                doors.push([x + 2.0, y + 0.3, x + 5.0, y + 0.7]);
            }
            if (0..).zip(gap).all(|(k, blocked)| map.is_blocked(column, row + k) == blocked) {
                doors.push([x + 0.3, y + 2.0, x + 0.7, y + 5.0]);
            }
        }
    }
    doors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moving_rows_are_those_that_move() {
        for percent in [0, 1, 50, 100] {
            let mut siege = Siege::new(2_000, percent, 3);
            siege.set_moving(percent);
            let centers = |siege: &Siege| {
                let people = [&siege.moving.centers, &siege.resting.centers].into_iter().flatten();
                people.chain(&siege.arrows.centers).chain(&siege.dragons.centers).copied().collect::<Vec<_>>()
            };
            let before = centers(&siege);
            assert_eq!(before.len(), 2_000);
            for _ in 0..5 {
                siege.advance();
            }
            let after = centers(&siege);
            for (row, (a, b)) in before.iter().zip(&after).enumerate() {
                let may_move = siege.moving_rows().contains(&(row as u32));
                assert!(may_move || a == b, "row {row} at {percent} %");
            }
            assert_eq!(before == after, percent == 0);
        }
    }

    #[test]
    fn palace_has_doors_between_walls() {
        let siege = Siege::new(5_000, 100, 1);
        let doors = &siege.statics[siege.wall_count..];
        assert!(doors.len() > 10);
        for &[min_x, min_y, max_x, max_y] in doors {
            let middle = [min_x + max_x, min_y + max_y].map(|sum| (0.5 * sum).floor() as i64);
            assert!(!siege.map.is_blocked(middle[0], middle[1]));
        }
    }

    #[test]
    fn a_siege_of_one_is_possible() {
        for bodies in [1, 2, 19, 801] {
            let mut siege = Siege::new(bodies, 100, 1);
            (0..100).for_each(|_| siege.advance());
            assert_eq!(siege.chunks().len(), 4);
        }
    }
}
