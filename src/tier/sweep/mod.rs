//! What sweeps have in common: boxes that are sorted along an axis.
//!
//! A sweep tests only boxes that are beside each other on that axis, wherever they are on the other
//! one. It is for boxes that no cells of one size suit, such as long thin ones or those of many
//! sizes.
//!
//! # Source
//!
//! Boxes are sorted and tested along one axis by "sweep and prune" (Baraff, 1992; Cohen et al.,
//! 1995). The form without a list of open boxes, in which a box is tested with those that begin in
//! it, is that of Pierre Terdiman's "box pruning" (2002).

pub(crate) mod axis_sample;
pub(crate) mod packed_tree;
pub(crate) mod sorted_columns;
