//! Casts of rays and boxes.

use crate::columns::{Argument, Column, OneOrMany, Whole, numbers};
use crate::errors::{self, Facts, ShapeArguments};
use crate::hits::TargetColumns;
use crate::queries::{OneOrEach, Restrictions, shapes, work_of};
use crate::results::{object, table};
use crate::shared::Work;
use crate::world::World;
use numpy::IntoPyArray;
use pyo3::prelude::*;
use triphase::query::BatchResults;
use triphase::{Aabb, AabbCast, CastHit, Hit, Ray};

/// The first hits of rays, column by column.
#[derive(Default)]
struct FoundRayHits {
    hit: Vec<bool>,
    targets: TargetColumns,
    times: Vec<f64>,
    normals: Vec<f32>,
}

impl FoundRayHits {
    fn new(results: &BatchResults<CastHit>) -> Self {
        let mut found = Self::default();
        for hits in results.iter() {
            let first = hits.first();
            found.hit.push(first.is_some());
            match first {
                Some(first) => found.targets.push(&first.target),
                None => found.targets.push_none(),
            }
            found.times.push(first.map_or(f64::INFINITY, |first| first.time_of_impact));
            found.normals.extend(first.and_then(|first| first.normal).unwrap_or_default());
        }
        found
    }

    /// As an object of the class `RayHits`.
    fn into_object(mut self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let ids = self.targets.take_ids().map(|ids| ids.into_pyarray(py));
        let (rows, is_static) = (self.targets.rows.into_pyarray(py), self.targets.is_static.into_pyarray(py));
        let (hit, times, normals) =
            (self.hit.into_pyarray(py), self.times.into_pyarray(py), table(py, self.normals, 2)?);
        object(py, "RayHits", (hit, rows, is_static, ids, times, normals))
    }
}

/// The argument for the part of a ray that is called otherwise in Rust.
const MAX_TIME: (&str, &str) = ("max_time", "max_time");

/// A ray from the arguments of a call.
fn ray(origin: &Bound<'_, PyAny>, direction: &Bound<'_, PyAny>, max_time: Option<f64>) -> PyResult<Ray> {
    let max_time = max_time.unwrap_or(f64::INFINITY);
    let ray = Ray::new(numbers::<2>(origin, "origin")?, numbers::<2>(direction, "direction")?, max_time as f32);
    let arguments = ShapeArguments { rows: "origin", parts: &[("direction", "direction"), MAX_TIME] };
    ray.map_err(|invalid| errors::of_shape(origin.py(), arguments, None, &invalid))
}

/// Row, whether it is one of a static, id, time and normal.
type HitFields = (u32, bool, Option<u64>, f64, Option<(f32, f32)>);

fn fields(hit: &CastHit) -> HitFields {
    let (row, id, is_static) = match hit.target {
        Hit::Body { row, id } => (row, id, false),
        Hit::Static { row, id } => (row, id, true),
    };
    (row, is_static, id, hit.time_of_impact, hit.normal.map(<(f32, f32)>::from))
}

