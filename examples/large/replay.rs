//! Makes the calls of a recording again: with times, and compared with what was recorded and, if
//! asked for, with brute force.
//!
//! ```text
//! cargo run --release --example crowd -- --frames 30 --record crowd.triphase --no-picture
//! cargo run --release --example replay -- crowd.triphase --check
//! ```
//!
//! A program makes a recording by `world.record_to(File::create("crowd.triphase")?)?`. The exit
//! code tells whether all steps were as recorded; of a recording that ends early, as in a crash,
//! those that are in it.

#[path = "common/mod.rs"]
mod common;

use clap::Parser;
use common::check::{self, Box4, body_aabb};
use common::figures::Figures;
use common::options::{Options, exit, print_line};
use common::{Failure, allocations};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use triphase::record::{RecordedBodies, RecordedBoxes, RecordedCall, RecordedOutcome, Recording};
use triphase::{BodyShape, Filter, PhaseTimes, World, reference};

/// Bodies from which steps use several threads, if threads are asked for.
const PARALLEL_THRESHOLD: usize = 8_000;

/// Replays a recording, measures its steps, and compares them with what was recorded
#[derive(Parser, Debug)]
struct Arguments {
    /// The recording
    file: PathBuf,
    /// Go on after a step that differs, and print all of them
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    options: Options,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    exit(arguments.options.in_pool(|| replay(&arguments)))
}

fn replay(Arguments { file, all, options }: &Arguments) -> Result<(), Failure> {
    let name = file.display();
    let mut recording = open(file).map_err(|error| format!("{name}: {error}"))?;
    let mut config = recording.config().clone();
    if options.threads.is_some_and(|threads| threads > 1) && config.parallel_threshold().is_none() {
        config = config.with_parallel_threshold(PARALLEL_THRESHOLD);
    }
    let mut world = recording.world(config).map_err(|error| format!("{name}: {error}"))?;
    let (mut figures, mut phases) = (Figures::default(), PhaseSums::default());
    let (mut differences, mut failed_steps, mut error) = (Vec::new(), 0, None);
    let frames_max = options.frames.map_or(usize::MAX, |frames| frames as usize);
    for (number, entry) in recording.by_ref().enumerate() {
        if figures.frames() + failed_steps >= frames_max {
            break;
        }
        let entry = match entry {
            Ok(entry) => entry,
            Err(reason) => {
                error = Some(reason);
                break;
            }
        };
        if entry.outcome == Some(RecordedOutcome::Panicked) {
            options.say(&format!("call {number} panicked, and is not made"));
            continue;
        }
        let allocated = allocations::count();
        let outcome = entry.call.replay(&mut world);
        let allocated = allocations::count() - allocated;
        let mut difference = entry.outcome.as_ref().and_then(|recorded| recorded.difference(&outcome));
        if let RecordedCall::Step(bodies) | RecordedCall::StepChanged(bodies, _) = &entry.call {
            if let RecordedOutcome::Failed { .. } = outcome {
                failed_steps += 1;
            } else {
                let report = world.report();
                phases.add(report.phases);
                figures.add(world.contacts(), &report, report.static_count, report.phases.total, allocated);
                if options.check {
                    let checked = verify(&world, bodies);
                    figures.checked_frames += usize::from(checked.is_ok());
                    difference = difference.or(checked.err());
                }
            }
        }
        if let Some(what) = difference {
            let place = format!("call {number}, at byte {}, step {}: {what}", entry.offset, world.step_number());
            differences.push(place);
            if !all {
                break;
            }
        }
    }
    let steps = figures.frames() + failed_steps;
    options.say(&format!("{name}: {steps} steps, {failed_steps} of them refused"));
    options.say(&format!("{}\n{}\n{}", world.report(), figures.summary(), phases.summary(figures.frames())));
    let hashes = figures.hashes;
    options.say(&format!("hashes    {:016x} of all pairs, {:016x} in their order", hashes.set, hashes.order));
    let is_whole = recording.is_complete() || steps >= frames_max || !differences.is_empty();
    match error {
        Some(error) => options.say(&format!("the recording ends early: {error}")),
        None if !is_whole => options.say("the recording ends early, between two calls"),
        None => {}
    }
    if options.json {
        print_line(&figures.json("replay", &name.to_string()));
    }
    if differences.is_empty() { Ok(()) } else { Err(differences.join("\n").into()) }
}

