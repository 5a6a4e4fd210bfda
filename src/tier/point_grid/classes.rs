//! Which sizes share a point grid.
//!
//! One grid suits sizes within a factor of a few: its cells must be as wide as its largest box, and a small body is tested
//! against all who share them. A second grid costs a search of the first for each of its bodies. Whether that pays is
//! estimated, in nanoseconds, from the sample: classes are added, the best place for a border first, while the estimate
//! falls.

use crate::geometry::RawAabb;
use crate::tier::point_grid::axis::SLACK;
use crate::tier::point_grid::plan::{Wishes, longest_side};
use smallvec::SmallVec;

/// Ends of classes, ascending: the longest side that each takes.
pub(crate) type Ends = SmallVec<[f32; 8]>;

/// Rows of the sample that are weighed: what is rarer than one in so many is oversized if it is larger.
const THINNED: usize = 256;

/// Most classes that are chosen; more than four have not been seen to pay.
const CLASSES_MAX: usize = 4;

/// Places for a border that are tried, evenly over the sample from its largest boxes down.
const PLACES: usize = 24;

/// Sizes within this factor of the median are one class without further thought.
const ALIKE: f32 = 3.0;

/// Above this many times the largest size but a few, a size is an outlier.
const OUTLIER: f32 = 8.0;

/// Estimated costs in nanoseconds: a vector of tests, a search of a grid, a run of it, an oversized body and a test of it.
const ROUND_NS: f64 = 2.5;
const SEARCH_NS: f64 = 40.0;
const RUN_NS: f64 = 4.0;
const OVERSIZED_NS: f64 = 110.0;
const TEST_NS: f64 = 1.5;
/// What a class costs however few it holds.
const CLASS_NS: f64 = 20_000.0;
const LANES: f64 = 8.0;

/// The largest class holds at least one body in so many: below, a grid of its own is not worth having.
const RARE: usize = 64;

/// A class or the oversized rest must promise to save this share of the estimate.
const WORTH: f64 = 0.95;

/// The end of the one class of a sample whose sizes are much alike; `None` when there is more to think about. `sides` is a
/// buffer.
pub(crate) fn alike(sample: &[RawAabb], sides: &mut Vec<f32>) -> Option<Ends> {
    sides.clear();
    sides.extend(sample.iter().map(longest_side));
    let largest = sides.iter().fold(0.0, |most: f32, &side| most.max(side));
    let middle = sides.len() / 2;
    let (_, &mut median, _) = (!sides.is_empty()).then(|| sides.select_nth_unstable_by(middle, f32::total_cmp))?;
    (largest <= ALIKE * median).then(|| Ends::from_slice(&[beyond(largest)]))
}

/// Room above the largest size of a sample for rows that were not sampled. Finite: a box without end is oversized.
fn beyond(largest: f32) -> f32 {
    (largest * 1.5).min(f32::MAX)
}

/// Ends of the classes for a sample sorted by longest side. Boxes beyond the last end are oversized.
pub(crate) fn choose(sorted: &[RawAabb], population: usize, wishes: Wishes<'_>, order: &mut Vec<u32>) -> Ends {
    let Wishes { bounds, oversized } = wishes;
    if !bounds.is_empty() {
        return given(sorted, bounds);
    }
    if sorted.is_empty() {
        // Nothing to go by.
        return Ends::from_slice(&[f32::MAX]);
    }
    let sample = Sample::new(sorted, population, order);
    let mut borders = Borders::new();
    borders.push(sample.rows.len());
    let mut best = sample.cost(&borders);
    while borders.len() < CLASSES_MAX {
        let Some((cost, better)) = sample.best_extension(&borders, oversized) else { break };
        if cost > best * WORTH {
            break;
        }
        (best, borders) = (cost, better);
    }
    ends(&sample.rows, &borders)
}

/// Ends at the caller's bounds: twice the half-extent, and what rounding may add to a box at the sample's coordinates.
fn given(sorted: &[RawAabb], bounds: &[f32]) -> Ends {
    let far = sorted.iter().flatten().fold(0.0f32, |far, edge| far.max(edge.abs()));
    bounds.iter().map(|bound| (2.0 * bound + far * f32::EPSILON * 2.0).min(f32::MAX)).collect()
}

/// Where classes end in the sorted sample. What lies beyond the last is oversized.
type Borders = SmallVec<[usize; CLASSES_MAX]>;

fn ends(rows: &[Sampled], borders: &Borders) -> Ends {
    let end = |&border: &usize| {
        let inside = rows[border - 1].side;
        // Between the neighbours, so that rows that were not sampled fall on the right side.
        match rows.get(border) {
            Some(outside) => (inside * 1.25).min(inside + (outside.side - inside) * 0.5).min(f32::MAX),
            None => beyond(inside),
        }
    };
    borders.iter().map(end).collect()
}

