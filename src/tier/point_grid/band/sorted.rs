//! Bodies sorted by cell, and their pairs.
//!
//! If bodies have filters, those are looked up by row once the bodies are sorted, and stored in
//! cell order next to the boxes, so that the scans test filters and boxes together. The filters of
//! other bodies are looked up one by one.
//!
//! Cost: about one vector of tests per body for the pairs of its own bodies; a search for each
//! other body.

use crate::geometry::band_box::BandBox;
use crate::input::filter::Filter;
use crate::memory::pair_sink::PairSink;
use crate::memory::record::BodyRecord;
use crate::memory::shared_column::SharedColumn;
use crate::simd::{CellRect, CellView, DetectedSimd, PairOrder, Probe};
use crate::tier::point_grid::band::build::Band;
use crate::tier::point_grid::band::cell_grid::CellLookup;
use crate::tier::point_grid::band::division::{TEST_NS, in_parts};
use crate::tier::point_grid::band::equal_cells::CellSize;
use crate::tier::point_grid::band::scratch::BandScratch;
use crate::tier::point_grid::band::sweep::{self, SweepPlan, SweepScratch};

/// Searches that are passed to a scan at once: a call takes as long as a short search.
pub(in crate::tier::point_grid) const SEARCHES_AT_ONCE: usize = 16;

/// The conditions on a pair besides its boxes; by default none.
#[derive(Clone, Copy, Default)]
pub(crate) struct PairRules<'a> {
    /// The filters of all rows, if any row has one.
    pub(crate) filters_by_row: Option<&'a [Filter]>,
    /// Whether bodies are circles, which must overlap too.
    pub(crate) are_circles: bool,
}

/// The bodies of a band, sorted by cell in the scratch of a thread, and so in its cache.
pub(crate) struct SortedBodies<'a> {
    pub(super) band: Band,
    words: &'a [u32],
    cells: CellView<'a>,
    filters_by_row: Option<&'a [Filter]>,
    keys: &'a [u32],
    sweep: &'a mut SweepScratch,
}

/// What other boxes are.
#[derive(Clone, Copy)]
pub(crate) enum Others<'o> {
    /// Bodies of the same step.
    Bodies,
    /// Statics, with the filters of all of them, if any has one.
    Statics(Option<&'o SharedColumn<Filter>>),
}

/// Other boxes that were taken, and how their pairs are to be found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GatheredBoxes {
    len: usize,
    /// About how long a search for one of them takes, in nanoseconds.
    search_ns: f64,
    /// How to sweep them, if that is faster.
    plan: Option<SweepPlan>,
}

impl GatheredBoxes {
    /// About how long it takes to find their pairs, in nanoseconds.
    pub(crate) fn ns(&self) -> f64 {
        self.plan.map_or(self.len as f64 * self.search_ns, |plan| plan.ns)
    }
}

impl<'a> SortedBodies<'a> {
    /// Sorts records by cell, and writes the tables to `words`.
    pub(super) fn new(
        own: &[BodyRecord],
        cell_size: CellSize,
        rules: PairRules<'a>,
        words: &'a mut [u32],
        scratch: &'a mut BandScratch,
    ) -> Self {
        let band = Band::build(own, cell_size, words, scratch);
        let filters_by_row = rules.filters_by_row;
        if let Some(by_row) = filters_by_row {
            scratch.look_up_filters(by_row);
        }
        let words = &*words;
        let (columns, filters, keys, sweep) = scratch.sorted_mut();
        #[cfg(debug_assertions)]
        band.assert_well_formed(columns, words);
        let cells = band.cell_view(columns, words).with_circles(rules.are_circles);
        let cells = if filters_by_row.is_some() { cells.with_filters(filters) } else { cells };
        Self { band, words, cells, filters_by_row, keys, sweep }
    }

    /// Finds the pairs of these bodies. `None` once the pair limit is exceeded.
    pub(super) fn own_pairs(&mut self, level: DetectedSimd, sink: &mut PairSink<'_>) -> Option<()> {
        let (cells, keys) = (&self.cells, self.keys);
        // A body is tested with half of its cell, and with four neighbors of it, which may be
        // empty.
        let tests = keys.len() as f64 * 2.0 * f64::from(self.band.crowding);
        in_parts((keys.len(), tests * TEST_NS), sink, |probes, sink| level.scan_cells(cells, keys, probes, sink))
    }

