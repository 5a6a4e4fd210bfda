//! What is drawn in world units, each layer over the one before.

pub(crate) mod bodies;
pub(crate) mod contacts;
pub(crate) mod structure;

use crate::camera::Camera;
use crate::canvas::Canvas;
use crate::color::Color;

/// Pixels of a box from which on it has an outline of its own.
const OUTLINED: f64 = 7.0;
/// Strength of a mark, times the pixels of its box.
const MARK: f64 = 3000.0;

/// A canvas, and the part of the world that is on it.
pub(crate) struct View<'a> {
    pub(crate) canvas: &'a mut Canvas,
    pub(crate) camera: &'a Camera,
}

impl View<'_> {
    /// Fills a box; if it is large enough for an outline, what is under it is still seen.
    pub(crate) fn solid(&mut self, aabb: [f32; 4], color: Color) {
        let corners = self.camera.box_to_screen(aabb);
        if corners[2] - corners[0] < OUTLINED || corners[3] - corners[1] < OUTLINED {
            return self.canvas.fill(corners, color);
        }
        self.canvas.blend(corners, color, 110);
        self.canvas.outline(corners, color);
    }

    /// Marks a box so that what is under it is still seen, if the box is large.
    pub(crate) fn mark(&mut self, aabb: [f32; 4], color: Color) {
        let corners = self.camera.box_to_screen(aabb);
        let side = (corners[2] - corners[0]).min(corners[3] - corners[1]);
        let alpha = if side < OUTLINED { 255 } else { (MARK / side).clamp(24.0, 170.0) as u8 };
        self.canvas.blend(corners, color, alpha);
        self.canvas.outline(corners, color);
    }

    /// Draws the edges of a box.
    pub(crate) fn outline(&mut self, aabb: [f32; 4], color: Color) {
        self.canvas.outline(self.camera.box_to_screen(aabb), color);
    }

    /// Covers a box with a color.
    pub(crate) fn tint(&mut self, aabb: [f32; 4], color: Color, alpha: u8) {
        self.canvas.blend(self.camera.box_to_screen(aabb), color, alpha);
    }
}

/// The box that two boxes share; inverted on the axes on which they are apart.
pub(crate) fn shared(a: [f32; 4], b: [f32; 4]) -> [f32; 4] {
    [a[0].max(b[0]), a[1].max(b[1]), a[2].min(b[2]), a[3].min(b[3])]
}

/// Whether two closed boxes overlap.
pub(crate) fn overlap(a: [f32; 4], b: [f32; 4]) -> bool {
    (0..2).all(|axis| a[axis] <= b[axis + 2] && b[axis] <= a[axis + 2])
}
