//! Circles bounce off each other and off the walls of a box: a whole physics step on the library's
//! pairs.
//!
//! ```text
//! cargo run --release --example bounce
//! cargo run --release --example bounce -- --bodies 5000 --frames 60 --check
//! ```
//!
//! A frame moves the circles, finds the touching pairs, and solves each pair in parallel with
//! mutable access to both rows: circles that overlap are pushed apart, and those that approach each
//! other bounce elastically. This takes no locks and no atomics, and the result is the same, bit
//! for bit, at any number of threads (`--check` compares one thread with two).
//!
//! There is no gravity, so all energy is kinetic. Pushing apart and elastic impulses preserve it,
//! so the energy drifts only by f32 rounding. The example fails if the drift exceeds a
//! hundred-thousandth, or if two circles ever overlap by more than half of the sum of their radii.

#[path = "common/mod.rs"]
mod common;

use clap::Parser;
use common::Failure;
use common::options::{Options, PictureOptions, exit, print_line};
use common::picture::{Picture, Rgba, View, grouped};
use rayon::prelude::*;
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use triphase::{Aabb, Bodies, BodyShape, Hit, World, WorldConfig};
use triphase_scenes::SplitMix64;

/// Seconds a frame.
const FRAME: f32 = 1.0 / 60.0;
/// Units between the initial places of circles, which do not overlap.
const SPACING: f32 = 1.1;
/// Largest initial offset of a circle from its lattice place, in units: half of the smallest gap.
const JITTER: f32 = 0.05;
/// The smallest and the largest radius.
const RADII: [f32; 2] = [0.35, 0.5];
/// The highest initial speed along each axis, in units a second.
const SPEED: f32 = 2.0;
/// Circles closer than this share of their reach collide, for the picture.
const TOUCHING: f32 = 1e-4;
const COLLISION: Rgba = [0xff, 0xf3, 0xc4, 0xff];
/// Units of a wall's thickness: more than a circle moves in a frame.
const THICKNESS: f32 = 10.0;
/// Frames between two lines of output.
const OUTPUT_INTERVAL: u32 = 60;

/// Initial value of an FNV-1a hash.
const FNV_BASIS: u64 = 0xcbf2_9ce4_8422_2325;

/// The largest relative drift of the energy.
const DRIFT_MAX: f64 = 1e-5;
/// The deepest overlap, relative to the sum of both radii.
const OVERLAP_MAX: f32 = 0.5;

/// Lets circles bounce off each other and off the walls of a box
#[derive(Parser, Clone, Debug)]
#[command(mut_arg("check", |check| check.conflicts_with("threads").help(CHECK_HELP)))]
struct Arguments {
    /// Number of bodies
    #[arg(long, value_name = "COUNT", default_value_t = 100_000, value_parser = common::options::body_count)]
    bodies: usize,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    picture: PictureOptions,
}

const CHECK_HELP: &str = "Verify that one thread and two threads compute the same frames";

fn main() -> ExitCode {
    exit(bounce(&Arguments::parse()))
}

fn bounce(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.options.check {
        let [one, two] = [1, 2].map(|threads| {
            let options = Options { threads: Some(threads), ..arguments.options.clone() };
            run(&Arguments { options, ..arguments.clone() })
        });
        let (one, two) = (one?, two?);
        if one != two {
            return Err(format!("hashes differ: {one:016x} (1 thread), {two:016x} (2)").into());
        }
        arguments.options.say("hashes are equal at 1 thread and 2");
        return Ok(());
    }
    run(arguments).map(|_| ())
}