    /// Takes other boxes, in the same axes, for [`pairs_with_gathered`](Self::pairs_with_gathered).
    pub(super) fn gather(&mut self, others: impl Iterator<Item = BodyRecord>) -> GatheredBoxes {
        let (bounds, lookup) = (self.band.bounds(), self.lookup());
        let boxes = &mut self.sweep.boxes;
        boxes.clear();
        boxes.extend(others.filter(|other| bounds.overlaps(&BandBox::from_edges(other.aabb))));
        let search_ns = sweep::search_ns(&lookup, &self.cells, boxes);
        let plan = sweep::plan_if_faster(search_ns, &bounds, self.cells.columns(), boxes);
        GatheredBoxes { len: boxes.len(), search_ns, plan }
    }

    /// Finds the pairs of these bodies with other boxes, in the same axes. `None` once the pair
    /// limit is exceeded.
    pub(super) fn pairs_with(
        &mut self,
        level: DetectedSimd,
        others: impl Iterator<Item = BodyRecord>,
        what: Others<'_>,
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        let gathered = self.gather(others);
        self.pairs_with_gathered(level, gathered, what, sink)
    }

    /// Finds the pairs of these bodies with the boxes that were gathered last. `None` once the pair
    /// limit is exceeded.
    ///
    /// Each of them searches the cells or, if they are long and thin, each body searches them in
    /// sorted order (`sweep`).
    pub(super) fn pairs_with_gathered(
        &mut self,
        level: DetectedSimd,
        GatheredBoxes { search_ns, plan, .. }: GatheredBoxes,
        what: Others<'_>,
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        let lookup = self.lookup();
        let boxes = &mut self.sweep.boxes;
        let (static_filters, [by_cells, by_sweep]) = match what {
            Others::Bodies => (None, [PairOrder::Ascending; 2]),
            Others::Statics(filters) => (filters, [PairOrder::EntryFirst, PairOrder::ProbeFirst]),
        };
        let filter_of = |row: u32| match what {
            Others::Bodies => self.filters_by_row.map_or(Filter::ALL, |filters| filters[row as usize]),
            Others::Statics(filters) => filters.map_or(Filter::ALL, |filters| filters[row]),
        };
        // If only statics have filters. After the choice of the method (STATIC-1).
        if self.filters_by_row.is_none() && static_filters.is_some() {
            boxes.retain(|record| filter_of(record.row).interacts_with(Filter::ALL));
        }
        let are_circles = self.cells.columns().circles() && matches!(what, Others::Bodies);
        let cells = &self.cells;
        let search_some = |boxes: &[BodyRecord], sink: &mut PairSink<'_>| {
            let mut searches: [(CellRect, Probe); SEARCHES_AT_ONCE] = Default::default();
            boxes.chunks(SEARCHES_AT_ONCE).try_for_each(|boxes| {
                for (search, &BodyRecord { aabb, row }) in searches.iter_mut().zip(boxes) {
                    let rect = lookup.rect(&BandBox::from_edges(aabb));
                    *search = (rect, Probe { aabb, row, filter: filter_of(row) });
                }
                level.scan_rects(cells, &searches[..boxes.len()], by_cells, are_circles, sink)
            })
        };
        let search = |boxes: &[BodyRecord], sink: &mut PairSink<'_>| {
            let ns = boxes.len() as f64 * search_ns;
            in_parts((boxes.len(), ns), sink, |part, sink| search_some(&boxes[part], sink))
        };
        let Some(plan) = plan else {
            return search(boxes, sink);
        };
        plan.divide(boxes, &mut self.sweep.long_boxes);
        search(&self.sweep.long_boxes, sink)?;
        if self.sweep.boxes.is_empty() {
            return Some(());
        }
        sweep::sweep(level, self.cells.columns(), (plan.axis, by_sweep), filter_of, self.sweep, sink)
    }

    pub(super) fn lookup(&self) -> CellLookup<'a> {
        self.band.close_lookup(self.words)
    }

    pub(super) fn cells(&self) -> &CellView<'a> {
        &self.cells
    }
}
