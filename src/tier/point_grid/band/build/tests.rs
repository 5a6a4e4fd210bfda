//! Every layout forced on the same records: each must be well formed, fit its words, and give the
//! same pairs.

use super::*;
use crate::geometry::{RawAabb, overlaps};
use crate::memory::buffers::Buffers;
use crate::memory::page::{PagePool, PairBudget};
use crate::memory::pair_sink::PairSink;
use crate::reference;
use crate::simd::DetectedSimd;
use crate::tier::point_grid::band::cell_grid::{CellGrid, Layout, words_max};
use crate::tier::point_grid::band::cell_layout::{lay_out, may_be_even};
use crate::tier::point_grid::band::measure::measure;
use crate::tier::point_grid::band::scratch::SortedBand;
use triphase_scenes::{BoxLayout, SplitMix64};

const LAYOUTS: [Layout; 8] = [
    Layout::Equal,
    Layout::FineColumns { axis: 0, rows_max: 1 },
    Layout::FineColumns { axis: 1, rows_max: 1 },
    Layout::FineColumns { axis: 0, rows_max: usize::MAX },
    Layout::FineColumns { axis: 1, rows_max: usize::MAX },
    Layout::Merged,
    Layout::Narrow,
    Layout::Borders,
];
const INF: f32 = f32::INFINITY;

impl Band {
    /// [`build`](Self::build) with a given layout; `None` if it is hopeless.
    fn build_as(layout: Layout, own: &[BodyRecord], scratch: &mut BandScratch) -> Option<Self> {
        let Measured { bounds, extents } = measured(own);
        let mut words = used_words(own.len(), scratch);
        let tables = &mut words[..words_max(own.len())];
        let laid_out = lay_out(layout, own, extents, CellSize::ForOwnPairs, tables, scratch);
        let Some(LaidOut { cells, crowding }) = laid_out else {
            assert!(matches!(layout, Layout::Merged | Layout::Narrow), "{layout:?} is always possible");
            return None;
        };
        assert!(crowding >= 1.0, "{layout:?}: a body shares its cell with itself");
        cells.pack(tables);
        sort(own, &cells, cells.starts(tables), scratch, DetectedSimd::default());
        scratch.tables = words;
        Some(Self { cells, crowding, bounds, reach: Reach::new(extents.map(|extent| extent.side)) })
    }
}

fn measured(own: &[BodyRecord]) -> Measured {
    measure(&mut own.to_vec(), std::slice::from_ref(&(0..own.len())))
}

#[test]
fn a_row_of_the_most_columns_fits_and_no_longer_one() {
    // In the largest of these, keys have bits for fewer cells than the table has room for.
    for population in [0, 1, 100, 1 << 20, 40_000_000] {
        let columns = CellGrid::column_count_max(population);
        assert!(CellGrid::fits(population, columns, 1) && !CellGrid::fits(population, columns + 1, 1), "{population}");
    }
}

fn records(boxes: &[RawAabb]) -> Vec<BodyRecord> {
    boxes.iter().enumerate().map(|(row, &aabb)| BodyRecord { aabb, row: row as u32 }).collect()
}

/// Room for the tables of a band, with contents of an earlier one.
fn used_words(population: usize, scratch: &mut BandScratch) -> Vec<u32> {
    let mut words = std::mem::take(&mut scratch.tables);
    grow(&mut words, words_max(population));
    words.fill(0xDEAD_BEEF);
    words
}

/// The bodies of the band that was built last, with their keys, and its tables.
fn cells_of<'s>(band: &Band, scratch: &'s mut BandScratch) -> (CellView<'s>, &'s [u32], &'s [u32]) {
    let (SortedBand { columns, keys, tables, .. }, _) = scratch.last_band_mut(band.tables_len());
    band.assert_well_formed(columns, tables);
    (band.cell_view(columns, tables), keys, tables)
}

