//! The caller's columns, borrowed.
//!
//! B1: a column element is as large and as aligned as the plain array it is read as (boxes may also be aligned as a vector
//! register is); both are checked when the generic code is compiled, so no cast can fail at run time, and columns of
//! f64 or u64 are refused.

use crate::error::{Column, Error, InvalidRow};
use crate::geometry::RawAabb;
use crate::input::filter::Filter;
use bytemuck::NoUninit;

/// A column of 2D vectors as `[f32; 2]`, without a copy.
fn vectors<T: NoUninit>(column: &[T]) -> &[[f32; 2]] {
    // B1
    const { assert!(size_of::<T>() == 8 && align_of::<T>() == 4, "a vector column holds two f32 a row") };
    bytemuck::cast_slice(column)
}

/// A column of boxes as `[min_x, min_y, max_x, max_y]`, without a copy.
pub(crate) fn boxes<T: NoUninit>(column: &[T]) -> &[RawAabb] {
    // B1
    const {
        let align = align_of::<T>();
        assert!(size_of::<T>() == 16 && (align == 4 || align == 16), "a box column holds four f32 a row");
    };
    bytemuck::cast_slice(column)
}

/// That a row is a finite box that is not inverted; else the first bad edge, lower corner first.
pub(crate) fn check_box(row: u32, aabb: &RawAabb) -> Result<(), InvalidRow> {
    let finite = aabb.iter().fold(true, |all, edge| all & edge.is_finite());
    if finite & (aabb[0] <= aabb[2]) & (aabb[1] <= aabb[3]) { Ok(()) } else { Err(name_fault(row, aabb)) }
}

#[cold]
#[inline(never)]
fn name_fault(row: u32, aabb: &RawAabb) -> InvalidRow {
    let bad_min = (0..2).find(|&axis| !aabb[axis].is_finite());
    let bad_max = (0..2).find(|&axis| !aabb[axis + 2].is_finite() || aabb[axis + 2] < aabb[axis]);
    match (bad_min, bad_max) {
        (Some(axis), _) => InvalidRow::new(row, Column::Min, axis, aabb[axis]),
        (None, axis) => {
            let axis = axis.unwrap_or(0);
            InvalidRow::new(row, Column::Max, axis, aabb[axis + 2])
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape<'a> {
    Centers { centers: &'a [[f32; 2]], half_extents: &'a [[f32; 2]] },
    Uniform { centers: &'a [[f32; 2]], half_extents: [f32; 2] },
    Aabbs(&'a [[f32; 4]]),
}

impl Shape<'_> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Centers { centers, .. } | Self::Uniform { centers, .. } => centers.len(),
            Self::Aabbs(aabbs) => aabbs.len(),
        }
    }
}

/// The moving entities of one step: borrowed columns, a row each.
///
/// A vector column is a `&[T]` of `[f32; 2]`, of [`glam::Vec2`](crate::glam::Vec2), or of any type of two f32 that
/// `bytemuck` can cast (`NoUninit`), so no particular version of glam is asked for. Nothing is copied until
/// [`World::step`](crate::World::step) reads it, and nothing stays borrowed after.
///
/// ```
/// use triphase::{Bodies, World};
/// let centers = [[0.0f32, 0.0], [0.9, 0.0], [5.0, 5.0]];
/// let half_extents = [[0.5f32, 0.5]; 3];
/// let mut world = World::default();
/// let contacts = world.step(Bodies::new(&centers, &half_extents).with_ids(&[70, 71, 72]))?;
/// let pair = contacts.body_pairs().next().unwrap();
/// assert_eq!((pair.a, pair.b), (0, 1));
/// assert_eq!(contacts.body_id(pair.b), Some(71));
/// # Ok::<(), triphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Bodies<'a> {
    pub(crate) shape: Shape<'a>,
    pub(crate) displacements: Option<&'a [[f32; 2]]>,
    pub(crate) ids: Option<&'a [u64]>,
    pub(crate) filters: Option<&'a [Filter]>,
    pub(crate) asleep: Option<&'a [bool]>,
}

impl<'a> Bodies<'a> {
    /// Bodies by centre and half-extents (from the centre to the sides, not the full width), in world units. The box of
    /// a row is `center - half` to `center + half`, computed in f32.
    pub fn new<C: NoUninit, H: NoUninit>(centers: &'a [C], half_extents: &'a [H]) -> Self {
        Self::of(Shape::Centers { centers: vectors(centers), half_extents: vectors(half_extents) })
    }

    /// Bodies that all have the same half-extents.
    pub fn uniform<C: NoUninit>(centers: &'a [C], half_extents: impl Into<[f32; 2]>) -> Self {
        Self::of(Shape::Uniform { centers: vectors(centers), half_extents: half_extents.into() })
    }

    /// Bodies by their boxes, taken bit for bit: `[f32; 4]` as `min_x, min_y, max_x, max_y`, [`Aabb`](crate::Aabb), or
    /// any castable type of four f32.
    pub fn from_aabbs<T: NoUninit>(aabbs: &'a [T]) -> Self {
        Self::of(Shape::Aabbs(boxes(aabbs)))
    }

    fn of(shape: Shape<'a>) -> Self {
        Self { shape, displacements: None, ids: None, filters: None, asleep: None }
    }

    /// How far each body moves in this step: its box then covers the whole way from here to there, so that fast bodies do
    /// not tunnel. Computed in f32: the box at `center`, united with the box at `center + displacement`.
    ///
    /// A step of which any row has a displacement is decided by boxes alone, for all its rows, also where the world was told
    /// [`BodyShape::Circle`](crate::BodyShape::Circle): no disc covers a motion.
    pub fn with_displacements<D: NoUninit>(mut self, displacements: &'a [D]) -> Self {
        self.displacements = Some(vectors(displacements));
        self
    }

