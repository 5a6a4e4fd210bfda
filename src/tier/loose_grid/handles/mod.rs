//! A double grid that persists over many frames and is changed through handles.

pub(crate) mod grid;
mod pairs;
pub(crate) mod query;
pub(crate) mod slots;
mod tight;
#[cfg(test)]
mod validate;
