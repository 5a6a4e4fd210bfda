//! Code that the benches share: a scene in motion, and a world that steps it.

#![allow(dead_code)] // Every bench is a separate crate and uses a part of this.

use std::time::Duration;
use triphase::{Bodies, Filter, Statics, World, WorldConfig};
use triphase_scenes::{Scene, SceneName};

/// Steps of a world before it is measured.
const WARM_UP: usize = 5;

/// A scene, and a world that has stepped some of its frames.
pub(crate) struct Stage {
    pub(crate) scene: Scene,
    pub(crate) world: World,
    /// The filters of the bodies; initially none.
    filters: Option<Vec<Filter>>,
}

impl Stage {
    pub(crate) fn new(name: SceneName, bodies: usize, config: WorldConfig) -> Self {
        let scene = Scene::new(name, bodies, 1);
        let mut world = World::new(config).expect("valid settings");
        world.set_statics(&scene.statics).expect("valid statics");
        let mut stage = Self { scene, world, filters: None };
        stage.frames(WARM_UP as u64, |_| Duration::ZERO);
        stage
    }

    /// Gives each body and static one of `layers` layers, and a random mask of them.
    pub(crate) fn filter(&mut self, layers: u32) {
        let mask = |row: u32| row.wrapping_mul(0x9E37_79B9) >> (32 - layers);
        let filters = |count: usize| (0..count as u32).map(|row| Filter::new(1 << (row % layers), mask(row))).collect();
        let of_statics: Vec<_> = filters(self.scene.statics.len());
        let statics = Statics::new(&self.scene.statics).with_filters(&of_statics);
        self.world.set_statics(statics).expect("valid statics");
        self.filters = Some(filters(self.scene.centers.len()));
        self.frames(WARM_UP as u64, |_| Duration::ZERO);
    }

    /// Steps the scene in its present frame, and returns the number of pairs.
    pub(crate) fn step(&mut self) -> usize {
        let Scene { centers, half_extents, .. } = &self.scene;
        let bodies = Bodies::new(centers, half_extents);
        let bodies = self.filters.as_ref().map_or(bodies, |filters| bodies.with_filters(filters));
        let contacts = self.world.step(bodies).expect("a valid scene");
        contacts.body_pairs().len() + contacts.static_pairs().len()
    }

    /// Sorts the columns in the spatial order of the last step.
    pub(crate) fn reorder(&mut self) {
        let mut order = Vec::new();
        self.world.spatial_order(&mut order);
        self.scene.reorder(&order);
    }

    /// Moves the bodies and steps `count` times; returns the sum of `time` over the steps.
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
