//! From a coordinate to the band that takes it.
//!
//! D1: the map is monotone over all of f32, infinities included. Nothing else is asked of it: where the borders
//! lie changes how fast a step is, never what it finds.

use crate::tier::point_grid::axis::{floor_within, ordered_key};

/// Table entries per band: fine enough for borders to come out within a few percent of where they should be.
const BUCKETS_PER_BAND: usize = 32;

/// The table stays in half of a first-level cache.
const BUCKETS_MAX: usize = 8192;

/// Boxes in a batch: 4 KiB, which stay in the first-level cache between being computed and being routed.
pub(crate) const BATCH: usize = 256;

/// Up to so many borders are counted, a vector of them at a time; more are searched.
const COUNTED_MAX: usize = 64;

/// Like [`ordered_key`], as the signed number that vectors compare.
#[inline(always)]
fn signed_key(v: f32) -> i32 {
    (ordered_key(v) ^ 1 << 31) as i32
}

/// What a bucket belongs to.
#[derive(Clone, Copy, Debug, Default)]
struct Bucket {
    band: u16,
    /// First bucket of the next band.
    end: u16,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Splitter {
    origin: f32,
    inverse: f32,
    /// By bucket; empty when borders are to be searched.
    table: Vec<Bucket>,
    /// First key of each band but the first, ascending.
    borders: Vec<i32>,
}

impl Splitter {
    /// Borders such that each of `bands` bands holds about as many of the sorted sample.
    pub(crate) fn rebuild(&mut self, sorted: &[f32], bands: usize) {
        self.table.clear();
        self.borders.clear();
        let bands = bands.min(sorted.len());
        let quantile = |k: usize| sorted[k * sorted.len() / bands];
        if bands < 2 {
            return;
        }
        let (first, last) = (quantile(1), quantile(bands - 1));
        let buckets = (bands * BUCKETS_PER_BAND).min(BUCKETS_MAX);
        self.origin = first;
        self.inverse = buckets as f32 / (last - first);
        if self.inverse.is_finite() && self.inverse > 0.0 && self.fill_table(quantile, bands, buckets) {
            return;
        }
        self.table.clear();
        self.borders.extend((1..bands).map(|k| signed_key(quantile(k))));
        self.borders.dedup();
    }

    /// Borders snapped to buckets; whether hardly any two of them fell into one.
    fn fill_table(&mut self, quantile: impl Fn(usize) -> f32, bands: usize, buckets: usize) -> bool {
        let count = buckets + 2;
        self.table.resize(count, Bucket::default());
        let (mut band, mut from) = (0, 0);
        for k in 1..=bands {
            let end = if k < bands { bucket_of(quantile(k), self.origin, self.inverse, count) } else { count };
            if end > from {
                self.table[from..end].fill(Bucket { band, end: end as u16 });
                band += 1;
                from = end;
            }
        }
        usize::from(band) >= bands - bands / 8
    }

    pub(crate) fn band_count(&self) -> usize {
        let highest = self.table.last().map_or(self.borders.len(), |last| usize::from(last.band));
        highest + 1
    }

    /// D1
    #[inline(always)]
    pub(crate) fn band(&self, v: f32) -> usize {
        if let Some(buckets) = self.buckets() {
            return usize::from(buckets.table[buckets.of(v)].band);
        }
        let key = signed_key(v);
        if self.borders.len() > COUNTED_MAX {
            return self.borders.partition_point(|&border| border <= key);
        }
        self.borders.iter().map(|&border| i32::from(border <= key)).sum::<i32>() as usize
    }

    /// For each of up to [`BATCH`] boxes, by its edges on the axis: its number, the band that takes it, and whether it
    /// reaches into the next.
    #[inline(always)]
    pub(crate) fn for_each(
        &self,
        edges: impl ExactSizeIterator<Item = (f32, f32)> + Clone,
        mut each: impl FnMut(usize, u16, bool),
    ) {
        let Some(buckets) = self.buckets() else {
            edges.enumerate().for_each(|(k, (low, high))| {
                let band = self.band(low);
                each(k, band as u16, self.band(high) > band);
            });
            return;
        };
        // Two loops: the first is arithmetic alone, and becomes vectors.
        let mut batch = [[0u16; 2]; BATCH];
        let batch = &mut batch[..edges.len()];
        for (slot, (low, high)) in batch.iter_mut().zip(edges) {
            *slot = [buckets.of(low) as u16, buckets.of(high) as u16];
        }
        for (k, &[low, high]) in batch.iter().enumerate() {
            let Bucket { band, end } = buckets.table[usize::from(low)];
            each(k, band, high >= end);
        }
    }

