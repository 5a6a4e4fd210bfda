//! Contacts that began or ended flash for some frames where they were.

use crate::color::{BEGAN, ENDED};
use crate::layers::{View, shared};
use triphase::World;

/// Frames that a flash is seen.
const FRAMES: u8 = 14;
/// Most flashes at a time; the oldest go first.
const FLASHES_MAX: usize = 50_000;

/// The flashes that are seen now, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flashes {
    flashes: Vec<Flash>,
    /// Contacts that began in the last step, and that ended.
    pub(crate) counts: [usize; 2],
}

#[derive(Clone, Copy, Debug)]
struct Flash {
    at: [f32; 2],
    age: u8,
    has_begun: bool,
}

impl Flashes {
    /// Adds the events of the last step, if contacts are tracked.
    pub(crate) fn add(&mut self, world: &World) {
        self.flashes.retain_mut(|flash| {
            flash.age += 1;
            flash.age < FRAMES
        });
        let contacts = world.contacts();
        let Some(events) = contacts.events() else { return self.clear() };
        let (body, wall) = (|row: u32| world.aabb(row), |row: u32| Some(world.statics().aabb(row)?.to_array()));
        self.counts = [
            events.started().count() + events.started_static().count(),
            events.ended().count() + events.ended_static().count(),
        ];
        let began = events.started().map(|contact| (body(contact.pair.a), body(contact.pair.b)));
        let began_static =
            events.started_static().map(|contact| (body(contact.pair.body), wall(contact.pair.static_row)));
        let began = began.chain(began_static).filter_map(middle);
        self.flashes.extend(began.map(|at| Flash { at, age: 0, has_begun: true }));
        // Without ids, the id of an ended contact is a row.
        if contacts.body_id(0).is_none() {
            let ended = events.ended().map(|contact| (body(contact.a_id as u32), body(contact.b_id as u32)));
            let ended_static =
                events.ended_static().map(|contact| (body(contact.body_id as u32), wall(contact.static_id as u32)));
            let ended = ended.chain(ended_static).filter_map(middle);
            self.flashes.extend(ended.map(|at| Flash { at, age: 0, has_begun: false }));
        }
        let excess = self.flashes.len().saturating_sub(FLASHES_MAX);
        self.flashes.drain(..excess);
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Draws squares that shrink and fade.
    pub(crate) fn draw(&self, view: &mut View<'_>) {
        for flash in &self.flashes {
            let left = f64::from(FRAMES - flash.age) / f64::from(FRAMES);
            let radius = 1.0 + (0.3 * view.camera.scale() * left).min(3.5);
            let [x, y] = view.camera.to_screen(flash.at.map(f64::from));
            let color = if flash.has_begun { BEGAN } else { ENDED };
            view.canvas.blend([x - radius, y - radius, x + radius, y + radius], color, (left * 220.0) as u8);
        }
    }
}

/// The middle of what two boxes share, or of the gap between them.
fn middle((a, b): (Option<[f32; 4]>, Option<[f32; 4]>)) -> Option<[f32; 2]> {
    let [left, bottom, right, top] = shared(a?, b?);
    Some([0.5 * left + 0.5 * right, 0.5 * bottom + 0.5 * top])
}
