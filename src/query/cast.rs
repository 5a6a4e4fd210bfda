//! Ray casts and shape casts.

use crate::geometry::{AabbCast, PreparedCast, Ray};
use crate::query::builder::QueryBuilder;
use crate::query::cast_hit::{CastHit, CastHits};

impl<H: Copy + Ord> QueryBuilder<'_, H> {
    /// Finds the first box that a ray hits; see [`Ray`] for the exact definition.
    ///
    /// # Determinism
    ///
    /// Among boxes with the same time of impact, bodies come before statics, and lower rows (in a
    /// `LooseGrid`, lower handles) before higher ones.
    ///
    /// # Cost
    ///
    /// O(cells along the ray up to the hit + boxes that are stored there).
    ///
    /// ```
    /// use triphase::{Bodies, Hit, Ray, World};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[9.0f32, 0.0], [5.0, 0.0]], [0.5, 0.5]))?;
    /// let shot = Ray::new([0.0, 0.0], [1.0, 0.0], 100.0)?;
    /// let hit = world.query().cast_ray(shot).unwrap();
    /// assert_eq!(hit.target, Hit::Body { row: 1, id: None });
    /// assert_eq!((hit.time_of_impact, hit.normal), (4.5, Some([-1.0, 0.0])));
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn cast_ray(self, ray: Ray) -> Option<CastHit<H>> {
        self.first_hit(ray.into())
    }

    /// Replaces the contents of `found` with every box that a ray hits, earliest first.
    ///
    /// Boxes with the same time of impact are ordered as in [`cast_ray`](Self::cast_ray).
    ///
    /// # Cost
    ///
    /// O(cells along the ray + boxes that are stored there), and sorting the hits. Allocates only
    /// if `found` has too little capacity.
    ///
    /// ```
    /// use triphase::{Bodies, Ray, World};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[9.0f32, 0.0], [5.0, 0.0]], [0.5, 0.5]))?;
    /// let mut pierced = Vec::new(); // kept from query to query
    /// world.query().cast_ray_all(Ray::new([0.0, 0.0], [1.0, 0.0], 100.0)?, &mut pierced);
    /// let times: Vec<f64> = pierced.iter().map(|hit| hit.time_of_impact).collect();
    /// assert_eq!(times, [4.5, 8.5]);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn cast_ray_all(self, ray: Ray, found: &mut Vec<CastHit<H>>) {
        self.all_hits(ray.into(), found);
    }

    /// Returns whether a ray hits any box, for example to test a line of sight.
    ///
    /// Stops at the first hit that it finds.
    ///
    /// ```
    /// use triphase::{Bodies, Ray, World};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[5.0f32, 0.0]], [0.5, 0.5]))?;
    /// let (eye, target) = ([0.0, 0.0], [9.0, 0.0]);
    /// let sight = Ray::new(eye, [target[0] - eye[0], target[1] - eye[1]], 1.0)?;
    /// assert!(world.query().cast_ray_any(sight)); // something is in between
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn cast_ray_any(self, ray: Ray) -> bool {
        self.any_hit(ray.into())
    }

    /// Finds the first box that a moving box hits; see [`AabbCast`].
    ///
    /// Boxes with the same time of impact are ordered as in [`cast_ray`](Self::cast_ray). The cost
    /// is that of a ray as wide as the moving box.
    ///
    /// ```
    /// use triphase::{Aabb, AabbCast, World};
    /// let mut world = World::default();
    /// world.set_statics(&[[0.0f32, -1.0, 100.0, 0.0]])?; // the ground
    /// let player = Aabb::new([5.0, 2.0], [6.0, 4.0])?;
    /// let fall = world.query().cast_aabb(AabbCast::new(player, [0.0, -8.0])?).unwrap();
    /// assert_eq!((fall.time_of_impact, fall.normal), (0.25, Some([0.0, 1.0])));
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn cast_aabb(self, moving: AabbCast) -> Option<CastHit<H>> {
        self.first_hit(moving.into())
    }

    /// Replaces the contents of `found` with every box that a moving box hits, earliest first.
    ///
    /// Like [`cast_ray_all`](Self::cast_ray_all).
    ///
    /// ```
    /// use triphase::{Aabb, AabbCast, Bodies, World};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[9.0f32, 0.0], [5.0, 0.0]], [0.5, 0.5]))?;
    /// let cart = AabbCast::new(Aabb::new([0.0, 0.0], [2.0, 1.0])?, [10.0, 0.0])?;
    /// let mut run_over = Vec::new();
    /// world.query().cast_aabb_all(cart, &mut run_over);
    /// assert_eq!(run_over.len(), 2);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn cast_aabb_all(self, moving: AabbCast, found: &mut Vec<CastHit<H>>) {
        self.all_hits(moving.into(), found);
    }

    /// Returns whether a moving box hits any box.
    ///
    /// Like [`cast_ray_any`](Self::cast_ray_any).
    ///
    /// ```
    /// use triphase::{Aabb, AabbCast, Bodies, World};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[9.0f32, 0.0]], [0.5, 0.5]))?;
    /// let cart = Aabb::new([0.0, 0.0], [2.0, 1.0])?;
    /// assert!(!world.query().cast_aabb_any(AabbCast::new(cart, [5.0, 0.0])?));
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn cast_aabb_any(self, moving: AabbCast) -> bool {
        self.any_hit(moving.into())
    }

    fn first_hit(self, cast: PreparedCast) -> Option<CastHit<H>> {
        let mut hits = CastHits::first(cast);
        self.source.find_cast_hits(&self.scope, &mut hits);
        hits.into_first()
    }

    fn all_hits(self, cast: PreparedCast, found: &mut Vec<CastHit<H>>) {
        found.clear();
        self.source.find_cast_hits(&self.scope, &mut CastHits::all(cast, found));
        // Sorting puts a box that was visited twice (QUERY-2) next to its copy.
        found.sort_unstable_by(CastHit::order);
        found.dedup_by(|a, b| a.target == b.target);
    }

    fn any_hit(self, cast: PreparedCast) -> bool {
        let mut hits = CastHits::any(cast);
        self.source.find_cast_hits(&self.scope, &mut hits);
        hits.into_first().is_some()
    }
}
