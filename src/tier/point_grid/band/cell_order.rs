//! The order of a band's bodies by cell: a stable counting sort of their keys.
//!
//! The sort writes at random places, which is fast only while these are in a first-level cache. So
//! indices have two bytes unless a band has too many bodies: those of a usual band then fit that
//! cache, together with the table of its cells.
//!
//! Cost: O(n) for n keys, in three passes over them.

use crate::memory::buffers::{buffers, grow};
use crate::memory::cell_table::CellKey;
use crate::tier::point_grid::band_borders::UNROLLED;
use bytemuck::Pod;

/// The most bodies whose indices have two bytes.
const SHORT_MAX: usize = 1 << 16;

/// An index into the bodies of a band.
pub(super) trait Index: Pod {
    fn of(index: usize) -> Self;

    fn get(self) -> usize;
}

impl Index for u16 {
    #[inline(always)]
    fn of(index: usize) -> Self {
        index as Self
    }

    #[inline(always)]
    fn get(self) -> usize {
        usize::from(self)
    }
}

impl Index for u32 {
    #[inline(always)]
    fn of(index: usize) -> Self {
        index as Self
    }

    #[inline(always)]
    fn get(self) -> usize {
        self as usize
    }
}

/// Buffers of the sort: indices of either size, in words.
#[derive(Default)]
pub(crate) struct CellOrder {
    /// By body: how many bodies before it are in its cell.
    ranks: Vec<u32>,
    /// The bodies in the order of cells.
    order: Vec<u32>,
}

buffers!(CellOrder { leveled: ranks, order; own: ; plain: ; });

/// Indices of a band's bodies, sorted by cell; bodies of one cell keep their order. Zeros follow,
/// to a multiple of four.
#[derive(Debug)]
pub(super) enum Order<'o> {
    Short(&'o [u16]),
    Long(&'o [u32]),
}

impl CellOrder {
    /// Counts the keys of each cell, and fills `starts` with where each cell begins (CELLS-1).
    ///
    /// Returns the sum of the squared populations of all cells. Divided by the population, it is
    /// the mean number of bodies in the cell of a body.
    ///
    /// # Panics
    ///
    /// If a key's cell is not in `starts`.
    pub(super) fn count(&mut self, keys: &[u32], starts: &mut [u32]) -> u64 {
        if keys.len() <= SHORT_MAX {
            count(keys, starts, indices::<u16>(&mut self.ranks, keys.len()))
        } else {
            count(keys, starts, indices::<u32>(&mut self.ranks, keys.len()))
        }
    }

    /// Sorts the bodies whose `keys` were counted last, into `starts`.
    pub(super) fn sort(&mut self, keys: &[u32], starts: &[u32]) -> Order<'_> {
        let padded = keys.len().next_multiple_of(4);
        let Self { ranks, order } = self;
        if keys.len() <= SHORT_MAX {
            Order::Short(sort(keys, starts, indices(ranks, keys.len()), indices(order, padded)))
        } else {
            Order::Long(sort(keys, starts, indices(ranks, keys.len()), indices(order, padded)))
        }
    }
}

/// The first `len` indices in a buffer of words, which grows as needed.
fn indices<I: Index>(words: &mut Vec<u32>, len: usize) -> &mut [I] {
    let per_word = size_of::<u32>() / size_of::<I>();
    grow(words, len.div_ceil(per_word));
    &mut bytemuck::cast_slice_mut(words)[..len]
}

fn count<I: Index>(keys: &[u32], starts: &mut [u32], ranks: &mut [I]) -> u64 {
    starts.fill(0);
    for (&key, rank) in keys.iter().zip(ranks) {
        let count = &mut starts[CellKey(key).cell()];
        *rank = I::of(*count as usize);
        *count += 1;
    }
    let (mut next, mut squares) = (0u32, 0u64);
    for start in starts {
        let count = std::mem::replace(start, next);
        squares += u64::from(count) * u64::from(count);
        next += count;
    }
    squares
}

fn sort<'o, I: Index>(keys: &[u32], starts: &[u32], ranks: &[I], order: &'o mut [I]) -> &'o [I] {
    order[keys.len()..].fill(I::of(0));
    let mut put = |index: usize, key: u32, rank: I| {
        order[starts[CellKey(key).cell()] as usize + rank.get()] = I::of(index);
    };
    let ((groups, rest), (ranks, rest_ranks)) = (keys.as_chunks::<UNROLLED>(), ranks.as_chunks::<UNROLLED>());
    for (group, (keys, ranks)) in groups.iter().zip(ranks).enumerate() {
        for k in 0..UNROLLED {
            put(group * UNROLLED + k, keys[k], ranks[k]);
        }
    }
    let first = keys.len() - rest.len();
    (first..).zip(rest).zip(rest_ranks).for_each(|((index, &key), &rank)| put(index, key, rank));
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use triphase_scenes::SplitMix64;

    fn check<I: Index>(order: &[I], keys: &[u32]) {
        let mut expected: Vec<usize> = (0..keys.len()).collect();
        expected.sort_by_key(|&body| CellKey(keys[body]).cell());
        assert!(order[..keys.len()].iter().map(|index| index.get()).eq(expected), "{} bodies", keys.len());
        assert!(order.len().is_multiple_of(4) && order[keys.len()..].iter().all(|index| index.get() == 0));
    }

    #[test]
    fn bodies_are_in_the_order_of_cells_and_then_of_rows() {
        let (mut random, mut order) = (SplitMix64::new(3), CellOrder::default());
        // The last population is smaller than what the buffers are for.
        for (population, cells) in [(0, 1), (1, 1), (7, 3), (5000, 999), (65_536, 1), (65_537, 1), (70_000, 50), (9, 2)]
        {
            let keys: Vec<u32> =
                (0..population).map(|k| CellKey::new(random.below(cells) as u32, k & 1, k >> 1 & 1).0).collect();
            let mut starts = vec![u32::MAX; cells + 1];
            let squares = order.count(&keys, &mut starts);
            let in_cell = |cell: usize| keys.iter().filter(|&&key| CellKey(key).cell() == cell).count();
            let populations: Vec<usize> = (0..cells).map(in_cell).collect();
            assert_eq!(squares, populations.iter().map(|&count| (count as u64).pow(2)).sum::<u64>());
            let ends = populations.iter().scan(0, |end, count| {
                *end += count;
                Some(*end as u32)
            });
            assert!(starts.iter().copied().eq(std::iter::once(0).chain(ends)), "CELLS-1");
            match order.sort(&keys, &starts) {
                Order::Short(order) => check(order, &keys),
                Order::Long(order) => check(order, &keys),
            }
            let is_short = matches!(order.sort(&keys, &starts), Order::Short(_));
            assert_eq!(is_short, population <= 65_536);
        }
    }
}
