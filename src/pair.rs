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

/// What a query met: a row, and its id where an id column was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hit {
    /// A body of the step that was asked.
    Body {
        /// Row of that step's input.
        row: u32,
        /// The caller's id.
        id: Option<u64>,
    },
    /// A static of the set that was asked.
    Static {
        /// Row of the static set.
        row: u32,
        /// The caller's id.
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
