//! An order in which boxes that follow each other are alike in place and in size.
//!
//! Boxes are halved again and again, each time by the one of their four edges whose halves cover
//! the least. Boxes of one size are halved by place. A large box and a small one that begin
//! together end far from each other, so they get into different halves, and the bounds of the small
//! ones stay small.
//!
//! Cost: O(n log n), 250 to 350 nanoseconds a box.
//!
//! # Source
//!
//! A k-d tree over the edges of boxes, as points with four coordinates, is described by Hanan Samet
//! in *Foundations of Multidimensional Data Structures* (2006); the sum of margins as a measure of
//! bounds is that of the R*-tree (Beckmann, Kriegel, Schneider and Seeger, 1990).

use crate::geometry::{RawAabb, sides};
use crate::memory::blocks::SOA_BLOCK_LEN;
use crate::memory::body_record::BodyRecord;
use crate::memory::radix::{by_value, median, number_of};
use crate::tier::sweep::axis_sample::some_of;
use crate::tier::sweep::packed_tree::covering;
use smallvec::SmallVec;

/// Boxes that are alike: those of a leaf, a node and a root of a packed tree.
const GROUPS: [usize; 3] = [SOA_BLOCK_LEN.pow(3), SOA_BLOCK_LEN.pow(2), SOA_BLOCK_LEN];

/// Boxes in the sample that decides by which edge to halve more of them.
const SAMPLED: usize = 128;

/// Sorts boxes, so that each group of them is alike. Those of the smallest groups keep their order.
pub(super) fn sort_alike(records: &mut [BodyRecord]) {
    let sample = sample(records);
    let typical_side = median(sample.iter().map(|aabb| sides(aabb).into_iter().fold(0.0, f64::max)));
    Halving { typical_side, keys: Vec::new(), upper: Vec::new() }.sort(records);
}

/// Up to [`SAMPLED`] of some boxes.
fn sample(records: &[BodyRecord]) -> SmallVec<[RawAabb; SAMPLED]> {
    some_of(records, SAMPLED).map(|record| record.aabb).collect()
}

struct Halving {
    /// The median of the longer sides of all boxes.
    typical_side: f64,
    // Buffers.
    keys: Vec<u64>,
    upper: Vec<BodyRecord>,
}

impl Halving {
    fn sort(&mut self, records: &mut [BodyRecord]) {
        let Some(group) = GROUPS.into_iter().find(|&group| records.len() > group) else { return };
        let middle = (records.len().div_ceil(group) / 2).max(1) * group;
        let edge = self.best_edge(records, middle);
        let key = |at: usize, record: &BodyRecord| by_value(record.aabb[edge], at as u32);
        self.keys.clear();
        self.keys.extend(records.iter().enumerate().map(|(at, record)| key(at, record)));
        let (_, &mut first_upper, _) = self.keys.select_nth_unstable(middle);
        // Both halves keep their order, so the result depends on the boxes alone.
        self.upper.clear();
        let mut lower = 0;
        for at in 0..records.len() {
            let record = records[at];
            if key(at, &record) < first_upper {
                records[lower] = record;
                lower += 1;
            } else {
                self.upper.push(record);
            }
        }
        records[middle..].copy_from_slice(&self.upper);
        let (lower, upper) = records.split_at_mut(middle);
        self.sort(lower);
        self.sort(upper);
    }

    /// The edge by which halves cover the least, if the upper one begins at `middle`.
    fn best_edge(&mut self, records: &[BodyRecord], middle: usize) -> usize {
        let sample = sample(records);
        let middle = (sample.len() * middle / records.len()).clamp(1, sample.len() - 1);
        let whole = covering(sample.iter().copied());
        let mut best = (f64::INFINITY, 0);
        for edge in 0..4 {
            self.keys.clear();
            self.keys.extend((0..).zip(&sample).map(|(number, aabb)| by_value(aabb[edge], number)));
            self.keys.select_nth_unstable(middle);
            let (lower, upper) = self.keys.split_at(middle);
            let cost = [lower, upper].map(|half| {
                let bounds = covering(half.iter().map(|&key| sample[number_of(key) as usize]));
                half.len() as f64 * self.chance(&bounds, &whole)
            });
            let cost = cost[0] + cost[1];
            if cost < best.0 {
                best = (cost, edge);
            }
        }
        best.1
    }

