//! A whole game loop without an engine, to copy from: two swarms of 25,000 units walk to each
//! other's base through the doors of a wall. They keep apart, shoot and die, at 60 frames a second.
//!
//! ```sh
//! cargo run --release --example swarm          # ten seconds
//! cargo run --release --example swarm -- 120   # 120 frames
//! ```
//!
//! | you wonder | look at |
//! |---|---|
//! | how columns of two kinds of entities are stepped as one | `Game::step` |
//! | how entities are removed with `swap_remove` | `Units::remove`, `Game::despawn` |
//! | how to keep units apart | `Game::separate`, by partner lists |
//! | how fast projectiles hit, and each only once | `Game::hit`, by displacements, events, and the time of impact |
//! | how a unit finds its nearest enemy | `Game::shoot`, by a batch of queries |
//! | how doors work | `Game::work_doors` |
//! | how another thread draws and clicks | `watch`, by a reader |

use std::thread;
use std::time::{Duration, Instant};
use triphase::glam::{Vec2, vec2};
use triphase::query::BatchResults;
use triphase::{Aabb, Bodies, Circle, Error, Filter, Hit, Neighbor, SnapshotReader, Statics, World, WorldConfig};

const UNITS_PER_TEAM: usize = 25_000;
const FRAME: Duration = Duration::from_nanos(1_000_000_000 / 60);

// World units and frames; a unit is 0.6 wide and walks 0.06 a frame.
const FIELD: Vec2 = vec2(420.0, 240.0);
const UNIT_HALF: Vec2 = vec2(0.3, 0.3);
const UNIT_SPEED: f32 = 0.06;
const UNIT_HEALTH: u8 = 3;
const SHOT_HALF: Vec2 = vec2(0.05, 0.05);
const SHOT_SPEED: f32 = 1.5; // more than the width of a unit: without displacements it would tunnel
const SHOT_RANGE: f32 = 8.0;
const SHOT_FRAMES: u8 = 6;
/// Each unit looks for an enemy once in so many frames.
const RELOAD_FRAMES: usize = 32;
const DOOR_FRAMES: usize = 90;
const DOORS: usize = 8;

// A bit for each kind. A pair is reported if each side accepts the other.
const TEAM: [u32; 2] = [1 << 0, 1 << 1];
const SHOT: u32 = 1 << 2;
const WALL: u32 = 1 << 3;

/// Columns of units: a row is one unit.
#[derive(Default)]
struct Units {
    /// Never used twice, so a contact that ended can name a unit that is gone.
    ids: Vec<u64>,
    centers: Vec<Vec2>,
    filters: Vec<Filter>,
    teams: Vec<u8>,
    health: Vec<u8>,
}

impl Units {
    fn add(&mut self, id: u64, team: u8, center: Vec2) {
        self.ids.push(id);
        self.centers.push(center);
        self.filters.push(Filter::new(TEAM[team as usize], TEAM[0] | TEAM[1] | SHOT | WALL));
        self.teams.push(team);
        self.health.push(UNIT_HEALTH);
    }

    /// The last row takes the place of `row`. The next step finds out by the ids.
    fn remove(&mut self, row: usize) {
        self.ids.swap_remove(row);
        self.centers.swap_remove(row);
        self.filters.swap_remove(row);
        self.teams.swap_remove(row);
        self.health.swap_remove(row);
    }
}

/// Columns of projectiles.
#[derive(Default)]
struct Shots {
    ids: Vec<u64>,
    centers: Vec<Vec2>,
    /// From this frame's center to the next one's.
    displacements: Vec<Vec2>,
    filters: Vec<Filter>,
    frames_left: Vec<u8>,
}

impl Shots {
    /// Shots accept neither each other nor their own team.
    fn add(&mut self, id: u64, team: u8, center: Vec2, displacement: Vec2) {
        self.ids.push(id);
        self.centers.push(center);
        self.displacements.push(displacement);
        self.filters.push(Filter::new(SHOT, TEAM[1 - team as usize] | WALL));
        self.frames_left.push(SHOT_FRAMES);
    }

    fn remove(&mut self, row: usize) {
        self.ids.swap_remove(row);
        self.centers.swap_remove(row);
        self.displacements.swap_remove(row);
        self.filters.swap_remove(row);
        self.frames_left.swap_remove(row);
    }
}

