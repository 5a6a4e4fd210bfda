//! The scans, once for all instruction sets.

#![allow(unsafe_code)]

use crate::input::filter::Filter;
use crate::memory::cell_table::{CellKey, CellStarts};
use crate::memory::columns::SoaColumns;
use crate::memory::page::{PAGE_LEN, PAGE_SLACK, PairSink};
use crate::simd::Probe;
use crate::simd::circle_test::Rule;
use crate::simd::vector::{Ascending, Filters, Lanes, PairOrderTag, ProbeFirst, RawColumns};
use std::ops::Range;

/// Candidates for which slots are asked for at once: a page that has none for so many is left, and is three quarters full
/// then, however few of them are hits.
///
/// Below 256, see [`Lanes::round`].
const LONG: usize = 240;

const _: () = assert!(LONG < 256 && LONG <= PAGE_LEN / 4);

/// Bodies in cell order and the table of their cells.
#[derive(Clone, Copy)]
pub(crate) struct CellView<'a> {
    columns: SoaColumns<'a>,
    starts: CellStarts<'a>,
}

impl<'a> CellView<'a> {
    /// # Panics
    ///
    /// When the table is of another population.
    pub(crate) fn new(columns: SoaColumns<'a>, starts: CellStarts<'a>) -> Self {
        assert_eq!(columns.len(), starts.population(), "the table counts the entries of these columns");
        Self { columns, starts }
    }

    /// These entries with their filters, which stand in `words` as [`SoaColumns::with_filters`] says.
    pub(crate) fn with_filters(self, words: &'a [u32]) -> Self {
        Self { columns: self.columns.with_filters(words), ..self }
    }

    /// These entries as circles, see [`SoaColumns::with_circles`].
    pub(crate) fn with_circles(self, circles: bool) -> Self {
        Self { columns: self.columns.with_circles(circles), ..self }
    }

    pub(crate) fn columns(&self) -> &SoaColumns<'a> {
        &self.columns
    }

    /// The entries in the columns `x` of row `y`.
    #[inline]
    pub(crate) fn run(&self, y: usize, x: &Range<usize>) -> Range<usize> {
        self.starts.run(y, x)
    }

    /// The part of `rect` that this table has.
    fn clip(&self, rect: &CellRect) -> CellRect {
        let (columns, rows) = (self.starts.stride() - 2, self.starts.rows());
        let clip = |r: &Range<usize>, end: usize| r.start.min(end)..r.end.min(end);
        CellRect { x: clip(&rect.x, columns), y: clip(&rect.y, rows) }
    }
}

/// A rectangle of cells: columns and rows, borders not counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CellRect {
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
pub(crate) unsafe fn scan_cells<L: Lanes, F: Filters, R: Rule>(
    cells: &CellView<'_>,
    keys: &[u32],
    below: &mut Vec<u32>,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    let stride = cells.starts.stride();
    let starts = cells.starts.as_slice();
    let columns = RawColumns::<F>::of(&cells.columns);
    let population = cells.columns.len();
    assert_eq!(keys.len(), population, "a key for each entry");
    if below.len() < population {
        below.resize(population, 0);
    }
    let mut slots = Slots::of(sink);
    for y in 0..cells.starts.rows() {
        let entries = starts[y * stride] as usize..starts[(y + 1) * stride] as usize;
        let mut below_count = 0;
        let mut note = |i: usize, key: u32| {
            below[below_count] = i as u32;
            below_count += CellKey(key).below();
            let end = (starts[CellKey(key).cell() + 1 + CellKey(key).right()] as usize).min(population);
            end.saturating_sub(i + 1)
        };
        let row_keys = &keys[entries.clone()];
        let (twos, ones) = if L::TWO > 0 { row_keys.as_chunks::<2>() } else { (&[][..], row_keys) };
        let mut i = entries.start;
        // SAFETY: the start of a row is at most the population.
        let mut entry = unsafe { columns.from(i.min(population)) };
        for &[first, second] in twos {
            let left = [note(i, first), note(i + 1, second)];
            // SAFETY: both have keys, so they are entries; no run leaves the population. Where there is room, there are
            // `PAGE_SLACK` slots at least.
            unsafe {
                let next = entry.from(1);
                // Pages are turned as where entries are tested one by one, so that blocks are the same.
                if left[0] <= L::TWO && left[1] < L::TWO && slots.has_room(left[0] + left[1]) {
                    let count = L::two::<F, R>(entry, left, slots.next);
                    slots.advance(count);
                } else {
                    test::<L, F, R>(entry, next, left[0], &mut slots)?;
                    test::<L, F, R>(next, next.from(1), left[1], &mut slots)?;
                }
                entry = next.from(1);
            }
            i += 2;
        }
        for &key in ones {
            let left = note(i, key);
            // SAFETY: as above.
            unsafe {
                let next = entry.from(1);
                test::<L, F, R>(entry, next, left, &mut slots)?;
                entry = next;
            }
            i += 1;
        }
        for &i in &below[..below_count] {
            let key = CellKey(keys[i as usize]);
            let cell = key.cell() + stride;
            let (from, end) = (starts[cell - 1] as usize, starts[cell + 1 + key.right()] as usize);
            let (from, end) = (from.min(population), end.min(population));
            // SAFETY: as above.
            unsafe {
                test::<L, F, R>(columns.from(i as usize), columns.from(from), end.saturating_sub(from), &mut slots)?
            };
        }
    }
    slots.close();
    Some(())
}

