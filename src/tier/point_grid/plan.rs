//! The plan of a step: its size classes, and the bands of each.

use crate::geometry::RawAabb;
use crate::geometry::band_box::BandAxes;
use crate::memory::buffers::{buffers, plain_buffers};
use crate::memory::radix::FloatSort;
use crate::tier::point_grid::band_borders::BandBorders;
use crate::tier::point_grid::destinations::Destinations;
use crate::tier::point_grid::size_classes::size_sample::longest_side;
use std::ops::Range;

/// A strip with this many times its share of the bodies is divided across.
const HEAVY: usize = 2;

/// Least distance of borders, of strips and of the bands across a strip, as a multiple of the mean
/// side of bodies: many bodies of other bands would reach into a thinner one.
const SIDES_APART: f32 = 12.0;

/// If borders that are so far apart leave fewer bands than this share of those that are wanted,
/// they may be at any distance.
const BANDS_KEPT: f64 = 0.75;

/// A size class: a point grid for bodies up to a size.
///
/// Borders divide one axis into strips. A strip is a band, unless so many bodies begin at about one
/// coordinate that borders cannot part them: then it is divided into bands across the other axis.
#[derive(Debug, Default)]
pub(super) struct SizeClass {
    /// The longest sides of a box that it takes, along x and y, in world units.
    pub(super) sides_max: [f32; 2],
    /// The longest side of its members in the sample.
    pub(super) sampled_side: f32,
    /// Exchanged if its strips divide x instead of y.
    pub(super) axes: BandAxes,
    /// The borders of the strips.
    pub(super) borders: BandBorders,
    /// By strip; empty if each strip is a band.
    strips: Vec<Strip>,
    /// The borders of the divided strips; there may be unused ones after them.
    across: Vec<BandBorders>,
    /// Index of its first band among the bands of all classes.
    pub(super) first_band: usize,
    band_count: usize,
}

/// The bands of a strip.
#[derive(Clone, Copy, Debug, Default)]
struct Strip {
    /// Its first band, among those of the class.
    first: u32,
    /// The position of its borders in `across`, or [`UNDIVIDED`].
    across: u32,
}

const UNDIVIDED: u32 = u32::MAX;

plain_buffers!(Strip);
buffers!(SizeClass {
    leveled: borders, strips, across;
    own: ;
    plain: sides_max, sampled_side, axes, first_band, band_count;
});

impl SizeClass {
    /// Whether neither side of a box is too long for it.
    #[inline(always)]
    pub(super) fn takes(&self, [x0, y0, x1, y1]: &RawAabb) -> bool {
        let [width, height] = self.sides_max;
        (x1 - x0 <= width) & (y1 - y0 <= height)
    }

    /// The axis that its strips divide: 0 for x, 1 for y.
    #[inline(always)]
    pub(super) fn axis(&self) -> usize {
        if self.axes.is_exchanged() { 0 } else { 1 }
    }

    /// Indices of its bands.
    pub(super) fn bands(&self) -> Range<usize> {
        self.first_band..self.first_band + self.band_count
    }

    /// Whether a strip is divided.
    #[inline(always)]
    pub(super) fn is_divided(&self) -> bool {
        !self.strips.is_empty()
    }

    /// The bands of a strip that contain coordinates from `low` to `high` across it.
    #[inline(always)]
    pub(super) fn bands_across(&self, strip: usize, [low, high]: [f32; 2]) -> Range<usize> {
        let Some(&Strip { first, across }) = self.strips.get(strip) else {
            return self.first_band + strip..self.first_band + strip + 1;
        };
        let first = self.first_band + first as usize;
        let Some(borders) = self.across.get(across as usize) else { return first..first + 1 };
        first + borders.band(low)..first + borders.band(high) + 1
    }

    /// Calls `visit` with the bands of some strips that contain the coordinates `across` these.
    #[inline(always)]
    pub(super) fn visit_bands(
        &self,
        strips: Range<usize>,
        across: impl FnOnce() -> [f32; 2],
        visit: &mut impl FnMut(Range<usize>),
    ) {
        if self.is_divided() {
            let across = across();
            strips.for_each(|strip| visit(self.bands_across(strip, across)));
        } else if !strips.is_empty() {
            visit(self.first_band + strips.start..self.first_band + strips.end);
        }
    }

