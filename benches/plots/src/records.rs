//! Reads records: files of lines of JSON, whose keys `benches/record/README.md` explains.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::fs;
use std::path::Path;

/// Where and when a line was measured. Lines of different origins are never compared.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Origin {
    /// As in 2026-01-31, so that later dates are greater.
    pub(crate) date: String,
    pub(crate) cpu: String,
}

/// An engine in a race.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Lap {
    #[serde(flatten)]
    pub(crate) origin: Origin,
    pub(crate) scene: String,
    pub(crate) bodies: usize,
    pub(crate) threads: usize,
    pub(crate) threads_used: usize,
    pub(crate) engine: String,
    pub(crate) ns_per_body: f64,
    /// Of engines that do more in some frames than in others.
    pub(crate) ns_per_body_mean: f64,
    pub(crate) bytes_per_body: f64,
}

/// An engine that was told which bodies moved.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Told {
    #[serde(flatten)]
    pub(crate) origin: Origin,
    pub(crate) bodies: usize,
    pub(crate) moving_percent: f64,
    pub(crate) engine: String,
    pub(crate) us_median: f64,
}

/// An engine that was queried.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Queried {
    #[serde(flatten)]
    pub(crate) origin: Origin,
    pub(crate) subject: String,
    pub(crate) bodies: usize,
    pub(crate) list: String,
    pub(crate) batch: usize,
    pub(crate) engine: String,
    pub(crate) ns_per_query: f64,
}

/// The lines of all files.
#[derive(Clone, Debug, Default)]
pub(crate) struct Records {
    pub(crate) laps: Vec<Lap>,
    pub(crate) told: Vec<Told>,
    pub(crate) queried: Vec<Queried>,
}

/// Reads the files `*.jsonl` of a folder; the end of a file's name tells what its lines are.
///
/// # Errors
///
/// If a file cannot be read, or a line is not one of its kind; the error names file and line.
pub(crate) fn read(folder: &Path) -> Result<Records, String> {
    let fail = |error: std::io::Error| format!("{}: {error}", folder.display());
    let entries: Result<Vec<_>, _> = fs::read_dir(folder).map_err(fail)?.collect();
    let mut paths: Vec<_> = entries.map_err(fail)?.into_iter().map(|entry| entry.path()).collect();
    paths.sort();
    let mut records = Records::default();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "jsonl")) {
        let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let read = if stem.ends_with("-queries") {
            lines(&text).map(|lines| records.queried.extend(lines))
        } else if stem.ends_with("-changes") {
            lines(&text).map(|lines| records.told.extend(lines))
        } else {
            lines(&text).map(|lines| records.laps.extend(lines))
        };
        read.map_err(|error| format!("{}, {error}", path.display()))?;
    }
    Ok(records)
}

fn lines<T: DeserializeOwned>(text: &str) -> Result<Vec<T>, String> {
    let line = |(number, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| format!("line {}: {error}", number + 1))
    };
    text.lines().enumerate().map(line).collect()
}

/// The lines of the origin that has most of them; of equally many, the newest.
pub(crate) fn of_one_origin<'a, T>(lines: &[&'a T], origin: impl Fn(&T) -> &Origin) -> Vec<&'a T> {
    let count = |wanted: &Origin| lines.iter().filter(|line| origin(line) == wanted).count();
    let Some(best) = lines.iter().map(|line| origin(line)).max_by_key(|&wanted| (count(wanted), wanted.clone())) else {
        return Vec::new();
    };
    lines.iter().filter(|line| origin(line) == best).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_records_of_the_project_can_be_read() -> Result<(), String> {
        let records = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../record"))?;
        assert!(records.laps.len() > 100 && records.queried.len() > 100);
        Ok(())
    }

    #[test]
    fn a_wrong_line_is_named() {
        let error = lines::<Told>("{\"date\":\"2026-01-31\"}").expect_err("keys are missing");
        assert!(error.starts_with("line 1: missing field"), "{error}");
    }

    #[test]
    fn the_origin_with_most_lines_wins_and_then_the_newest() {
        let of = |date: &str| Origin { date: date.to_owned(), cpu: "cpu".to_owned() };
        let lines = [of("2026-01-01"), of("2026-01-02"), of("2026-01-02"), of("2026-01-03"), of("2026-01-03")];
        let all: Vec<&Origin> = lines.iter().collect();
        let chosen = of_one_origin(&all, |origin| origin);
        assert_eq!(chosen, [&lines[3], &lines[4]]);
    }
}
