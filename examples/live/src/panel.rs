//! Text about the world and its settings, with the keys that change them.

use crate::canvas::Canvas;
use crate::color::{COMMON, Color, DIM, OVERSIZED, PANEL, STATIC, TEXT, WARNING};
use crate::layers::structure::{PartCounts, thread_color};
use crate::overlay::{Overlay, Overlays};
use crate::probe::ProbeKind;
use crate::simulation::Simulation;
use crate::text;
use triphase::GridReport;

/// Where the text begins, and the columns of names and values, in characters.
const LEFT: f64 = 8.0;
const NAME: f64 = 6.0;
const VALUE: f64 = 16.0;
/// Width of the panel, in characters and in pixels.
const COLUMNS: f64 = 43.0;
pub(crate) const WIDTH: f64 = LEFT * 2.0 + COLUMNS * text::WIDTH;
/// The side of a square in the color of a tier.
const SWATCH: f64 = 10.0;

/// What the panel shows, besides the simulation.
pub(crate) struct PanelState<'a> {
    pub(crate) overlays: Overlays,
    pub(crate) probe: ProbeKind,
    pub(crate) parts: &'a PartCounts,
    pub(crate) events: [usize; 2],
    pub(crate) is_paused: bool,
    pub(crate) frames_per_second: f64,
    pub(crate) mean_step: f64,
}

/// Writes lines of text below each other.
struct Writer<'a> {
    canvas: &'a mut Canvas,
    y: f64,
}

impl Writer<'_> {
    /// A key, a name and a value; the name in a color.
    fn row(&mut self, key: &str, name: &str, value: &str, color: Color) {
        self.canvas.text([LEFT, self.y], key, DIM);
        self.canvas.text([LEFT + NAME * text::WIDTH, self.y], name, color);
        self.canvas.text([LEFT + VALUE * text::WIDTH, self.y], value, color);
        self.y += text::LINE;
    }

    /// A square in a color, a name and a value.
    fn swatch(&mut self, color: Color, name: &str, value: &str) {
        let (x, y) = (LEFT + (NAME - 2.0) * text::WIDTH, self.y + 3.0);
        self.canvas.fill([x, y, x + SWATCH, y + SWATCH], color);
        self.row("", name, value, TEXT);
    }

    fn gap(&mut self) {
        self.y += 0.5 * text::LINE;
    }
}

/// Draws the panel along the left edge.
pub(crate) fn draw(canvas: &mut Canvas, simulation: &Simulation, state: &PanelState<'_>) {
    canvas.blend([0.0, 0.0, WIDTH, text::LINE * line_count(simulation, state)], PANEL, 215);
    let mut writer = Writer { canvas, y: 6.0 };
    let rate = format!("{:.2} ms a step, {:.0} frames/s", state.mean_step, state.frames_per_second);
    writer.row("", &rate, "", TEXT);
    writer.gap();
    write_settings(&mut writer, simulation);
    writer.gap();
    write_tiers(&mut writer, simulation);
    writer.gap();
    write_overlays(&mut writer, state);
    writer.gap();
    write_keys(&mut writer, state);
}

/// The number of lines of the panel.
fn line_count(simulation: &Simulation, state: &PanelState<'_>) -> f64 {
    let grids = simulation.report().grids.iter().filter(|grid| grid.body_count > 0).count();
    let heat = usize::from(state.overlays.has(Overlay::Cells));
    let threads = if state.overlays.has(Overlay::Bands) { state.parts.threads.len() } else { 0 };
    let always = 1 + 6 + 3 + Overlay::ALL.len() + 3;
    // Four gaps of half a line, and as much above and below.
    (always + grids + heat + threads) as f64 + 3.0
}

/// Draws a line of advice about the settings, if the world has any, above `bottom`.
pub(crate) fn draw_advice(canvas: &mut Canvas, advice: &str, bottom: f64) {
    let (columns, mut lines) = (((canvas.width() as f64 - 16.0) / text::WIDTH).max(8.0) as usize, vec![String::new()]);
    for word in advice.split_whitespace() {
        let last = lines.len() - 1;
        if !lines[last].is_empty() && lines[last].len() + 1 + word.len() > columns {
            lines.push(word.to_owned());
        } else {
            let space = if lines[last].is_empty() { "" } else { " " };
            lines[last] += &format!("{space}{word}");
        }
    }
    let top = bottom - text::LINE * lines.len() as f64 - 6.0;
    canvas.blend([0.0, top, canvas.width() as f64, bottom], PANEL, 225);
    for (k, line) in lines.iter().enumerate() {
        canvas.text([8.0, top + 2.0 + text::LINE * k as f64], line, WARNING);
    }
}

/// Draws the answer of a query next to the pointer, inside of the canvas.
pub(crate) fn draw_answer(canvas: &mut Canvas, [x, y]: [f64; 2], answer: &str) {
    let width = text::width(answer) + 8.0;
    let x = (x + 14.0).min(canvas.width() as f64 - width).max(0.0);
    let y = (y + 14.0).min(canvas.height() as f64 - text::LINE - 4.0).max(0.0);
    canvas.blend([x, y, x + width, y + text::LINE + 2.0], PANEL, 235);
    canvas.text([x + 4.0, y + 1.0], answer, TEXT);
}

