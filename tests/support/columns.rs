//! Bodies that own their columns, in each of the shapes that a step takes.

use std::fmt::{self, Debug, Formatter};
use triphase::geometry::RawAabb;
use triphase::reference::body_aabb;
use triphase::{Bodies, Filter, World};
use triphase_scenes::{Scene, SplitMix64};

/// How the boxes of bodies are given.
#[derive(Clone, Debug)]
pub enum Shape {
    Centers { centers: Vec<[f32; 2]>, half_extents: Vec<[f32; 2]> },
    Uniform { centers: Vec<[f32; 2]>, half_extents: [f32; 2] },
    Aabbs(Vec<RawAabb>),
}

/// The columns of a step.
#[derive(Clone)]
pub struct Columns {
    pub shape: Shape,
    pub displacements: Option<Vec<[f32; 2]>>,
    pub ids: Option<Vec<u64>>,
    pub filters: Option<Vec<Filter>>,
    /// The call of `large_world` that returned them, if one did.
    pub made_by: Option<String>,
}

// A large world is printed as the call that makes it again.
impl Debug for Columns {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(call) = &self.made_by {
            return f.write_str(call);
        }
        let mut columns = f.debug_struct("Columns");
        columns.field("shape", &self.shape).field("displacements", &self.displacements);
        columns.field("ids", &self.ids).field("filters", &self.filters).finish()
    }
}

impl Columns {
    pub fn new(centers: Vec<[f32; 2]>, half_extents: Vec<[f32; 2]>) -> Self {
        assert_eq!(centers.len(), half_extents.len());
        Shape::Centers { centers, half_extents }.into()
    }

    /// Columns of rows of a centre and half-extents each.
    pub fn from_rows(rows: &[([f32; 2], [f32; 2])]) -> Self {
        let (centers, half_extents) = rows.iter().copied().unzip();
        Self::new(centers, half_extents)
    }

    pub fn uniform(centers: Vec<[f32; 2]>, half_extents: [f32; 2]) -> Self {
        Shape::Uniform { centers, half_extents }.into()
    }

    pub fn aabbs(aabbs: Vec<RawAabb>) -> Self {
        Shape::Aabbs(aabbs).into()
    }

    pub fn with_displacements(self, displacements: Vec<[f32; 2]>) -> Self {
        Self { displacements: Some(displacements), ..self }
    }

    pub fn len(&self) -> usize {
        match &self.shape {
            Shape::Centers { centers, .. } | Shape::Uniform { centers, .. } => centers.len(),
            Shape::Aabbs(aabbs) => aabbs.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The centres, to be changed.
    ///
    /// # Panics
    ///
    /// If the bodies are given by their boxes.
    pub fn centers_mut(&mut self) -> &mut Vec<[f32; 2]> {
        match &mut self.shape {
            Shape::Centers { centers, .. } | Shape::Uniform { centers, .. } => centers,
            Shape::Aabbs(_) => panic!("boxes have no centers"),
        }
    }

    /// The half-extents, to be changed.
    ///
    /// # Panics
    ///
    /// If there is no column of them.
    pub fn half_extents_mut(&mut self) -> &mut Vec<[f32; 2]> {
        match &mut self.shape {
            Shape::Centers { half_extents, .. } => half_extents,
            _ => panic!("no column of half-extents"),
        }
    }

    /// Adds a row, with this id and filter if there are such columns.
    ///
    /// # Panics
    ///
    /// If there is no column of half-extents.
    pub fn push(&mut self, center: [f32; 2], half: [f32; 2], id: u64, filter: Filter) {
        self.centers_mut().push(center);
        self.half_extents_mut().push(half);
        self.ids.iter_mut().for_each(|ids| ids.push(id));
        self.filters.iter_mut().for_each(|filters| filters.push(filter));
    }

    /// Removes a row; the last one takes its place.
    ///
    /// # Panics
    ///
    /// If there is no column of half-extents, or no such row.
    pub fn swap_remove(&mut self, row: usize) {
        self.centers_mut().swap_remove(row);
        self.half_extents_mut().swap_remove(row);
        self.ids.iter_mut().for_each(|ids| _ = ids.swap_remove(row));
        self.filters.iter_mut().for_each(|filters| _ = filters.swap_remove(row));
    }

    /// All rows, borrowed for a step.
    pub fn bodies(&self) -> Bodies<'_> {
        self.rows(0, self.len())
    }

    /// Rows `from..to`, borrowed for a step.
    pub fn rows(&self, from: usize, to: usize) -> Bodies<'_> {
        let mut bodies = match &self.shape {
            Shape::Centers { centers, half_extents } => Bodies::new(&centers[from..to], &half_extents[from..to]),
            Shape::Uniform { centers, half_extents } => Bodies::uniform(&centers[from..to], *half_extents),
            Shape::Aabbs(aabbs) => Bodies::from_aabbs(&aabbs[from..to]),
        };
        if let Some(displacements) = &self.displacements {
            bodies = bodies.with_displacements(&displacements[from..to]);
        }
        if let Some(ids) = &self.ids {
            bodies = bodies.with_ids(&ids[from..to]);
        }
        if let Some(filters) = &self.filters {
            bodies = bodies.with_filters(&filters[from..to]);
        }
        bodies
    }

