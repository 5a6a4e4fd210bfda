//! The oversized bodies of a step, and two ways to search them.
//!
//! Box queries use the double grid. For nearest queries and casts, a few bodies are tested one SoA
//! block after the other, which is faster than traversing the grid.

use crate::geometry::{Impact, PreparedCast, ROOT, RawAabb, distance_squared, square, union};
use crate::memory::blocks::{SoaBlocks, block_words, fill_blocks_from};
use crate::memory::body_record::BodyRecord;
use crate::memory::buffers::{buffers, clone_in_place};
use crate::simd::{DetectedSimd, OverlapIter};
use crate::tier::loose_grid::rebuilt::grid::RebuiltGrid;

/// Most bodies that are tested linearly: 5 ns for each 16, while a ray through the double grid
/// takes at least 150 ns.
const LINEAR_MAX: usize = 256;

/// The oversized bodies of a step.
#[derive(Default)]
pub(crate) struct Oversized {
    grid: RebuiltGrid,
    /// In the order in which they were given.
    records: Vec<BodyRecord>,
    linear: LinearSet,
}

/// A few boxes and their rows in SoA blocks; empty if there are too many.
#[derive(Default)]
struct LinearSet {
    words: Vec<u32>,
    len: usize,
    bounds: RawAabb,
}

buffers!(Oversized { leveled: grid, records, linear; own: ; plain: ; });
buffers!(LinearSet { leveled: words; own: ; plain: len, bounds; });
clone_in_place!(Oversized { grid, records, linear });
clone_in_place!(LinearSet { words, len, bounds });

impl Oversized {
    /// Replaces all bodies.
    pub(crate) fn rebuild(&mut self, records: &[BodyRecord]) {
        self.records.clear();
        self.records.extend_from_slice(records);
        self.grid.rebuild(records);
        self.linear.rebuild(if records.len() <= LINEAR_MAX { records } else { &[] });
    }

    /// Removes all bodies.
    pub(crate) fn clear(&mut self) {
        if !self.is_empty() {
            self.rebuild(&[]);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    pub(crate) fn grid(&self) -> &RebuiltGrid {
        &self.grid
    }

    /// Returns all bodies, in the order in which they were given.
    pub(crate) fn records(&self) -> &[BodyRecord] {
        &self.records
    }

    /// Returns all bodies in the order of the double grid's cells, so that near bodies are close.
    pub(crate) fn records_in_cell_order(&self) -> &[BodyRecord] {
        self.grid.bodies()
    }

    /// Visits the bodies whose squared distance from `point` is at most `within`, each once.
    ///
    /// `visit` takes a row and its squared distance, and returns the new `within`. Returns the last
    /// one.
    pub(crate) fn visit_nearest(
        &self,
        level: DetectedSimd,
        point: [f32; 2],
        mut within: f64,
        visit: &mut impl FnMut(u32, f64) -> f64,
    ) -> f64 {
        if self.linear.is_empty() {
            return self.grid.visit_nearest(point, within, visit);
        }
        // What does not overlap the square is farther than `within`.
        for (row, aabb) in self.linear.overlapping(level, square(point, within.sqrt() * ROOT)) {
            let distance = distance_squared(&aabb, point);
            if distance <= within {
                within = visit(row, distance);
            }
        }
        within
    }

    /// Visits the bodies that `cast` hits at times of impact up to `t_max`, each once.
    ///
    /// `visit` takes a row and its impact, and returns the new `t_max`. Returns the last one.
    pub(crate) fn visit_cast(
        &self,
        level: DetectedSimd,
        cast: &PreparedCast,
        mut t_max: f64,
        visit: &mut impl FnMut(u32, Impact) -> f64,
    ) -> f64 {
        if self.linear.is_empty() {
            return self.grid.visit_cast(cast, t_max, visit);
        }
        // Only the part of the path at these bodies: the bounds of an endless path would be
        // infinite.
        let Some([from, to]) = cast.interval(&self.linear.bounds, t_max) else { return t_max };
        for (row, aabb) in self.linear.overlapping(level, cast.swept_bounds(from, to, to)) {
            if let Some(entry) = cast.impact(&aabb, t_max) {
                t_max = visit(row, entry);
            }
        }
        t_max
    }
}

impl LinearSet {
    fn rebuild(&mut self, records: &[BodyRecord]) {
        self.len = records.len();
        self.words.clear();
        self.words.resize(block_words(self.len), 0);
        fill_blocks_from(&mut self.words, records);
        self.bounds = records.iter().map(|record| record.aabb).reduce(|a, b| union(&a, &b)).unwrap_or_default();
    }

    fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the row and the box of each body that overlaps an area.
    #[inline]
    fn overlapping(&self, level: DetectedSimd, area: RawAabb) -> impl Iterator<Item = (u32, RawAabb)> {
        let blocks = SoaBlocks::of(&self.words, self.len);
        OverlapIter::new(level, blocks, area).map(move |at| (blocks.row(at), blocks.aabb(at)))
    }
}