/// The free slots of a sink, as numbers in registers: a scan advances them a million times a step.
struct Slots<'a, 's> {
    sink: &'a mut PairSink<'s>,
    start: *mut [u32; 2],
    next: *mut [u32; 2],
    end: *mut [u32; 2],
}

impl<'a, 's> Slots<'a, 's> {
    fn of(sink: &'a mut PairSink<'s>) -> Self {
        let none = std::ptr::null_mut();
        Self { sink, start: none, next: none, end: none }
    }

    /// Whether there is a slot for each candidate and a vector more.
    #[inline(always)]
    fn has_room(&self, candidates: usize) -> bool {
        (self.end as usize - self.next as usize) >= (candidates + PAGE_SLACK) * size_of::<[u32; 2]>()
    }

    /// A slot for each of at most [`LONG`] candidates and a vector more; `None` once the budget is spent.
    #[inline(always)]
    fn room(&mut self, candidates: usize) -> Option<*mut [u32; 2]> {
        if !self.has_room(candidates) {
            // Not a method: one that is called with `self` would keep its fields in memory.
            let room = turn(self.sink, taken(self.start, self.next), candidates)?;
            (self.start, self.next, self.end) = (room.start, room.start, room.end);
        }
        Some(self.next)
    }

    /// Takes the first `hits` of the slots that [`room`](Self::room) gave.
    ///
    /// # Safety
    ///
    /// There are not more than it gave.
    #[inline(always)]
    unsafe fn advance(&mut self, hits: usize) {
        // SAFETY: by the contract.
        self.next = unsafe { self.next.add(hits) };
    }

    /// Tells the sink what was taken.
    fn close(self) {
        self.sink.advance(taken(self.start, self.next));
    }
}

#[inline(always)]
fn taken(start: *mut [u32; 2], next: *mut [u32; 2]) -> usize {
    (next as usize - start as usize) / size_of::<[u32; 2]>()
}

#[cold]
#[inline(never)]
fn turn(sink: &mut PairSink<'_>, taken: usize, candidates: usize) -> Option<Range<*mut [u32; 2]>> {
    sink.advance(taken);
    sink.room(candidates).map(|room| room.as_mut_ptr_range())
}

/// One entry against a run of so many candidates.
///
/// # Safety
///
/// As for [`long_run`], and the entry lies in the population.
#[inline(always)]
unsafe fn test<L: Lanes, F: Filters, R: Rule>(
    entry: RawColumns<F>,
    run: RawColumns<F>,
    candidates: usize,
    slots: &mut Slots<'_, '_>,
) -> Option<()> {
    // SAFETY: by the contract.
    unsafe { long_run::<L, Ascending, F, R>(L::spread::<R>(entry.probe()), run, candidates, slots) }
}

/// The entries in a rectangle of cells that overlap the probe.
///
/// # Safety
///
/// The instruction set of `L` is there.
#[inline(always)]
pub(crate) unsafe fn scan_rect<L: Lanes, O: PairOrderTag, F: Filters, R: Rule>(
    cells: &CellView<'_>,
    rect: &CellRect,
    probe: Probe,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    let columns = RawColumns::<F>::of(&cells.columns);
    let CellRect { x, y } = cells.clip(rect);
    // SAFETY: by the contract.
    let spread = unsafe { L::spread::<R>(probe) };
    let population = cells.columns.len();
    let mut slots = Slots::of(sink);
    for y in y {
        let entries = cells.run(y, &x);
        let (from, end) = (entries.start.min(population), entries.end.min(population));
        // SAFETY: the run does not leave the population.
        unsafe { long_run::<L, O, F, R>(spread, columns.from(from), end.saturating_sub(from), &mut slots)? };
    }
    slots.close();
    Some(())
}

