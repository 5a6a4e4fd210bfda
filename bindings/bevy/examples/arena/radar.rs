//! Queries of the last step while the next one runs: in a system, and in a thread.

use crate::game::Game;
use bevy_app::{App, PostUpdate};
use bevy_ecs::prelude::*;
use std::thread::JoinHandle;
use std::time::Duration;
use triphase::{Aabb, Snapshot, SnapshotReader};
use triphase_bevy::BroadPhase;

/// A resource of its own: whoever uses [`BroadPhase`] waits for the step.
#[derive(Resource)]
struct LastStep(SnapshotReader);

/// What the radar saw.
#[derive(Default, Resource)]
pub struct Radar {
    /// The step that it looked at: the last one, or the one before.
    pub step_number: u64,
    pub in_view: usize,
}

pub fn add(app: &mut App) {
    let reader = app.world().resource::<BroadPhase>().world().reader();
    // Not ordered with the step, so Bevy's executor may run both at the same time.
    app.insert_resource(LastStep(reader)).init_resource::<Radar>().add_systems(PostUpdate, look);
}

fn look(last_step: Res<LastStep>, game: Res<Game>, mut radar: ResMut<Radar>) -> Result {
    let snapshot = last_step.0.latest(); // does not change while it is looked at
    *radar = Radar { step_number: snapshot.step_number(), in_view: in_view(&snapshot, game.side)? };
    Ok(())
}

/// Starts a thread that looks at each step that it gets hold of, until the app is dropped. It
/// returns how many that were.
pub fn spawn_thread(app: &App) -> JoinHandle<u64> {
    let reader = app.world().resource::<LastStep>().0.clone();
    let side = app.world().resource::<Game>().side;
    std::thread::spawn(move || {
        let (mut steps, mut last) = (0, 0);
        while let Some(snapshot) = reader.wait_newer(last, Duration::from_secs(60)) {
            last = snapshot.step_number();
            let found = in_view(&snapshot, side).expect("the view is valid");
            assert_eq!(found, in_view_by_brute_force(&snapshot, side), "in the view, in step {last}");
            steps += 1;
        }
        steps
    })
}

/// The middle of the world.
fn view(side: f32) -> [f32; 4] {
    [0.4 * side, 0.4 * side, 0.6 * side, 0.6 * side]
}

fn in_view(snapshot: &Snapshot, side: f32) -> Result<usize, triphase::InvalidShape> {
    let [min_x, min_y, max_x, max_y] = view(side);
    let view = Aabb::new([min_x, min_y], [max_x, max_y])?;
    Ok(snapshot.query().only_bodies().query_aabb(view).count())
}

fn in_view_by_brute_force(snapshot: &Snapshot, side: f32) -> usize {
    let [min_x, min_y, max_x, max_y] = view(side);
    let boxes = (0..snapshot.body_count() as u32).filter_map(|row| snapshot.aabb(row));
    boxes.filter(|aabb| aabb[0] <= max_x && min_x <= aabb[2] && aabb[1] <= max_y && min_y <= aabb[3]).count()
}
