//! Maps a coordinate to a band.
//!
//! BORDER-1: the map is monotone over all of f32, infinities included. Nothing else is required:
//! where borders lie changes how fast a step is, never what it finds.

use crate::memory::buffers::{buffers, plain_buffers};
use crate::tier::point_grid::axis::{floor_within, ordered_key};

/// Table entries per band: fine enough to place borders within a few percent of a band.
const BUCKETS_PER_BAND: usize = 32;

/// The same, per band that is wanted, if there are fewer: finer, so that rounding a border widens a
/// thin strip by little.
const BUCKETS_PER_THIN_BAND: usize = 128;

/// Most table entries: as much as a first-level cache of 32 KiB.
const BUCKETS_MAX: usize = 8192;

/// Boxes in a batch: 4 KiB, which stay in the first-level cache between computing and routing.
pub(super) const BATCH: usize = 256;

/// Boxes in a round of loops that compilers do not unroll by themselves.
pub(super) const UNROLLED: usize = 8;

/// Up to this many borders are all compared, in vectors; more are binary-searched.
const COUNTED_MAX: usize = 64;

/// [`ordered_key`] as a signed number, which vectors compare faster.
#[inline(always)]
fn signed_key(v: f32) -> i32 {
    (ordered_key(v) ^ 1 << 31) as i32
}

/// The band of one table entry.
#[derive(Clone, Copy, Debug, Default)]
struct Bucket {
    band: u16,
    /// First bucket of the next band.
    end: u16,
}

/// The borders between the bands of a size class.
#[derive(Debug, Default)]
pub(super) struct BandBorders {
    origin: f32,
    inverse: f32,
    /// By bucket; empty if the borders are compared instead.
    table: Vec<Bucket>,
    /// First key of each band but the first, ascending.
    borders: Vec<i32>,
    /// The chosen borders.
    values: Vec<f32>,
}

plain_buffers!(Bucket);
buffers!(BandBorders { leveled: table, borders, values; own: ; plain: origin, inverse; });

impl BandBorders {
    /// Chooses borders that give each of `bands` bands an equal share of the sorted sample, but at
    /// least `least` apart, or half of the width of bands of equal width if that is less.
    ///
    /// After borders that are left out for that, the next one is as near as it may be: so bodies
    /// that begin at about one coordinate share a band with few others.
    pub(super) fn rebuild(&mut self, sorted: &[f32], bands: usize, least: f32) {
        self.table.clear();
        self.borders.clear();
        self.values.clear();
        let bands = bands.min(sorted.len());
        if bands < 2 {
            return;
        }
        let least = least.min((sorted[sorted.len() - 1] - sorted[0]) / (2 * bands) as f32);
        let is_near = |value: f32, before: f32| value <= before || value < before + least;
        let values = &mut self.values;
        let mut is_left_out = false;
        for value in (1..bands).map(|k| sorted[k * sorted.len() / bands]) {
            let Some(&before) = values.last() else {
                values.push(value);
                continue;
            };
            if is_near(value, before) {
                is_left_out = true;
                continue;
            }
            let soonest = || sorted[sorted.partition_point(|&v| is_near(v, before))];
            let next = if std::mem::take(&mut is_left_out) { soonest() } else { value };
            values.push(next);
            if !is_near(value, next) {
                values.push(value);
            }
        }
        let (first, last) = (values[0], values[values.len() - 1]);
        let per_band = if values.len() + 1 < bands { BUCKETS_PER_THIN_BAND } else { BUCKETS_PER_BAND };
        let buckets = (bands * per_band).min(BUCKETS_MAX);
        self.origin = first;
        self.inverse = buckets as f32 / (last - first);
        if self.inverse.is_finite() && self.inverse > 0.0 && self.fill_table(buckets) {
            return;
        }
        self.table.clear();
        self.borders.extend(self.values.iter().copied().map(signed_key));
    }

    /// Rounds borders to buckets, and returns whether nearly all of them stayed apart.
    fn fill_table(&mut self, buckets: usize) -> bool {
        let (count, bands) = (buckets + 2, self.values.len() + 1);
        self.table.resize(count, Bucket::default());
        let (mut band, mut from) = (0, 0);
        let ends = self.values.iter().map(|&value| bucket_of(value, self.origin, self.inverse, count));
        for end in ends.chain([count]) {
            if end > from {
                self.table[from..end].fill(Bucket { band, end: end as u16 });
                band += 1;
                from = end;
            }
        }
        usize::from(band) >= bands - bands / 8
    }

    pub(super) fn band_count(&self) -> usize {
        let highest = self.table.last().map_or(self.borders.len(), |last| usize::from(last.band));
        highest + 1
    }

