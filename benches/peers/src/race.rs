//! Steps all engines through one scene or map, frame by frame.
//!
//! Every engine steps every measured frame, one engine directly after another, so that
//! whatever slows the machine slows all of them. Their order is drawn anew for each frame from the
//! seed, so that no engine always finds the caches as the same other one left them.
//!
//! RACE-2: the time of a step is from the call until the pairs can be iterated. Moving the bodies,
//! setting statics and checks are not timed.
//!
//! RACE-3: in the first and the last measured frame, all engines must have found the pairs of
//! triphase, and triphase, if there are few enough bodies, those of brute force.

use crate::boxes::Box4;
use crate::check::{self, BRUTE_FORCE_MAX, Mismatch};
use crate::engine::{Engine, Found, Frame};
use crate::engines::Entry;
use crate::memory::Account;
use crate::subject::Subject;
use std::time::{Duration, Instant};
use triphase_scenes::SplitMix64;

/// Frames of the warm-up that engines step whose speed does not change over frames.
const WARM_UP_STEPS: u32 = 10;

/// How a subject is stepped.
#[derive(Clone, Copy, Debug)]
pub struct Race {
    /// Random seed of the order of the engines; also that of the subject, by convention.
    pub seed: u64,
    /// Threads of the pool that the race runs in.
    pub threads: usize,
    /// Measured frames, at least one.
    pub frames: u32,
    /// Frames before the measured ones.
    pub warm_up: u32,
}

/// The measurements of an engine.
#[derive(Clone, Debug)]
pub struct Lap {
    /// Name of the engine.
    pub engine: &'static str,
    /// Version of the engine.
    pub version: String,
    /// Number of threads that it used.
    pub threads: usize,
    /// Time of each measured frame.
    pub times: Vec<Duration>,
    /// Bytes held between frames after the warm-up, including statics, without pairs.
    pub bytes_held: i64,
    /// Most bytes held during a step, without pairs.
    pub bytes_peak: i64,
    /// Mean number of calls per step that requested memory from the allocator.
    pub allocations: f64,
}

/// The result of a race.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Number of bodies.
    pub bodies: usize,
    /// Number of statics.
    pub statics: usize,
    /// Number of pairs of bodies in the last frame.
    pub body_pairs: usize,
    /// Number of pairs with statics in the last frame.
    pub static_pairs: usize,
    /// The engines in the order of the list, triphase first.
    pub laps: Vec<Lap>,
}

/// Runs a race in the rayon pool of the caller.
///
/// # Errors
///
/// If an engine found other pairs than triphase, or triphase other pairs than brute force.
pub fn run(race: Race, subject: &mut Subject, entries: &[Entry]) -> Result<Outcome, Mismatch> {
    let entries = entries.iter().filter(|entry| (entry.fits)(subject.like));
    let mut runners: Vec<Runner> =
        entries.enumerate().map(|(k, entry)| Runner::new(k, entry, race, subject.statics())).collect();
    warm_up(race, subject, &mut runners);
    let calls_before: Vec<u64> = runners.iter().map(|runner| runner.account.calls()).collect();
    let (mut random, mut order) = (SplitMix64::new(race.seed), Vec::from_iter(0..runners.len()));
    for k in 0..race.frames {
        subject.advance();
        let frame = subject.frame();
        for i in (1..order.len()).rev() {
            order.swap(i, random.below(i + 1));
        }
        order.iter().for_each(|&number| runners[number].measure(frame));
        if k == 0 || k + 1 == race.frames {
            compare(frame, subject.statics(), &mut runners)?;
        }
    }
    let found = &runners[0].found;
    let (body_pairs, static_pairs) = (found.bodies.len(), found.statics.len());
    let laps = runners.into_iter().zip(calls_before).map(|(runner, before)| runner.finish(before)).collect();
    let (bodies, statics) = (subject.frame().centers.len(), subject.statics().len());
    Ok(Outcome { bodies, statics, body_pairs, static_pairs, laps })
}

/// Steps until memory is allocated and structures that degrade have done so; then measures memory.
fn warm_up(race: Race, subject: &mut Subject, runners: &mut [Runner]) {
    for k in 0..race.warm_up {
        subject.advance();
        let all = k + WARM_UP_STEPS >= race.warm_up;
        for runner in runners.iter_mut().filter(|runner| all || runner.ages) {
            runner.step(subject.frame());
        }
    }
    let frame = subject.frame();
    runners.iter_mut().for_each(|runner| runner.weigh(frame));
}

/// Compares all engines (RACE-3).
fn compare(frame: Frame<'_>, statics: &[Box4], runners: &mut [Runner]) -> Result<(), Mismatch> {
    for runner in runners.iter_mut() {
        runner.engine.collect(&mut runner.found);
        check::sort(&mut runner.found);
    }
    let [triphase, others @ ..] = runners else { return Ok(()) };
    if frame.centers.len() <= BRUTE_FORCE_MAX {
        check::compare(triphase.name, "brute force", &triphase.found, &check::brute_force(frame, statics))?;
    }
    for other in others {
        check::compare(other.name, triphase.name, &other.found, &triphase.found)?;
    }
    Ok(())
}

/// An engine in a race.
struct Runner {
    engine: Box<dyn Engine>,
    name: &'static str,
    version: String,
    threads: usize,
    ages: bool,
    account: Account,
    found: Found,
    times: Vec<Duration>,
    bytes_held: i64,
    bytes_peak: i64,
}

impl Runner {
    fn new(number: usize, entry: &Entry, race: Race, statics: &[Box4]) -> Self {
        let account = Account::open(number);
        let threads = if entry.parallel { race.threads } else { 1 };
        let engine = account.charge(|| {
            let mut engine = (entry.make)(threads);
            engine.set_statics(statics);
            engine
        });
        Self {
            name: engine.name(),
            engine,
            version: entry.version(),
            threads,
            ages: entry.ages,
            account,
            found: Found::default(),
            times: Vec::with_capacity(race.frames as usize),
            bytes_held: 0,
            bytes_peak: 0,
        }
    }

    fn step(&mut self, frame: Frame<'_>) {
        self.account.charge(|| self.engine.step(frame, &mut self.found));
    }

    /// Times a step (RACE-2).
    fn measure(&mut self, frame: Frame<'_>) {
        let (engine, found) = (&mut self.engine, &mut self.found);
        let time = self.account.charge(|| {
            let start = Instant::now();
            engine.step(frame, found);
            start.elapsed()
        });
        self.times.push(time);
    }

    /// Reserves room for more pairs than there were, and measures all other memory.
    fn weigh(&mut self, frame: Frame<'_>) {
        let (engine, found) = (&mut self.engine, &mut self.found);
        self.account.charge(|| {
            engine.collect(found);
            found.bodies.reserve(found.bodies.len() / 4 + 1024);
            found.statics.reserve(found.statics.len() / 4 + 1024);
        });
        let ((), peak) = self.account.charge_watched(|| engine.step(frame, found));
        let pairs = (found.bytes() + engine.bytes_of_pairs()) as i64;
        self.bytes_peak = peak - pairs;
        self.bytes_held = self.account.held() - pairs;
    }

    fn finish(self, calls_before: u64) -> Lap {
        let calls = self.account.calls() - calls_before;
        self.account.charge(|| drop((self.engine, self.found)));
        Lap {
            engine: self.name,
            version: self.version,
            threads: self.threads,
            allocations: calls as f64 / self.times.len() as f64,
            times: self.times,
            bytes_held: self.bytes_held,
            bytes_peak: self.bytes_peak,
        }
    }
}
