//! The part of the world that is on the screen.

/// Pixels per unit, smallest and largest.
const SCALES: [f64; 2] = [1e-9, 1e9];

/// Room around a world that is made to fit, as a part of its size.
const MARGIN: f64 = 0.03;

/// Maps world units to pixels. Of the world, y points up; of the screen, down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The point in the middle of the screen, in world units.
    center: [f64; 2],
    /// Pixels per unit.
    scale: f64,
    /// Width and height of the screen in pixels.
    size: [f64; 2],
}

impl Camera {
    /// A camera that shows the unit around the origin.
    pub fn new(width: usize, height: usize) -> Self {
        let size = [width as f64, height as f64];
        Self { center: [0.0; 2], scale: size[0].min(size[1]).max(1.0), size }
    }

    /// Pixels per unit.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// The middle of the screen, in world units.
    pub fn center(&self) -> [f64; 2] {
        self.center
    }

    /// Shows all of a box in a part of the screen: its left, upper, right and lower edge in pixels.
    ///
    /// A box without a finite size is shown around its center, if it has one.
    pub fn fit(&mut self, world: [f32; 4], [left, top, right, bottom]: [f64; 4]) {
        let [min_x, min_y, max_x, max_y] = world.map(f64::from);
        let sides = [max_x - min_x, max_y - min_y];
        let room = [(right - left).max(1.0), (bottom - top).max(1.0)];
        let scale = |axis: usize| room[axis] / (sides[axis] * (1.0 + 2.0 * MARGIN));
        self.center = [0.5 * (min_x + max_x), 0.5 * (min_y + max_y)];
        if !self.center.iter().all(|coordinate| coordinate.is_finite()) {
            self.center = [0.0; 2];
        }
        self.set_scale(scale(0).min(scale(1)));
        self.pan([0.5 * (left + right - self.size[0]), 0.5 * (top + bottom - self.size[1])]);
    }

    /// The whole screen, as a part of it.
    pub fn screen(&self) -> [f64; 4] {
        [0.0, 0.0, self.size[0], self.size[1]]
    }

    /// Changes the size of the screen; its middle stays.
    pub fn resize(&mut self, width: usize, height: usize) {
        self.size = [width as f64, height as f64];
    }

    /// Moves the world by pixels, as if it was dragged.
    pub fn pan(&mut self, by: [f64; 2]) {
        let center = [self.center[0] - by[0] / self.scale, self.center[1] + by[1] / self.scale];
        if center.iter().all(|coordinate| coordinate.is_finite()) {
            self.center = center;
        }
    }

    /// Changes the scale by a factor; the point at a pixel stays there.
    pub fn zoom(&mut self, at: [f64; 2], factor: f64) {
        let before = self.to_world(at);
        self.set_scale(self.scale * factor);
        let after = self.to_world(at);
        let center = [self.center[0] + before[0] - after[0], self.center[1] + before[1] - after[1]];
        if center.iter().all(|coordinate| coordinate.is_finite()) {
            self.center = center;
        }
    }

    /// The pixel of a point.
    #[inline]
    pub fn to_screen(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        [(x - self.center[0]) * self.scale + 0.5 * self.size[0], (self.center[1] - y) * self.scale + 0.5 * self.size[1]]
    }

    /// The point at a pixel.
    pub fn to_world(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        [self.center[0] + (x - 0.5 * self.size[0]) / self.scale, self.center[1] - (y - 0.5 * self.size[1]) / self.scale]
    }

    /// The left, upper, right and lower edge of a box, in pixels.
    #[inline]
    pub fn box_to_screen(&self, [min_x, min_y, max_x, max_y]: [f32; 4]) -> [f64; 4] {
        let [left, top] = self.to_screen([f64::from(min_x), f64::from(max_y)]);
        let [right, bottom] = self.to_screen([f64::from(max_x), f64::from(min_y)]);
        [left, top, right, bottom]
    }

    /// The box of the world that is on the screen; finite.
    pub fn view(&self) -> [f32; 4] {
        let [left, bottom] = self.to_world([0.0, self.size[1]]);
        let [right, top] = self.to_world([self.size[0], 0.0]);
        [left, bottom, right, top].map(|edge| (edge as f32).clamp(f32::MIN, f32::MAX))
    }

