//! Advice on what to change if a step costs more than it has to: its texts, and when each applies.

pub(crate) mod advice;
pub(crate) mod rules;
