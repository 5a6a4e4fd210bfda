//! The grid of one step, and its layout.
//!
//! Its contents and their order are a pure function of the boxes and their rows. Buffers are
//! reused, their contents are not.
//!
//! REBUILT-1: `filed` contains the bodies in cell order; those of loose cell `k` are from
//! `cells[k].head` to `cells[k + 1].head`. Cells without bodies are left out, and one more cell
//! ends the last run.
//!
//! REBUILT-2: The bodies of a crowded cell, one of more than `GROUP_LEN`, are sorted by their
//! minima on the axis that separates them better. `body_groups[k]` covers
//! `filed[k * GROUP_LEN..][..GROUP_LEN]` if any cell is crowded.
//!
//! Layouts that are hard for grids, and the remedies: for clusters, columns and rows with equal
//! populations (MAP-2). For many boxes that remain in one cell, groups that overlap little
//! (REBUILT-2). For long thin boxes of one direction, cells of the same proportions. For long boxes
//! of both directions, where tight cells list many loose cells, a search through the bounds of
//! groups of loose cells.
//!
//! Cost: O(n) to build, and a sort of each crowded cell. A search: the loose cells listed in the
//! tight cells that it touches, or 1 / `GROUP_LEN` of all loose cells if that is less, and the
//! bodies of the loose cells that it overlaps.

use crate::geometry::RawAabb;
use crate::memory::body_record::BodyRecord;
use crate::memory::buffers::{buffers, clone_in_place};
use crate::tier::loose_grid::cell::LooseCell;
use crate::tier::loose_grid::indices::LooseIndex;
use crate::tier::loose_grid::map::CellMap;
use crate::tier::loose_grid::rebuilt::plan::BoxSample;
use std::ops::Range;

/// Bodies of crowded cells, or loose cells, that share bounds. With two bodies in a cell on
/// average, random positions do not crowd a cell. Smaller groups cost more memory and more tests of
/// bounds; larger ones cost more tests of their contents.
pub(super) const GROUP_LEN: usize = 32;

/// The double grid of one step.
#[derive(Debug, Default)]
pub(crate) struct RebuiltGrid {
    /// See REBUILT-1.
    pub(super) filed: Vec<BodyRecord>,
    pub(super) cells: Vec<LooseCell>,
    /// `cell_groups[k]` covers the loose cells `cells[k * GROUP_LEN..][..GROUP_LEN]`.
    pub(super) cell_groups: Vec<RawAabb>,
    pub(super) body_groups: Vec<RawAabb>,
    pub(super) tight: TightRuns,
    pub(super) scratch: BuildScratch,
}

/// The tight grid: cell `t` lists `listed[starts[t]..starts[t + 1]]`, ascending.
///
/// The cells of a row are contiguous, and so are their lists.
#[derive(Debug, Default)]
pub(super) struct TightRuns {
    pub(super) map: CellMap,
    pub(super) starts: Vec<u32>,
    pub(super) listed: Vec<LooseIndex>,
}

/// Memory of a rebuild, empty after it.
#[derive(Debug, Default)]
pub(super) struct BuildScratch {
    /// The loose cell of each body.
    pub(super) cell_of: Vec<u32>,
    /// Where the run of each loose cell starts.
    pub(super) starts: Vec<u32>,
    pub(super) sample: BoxSample,
}

buffers!(RebuiltGrid {
    leveled: filed, cells, cell_groups, body_groups, tight, scratch;
    own: ;
    plain: ;
});
buffers!(TightRuns { leveled: starts, listed; own: ; plain: map; });
buffers!(BuildScratch { leveled: cell_of, starts, sample; own: ; plain: ; });
clone_in_place!(RebuiltGrid { filed, cells, cell_groups, body_groups, tight, scratch });
clone_in_place!(TightRuns { map, starts, listed });
clone_in_place!(BuildScratch { cell_of, starts, sample });

impl RebuiltGrid {
    /// Returns the number of loose cells with bodies.
    pub(crate) fn loose_cell_count(&self) -> usize {
        self.cells.len().saturating_sub(1)
    }

    /// Returns all bodies, in cell order.
    pub(crate) fn bodies(&self) -> &[BodyRecord] {
        &self.filed
    }

    /// Returns the range of the bodies of a loose cell (REBUILT-1).
    #[inline(always)]
    pub(super) fn bodies_of(&self, cell: usize) -> Range<usize> {
        self.cells[cell].head.get()..self.cells[cell + 1].head.get()
    }

    /// Returns the loose cells of a group.
    #[inline(always)]
    pub(super) fn cells_of_group(&self, group: usize) -> Range<usize> {
        group * GROUP_LEN..self.loose_cell_count().min((group + 1) * GROUP_LEN)
    }
}

impl TightRuns {
    /// Returns the loose cells that the tight cells of a row list, from column `x0` to `x1`.
    #[inline(always)]
    pub(super) fn row(&self, y: u32, x0: u32, x1: u32) -> &[LooseIndex] {
        let first = self.starts[self.map.number(x0, y)] as usize;
        let end = self.starts[self.map.number(x1, y) + 1] as usize;
        &self.listed[first..end]
    }
}

/// Returns the part of a run that is in its first group of bodies, and removes it from `rest`.
#[inline(always)]
pub(super) fn next_group_part(rest: &mut Range<usize>) -> Option<Range<usize>> {
    if rest.start >= rest.end {
        return None;
    }
    let end = rest.end.min((rest.start / GROUP_LEN + 1) * GROUP_LEN);
    let part = rest.start..end;
    rest.start = end;
    Some(part)
}
