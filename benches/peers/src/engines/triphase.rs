//! triphase as a user calls it: a world that takes columns and returns contacts.
//!
//! Contacts can be iterated when `step` returns, so they are copied only for checks.

use crate::engine::{Engine, Found, Frame};
use triphase::{Bodies, World};

/// A world.
#[derive(Default)]
pub struct Triphase {
    world: World,
}

impl Engine for Triphase {
    fn name(&self) -> &'static str {
        "triphase"
    }

    fn set_statics(&mut self, statics: &[[f32; 4]]) {
        self.world.set_statics(statics).expect("statics of a scene are valid");
    }

    fn step(&mut self, frame: Frame<'_>, _found: &mut Found) {
        self.world.step(Bodies::new(frame.centers, frame.half_extents)).expect("bodies of a scene are valid");
    }

    fn collect(&mut self, found: &mut Found) {
        found.clear();
        let contacts = self.world.contacts();
        found.bodies.extend(contacts.body_pairs().map(|pair| [pair.a, pair.b]));
        found.statics.extend(contacts.static_pairs().map(|pair| [pair.body, pair.static_row]));
    }

    fn bytes_of_pairs(&self) -> usize {
        self.world.report().pair_bytes
    }
}
