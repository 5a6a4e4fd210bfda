//! Box pruning in the way of Pierre Terdiman's ["Box pruning
//! revisited"](http://www.codercorner.com/blog/?p=1364), written from its description: sort and
//! sweep, each frame from scratch, here in strips; one thread.
//!
//! Boxes are sorted by their lower edge on the sweep axis. The partners of a box follow it, up to
//! the first box that begins beyond its end; sentinels stop the last sweeps. Both axes are tested
//! four boxes at a time.
//!
//! In a large world, most boxes of a sweep are far away on the other axis. So that axis is cut into
//! strips, as multi box pruning cuts the world into regions, and each strip is swept by itself. A
//! box is copied to every strip that it touches. Strips wrap: their number is taken modulo a power
//! of two, so that a far outlier does not widen them.
//!
//! The sweep axis is the one on which boxes are shorter, compared with the deviation of their
//! centers. Statics are sorted when they are set, and again if the axis or the strips change.
//!
//! PRUNING-1: the map from coordinates to strips is monotone: a product, truncated, saturating. So
//! two boxes that overlap both touch the strip of the higher one of their lower edges. Both are in
//! it once, and only that strip reports the pair.
//!
//! PRUNING-2: the box that begins first finds the other. In a sweep of bodies against statics, a
//! body finds the statics that begin at the same place or after it, and a static finds the bodies
//! that begin after it.

use crate::boxes::{Box4, body_boxes, ordered};
use crate::engine::{Engine, Found, Frame};
use wide::f32x4;

/// Width of a strip, in mean sides of bodies. Narrower strips copy more boxes than they save tests.
///
/// Time as a multiple of that of `afternoon_grid` in the same frames, 100,000 bodies, one thread,
/// on an Intel Xeon, for 6, 8, 12: `crowd` 1.08, 0.99, 1.00; `castles` 0.82, 0.77, 0.81; `cities`
/// 0.84, 0.86, 0.89; `power_law` 1.17, 1.14, 1.12.
const SIDES_PER_STRIP: f32 = 8.0;

/// Fewest bodies per strip.
const BODIES_PER_STRIP: usize = 16;

/// Strips are kept while what they were chosen for is within this factor.
const DRIFT: f32 = 1.2;

/// Boxes that are tested at a time.
const LANES: usize = 4;

/// A lower edge that is not before any end, not even an infinite one.
const SENTINEL: f32 = f32::NAN;

/// Bodies and statics in strips.
#[derive(Default)]
pub(super) struct BoxPruning {
    strips: Strips,
    boxes: Vec<Box4>,
    bodies: Sorted,
    static_boxes: Vec<Box4>,
    statics: Sorted,
}

impl Engine for BoxPruning {
    fn name(&self) -> &'static str {
        "box_pruning"
    }

    fn set_statics(&mut self, statics: &[[f32; 4]]) {
        self.static_boxes = statics.to_vec();
        self.statics.fill(self.strips, &self.static_boxes);
    }

    fn step(&mut self, frame: Frame<'_>, found: &mut Found) {
        found.clear();
        self.boxes.clear();
        self.boxes.extend(body_boxes(frame));
        let strips = self.strips.following(&self.boxes);
        if strips != self.strips {
            self.strips = strips;
            self.statics.fill(strips, &self.static_boxes);
        }
        self.bodies.fill(strips, &self.boxes);
        for strip in 0..strips.count() {
            let bodies = self.bodies.strip(strip);
            let mine = |a: f32, b: f32| strips.of(if a > b { a } else { b }) == strip;
            bodies.pairs(mine, |a, b| found.bodies.push(ordered(a, b)));
            if !self.static_boxes.is_empty() {
                let statics = self.statics.strip(strip);
                bodies.pairs_with::<false>(statics, mine, |a, b| found.statics.push([a, b]));
                statics.pairs_with::<true>(bodies, mine, |a, b| found.statics.push([b, a]));
            }
        }
    }
}

/// The axis of the sweep, and the strips on the other one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Strips {
    /// 0 for x, 1 for y.
    axis: usize,
    mean_side: f32,
    per_unit: f32,
    count_log2: u32,
}

impl Strips {
    /// Returns the same strips if they still suit these boxes, else new ones.
    fn following(self, boxes: &[Box4]) -> Self {
        let [x, y] = [0, 1].map(|axis| Extent::of(boxes, axis));
        // The present axis has an advantage, so that statics are not sorted anew for nothing.
        let advantage = f64::from(if self.axis == 0 { DRIFT } else { 1.0 / DRIFT });
        let axis = usize::from(x.crowding() > y.crowding() * advantage);
        let new = Self::new(axis, [y, x][axis], boxes.len());
        let near = new.mean_side <= self.mean_side * DRIFT && new.mean_side * DRIFT >= self.mean_side;
        let fits = self.count_log2 == new.count_log2 || self.count_log2 == new.count_log2 + 1;
        if axis == self.axis && near && fits { self } else { new }
    }