    /// The rows between each two consecutive `ends`, as chunks of a step.
    pub fn chunks(&self, ends: &[usize]) -> Vec<Bodies<'_>> {
        ends.windows(2).map(|end| self.rows(end[0], end[1])).collect()
    }

    /// The box of each row as the documentation defines it: computed by `reference`, or as given;
    /// united with itself displaced.
    pub fn boxes(&self) -> Vec<RawAabb> {
        let displacement = |row: usize| self.displacements.as_ref().map(|column| column[row]);
        let by_center = |centers: &[[f32; 2]], half: &dyn Fn(usize) -> [f32; 2]| -> Vec<RawAabb> {
            let rows = centers.iter().enumerate();
            rows.map(|(row, &center)| body_aabb(center, half(row), displacement(row))).collect()
        };
        match &self.shape {
            Shape::Centers { centers, half_extents } => by_center(centers, &|row| half_extents[row]),
            Shape::Uniform { centers, half_extents } => by_center(centers, &|_| *half_extents),
            Shape::Aabbs(aabbs) => aabbs.iter().enumerate().map(|(row, &b)| swept(b, displacement(row))).collect(),
        }
    }
}

/// A given box united with itself displaced.
fn swept(b: RawAabb, displacement: Option<[f32; 2]>) -> RawAabb {
    let Some([x, y]) = displacement else { return b };
    triphase::reference::union(b, [b[0] + x, b[1] + y, b[2] + x, b[3] + y])
}

impl From<Shape> for Columns {
    fn from(shape: Shape) -> Self {
        Self { shape, displacements: None, ids: None, filters: None, made_by: None }
    }
}

/// The columns of a scene, ids included.
pub fn scene_columns(scene: &Scene) -> Columns {
    let columns = Columns::new(scene.centers.clone(), scene.half_extents.clone());
    Columns { displacements: scene.displacements.clone(), ids: Some(scene.ids.clone()), ..columns }
}

/// Wide bodies, with some tall ones of the same length and some squares, in one place: so many
/// that both kinds get a grid each from 9,000 bodies on, as [`has_grids_for_orientations`] tells.
pub fn wide_among_tall(count: usize, random: &mut SplitMix64) -> Columns {
    let side = (count as f64 * 0.9).sqrt();
    let half = |k: usize| match k % 24 {
        0 => [0.4, 0.4],
        k if k % 8 == 1 => [0.01, 16.0],
        _ => [16.0, 0.01],
    };
    let rows: Vec<_> = (0..count).map(|k| (random.point(0.0, side), half(k))).collect();
    Columns::from_rows(&rows)
}

/// Whether wide and tall bodies had grids of their own in the last step.
pub fn has_grids_for_orientations(world: &World) -> bool {
    world.report().grids.iter().any(|grid| grid.half_extents_max[0] != grid.half_extents_max[1])
}

/// A pile of wide bodies beside a row of tall ones, with some squares: on either axis half of them
/// are beside each other, and few overlap.
pub fn pile_and_row(count: usize, random: &mut SplitMix64) -> Columns {
    let side = count as f32 * 0.4;
    let row = |k: usize| match k % 3 {
        0 => ([0.0, random.range(0.0, side)], [random.range(0.0, 9.0), 0.4]),
        1 => ([random.range(5.0, side), -4.0], [0.4, random.range(0.0, 9.0)]),
        _ if k.is_multiple_of(2) => ([2.0, random.range(0.0, side)], [1.0, 1.0]),
        _ => ([random.range(0.0, side), 2.0], [1.0, 1.0]),
    };
    Columns::from_rows(&(0..count).map(row).collect::<Vec<_>>())
}

/// The bodies of a scene, ids included, borrowed for a step.
pub fn scene_bodies(scene: &Scene) -> Bodies<'_> {
    let bodies = Bodies::new(&scene.centers, &scene.half_extents).with_ids(&scene.ids);
    scene.displacements.as_ref().map_or(bodies, |displacements| bodies.with_displacements(displacements))
}

/// The boxes with each edge brought into what f32 holds.
pub fn clamp_to_finite(boxes: &[RawAabb]) -> Vec<RawAabb> {
    boxes.iter().map(|aabb| aabb.map(|edge| edge.clamp(f32::MIN, f32::MAX))).collect()
}
