//! The scans, once for all instruction sets.

#![allow(unsafe_code)]

use super::Probe;
use super::lanes::{Ascending, Lanes, PairOrder, ProbeFirst, RawColumns};
use crate::storage::cells::{Key, Starts};
use crate::storage::columns::Columns;
use crate::storage::pages::{PAGE_LEN, PairSink};
use std::ops::Range;

/// Candidates for which slots are asked for at once: a page that has none for so many is left, and is three quarters full
/// then, however few of them are hits.
const LONG: usize = PAGE_LEN / 4;

/// Bodies in cell order and the table of their cells.
#[derive(Clone, Copy)]
pub(crate) struct CellView<'a> {
    columns: Columns<'a>,
    starts: Starts<'a>,
}

impl<'a> CellView<'a> {
    /// # Panics
    ///
    /// When the table is of another population.
    pub(crate) fn new(columns: Columns<'a>, starts: Starts<'a>) -> Self {
        assert_eq!(columns.len(), starts.population(), "the table counts the entries of these columns");
        Self { columns, starts }
    }

    pub(crate) fn columns(&self) -> &Columns<'a> {
        &self.columns
    }

    pub(crate) fn starts(&self) -> &Starts<'a> {
        &self.starts
    }

    /// The entries in the columns `x` of row `y`: one run, since rows are contiguous.
    #[inline]
    pub(crate) fn run(&self, y: usize, x: &Range<usize>) -> Range<usize> {
        // T2: inner cells start behind the border.
        let cell = y * self.starts.stride() + 1;
        let starts = self.starts.as_slice();
        starts[cell + x.start] as usize..starts[cell + x.end] as usize
    }

    /// The part of `rect` that this table has.
    fn clip(&self, rect: &Rect) -> Rect {
        let (columns, rows) = (self.starts.stride() - 2, self.starts.rows());
        let clip = |r: &Range<usize>, end: usize| r.start.min(end)..r.end.min(end);
        Rect { x: clip(&rect.x, columns), y: clip(&rect.y, rows) }
    }
}

/// A rectangle of cells: columns and rows, borders not counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rect {
    pub(crate) x: Range<usize>,
    pub(crate) y: Range<usize>,
}

/// Every overlapping pair of a grid, each once. A body's partners that come after it lie in two runs: the rest of its
/// own cell with the cell to the right, and the three cells below; less where it does not reach so far.
///
/// Bodies are visited row by row, first all against their own row, then those that reach below against the next: each
/// loop is long and its branches predictable, which loops over cells are not.
///
/// # Safety
///
/// The instruction set of `L` is there.
#[inline(always)]
pub(super) unsafe fn scan_cells<L: Lanes>(
    cells: &CellView<'_>,
    keys: &[u32],
    below: &mut Vec<u32>,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    let stride = cells.starts.stride();
    let starts = cells.starts.as_slice();
    let columns = RawColumns::from(&cells.columns);
    let population = cells.columns.len();
    assert_eq!(keys.len(), population, "a key for each entry");
    for y in 0..cells.starts.rows() {
        let entries = starts[y * stride] as usize..starts[(y + 1) * stride] as usize;
        below.resize(entries.len(), 0);
        let mut below_count = 0;
        for i in entries {
            let key = Key(keys[i]);
            below[below_count] = i as u32;
            below_count += key.below();
            let end = (starts[key.cell() + 1 + key.right()] as usize).min(population);
            // SAFETY: `i` has a key, so it is an entry; no run leaves the population.
            unsafe { test::<L>(columns, i, i + 1..end, sink)? };
        }
        for &i in &below[..below_count] {
            let key = Key(keys[i as usize]);
            let cell = key.cell() + stride;
            let (from, end) = (starts[cell - 1] as usize, starts[cell + 1 + key.right()] as usize);
            let (from, end) = (from.min(population), end.min(population));
            // SAFETY: as above.
            unsafe { test::<L>(columns, i as usize, from..end, sink)? };
        }
    }
    Some(())
}

/// One entry against a run.
///
/// # Safety
///
/// The entry and the run lie in the population of the padded columns; an empty run starts at most at its end.
#[inline(always)]
unsafe fn test<L: Lanes>(
    columns: RawColumns,
    entry: usize,
    entries: Range<usize>,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    // SAFETY: by the contract.
    let spread = unsafe { L::spread(probe_at(columns, entry)) };
    let candidates = entries.end.saturating_sub(entries.start);
    if candidates > LONG {
        // SAFETY: by the contract.
        return unsafe { long_run::<L, Ascending>(spread, columns, entries, sink) };
    }
    let out = sink.room(candidates)?.as_mut_ptr();
    // SAFETY: by the contract; `room` gave a slot per candidate and a vector more.
    let count = unsafe { run::<L, Ascending>(spread, columns, entries, out) };
    sink.advance(count);
    Some(())
}