/// An object of the class `RayHit`.
fn ray_hit(py: Python<'_>, ray: Ray, hit: CastHit) -> PyResult<Bound<'_, PyAny>> {
    let (row, is_static, id, time, normal) = fields(&hit);
    let point = <(f32, f32)>::from(ray.point_at(time));
    object(py, "RayHit", (row, is_static, id, time, normal, point))
}

#[pymethods]
impl World {
    /// Finds the first body or static that a ray hits; None if it hits none.
    ///
    /// The ray is origin + time * direction, for times from 0 to max_time, which is infinite by
    /// default. If direction is the motion of one frame, and max_time is 1, times are fractions of
    /// the frame.
    #[pyo3(signature = (
        origin, direction, max_time = None, *, only = None, layers = None, exclude_bodies = None,
        exclude_statics = None
    ))]
    fn cast_ray<'py>(
        &self,
        py: Python<'py>,
        origin: &Bound<'py, PyAny>,
        direction: &Bound<'py, PyAny>,
        max_time: Option<f64>,
        only: Option<&str>,
        layers: Option<Whole>,
        exclude_bodies: Option<Vec<Whole>>,
        exclude_statics: Option<Vec<Whole>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let restrictions = Restrictions::new(py, only, layers, exclude_bodies, exclude_statics)?;
        let ray = ray(origin, direction, max_time)?;
        let found = self.world.read(py, Work::Sequential, |world| restrictions.of(world).cast_ray(ray))?;
        found.map(|hit| ray_hit(py, ray, hit)).transpose()
    }

    /// Finds all bodies and statics that a ray hits, earliest first.
    ///
    /// At equal times bodies come before statics, and lower rows before higher ones. For the ray
    /// and the restrictions, see cast_ray.
    #[pyo3(signature = (
        origin, direction, max_time = None, *, only = None, layers = None, exclude_bodies = None,
        exclude_statics = None
    ))]
    fn cast_ray_all<'py>(
        &self,
        py: Python<'py>,
        origin: &Bound<'py, PyAny>,
        direction: &Bound<'py, PyAny>,
        max_time: Option<f64>,
        only: Option<&str>,
        layers: Option<Whole>,
        exclude_bodies: Option<Vec<Whole>>,
        exclude_statics: Option<Vec<Whole>>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let restrictions = Restrictions::new(py, only, layers, exclude_bodies, exclude_statics)?;
        let ray = ray(origin, direction, max_time)?;
        let found = self.world.read(py, Work::Sequential, |world| {
            let mut found = Vec::new();
            restrictions.of(world).cast_ray_all(ray, &mut found);
            found
        })?;
        found.into_iter().map(|hit| ray_hit(py, ray, hit)).collect()
    }

    /// Returns whether a ray hits anything, for example to test a line of sight.
    ///
    /// Stops at the first hit that it finds. For the ray and the restrictions, see cast_ray; for
    /// many rays, see cast_rays.
    #[pyo3(signature = (
        origin, direction, max_time = None, *, only = None, layers = None, exclude_bodies = None,
        exclude_statics = None
    ))]
    fn cast_ray_any<'py>(
        &self,
        py: Python<'py>,
        origin: &Bound<'py, PyAny>,
        direction: &Bound<'py, PyAny>,
        max_time: Option<f64>,
        only: Option<&str>,
        layers: Option<Whole>,
        exclude_bodies: Option<Vec<Whole>>,
        exclude_statics: Option<Vec<Whole>>,
    ) -> PyResult<bool> {
        let restrictions = Restrictions::new(py, only, layers, exclude_bodies, exclude_statics)?;
        let ray = ray(origin, direction, max_time)?;
        self.world.read(py, Work::Sequential, |world| restrictions.of(world).cast_ray_any(ray))
    }

    /// Finds the first body or static that a moving box hits; None if it hits none.
    ///
    /// aabb: the box at time 0, (min_x, min_y, max_x, max_y).
    /// displacement: (x, y); at time 1 the box has moved by all of it.
    ///
    /// To cast a body, leave it out by its row: at time 0 it hits itself. For the restrictions, see
    /// query_aabb.
    #[pyo3(signature = (
        aabb, displacement, *, only = None, layers = None, exclude_bodies = None, exclude_statics = None
    ))]
    fn cast_aabb<'py>(
        &self,
        py: Python<'py>,
        aabb: &Bound<'py, PyAny>,
        displacement: &Bound<'py, PyAny>,
        only: Option<&str>,
        layers: Option<Whole>,
        exclude_bodies: Option<Vec<Whole>>,
        exclude_statics: Option<Vec<Whole>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let restrictions = Restrictions::new(py, only, layers, exclude_bodies, exclude_statics)?;
        let aabb = Aabb::try_from(numbers::<4>(aabb, "aabb")?);
        let aabb =
            aabb.map_err(|invalid| errors::of_shape(py, ShapeArguments { rows: "aabb", parts: &[] }, None, &invalid))?;
        let cast = AabbCast::new(aabb, numbers::<2>(displacement, "displacement")?);
        let arguments = ShapeArguments { rows: "displacement", parts: &[] };
        let cast = cast.map_err(|invalid| errors::of_shape(py, arguments, None, &invalid))?;
        let found = self.world.read(py, Work::Sequential, |world| restrictions.of(world).cast_aabb(cast))?;
        found.map(|hit| object(py, "CastHit", fields(&hit))).transpose()
    }

    /// Finds the first body or static that each of many rays hits.
    ///
    /// origins, directions: shape (n, 2); see cast_ray.
    /// max_time: a number, or an array of shape (n,); infinite by default.
    #[pyo3(signature = (
        origins, directions, max_time = None, *, only = None, layers = None, exclude_bodies = None,
        exclude_statics = None
    ))]
    fn cast_rays<'py>(
        &self,
        py: Python<'py>,
        origins: &Bound<'py, PyAny>,
        directions: &Bound<'py, PyAny>,
        max_time: Argument<'_, 'py>,
        only: Option<&str>,
        layers: Option<Whole>,
        exclude_bodies: Option<Vec<Whole>>,
        exclude_statics: Option<Vec<Whole>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let restrictions = Restrictions::new(py, only, layers, exclude_bodies, exclude_statics)?;
        let max_times = max_time.map_or(Ok(OneOrEach::One(f32::INFINITY)), OneOrEach::read)?;
        let origins = OneOrMany::Many(Column::<f32, 2>::borrow(origins, "origins")?);
        let directions = Column::<f32, 2>::borrow(directions, "directions")?;
        let (expected, found) = (origins.rows().len(), directions.len());
        if found != expected {
            let message = format!("directions has {found} rows, but origins has {expected}");
            return Err(errors::error(py, message, Facts::of_column("directions")));
        }
        let (directions, max_time_of) = (directions.rows(), max_times.of_rows("max_time", expected, "rays")?);
        let arguments = ShapeArguments { rows: "origins", parts: &[("direction", "directions"), MAX_TIME] };
        let rays = shapes(py, &origins, arguments, |row, origin| Ray::new(origin, directions[row], max_time_of(row)))?;
        let found = self.world.read(py, work_of(rays.len()), |world| {
            let mut results = BatchResults::<CastHit>::new();
            restrictions.of(world).par_cast_ray(&rays, &mut results);
            FoundRayHits::new(&results)
        })?;
        found.into_object(py)
    }
}
