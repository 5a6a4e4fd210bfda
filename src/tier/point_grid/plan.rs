//! How a step is laid out, decided from a sample of its own rows: classes of size, and bands of equal population.
//!
//! N1: a plan is a pure function of the rows and the settings. It changes what a step costs and the order of its pairs,
//! never which pairs there are.
//!
//! Cost: O(s log s) for a sample of s rows, s at most [`SAMPLE_MAX`].

use crate::geometry::RawAabb;
use crate::input::rows::BoxSource;
use crate::memory::buffers::part_start;
use crate::tier::point_grid::classes;
use crate::tier::point_grid::splitter::Splitter;

/// Rows in a sample: enough for sixty bands of even population, little enough to cost about a percent of a step.
const SAMPLE_MAX: usize = 4096;
const SAMPLE_MIN: usize = 256;

/// Rows of a sample that follow each other: they share cache lines, and waiting for those is what a sample costs.
const GROUP: usize = 8;

/// Members that are looked at to choose the axis that bands divide.
const MEMBERS: usize = 256;

/// One row in so many is looked at, within the limits above.
const SAMPLE_RATE: usize = 128;

/// Fewest bodies in a band: with less, tasks cost more than they share out.
const BAND_MIN: usize = 2048;
/// Most bodies in a band: what a second-level cache holds of records and columns.
const BAND_MAX: usize = 32_768;
/// Bodies in a band per root of all bodies: bands of about ten rows of cells, so that few bodies reach over a border.
const BAND_PER_ROOT: f64 = 22.0;
/// Fewest bands, where bands can have enough bodies: so few workers can share them out evenly.
const BANDS_MIN: usize = 8;

/// Most bands of smaller classes, and further ones of its own, that a body may reach into; with more it is oversized.
/// This bounds the copies that a partition makes.
pub(crate) const VISITS_MAX: usize = 8;

/// A point grid for bodies of up to a size.
#[derive(Debug, Default)]
pub(crate) struct Class {
    /// Longest side of a box that it takes, in world units.
    pub(crate) side_max: f32,
    /// Whether bands divide x instead of y; its bands then hold boxes with x and y exchanged.
    pub(crate) transposed: bool,
    pub(crate) splitter: Splitter,
    /// Number of its first band among the bands of all classes.
    pub(crate) first_band: usize,
}

impl Class {
    /// The axis that its bands divide: 0 for x, 1 for y.
    #[inline(always)]
    pub(crate) fn axis(&self) -> usize {
        if self.transposed { 0 } else { 1 }
    }
}

/// What a plan is asked to respect.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wishes<'a> {
    /// Half-extents at which classes end; empty to find them.
    pub(crate) bounds: &'a [f32],
    /// Whether there is a tier for oversized boxes. Without one, classes take all sizes in the sample but those of a
    /// percent of it.
    pub(crate) oversized: bool,
}

/// Classes by ascending size, and buffers.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    classes: Vec<Class>,
    class_count: usize,
    band_count: usize,
    sample: Vec<RawAabb>,
    edges: Vec<f32>,
    order: Vec<u32>,
}

impl Plan {
    pub(crate) fn classes(&self) -> &[Class] {
        &self.classes[..self.class_count]
    }

    /// Whether the bands of the smallest class divide x.
    pub(crate) fn divides_x(&self) -> bool {
        self.classes().first().is_some_and(|class| class.transposed)
    }

    /// Bands of all classes.
    pub(crate) fn band_count(&self) -> usize {
        self.band_count
    }

    pub(crate) fn bytes(&self) -> usize {
        self.sample.capacity() * size_of::<RawAabb>()
            + self.edges.capacity() * size_of::<f32>()
            + self.order.capacity() * size_of::<u32>()
            + self.classes.iter().map(|class| size_of::<Class>() + class.splitter.bytes()).sum::<usize>()
    }

