//! The scans: boxes of cells against each other, and probes against runs of entries.
//!
//! Each is compiled for every instruction set (`compile.rs`).

#![allow(unsafe_code)]

use crate::memory::cell_table::CellKey;
use crate::memory::columns::{SOA_PAD, SoaColumns};
use crate::memory::list_columns::ListColumns;
use crate::memory::pair_sink::PairSink;
use crate::memory::partition_points::partition_points;
use crate::simd::backend::Backend;
use crate::simd::batch_test::{Side, Tests, hits};
use crate::simd::cell_view::{CellRect, CellView};
use crate::simd::output_slots::OutputSlots;
use crate::simd::probe::{PairOrder, Probe, ProbeBatch};
use crate::simd::raw_columns::RawColumns;
use crate::simd::splat_probe::{CANDIDATES_MAX, SplatProbe};
use crate::simd::vector::Vector;
use std::ops::Range;

/// Entries of a row of cells that are tested against their own row, before any is tested against
/// the next row. Rows rarely have more.
const ROW_AT_ONCE: usize = 1024;

/// Searches of sorted entries that advance together.
const SEARCHES_AT_ONCE: usize = 8;

const _: () = assert!(SEARCHES_AT_ONCE <= SOA_PAD);

/// A list that is apart is loaded so many probes ahead.
const LISTS_AHEAD: usize = 8;

/// Reports the pairs of each of the `probes` with a later entry of a grid that overlaps it. `None`
/// once the pair limit is exceeded.
///
/// The later partners of an entry are in two runs: the rest of its own cell with the cells to the
/// right that its box reaches; and, if it reaches below, the cells there from which boxes may reach
/// its own column, and those up to where its box ends.
///
/// A row of cells is scanned in two loops, [`ROW_AT_ONCE`] entries at a time: first all entries
/// against their own row, then those that reach below against the next row. Both loops are long and
/// their branches predictable, unlike loops over cells.
///
/// # Safety
///
/// The instruction set of `B` is available.
#[inline(always)]
pub(super) unsafe fn scan_cells<B: Backend>(
    tests: Tests,
    cells: &CellView<'_>,
    keys: &[u32],
    probes: Range<usize>,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    let stride = cells.starts().stride();
    let starts = cells.starts().as_slice();
    let columns_reached = cells.columns_reached();
    let columns = RawColumns::new(cells.columns(), tests.filters);
    let population = cells.columns().len();
    assert_eq!(keys.len(), population, "there is a key for each entry");
    let mut below = [0; ROW_AT_ONCE];
    let mut slots = OutputSlots::new(sink);
    let Some(&first) = keys.get(probes.start) else { return Some(()) };
    for y in CellKey(first).cell() / stride..cells.starts().rows() {
        let row_start = starts[y * stride] as usize;
        if row_start >= probes.end {
            break;
        }
        let row_below = (y + 1) * stride;
        let row_end = (starts[row_below] as usize).min(probes.end);
        let mut i = row_start.max(probes.start);
        while i < row_end {
            let end = row_end.min(i + ROW_AT_ONCE);
            let mut below_count = 0;
            // Counts the candidates in the entry's own row, and notes whether it reaches below.
            let mut candidates = |i: usize, key: u32| {
                below[below_count] = i as u32;
                below_count += CellKey(key).below();
                let end = (starts[CellKey(key).cell() + 1 + CellKey(key).right()] as usize).min(population);
                end.saturating_sub(i + 1)
            };
            let row_keys = &keys[i..end];
            let (twos, ones) = if B::TWO_MAX > 0 { row_keys.as_chunks::<2>() } else { (&[][..], row_keys) };
            // SAFETY: there is a key for the entry, so it is in the population.
            let mut entry = unsafe { columns.skip(i) };
            for &[first, second] in twos {
                let counts = [candidates(i, first), candidates(i + 1, second)];
                // SAFETY: both entries have keys, so they are in the population, and so are their
                // candidates; a vector may extend into the padding (SOA-2). `PAGE_SLACK` slots are
                // free.
                unsafe {
                    let next = entry.skip(1);
                    // Without room for both, pages change as they do when entries are tested one by
                    // one.
                    if counts[0] <= B::TWO_MAX && counts[1] < B::TWO_MAX && slots.has_room(counts[0] + counts[1]) {
                        let hits = B::test_two(tests, entry, counts, slots.next());
                        slots.advance(hits);
                    } else {
                        test_entry::<B::Wide>(tests, entry, next, counts[0], &mut slots)?;
                        test_entry::<B::Wide>(tests, next, next.skip(1), counts[1], &mut slots)?;
                    }
                    entry = next.skip(1);
                }
                i += 2;
            }
            for &key in ones {
                let count = candidates(i, key);
                // SAFETY: the entry has a key, so it is in the population, and so are its
                // candidates.
                unsafe {
                    let next = entry.skip(1);
                    test_entry::<B>(tests, entry, next, count, &mut slots)?;
                    entry = next;
                }
                i += 1;
            }
            for &i in &below[..below_count] {
                let key = CellKey(keys[i as usize]);
                let cell = key.cell() + stride;
                // A branch that is always predicted is faster than the maximum.
                let first = if columns_reached == 1 {
                    cell - 1
                } else {
                    cell.max(row_below + columns_reached) - columns_reached
                };
                let (start, end) = (starts[first] as usize, starts[cell + 1 + key.right()] as usize);
                let (start, end) = (start.min(population), end.min(population));
                // SAFETY: the entry has a key, and the run was clipped to the population.
                unsafe {
                    let (entry, run) = (columns.skip(i as usize), columns.skip(start));
                    test_entry::<B::Wide>(tests, entry, run, end.saturating_sub(start), &mut slots)?;
                }
            }
        }
    }
    slots.finish();
    Some(())
}

