//! What the benches share: a scene in motion, and a world that steps it.

#![allow(dead_code)] // Every bench is a crate of its own and uses a part of this.

use std::time::Duration;
use triphase::{Bodies, World, WorldConfig};
use triphase_scenes::{Scene, SceneName};

/// Steps that a world has behind it before it is measured.
const WARM_UP: usize = 5;

/// A scene and a world that has stepped some frames of it.
pub(crate) struct Stage {
    pub(crate) scene: Scene,
    pub(crate) world: World,
}

impl Stage {
    pub(crate) fn new(name: SceneName, bodies: usize, config: WorldConfig) -> Self {
        let scene = Scene::new(name, bodies, 1);
        let mut world = World::new(config).expect("good settings");
        world.set_statics(&scene.statics).expect("good statics");
        let mut stage = Self { scene, world };
        stage.frames(WARM_UP as u64, |_| Duration::ZERO);
        stage
    }

    /// One step of the scene as it is; how many pairs there are.
    pub(crate) fn step(&mut self) -> usize {
        let Scene { centers, half_extents, .. } = &self.scene;
        let contacts = self.world.step(Bodies::new(centers, half_extents)).expect("a good scene");
        contacts.body_pairs().len() + contacts.static_pairs().len()
    }

    /// Puts the columns into the order of places of the last step.
    pub(crate) fn reorder(&mut self) {
        let mut order = Vec::new();
        self.world.spatial_order(&mut order);
        self.scene.reorder(&order);
    }

    /// Moves the bodies and steps, so often; the sum of what `time` says of each step.
    pub(crate) fn frames(&mut self, count: u64, mut time: impl FnMut(&World) -> Duration) -> Duration {
        let mut spent = Duration::ZERO;
        for _ in 0..count {
            self.scene.advance();
            self.step();
            spent += time(&self.world);
        }
        spent
    }
}
