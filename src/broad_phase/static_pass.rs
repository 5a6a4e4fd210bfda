//! Tiers 1 and 2 against tier 3.
//!
//! The tree is walked once for a band. If it finds more statics than there are bodies, the band is cut in two, and so on: each
//! tile of cells walks the tree once, down to a few bodies that walk it one by one. So a step costs what bodies
//! and the statics near them cost, however many statics there are elsewhere.
//!
//! What was found meets the bodies of the tile in one of three ways: each static searches the cells; or, where bodies are few,
//! each is tested against the statics in columns; or, where statics are long and thin, each body looks up those
//! beside it (`static_sweep.rs`).
//!
//! Y1: filters decide which pairs are reported, never in which way or order they are looked for. Where bodies have
//! filters, the scans test them; where only statics have, what no body accepts is left out of what was found. The scans test
//! discs too.

use crate::broad_phase::band_pass::Shared;
use crate::broad_phase::static_sweep;
use crate::broad_phase::workers::SearchScratch;
use crate::frame::frame::Index;
use crate::geometry::{BodyCircle, RawAabb, oriented, overlaps};
use crate::input::filter::Filter;
use crate::memory::columns::{SoaColumns, SoaColumnsMut, column_words, fill_filters, filter_words};
use crate::memory::page::PairSink;
use crate::memory::record::BodyRecord;
use crate::simd::{CellRect, CellView, PairOrder, Probe};
use crate::tier::point_grid::bands::BandSlot;
use std::ops::Range;

/// So many bodies walk the tree one by one: a walk for all of them would find statics that none of them meets.
const FEW: usize = 8;

/// Statics that a tile may find however few bodies it has.
const FOUND_MIN: usize = 64;

/// From this many bodies in a tile on, a static's search of the cells (about 30 ns) is cheaper than its lane in a
/// test of every body (about 0.3 ns a body).
const SEARCH_FROM: usize = 96;

/// A band's bodies against the statics.
#[derive(Clone, Copy)]
struct Pass<'p> {
    shared: &'p Shared<'p>,
    slot: &'p BandSlot,
    words: &'p [u32],
    cells: &'p CellView<'p>,
}

/// The bodies of a band against the statics.
pub(crate) fn band(
    shared: &Shared<'_>,
    slot: &BandSlot,
    words: &[u32],
    cells: &CellView<'_>,
    scratch: &mut SearchScratch,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    let world = shared.statics.bounds().map(|bounds| oriented(bounds.to_array(), slot.transposed));
    if !world.is_some_and(|world| overlaps(&world, &slot.band.bounds)) {
        return Some(());
    }
    let whole = CellRect { x: 0..slot.band.columns(), y: 0..slot.band.rows() };
    Pass { shared, slot, words, cells }.tile(whole, scratch, sink)
}

