//! Whether answers are right.
//!
//! A1: triphase's answers to a sample of each list are those of brute force: the same boxes, for the nearest and for rays in
//! the same order and at the same distance, to the last bit.
//! Where triphase does not answer, the first that does takes its place.
//! A2: the answers of all others to all questions are triphase's. Boxes: the same rows. Nearest: as many, each a box of its
//! own that truly is as far, and the k-th as far as triphase's k-th; which of equally near ones is free. Rays: as far, and
//! the box truly entered there.
//! A3: engines that compute in f32 may be off by [`NEAREST_ROUNDING`] and [`RAY_ROUNDING`] of a distance; and one ray in
//! [`GRAZES_PER_RAY`] may miss what it grazes in f64, or the other way round.

use super::engine::{Answer, Engine};
use super::exact;
use super::lists::{List, QueryBuilder};
use super::subject::Subject;

/// Queries of a list that triphase is compared with brute force in, at most.
const SAMPLE: usize = 200;
/// Boxes times questions that brute force tries, at most.
const TRIED_MAX: usize = 50_000_000;
/// How far off distances may be that were computed in f32 from edges in f32: a few roundings.
const NEAREST_ROUNDING: f64 = 1e-6;
/// The same of rays, which are divided too.
const RAY_ROUNDING: f64 = 1e-4;
/// Of so many rays, one may graze.
const GRAZES_PER_RAY: usize = 1000;

/// Compares all answers to a list of engines that answer it; tells how many hits there are, and how many rays grazed.
///
/// # Errors
///
/// An answer is wrong: whose and which.
pub fn check(subject: &Subject, list: &List, engines: &mut [&mut dyn Engine]) -> Result<(usize, usize), String> {
    let [first, others @ ..] = engines else { return Ok((0, 0)) };
    let count = list.questions.len();
    let sample = SAMPLE.min(TRIED_MAX / subject.boxes.len().max(1)).clamp(1, count.max(1));
    let answers: Vec<Answer> = (0..count).map(|k| first.answer(&list.questions, k)).collect();
    for k in (0..count).step_by(count.div_ceil(sample).max(1)) {
        let (found, expected) = (&answers[k], brute_force(subject, &list.questions, k));
        let same = if first.is_exact() {
            sorted(found.clone()) == expected
        } else {
            is_same(subject, &list.questions, k, found, &expected, false)
        };
        if !same {
            return Err(differs(list, first.name(), "brute force", k, found, &expected));
        }
    }
    let mut grazed = 0;
    for other in others {
        let mut grazed_by_it = 0;
        for (k, expected) in answers.iter().enumerate() {
            let found = other.answer(&list.questions, k);
            let exact = other.is_exact();
            if matches!((&found, expected), (Answer::Ray(a), Answer::Ray(b)) if a.is_some() != b.is_some()) && !exact {
                grazed_by_it += 1;
            } else if !is_same(subject, &list.questions, k, &found, expected, exact) {
                return Err(differs(list, other.name(), first.name(), k, &found, expected));
            }
        }
        if grazed_by_it > count / GRAZES_PER_RAY {
            return Err(format!(
                "{}: {} hits or misses {grazed_by_it} rays of {count} wrongly",
                list.name,
                other.name()
            ));
        }
        grazed += grazed_by_it;
    }
    Ok((answers.iter().map(hits).sum(), grazed))
}

fn differs(list: &List, engine: &str, oracle: &str, k: usize, found: &Answer, expected: &Answer) -> String {
    let question = match &list.questions {
        QueryBuilder::Boxes(list) => format!("{:?}", list[k]),
        QueryBuilder::Nearest(list) => format!("{:?}", list[k]),
        QueryBuilder::Rays(list) => format!("{:?}", list[k]),
    };
    format!("{}: {engine} differs from {oracle} in question {k}, {question}: {found:?} for {expected:?}", list.name)
}

/// A1.
fn brute_force(subject: &Subject, questions: &QueryBuilder, k: usize) -> Answer {
    match questions {
        QueryBuilder::Boxes(list) => Answer::Boxes(exact::boxes(&subject.boxes, &list[k])),
        QueryBuilder::Nearest(list) => Answer::Nearest(exact::nearest(&subject.boxes, &list[k])),
        QueryBuilder::Rays(list) => Answer::Ray(exact::ray(&subject.boxes, &list[k])),
    }
}

/// Boxes in order.
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

/// A2.
fn is_same(
    subject: &Subject,
    questions: &QueryBuilder,
    k: usize,
    found: &Answer,
    expected: &Answer,
    exact: bool,
) -> bool {
    let alike = |a: f64, b: f64, rounding: f64| (a - b).abs() <= if exact { 0.0 } else { rounding * b };
    match (found, expected, questions) {
        (Answer::Boxes(_), Answer::Boxes(_), _) => sorted(found.clone()) == sorted(expected.clone()),
        (Answer::Nearest(found), Answer::Nearest(expected), QueryBuilder::Nearest(list)) => {
            let far = |row: u32| exact::distance_squared(&subject.boxes[row as usize], list[k].point).sqrt();
            let mut rows: Vec<u32> = found.iter().map(|near| near.0).collect();
            rows.sort_unstable();
            let pairs = || found.iter().zip(expected);
            found.len() == expected.len()
                && rows.windows(2).all(|pair| pair[0] != pair[1])
                && found.iter().all(|near| alike(near.1, far(near.0), NEAREST_ROUNDING))
                && pairs().all(|(found, expected)| alike(found.1, expected.1, NEAREST_ROUNDING))
        }
        (Answer::Ray(Some(found)), Answer::Ray(Some(expected)), QueryBuilder::Rays(list)) => {
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
    fn wrong_answers_are_told() {
        let subject = Subject::new(SubjectName::Scene(SceneName::Crowd), 50, 1, None).expect("a scene");
        let point = subject.centers[0];
        let nearest = QueryBuilder::Nearest(vec![Nearest { point, count: 2 }]);
        let right = brute_force(&subject, &nearest, 0);
        assert!(is_same(&subject, &nearest, 0, &right, &right, true));
        let Answer::Nearest(near) = &right else { panic!("another kind") };
        let wrong = Answer::Nearest(vec![near[0], near[0]]);
        assert!(!is_same(&subject, &nearest, 0, &wrong, &right, false));

        let rays = QueryBuilder::Rays(vec![Ray { origin: [-1.0, point[1]], direction: [1.0, 0.0], length: 1e3 }]);
        let right = brute_force(&subject, &rays, 0);
        let Answer::Ray(Some((row, distance))) = right else { panic!("a miss") };
        assert!(is_same(&subject, &rays, 0, &Answer::Ray(Some((row, distance * 1.000_01))), &right, false));
        assert!(!is_same(&subject, &rays, 0, &Answer::Ray(Some((row, distance * 1.001))), &right, false));
        assert!(!is_same(&subject, &rays, 0, &Answer::Ray(Some((row, distance * 1.000_01))), &right, true));
    }
}
