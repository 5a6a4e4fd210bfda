//! Which figures each plot shows.

use crate::chart::{BarChart, BarGroup, Line, LineChart, short};
use crate::records::{Lap, Origin, Queried, Records, Told, of_one_origin};
use std::collections::BTreeSet;
use std::error::Error;

/// A plot: the name of its file, and the drawing, unless no record has its figures.
pub(crate) struct Plot {
    pub(crate) name: &'static str,
    pub(crate) svg: Result<Option<String>, Box<dyn Error>>,
}

/// Draws every plot.
pub(crate) fn all(records: &Records) -> Vec<Plot> {
    let plot = |name, svg| Plot { name, svg };
    vec![
        plot("bodies", bodies(records)),
        plot("threads", threads(records)),
        plot("changes", changes(records)),
        plot("sizes", sizes(records)),
        plot("area", area(records)),
        plot("memory", memory(records)),
        plot("queries", queries(records)),
    ]
}

type Drawn = Result<Option<String>, Box<dyn Error>>;

fn laps(records: &Records, wanted: impl Fn(&Lap) -> bool) -> Vec<&Lap> {
    let laps: Vec<&Lap> = records.laps.iter().filter(|lap| wanted(lap)).collect();
    of_one_origin(&laps, |lap| &lap.origin)
}

fn caption(what: &str, origin: Option<&Origin>) -> String {
    origin.map_or_else(String::new, |Origin { cpu, date }| format!("{what}; {cpu}, {date}"))
}

/// A line for each name, in the order of their last heights, the lowest first.
fn lines(named: impl Iterator<Item = (String, (f64, f64))>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for (name, point) in named {
        match lines.iter_mut().find(|line| line.name == name) {
            // The last line of a record counts.
            Some(line) => {
                line.points.retain(|other| other.0 != point.0);
                line.points.push(point);
            }
            None => lines.push(Line { name, points: vec![point] }),
        }
    }
    lines.iter_mut().for_each(|line| line.points.sort_by(|a, b| a.0.total_cmp(&b.0)));
    let height = |line: &Line| line.points.last().map_or(0.0, |point| point.1);
    lines.sort_by(|a, b| height(a).total_cmp(&height(b)));
    lines
}

/// The median time of a step, or the mean of an engine that does more in some frames.
fn time(lap: &Lap) -> f64 {
    if lap.engine == "parry2d_rebuilt" { lap.ns_per_body_mean } else { lap.ns_per_body }
}

/// Time against the number of bodies.
fn bodies(records: &Records) -> Drawn {
    let laps = laps(records, |lap| lap.scene == "crowd" && lap.threads == 1);
    // Engines that raced at two sizes only would hide the others' lines.
    let sizes = |lap: &Lap| {
        let same = laps.iter().filter(|other| other.engine == lap.engine);
        same.map(|other| other.bodies).collect::<BTreeSet<_>>().len()
    };
    let most = laps.iter().map(|lap| sizes(lap)).max().unwrap_or(0);
    let shown = laps.iter().filter(|lap| sizes(lap) + 1 >= most);
    LineChart {
        title: "A step in which all bodies move".to_owned(),
        caption: caption("scene crowd, one thread", laps.first().map(|lap| &lap.origin)),
        x: "bodies",
        y: "ns per body",
        lines: lines(shown.map(|lap| (lap.engine.clone(), (lap.bodies as f64, time(lap))))),
    }
    .svg()
}

/// Speed on several threads, as a multiple of that on one.
fn threads(records: &Records) -> Drawn {
    const SCENES: [&str; 4] = ["crowd", "dragons", "castles", "cities"];
    let wanted = |lap: &Lap| SCENES.contains(&lap.scene.as_str()) && lap.bodies >= 100_000;
    let laps = laps(records, |lap| wanted(lap) && lap.threads_used == lap.threads);
    let mut groups: Vec<BarGroup> = Vec::new();
    for lap in laps.iter().filter(|lap| lap.threads > 1) {
        let same = |other: &&&Lap| other.scene == lap.scene && other.bodies == lap.bodies && other.engine == lap.engine;
        let Some(one) = laps.iter().filter(same).find(|other| other.threads == 1) else { continue };
        let name = format!("{}, {} bodies, {} threads", lap.scene, short(lap.bodies as f64), lap.threads);
        let bar = (lap.engine.clone(), time(one) / time(lap));
        match groups.iter_mut().find(|group| group.name == name) {
            Some(group) => group.bars.push(bar),
            None => groups.push(BarGroup { name, bars: vec![bar] }),
        }
    }
    BarChart {
        title: "Speed-up with threads".to_owned(),
        caption: caption("time on one thread, divided by time on several", laps.first().map(|lap| &lap.origin)),
        unit: "times",
        groups,
    }
    .svg()
}

