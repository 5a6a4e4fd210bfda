//! The figures of a race of queries, as a table and as lines of JSON.

use super::engine::Way;
use super::race::{Lap, Outcome, Race};
use super::subject::Subject;
use crate::figures::{median, rounded};
use crate::machine::Machine;
use serde_json::{Value, json};
use std::time::Duration;

/// The figures of an engine in nanoseconds per query: the sum, over the parts of a list, of the
/// median over rounds, and of the minimum.
struct Row<'a> {
    lap: &'a Lap,
    median: f64,
    min: f64,
    /// Ratio of the medians; NaN if triphase does not run the list.
    to_triphase: f64,
}

fn rows(outcome: &Outcome) -> Vec<Row<'_>> {
    let of_rounds = |lap: &Lap, figure: fn(&[Duration]) -> f64| {
        lap.times.iter().map(|rounds| figure(rounds)).sum::<f64>() * 1e9 / outcome.queries.max(1) as f64
    };
    let middle = |lap| of_rounds(lap, |rounds| median(rounds.iter().map(Duration::as_secs_f64)));
    let least = |lap| of_rounds(lap, |rounds| rounds.iter().map(Duration::as_secs_f64).fold(f64::INFINITY, f64::min));
    let triphase = outcome.laps.iter().find(|lap| lap.engine == "triphase").map_or(f64::NAN, middle);
    let row = |lap| Row { lap, median: middle(lap), min: least(lap), to_triphase: middle(lap) / triphase };
    outcome.laps.iter().map(row).collect()
}

fn way(way: Way) -> &'static str {
    match way {
        Way::Not | Way::Own => "",
        Way::Composed(how) => how,
    }
}

/// The number of boxes, and the time that each engine took to build its index.
pub fn heading(race: Race, subject: &Subject, outcomes: &[Outcome]) -> String {
    let (name, bodies, statics) = (subject.name, subject.centers.len(), subject.statics.len());
    let clock = if race.processor_time { ", processor time" } else { "" };
    let moving = if subject.is_static { "boxes that never move" } else { "bodies" };
    let mut text =
        format!("\n{name}: {bodies} {moving}, {statics} statics, seed {}, {} rounds{clock}\n", race.seed, race.rounds);
    // Not all engines run all lists.
    let mut built: Vec<&Lap> = Vec::new();
    for lap in outcomes.iter().flat_map(|outcome| &outcome.laps) {
        if built.iter().all(|other| other.engine != lap.engine) {
            built.push(lap);
        }
    }
    let of = |lap: &&Lap| format!("{} {:.1} ms", lap.engine, lap.build.as_secs_f64() * 1e3);
    text += &format!("build time, not included below: {}\n", built.iter().map(of).collect::<Vec<_>>().join(", "));
    text
}

/// A table of all engines, fastest first.
pub fn table(outcome: &Outcome) -> String {
    let mut rows = rows(outcome);
    rows.sort_by(|a, b| a.median.total_cmp(&b.median));
    let names = ["engine", "version", "ns/query", "min", "to triphase", "composed of"];
    let mut cells: Vec<[String; 6]> = vec![names.map(str::to_owned)];
    cells.extend(rows.iter().map(|row| {
        let [median, min] = [row.median, row.min].map(|ns| format!("{ns:.0}"));
        let (engine, version) = (row.lap.engine.to_owned(), row.lap.version.clone());
        [engine, version, median, min, ratio(row.to_triphase), way(row.lap.way).to_owned()]
    }));
    let hits = outcome.hits as f64 / outcome.queries.max(1) as f64;
    let grazed = if outcome.grazed > 0 { format!(", {} grazed", outcome.grazed) } else { String::new() };
    let Outcome { list, about, queries, .. } = outcome;
    let widths: [usize; 6] = std::array::from_fn(|k| cells.iter().map(|row| row[k].len()).max().unwrap_or(0));
    let mut text = format!("\n{list}: {queries} queries, {about}, {hits:.2} hits per query{grazed}\n\n");
    for (k, row) in cells.iter().enumerate() {
        text += &line(row, &widths);
        if k == 0 {
            let dashes = |k: usize| if is_number(k) { "-".repeat(widths[k] - 1) + ":" } else { "-".repeat(widths[k]) };
            text += &line(&std::array::from_fn(dashes), &widths);
        }
    }
    text
}

fn ratio(ratio: f64) -> String {
    if ratio.is_nan() { "-".to_owned() } else { format!("{ratio:.2}") }
}

fn is_number(column: usize) -> bool {
    (2..5).contains(&column)
}

fn line(cells: &[String; 6], widths: &[usize; 6]) -> String {
    let padded = |(k, (text, &width)): (usize, (&String, &usize))| match is_number(k) {
        true => format!("| {text:>width$} "),
        false => format!("| {text:<width$} "),
    };
    cells.iter().zip(widths).enumerate().map(padded).collect::<String>() + "|\n"
}

/// A line of JSON for each engine; `benches/record/README.md` explains the keys.
pub fn json_lines(race: Race, subject: &Subject, outcome: &Outcome, machine: &Machine) -> Vec<String> {
    let line = |row: Row<'_>| {
        let value: Value = json!({
            "subject": subject.name.to_string(),
            "bodies": subject.centers.len(),
            "statics": subject.statics.len(),
            "seed": race.seed,
            "list": outcome.list,
            "queries": outcome.queries,
            "rounds": race.rounds,
            "processor_time": race.processor_time,
            "batch": if outcome.batch { race.batch } else { 1 },
            "hits_per_query": rounded(outcome.hits as f64 / outcome.queries.max(1) as f64),
            "engine": row.lap.engine,
            "version": row.lap.version,
            "composed": way(row.lap.way),
            "ns_per_query": rounded(row.median),
            "ns_per_query_min": rounded(row.min),
            "ratio_to_triphase": rounded(row.to_triphase),
            "build_ms": rounded(row.lap.build.as_secs_f64() * 1e3),
            "cpu": machine.cpu,
            "rustc": machine.rustc,
            "triphase": machine.triphase,
            "revision": machine.revision,
            "date": machine.date,
        });
        value.to_string()
    };
    rows(outcome).into_iter().map(line).collect()
}
