//! Draws how the three tiers file a scene, an explained figure for each, from the library's own
//! view of its structures.
//!
//! ```text
//! cargo run --release --example anatomy
//! cargo run --release --example anatomy -- --scene power_law --bodies 2000 --out figures
//! ```
//!
//! The figures are `target/triphase/tier1.svg` to `tier3.svg`. Viewers that prefer dark pages get
//! light text.

use clap::Parser;
use serde_json::json;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use svg::node::element::{Circle, ClipPath, Definitions, Group, Rectangle, Style, Text};
use svg::{Document, Node as _};
use triphase::tier::DebugShape;
use triphase::{Bodies, World};
use triphase_scenes::{Scene, SceneName};

type Failure = Box<dyn std::error::Error>;
/// `[min_x, min_y, max_x, max_y]`.
type Box4 = [f32; 4];

/// Side of the square that shows the world, and width of the column of text beside it, in pixels.
const SIDE: f64 = 640.0;
const COLUMN: f64 = 300.0;
const MARGIN: f64 = 12.0;
/// Pixels from line to line, and letters in a line.
const LINE: f64 = 20.0;
const LETTERS: usize = 40;
/// Bodies, or statics, that a figure shows if there are more.
const SHOWN: f64 = 150.0;
const OVERSIZED_SHOWN: f64 = 12.0;

/// Readable on white and on black, but for `TEXT`, which dark pages replace.
const TEXT: &str = "#1f2328";
const GRID: &str = "#768390";
const COMMON: &str = "#2f81f7";
const CHOSEN: &str = "#e5534b";
const OVERSIZED: &str = "#d4569c";
const STATIC: &str = "#bf8700";
const BANDS: [&str; 2] = ["#2f81f7", "#2da44e"];

/// Draws how the three tiers file a scene: one SVG for each tier
#[derive(Parser, Debug)]
struct Arguments {
    /// Name of the scene; an unknown name prints a list of all scenes
    #[arg(long, value_name = "NAME", default_value = "castles")]
    scene: SceneName,
    /// Number of bodies
    #[arg(long, value_name = "COUNT", default_value_t = 40_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    bodies: u32,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Folder for the figures
    #[arg(long, value_name = "FOLDER", default_value = "target/triphase")]
    out: PathBuf,
    /// Print one line of JSON: the files, and what each shows
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    let scene = Scene::new(arguments.scene, arguments.bodies as usize, arguments.seed);
    let mut world = World::default();
    world.set_statics(&scene.statics)?;
    world.step(Bodies::new(&scene.centers, &scene.half_extents))?;
    let mut shapes = Vec::new();
    world.visit_debug_shapes(|shape| shapes.push(shape));
    // A body of the bound may be a little larger, as its box is rounded.
    let bound = world.report().grids.iter().flat_map(|grid| grid.half_extents_max).fold(0.0, f32::max);
    let anatomy = Anatomy { scene, world, shapes, side_max: 2.0 * bound };
    fs::create_dir_all(&arguments.out).map_err(|error| format!("{}: {error}", arguments.out.display()))?;
    let mut written = Vec::new();
    for (name, figure) in [("tier1", anatomy.tier1()?), ("tier2", anatomy.tier2()?), ("tier3", anatomy.tier3()?)] {
        let path = arguments.out.join(format!("{name}.svg"));
        written.push(json!({ "file": path.display().to_string(), "title": figure.title, "shows": figure.shows }));
        svg::save(&path, &figure.finish()).map_err(|error| format!("{}: {error}", path.display()))?;
        if !arguments.json {
            println!("{}", path.display());
        }
    }
    if arguments.json {
        let line = json!({
            "example": "anatomy",
            "scene": arguments.scene.as_str(),
            "bodies": arguments.bodies,
            "seed": arguments.seed,
            "figures": written,
        });
        println!("{line}");
    }
    Ok(())
}

/// A stepped scene, and the parts of the structures that hold it.
struct Anatomy {
    scene: Scene,
    world: World,
    shapes: Vec<DebugShape>,
    /// The longest side of a common body.
    side_max: f32,
}

