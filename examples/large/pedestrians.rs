//! Replays recorded people: boxes of one size that appear and disappear, with ids.
//!
//! ```text
//! cargo run --release --example pedestrians -- uo-300-300-200.txt
//! cargo run --release --example pedestrians -- bot-360-250-250.txt --tile 16 --frames 600 --check
//! ```
//!
//! Reads recordings of the Pedestrian Dynamics Data Archive (<https://ped.fz-juelich.de/da>): a row
//! for each person and frame, `id frame x y z` in centimeters. A person is present from the first
//! to the last frame of its id, and stays in place for missing frames. Its half-extents are 0.20 m.
//!
//! `--tile K` places K x K copies of the recording, each starting at another frame and repeating,
//! so that the crowd is large and its motion real. A person that appears again, or in another copy,
//! has its own id.

#[path = "common/mod.rs"]
mod common;

use clap::Parser;
use common::Failure;
use common::check::body_aabb;
use common::options::{Options, exit};
use common::picture::grouped;
use common::recording::Recording;
use common::run::Run;
use std::path::PathBuf;
use std::process::ExitCode;
use triphase::Bodies;

/// Meters from the center of a person to each side.
const HALF_EXTENT: f32 = 0.20;
/// Meters between copies, so that no contact is between two of them.
const APART: f64 = 1.0;
/// Characters in the curve of contacts.
const CURVE: usize = 72;

/// Replays recorded people
#[derive(Parser, Debug)]
struct Arguments {
    /// Recording: rows of `id frame x y z`, in centimeters
    file: PathBuf,
    /// Place K x K copies, each starting at another frame
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    tile: u16,
    #[command(flatten)]
    options: Options,
}

/// The people of a frame, as columns.
#[derive(Default)]
struct People {
    centers: Vec<[f32; 2]>,
    ids: Vec<u64>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    exit(arguments.options.in_pool(|| pedestrians(&arguments)))
}

fn pedestrians(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { file, tile, options } = arguments;
    let recording = Recording::read(file)?;
    let scene = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let frames = options.frames.map_or(recording.len(), |frames| frames as usize);
    let run_name = format!("recording {scene}, {tile} x {tile} copies");
    let mut run = Run::new(run_name, &[], frames, options)?;
    let mut people = People::default();
    let mut most = 0;
    for frame in 0..frames {
        people.take(&recording, usize::from(*tile), frame);
        let bodies = Bodies::uniform(&people.centers, [HALF_EXTENT; 2]).with_ids(&people.ids);
        let contacts = run.step(bodies, |row| body_aabb(people.centers[row], [HALF_EXTENT; 2], [0.0; 2]))?;
        most = most.max(contacts.body_pairs().len());
    }
    run.finish(options);
    let pairs = &run.figures.body_pairs;
    options.say(&format!(
        "people    {} in the recording, {} positions repeated for missing frames",
        recording.people, recording.repeated
    ));
    options.say(&format!("contacts  {} in all, at most {most} in a frame", grouped(pairs.iter().sum())));
    options.say(&curve(pairs));
    run.print_json("pedestrians", &scene, options);
    Ok(())
}

impl People {
    /// Fills the columns of a frame. A copy repeats the recording, each time with new ids.
    fn take(&mut self, recording: &Recording, tile: usize, frame: usize) {
        self.centers.clear();
        self.ids.clear();
        let copies = tile * tile;
        let [min_x, min_y, max_x, max_y] = recording.extent;
        let (width, height) = (max_x - min_x + APART, max_y - min_y + APART);
        for copy in 0..copies {
            let played = frame + copy * recording.len() / copies;
            let (lap, local) = (played / recording.len(), played % recording.len());
            let corner = [width * (copy % tile) as f64, height * (copy / tile) as f64];
            for seen in recording.frame(local) {
                self.centers.push([(corner[0] + seen.at[0]) as f32, (corner[1] + seen.at[1]) as f32]);
                self.ids.push(((lap * copies + copy) * recording.people) as u64 + u64::from(seen.person));
            }
        }
    }
}

/// A curve in one line of text: each character is the mean of its part of the frames.
fn curve(values: &[usize]) -> String {
    let columns = values.len().min(CURVE);
    let part = |column: usize| &values[column * values.len() / columns..(column + 1) * values.len() / columns];
    let mean = |part: &[usize]| part.iter().sum::<usize>() as f64 / part.len() as f64;
    let means: Vec<f64> = (0..columns).map(|column| mean(part(column))).collect();
    let highest = means.iter().copied().fold(1.0, f64::max);
    let levels = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    means.iter().map(|mean| levels[(mean / highest * 7.0).round() as usize]).collect()
}
