//! One subject, all engines: each list of questions in rounds, each engine in turn.
//!
//! Q1: a list is asked in parts, each of them by every engine, one directly after another, in an order drawn anew: what one
//! leaves in the caches is in turn another's loss. Parts are short beside the time that a system gives to a process, so
//! that of the times of a part in all rounds most are undisturbed, and the median is.
//! Q2: a time is from the first question of a part to its last answer, in the engine's buffer. Filing the boxes is timed apart,
//! once, with memory that is taken anew; it is no part of any question's time.
//! Q3: before that all answers are compared; see [`check`](super::check).

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

/// Queries of a part: what a crowd asks in a frame. With a tenth of it caches are as cold as others left them for most of a
/// part, and all engines take up to twice as long.
const PART: usize = 1000;

/// What is run.
#[derive(Clone, Copy, Debug)]
pub struct Race {
    /// Queries of each list.
    pub queries: usize,
    /// Queries that are answered in one go where they are, at least one.
    pub batch: usize,
    /// Times that each list is answered, at least one.
    pub rounds: u32,
    /// Whether the thread's own time is told, or what passes.
    pub processor_time: bool,
    /// What lists and orders are drawn from.
    pub seed: u64,
}

/// How an engine did with a list.
#[derive(Clone, Debug)]
pub struct Lap {
    /// Its name.
    pub engine: &'static str,
    /// Its version.
    pub version: String,
    /// How it answers such questions.
    pub way: Way,
    /// For each part of the list a time for each round.
    pub times: Vec<Vec<Duration>>,
    /// Of filing all boxes.
    pub build: Duration,
}

/// How a list went.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Its name.
    pub list: &'static str,
    /// About its questions.
    pub about: String,
    /// How many there are.
    pub queries: usize,
    /// Whether it was asked in batches.
    pub batch: bool,
    /// Hits of all together.
    pub hits: usize,
    /// Rays that an engine found to hit where others found them to miss.
    pub grazed: usize,
    /// Engines that answer such questions, in the order of the list, triphase first.
    pub laps: Vec<Lap>,
}

/// Runs all lists of a subject.
///
/// # Errors
///
/// An engine gave a wrong answer.
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
        let List { name, about, questions, batch } = list;
        outcomes.push(Outcome { list: name, about, queries: questions.len(), batch, hits, grazed, laps });
    }
    Ok(outcomes)
}

/// Q1.
fn rounds(race: Race, list: &List, runners: &mut [&mut Runner], random: &mut SplitMix64) {
    let count = list.questions.len();
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

    /// Q2.
    fn measure(&mut self, list: &List, part: usize, range: Range<usize>) {
        let start = self.clock.now();
        black_box(self.engine.answer_part(&list.questions, range));
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
