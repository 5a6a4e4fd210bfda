//! A crowd of every size among walls, or any other scene: steps it, measures it, checks it, and draws a part of it.
//!
//! ```text
//! cargo run --release --example crowd
//! cargo run --release --example crowd -- --scene cities --bodies 1000000 --threads 1 --check --json
//! ```
//!
//! The picture goes to `target/triphase/crowd.png`. What the figures mean is written in `common/figures.rs`.

#[path = "common/mod.rs"]
mod common;

use clap::Parser;
use common::Failure;
use common::check::{Box4, body_aabb};
use common::options::{Options, PictureOptions, exit};
use common::picture::{Colour, Picture, View, grouped, intersection};
use common::run::Run;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use triphase::{Bodies, Hit, World};
use triphase_scenes::{Scene, SceneName};

/// Pixels that a body of middling size is wide.
const BODY_PIXELS: f64 = 15.0;
/// Places that are tried for the view.
const VIEWS: usize = 100;
/// So many oversized bodies are enough for a view.
const OVERSIZED_IN_VIEW: usize = 3;

const WALL: Colour = [0x33, 0x3c, 0x4e, 0xff];
const WALL_EDGE: Colour = [0x0e, 0x11, 0x18, 0x90];
const COMMON: Colour = [0x4f, 0x86, 0xc6, 0xff];
const IN_CONTACT: Colour = [0xf2, 0xa5, 0x41, 0xff];
const SHARED: Colour = [0xff, 0xf3, 0xc4, 0xff];
const OVERSIZED: Colour = [0xe0, 0x4f, 0x7c, 0x2c];
const OVERSIZED_EDGE: Colour = [0xff, 0x6f, 0x9c, 0xff];

/// A crowd of every size among walls, or any other scene
#[derive(Parser, Debug)]
struct Arguments {
    /// The scene, by name; a wrong name lists them all
    #[arg(long, value_name = "NAME", default_value = "castles")]
    scene: SceneName,
    /// How many bodies
    #[arg(long, value_name = "COUNT", default_value_t = 200_000, value_parser = common::options::bodies)]
    bodies: usize,
    /// What the scene is made from: the same seed gives the same scene
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Put the rows into the order of their places in the world after the first frame and then once in so many; rows are
    /// numbered anew, so that the hashes of pairs are others
    #[arg(long, value_name = "FRAMES", value_parser = clap::value_parser!(u32).range(1..))]
    reorder: Option<u32>,
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
    let &Arguments { scene: name, bodies, seed, reorder, ref options, .. } = arguments;
    let frames = options.frames.unwrap_or(120) as usize;
    let mut scene = Scene::new(name, bodies, seed);
    let run_name = format!("scene {name} of {} bodies, seed {seed}", scene.centers.len());
    let mut run = Run::new(run_name, &scene.statics, frames, options)?;
    let mut reorders = Reorders::default();
    for frame in 0..frames {
        if frame > 0 {
            // Now that the rows of the scene still are those of the last step.
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
    run.finish(options);
    if let Some(summary) = reorders.summary() {
        options.say(&summary);
    }
    if let Some(path) = arguments.picture.path("crowd.png") {
        draw(&scene, &run.world, &path)?;
        options.say(&format!("picture         {}", path.display()));
    }
    run.print_json("crowd", name.as_str(), options);
    Ok(())
}

/// What it takes to put rows into the order of their places, beside the steps.
#[derive(Default)]
struct Reorders {
    order: Vec<u32>,
    /// Of each time: to be told the order, and to bring all columns into it.
    times: Vec<[Duration; 2]>,
}

impl Reorders {
    fn reorder(&mut self, world: &World, scene: &mut Scene) {
        let begin = Instant::now();
        world.spatial_order(&mut self.order);
        let told = begin.elapsed();
        scene.reorder(&self.order);
        self.times.push([told, begin.elapsed() - told]);
    }

    fn summary(&self) -> Option<String> {
        let median = |part: usize| {
            let mut times: Vec<_> = self.times.iter().map(|times| times[part]).collect();
            times.sort_unstable();
            times.get(times.len() / 2).map(|time| time.as_secs_f64() * 1e3)
        };
        let (told, moved) = (median(0)?, median(1)?);
        let count = self.times.len();
        Some(format!("reorder         {told:.3} ms median for the order, {moved:.3} ms for the columns, {count} times"))
    }
}

fn box_of(scene: &Scene, row: usize) -> Box4 {
    let displacement = scene.displacements.as_ref().map_or([0.0; 2], |column| column[row]);
    body_aabb(scene.centers[row], scene.half_extents[row], displacement)
}

/// What a row is drawn as: the report says how many are oversized, and those are the largest.
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
        // Among equals: a dragon would light up all that it flies over.
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

fn draw(scene: &Scene, world: &World, path: &Path) -> Result<(), Failure> {
    let looks = Looks::new(scene, world);
    let view = best_view(scene, world, &looks)?;
    let area = view.area()?;
    let mut picture = Picture::new(view)?;
    let (mut common, mut oversized) = (Vec::new(), Vec::new());
    for hit in world.query_aabb(area) {
        match hit {
            Hit::Static { row, .. } => picture.fill(scene.statics[row as usize], WALL),
            Hit::Body { row, .. } => {
                let aabb = box_of(scene, row as usize);
                if looks.is_oversized(aabb) { oversized.push(aabb) } else { common.push((row as usize, aabb)) }
            }
        }
    }
    for hit in world.query_aabb(area) {
        if let Hit::Static { row, .. } = hit {
            picture.outline(scene.statics[row as usize], WALL_EDGE, 1.0);
        }
    }
    // Above the walls and below those they fly over; their outlines above all.
    oversized.iter().for_each(|&aabb| picture.fill(aabb, OVERSIZED));
    for &(row, aabb) in &common {
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
    legend(&mut picture, scene, world);
    picture.save(path)
}

fn legend(picture: &mut Picture, scene: &Scene, world: &World) {
    let contacts = world.contacts();
    let (bodies, oversized) = (scene.centers.len(), world.report().oversized_count);
    let mut title =
        format!("{}: {} bodies, {} pairs", scene.name, grouped(bodies), grouped(contacts.body_pairs().len()));
    let mut lines = vec![
        (COMMON, format!("{} common bodies", grouped(bodies - oversized))),
        (IN_CONTACT, "those that overlap another of them".to_owned()),
        (SHARED, "what two of them share".to_owned()),
    ];
    if oversized > 0 {
        let [red, green, blue, _] = OVERSIZED;
        lines.push(([red, green, blue, 0xff], format!("{} oversized bodies", grouped(oversized))));
    }
    if !scene.statics.is_empty() {
        title += &format!(", {} with statics", grouped(contacts.static_pairs().len()));
        lines.push((WALL, format!("{} statics", grouped(scene.statics.len()))));
    }
    picture.legend(&title, &lines);
}

/// A view in which single bodies can be seen: of some that are tried, the fullest of those with a few oversized bodies
/// whole in it.
fn best_view(scene: &Scene, world: &World, looks: &Looks) -> Result<View, Failure> {
    let mut reaches: Vec<f32> = (0..scene.centers.len()).map(|row| reach(box_of(scene, row))).collect();
    reaches.sort_by(f32::total_cmp);
    let middling = f64::from(reaches.get(reaches.len() / 2).copied().unwrap_or(0.5)).max(f64::from(f32::MIN_POSITIVE));
    let scale = BODY_PIXELS / (2.0 * middling);
    let [min_x, min_y, max_x, max_y] = scene.world.map(f64::from);
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
