//! The boxes that a cast has hit so far.

use crate::geometry::{Impact, PreparedCast};
use crate::pair::Hit;
use std::cmp::Ordering;

/// A limit that ends a search.
const STOP: f64 = f64::NEG_INFINITY;

/// A box that a ray or a moving box hits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CastHit<H = Hit> {
    /// What was hit.
    pub target: H,
    /// When the box is reached, in multiples of the ray's direction or of the moving box's
    /// displacement; 0 if the cast starts inside the box or touching it.
    ///
    /// [`Ray::point_at`](crate::Ray::point_at) computes the point of impact.
    pub time_of_impact: f64,
    /// Unit normal of the side that is hit, pointing out of the box. At a corner, it is the normal
    /// along x. `None` if the time of impact is 0: the cast starts inside the box or touching it.
    pub normal: Option<[f32; 2]>,
}

impl<H: Ord> CastHit<H> {
    /// Earliest first, then the lower target.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        self.time_of_impact.total_cmp(&other.time_of_impact).then_with(|| self.target.cmp(&other.target))
    }
}

/// The hits of a cast so far.
pub(crate) struct CastHits<'f, H> {
    cast: PreparedCast,
    /// The time of impact up to which hits are wanted.
    t_max: f64,
    wanted: Wanted<'f, H>,
    first: Option<CastHit<H>>,
}

enum Wanted<'f, H> {
    First,
    Any,
    All(&'f mut Vec<CastHit<H>>),
}

impl<'f, H: Copy + Ord> CastHits<'f, H> {
    /// Keeps the first hit.
    pub(super) fn first(cast: PreparedCast) -> Self {
        Self { cast, t_max: cast.max_time, wanted: Wanted::First, first: None }
    }

    /// Keeps any hit.
    pub(super) fn any(cast: PreparedCast) -> Self {
        Self { cast, t_max: cast.max_time, wanted: Wanted::Any, first: None }
    }

    /// Appends all hits to `found`, in any order, some of them twice.
    pub(super) fn all(cast: PreparedCast, found: &'f mut Vec<CastHit<H>>) -> Self {
        Self { cast, t_max: cast.max_time, wanted: Wanted::All(found), first: None }
    }

    pub(crate) fn cast(&self) -> PreparedCast {
        self.cast
    }

    /// The time of impact up to which hits are wanted; negative if none are wanted any more.
    #[inline]
    pub(crate) fn t_max(&self) -> f64 {
        self.t_max
    }

    /// Adds a hit at a time of impact of at most [`t_max`](Self::t_max).
    #[inline]
    pub(crate) fn add(&mut self, target: H, impact: &Impact) {
        let normal = self.cast.normal(impact);
        let hit = CastHit { target, time_of_impact: impact.time, normal };
        match &mut self.wanted {
            Wanted::First if self.first.is_some_and(|first| hit.order(&first).is_ge()) => return,
            Wanted::First => self.t_max = hit.time_of_impact,
            Wanted::Any => self.t_max = STOP,
            Wanted::All(found) => return found.push(hit),
        }
        self.first = Some(hit);
    }

    /// The first hit, or any, if that is what was wanted.
    pub(super) fn into_first(self) -> Option<CastHit<H>> {
        self.first
    }
}
