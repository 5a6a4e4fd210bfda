//! The pairs of steps that are told which rows changed: kept from step to step, and edited.

pub(crate) mod changed_view;
pub(crate) mod kept_pairs;
pub(crate) mod row_lists;
pub(crate) mod segments;
pub(crate) mod sorted_edit;
