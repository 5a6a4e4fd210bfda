//! Discs that bounce off each other and off the walls of a box: a whole physics step on the
//! library's pairs.
//!
//! ```text
//! cargo run --release --example bounce
//! cargo run --release --example bounce -- --bodies 5000 --frames 60 --check
//! ```
//!
//! A frame moves the discs, finds the pairs that touch, and solves each pair with both discs at
//! hand to change, in parallel: where two discs overlap they are pushed apart, and if they approach
//! each other, they bounce elastically. No lock and no atomic is needed for that, and the result is
//! the same to the bit on any number of threads (`--check` compares one with two).
//!
//! There is no gravity, so all energy is kinetic, and to push apart adds none. An elastic impulse
//! keeps it too: what is gained or lost over the run is f32 rounding. The example fails if that is
//! more than a hundred-thousandth, or if two discs ever overlap by more than half of what they
//! measure together.

#[path = "common/mod.rs"]
mod common;

use clap::Parser;
use common::Failure;
use common::options::{PictureOptions, exit, put};
use common::picture::{Colour, Picture, View, grouped};
use rayon::prelude::*;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use triphase::{Aabb, Bodies, Hit, Overlap, World, WorldConfig};

/// Seconds.
const FRAME: f32 = 1.0 / 60.0;
/// From disc to disc at first: they do not overlap.
const APART: f32 = 1.1;
/// Units that a disc may be off its place at first; half of what is between the largest discs.
const JITTER: f32 = 0.05;
/// Radii, smallest and largest.
const RADII: [f32; 2] = [0.35, 0.5];
/// Units a second along each axis, at most, at first.
const SPEED: f32 = 2.0;
/// Units that walls are thick: more than a disc moves in a frame.
const THICK: f32 = 10.0;
/// Frames from line to line.
const EVERY: u32 = 60;

/// Where a hash begins.
const FNV_BASIS: u64 = 0xcbf2_9ce4_8422_2325;

/// Part of the kinetic energy that may be gained or lost.
const DRIFT_MAX: f64 = 1e-5;
/// Part of the sum of two radii that two discs may overlap by.
const OVERLAP_MAX: f32 = 0.5;

/// Discs that bounce off each other and off the walls of a box
#[derive(Parser, Clone, Debug)]
struct Arguments {
    /// How many discs
    #[arg(long, value_name = "COUNT", default_value_t = 100_000, value_parser = common::options::bodies)]
    bodies: usize,
    /// How many frames
    #[arg(long, value_name = "COUNT", default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..))]
    frames: u32,
    /// What the discs are made from: the same seed gives the same discs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many threads; as many as the machine has cores unless given
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Run on one thread and on two, and compare all frames, bit for bit
    #[arg(long, conflicts_with = "threads")]
    check: bool,
    #[command(flatten)]
    picture: PictureOptions,
}

fn main() -> ExitCode {
    exit(bounce(&Arguments::parse()))
}

fn bounce(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.check {
        let hashes = [1, 2].map(|threads| run(arguments, threads));
        let [first, second] = hashes;
        let (first, second) = (first?, second?);
        if first != second {
            return Err(format!("one thread comes to {first:016x}, two come to {second:016x}").into());
        }
        put("one thread and two have the same frames");
        return Ok(());
    }
    // 0 is rayon's word for "as many as there are cores".
    run(arguments, arguments.threads.map_or(0, usize::from)).map(|_| ())
}