    /// Plans a step over these rows.
    pub(crate) fn rebuild(&mut self, rows: &(impl BoxSource + ?Sized), wishes: Wishes<'_>) {
        self.take_sample(rows);
        let alike = if wishes.bounds.is_empty() { classes::alike(&self.sample, &mut self.edges) } else { None };
        let ends = alike.unwrap_or_else(|| {
            self.sample.sort_unstable_by(|a, b| longest_side(a).total_cmp(&longest_side(b)));
            classes::choose(&self.sample, rows.len(), wishes, &mut self.order)
        });
        self.class_count = ends.len();
        if self.classes.len() < ends.len() {
            self.classes.resize_with(ends.len(), Class::default);
        }
        self.band_count = 0;
        let mut from = 0;
        for (class, side_max) in self.classes.iter_mut().zip(ends) {
            let to = from + self.sample[from..].partition_point(|aabb| longest_side(aabb) <= side_max);
            let members = &self.sample[from..to];
            class.side_max = side_max;
            class.first_band = self.band_count;
            let bands = bands_for(part_start(members.len(), rows.len(), self.sample.len().max(1)));
            // Larger ones visit these bands too, so borders should cut few of them either.
            class.transposed = bands > 1 && divides_better_by_x(&self.sample[from..], &mut self.edges);
            self.edges.clear();
            if bands > 1 {
                self.edges.extend(members.iter().map(|aabb| aabb[class.axis()]));
                self.edges.sort_unstable_by(f32::total_cmp);
            }
            class.splitter.rebuild(&self.edges, bands);
            self.band_count += class.splitter.band_count();
            from = to;
        }
    }

    /// Groups of rows at even distances, each moved a little so that a pattern in the order of rows is not met in step.
    fn take_sample(&mut self, rows: &(impl BoxSource + ?Sized)) {
        let groups = (rows.len() / SAMPLE_RATE).clamp(SAMPLE_MIN, SAMPLE_MAX).min(rows.len()).div_ceil(GROUP);
        self.sample.clear();
        for k in 0..groups {
            let (from, to) = (part_start(k, rows.len(), groups), part_start(k + 1, rows.len(), groups));
            let spare = (to - from).saturating_sub(GROUP);
            // Fibonacci hashing (Knuth, The Art of Computer Programming, volume 3, 6.4).
            let jitter = (k as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
            let from = from + ((jitter * (spare + 1) as u64) >> 32) as usize;
            let good = (from..to.min(from + GROUP)).filter_map(|row| rows.check(row).ok());
            self.sample.extend(good.filter(|aabb| longest_side(aabb).is_finite()));
        }
    }
}

/// Longer side of a box; infinite when an edge is.
#[inline(always)]
pub(crate) fn longest_side(aabb: &RawAabb) -> f32 {
    (aabb[2] - aabb[0]).max(aabb[3] - aabb[1])
}

fn bands_for(population: usize) -> usize {
    let per_band = (BAND_PER_ROOT * (population as f64).sqrt()).min(population as f64 / BANDS_MIN as f64) as usize;
    (population / per_band.clamp(BAND_MIN, BAND_MAX)).max(1)
}

/// Whether borders across x would cut far fewer boxes than borders across y.
fn divides_better_by_x(members: &[RawAabb], edges: &mut Vec<f32>) -> bool {
    let members = || members.iter().step_by(members.len().div_ceil(MEMBERS).max(1));
    // Mean side relative to the spread of the middle half of the lower edges.
    let mut cut = |axis: usize| {
        edges.clear();
        edges.extend(members().map(|aabb| aabb[axis]));
        let len = edges.len();
        if len < 4 {
            return 0.0;
        }
        let (_, &mut low, _) = edges.select_nth_unstable_by(len / 4, f32::total_cmp);
        let (_, &mut high, _) = edges.select_nth_unstable_by(len * 3 / 4, f32::total_cmp);
        let sides: f64 = members().map(|aabb| f64::from(aabb[axis + 2] - aabb[axis])).sum();
        let spread = f64::from(high) - f64::from(low);
        if spread > 0.0 { sides / len as f64 / spread } else { f64::INFINITY }
    };
    let (x, y) = (cut(0), cut(1));
    // A clear difference only: most worlds are as wide as high.
    y > 2.0 * x && y > 0.01 || y.is_infinite() && x.is_finite()
}