    /// The band at a coordinate (BORDER-1).
    #[inline(always)]
    pub(super) fn band(&self, v: f32) -> usize {
        if let Some(buckets) = self.buckets() {
            return usize::from(buckets.table[buckets.of(v)].band);
        }
        let key = signed_key(v);
        if self.borders.len() > COUNTED_MAX {
            return self.borders.partition_point(|&border| border <= key);
        }
        self.borders.iter().map(|&border| i32::from(border <= key)).sum::<i32>() as usize
    }

    /// Finds the bands of up to [`BATCH`] boxes, and marks those that reach into the next band.
    ///
    /// `boxes` has both edges of each box on the axis, and whether it is marked in any case.
    #[inline(always)]
    pub(super) fn find_bands(
        &self,
        boxes: impl ExactSizeIterator<Item = (f32, f32, bool)>,
        bands: &mut [u16],
        marks: &mut [bool],
    ) {
        debug_assert!(boxes.len() <= BATCH && bands.len() == boxes.len() && marks.len() == boxes.len());
        if let Some(buckets) = self.buckets() {
            buckets.find_bands(boxes, bands, marks);
        } else if self.borders.len() > COUNTED_MAX {
            for ((slot, mark), (low, high, is_marked)) in bands.iter_mut().zip(marks).zip(boxes) {
                let band = self.band(low);
                (*slot, *mark) = (band as u16, is_marked | (self.band(high) > band));
            }
        } else {
            self.count_borders(boxes, bands, marks);
        }
    }

    /// As [`find_bands`](Self::find_bands), if there are few borders: compares each border with the
    /// whole batch.
    #[inline(always)]
    fn count_borders(
        &self,
        boxes: impl ExactSizeIterator<Item = (f32, f32, bool)>,
        bands: &mut [u16],
        marks: &mut [bool],
    ) {
        let (mut lows, mut highs, mut last_bands) = ([0; BATCH], [0; BATCH], [0u16; BATCH]);
        for (((low, high), mark), edges) in lows.iter_mut().zip(&mut highs).zip(&mut *marks).zip(boxes) {
            (*low, *high, *mark) = (signed_key(edges.0), signed_key(edges.1), edges.2);
        }
        bands.fill(0);
        for &border in &self.borders {
            bands.iter_mut().zip(&lows).for_each(|(band, &low)| *band += u16::from(border <= low));
            last_bands.iter_mut().zip(&highs).for_each(|(band, &high)| *band += u16::from(border <= high));
        }
        marks.iter_mut().zip(last_bands).zip(bands).for_each(|((mark, last), band)| *mark |= last > *band);
    }

    /// The table, if there is one.
    #[inline(always)]
    fn buckets(&self) -> Option<Buckets<'_>> {
        let Self { origin, inverse, ref table, .. } = *self;
        (!table.is_empty()).then_some(Buckets { origin, inverse, table })
    }
}

/// A table from buckets of equal width to bands.
///
/// The first bucket is everything below the first border. The others are centered, so that a border
/// moves by at most half a bucket.
#[derive(Clone, Copy)]
struct Buckets<'a> {
    origin: f32,
    inverse: f32,
    table: &'a [Bucket],
}

impl Buckets<'_> {
    #[inline(always)]
    fn of(&self, v: f32) -> usize {
        bucket_of(v, self.origin, self.inverse, self.table.len())
    }

    /// As [`BandBorders::find_bands`].
    #[inline(always)]
    fn find_bands(
        &self,
        boxes: impl ExactSizeIterator<Item = (f32, f32, bool)>,
        bands: &mut [u16],
        marks: &mut [bool],
    ) {
        // Three loops: arithmetic, which the compiler vectorizes, lookups, and comparisons.
        let (mut lows, mut highs, mut are_marked) = ([0u16; BATCH], [0u16; BATCH], [false; BATCH]);
        for (((low, high), is_marked), edges) in lows.iter_mut().zip(&mut highs).zip(&mut are_marked).zip(boxes) {
            (*low, *high, *is_marked) = (self.of(edges.0) as u16, self.of(edges.1) as u16, edges.2);
        }
        let mut found = [Bucket::default(); BATCH];
        let groups = bands.len().div_ceil(UNROLLED);
        let found_and_lows = found.as_chunks_mut::<UNROLLED>().0.iter_mut().zip(lows.as_chunks::<UNROLLED>().0);
        for (buckets, lows) in found_and_lows.take(groups) {
            for k in 0..UNROLLED {
                buckets[k] = self.table[usize::from(lows[k])];
            }
        }
        let slots = bands.iter_mut().zip(marks);
        for ((band, mark), ((bucket, &high), &is_marked)) in slots.zip(found.iter().zip(&highs).zip(&are_marked)) {
            (*band, *mark) = (bucket.band, is_marked | (high >= bucket.end));
        }
    }
}