/// What happened, for the summary.
#[derive(Default)]
struct Score {
    shots: usize,
    hits: usize,
    deaths: usize,
}

struct Game {
    world: World,
    units: Units,
    shots: Shots,
    walls: Vec<Aabb>,
    frame: usize,
    next_id: u64,
    units_per_team: usize,
    score: Score,
    // Reused in each frame, so that frames allocate nothing.
    pushes: Vec<Vec2>,
    /// For each shot, which part of its motion is before its first contact, and the unit if it is
    /// one.
    firsts: Vec<(f32, Option<usize>)>,
    shooters: [Vec<u32>; 2],
    sights: [Vec<Circle>; 2],
    enemies: BatchResults<Neighbor<Hit>>,
}

impl Game {
    fn new(units_per_team: usize) -> Result<Self, Error> {
        let config = WorldConfig::new().with_contact_tracking(true).with_partner_lists(true);
        let mut world = World::new(config)?;
        let walls = walls()?;
        world.set_statics(Statics::new(&walls).with_filters(&vec![Filter::new(WALL, u32::MAX); walls.len()]))?;
        let mut game = Self {
            world,
            units: Units::default(),
            shots: Shots::default(),
            walls,
            frame: 0,
            next_id: 0,
            units_per_team,
            score: Score::default(),
            pushes: Vec::new(),
            firsts: Vec::new(),
            shooters: Default::default(),
            sights: Default::default(),
            enemies: BatchResults::default(),
        };
        for index in 0..units_per_team {
            for team in 0..2 {
                game.spawn(team, index);
            }
        }
        Ok(game)
    }

    /// Adds a unit at a place of its team's half that depends on `index`.
    fn spawn(&mut self, team: u8, index: usize) {
        // The fractions of multiples of two irrational numbers are spread evenly.
        let spread = vec2((index as f32 * 0.754_877_7).fract(), (index as f32 * 0.569_840_3).fract());
        let center = (spread * vec2(0.4, 1.0) + vec2(0.08 + 0.44 * f32::from(team), 0.0)) * FIELD;
        let id = self.new_id();
        self.units.add(id, team, center);
    }

    fn new_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    /// One frame, with the time of each part.
    fn advance(&mut self, times: &mut Times) -> Result<(), Error> {
        times.measure("doors", || self.work_doors())?;
        times.measure("walk", || self.walk());
        times.measure("step", || self.step())?;
        times.measure("separate", || self.separate());
        times.measure("hits", || self.hit());
        times.measure("shoot", || self.shoot())?;
        times.measure("despawn", || self.despawn());
        self.frame += 1;
        Ok(())
    }

    /// Doors are statics that are disabled while they are open. Rows 0 to `DOORS` are doors.
    fn work_doors(&mut self) -> Result<(), Error> {
        if self.frame.is_multiple_of(DOOR_FRAMES) {
            for door in 0..DOORS {
                let closed = (door + self.frame / DOOR_FRAMES).is_multiple_of(2);
                self.world.set_static_enabled(door as u32, closed)?;
            }
        }
        Ok(())
    }

    /// To the nearest door, and then to the other team's base.
    fn walk(&mut self) {
        let bases = [vec2(0.0, 0.5 * FIELD.y), vec2(FIELD.x, 0.5 * FIELD.y)];
        for (center, &team) in self.units.centers.iter_mut().zip(&self.units.teams) {
            let base = bases[1 - team as usize];
            let is_behind_wall = (center.x - 0.5 * FIELD.x) * (base.x - 0.5 * FIELD.x) < 0.0;
            let target = if is_behind_wall { nearest_door(*center) } else { base };
            *center += UNIT_SPEED * (target - *center).normalize_or_zero();
        }
    }

    /// The rows of shots follow those of units, as if the columns were one.
    fn step(&mut self) -> Result<(), Error> {
        let units =
            Bodies::uniform(&self.units.centers, UNIT_HALF).with_ids(&self.units.ids).with_filters(&self.units.filters);
        let shots = Bodies::uniform(&self.shots.centers, SHOT_HALF)
            .with_displacements(&self.shots.displacements)
            .with_ids(&self.shots.ids)
            .with_filters(&self.shots.filters);
        self.world.step([units, shots])?;
        Ok(())
    }

