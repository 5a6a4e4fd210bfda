//! Finds the bodies that a ray or a moving box hits, one section of its path after the other.
//!
//! A box that is first hit in a section overlaps the bounds of that section
//! ([`PreparedCast::swept_bounds`]). So it is filed in the section's rectangle of cells, however
//! far it extends beyond its own cell.
//!
//! A body is visited with the first section whose bounds it overlaps. The bounds of successive
//! sections begin and end no earlier on each axis, in the direction of the path. So a body that
//! overlaps two of them overlaps all between, and it was visited before if it overlaps the bounds
//! of the section before.
//!
//! Sections grow where there are few candidates and shrink where there are many: empty space is
//! crossed in long sections. A section that leads to the same cells as the one before is followed
//! by a longer one, so there are not many more sections than columns and rows, however small the
//! cells are compared with the moving box and its path.

use crate::geometry::band_box::BandBox;
use crate::geometry::{Impact, PreparedCast};
use crate::simd::CellRect;
use crate::tier::point_grid::bands::Bands;
use crate::tier::point_grid::box_query::visit_overlapping;

/// A section with more candidates than `CANDIDATES_MAX` is halved; after one with fewer than
/// `CANDIDATES_MIN`, the next is twice as long.
const CANDIDATES_MAX: usize = 40;
const CANDIDATES_MIN: usize = 12;

/// A rectangle of at most this many cells on both axes is not worth halving.
const SMALL_RECT: usize = 3;

impl Bands {
    /// Visits the bodies that `cast` hits at times of impact up to `t_max`, each once, roughly
    /// earliest first.
    ///
    /// `visit` takes a row and its impact, and returns the new `t_max`, a negative one to stop.
    /// Returns the last one.
    pub(crate) fn visit_cast(
        &self,
        cast: &PreparedCast,
        mut t_max: f64,
        visit: &mut impl FnMut(u32, Impact) -> f64,
    ) -> f64 {
        for class in self.directory.classes() {
            let cast = cast.to_band(class.axes);
            let Some(bounds) = class.bounds else { continue };
            let Some([from, to]) = cast.interval(bounds.edges(), t_max) else { continue };
            let slots = self.directory.slots_overlapping(class, &BandBox::from_edges(cast.swept_bounds(from, to, to)));
            let count = slots.len();
            for k in 0..count {
                let slot = if cast.ascends(1) { slots.start + k } else { slots.end - 1 - k };
                t_max = self.visit_cast_in_band(slot, &cast, t_max, visit);
            }
        }
        t_max
    }

    /// Visits the bodies of a band. The cast is in the band's axes.
    fn visit_cast_in_band(
        &self,
        slot: usize,
        cast: &PreparedCast,
        mut t_max: f64,
        visit: &mut impl FnMut(u32, Impact) -> f64,
    ) -> f64 {
        let slot = &self.slots[slot];
        if slot.population() == 0 {
            return t_max;
        }
        let Some([mut from, end]) = cast.interval(slot.band.bounds().edges(), t_max) else { return t_max };
        let (band, tables, cells) = (&slot.band, self.tables_of(slot), self.cells(slot));
        let lookup = band.lookup(tables);
        // The time that a section takes: at first, that to cross a cell.
        let mut time = {
            let [left, top, right, bottom] = band.bounds().edges().map(f64::from);
            let across = |side: f64, axis: usize| side / band.cell_counts()[axis] as f64 / cast.speed(axis);
            // `min` ignores a NaN, from 0 / 0.
            across(right - left, 0).min(across(bottom - top, 1)).min(end - from)
        };
        let mut before: Option<BandBox> = None;
        let mut rect_before = CellRect { x: 0..0, y: 0..0 };
        loop {
            let section_of = |time: f64| {
                let to = if from + time > from { (from + time).min(end) } else { end };
                let area = BandBox::from_edges(cast.swept_bounds(from, to, end));
                let rect = lookup.rect(&area);
                let candidates = rect.y.clone().map(|y| cells.run(y, &rect.x).len()).sum();
                Section { to, area, rect, candidates }
            };
            let mut section = section_of(time);
            while section.candidates > CANDIDATES_MAX && !section.is_small() {
                let half = section_of((section.to - from) * 0.5);
                // Where the size of the moving box or the population of a cell dominates, shorter
                // sections do not help.
                if half.candidates * 4 > section.candidates * 3 {
                    time = (section.to - from) * 2.0;
                    break;
                }
                time = half.to - from;
                section = half;
            }
            let Section { to, ref area, ref rect, candidates } = section;
            visit_overlapping(self.level, &cells, rect, area, before.as_ref(), |at| {
                if let Some(entry) = cast.impact(&cells.blocks.aabb(at), t_max) {
                    t_max = visit(cells.blocks.row(at), entry);
                }
            });
            if to >= end || t_max <= to {
                return t_max;
            }
            if candidates < CANDIDATES_MIN || section.is_small() || *rect == rect_before {
                time *= 2.0;
            }
            (from, before, rect_before) = (to, Some(section.area), section.rect);
        }
    }
}

/// A part of a cast through a band, from where the last one ended.
struct Section {
    /// The time of its end.
    to: f64,
    /// The area that it sweeps, and the cells there.
    area: BandBox,
    rect: CellRect,
    /// Bodies in these cells.
    candidates: usize,
}

impl Section {
    fn is_small(&self) -> bool {
        self.rect.x.len().max(self.rect.y.len()) <= SMALL_RECT
    }
}
