//! Searches for layouts of bodies and statics that make steps slow, and measures layouts that were
//! found.
//!
//! ```text
//! cargo run --release -p triphase-search -- --minutes 15 --seed 1 > found.jsonl
//! cargo run --release -p triphase-search -- --layout found.jsonl --bodies 200000 --check
//! cargo run --release -p triphase-search -- --layout '{"seed":1,...}' --threads 2
//! ```
//!
//! The factor of a layout is its time per body, less 3 ns for each pair, over the same figure of
//! the scene `crowd` with as many bodies. Both are stepped in turn, so that a slow phase of the
//! machine slows both. A measurement is the median of up to seven frames. A layout that seems slow,
//! or that was given, is measured up to four times, and the least time of each counts.
//!
//! With `--check`, each layout that was measured is made with at most 10,000 bodies, and its pairs
//! are compared with those of brute force, unless there are more than 1,000 per body.
//!
//! If a layout has more than `--pairs` pairs per body, a search halves its sizes a few times before
//! it gives the layout up. With `--layout`, that is an error.
//!
//! A line of JSON is printed for each layout above the factor `--above`, in the order of finding
//! them. The last line is a summary: `tries` is the number of layouts tried, `too_many_pairs` that
//! of those given up because of their pairs, `rounds` that of random restarts, `seed` the random
//! seed of the search, and `factor` the largest one; `slowest` has the lines of the slowest
//! layouts, one for each phase that was the slowest of a step, measured once more. Progress goes to
//! standard error.
//!
//! | key | meaning |
//! |---|---|
//! | `factor` | see above |
//! | `ns`, `crowd_ns` | time of a step per body, in nanoseconds, of the layout and of `crowd`: the least of up to four medians |
//! | `pairs` | pairs per body, those with statics included |
//! | `statics` | their number |
//! | `phase` | the phase that takes the most time |
//! | `phases` | phases of the last step, in nanoseconds per body; see `triphase::PhaseTimes` |
//! | `threads` | number of threads |
//! | `layout` | the parameters, which `--layout` takes; `layout.rs` explains them |

mod check;
mod columns;
mod layout;
mod measure;
mod random_layout;
mod search;
mod spots;
#[cfg(test)]
mod tests;

use clap::Parser;
use layout::{BODIES_MAX, Layout};
use measure::{Cost, Crowd, Subject};
use search::{Found, Search};
use serde_json::{Map, Value, json};
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use triphase::Report;

/// Bodies of a layout, if not given.
const BODIES: usize = 60_000;
/// Most bodies of a layout whose pairs are checked: enough for a few bands.
const CHECKED_BODIES_MAX: usize = 10_000;
/// Times that a promising layout is measured, and one that is given.
const MEASUREMENTS: usize = 4;
/// After this much time a promising layout is not measured again.
const TIME_MAX: Duration = Duration::from_secs(2);
/// Times that the sizes of a layout with too many pairs are halved, before it is given up.
const SHRINKS: usize = 8;
/// Time between lines of progress.
const PROGRESS_EVERY: Duration = Duration::from_secs(10);

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Searches for layouts that make steps slow
#[derive(Parser, Debug)]
struct Arguments {
    /// Time to search
    #[arg(long, default_value_t = 15.0, value_parser = minutes)]
    minutes: f64,
    /// Number of layouts to try [default: as many as the time allows]
    #[arg(long, value_name = "COUNT")]
    tries: Option<usize>,
    /// Number of bodies [default: 60000, or that of the given layout]
    #[arg(long, value_name = "COUNT", value_parser = body_count)]
    bodies: Option<usize>,
    /// Number of threads
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// Random seed of the search
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print layouts above this factor
    #[arg(long, value_name = "FACTOR", default_value_t = 6.0)]
    above: f64,
    /// Most pairs per body: a search halves the sizes of layouts with more, and `--layout` fails
    #[arg(long, value_name = "COUNT", default_value_t = 200)]
    pairs: usize,
    /// Measure these layouts, and search for none: JSON, or a file with a line of it for each
    #[arg(long, value_name = "JSON|FILE")]
    layout: Option<String>,
    /// Make each layout with at most 10000 bodies too, and compare its pairs with brute force
    #[arg(long)]
    check: bool,
    /// With `--layout`, print only the lines of JSON, without reports of a step
    #[arg(long)]
    json: bool,
}

