//! Verifies pairs by a search that is simple enough to be obviously correct. It shares no code with
//! the library, not even the computation of a box.

use std::fmt;
use triphase::Contacts;

/// `[min_x, min_y, max_x, max_y]`.
pub(crate) type Box4 = [f32; 4];

/// Up to this many boxes, all are compared with all.
const BRUTE_FORCE_MAX: usize = 20_000;

/// The box of a body as documented by the library: in f32, from the center minus the half-extents
/// to the center plus the half-extents, united with that box displaced.
pub(crate) fn body_aabb(center: [f32; 2], half: [f32; 2], displacement: [f32; 2]) -> Box4 {
    let there = [center[0] + displacement[0], center[1] + displacement[1]];
    [
        (center[0] - half[0]).min(there[0] - half[0]),
        (center[1] - half[1]).min(there[1] - half[1]),
        (center[0] + half[0]).max(there[0] + half[0]),
        (center[1] + half[1]).max(there[1] + half[1]),
    ]
}

fn overlap(a: &Box4, b: &Box4) -> bool {
    a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3]
}

/// The first difference between the reported and the expected pairs.
#[derive(Clone, Debug)]
pub(crate) struct Mismatch {
    kind: &'static str,
    pair: (u32, u32),
    reported: usize,
    expected: usize,
    boxes: [Option<Box4>; 2],
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, pair: (a, b), reported, expected, boxes } = self;
        let times = if *reported == 1 { "time" } else { "times" };
        write!(f, "{kind} ({a}, {b}): reported {reported} {times}, expected {expected}; boxes {boxes:?}")
    }
}

/// Compares the contacts with the expected pairs.
pub(crate) fn compare(contacts: Contacts<'_>, bodies: &[Box4], statics: &[Box4]) -> Result<(), Mismatch> {
    compare_where(contacts, bodies, statics, |_, _| true)
}

/// As [`compare`]; of the boxes that overlap, those are pairs whose rows `is_pair` accepts. Rows of
/// statics follow those of bodies.
pub(crate) fn compare_where(
    contacts: Contacts<'_>,
    bodies: &[Box4],
    statics: &[Box4],
    is_pair: impl Fn(u32, u32) -> bool,
) -> Result<(), Mismatch> {
    let mut expected = expected(bodies, statics);
    expected.retain(|&(a, b)| is_pair(a, b));
    let count = bodies.len();
    // In both lists, statics are numbered after bodies.
    let static_row = |static_row: u32| count as u32 + static_row;
    let of_bodies = contacts.body_pairs().map(|pair| (pair.a, pair.b));
    let of_statics = contacts.static_pairs().map(|pair| (pair.body, static_row(pair.static_row)));
    let mut reported: Vec<(u32, u32)> = of_bodies.chain(of_statics).collect();
    reported.sort_unstable();
    if reported == expected {
        return Ok(());
    }
    let differ = reported.iter().zip(&expected).position(|(r, e)| r != e);
    let at = differ.unwrap_or(reported.len().min(expected.len()));
    // Both lists are sorted, so the lesser pair at the first difference is missing in the other.
    let pair = [reported.get(at), expected.get(at)].into_iter().flatten().min().copied().unwrap_or_default();
    let times = |list: &[(u32, u32)]| list.iter().filter(|&&other| other == pair).count();
    let all = |row: u32| bodies.iter().chain(statics).nth(row as usize).copied();
    let is_static = pair.1 as usize >= count;
    Err(Mismatch {
        kind: if is_static { "static pair" } else { "body pair" },
        pair: (pair.0, if is_static { pair.1 - count as u32 } else { pair.1 }),
        reported: times(&reported),
        expected: times(&expected),
        boxes: [all(pair.0), all(pair.1)],
    })
}

