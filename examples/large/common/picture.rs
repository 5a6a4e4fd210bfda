//! Draws a part of the world, and a legend.

use super::Failure;
use super::check::Box4;
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};
use std::path::Path;
use tiny_skia::{Color, FillRule, Paint, PathBuilder, Pixmap, Rect, Stroke, Transform};
use triphase::Aabb;

/// Width of a picture in pixels.
pub(crate) const WIDTH: u32 = 1600;
/// Height of a picture in pixels.
pub(crate) const HEIGHT: u32 = 1000;
/// Pixels from line to line of the legend.
const LINE: u32 = 28;
/// Height of letters, and side of a square of the legend.
const LETTER: RasterHeight = RasterHeight::Size20;
const SQUARE: u32 = 16;
/// Pixels around the legend, and within it around the text.
const PADDING: u32 = 18;

/// Red, green, blue, opacity.
pub(crate) type Rgba = [u8; 4];

pub(crate) const BACKGROUND: Rgba = [0x0e, 0x11, 0x18, 0xff];
const PANEL: Rgba = [0x0e, 0x11, 0x18, 0xe6];
const PANEL_EDGE: Rgba = [0x3a, 0x44, 0x58, 0xff];
const TEXT: Rgba = [0xe4, 0xe8, 0xf0, 0xff];

/// The part of the world to draw: its center, and pixels a unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub(crate) middle: [f64; 2],
    pub(crate) scale: f64,
    /// Whether y grows downward, as in maps, or upward.
    pub(crate) y_down: bool,
}

impl View {
    /// The visible part of the world.
    pub(crate) fn area(&self) -> Result<Aabb, Failure> {
        let [x, y] = self.middle;
        let (half_x, half_y) = (f64::from(WIDTH) / 2.0 / self.scale, f64::from(HEIGHT) / 2.0 / self.scale);
        let edge = |value: f64| value.clamp(f64::from(f32::MIN), f64::from(f32::MAX)) as f32;
        Ok(Aabb::new([edge(x - half_x), edge(y - half_y)], [edge(x + half_x), edge(y + half_y)])?)
    }

    /// A box in pixels, clamped to just outside the picture; `None` if it is not visible.
    fn to_pixels(self, aabb: Box4) -> Option<Rect> {
        let (width, height) = (f64::from(WIDTH), f64::from(HEIGHT));
        let [min_x, min_y, max_x, max_y] = aabb.map(f64::from);
        let x = |value: f64| ((value - self.middle[0]) * self.scale + width / 2.0).clamp(-8.0, width + 8.0) as f32;
        let y = |value: f64| {
            let up = (value - self.middle[1]) * self.scale;
            (height / 2.0 + if self.y_down { up } else { -up }).clamp(-8.0, height + 8.0) as f32
        };
        let (top, bottom) = if self.y_down { (y(min_y), y(max_y)) } else { (y(max_y), y(min_y)) };
        Rect::from_ltrb(x(min_x), top, x(max_x), bottom).filter(|rect| rect.width() > 0.0 && rect.height() > 0.0)
    }
}

/// A picture of a view.
pub(crate) struct Picture {
    pixels: Pixmap,
    view: View,
}

impl Picture {
    pub(crate) fn new(view: View) -> Result<Self, Failure> {
        let mut pixels = Pixmap::new(WIDTH, HEIGHT).ok_or("not enough memory for the picture")?;
        pixels.fill(color(BACKGROUND));
        Ok(Self { pixels, view })
    }

    /// Fills a box.
    pub(crate) fn fill(&mut self, aabb: Box4, fill: Rgba) {
        if let Some(rect) = self.view.to_pixels(aabb) {
            self.pixels.fill_rect(rect, &paint(fill), Transform::identity(), None);
        }
    }

    /// Outlines a box, inside its edges.
    pub(crate) fn outline(&mut self, aabb: Box4, line: Rgba, width: f32) {
        let inset = width / 2.0;
        if let Some(rect) = self.view.to_pixels(aabb).and_then(|rect| rect.inset(inset, inset)) {
            self.stroke(rect, line, width);
        }
    }

