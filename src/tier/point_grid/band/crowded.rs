//! A crowded band, taken apart by size.
//!
//! A cell is as wide as the widest body of its band and as high as the highest. Where sizes differ so much, in so dense a
//! place, that cells are crowded for it, the bodies are parted in two by width or by height, each part gets cells of
//! its own, and so on.
//!
//! U1: a pair within a part is found by that part, a pair across a cut by a search for the larger body among the smaller
//! ones. So each is found once.
//! U2: where a band is cut depends on its records alone.
//!
//! Cost: a sort of the band for each cut it goes through, at most [`CUTS_MAX`], and a search a larger body.

use crate::memory::buffers::grow;
use crate::memory::page::PairSink;
use crate::memory::record::BodyRecord;
use crate::simd::DetectedSimd;
use crate::tier::point_grid::band::build::{Band, BandScratch, words_max};
use crate::tier::point_grid::band::built::{Built, Terms};

/// From this many bodies in a typical body's cell on, cells of its own for each size are worth the searches between them.
const CROWDED: f32 = 48.0;

/// A part is cut where its largest size is this many times its median.
const UNLIKE: f32 = 3.0;

/// Cuts one inside the other: each at least roots the ratio of sizes, so ten are enough for all of f32.
const CUTS_MAX: usize = 10;

/// Records that are looked at to find the median.
const SAMPLE: usize = 128;

/// Buffers.
#[derive(Default)]
pub(crate) struct SplitScratch {
    records: Vec<BodyRecord>,
    words: Vec<u32>,
    band: BandScratch,
}

impl SplitScratch {
    pub(crate) fn bytes(&self) -> usize {
        self.records.capacity() * size_of::<BodyRecord>() + self.words.capacity() * size_of::<u32>() + self.band.bytes()
    }
}

/// Where a part is cut.
#[derive(Clone, Copy, Debug)]
struct Cut {
    axis: usize,
    side: f32,
}

/// Whether a band is crowded because sizes differ.
pub(crate) fn is_worthwhile(band: &Band, own: &[BodyRecord]) -> bool {
    band.crowding > CROWDED && Cut::of(own).is_some()
}

/// The pairs among a band's own bodies and of them with its visitors. `None` when the sink is spent.
pub(crate) fn find_pairs(
    level: DetectedSimd,
    (own, visitors): (&[BodyRecord], &[BodyRecord]),
    terms: Terms<'_>,
    scratch: &mut SplitScratch,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    let SplitScratch { records, words, band } = scratch;
    records.clear();
    records.extend_from_slice(own);
    grow(words, words_max(own.len()));
    Parts { level, visitors, terms }.find_in(records, (words, band), CUTS_MAX, sink)
}

/// What all parts have in common.
#[derive(Clone, Copy)]
struct Parts<'a> {
    level: DetectedSimd,
    visitors: &'a [BodyRecord],
    terms: Terms<'a>,
}

impl Parts<'_> {
    fn find_in(
        self,
        part: &mut [BodyRecord],
        (words, scratch): (&mut [u32], &mut BandScratch),
        cuts: usize,
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        let Self { level, visitors, terms } = self;
        if part.is_empty() {
            return Some(());
        }
        let mut built = Built::new(part, None, terms, &mut words[..words_max(part.len())], scratch);
        let cut = if cuts > 0 && built.band.crowding > CROWDED { Cut::of(part) } else { None };
        let Some(cut) = cut else {
            built.own_pairs(level, sink)?;
            return built.pairs_with(level, visitors.iter().copied(), sink);
        };
        let (smaller, larger) = cut.apart(part);
        // U1
        let among = Built::new(smaller, None, terms, &mut words[..words_max(smaller.len())], scratch);
        among.pairs_with(level, larger.iter().copied(), sink)?;
        self.find_in(smaller, (words, scratch), cuts - 1, sink)?;
        self.find_in(larger, (words, scratch), cuts - 1, sink)
    }
}

impl Cut {
    /// Between the median and the largest size, on the axis on which they differ most; `None` where sizes are alike.
    fn of(part: &[BodyRecord]) -> Option<Self> {
        let differ = |axis: usize| {
            let side = |record: &BodyRecord| record.aabb[axis + 2] - record.aabb[axis];
            let largest = part.iter().map(side).fold(0.0, f32::max);
            let mut sample = [0.0; SAMPLE];
            let step = part.len().div_ceil(SAMPLE).max(1);
            let count = part.iter().step_by(step).zip(&mut sample).map(|(record, slot)| *slot = side(record)).count();
            let sample = &mut sample[..count];
            let (_, &mut median, _) = sample.select_nth_unstable_by(count / 2, f32::total_cmp);
            let between = (f64::from(median) * f64::from(largest)).sqrt() as f32;
            (largest / median, Self { axis, side: between })
        };
        if part.is_empty() {
            return None;
        }
        let (x, y) = (differ(0), differ(1));
        // Points beside bodies differ without end; only points are NaN, and alike.
        let (ratio, cut) = if x.0 > y.0 || y.0.is_nan() { x } else { y };
        (ratio > UNLIKE).then_some(cut)
    }

