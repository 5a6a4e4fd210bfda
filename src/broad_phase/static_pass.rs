//! Tiers 1 and 2 against tier 3.
//!
//! The static tree is searched once for a whole band. If that finds more statics than the band has
//! bodies, the band is cut in two tiles of cells, each tile searches the tree, and so on, down to a
//! few bodies that search it one by one. So the cost depends on the bodies and the statics near
//! them, however many statics there are elsewhere.
//!
//! The statics of a tile are then tested against its bodies in one of three ways. Each static
//! searches the cells; or, with few bodies, each body is tested against all of the statics; or,
//! with long thin statics, each body searches the sorted statics (`static_sweep`).
//!
//! STATIC-1: filters determine which pairs are reported, but neither the method nor the order of
//! the search. If bodies have filters, the scans test them. If only statics have filters, those
//! that accept no body are removed after they are found.

use crate::broad_phase::context::PassContext;
use crate::broad_phase::scratch_pool::SearchScratch;
use crate::broad_phase::static_gather::gather_statics;
use crate::broad_phase::static_sweep;
use crate::frame::oversized::Oversized;
use crate::geometry::band_box::BandBox;
use crate::geometry::{BodyCircle, RawAabb};
use crate::input::filter::Filter;
use crate::memory::page::PairSink;
use crate::simd::{CellRect, CellView, PairOrder, Probe};
use crate::tier::point_grid::band::built_band::BuiltBand;
use std::ops::Range;

/// Up to this many bodies search the tree one by one: a search for all of them together would find
/// statics that touch none.
const SINGLE_BODIES_MAX: usize = 8;

/// Most statics that a tile may find, even if it has fewer bodies.
const FOUND_MIN: usize = 64;

/// With this many bodies in a tile, a static's search of the cells (about 30 ns) is cheaper than
/// testing it against every body (about 0.3 ns each).
const SEARCH_FROM: usize = 96;

/// The search for pairs of one band's bodies with statics.
#[derive(Clone, Copy)]
struct StaticPass<'p> {
    pass: &'p PassContext<'p>,
    band: &'p BuiltBand<'p>,
}

/// Finds the pairs of a band's bodies with statics. `None` once the pair limit is exceeded.
pub(crate) fn find_band_pairs(
    pass: &PassContext<'_>,
    band: &BuiltBand<'_>,
    scratch: &mut SearchScratch,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    let Some(statics) = pass.step.statics.bounds() else { return Some(()) };
    if !band.axes().box_to_band(statics.to_array()).overlaps(&band.band().bounds()) {
        return Some(());
    }
    let whole = CellRect { x: 0..band.band().columns(), y: 0..band.band().rows() };
    StaticPass { pass, band }.search_tile(whole, scratch, sink)
}

/// Finds the pairs of some oversized bodies with statics. `None` once the pair limit is exceeded.
pub(crate) fn find_oversized_pairs(
    pass: &PassContext<'_>,
    oversized: &Oversized,
    bodies: Range<usize>,
    scratch: &mut SearchScratch,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    let mut boxes_and_rows = oversized.boxes()[bodies.clone()].iter().zip(&oversized.rows()[bodies]);
    boxes_and_rows.try_for_each(|(aabb, &row)| {
        let filter = pass.filters_by_row.map(|filters| filters[row as usize]);
        search_tree(pass, aabb, row, filter, scratch, sink)
    })
}

