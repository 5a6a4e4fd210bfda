//! Pairs of points within a distance, without a world.
//!
//! NEIGHBOR-1: two points are neighbors if `dx * dx + dy * dy <= radius * radius`, where `dx` and
//! `dy` are the differences of their coordinates, and each operation is one of `f64`. So does
//! SciPy's `cKDTree` for the same points in `f64`, except that it may decide for whole nodes.
//!
//! NEIGHBOR-2: a step finds the candidates: each point is the center of a square whose half-extent
//! is a little above half of the radius. If the difference on an axis is at most twice the
//! half-extent, the edges are in order before they are rounded to `f32`. Rounding is monotone, so
//! they are in order after it, and the squares overlap: no neighbor is missed, wherever the points
//! are. A fifth of the candidates of a uniform crowd are no neighbors.

use crate::columns::{Column, Count};
use crate::errors::{self, Facts};
use crate::pool;
use crate::results::table;
use crate::shared::run_alone;
use numpy::PyArray2;
use pyo3::prelude::*;
use rayon::ThreadPool;
use rayon::prelude::*;
use std::sync::Mutex;
use triphase::{Bodies, Contacts, Error, InvalidRow, Pair, World, WorldConfig};

/// Fewer points than this use one thread, as in a step.
const PARALLEL_MIN: usize = 8000;

/// Worlds that found more pairs of squares, or of more points, are not kept.
const KEPT_PAIRS_MAX: usize = 1 << 22;
const KEPT_POINTS_MAX: usize = 1 << 20;

/// The worlds of earlier calls, on one thread and on several: calls use their memory again.
///
/// Calls that run at the same time make worlds of their own, of which one is kept.
static KEPT: [Mutex<Option<World>>; 2] = [Mutex::new(None), Mutex::new(None)];

/// Finds all pairs of points whose distance is at most the radius, like cKDTree.query_pairs.
///
/// points: float32 of shape (n, 2).
/// sorted: returns the pairs in ascending order; otherwise they are in an order that depends on the
/// points alone.
/// threads: as in World.
///
/// Returns uint32 of shape (m, 2), the lower row first. Distances are Euclidean, computed in
/// float64 from the float32 coordinates: points are neighbors if dx * dx + dy * dy <= radius * radius. So
/// the float32 numbers 1.0 and 1.6 are not within 0.6, as they are 0.60000002 apart.
///
/// The memory of a call with up to 4 million pairs is kept for the next one. For the GIL and the arrays, see World.step.
#[pyfunction]
#[pyo3(signature = (points, radius, *, sorted = false, threads = None))]
pub(crate) fn neighbors_within<'py>(
    py: Python<'py>,
    points: &Bound<'py, PyAny>,
    radius: f64,
    sorted: bool,
    threads: Option<Count>,
) -> PyResult<Bound<'py, PyArray2<u32>>> {
    let column = Column::<f32, 2>::borrow(points, "points")?;
    let refused = |name: &str, value: f64, expected: &str| {
        let facts = Facts { value: Some(value), ..Facts::of_column(name) };
        errors::error(py, format!("{name} is {value}; must be {expected}"), facts)
    };
    let threads = threads.map(|count| count.0);
    pool::check(py, threads)?;
    let half = half_extent(radius).ok_or_else(|| refused("radius", radius, "finite, >= 0 and at most 1e38"))?;
    let is_parallel = threads != Some(1) && column.len() >= PARALLEL_MIN;
    let pool = if is_parallel { Some(pool::of_size(py, threads)?) } else { None };
    let points = column.rows();
    let pairs = run_alone(py, pool.as_ref(), || neighbors(points, radius, half, pool.as_deref(), sorted))?;
    let pairs = pairs.map_err(|error| match error {
        Error::InvalidBody(InvalidRow { row, axis, value, .. }) => {
            let facts =
                Facts { row: Some(row), axis: Some(axis), value: Some(value.into()), ..Facts::of_column("points") };
            errors::error(py, format!("points row {row}: {} is {value}; must be finite", ["x", "y"][axis & 1]), facts)
        }
        Error::TooManyPairs { limit } => {
            let message = format!("more than {limit} pairs of points may be neighbors; use a smaller radius");
            errors::error(py, message, Facts::default())
        }
        other => errors::of_library(py, &other),
    })?;
    table(py, pairs, 2)
}

/// The half-extent of the squares around points (NEIGHBOR-2), or `None` if the radius is refused.
///
/// The slack covers the rounding of differences, squares and their sum in `f64`.
fn half_extent(radius: f64) -> Option<f32> {
    let is_allowed = (0.0..=1e38).contains(&radius);
    is_allowed.then_some((radius * 0.5 * (1.0 + 1e-12)) as f32).map(f32::next_up)
}

/// The pairs as a run of rows.
fn neighbors(
    points: &[[f32; 2]],
    radius: f64,
    half: f32,
    pool: Option<&ThreadPool>,
    sorted: bool,
) -> Result<Vec<u32>, Error> {
    let kept = &KEPT[usize::from(pool.is_some())];
    let config = WorldConfig::new().with_parallel_threshold(pool.is_some().then_some(PARALLEL_MIN));
    let mut world = match kept.try_lock().ok().and_then(|mut kept| kept.take()) {
        Some(world) => world,
        None => World::new(config)?,
    };
    let near = Near { points, radius_squared: radius * radius };
    let candidates = world.step(Bodies::uniform(points, [half; 2]))?;
    let mut pairs = match pool {
        Some(pool) => pool.install(|| near.filter_parallel(&candidates)),
        None => near.filter(&candidates),
    };
    if sorted {
        bytemuck::cast_slice_mut::<u32, Pair>(&mut pairs).sort_unstable();
    }
    let may_be_kept = candidates.body_pairs().len() <= KEPT_PAIRS_MAX && points.len() <= KEPT_POINTS_MAX;
    if may_be_kept && let Ok(mut kept) = kept.try_lock() {
        *kept = Some(world);
    }
    Ok(pairs)
}

/// The test of candidates (NEIGHBOR-1).
struct Near<'a> {
    points: &'a [[f32; 2]],
    radius_squared: f64,
}

impl Near<'_> {
    fn is_near(&self, pair: Pair) -> bool {
        let ([ax, ay], [bx, by]) = (self.points[pair.a as usize], self.points[pair.b as usize]);
        let (dx, dy) = (f64::from(ax) - f64::from(bx), f64::from(ay) - f64::from(by));
        dx * dx + dy * dy <= self.radius_squared
    }

    /// Appends the neighbors of a page to a run of rows.
    fn append(&self, page: &[Pair], rows: &mut Vec<u32>) {
        let mut next = rows.len();
        rows.resize(next + 2 * page.len(), 0);
        for &pair in page {
            // Without a branch that would be mispredicted for a fifth of the candidates.
            rows[next..next + 2].copy_from_slice(&[pair.a, pair.b]);
            next += 2 * usize::from(self.is_near(pair));
        }
        rows.truncate(next);
    }

    fn filter(&self, candidates: &Contacts<'_>) -> Vec<u32> {
        let mut rows = Vec::with_capacity(2 * candidates.body_pairs().len());
        candidates.body_pages().for_each(|page| self.append(page, &mut rows));
        rows
    }

    /// The same pairs in the same order, found by all threads of the pool.
    fn filter_parallel(&self, candidates: &Contacts<'_>) -> Vec<u32> {
        let filtered = candidates.par_body_pages().map(|page| {
            let mut rows = Vec::with_capacity(2 * page.len());
            self.append(page, &mut rows);
            rows
        });
        filtered.collect::<Vec<_>>().concat()
    }
}
