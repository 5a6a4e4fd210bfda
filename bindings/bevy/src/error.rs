//! The error of a step.

use bevy_ecs::entity::Entity;
use std::fmt;

/// A step that failed, and the entity that made it fail.
///
/// The last contacts are still there. The system that steps returns this error to Bevy's error
/// handler, which panics unless you set another.
#[derive(Clone, Debug, PartialEq)]
pub struct StepError {
    /// The entity whose row is invalid.
    pub entity: Option<Entity>,
    /// Why.
    pub error: triphase::Error,
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.entity {
            Some(entity) => write!(f, "entity {entity}: {}", self.error),
            None => self.error.fmt(f),
        }
    }
}

impl std::error::Error for StepError {}