/// Runs all frames and returns the hash of their positions and velocities.
fn run(arguments: &Arguments) -> Result<u64, Failure> {
    arguments.options.in_pool(|| {
        let options = &arguments.options;
        let frames = options.frames.unwrap_or(600);
        let mut circles = Circles::new(arguments.bodies, arguments.seed);
        let mut world = World::new(WorldConfig::new().with_body_shape(BodyShape::Circle))?;
        world.set_statics(&circles.walls())?;
        let energy = circles.energy();
        let threads = rayon::current_num_threads();
        let (bodies, side) = (grouped(arguments.bodies), circles.side);
        options.say(&format!("{bodies} circles in a box of {side} x {side} units, threads: {threads}"));
        let (mut times, mut deepest, mut hash) = (Times::default(), 0.0f32, FNV_BASIS);
        for frame in 1..=frames {
            let overlap = circles.frame(&mut world, &mut times)?;
            deepest = deepest.max(overlap);
            hash = circles.hash(hash);
            let drift = if energy > 0.0 { circles.energy() / energy - 1.0 } else { 0.0 };
            if frame % OUTPUT_INTERVAL == 0 || frame == frames {
                options.say(&format!(
                    "frame {frame:>4}   energy drift {:+.5} %   deepest overlap {:.1} % (so far {:.1} %)   {} pairs",
                    drift * 100.0,
                    overlap * 100.0,
                    deepest * 100.0,
                    grouped(world.contacts().body_pairs().len()),
                ));
            }
            // NaN fails too.
            if !(drift.abs() <= DRIFT_MAX && deepest <= OVERLAP_MAX) {
                let drift = format!("energy drift {drift:e} (max {DRIFT_MAX:e})");
                return Err(format!("frame {frame}: {drift}, deepest overlap {deepest} (max {OVERLAP_MAX})").into());
            }
        }
        let [moving, step, solving] = times.milliseconds(frames);
        options.say(&format!("a frame takes {moving:.3} ms to move, {step:.3} to find pairs, {solving:.3} to solve"));
        options.say(&format!("hash of the positions and velocities of all frames {hash:016x}"));
        if let Some(path) = arguments.picture.path("bounce.png") {
            draw(&circles, &world, &path)?;
            options.say(&format!("picture {}", path.display()));
        }
        if options.json {
            let line = json!({
                "example": "bounce",
                "bodies": arguments.bodies,
                "frames": frames,
                "threads": threads,
                "hash": format!("{hash:016x}"),
                "move_ms": moving,
                "step_ms": step,
                "solve_ms": solving,
            });
            print_line(&line.to_string());
        }
        Ok(hash)
    })
}

/// Times of all frames.
#[derive(Default)]
struct Times {
    moving: Duration,
    step: Duration,
    solving: Duration,
}

impl Times {
    /// Milliseconds a frame.
    fn milliseconds(&self, frames: u32) -> [f64; 3] {
        [self.moving, self.step, self.solving].map(|time| time.as_secs_f64() * 1e3 / f64::from(frames))
    }
}

/// The circles, as columns.
struct Circles {
    /// Side of the box, which begins at the origin.
    side: f32,
    centers: Vec<[f32; 2]>,
    velocities: Vec<[f32; 2]>,
    half_extents: Vec<[f32; 2]>,
    /// The deepest overlap of each row in this frame, relative to the sum of both radii.
    overlaps: Vec<f32>,
}

impl Circles {
    fn new(count: usize, seed: u64) -> Self {
        let mut random = SplitMix64::new(seed);
        let columns = (count as f64).sqrt().ceil().max(1.0) as usize;
        let mut circles = Self {
            side: columns as f32 * SPACING,
            centers: Vec::with_capacity(count),
            velocities: Vec::with_capacity(count),
            half_extents: Vec::with_capacity(count),
            overlaps: vec![0.0; count],
        };
        for row in 0..count {
            let place = [row % columns, row / columns].map(|at| (at as f32 + 0.5) * SPACING);
            let jitter = random.point(-JITTER, JITTER);
            circles.centers.push([place[0] + jitter[0], place[1] + jitter[1]]);
            circles.velocities.push(random.point(-SPEED, SPEED));
            circles.half_extents.push([random.range(RADII[0], RADII[1]); 2]);
        }
        circles
    }

    /// The walls: left, bottom, right, top.
    fn walls(&self) -> [[f32; 4]; 4] {
        let (side, out) = (self.side, self.side + THICKNESS);
        [
            [-THICKNESS, -THICKNESS, 0.0, out],
            [-THICKNESS, -THICKNESS, out, 0.0],
            [side, -THICKNESS, out, out],
            [-THICKNESS, side, out, out],
        ]
    }

