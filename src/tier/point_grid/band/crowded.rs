//! The pairs of a crowded band.
//!
//! A cell is as wide as the widest body of its band, and as high as the highest. If that crowds the
//! cells of a band, one row would be crowded too, and few bodies are beside each other on one axis,
//! its bodies are swept along that axis. Otherwise, if their sizes differ, they are split in two by
//! width or height, each part gets its own cells, and so on.
//!
//! - SPLIT-1: a pair within a part is found by that part; a pair across a cut is found by searching
//!   for the larger body among the smaller ones. So each is found once.
//!
//! The cuts of a band depend on its records alone.
//!
//! Cost: a sort of the band for each level of cuts, at most [`CUTS_MAX`], and a search for each
//! body above a cut; or a sort and, for each body, a test of half of those beside it.

use crate::memory::buffers::{buffers, grow};
use crate::memory::pair_sink::PairSink;
use crate::memory::record::BodyRecord;
use crate::simd::DetectedSimd;
use crate::tier::point_grid::band::build::Band;
use crate::tier::point_grid::band::cell_grid::words_max;
use crate::tier::point_grid::band::equal_cells::CellSize;
use crate::tier::point_grid::band::others::Others;
use crate::tier::point_grid::band::scratch::BandScratch;
use crate::tier::point_grid::band::sorted::{PairRules, SortedBodies};
use crate::tier::point_grid::band::sweep;
use crate::tier::sweep::axis_sample::sparse_axis;

/// With this mean number of bodies in a body's cell, testing them takes longer than a sweep or a
/// split.
const CROWDED: f32 = 256.0;

/// With up to this many bodies beside a body, on average, a sweep is faster than splitting bodies
/// of two sizes: it tests half of them.
const SWEPT_MAX: f64 = 512.0;

/// Bodies are split if the largest size is this many times the median.
const SIZE_RATIO_MIN: f32 = 3.0;

/// Most nested cuts: each takes the root of the ratio of sizes, so ten are enough for all of f32.
const CUTS_MAX: usize = 10;

/// Records in the sample for the median.
const MEDIAN_SAMPLE: usize = 128;

/// The buffers that a thread reuses from one crowded band to the next.
#[derive(Default)]
pub(crate) struct CrowdedScratch {
    records: Vec<BodyRecord>,
    words: Vec<u32>,
    band: BandScratch,
}

buffers!(CrowdedScratch { leveled: records, words, band; own: ; plain: ; });

/// How to find the pairs of crowded bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CrowdedPlan {
    /// They are swept along an axis, on which about this many are beside each.
    Sweep { axis: usize, beside: f64 },
    /// They are split by size.
    Split(SizeCut),
}

impl CrowdedPlan {
    /// `None` if the band is not crowded, or cells are faster nevertheless.
    pub(super) fn of_band(band: &Band, own: &[BodyRecord]) -> Option<Self> {
        if band.crowding > CROWDED { Self::of(own) } else { None }
    }

    fn of(part: &[BodyRecord]) -> Option<Self> {
        let sweep = sweep_axis(part).map(|(axis, beside)| Self::Sweep { axis, beside });
        sweep.or_else(|| SizeCut::of(part).map(Self::Split))
    }
}

/// Finds the pairs of a band's own bodies by a sweep. `None` once the pair limit is exceeded.
pub(super) fn sweep_pairs(
    axis: (usize, f64),
    own: &[BodyRecord],
    rules: PairRules<'_>,
    level: DetectedSimd,
    scratch: &mut CrowdedScratch,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    let rules = (rules.filters_by_row, rules.are_circles);
    sweep::sweep_bodies(level, own, axis, rules, &mut scratch.band.sweep, sink)
}

/// Finds the pairs of a band's own bodies, and of those with its ghosts, by splitting the bodies.
/// `None` once the pair limit is exceeded.
pub(super) fn split_pairs(
    cut: SizeCut,
    (own, ghosts): (&[BodyRecord], &[BodyRecord]),
    rules: PairRules<'_>,
    level: DetectedSimd,
    CrowdedScratch { records, words, band }: &mut CrowdedScratch,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    records.clear();
    records.extend_from_slice(own);
    grow(words, words_max(own.len()));
    SizeSplit { ghosts, rules, level }.find_split_pairs(cut, records, (words, band), CUTS_MAX, sink)
}

