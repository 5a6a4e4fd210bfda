//! Steps that are told which rows changed.
//!
//! Such a step updates the frame of the last one: `changed_bodies` reads the rows, `row_index`
//! knows where each is filed and moves the changed ones, `search` finds their partners in that
//! frame, and `changed_pairs` all their pairs. What becomes of these is in `contacts::changes`.

pub(crate) mod changed_bodies;
pub(crate) mod changed_body;
pub(crate) mod changed_pairs;
pub(crate) mod changed_set;
pub(crate) mod found_changes;
pub(crate) mod pair_edits;
pub(crate) mod row_index;
pub(crate) mod search;