    /// Moves units away from their partners and out of walls.
    fn separate(&mut self) {
        let contacts = self.world.contacts();
        let centers = &mut self.units.centers;
        self.pushes.clear();
        for (row, &center) in centers.iter().enumerate() {
            let partners = contacts.partners(row as u32).expect("partner lists are on");
            let units = partners.iter().filter(|&&partner| (partner as usize) < centers.len());
            let apart: Vec2 = units.map(|&partner| center - centers[partner as usize]).sum();
            self.pushes.push(0.1 * apart.clamp_length_max(1.0));
        }
        for (center, push) in centers.iter_mut().zip(&self.pushes) {
            *center += *push;
        }
        for pair in contacts.static_pairs() {
            if let Some(center) = centers.get_mut(pair.body as usize) {
                *center += push_out(*center, self.walls[pair.static_row as usize]);
            }
        }
    }

    /// A shot damages the first unit on its way, or ends at a wall.
    fn hit(&mut self) {
        let events = self.world.contacts().events().expect("contact tracking is on");
        let unit_count = self.units.centers.len();
        // A shot can meet several in one frame.
        self.firsts.clear();
        self.firsts.resize(self.shots.centers.len(), (f32::INFINITY, None));
        let mut meet = |shot: usize, center: Vec2, half: Vec2, unit: Option<usize>| {
            let (from, motion) = (self.shots.centers[shot], self.shots.displacements[shot]);
            let time = time_of_impact(center - from, half + SHOT_HALF, motion).unwrap_or(f32::INFINITY);
            if time < self.firsts[shot].0 {
                self.firsts[shot] = (time, unit);
            }
        };
        // The box of a shot covers its whole motion, so a contact may begin a frame before the shot
        // meets the unit. As the shot then ends, it does so once.
        for contact in events.tracked() {
            let (unit, other) = (contact.pair.a as usize, contact.pair.b as usize); // a < b
            if let Some(shot) = other.checked_sub(unit_count) {
                meet(shot, self.units.centers[unit], UNIT_HALF, Some(unit));
            }
        }
        for contact in events.tracked_static() {
            if let Some(shot) = (contact.pair.body as usize).checked_sub(unit_count) {
                let wall = self.walls[contact.pair.static_row as usize];
                meet(shot, Vec2::from(wall.center()), Vec2::from(wall.half_extents()), None);
            }
        }
        for (shot, &(time, unit)) in self.firsts.iter().enumerate() {
            if time < f32::INFINITY {
                self.shots.frames_left[shot] = 0;
            }
            // Another shot of the same frame may have killed the unit.
            if let Some(unit) = unit.filter(|&unit| self.units.health[unit] > 0) {
                self.units.health[unit] -= 1;
                self.score.hits += 1;
            }
        }
    }

    /// Some units of each frame shoot at the nearest enemy in range: one batch of queries a team.
    fn shoot(&mut self) -> Result<(), Error> {
        self.shooters.iter_mut().for_each(Vec::clear);
        self.sights.iter_mut().for_each(Vec::clear);
        for row in (self.frame % RELOAD_FRAMES..self.units.centers.len()).step_by(RELOAD_FRAMES) {
            let team = self.units.teams[row] as usize;
            self.shooters[team].push(row as u32);
            self.sights[team].push(Circle::new(self.units.centers[row], SHOT_RANGE)?);
        }
        for team in 0..2u8 {
            let enemies = self.world.query().only_bodies().in_layers(TEAM[1 - team as usize]);
            enemies.par_k_nearest_within(&self.sights[team as usize], 1, &mut self.enemies);
            for at in 0..self.shooters[team as usize].len() {
                let Some(&Neighbor { target: Hit::Body { row: enemy, .. }, .. }) = self.enemies[at].first() else {
                    continue;
                };
                let from = self.units.centers[self.shooters[team as usize][at] as usize];
                let direction = (self.units.centers[enemy as usize] - from).normalize_or_zero();
                let id = self.new_id();
                self.shots.add(id, team, from, SHOT_SPEED * direction);
                self.score.shots += 1;
            }
        }
        Ok(())
    }

