//! Boxes of input rows, computed with the instructions of a level.

use crate::geometry::RawAabb;
use crate::input::rows::BoxSource;
use crate::simd::detected::{DetectedSimd, SimdJob};
use std::ops::Range;

/// Rows whose boxes are read with the instructions of a level.
///
/// What files rows takes them as `&dyn SimdRows`, so that it is compiled once and not for each kind
/// of rows. A call reads a batch; only batches with invalid rows call
/// [`checked_box`](BoxSource::checked_box) for each row.
pub(crate) trait SimdRows: BoxSource {
    /// Calls [`BoxSource::read`], compiled for a level.
    ///
    /// The loops of that method are long, one for each form of input. They are compiled here once
    /// for each level, instead of in each job that reads rows.
    fn read_with(&self, level: DetectedSimd, rows: Range<usize>, boxes: &mut [RawAabb]) -> bool;
}

impl<R: BoxSource> SimdRows for R {
    fn read_with(&self, level: DetectedSimd, rows: Range<usize>, boxes: &mut [RawAabb]) -> bool {
        level.run(ReadRows { source: self, rows, boxes })
    }
}

struct ReadRows<'a, R> {
    source: &'a R,
    rows: Range<usize>,
    boxes: &'a mut [RawAabb],
}

impl<R: BoxSource> SimdJob for ReadRows<'_, R> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        self.source.read(self.rows, self.boxes)
    }
}