    /// Strips across `extent`, that of the other axis.
    fn new(axis: usize, extent: Extent, bodies: usize) -> Self {
        let mean_side = extent.mean_side as f32;
        let per_unit = 1.0 / (SIDES_PER_STRIP * mean_side);
        if !per_unit.is_normal() {
            return Self { axis, mean_side, per_unit: 0.0, count_log2: 0 };
        }
        // Uniform boxes extend over sqrt(12) deviations.
        let needed = (extent.deviation * 12f64.sqrt() * f64::from(per_unit)).max(1.0).log2().ceil() as u32;
        let most = (bodies / BODIES_PER_STRIP).max(1).ilog2();
        Self { axis, mean_side, per_unit, count_log2: needed.min(most) }
    }

    fn count(self) -> usize {
        1 << self.count_log2
    }

    /// The number of a strip before wrapping (PRUNING-1).
    #[inline(always)]
    fn number(self, x: f32) -> i32 {
        (x * self.per_unit) as i32
    }

    /// The strip of a coordinate on the other axis.
    #[inline(always)]
    fn of(self, x: f32) -> usize {
        self.number(x) as usize & (self.count() - 1)
    }

    /// Calls `visit` once with every strip that a box touches.
    #[inline(always)]
    fn for_each(self, aabb: &Box4, mut visit: impl FnMut(usize)) {
        let [first, last] = [aabb[1 - self.axis], aabb[3 - self.axis]].map(|edge| self.number(edge));
        let steps = last.wrapping_sub(first).cast_unsigned().min((1 << self.count_log2) - 1);
        for step in 0..=steps {
            visit(first.wrapping_add(step as i32) as usize & (self.count() - 1));
        }
    }
}

/// How boxes extend along an axis.
#[derive(Clone, Copy)]
struct Extent {
    mean_side: f64,
    /// Standard deviation of the centers.
    deviation: f64,
}

impl Extent {
    fn of(boxes: &[Box4], axis: usize) -> Self {
        let (mut sides, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for aabb in boxes {
            let [min, max] = [aabb[axis], aabb[axis + 2]].map(f64::from);
            let center = 0.5 * (min + max);
            sides += max - min;
            sum += center;
            squares += center * center;
        }
        let count = boxes.len().max(1) as f64;
        let mean = sum / count;
        Self { mean_side: sides / count, deviation: (squares / count - mean * mean).max(0.0).sqrt() }
    }

    /// A measure of how many boxes a box overlaps on this axis.
    fn crowding(&self) -> f64 {
        self.mean_side / self.deviation.max(f64::MIN_POSITIVE)
    }
}

/// Boxes by strip, and in each strip by lower edge on the sweep axis, edge by edge. After each
/// strip there are `LANES` sentinels, so that four boxes can be read anywhere.
#[derive(Default)]
struct Sorted {
    /// For each strip, the index after its sentinels.
    ends: Vec<u32>,
    min: Vec<f32>,
    max: Vec<f32>,
    other_min: Vec<f32>,
    other_max: Vec<f32>,
    rows: Vec<u32>,
    /// Boxes by strip, not sorted.
    entries: Vec<Entry>,
    /// Keys and entries of one strip.
    order: Vec<u64>,
}

/// A box before it is sorted.
#[derive(Clone, Copy, Default)]
struct Entry {
    /// On the sweep axis, then on the other one.
    edges: [[f32; 2]; 2],
    row: u32,
}

/// A strip.
#[derive(Clone, Copy)]
struct Strip<'a> {
    min: &'a [f32],
    max: &'a [f32],
    other_min: &'a [f32],
    other_max: &'a [f32],
    rows: &'a [u32],
}

impl Sorted {
    /// Enters all boxes in their strips by counting sort, then sorts each strip.
    fn fill(&mut self, strips: Strips, boxes: &[Box4]) {
        let ends = &mut self.ends;
        ends.clear();
        ends.resize(strips.count(), 0);
        for aabb in boxes {
            strips.for_each(aabb, |strip| ends[strip] += 1);
        }
        let mut sum = 0;
        for end in ends.iter_mut() {
            // The start of the strip; each entry moves it by one.
            (sum, *end) = (sum + *end + LANES as u32, sum);
        }
        let len = sum as usize;
        self.entries.resize(len, Entry::default());
        for (aabb, row) in boxes.iter().zip(0..) {
            let [a, b] = [strips.axis, 1 - strips.axis];
            let entry = Entry { edges: [[aabb[a], aabb[a + 2]], [aabb[b], aabb[b + 2]]], row };
            strips.for_each(aabb, |strip| {
                self.entries[ends[strip] as usize] = entry;
                ends[strip] += 1;
            });
        }
        for edges in [&mut self.min, &mut self.max, &mut self.other_min, &mut self.other_max] {
            edges.resize(len, 0.0);
        }
        self.rows.resize(len, 0);
        let mut start = 0;
        for k in 0..strips.count() {
            self.sort(start, self.ends[k] as usize);
            self.ends[k] += LANES as u32;
            start = self.ends[k] as usize;
        }
    }

