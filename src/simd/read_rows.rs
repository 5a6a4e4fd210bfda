//! Boxes of input rows, computed with the instructions of a level.

use crate::geometry::RawAabb;
use crate::input::rows::BoxSource;
use crate::simd::detected::{DetectedSimd, SimdJob};
use std::ops::Range;

impl DetectedSimd {
    /// Calls [`BoxSource::read`], compiled for this level.
    ///
    /// The loops of that method are long, one for each form of input. They are compiled here once
    /// for each level, instead of in each job that reads rows.
    pub(crate) fn read_rows<R: BoxSource + ?Sized>(
        self,
        source: &R,
        rows: Range<usize>,
        boxes: &mut [RawAabb],
    ) -> bool {
        self.run(ReadRows { source, rows, boxes })
    }
}

struct ReadRows<'a, R: ?Sized> {
    source: &'a R,
    rows: Range<usize>,
    boxes: &'a mut [RawAabb],
}

impl<R: BoxSource + ?Sized> SimdJob for ReadRows<'_, R> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        self.source.read(self.rows, self.boxes)
    }
}