/// The entries in a rectangle of cells that overlap the probe.
///
/// # Safety
///
/// The instruction set of `L` is there.
#[inline(always)]
pub(super) unsafe fn scan_rect<L: Lanes, O: PairOrder>(
    cells: &CellView<'_>,
    rect: &Rect,
    probe: Probe,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    let columns = RawColumns::from(&cells.columns);
    let Rect { x, y } = cells.clip(rect);
    // SAFETY: by the contract.
    let spread = unsafe { L::spread(probe) };
    for y in y {
        let entries = cells.run(y, &x);
        let entries = entries.start..entries.end.min(cells.columns.len());
        // SAFETY: the run does not leave the population.
        unsafe { long_run::<L, O>(spread, columns, entries, sink)? };
    }
    Some(())
}

/// Each of some probes against a run of entries.
///
/// # Safety
///
/// The instruction set of `L` is there.
#[inline(always)]
pub(super) unsafe fn scan_all<L: Lanes>(
    probes: &Columns<'_>,
    range: Range<usize>,
    entries: &Columns<'_>,
    run: Range<usize>,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    let columns = RawColumns::from(entries);
    assert!(run.end <= entries.len(), "a run lies in its population");
    for at in range {
        // SAFETY: the instruction set by the contract; the run by the assertion.
        unsafe {
            let spread = L::spread(Probe { aabb: probes.aabb(at), row: probes.rows[at] });
            long_run::<L, ProbeFirst>(spread, columns, run.clone(), sink)?;
        }
    }
    Some(())
}

/// # Safety
///
/// `at` is an entry of the columns.
#[inline(always)]
unsafe fn probe_at(columns: RawColumns, at: usize) -> Probe {
    // SAFETY: by the contract.
    unsafe {
        let aabb = [*columns.min_x.add(at), *columns.min_y.add(at), *columns.max_x.add(at), *columns.max_y.add(at)];
        Probe { aabb, row: *columns.rows.add(at) }
    }
}

/// One run; the first round is taken without asking, since a run fits one vector almost always.
///
/// # Safety
///
/// The run lies in the population of the padded columns, or is empty and starts at most at its end; `out` has a
/// slot per entry and a vector more.
#[inline(always)]
unsafe fn run<L: Lanes, O: PairOrder>(
    spread: L::Spread,
    columns: RawColumns,
    entries: Range<usize>,
    out: *mut [u32; 2],
) -> usize {
    let (mut at, mut count) = (entries.start, 0);
    loop {
        // SAFETY: `at` is at most the end of the population, and a vector of padding follows it (C2).
        unsafe {
            count += L::round::<O>(spread, columns, at, entries.end.saturating_sub(at), out.add(count));
        }
        at += L::WIDTH;
        if at >= entries.end {
            return count;
        }
    }
}

/// A run of any length, a page at a time.
///
/// # Safety
///
/// The run lies in the population of the padded columns.
#[inline(always)]
unsafe fn long_run<L: Lanes, O: PairOrder>(
    spread: L::Spread,
    columns: RawColumns,
    entries: Range<usize>,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    let mut at = entries.start;
    while at < entries.end {
        let end = entries.end.min(at + LONG);
        let out = sink.room(end - at)?.as_mut_ptr();
        // SAFETY: a part of the run; `room` gave a slot per entry and a vector more.
        let count = unsafe { run::<L, O>(spread, columns, at..end, out) };
        sink.advance(count);
        at = end;
    }
    Some(())
}

/// Writes the scans for an instruction set: the generic code is inlined into functions that carry its features.
macro_rules! instantiate {
    ($lanes:ty $(, #[$feature:meta])?) => {
        use crate::kernel::lanes::{Ascending, EntryFirst};
        use crate::kernel::scan::{self, CellView, Rect};
        use crate::storage::columns::Columns;
        use crate::storage::pages::PairSink;

        $(#[$feature])?
        pub(super) fn run<W: crate::kernel::Work>(work: W) -> W::Output {
            work.run()
        }

        $(#[$feature])?
        pub(super) fn scan_cells(
            cells: &CellView<'_>, keys: &[u32], below: &mut Vec<u32>, sink: &mut PairSink<'_>,
        ) -> Option<()> {
            // SAFETY: this function carries the features, so they are there.
            unsafe { scan::scan_cells::<$lanes>(cells, keys, below, sink) }
        }

        $(#[$feature])?
        pub(super) fn scan_rect_ascending(
            cells: &CellView<'_>, rect: &Rect, probe: Probe, sink: &mut PairSink<'_>,
        ) -> Option<()> {
            // SAFETY: as above.
            unsafe { scan::scan_rect::<$lanes, Ascending>(cells, rect, probe, sink) }
        }

        $(#[$feature])?
        pub(super) fn scan_rect_entry_first(
            cells: &CellView<'_>, rect: &Rect, probe: Probe, sink: &mut PairSink<'_>,
        ) -> Option<()> {
            // SAFETY: as above.
            unsafe { scan::scan_rect::<$lanes, EntryFirst>(cells, rect, probe, sink) }
        }

        $(#[$feature])?
        pub(super) fn scan_all(
            probes: &Columns<'_>,
            range: std::ops::Range<usize>,
            entries: &Columns<'_>,
            run: std::ops::Range<usize>,
            sink: &mut PairSink<'_>,
        ) -> Option<()> {
            // SAFETY: as above.
            unsafe { scan::scan_all::<$lanes>(probes, range, entries, run, sink) }
        }
    };
}
pub(super) use instantiate;
