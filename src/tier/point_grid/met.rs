//! What a ray, or a box in motion, meets: piece after piece of its way.
//!
//! M1: a box that is met first between two distances overlaps the cover of that piece of the way ([`Cast::cover`]), so it is
//!     filed in the piece's rectangle of cells, however far it reaches out of its own cell.
//! M2: covers of successive pieces begin and end no earlier on each axis, in the direction of the way, and so do their
//!     rectangles (A1). So a cell that two pieces share belongs to all between them: only cells that the piece before
//!     did not have are looked at, and each cell once.
//! M3: pieces grow where there is little and shrink where there is much: emptiness is crossed in strides, and where cells
//!     are small, pieces are too.

use super::index::GridIndex;
use super::search::new_runs;
use crate::geometry::{Cast, Entry};
use crate::kernel::Rect;

/// A piece with more candidates is halved; with fewer, the next is twice as long.
const MANY: usize = 40;
const FEW: usize = 12;

/// A rectangle of so many cells on both axes is not worth halving.
const SMALL: usize = 3;

/// Pieces of the whole way, at most, about: no piece is made shorter than these.
const PIECES: f64 = (1u32 << 22) as f64;

impl GridIndex {
    /// See [`Search::visit_met`](crate::query::Search::visit_met); rows.
    pub(crate) fn visit_met(&self, cast: &Cast, mut until: f64, visit: &mut impl FnMut(u32, Entry) -> f64) -> f64 {
        for class in self.directory.classes() {
            let cast = cast.oriented(class.transposed);
            let Some([from, to]) = cast.span(&class.bounds, until) else { continue };
            let met = self.directory.met(class, &cast.cover(from, to, to));
            let count = met.len();
            for k in 0..count {
                let slot = if cast.ascends(1) { met.start + k } else { met.end - 1 - k };
                until = self.visit_met_in(slot, &cast, until, visit);
            }
        }
        until
    }

    /// The bodies of a band; the cast is in its orientation.
    fn visit_met_in(&self, slot: usize, cast: &Cast, mut until: f64, visit: &mut impl FnMut(u32, Entry) -> f64) -> f64 {
        let slot = &self.slots[slot];
        if slot.band.population == 0 {
            return until;
        }
        let Some([mut from, end]) = cast.span(&slot.band.bounds, until) else { return until };
        let (band, words, cells) = (&slot.band, self.words_of(slot), self.cells(slot));
        let finder = band.finder(words);
        let columns = cells.columns();
        let mut piece = {
            let [left, top, right, bottom] = band.bounds.map(f64::from);
            let across = |side: f64, count: usize, axis: usize| side / count as f64 / cast.speed(axis);
            // NaN of 0 / 0 is nobody's minimum.
            across(right - left, band.columns(), 0).min(across(bottom - top, band.rows(), 1)).min(end - from)
        };
        let least = (end - from) / PIECES;
        let mut seen = Rect { x: 0..0, y: 0..0 };
        loop {
            let to = if from + piece > from { (from + piece).min(end) } else { end };
            let rect = finder.rect(&cast.cover(from, to, end));
            let mut candidates = 0;
            new_runs(&cells, &rect, &seen, |run| candidates += run.len());
            let is_large = rect.x.len().max(rect.y.len()) > SMALL;
            if candidates > MANY && is_large && to - from > least {
                piece = (to - from) * 0.5;
                continue;
            }
            new_runs(&cells, &rect, &seen, |run| {
                for at in run {
                    if let Some(entry) = cast.entry(&columns.aabb(at), until) {
                        until = visit(columns.rows[at], entry);
                    }
                }
            });
            if to >= end || until <= to {
                return until;
            }
            if candidates < FEW {
                piece *= 2.0;
            }
            (from, seen) = (to, rect);
        }
    }
}