/// Checks that every record is filed once, and BAND-1 to BAND-3.
fn check(label: &str, band: &Band, own: &[BodyRecord], scratch: &mut BandScratch) {
    band.cells.assert_fits(label);
    let (cells, keys, _) = cells_of(band, scratch);
    assert_eq!((cells.columns().len(), keys.len()), (own.len(), own.len()), "{label}");
    let populations: Vec<usize> = (0..band.row_count())
        .flat_map(|y| (0..band.column_count()).map(move |x| (x, y)))
        .map(|(x, y)| cells.run(y, &(x..x + 1)).len())
        .collect();
    assert_eq!(populations.iter().sum::<usize>(), own.len(), "{label}: all are in inner cells, not in borders");
    let mut seen = vec![false; own.len()];
    for at in 0..own.len() {
        let row = cells.columns().rows()[at] as usize;
        assert!(!std::mem::replace(&mut seen[row], true), "{label}: row {row} is there twice");
        assert_eq!(cells.columns().aabb(at).map(f32::to_bits), own[row].aabb.map(f32::to_bits), "{label}");
    }
}

fn pairs(band: &Band, scratch: &mut BandScratch) -> Vec<(u32, u32)> {
    let (pool, budget, mut blocks) = (PagePool::default(), PairBudget::new(usize::MAX), Vec::new());
    let (cells, keys, _) = cells_of(band, scratch);
    let mut sink = PairSink::new(&pool, &budget, &mut blocks);
    DetectedSimd::default().scan_cells(&cells, keys, 0..keys.len(), &mut sink).expect("no limit");
    drop(sink);
    let mut pairs: Vec<_> = blocks.iter().flat_map(|block| block.pairs()).map(|&[a, b]| (a, b)).collect();
    pairs.sort_unstable();
    pairs
}

/// Compares the rectangles of some boxes with brute force.
fn check_rects(label: &str, band: &Band, own: &[BodyRecord], scratch: &mut BandScratch) {
    let (cells, _, tables) = cells_of(band, scratch);
    let lookup = band.lookup(tables);
    let some = || own.iter().step_by(own.len() / 40 + 1).map(|record| record.aabb);
    // Also what a box just reaches at its end, on either axis and on both.
    let [width, height] = [0, 1].map(|axis| {
        let side = |record: &&BodyRecord| record.aabb[axis + 2] - record.aabb[axis];
        own.iter().max_by(|a, b| side(a).total_cmp(&side(b))).expect("a band with bodies").aabb
    });
    let after = [width, height]
        .into_iter()
        .chain(some())
        .flat_map(|[x0, y0, x1, y1]| [[x1, y0, INF, y1], [x0, y1, x1, INF], [x1, y1, x1, y1], [x1, y1, INF, INF]]);
    let endless = [[-INF, -INF, INF, INF], [-INF, 0.0, 0.0, 0.0], [INF; 4], [-INF; 4]];
    let probes = some().chain(after).chain(endless);
    for probe in probes {
        let rect = lookup.rect(&BandBox::from_edges(probe));
        let in_rect = (rect.y.start..rect.y.end.min(band.row_count()))
            .flat_map(|y| cells.run(y, &(rect.x.start..rect.x.end.min(band.column_count()))));
        let hit = |at: &usize| overlaps(&cells.columns().aabb(*at), &probe);
        let truth = own.iter().filter(|other| overlaps(&other.aabb, &probe)).count();
        assert_eq!(in_rect.filter(hit).count(), truth, "{label}: {probe:?}");
    }
}