fn write_settings(writer: &mut Writer<'_>, simulation: &Simulation) {
    let settings = simulation.settings();
    let grids: Vec<String> = simulation.report().grids.iter().map(largest).collect();
    let is_played = simulation.played().is_some();
    let bound = match settings.bound {
        _ if is_played => format!("recorded: {}", grids.join(", ")),
        0.0 => format!("derived: {}", grids.join(", ")),
        bound => short(bound),
    };
    let step = if settings.told { "told what moved" } else { "reads all rows" };
    // The keys that mean nothing to a recording are not shown.
    let key = |keys| if is_played { "" } else { keys };
    let recorded = |text: &str| if is_played { "as recorded".to_owned() } else { text.to_owned() };
    writer.row(key("s S"), "scene", &recorded(settings.scene.name()), TEXT);
    writer.row(key("+ -"), "bodies", &grouped(simulation.world().contacts().body_count()), TEXT);
    writer.row(key("b B"), "bound", &truncated(&bound), TEXT);
    writer.row("t T", "threads", &format!("{} of {}", settings.threads, Simulation::threads_max()), TEXT);
    writer.row(key("m M"), "moving", &recorded(&format!("{} %", settings.moving)), TEXT);
    writer.row(key("c"), "step", &recorded(step), TEXT);
}

/// The largest half-extents that a grid takes.
fn largest(grid: &GridReport) -> String {
    let [x, y] = grid.half_extents_max;
    if x == y { short(x) } else { format!("{} x {}", short(x), short(y)) }
}

fn write_tiers(writer: &mut Writer<'_>, simulation: &Simulation) {
    let report = simulation.report();
    for (grid, color) in report.grids.iter().zip(COMMON.iter().cycle()).filter(|(grid, _)| grid.body_count > 0) {
        let value = format!("{} up to {}", grouped(grid.body_count), largest(grid));
        writer.swatch(*color, "common", &value);
    }
    writer.swatch(OVERSIZED, "oversized", &grouped(report.oversized_count));
    writer.swatch(STATIC, "static", &grouped(report.static_count));
    let pairs = format!("{} + {} static", grouped(report.body_pair_count), grouped(report.static_pair_count));
    writer.row("", "pairs", &pairs, TEXT);
}

fn write_overlays(writer: &mut Writer<'_>, state: &PanelState<'_>) {
    let (parts, [began, ended]) = (state.parts, state.events);
    for &overlay in Overlay::ALL {
        let is_on = state.overlays.has(overlay);
        let value = match overlay {
            Overlay::Cells => format!("{} with bodies", grouped(parts.cells)),
            Overlay::Bands => grouped(parts.bands),
            Overlay::Ghosts => grouped(parts.ghosts),
            Overlay::Loose => grouped(parts.loose),
            Overlay::Tight => grouped(parts.tight),
            Overlay::Tree => format!("{} leaves", grouped(parts.leaves)),
            Overlay::Events if is_on => format!("{} began, {} ended", grouped(began), grouped(ended)),
            Overlay::Contacts | Overlay::Events => String::new(),
        };
        let key = format!("{}{}", overlay.key(), if is_on { " on" } else { "" });
        writer.row(&key, overlay.name(), &value, if is_on { TEXT } else { DIM });
        if overlay == Overlay::Cells && is_on {
            write_heat(writer);
        }
        if overlay == Overlay::Bands && is_on {
            write_threads(writer, parts);
        }
    }
}

/// The scale of the heat map.
fn write_heat(writer: &mut Writer<'_>) {
    let (x, y) = (LEFT + VALUE * text::WIDTH, writer.y);
    let after = writer.canvas.text([x, y], "1 ", DIM);
    for k in 0..96 {
        let at = after + f64::from(k);
        writer.canvas.fill([at, y + 4.0, at + 1.0, y + 14.0], Color::heat(k as f32 / 95.0));
    }
    writer.canvas.text([after + 96.0, y], " 32 bodies", DIM);
    writer.y += text::LINE;
}

/// How the bands were distributed.
fn write_threads(writer: &mut Writer<'_>, parts: &PartCounts) {
    let all = parts.threads.iter().map(|[_, bodies]| bodies).sum::<usize>().max(1);
    for (thread, [bands, bodies]) in parts.threads.iter().enumerate() {
        let value = format!("{bands} bands, {} % of bodies", 100 * bodies / all);
        writer.swatch(thread_color(thread), &format!("thread {thread}"), &value);
    }
}

fn write_keys(writer: &mut Writer<'_>, state: &PanelState<'_>) {
    let is_asking = state.probe != ProbeKind::Off;
    writer.row("q Q", "query", state.probe.name(), if is_asking { TEXT } else { DIM });
    let pause = if state.is_paused { "paused; . steps once" } else { "pause" };
    writer.row("space", pause, "", if state.is_paused { WARNING } else { DIM });
    writer.row("f", "fit   h hide   g chart   [ ] size", "", DIM);
}

/// A number with a comma before each three digits.
fn grouped(number: usize) -> String {
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

/// A number with three digits.
fn short(number: f32) -> String {
    match number {
        0.001..1.0 => format!("{number:.3}"),
        1.0..10_000.0 => format!("{number:.1}"),
        0.0 => "0".to_owned(),
        _ => format!("{number:.0e}"),
    }
}

/// A text that is not longer than the column of values.
fn truncated(text: &str) -> String {
    text.chars().take((COLUMNS - VALUE) as usize).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_easy_to_read() {
        let texts = [0, 12, 999, 1000, 123_456, 1_000_000].map(grouped);
        assert_eq!(texts, ["0", "12", "999", "1,000", "123,456", "1,000,000"]);
        assert_eq!([0.0, 0.05, 0.5, 25.0, 1e6].map(short), ["0", "0.050", "0.500", "25.0", "1e6"]);
    }

    #[test]
    fn texts_stay_on_the_canvas() {
        for side in [1, 50, 400] {
            let mut canvas = Canvas::new(side, side);
            draw_advice(&mut canvas, "a rather long piece of advice that takes several lines", side as f64);
            draw_answer(&mut canvas, [1e9, -1e9], "an answer");
            draw_advice(&mut canvas, "", 0.0);
        }
    }
}
