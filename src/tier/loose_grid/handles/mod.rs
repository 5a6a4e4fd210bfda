//! A double grid that lives over many frames and is changed through handles.

pub(crate) mod grid;
pub(crate) mod pairs;
pub(crate) mod query;
pub(crate) mod tight;
