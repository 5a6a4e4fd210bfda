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
use crate::simd::{CellRect, CellView, DetectedSimd, PairOrder, Probe};
use crate::tier::point_grid::band::build::Band;
use crate::tier::point_grid::band::cell_grid::CellLookup;
use crate::tier::point_grid::band::division::in_parts;
use crate::tier::point_grid::band::equal_cells::CellSize;
use crate::tier::point_grid::band::others::{GatheredBoxes, Method, Others};
use crate::tier::point_grid::band::own_pairs::OwnMethod;
use crate::tier::point_grid::band::scratch::BandScratch;
use crate::tier::point_grid::band::sweep::{self, SweepScratch};
use crate::tier::sweep::packed_tree::PackedTree;

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
        sweep.tree.clear();
        #[cfg(debug_assertions)]
        band.assert_well_formed(columns, words);
        let cells = band.cell_view(columns, words).with_circles(rules.are_circles);
        let cells = if filters_by_row.is_some() { cells.with_filters(filters) } else { cells };
        Self { band, words, cells, filters_by_row, keys, sweep }
    }

    /// Finds the pairs of these bodies, whose records are `own`. `None` once the pair limit is
    /// exceeded.
    ///
    /// If a tree is built, it is made for searches of `ghosts` too.
    pub(super) fn own_pairs(
        &mut self,
        level: DetectedSimd,
        (own, ghosts): (&[BodyRecord], &[BodyRecord]),
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        self.own_pairs_by(OwnMethod::of(own, self.band.crowding), level, (own, ghosts), sink)
    }

    /// As [`own_pairs`](Self::own_pairs), by a given method.
    pub(super) fn own_pairs_by(
        &mut self,
        method: OwnMethod,
        level: DetectedSimd,
        (own, ghosts): (&[BodyRecord], &[BodyRecord]),
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        let len = own.len();
        match method {
            OwnMethod::Cells { ns } => {
                let (cells, keys) = (&self.cells, self.keys);
                in_parts((len, ns), sink, &|probes, sink| level.scan_cells(cells, keys, probes, sink))
            }
            OwnMethod::Sweep { axis, ns } => {
                let SweepScratch { sorted, sort, .. } = &mut *self.sweep;
                let filter_of = lookup_by_row(self.filters_by_row);
                sorted.sort(own, axis, (filter_of, self.cells.columns().circles()), sort);
                let columns = sorted.columns();
                in_parts((len, ns), sink, &|probes, sink| level.scan_sorted(&columns, probes, axis, sink))
            }
            OwnMethod::Tree { ns } => {
                let SweepScratch { tree, sort, .. } = &mut *self.sweep;
                tree.build(self.cells.columns(), ghosts, lookup_by_row(self.filters_by_row), sort);
                let tree = tree.view();
                in_parts((len, ns), sink, &|probes, sink| level.scan_tree_pairs(&tree, probes, sink))
            }
        }
    }

    /// Takes other boxes, in the same axes, for [`pairs_with_gathered`](Self::pairs_with_gathered).
    pub(super) fn gather(&mut self, level: DetectedSimd, others: impl Iterator<Item = BodyRecord>) -> GatheredBoxes {
        let bounds = self.band.bounds();
        let boxes = &mut self.sweep.boxes;
        boxes.clear();
        boxes.extend(others.filter(|other| bounds.overlaps(&BandBox::from_edges(other.aabb))));
        self.choose_method(level)
    }

    /// Chooses how the pairs with the boxes of the scratch are to be found.
    ///
    /// If a tree seems to be the fastest, it is built, and the choice is made again: its leaves
    /// tell what searches of it take.
    fn choose_method(&mut self, level: DetectedSimd) -> GatheredBoxes {
        let (bounds, lookup, cells) = (self.band.bounds(), self.lookup(), &self.cells);
        let SweepScratch { boxes, tree, sort, .. } = &mut *self.sweep;
        let choose = |tree: &PackedTree| {
            let tree_ns = (!tree.is_empty()).then(|| tree.searches_ns(level, boxes));
            GatheredBoxes::new((&lookup, cells), &bounds, boxes, tree_ns)
        };
        let first = choose(tree);
        if !matches!(first.method, Method::Tree) || !tree.is_empty() {
            return first;
        }
        tree.build(cells.columns(), boxes, lookup_by_row(self.filters_by_row), sort);
        choose(tree)
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
        let gathered = self.gather(level, others);
        self.pairs_with_gathered(level, gathered, what, sink)
    }

    /// Finds the pairs of these bodies with the boxes that were gathered last, by the method that
    /// was chosen then. `None` once the pair limit is exceeded.
    pub(super) fn pairs_with_gathered(
        &mut self,
        level: DetectedSimd,
        gathered: GatheredBoxes,
        what: Others<'_>,
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        let lookup = self.lookup();
        let SweepScratch { boxes, long_boxes, .. } = &mut *self.sweep;
        if let Method::Sweep(plan) = gathered.method {
            plan.divide(boxes, long_boxes);
        }
        let (static_filters, [by_cells, by_sweep]) = match what {
            Others::Bodies => (None, [PairOrder::Ascending; 2]),
            Others::Statics(filters) => (filters, [PairOrder::EntryFirst, PairOrder::ProbeFirst]),
        };
        let filter_of = |row: u32| match what {
            Others::Bodies => self.filters_by_row.map_or(Filter::ALL, |filters| filters[row as usize]),
            Others::Statics(filters) => filters.map_or(Filter::ALL, |filters| filters[row]),
        };
        // If only statics have filters. After the choice of the method (STATIC-1), so not yet the
        // longer ones, for which it is chosen anew.
        if self.filters_by_row.is_none() && static_filters.is_some() {
            boxes.retain(|record| filter_of(record.row).interacts_with(Filter::ALL));
        }
        let are_circles = self.cells.columns().circles() && matches!(what, Others::Bodies);
        let probe = |&BodyRecord { aabb, row }: &BodyRecord| Probe { aabb, row, filter: filter_of(row) };
        let cells = &self.cells;
        let search_cells = |boxes: &[BodyRecord], sink: &mut PairSink<'_>| {
            in_parts((boxes.len(), boxes.len() as f64 * gathered.cell_search_ns), sink, &|part, sink| {
                let mut searches: [(CellRect, Probe); SEARCHES_AT_ONCE] = Default::default();
                boxes[part].chunks(SEARCHES_AT_ONCE).try_for_each(|boxes| {
                    for (search, record) in searches.iter_mut().zip(boxes) {
                        *search = (lookup.rect(&BandBox::from_edges(record.aabb)), probe(record));
                    }
                    level.scan_rects(cells, &searches[..boxes.len()], by_cells, are_circles, sink)
                })
            })
        };
        match gathered.method {
            Method::Cells => search_cells(boxes, sink),
            Method::Sweep(plan) => {
                if !boxes.is_empty() {
                    let columns = self.cells.columns();
                    sweep::sweep(level, columns, (plan.axis, by_sweep), filter_of, self.sweep, sink)?;
                }
                // The rest may be short on the other axis.
                std::mem::swap(&mut self.sweep.boxes, &mut self.sweep.long_boxes);
                let gathered = self.choose_method(level);
                self.pairs_with_gathered(level, gathered, what, sink)
            }
            Method::Tree => {
                let SweepScratch { boxes, tree, .. } = &*self.sweep;
                let tree = tree.view();
                in_parts((boxes.len(), gathered.ns()), sink, &|part, sink| {
                    let mut probes = [Probe::default(); SEARCHES_AT_ONCE];
                    boxes[part].chunks(SEARCHES_AT_ONCE).try_for_each(|boxes| {
                        probes.iter_mut().zip(boxes).for_each(|(slot, record)| *slot = probe(record));
                        level.scan_tree(&tree, &probes[..boxes.len()], by_cells, are_circles, sink)
                    })
                })
            }
        }
    }

    pub(super) fn lookup(&self) -> CellLookup<'a> {
        self.band.close_lookup(self.words)
    }

    pub(super) fn cells(&self) -> &CellView<'a> {
        &self.cells
    }
}

/// The filter of a row, if rows have filters.
fn lookup_by_row(filters: Option<&[Filter]>) -> Option<impl Fn(u32) -> Filter> {
    filters.map(|filters| |row: u32| filters[row as usize])
}
