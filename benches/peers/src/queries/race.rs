//! Runs all lists of queries about a subject, in rounds, with all engines in turn.
//!
//! QRACE-1: a list is run in parts. Each part is run by every engine, one directly after another,
//! in an order that is drawn anew, so that no engine always finds the caches as the same other one
//! left them. Parts are short compared with the time slices of a system, so in most rounds a part
//! is undisturbed, and so is the median.
//!
//! QRACE-2: a time is from the first query of a part to its last result in the engine's buffer.
//! Building the index is timed once and separately, with newly allocated memory.
//!
//! All results are compared before anything is timed; see [`check`].

use super::check;
use super::clock::Clock;
use super::engine::{Engine, Way};
use super::engines::Entry;
use super::lists::{self, List};
use super::subject::Subject;
use crate::engines::locked_version;
use std::hint::black_box;
use std::ops::Range;
use std::time::Duration;
use triphase_scenes::SplitMix64;

/// Queries of a part: about as many as a game makes in a frame.
///
/// With a tenth of it, caches are as cold as other engines left them for most of a part, and all
/// engines take up to twice as long.
const PART: usize = 1000;

/// How queries are run.
#[derive(Clone, Copy, Debug)]
pub struct Race {
    /// Number of queries of each list.
    pub queries: usize,
    /// Number of queries in one call, in lists of batches; at least one.
    pub batch: usize,
    /// How often each list is run, at least once.
    pub rounds: u32,
    /// Whether to measure processor time of the thread, instead of time that passes.
    pub processor_time: bool,
    /// Random seed of lists and orders.
    pub seed: u64,
}

/// The measurements of an engine with a list.
#[derive(Clone, Debug)]
pub struct Lap {
    /// Name of the engine.
    pub engine: &'static str,
    /// Version of the engine.
    pub version: String,
    /// How it runs such queries.
    pub way: Way,
    /// For each part of the list, the time of each round.
    pub times: Vec<Vec<Duration>>,
    /// Time to build its index of all boxes.
    pub build: Duration,
}

/// The results of a list.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Name of the list.
    pub list: &'static str,
    /// A few words about its queries.
    pub about: String,
    /// Number of queries.
    pub queries: usize,
    /// Whether it was run in batches.
    pub batch: bool,
    /// Number of hits of all queries.
    pub hits: usize,
    /// Number of rays that hit in one engine and miss in another.
    pub grazed: usize,
    /// The engines that support such queries, in the order of the list, triphase first.
    pub laps: Vec<Lap>,
}

/// Runs all lists of queries about a subject.
///
/// # Errors
///
/// If an engine gave a wrong result.
pub fn run(race: Race, subject: &Subject, entries: &[Entry]) -> Result<Vec<Outcome>, String> {
    let fitting = entries.iter().filter(|entry| (entry.fits)(subject));
    let clock = Clock::new(race.processor_time);
    let mut runners: Vec<Runner> = fitting.map(|entry| Runner::new(entry, subject, clock)).collect();
    let mut random = SplitMix64::new(race.seed);
    let mut outcomes = Vec::new();
    for list in lists::draw(subject, race.queries, race.seed) {
        let mut asked: Vec<&mut Runner> =
            runners.iter_mut().filter(|runner| runner.engine.way(&list) != Way::Not).collect();
        asked.iter_mut().for_each(|runner| runner.engine.prepare(&list));
        let mut engines: Vec<&mut dyn Engine> = asked.iter_mut().map(|runner| &mut *runner.engine as _).collect();
        let (hits, grazed) = check::check(subject, &list, &mut engines)?;
        rounds(race, &list, &mut asked, &mut random);
        let laps = asked.iter_mut().map(|runner| runner.lap(&list)).collect();
        let List { name, about, queries, batch } = list;
        outcomes.push(Outcome { list: name, about, queries: queries.len(), batch, hits, grazed, laps });
    }
    Ok(outcomes)
}

/// Times the parts of a list in all rounds (QRACE-1).
fn rounds(race: Race, list: &List, runners: &mut [&mut Runner], random: &mut SplitMix64) {
    let count = list.queries.len();
    let part_len = if list.batch { race.batch } else { PART };
    let parts = count.div_ceil(part_len);
    for runner in runners.iter_mut() {
        runner.times = vec![Vec::with_capacity(race.rounds as usize); parts];
    }
    let mut order: Vec<usize> = (0..runners.len()).collect();
    for part in (0..race.rounds).flat_map(|_| 0..parts) {
        for i in (1..order.len()).rev() {
            order.swap(i, random.below(i + 1));
        }
        let range = part * part_len..count.min((part + 1) * part_len);
        order.iter().for_each(|&number| runners[number].measure(list, part, range.clone()));
    }
}

/// An engine in a race.
struct Runner {
    entry: Entry,
    engine: Box<dyn Engine>,
    build: Duration,
    clock: Clock,
    times: Vec<Vec<Duration>>,
}

impl Runner {
    fn new(entry: &Entry, subject: &Subject, clock: Clock) -> Self {
        let start = clock.now();
        let engine = (entry.make)(subject);
        Self { entry: *entry, engine, build: clock.now() - start, clock, times: Vec::new() }
    }

    /// Times a part (QRACE-2).
    fn measure(&mut self, list: &List, part: usize, range: Range<usize>) {
        let start = self.clock.now();
        black_box(self.engine.answer_part(&list.queries, range));
        self.times[part].push(self.clock.now() - start);
    }

    fn lap(&mut self, list: &List) -> Lap {
        Lap {
            engine: self.engine.name(),
            version: locked_version(self.entry.package),
            way: self.engine.way(list),
            times: std::mem::take(&mut self.times),
            build: self.build,
        }
    }
}