    /// A measure of how many of the boxes that overlap `whole` overlap a part of it, for three
    /// kinds of boxes: those as high as `whole`, for which the part's share of the width counts;
    /// those as wide, for which its share of the height does; and those of the typical size.
    fn chance(&self, part: &RawAabb, whole: &RawAabb) -> f64 {
        let ([width, height], [whole_width, whole_height]) = (sides(part), sides(whole));
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 1.0 };
        let typical = |part: f64, whole: f64| share(part + self.typical_side, whole + self.typical_side);
        share(width, whole_width)
            + share(height, whole_height)
            + typical(width, whole_width) * typical(height, whole_height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::overlaps;
    use triphase_scenes::SplitMix64;

    fn records_of(boxes: &[RawAabb]) -> Vec<BodyRecord> {
        (0..).zip(boxes).map(|(row, &aabb)| BodyRecord { aabb, row }).collect()
    }

    /// How many leaves of sixteen some boxes touch in the mean.
    fn leaves_touched(records: &[BodyRecord], others: &[RawAabb]) -> f64 {
        let leaves: Vec<_> = records.chunks(16).map(|leaf| covering(leaf.iter().map(|record| record.aabb))).collect();
        let touched = |aabb: &RawAabb| leaves.iter().filter(|leaf| overlaps(leaf, aabb)).count();
        others.iter().map(touched).sum::<usize>() as f64 / others.len() as f64
    }

    /// Boxes at random places in a square of 1,000, and how many leaves of them others touch there.
    fn touched(size: impl Fn(usize) -> [f32; 2], other: [f32; 2]) -> f64 {
        let mut random = SplitMix64::new(3);
        let mut around = |[width, height]: [f32; 2]| {
            let [x, y] = random.point(0.0, 1000.0);
            [x - width / 2.0, y - height / 2.0, x + width / 2.0, y + height / 2.0]
        };
        let boxes: Vec<_> = (0..4096).map(|k| around(size(k))).collect();
        let others: Vec<_> = (0..500).map(|_| around(other)).collect();
        let mut records = records_of(&boxes);
        sort_alike(&mut records);
        leaves_touched(&records, &others)
    }

    #[test]
    fn searches_touch_few_leaves() {
        // In the mean, a point is in 46 or 184 of the large boxes: three or twelve leaves.
        let few_large = touched(|k| if k.is_multiple_of(8) { [300.0; 2] } else { [1.0; 2] }, [0.0; 2]);
        let half_large = touched(|k| if k.is_multiple_of(2) { [300.0; 2] } else { [1.0; 2] }, [0.0; 2]);
        // If only points were expected, walls would be divided on y alone.
        let walls = touched(|_| [100.0, 1.0], [1.0, 200.0]);
        assert!(few_large < 9.0 && half_large < 19.0, "{few_large} {half_large}");
        assert!(walls < 18.0, "{walls}");
        // All are longer than the square, so only places across them count, not lengths.
        let length = |k: usize| 2000.0 + 10.0 * (37 * k % 1800) as f32;
        let lines = touched(|k| if k.is_multiple_of(2) { [length(k), 0.1] } else { [0.1, length(k)] }, [0.0; 2]);
        assert!(lines < 4.0, "{lines}");
    }

    #[test]
    fn groups_are_whole_and_order_depends_on_boxes_alone() {
        let mut random = SplitMix64::new(4);
        for count in [0, 1, 16, 17, 255, 257, 4096, 4097, 9000] {
            let mut point = || random.point(0.0, 8.0).map(f32::floor);
            let boxes: Vec<_> = (0..count).map(|_| point()).map(|[x, y]| [x, y, x + 1.0, y + 2.0]).collect();
            let mut records = records_of(&boxes);
            sort_alike(&mut records);
            let mut rows: Vec<u32> = records.iter().map(|record| record.row).collect();
            assert!(records.iter().all(|record| record.aabb == boxes[record.row as usize]));
            assert!(rows.chunks(16).all(|leaf| leaf.is_sorted()), "{count}: leaves keep the order of rows");
            rows.sort_unstable();
            assert!(rows.into_iter().eq(0..count), "{count}");
        }
    }

    #[test]
    fn both_axes_are_halved_where_extents_overflow() {
        let mut random = SplitMix64::new(5);
        let boxes: Vec<_> = (0..1024).map(|_| random.point(-3e38, 3e38)).map(|[x, y]| [x, y, x, y]).collect();
        let mut records = records_of(&boxes);
        sort_alike(&mut records);
        for line in [[-3e38, 0.0, 3e38, 0.0], [0.0, -3e38, 0.0, 3e38]] {
            let touched = leaves_touched(&records, &[line]);
            assert!(touched <= 24.0, "{touched} of 64");
        }
    }
}
