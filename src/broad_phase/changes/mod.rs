//! Steps that are told which rows changed.
//!
//! Such a step updates the frame of the last one: `changed_bodies` reads the rows, `row_index`
//! knows where each is filed and moves the changed ones, `search` finds their partners in that
//! frame, `neighbor_lists` has those of rows that keep moving, and `changed_pairs` finds all pairs.
//! What becomes of these is in `contacts::changes`.

pub(crate) mod changed_bodies;
pub(crate) mod changed_pairs;
pub(crate) mod changed_set;
pub(crate) mod changes;
mod dirty_cells;
pub(crate) mod found_changes;
mod list_task;
mod neighbor_lists;
pub(crate) mod pair_edits;
pub(crate) mod row_index;
pub(crate) mod search;
