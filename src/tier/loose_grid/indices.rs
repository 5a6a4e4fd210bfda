//! Indices that are typed by what they index, and the one narrowing cast of this folder.
//!
//! INDEX-1: No array here is longer than `u32::MAX - 1`. More entities are rejected, there are
//! fewer cells than entities or a fixed number of them, and entries are limited too (LOOSE-5).

use crate::memory::buffers::plain_buffers;

/// Converts an index, which fits by INDEX-1.
pub(super) fn narrow(index: usize) -> u32 {
    debug_assert!(index < u32::MAX as usize, "INDEX-1");
    index as u32
}

macro_rules! indices {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(super) struct $name(pub(super) u32);

        plain_buffers!($name);

        impl $name {
            #[inline(always)]
            pub(super) fn new(index: usize) -> Self {
                Self(narrow(index))
            }

            #[inline(always)]
            pub(super) fn get(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

/// Indices that link lists, and end them with `NONE`.
macro_rules! links {
    ($($name:ident),*) => {$(
        impl $name {
            pub(super) const NONE: Self = Self(u32::MAX);

            #[inline(always)]
            pub(super) fn some(self) -> Option<Self> {
                (self != Self::NONE).then_some(self)
            }
        }
    )*};
}

indices! {
    /// The slot of an entity, or its position in cell order.
    EntityIndex;
    /// A loose cell.
    LooseIndex;
    /// An entry of the lists of tight cells.
    EntryIndex;
}
links!(EntityIndex, EntryIndex);
