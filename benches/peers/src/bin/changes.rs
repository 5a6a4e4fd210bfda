//! The command of the race of few movers: engines that are told which bodies moved find the pairs
//! of these.
//!
//! ```sh
//! cargo run --release --manifest-path benches/peers/Cargo.toml --bin changes -- --bodies 1000000
//! ```
//!
//! Always the same bodies of `crowd` move, a tenth of their side a frame. All engines step the same
//! frames in turn, on one thread, and must find the same pairs: those with a body that moved.

use clap::Parser;
use parry2d::bounding_volume::Aabb;
use parry2d::math::Vector;
use parry2d::partitioning::{Bvh, BvhBuildStrategy};
use serde_json::json;
use std::error::Error;
use std::time::{Duration, Instant};
use triphase::{Bodies, World, WorldConfig};
use triphase_peers::boxes::{Box4, body_aabb, ordered};
use triphase_peers::engines::box2d;
use triphase_peers::machine::Machine;
use triphase_peers::record;
use triphase_scenes::{Movers, Scene, SceneName};

/// Frames before times count.
const WARM_UP: u32 = 8;

/// Races engines that are told which bodies moved
#[derive(Parser)]
struct Options {
    /// Number of bodies
    #[arg(long, default_value_t = 100_000)]
    bodies: usize,
    /// Percentages of the bodies that move
    #[arg(long, value_delimiter = ',', default_value = "5,1,0.1")]
    moving: Vec<f64>,
    /// Frames that are timed
    #[arg(long, default_value_t = 40)]
    frames: u32,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Append the lines to a file in benches/record
    #[arg(long)]
    record: bool,
}

/// An engine that is told which rows moved.
trait Told {
    fn name(&self) -> &'static str;

    /// Moves some rows, and replaces `found` by their pairs. This is what is timed.
    fn step(&mut self, crowd: &Crowd, found: &mut Vec<[u32; 2]>);
}

/// The bodies of a frame, and which of them moved.
struct Crowd {
    scene: Scene,
    movers: Movers,
    is_moving: Vec<bool>,
}

impl Crowd {
    fn new(bodies: usize, share: f64, seed: u64) -> Self {
        let scene = Scene::new(SceneName::Crowd, bodies, seed);
        let movers = Movers::new(&scene, (bodies as f64 * share).round() as usize, false);
        let mut is_moving = vec![false; bodies];
        movers.rows.iter().for_each(|&row| is_moving[row as usize] = true);
        Self { scene, movers, is_moving }
    }

    fn advance(&mut self) {
        self.movers.advance(&mut self.scene);
    }

    fn aabb(&self, row: usize) -> Box4 {
        body_aabb(self.scene.centers[row], self.scene.half_extents[row])
    }

    fn boxes(&self) -> impl Iterator<Item = Box4> {
        (0..self.scene.centers.len()).map(|row| self.aabb(row))
    }

    /// Adds the pair of a body that moved and one that it overlaps, once.
    fn push(&self, row: u32, other: u32, found: &mut Vec<[u32; 2]>) {
        if row != other && !(self.is_moving[other as usize] && other < row) {
            found.push(ordered(row, other));
        }
    }
}

struct Triphase(World);

impl Told for Triphase {
    fn name(&self) -> &'static str {
        "triphase"
    }

    fn step(&mut self, crowd: &Crowd, found: &mut Vec<[u32; 2]>) {
        let bodies = Bodies::new(&crowd.scene.centers, &crowd.scene.half_extents);
        let contacts = self.0.step_changed(bodies, &crowd.movers.rows).expect("valid bodies");
        found.clear();
        found.extend(contacts.changed_pairs().iter().map(|pair| [pair.a, pair.b]));
    }
}

/// A full step, for comparison. It finds all pairs; those of moved bodies are chosen from them.
struct Full(World);

impl Told for Full {
    fn name(&self) -> &'static str {
        "triphase_full"
    }

    fn step(&mut self, crowd: &Crowd, found: &mut Vec<[u32; 2]>) {
        let bodies = Bodies::new(&crowd.scene.centers, &crowd.scene.half_extents);
        let contacts = self.0.step(bodies).expect("valid bodies");
        let is_moving = |row: u32| crowd.is_moving[row as usize];
        found.clear();
        found.extend(contacts.body_pairs().filter(|pair| is_moving(pair.a) || is_moving(pair.b)).map(|p| [p.a, p.b]));
    }
}

