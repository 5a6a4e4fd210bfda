//! Contact pairs and query hits.

/// A contact pair of two bodies.
///
/// Their boxes overlap and their filters accept each other. Whether the shapes inside the boxes
/// touch is not tested, except for [`BodyShape::Circle`](crate::BodyShape::Circle).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Pair {
    /// The lower row of the step's input.
    pub a: u32,
    /// The higher row of the step's input.
    pub b: u32,
}

/// A contact pair of a body and a static; see [`Pair`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct StaticPair {
    /// Row of the body in the step's input.
    pub body: u32,
    /// Row of the static in the static set.
    pub static_row: u32,
}

/// A body or static found by a query.
///
/// Rows are those of the step that was queried. Once you add, remove or reorder rows, for example
/// with `swap_remove`, a row of an earlier step may belong to another entity or to none. To keep
/// track of entities, give them ids, and look up the row of an id:
///
/// ```
/// use std::collections::HashMap;
/// use triphase::{Aabb, Bodies, Hit, World};
///
/// let mut ids = vec![70u64, 71, 72]; // of an ECS: `Entity::to_bits`
/// let mut centers = vec![[0.0f32, 0.0], [5.0, 0.0], [9.0, 0.0]];
/// let mut rows: HashMap<u64, usize> = (0..3).map(|row| (ids[row], row)).collect();
///
/// let mut world = World::default();
/// world.step(Bodies::uniform(&centers, [0.5, 0.5]).with_ids(&ids))?;
/// let hit = world.query_aabb(Aabb::new([8.0, -1.0], [10.0, 1.0])?).next();
/// assert_eq!(hit, Some(Hit::Body { row: 2, id: Some(72) }));
/// assert_eq!(hit.and_then(Hit::body_row), Some(2));
///
/// // Remove the first entity: the last one moves to its row.
/// rows.remove(&ids[0]);
/// ids.swap_remove(0);
/// centers.swap_remove(0);
/// rows.insert(ids[0], 0);
/// assert_eq!(centers[rows[&72]], [9.0, 0.0]); // row 2 no longer exists
/// # Ok::<(), triphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hit {
    /// A moving body.
    Body {
        /// Row of the step's input.
        row: u32,
        /// The caller's id, if the step had an id column.
        id: Option<u64>,
    },
    /// A static.
    Static {
        /// Row of the static set.
        row: u32,
        /// The caller's id, if the set had an id column.
        id: Option<u64>,
    },
}

impl Hit {
    /// The row of a body; `None` for a static.
    pub fn body_row(self) -> Option<u32> {
        match self {
            Self::Body { row, .. } => Some(row),
            Self::Static { .. } => None,
        }
    }

    /// The row of a static; `None` for a body.
    pub fn static_row(self) -> Option<u32> {
        match self {
            Self::Body { .. } => None,
            Self::Static { row, .. } => Some(row),
        }
    }

    /// The caller's id, if the bodies, or the statics, have ids.
    ///
    /// ```
    /// use triphase::Hit;
    /// let wall = Hit::Static { row: 3, id: Some(70) };
    /// assert_eq!((wall.static_row(), wall.body_row(), wall.id()), (Some(3), None, Some(70)));
    /// ```
    pub fn id(self) -> Option<u64> {
        match self {
            Self::Body { id, .. } | Self::Static { id, .. } => id,
        }
    }
}

const _: () = assert!(size_of::<Pair>() == 8 && size_of::<StaticPair>() == 8);

/// Packs a row and its partner, so that ascending entries are ascending pairs.
#[inline(always)]
pub(crate) fn entry(row: u32, partner: u32) -> u64 {
    u64::from(row) << 32 | u64::from(partner)
}

/// Unpacks a row and its partner.
#[inline(always)]
pub(crate) fn row_and_partner(entry: u64) -> [u32; 2] {
    [(entry >> 32) as u32, entry as u32]
}
