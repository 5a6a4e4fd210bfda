//! Simulates Box2D's own scenes, and finds the pairs of each step's boxes with several engines.
//!
//! ```sh
//! cargo run --release
//! cargo run --release -- --short
//! ```

use clap::Parser;
use std::error::Error;
use std::process::ExitCode;
use triphase_box2d::engines::Question;
use triphase_box2d::race::{check, measure, states};
use triphase_box2d::recording::Recording;
use triphase_box2d::scenes::{SCENES, Scene};
use triphase_box2d::table::{Table, origin};

/// Box2D's own scenes, replayed to Box2D's tree and to triphase
#[derive(Parser)]
struct Options {
    /// Scenes by name, in Box2D's sizes unless the name ends in `_2000`; all if none is given
    #[arg(long, value_delimiter = ',')]
    scene: Vec<String>,
    /// How often each scene is replayed
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Only the scenes of about 2,000 bodies, few steps, to check that all engines agree
    #[arg(long)]
    short: bool,
}

/// Steps of a scene with `--short`.
const SHORT_STEPS: usize = 100;

fn scenes(options: &Options) -> Result<Vec<Scene>, String> {
    if options.scene.is_empty() {
        let all = SCENES.iter().copied();
        return Ok(all.filter(|scene| !options.short || scene.is_small()).collect());
    }
    let named = |name: &String| {
        let known = || SCENES.iter().map(|scene| scene.name).collect::<Vec<_>>().join(", ");
        Scene::named(name).ok_or_else(|| format!("no scene `{name}`; there are {}", known()))
    };
    options.scene.iter().map(named).collect()
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let (step_count_max, rounds) = if options.short { (SHORT_STEPS, 1) } else { (usize::MAX, options.rounds) };
    let mut tables: [Table; 3] = Default::default();
    for scene in scenes(options)? {
        let recording = Recording::of_scene(scene, step_count_max)?;
        let leaves = recording.leaves();
        let states = states(&recording);
        let questions = [(Question::All, &recording), (Question::Changed, &recording), (Question::Changed, &leaves)];
        for (table, (question, recording)) in tables.iter_mut().zip(questions) {
            let pair_counts = check(question, recording).map_err(|error| format!("{}: {error}", scene.name))?;
            let figures = measure(question, recording, &states, &pair_counts, rounds)?;
            table.push(scene.name, recording, figures);
        }
        eprintln!("{}: {} steps, all engines found the same pairs", scene.name, recording.step_count());
    }
    println!("Microseconds of a step (nanoseconds of a body), medians unless it says mean, one thread; {}", origin());
    println!("Ratio: the time of Box2D's tree to that of triphase.");
    let [all, changed, leaves] = tables;
    all.print("All pairs of each step", &["triphase", "triphase asleep", "grid", "Box2D"]);
    changed.print("Pairs of the boxes that changed, engines told which", &["triphase", "Box2D"]);
    leaves.print("Pairs of the leaves that changed, engines told which", &["triphase", "Box2D"]);
    Ok(())
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