/// All frames on so many threads; their hash.
fn run(arguments: &Arguments, threads: usize) -> Result<u64, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    pool.install(|| {
        let mut discs = Discs::new(arguments.bodies, arguments.seed);
        let mut world = World::new(WorldConfig::new().overlap(Overlap::Discs))?;
        world.set_statics(&discs.walls())?;
        let energy = discs.energy();
        let threads = rayon::current_num_threads();
        put(&format!("{} discs in a box of {} units, threads: {threads}", grouped(arguments.bodies), discs.side));
        let (mut times, mut deepest, mut hash) = (Times::default(), 0.0f32, FNV_BASIS);
        for frame in 1..=arguments.frames {
            let overlap = discs.frame(&mut world, &mut times)?;
            deepest = deepest.max(overlap);
            hash = discs.hash(hash);
            let drift = if energy > 0.0 { discs.energy() / energy - 1.0 } else { 0.0 };
            if frame % EVERY == 0 || frame == arguments.frames {
                put(&format!(
                    "frame {frame:>4}   energy {:.3} ({:+.5} %)   deepest overlap {:.1} %, {:.1} % so far   {} pairs",
                    discs.energy(),
                    drift * 100.0,
                    overlap * 100.0,
                    deepest * 100.0,
                    grouped(world.contacts().body_pairs().len()),
                ));
            }
            // Not a number is out of bounds too.
            if !(drift.abs() <= DRIFT_MAX && deepest <= OVERLAP_MAX) {
                let what = format!("energy is off by {drift:e}, the deepest overlap is {deepest} of both radii");
                return Err(format!("frame {frame}: {what}; {DRIFT_MAX:e} and {OVERLAP_MAX} are allowed").into());
            }
        }
        put(&times.summary(arguments.frames));
        put(&format!("hash of positions and velocities of all frames {hash:016x}"));
        if let Some(path) = arguments.picture.path("bounce.png") {
            draw(&discs, &world, &path)?;
            put(&format!("picture {}", path.display()));
        }
        Ok(hash)
    })
}

/// What a frame takes, summed up.
#[derive(Default)]
struct Times {
    moving: Duration,
    step: Duration,
    solving: Duration,
}

impl Times {
    fn summary(&self, frames: u32) -> String {
        let [moving, step, solving] =
            [self.moving, self.step, self.solving].map(|time| time.as_secs_f64() * 1e3 / f64::from(frames));
        format!("a frame takes {moving:.3} ms to move, {step:.3} ms to find pairs, {solving:.3} ms to solve them")
    }
}

/// The discs as columns.
struct Discs {
    /// Of the box, which begins at the origin.
    side: f32,
    centers: Vec<[f32; 2]>,
    velocities: Vec<[f32; 2]>,
    half_extents: Vec<[f32; 2]>,
    /// In this frame, by row: the deepest overlap with a disc of a higher row, as a part of both
    /// radii.
    overlaps: Vec<f32>,
}