/// Distributions that are difficult to lay out, by name.
fn adversaries(count: usize, rng: &mut SplitMix64) -> Vec<(&'static str, Vec<RawAabb>)> {
    let each = |f: &mut dyn FnMut(f32) -> RawAabb| (0..count).map(|k| f(k as f32)).collect::<Vec<_>>();
    let half = count as f32 * 0.5;
    vec![
        ("one point", each(&mut |_| [3.0, 3.0, 3.0, 3.0])),
        ("one box", each(&mut |_| [3.0, 3.0, 4.0, 5.0])),
        ("two points far apart", each(&mut |k| if k < half { [f32::MIN; 4] } else { [f32::MAX; 4] })),
        ("powers", each(&mut |k| [(k * 0.1).exp2(), -(k * 0.1).exp2(), (k * 0.1).exp2() * 1.01, -(k * 0.1).exp2()])),
        ("a point and a line", each(&mut |k| if k < half { [0.0; 4] } else { [k, 0.0, k + 0.5, 0.0] })),
        ("a point and a diagonal", each(&mut |k| if k < half { [0.0; 4] } else { [k, k, k, k] })),
        ("a cross", each(&mut |k| if k < half { [k, 0.0, k, 0.0] } else { [0.0, k, 0.0, k] })),
        ("all of the world", each(&mut |k| [k, -k, 1e6 + k, 1e6])),
        ("one covers all", each(&mut |k| if k == 0.0 { [-1e6, -1e6, 1e6, 1e6] } else { [k, k % 7.0, k, k % 7.0] })),
        ("neighbors in f32", each(&mut |k| [f32::from_bits(k as u32), 1e30, f32::from_bits(k as u32 + 2), 1e30])),
        ("long rows", each(&mut |k| [k * 0.3, k % 3.0, k * 0.3 + 1e3, k % 3.0])),
        (
            "a far one",
            each(&mut |k| if k == half.floor() { [1e30, 0.0, 1e30, 0.0] } else { [k, k % 11.0, k + 1.0, k % 11.0] }),
        ),
        ("a row of boxes far away", each(&mut |k| [1e7 + k * 1.3, k % 3.0, 1e7 + k * 1.3 + 1.9, k % 3.0 + 0.7])),
        (
            "a side that overflows",
            each(&mut |k| if k == 0.0 { [f32::MIN, k, f32::MAX, k] } else { [k, k, k + 0.9, k + 0.9] }),
        ),
        ("as wide as the world", each(&mut |k| [k % 5.0, k * 0.05, k % 5.0 + k % 7.0, k * 0.05 + 0.7])),
        ("as high as the world", each(&mut |k| [k * 0.05, k % 5.0, k * 0.05 + 0.7, k % 5.0 + k % 7.0])),
        ("no end to x", each(&mut |k| if k % 5.0 == 0.0 { [-INF, k, INF, k] } else { [k, k, k + 1.0, k + 1.0] })),
        ("at both ends", each(&mut |k| if k % 3.0 == 0.0 { [-INF, 0.0, -INF, INF] } else { [INF, k, INF, k] })),
        (
            "anything",
            each(&mut |_| {
                let (x, y) = (rng.range(-9.0, 9.0).powi(9), rng.range(-9.0, 9.0).powi(5));
                [x, y, x + rng.range(0.0, 2.0).powi(9), y + rng.range(0.0, 2.0)]
            }),
        ),
    ]
}

#[test]
fn bodies_begin_in_the_cells_of_fine_columns() {
    let mut rng = SplitMix64::new(3);
    let boxes: Vec<RawAabb> = (0..2000)
        .map(|_| {
            let [x, y] = [rng.range(0.0, 300.0), rng.range(0.0, 40.0)];
            [x, y, x + 2.0, y + 2.0]
        })
        .collect();
    let (own, mut scratch) = (records(&boxes), BandScratch::default());
    for (axis, rows_max) in [(0, 1), (1, 1), (0, 10), (1, 10)] {
        let layout = Layout::FineColumns { axis, rows_max };
        let band = Band::build_as(layout, &own, &mut scratch).expect("columns");
        let (_, _, tables) = cells_of(&band, &mut scratch);
        assert!(
            band.row_count() == rows_max && band.cell_counts()[axis] == band.column_count() && band.column_count() > 50
        );
        for [x, y, ..] in boxes.iter().copied() {
            let cell = band.cell(tables, [x, y]);
            let (column, row) = (cell % band.column_count(), cell / band.column_count());
            let [low, high] = [[column, row], [column + 1, row + 1]].map(|cell| band.corner(tables, cell));
            let size = band.cell_size_at(tables, [x, y]);
            for (axis, v) in [x, y].map(f64::from).into_iter().enumerate() {
                let slack = 0.01 * size[axis];
                assert!((low[axis] - slack..=high[axis] + slack).contains(&v), "{axis}: {v}, {low:?} to {high:?}");
            }
        }
    }
}

