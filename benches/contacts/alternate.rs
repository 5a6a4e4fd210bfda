//! Measures candidates in alternation.

use std::time::Duration;

/// A candidate: its name, and a function that runs it once and returns the time that counts.
pub(crate) type Candidate<'c> = (&'c str, Box<dyn FnMut() -> Duration + 'c>);

/// Runs the candidates in alternation, and prints the median time of each and its ratio to the
/// first.
///
/// The order changes from round to round, so that the caches are not always left by the same
/// candidate.
pub(crate) fn alternate(title: &str, rounds: usize, candidates: &mut [Candidate<'_>]) {
    let mut times = vec![Vec::new(); candidates.len()];
    for round in 0..rounds {
        for turn in 0..candidates.len() {
            let k = (round + turn) % candidates.len();
            times[k].push((candidates[k].1)());
        }
    }
    let medians: Vec<f64> = times.iter_mut().map(|times| median(times)).collect();
    println!("{title}");
    for ((name, _), time) in candidates.iter().zip(&medians) {
        println!("    {name:<40} {:>9.3} ms {:>6.2}", time * 1e3, time / medians[0]);
    }
}

/// The median in seconds.
fn median(times: &mut [Duration]) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).map_or(0.0, Duration::as_secs_f64)
}
