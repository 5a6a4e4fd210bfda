//! The command of the race of steps.

use clap::Parser;
use rayon::ThreadPoolBuilder;
use std::error::Error;
use std::process::ExitCode;
use triphase_peers::engines::{self, Entry};
use triphase_peers::machine::Machine;
use triphase_peers::memory::Counting;
use triphase_peers::options::Options;
use triphase_peers::race::{self, Race};
use triphase_peers::subject::Subject;
use triphase_peers::{figures, record};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let entries = chosen(&options.engines)?;
    let machine = Machine::here();
    let threads = usize::from(options.threads);
    let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
    let &Options { seed, frames, warm_up, .. } = options;
    let race = Race { seed, threads, frames, warm_up };
    let race_on = |mut subject: Subject| -> Result<(), Box<dyn Error>> {
        let outcome = pool.install(|| race::run(race, &mut subject, &entries));
        let outcome = outcome.map_err(|error| format!("{}: {error}", subject.name))?;
        let lines = figures::json_lines(race, &subject, &outcome, &machine);
        match options.json {
            true => lines.iter().for_each(|line| println!("{line}")),
            false => println!("{}", figures::table(race, &subject, &outcome)),
        }
        if options.record {
            eprintln!("appended to {}", record::append(&lines, &machine, "")?.display());
        }
        Ok(())
    };
    if let Some(path) = &options.map {
        return options.bodies.iter().try_for_each(|&bodies| race_on(Subject::read_map(path, bodies, seed)?));
    }
    for &(ratio, area) in &options.spread {
        options.bodies.iter().try_for_each(|&bodies| race_on(Subject::spread(ratio, area, bodies, seed)))?;
    }
    if !options.spread.is_empty() {
        return Ok(());
    }
    for &scene in &options.scenes {
        for &bodies in &options.bodies {
            race_on(Subject::scene(scene, bodies, seed))?;
        }
    }
    Ok(())
}

/// Returns the named engines, or all of them without names; triphase is always first.
fn chosen(names: &[String]) -> Result<Vec<Entry>, String> {
    let all = engines::all();
    let known: Vec<&str> = all.iter().map(Entry::name).collect();
    if let Some(unknown) = names.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(format!("unknown engine \"{unknown}\"; engines: {}", known.join(", ")));
    }
    let wanted = |(k, name): (usize, &str)| k == 0 || names.is_empty() || names.iter().any(|other| other == name);
    Ok(all.iter().zip(known.iter().enumerate()).filter(|(_, (k, name))| wanted((*k, name))).map(|(e, _)| *e).collect())
}
