//! Pixels, and shapes drawn into them. Whatever is outside is clipped, and nothing panics: shapes
//! may be huge, inverted, infinite or NaN.

use crate::color::Color;

/// Pixels of the longest side of a canvas.
const SIDE_MAX: usize = 8192;

/// Corners of a polygon that is drawn for a circle.
const CIRCLE_CORNERS: usize = 96;

/// A picture: rows of pixels from top to bottom.
#[derive(Clone, Debug)]
pub struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<Color>,
}

/// A range of whole pixels on each axis.
struct PixelRect {
    x: std::ops::Range<usize>,
    y: std::ops::Range<usize>,
}

impl Canvas {
    /// A canvas of this size, or of the nearest size that is allowed: 1 to 8192 pixels a side.
    pub fn new(width: usize, height: usize) -> Self {
        let (width, height) = (width.clamp(1, SIDE_MAX), height.clamp(1, SIDE_MAX));
        Self { width, height, pixels: vec![Color::default(); width * height] }
    }

    /// Width in pixels.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Height in pixels.
    pub fn height(&self) -> usize {
        self.height
    }

    /// All pixels, row by row.
    pub fn pixels(&self) -> &[Color] {
        &self.pixels
    }

    pub(crate) fn clear(&mut self, color: Color) {
        self.pixels.fill(color);
    }

    /// Fills a box, of at least one pixel.
    pub(crate) fn fill(&mut self, corners: [f64; 4], color: Color) {
        self.for_rows(corners, |row| row.fill(color));
    }

    /// Covers a box, of at least one pixel, with a color; see [`Color::under`].
    pub(crate) fn blend(&mut self, corners: [f64; 4], color: Color, alpha: u8) {
        self.for_rows(corners, |row| row.iter_mut().for_each(|pixel| *pixel = pixel.under(color, alpha)));
    }

    /// Draws the edges of a box, one pixel wide, inside of it.
    pub(crate) fn outline(&mut self, [left, top, right, bottom]: [f64; 4], color: Color) {
        let (inner_right, inner_bottom) = (left.max(right - 1.0), top.max(bottom - 1.0));
        self.fill([left, top, right, top], color);
        self.fill([left, inner_bottom, right, inner_bottom], color);
        self.fill([left, top, left, bottom], color);
        self.fill([inner_right, top, inner_right, bottom], color);
    }

    /// Draws a line, one pixel wide.
    pub(crate) fn line(&mut self, from: [f64; 2], to: [f64; 2], color: Color) {
        let size = [self.width as f64, self.height as f64];
        let Some([from, to]) = clip_line(from, to, size) else { return };
        let [dx, dy] = [to[0] - from[0], to[1] - from[1]];
        let count = dx.abs().max(dy.abs()).ceil().max(1.0);
        for k in 0..=count as usize {
            let t = k as f64 / count;
            let [x, y] = [from[0] + dx * t, from[1] + dy * t].map(|at| at as usize);
            if x < self.width && y < self.height {
                self.pixels[y * self.width + x] = color;
            }
        }
    }

    /// Draws a circle, one pixel wide.
    pub(crate) fn circle(&mut self, center: [f64; 2], radius: f64, color: Color) {
        let corner = |k: usize| {
            let (sin, cos) = (k as f64 / CIRCLE_CORNERS as f64 * std::f64::consts::TAU).sin_cos();
            [center[0] + radius * cos, center[1] + radius * sin]
        };
        (0..CIRCLE_CORNERS).for_each(|k| self.line(corner(k), corner(k + 1), color));
    }

    /// Covers one pixel, if it is inside.
    pub(crate) fn blend_pixel(&mut self, x: i64, y: i64, color: Color, alpha: u8) {
        if (0..self.width as i64).contains(&x) && (0..self.height as i64).contains(&y) {
            let pixel = &mut self.pixels[y as usize * self.width + x as usize];
            *pixel = pixel.under(color, alpha);
        }
    }

    /// Calls `draw` for the part of each row of pixels that is in a box.
    #[inline]
    fn for_rows(&mut self, corners: [f64; 4], mut draw: impl FnMut(&mut [Color])) {
        let Some(PixelRect { x, y }) = self.pixels_in(corners) else { return };
        for row in y {
            draw(&mut self.pixels[row * self.width..][x.clone()]);
        }
    }

    /// The pixels of a box, at least one on each axis if any is inside the canvas.
    #[inline]
    fn pixels_in(&self, [left, top, right, bottom]: [f64; 4]) -> Option<PixelRect> {
        let x = pixel_range(left, right, self.width)?;
        let y = pixel_range(top, bottom, self.height)?;
        Some(PixelRect { x, y })
    }
}

/// The pixels from `low` to `high`, rounded, within `0..len`; `None` if there are none.
#[inline]
fn pixel_range(low: f64, high: f64, len: usize) -> Option<std::ops::Range<usize>> {
    // Also for NaN. The casts saturate.
    if !(low < len as f64 && high >= 0.0) {
        return None;
    }
    let start = (low + 0.5).floor() as i64;
    let end = ((high + 0.5).floor() as i64).max(start.saturating_add(1));
    let (start, end) = (start.clamp(0, len as i64), end.clamp(0, len as i64));
    (start < end).then_some(start as usize..end as usize)
}

