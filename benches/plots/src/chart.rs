//! Charts of lines and of bars, as SVG.

use crate::svg::{self, FAINT, INK};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::error::Error;

const WIDTH: u32 = 760;
const HEIGHT: u32 = 400;
/// Right of the lines: their names.
const NAMES_WIDTH: u32 = 190;
const BAR_HEIGHT: i32 = 18;
const TEXT_HEIGHT: i32 = 15;

/// triphase, and a color for each engine that is raced often, the same in every plot. All are
/// readable on white and on black.
const OURS: u32 = 0x2F81F7;
const NAMED: [(&str, u32); 8] = [
    ("afternoon_grid", 0x8957E5),
    ("box_pruning", 0xD4569C),
    ("box2d", 0xBF8700),
    ("broccoli", 0x2DA44E),
    ("hshg", 0x1B9E9E),
    ("parry2d", 0xDB6D28),
    ("parry2d_rebuilt", 0xE5534B),
    ("rstar", 0x9A6B4F),
];
const OTHERS: u32 = 0x768390;

/// A named line, and its points.
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
}

/// Lines over two logarithmic axes.
pub(crate) struct LineChart {
    pub(crate) title: String,
    /// Scene, processor and date.
    pub(crate) caption: String,
    pub(crate) x: &'static str,
    pub(crate) y: &'static str,
    pub(crate) lines: Vec<Line>,
}

/// A group of bars, each with its name and value.
pub(crate) struct BarGroup {
    pub(crate) name: String,
    pub(crate) bars: Vec<(String, f64)>,
}

/// Groups of horizontal bars.
pub(crate) struct BarChart {
    pub(crate) title: String,
    pub(crate) caption: String,
    pub(crate) unit: &'static str,
    pub(crate) groups: Vec<BarGroup>,
}

