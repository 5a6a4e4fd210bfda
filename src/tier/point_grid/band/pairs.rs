//! The pairs of the bodies of a band, which are sorted by cell.
//!
//! If bodies have filters, those are looked up by row once the bodies are sorted, and stored in
//! cell order next to the boxes, so that the scans test filters and boxes together. The filters of
//! other bodies are looked up one by one.
//!
//! Cost: about one vector of tests per body for the pairs of its own bodies; a search for each
//! other body.

use crate::geometry::band_box::BandBox;
use crate::input::filter::Filter;
use crate::memory::body_record::BodyRecord;
use crate::memory::pair_sink::PairSink;
use crate::simd::{CellRect, PairOrder, Probe};
use crate::tier::point_grid::band::built_band::{BuiltBand, lookup_by_row};
use crate::tier::point_grid::band::division::scan_in_parts;
use crate::tier::point_grid::band::other_method::{GatheredPlan, OtherMethod, Others};
use crate::tier::point_grid::band::own_method::{OwnMethod, OwnPlan};
use crate::tier::point_grid::band::scratch::PairScratch;
use crate::tier::point_grid::band::sweep;
use crate::tier::sweep::sorted_columns::BoxTraits;

/// Searches that are passed to a scan at once: a call takes as long as a short search.
pub(in crate::tier::point_grid) const SEARCHES_AT_ONCE: usize = 16;