fn minutes(text: &str) -> Result<f64, String> {
    const MINUTES_MAX: f64 = 1e6;
    let minutes = text.parse().ok().filter(|minutes| (0.0..=MINUTES_MAX).contains(minutes));
    minutes.ok_or_else(|| format!("not a number from 0 to {MINUTES_MAX}"))
}

fn body_count(text: &str) -> Result<usize, String> {
    let bodies = text.parse().ok().filter(|bodies| (1..=BODIES_MAX).contains(bodies));
    bodies.ok_or_else(|| format!("not a whole number from 1 to {BODIES_MAX}"))
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(arguments.threads.into()).build()?;
    pool.install(|| match &arguments.layout {
        Some(layouts) => measure_given(arguments, layouts),
        None => search(arguments),
    })
}

/// Searches, and prints what it finds.
fn search(arguments: &Arguments) -> Result<(), Failure> {
    let bodies = arguments.bodies.unwrap_or(BODIES);
    let mut search = Search::new(bodies, arguments.seed);
    let mut crowd = Crowd::new(bodies)?;
    let mut too_many_pairs = 0;
    let begin = Instant::now();
    let (time, tries) = (Duration::from_secs_f64(60.0 * arguments.minutes), arguments.tries.unwrap_or(usize::MAX));
    let mut last_progress = begin;
    while search.tries < tries && begin.elapsed() < time {
        let layout = search.next();
        // A failure of the library must name the layout that it found.
        let outcome = catch_unwind(AssertUnwindSafe(|| try_layout(arguments, &search, layout.clone(), &mut crowd)));
        let describe = || eprintln!("failed: {}", json!(layout));
        let outcome = outcome.unwrap_or_else(|panic| {
            describe();
            resume_unwind(panic)
        });
        match outcome.inspect_err(|_| describe())? {
            None => too_many_pairs += 1,
            Some(found) => {
                if found.cost.factor() > arguments.above {
                    print_line(&line(&found, arguments));
                }
                search.add(found);
            }
        }
        if last_progress.elapsed() > PROGRESS_EVERY {
            last_progress = Instant::now();
            let (seconds, tries, rounds) = (begin.elapsed().as_secs(), search.tries, search.rounds);
            let slowest = search.best().into_iter().map(|Found { cost, .. }| (cost.slowest_phase(), cost.factor()));
            let slowest: Vec<_> = slowest.map(|(phase, factor)| format!("{phase} {factor:.2}")).collect();
            let (best, slowest) = (search.round_best(), slowest.join(", "));
            eprintln!("{seconds} s: {tries} tries, round {rounds}: {best:.2}; slowest of all rounds: {slowest}");
        }
    }
    // Those measured in a slow phase of the machine are among the slowest, and are not as slow.
    let mut slowest = Vec::new();
    for Found { layout, .. } in search.best() {
        match measure(layout, arguments.pairs, &mut crowd) {
            Ok((cost, _)) => slowest.push(Found { cost, layout: layout.clone() }),
            Err(triphase::Error::TooManyPairs { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    slowest.sort_by(|a, b| b.cost.factor().total_cmp(&a.cost.factor()));
    print_line(&json!({
        "tries": search.tries,
        "too_many_pairs": too_many_pairs,
        "rounds": search.rounds,
        "seed": arguments.seed,
        "factor": slowest.first().map(|found| rounded(found.cost.factor())),
        "slowest": slowest.iter().map(|found| line(found, arguments)).collect::<Vec<_>>(),
    }));
    Ok(())
}

/// Measures a layout of a search and checks it. Returns `None` if it has too many pairs.
fn try_layout(
    arguments: &Arguments,
    search: &Search,
    mut layout: Layout,
    crowd: &mut Crowd,
) -> Result<Option<Found>, Failure> {
    for _ in 0..=SHRINKS {
        match measure_if_slow(arguments, search, &layout, crowd) {
            Ok(cost) => {
                if arguments.check {
                    check::check(&layout, CHECKED_BODIES_MAX)?;
                }
                return Ok(Some(Found { cost, layout }));
            }
            Err(triphase::Error::TooManyPairs { .. }) => layout.shrink(),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(None)
}

/// Measures a layout of a search once, and again as long as it is promising.
fn measure_if_slow(
    arguments: &Arguments,
    search: &Search,
    layout: &Layout,
    crowd: &mut Crowd,
) -> Result<Cost, triphase::Error> {
    let begin = Instant::now();
    let mut subject = Subject::new(layout, arguments.pairs)?;
    let mut cost = subject.measure(crowd)?;
    for _ in 1..MEASUREMENTS {
        let is_of_interest = search.is_promising(&cost) || cost.factor() > arguments.above;
        if is_of_interest && begin.elapsed() < TIME_MAX {
            cost = cost.least(&subject.measure(crowd)?);
        }
    }
    Ok(cost)
}

/// Measures the given layouts.
fn measure_given(arguments: &Arguments, layouts: &str) -> Result<(), Failure> {
    for mut layout in read_layouts(layouts)? {
        layout.bodies = arguments.bodies.unwrap_or(layout.bodies);
        layout.validate()?;
        let mut crowd = Crowd::new(layout.bodies)?;
        let (cost, report) = measure(&layout, arguments.pairs, &mut crowd)?;
        if arguments.check {
            check::check(&layout, CHECKED_BODIES_MAX)?;
        }
        if !arguments.json {
            print_line(&report);
        }
        print_line(&line(&Found { cost, layout }, arguments));
    }
    Ok(())
}

/// Measures a layout a few times. Returns its cost, and the report of the last step.
fn measure(layout: &Layout, pairs_max: usize, crowd: &mut Crowd) -> Result<(Cost, Report), triphase::Error> {
    let mut subject = Subject::new(layout, pairs_max)?;
    let mut cost = subject.measure(crowd)?;
    for _ in 1..MEASUREMENTS {
        cost = cost.least(&subject.measure(crowd)?);
    }
    Ok((cost, subject.world.report()))
}

/// Reads the layouts of a text of JSON, or of a file: each line is a layout, or has one as its
/// `layout`. Other lines, such as the summary of a search, are skipped.
fn read_layouts(source: &str) -> Result<Vec<Layout>, Failure> {
    let is_json = source.trim_start().starts_with('{');
    let text = if is_json { source.to_owned() } else { std::fs::read_to_string(source)? };
    let mut layouts = Vec::new();
    for value in serde_json::Deserializer::from_str(&text).into_iter::<Value>() {
        let mut value = value?;
        if let Some(layout) = value.get_mut("layout") {
            value = layout.take();
        } else if value.get("tries").is_some() {
            continue;
        }
        layouts.push(serde_json::from_value(value)?);
    }
    Ok(layouts)
}

/// The line of a layout.
fn line(Found { cost, layout }: &Found, arguments: &Arguments) -> Value {
    let phases = cost.phases.iter().map(|phase| (phase.name.to_owned(), json!(rounded(phase.ns))));
    json!({
        "factor": rounded(cost.factor()),
        "ns": rounded(cost.ns),
        "crowd_ns": rounded(cost.crowd_ns),
        "pairs": rounded(cost.pairs),
        "statics": cost.statics,
        "phase": cost.slowest_phase(),
        "phases": phases.collect::<Map<_, _>>(),
        "threads": arguments.threads,
        "layout": layout,
    })
}

/// Rounds to a thousandth.
fn rounded(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

/// Prints a line to standard output. A closed pipe is no failure.
fn print_line(line: &impl std::fmt::Display) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
