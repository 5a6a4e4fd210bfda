//! Rays and sweeps.

use crate::geometry::{AabbCast, PreparedCast, Ray};
use crate::query::{Accept, QueryBuilder, Searchable};
use glam::Vec2;
use std::cmp::Ordering;

/// Ends a walk.
const ENOUGH: f64 = f64::NEG_INFINITY;

/// What a ray or a sweep met, and where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CastHit<H> {
    /// What it is.
    pub hit: H,
    /// Where the box is entered, in multiples of the ray's direction or of the sweep's displacement; 0 from within.
    pub distance: f64,
    /// Of the side that was entered, of length 1; none from within. At a corner that of the side across x.
    pub normal: Option<Vec2>,
}

impl<H: Ord> CastHit<H> {
    fn order(&self, other: &Self) -> Ordering {
        self.distance.total_cmp(&other.distance).then_with(|| self.hit.cmp(&other.hit))
    }
}

impl<S: Searchable, A: Accept<S::Hit>> QueryBuilder<S, A> {
    /// The first box that a ray hits; see [`Ray`] for what that means.
    ///
    /// # Determinism
    ///
    /// Of boxes that are entered at the same distance, bodies before statics, then the lowest row (of a `LooseGrid`, the lowest
    /// handle).
    ///
    /// # Cost
    ///
    /// O(what is filed along the ray up to the hit); nothing is allocated.
    pub fn cast_ray(self, ray: Ray) -> Option<CastHit<S::Hit>> {
        self.first_met(ray.into())
    }

    /// Replaces `found` by every box that a ray hits, in order of distance. Ties as [`cast_ray`](Self::cast_ray).
    ///
    /// # Cost
    ///
    /// O(what is filed along the ray), and sorting the hits. Allocates only what `found` grows by.
    pub fn cast_ray_all(self, ray: Ray, found: &mut Vec<CastHit<S::Hit>>) {
        self.all_met(ray.into(), found);
    }

    /// Whether a ray hits anything: line of sight. Looks no further than the first hit that it comes upon.
    pub fn cast_ray_any(self, ray: Ray) -> bool {
        self.is_met(ray.into())
    }

    /// The first box that a box in motion meets; see [`AabbCast`]. Ties and cost as [`cast_ray`](Self::cast_ray), along the
    /// whole width of the box.
    pub fn cast_aabb(self, sweep: AabbCast) -> Option<CastHit<S::Hit>> {
        self.first_met(sweep.into())
    }

    /// Replaces `found` by every box that a box in motion meets, in order of distance. As
    /// [`cast_ray_all`](Self::cast_ray_all).
    pub fn cast_aabb_all(self, sweep: AabbCast, found: &mut Vec<CastHit<S::Hit>>) {
        self.all_met(sweep.into(), found);
    }

    /// Whether a box in motion meets anything.
    pub fn cast_aabb_any(self, sweep: AabbCast) -> bool {
        self.is_met(sweep.into())
    }

    fn first_met(self, cast: PreparedCast) -> Option<CastHit<S::Hit>> {
        let mut first: Option<CastHit<S::Hit>> = None;
        let mut until = cast.max_time;
        self.source.visit_met(&cast, until, &mut |hit, entry| {
            let met = CastHit { hit, distance: entry.time, normal: cast.normal(&entry).map(Vec2::from_array) };
            if first.is_none_or(|first| met.order(&first).is_lt()) && self.accept.accepts(hit) {
                first = Some(met);
                until = met.distance;
            }
            until
        });
        first
    }

    fn all_met(self, cast: PreparedCast, found: &mut Vec<CastHit<S::Hit>>) {
        found.clear();
        self.source.visit_met(&cast, cast.max_time, &mut |hit, entry| {
            if self.accept.accepts(hit) {
                found.push(CastHit { hit, distance: entry.time, normal: cast.normal(&entry).map(Vec2::from_array) });
            }
            cast.max_time
        });
        // What was met again (U2) stands side by side then.
        found.sort_unstable_by(CastHit::order);
        found.dedup_by(|a, b| a.hit == b.hit);
    }

    fn is_met(self, cast: PreparedCast) -> bool {
        let mut until = cast.max_time;
        self.source.visit_met(&cast, until, &mut |hit, _| {
            if self.accept.accepts(hit) {
                until = ENOUGH;
            }
            until
        });
        until == ENOUGH
    }
}
