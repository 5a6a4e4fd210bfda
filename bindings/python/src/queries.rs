//! Queries between steps. Each takes one shape or an array of shapes.

use crate::columns::{Column, Count, OneOrMany, Whole, whole_numbers};
use crate::errors::{self, Facts, ShapeArguments};
use crate::hits::FoundHits;
use crate::shared::Work;
use crate::world::World;
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use triphase::query::{BatchResults, QueryBuilder};
use triphase::{Aabb, Circle, Hit, InvalidShape, Neighbor};

/// More queries than this may run on several threads. Fewer make a single task.
const SEQUENTIAL_MAX: usize = 256;

/// What a query leaves out.
pub(crate) struct Restrictions {
    only_bodies: bool,
    only_statics: bool,
    layers: Option<u32>,
    excluded_bodies: Vec<u32>,
    excluded_statics: Vec<u32>,
}

impl Restrictions {
    pub(crate) fn new(
        py: Python<'_>,
        only: Option<&str>,
        layers: Option<Whole>,
        exclude_bodies: Option<Vec<Whole>>,
        exclude_statics: Option<Vec<Whole>>,
    ) -> PyResult<Self> {
        if let Some(other) = only.filter(|only| !["bodies", "statics"].contains(only)) {
            let message = format!("only is {other:?}; must be \"bodies\", \"statics\" or None");
            return Err(errors::error(py, message, Facts::of_column("only")));
        }
        Ok(Self {
            only_bodies: only == Some("bodies"),
            only_statics: only == Some("statics"),
            layers: layers.map(|layers| layers.0),
            excluded_bodies: whole_numbers(exclude_bodies.unwrap_or_default()),
            excluded_statics: whole_numbers(exclude_statics.unwrap_or_default()),
        })
    }

    /// The queries of a world with these restrictions.
    pub(crate) fn of<'w>(&'w self, world: &'w triphase::World) -> QueryBuilder<'w> {
        let mut query = world.query();
        if self.only_bodies {
            query = query.only_bodies();
        }
        if self.only_statics {
            query = query.only_statics();
        }
        if let Some(layers) = self.layers {
            query = query.in_layers(layers);
        }
        if !self.excluded_bodies.is_empty() {
            query = query.exclude_bodies(&self.excluded_bodies);
        }
        if !self.excluded_statics.is_empty() {
            query = query.exclude_statics(&self.excluded_statics);
        }
        query
    }
}

/// How a batch of so many queries runs.
pub(crate) fn work_of(queries: usize) -> Work {
    if queries > SEQUENTIAL_MAX { Work::Parallel } else { Work::Sequential }
}

/// Checks the shape of each row, and names the first row that is invalid.
pub(crate) fn shapes<'py, T, const N: usize>(
    py: Python<'py>,
    rows: &OneOrMany<'py, N>,
    arguments: ShapeArguments<'_>,
    shape: impl Fn(usize, [f32; N]) -> Result<T, InvalidShape>,
) -> PyResult<Vec<T>> {
    let checked =
        rows.rows().iter().enumerate().map(|(k, row)| {
            shape(k, *row).map_err(|invalid| errors::of_shape(py, arguments, rows.row_name(k), &invalid))
        });
    checked.collect()
}

/// The areas of box queries.
fn areas<'py>(py: Python<'py>, areas: &Bound<'py, PyAny>) -> PyResult<Vec<Aabb>> {
    let arguments = ShapeArguments { rows: "areas", parts: &[] };
    shapes(py, &OneOrMany::<4>::borrow(areas, "areas")?, arguments, |_, area| Aabb::try_from(area))
}

/// A number for all rows, or one for each.
pub(crate) enum OneOrEach<'a, 'py> {
    One(f32),
    /// Not borrowed yet.
    Each(&'a Bound<'py, PyAny>),
}

impl<'a, 'py> OneOrEach<'a, 'py> {
    /// Reads a number, before any column is borrowed (COLUMN-3).
    pub(crate) fn read(value: &'a Bound<'py, PyAny>) -> PyResult<Self> {
        let is_array = value.cast::<PyUntypedArray>().is_ok_and(|array| array.ndim() > 0);
        if is_array { Ok(Self::Each(value)) } else { Ok(Self::One(value.extract::<f64>()? as f32)) }
    }