    /// Fills a circle.
    pub(crate) fn circle(&mut self, center: [f32; 2], radius: f32, fill: Rgba) {
        let [x, y] = center;
        if let Some(rect) = self.view.to_pixels([x - radius, y - radius, x + radius, y + radius]) {
            let (x, y) = (0.5 * (rect.left() + rect.right()), 0.5 * (rect.top() + rect.bottom()));
            if let Some(path) = PathBuilder::from_circle(x, y, 0.5 * rect.width().min(rect.height())) {
                self.pixels.fill_path(&path, &paint(fill), FillRule::Winding, Transform::identity(), None);
            }
        }
    }

    fn stroke(&mut self, rect: Rect, line: Rgba, width: f32) {
        let path = PathBuilder::from_rect(rect);
        let stroke = Stroke { width, ..Stroke::default() };
        self.pixels.stroke_path(&path, &paint(line), &stroke, Transform::identity(), None);
    }

    /// Draws a legend in the lower left corner: a title, and lines of a color and a text.
    pub(crate) fn legend(&mut self, title: &str, lines: &[(Rgba, String)]) {
        let longest = lines.iter().map(|(_, text)| text_width(text) + LINE).chain([text_width(title)]).max();
        let width = longest.unwrap_or(0) + 2 * PADDING;
        let height = LINE * (lines.len() as u32 + 1) + 2 * PADDING;
        let (left, top) = (PADDING, HEIGHT - PADDING - height);
        self.block(left, top, width, height, PANEL);
        if let Some(rect) = rect(left, top, width, height) {
            self.stroke(rect, PANEL_EDGE, 1.0);
        }
        self.text(left + PADDING, top + PADDING, title);
        for (k, (fill, text)) in (1..).zip(lines) {
            let y = top + PADDING + LINE * k;
            // Lines without a color continue the title.
            let indent = if fill[3] == 0 { 0 } else { LINE };
            self.block(left + PADDING, y + 3, SQUARE, SQUARE, *fill);
            self.text(left + PADDING + indent, y, text);
        }
    }

    /// Writes a text at these pixels. Letters that the font lacks are blanks.
    fn text(&mut self, left: u32, top: u32, text: &str) {
        let mut right = left;
        for letter in text.chars() {
            let raster = get_raster(letter, FontWeight::Regular, LETTER);
            for (y, row) in (top..).zip(raster.iter().flat_map(|raster| raster.rows())) {
                for (x, &ink) in (right..).zip(row) {
                    let [red, green, blue, _] = TEXT;
                    self.block(x, y, 1, 1, [red, green, blue, ink]);
                }
            }
            right += letter_width();
        }
    }

    /// Fills a box given in pixels.
    pub(crate) fn block(&mut self, left: u32, top: u32, width: u32, height: u32, fill: Rgba) {
        if let Some(rect) = rect(left, top, width, height) {
            self.pixels.fill_rect(rect, &paint(fill), Transform::identity(), None);
        }
    }

    /// Writes a PNG file, creating its folder.
    pub(crate) fn save(&self, path: &Path) -> Result<(), Failure> {
        let failure = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        if let Some(directory) = path.parent() {
            std::fs::create_dir_all(directory).map_err(|error| failure(&error))?;
        }
        self.pixels.save_png(path).map_err(|error| failure(&error))?;
        Ok(())
    }
}

/// The intersection of two boxes.
pub(crate) fn intersection(a: Box4, b: Box4) -> Box4 {
    [a[0].max(b[0]), a[1].max(b[1]), a[2].min(b[2]), a[3].min(b[3])]
}

/// Formats 1234567 as "1,234,567".
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn text_width(text: &str) -> u32 {
    text.chars().count() as u32 * letter_width()
}

fn letter_width() -> u32 {
    get_raster_width(FontWeight::Regular, LETTER) as u32
}

fn rect(left: u32, top: u32, width: u32, height: u32) -> Option<Rect> {
    Rect::from_xywh(left as f32, top as f32, width as f32, height as f32)
}

fn color([red, green, blue, opacity]: Rgba) -> Color {
    Color::from_rgba8(red, green, blue, opacity)
}

fn paint(fill: Rgba) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color(color(fill));
    paint.anti_alias = true;
    paint
}