#[inline(always)]
fn bucket_of(v: f32, origin: f32, inverse: f32, buckets: usize) -> usize {
    // The origin, which is the first border, is in the middle of bucket 1: at an edge of it,
    // rounding could put the border into bucket 0 and lose it.
    floor_within((v - origin) * inverse + 1.5, (buckets - 1) as f32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sorted: &[f32], bands: usize) -> BandBorders {
        let mut borders = BandBorders::default();
        borders.rebuild(sorted, bands, 0.0);
        let mut probes = sorted.to_vec();
        probes.extend([f32::NEG_INFINITY, f32::MIN, -1.0, -0.0, 0.0, 1e-40, 1.0, 1e30, f32::MAX, f32::INFINITY]);
        probes.sort_by(f32::total_cmp);
        let found: Vec<usize> = probes.iter().map(|&v| borders.band(v)).collect();
        assert!(found.is_sorted(), "{bands} bands: {found:?}");
        assert!(found.iter().all(|&band| band < borders.band_count()));
        assert_eq!(borders.band(0.0), borders.band(-0.0));
        check_batches(&borders, &probes);
        borders
    }

    /// Compares batches with single lookups.
    fn check_batches(borders: &BandBorders, probes: &[f32]) {
        for part in probes.chunks(BATCH / 3) {
            let edges = part.iter().flat_map(|&low| [low, low + 1.0, part[part.len() - 1]].map(|high| (low, high)));
            let edges: Vec<(f32, f32)> = edges.collect();
            let (mut bands, mut marks) = (vec![u16::MAX; edges.len()], vec![false; edges.len()]);
            let boxes = edges.iter().enumerate().map(|(k, &(low, high))| (low, high, k.is_multiple_of(5)));
            borders.find_bands(boxes, &mut bands, &mut marks);
            let found: Vec<(usize, bool)> = bands.into_iter().map(usize::from).zip(marks).collect();
            let singly = edges.iter().map(|&(low, high)| (borders.band(low), borders.band(high)));
            let singly: Vec<_> = singly.enumerate().map(|(k, (low, high))| (low, k % 5 == 0 || high > low)).collect();
            assert_eq!(found, singly);
        }
    }

    #[test]
    fn bands_of_an_even_sample_are_even() {
        let even: Vec<f32> = (0..1000).map(|k| k as f32 * 0.37 - 100.0).collect();
        let borders = check(&even, 10);
        assert_eq!(borders.band_count(), 10);
        for band in 0..10 {
            let population = even.iter().filter(|&&v| borders.band(v) == band).count();
            assert!((80..=120).contains(&population), "band {band} has {population}");
        }
    }

    #[test]
    fn borders_are_apart_where_values_are_dense() {
        // Two hundred of a thousand values are within one.
        let mut values: Vec<f32> =
            (0..800).map(|k| k as f32).chain((0..200).map(|k| 300.5 + k as f32 / 200.0)).collect();
        values.sort_by(f32::total_cmp);
        let mut borders = BandBorders::default();
        let mut bands_of = |bands: usize, least: f32| {
            borders.rebuild(&values, bands, least);
            (borders.band_count(), borders.band(301.5) - borders.band(300.5))
        };
        assert_eq!(bands_of(20, 0.0), (20, 4));
        let (bands, within) = bands_of(20, 1.5);
        assert!(bands > 15 && within <= 1, "{bands} bands, {within} borders where values are dense");
        // Equal bands would be 40 wide.
        assert_eq!(bands_of(20, 1e30), bands_of(20, 20.0));
        assert!(bands_of(20, 1e30).0 > 10);
    }

    #[test]
    fn bands_of_adversarial_samples_are_monotone() {
        check(&[0.0; 100], 10);
        check(&[], 4);
        check(&[1.0, 2.0], 4);
        let mut outlier: Vec<f32> = (0..500).map(|k| k as f32).collect();
        outlier.push(1e30);
        assert_eq!(check(&outlier, 10).band_count(), 10);
        let cities: Vec<f32> = (0..500).map(|k| k as f32).chain((0..500).map(|k| 1e7 + k as f32)).collect();
        for bands in [10, 100] {
            assert_eq!(check(&cities, bands).band_count(), bands, "borders are compared where a table is too coarse");
        }
        let powers: Vec<f32> = (-120..120).map(|k| 2f32.powi(k)).collect();
        assert_eq!(check(&powers, 8).band_count(), 8);
    }
}
