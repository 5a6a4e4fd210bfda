//! The builder, and questions of areas.

use crate::geometry::{Aabb, Circle, Point, RawAabb, contains, distance_squared};
use crate::query::{Accept, Anything, Hits, Matching, Searchable};

/// Queries to a world or to a tier: what lies in an area, what is nearest, what a ray meets.
///
/// Made by `ask()`, narrowed by its adaptors, asked any number of times: it is `Copy` and borrows what it asks. Queries
/// change nothing, so any number of threads may ask at once. None allocates, but for what a caller's buffer grows by.
///
/// All boxes are closed: touching is overlap. Shapes were checked when they were made, so no question can fail.
///
/// ```
/// use triphase::{Aabb, Bodies, Circle, Hit, Point, Ray, World};
/// let mut world = World::default();
/// world.set_statics(&[[0.0f32, -1.0, 100.0, 0.0]])?;
/// world.step(Bodies::uniform(&[[2.0f32, 1.0], [4.0, 1.0], [50.0, 1.0]], [0.5, 0.5]))?;
///
/// let bodies = world.query().only_bodies();
/// assert_eq!(bodies.query_aabb(Aabb::new([0.0, 0.0], [10.0, 10.0])?).count(), 2);
/// assert!(bodies.query_circle(Circle::new([3.0, 1.0], 0.4)?).first().is_none());
/// assert_eq!(bodies.nearest(Point::new([49.0, 1.0])?).unwrap().distance, 0.5);
///
/// let ray = Ray::new([0.0, 1.0], [1.0, 0.0], 100.0)?;
/// let hit = world.query().with_predicate(|hit| hit != Hit::Body { row: 0, id: None }).cast_ray(ray).unwrap();
/// assert_eq!((hit.hit, hit.distance), (Hit::Body { row: 1, id: None }, 3.5));
/// # Ok::<(), triphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "nothing is asked yet"]
pub struct QueryBuilder<S, A = Anything> {
    pub(crate) source: S,
    pub(crate) accept: A,
}

impl<S: Searchable> QueryBuilder<S> {
    pub(crate) fn new(source: S) -> Self {
        Self { source, accept: Anything }
    }
}

impl<S: Searchable, A: Accept<S::Hit>> QueryBuilder<S, A> {
    /// Only what the predicate lets pass. It is asked about hits alone, once each but for rays, which may ask again.
    pub fn with_predicate<F: Fn(S::Hit) -> bool + Copy>(self, predicate: F) -> QueryBuilder<S, Matching<A, F>> {
        QueryBuilder { source: self.source, accept: Matching { before: self.accept, predicate } }
    }

    fn search<T: Fn(&RawAabb) -> bool + Copy>(self, area: RawAabb, test: T) -> Hits<impl Iterator<Item = S::Hit>> {
        let Self { source, accept } = self;
        Hits(source.search(area, test).filter(move |&hit| accept.accepts(hit)))
    }

    /// Boxes that overlap `area`; touching is overlap.
    ///
    /// # Determinism
    ///
    /// The order is that in which boxes are filed: a pure function of what is asked, the same on every machine.
    ///
    /// # Cost
    ///
    /// O(rows of cells and leaves that the area touches + what is filed there).
    pub fn query_aabb(self, area: Aabb) -> Hits<impl Iterator<Item = S::Hit>> {
        let Self { source, accept } = self;
        Hits(source.overlapping(area.to_array()).filter(move |&hit| accept.accepts(hit)))
    }

    /// Boxes that lie wholly in `area`, which may touch its edges from within. Order and cost as
    /// [`query_aabb`](Self::query_aabb).
    pub fn query_contained_in(self, area: Aabb) -> Hits<impl Iterator<Item = S::Hit>> {
        let area = area.to_array();
        self.search(area, move |aabb| contains(&area, aabb))
    }

    /// Boxes that wholly hold `inner`: a point, or a box, edges included. Order as [`query_aabb`](Self::query_aabb); the
    /// cost is that of a point.
    pub fn query_containing(self, inner: impl Into<Inner>) -> Hits<impl Iterator<Item = S::Hit>> {
        let Inner(inner) = inner.into();
        // Whoever holds all of it holds its lower corner.
        let [x, y, ..] = inner;
        self.search([x, y, x, y], move |aabb| contains(aabb, &inner))
    }

    /// All that is filed in the cells and leaves that `area` touches, without a test of their boxes: at least what
    /// overlaps it, each once, and some that lie near. The cheapest question, for who tests anyway.
    pub fn query_candidates(self, area: Aabb) -> Hits<impl Iterator<Item = S::Hit>> {
        let Self { source, accept } = self;
        Hits(source.filed_near(area.to_array()).filter(move |&hit| accept.accepts(hit)))
    }

    /// Boxes that the closed disc meets: whose squared distance from its centre (see [`Aabb::distance_squared`]) is at
    /// most that of its radius. Order and cost as [`query_aabb`](Self::query_aabb) of the disc's box.
    pub fn query_circle(self, circle: Circle) -> Hits<impl Iterator<Item = S::Hit>> {
        let (center, within) = (circle.center(), circle.radius_squared());
        self.search(circle.bounds(), move |aabb| distance_squared(aabb, center) <= within)
    }
}

/// What a box is asked to hold: a [`Point`] or an [`Aabb`].
#[derive(Clone, Copy, Debug)]
pub struct Inner(RawAabb);

impl From<Point> for Inner {
    fn from(point: Point) -> Self {
        Self(point.to_box())
    }
}

impl From<Aabb> for Inner {
    fn from(aabb: Aabb) -> Self {
        Self(aabb.to_array())
    }
}
