//! How long searches of a band's cells take, estimated from a sample.

use crate::geometry::band_box::BandBox;
use crate::geometry::{RawAabb, overlaps, side};
use crate::memory::body_record::BodyRecord;
use crate::memory::columns::SoaColumns;
use crate::simd::{CellRect, CellView};
use crate::tier::point_grid::band::cell_grid::CellLookup;
use crate::tier::sweep::axis_sample::some_of;
use smallvec::SmallVec;

/// Boxes of the sample. A few searches may take longer than all others together.
const SAMPLED: usize = 64;

/// Bodies that each of them is compared with, to estimate hits.
const COMPARED: usize = 64;

// Measured costs, in nanoseconds.

/// A box's search of the cells.
pub(super) const CELL_SEARCH_NS: f64 = 30.0;
/// A run of cells in that search.
const CELL_RUN_NS: f64 = 5.0;
/// A vector of box tests.
pub(in crate::tier::point_grid) const VECTOR_NS: f64 = 2.5;

/// Box tests in a vector.
pub(in crate::tier::point_grid) const LANES: f64 = 8.0;
/// A box test of a long run.
pub(in crate::tier::point_grid) const TEST_NS: f64 = 0.3;

/// The searches of the cells for some boxes, estimated from a sample of these.
pub(super) struct CellSearches {
    /// Boxes of the sample, and how long their searches take.
    sample: SmallVec<[(RawAabb, f64); SAMPLED]>,
    /// Boxes for each of the sample.
    weight: f64,
}

impl CellSearches {
    pub(super) fn sample(lookup: &CellLookup<'_>, cells: &CellView<'_>, boxes: &[BodyRecord]) -> Self {
        let ns = |aabb: RawAabb| rect_ns(cells, &lookup.rect(&BandBox::from_edges(aabb)));
        let sampled = some_of(boxes, SAMPLED);
        let sample: SmallVec<_> = sampled.map(|&BodyRecord { aabb, .. }| (aabb, ns(aabb))).collect();
        Self { weight: boxes.len() as f64 / sample.len() as f64, sample }
    }

    /// About how long the searches for all boxes take, in nanoseconds.
    pub(super) fn ns(&self) -> f64 {
        self.ns_of_longer(0, f64::NEG_INFINITY)
    }

    /// About how long those take for boxes that are longer than `longest` on an axis.
    pub(super) fn ns_of_longer(&self, axis: usize, longest: f64) -> f64 {
        let longer = self.sample.iter().filter(|(aabb, _)| side(aabb, axis) > longest);
        self.weight * longer.map(|(_, ns)| ns).sum::<f64>()
    }
}

/// About how many bodies overlap some boxes, each counted for each of these.
pub(super) fn hits(boxes: &[BodyRecord], bodies: &SoaColumns<'_>) -> f64 {
    let step = bodies.len().div_ceil(COMPARED);
    let compared = (0..bodies.len()).step_by(step).map(|at| bodies.aabb(at));
    let compared: SmallVec<[RawAabb; COMPARED]> = compared.collect();
    let sampled = some_of(boxes, SAMPLED);
    let weight = step as f64 * boxes.len() as f64 / sampled.len() as f64;
    let hits = |of: &BodyRecord| compared.iter().filter(|body| overlaps(body, &of.aabb)).count();
    weight * sampled.map(hits).sum::<usize>() as f64
}

/// About how long a search of some cells takes, in nanoseconds.
pub(in crate::tier::point_grid) fn rect_ns(cells: &CellView<'_>, rect: &CellRect) -> f64 {
    let rect = cells.clip(rect);
    let vectors = cells.count(&rect) as f64 / LANES;
    CELL_SEARCH_NS + rect.y.len() as f64 * CELL_RUN_NS + vectors * VECTOR_NS
}
