//! Which of a few boxes overlap an area, as a mask of bits: what questions are made of.

#![allow(unsafe_code)]

use super::*;
use crate::storage::columns::PAD;

/// Boxes that are tested at once: one vector of the widest instruction set.
pub(crate) const MASKED: usize = 16;

const _: () = assert!(MASKED == PAD);

/// Pointers to the four edges of [`MASKED`] boxes.
type Edges = [*const f32; 4];

/// Bit `k` is set if entry `at + k` overlaps the area, for the first `min(count, MASKED)` entries.
///
/// # Panics
///
/// When `at` is behind the last entry.
#[inline]
pub(super) fn edges_at(columns: &Columns<'_>, at: usize) -> Edges {
    assert!(at <= columns.len(), "entries lie in their columns");
    let words = columns.words().as_ptr().cast::<f32>();
    let stride = columns.words().len() / 5;
    // SAFETY: C1 and C2: four columns of edges, each longer than its entries by `PAD`, so `MASKED` floats can be read from
    // this entry on.
    [0, 1, 2, 3].map(|column| unsafe { words.add(column * stride + at) })
}

/// The bits of entries that count.
#[inline(always)]
pub(super) fn first_bits(count: usize) -> u32 {
    (1u32 << count.min(MASKED)) - 1
}

/// # Safety
///
/// [`MASKED`] floats can be read from each pointer.
#[inline(always)]
pub(super) unsafe fn portable(edges: Edges, count: usize, area: &RawBox) -> u32 {
    // SAFETY: by the contract; arrays have the alignment of their elements.
    let [min_x, min_y, max_x, max_y] = edges.map(|edge| unsafe { edge.cast::<[f32; MASKED]>().read() });
    let mut mask = 0;
    for k in 0..MASKED {
        let x = (area[0] <= max_x[k]) & (area[2] >= min_x[k]);
        let y = (area[1] <= max_y[k]) & (area[3] >= min_y[k]);
        mask |= u32::from(x & y) << k;
    }
    mask & first_bits(count)
}

/// The entries of columns that overlap an area, one by one.
#[derive(Clone)]
pub(crate) struct Overlapping<'a> {
    level: Level,
    columns: Columns<'a>,
    area: RawBox,
    /// Entries before this one were tested.
    tested: usize,
    /// From an entry on, those that overlap and were not handed on yet.
    at: usize,
    mask: u32,
}

impl<'a> Overlapping<'a> {
    pub(crate) fn new(level: Level, columns: Columns<'a>, area: RawBox) -> Self {
        Self { level, columns, area, tested: 0, at: 0, mask: 0 }
    }
}

impl Iterator for Overlapping<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.mask == 0 {
            self.at = self.tested;
            let left = self.columns.len().checked_sub(self.at).filter(|&left| left > 0)?;
            self.mask = self.level.overlap_mask(&self.columns, self.at, left, &self.area);
            self.tested += left.min(MASKED);
        }
        let entry = self.at + self.mask.trailing_zeros() as usize;
        self.mask &= self.mask - 1;
        Some(entry)
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::*;

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::*;
    use std::arch::x86_64::*;

    /// # Safety
    ///
    /// [`MASKED`] floats can be read from each pointer.
    #[inline(always)]
    pub(in crate::kernel) unsafe fn sse2(edges: Edges, count: usize, area: &RawBox) -> u32 {
        let mut mask = 0;
        // SAFETY: by the contract; every x86-64 has SSE2.
        unsafe {
            let [low_x, low_y, high_x, high_y] = area.map(|edge| _mm_set1_ps(edge));
            for from in (0..count.min(MASKED)).step_by(4) {
                let [min_x, min_y, max_x, max_y] = edges.map(|edge| _mm_loadu_ps(edge.add(from)));
                let x = _mm_and_ps(_mm_cmple_ps(low_x, max_x), _mm_cmpge_ps(high_x, min_x));
                let y = _mm_and_ps(_mm_cmple_ps(low_y, max_y), _mm_cmpge_ps(high_y, min_y));
                mask |= (_mm_movemask_ps(_mm_and_ps(x, y)) as u32) << from;
            }
        }
        mask & first_bits(count)
    }

    /// # Safety
    ///
    /// AVX2 is there, and [`MASKED`] floats can be read from each pointer.
    #[target_feature(enable = "avx2")]
    pub(in crate::kernel) unsafe fn avx2(edges: Edges, count: usize, area: &RawBox) -> u32 {
        let mut mask = 0;
        // SAFETY: by the contract.
        unsafe {
            let [low_x, low_y, high_x, high_y] = area.map(|edge| _mm256_set1_ps(edge));
            for from in (0..count.min(MASKED)).step_by(8) {
                let [min_x, min_y, max_x, max_y] = edges.map(|edge| _mm256_loadu_ps(edge.add(from)));
                let x = _mm256_and_ps(
                    _mm256_cmp_ps::<_CMP_LE_OQ>(low_x, max_x),
                    _mm256_cmp_ps::<_CMP_GE_OQ>(high_x, min_x),
                );
                let y = _mm256_and_ps(
                    _mm256_cmp_ps::<_CMP_LE_OQ>(low_y, max_y),
                    _mm256_cmp_ps::<_CMP_GE_OQ>(high_y, min_y),
                );
                mask |= (_mm256_movemask_ps(_mm256_and_ps(x, y)) as u32) << from;
            }
        }
        mask & first_bits(count)
    }

    /// # Safety
    ///
    /// AVX-512 F is there, and [`MASKED`] floats can be read from each pointer.
    #[target_feature(enable = "avx512f")]
    pub(in crate::kernel) unsafe fn avx512(edges: Edges, count: usize, area: &RawBox) -> u32 {
        // SAFETY: by the contract.
        let mask = unsafe {
            let [low_x, low_y, high_x, high_y] = area.map(|edge| _mm512_set1_ps(edge));
            let [min_x, min_y, max_x, max_y] = edges.map(|edge| _mm512_loadu_ps(edge));
            let x = _mm512_cmp_ps_mask::<_CMP_LE_OQ>(low_x, max_x);
            let x = _mm512_mask_cmp_ps_mask::<_CMP_GE_OQ>(x, high_x, min_x);
            let y = _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(x, low_y, max_y);
            _mm512_mask_cmp_ps_mask::<_CMP_GE_OQ>(y, high_y, min_y)
        };
        u32::from(mask) & first_bits(count)
    }
}
