//! Boxes of input rows, computed with the instructions of a level.

use crate::geometry::RawAabb;
use crate::input::rows::BoxSource;
use crate::simd::detected::{DetectedSimd, SimdJob};
use std::ops::Range;

/// Rows whose boxes are read with the instructions of a level.
///
/// Tiers take them as `&dyn LeveledRows`. A call reads a batch of rows, so it costs little beside
/// the rows; and what files rows is compiled once, not for each kind of rows.
pub(crate) trait LeveledRows: BoxSource {
    /// Calls [`BoxSource::read`], compiled for a level.
    fn read_with(&self, level: DetectedSimd, rows: Range<usize>, boxes: &mut [RawAabb]) -> bool;
}

impl<R: BoxSource> LeveledRows for R {
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