/// Each of some probes against a run of entries.
///
/// # Safety
///
/// The instruction set of `L` is there.
#[inline(always)]
pub(crate) unsafe fn scan_all<L: Lanes, F: Filters, R: Rule>(
    probes: &SoaColumns<'_>,
    range: Range<usize>,
    entries: &SoaColumns<'_>,
    run: Range<usize>,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    let columns = RawColumns::<F>::of(entries);
    assert!(run.start <= run.end && run.end <= entries.len(), "a run lies in its population");
    let mut slots = Slots::of(sink);
    for at in range {
        // SAFETY: the instruction set by the contract; the run by the assertion.
        unsafe {
            let filter = if F::ON { probes.filter(at) } else { Filter::ALL };
            let spread = L::spread::<R>(Probe { aabb: probes.aabb(at), row: probes.row(at), filter });
            long_run::<L, ProbeFirst, F, R>(spread, columns.from(run.start), run.len(), &mut slots)?;
        }
    }
    slots.close();
    Some(())
}

/// Says that the branch that calls this is rarely taken.
#[cold]
fn rare() {}

/// One run of `left` entries from the first on; the first round is taken without asking, since a run fits one vector almost
/// always.
///
/// # Safety
///
/// The run lies in the population of the padded columns, or is empty and starts at most at its end; it is no longer than
/// [`LONG`]; `out` has a slot per entry and a vector more.
#[inline(always)]
unsafe fn run<L: Lanes, O: PairOrderTag, F: Filters, R: Rule>(
    spread: L::Spread,
    mut columns: RawColumns<F>,
    mut left: usize,
    out: *mut [u32; 2],
) -> usize {
    // SAFETY: by the contract; a vector of padding follows the population (C2).
    let mut count = unsafe { L::round::<O, F, R>(spread, columns, left, out) };
    if left > L::WIDTH {
        if L::WIDTH >= 8 {
            rare();
        }
        while left > L::WIDTH {
            // SAFETY: as above; there are more entries than a vector has.
            unsafe {
                columns = columns.from(L::WIDTH);
                left -= L::WIDTH;
                count += L::round::<O, F, R>(spread, columns, left, out.add(count));
            }
        }
    }
    count
}

/// A run of any length, [`LONG`] candidates at a time.
///
/// # Safety
///
/// The run lies in the population of the padded columns, or is empty and starts at most at its end.
#[inline(always)]
unsafe fn long_run<L: Lanes, O: PairOrderTag, F: Filters, R: Rule>(
    spread: L::Spread,
    mut columns: RawColumns<F>,
    mut left: usize,
    slots: &mut Slots<'_, '_>,
) -> Option<()> {
    // SAFETY: parts of the run; `room` gives a slot per candidate and a vector more.
    unsafe {
        while left > LONG {
            let out = slots.room(LONG)?;
            slots.advance(run::<L, O, F, R>(spread, columns, LONG, out));
            columns = columns.from(LONG);
            left -= LONG;
        }
        let out = slots.room(left)?;
        slots.advance(run::<L, O, F, R>(spread, columns, left, out));
    }
    Some(())
}

/// Writes the scans for an instruction set: the generic code is inlined into functions that carry its features. Those are not
/// inlined where the set is chosen, so that choosing is small enough to be.
macro_rules! instantiate {
    ($lanes:ty $(, #[$feature:meta])?) => {
        use crate::simd::scan::{self, CellView, CellRect};
        use crate::memory::columns::SoaColumns;
        use crate::memory::page::PairSink;

        $(#[$feature])?
        pub(crate) fn run<W: crate::simd::SimdJob>(work: W) -> W::Output {
            work.run()
        }

        #[inline(never)]
        $(#[$feature])?
        pub(crate) fn scan_cells<F: Filters, R: Rule>(
            cells: &CellView<'_>, keys: &[u32], below: &mut Vec<u32>, sink: &mut PairSink<'_>,
        ) -> Option<()> {
            // SAFETY: this function carries the features, so they are there.
            unsafe { scan::scan_cells::<$lanes, F, R>(cells, keys, below, sink) }
        }

        #[inline(never)]
        $(#[$feature])?
        pub(crate) fn scan_rect<O: PairOrderTag, F: Filters, R: Rule>(
            cells: &CellView<'_>, rect: &CellRect, probe: Probe, sink: &mut PairSink<'_>,
        ) -> Option<()> {
            // SAFETY: as above.
            unsafe { scan::scan_rect::<$lanes, O, F, R>(cells, rect, probe, sink) }
        }

        #[inline(never)]
        $(#[$feature])?
        pub(crate) fn scan_all<F: Filters, R: Rule>(
            probes: &SoaColumns<'_>,
            range: std::ops::Range<usize>,
            entries: &SoaColumns<'_>,
            run: std::ops::Range<usize>,
            sink: &mut PairSink<'_>,
        ) -> Option<()> {
            // SAFETY: as above.
            unsafe { scan::scan_all::<$lanes, F, R>(probes, range, entries, run, sink) }
        }
    };
}
pub(crate) use instantiate;
