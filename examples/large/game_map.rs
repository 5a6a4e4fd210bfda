//! Bodies walk the free cells of a game map and bounce off its walls, and never enter one.
//!
//! ```text
//! cargo run --release --example game_map
//! cargo run --release --example game_map -- den520d.map --bodies 50000 --check
//! ```
//!
//! Reads maps of the Moving AI benchmarks (<https://movingai.com/benchmarks/grids.html>); without
//! one, a palace is generated. Blocked cells are merged into rectangles, the statics. A body's
//! displacement is its desired motion, so its box covers the whole path, and its static pairs are
//! all walls that could block it. The motion is then shortened, first along x, then along y,
//! at any speed. `--check` also verifies in every frame that no body overlaps a blocked cell.
//!
//! The picture is `target/triphase/game_map.png`.

#[path = "common/mod.rs"]
mod common;

use clap::Parser;
use common::Failure;
use common::check::{Box4, body_aabb};
use common::options::{Options, PictureOptions, exit};
use common::picture::{HEIGHT, Picture, Rgba, View, WIDTH, grouped};
use common::run::Run;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use triphase::{Bodies, Contacts, Hit, World};
use triphase_scenes::{Map, Walkers};

/// The fewest pixels of a cell. If the map does not fit then, a part of it and an overview are
/// drawn.
const CELL_PIXELS_MIN: f64 = 12.0;
/// Pixels along the longer side of the overview.
const OVERVIEW: usize = 300;
/// Places tried for the view.
const VIEWS: usize = 100;

const WALL: Rgba = [0x2b, 0x33, 0x42, 0xff];
const WALL_EDGE: Rgba = [0x5b, 0x68, 0x80, 0xff];
const FREE: Rgba = [0x4f, 0x86, 0xc6, 0xff];
const CROWDED: Rgba = [0xf2, 0xa5, 0x41, 0xff];
const AT_WALL: Rgba = [0x4f, 0xd1, 0xa5, 0xff];
const FRAME: Rgba = [0xff, 0x6f, 0x9c, 0xff];

/// Moves bodies through the free cells of a game map
#[derive(Parser, Debug)]
struct Arguments {
    /// Map of the Moving AI benchmarks [default: a generated palace]
    #[arg(value_name = "FILE")]
    map: Option<PathBuf>,
    /// Number of bodies
    #[arg(long, value_name = "COUNT", default_value_t = 10_000, value_parser = common::options::body_count)]
    bodies: usize,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    picture: PictureOptions,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    exit(arguments.options.in_pool(|| game_map(&arguments)))
}

fn game_map(arguments: &Arguments) -> Result<(), Failure> {
    let &Arguments { bodies, seed, ref options, .. } = arguments;
    let (map, name) = match &arguments.map {
        Some(path) => (Map::read(path)?, path.file_stem().unwrap_or_default().to_string_lossy().into_owned()),
        None => (Map::palace(8, 5), "palace".to_owned()),
    };
    let walls = map.walls();
    let mut walkers = Walkers::spawn(&map, bodies, seed)?;
    let frames = options.frames.unwrap_or(300) as usize;
    let run_name = format!("map {name} of {} x {} cells, {bodies} bodies, seed {seed}", map.width, map.height);
    let mut run = Run::new(run_name.clone(), &walls, frames, options)?;
    let mut targets = Vec::new();
    for frame in 0..frames {
        let bodies = Bodies::new(&walkers.centers, &walkers.half_extents).with_displacements(&walkers.velocities);
        let contacts = run.step(bodies, |row| swept_box(&walkers, row))?;
        walk(&mut walkers, contacts, &walls, &mut targets);
        if options.check {
            walkers.check(&map).map_err(|reason| format!("{run_name}, frame {frame}: {reason}"))?;
        }
    }
    run.finish(options);
    if let Some(path) = arguments.picture.path("game_map.png") {
        // The boxes without the motion of the next frame.
        run.world.step(Bodies::new(&walkers.centers, &walkers.half_extents))?;
        draw(&map, &name, &walls, &walkers, &run.world, &path)?;
        options.say(&format!("picture   {}", path.display()));
    }
    run.print_json("game_map", &name, options);
    Ok(())
}

