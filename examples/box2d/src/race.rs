//! Replays a recording to several engines: once to compare their pairs, then to time them.

use crate::boxes::{Box4, overlaps};
use crate::engine::Found;
use crate::engines::{Question, engines};
use crate::recording::{Recording, Step};
use std::error::Error;
use std::time::{Duration, Instant};

/// Steps before times count: structures find their size.
const WARM_UP: usize = 8;

/// Tests of boxes that brute force may take in a recording; if it needs more, it checks every so
/// many steps.
const BRUTE_FORCE_TESTS: usize = 1 << 31;

/// A step in which at most one row in this many changed is quiet.
const QUIET_SHARE: usize = 20;

/// The state of a scene in some steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum State {
    /// More than a twentieth of the boxes changed.
    Moving,
    /// At most a twentieth of the boxes changed.
    Quiet,
}

impl State {
    /// Both states, in the order of the tables.
    pub const ALL: [Self; 2] = [Self::Moving, Self::Quiet];

    fn of(step: Step<'_>) -> Self {
        if step.changed.len() * QUIET_SHARE > step.boxes.len() { Self::Moving } else { Self::Quiet }
    }
}

/// What was measured in the steps of one state, or in all steps.
#[derive(Clone, Debug)]
pub struct Figures {
    /// The state; `None` for all steps.
    pub state: Option<State>,
    /// Number of these steps.
    pub step_count: usize,
    /// Median of the number of changed boxes; of all steps, the mean.
    pub changed_count: usize,
    /// Median of the number of pairs that were asked for; of all steps, the mean.
    pub pair_count: usize,
    /// Name of each engine, and its median time of a step; of all steps, the mean.
    pub times: Vec<(&'static str, Duration)>,
}

/// Checks that all engines find the same pairs as brute force, and returns the number of pairs of
/// each step.
///
/// # Errors
///
/// Names the step, the engine and the first pair that is not as expected.
pub fn check(question: Question, recording: &Recording) -> Result<Vec<usize>, Box<dyn Error>> {
    let tests = recording.row_count() * (recording.row_count() / 2 + recording.statics.len()) * recording.step_count();
    let brute_force_steps = tests.div_ceil(BRUTE_FORCE_TESTS).max(1);
    let mut engines = engines(question, recording)?;
    let (mut expected, mut found) = (Found::default(), Found::default());
    let mut pair_counts = Vec::new();
    for number in 0..recording.step_count() {
        let step = recording.step(number);
        let is_checked = number % brute_force_steps == 0;
        if is_checked {
            brute_force(question, step, &recording.statics, &mut expected);
        }
        for (k, engine) in engines.iter_mut().enumerate() {
            engine.step(step, &mut found);
            engine.collect(&mut found);
            found.bodies.sort_unstable();
            found.statics.sort_unstable();
            if k == 0 && !is_checked {
                std::mem::swap(&mut expected, &mut found);
            } else if let Some(pair) = first_difference(&expected, &found) {
                return Err(format!("step {number}: {} differs in {pair}", engine.name()).into());
            }
        }
        pair_counts.push(expected.bodies.len() + expected.statics.len());
    }
    Ok(pair_counts)
}

/// The pairs by two loops, in ascending order.
fn brute_force(question: Question, step: Step<'_>, statics: &[Box4], found: &mut Found) {
    found.clear();
    let mut is_asked = vec![question == Question::All; step.boxes.len()];
    step.changed.iter().for_each(|&row| is_asked[row as usize] = true);
    for (a, box_a) in step.boxes.iter().enumerate() {
        for (b, box_b) in (a + 1..).zip(&step.boxes[a + 1..]) {
            if overlaps(box_a, box_b) && (is_asked[a] || is_asked[b]) {
                found.bodies.push([a as u32, b as u32]);
            }
        }
        for (b, fixed) in statics.iter().enumerate().filter(|_| is_asked[a]) {
            if overlaps(box_a, fixed) {
                found.statics.push([a as u32, b as u32]);
            }
        }
    }
}

/// Describes the first pair that only one of both has. Both are sorted.
fn first_difference(expected: &Found, found: &Found) -> Option<String> {
    let first = |name: &str, expected: &[[u32; 2]], found: &[[u32; 2]]| {
        let k = (0..expected.len().max(found.len())).find(|&k| expected.get(k) != found.get(k))?;
        Some(format!("{name} pair {k}: expected {:?}, found {:?}", expected.get(k), found.get(k)))
    };
    first("body", &expected.bodies, &found.bodies).or_else(|| first("static", &expected.statics, &found.statics))
}

/// Measures the engines in turn, step by step, `rounds` times: the steps of each state, then all.
///
/// `states` has the state of each step, and `pair_counts` the number of its pairs.
///
/// # Errors
///
/// Those of triphase.
pub fn measure(
    question: Question,
    recording: &Recording,
    states: &[State],
    pair_counts: &[usize],
    rounds: usize,
) -> Result<Vec<Figures>, Box<dyn Error>> {
    let mut names = Vec::new();
    // By engine, then by state.
    let mut times: Vec<[Vec<Duration>; 2]> = Vec::new();
    for _ in 0..rounds {
        let mut engines = engines(question, recording)?;
        let mut found: Vec<Found> = engines.iter().map(|_| Found::default()).collect();
        names = engines.iter().map(|engine| engine.name()).collect();
        times.resize_with(engines.len(), Default::default);
        for number in 0..recording.step_count() {
            let step = recording.step(number);
            for k in 0..engines.len() {
                // The first of a step finds less of it in the caches, so each is first in turn.
                let k = (k + number) % engines.len();
                let begin = Instant::now();
                engines[k].step(step, &mut found[k]);
                let time = begin.elapsed();
                if number >= WARM_UP {
                    times[k][states[number] as usize].push(time);
                }
            }
        }
    }
    let changed_count = |number: usize| recording.step(number).changed.len();
    let of_state = State::ALL.into_iter().filter_map(|state| {
        let steps = || (WARM_UP..recording.step_count()).filter(|&number| states[number] == state);
        Some(Figures {
            state: Some(state),
            step_count: steps().count(),
            changed_count: median(steps().map(changed_count).collect())?,
            pair_count: median(steps().map(|number| pair_counts[number]).collect())?,
            times: names
                .iter()
                .zip(&times)
                .filter_map(|(&name, t)| Some((name, median(t[state as usize].clone())?)))
                .collect(),
        })
    });
    let steps = WARM_UP..recording.step_count();
    let step_count = steps.len().max(1);
    let mean_time = |t: &[Vec<Duration>; 2]| t.iter().flatten().sum::<Duration>() / (rounds * step_count) as u32;
    let of_all = Figures {
        state: None,
        step_count: steps.len(),
        changed_count: steps.clone().map(changed_count).sum::<usize>() / step_count,
        pair_count: pair_counts[steps].iter().sum::<usize>() / step_count,
        times: names.iter().zip(&times).map(|(&name, t)| (name, mean_time(t))).collect(),
    };
    Ok(of_state.chain([of_all]).collect())
}

/// The state of each step, by the tight boxes.
pub fn states(recording: &Recording) -> Vec<State> {
    (0..recording.step_count()).map(|number| State::of(recording.step(number))).collect()
}

fn median<T: Copy + Ord>(mut values: Vec<T>) -> Option<T> {
    values.sort_unstable();
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brute_force_lists_pairs_with_a_changed_box() {
        let boxes = [[0.0, 0.0, 1.0, 1.0], [1.0, 0.0, 2.0, 1.0], [2.0, 0.0, 3.0, 1.0f32]];
        let statics = [[0.0, -1.0, 9.0, 0.0]];
        let step = Step { boxes: &boxes, asleep: &[false; 3], changed: &[2] };
        let mut found = Found::default();
        brute_force(Question::All, step, &statics, &mut found);
        assert_eq!((&found.bodies[..], found.statics.len()), (&[[0, 1], [1, 2]][..], 3), "touching is overlap");
        brute_force(Question::Changed, step, &statics, &mut found);
        assert_eq!((&found.bodies[..], &found.statics[..]), (&[[1, 2]][..], &[[2, 0]][..]));
    }

    #[test]
    fn a_missing_pair_is_a_difference() {
        let some = Found { bodies: vec![[0, 1]], statics: vec![[0, 0]] };
        let none = Found { bodies: vec![[0, 1]], statics: Vec::new() };
        assert_eq!(first_difference(&some, &some), None);
        assert!(first_difference(&some, &none).is_some() && first_difference(&none, &some).is_some());
    }
}
