//! What a ray, or a box in motion, meets: piece after piece of its way.
//!
//! M1: a box that is met first between two distances overlaps the cover of that piece of the way ([`PreparedCast::swept_bounds`]), so it is
//!     filed in the piece's rectangle of cells, however far it reaches out of its own cell.
//! M2: a body is visited with the first piece whose cover it overlaps. Covers of successive pieces begin and end no earlier
//!     on each axis, in the direction of the way. So what overlaps two of them overlaps all between, and was visited
//!     before if it overlaps the one before.
//! M3: pieces grow where there is little and shrink where there is much: emptiness is crossed in strides, and where cells
//!     are small, pieces are too.
//! M4: a piece that leads to no other cells is followed by a longer one, so there are not many more pieces than columns and
//!     rows, however small cells are beside what moves and how far it moves.

use crate::geometry::band_box::BandBox;
use crate::geometry::{Impact, PreparedCast};
use crate::simd::CellRect;
use crate::tier::point_grid::bands::Bands;
use crate::tier::point_grid::box_query::visit_masks;

/// A piece with more candidates is halved; with fewer, the next is twice as long.
const MANY: usize = 40;
const FEW: usize = 12;

/// A rectangle of so many cells on both axes is not worth halving.
const SMALL: usize = 3;

impl Bands {
    /// Visits the bodies that `cast` hits up to the distance `until`, each once, roughly first hit
    /// first.
    ///
    /// `visit` takes a row and where its box is hit, and returns the new `until`, a negative one to
    /// stop. Returns the last one.
    pub(crate) fn visit_met(
        &self,
        cast: &PreparedCast,
        mut until: f64,
        visit: &mut impl FnMut(u32, Impact) -> f64,
    ) -> f64 {
        for class in self.directory.classes() {
            let cast = cast.to_band(class.axes);
            let Some(bounds) = class.bounds else { continue };
            let Some([from, to]) = cast.interval(bounds.edges(), until) else { continue };
            let met = self.directory.slots_overlapping(class, &BandBox::from_edges(cast.swept_bounds(from, to, to)));
            let count = met.len();
            for k in 0..count {
                let slot = if cast.ascends(1) { met.start + k } else { met.end - 1 - k };
                until = self.visit_met_in(slot, &cast, until, visit);
            }
        }
        until
    }

    /// The bodies of a band; the cast is in its orientation.
    fn visit_met_in(
        &self,
        slot: usize,
        cast: &PreparedCast,
        mut until: f64,
        visit: &mut impl FnMut(u32, Impact) -> f64,
    ) -> f64 {
        let slot = &self.slots[slot];
        if slot.population() == 0 {
            return until;
        }
        let Some([mut from, end]) = cast.interval(slot.band.bounds().edges(), until) else { return until };
        let (band, words, cells) = (&slot.band, self.words_of(slot), self.cells(slot));
        let lookup = band.lookup(words);
        let mut piece = {
            let [left, top, right, bottom] = band.bounds().edges().map(f64::from);
            let across = |side: f64, count: usize, axis: usize| side / count as f64 / cast.speed(axis);
            // NaN of 0 / 0 is nobody's minimum.
            across(right - left, band.columns(), 0).min(across(bottom - top, band.rows(), 1)).min(end - from)
        };
        let mut before: Option<BandBox> = None;
        let mut rect_before = CellRect { x: 0..0, y: 0..0 };
        loop {
            let way = |piece: f64| if from + piece > from { (from + piece).min(end) } else { end };
            let window = |to: f64| {
                let area = BandBox::from_edges(cast.swept_bounds(from, to, end));
                let rect = lookup.rect(&area);
                let candidates: usize = rect.y.clone().map(|y| cells.run(y, &rect.x).len()).sum();
                (to, area, rect, candidates)
            };
            let (mut to, mut area, mut rect, mut candidates) = window(way(piece));
            while candidates > MANY && rect.x.len().max(rect.y.len()) > SMALL {
                let half = window(way((to - from) * 0.5));
                // Where it is the width of what moves that counts, or how crowded a cell is, shorter pieces do not help.
                if half.3 * 4 > candidates * 3 {
                    piece = (to - from) * 2.0;
                    break;
                }
                piece = half.0 - from;
                (to, area, rect, candidates) = half;
            }
            visit_masks(self.level, &cells, &rect, &area, before.as_ref(), |first, mut mask| {
                while mask != 0 {
                    let at = first + mask.trailing_zeros() as usize;
                    mask &= mask - 1;
                    if let Some(entry) = cast.impact(&cells.blocks.aabb(at), until) {
                        until = visit(cells.blocks.row(at), entry);
                    }
                }
            });
            if to >= end || until <= to {
                return until;
            }
            if candidates < FEW || rect.x.len().max(rect.y.len()) <= SMALL || rect == rect_before {
                piece *= 2.0;
            }
            (from, before, rect_before) = (to, Some(area), rect);
        }
    }
}