impl Discs {
    fn new(count: usize, seed: u64) -> Self {
        let mut state = seed;
        // Splitmix64, in 0..1.
        let mut random = || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) >> 40) as f32 / (1u32 << 24) as f32
        };
        let across = (count as f64).sqrt().ceil().max(1.0) as usize;
        let mut discs = Self {
            side: across as f32 * APART,
            centers: Vec::with_capacity(count),
            velocities: Vec::with_capacity(count),
            half_extents: Vec::with_capacity(count),
            overlaps: vec![0.0; count],
        };
        for row in 0..count {
            let place = |at: usize, off: f32| (at as f32 + 0.5) * APART + (2.0 * off - 1.0) * JITTER;
            discs.centers.push([place(row % across, random()), place(row / across, random())]);
            discs.velocities.push([random(), random()].map(|part| (2.0 * part - 1.0) * SPEED));
            let radius = RADII[0] + (RADII[1] - RADII[0]) * random();
            discs.half_extents.push([radius; 2]);
        }
        discs
    }

    /// Left, bottom, right, top.
    fn walls(&self) -> [[f32; 4]; 4] {
        let (side, out) = (self.side, self.side + THICK);
        [[-THICK, -THICK, 0.0, out], [-THICK, -THICK, out, 0.0], [side, -THICK, out, out], [-THICK, side, out, out]]
    }

    /// One frame; the deepest overlap, as a part of both radii.
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
        contacts.par_for_each_exclusive((&mut *centers, &mut *velocities, overlaps), |pair, a, b| {
            let (radius_a, radius_b) = (radius(pair.a), radius(pair.b));
            let overlap = collide((a.0, a.1, radius_a), (b.0, b.1, radius_b));
            *a.2 = a.2.max(overlap / (radius_a + radius_b));
        })?;
        contacts.par_for_each_static_exclusive((centers, velocities), |pair, (center, velocity)| {
            // Left and bottom begin at 0, right and top end at `side`.
            let (axis, upper) = (pair.fixed as usize % 2, pair.fixed >= 2);
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

    /// Kinetic, of discs whose mass is their radius squared.
    fn energy(&self) -> f64 {
        let of = |(velocity, half): (&[f32; 2], &[f32; 2])| {
            let [x, y, radius] = [velocity[0], velocity[1], half[0]].map(f64::from);
            0.5 * radius * radius * (x * x + y * y)
        };
        self.velocities.iter().zip(&self.half_extents).map(of).sum()
    }

    /// FNV-1a over the bits of positions and velocities, after what was hashed before.
    fn hash(&self, before: u64) -> u64 {
        let values = self.centers.iter().chain(&self.velocities).flatten();
        values.fold(before, |hash, value| (hash ^ u64::from(value.to_bits())).wrapping_mul(0x0100_0000_01b3))
    }
}

/// A disc to be changed: centre, velocity, and its radius.
type Disc<'d> = (&'d mut [f32; 2], &'d mut [f32; 2], f32);

/// Pushes two discs apart if they overlap, and lets them bounce if they approach each other; how
/// deep they overlapped.
fn collide((center_a, velocity_a, radius_a): Disc<'_>, (center_b, velocity_b, radius_b): Disc<'_>) -> f32 {
    let apart = [center_b[0] - center_a[0], center_b[1] - center_a[1]];
    let square = apart[0] * apart[0] + apart[1] * apart[1];
    let reach = radius_a + radius_b;
    // They touched when the step found them, but others may have pushed them apart since.
    if square >= reach * reach {
        return 0.0;
    }
    let distance = square.sqrt();
    let normal = if distance > 0.0 { [apart[0] / distance, apart[1] / distance] } else { [1.0, 0.0] };
    let depth = reach - distance;
    // The lighter one gives way more.
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

/// Slow ones blue, fast ones red.
fn colour(velocity: [f32; 2]) -> Colour {
    let part = (velocity[0].hypot(velocity[1]) / SPEED).min(1.0);
    let mix = |slow: f32, fast: f32| (slow + (fast - slow) * part) as u8;
    [mix(60.0, 255.0), mix(120.0, 90.0), mix(220.0, 50.0), 0xff]
}

/// The middle of the box, discs by their speed.
fn draw(discs: &Discs, world: &World, path: &Path) -> Result<(), Failure> {
    let middle = [f64::from(discs.side) * 0.5; 2];
    let view = View { middle, scale: 16.0, y_down: false };
    let mut picture = Picture::new(view)?;
    let area: Aabb = view.area()?;
    for wall in discs.walls() {
        picture.fill(wall, [0x33, 0x3c, 0x4e, 0xff]);
    }
    for hit in world.query_aabb(area) {
        if let Hit::Body { row, .. } = hit {
            let row = row as usize;
            picture.disc(discs.centers[row], discs.half_extents[row][0], colour(discs.velocities[row]));
        }
    }
    let lines = [(colour([0.0; 2]), "at rest".to_owned()), (colour([SPEED, 0.0]), "fast".to_owned())];
    picture.legend(&format!("{} discs that bounce", grouped(discs.centers.len())), &lines);
    picture.save(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_discs_that_meet_exchange_velocities_and_touch() {
        let (mut a, mut b) = (([0.0, 0.0], [1.0, 0.5]), ([0.9, 0.0], [-2.0, 0.0]));
        let depth = collide((&mut a.0, &mut a.1, 0.5), (&mut b.0, &mut b.1, 0.5));
        assert!((depth - 0.1).abs() < 1e-6);
        assert_eq!((a.1, b.1), ([-2.0, 0.5], [1.0, 0.0]));
        assert!((b.0[0] - a.0[0] - 1.0).abs() < 1e-6);
        // They part now: nothing more happens, nor where they only stand corner to corner.
        let before = (a, b);
        assert!(collide((&mut a.0, &mut a.1, 0.4), (&mut b.0, &mut b.1, 0.4)) == 0.0 && before == (a, b));
    }

    #[test]
    fn energy_and_overlaps_keep_their_bounds_on_any_number_of_threads() {
        let arguments = Arguments::parse_from(["bounce", "--bodies", "9000", "--frames", "90", "--no-picture"]);
        let hashes = [1, 2, 5].map(|threads| run(&arguments, threads).map_err(|failure| failure.to_string()));
        assert!(hashes[0].is_ok() && hashes.windows(2).all(|two| two[0] == two[1]), "{hashes:?}");
    }
}
