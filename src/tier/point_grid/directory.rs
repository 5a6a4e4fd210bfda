//! Which bands a query has to search: a few numbers for each band, apart from the bands.
//!
//! DIRECTORY-1: the strips of a class, each of one band or of several, divide one axis, y in the
//! axes of the bands. `lows` are at most the lowest lower edge in a band and in all bands after it;
//! `highs` are at least the highest upper edge in a band and in all bands before it. Both ascend,
//! so two searches find the bands that an interval may touch. Some of those may have no bodies.

use crate::geometry::band_box::{BandAxes, BandBox};
use crate::memory::buffers::{buffers, clone_in_place, plain_buffers};
use crate::tier::point_grid::band::slot::BandSlot;
use std::ops::Range;

/// Up to this many numbers are all compared, which is faster than a binary search with its
/// unpredictable branches; more are searched.
const COMPARED_MAX: usize = 256;

/// The bands of a size class.
#[derive(Clone, Debug)]
pub(crate) struct ClassBands {
    /// Indices of its bands.
    pub(crate) slots: Range<usize>,
    pub(super) axes: BandAxes,
    /// The longest sides of a box that it takes, along x and y.
    pub(crate) sides_max: [f32; 2],
    /// The longest side of its bodies in the sample that the plan was made of.
    pub(crate) sampled_side: f32,
    /// Covers all bodies; `None` if there are none, or the bands are not built.
    pub(super) bounds: Option<BandBox>,
}

/// The extents of all bands, by class.
#[derive(Debug, Default)]
pub(super) struct BandDirectory {
    classes: Vec<ClassBands>,
    /// By band (DIRECTORY-1).
    lows: Vec<f32>,
    highs: Vec<f32>,
}

plain_buffers!(ClassBands);
buffers!(BandDirectory { leveled: classes, lows, highs; own: ; plain: ; });
clone_in_place!(BandDirectory { classes, lows, highs });

impl BandDirectory {
    /// Notes the classes, whose bands are not built yet.
    pub(super) fn lay_out(&mut self, classes: impl Iterator<Item = ClassBands>) {
        self.classes.clear();
        self.classes.extend(classes);
    }

    /// Reads the bounds of the bands once these are built.
    pub(super) fn finish(&mut self, slots: &[BandSlot]) {
        self.lows.clear();
        self.lows.resize(slots.len(), f32::INFINITY);
        self.highs.clear();
        self.highs.resize(slots.len(), f32::NEG_INFINITY);
        for class in &mut self.classes {
            let bounds_of = |k: usize| (slots[k].population() > 0).then(|| slots[k].band.bounds());
            class.bounds = class.slots.clone().filter_map(bounds_of).reduce(|all, bounds| all.union(&bounds));
            let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
            for k in class.slots.clone() {
                high = high.max(bounds_of(k).map_or(high, |bounds| bounds.edges()[3]));
                self.highs[k] = high;
            }
            for k in class.slots.clone().rev() {
                low = low.min(bounds_of(k).map_or(low, |bounds| bounds.edges()[1]));
                self.lows[k] = low;
            }
        }
    }

    /// All classes, smallest first.
    #[inline]
    pub(super) fn classes(&self) -> &[ClassBands] {
        &self.classes
    }

    /// The bands of a class whose bodies may overlap an area.
    #[inline]
    pub(super) fn slots_overlapping(&self, class: &ClassBands, area: &BandBox) -> Range<usize> {
        if !class.bounds.is_some_and(|bounds| bounds.overlaps(area)) {
            return 0..0;
        }
        let (Range { start, end }, [_, area_low, _, area_high]) = (class.slots.clone(), *area.edges());
        let first = start + count(&self.highs[start..end], |high| high < area_low);
        first..start + count(&self.lows[start..end], |low| low <= area_high)
    }

    /// The band of a class in which bodies that begin at `y` are filed, or one near it.
    pub(super) fn home(&self, class: &ClassBands, y: f32) -> usize {
        let Range { start, end } = class.slots;
        (start + count(&self.lows[start..end], |low| low <= y)).max(start + 1) - 1
    }

    /// The least distance along y from `y` to bodies of a band and of all bands before it.
    pub(super) fn below(&self, slot: usize, y: f32) -> f64 {
        (f64::from(y) - f64::from(self.highs[slot])).max(0.0)
    }

    /// The least distance along y from `y` to bodies of a band and of all bands after it.
    pub(super) fn above(&self, slot: usize, y: f32) -> f64 {
        (f64::from(self.lows[slot]) - f64::from(y)).max(0.0)
    }
}

/// How many of some ascending numbers come before the first that fails `test`.
#[inline]
fn count(numbers: &[f32], test: impl Fn(f32) -> bool) -> usize {
    if numbers.len() > COMPARED_MAX {
        return numbers.partition_point(|&number| test(number));
    }
    numbers.iter().map(|&number| u32::from(test(number))).sum::<u32>() as usize
}
