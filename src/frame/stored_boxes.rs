//! The boxes of a frame as rows to be filed again, if need be in coordinates with another origin.
//!
//! Far from the origin f32 is coarse, so large worlds move the origin to where the players are.
//!
//! Shifting the origin is not O(1), because an offset that is added when a box is read would keep
//! the old rounding, and an origin is shifted to remove that. `old - by` is another f32, and its
//! rounding may close a gap or open one. So every edge must be recomputed. Bodies are filed by
//! comparing edges with borders, which are rounded too, so the bodies must be filed again.
//!
//! SHIFT-1: the filed boxes are those of the step, bit for bit as the frame stores them, minus `by`
//! in f32. Subtraction is monotone, so no box is inverted; infinite edges stay infinite; rows that
//! the step skipped stay out.

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

    fn checked_box(&self, row: usize) -> Result<RawAabb, InvalidRow> {
        let aabb = self.0[row];
        // Infinite edges are valid here, as they are in a step; a NaN marks a row that was skipped.
        if aabb[0].is_nan() { Err(InvalidRow::new(row as u32, Column::Min, 0, aabb[0])) } else { Ok(aabb) }
    }

    fn read(&self, rows: Range<usize>, boxes: &mut [RawAabb]) -> bool {
        read_boxes(&self.0[rows], boxes)
    }
}
