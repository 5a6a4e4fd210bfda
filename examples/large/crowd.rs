//! Steps a crowd of all sizes among walls, or another scene: measures and verifies the steps, and
//! draws a part of the world.
//!
//! ```text
//! cargo run --release --example crowd
//! cargo run --release --example crowd -- --scene cities --bodies 500000 --threads 1 --check --json
//! ```
//!
//! The picture is `target/triphase/crowd.png`. `common/figures.rs` explains the figures.

#[path = "common/mod.rs"]
mod common;

use clap::Parser;
use common::Failure;
use common::check::{Box4, body_aabb};
use common::options::{Options, PictureOptions, exit};
use common::picture::{HEIGHT, Picture, Rgba, View, WIDTH, grouped, intersection};
use common::run::Run;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use triphase::{Aabb, Bodies, Hit, World};
use triphase_scenes::{Scene, SceneName};

/// Width of a body of median size in pixels.
const BODY_PIXELS: f64 = 24.0;
/// Least number of bodies to show, if they are spread evenly.
const BODIES_IN_VIEW: f64 = 1200.0;
/// Pixels that even the smallest body gets.
const SMALLEST: f64 = 3.0;
/// Places tried for the view.
const VIEWS: usize = 100;
/// Oversized bodies that are enough for a view.
const OVERSIZED_IN_VIEW: usize = 3;

const WALL: Rgba = [0x66, 0x72, 0x88, 0xff];
const COMMON: Rgba = [0x4f, 0x86, 0xc6, 0xff];
const IN_CONTACT: Rgba = [0xf2, 0xa5, 0x41, 0xff];
const SHARED: Rgba = [0xff, 0xf3, 0xc4, 0xff];
const OVERSIZED: Rgba = [0xe0, 0x4f, 0x7c, 0x2c];
const OVERSIZED_EDGE: Rgba = [0xff, 0x6f, 0x9c, 0xff];

/// Steps a crowd of all sizes among walls, or another scene
#[derive(Parser, Debug)]
struct Arguments {
    /// Name of the scene; an unknown name prints a list of all scenes
    #[arg(long, value_name = "NAME", default_value = "castles")]
    scene: SceneName,
    /// Number of bodies
    #[arg(long, value_name = "COUNT", default_value_t = 200_000, value_parser = common::options::body_count)]
    bodies: usize,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Sort the rows in spatial order every FRAMES frames, which changes the hashes of pairs
    #[arg(long, value_name = "FRAMES", value_parser = clap::value_parser!(u32).range(1..))]
    reorder: Option<u32>,
    /// Record the calls of the world to this file, for the example `replay`
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    picture: PictureOptions,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    exit(arguments.options.in_pool(|| crowd(&arguments)))
}

fn crowd(arguments: &Arguments) -> Result<(), Failure> {
    let &Arguments { scene: name, bodies, seed, reorder, ref record, ref options, .. } = arguments;
    let frames = options.frames.unwrap_or(120) as usize;
    let mut scene = Scene::new(name, bodies, seed);
    let run_name = format!("scene {name} of {} bodies, seed {seed}", scene.centers.len());
    let mut run = Run::new(run_name, &scene.statics, frames, options)?;
    if let Some(path) = record {
        let file = File::create(path).map_err(|error| format!("{}: {error}", path.display()))?;
        run.world.record_to(file)?;
    }
    let mut reorders = Reorders::default();
    for frame in 0..frames {
        if frame > 0 {
            // Before the scene advances, its rows are those of the last step.
            if reorder.is_some_and(|every| (frame - 1).is_multiple_of(every as usize)) {
                reorders.reorder(&run.world, &mut scene);
            }
            scene.advance();
        }
        let mut bodies = Bodies::new(&scene.centers, &scene.half_extents).with_ids(&scene.ids);
        if let Some(displacements) = &scene.displacements {
            bodies = bodies.with_displacements(displacements);
        }
        run.step(bodies, |row| box_of(&scene, row))?;
    }
    run.world.stop_recording()?;
    run.finish(options);
    if let Some(summary) = reorders.summary() {
        options.say(&summary);
    }
    if let Some(path) = arguments.picture.path("crowd.png") {
        draw(&scene, &run.world, &path)?;
        options.say(&format!("picture   {}", path.display()));
    }
    run.print_json("crowd", name.as_str(), options);
    Ok(())
}

