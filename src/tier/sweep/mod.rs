//! Boxes that no cells suit: sorted along an axis, or in a packed tree.
//!
//! A sweep tests only boxes that are beside each other on one axis, wherever they are on the other
//! one. That suits long thin boxes. A tree (`packed_tree`) suits boxes of many sizes, and those
//! that are far denser in some places than in others. `fixed_tree` is one that is kept from step to
//! step.
//!
//! # Source
//!
//! Boxes are sorted and tested along one axis by "sweep and prune" (Baraff, 1992; Cohen et al.,
//! 1995). The form without a list of open boxes, in which a box is tested with those that begin in
//! it, is that of Pierre Terdiman's "box pruning" (2002).

mod alike;
pub(crate) mod axis_sample;
pub(crate) mod fixed_tree;
pub(crate) mod packed_tree;
pub(crate) mod sorted_columns;
