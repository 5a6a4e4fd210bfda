//! What is drawn in world units, each layer over the one before.

pub(crate) mod bodies;
pub(crate) mod contacts;
pub(crate) mod structure;

use crate::camera::Camera;
use crate::canvas::Canvas;
use crate::color::Color;

/// Pixels of a box from which on it has an outline of its own.
const OUTLINED: f64 = 7.0;

/// A canvas, and the part of the world that is on it.
pub(crate) struct View<'a> {
    pub(crate) canvas: &'a mut Canvas,
    pub(crate) camera: &'a Camera,
}

impl View<'_> {
    /// Fills a box, darker than its outline if it is large enough to have one.
    pub(crate) fn solid(&mut self, aabb: [f32; 4], color: Color) {
        let corners = self.camera.box_to_screen(aabb);
        if corners[2] - corners[0] < OUTLINED || corners[3] - corners[1] < OUTLINED {
            return self.canvas.fill(corners, color);
        }
        self.canvas.fill(corners, crate::color::BACKGROUND.under(color, 130));
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

    /// Draws a line between two points.
    pub(crate) fn line(&mut self, from: [f32; 2], to: [f32; 2], color: Color) {
        let [from, to] = [from, to].map(|point| self.camera.to_screen(point.map(f64::from)));
        self.canvas.line(from, to, color);
    }
}

/// The middle of a box.
pub(crate) fn center([min_x, min_y, max_x, max_y]: [f32; 4]) -> [f32; 2] {
    [0.5 * min_x + 0.5 * max_x, 0.5 * min_y + 0.5 * max_y]
}

/// Whether two closed boxes overlap.
pub(crate) fn overlap(a: [f32; 4], b: [f32; 4]) -> bool {
    (0..2).all(|axis| a[axis] <= b[axis + 2] && b[axis] <= a[axis + 2])
}
