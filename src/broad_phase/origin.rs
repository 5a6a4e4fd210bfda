//! Files the bodies of a frame again in coordinates with another origin.
//!
//! Far from the origin f32 is coarse, so large worlds move the origin to where the players are.
//!
//! This is not O(1), because an offset that is added when a box is read would keep the old
//! rounding, and an origin is shifted to remove that. `old - by` is another f32, and its rounding
//! may close a gap or open one. So every edge must be recomputed. Bodies are filed by comparing
//! edges with borders, which are rounded too, so the bodies must be filed again.
//!
//! SHIFT-1: the filed boxes are those of the step, bit for bit as the frame stores them, minus `by`
//! in f32. Subtraction is monotone, so no box is inverted; infinite edges stay infinite; rows that
//! the step skipped stay out.
//!
//! No pairs are searched for: contacts refer to rows, which do not depend on the origin.

use crate::broad_phase::broad_phase::BroadPhase;
use crate::broad_phase::context::StepContext;
use crate::frame::frame::Frame;
use crate::frame::stored_boxes::StoredBoxes;

impl BroadPhase {
    /// Files all shifted boxes into an empty frame, and drops the sleeper cache.
    pub(crate) fn file_shifted(&mut self, step: StepContext<'_>, boxes: &StoredBoxes, frame: &mut Frame) {
        frame.cached.clear();
        self.finder.file_again(step, boxes, frame);
        self.sleepers.clear();
    }
}
