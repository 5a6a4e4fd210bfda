//! Text in Noto Sans Mono, in one size.

use crate::canvas::Canvas;
use crate::color::Color;
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};

/// Pixels between the tops of two lines.
pub(crate) const LINE: f64 = 17.0;

/// Pixels of a character.
pub(crate) const WIDTH: f64 = get_raster_width(FontWeight::Regular, RasterHeight::Size16) as f64;

/// The width of a text in pixels.
pub(crate) fn width(text: &str) -> f64 {
    text.chars().count() as f64 * WIDTH
}

impl Canvas {
    /// Draws a line of text, the first character's upper left corner at `at`. Returns where the
    /// next character would begin.
    ///
    /// Characters that are not ASCII become question marks.
    pub(crate) fn text(&mut self, at: [f64; 2], text: &str, color: Color) -> f64 {
        let [mut x, y] = at;
        for character in text.chars() {
            let raster = |character| get_raster(character, FontWeight::Regular, RasterHeight::Size16);
            let Some(raster) = raster(character).or_else(|| raster('?')) else { continue };
            for (row, intensities) in (y as i64..).zip(raster.rows()) {
                for (column, &intensity) in (x as i64..).zip(intensities) {
                    if intensity > 0 {
                        self.blend_pixel(column, row, color, intensity);
                    }
                }
            }
            x += WIDTH;
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::WHITE;

    #[test]
    fn text_is_clipped_and_has_the_width_that_it_says() {
        let mut canvas = Canvas::new(40, 20);
        assert_eq!(canvas.text([1.0, 1.0], "ab\u{e9}", WHITE), 1.0 + width("ab\u{e9}"));
        assert!(canvas.pixels().iter().any(|pixel| *pixel != Color::default()));
        for far in [-1e9, 1e9, f64::NAN] {
            canvas.text([far, far], "outside", WHITE);
        }
    }
}