#[test]
fn every_layout_finds_the_same_pairs() {
    let (mut scratch, mut built) = (BandScratch::default(), 0);
    for (k, kind) in BoxLayout::ALL.into_iter().enumerate() {
        for count in [1500, 2, 90] {
            let boxes = kind.boxes(count, k as u64 + 70);
            let (own, truth) = (records(&boxes), reference::self_pairs(&boxes));
            for layout in LAYOUTS {
                let label = format!("{kind:?} of {count}, {layout:?}");
                let Some(band) = Band::build_as(layout, &own, &mut scratch) else { continue };
                built += 1;
                check(&label, &band, &own, &mut scratch);
                assert!(pairs(&band, &mut scratch) == truth, "{label}");
                check_rects(&label, &band, &own, &mut scratch);
            }
        }
    }
    assert!(built >= 500, "{built} of 552 were laid out");
}

#[test]
fn adversaries_stay_within_their_words() {
    let (mut scratch, mut rng, mut built) = (BandScratch::default(), SplitMix64::new(90), 0);
    for count in [1, 2, 3, 4, 7, 8, 15, 16, 17, 63, 64, 65, 127, 256, 500, 1023, 2000] {
        for (name, boxes) in adversaries(count, &mut rng) {
            let (own, truth) = (records(&boxes), reference::self_pairs(&boxes));
            for layout in LAYOUTS {
                let label = format!("{name} of {count}, {layout:?}");
                let Some(band) = Band::build_as(layout, &own, &mut scratch) else { continue };
                built += 1;
                check(&label, &band, &own, &mut scratch);
                assert!(pairs(&band, &mut scratch) == truth, "{label}");
            }
            // The chosen layout, and cells of a given size.
            let given = [f32::MIN_POSITIVE, 0.7, f32::MAX].map(CellSize::Given);
            for cell_size in [CellSize::ForOwnPairs, CellSize::ForSearches].into_iter().chain(given) {
                let label = format!("{name} of {count}, cells of {cell_size:?}");
                scratch.tables = used_words(count, &mut scratch);
                let band = Band::build(&own, measured(&own), cell_size, &mut scratch, DetectedSimd::default());
                check(&label, &band, &own, &mut scratch);
                assert!(pairs(&band, &mut scratch) == truth, "{label}");
            }
        }
    }
    assert!(built >= 2400, "{built} of 2584 were laid out");
}

#[test]
fn every_population_stays_within_its_words() {
    let (mut scratch, mut built) = (BandScratch::default(), 0);
    for kind in [BoxLayout::Crowd, BoxLayout::Diagonal, BoxLayout::Clusters] {
        let boxes = kind.boxes(2000, 91);
        let all = records(&boxes);
        for count in 1..=2000 {
            let own = &all[..count];
            for layout in LAYOUTS {
                let Some(band) = Band::build_as(layout, own, &mut scratch) else { continue };
                built += 1;
                band.cells.assert_fits(&format!("{kind:?} of {count}, {layout:?}"));
                cells_of(&band, &mut scratch);
            }
        }
    }
    assert!(built >= 47_000, "{built} of 48000 were laid out");
}

#[test]
fn scratch_of_equal_capacity_does_not_grow() {
    let (mut first, mut second) = (BandScratch::default(), BandScratch::default());
    let own = records(&BoxLayout::Crowd.boxes(900, 92));
    for layout in LAYOUTS {
        Band::build_as(layout, &own, &mut first);
    }
    second.reserve_like(&first);
    let bytes = second.bytes();
    assert!(bytes >= first.bytes());
    for layout in LAYOUTS {
        Band::build_as(layout, &own, &mut second);
    }
    assert_eq!(second.bytes(), bytes);
}

#[test]
fn a_sample_distinguishes_even_from_clustered_bodies() {
    let may_be_even = |place: &dyn Fn(usize) -> [f32; 2]| {
        let boxes: Vec<RawAabb> = (0..5000).map(place).map(|[x, y]| [x, y, x + 0.5, y + 0.5]).collect();
        let own = records(&boxes);
        may_be_even(&own, measured(&own).extents)
    };
    // Steps without a common factor with those of the sample.
    let even = |k: usize| [(k * 7919 % 5003) as f32, (k * 6101 % 4999) as f32];
    assert!(may_be_even(&even));
    assert!(!may_be_even(&|k| even(k).map(|v| if k % 50 == 0 { v } else { v * 0.05 })), "all but a few in a corner");
    assert!(!may_be_even(&|k| [even(k)[0], even(k)[0]]), "on a diagonal");
}