/// Tests the first entry of `entry` against the first `count` entries of `run`.
///
/// # Safety
///
/// The instruction set of `B` is available, and both are in the population.
#[inline(always)]
unsafe fn test_entry<B: Backend>(
    tests: Tests,
    entry: RawColumns,
    run: RawColumns,
    count: usize,
    slots: &mut OutputSlots<'_, '_>,
) -> Option<()> {
    // SAFETY: the caller vouches for the instruction set, the entries and the filters.
    unsafe {
        let probe = SplatProbe::<B>::new(tests, PairOrder::Ascending, &entry.probe(tests.filters));
        probe.test_long_run(run, count, slots)
    }
}

/// Reports the entries in rectangles of cells that overlap the probe of each.
///
/// # Safety
///
/// The instruction set of `B` is available.
#[inline(always)]
pub(super) unsafe fn scan_rects<B: Backend>(
    tests: Tests,
    cells: &CellView<'_>,
    searches: &[(CellRect, Probe)],
    order: PairOrder,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    let columns = RawColumns::new(cells.columns(), tests.filters);
    let population = cells.columns().len();
    let mut slots = OutputSlots::new(sink);
    for (rect, probe) in searches {
        // SAFETY: the caller vouches for the instruction set.
        let probe = unsafe { SplatProbe::<B>::new(tests, order, probe) };
        let CellRect { x, y } = cells.clip(rect);
        for y in y {
            let run = cells.run(y, &x);
            let (start, end) = (run.start.min(population), run.end.min(population));
            // SAFETY: the run was clipped to the population.
            unsafe { probe.test_long_run(columns.skip(start), end.saturating_sub(start), &mut slots)? };
        }
    }
    slots.finish();
    Some(())
}

