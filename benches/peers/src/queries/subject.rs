//! What is queried: boxes in motion, boxes that never move, or both.

use super::towns::Towns;
use crate::boxes::{Box4, body_boxes};
use crate::engine::Frame;
use std::fmt;
use std::str::FromStr;
use triphase_scenes::{Scene, SceneName, SplitMix64};

/// Half-extent of a town's box, in km.
const TOWN_HALF_EXTENT: f32 = 1.0;

/// Width of the world of [`SubjectName::TenBodies`], in cells.
const EMPTY_WORLD: f64 = 1000.0;

/// The name of a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubjectName {
    /// A scene of the generator after one step.
    Scene(SceneName),
    /// Towns as points, which never move.
    Towns,
    /// Towns as boxes of 2 km, which never move.
    TownBoxes,
    /// Ten bodies in a world of a million cells.
    TenBodies,
}

impl FromStr for SubjectName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "towns" => Ok(Self::Towns),
            "town_boxes" => Ok(Self::TownBoxes),
            "ten_bodies" => Ok(Self::TenBodies),
            _ => name.parse().map(Self::Scene).map_err(|error| format!("{error}, towns, town_boxes, ten_bodies")),
        }
    }
}

impl fmt::Display for SubjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Scene(scene) => scene.as_str(),
            Self::Towns => "towns",
            Self::TownBoxes => "town_boxes",
            Self::TenBodies => "ten_bodies",
        })
    }
}

/// The boxes to query. The number of a box is the row of a body, or the row of a static plus the
/// number of bodies.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Name of the subject.
    pub name: SubjectName,
    /// Centers of the bodies.
    pub centers: Vec<[f32; 2]>,
    /// Half-extents of the bodies, in the same rows.
    pub half_extents: Vec<[f32; 2]>,
    /// Whether the bodies never move; triphase then has them as statics, without a world.
    pub is_static: bool,
    /// Boxes that never move, besides the bodies.
    pub statics: Vec<Box4>,
    /// Width of a cell, if triphase is given one.
    pub cell_size: Option<f32>,
    /// All boxes, by number.
    pub boxes: Vec<Box4>,
    /// Mean width of a body; for points, a length that is small compared with their distances.
    pub side: f32,
}

impl Subject {
    /// Creates a subject; `bodies` is used by scenes only.
    ///
    /// # Errors
    ///
    /// If the subject needs towns and there are none.
    pub fn new(name: SubjectName, bodies: usize, seed: u64, towns: Option<&Towns>) -> Result<Self, String> {
        let towns = || towns.ok_or_else(|| format!("{name}: needs a file of towns (--towns FILE)"));
        let points = |towns: &Towns, half| (towns.places.clone(), vec![[half; 2]; towns.places.len()]);
        Ok(match name {
            SubjectName::Scene(scene) => {
                let Scene { centers, half_extents, statics, .. } = Scene::new(scene, bodies, seed);
                Self::of(name, (centers, half_extents), statics, false)
            }
            SubjectName::Towns => Self::of(name, points(towns()?, 0.0), Vec::new(), true),
            SubjectName::TownBoxes => Self::of(name, points(towns()?, TOWN_HALF_EXTENT), Vec::new(), true),
            SubjectName::TenBodies => ten_bodies(seed),
        })
    }

    fn of(name: SubjectName, columns: (Vec<[f32; 2]>, Vec<[f32; 2]>), statics: Vec<Box4>, is_static: bool) -> Self {
        let (centers, half_extents) = columns;
        let frame = Frame { centers: &centers, half_extents: &half_extents };
        let boxes: Vec<Box4> = body_boxes(frame).chain(statics.iter().copied()).collect();
        let sides: f64 = half_extents.iter().map(|half| f64::from(half[0]) + f64::from(half[1])).sum();
        let mean = (sides / half_extents.len().max(1) as f64) as f32;
        let side = if mean > 0.0 { mean } else { 2.0 * TOWN_HALF_EXTENT };
        Self { name, centers, half_extents, is_static, statics, cell_size: None, boxes, side }
    }

    /// Whether all boxes are points.
    pub fn is_points(&self) -> bool {
        self.boxes.iter().all(|[min_x, min_y, max_x, max_y]| min_x == max_x && min_y == max_y)
    }

    /// The smallest box that covers all boxes.
    pub fn bounds(&self) -> Box4 {
        let none = [f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY];
        self.boxes.iter().fold(none, |a, b| [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])])
    }
}

/// Ten bodies: two in opposite corners, the others anywhere.
fn ten_bodies(seed: u64) -> Subject {
    let mut random = SplitMix64::new(seed);
    let mut anywhere = || [random.range(0.0, EMPTY_WORLD), random.range(0.0, EMPTY_WORLD)];
    let mut centers = vec![[0.0; 2], [EMPTY_WORLD as f32; 2]];
    centers.extend((0..8).map(|_| anywhere()));
    let half_extents = vec![[0.25; 2]; centers.len()];
    let subject = Subject::of(SubjectName::TenBodies, (centers, half_extents), Vec::new(), false);
    Subject { cell_size: Some(1.0), ..subject }
}
