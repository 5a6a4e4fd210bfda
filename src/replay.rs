//! Makes the calls of a recording again.

use crate::config::WorldConfig;
use crate::error::Error;
use crate::input::bodies::Bodies;
use crate::record::{RecordedBodies, RecordedCall, RecordedOutcome, Recording};
use crate::state::WorldState;
use crate::world::World;
use std::io::Read;

impl<R: Read> Recording<R> {
    /// Creates a world in the state in which the recorded one was when the recording began, with
    /// the given settings: those of [`config`](Self::config), or others.
    ///
    /// # Errors
    ///
    /// Those of [`World::new`]; and those of [`World::set_statics`] and
    /// [`World::set_static_enabled`] if the recorded statics are invalid, or share ids although the
    /// settings track contacts.
    pub fn world(&self, config: WorldConfig) -> Result<World, Error> {
        config.validate()?;
        let statics = self.start_statics(config.may_use_threads())?;
        WorldState::continued(config, statics, self.start_step()).map(World::of)
    }
}

impl RecordedCall {
    /// Makes the call with another world, and returns what it returned.
    ///
    /// # Panics
    ///
    /// As the call itself does.
    pub fn replay(&self, world: &mut World) -> RecordedOutcome {
        match self {
            Self::Step(bodies) => {
                let outcome = world.step(borrow(bodies)).map(drop);
                RecordedOutcome::of_step(&outcome, world.step_number(), world.contacts())
            }
            Self::StepChanged(bodies, changed) => {
                let outcome = world.step_changed(borrow(bodies), changed.rows()).map(drop);
                RecordedOutcome::of_step(&outcome, world.step_number(), world.contacts())
            }
            Self::SetStatics(statics) => RecordedOutcome::of(&world.set_statics(statics.statics())),
            Self::InsertStatics(statics) => RecordedOutcome::of(&world.insert_statics(statics.statics())),
            Self::ReplaceStatics(rows, statics) => RecordedOutcome::of(&world.replace_statics(rows, statics.statics())),
            Self::RemoveStatics(rows) => RecordedOutcome::of(&world.remove_statics(rows)),
            &Self::SetStaticEnabled(row, enabled) => RecordedOutcome::of(&world.set_static_enabled(row, enabled)),
            &Self::ShiftOrigin(by) => RecordedOutcome::of(&world.shift_origin(by)),
            Self::ShrinkToFit => {
                world.shrink_to_fit();
                RecordedOutcome::Done
            }
        }
    }
}

fn borrow(bodies: &[RecordedBodies]) -> Vec<Bodies<'_>> {
    bodies.iter().map(RecordedBodies::bodies).collect()
}