/// parry2d's tree: leaves that moved are inserted again, which takes a tenth of the time of a refit
/// of all ancestors where few move.
struct Parry(Bvh);

impl Told for Parry {
    fn name(&self) -> &'static str {
        "parry2d"
    }

    fn step(&mut self, crowd: &Crowd, found: &mut Vec<[u32; 2]>) {
        found.clear();
        for &row in &crowd.movers.rows {
            self.0.insert(parry_aabb(crowd.aabb(row as usize)), row);
        }
        for &row in &crowd.movers.rows {
            let aabb = parry_aabb(crowd.aabb(row as usize));
            self.0.intersect_aabb(&aabb).for_each(|other| crowd.push(row, other, found));
        }
    }
}

fn parry_aabb([min_x, min_y, max_x, max_y]: Box4) -> Aabb {
    Aabb { mins: Vector::new(min_x, min_y), maxs: Vector::new(max_x, max_y) }
}

/// Box2D's tree, as Box2D drives it.
struct Box2d(box2d::Bodies);

impl Told for Box2d {
    fn name(&self) -> &'static str {
        "box2d"
    }

    fn step(&mut self, crowd: &Crowd, found: &mut Vec<[u32; 2]>) {
        found.clear();
        for &row in &crowd.movers.rows {
            self.0.set_box(row as usize, crowd.aabb(row as usize));
        }
        self.0.rebuild();
        for &row in &crowd.movers.rows {
            self.0.query(row as usize, |other| crowd.push(row, other, found));
        }
    }
}

fn engines(crowd: &Crowd) -> Result<Vec<Box<dyn Told>>, Box<dyn Error>> {
    let world = || World::new(WorldConfig::new().with_parallel_threshold(None));
    let leaves: Vec<Aabb> = crowd.boxes().map(parry_aabb).collect();
    let mut bodies = box2d::Bodies::default();
    bodies.set(crowd.boxes());
    let mut told = Triphase(world()?);
    told.step(crowd, &mut Vec::new()); // the bodies of the first frame are new to it
    Ok(vec![
        Box::new(told),
        Box::new(Full(world()?)),
        Box::new(Parry(Bvh::from_leaves(BvhBuildStrategy::Binned, &leaves))),
        Box::new(Box2d(bodies)),
    ])
}

fn main() -> Result<(), Box<dyn Error>> {
    let Options { bodies, moving, frames, seed, record } = Options::parse();
    let machine = Machine::here();
    for percent in moving {
        let mut crowd = Crowd::new(bodies, percent / 100.0, seed);
        let mut engines = engines(&crowd)?;
        let mut times = vec![Vec::new(); engines.len()];
        let (mut expected, mut found) = (Vec::new(), Vec::new());
        for frame in 0..WARM_UP + frames {
            crowd.advance();
            for k in 0..engines.len() {
                // The first of a frame finds less in the caches, so each is first in turn.
                let k = (k + frame as usize) % engines.len();
                let begin = Instant::now();
                engines[k].step(&crowd, &mut found);
                if frame >= WARM_UP {
                    times[k].push(begin.elapsed());
                }
                found.sort_unstable();
                if k == frame as usize % engines.len() {
                    expected.clone_from(&found);
                } else if found != expected {
                    return Err(format!("frame {frame}: {} finds other pairs", engines[k].name()).into());
                }
            }
        }
        let medians: Vec<f64> = times.iter_mut().map(|times| median_us(times)).collect();
        let line = |(engine, us): (&'static str, &f64)| {
            json!({
                "race": "changes",
                "bodies": bodies,
                "frames": frames,
                "moving_percent": percent,
                "engine": engine,
                "us_median": us,
                "times_of_triphase": us / medians[0],
                "changed_pairs": expected.len(),
                "cpu": machine.cpu,
                "rustc": machine.rustc,
                "triphase": machine.triphase,
                "revision": machine.revision,
                "date": machine.date,
            })
            .to_string()
        };
        let lines: Vec<String> = engines.iter().map(|engine| engine.name()).zip(&medians).map(line).collect();
        lines.iter().for_each(|line| println!("{line}"));
        if record {
            eprintln!("appended to {}", record::append(&lines, &machine, "-changes")?.display());
        }
    }
    Ok(())
}

fn median_us(times: &mut [Duration]) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).map_or(0.0, |time| time.as_secs_f64() * 1e6)
}