/// Reports the pairs of a probe and an entry of its list that overlap, the row of the probe first.
///
/// `ranges` has the start and the end of a list for each of the probes from `first` on.
///
/// # Safety
///
/// The instruction set of `B` is available.
#[inline(always)]
pub(super) unsafe fn scan_lists<B: Backend>(
    tests: Tests,
    (probes, first): (&SoaColumns<'_>, usize),
    (lists, ranges): (&ListColumns, &[[u32; 2]]),
    are_exchanged: bool,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    assert!(!tests.filters || lists.filters().is_some(), "the entries have filters");
    let are_filtered = tests.filters && probes.filters().is_some();
    let probe_columns = RawColumns::new(probes, are_filtered);
    assert!(first + ranges.len() <= probes.len(), "there is a probe for each list");
    let mut slots = OutputSlots::new(sink);
    for (at, &[start, end]) in ranges.iter().enumerate() {
        if lists.are_apart()
            && let Some(&[ahead, _]) = ranges.get(at + LISTS_AHEAD)
        {
            lists.prefetch(ahead as usize);
        }
        let end = (end as usize).min(lists.len());
        let list = (start as usize).min(end)..end;
        // SAFETY: the probe is in the population, and the list was clipped to the entries; the
        // caller vouches for the instruction set.
        unsafe {
            let mut probe = probe_columns.skip(first + at).probe(are_filtered);
            if are_exchanged {
                let [x, y, right, bottom] = probe.aabb;
                probe.aabb = [y, x, bottom, right];
            }
            let probe = SplatProbe::<B::Wide>::new(tests, PairOrder::ProbeFirst, &probe);
            let columns = RawColumns::of_list(lists, &list, tests.filters);
            probe.test_long_run(columns, list.len(), &mut slots)?;
        }
    }
    slots.finish();
    Some(())
}

/// Reports the pairs of a probe and an entry that overlap. Entries are sorted by their lower edges
/// on `axis`.
///
/// `reach` has the largest upper edge on that axis of each entry and those before it.
///
/// # Safety
///
/// The instruction set of `B` is available.
#[inline(always)]
pub(super) unsafe fn scan_beside<B: Backend>(
    tests: Tests,
    probes: &SoaColumns<'_>,
    (entries, reach): (&SoaColumns<'_>, &[f32]),
    (axis, order): (usize, PairOrder),
    sink: &mut PairSink<'_>,
) -> Option<()> {
    let (columns, probe_columns) = (RawColumns::new(entries, tests.filters), RawColumns::new(probes, tests.filters));
    let lows = lower_edges(entries, axis);
    let [probe_lows, ends] = [[probes.min_x(), probes.min_y()][axis], [probes.max_x(), probes.max_y()][axis]];
    assert_eq!(reach.len(), lows.len(), "there is a reach for each entry");
    let mut slots = OutputSlots::new(sink);
    for first in (0..probes.len()).step_by(SEARCHES_AT_ONCE) {
        // Columns are padded, so this many can be read; results for the padding are not used.
        let mut begins = [0.0; SEARCHES_AT_ONCE];
        begins.copy_from_slice(&probe_lows[first..first + SEARCHES_AT_ONCE]);
        let starts = partition_points(reach, begins, |reach, begin| reach < begin);
        for (at, start) in (first..probes.len()).zip(starts) {
            let end = ends[at];
            // Many probes have nothing beside them.
            if lows.get(start).is_none_or(|&low| low > end) {
                continue;
            }
            // SAFETY: the probe is in the population; the caller vouches for the instruction set.
            unsafe {
                let probe = probe_columns.skip(at).probe(tests.filters);
                let probe = SplatProbe::<B>::new(tests, order, &probe);
                probe.test_beside(columns, lows, start, end, &mut slots)?;
            }
        }
    }
    slots.finish();
    Some(())
}

/// Reports every overlapping pair of one of the `probes` and a later entry. Entries are sorted by
/// their lower edges on `axis`.
///
/// # Safety
///
/// The instruction set of `B` is available.
#[inline(always)]
pub(super) unsafe fn scan_sorted<B: Backend>(
    tests: Tests,
    entries: &SoaColumns<'_>,
    probes: Range<usize>,
    axis: usize,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    let columns = RawColumns::new(entries, tests.filters);
    let lows = lower_edges(entries, axis);
    let mut slots = OutputSlots::new(sink);
    for at in probes.start..probes.end.min(lows.len()) {
        // SAFETY: the entry is in the population; the caller vouches for the instruction set.
        unsafe {
            let probe = columns.skip(at).probe(tests.filters);
            let end = probe.aabb[axis + 2];
            let probe = SplatProbe::<B::Wide>::new(tests, PairOrder::Ascending, &probe);
            probe.test_sorted(columns, (lows, axis), at + 1, end, &mut slots)?;
        }
    }
    slots.finish();
    Some(())
}

/// Reports the pairs of an entry and a chosen probe that overlap, by probe and entry first, if the
/// lower corner of the overlap is above `above` on both axes. There are at most [`CANDIDATES_MAX`]
/// entries.
///
/// # Safety
///
/// The instruction set of `B` is available.
#[inline(always)]
pub(super) unsafe fn scan_above<B: Backend>(
    tests: Tests,
    entries: &SoaColumns<'_>,
    probes: &ProbeBatch<'_>,
    above: [f32; 2],
    sink: &mut PairSink<'_>,
) -> Option<()> {
    let (columns, lanes) = (RawColumns::new(entries, tests.filters), B::Vector::LANES);
    assert!(entries.len() <= CANDIDATES_MAX, "their pairs fit into a page");
    let mut slots = OutputSlots::new(sink);
    let mut chosen = probes.chosen;
    while chosen != 0 {
        let probe = probes.probe(chosen.trailing_zeros() as usize, tests.filters);
        chosen &= chosen - 1;
        if probes.hidden.contains(probe.row) {
            continue;
        }
        slots.reserve(entries.len())?;
        // If the probe begins above, any entry does.
        let from = |axis: usize| if probe.aabb[axis] > above[axis] { f32::NEG_INFINITY } else { above[axis].next_up() };
        // SAFETY: the caller vouches for the instruction set; each vector begins in the population,
        // and may extend into the padding (SOA-2). A slot is reserved for each entry.
        unsafe {
            let [from_x, from_y] = [B::Vector::splat(from(0)), B::Vector::splat(from(1))];
            let probe = SplatProbe::<B>::new(tests, PairOrder::EntryFirst, &probe);
            for first in (0..entries.len()).step_by(lanes) {
                let columns = columns.skip(first);
                let side = Side::load(tests, columns);
                let [min_x, min_y, ..] = side.edges;
                let hits = hits(tests.circles, &probe.side, &side);
                let hits = B::Vector::and(hits, B::Vector::and(from_x.le(min_x), from_y.le(min_y)));
                let hits = B::Vector::first_bits(hits, entries.len() - first);
                let rows = B::Vector::load_words(columns.rows());
                slots.advance(B::store_pairs(probe.order, probe.row, rows, hits, slots.next()));
            }
        }
    }
    slots.finish();
    Some(())
}

/// The lower edges of entries on an axis.
fn lower_edges<'e>(entries: &SoaColumns<'e>, axis: usize) -> &'e [f32] {
    &[entries.min_x(), entries.min_y()][axis][..entries.len()]
}
