//! Tables of what was measured.

use crate::race::{Figures, State};
use crate::recording::Recording;
use std::process::Command;
use std::time::Duration;

/// A table with lines for each scene: its states, and all steps. Columns of engines are those of
/// the first line.
#[derive(Default)]
pub struct Table {
    lines: Vec<(String, String, usize, Figures)>,
}

impl Table {
    /// Adds the figures of a scene.
    pub fn push(&mut self, scene: &str, recording: &Recording, figures: Vec<Figures>) {
        let size = format!("{} + {}", recording.row_count(), recording.statics.len());
        let lines = figures.into_iter().map(|line| (scene.to_owned(), size.clone(), recording.row_count(), line));
        self.lines.extend(lines);
    }

    /// Prints the table as Markdown, with the columns of these engines.
    pub fn print(&self, title: &str, engines: &[&str]) {
        println!("\n{title}\n");
        println!("| scene | bodies + statics | state | steps | changed | pairs | {} | ratio |", engines.join(" | "));
        println!("|---|--:|---|--:|--:|--:|{}--:|", "--:|".repeat(engines.len()));
        for (scene, size, row_count, line) in &self.lines {
            let state = match line.state {
                Some(State::Moving) => "moving",
                Some(State::Quiet) => "quiet",
                None => "all: mean",
            };
            let time = |name: &str| line.times.iter().find(|(engine, _)| *engine == name).map(|&(_, time)| time);
            let cells: Vec<String> = engines.iter().map(|&name| cell(time(name), *row_count)).collect();
            let ratio = match (time("triphase"), time("Box2D")) {
                (Some(triphase), Some(box2d)) => format!("{:.1}", box2d.as_secs_f64() / triphase.as_secs_f64()),
                _ => String::new(),
            };
            let Figures { step_count, changed_count, pair_count, .. } = line;
            let cells = cells.join(" | ");
            println!(
                "| {scene} | {size} | {state} | {step_count} | {changed_count} | {pair_count} | {cells} | {ratio} |"
            );
        }
    }
}

/// Microseconds of a step, and nanoseconds of a body.
fn cell(time: Option<Duration>, row_count: usize) -> String {
    time.map_or(String::new(), |time| {
        let ns = time.as_nanos() as f64;
        format!("{:.1} ({:.1})", ns / 1e3, ns / row_count as f64)
    })
}

/// The processor and the date, as in "AMD EPYC, 2026-01-31".
pub fn origin() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cpu = info.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split_once(": "));
    let cpu = cpu.map_or(std::env::consts::ARCH, |(_, name)| name);
    let date = Command::new("date").args(["-u", "+%Y-%m-%d"]).output();
    let date = date.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    format!("{cpu}, {date}")
}
