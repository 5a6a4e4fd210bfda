//! What lies in an area.
//!
//! S1: a body that overlaps an area is filed in the rectangle of cells that [`Band::rect`] gives (P1, P2), in a band that
//!     the area meets (D1); and bodies are filed once (P1), so each is found once.
//!
//! Cost: rows of cells that the area touches, since a row's cells are one run, and what is filed there. There are at most
//! as many rows as bodies (P4), and no cells where there are no bodies to pay for them, so an area is never larger to a
//! search than what lies in it and beside it, however empty the world.

use super::index::{BandSlot, GridIndex};
use crate::geometry::{RawBox, oriented};
use crate::kernel::{CellView, Rect};
use std::ops::Range;

impl GridIndex {
    /// Rows of the bodies filed in the cells that `area` touches whose boxes satisfy `test`, in cell order.
    pub(crate) fn search<T: Fn(&RawBox) -> bool + Copy>(&self, area: RawBox, test: T) -> impl Iterator<Item = u32> {
        self.directory.classes().flat_map(move |class| {
            let (transposed, area) = (class.transposed, oriented(area, class.transposed));
            self.directory.met(class, &area).filter_map(move |k| self.window(k, &area)).flat_map(
                move |(cells, rect)| {
                    let Rect { x, y } = rect;
                    y.flat_map(move |y| {
                        let columns = *cells.columns();
                        let run = cells.run(y, &x);
                        let tested = run.filter(move |&at| test(&oriented(columns.aabb(at), transposed)));
                        tested.map(move |at| columns.rows[at])
                    })
                },
            )
        })
    }

    /// The cells of a band, and those of them in which anything that overlaps `area` is filed; none where the band has no
    /// bodies or lies elsewhere. The area is in the band's orientation.
    #[inline]
    fn window(&self, slot: usize, area: &RawBox) -> Option<(CellView<'_>, Rect)> {
        let slot = &self.slots[slot];
        let met = slot.band.population > 0 && crate::geometry::overlaps(area, &slot.band.bounds);
        met.then(|| (self.cells(slot), slot.band.rect(self.words_of(slot), area)))
    }

    pub(super) fn words_of(&self, slot: &BandSlot) -> &[u32] {
        &self.words[slot.words.clone()]
    }
}

/// Calls `visit` with every run of bodies in `rect` but not in `seen`, which is a rectangle that lies within `rect` or
/// reaches out of it on one side of each axis.
#[inline]
pub(super) fn new_runs(cells: &CellView<'_>, rect: &Rect, seen: &Rect, mut visit: impl FnMut(Range<usize>)) {
    for y in rect.y.clone() {
        if !seen.y.contains(&y) {
            visit(cells.run(y, &rect.x));
            continue;
        }
        let left = rect.x.start..seen.x.start.min(rect.x.end);
        let right = seen.x.end.max(rect.x.start)..rect.x.end;
        for part in [left, right] {
            if !part.is_empty() {
                visit(cells.run(y, &part));
            }
        }
    }
}
