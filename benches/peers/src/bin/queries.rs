//! The command of the race of queries.

use clap::Parser;
use rayon::ThreadPoolBuilder;
use std::error::Error;
use std::process::ExitCode;
use triphase_peers::machine::Machine;
use triphase_peers::queries::engines::{self, Entry};
use triphase_peers::queries::figures;
use triphase_peers::queries::options::Options;
use triphase_peers::queries::race::{self, Race};
use triphase_peers::queries::subject::{Subject, SubjectName};
use triphase_peers::queries::towns::Towns;
use triphase_peers::record;

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
    let (machine, towns) = (Machine::here(), options.towns.as_deref().map(Towns::read).transpose()?);
    let pool = ThreadPoolBuilder::new().num_threads(usize::from(options.threads)).build()?;
    let &Options { queries, batch, rounds, processor_time, seed, .. } = options;
    let race = Race { queries: queries as usize, batch: batch as usize, rounds, processor_time, seed };
    for &name in &options.subjects {
        // All other subjects have a fixed number of boxes.
        let is_scene = matches!(name, SubjectName::Scene(_));
        let sizes = if is_scene { options.bodies.as_slice() } else { &[0] };
        for &bodies in sizes {
            let subject = Subject::new(name, bodies, options.seed, towns.as_ref())?;
            let outcomes =
                pool.install(|| race::run(race, &subject, &entries)).map_err(|error| format!("{name}: {error}"))?;
            let lines = outcomes.iter().flat_map(|outcome| figures::json_lines(race, &subject, outcome, &machine));
            let lines: Vec<String> = lines.collect();
            if options.json {
                lines.iter().for_each(|line| println!("{line}"));
            } else {
                println!("{}", figures::heading(race, &subject, &outcomes));
                outcomes.iter().for_each(|outcome| println!("{}", figures::table(outcome)));
            }
            if options.record {
                eprintln!("appended to {}", record::append(&lines, &machine, "-queries")?.display());
            }
        }
    }
    Ok(())
}

/// Returns the named engines, or all of them without names; triphase is always first.
fn chosen(names: &[String]) -> Result<Vec<Entry>, String> {
    let all = engines::all();
    let known: Vec<&str> = all.iter().map(|entry| entry.name).collect();
    if let Some(unknown) = names.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(format!("unknown engine \"{unknown}\"; engines: {}", known.join(", ")));
    }
    let wanted =
        |(k, entry): &(usize, Entry)| *k == 0 || names.is_empty() || names.iter().any(|name| name == entry.name);
    Ok(all.into_iter().enumerate().filter(wanted).map(|(_, entry)| entry).collect())
}