/// Sorts the rows by place every few frames, and measures it.
#[derive(Default)]
struct Reorders {
    order: Vec<u32>,
    /// Times to compute the order and to sort the columns.
    times: Vec<[Duration; 2]>,
}

impl Reorders {
    fn reorder(&mut self, world: &World, scene: &mut Scene) {
        let begin = Instant::now();
        world.spatial_order(&mut self.order);
        let ordered = begin.elapsed();
        scene.reorder(&self.order);
        self.times.push([ordered, begin.elapsed() - ordered]);
    }

    fn summary(&self) -> Option<String> {
        let median = |part: usize| {
            let mut times: Vec<_> = self.times.iter().map(|times| times[part]).collect();
            times.sort_unstable();
            times.get(times.len() / 2).map(|time| time.as_secs_f64() * 1e3)
        };
        let (ordered, moved) = (median(0)?, median(1)?);
        let count = self.times.len();
        Some(format!("sorting   {ordered:.3} ms median for the order, {moved:.3} ms for the columns, {count} times"))
    }
}

fn box_of(scene: &Scene, row: usize) -> Box4 {
    let displacement = scene.displacements.as_ref().map_or([0.0; 2], |column| column[row]);
    body_aabb(scene.centers[row], scene.half_extents[row], displacement)
}

/// How rows are drawn. The oversized bodies are the largest; the report has their number.
struct Looks {
    oversized_from: f32,
    in_contact: Vec<bool>,
}

impl Looks {
    fn new(scene: &Scene, world: &World) -> Self {
        let mut reaches: Vec<f32> = (0..scene.centers.len()).map(|row| reach(box_of(scene, row))).collect();
        reaches.sort_by(|a, b| b.total_cmp(a));
        let oversized_from = match world.report().oversized_count {
            0 => f32::INFINITY,
            count => reaches[count - 1],
        };
        let mut in_contact = vec![false; scene.centers.len()];
        let small = |row: u32| reach(box_of(scene, row as usize)) < oversized_from;
        // Only pairs of common bodies: a dragon overlaps everything below it.
        for pair in world.contacts().body_pairs().filter(|pair| small(pair.a) && small(pair.b)) {
            in_contact[pair.a as usize] = true;
            in_contact[pair.b as usize] = true;
        }
        Self { oversized_from, in_contact }
    }

    fn is_oversized(&self, aabb: Box4) -> bool {
        reach(aabb) >= self.oversized_from
    }
}

fn reach([min_x, min_y, max_x, max_y]: Box4) -> f32 {
    0.5 * (max_x - min_x).max(max_y - min_y)
}

/// The box, or one of this side with the same middle if it is smaller.
fn at_least([min_x, min_y, max_x, max_y]: Box4, side: f32) -> Box4 {
    let [x, y] = [0.5 * (side - (max_x - min_x)).max(0.0), 0.5 * (side - (max_y - min_y)).max(0.0)];
    [min_x - x, min_y - y, max_x + x, max_y + y]
}

fn draw(scene: &Scene, world: &World, path: &Path) -> Result<(), Failure> {
    let looks = Looks::new(scene, world);
    let view = best_view(scene, world, &looks)?;
    let area = view.area()?;
    let mut picture = Picture::new(view)?;
    let (mut common, mut oversized) = (Vec::new(), Vec::new());
    for hit in world.query_aabb(area) {
        match hit {
            Hit::Static { row, .. } => picture.outline(scene.statics[row as usize], WALL, 1.0),
            Hit::Body { row, .. } => {
                let aabb = box_of(scene, row as usize);
                if looks.is_oversized(aabb) { oversized.push(aabb) } else { common.push((row as usize, aabb)) }
            }
        }
    }
    // Oversized bodies are drawn above walls and below the others, their outlines above everything.
    oversized.iter().for_each(|&aabb| picture.fill(aabb, OVERSIZED));
    // Small ones above large ones.
    common.sort_by(|a, b| reach(b.1).total_cmp(&reach(a.1)));
    for &(row, aabb) in &common {
        let aabb = at_least(aabb, (SMALLEST / view.scale) as f32);
        let [red, green, blue, _] = if looks.in_contact[row] { IN_CONTACT } else { COMMON };
        picture.fill(aabb, [red, green, blue, 0xb0]);
        picture.outline(aabb, [red, green, blue, 0xff], 1.5);
    }
    for pair in world.contacts().body_pairs() {
        let [a, b] = [pair.a, pair.b].map(|row| box_of(scene, row as usize));
        if !looks.is_oversized(a) && !looks.is_oversized(b) {
            picture.fill(intersection(a, b), SHARED);
        }
    }
    oversized.iter().for_each(|&aabb| picture.outline(aabb, OVERSIZED_EDGE, 2.5));
    legend(&mut picture, scene, world, common.len() + oversized.len(), area);
    picture.save(path)
}

