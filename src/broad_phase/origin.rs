//! Files the bodies of a frame again in coordinates with another origin.
//!
//! Far from the origin f32 is coarse, so large worlds move the origin to where the players are.
//!
//! This is not O(1), because an offset that is added when a box is read would keep the old
//! rounding, and an origin is shifted to remove that. `old - by` is another f32, and its rounding
//! may close a gap or open one. So every edge must be recomputed. Bodies are filed by comparing
//! edges with borders, which are rounded too, so the bodies must be filed again.
//!
//! The filed boxes are those of the step, bit for bit as the frame stores them, minus `by` in f32.
//! Subtraction is monotone, so no box is inverted; infinite edges stay infinite; rows that the step
//! skipped stay out.
//!
//! No pairs are searched for: contacts refer to rows, which do not depend on the origin.

use crate::broad_phase::broad_phase::BroadPhase;
use crate::broad_phase::context::StepContext;
use crate::error::{Column, Error, InvalidRow};
use crate::frame::frame::Frame;
use crate::frame::phases::PhaseTimes;
use crate::geometry::{RawAabb, translated};
use crate::input::rows::{BoxSource, read_boxes};
use std::ops::Range;

/// The boxes of a step by row, in coordinates with another origin; NaN for rows that were skipped.
pub(crate) struct ShiftedBoxes(Vec<RawAabb>);

impl ShiftedBoxes {
    pub(crate) fn new(frame: &Frame, by: [f32; 2]) -> Self {
        let mut boxes = Vec::new();
        frame.write_boxes(&mut boxes);
        boxes.iter_mut().for_each(|aabb| *aabb = translated(aabb, by));
        Self(boxes)
    }
}

impl BoxSource for ShiftedBoxes {
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

impl BroadPhase {
    /// Files all shifted boxes into an empty frame, and drops the sleeper cache.
    pub(crate) fn file_shifted(
        &mut self,
        step: StepContext<'_>,
        boxes: &ShiftedBoxes,
        frame: &mut Frame,
    ) -> Result<(), Error> {
        frame.begin(boxes.len(), !step.config.may_use_threads());
        frame.cached.clear();
        self.finder.file(step, boxes, true, &mut frame.bands, &mut PhaseTimes::default())?;
        self.finder.build_frame(step, frame);
        self.sleepers.clear();
        Ok(())
    }
}