fn box_of(walkers: &Walkers, row: usize) -> Box4 {
    body_aabb(walkers.centers[row], walkers.half_extents[row], [0.0; 2])
}

fn swept_box(walkers: &Walkers, row: usize) -> Box4 {
    body_aabb(walkers.centers[row], walkers.half_extents[row], walkers.velocities[row])
}

/// Moves the bodies along x, then along y: each static pair shortens the motion of its body, in
/// any order of pairs. `targets` is scratch.
fn walk(walkers: &mut Walkers, contacts: Contacts<'_>, walls: &[Box4], targets: &mut Vec<f32>) {
    for axis in 0..2 {
        targets.clear();
        targets.extend(walkers.centers.iter().zip(&walkers.velocities).map(|(c, v)| c[axis] + v[axis]));
        for pair in contacts.static_pairs() {
            let row = pair.body as usize;
            if let Some(stop) = stop(walkers, row, axis, &walls[pair.static_row as usize]) {
                let forwards = walkers.velocities[row][axis] > 0.0;
                targets[row] = if forwards { targets[row].min(stop) } else { targets[row].max(stop) };
            }
        }
        let bodies = walkers.centers.iter_mut().zip(&mut walkers.velocities);
        for ((center, velocity), &target) in bodies.zip(targets.iter()) {
            if target != center[axis] + velocity[axis] {
                velocity[axis] = -velocity[axis];
            }
            center[axis] = target;
        }
    }
}

/// Where a body must stop along the axis so that its box, in f32, only touches the wall; `None`
/// if the wall does not block it. The body must not overlap the wall yet.
fn stop(walkers: &Walkers, row: usize, axis: usize, wall: &Box4) -> Option<f32> {
    let (here, center, half) = (box_of(walkers, row), walkers.centers[row], walkers.half_extents[row][axis]);
    let across = 1 - axis;
    let beside = here[across + 2] <= wall[across] || wall[across + 2] <= here[across];
    let velocity = walkers.velocities[row][axis];
    if beside || velocity == 0.0 {
        return None;
    }
    if velocity > 0.0 {
        let ahead = here[axis + 2] <= wall[axis];
        let mut stop = wall[axis] - half;
        while stop + half > wall[axis] {
            stop = stop.next_down();
        }
        // Never backward: the body does not overlap the wall at its present place.
        ahead.then_some(stop.max(center[axis]))
    } else {
        let ahead = here[axis] >= wall[axis + 2];
        let mut stop = wall[axis + 2] + half;
        while stop - half < wall[axis + 2] {
            stop = stop.next_up();
        }
        ahead.then_some(stop.min(center[axis]))
    }
}

fn draw(map: &Map, name: &str, walls: &[Box4], walkers: &Walkers, world: &World, path: &Path) -> Result<(), Failure> {
    let contacts = world.contacts();
    let mut colors = vec![FREE; walkers.centers.len()];
    contacts.static_pairs().for_each(|pair| colors[pair.body as usize] = AT_WALL);
    for pair in contacts.body_pairs() {
        (colors[pair.a as usize], colors[pair.b as usize]) = (CROWDED, CROWDED);
    }
    let view = view_of(map, walkers, world)?;
    let area = view.area()?;
    let mut picture = Picture::new(view)?;
    for hit in world.query_aabb(area) {
        if let Hit::Static { row, .. } = hit {
            picture.fill(walls[row as usize], WALL);
            picture.outline(walls[row as usize], WALL_EDGE, 1.0);
        }
    }
    for hit in world.query_aabb(area) {
        if let Hit::Body { row, .. } = hit {
            picture.fill(box_of(walkers, row as usize), colors[row as usize]);
        }
    }
    if !fits(map, view.scale) {
        overview(&mut picture, map, area.to_array());
    }
    let count = |color: Rgba| grouped(colors.iter().filter(|&&other| other == color).count());
    let title = format!("{name}: {} x {} cells, {} bodies", map.width, map.height, grouped(colors.len()));
    let lines = [
        (FREE, format!("{} bodies without contact", count(FREE))),
        (AT_WALL, format!("{} at a wall", count(AT_WALL))),
        (CROWDED, format!("{} that overlap", count(CROWDED))),
        (WALL_EDGE, format!("{} walls, merged from blocked cells", grouped(walls.len()))),
    ];
    picture.legend(&title, &lines);
    picture.save(path)
}