fn legend(picture: &mut Picture, scene: &Scene, world: &World, shown: usize, area: Aabb) {
    let [min_x, min_y, max_x, max_y] = intersection(scene.world, area.to_array()).map(f64::from);
    let [left, bottom, right, top] = scene.world.map(f64::from);
    let percent = 100.0 * (max_x - min_x) * (max_y - min_y) / ((right - left) * (top - bottom)).max(f64::MIN_POSITIVE);
    let bodies = scene.centers.len();
    let mut title = format!("Scene {}: {} bodies", scene.name, grouped(bodies));
    if !scene.statics.is_empty() {
        title += &format!(" and {} walls", grouped(scene.statics.len()));
    }
    let crop = match shown == bodies {
        true => "All of them are shown".to_owned(),
        false => format!("Shown are {} bodies, in {percent:.1} % of the world", grouped(shown)),
    };
    let mut lines = vec![
        ([0; 4], crop),
        (COMMON, "Body of common size".to_owned()),
        (IN_CONTACT, "Body that overlaps another one".to_owned()),
        (SHARED, "Where the two overlap".to_owned()),
    ];
    if world.report().oversized_count > 0 {
        let [red, green, blue, _] = OVERSIZED;
        lines.push(([red, green, blue, 0xff], "Oversized body".to_owned()));
    }
    if !scene.statics.is_empty() {
        lines.push((WALL, "Wall, which never moves".to_owned()));
    }
    picture.legend(&title, &lines);
}

/// Chooses a view in which single bodies are visible: one with a few whole oversized bodies, then
/// with the most bodies.
fn best_view(scene: &Scene, world: &World, looks: &Looks) -> Result<View, Failure> {
    let mut reaches: Vec<f32> = (0..scene.centers.len()).map(|row| reach(box_of(scene, row))).collect();
    reaches.sort_by(f32::total_cmp);
    let median = f64::from(reaches.get(reaches.len() / 2).copied().unwrap_or(0.5)).max(f64::from(f32::MIN_POSITIVE));
    let [min_x, min_y, max_x, max_y] = scene.world.map(f64::from);
    // Where a few large bodies take most of the ground, the median would show only a few.
    let per_body = (max_x - min_x) * (max_y - min_y) / scene.centers.len().max(1) as f64;
    let all_large = (f64::from(WIDTH) * f64::from(HEIGHT) / (BODIES_IN_VIEW * per_body.max(f64::MIN_POSITIVE))).sqrt();
    let scale = (BODY_PIXELS / (2.0 * median)).min(all_large);
    let rows = scene.centers.iter().step_by((scene.centers.len() / VIEWS).max(1));
    let middle = [0.5 * (min_x + max_x), 0.5 * (min_y + max_y)];
    let mut best = (View { middle, scale, y_down: false }, (0, 0));
    for middle in std::iter::once(middle).chain(rows.map(|center| center.map(f64::from))) {
        let view = View { middle, ..best.0 };
        let area = view.area()?;
        let (mut whole, mut seen) = (0, 0);
        for hit in world.query_aabb(area) {
            let Hit::Body { row, .. } = hit else { continue };
            let aabb = box_of(scene, row as usize);
            whole += usize::from(looks.is_oversized(aabb) && intersection(aabb, area.to_array()) == aabb);
            seen += 1;
        }
        let score = (whole.min(OVERSIZED_IN_VIEW), seen);
        if score > best.1 {
            best = (view, score);
        }
    }
    Ok(best.0)
}