    /// Runs one frame and returns the deepest overlap, relative to the sum of both radii.
    fn frame(&mut self, world: &mut World, times: &mut Times) -> Result<f32, Failure> {
        let Self { side, centers, velocities, half_extents, overlaps } = self;
        let begin = Instant::now();
        centers.par_iter_mut().zip(&*velocities).for_each(|(center, velocity)| {
            center[0] += velocity[0] * FRAME;
            center[1] += velocity[1] * FRAME;
        });
        overlaps.par_iter_mut().for_each(|overlap| *overlap = 0.0);
        let moved = Instant::now();
        let contacts = world.step(Bodies::new(&*centers, &*half_extents))?;
        let found = Instant::now();
        let (radius, side) = (|row: u32| half_extents[row as usize][0], *side);
        contacts.par_for_each_pair_mut((&mut *centers, &mut *velocities, overlaps), |pair, a, b| {
            let (radius_a, radius_b) = (radius(pair.a), radius(pair.b));
            let overlap = collide((a.0, a.1, radius_a), (b.0, b.1, radius_b));
            *a.2 = a.2.max(overlap / (radius_a + radius_b));
        })?;
        contacts.par_for_each_static_pair_mut((centers, velocities), |pair, (center, velocity)| {
            // Left and bottom are at 0, right and top at `side`.
            let (axis, upper) = (pair.static_row as usize % 2, pair.static_row >= 2);
            let radius = radius(pair.body);
            let beyond = if upper { center[axis] > side - radius } else { center[axis] < radius };
            if beyond {
                center[axis] = if upper { side - radius } else { radius };
                velocity[axis] = if upper { -velocity[axis].abs() } else { velocity[axis].abs() };
            }
        })?;
        times.moving += moved - begin;
        times.step += found - moved;
        times.solving += found.elapsed();
        Ok(self.overlaps.par_iter().copied().reduce(|| 0.0, f32::max))
    }

    /// The kinetic energy. The mass of a circle is its radius squared.
    fn energy(&self) -> f64 {
        let of = |(velocity, half): (&[f32; 2], &[f32; 2])| {
            let [x, y, radius] = [velocity[0], velocity[1], half[0]].map(f64::from);
            0.5 * radius * radius * (x * x + y * y)
        };
        self.velocities.iter().zip(&self.half_extents).map(of).sum()
    }

    /// Adds the bits of positions and velocities to an FNV-1a hash.
    fn hash(&self, before: u64) -> u64 {
        let values = self.centers.iter().chain(&self.velocities).flatten();
        values.fold(before, |hash, value| (hash ^ u64::from(value.to_bits())).wrapping_mul(0x0100_0000_01b3))
    }
}

/// Center, velocity and radius of a circle.
type Circle<'c> = (&'c mut [f32; 2], &'c mut [f32; 2], f32);

/// Pushes two circles apart if they overlap, and makes them bounce if they approach each other.
/// Returns the depth of their overlap.
fn collide((center_a, velocity_a, radius_a): Circle<'_>, (center_b, velocity_b, radius_b): Circle<'_>) -> f32 {
    let apart = [center_b[0] - center_a[0], center_b[1] - center_a[1]];
    let square = apart[0] * apart[0] + apart[1] * apart[1];
    let reach = radius_a + radius_b;
    // They touched in the step, but other pairs may since have pushed them apart.
    if square >= reach * reach {
        return 0.0;
    }
    let distance = square.sqrt();
    let normal = if distance > 0.0 { [apart[0] / distance, apart[1] / distance] } else { [1.0, 0.0] };
    let depth = reach - distance;
    // The lighter circle moves more.
    let (mass_a, mass_b) = (radius_a * radius_a, radius_b * radius_b);
    let (share_a, share_b) = (mass_b / (mass_a + mass_b), mass_a / (mass_a + mass_b));
    let approach = (velocity_a[0] - velocity_b[0]) * normal[0] + (velocity_a[1] - velocity_b[1]) * normal[1];
    let bounce = 2.0 * approach.max(0.0);
    for axis in 0..2 {
        center_a[axis] -= depth * share_a * normal[axis];
        center_b[axis] += depth * share_b * normal[axis];
        velocity_a[axis] -= bounce * share_a * normal[axis];
        velocity_b[axis] += bounce * share_b * normal[axis];
    }
    depth
}

