//! Tiers 1 and 2 against tier 3.
//!
//! The tree is walked once for a band, unless it finds more statics than the band has bodies; then once per tile of it: a few
//! columns of cells over all its rows. What was found meets the bodies in one of three ways: each static searches
//! the cells; or, where statics are many and bodies few, each body is tested against the statics in columns; or, where
//! statics are long and thin, each body looks up those beside it (`static_sweep.rs`).

use super::frame::Frame;
use super::static_sweep;
use super::task::Shared;
use super::worker::SearchScratch;
use crate::geometry::{RawBox, overlaps};
use crate::kernel::{CellView, Order, Probe};
use crate::storage::columns::{Columns, ColumnsMut, column_words};
use crate::storage::pages::PairSink;
use crate::storage::record::Record;
use crate::tier::point_grid::index::BandSlot;
use std::ops::Range;

/// Columns of cells in a tile: with ten rows a band, some four hundred bodies share a walk of the tree. Narrower tiles meet
/// a static more often, wider ones find statics where there are no bodies.
const TILE_COLUMNS: usize = 16;

/// From this many bodies in a tile on, a static's search of the cells (about 30 ns) is cheaper than its lane in a
/// test of every body (about 0.3 ns a body).
const SEARCH_FROM: usize = 96;

/// x and y exchanged if `transposed`.
pub(super) fn oriented(aabb: RawBox, transposed: bool) -> RawBox {
    if transposed { [aabb[1], aabb[0], aabb[3], aabb[2]] } else { aabb }
}

/// The bodies of a band against the statics.
pub(super) fn band(
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
    let columns = slot.band.columns();
    let area = oriented(slot.band.bounds, slot.transposed);
    scratch.found.clear();
    if shared.statics.collect_up_to(slot.band.population, &area, &mut scratch.seen_statics, &mut scratch.found) {
        return match static_sweep::worthwhile(shared, slot, words, &scratch.found) {
            Some(axis) => static_sweep::sweep(shared, slot, axis, cells, scratch, sink),
            None => search_tile(shared, slot, words, cells, &(0..columns), &scratch.found, sink),
        };
    }
    for from in (0..columns).step_by(TILE_COLUMNS) {
        let tile = from..columns.min(from + TILE_COLUMNS);
        let Some((count, area)) = tile_bounds(cells, &tile) else { continue };
        scratch.found.clear();
        shared.statics.collect(&oriented(area, slot.transposed), &mut scratch.seen_statics, &mut scratch.found);
        if scratch.found.is_empty() {
            continue;
        }
        if count >= SEARCH_FROM {
            search_tile(shared, slot, words, cells, &tile, &scratch.found, sink)?;
        } else {
            test_tile(shared, slot, cells, &tile, scratch, sink)?;
        }
    }
    Some(())
}

/// How many bodies the tile holds, and the box that holds them.
fn tile_bounds(cells: &CellView<'_>, tile: &Range<usize>) -> Option<(usize, RawBox)> {
    let columns = cells.columns();
    let mut count = 0;
    let mut area = [f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY];
    for y in 0..cells.starts().rows() {
        let run = cells.run(y, tile);
        count += run.len();
        let lowest = |column: &[f32], from: f32| column[run.clone()].iter().fold(from, |least, &v| least.min(v));
        let highest = |column: &[f32], from: f32| column[run.clone()].iter().fold(from, |most, &v| most.max(v));
        area = [
            lowest(columns.min_x, area[0]),
            lowest(columns.min_y, area[1]),
            highest(columns.max_x, area[2]),
            highest(columns.max_y, area[3]),
        ];
    }
    (count > 0).then_some((count, area))
}

/// Each static searches the cells of the tile.
fn search_tile(
    shared: &Shared<'_>,
    slot: &BandSlot,
    words: &[u32],
    cells: &CellView<'_>,
    tile: &Range<usize>,
    found: &[u32],
    sink: &mut PairSink<'_>,
) -> Option<()> {
    let boxes = shared.statics.raw_boxes();
    for &row in found {
        let aabb = oriented(boxes[row as usize], slot.transposed);
        let mut rect = slot.band.rect(words, &aabb);
        rect.x = rect.x.start.max(tile.start)..rect.x.end.min(tile.end);
        shared.level.scan_rect(cells, &rect, Probe { aabb, row }, Order::EntryFirst, sink)?;
    }
    Some(())
}

/// Each body is tested against all statics that were found.
fn test_tile(
    shared: &Shared<'_>,
    slot: &BandSlot,
    cells: &CellView<'_>,
    tile: &Range<usize>,
    scratch: &mut SearchScratch,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    let statics = gather(shared, slot, &scratch.found, &mut scratch.columns);
    for y in 0..cells.starts().rows() {
        shared.level.scan_all(cells.columns(), cells.run(y, tile), &statics, 0..statics.len(), sink)?;
    }
    Some(())
}

/// Boxes of statics in columns, as the band is oriented.
pub(super) fn gather<'c>(
    shared: &Shared<'_>,
    slot: &BandSlot,
    found: &[u32],
    columns: &'c mut Vec<u32>,
) -> Columns<'c> {
    let boxes = shared.statics.raw_boxes();
    columns.clear();
    columns.resize(column_words(found.len()), 0);
    let records = found.iter().map(|&row| Record { aabb: oriented(boxes[row as usize], slot.transposed), row });
    ColumnsMut::of(columns, found.len()).fill(records);
    Columns::of(columns, found.len())
}

/// A share of the oversized bodies against the statics: each walks the tree for itself.
pub(super) fn oversized(
    shared: &Shared<'_>,
    frame: &Frame,
    share: Range<usize>,
    scratch: &mut SearchScratch,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    for at in share {
        scratch.found.clear();
        shared.statics.collect(&frame.oversized_boxes[at], &mut scratch.seen_statics, &mut scratch.found);
        for &fixed in &scratch.found {
            sink.push([frame.oversized_rows[at], fixed])?;
        }
    }
    Some(())
}