    /// The number of each of so many `rows`.
    pub(crate) fn of_rows(
        self,
        name: &str,
        row_count: usize,
        rows: &str,
    ) -> PyResult<impl Fn(usize) -> f32 + use<'py>> {
        let (one, column) = match self {
            Self::One(number) => (number, None),
            Self::Each(value) => {
                let column = Column::<f32, 1>::borrow(value, name)?;
                if column.len() != row_count {
                    let message = format!("{name} has {} rows, but there are {row_count} {rows}", column.len());
                    return Err(errors::error(value.py(), message, Facts::of_column(name)));
                }
                (0.0, Some(column))
            }
        };
        Ok(move |row| column.as_ref().map_or(one, |column| column.items()[row]))
    }
}

/// Circles around points.
fn circles<'py>(
    points: &Bound<'py, PyAny>,
    points_name: &str,
    radius: &Bound<'py, PyAny>,
    radius_name: &str,
) -> PyResult<Vec<Circle>> {
    let radii = OneOrEach::read(radius)?;
    let points = OneOrMany::<2>::borrow(points, points_name)?;
    let radius_of = radii.of_rows(radius_name, points.rows().len(), "points")?;
    let arguments = ShapeArguments { rows: points_name, parts: &[("radius", radius_name)] };
    shapes(radius.py(), &points, arguments, |row, point| Circle::new(point, radius_of(row)))
}