/// The part of a line from (0, 0) to `size`, by Liang and Barsky's method; `None` if there is none.
fn clip_line(from: [f64; 2], to: [f64; 2], size: [f64; 2]) -> Option<[[f64; 2]; 2]> {
    let direction = [to[0] - from[0], to[1] - from[1]];
    let (mut first, mut last) = (0.0f64, 1.0f64);
    for axis in 0..2 {
        let (low, high) = (-from[axis], size[axis] - from[axis]);
        if direction[axis] == 0.0 {
            if !(low <= 0.0 && high >= 0.0) {
                return None;
            }
            continue;
        }
        let (a, b) = (low / direction[axis], high / direction[axis]);
        (first, last) = (first.max(a.min(b)), last.min(a.max(b)));
    }
    let at = |t: f64| [from[0] + direction[0] * t, from[1] + direction[1] * t];
    // An end that is infinite or NaN is not inside.
    let is_inside = |point: &[f64; 2]| (0..2).all(|axis| (-1.0..=size[axis] + 1.0).contains(&point[axis]));
    let ends = [at(first), at(last)];
    (first <= last && ends.iter().all(is_inside)).then_some(ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: Color = Color::rgb(255, 0, 0);

    /// The pixels that were drawn.
    fn drawn(draw: impl Fn(&mut Canvas)) -> Vec<[usize; 2]> {
        let mut canvas = Canvas::new(10, 8);
        draw(&mut canvas);
        let painted = canvas.pixels().iter().enumerate().filter(|(_, pixel)| **pixel != Color::default());
        painted.map(|(at, _)| [at % 10, at / 10]).collect()
    }

    #[test]
    fn boxes_are_clipped_to_the_canvas() {
        assert_eq!(drawn(|canvas| canvas.fill([2.0, 3.0, 4.0, 4.0], RED)), [[2, 3], [3, 3]]);
        assert_eq!(drawn(|canvas| canvas.fill([-5.0, -5.0, 1.0, 1.0], RED)), [[0, 0]]);
        assert_eq!(drawn(|canvas| canvas.fill([9.0, 7.0, 50.0, 50.0], RED)), [[9, 7]]);
        assert_eq!(drawn(|canvas| canvas.fill([f64::NEG_INFINITY, -1e300, f64::INFINITY, 1e300], RED)).len(), 80);
        for outside in [[-5.0, 0.0, -1.0, 8.0], [10.0, 0.0, 12.0, 8.0], [0.0, -9.0, 10.0, -2.0], [f64::NAN; 4]] {
            assert_eq!(drawn(|canvas| canvas.fill(outside, RED)), [] as [[usize; 2]; 0], "{outside:?}");
        }
    }

    #[test]
    fn small_boxes_are_one_pixel() {
        assert_eq!(drawn(|canvas| canvas.fill([4.1, 4.1, 4.2, 4.2], RED)), [[4, 4]]);
        assert_eq!(drawn(|canvas| canvas.blend([4.1, 4.1, 4.2, 4.2], RED, 200)), [[4, 4]]);
        assert_eq!(drawn(|canvas| canvas.outline([4.0, 4.0, 4.0, 4.0], RED)), [[4, 4]]);
    }

    #[test]
    fn outlines_are_inside_their_boxes() {
        let edges = drawn(|canvas| canvas.outline([2.0, 2.0, 5.0, 5.0], RED));
        assert_eq!(edges, [[2, 2], [3, 2], [4, 2], [2, 3], [4, 3], [2, 4], [3, 4], [4, 4]]);
        // Edges outside are not moved to the border.
        assert_eq!(drawn(|canvas| canvas.outline([-9.0, -9.0, 90.0, 90.0], RED)).len(), 0);
    }

    #[test]
    fn lines_are_clipped_to_the_canvas() {
        let row = drawn(|canvas| canvas.line([-1e9, 3.5], [1e9, 3.5], RED));
        assert_eq!(row, (0..10).map(|x| [x, 3]).collect::<Vec<_>>());
        let diagonal = drawn(|canvas| canvas.line([-2.0, -2.0], [5.5, 5.5], RED));
        assert_eq!(diagonal, (0..6).map(|k| [k, k]).collect::<Vec<_>>());
        assert_eq!(drawn(|canvas| canvas.line([-5.0, 4.0], [4.0, -5.0], RED)).len(), 0, "passes the corner");
        for end in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(drawn(|canvas| canvas.line([4.0, 4.0], [end, 4.0], RED)).len() <= 10);
        }
        assert_eq!(drawn(|canvas| canvas.line([4.0, 4.0], [4.0, 4.0], RED)), [[4, 4]]);
    }

    #[test]
    fn circles_of_any_size_are_drawn() {
        assert_eq!(drawn(|canvas| canvas.circle([4.5, 4.5], 0.0, RED)), [[4, 4]]);
        assert!(drawn(|canvas| canvas.circle([4.5, 4.5], 3.0, RED)).len() > 12);
        assert_eq!(drawn(|canvas| canvas.circle([4.5, 4.5], 1e12, RED)).len(), 0);
        drawn(|canvas| canvas.circle([4.5, 4.5], f64::NAN, RED));
    }

    #[test]
    fn sizes_are_limited() {
        let canvas = Canvas::new(0, usize::MAX);
        assert_eq!((canvas.width(), canvas.height()), (1, SIDE_MAX));
        assert_eq!(canvas.pixels().len(), SIDE_MAX);
    }
}
