//! The strips that the world is cut into along x, one per rank.
//!
//! STRIP-1: strip `k` is `border[k - 1] <= x < border[k]`; the first begins at minus infinity, the
//! last ends at infinity. So each x is in exactly one strip, and a body exactly on a border belongs
//! to the strip on its right. Borders may be equal: strips between them are empty.
//!
//! STRIP-2: a rank owns the bodies whose boxes begin in its strip, and has a ghost of each body of
//! another rank whose box begins to the left of its strip and reaches into it. Ghosts only travel
//! to the right.
//!
//! STRIP-3: a rank reports a pair if it owns at least one of the two. Exactly one rank does:
//!
//! - The shared part of two boxes begins where the box that begins later begins. The rank in whose
//!   strip that is owns this box. The other box begins there or to the left and reaches there, so
//!   the rank owns it too or has a ghost of it (STRIP-2): it finds the pair and reports it.
//! - If two ranks own a box each, the rank on the left has no ghost of the box on the right, so
//!   only the rank on the right finds the pair. Any other rank owns neither.
//!
//! It is the rule by which the library's bands report each pair once: the lower corner of what two
//! boxes share decides. Only comparisons are made, of the same f32 on all ranks, so nothing is lost
//! to rounding, however thin the strips and however wide the bodies.

use std::ops::RangeInclusive;

/// The borders between strips, the same on all ranks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Strips {
    /// Ascending, finite; one fewer than there are ranks.
    borders: Vec<f32>,
}

impl Strips {
    /// Strips between these borders.
    ///
    /// # Panics
    ///
    /// If borders are not finite or not ascending.
    pub(crate) fn new(borders: Vec<f32>) -> Self {
        for (k, border) in borders.iter().enumerate() {
            assert!(border.is_finite(), "border {k} is {border}");
            assert!(k == 0 || borders[k - 1] <= *border, "border {k} ({border}) is below border {}", borders[k - 1]);
        }
        Self { borders }
    }

    /// Strips of equal width.
    pub(crate) fn even(ranks: usize, [min, max]: [f32; 2]) -> Self {
        let width = f64::from(max) - f64::from(min);
        Self::new((1..ranks).map(|k| (f64::from(min) + width * k as f64 / ranks as f64) as f32).collect())
    }

    /// Number of strips, which is the number of ranks.
    pub(crate) fn count(&self) -> usize {
        self.borders.len() + 1
    }

    /// The rank in whose strip an x is (STRIP-1).
    pub(crate) fn rank_of(&self, x: f32) -> usize {
        self.borders.partition_point(|&border| border <= x)
    }

    /// Where a rank's strip begins and ends; the end is not part of it.
    pub(crate) fn strip(&self, rank: usize) -> [f32; 2] {
        let begin = if rank == 0 { f32::NEG_INFINITY } else { self.borders[rank - 1] };
        [begin, self.borders.get(rank).copied().unwrap_or(f32::INFINITY)]
    }

    /// The ranks that need a ghost of a body that `owner` owns and that ends at `max_x` (STRIP-2).
    pub(crate) fn ghost_ranks(&self, owner: usize, max_x: f32) -> impl Iterator<Item = usize> {
        let reached: RangeInclusive<usize> = owner + 1..=self.rank_of(max_x);
        // An empty strip owns no body, so it has no pair to report.
        reached.filter(|&rank| {
            let [begin, end] = self.strip(rank);
            begin < end
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_x_is_in_the_one_strip_that_contains_it() {
        let strips = Strips::new(vec![-1.0, 0.0, 0.0, 2.5]);
        assert_eq!(strips.count(), 5);
        for x in
            [f32::NEG_INFINITY, -1.0f32.next_up(), -1.0, -0.0, 0.0, 1.0, 2.5f32.next_down(), 2.5, 1e30, f32::INFINITY]
        {
            let rank = strips.rank_of(x);
            let [begin, end] = strips.strip(rank);
            assert!(begin <= x && (x < end || end == f32::INFINITY), "{x} in strip {rank}, {begin} to {end}");
        }
        assert_eq!([-1.0, -0.0, 0.0, 2.5].map(|x| strips.rank_of(x)), [1, 3, 3, 4]);
    }

    #[test]
    fn ghosts_go_to_all_strips_that_a_body_reaches_but_empty_ones() {
        let strips = Strips::new(vec![0.0, 1.0, 1.0, 2.0]);
        let ranks = |owner, max_x| strips.ghost_ranks(owner, max_x).collect::<Vec<_>>();
        assert_eq!(ranks(0, -0.5), []);
        assert_eq!(ranks(0, 0.0), [1]); // it ends exactly where the strip begins, and touches
        assert_eq!(ranks(0, 1.0), [1, 3]);
        assert_eq!(ranks(0, f32::INFINITY), [1, 3, 4]);
        assert_eq!(ranks(4, f32::INFINITY), []);
    }

    #[test]
    fn even_strips_have_the_borders_of_equal_widths() {
        assert_eq!(Strips::even(4, [-2.0, 6.0]), Strips::new(vec![0.0, 2.0, 4.0]));
        assert_eq!(Strips::even(1, [0.0, 1.0]).strip(0), [f32::NEG_INFINITY, f32::INFINITY]);
        assert_eq!(Strips::even(3, [f32::MIN, f32::MAX]).count(), 3);
    }
}