#[pymethods]
impl World {
    /// Finds the bodies and enabled statics whose boxes overlap areas.
    ///
    /// areas: (min_x, min_y, max_x, max_y), or an array of shape (n, 4).
    /// only: "bodies" or "statics".
    /// layers: finds entities in at least one of these layers, as bits.
    /// exclude_bodies, exclude_statics: rows to leave out.
    ///
    /// Hits of bodies come before those of statics; the order within these does not depend on threads.
    #[pyo3(signature = (areas, *, only = None, layers = None, exclude_bodies = None, exclude_statics = None))]
    fn query_aabb<'py>(
        &self,
        py: Python<'py>,
        areas: &Bound<'py, PyAny>,
        only: Option<&str>,
        layers: Option<Whole>,
        exclude_bodies: Option<Vec<Whole>>,
        exclude_statics: Option<Vec<Whole>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let restrictions = Restrictions::new(py, only, layers, exclude_bodies, exclude_statics)?;
        let areas = self::areas(py, areas)?;
        self.find_hits(py, areas.len(), |world, results| restrictions.of(world).par_query_aabb(&areas, results))
    }

    /// Finds the bodies and enabled statics whose boxes are entirely inside areas, edges included.
    ///
    /// areas: (min_x, min_y, max_x, max_y), or an array of shape (n, 4).
    ///
    /// Areas are queried one after the other, on the calling thread. For the restrictions, see
    /// query_aabb.
    #[pyo3(signature = (areas, *, only = None, layers = None, exclude_bodies = None, exclude_statics = None))]
    fn query_contained_in<'py>(
        &self,
        py: Python<'py>,
        areas: &Bound<'py, PyAny>,
        only: Option<&str>,
        layers: Option<Whole>,
        exclude_bodies: Option<Vec<Whole>>,
        exclude_statics: Option<Vec<Whole>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let restrictions = Restrictions::new(py, only, layers, exclude_bodies, exclude_statics)?;
        let areas = self::areas(py, areas)?;
        let found = self.world.read(py, Work::Sequential, |world| {
            let query = restrictions.of(world);
            FoundHits::of_each_query(areas.iter().map(|&area| query.query_contained_in(area)))
        })?;
        found.into_hits(py)
    }

    /// Finds the bodies and statics whose boxes contain points: (x, y), or of shape (n, 2).
    ///
    /// For the restrictions, see query_aabb.
    #[pyo3(signature = (points, *, only = None, layers = None, exclude_bodies = None, exclude_statics = None))]
    fn query_point<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        only: Option<&str>,
        layers: Option<Whole>,
        exclude_bodies: Option<Vec<Whole>>,
        exclude_statics: Option<Vec<Whole>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let restrictions = Restrictions::new(py, only, layers, exclude_bodies, exclude_statics)?;
        let points = OneOrMany::<2>::borrow(points, "points")?;
        let arguments = ShapeArguments { rows: "points", parts: &[] };
        let points = shapes(py, &points, arguments, |_, point| Aabb::new(point, point))?;
        self.find_hits(py, points.len(), |world, results| restrictions.of(world).par_query_aabb(&points, results))
    }

    /// Finds the bodies and statics whose boxes overlap circles.
    ///
    /// centers: (x, y), or an array of shape (n, 2).
    /// radius: a number, or an array of shape (n,).
    ///
    /// This is within() without distances, in the order of query_aabb. For the restrictions, see
    /// query_aabb.
    #[pyo3(signature = (centers, radius, *, only = None, layers = None, exclude_bodies = None, exclude_statics = None))]
    fn query_circle<'py>(
        &self,
        py: Python<'py>,
        centers: &Bound<'py, PyAny>,
        radius: &Bound<'py, PyAny>,
        only: Option<&str>,
        layers: Option<Whole>,
        exclude_bodies: Option<Vec<Whole>>,
        exclude_statics: Option<Vec<Whole>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let restrictions = Restrictions::new(py, only, layers, exclude_bodies, exclude_statics)?;
        let circles = circles(centers, "centers", radius, "radius")?;
        self.find_hits(py, circles.len(), |world, results| restrictions.of(world).par_query_circle(&circles, results))
    }

    /// Finds all bodies and statics within a distance of points, nearest first, with distances.
    ///
    /// points: (x, y), or an array of shape (n, 2).
    /// radius: a number, or an array of shape (n,); a number is rounded to float32.
    ///
    /// The distance is that from the point to the closed box, 0 inside, also with
    /// body_shape="circle". Bodies of half-extent 0 are points, so it is the distance of points. It
    /// is computed in float64 from the float32 edges, and compared as a square. To find the
    /// neighbors of a body, leave it out by its row: it is at distance 0 from itself. Equal distances
    /// are in the order of k_nearest. For the restrictions, see query_aabb.
    #[pyo3(signature = (points, radius, *, only = None, layers = None, exclude_bodies = None, exclude_statics = None))]
    fn within<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        radius: &Bound<'py, PyAny>,
        only: Option<&str>,
        layers: Option<Whole>,
        exclude_bodies: Option<Vec<Whole>>,
        exclude_statics: Option<Vec<Whole>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let restrictions = Restrictions::new(py, only, layers, exclude_bodies, exclude_statics)?;
        let circles = circles(points, "points", radius, "radius")?;
        self.find_neighbors(py, &circles, usize::MAX, &restrictions)
    }

    /// Finds the k bodies and statics nearest to points, nearest first, with distances.
    ///
    /// max_distance: a number, or an array of shape (n,). Fewer than k are found if no more are
    /// that near.
    ///
    /// Distances are those of within(). At equal distances bodies come before statics, and lower
    /// rows before higher ones.
    #[pyo3(signature = (
        points, k, *, max_distance = None, only = None, layers = None, exclude_bodies = None, exclude_statics = None
    ))]
    fn k_nearest<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        k: Count,
        max_distance: Option<&Bound<'py, PyAny>>,
        only: Option<&str>,
        layers: Option<Whole>,
        exclude_bodies: Option<Vec<Whole>>,
        exclude_statics: Option<Vec<Whole>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let restrictions = Restrictions::new(py, only, layers, exclude_bodies, exclude_statics)?;
        let anywhere = f64::INFINITY.into_pyobject(py)?.into_any();
        let circles = circles(points, "points", max_distance.unwrap_or(&anywhere), "max_distance")?;
        self.find_neighbors(py, &circles, k.0, &restrictions)
    }
}

impl World {
    fn find_hits<'py>(
        &self,
        py: Python<'py>,
        query_count: usize,
        run: impl FnOnce(&triphase::World, &mut BatchResults<Hit>) + Send,
    ) -> PyResult<Bound<'py, PyAny>> {
        let found = self.world.read(py, work_of(query_count), |world| {
            let mut results = BatchResults::new();
            run(world, &mut results);
            FoundHits::of_hits(&results)
        })?;
        found.into_hits(py)
    }

    fn find_neighbors<'py>(
        &self,
        py: Python<'py>,
        circles: &[Circle],
        k: usize,
        restrictions: &Restrictions,
    ) -> PyResult<Bound<'py, PyAny>> {
        let found = self.world.read(py, work_of(circles.len()), |world| {
            let mut results = BatchResults::<Neighbor>::new();
            restrictions.of(world).par_k_nearest_within(circles, k, &mut results);
            FoundHits::of_neighbors(&results)
        })?;
        found.into_neighbors(py)
    }
}
