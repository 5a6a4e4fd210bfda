//! The truth: the pairs that must be found. Brute force where there are few rows, sort and sweep above; the two
//! are held to each other in `scenes.rs`.

use super::Found;
use triphase::Filter;
use triphase::geometry::RawAabb;
use triphase::reference;

/// Up to this many tests brute force is quick enough.
const BRUTE_MAX: usize = 1 << 20;

/// Pairs that must be found, ascending.
#[derive(Clone, Debug, PartialEq)]
pub struct Truth {
    pub body: Vec<(u32, u32)>,
    pub static_row: Vec<(u32, u32)>,
    boxes: Vec<RawAabb>,
    statics: Vec<RawAabb>,
}

impl Truth {
    /// `enabled` says which statics are switched on.
    pub fn new(boxes: &[RawAabb], statics: &[RawAabb], enabled: impl Fn(usize) -> bool) -> Self {
        let mut static_row = cross_pairs(boxes, statics);
        static_row.retain(|&(_, row)| enabled(row as usize));
        Self { body: self_pairs(boxes), static_row, boxes: boxes.to_vec(), statics: statics.to_vec() }
    }

    /// Leaves out the pairs of these body rows.
    pub fn without(mut self, rows: &[u32]) -> Self {
        self.body.retain(|(a, b)| !rows.contains(a) && !rows.contains(b));
        self.static_row.retain(|(body, _)| !rows.contains(body));
        self
    }

    /// Leaves out the pairs that do not allow each other; no filters at all are [`Filter::ALL`] for each row.
    pub fn filtered(mut self, bodies: Option<&[Filter]>, statics: Option<&[Filter]>) -> Self {
        let of = |filters: Option<&[Filter]>, row: u32| filters.map_or(Filter::ALL, |filters| filters[row as usize]);
        self.body.retain(|&(a, b)| allowed(of(bodies, a), of(bodies, b)));
        self.static_row.retain(|&(body, static_row)| allowed(of(bodies, body), of(statics, static_row)));
        self
    }

    /// Leaves out the pairs whose discs do not meet.
    pub fn of_discs(mut self) -> Self {
        let Self { body, static_row, boxes, statics } = &mut self;
        let of = |rows: &[RawAabb], row: u32| [rows[row as usize]];
        body.retain(|&(a, b)| !reference::circle_self_pairs(&[of(boxes, a), of(boxes, b)].concat()).is_empty());
        static_row.retain(|&(a, b)| !reference::circle_static_pairs(&of(boxes, a), &of(statics, b)).is_empty());
        self
    }

    /// That `found` is the same set, each pair once, `a < b`; otherwise what differs first.
    pub fn compare(&self, found: &Found) -> Result<(), String> {
        if let Some(pair) = found.body.iter().find(|(a, b)| a >= b) {
            return Err(format!("body pair {pair:?} is not ascending"));
        }
        same_set(&found.body, &self.body).map_err(|(what, (a, b))| {
            let (first, second) = (self.boxes.get(a as usize), self.boxes.get(b as usize));
            format!("body pair ({a}, {b}) {what}: {first:?} and {second:?}")
        })?;
        same_set(&found.static_row, &self.static_row).map_err(|(what, (body, static_row))| {
            let (first, second) = (self.boxes.get(body as usize), self.statics.get(static_row as usize));
            format!("static pair ({body}, {static_row}) {what}: {first:?} and {second:?}")
        })
    }
}

/// The definition, in the words of the documentation.
pub fn allowed(a: Filter, b: Filter) -> bool {
    (a.layers & b.mask) != 0 && (b.layers & a.mask) != 0
}

/// The first difference between what was found and the ascending truth.
fn same_set(found: &[(u32, u32)], truth: &[(u32, u32)]) -> Result<(), (&'static str, (u32, u32))> {
    let mut sorted = found.to_vec();
    sorted.sort_unstable();
    if let Some(twice) = sorted.windows(2).find(|w| w[0] == w[1]) {
        return Err(("was found twice", twice[0]));
    }
    match sorted.iter().zip(truth).find(|(f, t)| f != t) {
        Some((f, t)) if f < t => Err(("does not overlap", *f)),
        Some((_, t)) => Err(("is missing", *t)),
        None if sorted.len() > truth.len() => Err(("does not overlap", sorted[truth.len()])),
        None if sorted.len() < truth.len() => Err(("is missing", truth[sorted.len()])),
        None => Ok(()),
    }
}

/// As [`reference::self_pairs`], quicker.
pub fn self_pairs(boxes: &[RawAabb]) -> Vec<(u32, u32)> {
    if boxes.len() * boxes.len() <= BRUTE_MAX {
        return reference::self_pairs(boxes);
    }
    let mut pairs = Vec::new();
    sweep(boxes, |a, b| pairs.push((a.min(b), a.max(b))));
    pairs.sort_unstable();
    pairs
}

/// As [`reference::cross_pairs`], quicker.
pub fn cross_pairs(a: &[RawAabb], b: &[RawAabb]) -> Vec<(u32, u32)> {
    if a.len() * b.len() <= BRUTE_MAX {
        return reference::cross_pairs(a, b);
    }
    let split = a.len() as u32;
    let all: Vec<RawAabb> = a.iter().chain(b).copied().collect();
    let mut pairs = Vec::new();
    sweep(&all, |i, j| {
        let (i, j) = (i.min(j), i.max(j));
        if i < split && j >= split {
            pairs.push((i, j - split));
        }
    });
    pairs.sort_unstable();
    pairs
}

/// Sort and sweep along the axis that leaves fewer candidates.
fn sweep(boxes: &[RawAabb], mut met: impl FnMut(u32, u32)) {
    let orders = [0, 1].map(|axis| {
        let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
        order.sort_by(|&a, &b| boxes[a as usize][axis].total_cmp(&boxes[b as usize][axis]));
        let rows: Vec<RawAabb> = order.iter().map(|&row| boxes[row as usize]).collect();
        // How many follow before one starts beyond the end of this one.
        let run = |k: usize| rows[k + 1..].partition_point(|b| b[axis] <= rows[k][axis + 2]);
        let runs: Vec<usize> = (0..rows.len()).map(run).collect();
        (order, rows, runs)
    });
    let cost = |k: usize| orders[k].2.iter().sum::<usize>();
    let (order, rows, runs) = &orders[usize::from(cost(1) < cost(0))];
    for (k, first) in rows.iter().enumerate() {
        for (j, second) in rows.iter().enumerate().skip(k + 1).take(runs[k]) {
            if overlaps(first, second) {
                met(order[k], order[j]);
            }
        }
    }
}

fn overlaps(a: &RawAabb, b: &RawAabb) -> bool {
    a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3]
}
