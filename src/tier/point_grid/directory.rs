//! Which bands a question has to look at: a few numbers a band, apart from the bands themselves.
//!
//! D1: bands of a class divide one axis, y in their own orientation. `lows` are at most the lowest lower edge of a band
//!     and all behind it, `highs` at least the highest upper edge of a band and all before it: both ascend, so the bands
//!     that an interval may meet are found by two searches.
//! D2: bands without bodies may be among those.

use crate::geometry::{RawAabb, overlaps, union};
use crate::memory::buffers::reserve_like;
use crate::tier::point_grid::bands::BandSlot;
use std::ops::Range;

/// The bands of a class.
#[derive(Clone, Debug)]
pub(super) struct ClassBands {
    pub(super) slots: Range<usize>,
    /// Its boxes have x and y exchanged.
    pub(super) transposed: bool,
    /// Covers all boxes, in the orientation of the class.
    pub(super) bounds: RawAabb,
}

/// Of all classes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Directory {
    classes: Vec<ClassBands>,
    /// By slot (D1).
    lows: Vec<f32>,
    highs: Vec<f32>,
}

/// Covers nothing.
const NOTHING: RawAabb = [f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY];

impl Directory {
    /// Notes the classes; what follows of bands is to be had after [`finish`](Self::finish).
    pub(super) fn lay_out(&mut self, classes: impl Iterator<Item = (Range<usize>, bool)>) {
        self.classes.clear();
        self.classes.extend(classes.map(|(slots, transposed)| ClassBands { slots, transposed, bounds: NOTHING }));
    }

    /// Reads the bounds of the bands once they are built.
    pub(super) fn finish(&mut self, slots: &[BandSlot]) {
        self.lows.clear();
        self.lows.resize(slots.len(), f32::INFINITY);
        self.highs.clear();
        self.highs.resize(slots.len(), f32::NEG_INFINITY);
        for class in &mut self.classes {
            let held = |k: usize| Some(slots[k].band.bounds).filter(|_| slots[k].band.population > 0);
            class.bounds = class.slots.clone().filter_map(held).fold(NOTHING, |all, bounds| union(&all, &bounds));
            let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
            for k in class.slots.clone() {
                high = high.max(held(k).map_or(high, |bounds| bounds[3]));
                self.highs[k] = high;
            }
            for k in class.slots.clone().rev() {
                low = low.min(held(k).map_or(low, |bounds| bounds[1]));
                self.lows[k] = low;
            }
        }
    }

    /// Classes with bodies.
    #[inline]
    pub(super) fn classes(&self) -> impl Iterator<Item = &ClassBands> {
        self.classes.iter().filter(|class| class.bounds[0] <= class.bounds[2])
    }

    /// One class after the other; those without bodies meet nothing.
    #[inline]
    pub(super) fn class(&self, number: usize) -> Option<&ClassBands> {
        self.classes.get(number)
    }

    /// The slots of a class whose bodies may overlap an area in the class's orientation.
    #[inline]
    pub(super) fn met(&self, class: &ClassBands, area: &RawAabb) -> Range<usize> {
        if !overlaps(&class.bounds, area) {
            return 0..0;
        }
        let Range { start, end } = class.slots;
        let first = start + count(&self.highs[start..end], |high| high < area[1]);
        first..start + count(&self.lows[start..end], |low| low <= area[3])
    }

    /// The slot of a class where bodies that begin at `y` are filed, or one beside it.
    pub(super) fn home(&self, class: &ClassBands, y: f32) -> usize {
        let Range { start, end } = class.slots;
        (start + count(&self.lows[start..end], |low| low <= y)).max(start + 1) - 1
    }

    /// How far bodies of the slot and all before it are from `y` at least.
    pub(super) fn below(&self, slot: usize, y: f32) -> f64 {
        (f64::from(y) - f64::from(self.highs[slot])).max(0.0)
    }

    /// How far bodies of the slot and all behind it are from `y` at least.
    pub(super) fn above(&self, slot: usize, y: f32) -> f64 {
        (f64::from(self.lows[slot]) - f64::from(y)).max(0.0)
    }

    pub(super) fn bytes(&self) -> usize {
        self.classes.capacity() * size_of::<ClassBands>()
            + (self.lows.capacity() + self.highs.capacity()) * size_of::<f32>()
    }

    pub(super) fn reserve_like(&mut self, other: &Self) {
        reserve_like(&mut self.classes, &other.classes);
        reserve_like(&mut self.lows, &other.lows);
        reserve_like(&mut self.highs, &other.highs);
    }

    pub(super) fn shrink_to_fit(&mut self) {
        self.classes.shrink_to_fit();
        self.lows.shrink_to_fit();
        self.highs.shrink_to_fit();
    }
}

/// How many of ascending numbers come before the first that does not satisfy `test`. All are looked at: of a few dozen
/// that is faster than halving, whose branches nobody can predict.
#[inline]
fn count(numbers: &[f32], test: impl Fn(f32) -> bool) -> usize {
    const MANY: usize = 256;
    if numbers.len() > MANY {
        return numbers.partition_point(|&number| test(number));
    }
    numbers.iter().map(|&number| u32::from(test(number))).sum::<u32>() as usize
}