    /// Divides the class into about `bands` bands of equal population.
    fn divide(&mut self, members: &[RawAabb], bands: usize, buffers: &mut DivisionBuffers) {
        let axis = self.axis();
        let side = |aabb: &RawAabb, axis: usize| aabb[axis + 2] - aabb[axis];
        let mean = |axis: usize| members.iter().map(|aabb| side(aabb, axis)).sum::<f32>() / members.len() as f32;
        let least = if bands < 2 { [0.0; 2] } else { [axis, 1 - axis].map(|axis| SIDES_APART * mean(axis)) };
        self.divide_apart(members, bands, least, buffers);
        if (self.band_count as f64) < BANDS_KEPT * bands.min(members.len()) as f64 {
            self.divide_apart(members, bands, [0.0; 2], buffers);
        }
    }

    /// As [`divide`](Self::divide), with borders at least so far apart: those of strips, and those
    /// across a strip.
    fn divide_apart(
        &mut self,
        members: &[RawAabb],
        bands: usize,
        [least, least_across]: [f32; 2],
        DivisionBuffers { edges, sort, counts }: &mut DivisionBuffers,
    ) {
        let axis = self.axis();
        edges.clear();
        if bands > 1 {
            edges.extend(members.iter().map(|aabb| aabb[axis]));
            sort.sort(edges);
        }
        self.borders.rebuild(edges, bands, least);
        self.band_count = self.borders.band_count();
        self.strips.clear();
        if bands < 2 || self.band_count + 1 >= bands {
            return;
        }
        // Bodies at about one coordinate left fewer strips than bands. Counts the members of each.
        counts.clear();
        counts.resize(self.band_count, 0);
        members.iter().for_each(|aabb| counts[self.borders.band(aabb[axis])] += 1);
        let is_heavy = |count: u32| count as usize * bands >= HEAVY * members.len();
        if !counts.iter().any(|&count| is_heavy(count)) {
            return;
        }
        let (mut next, mut divided) = (0, 0);
        for (strip, &count) in counts.iter().enumerate() {
            let parts = (count as usize * bands + members.len() / 2) / members.len();
            let mut across = UNDIVIDED;
            let first = next;
            next += 1;
            if is_heavy(count) {
                edges.clear();
                let inside = members.iter().filter(|aabb| self.borders.band(aabb[axis]) == strip);
                edges.extend(inside.map(|aabb| aabb[1 - axis]));
                sort.sort(edges);
                if self.across.len() == divided {
                    self.across.push(BandBorders::default());
                }
                self.across[divided].rebuild(edges, parts, least_across);
                across = divided as u32;
                next += self.across[divided].band_count() as u32 - 1;
                divided += 1;
            }
            self.strips.push(Strip { first, across });
        }
        self.band_count = next as usize;
    }
}

/// Buffers of the division of a class.
#[derive(Debug, Default)]
pub(super) struct DivisionBuffers {
    /// Lower edges of the members.
    edges: Vec<f32>,
    sort: FloatSort,
    /// Members in each strip.
    counts: Vec<u32>,
}

buffers!(DivisionBuffers { leveled: edges, sort, counts; own: ; plain: ; });

/// Size classes, smallest first, and the bands of each.
#[derive(Debug, Default)]
pub(super) struct GridPlan {
    /// There may be unused ones after them.
    classes: Vec<SizeClass>,
    class_count: usize,
    band_count: usize,
}

buffers!(GridPlan { leveled: classes; own: ; plain: class_count, band_count; });

impl GridPlan {
    pub(super) fn classes(&self) -> &[SizeClass] {
        &self.classes[..self.class_count]
    }

    /// The axes of the bands of the smallest class.
    pub(super) fn smallest_axes(&self) -> BandAxes {
        self.classes().first().map_or_else(BandAxes::default, |class| class.axes)
    }

    /// Where its rows are filed.
    pub(super) fn destinations(&self) -> Destinations {
        Destinations { bands: self.band_count }
    }

    /// Removes all classes, and keeps their memory.
    pub(super) fn clear(&mut self) {
        (self.class_count, self.band_count) = (0, 0);
    }

    /// Adds a class for boxes up to these sides, of which a sample is given, and divides it into
    /// about `bands` bands.
    pub(super) fn add_class(
        &mut self,
        sides_max: [f32; 2],
        axes: BandAxes,
        members: &[RawAabb],
        bands: usize,
        buffers: &mut DivisionBuffers,
    ) {
        if self.classes.len() == self.class_count {
            self.classes.push(SizeClass::default());
        }
        let class = &mut self.classes[self.class_count];
        (class.sides_max, class.axes, class.first_band) = (sides_max, axes, self.band_count);
        class.sampled_side = members.iter().map(longest_side).fold(0.0, f32::max);
        class.divide(members, bands, buffers);
        self.band_count += class.band_count;
        self.class_count += 1;
    }
}
