//! triphase in place of Box2D's broad phase: this is the part to copy.

use super::Replay;
use crate::engine::Found;
use crate::recording::{Recording, Step};
use triphase::{Bodies, Error, World, WorldConfig};

/// A world on one thread, with the shapes of static bodies as statics.
fn world(recording: &Recording) -> Result<World, Error> {
    let mut world = World::new(WorldConfig::new().with_parallel_threshold(None))?;
    world.set_statics(&recording.statics)?;
    Ok(world)
}

/// Copies all pairs of the last step.
fn collect_all(world: &World, found: &mut Found) {
    found.clear();
    let contacts = world.contacts();
    found.bodies.extend(contacts.body_pairs().map(|pair| [pair.a, pair.b]));
    found.statics.extend(contacts.static_pairs().map(|pair| [pair.body, pair.static_row]));
}

/// Takes all boxes in each step.
pub struct Full(World);

impl Full {
    /// # Errors
    ///
    /// If a static is invalid.
    pub fn new(recording: &Recording) -> Result<Self, Error> {
        Ok(Self(world(recording)?))
    }
}

impl Replay for Full {
    fn name(&self) -> &'static str {
        "triphase"
    }

    fn step(&mut self, step: Step<'_>, _: &mut Found) {
        self.0.step(Bodies::from_aabbs(step.boxes)).expect("boxes of Box2D are finite");
    }

    fn collect(&mut self, found: &mut Found) {
        collect_all(&self.0, found);
    }
}

/// Takes all boxes in each step, and which bodies sleep.
pub struct Sleepers(World);

impl Sleepers {
    /// # Errors
    ///
    /// If a static is invalid.
    pub fn new(recording: &Recording) -> Result<Self, Error> {
        Ok(Self(world(recording)?))
    }
}

impl Replay for Sleepers {
    fn name(&self) -> &'static str {
        "triphase asleep"
    }

    fn step(&mut self, step: Step<'_>, _: &mut Found) {
        let bodies = Bodies::from_aabbs(step.boxes).with_asleep(step.asleep);
        self.0.step(bodies).expect("boxes of Box2D are finite");
    }

    fn collect(&mut self, found: &mut Found) {
        collect_all(&self.0, found);
    }
}

/// Is told the rows whose boxes changed.
pub struct Told(World);

impl Told {
    /// # Errors
    ///
    /// If a static is invalid.
    pub fn new(recording: &Recording) -> Result<Self, Error> {
        Ok(Self(world(recording)?))
    }
}

impl Replay for Told {
    fn name(&self) -> &'static str {
        "triphase"
    }

    fn step(&mut self, step: Step<'_>, _: &mut Found) {
        let contacts =
            self.0.step_changed(Bodies::from_aabbs(step.boxes), step.changed).expect("boxes of Box2D are finite");
        // The first call lists these pairs.
        contacts.changed_pairs();
        contacts.changed_static_pairs();
    }

    fn collect(&mut self, found: &mut Found) {
        found.clear();
        let contacts = self.0.contacts();
        found.bodies.extend(contacts.changed_pairs().iter().map(|pair| [pair.a, pair.b]));
        found.statics.extend(contacts.changed_static_pairs().iter().map(|pair| [pair.body, pair.static_row]));
    }
}