impl Pass<'_> {
    /// The bodies of a tile against the statics; in halves where there are many more statics than bodies.
    fn tile(self, tile: CellRect, scratch: &mut SearchScratch, sink: &mut PairSink<'_>) -> Option<()> {
        let Self { shared, slot, words, cells } = self;
        let Some((count, area)) = tile_bounds(cells, &tile) else { return Some(()) };
        let single = tile.x.len() * tile.y.len() == 1;
        if count <= FEW || single {
            return self.walk(&tile, scratch, sink);
        }
        scratch.found.clear();
        let area = oriented(area, slot.transposed);
        if !shared.statics.collect_up_to(count.max(FOUND_MIN), &area, &mut scratch.seen_statics, &mut scratch.found) {
            let [first, second] = halves(&tile);
            self.tile(first, scratch, sink)?;
            return self.tile(second, scratch, sink);
        }
        if scratch.found.is_empty() {
            return Some(());
        }
        let few = count < SEARCH_FROM;
        let axis = if !few && count == slot.band.population {
            static_sweep::worthwhile(shared, slot, words, &scratch.found)
        } else {
            None
        };
        // Only now (Y1).
        self.leave_out(&mut scratch.found);
        match axis {
            _ if scratch.found.is_empty() => Some(()),
            _ if few => self.test(&tile, scratch, sink),
            Some(axis) => static_sweep::sweep(shared, slot, axis, cells, scratch, sink),
            None => self.search(&tile, scratch, sink),
        }
    }

    /// Leaves out the statics that no body accepts, or that accept none, if all bodies have the same filter: none (Y1).
    fn leave_out(self, found: &mut Vec<u32>) {
        let statics = self.shared.statics;
        if statics.has_filters() && self.cells.columns().filters().is_none() {
            found.retain(|&row| statics.filter_of(row).interacts_with(Filter::ALL));
        }
    }

    /// Each static searches the cells of the tile.
    fn search(self, tile: &CellRect, scratch: &mut SearchScratch, sink: &mut PairSink<'_>) -> Option<()> {
        let Self { shared, slot, words, cells } = self;
        let finder = slot.band.finder(words);
        // Gathered first: the processor then waits for many boxes at once.
        let statics = gather(shared, slot, false, &scratch.found, &mut scratch.columns);
        for at in 0..statics.len() {
            let (aabb, row) = (statics.aabb(at), statics.row(at));
            let filter = shared.statics.filter_of(row);
            let mut rect = finder.rect(&aabb);
            rect.x = rect.x.start.max(tile.x.start)..rect.x.end.min(tile.x.end);
            rect.y = rect.y.start.max(tile.y.start)..rect.y.end.min(tile.y.end);
            shared.level.scan_rect(cells, &rect, Probe { aabb, row, filter }, PairOrder::EntryFirst, sink)?;
        }
        Some(())
    }

    /// Each body is tested against all statics that were found.
    fn test(self, tile: &CellRect, scratch: &mut SearchScratch, sink: &mut PairSink<'_>) -> Option<()> {
        let Self { shared, slot, cells, .. } = self;
        let filtered = cells.columns().filters().is_some();
        let statics = gather(shared, slot, filtered, &scratch.found, &mut scratch.columns);
        for y in tile.y.clone() {
            shared.level.scan_all(cells.columns(), cells.run(y, &tile.x), &statics, 0..statics.len(), sink)?;
        }
        Some(())
    }

    /// Each body walks the tree for itself.
    fn walk(self, tile: &CellRect, scratch: &mut SearchScratch, sink: &mut PairSink<'_>) -> Option<()> {
        let Self { shared, slot, cells, .. } = self;
        let bodies = cells.columns();
        for at in tile.y.clone().flat_map(|y| cells.run(y, &tile.x)) {
            let aabb = oriented(bodies.aabb(at), slot.transposed);
            let filter = bodies.filters().is_some().then(|| bodies.filter(at));
            walk(shared, &aabb, (bodies.row(at), filter), scratch, sink)?;
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

/// How many bodies the tile holds, and the box that holds them.
fn tile_bounds(cells: &CellView<'_>, tile: &CellRect) -> Option<(usize, RawAabb)> {
    let columns = cells.columns();
    let mut count = 0;
    let mut area = [f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY];
    for y in tile.y.clone() {
        let run = cells.run(y, &tile.x);
        count += run.len();
        let lowest = |column: &[f32], from: f32| column[run.clone()].iter().fold(from, |least, &v| least.min(v));
        let highest = |column: &[f32], from: f32| column[run.clone()].iter().fold(from, |most, &v| most.max(v));
        area = [
            lowest(columns.min_x(), area[0]),
            lowest(columns.min_y(), area[1]),
            highest(columns.max_x(), area[2]),
            highest(columns.max_y(), area[3]),
        ];
    }
    (count > 0).then_some((count, area))
}

/// One body walks the tree; its filter, if bodies have any.
fn walk(
    shared: &Shared<'_>,
    aabb: &RawAabb,
    (body, filter): (u32, Option<Filter>),
    scratch: &mut SearchScratch,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    scratch.found.clear();
    shared.statics.collect(aabb, &mut scratch.seen_statics, &mut scratch.found);
    if filter.is_some() || shared.statics.has_filters() {
        let filter = filter.unwrap_or(Filter::ALL);
        scratch.found.retain(|&static_row| filter.interacts_with(shared.statics.filter_of(static_row)));
    }
    if shared.discs() {
        let (circle, boxes) = (BodyCircle::of_box(aabb), shared.statics.raw_boxes());
        scratch.found.retain(|&static_row| circle.overlaps_box(&boxes[static_row as usize]));
    }
    scratch.found.iter().try_for_each(|&static_row| sink.push([body, static_row]))
}

/// Boxes of statics in columns, as the band is oriented, with their filters if they are asked for.
pub(crate) fn gather<'c>(
    shared: &Shared<'_>,
    slot: &BandSlot,
    filtered: bool,
    found: &[u32],
    columns: &'c mut Vec<u32>,
) -> SoaColumns<'c> {
    let boxes = shared.statics.raw_boxes();
    let (words, more) = (column_words(found.len()), if filtered { filter_words(found.len()) } else { 0 });
    columns.clear();
    columns.resize(words + more, 0);
    let (columns, filters) = columns.split_at_mut(words);
    let records = found.iter().map(|&row| BodyRecord { aabb: oriented(boxes[row as usize], slot.transposed), row });
    SoaColumnsMut::of(columns, found.len()).fill(records);
    let columns = SoaColumns::of(columns, found.len());
    if !filtered {
        return columns;
    }
    fill_filters(filters, found.len(), found.iter().map(|&row| shared.statics.filter_of(row)));
    columns.with_filters(filters)
}

/// A share of the oversized bodies against the statics: each walks the tree for itself.
pub(crate) fn oversized(
    shared: &Shared<'_>,
    index: &Index,
    share: Range<usize>,
    scratch: &mut SearchScratch,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    let mut bodies = index.oversized_boxes[share.clone()].iter().zip(&index.oversized_rows[share]);
    let filtered = index.filters_by_row().is_some();
    bodies.try_for_each(|(aabb, &row)| {
        let filter = filtered.then(|| index.filter(row));
        walk(shared, aabb, (row, filter), scratch, sink)
    })
}
