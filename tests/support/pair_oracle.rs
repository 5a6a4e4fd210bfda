//! The pairs that a step must find: by brute force where there are few rows, by sort and sweep
//! above. The scene tests compare one with the other.

use crate::{Columns, FoundPairs, world};
use triphase::geometry::RawAabb;
use triphase::{Filter, WorldConfig, reference};

/// Up to so many box tests, brute force is fast enough.
const BRUTE_FORCE_MAX: usize = 1 << 20;

/// The pairs that a step must find, ascending.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectedPairs {
    pub bodies: Vec<(u32, u32)>,
    pub statics: Vec<(u32, u32)>,
    body_boxes: Vec<RawAabb>,
    static_boxes: Vec<RawAabb>,
}

impl ExpectedPairs {
    pub fn new(bodies: &[RawAabb], statics: &[RawAabb]) -> Self {
        Self {
            bodies: self_pairs(bodies),
            statics: cross_pairs(bodies, statics),
            body_boxes: bodies.to_vec(),
            static_boxes: statics.to_vec(),
        }
    }

    /// Removes the pairs of statics that are not enabled.
    pub fn enabled(mut self, is_enabled: impl Fn(usize) -> bool) -> Self {
        self.statics.retain(|&(_, row)| is_enabled(row as usize));
        self
    }

    /// Removes the pairs of these body rows.
    pub fn exclude_bodies(mut self, rows: &[u32]) -> Self {
        self.bodies.retain(|(a, b)| !rows.contains(a) && !rows.contains(b));
        self.statics.retain(|(body, _)| !rows.contains(body));
        self
    }

    /// Removes the pairs whose filters do not accept each other; without a column, each row has
    /// [`Filter::ALL`].
    pub fn filtered(mut self, bodies: Option<&[Filter]>, statics: Option<&[Filter]>) -> Self {
        let filter = |column: Option<&[Filter]>, row: u32| column.map_or(Filter::ALL, |column| column[row as usize]);
        self.bodies.retain(|&(a, b)| filters_accept(filter(bodies, a), filter(bodies, b)));
        self.statics.retain(|&(body, other)| filters_accept(filter(bodies, body), filter(statics, other)));
        self
    }

    /// Removes the pairs whose circles do not touch.
    pub fn circles(mut self) -> Self {
        let Self { bodies, statics, body_boxes, static_boxes } = &mut self;
        let row = |boxes: &[RawAabb], row: u32| [boxes[row as usize]];
        bodies.retain(|&(a, b)| {
            !reference::circle_self_pairs(&[row(body_boxes, a), row(body_boxes, b)].concat()).is_empty()
        });
        statics.retain(|&(body, other)| {
            !reference::circle_static_pairs(&row(body_boxes, body), &row(static_boxes, other)).is_empty()
        });
        self
    }

    /// Compares as sets: each pair must be reported once, with `a < b`. The error says what differs
    /// first.
    pub fn compare(&self, found: &FoundPairs) -> Result<(), String> {
        if let Some(pair) = found.bodies.iter().find(|(a, b)| a >= b) {
            return Err(format!("body pair {pair:?} is not ascending"));
        }
        same_set(&found.bodies, &self.bodies).map_err(|(what, (a, b))| {
            let (first, second) = (self.body_boxes.get(a as usize), self.body_boxes.get(b as usize));
            format!("body pair ({a}, {b}) {what}: {first:?} and {second:?}")
        })?;
        same_set(&found.statics, &self.statics).map_err(|(what, (body, other))| {
            let (first, second) = (self.body_boxes.get(body as usize), self.static_boxes.get(other as usize));
            format!("static pair ({body}, {other}) {what}: {first:?} and {second:?}")
        })
    }
}

/// Whether two filters accept each other, in the words of the documentation.
pub fn filters_accept(a: Filter, b: Filter) -> bool {
    (a.layers & b.mask) != 0 && (b.layers & a.mask) != 0
}