    /// The caller's ids (`Entity::to_bits`, say), handed back by [`Contacts::body_id`](crate::Contacts::body_id) and in
    /// query hits. They are copied.
    pub fn with_ids(mut self, ids: &'a [u64]) -> Self {
        self.ids = Some(ids);
        self
    }

    /// Which bodies and statics each body may make a pair with: see [`Filter`]. Rows of columns without filters have
    /// [`Filter::ALL`], so chunks with and without may be mixed. They are copied.
    pub fn with_filters(mut self, filters: &'a [Filter]) -> Self {
        self.filters = Some(filters);
        self
    }

    /// Which bodies are asleep: they will most likely be in the next step what they are in this one. A hint that saves work and
    /// never changes which pairs a step reports, nor what questions find: bodies that sleep stay filed from step to step, with
    /// the pairs among them and with statics, as long as their boxes, bit for bit, and filters are seen to be unchanged. One
    /// that is new, changed or awake is treated as if it had no hint. Rows of columns without hints are awake.
    ///
    /// ```
    /// use triphase::{Bodies, World};
    /// let mut world = World::default();
    /// let mut centers: Vec<[f32; 2]> = (0..1000).map(|k| [k as f32, 0.0]).collect();
    /// let asleep: Vec<bool> = (0..1000).map(|row| row != 7).collect();
    /// for frame in 0..5 {
    ///     centers[7][1] = frame as f32; // flies away from its neighbours
    ///     let contacts = world.step(Bodies::uniform(&centers, [0.6, 0.6]).with_asleep(&asleep))?;
    ///     assert_eq!(contacts.body_pairs().len(), if frame < 2 { 999 } else { 997 });
    /// }
    /// assert_eq!(world.report().asleep, 999);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Determinism
    ///
    /// The set of pairs is what it is without hints. Their order, and that of hits, is the same at any thread count and on any
    /// instruction set for the same sequence of calls, but with hints it may depend on the steps before: on which bodies
    /// slept in them.
    ///
    /// # Cost
    ///
    /// A sleeper costs a comparison, an eighth of what a body costs else; a body that moves among sleepers costs about four
    /// times as much as else. So hints are followed where at most a fifth of the bodies move; where more do, a step costs what
    /// it costs without them, and at most the comparison. Bodies that fell asleep are filed once they were seen unchanged for
    /// long enough to be worth it; a step that files them costs at most twice what it costs without hints. So does one after
    /// statics changed, as a rule: statics that are switched in every step leave little to be saved.
    pub fn with_asleep(mut self, asleep: &'a [bool]) -> Self {
        self.asleep = Some(asleep);
        self
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        self.shape.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// That every column is as long as the first.
    pub(crate) fn check_lengths(&self, chunk: usize) -> Result<(), Error> {
        let expected = self.len();
        let half_extents = match self.shape {
            Shape::Centers { half_extents, .. } => Some(half_extents.len()),
            _ => None,
        };
        let columns = [
            (Column::HalfExtent, half_extents),
            (Column::Displacement, self.displacements.map(<[_]>::len)),
            (Column::Id, self.ids.map(<[_]>::len)),
            (Column::Filter, self.filters.map(<[_]>::len)),
            (Column::Asleep, self.asleep.map(<[_]>::len)),
        ];
        match columns.into_iter().find(|&(_, len)| len.is_some_and(|len| len != expected)) {
            Some((column, Some(found))) => Err(Error::ColumnLengthMismatch { chunk, column, expected, found }),
            _ => Ok(()),
        }
    }
}

/// What never moves: a column of boxes, taken bit for bit, and optionally ids and filters.
///
/// A slice, array or `Vec` of boxes converts into it, so `world.set_statics(&walls)` is enough; `Statics::default()` is
/// none at all.
#[derive(Clone, Copy, Debug, Default)]
pub struct Statics<'a> {
    pub(crate) aabbs: &'a [[f32; 4]],
    pub(crate) ids: Option<&'a [u64]>,
    pub(crate) filters: Option<&'a [Filter]>,
}

impl<'a> Statics<'a> {
    /// Statics by their boxes: `[f32; 4]` as `min_x, min_y, max_x, max_y`, [`Aabb`](crate::Aabb), or any castable type of
    /// four f32.
    pub fn new<T: NoUninit>(aabbs: &'a [T]) -> Self {
        Self { aabbs: boxes(aabbs), ids: None, filters: None }
    }

    /// The caller's ids. They are copied.
    pub fn with_ids(mut self, ids: &'a [u64]) -> Self {
        self.ids = Some(ids);
        self
    }

    /// Which bodies each static may make a pair with: see [`Filter`]. Without, all have [`Filter::ALL`]. They are copied.
    pub fn with_filters(mut self, filters: &'a [Filter]) -> Self {
        self.filters = Some(filters);
        self
    }
}

impl<'a, T: NoUninit> From<&'a [T]> for Statics<'a> {
    fn from(aabbs: &'a [T]) -> Self {
        Self::new(aabbs)
    }
}

impl<'a, T: NoUninit> From<&'a Vec<T>> for Statics<'a> {
    fn from(aabbs: &'a Vec<T>) -> Self {
        Self::new(aabbs)
    }
}

impl<'a, T: NoUninit, const N: usize> From<&'a [T; N]> for Statics<'a> {
    fn from(aabbs: &'a [T; N]) -> Self {
        Self::new(aabbs)
    }
}
