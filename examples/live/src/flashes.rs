//! Contacts that began or ended flash for some frames where they were.

use crate::color::{BEGAN, ENDED};
use crate::layers::{View, center};
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
        let row_middle = |row: u32| world.aabb(row).map(center);
        let wall_point = |row: u32, body: [f32; 2]| {
            let wall = world.statics().aabb(row)?.to_array();
            Some([0, 1].map(|axis| body[axis].clamp(wall[axis], wall[axis + 2])))
        };
        self.counts = [
            events.started().count() + events.started_static().count(),
            events.ended().count() + events.ended_static().count(),
        ];
        let began =
            events.started().filter_map(|contact| between(row_middle(contact.pair.a)?, row_middle(contact.pair.b)));
        let began_static = events.started_static().filter_map(|contact| {
            let body = row_middle(contact.pair.body)?;
            between(body, wall_point(contact.pair.static_row, body))
        });
        self.flashes.extend(began.chain(began_static).map(|at| Flash { at, age: 0, has_begun: true }));
        // Without ids, the id of an ended contact is a row.
        if contacts.body_id(0).is_none() {
            let ended = events
                .ended()
                .filter_map(|contact| between(row_middle(contact.a_id as u32)?, row_middle(contact.b_id as u32)));
            let ended_static = events.ended_static().filter_map(|contact| {
                let body = row_middle(contact.body_id as u32)?;
                between(body, wall_point(contact.static_id as u32, body))
            });
            self.flashes.extend(ended.chain(ended_static).map(|at| Flash { at, age: 0, has_begun: false }));
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
            let radius = 1.0 + (0.35 * view.camera.scale() * left).min(6.0);
            let [x, y] = view.camera.to_screen(flash.at.map(f64::from));
            let color = if flash.has_begun { BEGAN } else { ENDED };
            view.canvas.blend([x - radius, y - radius, x + radius, y + radius], color, (left * 230.0) as u8);
        }
    }
}

/// The middle between two points.
fn between(a: [f32; 2], b: Option<[f32; 2]>) -> Option<[f32; 2]> {
    b.map(|b| [0, 1].map(|axis| 0.5 * a[axis] + 0.5 * b[axis]))
}
