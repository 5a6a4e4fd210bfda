//! The boxes of a frame as rows to be filed again.

use crate::error::{Column, InvalidRow};
use crate::frame::frame::Frame;
use crate::geometry::{RawAabb, translated};
use crate::input::rows::{BoxSource, read_boxes};
use std::ops::Range;

/// The boxes of a step by row, as its frame stores them; NaN for skipped rows.
#[derive(Default)]
pub(crate) struct StoredBoxes(pub(crate) Vec<RawAabb>);

impl StoredBoxes {
    /// The boxes in coordinates with another origin (SHIFT-1).
    pub(crate) fn shifted(frame: &Frame, by: [f32; 2]) -> Self {
        let mut boxes = Vec::new();
        frame.write_boxes(&mut boxes);
        boxes.iter_mut().for_each(|aabb| *aabb = translated(aabb, by));
        Self(boxes)
    }
}

impl BoxSource for StoredBoxes {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn check(&self, row: usize) -> Result<RawAabb, InvalidRow> {
        let aabb = self.0[row];
        // Infinite edges are valid here, as they are in a step; a NaN marks a row that was skipped.
        if aabb[0].is_nan() { Err(InvalidRow::new(row as u32, Column::Min, 0, aabb[0])) } else { Ok(aabb) }
    }

    fn read(&self, rows: Range<usize>, boxes: &mut [RawAabb]) -> bool {
        read_boxes(&self.0[rows], boxes)
    }
}