/// Blue if slow, red if fast.
fn color(velocity: [f32; 2]) -> Rgba {
    let part = (velocity[0].hypot(velocity[1]) / SPEED).min(1.0);
    let mix = |slow: f32, fast: f32| (slow + (fast - slow) * part) as u8;
    [mix(60.0, 255.0), mix(120.0, 90.0), mix(220.0, 50.0), 0xff]
}

/// Draws the middle of the box, circles colored by speed.
fn draw(circles: &Circles, world: &World, path: &Path) -> Result<(), Failure> {
    let middle = [f64::from(circles.side) * 0.5; 2];
    let view = View { middle, scale: 16.0, y_down: false };
    let mut picture = Picture::new(view)?;
    let area: Aabb = view.area()?;
    for wall in circles.walls() {
        picture.fill(wall, [0x33, 0x3c, 0x4e, 0xff]);
    }
    for hit in world.query_aabb(area) {
        if let Hit::Body { row, .. } = hit {
            let row = row as usize;
            picture.circle(circles.centers[row], circles.half_extents[row][0], color(circles.velocities[row]));
        }
    }
    // Circles that have since been pushed apart still touch.
    let mut collisions = 0;
    for pair in world.contacts().body_pairs() {
        let [a, b] = [pair.a, pair.b].map(|row| (circles.centers[row as usize], circles.half_extents[row as usize][0]));
        let apart = (b.0[0] - a.0[0]).hypot(b.0[1] - a.0[1]);
        if apart <= (a.1 + b.1) * (1.0 + TOUCHING) {
            collisions += 1;
            let share = a.1 / (a.1 + b.1);
            let at = [0, 1].map(|axis| a.0[axis] + share * (b.0[axis] - a.0[axis]));
            picture.circle(at, 0.5 * a.1.min(b.1), COLLISION);
        }
    }
    let title = format!("{} circles that bounce off each other and off walls", grouped(circles.centers.len()));
    let lines = [
        ([0; 4], format!("The middle of their world, which has {} collisions in this frame", grouped(collisions))),
        (color([0.0; 2]), "At rest".to_owned()),
        (color([SPEED, 0.0]), "Fast".to_owned()),
        (COLLISION, "Two circles collide".to_owned()),
    ];
    picture.legend(&title, &lines);
    picture.save(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colliding_circles_exchange_velocities_and_touch() {
        let (mut a, mut b) = (([0.0, 0.0], [1.0, 0.5]), ([0.9, 0.0], [-2.0, 0.0]));
        let depth = collide((&mut a.0, &mut a.1, 0.5), (&mut b.0, &mut b.1, 0.5));
        assert!((depth - 0.1).abs() < 1e-6);
        assert_eq!((a.1, b.1), ([-2.0, 0.5], [1.0, 0.0]));
        assert!((b.0[0] - a.0[0] - 1.0).abs() < 1e-6);
        // They separate now, and smaller circles do not overlap: nothing changes.
        let before = (a, b);
        assert!(collide((&mut a.0, &mut a.1, 0.4), (&mut b.0, &mut b.1, 0.4)) == 0.0 && before == (a, b));
    }

    #[test]
    fn frames_are_bitwise_equal_at_any_thread_count() {
        let hashes = ["1", "2", "5"].map(|threads| {
            let arguments = ["bounce", "--bodies", "9000", "--frames", "90", "--no-picture", "--threads", threads];
            run(&Arguments::parse_from(arguments)).map_err(|failure| failure.to_string())
        });
        assert!(hashes[0].is_ok() && hashes.windows(2).all(|two| two[0] == two[1]), "{hashes:?}");
    }
}
