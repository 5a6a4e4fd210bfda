//! The engines, and the list of them.

pub mod afternoon_grid;
pub mod broccoli;
mod loose_quadtree;
mod loose_tight_grid;
pub mod obvhs;
mod original;
pub mod parry;
pub mod rapier;
pub mod rstar;
pub mod static_index;
mod tight_quadtree;
pub mod triphase;

use crate::engine::Engine;

/// All engines, triphase first: it is what others are compared with. One line adds an engine.
pub fn all() -> Vec<Entry> {
    vec![
        Entry::package("triphase", |_| Box::<triphase::Triphase>::default()).parallel(),
        Entry::own(|_| Box::<afternoon_grid::AfternoonGrid>::default()),
        Entry::own(|_| Box::<loose_tight_grid::LooseTightGrid>::default()).ages(),
        Entry::own(|_| Box::<tight_quadtree::TightQuadtree>::default()).ages(),
        Entry::own(|_| Box::<loose_quadtree::LooseQuadtree>::default()).ages(),
        Entry::package("broccoli", |threads| Box::new(broccoli::Broccoli::new(threads))).parallel(),
        Entry::package("parry2d", |threads| Box::new(parry::Parry::incremental(threads))).parallel().ages(),
        Entry::package("parry2d", |threads| Box::new(parry::Parry::rebuilt(threads))).parallel().ages(),
        Entry::package("static_aabb2d_index", |threads| Box::new(static_index::StaticIndex::new(threads))).parallel(),
        Entry::package("rstar", |_| Box::<rstar::Rstar>::default()),
        Entry::package("obvhs", |_| Box::<obvhs::Obvhs>::default()),
        Entry::package("rapier2d", |_| Box::<rapier::Rapier>::default()).parallel().ages(),
    ]
}

/// An engine that can be made, and what the harness has to know of it.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Makes one for a run of so many threads.
    pub make: fn(usize) -> Box<dyn Engine>,
    /// The package it comes from; `None` if it is written here.
    pub package: Option<&'static str>,
    /// Whether it uses more than one thread where it may.
    pub parallel: bool,
    /// Whether it gets slower from frame to frame, so that it has to be measured old.
    pub ages: bool,
}

impl Entry {
    /// From a package of crates.io.
    fn package(package: &'static str, make: fn(usize) -> Box<dyn Engine>) -> Self {
        Self { make, package: Some(package), parallel: false, ages: false }
    }

    /// Written here.
    fn own(make: fn(usize) -> Box<dyn Engine>) -> Self {
        Self { make, package: None, parallel: false, ages: false }
    }

    fn parallel(self) -> Self {
        Self { parallel: true, ..self }
    }

    fn ages(self) -> Self {
        Self { ages: true, ..self }
    }

    /// As `--engines` takes it.
    pub fn name(&self) -> &'static str {
        (self.make)(1).name()
    }

    /// The version that was built, from the lock file; "own" if it is written here.
    pub fn version(&self) -> String {
        self.package.map_or("own".to_owned(), locked_version)
    }
}

/// What Cargo.lock says of a package.
pub fn locked_version(package: &str) -> String {
    let lock = include_str!("../../Cargo.lock");
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name).skip(1);
    let version = lines.next().and_then(|line| line.strip_prefix("version = "));
    version.unwrap_or("unknown").trim_matches('"').to_owned()
}
