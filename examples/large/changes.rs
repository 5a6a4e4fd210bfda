//! Steps the same frames by `step` and by `step_changed`, in turn: compares what both find, and how
//! long they take.
//!
//! ```text
//! cargo run --release --example changes
//! cargo run --release --example changes -- --bodies 1000000 --moving 0.001 --events --threads 1
//! ```
//!
//! A part of a crowd moves, by a tenth of its side a frame: always the same bodies, or others in
//! each frame with `--scattered`. With `--replaced`, bodies are removed too, by a swap with the
//! last row, and others with new ids are added. In each frame both worlds must have the same pairs,
//! and with `--events` the same contacts that began and ended.

#[path = "common/mod.rs"]
mod common;

use clap::Parser;
use common::options::{Options, exit, print_line};
use common::{Failure, allocations};
use serde_json::json;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use triphase::{Bodies, ChangedRows, Contacts, Pair, World, WorldConfig};
use triphase_scenes::{Movers, Scene, SceneName, SplitMix64};

/// Frames before times count: the first steps make room for what later ones need.
const WARM_UP: u32 = 8;

/// Compares steps by `step` with steps by `step_changed`
#[derive(Parser, Debug)]
struct Arguments {
    /// Number of bodies
    #[arg(long, value_name = "COUNT", default_value_t = 200_000, value_parser = common::options::body_count)]
    bodies: usize,
    /// Part of the bodies that moves in a frame, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.01, value_parser = share)]
    moving: f64,
    /// Let other bodies move in each frame, instead of always the same
    #[arg(long)]
    scattered: bool,
    /// Bodies that are removed in a frame, and that are added
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    replaced: usize,
    /// Track contacts in both worlds, and compare those that began and ended
    #[arg(long)]
    events: bool,
    /// Margin of tracked contacts, in world units
    #[arg(long, value_name = "WIDTH", default_value_t = 0.0, requires = "events")]
    margin: f32,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    options: Options,
}

fn share(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|share| (0.0..=1.0).contains(share)).ok_or_else(|| "not a number from 0 to 1".to_string())
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    exit(arguments.options.in_pool(|| changes(&arguments)))
}

fn changes(arguments: &Arguments) -> Result<(), Failure> {
    let &Arguments { bodies, moving, scattered, replaced, events, margin, seed, ref options } = arguments;
    let frames = options.frames.unwrap_or(60);
    let mut scene = Scene::new(SceneName::Crowd, bodies, seed);
    let mut movers = Movers::new(&scene, (bodies as f64 * moving).round() as usize, scattered);
    let mut random = SplitMix64::new(seed);
    let mut changed = Vec::new();
    let config = WorldConfig::new().with_contact_tracking(events).with_margin(margin);
    let [mut full, mut told] = [World::new(config.clone())?, World::new(config)?];
    let (mut full_times, mut told_times) = (Vec::new(), Vec::new());
    let (mut told_allocations, mut event_count) = (0, 0);
    let (mut pairs, mut told_pairs) = (Vec::new(), Vec::new());
    for frame in 0..WARM_UP + frames {
        movers.advance(&mut scene);
        changed.clear();
        changed.extend_from_slice(&movers.rows);
        for _ in 0..replaced {
            changed.extend(replace_one(&mut scene, &mut random));
        }
        let columns = || {
            let columns = Bodies::new(&scene.centers, &scene.half_extents);
            if replaced > 0 { columns.with_ids(&scene.ids) } else { columns }
        };
        // Which is first alternates, because the second finds the columns in the caches.
        for is_told in [frame % 2 == 0, frame % 2 == 1] {
            let (begin, allocated) = (Instant::now(), allocations::count());
            let times = if is_told {
                told.step_changed(columns(), ChangedRows::from(&changed))?;
                &mut told_times
            } else {
                full.step(columns())?;
                &mut full_times
            };
            if frame >= WARM_UP {
                times.push(begin.elapsed());
                told_allocations += if is_told { allocations::count() - allocated } else { 0 };
            }
        }
        let (full, told) = (full.contacts(), told.contacts());
        full.sorted_pairs(&mut pairs);
        told.sorted_pairs(&mut told_pairs);
        if told_pairs != pairs {
            return Err(format!("frame {frame}: the pairs of both worlds differ").into());
        }
        let found = events_of(told);
        if found != events_of(full) {
            return Err(format!("frame {frame}: the events of both worlds differ").into());
        }
        event_count += found.map_or(0, |(began, ended)| began.len() + ended.len());
    }
    let [full_us, told_us] = [full_times, told_times].map(summary);
    let allocations_per_step = told_allocations as f64 / f64::from(frames);
    options.say(&format!(
        "{bodies} bodies, {} moving{}, {replaced} replaced, {frames} frames\n\
         step            {:.1} us median, {:.1} mean, {:.1} at most\n\
         step_changed    {:.1} us median, {:.1} mean, {:.1} at most\n\
         ratio           {:.1} of the medians, {:.1} of the means\n\
         pairs           {} in the last frame, the same in each; {event_count} events\n\
         allocations     {allocations_per_step:.2} a step by step_changed",
        movers.rows.len(),
        if scattered { ", others in each frame" } else { "" },
        full_us[0],
        full_us[1],
        full_us[2],
        told_us[0],
        told_us[1],
        told_us[2],
        full_us[0] / told_us[0],
        full_us[1] / told_us[1],
        pairs.len(),
    ));
    if options.json {
        let line = json!({
            "example": "changes",
            "bodies": bodies,
            "moving": moving,
            "threads": rayon::current_num_threads(),
            "full_us_median": full_us[0],
            "told_us_median": told_us[0],
            "ratio": full_us[0] / told_us[0],
            "events": event_count,
            "pairs_equal": true,
            "allocations_per_step": allocations_per_step,
            "scattered": scattered,
            "replaced": replaced,
            "told_us_mean": told_us[1],
            "told_us_max": told_us[2],
        });
        print_line(&line.to_string());
    }
    Ok(())
}

/// Removes a body by a swap with the last one, and adds another one in its place. Returns the rows
/// that changed.
fn replace_one(scene: &mut Scene, random: &mut SplitMix64) -> [u32; 2] {
    let row = random.below(scene.ids.len());
    let (center, half) = (scene.centers.swap_remove(row), scene.half_extents.swap_remove(row));
    scene.ids.swap_remove(row);
    scene.centers.push(center);
    scene.half_extents.push(half);
    scene.ids.push(random.next_u64());
    [row as u32, scene.ids.len() as u32 - 1]
}

/// The contacts that began, and the ids of those that ended; `None` if contacts are not tracked.
fn events_of(contacts: Contacts<'_>) -> Option<(Vec<Pair>, Vec<[u64; 2]>)> {
    let events = contacts.events()?;
    let mut ended: Vec<_> =
        events.ended().map(|ended| [ended.a_id.min(ended.b_id), ended.a_id.max(ended.b_id)]).collect();
    ended.sort_unstable();
    Some((events.started().map(|contact| contact.pair).collect(), ended))
}

/// Median, mean and largest time in microseconds.
fn summary(mut times: Vec<Duration>) -> [f64; 3] {
    times.sort_unstable();
    let mean = times.iter().sum::<Duration>() / times.len() as u32;
    [times[times.len() / 2], mean, times[times.len() - 1]].map(|time| time.as_secs_f64() * 1e6)
}