    /// Sorts the entries of a strip.
    fn sort(&mut self, start: usize, end: usize) {
        let entries = &self.entries[start..end];
        self.order.clear();
        self.order.extend(entries.iter().zip(0..).map(|(entry, k)| u64::from(key(entry.edges[0][0])) << 32 | k));
        self.order.sort_unstable();
        let range = start..end + LANES;
        let [min, max] = [&mut self.min[range.clone()], &mut self.max[range.clone()]];
        let [other_min, other_max] = [&mut self.other_min[range.clone()], &mut self.other_max[range.clone()]];
        let rows = &mut self.rows[range];
        for (k, &keyed) in self.order.iter().enumerate() {
            let Entry { edges, row } = entries[keyed as u32 as usize];
            [[min[k], max[k]], [other_min[k], other_max[k]]] = edges;
            rows[k] = row;
        }
        min[self.order.len()..].fill(SENTINEL);
    }

    fn strip(&self, strip: usize) -> Strip<'_> {
        let start = if strip == 0 { 0 } else { self.ends[strip - 1] as usize };
        let range = start..self.ends[strip] as usize;
        Strip {
            min: &self.min[range.clone()],
            max: &self.max[range.clone()],
            other_min: &self.other_min[range.clone()],
            other_max: &self.other_max[range.clone()],
            rows: &self.rows[range],
        }
    }
}

/// An integer in the order of the numbers.
#[inline(always)]
fn key(x: f32) -> u32 {
    // Adding zero makes -0 equal to 0.
    let bits = (x + 0.0).to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

impl Strip<'_> {
    /// Number of boxes, without sentinels.
    fn count(self) -> usize {
        self.rows.len() - LANES
    }

    /// Calls `found` with the rows of each pair in this strip, if `mine` accepts the lower edges of
    /// both on the other axis (PRUNING-1).
    fn pairs(self, mine: impl Fn(f32, f32) -> bool, mut found: impl FnMut(u32, u32)) {
        for k in 0..self.count() {
            self.sweep(k + 1, self.at(k), |other| {
                if mine(self.other_min[k], self.other_min[other]) {
                    found(self.rows[k], self.rows[other]);
                }
            });
        }
    }

    /// Calls `found` with the rows of each pair of a box of this strip and one of `others` that
    /// begins after it or, unless `AFTER`, at the same place (PRUNING-2).
    fn pairs_with<const AFTER: bool>(
        self,
        others: Self,
        mine: impl Fn(f32, f32) -> bool,
        mut found: impl FnMut(u32, u32),
    ) {
        let mut start = 0;
        for k in 0..self.count() {
            let min = self.min[k];
            while start < others.count() && (if AFTER { others.min[start] <= min } else { others.min[start] < min }) {
                start += 1;
            }
            others.sweep(start, self.at(k), |other| {
                if mine(self.other_min[k], others.other_min[other]) {
                    found(self.rows[k], others.rows[other]);
                }
            });
        }
    }

    /// The end of a box on the sweep axis, and its edges on the other one.
    #[inline(always)]
    fn at(self, k: usize) -> [f32; 3] {
        [self.max[k], self.other_min[k], self.other_max[k]]
    }

    /// Calls `visit` with each box from `start` on that begins before `max` or there, and overlaps
    /// on the other axis.
    #[inline(always)]
    fn sweep(self, mut start: usize, [max, other_min, other_max]: [f32; 3], mut visit: impl FnMut(usize)) {
        let [max, other_min, other_max] = [max, other_min, other_max].map(f32x4::splat);
        loop {
            let before_end = four(self.min, start).simd_le(max);
            let on_other =
                four(self.other_min, start).simd_le(other_max) & four(self.other_max, start).simd_ge(other_min);
            let mut hits = (before_end & on_other).to_bitmask();
            while hits != 0 {
                visit(start + hits.trailing_zeros() as usize);
                hits &= hits - 1;
            }
            if !before_end.all() {
                return;
            }
            start += LANES;
        }
    }
}

/// Four numbers from an index on.
#[inline(always)]
fn four(numbers: &[f32], start: usize) -> f32x4 {
    let &four = numbers[start..].first_chunk::<LANES>().expect("sentinels follow");
    f32x4::new(four)
}