/// What all parts of a band share.
#[derive(Clone, Copy)]
struct SizeSplit<'a> {
    ghosts: &'a [BodyRecord],
    rules: PairRules<'a>,
    level: DetectedSimd,
}

impl SizeSplit<'_> {
    /// Finds the pairs of the bodies of a part, with each other, with larger ones and with ghosts.
    fn find_pairs(
        self,
        (part, larger): (&mut [BodyRecord], &[BodyRecord]),
        (words, scratch): (&mut [u32], &mut BandScratch),
        cuts_left: usize,
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        let Self { ghosts, rules, level } = self;
        if part.is_empty() {
            // If the largest size is infinite, no body is above a cut.
            return Some(());
        }
        let mut all =
            SortedBodies::new(part, CellSize::ForOwnPairs, rules, &mut words[..words_max(part.len())], scratch);
        // Those across the cut (SPLIT-1).
        all.pairs_with(level, larger.iter().copied(), Others::Bodies, sink)?;
        let plan = if cuts_left > 0 { CrowdedPlan::of_band(&all.band, part) } else { None };
        if let Some(CrowdedPlan::Split(cut)) = plan {
            return self.find_split_pairs(cut, part, (words, scratch), cuts_left, sink);
        }
        all.pairs_with(level, ghosts.iter().copied(), Others::Bodies, sink)?;
        match plan {
            Some(CrowdedPlan::Sweep { axis, beside }) => sweep::sweep_bodies(
                level,
                part,
                (axis, beside),
                (rules.filters_by_row, rules.are_circles),
                &mut scratch.sweep,
                sink,
            ),
            _ => all.own_pairs(level, sink),
        }
    }

    /// Finds the pairs of bodies that are split in two.
    fn find_split_pairs(
        self,
        cut: SizeCut,
        part: &mut [BodyRecord],
        (words, scratch): (&mut [u32], &mut BandScratch),
        cuts_left: usize,
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        let (smaller, larger) = cut.split(part);
        self.find_pairs((smaller, larger), (words, scratch), cuts_left - 1, sink)?;
        self.find_pairs((larger, &[]), (words, scratch), cuts_left - 1, sink)
    }
}

/// The axis to sweep along and how many are beside each body on it, if that is estimated to be
/// faster than splitting by size.
fn sweep_axis(part: &[BodyRecord]) -> Option<(usize, f64)> {
    let (axis, beside) = sparse_axis(part);
    // Cuts are nested as often as the scales can be halved.
    let cuts = libm::log2(scales(part).max(2).into());
    (beside <= SWEPT_MAX * cuts).then_some((axis, beside))
}

/// About how many different sizes there are: factors of four, on the axis that has more of them.
fn scales(part: &[BodyRecord]) -> u32 {
    let step = part.len().div_ceil(MEDIAN_SAMPLE).max(1);
    let exponent = |side: f32| (side.to_bits() >> 24) & 0x7F;
    let found = part.iter().step_by(step).fold([0u128; 2], |found, &BodyRecord { aabb, .. }| {
        [found[0] | 1 << exponent(aabb[2] - aabb[0]), found[1] | 1 << exponent(aabb[3] - aabb[1])]
    });
    found[0].count_ones().max(found[1].count_ones())
}

/// A size between the smaller and the larger bodies of a part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SizeCut {
    axis: usize,
    side: f32,
}

impl SizeCut {
    /// A cut between the median and the largest size, on the axis where these differ most; `None`
    /// if sizes are alike.
    fn of(part: &[BodyRecord]) -> Option<Self> {
        let ratio_and_cut = |axis: usize| {
            let side = |record: &BodyRecord| record.aabb[axis + 2] - record.aabb[axis];
            let largest = part.iter().map(side).fold(0.0, f32::max);
            let mut sample = [0.0; MEDIAN_SAMPLE];
            let step = part.len().div_ceil(MEDIAN_SAMPLE).max(1);
            let count = part.iter().step_by(step).zip(&mut sample).map(|(record, slot)| *slot = side(record)).count();
            let sample = &mut sample[..count];
            let (_, &mut median, _) = sample.select_nth_unstable_by(count / 2, f32::total_cmp);
            let between = (f64::from(median) * f64::from(largest)).sqrt() as f32;
            (largest / median, Self { axis, side: between })
        };
        if part.is_empty() {
            return None;
        }
        let (x, y) = (ratio_and_cut(0), ratio_and_cut(1));
        // The ratio is infinite if most are points, and NaN if all are, which are alike.
        let (ratio, cut) = if x.0 > y.0 || y.0.is_nan() { x } else { y };
        (ratio > SIZE_RATIO_MIN).then_some(cut)
    }

