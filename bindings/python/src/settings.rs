//! Settings as keyword arguments and attributes of `World`.

use crate::columns::Count;
use crate::errors::{self, Facts};
use crate::pool;
use crate::shared::SharedWorld;
use crate::world::World;
use pyo3::prelude::*;
use triphase::{BodyShape, InvalidRows, SimdLevel, WorldConfig};

const INVALID_ROWS: [(&str, InvalidRows); 2] = [("reject", InvalidRows::Reject), ("skip", InvalidRows::Skip)];

const BODY_SHAPES: [(&str, BodyShape); 2] = [("box", BodyShape::Aabb), ("circle", BodyShape::Circle)];

const SIMD_LEVELS: [(&str, SimdLevel); 5] = [
    ("portable", SimdLevel::Portable),
    ("sse2", SimdLevel::Sse2),
    ("avx2", SimdLevel::Avx2),
    ("avx512", SimdLevel::Avx512),
    ("neon", SimdLevel::Neon),
];

/// The setting of this name.
fn by_name<T: Copy>(py: Python<'_>, setting: &str, name: &str, choices: &[(&str, T)]) -> PyResult<T> {
    choices.iter().find(|choice| choice.0 == name).map(|choice| choice.1).ok_or_else(|| {
        let names: Vec<String> = choices.iter().map(|choice| format!("{:?}", choice.0)).collect();
        let message = format!("{setting} is {name:?}; must be one of {}", names.join(", "));
        errors::error(py, message, Facts::of_column(setting))
    })
}

/// The name of a setting.
fn name_of<T: PartialEq>(value: &T, choices: &[(&'static str, T)]) -> &'static str {
    choices.iter().find(|choice| choice.1 == *value).map_or("unknown", |choice| choice.0)
}

#[pymethods]
impl World {
    #[new]
    #[pyo3(
        signature = (
            *, body_shape = "box", contact_tracking = false, margin = 0.0, partner_lists = false,
            invalid_rows = "reject", bounds = None, cell_size = None, pair_limit = Count(268_435_456), threads = None,
            parallel_threshold = Some(Count(8000)), simd_max = None
        ),
        text_signature = "(*, body_shape='box', contact_tracking=False, margin=0.0, partner_lists=False, \
            invalid_rows='reject', bounds=None, cell_size=None, pair_limit=268435456, threads=None, \
            parallel_threshold=8000, simd_max=None)"
    )]
    fn new(
        py: Python<'_>,
        body_shape: &str,
        contact_tracking: bool,
        margin: f32,
        partner_lists: bool,
        invalid_rows: &str,
        bounds: Option<Vec<f32>>,
        cell_size: Option<f32>,
        pair_limit: Count,
        threads: Option<Count>,
        parallel_threshold: Option<Count>,
        simd_max: Option<&str>,
    ) -> PyResult<Self> {
        let threads = threads.map(|count| count.0);
        pool::check(py, threads)?;
        // One thread is the calling one, so nothing has to be handed to another.
        let parallel_threshold = parallel_threshold.map(|count| count.0).filter(|_| threads != Some(1));
        let mut config = WorldConfig::new()
            .with_body_shape(by_name(py, "body_shape", body_shape, &BODY_SHAPES)?)
            .with_contact_tracking(contact_tracking)
            .with_margin(margin)
            .with_partner_lists(partner_lists)
            .with_invalid_rows(by_name(py, "invalid_rows", invalid_rows, &INVALID_ROWS)?)
            .with_bounds(bounds.unwrap_or_default())
            .with_cell_size(cell_size)
            .with_pair_limit(pair_limit.0)
            .with_parallel_threshold(parallel_threshold);
        if let Some(level) = simd_max {
            config = config.with_simd_max(by_name(py, "simd_max", level, &SIMD_LEVELS)?);
        }
        let world = SharedWorld::new(config, threads).map_err(|error| errors::of_library(py, &error))?;
        Ok(Self { world })
    }

    #[getter]
    fn body_shape(&self) -> &'static str {
        name_of(&self.world.config().body_shape(), &BODY_SHAPES)
    }

    #[getter]
    fn contact_tracking(&self) -> bool {
        self.world.config().contact_tracking()
    }

    #[getter]
    fn margin(&self) -> f32 {
        self.world.config().margin()
    }

    #[getter]
    fn partner_lists(&self) -> bool {
        self.world.config().partner_lists()
    }

    #[getter]
    fn invalid_rows(&self) -> &'static str {
        name_of(&self.world.config().invalid_rows(), &INVALID_ROWS)
    }

    #[getter]
    fn bounds(&self) -> Vec<f32> {
        self.world.config().bounds().to_vec()
    }

    #[getter]
    fn cell_size(&self) -> Option<f32> {
        self.world.config().cell_size()
    }

    #[getter]
    fn pair_limit(&self) -> usize {
        self.world.config().pair_limit()
    }

    #[getter]
    fn threads(&self) -> Option<usize> {
        self.world.threads()
    }

    #[getter]
    fn parallel_threshold(&self) -> Option<usize> {
        self.world.config().parallel_threshold()
    }

    #[getter]
    fn simd_max(&self) -> Option<&'static str> {
        self.world.config().simd_max().map(|level| name_of(&level, &SIMD_LEVELS))
    }
}