impl BuiltBand<'_> {
    /// Finds the pairs of the band's own bodies. `None` once the pair limit is exceeded.
    pub(crate) fn own_pairs(&mut self, sink: &mut PairSink<'_>) -> Option<()> {
        let plan = self.choose_own_method();
        self.own_pairs_by(plan, sink)
    }

    /// As [`own_pairs`](Self::own_pairs), in a given way.
    pub(super) fn own_pairs_by(&mut self, OwnPlan { method, ns }: OwnPlan, sink: &mut PairSink<'_>) -> Option<()> {
        let (len, level) = (self.own().len(), self.level);
        match method {
            OwnMethod::Cells => {
                let (cells, keys) = (&self.cells, self.keys);
                scan_in_parts((len, ns), sink, &|probes, sink| level.scan_cells(cells, keys, probes, sink))
            }
            OwnMethod::Sweep { axis } => {
                let own = &self.records[..len];
                let PairScratch { sorted, sort, .. } = &mut *self.scratch;
                let filter_of = lookup_by_row(self.filters_by_row);
                let traits = BoxTraits { filter_of, are_circles: self.cells.columns().circles() };
                sorted.sort(own, axis, traits, sort);
                let columns = sorted.columns();
                scan_in_parts((len, ns), sink, &|probes, sink| level.scan_sorted(&columns, probes, axis, sink))
            }
            OwnMethod::Tree => {
                self.build_tree();
                let tree = self.scratch.tree.view();
                scan_in_parts((len, ns), sink, &|probes, sink| level.scan_tree_pairs(&tree, probes, sink))
            }
        }
    }

    /// Makes the tree of its own bodies, for searches of ghosts too, unless there is one.
    pub(super) fn build_tree(&mut self) {
        let PairScratch { tree, sort, .. } = &mut *self.scratch;
        if tree.is_empty() {
            tree.build(self.cells.columns(), self.ghosts, lookup_by_row(self.filters_by_row), sort);
        }
    }

    /// Finds the pairs of its own bodies with ghosts (PARTITION-2). `None` once the pair limit is
    /// exceeded.
    pub(crate) fn ghost_pairs(&mut self, sink: &mut PairSink<'_>) -> Option<()> {
        self.gather_in_band_axes(self.ghosts.iter().copied());
        self.pairs_by_cheapest_method(Others::Bodies, sink)
    }

    /// Finds the pairs of its own bodies with boxes in the axes of the world. `None` once the
    /// pair limit is exceeded.
    pub(crate) fn pairs_with(
        &mut self,
        others: impl Iterator<Item = BodyRecord>,
        what: Others<'_>,
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        self.gather_boxes(others);
        self.pairs_by_cheapest_method(what, sink)
    }

    /// Finds the pairs with the gathered boxes, in the way that is estimated to be the
    /// cheapest.
    fn pairs_by_cheapest_method(&mut self, what: Others<'_>, sink: &mut PairSink<'_>) -> Option<()> {
        let gathered = self.choose_without_tree();
        let gathered = self.consider_tree(gathered, f64::INFINITY);
        self.pairs_with_gathered(gathered, what, sink)
    }

    /// Takes boxes in the axes of the world for [`pairs_with_gathered`](Self::pairs_with_gathered),
    /// and chooses how their pairs are to be found without a tree.
    pub(crate) fn gather(&mut self, others: impl Iterator<Item = BodyRecord>) -> GatheredPlan {
        self.gather_boxes(others);
        self.choose_without_tree()
    }

    /// Gathers those boxes, in the axes of the world, that are near the band.
    fn gather_boxes(&mut self, others: impl Iterator<Item = BodyRecord>) {
        let axes = self.axes();
        let in_band = |BodyRecord { aabb, row }| BodyRecord { aabb: *axes.box_to_band(aabb).edges(), row };
        self.gather_in_band_axes(others.map(in_band));
    }

    fn gather_in_band_axes(&mut self, others: impl Iterator<Item = BodyRecord>) {
        let bounds = self.band().bounds();
        let boxes = &mut self.scratch.gathered;
        boxes.clear();
        boxes.extend(others.filter(|other| bounds.overlaps(&BandBox::from_edges(other.aabb))));
    }

    /// Finds the pairs of these bodies with the gathered boxes, by the method that was chosen for
    /// them. `None` once the pair limit is exceeded.
    pub(crate) fn pairs_with_gathered(
        &mut self,
        gathered: GatheredPlan,
        what: Others<'_>,
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        let (lookup, level) = (self.lookup(), self.level);
        let PairScratch { gathered: boxes, long_boxes, .. } = &mut *self.scratch;
        if let OtherMethod::Sweep(plan) = gathered.method {
            plan.divide(boxes, long_boxes);
        }
        let [if_boxes_search, if_bodies_search] = match what {
            Others::Bodies => [PairOrder::Ascending; 2],
            Others::Statics(_) => [PairOrder::EntryFirst, PairOrder::ProbeFirst],
        };
        let filter_of = |row: u32| match what {
            Others::Bodies => self.filters_by_row.map_or(Filter::ALL, |filters| filters[row as usize]),
            Others::Statics(filters) => filters.map_or(Filter::ALL, |filters| filters[row]),
        };
        // If only statics have filters, those that accept no body are left out: after the method
        // was chosen (STATIC-1), and so not yet the longer ones, whose method is chosen later.
        if self.filters_by_row.is_none() && matches!(what, Others::Statics(Some(_))) {
            boxes.retain(|record| filter_of(record.row).interacts_with(Filter::ALL));
        }
        let are_circles = self.cells.columns().circles() && matches!(what, Others::Bodies);
        let probe = |&BodyRecord { aabb, row }: &BodyRecord| Probe { aabb, row, filter: filter_of(row) };
        match gathered.method {
            OtherMethod::Cells => scan_in_parts((boxes.len(), gathered.ns), sink, &|part, sink| {
                let mut searches: [(CellRect, Probe); SEARCHES_AT_ONCE] = Default::default();
                boxes[part].chunks(SEARCHES_AT_ONCE).try_for_each(|boxes| {
                    for (search, record) in searches.iter_mut().zip(boxes) {
                        *search = (lookup.rect(&BandBox::from_edges(record.aabb)), probe(record));
                    }
                    level.scan_rects(&self.cells, &searches[..boxes.len()], if_boxes_search, are_circles, sink)
                })
            }),
            OtherMethod::Sweep(plan) => {
                if !boxes.is_empty() {
                    let filter_of = self.filters_by_row.is_some().then_some(filter_of);
                    let (columns, traits) = (self.cells.columns(), BoxTraits { filter_of, are_circles });
                    sweep::sweep(level, columns, (plan.axis, if_bodies_search), traits, self.scratch, sink)?;
                }
                // The rest may be short on the other axis.
                std::mem::swap(&mut self.scratch.gathered, &mut self.scratch.long_boxes);
                self.pairs_by_cheapest_method(what, sink)
            }
            OtherMethod::Tree => {
                let PairScratch { gathered: boxes, tree, .. } = &*self.scratch;
                let tree = tree.view();
                scan_in_parts((boxes.len(), gathered.ns), sink, &|part, sink| {
                    let mut probes = [Probe::default(); SEARCHES_AT_ONCE];
                    boxes[part].chunks(SEARCHES_AT_ONCE).try_for_each(|boxes| {
                        probes.iter_mut().zip(boxes).for_each(|(slot, record)| *slot = probe(record));
                        level.scan_tree(&tree, &probes[..boxes.len()], if_boxes_search, are_circles, sink)
                    })
                })
            }
        }
    }
}
