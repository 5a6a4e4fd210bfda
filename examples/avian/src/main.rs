//! Runs scenes with avian's broad phase and with triphase's, checks that each step is the same, and
//! prints a table of what they took.
//!
//! `cargo run --release`, or with `--short` for a check of a few seconds.
//! `--scene balls|pyramid|maze`, `--bodies 2000`, `--steps 600` choose one scene, size or length.

use std::process::ExitCode;
use std::time::Duration;
use triphase_avian::scene::Scene;
use triphase_avian::simulation::{BroadPhaseKind, Simulation, StepTimes};

const KINDS: [BroadPhaseKind; 3] = [BroadPhaseKind::Avian, BroadPhaseKind::Triphase, BroadPhaseKind::TriphaseAlone];

struct Options {
    scenes: Vec<Scene>,
    sizes: Vec<usize>,
    steps: usize,
}

impl Options {
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self { scenes: Scene::ALL.into(), sizes: vec![2_000, 10_000, 50_000], steps: 600 };
        while let Some(word) = words.next() {
            if word == "--short" {
                (options.sizes, options.steps) = (vec![2_000], 150);
                continue;
            }
            let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
            let number = || value.parse::<usize>().map_err(|_| format!("{word} {value}: expected a number"));
            match word.as_str() {
                "--scene" => options.scenes.retain(|scene| scene.name() == value),
                "--bodies" => options.sizes = vec![number()?],
                "--steps" => options.steps = number()?,
                _ => return Err(format!("{word} is not an option")),
            }
        }
        if options.scenes.is_empty() || options.steps == 0 {
            return Err("there is nothing to run".into());
        }
        Ok(options)
    }
}

fn main() -> ExitCode {
    let run = || -> Result<(), String> {
        let options = Options::parse(std::env::args().skip(1))?;
        print_head();
        for &scene in &options.scenes {
            for &count in &options.sizes {
                run_scene(scene, count, options.steps)
                    .map_err(|error| format!("{} of {count}: {error}", scene.name()))?;
            }
        }
        println!("\nEach of the {} steps had the same pairs, touching pairs and positions.", options.steps);
        Ok(())
    };
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a scene in three apps, a step of each in turn.
fn run_scene(scene: Scene, count: usize, steps: usize) -> Result<(), String> {
    let mut simulations = KINDS.map(|kind| Simulation::new(kind, scene, count));
    let mut times = KINDS.map(|_| Vec::with_capacity(steps));
    let mut touching_max = 0;
    for step in 0..steps {
        for k in 0..KINDS.len() {
            let k = (k + step) % KINDS.len(); // no app always follows the same one
            times[k].push(simulations[k].step());
        }
        let [avian, others @ ..] = &mut simulations;
        for (other, kind) in others.iter_mut().zip(&KINDS[1..]) {
            other.compare(avian).map_err(|error| format!("step {step}, {kind:?}: {error}"))?;
        }
        avian.check_bounds().map_err(|error| format!("step {step}: {error}"))?;
        touching_max = touching_max.max(avian.pair_counts()[1]);
    }
    if touching_max == 0 {
        return Err("nothing ever touched".into());
    }
    print_row(scene, count, touching_max, &times);
    Ok(())
}

fn print_head() {
    println!("Milliseconds per step, medians; in brackets the mean of all steps.\n");
    println!(
        "| scene | bodies | touching | broad phase: avian | triphase | whole step: avian | triphase | no tree optimization | tree update | optimization |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
}

fn print_row(scene: Scene, count: usize, touching_max: usize, times: &[Vec<StepTimes>; 3]) {
    let cell = |kind: usize, part: fn(&StepTimes) -> Duration| {
        let mut parts: Vec<_> = times[kind].iter().map(part).collect();
        parts.sort_unstable();
        let mean = parts.iter().sum::<Duration>() / parts.len() as u32;
        format!("{:.2} ({:.2})", millis(parts[parts.len() / 2]), millis(mean))
    };
    println!(
        "| `{}` | {count} | {touching_max} | {} | {} | {} | {} | {} | {} | {} |",
        scene.name(),
        cell(0, |times| times.broad_phase),
        cell(1, |times| times.broad_phase),
        cell(0, |times| times.whole),
        cell(1, |times| times.whole),
        cell(2, |times| times.whole),
        cell(1, |times| times.tree_update),
        cell(1, |times| times.tree_optimization),
    );
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
