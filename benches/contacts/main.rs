//! What a solver does with contacts, each against what it is measured by, in one run and in turn:
//!
//! ```text
//! cargo bench --bench contacts                                          # all of it: some minutes
//! cargo bench --bench contacts -- --only events --bodies 100000         # one part, one size
//! ```
//!
//! A round runs each candidate of a part once, one directly after another; what is printed is the
//! median of the rounds and its ratio to that of the first candidate. Bodies move between rounds,
//! which is not counted.

#![allow(missing_docs, reason = "a program")]

mod alternate;
#[path = "../common/mod.rs"]
mod common;
mod discs;
mod events;
mod exclusive;
mod islands;
mod lists;
mod sleepers;
mod stream;

use clap::Parser;

/// Measures what a solver does with contacts.
#[derive(Parser, Clone, Debug)]
struct Options {
    /// How many bodies, comma separated; what each part is about unless given
    #[arg(long, value_delimiter = ',')]
    bodies: Vec<usize>,
    /// Threads of parts that do not say how many themselves
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Rounds that are measured
    #[arg(long, default_value_t = 40)]
    rounds: usize,
    /// The parts to run, comma separated; all unless given
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Two rounds of few bodies: that all of it runs
    #[arg(long)]
    test: bool,
    /// Cargo says so
    #[arg(long, hide = true)]
    bench: bool,
}

impl Options {
    /// The sizes to measure, of a part that is about `usual` ones.
    fn sizes(&self, usual: &[usize]) -> Vec<usize> {
        match (self.test, self.bodies.is_empty()) {
            (true, _) => vec![2000],
            (false, true) => usual.to_vec(),
            (false, false) => self.bodies.clone(),
        }
    }
}

/// A part: its name, and what runs it.
type Part = (&'static str, fn(&Options));

const PARTS: [Part; 7] = [
    ("events", events::run),
    ("exclusive", exclusive::run),
    ("islands", islands::run),
    ("lists", lists::run),
    ("discs", discs::run),
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
