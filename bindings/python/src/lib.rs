//! Python bindings of triphase; `python/triphase/__init__.py` is the package that users import.
//!
//! # Modules, in the order of data flow
//!
//! * `columns`: NumPy arrays, checked and borrowed. `errors`: exceptions.
//! * `pool`: the threads that worlds run on. `shared`: a world that Python threads may share.
//! * `settings`, `world`: creating a world, reading its settings, statics, figures.
//! * `step`: stepping. `contacts`, `events`: what a step found.
//! * `queries`, `rays`, `hits`: queries between steps, and what they find.
//! * `recordings`: the calls of a world in a file, and made again.
//! * `results`: what is found, as Python objects.
//! * `neighbors`: pairs of points within a distance, without a world.

mod columns;
mod contacts;
mod errors;
mod events;
mod hits;
mod neighbors;
mod pool;
mod queries;
mod rays;
mod recordings;
mod report;
mod results;
mod settings;
mod shared;
mod statics;
mod step;
mod world;

/// The native part of the package `triphase`.
#[pyo3::pymodule(gil_used = true)]
mod _triphase {
    #[pymodule_export]
    use crate::neighbors::neighbors_within;
    #[pymodule_export]
    use crate::recordings::replay;
    #[pymodule_export]
    use crate::world::World;
    #[pymodule_export]
    #[allow(non_upper_case_globals)] // a name that Python packages have
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
