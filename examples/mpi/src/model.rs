//! placeholder
pub(crate) fn print() {}
