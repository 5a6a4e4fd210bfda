//! The nearest boxes that a search has found so far.

use crate::pair::Hit;
use std::cmp::Ordering;

/// The buffer is kept sorted for up to this many neighbors. For more, it collects twice as many
/// before the farther half is dropped, at a cost per neighbor that does not grow with their number.
const SORTED_MAX: usize = 32;

/// A box near a point, and its distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbor<H = Hit> {
    /// What was found.
    pub target: H,
    /// Distance from the point to the closed box in world units, 0 inside: the square root of
    /// [`Aabb::distance_squared`](crate::Aabb::distance_squared).
    pub distance: f64,
}

impl<H: Ord> Neighbor<H> {
    /// Nearest first, then the lower target.
    #[inline]
    fn order(&self, other: &Self) -> Ordering {
        self.distance.total_cmp(&other.distance).then_with(|| self.target.cmp(&other.target))
    }
}

/// The nearest hits so far, with squared distances, and the distance below which further hits are
/// wanted.
pub(crate) struct NearestHits<'f, H> {
    /// The squared distance up to which hits are wanted.
    within: f64,
    best: Best<'f, H>,
}

enum Best<'f, H> {
    One(Option<Neighbor<H>>),
    /// At most `k` from `start` on, sorted if `k` is at most `SORTED_MAX`.
    Many {
        found: &'f mut Vec<Neighbor<H>>,
        start: usize,
        k: usize,
    },
}

impl<'f, H: Copy + Ord> NearestHits<'f, H> {
    /// Keeps the nearest hit.
    pub(super) fn one(within: f64) -> Self {
        Self { within, best: Best::One(None) }
    }

    /// Appends the `k` nearest hits, at least one, to `found`.
    pub(super) fn many(within: f64, k: usize, found: &'f mut Vec<Neighbor<H>>) -> Self {
        Self { within, best: Best::Many { start: found.len(), k, found } }
    }

    /// How many hits are wanted.
    pub(crate) fn count(&self) -> usize {
        match self.best {
            Best::One(_) => 1,
            Best::Many { k, .. } => k,
        }
    }

    /// The squared distance up to which hits are wanted.
    pub(crate) fn within(&self) -> f64 {
        self.within
    }

    /// Adds a hit at a squared distance of at most [`within`](Self::within).
    #[inline]
    pub(crate) fn add(&mut self, target: H, distance: f64) {
        let new = Neighbor { target, distance };
        match &mut self.best {
            Best::One(best) => {
                if best.is_none_or(|best| new.order(&best).is_lt()) {
                    *best = Some(new);
                    self.within = distance;
                }
            }
            Best::Many { found, start, k } if *k <= SORTED_MAX => {
                insert_sorted(found, *start, *k, new, &mut self.within);
            }
            Best::Many { found, start, k } => insert_unsorted(found, *start, *k, new, &mut self.within),
        }
    }

    /// Sorts the hits and replaces squared distances by distances. Returns the hit if one was
    /// wanted.
    pub(super) fn finish(self) -> Option<Neighbor<H>> {
        match self.best {
            Best::One(best) => best.map(|found| Neighbor { distance: found.distance.sqrt(), ..found }),
            Best::Many { found, start, k } => {
                let best = &mut found[start..];
                if k > SORTED_MAX {
                    best.sort_unstable_by(Neighbor::order);
                }
                best.iter_mut().for_each(|found| found.distance = found.distance.sqrt());
                found.truncate(start.saturating_add(k));
                None
            }
        }
    }
}

/// Inserts a hit among the sorted `k` best, and updates the distance up to which hits are wanted.
#[inline]
fn insert_sorted<H: Copy + Ord>(
    found: &mut Vec<Neighbor<H>>,
    start: usize,
    k: usize,
    new: Neighbor<H>,
    within: &mut f64,
) {
    if found.len() - start < k {
        found.push(new);
    }
    let best = &mut found[start..];
    // The last hit is either the new one or is replaced by it.
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

/// As [`insert_sorted`], for hits in any order; the farther half is dropped at `2 * k`.
fn insert_unsorted<H: Copy + Ord>(
    found: &mut Vec<Neighbor<H>>,
    start: usize,
    k: usize,
    new: Neighbor<H>,
    within: &mut f64,
) {
    found.push(new);
    let best = &mut found[start..];
    if best.len() / 2 >= k {
        best.select_nth_unstable_by(k - 1, Neighbor::order);
        *within = best[k - 1].distance;
        found.truncate(start + k);
    }
}