    /// The smaller ones first.
    fn apart<'r>(&self, part: &'r mut [BodyRecord]) -> (&'r mut [BodyRecord], &'r mut [BodyRecord]) {
        let mut smaller = 0;
        for k in 0..part.len() {
            let aabb = &part[k].aabb;
            if aabb[self.axis + 2] - aabb[self.axis] <= self.side {
                part.swap(k, smaller);
                smaller += 1;
            }
        }
        part.split_at_mut(smaller)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::RawAabb;
    use crate::memory::page::{PagePool, PairBudget};
    use crate::reference;
    use crate::tier::point_grid::tests::scenes::SplitMix64;

    fn found(boxes: &[RawAabb], visitors: &[RawAabb]) -> Vec<(u32, u32)> {
        let records = |boxes: &[RawAabb], from: usize| -> Vec<BodyRecord> {
            boxes.iter().enumerate().map(|(k, &aabb)| BodyRecord { aabb, row: (from + k) as u32 }).collect()
        };
        let (own, visitors) = (records(boxes, 0), records(visitors, boxes.len()));
        let (pool, budget, mut blocks) = (PagePool::default(), PairBudget::new(usize::MAX), Vec::new());
        let mut sink = PairSink::new(&pool, &budget, &mut blocks);
        find_pairs(
            DetectedSimd::default(),
            (&own, &visitors),
            Terms::default(),
            &mut SplitScratch::default(),
            &mut sink,
        )
        .expect("no limit");
        drop(sink);
        let mut pairs: Vec<_> = blocks.iter().flat_map(|block| block.pairs()).map(|&[a, b]| (a, b)).collect();
        pairs.sort_unstable();
        pairs
    }

    fn check(label: &str, boxes: &[RawAabb], visitors: &[RawAabb]) {
        let mut truth = reference::self_pairs(boxes);
        truth.extend(reference::cross_pairs(boxes, visitors).into_iter().map(|(a, b)| (a, b + boxes.len() as u32)));
        truth.sort_unstable();
        assert_eq!(found(boxes, visitors), truth, "{label}");
    }

    #[test]
    fn parts_find_what_brute_force_finds() {
        let mut rng = SplitMix64(12);
        let mut around = |k: usize, width: f32, height: f32, spread: f32| {
            let (x, y) = (rng.range(0.0, spread), rng.range(0.0, spread) + (k % 3) as f32 * 1e-3);
            [x, y, x + width, y + height]
        };
        let wide_and_tall: Vec<RawAabb> = (0..3000)
            .map(|k| if k % 2 == 0 { around(k, 8.0, 0.01, 20.0) } else { around(k, 0.01, 8.0, 20.0) })
            .collect();
        let scales: Vec<RawAabb> = (0..3000)
            .map(|k| 10f32.powi(k % 6 - 3))
            .enumerate()
            .map(|(k, s)| around(k, s * 0.02, s * 0.03, s))
            .collect();
        let points: Vec<RawAabb> =
            (0..3000).map(|k| if k % 10 == 0 { around(k, 1.0, 1.0, 30.0) } else { around(k, 0.0, 0.0, 0.5) }).collect();
        let alike: Vec<RawAabb> = (0..500).map(|k| around(k, 1.0, 1.0, 1.0)).collect();
        for (label, boxes) in [
            ("wide and tall", wide_and_tall),
            ("scales", scales),
            ("points", points),
            ("alike", alike),
            ("none", vec![]),
        ] {
            let visitors: Vec<RawAabb> = (0..40).map(|k| around(k, 0.5 * (k % 7) as f32, 0.3, 20.0)).collect();
            check(label, &boxes, &visitors);
        }
    }

    #[test]
    fn only_bands_of_unlike_sizes_are_cut() {
        let record = |side: f32| BodyRecord { aabb: [0.0, 0.0, side, side], row: 0 };
        assert!(Cut::of(&[]).is_none());
        assert!(Cut::of(&[record(0.0); 5]).is_none());
        assert!(Cut::of(&[record(1.0), record(1.0), record(2.0)]).is_none());
        let cut = Cut::of(&[record(1.0), record(1.0), record(1.0), record(100.0)]).expect("one is far larger");
        assert_eq!(cut.side, 10.0);
        // Points beside a body: the points are the smaller part, and neither part is empty.
        let mut mixed = [record(3.0), record(0.0), record(0.0)];
        let (smaller, larger) = Cut::of(&mixed).expect("unlike").apart(&mut mixed);
        assert_eq!((smaller.len(), larger.len()), (2, 1));
    }
}