impl Anatomy {
    /// The point grid.
    fn tier1(&self) -> Result<Figure, Failure> {
        let common: Vec<Box4> = self.bodies().filter(|aabb| !self.is_oversized(aabb)).collect();
        let view = View::around(self.border_near(middle(&common)), &common, SHOWN);
        let mut figure = Figure::new(view, "Tier 1: bodies of common size", self.crop(&view, common.len(), "bodies"));
        let cells: Vec<(Box4, usize)> = self.cells_by_band().filter(|(cell, _)| view.shows(cell)).collect();
        for (cell, band) in &cells {
            figure.fill(*cell, BANDS[band % 2], 0.10);
            figure.outline(*cell, GRID, 0.7);
        }
        let chosen = nearest(&common, view.middle);
        let corner = chosen.map(|aabb| [aabb[0], aabb[1]]);
        let own = corner.and_then(|[x, y]| cells.iter().find(|(cell, _)| contains(cell, [x, y])));
        if let Some((own, _)) = own {
            cells.iter().filter(|(cell, _)| touch(cell, own)).for_each(|(cell, _)| figure.fill(*cell, CHOSEN, 0.16));
        }
        for aabb in common.iter().filter(|aabb| view.shows(aabb)) {
            figure.outline(*aabb, COMMON, 1.2);
            figure.dot([aabb[0], aabb[1]], COMMON);
        }
        if let Some(aabb) = chosen {
            figure.outline(aabb, CHOSEN, 2.2);
            figure.dot([aabb[0], aabb[1]], CHOSEN);
        }
        figure.say("Each body is filed once, as a point: the dot, in the cell of its lower corner.");
        figure.key(COMMON, "a body, and the corner that files it");
        figure.key(GRID, "a cell with bodies");
        figure.say(
            "A cell is wider than the largest body. So the partners of the red body are filed in its own \
             cell or beside it.",
        );
        figure.key(CHOSEN, "a body, and where its partners are");
        figure.say(
            "Rows of cells form bands with about equal numbers of bodies. A thread sorts and searches one band at \
                    a time.",
        );
        figure.key(BANDS[0], "one band");
        figure.key(BANDS[1], "the next band");
        Ok(figure)
    }

    /// The loose/tight double grid.
    fn tier2(&self) -> Result<Figure, Failure> {
        let oversized: Vec<Box4> = self.bodies().filter(|aabb| self.is_oversized(aabb)).collect();
        let view = View::around(middle(&oversized), &oversized, OVERSIZED_SHOWN);
        let mut figure =
            Figure::new(view, "Tier 2: oversized bodies", self.crop(&view, oversized.len(), "oversized bodies"));
        for shape in &self.shapes {
            match *shape {
                DebugShape::TightCell { aabb, .. } => figure.outline(aabb, GRID, 1.0),
                DebugShape::LooseCell { aabb, .. } => figure.dashed(aabb, CHOSEN),
                _ => {}
            }
        }
        for aabb in oversized {
            figure.fill(aabb, OVERSIZED, 0.25);
            figure.outline(aabb, OVERSIZED, 2.0);
        }
        figure.say("Each oversized body is in exactly one loose cell, whose box grows to cover what it holds.");
        figure.key(OVERSIZED, "an oversized body");
        figure.key(CHOSEN, "the box of a loose cell (dashed)");
        figure.say("A coarser tight grid lists the loose cells that touch each of its cells, so a search finds them.");
        figure.key(GRID, "a tight cell");
        figure.say(
            "Common bodies, not shown, stay in the point grid: a large body is tested against the runs of \
             cells that it covers.",
        );
        Ok(figure)
    }

    /// The static quadtree.
    fn tier3(&self) -> Result<Figure, Failure> {
        let statics = &self.scene.statics;
        let view = View::around(middle(statics), statics, SHOWN);
        let mut figure = Figure::new(view, "Tier 3: statics", self.crop(&view, statics.len(), "statics"));
        for shape in &self.shapes {
            match *shape {
                DebugShape::Leaf { aabb, population: 1.., .. } => {
                    figure.fill(aabb, COMMON, 0.10);
                    figure.outline(aabb, GRID, 0.6);
                }
                DebugShape::Leaf { aabb, .. } => figure.outline(aabb, GRID, 0.6),
                DebugShape::Node { aabb, depth } => figure.outline(aabb, GRID, (4.0 - 0.5 * depth as f64).max(0.8)),
                _ => {}
            }
        }
        for aabb in statics {
            figure.fill(*aabb, STATIC, 0.2);
            figure.outline(*aabb, STATIC, 1.2);
        }
        figure.say("What never moves is in a quadtree that is built once.");
        figure.key(STATIC, "a static");
        figure.key(COMMON, "a leaf that lists statics");
        figure.key(GRID, "edges of nodes, thick near the root");
        figure.say(
            "A node takes 8 bytes and has no box: a search derives its cell on the way down. Four children are \
                    contiguous, and leaves index one contiguous array.",
        );
        figure.say("The tree is searched once for a block of neighboring bodies, not for each of them.");
        Ok(figure)
    }

    fn bodies(&self) -> impl Iterator<Item = Box4> {
        (0..self.scene.centers.len()).filter_map(|row| self.world.aabb(row as u32))
    }