/// The overlapping pairs of bodies, and of bodies and statics, ascending. Rows of statics follow
/// those of bodies.
fn expected(bodies: &[Box4], statics: &[Box4]) -> Vec<(u32, u32)> {
    let all: Vec<Box4> = bodies.iter().chain(statics).copied().collect();
    let mut pairs = if bodies.len() <= BRUTE_FORCE_MAX {
        brute_force(&all, bodies.len())
    } else {
        sort_and_sweep(&all, bodies.len())
    };
    pairs.sort_unstable();
    pairs
}

fn brute_force(all: &[Box4], bodies: usize) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    for a in 0..bodies {
        for b in a + 1..all.len() {
            if overlap(&all[a], &all[b]) {
                pairs.push((a as u32, b as u32));
            }
        }
    }
    pairs
}

/// Sorts the boxes by their lower edge on an axis: each is compared with those that begin before it
/// ends.
fn sort_and_sweep(all: &[Box4], bodies: usize) -> Vec<(u32, u32)> {
    let axis = if sweep_cost(all, 0) <= sweep_cost(all, 1) { 0 } else { 1 };
    let mut sorted: Vec<(u32, Box4)> = (0..).zip(all.iter().copied()).collect();
    sorted.sort_by(|(_, a), (_, b)| a[axis].total_cmp(&b[axis]));
    let mut pairs = Vec::new();
    for (k, (row, first)) in sorted.iter().enumerate() {
        for (other_row, other) in &sorted[k + 1..] {
            if other[axis] > first[axis + 2] {
                break;
            }
            let (a, b) = (*row.min(other_row), *row.max(other_row));
            if overlap(first, other) && (a as usize) < bodies {
                pairs.push((a, b));
            }
        }
    }
    pairs
}

/// The number of comparisons of a sweep along an axis.
fn sweep_cost(all: &[Box4], axis: usize) -> usize {
    let mut begins: Vec<f32> = all.iter().map(|b| b[axis]).collect();
    begins.sort_by(f32::total_cmp);
    let begun = |at: f32| begins.partition_point(|&begin| begin <= at);
    all.iter().map(|b| begun(b[axis + 2]) - begun(b[axis])).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use triphase::{Bodies, World};
    use triphase_scenes::{Scene, SceneName};

    #[test]
    fn sort_and_sweep_matches_brute_force() {
        for &name in SceneName::ALL {
            let scene = Scene::new(name, 600, 3);
            let all: Vec<Box4> = scene.boxes().into_iter().chain(scene.statics.iter().copied()).collect();
            let mut swept = sort_and_sweep(&all, scene.centers.len());
            swept.sort_unstable();
            assert_eq!(swept, brute_force(&all, scene.centers.len()), "{name}");
        }
    }

    #[test]
    fn first_difference_is_reported() {
        let mut world = World::default();
        let statics = [[0.0, 0.0, 1.0, 1.0f32]];
        world.set_statics(&statics).unwrap();
        let bodies = [[0.0, 0.0, 1.0, 1.0f32], [9.0, 9.0, 9.0, 9.0], [1.0, 1.0, 2.0, 2.0]];
        let contacts = world.step(Bodies::from_aabbs(&bodies)).unwrap();
        assert!(compare(contacts, &bodies, &statics).is_ok());
        // With other boxes, the reported pair is wrong; then another one is missing.
        let apart = [bodies[0], bodies[1], [5.0, 5.0, 6.0, 6.0]];
        let text = compare(contacts, &apart, &statics).unwrap_err().to_string();
        assert!(text.starts_with("body pair (0, 2): reported 1 time, expected 0"), "{text}");
        let more = [[0.0, 0.0, 9.0, 9.0], bodies[1], bodies[2]];
        let text = compare(contacts, &more, &statics).unwrap_err().to_string();
        assert!(text.starts_with("body pair (0, 1): reported 0 times, expected 1"), "{text}");
        let text = compare(contacts, &bodies, &[[7.0, 7.0, 8.0, 8.0]]).unwrap_err().to_string();
        assert!(text.starts_with("static pair (0, 0): reported 1 time, expected 0"), "{text}");
    }
}
