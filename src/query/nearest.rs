//! The nearest.
//!
//! The best so far are kept in the caller's buffer, with the squares of their distances, so that a walk knows at any time
//! how near the next has to be.

use crate::geometry::{Circle, Point};
use crate::query::{Accept, QueryBuilder, Searchable};
use std::cmp::Ordering;

/// So many are kept in order as they come. More are collected up to twice as many and then cut back, which costs the same
/// for each however many they are.
const SORTED_MAX: usize = 32;

/// What is near, and how near.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbor<H> {
    /// What it is.
    pub hit: H,
    /// From the point to the closed box, 0 inside, in world units: the root of
    /// [`Aabb::distance_squared`](crate::Aabb::distance_squared).
    pub distance: f64,
}

impl<H: Ord> Neighbor<H> {
    /// Nearest first, and of equally near ones the lower hit.
    fn order(&self, other: &Self) -> Ordering {
        self.distance.total_cmp(&other.distance).then_with(|| self.hit.cmp(&other.hit))
    }
}

impl<S: Searchable, A: Accept<S::Hit>> QueryBuilder<S, A> {
    /// The nearest box, however far; `None` where there is none.
    ///
    /// # Determinism
    ///
    /// Of equally near ones, bodies before statics, then the lowest row (of a `LooseGrid`, the lowest handle).
    ///
    /// # Cost
    ///
    /// About that of [`query_aabb`](Self::query_aabb) of an area as large as the answer's distance.
    pub fn nearest(self, to: Point) -> Option<Neighbor<S::Hit>> {
        self.nearest_within(to.into())
    }

    /// The box nearest to the centre of a disc, of those that the disc meets: the nearest with a maximal distance. Ties as
    /// [`nearest`](Self::nearest).
    pub fn nearest_within(self, circle: Circle) -> Option<Neighbor<S::Hit>> {
        let (center, mut within) = (circle.center(), circle.radius_squared());
        let mut best: Option<Neighbor<S::Hit>> = None;
        self.source.visit_near(center, 1, within, &mut |hit, distance| {
            let found = Neighbor { hit, distance };
            if best.is_none_or(|best| found.order(&best).is_lt()) && self.accept.accepts(hit) {
                best = Some(found);
                within = distance;
            }
            within
        });
        best.map(|found| Neighbor { distance: found.distance.sqrt(), ..found })
    }

    /// Replaces `found` by the `k` nearest boxes, nearest first, or by all where there are not as many. Ties as
    /// [`nearest`](Self::nearest).
    ///
    /// # Cost
    ///
    /// About that of [`query_aabb`](Self::query_aabb) of an area that holds them. Allocates only what `found` grows by: it
    /// holds up to twice as many while it looks.
    pub fn k_nearest(self, to: Point, k: usize, found: &mut Vec<Neighbor<S::Hit>>) {
        self.k_nearest_within(to.into(), k, found);
    }

    /// Replaces `found` by the `k` boxes nearest to the centre of a disc, of those that it meets, nearest first. As
    /// [`k_nearest`](Self::k_nearest) otherwise.
    pub fn k_nearest_within(self, circle: Circle, k: usize, found: &mut Vec<Neighbor<S::Hit>>) {
        found.clear();
        self.append_k_nearest(circle, k, found);
    }

    /// Appends them.
    pub(super) fn append_k_nearest(self, circle: Circle, k: usize, found: &mut Vec<Neighbor<S::Hit>>) {
        if k == 0 {
            return;
        }
        let before = found.len();
        let center = circle.center();
        let mut within = circle.radius_squared();
        self.source.visit_near(center, k, within, &mut |hit, distance| {
            if self.accept.accepts(hit) {
                keep(found, before, k, Neighbor { hit, distance }, &mut within);
            }
            within
        });
        finish(found, before, k);
    }

    /// Replaces `found` by all boxes that a disc meets, nearest to its centre first. Ties as [`nearest`](Self::nearest).
    ///
    /// [`query_circle`](Self::query_circle) finds the same, in another order and without the distances.
    ///
    /// # Cost
    ///
    /// That of [`query_aabb`](Self::query_aabb) of the disc's box, and sorting. Allocates only what `found` grows by.
    pub fn within(self, circle: Circle, found: &mut Vec<Neighbor<S::Hit>>) {
        self.k_nearest_within(circle, usize::MAX, found);
    }
}

/// Takes one more among the `k` best, which stand in the buffer from `before` on, and tells how near the next has to be.
#[inline]
fn keep<H: Copy + Ord>(found: &mut Vec<Neighbor<H>>, before: usize, k: usize, new: Neighbor<H>, within: &mut f64) {
    if k > SORTED_MAX {
        return collect(found, before, k, new, within);
    }
    if found.len() - before < k {
        found.push(new);
    }
    let best = &mut found[before..];
    // The last one gives way, or is the new one.
    let mut at = best.len() - 1;
    if new.order(&best[at]).is_gt() {
        return;
    }
    while at > 0 && new.order(&best[at - 1]).is_lt() {
        best[at] = best[at - 1];
        at -= 1;
    }
    best[at] = new;
    if let Some(last) = best.get(k - 1) {
        *within = last.distance;
    }
}

/// As [`keep`], for many: up to twice as many are collected before the farther half is dropped.
fn collect<H: Copy + Ord>(found: &mut Vec<Neighbor<H>>, before: usize, k: usize, new: Neighbor<H>, within: &mut f64) {
    found.push(new);
    let best = &mut found[before..];
    if best.len() / 2 >= k {
        best.select_nth_unstable_by(k - 1, Neighbor::order);
        *within = best[k - 1].distance;
        found.truncate(before + k);
    }
}

/// Puts what is left into order, and squares into distances.
fn finish<H: Copy + Ord>(found: &mut Vec<Neighbor<H>>, before: usize, k: usize) {
    let best = &mut found[before..];
    if k > SORTED_MAX {
        best.sort_unstable_by(Neighbor::order);
    }
    best.iter_mut().for_each(|found| found.distance = found.distance.sqrt());
    found.truncate(before.saturating_add(k));
}
