//! The engines, and the list of them.

pub mod afternoon_grid;
pub mod box2d;
mod box_pruning;
pub mod broccoli;
mod hshg;
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
pub mod zelll;

use crate::engine::Engine;
use triphase_scenes::SceneName;

/// All engines, triphase first, since the others are compared with it. One line adds an engine.
pub fn all() -> Vec<Entry> {
    vec![
        Entry::package("triphase", |_| Box::<triphase::Triphase>::default()).parallel(),
        Entry::own(|_| Box::<afternoon_grid::AfternoonGrid>::default()),
        Entry::own(|_| Box::<box_pruning::BoxPruning>::default()),
        Entry::own(|_| Box::<hshg::Hshg>::default()).ages(),
        Entry::own(|_| Box::<loose_tight_grid::LooseTightGrid>::default()).ages(),
        Entry::own(|_| Box::<tight_quadtree::TightQuadtree>::default()).ages(),
        Entry::own(|_| Box::<loose_quadtree::LooseQuadtree>::default()).ages(),
        Entry::package("broccoli", |threads| Box::new(broccoli::Broccoli::new(threads))).parallel(),
        Entry::package("parry2d", |threads| Box::new(parry::Parry::incremental(threads))).parallel().ages(),
        Entry::package("parry2d", |threads| Box::new(parry::Parry::rebuilt(threads))).parallel().ages(),
        Entry::package("zelll", |threads| Box::new(zelll::Zelll::new(threads))).parallel().only(zelll::fits),
        // Box2D stops the process if its tree is degenerate.
        Entry::package("boxdd-sys", |_| Box::<box2d::Box2d>::default()).ages().only(|scene| scene != SceneName::Ulp),
        Entry::package("static_aabb2d_index", |threads| Box::new(static_index::StaticIndex::new(threads))).parallel(),
        Entry::package("rstar", |_| Box::<rstar::Rstar>::default()),
        Entry::package("obvhs", |_| Box::<obvhs::Obvhs>::default()),
        Entry::package("rapier2d", |_| Box::<rapier::Rapier>::default()).parallel().ages(),
    ]
}

/// An engine that can be created, and what the race has to know about it.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Creates the engine for a race with this many threads.
    pub make: fn(usize) -> Box<dyn Engine>,
    /// The package that the engine comes from; `None` if it is written here.
    pub package: Option<&'static str>,
    /// Whether the engine has a parallel form.
    pub parallel: bool,
    /// Whether the engine gets slower over frames, so that it has to step the whole warm-up.
    pub ages: bool,
    /// Whether the engine suits a scene, or a map like it; from others the race leaves it out.
    pub fits: fn(SceneName) -> bool,
}

impl Entry {
    /// An engine from a package of crates.io.
    fn package(package: &'static str, make: fn(usize) -> Box<dyn Engine>) -> Self {
        Self { make, package: Some(package), parallel: false, ages: false, fits: |_| true }
    }

    /// An engine that is written here.
    fn own(make: fn(usize) -> Box<dyn Engine>) -> Self {
        Self { make, package: None, parallel: false, ages: false, fits: |_| true }
    }

    fn parallel(self) -> Self {
        Self { parallel: true, ..self }
    }

    fn ages(self) -> Self {
        Self { ages: true, ..self }
    }

    fn only(self, fits: fn(SceneName) -> bool) -> Self {
        Self { fits, ..self }
    }

    /// Name, as in `--engines`.
    pub fn name(&self) -> &'static str {
        (self.make)(1).name()
    }

    /// The version in the lock file, or "own" if the engine is written here.
    pub fn version(&self) -> String {
        self.package.map_or("own".to_owned(), locked_version)
    }
}

/// The version of a package in Cargo.lock.
pub fn locked_version(package: &str) -> String {
    let lock = include_str!("../../Cargo.lock");
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name).skip(1);
    let version = lines.next().and_then(|line| line.strip_prefix("version = "));
    version.unwrap_or("unknown").trim_matches('"').to_owned()
}