    /// Whether a body is larger than every bound of the step.
    fn is_oversized(&self, aabb: &Box4) -> bool {
        (aabb[2] - aabb[0]).max(aabb[3] - aabb[1]) > self.side_max
    }

    /// A point moved to the nearest border of two bands, if there is one, so that a figure shows
    /// both.
    fn border_near(&self, mut point: [f32; 2]) -> [f32; 2] {
        let starts = |axis: usize| {
            self.shapes.iter().filter_map(move |shape| match shape {
                DebugShape::Band { aabb, .. } => Some(aabb[axis]),
                _ => None,
            })
        };
        let first = |axis| starts(axis).fold(f32::INFINITY, f32::min);
        let spread = |axis| starts(axis).fold(f32::NEG_INFINITY, f32::max) - first(axis);
        let axis = usize::from(spread(1) > spread(0));
        let distance = |start: &f32| (start - point[axis]).abs();
        let borders = starts(axis).filter(|&start| start > first(axis));
        if let Some(border) = borders.min_by(|a, b| distance(a).total_cmp(&distance(b))) {
            point[axis] = border;
        }
        point
    }

    /// The occupied cells of point grids, each with the number of its band.
    fn cells_by_band(&self) -> impl Iterator<Item = (Box4, usize)> {
        let mut band = 0;
        self.shapes.iter().filter_map(move |shape| match *shape {
            DebugShape::Band { .. } => {
                band += 1;
                None
            }
            DebugShape::Cell { aabb, .. } => Some((aabb, band)),
            _ => None,
        })
    }

    /// What a figure shows of the world.
    fn crop(&self, view: &View, count: usize, noun: &str) -> String {
        let name = self.scene.name;
        let side = f64::from(self.scene.world[2] - self.scene.world[0]);
        if view.side >= side {
            format!("Scene {name}: {count} {noun}.")
        } else {
            let percent = 100.0 * (view.side / side).powi(2);
            format!("Scene {name}: {percent:.1} % of the world, which has {count} {noun}.")
        }
    }
}

/// The part of the world that a figure shows.
#[derive(Clone, Copy, Debug)]
struct View {
    middle: [f32; 2],
    side: f64,
}

impl View {
    /// About `shown` boxes around a point.
    fn around(middle: [f32; 2], boxes: &[Box4], shown: f64) -> Self {
        let all = Self::of(boxes);
        let share = shown / boxes.len().max(1) as f64;
        if share >= 1.0 { all } else { Self { middle, side: all.side * share.sqrt() } }
    }

    /// All boxes.
    fn of(boxes: &[Box4]) -> Self {
        let [left, bottom, right, top] = boxes.iter().fold(boxes.first().copied().unwrap_or([0.0; 4]), |all, aabb| {
            [all[0].min(aabb[0]), all[1].min(aabb[1]), all[2].max(aabb[2]), all[3].max(aabb[3])]
        });
        let side = f64::from((right - left).max(top - bottom)).max(1e-3) * 1.04;
        Self { middle: [0.5 * (left + right), 0.5 * (bottom + top)], side }
    }

    fn shows(&self, aabb: &Box4) -> bool {
        let half = self.side as f32 / 2.0;
        (0..2).all(|axis| aabb[axis] <= self.middle[axis] + half && aabb[axis + 2] >= self.middle[axis] - half)
    }

    /// A point in pixels; y grows upward in the world. Clamped to outside of the picture.
    fn pixel(&self, point: [f32; 2]) -> [f64; 2] {
        let at = |axis: usize| (f64::from(point[axis]) - f64::from(self.middle[axis])) / self.side;
        [SIDE * (0.5 + at(0)), SIDE * (0.5 - at(1))].map(|value| value.clamp(-SIDE, 2.0 * SIDE))
    }
}

/// A picture with a column of text.
struct Figure {
    title: &'static str,
    /// The part of the world.
    shows: String,
    view: View,
    picture: Group,
    column: Group,
    /// Where the next line of text goes.
    next_line: f64,
}

impl Figure {
    fn new(view: View, title: &'static str, shows: String) -> Self {
        let (picture, column) = (Group::new().set("clip-path", "url(#world)"), Group::new());
        let mut figure = Self { title, shows: String::new(), view, picture, column, next_line: MARGIN + 18.0 };
        figure.write(title, 17);
        figure.say(&shows);
        Self { shows, ..figure }
    }

    fn fill(&mut self, aabb: Box4, color: &str, opacity: f64) {
        self.rectangle(aabb, |rectangle| rectangle.set("fill", color).set("fill-opacity", opacity));
    }

