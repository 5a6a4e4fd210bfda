//! Bodies that own their columns, in each of the shapes that a step takes.

use std::fmt::{self, Debug, Formatter};
use triphase::geometry::RawAabb;
use triphase::reference::body_aabb;
use triphase::{Bodies, Filter};

#[derive(Clone, Debug)]
pub enum Shape {
    Centers { centers: Vec<[f32; 2]>, half_extents: Vec<[f32; 2]> },
    Uniform { centers: Vec<[f32; 2]>, half_extents: [f32; 2] },
    Aabbs(Vec<RawAabb>),
}

#[derive(Clone)]
pub struct Columns {
    pub shape: Shape,
    pub displacements: Option<Vec<[f32; 2]>>,
    pub ids: Option<Vec<u64>>,
    pub filters: Option<Vec<Filter>>,
    /// The call of `drawn` that makes them again, if one did.
    pub made_by: Option<String>,
}

// What can be made again is not printed: it has thousands of rows.
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

    /// Of rows of a centre and half-extents each.
    pub fn of(rows: &[([f32; 2], [f32; 2])]) -> Self {
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

    /// What a step is given.
    pub fn bodies(&self) -> Bodies<'_> {
        self.rows(0, self.len())
    }

    /// What a step is given of the rows `from..to`.
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

    /// The box of each row, as the crate's reference defines it; boxes that were given are united with themselves
    /// moved.
    pub fn boxes(&self) -> Vec<RawAabb> {
        let d = |row: usize| self.displacements.as_ref().map(|d| d[row]);
        let size = |row: usize| match &self.shape {
            Shape::Centers { half_extents, .. } => half_extents[row],
            Shape::Uniform { half_extents, .. } => *half_extents,
            Shape::Aabbs(_) => unreachable!("boxes have no half-extents"),
        };
        match &self.shape {
            Shape::Centers { centers, .. } | Shape::Uniform { centers, .. } => {
                centers.iter().enumerate().map(|(row, &c)| body_aabb(c, size(row), d(row))).collect()
            }
            Shape::Aabbs(aabbs) => aabbs.iter().enumerate().map(|(row, &b)| swept(b, d(row))).collect(),
        }
    }
}

/// A given box, here and displaced.
fn swept(b: RawAabb, displacement: Option<[f32; 2]>) -> RawAabb {
    let Some([x, y]) = displacement else { return b };
    triphase::reference::union(b, [b[0] + x, b[1] + y, b[2] + x, b[3] + y])
}

impl From<Shape> for Columns {
    fn from(shape: Shape) -> Self {
        Self { shape, displacements: None, ids: None, filters: None, made_by: None }
    }
}