impl StaticPass<'_> {
    /// Finds the pairs of a tile's bodies; in two halves if there are many more statics than
    /// bodies.
    fn search_tile(self, tile: CellRect, scratch: &mut SearchScratch, sink: &mut PairSink<'_>) -> Option<()> {
        let Self { pass, band } = self;
        let Some((count, bounds)) = tile_bounds(band.cells(), &tile) else { return Some(()) };
        let is_single_cell = tile.x.len() * tile.y.len() == 1;
        if count <= SINGLE_BODIES_MAX || is_single_cell {
            return self.search_tree_for_each(&tile, scratch, sink);
        }
        let SearchScratch { seen_statics, found, .. } = scratch;
        found.clear();
        let area = band.axes().box_to_world(bounds);
        if !pass.step.statics.collect_up_to(count.max(FOUND_MIN), &area, seen_statics, found) {
            let [first, second] = halves(&tile);
            self.search_tile(first, scratch, sink)?;
            return self.search_tile(second, scratch, sink);
        }
        if found.is_empty() {
            return Some(());
        }
        let few = count < SEARCH_FROM;
        let sweep_axis = if !few && count == band.band().population() {
            static_sweep::axis_if_faster(pass.step.statics, band, found)
        } else {
            None
        };
        // After the choice of the method (STATIC-1).
        self.remove_inaccessible(found);
        match sweep_axis {
            _ if found.is_empty() => Some(()),
            _ if few => self.test_each_body(&tile, scratch, sink),
            Some(axis) => static_sweep::sweep(pass.step, band, axis, scratch, sink),
            None => self.search_cells_for_each_static(&tile, scratch, sink),
        }
    }

    /// If bodies have no filters, removes the statics that no body interacts with (STATIC-1).
    fn remove_inaccessible(self, found: &mut Vec<u32>) {
        let statics = self.pass.step.statics;
        if statics.has_filters() && self.pass.filters_by_row.is_none() {
            found.retain(|&row| statics.filter_of(row).interacts_with(Filter::ALL));
        }
    }

    fn search_cells_for_each_static(
        self,
        tile: &CellRect,
        SearchScratch { found, columns, .. }: &mut SearchScratch,
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        let Self { pass, band } = self;
        let lookup = band.lookup();
        let statics = gather_statics(pass.step.statics, found, band.axes(), false, columns);
        for at in 0..statics.len() {
            let (aabb, row) = (statics.aabb(at), statics.row(at));
            let filter = pass.step.statics.filter_of(row);
            let mut rect = lookup.rect(&BandBox::from_edges(aabb));
            rect.x = rect.x.start.max(tile.x.start)..rect.x.end.min(tile.x.end);
            rect.y = rect.y.start.max(tile.y.start)..rect.y.end.min(tile.y.end);
            pass.step.level.scan_rect(band.cells(), &rect, Probe { aabb, row, filter }, PairOrder::EntryFirst, sink)?;
        }
        Some(())
    }

    fn test_each_body(
        self,
        tile: &CellRect,
        SearchScratch { found, columns, .. }: &mut SearchScratch,
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        let Self { pass, band } = self;
        let (cells, filtered) = (band.cells(), pass.filters_by_row.is_some());
        let statics = gather_statics(pass.step.statics, found, band.axes(), filtered, columns);
        for y in tile.y.clone() {
            pass.step.level.scan_all(cells.columns(), cells.run(y, &tile.x), &statics, 0..statics.len(), sink)?;
        }
        Some(())
    }

    fn search_tree_for_each(self, tile: &CellRect, scratch: &mut SearchScratch, sink: &mut PairSink<'_>) -> Option<()> {
        let Self { pass, band } = self;
        let (cells, bodies) = (band.cells(), band.cells().columns());
        for at in tile.y.clone().flat_map(|y| cells.run(y, &tile.x)) {
            let aabb = band.axes().box_to_world(BandBox::from_edges(bodies.aabb(at)));
            let filter = pass.filters_by_row.is_some().then(|| bodies.filter(at));
            search_tree(pass, &aabb, bodies.row(at), filter, scratch, sink)?;
        }
        Some(())
    }
}

/// The tile cut across its longer side.
fn halves(tile: &CellRect) -> [CellRect; 2] {
    let CellRect { x, y } = tile.clone();
    if x.len() >= y.len() {
        let middle = x.start + x.len() / 2;
        [CellRect { x: x.start..middle, y: y.clone() }, CellRect { x: middle..x.end, y }]
    } else {
        let middle = y.start + y.len() / 2;
        [CellRect { x: x.clone(), y: y.start..middle }, CellRect { x, y: middle..y.end }]
    }
}

/// The number of bodies in a tile, and the smallest box that covers them; `None` if there are none.
fn tile_bounds(cells: &CellView<'_>, tile: &CellRect) -> Option<(usize, BandBox)> {
    let columns = cells.columns();
    let mut count = 0;
    let mut bounds = [f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY];
    for y in tile.y.clone() {
        let run = cells.run(y, &tile.x);
        count += run.len();
        let lowest = |column: &[f32], from: f32| column[run.clone()].iter().fold(from, |least, &v| least.min(v));
        let highest = |column: &[f32], from: f32| column[run.clone()].iter().fold(from, |most, &v| most.max(v));
        bounds = [
            lowest(columns.min_x(), bounds[0]),
            lowest(columns.min_y(), bounds[1]),
            highest(columns.max_x(), bounds[2]),
            highest(columns.max_y(), bounds[3]),
        ];
    }
    (count > 0).then(|| (count, BandBox::from_edges(bounds)))
}

/// Finds the pairs of one body by a search of the tree. `filter` is that of the body, if bodies
/// have any.
fn search_tree(
    pass: &PassContext<'_>,
    aabb: &RawAabb,
    body: u32,
    filter: Option<Filter>,
    scratch: &mut SearchScratch,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    find_statics(pass, aabb, filter, scratch);
    scratch.found.iter().try_for_each(|&static_row| sink.push([body, static_row]))
}

/// Replaces what the scratch has found by the statics that are pairs of one body. `filter` is that
/// of the body, if bodies have any.
pub(crate) fn find_statics(
    pass: &PassContext<'_>,
    aabb: &RawAabb,
    filter: Option<Filter>,
    SearchScratch { seen_statics, found, .. }: &mut SearchScratch,
) {
    let statics = pass.step.statics;
    found.clear();
    statics.collect(aabb, seen_statics, found);
    if filter.is_some() || statics.has_filters() {
        let filter = filter.unwrap_or(Filter::ALL);
        found.retain(|&static_row| filter.interacts_with(statics.filter_of(static_row)));
    }
    if pass.step.are_circles {
        let (circle, boxes) = (BodyCircle::of_box(aabb), statics.raw_boxes());
        found.retain(|&static_row| circle.overlaps_box(&boxes[static_row as usize]));
    }
}