/// A row of the thinned sample.
#[derive(Clone, Copy)]
struct Sampled {
    side: f32,
    /// Which part of the world it is in.
    part: u8,
}

/// Parts along an axis.
const PARTS: usize = 4;

/// Something for each part of the world.
type Parts<T> = [T; PARTS * PARTS];

struct Sample {
    /// By ascending side.
    rows: SmallVec<[Sampled; THINNED]>,
    /// Bodies per row.
    weight: f64,
    areas: Parts<f64>,
}

impl Sample {
    /// Thins the sorted sample and divides the world into parts of equal population: strips by y, each cut by x. So each
    /// part tells how dense it is, and which sizes meet there.
    fn new(sorted: &[RawAabb], population: usize, order: &mut Vec<u32>) -> Self {
        let count = sorted.len().min(THINNED);
        let thinned = |k: usize| &sorted[(2 * k + 1) * sorted.len() / (2 * count)];
        let mut rows: SmallVec<[Sampled; THINNED]> =
            (0..count).map(|k| Sampled { side: longest_side(thinned(k)), part: 0 }).collect();
        let mut areas = [f64::MIN_POSITIVE; PARTS * PARTS];
        let edge = |k: u32, axis: usize| thinned(k as usize)[axis];
        order.clear();
        order.extend(0..count as u32);
        order.sort_unstable_by(|&a, &b| edge(a, 1).total_cmp(&edge(b, 1)));
        for (i, strip) in order.chunks_mut(count.div_ceil(PARTS)).enumerate() {
            let height = f64::from(edge(strip[strip.len() - 1], 1)) - f64::from(edge(strip[0], 1));
            strip.sort_unstable_by(|&a, &b| edge(a, 0).total_cmp(&edge(b, 0)));
            for (j, part) in strip.chunks(strip.len().div_ceil(PARTS)).enumerate() {
                let width = f64::from(edge(part[part.len() - 1], 0)) - f64::from(edge(part[0], 0));
                let number = i * PARTS + j;
                areas[number] = (width * height).max(f64::MIN_POSITIVE);
                part.iter().for_each(|&row| rows[row as usize].part = number as u8);
            }
        }
        Self { rows, weight: population as f64 / count as f64, areas }
    }

