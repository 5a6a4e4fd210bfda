//! Compares the results of all engines.
//!
//! QCHECK-1: the results of triphase for a sample of each list are those of brute force, bit for
//! bit: the same boxes, and for nearest queries and rays the same order and the same distances. If
//! triphase does not run such queries, the first engine that does takes its place.
//!
//! QCHECK-2: the results of all other engines for all queries are those of triphase. Boxes: the
//! same rows. Nearest: as many boxes, all different, each as far away as reported, and the k-th as
//! far away as the k-th of triphase; which of several equally near boxes is found is free. Rays:
//! the same distance, at which the ray does enter the box.
//!
//! Engines that compute in f32 may be off by `NEAREST_ROUNDING` and `RAY_ROUNDING` of
//! a distance. One ray in `GRAZES_PER_RAY` may miss a box that it grazes in f64, or vice
//! versa.

use super::engine::{Answer, Engine};
use super::exact;
use super::lists::{List, Queries};
use super::subject::Subject;

/// Most queries of a list in which triphase is compared with brute force.
const SAMPLE: usize = 200;
/// Most boxes times queries that brute force tests.
const TRIED_MAX: usize = 50_000_000;
/// Relative error allowed for distances that are computed in f32: a few roundings.
const NEAREST_ROUNDING: f64 = 1e-6;
/// Relative error allowed for rays, which need a division too.
const RAY_ROUNDING: f64 = 1e-4;
/// One ray in this many may graze a box.
const GRAZES_PER_RAY: usize = 1000;

/// Compares all results of a list; returns the number of hits and of rays that graze a box.
///
/// # Errors
///
/// If a result is wrong; the text names the engine and the query.
pub fn check(subject: &Subject, list: &List, engines: &mut [&mut dyn Engine]) -> Result<(usize, usize), String> {
    let [first, others @ ..] = engines else { return Ok((0, 0)) };
    let count = list.queries.len();
    let sample = SAMPLE.min(TRIED_MAX / subject.boxes.len().max(1)).clamp(1, count.max(1));
    let answers: Vec<Answer> = (0..count).map(|k| first.answer(&list.queries, k)).collect();
    for k in (0..count).step_by(count.div_ceil(sample).max(1)) {
        let (found, expected) = (&answers[k], brute_force(subject, &list.queries, k));
        let same = if first.is_exact() {
            sorted(found.clone()) == expected
        } else {
            is_same(subject, &list.queries, k, found, &expected, false)
        };
        if !same {
            return Err(differs(list, first.name(), "brute force", k, found, &expected));
        }
    }
    let mut grazed = 0;
    for other in others {
        let mut grazed_by_it = 0;
        for (k, expected) in answers.iter().enumerate() {
            let found = other.answer(&list.queries, k);
            let exact = other.is_exact();
            if matches!((&found, expected), (Answer::Ray(a), Answer::Ray(b)) if a.is_some() != b.is_some()) && !exact {
                grazed_by_it += 1;
            } else if !is_same(subject, &list.queries, k, &found, expected, exact) {
                return Err(differs(list, other.name(), first.name(), k, &found, expected));
            }
        }
        if grazed_by_it > count / GRAZES_PER_RAY {
            return Err(format!("{}: {} disagrees about {grazed_by_it} of {count} rays", list.name, other.name()));
        }
        grazed += grazed_by_it;
    }
    Ok((answers.iter().map(hits).sum(), grazed))
}

fn differs(list: &List, engine: &str, oracle: &str, k: usize, found: &Answer, expected: &Answer) -> String {
    let query = match &list.queries {
        Queries::Boxes(list) => format!("{:?}", list[k]),
        Queries::Nearest(list) => format!("{:?}", list[k]),
        Queries::Rays(list) => format!("{:?}", list[k]),
    };
    format!(
        "{}: {engine} differs from {oracle} in query {k}, {query}: found {found:?}, expected {expected:?}",
        list.name
    )
}

