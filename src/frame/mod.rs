//! Everything that one step filed.

pub(crate) mod frame;
pub(crate) mod frames;
pub(crate) mod order;
pub(crate) mod oversized;
pub(crate) mod phases;
pub(crate) mod sleepers;
pub(crate) mod statics;