/// The first difference between the pairs found and the ascending expected ones.
fn same_set(found: &[(u32, u32)], expected: &[(u32, u32)]) -> Result<(), (&'static str, (u32, u32))> {
    let mut sorted = found.to_vec();
    sorted.sort_unstable();
    if let Some(twice) = sorted.windows(2).find(|two| two[0] == two[1]) {
        return Err(("was found twice", twice[0]));
    }
    match sorted.iter().zip(expected).find(|(found, expected)| found != expected) {
        Some((found, expected)) if found < expected => Err(("does not overlap", *found)),
        Some((_, expected)) => Err(("is missing", *expected)),
        None if sorted.len() > expected.len() => Err(("does not overlap", sorted[expected.len()])),
        None if sorted.len() < expected.len() => Err(("is missing", expected[sorted.len()])),
        None => Ok(()),
    }
}

/// As [`reference::self_pairs`], faster.
pub fn self_pairs(boxes: &[RawAabb]) -> Vec<(u32, u32)> {
    if boxes.len().saturating_mul(boxes.len()) <= BRUTE_FORCE_MAX {
        return reference::self_pairs(boxes);
    }
    let mut pairs = Vec::new();
    sweep(boxes, &mut |a, b| pairs.push((a.min(b), a.max(b))));
    pairs.sort_unstable();
    pairs
}

/// As [`reference::cross_pairs`], faster.
pub fn cross_pairs(a: &[RawAabb], b: &[RawAabb]) -> Vec<(u32, u32)> {
    if a.len().saturating_mul(b.len()) <= BRUTE_FORCE_MAX {
        return reference::cross_pairs(a, b);
    }
    let split = a.len() as u32;
    let all: Vec<RawAabb> = a.iter().chain(b).copied().collect();
    let mut pairs = Vec::new();
    sweep(&all, &mut |i, j| {
        let (i, j) = (i.min(j), i.max(j));
        if i < split && j >= split {
            pairs.push((i, j - split));
        }
    });
    pairs.sort_unstable();
    pairs
}

/// Sorts and sweeps along the axis that leaves fewer candidates.
fn sweep(boxes: &[RawAabb], each: &mut dyn FnMut(u32, u32)) {
    let orders = [0, 1].map(|axis| {
        let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
        order.sort_by(|&a, &b| boxes[a as usize][axis].total_cmp(&boxes[b as usize][axis]));
        let rows: Vec<RawAabb> = order.iter().map(|&row| boxes[row as usize]).collect();
        // How many boxes begin before this one ends.
        let run = |k: usize| rows[k + 1..].partition_point(|b| b[axis] <= rows[k][axis + 2]);
        let runs: Vec<usize> = (0..rows.len()).map(run).collect();
        (order, rows, runs)
    });
    let cost = |axis: usize| orders[axis].2.iter().sum::<usize>();
    let (order, rows, runs) = &orders[usize::from(cost(1) < cost(0))];
    for (k, first) in rows.iter().enumerate() {
        for (j, second) in (k + 1..).zip(&rows[k + 1..][..runs[k]]) {
            if overlaps(first, second) {
                each(order[k], order[j]);
            }
        }
    }
}

fn overlaps(a: &RawAabb, b: &RawAabb) -> bool {
    a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3]
}

/// Steps `columns` once in a new world of each configuration and compares with the expected pairs,
/// which it returns. A failure prints `label`.
pub fn check_once(
    label: &str,
    configs: &[(&str, WorldConfig)],
    columns: &Columns,
    statics: &[[f32; 4]],
) -> ExpectedPairs {
    let expected = ExpectedPairs::new(&columns.boxes(), statics);
    for (name, config) in configs {
        let mut world = world(config.clone());
        world.set_statics(statics).unwrap_or_else(|error| panic!("{label}, {name}: {error}"));
        match world.step(columns.bodies()) {
            Ok(contacts) => expected.compare(&FoundPairs::new(contacts)),
            Err(error) => Err(error.to_string()),
        }
        .unwrap_or_else(|what| panic!("{label}, {name}: {what}"));
    }
    expected
}