/// The result by brute force (QCHECK-1).
fn brute_force(subject: &Subject, queries: &Queries, k: usize) -> Answer {
    match queries {
        Queries::Boxes(list) => Answer::Boxes(exact::boxes(&subject.boxes, &list[k])),
        Queries::Nearest(list) => Answer::Nearest(exact::nearest(&subject.boxes, &list[k])),
        Queries::Rays(list) => Answer::Ray(exact::ray(&subject.boxes, &list[k])),
    }
}

/// Returns the result with boxes in ascending order.
fn sorted(mut answer: Answer) -> Answer {
    if let Answer::Boxes(rows) = &mut answer {
        rows.sort_unstable();
    }
    answer
}

fn hits(answer: &Answer) -> usize {
    match answer {
        Answer::Boxes(rows) => rows.len(),
        Answer::Nearest(near) => near.len(),
        Answer::Ray(met) => usize::from(met.is_some()),
    }
}

/// Whether two results are the same (QCHECK-2).
fn is_same(subject: &Subject, queries: &Queries, k: usize, found: &Answer, expected: &Answer, exact: bool) -> bool {
    let alike = |a: f64, b: f64, rounding: f64| (a - b).abs() <= if exact { 0.0 } else { rounding * b };
    match (found, expected, queries) {
        (Answer::Boxes(_), Answer::Boxes(_), _) => sorted(found.clone()) == sorted(expected.clone()),
        (Answer::Nearest(found), Answer::Nearest(expected), Queries::Nearest(list)) => {
            let far = |row: u32| exact::distance_squared(&subject.boxes[row as usize], list[k].point).sqrt();
            let mut rows: Vec<u32> = found.iter().map(|near| near.0).collect();
            rows.sort_unstable();
            let pairs = || found.iter().zip(expected);
            found.len() == expected.len()
                && rows.windows(2).all(|pair| pair[0] != pair[1])
                && found.iter().all(|near| alike(near.1, far(near.0), NEAREST_ROUNDING))
                && pairs().all(|(found, expected)| alike(found.1, expected.1, NEAREST_ROUNDING))
        }
        (Answer::Ray(Some(found)), Answer::Ray(Some(expected)), Queries::Rays(list)) => {
            let truly = exact::entry(&list[k], &subject.boxes[found.0 as usize]);
            truly.is_some_and(|distance| alike(found.1, distance, RAY_ROUNDING))
                && alike(found.1, expected.1, RAY_ROUNDING)
        }
        _ => found == expected,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queries::lists::{Nearest, Ray};
    use crate::queries::subject::SubjectName;
    use triphase_scenes::SceneName;

    #[test]
    fn wrong_results_are_rejected() {
        let subject = Subject::new(SubjectName::Scene(SceneName::Crowd), 50, 1, None).expect("a scene");
        let point = subject.centers[0];
        let nearest = Queries::Nearest(vec![Nearest { point, count: 2 }]);
        let right = brute_force(&subject, &nearest, 0);
        assert!(is_same(&subject, &nearest, 0, &right, &right, true));
        let Answer::Nearest(near) = &right else { panic!("another kind") };
        let wrong = Answer::Nearest(vec![near[0], near[0]]);
        assert!(!is_same(&subject, &nearest, 0, &wrong, &right, false));

        let rays = Queries::Rays(vec![Ray { origin: [-1.0, point[1]], direction: [1.0, 0.0], length: 1e3 }]);
        let right = brute_force(&subject, &rays, 0);
        let Answer::Ray(Some((row, distance))) = right else { panic!("a miss") };
        assert!(is_same(&subject, &rays, 0, &Answer::Ray(Some((row, distance * 1.000_01))), &right, false));
        assert!(!is_same(&subject, &rays, 0, &Answer::Ray(Some((row, distance * 1.001))), &right, false));
        assert!(!is_same(&subject, &rays, 0, &Answer::Ray(Some((row, distance * 1.000_01))), &right, true));
    }
}