    fn set_scale(&mut self, scale: f64) {
        if !scale.is_nan() {
            self.scale = scale.clamp(SCALES[0], SCALES[1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near([ax, ay]: [f64; 2], [bx, by]: [f64; 2]) {
        assert!((ax - bx).abs() < 1e-6 && (ay - by).abs() < 1e-6, "({ax}, {ay}) is not near ({bx}, {by})");
    }

    fn camera() -> Camera {
        let mut camera = Camera::new(800, 600);
        camera.fit([100.0, 0.0, 300.0, 100.0], camera.screen());
        camera
    }

    #[test]
    fn fitted_world_is_inside_and_upright() {
        let camera = camera();
        let [left, top, right, bottom] = camera.box_to_screen([100.0, 0.0, 300.0, 100.0]);
        assert!(left > 0.0 && right < 800.0 && top > 0.0 && bottom < 600.0);
        assert!(right - left > 740.0, "most of the width is used");
        assert_near(camera.to_screen([200.0, 50.0]), [400.0, 300.0]);
        assert!(camera.to_screen([200.0, 90.0])[1] < 300.0, "up is up");
    }

    #[test]
    fn world_fits_into_a_part_of_the_screen() {
        let mut camera = Camera::new(800, 600);
        camera.fit([-1.0, -1.0, 1.0, 1.0], [300.0, 0.0, 800.0, 400.0]);
        assert_near(camera.to_screen([0.0, 0.0]), [550.0, 200.0]);
        let [left, top, right, bottom] = camera.box_to_screen([-1.0, -1.0, 1.0, 1.0]);
        assert!(left > 300.0 && right < 800.0 && top > 0.0 && bottom < 400.0);
    }

    #[test]
    fn pixels_and_points_are_inverse() {
        let mut camera = camera();
        camera.zoom([10.0, 20.0], 7.0);
        camera.pan([-33.0, 8.0]);
        for pixel in [[0.0, 0.0], [800.0, 600.0], [123.0, 456.0], [-5.0, 900.0]] {
            assert_near(camera.to_screen(camera.to_world(pixel)), pixel);
        }
    }

    #[test]
    fn zoom_keeps_the_point_under_the_pointer() {
        let mut camera = camera();
        let (pointer, before) = ([700.0, 100.0], camera.scale());
        let point = camera.to_world(pointer);
        camera.zoom(pointer, 2.5);
        assert_near(camera.to_world(pointer), point);
        assert!((camera.scale() / before - 2.5).abs() < 1e-12);
    }

    #[test]
    fn panning_moves_the_world_with_the_pointer() {
        let mut camera = camera();
        let point = camera.to_world([300.0, 200.0]);
        camera.pan([40.0, -25.0]);
        assert_near(camera.to_screen(point), [340.0, 175.0]);
    }

    #[test]
    fn resizing_keeps_the_middle() {
        let mut camera = camera();
        camera.resize(300, 900);
        assert_near(camera.to_screen([200.0, 50.0]), [150.0, 450.0]);
    }

    #[test]
    fn no_input_makes_the_view_unusable() {
        let mut camera = camera();
        for factor in [0.0, -1.0, f64::INFINITY, f64::NAN, 1e-300, 1e300, 1e300] {
            camera.zoom([10.0, 10.0], factor);
            camera.pan([1e300, f64::NAN]);
            assert!(camera.scale().is_finite() && camera.center().iter().all(|c| c.is_finite()));
            let [left, bottom, right, top] = camera.view();
            assert!(left <= right && bottom <= top, "{:?}", camera.view());
        }
        for world in [[0.0; 4], [f32::NAN; 4], [f32::NEG_INFINITY, 0.0, f32::INFINITY, 0.0], [-3e38, 0.0, 3e38, 1.0]] {
            camera.fit(world, [10.0, 5.0, 2.0, f64::NAN]);
            let [left, bottom, right, top] = camera.view();
            assert!(left <= right && bottom <= top, "{world:?}: {:?}", camera.view());
        }
    }
}
