//! Measures the contact features for solvers, each against a baseline in the same run:
//!
//! ```text
//! cargo bench --bench contacts                                      # everything: some minutes
//! cargo bench --bench contacts -- --only events --bodies 100000     # one part, one size
//! ```
//!
//! A round runs each candidate of a part once, one directly after another. It prints the median of
//! the rounds, and the ratio to that of the first candidate. Bodies move between rounds, which is
//! not measured.

#![allow(missing_docs, reason = "a program")]

mod alternate;
mod circles;
#[path = "../common/mod.rs"]
mod common;
mod events;
mod exclusive;
mod islands;
mod partners;
mod sleepers;
mod stream;

use clap::Parser;

/// Measures the contact features for solvers.
#[derive(Parser, Clone, Debug)]
struct Options {
    /// Numbers of bodies, comma separated [default: those of each part]
    #[arg(long, value_delimiter = ',')]
    bodies: Vec<usize>,
    /// Number of threads, in parts that do not choose it themselves
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Number of rounds
    #[arg(long, default_value_t = 40)]
    rounds: usize,
    /// Parts to run, comma separated [default: all]
    #[arg(long, value_delimiter = ',', value_parser = PARTS.map(|(name, _)| name))]
    only: Vec<String>,
    /// Smoke test: two rounds of few bodies
    #[arg(long)]
    test: bool,
    /// Passed by cargo
    #[arg(long, hide = true)]
    bench: bool,
}

impl Options {
    /// The numbers of bodies to measure, in a part with these defaults.
    fn sizes(&self, default: &[usize]) -> Vec<usize> {
        match (self.test, self.bodies.is_empty()) {
            (true, _) => vec![2000],
            (false, true) => default.to_vec(),
            (false, false) => self.bodies.clone(),
        }
    }
}

/// A part: its name, and the function that runs it.
type Part = (&'static str, fn(&Options));

const PARTS: [Part; 7] = [
    ("events", events::run),
    ("exclusive", exclusive::run),
    ("islands", islands::run),
    ("partners", partners::run),
    ("circles", circles::run),
    ("sleepers", sleepers::run),
    ("stream", stream::run),
];

fn main() {
    let mut options = Options::parse();
    if options.test {
        options.rounds = 2;
    }
    for (name, run) in PARTS {
        if options.only.is_empty() || options.only.iter().any(|only| only == name) {
            run(&options);
        }
    }
}
