//! A game in a hecs world whose contacts are found by triphase.
//!
//! - [`columns`]: from archetypes to contacts of entities. This is the file to copy.
//! - [`components`], [`game`]: a game around it.
//! - [`check`]: brute force. [`measure`]: what taking the columns costs.

mod check;
mod columns;
mod components;
mod game;
mod measure;
#[cfg(test)]
mod tests;

use check::Check;
use game::Game;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    match std::env::args().nth(1).as_deref() {
        None => play(20_000, 600, false),
        Some("--short") => play(800, 150, true),
        Some("--measure") => measure::measure(&mut Game::new(100_000, 1)?, 200),
        Some(other) => Err(format!("unknown argument {other}; expected --short, --measure or none").into()),
    }
}

/// Plays some frames and prints what happened. With `checked`, compares each with brute force.
fn play(unit_count: usize, frame_count: usize, checked: bool) -> Result<(), Box<dyn std::error::Error>> {
    let mut game = Game::new(unit_count, 1)?;
    let (mut check, mut stepping) = (Check::default(), Duration::ZERO);
    for frame in 0..frame_count {
        let start = Instant::now();
        game.move_and_step()?;
        stepping += start.elapsed();
        if checked {
            check.frame(&game.ecs, &game.physics).map_err(|error| format!("frame {frame}: {error}"))?;
        }
        game.respond()?;
    }
    let contacts = game.physics.contacts();
    println!(
        "{} bodies in {} archetypes, {} pairs and {} with walls in the last of {frame_count} frames",
        contacts.body_count(),
        game.ecs.archetypes().filter(|archetype| !archetype.is_empty()).count(),
        contacts.body_pairs().len(),
        contacts.static_pairs().len()
    );
    println!("{:?}", game.counts);
    if checked {
        println!("every frame has the pairs and events of brute force");
    } else {
        println!("{:?} per frame to move units and to find contacts", stepping / frame_count as u32);
    }
    Ok(())
}
