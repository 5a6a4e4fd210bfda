//! Indices by what they count, and the one narrowing cast.
//!
//! I1: no array here is longer than `u32::MAX - 1`: entities are refused beyond it, there are fewer cells than
//! entities or a fixed number, and entries saturate only where memory has long run out.

/// I1: what is more is not to be had.
pub(super) fn narrow(index: usize) -> u32 {
    debug_assert!(index < u32::MAX as usize, "I1");
    index as u32
}

macro_rules! indices {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(super) struct $name(pub(super) u32);

        impl $name {
            /// Ends a list.
            pub(super) const NONE: Self = Self(u32::MAX);

            #[inline(always)]
            pub(super) fn new(index: usize) -> Self {
                Self(narrow(index))
            }

            /// As a place in an array.
            #[inline(always)]
            pub(super) fn at(self) -> usize {
                self.0 as usize
            }

            /// None at the end of a list.
            #[allow(dead_code, reason = "cells are never none")]
            #[inline(always)]
            pub(super) fn some(self) -> Option<Self> {
                (self != Self::NONE).then_some(self)
            }
        }
    )*};
}

indices! {
    /// An entity's slot, or its place in cell order.
    EntityIndex;
    /// A loose cell.
    LooseIndex;
    /// An entry of a tight cell's list.
    EntryIndex;
}
