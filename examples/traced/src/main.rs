//! A game whose broad phase is watched: what a frame spends its time on, printed or as a timeline.
//!
//! ```text
//! cargo run --release
//! cargo run --release -- --frames 60 --timeline trace.json
//! ```

use clap::Parser;
use std::path::PathBuf;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer as _;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use triphase::{Bodies, World, WorldConfig};
use triphase_scenes::{Scene, SceneName};

/// Steps a crowd among castles and shows the spans of the broad phase
#[derive(Parser)]
struct Arguments {
    /// Number of bodies
    #[arg(long, default_value_t = 100_000)]
    bodies: usize,
    /// Number of frames
    #[arg(long, default_value_t = 3)]
    frames: u32,
    /// Write a timeline to this file, in the format of Chrome's traces, instead of printing spans
    #[arg(long, value_name = "FILE")]
    timeline: Option<PathBuf>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments = Arguments::parse();

    // A subscriber gets the spans of all crates. One per program, installed before the first step.
    let timeline = match &arguments.timeline {
        // Spans of level trace are the tasks of a step: a line for each thread in the timeline.
        Some(path) => {
            let (layer, guard) = tracing_chrome::ChromeLayerBuilder::new().file(path).include_args(true).build();
            tracing_subscriber::registry().with(layer.with_filter(LevelFilter::TRACE)).init();
            Some(guard) // writes the rest of the file when it is dropped
        }
        // Spans of level debug are calls and their phases: a line for each, when it ends.
        None => {
            let lines = tracing_subscriber::fmt::layer().with_span_events(FmtSpan::CLOSE).with_target(false);
            tracing_subscriber::registry().with(lines.with_filter(LevelFilter::DEBUG)).init();
            None
        }
    };

    let mut scene = Scene::new(SceneName::Castles, arguments.bodies, 1);
    let mut world = World::new(WorldConfig::new().with_contact_tracking(true))?;
    world.set_statics(&scene.statics)?;
    for frame in 0..arguments.frames {
        // A span of your own: those of the world are within it.
        let _frame = tracing::info_span!("frame", number = frame).entered();
        world.step(Bodies::new(&scene.centers, &scene.half_extents))?;
        tracing::info_span!("move bodies").in_scope(|| scene.advance());
    }
    drop(timeline);
    if let Some(path) = arguments.timeline {
        println!("open {} in https://ui.perfetto.dev or in chrome://tracing", path.display());
    }
    Ok(())
}
