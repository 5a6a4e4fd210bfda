//! The bodies and statics of a scene, and how they move.

use crate::settings::{SceneChoice, Settings};
use crate::siege::Siege;
use triphase::Bodies;
use triphase_scenes::{Movers, Scene, SceneName};

/// Seed of all scenes, so that everybody sees the same.
const SEED: u64 = 1;

/// Columns of bodies and statics that move frame by frame.
#[derive(Clone, Debug)]
pub struct Population {
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    /// With the bodies that move, unless all do.
    Scene(Box<Scene>, Option<Movers>),
    Siege(Box<Siege>),
}

impl Population {
    /// The population that the settings describe, before its first frame.
    pub fn new(settings: &Settings) -> Self {
        let kind = match settings.scene {
            SceneChoice::Siege => Kind::Siege(Box::new(Siege::new(settings.bodies, settings.moving, SEED))),
            SceneChoice::Named(name) => Kind::Scene(Box::new(Scene::new(name, settings.bodies, SEED)), None),
        };
        let mut population = Self { kind };
        population.set_moving(settings.moving);
        population
    }

    /// Sets the percentage of the bodies that move. Those of `sleepers` that sleep still do at 100.
    pub fn set_moving(&mut self, percent: u32) {
        match &mut self.kind {
            Kind::Siege(siege) => siege.set_moving(percent),
            Kind::Scene(scene, movers) => {
                let count = scene.centers.len() * percent.min(100) as usize / 100;
                *movers = (percent < 100).then(|| Movers::new(scene, count, false));
            }
        }
    }

    /// Moves the bodies by one frame.
    pub fn advance(&mut self) {
        match &mut self.kind {
            Kind::Siege(siege) => siege.advance(),
            Kind::Scene(scene, Some(movers)) => movers.advance(scene),
            Kind::Scene(scene, None) => scene.advance(),
        }
    }

    /// The bodies as they are passed to a step.
    pub fn chunks(&self) -> Vec<Bodies<'_>> {
        match &self.kind {
            Kind::Siege(siege) => siege.chunks(),
            Kind::Scene(scene, movers) => {
                let bodies = Bodies::new(&scene.centers, &scene.half_extents);
                // Rows are reused in this scene, so contacts are tracked by ids.
                let bodies = if scene.name == SceneName::Churn { bodies.with_ids(&scene.ids) } else { bodies };
                match &scene.displacements {
                    Some(moves) if movers.is_none() => vec![bodies.with_displacements(moves)],
                    _ => vec![bodies],
                }
            }
        }
    }

    /// The rows that change in each frame; `None` if all may.
    pub fn changed_rows(&self) -> Option<&[u32]> {
        match &self.kind {
            Kind::Siege(siege) => Some(siege.moving_rows()),
            Kind::Scene(_, movers) => movers.as_ref().map(|movers| &movers.rows[..]),
        }
    }

    /// Boxes that do not move.
    pub fn statics(&self) -> &[[f32; 4]] {
        match &self.kind {
            Kind::Siege(siege) => siege.statics(),
            Kind::Scene(scene, _) => &scene.statics,
        }
    }

    /// The statics that are to be enabled or disabled in this frame, and which of both.
    pub(crate) fn switched_statics(&self) -> impl Iterator<Item = (u32, bool)> + use<> {
        let doors = match &self.kind {
            Kind::Siege(siege) => Some(siege.switched_doors()),
            Kind::Scene(..) => None,
        };
        doors.into_iter().flatten()
    }

    /// The box to be looked at.
    pub fn world(&self) -> [f32; 4] {
        match &self.kind {
            Kind::Siege(siege) => siege.world(),
            Kind::Scene(scene, _) => scene.world,
        }
    }
}
