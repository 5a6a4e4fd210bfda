//! Loose cells, and the invariants of both double grids.
//!
//! LOOSE-1: An entity is filed in exactly one loose cell: the one that contains the center of its
//! box.
//!
//! LOOSE-2: The bounds of a loose cell cover the boxes of all entities filed in it.
//!
//! LOOSE-3: A loose cell is listed once in each tight cell that its bounds touch, and nowhere else.
//! In a `LooseGrid`, it may instead be unlisted: then it is in no tight cell, and every search
//! visits it.
//!
//! LOOSE-4: Maps from coordinates to cells are monotone and clamped (MAP-1). So two boxes that
//! overlap both touch the tight cell of each point that they share. Boxes outside of the area of
//! the grid are filed in the cells at its border, and are still found.
//!
//! LOOSE-5: The lists of tight cells have at most [`entry_count_max`] entries, whatever the shapes
//! of boxes. Where there would be more, tight cells are made larger.
//!
//! Cost: filing takes O(1) for each entity. A search takes O(loose cells listed in the tight cells
//! that it touches + entities in the loose cells that it overlaps).

use crate::geometry::{EMPTY_AABB, RawAabb};
use crate::memory::buffers::plain_buffers;
use crate::tier::loose_grid::indices::EntityIndex;

/// Entries in tight cells for each entity. A crowd has one or two. Some more for long boxes cost
/// less than larger cells for all.
const ENTRIES_PER_ENTITY: usize = 8;

/// Entries that every grid may have, so that a handful of large boxes does not share one tight
/// cell.
const ENTRIES_FREE: usize = 256;

/// The side of a tight cell is 2^this loose cells. With 0, a loose cell is listed in four to nine
/// tight cells. With 2, a search visits three times the loose cells that it needs.
pub(super) const TIGHT_SHIFT: u32 = 1;

/// Returns the most entries in tight cells (LOOSE-5).
pub(super) fn entry_count_max(entity_count: usize) -> usize {
    (ENTRIES_PER_ENTITY * entity_count + ENTRIES_FREE).min(u32::MAX as usize - 1)
}

/// A loose cell: bounds that cover its entities, and where the entities are.
#[derive(Clone, Copy, Debug)]
pub(super) struct LooseCell {
    pub(super) bounds: RawAabb,
    /// The first entity of its list in a `LooseGrid`, or the start of its run in a `RebuiltGrid`.
    pub(super) head: EntityIndex,
}

const _: () = assert!(size_of::<LooseCell>() == 20);

plain_buffers!(LooseCell);

impl LooseCell {
    pub(super) const EMPTY: Self = Self { bounds: EMPTY_AABB, head: EntityIndex::NONE };
}

/// Returns the middle of a box on an axis, without overflow.
///
/// It is NaN for a box from minus to plus infinity, which is filed in cell 0 (MAP-1).
#[inline(always)]
pub(super) fn center(bounds: &RawAabb, axis: usize) -> f32 {
    bounds[axis] * 0.5 + bounds[axis + 2] * 0.5
}
