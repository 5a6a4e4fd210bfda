//! The frame of a step: the result of filing its bodies.

pub(crate) mod cached_bodies;
pub(crate) mod frame;
pub(crate) mod frames;
pub(crate) mod moved;
pub(crate) mod oversized;
pub(crate) mod phases;
pub(crate) mod point_parts;
pub(crate) mod static_grid;
pub(crate) mod statics;
pub(crate) mod statics_version;
pub(crate) mod stored_boxes;