    /// Removes who died, from the last row to the first, and sends as many new units.
    fn despawn(&mut self) {
        let mut died = [0, 0];
        for row in (0..self.units.ids.len()).rev() {
            if self.units.health[row] == 0 {
                died[self.units.teams[row] as usize] += 1;
                self.units.remove(row);
            }
        }
        for team in 0..2u8 {
            for _ in 0..died[team as usize] {
                self.score.deaths += 1;
                self.spawn(team, self.units_per_team + self.score.deaths);
            }
        }
        for row in (0..self.shots.ids.len()).rev() {
            if self.shots.frames_left[row] == 0 {
                self.shots.remove(row);
            } else {
                self.shots.frames_left[row] -= 1;
                self.shots.centers[row] += self.shots.displacements[row];
            }
        }
    }
}

/// Which part of a motion is before a point meets a box; `None` if it passes by. The box is given
/// by its center relative to the point.
fn time_of_impact(center: Vec2, half: Vec2, motion: Vec2) -> Option<f32> {
    // Without motion on an axis, its times are infinite: of equal sign if the point is beside the
    // box, which makes `enter` or `leave` infinite as well.
    let (a, b) = ((center - half) / motion, (center + half) / motion);
    let (enter, leave) = (a.min(b).max_element().max(0.0), a.max(b).min_element().min(1.0));
    (enter <= leave).then_some(enter)
}

/// The shortest motion of a unit out of a wall.
fn push_out(center: Vec2, wall: Aabb) -> Vec2 {
    let apart = center - Vec2::from(wall.center());
    let depth = (UNIT_HALF + Vec2::from(wall.half_extents()) - apart.abs()).max(Vec2::ZERO);
    if depth.x < depth.y { vec2(depth.x.copysign(apart.x), 0.0) } else { vec2(0.0, depth.y.copysign(apart.y)) }
}

/// A wall across the field: its doors, and then the pieces above and below each door.
fn walls() -> Result<Vec<Aabb>, Error> {
    let wall = |y: f32, half_height: f32| Aabb::from_half_extents(vec2(0.5 * FIELD.x, y), vec2(2.0, half_height));
    let spacing = FIELD.y / DOORS as f32;
    let mut walls = Vec::new();
    for door in 0..DOORS {
        walls.push(wall(spacing * (door as f32 + 0.5), 0.2 * spacing)?);
    }
    for door in 0..DOORS {
        walls.push(wall(spacing * (door as f32 + 0.15), 0.15 * spacing)?);
        walls.push(wall(spacing * (door as f32 + 0.85), 0.15 * spacing)?);
    }
    Ok(walls)
}

fn nearest_door(center: Vec2) -> Vec2 {
    let spacing = FIELD.y / DOORS as f32;
    let door = (center.y / spacing).floor().clamp(0.0, (DOORS - 1) as f32);
    vec2(0.5 * FIELD.x, spacing * (door + 0.5))
}

/// What the drawing thread saw.
#[derive(Default)]
struct Watched {
    frames: usize,
    drawn: usize,
    clicks: Vec<String>,
}

/// Draws each frame that it is in time for and clicks once a second, while the game goes on.
/// Returns when the world is gone.
fn watch(reader: &SnapshotReader) -> Result<Watched, Error> {
    let mut watched = Watched::default();
    let view = Aabb::from_half_extents(0.5 * FIELD, [48.0, 27.0])?;
    let mut last_step = 0;
    loop {
        let Some(snapshot) = reader.wait_newer(last_step, Duration::from_secs(5)) else {
            if reader.is_closed() {
                return Ok(watched);
            }
            continue; // a pause
        };
        last_step = snapshot.step_number();
        watched.frames += 1;
        watched.drawn += snapshot.query_aabb(view).count(); // here you would draw them
        if watched.frames.is_multiple_of(60) {
            let click = Circle::new(0.5 * FIELD + vec2(30.0, 0.0), 6.0)?;
            let units = snapshot.query().only_bodies().in_layers(TEAM[0] | TEAM[1]);
            watched.clicks.push(match units.nearest_within(click) {
                Some(Neighbor { target: Hit::Body { id, .. }, .. }) => format!("unit {id:?}"),
                _ => "nothing".to_owned(),
            });
        }
    }
}

