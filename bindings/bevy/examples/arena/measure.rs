//! Measures a step through the ECS against a step of the same columns in vectors.

use crate::game::{Columns, HalfExtents, Position};
use bevy_app::{App, PostUpdate, TaskPoolPlugin};
use bevy_ecs::prelude::*;
use fastrand::Rng;
use std::time::{Duration, Instant};
use triphase::glam::{Vec2, vec2};
use triphase::{Bodies, WorldConfig};
use triphase_bevy::{BroadPhase, TriphasePlugin};

/// Steps each frame twice, in turn: in the app, and from vectors. Prints the median times.
pub fn measure(body_count: usize, frame_count: usize) -> Result<(), Box<dyn std::error::Error>> {
    println!("{body_count} bodies, medians of {frame_count} frames, without contact tracking");
    for (share, told) in [(1.0, false), (1.0, true), (0.01, true), (0.001, true)] {
        let [app, vectors] = measure_share(body_count, frame_count, share, told)?.map(median);
        let how = if told { "told steps" } else { "full steps" };
        println!("{:>5.1} % move, {how}: {app:?} in the app, {vectors:?} from vectors", 100.0 * share);
    }
    Ok(())
}

fn measure_share(
    body_count: usize,
    frame_count: usize,
    share: f32,
    told: bool,
) -> Result<[Vec<Duration>; 2], Box<dyn std::error::Error>> {
    let mut app = App::new();
    let plugin = TriphasePlugin::<Columns>::new(WorldConfig::new()).with_told_steps(told);
    app.add_plugins((TaskPoolPlugin::default(), plugin));
    let mut rng = Rng::with_seed(1);
    let side = (body_count as f32 * 2.5).sqrt();
    let mut centers: Vec<Vec2> = (0..body_count).map(|_| vec2(rng.f32(), rng.f32()) * side).collect();
    let half_extents = vec![vec2(0.4, 0.4); body_count];
    let bodies = centers.iter().zip(&half_extents).map(|(&center, &half)| (Position(center), HalfExtents(half)));
    let entities: Vec<Entity> = app.world_mut().spawn_batch(bodies.collect::<Vec<_>>()).collect();
    let ids: Vec<u64> = entities.iter().map(|entity| entity.to_bits()).collect();

    let mut direct = triphase::World::default();
    let mut positions = app.world_mut().query::<&mut Position>();
    let mut times = [Vec::new(), Vec::new()];
    for frame in 0..frame_count + 20 {
        let changed: Vec<u32> = (0..body_count as u32).filter(|_| rng.f32() < share).collect();
        for &row in &changed {
            let center = &mut centers[row as usize];
            *center += vec2(rng.f32() - 0.5, rng.f32() - 0.5) * 0.2;
            positions.get_mut(app.world_mut(), entities[row as usize])?.0 = *center;
        }
        // Who comes second finds more in the caches.
        for turn in 0..2 {
            let start = Instant::now();
            if (turn + frame) % 2 == 0 {
                app.world_mut().run_schedule(PostUpdate);
            } else {
                let bodies = Bodies::new(&centers, &half_extents).with_ids(&ids);
                if told {
                    direct.step_changed(bodies, &changed)?
                } else {
                    direct.step(bodies)?
                };
            }
            if frame >= 20 {
                times[(turn + frame) % 2].push(start.elapsed());
            }
        }
        let pair_count = app.world().resource::<BroadPhase>().body_pairs().len();
        if pair_count != direct.contacts().body_pairs().len() {
            return Err(format!("frame {frame} has different pairs").into());
        }
        app.world_mut().clear_trackers();
    }
    Ok(times)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
