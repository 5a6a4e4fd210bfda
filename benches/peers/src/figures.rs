//! The figures of a race, as a table and as lines of JSON.
//!
//! A ratio is the median over frames of one engine's time divided by another's in the same frame:
//! what slows the machine for a while slows both.

use crate::machine::Machine;
use crate::race::{Lap, Outcome, Race};
use crate::subject::Subject;
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::Duration;

/// The figures of an engine.
struct Row<'a> {
    lap: &'a Lap,
    median: f64,
    mean: f64,
    min: f64,
    max: f64,
    to_fastest: f64,
    to_triphase: f64,
    bytes: f64,
    bytes_peak: f64,
}

fn rows(outcome: &Outcome) -> Vec<Row<'_>> {
    let bodies = outcome.bodies.max(1) as f64;
    let ns = |time: f64| time * 1e9 / bodies;
    let medians: Vec<f64> =
        outcome.laps.iter().map(|lap| median(lap.times.iter().map(Duration::as_secs_f64))).collect();
    let fastest = (0..medians.len()).min_by(|&a, &b| medians[a].total_cmp(&medians[b])).unwrap_or(0);
    let ratio = |lap: &Lap, other: &Lap| {
        median(lap.times.iter().zip(&other.times).map(|(a, b)| a.as_secs_f64() / b.as_secs_f64().max(1e-9)))
    };
    let row = |(lap, &median): (_, &f64)| {
        let lap: &Lap = lap;
        let seconds = || lap.times.iter().map(Duration::as_secs_f64);
        Row {
            lap,
            median: ns(median),
            mean: ns(seconds().sum::<f64>() / lap.times.len().max(1) as f64),
            min: ns(seconds().fold(f64::INFINITY, f64::min)),
            max: ns(seconds().fold(0.0, f64::max)),
            to_fastest: ratio(lap, &outcome.laps[fastest]),
            to_triphase: ratio(lap, &outcome.laps[0]),
            bytes: lap.bytes_held as f64 / bodies,
            bytes_peak: lap.bytes_peak as f64 / bodies,
        }
    };
    outcome.laps.iter().zip(&medians).map(row).collect()
}

/// A table of all engines, fastest first.
pub fn table(race: Race, subject: &Subject, outcome: &Outcome) -> String {
    let mut rows = rows(outcome);
    rows.sort_by(|a, b| a.median.total_cmp(&b.median));
    let threads = if race.threads == 1 { "1 thread".to_owned() } else { format!("{} threads", race.threads) };
    let mut text = format!(
        "\n{}: {} bodies, {} statics, {} body pairs, {} static pairs, {threads}, {} frames\n\n",
        subject.name, outcome.bodies, outcome.statics, outcome.body_pairs, outcome.static_pairs, race.frames
    );
    text += "| engine | version | threads | ns/body | mean | min | max | to fastest | to triphase | bytes/body | peak | allocations/step |\n";
    text += "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";
    for row in rows {
        let Row { lap, median, mean, min, max, to_fastest, to_triphase, bytes, bytes_peak } = row;
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "| {} | {} | {} | {median:.1} | {mean:.1} | {min:.1} | {max:.1} | {to_fastest:.2} | {to_triphase:.2} | {bytes:.0} | {bytes_peak:.0} | {:.0} |",
            lap.engine, lap.version, lap.threads, lap.allocations
        );
    }
    text
}

/// A line of JSON for each engine; `benches/record/README.md` explains the keys.
pub fn json_lines(race: Race, subject: &Subject, outcome: &Outcome, machine: &Machine) -> Vec<String> {
    let line = |row: Row<'_>| {
        let value: Value = json!({
            "scene": subject.name,
            "bodies": outcome.bodies,
            "statics": outcome.statics,
            "seed": race.seed,
            "threads": race.threads,
            "frames": race.frames,
            "warm_up": race.warm_up,
            "engine": row.lap.engine,
            "version": row.lap.version,
            "threads_used": row.lap.threads,
            "ns_per_body": rounded(row.median),
            "ns_per_body_mean": rounded(row.mean),
            "ns_per_body_min": rounded(row.min),
            "ns_per_body_max": rounded(row.max),
            "ratio_to_fastest": rounded(row.to_fastest),
            "ratio_to_triphase": rounded(row.to_triphase),
            "bytes_per_body": rounded(row.bytes),
            "bytes_per_body_peak": rounded(row.bytes_peak),
            "allocations_per_step": rounded(row.lap.allocations),
            "body_pairs": outcome.body_pairs,
            "static_pairs": outcome.static_pairs,
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

/// Rounds to a thousandth.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

/// The middle value, or the mean of the two in the middle; 0 without values.
pub(crate) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    let (low, high) = (sorted.len().saturating_sub(1) / 2, sorted.len() / 2);
    sorted.get(low).zip(sorted.get(high)).map_or(0.0, |(low, high)| 0.5 * (low + high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_of_an_even_count_is_a_mean() {
        assert_eq!(median([].into_iter()), 0.0);
        assert_eq!(median([3.0, 1.0, 2.0].into_iter()), 2.0);
        assert_eq!(median([4.0, 1.0, 2.0, 3.0].into_iter()), 2.5);
    }
}
