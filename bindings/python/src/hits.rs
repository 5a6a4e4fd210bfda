//! What queries find, column by column, while the world is locked.

use crate::results::object;
use numpy::IntoPyArray;
use pyo3::prelude::*;
use triphase::query::BatchResults;
use triphase::{Hit, Neighbor};

/// Rows, kinds and ids of hits.
#[derive(Default)]
pub(crate) struct TargetColumns {
    pub(crate) rows: Vec<u32>,
    pub(crate) is_static: Vec<bool>,
    ids: Vec<u64>,
    /// Whether anything was hit, and whether that has an id.
    has_hits: bool,
    has_ids: bool,
}

impl TargetColumns {
    pub(crate) fn push(&mut self, hit: &Hit) {
        let (row, id, is_static) = match *hit {
            Hit::Body { row, id } => (row, id, false),
            Hit::Static { row, id } => (row, id, true),
        };
        self.rows.push(row);
        self.is_static.push(is_static);
        self.ids.push(id.unwrap_or(row.into()));
        self.has_hits = true;
        self.has_ids |= id.is_some();
    }

    /// For a ray that hits nothing.
    pub(crate) fn push_none(&mut self) {
        self.rows.push(u32::MAX);
        self.is_static.push(false);
        self.ids.push(u64::MAX);
    }

    /// The ids, or `None` if something was hit and has none.
    pub(crate) fn take_ids(&mut self) -> Option<Vec<u64>> {
        (self.has_ids || !self.has_hits).then(|| std::mem::take(&mut self.ids))
    }
}

/// The results of a batch of queries: those of query `k` are from `offsets[k]` to `offsets[k + 1]`.
pub(crate) struct FoundHits {
    offsets: Vec<i64>,
    targets: TargetColumns,
    /// One for each hit, if the queries were for neighbors.
    distances: Vec<f64>,
}

impl FoundHits {
    pub(crate) fn of_hits(results: &BatchResults<Hit>) -> Self {
        Self::of_each_query(results.iter().map(|hits| hits.iter().copied()))
    }

    /// The hits of queries that run here, one after the other.
    pub(crate) fn of_each_query(queries: impl Iterator<Item = impl Iterator<Item = Hit>>) -> Self {
        Self::new(queries, |hit, found| found.targets.push(&hit))
    }

    pub(crate) fn of_neighbors(results: &BatchResults<Neighbor>) -> Self {
        Self::new(results.iter().map(<[Neighbor]>::iter), |neighbor, found| {
            found.targets.push(&neighbor.target);
            found.distances.push(neighbor.distance);
        })
    }

    fn new<T>(queries: impl Iterator<Item = impl Iterator<Item = T>>, mut add: impl FnMut(T, &mut Self)) -> Self {
        let mut found = Self { offsets: vec![0], targets: TargetColumns::default(), distances: Vec::new() };
        for hits in queries {
            hits.for_each(|hit| add(hit, &mut found));
            found.offsets.push(found.targets.rows.len() as i64);
        }
        found
    }

    /// As an object of the class `Hits`.
    pub(crate) fn into_hits(mut self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let ids = self.targets.take_ids().map(|ids| ids.into_pyarray(py));
        let (rows, is_static) = (self.targets.rows.into_pyarray(py), self.targets.is_static.into_pyarray(py));
        object(py, "Hits", (self.offsets.into_pyarray(py), rows, is_static, ids))
    }

    /// As an object of the class `Neighbors`.
    pub(crate) fn into_neighbors(mut self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let ids = self.targets.take_ids().map(|ids| ids.into_pyarray(py));
        let (rows, is_static) = (self.targets.rows.into_pyarray(py), self.targets.is_static.into_pyarray(py));
        let distances = self.distances.into_pyarray(py);
        object(py, "Neighbors", (self.offsets.into_pyarray(py), rows, is_static, ids, distances))
    }
}