fn open(path: &Path) -> Result<Recording<File>, Failure> {
    Ok(Recording::new(File::open(path)?)?)
}

/// Compares the pairs of a step with brute force.
fn verify(world: &World, chunks: &[RecordedBodies]) -> Result<(), String> {
    let mut boxes: Vec<Box4> = chunks.iter().flat_map(boxes_of).collect();
    // What overlaps nothing.
    world.skipped_rows().iter().for_each(|skipped| boxes[skipped.row as usize] = [f32::NAN; 4]);
    let filters: Vec<Filter> = chunks.iter().flat_map(filters_of).collect();
    let (statics, body_count) = (world.statics(), boxes.len());
    let box_of_static = |row: u32| {
        let is_enabled = statics.is_enabled(row) == Some(true);
        statics.aabb(row).filter(|_| is_enabled).map_or([f32::NAN; 4], Box4::from)
    };
    let static_boxes: Vec<Box4> = (0..statics.len() as u32).map(box_of_static).collect();
    let moves = chunks.iter().any(|chunk| chunk.displacements.is_some() && !chunk.bodies().is_empty());
    let are_circles = world.config().body_shape() == BodyShape::Circle && !moves;
    let is_pair = |a: u32, b: u32| {
        let (a, b) = (a as usize, b as usize);
        match b.checked_sub(body_count) {
            None => {
                let boxes = [boxes[a], boxes[b]];
                filters[a].interacts_with(filters[b])
                    && (!are_circles || !reference::circle_self_pairs(&boxes).is_empty())
            }
            Some(row) => {
                let filter = statics.filter(row as u32).unwrap_or(Filter::ALL);
                filters[a].interacts_with(filter)
                    && (!are_circles || !reference::circle_static_pairs(&[boxes[a]], &[static_boxes[row]]).is_empty())
            }
        }
    };
    check::compare_where(world.contacts(), &boxes, &static_boxes, is_pair).map_err(|mismatch| mismatch.to_string())
}

fn filters_of(chunk: &RecordedBodies) -> Vec<Filter> {
    let all = || vec![Filter::ALL; chunk.bodies().len()];
    chunk.filters.as_ref().map_or_else(all, |filters| filters.to_vec())
}

fn boxes_of(chunk: &RecordedBodies) -> Vec<Box4> {
    let by = |row: usize| chunk.displacements.as_ref().map_or([0.0; 2], |column| column[row]);
    match &chunk.boxes {
        RecordedBoxes::Centers { centers, half_extents } => {
            let rows = centers.iter().zip(half_extents.iter()).enumerate();
            rows.map(|(row, (&center, &half))| body_aabb(center, half, by(row))).collect()
        }
        RecordedBoxes::Uniform { centers, half_extents } => {
            centers.iter().enumerate().map(|(row, &center)| body_aabb(center, *half_extents, by(row))).collect()
        }
        RecordedBoxes::Aabbs(aabbs) => aabbs
            .iter()
            .enumerate()
            .map(|(row, &[x0, y0, x1, y1])| {
                let [x, y] = by(row);
                [x0.min(x0 + x), y0.min(y0 + y), x1.max(x1 + x), y1.max(y1 + y)]
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// The times of all steps.
#[derive(Default)]
struct PhaseSums(PhaseTimes);

impl PhaseSums {
    fn add(&mut self, times: PhaseTimes) {
        let sums = &mut self.0;
        sums.plan += times.plan;
        sums.partition += times.partition;
        sums.layout += times.layout;
        sums.find_pairs += times.find_pairs;
        sums.gather += times.gather;
        sums.track_contacts += times.track_contacts;
        sums.total += times.total;
        sums.passes += times.passes;
    }

    /// The means as text.
    fn summary(&self, steps: usize) -> String {
        let mean = |time: Duration| time / u32::try_from(steps.max(1)).unwrap_or(u32::MAX);
        let mut means = self.0;
        for time in [
            &mut means.plan,
            &mut means.partition,
            &mut means.layout,
            &mut means.find_pairs,
            &mut means.gather,
            &mut means.track_contacts,
            &mut means.total,
            &mut means.passes.sort,
            &mut means.passes.common,
            &mut means.passes.ghosts,
            &mut means.passes.oversized,
            &mut means.passes.statics,
        ] {
            *time = mean(*time);
        }
        format!("mean {means}")
    }
}