    /// The best of all ways to add one border, or to make the last class oversized; without `oversized`, only if that
    /// makes few so.
    fn best_extension(&self, borders: &Borders, oversized: bool) -> Option<(f64, Borders)> {
        let len = self.rows.len();
        let places = (0..PLACES).map(|k| {
            // Dense near the largest: 1, 2, 3, 5 … rows from the end.
            let from_end = ((len as f64).powf((k + 1) as f64 / (PLACES + 1) as f64)) as usize;
            len - from_end.clamp(1, len)
        });
        let mut best: Option<(f64, Borders)> = None;
        for place in places.filter(|&place| place > 0 && !borders.contains(&place)) {
            let mut split = borders.clone();
            split.push(place);
            split.sort_unstable();
            // What lies beyond the new border may also be oversized altogether.
            let cut: Borders = split.iter().copied().filter(|&border| border <= place).collect();
            // Few large ones are what tier 2 is for.
            let last = split.len().checked_sub(2).map_or(0, |before| split[before]);
            let rare = (split[split.len() - 1] - last) * RARE < len;
            let cuts = oversized || (len - place) * RARE < len;
            let (split, cut) = (Some(split).filter(|_| !rare || !cuts), Some(cut).filter(|_| cuts));
            for candidate in [split, cut].into_iter().flatten() {
                let cost = self.cost(&candidate);
                if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                    best = Some((cost, candidate));
                }
            }
        }
        best
    }

    /// Estimated nanoseconds of a step per row of the sample, beyond what every layout costs.
    fn cost(&self, borders: &Borders) -> f64 {
        let mut cost = 0.0;
        let mut from = 0;
        for &to in borders {
            if to > from {
                cost += self.class_cost(from, to);
            }
            from = to;
        }
        cost + self.oversized_cost(from)
    }

    /// How many of some rows are in each part, the largest of them there, and bodies per area.
    fn by_part(&self, rows: &[Sampled]) -> Parts<(f64, f64, f64)> {
        let mut parts = [(0.0, 0.0f64, 0.0); PARTS * PARTS];
        for row in rows {
            let (members, side, _) = &mut parts[usize::from(row.part)];
            *members += 1.0;
            *side = side.max(f64::from(row.side));
        }
        // Too few to tell where they are dense: anywhere.
        let few = rows.len() < parts.len();
        let overall = rows.len() as f64 * self.weight / self.areas.iter().sum::<f64>();
        for ((members, _, density), area) in parts.iter_mut().zip(self.areas) {
            *density = if few { overall } else { *members * self.weight / area };
        }
        parts
    }

    /// The rest with itself: a search each, and a test for everything near.
    fn oversized_cost(&self, from: usize) -> f64 {
        let rest = &self.rows[from..];
        let parts = self.by_part(rest);
        let cost = |row: &Sampled| {
            let (_, _, density) = parts[usize::from(row.part)];
            OVERSIZED_NS + (3.0 * f64::from(row.side)).powi(2) * density * TEST_NS
        };
        rest.iter().map(cost).sum()
    }

    /// A class with itself, and searched for everything larger that is in the same part.
    fn class_cost(&self, from: usize, to: usize) -> f64 {
        let members = &self.rows[from..to];
        // A few that are far larger than the rest stand for many more that were not sampled, anywhere.
        let (largest, usual) = (members[members.len() - 1].side, members[members.len() - 1 - members.len() / 64].side);
        let anywhere = if largest > OUTLIER * usual { f64::from(largest) } else { 0.0 };
        let parts = self.by_part(members).map(|(members, side, density)| {
            let cell = (side.max(anywhere) * f64::from(SLACK)).max((2.8 / density).sqrt());
            (members, cell, cell * cell * density)
        });
        let own = |&(members, _, held): &(f64, f64, f64)| {
            if members == 0.0 {
                return 0.0;
            }
            members * ROUND_NS * ((1.5 * held / LANES).max(1.0) + (3.0 * held / LANES).max(1.0))
        };
        let search = |row: &Sampled| {
            let (members, cell, held) = parts[usize::from(row.part)];
            if members == 0.0 {
                return SEARCH_NS;
            }
            let across = f64::from(row.side) / cell + 2.0;
            SEARCH_NS + across * (RUN_NS + ROUND_NS * across * held / LANES)
        };
        let bodies = parts.iter().map(own).sum::<f64>() + self.rows[to..].iter().map(search).sum::<f64>();
        bodies + CLASS_NS / self.weight
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANY: Wishes<'_> = Wishes { bounds: &[], oversized: true };

    fn sorted_squares(sides: impl Iterator<Item = f32>) -> Vec<RawAabb> {
        let mut state = 7u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as f32 / (1 << 24) as f32
        };
        let mut boxes: Vec<RawAabb> = sides
            .map(|side| [random() * 400.0, random() * 400.0, side])
            .map(|[x, y, side]| [x, y, x + side, y + side])
            .collect();
        boxes.sort_by(|a, b| longest_side(a).total_cmp(&longest_side(b)));
        boxes
    }

    #[test]
    fn alike_sizes_are_one_class() {
        let boxes = sorted_squares((0..1000).map(|k| 0.7 + 0.3 * (k as f32 / 1000.0)));
        assert!(alike(&boxes, &mut Vec::new()).is_some());
        assert_eq!(choose(&boxes, 100_000, ANY, &mut Vec::new()).len(), 1);
    }

    #[test]
    fn a_few_dragons_do_not_widen_the_cells() {
        let boxes = sorted_squares((0..1000).map(|k| if k < 3 { 30.0 } else { 1.0 }));
        let ends = choose(&boxes, 100_000, ANY, &mut Vec::new());
        assert!((1.0..2.0).contains(&ends[0]), "{ends:?}");
    }

    #[test]
    fn widely_spread_sizes_are_several_classes() {
        let boxes = sorted_squares((0..1000).map(|k| 0.01 * 10f32.powf(k as f32 / 250.0)));
        assert!(choose(&boxes, 100_000, ANY, &mut Vec::new()).len() >= 2);
    }

    #[test]
    fn given_bounds_hold_boxes_of_just_that_size() {
        let boxes = sorted_squares((0..1000).map(|_| 1.0));
        let ends = choose(&boxes, 1000, Wishes { bounds: &[0.5, 3.0], ..ANY }, &mut Vec::new());
        assert_eq!(ends.len(), 2);
        assert!(boxes.iter().all(|aabb| longest_side(aabb) <= ends[0]));
    }

    #[test]
    fn only_few_are_left_over_where_no_tier_takes_them() {
        // A class of large ones in a world of small ones: tier 2 would be cheaper.
        for share in [2, 20, 200] {
            let boxes = sorted_squares((0..4000).map(|k| if k % share == 0 { 50.0 + k as f32 * 0.1 } else { 0.1 }));
            let ends = choose(&boxes, 100_000, Wishes { oversized: false, ..ANY }, &mut Vec::new());
            let left = boxes.iter().filter(|aabb| longest_side(aabb) > ends[ends.len() - 1]).count();
            assert!(left * RARE < boxes.len(), "{left} of one in {share} are left over: {ends:?}");
        }
    }
}