fn fits(map: &Map, scale: f64) -> bool {
    map.width as f64 * scale <= f64::from(WIDTH) && map.height as f64 * scale <= f64::from(HEIGHT)
}

/// The whole map if its cells are then large enough; otherwise the fullest of a few places.
fn view_of(map: &Map, walkers: &Walkers, world: &World) -> Result<View, Failure> {
    let (width, height) = (map.width as f64, map.height as f64);
    let whole = (f64::from(WIDTH) / (width + 2.0)).min(f64::from(HEIGHT) / (height + 2.0));
    let mut best = View { middle: [width / 2.0, height / 2.0], scale: whole.max(CELL_PIXELS_MIN), y_down: true };
    if whole >= CELL_PIXELS_MIN {
        return Ok(best);
    }
    let mut most = 0;
    for center in walkers.centers.iter().step_by((walkers.centers.len() / VIEWS).max(1)) {
        let view = View { middle: center.map(f64::from), ..best };
        let seen = world.query_aabb(view.area()?).count();
        if seen > most {
            (best, most) = (view, seen);
        }
    }
    Ok(best)
}

/// Draws the whole map in the upper right corner, with a frame around the visible part.
fn overview(picture: &mut Picture, map: &Map, shown: Box4) {
    let step = map.width.max(map.height).div_ceil(OVERVIEW);
    let (across, down) = (map.width.div_ceil(step), map.height.div_ceil(step));
    let (left, top) = (WIDTH - 18 - across as u32, 18);
    picture.block(left - 2, top - 2, across as u32 + 4, down as u32 + 4, WALL_EDGE);
    let mut block = |x: usize, y: usize, width: usize, height: usize, color: Rgba| {
        picture.block(left + x as u32, top + y as u32, width as u32, height as u32, color);
    };
    block(0, 0, across, down, WALL);
    for y in 0..down {
        for x in 0..across {
            if !map.is_blocked((x * step) as i64, (y * step) as i64) {
                block(x, y, 1, 1, [0x9a, 0xa6, 0xbc, 0xff]);
            }
        }
    }
    let pixel = |edge: f32, end: usize| ((edge.max(0.0) as usize) / step).min(end - 1);
    let [min_x, min_y] = [pixel(shown[0], across), pixel(shown[1], down)];
    let [max_x, max_y] = [pixel(shown[2], across), pixel(shown[3], down)];
    let (width, height) = (max_x - min_x + 1, max_y - min_y + 1);
    block(min_x, min_y, width, 2, FRAME);
    block(min_x, max_y, width, 2, FRAME);
    block(min_x, min_y, 2, height, FRAME);
    block(max_x, min_y, 2, height, FRAME);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_of_any_speed_never_enter_a_wall() {
        let map = Map::palace(2, 2);
        let walls = map.walls();
        for speed in [0.01, 1.0, 7.0, 500.0] {
            let mut walkers = Walkers::spawn(&map, 200, 5).unwrap();
            walkers.velocities.iter_mut().for_each(|v| *v = v.map(|c| c * speed));
            let mut world = World::default();
            world.set_statics(&walls).unwrap();
            let mut targets = Vec::new();
            for frame in 0..100 {
                let before = walkers.centers.clone();
                let bodies = Bodies::new(&walkers.centers, &walkers.half_extents);
                let contacts = world.step(bodies.with_displacements(&walkers.velocities)).unwrap();
                walk(&mut walkers, contacts, &walls, &mut targets);
                assert_eq!(walkers.check(&map), Ok(()), "frame {frame} at speed {speed}");
                assert_ne!(walkers.centers, before);
            }
        }
    }
}
