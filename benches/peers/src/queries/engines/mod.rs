//! The engines, and the list of them.

mod kiddo;
mod parry;
mod rstar;
mod static_index;
mod triphase;
mod triphase_batch;

use super::engine::Engine;
use super::subject::Subject;

/// An engine that can be created, and for which subjects.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Name, as in `--engines`.
    pub name: &'static str,
    /// The package that the engine comes from.
    pub package: &'static str,
    /// Whether the engine can query a subject.
    pub fits: fn(&Subject) -> bool,
    /// Creates the engine with an index of all boxes.
    pub make: fn(&Subject) -> Box<dyn Engine>,
}

/// All engines, triphase first, since the others are compared with it. One line adds an engine.
pub fn all() -> Vec<Entry> {
    let entry = |name, package, fits, make| Entry { name, package, fits, make };
    vec![
        entry("triphase", "triphase", |_| true, triphase::make),
        entry("triphase_bodies", "triphase", |subject| subject.is_static, triphase::make_as_bodies),
        entry("triphase_batch", "triphase", |_| true, |subject| Box::new(triphase_batch::Batch::new(subject))),
        entry("parry2d", "parry2d", |_| true, |subject| Box::new(parry::Parry::new(subject))),
        entry(
            "static_aabb2d_index",
            "static_aabb2d_index",
            |_| true,
            |subject| Box::new(static_index::StaticIndex::new(subject)),
        ),
        entry("rstar", "rstar", |_| true, |subject| Box::new(rstar::Rstar::new(subject))),
        entry("kiddo", "kiddo", Subject::is_points, |subject| Box::new(kiddo::Kiddo::new(subject))),
    ]
}
