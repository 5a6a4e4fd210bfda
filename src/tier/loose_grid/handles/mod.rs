//! A double grid that lives over many frames and is changed through handles.

pub(super) mod grid;
mod pairs;
mod query;
pub(super) mod slots;
mod tight;
#[cfg(test)]
mod validate;