/// Time of a step that is told which bodies moved.
fn changes(records: &Records) -> Drawn {
    let most = records.told.iter().map(|told| told.bodies).max().unwrap_or(0);
    let told: Vec<&Told> = records.told.iter().filter(|told| told.bodies == most).collect();
    let told = of_one_origin(&told, |told| &told.origin);
    let name = |told: &Told| match told.engine.as_str() {
        "triphase" => "triphase, told".to_owned(),
        "triphase_full" => "triphase, full step".to_owned(),
        other => other.to_owned(),
    };
    LineChart {
        title: format!("A step in which few of {} bodies move", short(most as f64)),
        caption: caption("scene crowd, one thread", told.first().map(|told| &told.origin)),
        x: "percent of the bodies that move",
        y: "microseconds",
        lines: lines(told.iter().map(|told| (name(told), (told.moving_percent, told.us_median)))),
    }
    .svg()
}

/// The ratio of sizes and the area fraction of a crowd of a given spread.
fn spread(lap: &Lap) -> Option<(f64, f64)> {
    let (ratio, area) = lap.scene.strip_prefix("spread:")?.split_once(':')?;
    Some((ratio.parse().ok()?, area.parse().ok()?))
}

/// The area fraction at which sizes vary.
const SIZES_AREA: f64 = 0.5;

/// Time against the spread of sizes.
fn sizes(records: &Records) -> Drawn {
    let laps = laps(records, |lap| spread(lap).is_some_and(|(_, area)| area == SIZES_AREA));
    let point = |lap: &&Lap| Some((lap.engine.clone(), (spread(lap)?.0, time(lap))));
    LineChart {
        title: "Bodies of many sizes".to_owned(),
        caption: caption("100,000 squares, half of the area, one thread", laps.first().map(|lap| &lap.origin)),
        x: "largest size divided by smallest",
        y: "ns per body",
        lines: lines(laps.iter().filter_map(point)),
    }
    .svg()
}

/// Time against the area fraction, of bodies of one size.
fn area(records: &Records) -> Drawn {
    let laps = laps(records, |lap| spread(lap).is_some_and(|(ratio, _)| ratio == 1.0));
    let point = |lap: &&Lap| Some((lap.engine.clone(), (spread(lap)?.1, time(lap))));
    LineChart {
        title: "From sparse to crowded worlds".to_owned(),
        caption: caption("100,000 squares of one size, one thread", laps.first().map(|lap| &lap.origin)),
        x: "area of all bodies, divided by that of the world",
        y: "ns per body",
        lines: lines(laps.iter().filter_map(point)),
    }
    .svg()
}

/// Bytes held per body.
fn memory(records: &Records) -> Drawn {
    let laps = laps(records, |lap| lap.scene == "crowd" && lap.threads == 1 && lap.bodies == 100_000);
    let mut bars: Vec<(String, f64)> = laps.iter().map(|lap| (lap.engine.clone(), lap.bytes_per_body)).collect();
    bars.retain(|bar| bar.1 >= 1.0); // others hold nothing between frames
    bars.sort_by(|a, b| a.1.total_cmp(&b.1));
    BarChart {
        title: "Memory held between frames, without pairs".to_owned(),
        caption: caption("scene crowd, 100,000 bodies, one thread", laps.first().map(|lap| &lap.origin)),
        unit: "bytes per body",
        groups: vec![BarGroup { name: String::new(), bars }],
    }
    .svg()
}

/// Time of a query, of each kind.
fn queries(records: &Records) -> Drawn {
    const KINDS: [(&str, &str); 4] = [
        ("small_boxes", "A box of the size of a body"),
        ("boxes", "A box with 15 hits"),
        ("nearest", "The 8 nearest"),
        ("rays", "A ray of 20 body widths"),
    ];
    let wanted = |query: &&Queried| query.subject == "crowd" && query.bodies == 100_000 && query.batch == 1;
    let queried: Vec<&Queried> = records.queried.iter().filter(wanted).collect();
    let queried = of_one_origin(&queried, |query| &query.origin);
    let group = |(list, name): (&str, &str)| {
        let of_kind = queried.iter().filter(|query| query.list == list);
        let mut bars: Vec<_> = of_kind.map(|query| (query.engine.clone(), query.ns_per_query)).collect();
        bars.sort_by(|a, b| a.1.total_cmp(&b.1));
        BarGroup { name: name.to_owned(), bars }
    };
    BarChart {
        title: "Queries between steps".to_owned(),
        caption: caption("scene crowd, 100,000 bodies, one thread", queried.first().map(|query| &query.origin)),
        unit: "ns",
        groups: KINDS.into_iter().map(group).collect(),
    }
    .svg()
}
