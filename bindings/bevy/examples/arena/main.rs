//! A game in Bevy's ECS, without a window: a crowd that mostly rests, dragons, bullets, walls.
//!
//! - [`game`]: components and systems, with the plugin among them. This is the file to copy.
//! - [`radar`]: queries of the last step while the next one runs.
//! - [`check`]: compares each frame with a full step and with brute force.
//! - [`measure`]: what the way through the ECS costs.
//!
//! `cargo run --release --example arena`, with `-- --short` for the checks.

mod check;
mod game;
mod measure;
mod radar;

use game::{Game, Score};
use std::time::{Duration, Instant};
use triphase_bevy::BroadPhase;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    match std::env::args().nth(1).as_deref() {
        None => play(20_000, 600, false),
        Some("--short") => play(1_000, 200, true),
        Some("--measure") => measure::measure(100_000, 200),
        Some(other) => Err(format!("unknown argument {other}; expected --short, --measure or none").into()),
    }
}

/// Plays some frames and prints what happened. With `checked`, a difference is an error.
fn play(unit_count: usize, frame_count: u32, checked: bool) -> Result<(), Box<dyn std::error::Error>> {
    let mut app = game::app(Game::new(unit_count, 1));
    radar::add(&mut app);
    let thread = radar::spawn_thread(&app);
    if checked {
        check::add(&mut app);
    }
    let start = Instant::now();
    for frame in 0..frame_count {
        app.update();
        if checked {
            check::result(&app).map_err(|error| format!("frame {frame}: {error}"))?;
        }
    }
    print(&app, start.elapsed() / frame_count);
    drop(app); // ends the thread, which waits for the next step
    match thread.join() {
        Ok(steps) => println!("a thread of its own queried {steps} of {frame_count} steps"),
        Err(panic) => std::panic::resume_unwind(panic),
    }
    if checked {
        println!("every frame has the pairs and messages of a full step and of brute force");
    }
    Ok(())
}

fn print(app: &bevy_app::App, frame_time: Duration) {
    let world = app.world().resource::<BroadPhase>().world();
    let contacts = world.contacts();
    println!(
        "{} bodies and {} statics; {} pairs and {} with walls in the last frame",
        contacts.body_count(),
        world.statics().len(),
        contacts.body_pairs().len(),
        contacts.static_pairs().len()
    );
    println!("{:?}", app.world().resource::<Score>());
    let radar = app.world().resource::<radar::Radar>();
    println!("the radar saw {} bodies in step {}", radar.in_view, radar.step_number);
    println!("{frame_time:?} per frame, with all systems");
}