/// The times of each part of a frame.
#[derive(Default)]
struct Times(Vec<(&'static str, Vec<Duration>)>);

impl Times {
    fn measure<T>(&mut self, part: &'static str, work: impl FnOnce() -> T) -> T {
        let begin = Instant::now();
        let value = work();
        let time = begin.elapsed();
        match self.0.iter_mut().find(|(name, _)| *name == part) {
            Some((_, times)) => times.push(time),
            None => self.0.push((part, vec![time])),
        }
        value
    }

    fn print(&mut self) {
        println!("{:<10} {:>10} {:>10}", "ms a frame", "median", "worst");
        for (part, times) in &mut self.0 {
            times.sort_unstable();
            let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
            let median = milliseconds(times[times.len() / 2]);
            println!("{part:<10} {median:>10.2} {:>10.2}", milliseconds(times[times.len() - 1]));
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    const USAGE: &str = "Usage: swarm [FRAMES]";
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let frames: u32 = match &arguments[..] {
        [] => 600,
        [help] if help == "--help" || help == "-h" => {
            println!("{USAGE}\n\nPlays a war of 50,000 units, for 600 frames by default");
            return Ok(());
        }
        [frames] => frames.parse().map_err(|error| format!("number of frames \"{frames}\": {error}. {USAGE}"))?,
        [_, superfluous, ..] => return Err(format!("unexpected argument \"{superfluous}\". {USAGE}").into()),
    };
    let mut game = Game::new(UNITS_PER_TEAM)?;
    let mut times = Times::default();
    let reader = game.world.reader();
    let watcher = thread::spawn(move || watch(&reader));

    let begin = Instant::now();
    let mut late = 0;
    for frame in 1..=frames {
        game.advance(&mut times)?;
        match (FRAME * frame).checked_sub(begin.elapsed()) {
            Some(rest) => thread::sleep(rest),
            None => late += 1,
        }
    }
    let seconds = begin.elapsed().as_secs_f64();

    let Game { world, units, shots, score, .. } = game;
    drop(world); // the watcher returns
    let watched = watcher.join().expect("the watcher does not panic")?;
    println!(
        "{} units and {} shots, {:.1} frames a second, {late} late",
        units.ids.len(),
        shots.ids.len(),
        f64::from(frames) / seconds
    );
    println!("{} shots were fired, {} hit, {} units died and were replaced", score.shots, score.hits, score.deaths);
    println!(
        "{} frames were watched, {} entities in view on average",
        watched.frames,
        watched.drawn / watched.frames.max(1)
    );
    println!("clicks: {}", watched.clicks.join(", "));
    times.print();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use triphase::Pair;
    use triphase::reference::self_pairs;

    /// The pairs of the last step, by two loops.
    fn brute_force(game: &Game) -> Vec<Pair> {
        let filters: Vec<Filter> = game.units.filters.iter().chain(&game.shots.filters).copied().collect();
        let boxes: Vec<_> = (0..filters.len()).map(|row| game.world.aabb(row as u32).expect("a row")).collect();
        let accept = |a: u32, b: u32| filters[a as usize].interacts_with(filters[b as usize]);
        let pairs = self_pairs(&boxes).into_iter().filter(|&(a, b)| accept(a, b));
        pairs.map(|(a, b)| Pair { a, b }).collect()
    }

    #[test]
    fn hits_deaths_and_health_agree_in_a_small_war() -> Result<(), Error> {
        let per_team = 2_000;
        let mut game = Game::new(per_team)?;
        let mut times = Times::default();
        let (mut sorted, mut shots_met) = (Vec::new(), 0);
        for frame in 0..400 {
            if frame % 40 == 39 {
                game.work_doors()?;
                game.step()?;
                game.world.contacts().sorted_pairs(&mut sorted);
                assert_eq!(sorted, brute_force(&game), "frame {frame}");
                let unit_count = game.units.ids.len() as u32;
                shots_met += sorted.iter().filter(|pair| pair.b >= unit_count).count();
            }
            game.advance(&mut times)?;
            let health: usize = game.units.health.iter().map(|&health| usize::from(health)).sum();
            let given = usize::from(UNIT_HEALTH) * (2 * per_team + game.score.deaths);
            assert_eq!(health + game.score.hits, given, "each hit takes one point, frame {frame}");
            assert_eq!(game.units.ids.len(), 2 * per_team, "who dies is replaced, frame {frame}");
        }
        assert!(game.score.hits > 0 && game.score.deaths > 0 && shots_met > 0, "the teams meet");
        Ok(())
    }
}