    /// The smaller records, then the larger ones.
    fn split<'r>(&self, part: &'r mut [BodyRecord]) -> (&'r mut [BodyRecord], &'r mut [BodyRecord]) {
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
    use triphase_scenes::SplitMix64;

    fn records(boxes: &[RawAabb], first: usize) -> Vec<BodyRecord> {
        boxes.iter().enumerate().map(|(k, &aabb)| BodyRecord { aabb, row: (first + k) as u32 }).collect()
    }

    fn found(run: impl FnOnce(&mut CrowdedScratch, &mut PairSink<'_>) -> Option<()>) -> Vec<(u32, u32)> {
        let (pool, budget, mut blocks) = (PagePool::default(), PairBudget::new(usize::MAX), Vec::new());
        let mut sink = PairSink::new(&pool, &budget, &mut blocks);
        run(&mut CrowdedScratch::default(), &mut sink).expect("no limit");
        drop(sink);
        let mut pairs: Vec<_> = blocks.iter().flat_map(|block| block.pairs()).map(|&[a, b]| (a, b)).collect();
        pairs.sort_unstable();
        pairs
    }

    fn check(label: &str, boxes: &[RawAabb], ghosts: &[RawAabb]) {
        let (own, ghost_records) = (records(boxes, 0), records(ghosts, boxes.len()));
        let (rules, level) = (PairRules::default(), DetectedSimd::default());
        let mut truth = reference::self_pairs(boxes);
        for axis in [0, 1] {
            let swept = found(|scratch, sink| sweep_pairs((axis, 1.0), &own, rules, level, scratch, sink));
            assert_eq!(swept, truth, "{label}, axis {axis}");
        }
        truth.extend(reference::cross_pairs(boxes, ghosts).into_iter().map(|(a, b)| (a, b + boxes.len() as u32)));
        truth.sort_unstable();
        if let Some(cut) = SizeCut::of(&own) {
            let both = (&own[..], &ghost_records[..]);
            let split = found(|scratch, sink| split_pairs(cut, both, rules, level, scratch, sink));
            assert_eq!(split, truth, "{label}");
        }
    }

    #[test]
    fn swept_and_split_bands_find_what_brute_force_finds() {
        let mut rng = SplitMix64::new(12);
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
        let overflowing: Vec<RawAabb> = (0..3000)
            .map(|k| if k % 9 == 0 { [-3e38, -3e38, 3e38, 3e38] } else { around(k, 0.01, 0.01, 0.01) })
            .collect();
        let alike: Vec<RawAabb> = (0..500).map(|k| around(k, 1.0, 1.0, 1.0)).collect();
        // The smaller part of these is crowded too, and swept.
        let few_large: Vec<RawAabb> = (0..500)
            .map(|k| if k % 20 == 0 { around(k, 100.0, 100.0, 9.0) } else { around(k, 1.0, 1.0, 0.5) })
            .collect();
        for (label, boxes) in [
            ("wide and tall", wide_and_tall),
            ("scales", scales),
            ("points", points),
            ("alike", alike),
            ("few large", few_large),
            ("none", vec![]),
            ("sides that overflow", overflowing),
        ] {
            let ghosts: Vec<RawAabb> = (0..40).map(|k| around(k, 0.5 * (k % 7) as f32, 0.3, 20.0)).collect();
            check(label, &boxes, &ghosts);
        }
    }

    #[test]
    fn only_bands_of_unlike_sizes_are_cut() {
        let record = |side: f32| BodyRecord { aabb: [0.0, 0.0, side, side], row: 0 };
        assert!(SizeCut::of(&[]).is_none());
        assert!(SizeCut::of(&[record(0.0); 5]).is_none());
        assert!(SizeCut::of(&[record(1.0), record(1.0), record(2.0)]).is_none());
        let cut = SizeCut::of(&[record(1.0), record(1.0), record(1.0), record(100.0)]).expect("one is far larger");
        assert_eq!(cut.side, 10.0);
        // Points and a body: the points are the smaller part, and neither part is empty.
        let mut mixed = [record(3.0), record(0.0), record(0.0)];
        let (smaller, larger) = SizeCut::of(&mixed).expect("sizes differ").split(&mut mixed);
        assert_eq!((smaller.len(), larger.len()), (2, 1));
    }
}
