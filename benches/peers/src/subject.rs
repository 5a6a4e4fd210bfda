//! What is raced: a scene, a crowd of a given spread of sizes, or walkers on a game map.

use crate::boxes::Box4;
use crate::engine::Frame;
use std::path::Path;
use triphase_scenes::{Map, Scene, SceneName, Walkers};

/// Bodies that move frame by frame, and statics.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Name of the scene, or `map:` and the name of the map, or `spread:`, the ratio of sizes and the
    /// area fraction.
    pub name: String,
    /// The scene, or for a map the scene most like it; some engines suit only some scenes.
    pub like: SceneName,
    bodies: Moving,
}

#[derive(Clone, Debug)]
enum Moving {
    Scene(Box<Scene>),
    Walkers { map: Map, walls: Vec<Box4>, walkers: Walkers },
}

impl Subject {
    /// Creates a scene; some scenes have a fixed number of bodies.
    pub fn scene(name: SceneName, bodies: usize, seed: u64) -> Self {
        let scene = Box::new(Scene::new(name, bodies, seed));
        Self { name: name.as_str().to_owned(), like: name, bodies: Moving::Scene(scene) }
    }

    /// Creates a crowd with sizes over a range: see [`Scene::with_spread`].
    pub fn spread(size_ratio: f64, area_fraction: f64, bodies: usize, seed: u64) -> Self {
        let scene = Box::new(Scene::with_spread(bodies, size_ratio, area_fraction, seed));
        let name = format!("spread:{size_ratio}:{area_fraction}");
        Self { name, like: SceneName::PowerLaw, bodies: Moving::Scene(scene) }
    }

    /// Places walkers in the free cells of a map. Its blocked cells, merged into boxes, are the
    /// statics; walkers turn around before their centers enter one.
    ///
    /// # Errors
    ///
    /// If the map has no free cell.
    pub fn map(name: &str, map: Map, bodies: usize, seed: u64) -> Result<Self, String> {
        let walkers = Walkers::spawn(&map, bodies, seed)?;
        let bodies = Moving::Walkers { walls: map.walls(), map, walkers };
        // Both are small bodies among walls.
        Ok(Self { name: format!("map:{name}"), like: SceneName::Castles, bodies })
    }

    /// As [`map`](Self::map), with a map read from a file, named by the stem of the file.
    ///
    /// # Errors
    ///
    /// If the file is no map of the Moving AI benchmarks, or the map has no free cell.
    pub fn read_map(path: &Path, bodies: usize, seed: u64) -> Result<Self, String> {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        Self::map(&name, Map::read(path)?, bodies, seed)
    }

    /// The bodies at their present places.
    pub fn frame(&self) -> Frame<'_> {
        let (centers, half_extents) = match &self.bodies {
            Moving::Scene(scene) => (&scene.centers, &scene.half_extents),
            Moving::Walkers { walkers, .. } => (&walkers.centers, &walkers.half_extents),
        };
        Frame { centers, half_extents }
    }

    /// The boxes that never move.
    pub fn statics(&self) -> &[Box4] {
        match &self.bodies {
            Moving::Scene(scene) => &scene.statics,
            Moving::Walkers { walls, .. } => walls,
        }
    }

    /// Moves all bodies by one frame.
    pub fn advance(&mut self) {
        match &mut self.bodies {
            Moving::Scene(scene) => scene.advance(),
            Moving::Walkers { map, walkers, .. } => walkers.advance(map),
        }
    }
}