    fn outline(&mut self, aabb: Box4, color: &str, width: f64) {
        self.rectangle(aabb, |rectangle| rectangle.set("fill", "none").set("stroke", color).set("stroke-width", width));
    }

    fn dashed(&mut self, aabb: Box4, color: &str) {
        self.rectangle(aabb, |rectangle| {
            let outline = rectangle.set("fill", "none").set("stroke", color).set("stroke-width", 2);
            outline.set("stroke-dasharray", "7 4")
        });
    }

    /// Adds a box, if it is shown.
    fn rectangle(&mut self, aabb: Box4, style: impl FnOnce(Rectangle) -> Rectangle) {
        if !self.view.shows(&aabb) {
            return;
        }
        let [left, bottom] = self.view.pixel([aabb[0], aabb[1]]);
        let [right, top] = self.view.pixel([aabb[2], aabb[3]]);
        let short = |value: f64| (value * 10.0).round() / 10.0;
        let (width, height) = (short(right - left), short(bottom - top));
        let rectangle = Rectangle::new().set("x", short(left)).set("y", short(top));
        self.picture.append(style(rectangle.set("width", width).set("height", height)));
    }

    fn dot(&mut self, point: [f32; 2], color: &str) {
        let [x, y] = self.view.pixel(point);
        self.picture.append(Circle::new().set("cx", x.round()).set("cy", y.round()).set("r", 2.6).set("fill", color));
    }

    fn write(&mut self, line: &str, size: u32) {
        let text = Text::new(line).set("x", SIDE + 2.0 * MARGIN).set("y", self.next_line).set("fill", TEXT);
        self.column.append(text.set("font-size", size));
        self.next_line += LINE;
    }

    /// A paragraph.
    fn say(&mut self, paragraph: &str) {
        self.next_line += 8.0;
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && line.len() + word.len() >= LETTERS {
                self.write(&std::mem::take(&mut line), 14);
            }
            line += if line.is_empty() { "" } else { " " };
            line += word;
        }
        self.write(&line, 14);
    }

    /// A line of the legend.
    fn key(&mut self, color: &str, meaning: &str) {
        let (x, y) = (SIDE + 2.0 * MARGIN, self.next_line);
        let sample = Rectangle::new().set("x", x).set("y", y - 11.0).set("width", 14).set("height", 12);
        let sample = sample.set("fill", color).set("fill-opacity", 0.35).set("stroke", color);
        let text = Text::new(meaning).set("x", x + 22.0).set("y", y).set("fill", TEXT).set("font-size", 14);
        self.column.append(sample);
        self.column.append(text);
        self.next_line += LINE;
    }

    fn finish(self) -> Document {
        let (width, height) = (SIDE + COLUMN + 3.0 * MARGIN, SIDE);
        let style = format!(
            "text{{font-family:system-ui,sans-serif}}@media(prefers-color-scheme:dark){{[fill=\"{TEXT}\"]{{fill:#e6edf3}}}}"
        );
        let edge = || Rectangle::new().set("width", SIDE).set("height", SIDE);
        let clip = Definitions::new().add(ClipPath::new().set("id", "world").add(edge()));
        Document::new()
            .set("viewBox", (0, 0, width, height))
            .set("width", width)
            .set("height", height)
            .add(Style::new(style))
            .add(clip)
            .add(self.picture)
            .add(edge().set("fill", "none").set("stroke", GRID))
            .add(self.column)
    }
}

/// The middle of the box that half of the others begin before, on each axis.
fn middle(boxes: &[Box4]) -> [f32; 2] {
    [0, 1].map(|axis| {
        let mut middles: Vec<f32> = boxes.iter().map(|aabb| 0.5 * (aabb[axis] + aabb[axis + 2])).collect();
        middles.sort_by(f32::total_cmp);
        middles.get(middles.len() / 2).copied().unwrap_or(0.0)
    })
}

/// The box whose lower corner is nearest to a point.
fn nearest(boxes: &[Box4], [x, y]: [f32; 2]) -> Option<Box4> {
    let distance = |aabb: &Box4| (aabb[0] - x).hypot(aabb[1] - y);
    boxes.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

fn contains(aabb: &Box4, point: [f32; 2]) -> bool {
    (0..2).all(|axis| aabb[axis] <= point[axis] && point[axis] <= aabb[axis + 2])
}

/// Whether boxes touch, up to rounding.
fn touch(a: &Box4, b: &Box4) -> bool {
    (0..2).all(|axis| {
        let slack = 0.01 * (a[axis + 2] - a[axis]);
        a[axis] <= b[axis + 2] + slack && b[axis] <= a[axis + 2] + slack
    })
}