fn color(hex: u32) -> RGBColor {
    RGBColor((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
}

fn text(size: i32, hex: u32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&color(hex))
}

fn color_of(name: &str) -> u32 {
    let named = NAMED.iter().find(|named| named.0 == name).map_or(OTHERS, |named| named.1);
    if name.starts_with("triphase") { OURS } else { named }
}

/// 1,000,000 as 1M; small numbers with the digits that they need.
pub(crate) fn short(value: f64) -> String {
    match value {
        v if v >= 1e6 => format!("{}M", rounded(v / 1e6)),
        v if v >= 1e4 => format!("{}k", rounded(v / 1e3)),
        v => rounded(v),
    }
}

/// Three significant digits.
fn rounded(value: f64) -> String {
    let digits = (2 - value.abs().max(1e-9).log10().floor() as i32).clamp(0, 6) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// The range of some values, with room at both ends.
fn range(values: impl Iterator<Item = f64>, room: f64) -> (f64, f64) {
    let (low, high) = values.fold((f64::INFINITY, 0.0f64), |(low, high), v| (low.min(v), high.max(v)));
    (low / room, high * room)
}

/// Whether the first digit is 1, 2 or 5; there is no room for more labels.
fn is_round(value: f64) -> bool {
    (round_below(value * 1.001) / value - 1.0).abs() < 0.01
}

/// The largest of 1, 2, 5, 10, 20 and so on that is not above `value`: a place for the first label.
fn round_below(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    [5.0, 2.0, 1.0].map(|digit| digit * power).into_iter().find(|&round| round <= value).unwrap_or(power)
}

impl LineChart {
    /// Draws the chart, or returns `None` without a point.
    ///
    /// # Errors
    ///
    /// If the drawing library fails.
    pub(crate) fn svg(&self) -> Result<Option<String>, Box<dyn Error>> {
        let points = || self.lines.iter().flat_map(|line| line.points.iter().copied());
        if points().next().is_none() {
            return Ok(None);
        }
        let (x_min, x_max) = range(points().map(|point| point.0), 1.05);
        let (y_min, y_max) = range(points().map(|point| point.1), 1.2);
        let y_min = round_below(y_min);
        let mut drawing = String::new();
        {
            let root = SVGBackend::with_string(&mut drawing, (WIDTH, HEIGHT)).into_drawing_area();
            heading(&root, &self.title, &self.caption)?;
            let (plot, names) = root.margin(56, 4, 4, 4).split_horizontally(WIDTH - NAMES_WIDTH);
            let mut chart = ChartBuilder::on(&plot)
                .x_label_area_size(42)
                .y_label_area_size(64)
                .build_cartesian_2d((x_min..x_max).log_scale(), (y_min..y_max).log_scale())?;
            chart
                .configure_mesh()
                .light_line_style(TRANSPARENT)
                .bold_line_style(color(FAINT))
                .axis_style(color(INK))
                .label_style(text(13, INK))
                .axis_desc_style(text(13, INK))
                .y_labels(12)
                .x_desc(self.x)
                .y_desc(self.y)
                .x_label_formatter(&|value| short(*value))
                .y_label_formatter(&|value| if is_round(*value) { short(*value) } else { String::new() })
                .draw()?;
            let mut ends = Vec::new();
            for line in &self.lines {
                let hex = color_of(&line.name);
                let width = if line.name.starts_with("triphase") { 3 } else { 2 };
                chart.draw_series(LineSeries::new(line.points.iter().copied(), color(hex).stroke_width(width)))?;
                let dots = line.points.iter().map(|&point| Circle::new(point, width + 1, color(hex).filled()));
                chart.draw_series(dots)?;
                if let Some(last) = line.points.last() {
                    ends.push((chart.backend_coord(last).1, line.name.as_str(), hex));
                }
            }
            draw_names(&names, ends)?;
            root.present()?;
        }
        Ok(Some(svg::with_dark_style(&drawing)))
    }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

fn heading(root: &Area<'_>, title: &str, caption: &str) -> Result<(), Box<dyn Error>> {
    root.draw(&Text::new(title.to_owned(), (8, 6), text(18, INK)))?;
    root.draw(&Text::new(caption.to_owned(), (8, 30), text(13, OTHERS)))?;
    Ok(())
}

/// Writes the names of lines beside their ends, apart from each other.
fn draw_names(names: &Area<'_>, mut ends: Vec<(i32, &str, u32)>) -> Result<(), Box<dyn Error>> {
    ends.sort_unstable();
    let top = names.get_base_pixel().1;
    let bottom = names.dim_in_pixel().1 as i32 - TEXT_HEIGHT;
    let mut heights: Vec<i32> = ends.iter().map(|end| end.0 - top).collect();
    for k in 1..heights.len() {
        heights[k] = heights[k].max(heights[k - 1] + TEXT_HEIGHT);
    }
    // What was pushed out at the bottom is pushed up again.
    for (k, height) in heights.iter_mut().rev().enumerate() {
        *height = (*height).min(bottom - k as i32 * TEXT_HEIGHT);
    }
    for ((_, name, hex), height) in ends.into_iter().zip(heights) {
        let style = text(13, hex).pos(Pos::new(HPos::Left, VPos::Center));
        names.draw(&Text::new(name.to_owned(), (8, height), style))?;
    }
    Ok(())
}

impl BarChart {
    /// Draws the chart, or returns `None` without a bar.
    ///
    /// # Errors
    ///
    /// If the drawing library fails.
    pub(crate) fn svg(&self) -> Result<Option<String>, Box<dyn Error>> {
        const NAMES: i32 = 190;
        let bars = || self.groups.iter().flat_map(|group| &group.bars);
        let most = bars().map(|bar| bar.1).fold(0.0, f64::max);
        if most <= 0.0 {
            return Ok(None);
        }
        let headings = self.groups.iter().filter(|group| !group.name.is_empty()).count() as i32;
        let rows = bars().count() as i32 + 2 * headings;
        let mut drawing = String::new();
        {
            let size = (WIDTH, (64 + rows * BAR_HEIGHT) as u32);
            let root = SVGBackend::with_string(&mut drawing, size).into_drawing_area();
            heading(&root, &self.title, &self.caption)?;
            let mut top = 58;
            for group in &self.groups {
                if !group.name.is_empty() {
                    root.draw(&Text::new(group.name.clone(), (8, top + BAR_HEIGHT - 6), text(14, INK)))?;
                    top += 2 * BAR_HEIGHT;
                }
                for (name, value) in &group.bars {
                    let hex = color_of(name);
                    let right = NAMES + (value / most * f64::from(WIDTH as i32 - NAMES - 110)) as i32;
                    let middle = top + BAR_HEIGHT / 2;
                    let style = text(13, INK).pos(Pos::new(HPos::Right, VPos::Center));
                    root.draw(&Text::new(name.clone(), (NAMES - 8, middle), style))?;
                    let corners = [(NAMES, top + 3), (right.max(NAMES + 1), top + BAR_HEIGHT - 3)];
                    root.draw(&Rectangle::new(corners, color(hex).filled()))?;
                    let style = text(13, INK).pos(Pos::new(HPos::Left, VPos::Center));
                    root.draw(&Text::new(format!("{} {}", rounded(*value), self.unit), (right + 6, middle), style))?;
                    top += BAR_HEIGHT;
                }
            }
            root.present()?;
        }
        Ok(Some(svg::with_dark_style(&drawing)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let texts = [1e6, 2.5e6, 20_000.0, 2_000.0, 15.24, 0.1, 0.05, 123.456].map(short);
        assert_eq!(texts, ["1M", "2.5M", "20k", "2000", "15.2", "0.1", "0.05", "123"]);
    }

    #[test]
    fn axes_begin_at_round_numbers() {
        assert_eq!([12.4, 20.0, 99.0, 0.6, 1.0].map(round_below), [10.0, 20.0, 50.0, 0.5, 1.0]);
    }

    #[test]
    fn a_chart_without_points_is_not_drawn() -> Result<(), Box<dyn Error>> {
        let chart = LineChart { title: String::new(), caption: String::new(), x: "x", y: "y", lines: Vec::new() };
        assert_eq!(chart.svg()?, None);
        Ok(())
    }
}
