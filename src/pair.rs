//! What a step reports.

/// Two bodies whose boxes overlap: rows of the step's input, `a < b`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Pair {
    /// The lower row.
    pub a: u32,
    /// The higher row.
    pub b: u32,
}

/// A body and a static whose boxes overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct StaticPair {
    /// Row of the step's input.
    pub body: u32,
    /// Row of the static set.
    pub static_row: u32,
}

/// An entity found by a query: its row, and its id if there is an id column.
///
/// Rows are those of the step (or of the static set), not of your columns as they are now. Once
/// bodies were added, removed or moved within the columns, for example by `swap_remove`, a row of
/// the last step may be another body. Then match hits by id:
///
/// ```
/// use triphase::{Bodies, Hit, Point, World};
/// let (mut ids, mut centers) = (vec![10u64, 11, 12], vec![[0.0f32, 0.0], [5.0, 0.0], [9.0, 0.0]]);
/// let mut world = World::default();
/// world.step(Bodies::uniform(&centers, [0.5, 0.5]).with_ids(&ids))?;
///
/// ids.swap_remove(0); // body 12 moves from row 2 to row 0
/// centers.swap_remove(0);
/// let found = world.nearest(Point::new([9.0, 0.0])?).unwrap().target;
/// assert_eq!(found, Hit::Body { row: 2, id: Some(12) }); // as in the step
/// let Hit::Body { id: Some(id), .. } = found else { unreachable!() };
/// assert_eq!(ids.iter().position(|&other| other == id), Some(0)); // its row now; keep a map for this
/// # Ok::<(), triphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hit {
    /// A body.
    Body {
        /// Its row in the step.
        row: u32,
        /// Its id, if the step had an id column.
        id: Option<u64>,
    },
    /// A static.
    Static {
        /// Its row in the static set.
        row: u32,
        /// Its id, if the static set has ids.
        id: Option<u64>,
    },
}

// SAFETY: `repr(C)`, two u32, no padding; any bits are a valid value.
#[allow(unsafe_code)]
unsafe impl bytemuck::Zeroable for Pair {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl bytemuck::Pod for Pair {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl bytemuck::Zeroable for StaticPair {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl bytemuck::Pod for StaticPair {}

const _: () = assert!(size_of::<Pair>() == 8 && size_of::<StaticPair>() == 8);
