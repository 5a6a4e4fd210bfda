//! Estimates how many bands bodies reach into, from a sample.

use crate::geometry::RawAabb;
use crate::memory::radix::{total_order_key, value_of_key};
use crate::tier::point_grid::extremes::Extremes;
use smallvec::SmallVec;

/// Rows of the sample that borders are taken from, and that are counted.
const SAMPLE: usize = 256;

/// One axis is better than the other if there are fewer ghosts along it by this factor, or if the
/// other has fewer borders by it.
const FEWER: usize = 2;

/// A class this many times as wide as high is wide.
const WIDE: f64 = 16.0;

/// With at most one ghost for this many rows, another axis is not worth looking for.
const WORTH_ONE_IN: usize = 16;

/// The borders of the bands of a class, if they divide an axis.
pub(super) struct Strips {
    axis: usize,
    borders: SmallVec<[f32; SAMPLE]>,
}

impl Strips {
    /// Divides some boxes into bands of equal population; `bands_for` is the number of bands for a
    /// number of boxes. The plan leaves out some of these borders where boxes are dense, so fewer
    /// are ghosts there than is estimated.
    pub(super) fn new<'a>(
        axis: usize,
        boxes: impl Iterator<Item = &'a RawAabb> + Clone,
        bands_for: impl Fn(usize) -> usize,
    ) -> Self {
        let count = boxes.clone().count();
        let step = count.div_ceil(SAMPLE).max(1);
        let mut lows: SmallVec<[u32; SAMPLE]> = boxes.step_by(step).map(|aabb| total_order_key(aabb[axis])).collect();
        lows.sort_unstable();
        let bands = bands_for(count).min(lows.len());
        Self { axis, borders: (1..bands).map(|band| value_of_key(lows[band * lows.len() / bands])).collect() }
    }

    /// How many bands a box reaches into.
    pub(super) fn reached(&self, aabb: &RawAabb) -> usize {
        let (low, high) = (aabb[self.axis], aabb[self.axis + 2]);
        1 + self.borders.iter().filter(|&&border| low < border && border <= high).count()
    }

    /// Ghosts of some boxes.
    pub(super) fn ghosts<'a>(&self, boxes: impl Iterator<Item = &'a RawAabb>) -> usize {
        boxes.map(|aabb| self.reached(aabb) - 1).sum()
    }

    /// Borders at different coordinates: the others divide nothing.
    fn distinct(&self) -> usize {
        self.borders.chunk_by(|a, b| a == b).count()
    }
}

/// Whether a class is better divided into bands along x than along y.
///
/// In most worlds, which are about as wide as high, it is y. It is x in three cases:
///
/// - y cannot be divided into so many bands, because too many boxes begin at the same coordinates;
/// - there are far fewer ghosts along x. Those of larger bodies count too;
/// - the class is far wider than high, so that the rows of cells in a band would be long, and
///   mostly empty if bodies are in a few places.
pub(super) fn divides_better_by_x(members: &[RawAabb], larger: &[RawAabb], bands: usize) -> bool {
    let counted = || {
        let all = members.iter().chain(larger);
        all.step_by((members.len() + larger.len()).div_ceil(SAMPLE).max(1))
    };
    let along = |axis: usize| Strips::new(axis, members.iter(), |_| bands);
    let y = along(1);
    let (ghosts, few) = (y.ghosts(counted()), counted().count() / WORTH_ONE_IN);
    let divides = |strips: &Strips| strips.distinct() * FEWER >= bands - 1;
    let extremes = Extremes::of(members.iter());
    let is_wide = extremes.extent(0) > WIDE * extremes.extent(1);
    if divides(&y) && ghosts <= few && !is_wide {
        return false;
    }
    let x = along(0);
    if !divides(&x) || !divides(&y) {
        x.distinct() > y.distinct()
    } else if is_wide {
        x.ghosts(counted()) <= ghosts * FEWER + few
    } else {
        x.ghosts(counted()) * FEWER < ghosts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use triphase_scenes::SplitMix64;

    /// Boxes of some size, anywhere in an area.
    fn boxes(count: usize, area: RawAabb, [width, height]: [f32; 2]) -> Vec<RawAabb> {
        let mut random = SplitMix64::new(2);
        let mut at = || [random.range(area[0], area[2]), random.range(area[1], area[3])];
        (0..count).map(|_| at()).map(|[x, y]| [x, y, x + width, y + height]).collect()
    }

    #[test]
    fn bands_divide_y_unless_there_are_far_fewer_ghosts_along_x() {
        let area = [0.0, 0.0, 100.0, 100.0];
        assert!(!divides_better_by_x(&boxes(400, area, [1.0, 1.0]), &[], 10), "squares");
        assert!(!divides_better_by_x(&boxes(400, area, [20.0, 1.0]), &[], 10), "wide ones");
        assert!(divides_better_by_x(&boxes(400, area, [1.0, 20.0]), &[], 10), "tall ones");
        assert!(divides_better_by_x(&boxes(400, area, [0.1, 0.1]), &boxes(400, area, [0.1, 50.0]), 10), "larger");
    }

    #[test]
    fn ghosts_are_those_where_most_boxes_are() {
        // Half of the boxes are so near each other that most borders are there, and the tall ones
        // among them reach over many.
        let mut members = boxes(200, [0.0, 0.0, 100.0, 100.0], [0.1, 0.1]);
        members.extend(boxes(200, [50.0, 50.0, 51.0, 50.01], [0.0, 0.1]));
        assert!(divides_better_by_x(&members, &[], 10));
    }

    #[test]
    fn bands_divide_an_axis_that_can_be_divided() {
        let line = |width, height| boxes(400, [0.0, 0.0, width, height], [1.0, 1.0]);
        assert!(divides_better_by_x(&line(100.0, 0.0), &[], 10));
        assert!(!divides_better_by_x(&line(0.0, 100.0), &[], 10));
        assert!(!divides_better_by_x(&line(0.0, 0.0), &[], 10), "one place");
    }

    #[test]
    fn a_wide_class_is_divided_by_x() {
        let cities = |at: [f32; 2]| {
            let mut members = boxes(200, [0.0, 0.0, 100.0, 100.0], [0.5, 0.5]);
            members.extend(boxes(200, [at[0], at[1], at[0] + 100.0, at[1] + 100.0], [0.5, 0.5]));
            divides_better_by_x(&members, &[], 10)
        };
        assert!(cities([1e6, 0.0]));
        assert!(!cities([0.0, 1e6]) && !cities([1e6, 1e6]));
    }
}