    /// The table, if there is one: the quick way.
    #[inline(always)]
    fn buckets(&self) -> Option<Buckets<'_>> {
        let Self { origin, inverse, ref table, .. } = *self;
        (!table.is_empty()).then_some(Buckets { origin, inverse, table })
    }

    pub(crate) fn bytes(&self) -> usize {
        self.table.capacity() * size_of::<Bucket>() + self.borders.capacity() * size_of::<i32>()
    }
}

/// A table of bands by bucket. The first bucket is all that lies below the first border; the others are centred, so that
/// a border comes out within half a bucket of where it should be.
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
}

#[inline(always)]
fn bucket_of(v: f32, origin: f32, inverse: f32, buckets: usize) -> usize {
    // What lies below the origin by half a bucket comes out in bucket 0. At the origin itself this is the middle of
    // bucket 1: at its edge rounding would decide, and a border that fell into bucket 0 would be lost.
    floor_within((v - origin) * inverse + 1.5, (buckets - 1) as f32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sorted: &[f32], bands: usize) -> Splitter {
        let mut splitter = Splitter::default();
        splitter.rebuild(sorted, bands);
        let mut probes = sorted.to_vec();
        probes.extend([f32::NEG_INFINITY, f32::MIN, -1.0, -0.0, 0.0, 1e-40, 1.0, 1e30, f32::MAX, f32::INFINITY]);
        probes.sort_by(f32::total_cmp);
        let found: Vec<usize> = probes.iter().map(|&v| splitter.band(v)).collect();
        assert!(found.is_sorted(), "{bands} bands: {found:?}");
        assert!(found.iter().all(|&band| band < splitter.band_count()));
        assert_eq!(splitter.band(0.0), splitter.band(-0.0));
        check_batches(&splitter, &probes);
        splitter
    }

    /// What batches are told is what each edge is told by itself.
    fn check_batches(splitter: &Splitter, probes: &[f32]) {
        for part in probes.chunks(BATCH / 3) {
            let edges = part.iter().flat_map(|&low| [low, low + 1.0, part[part.len() - 1]].map(|high| (low, high)));
            let edges: Vec<(f32, f32)> = edges.collect();
            let mut told = Vec::new();
            splitter.for_each(edges.iter().copied(), |k, band, reaches| told.push((k, usize::from(band), reaches)));
            let alone = edges.iter().map(|&(low, high)| (splitter.band(low), splitter.band(high)));
            let alone: Vec<_> = alone.enumerate().map(|(k, (low, high))| (k, low, high > low)).collect();
            assert_eq!(told, alone);
        }
    }

    #[test]
    fn bands_are_monotone_and_even() {
        let even: Vec<f32> = (0..1000).map(|k| k as f32 * 0.37 - 100.0).collect();
        let splitter = check(&even, 10);
        assert_eq!(splitter.band_count(), 10);
        for band in 0..10 {
            let population = even.iter().filter(|&&v| splitter.band(v) == band).count();
            assert!((80..=120).contains(&population), "band {band} has {population}");
        }
    }

    #[test]
    fn awkward_samples() {
        check(&[0.0; 100], 10);
        check(&[], 4);
        check(&[1.0, 2.0], 4);
        let mut outlier: Vec<f32> = (0..500).map(|k| k as f32).collect();
        outlier.push(1e30);
        assert_eq!(check(&outlier, 10).band_count(), 10);
        let cities: Vec<f32> = (0..500).map(|k| k as f32).chain((0..500).map(|k| 1e7 + k as f32)).collect();
        assert_eq!(check(&cities, 10).band_count(), 10, "borders are searched where a table is too coarse");
        let powers: Vec<f32> = (-120..120).map(|k| 2f32.powi(k)).collect();
        assert_eq!(check(&powers, 8).band_count(), 8);
    }
}
