//! What is near among the oversized bodies, and what a ray meets: of a few, all are tested at once; of more, the double grid
//! tells which. Areas are looked for in the double grid in any case, which is as fast.
//!
//! Entities are numbered as in the double grid.

use crate::frame::frame::Index;
use crate::geometry::{Impact, PreparedCast, ROOT, RawAabb, distance_squared, square, union};
use crate::memory::blocks::{SoaBlocks, block_words, fill_blocks_from};
use crate::memory::buffers::{grow, reserve_like};
use crate::memory::record::BodyRecord;
use crate::query::Search;
use crate::simd::OverlapIter;

/// Up to so many are tested one after the other, sixteen at a time: five nanoseconds for each sixteen, where finding the way
/// through the double grid takes a ray some hundred and fifty.
const FEW: usize = 256;

/// The oversized bodies in blocks, if they are few.
#[derive(Clone, Default)]
pub(crate) struct FewOversized {
    words: Vec<u32>,
    len: usize,
    /// Covers all of them, if there are any.
    bounds: RawAabb,
}

impl FewOversized {
    pub(crate) fn rebuild(&mut self, records: &[BodyRecord]) {
        self.len = if records.len() <= FEW { records.len() } else { 0 };
        let records = &records[..self.len];
        grow(&mut self.words, block_words(self.len));
        fill_blocks_from(&mut self.words, records);
        self.bounds = records.iter().map(|record| record.aabb).reduce(|a, b| union(&a, &b)).unwrap_or_default();
    }

    fn blocks(&self) -> SoaBlocks<'_> {
        SoaBlocks::of(&self.words, self.len)
    }

    pub(crate) fn reserve_like(&mut self, other: &Self) {
        reserve_like(&mut self.words, &other.words);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<u32>()
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.words.truncate(block_words(self.len));
        self.words.shrink_to_fit();
    }
}

impl Index {
    /// The few that overlap an area, if they are few.
    #[inline]
    fn few_overlapping(&self, area: RawAabb) -> Option<impl Iterator<Item = (u32, RawAabb)>> {
        let blocks = (self.few_oversized.len > 0).then(|| self.few_oversized.blocks())?;
        let found = OverlapIter::new(self.grid.level(), blocks, area);
        Some(found.map(move |at| (at as u32, blocks.aabb(at))))
    }

    /// As [`Search::visit_near`].
    pub(crate) fn visit_near_oversized(
        &self,
        point: [f32; 2],
        count: usize,
        mut within: f64,
        visit: &mut impl FnMut(u32, f64) -> f64,
    ) -> f64 {
        let Some(few) = self.few_overlapping(square(point, within.sqrt() * ROOT)) else {
            return self.loose.visit_near(point, count, within, visit);
        };
        for (entity, aabb) in few {
            let distance = distance_squared(&aabb, point);
            if distance <= within {
                within = visit(entity, distance);
            }
        }
        within
    }

    /// As [`Search::visit_met`].
    pub(crate) fn visit_met_oversized(
        &self,
        cast: &PreparedCast,
        mut until: f64,
        visit: &mut impl FnMut(u32, Impact) -> f64,
    ) -> f64 {
        if self.few_oversized.len == 0 {
            return self.loose.visit_met(cast, until, visit);
        }
        // The part of the way that leads by them (C1): all of a way without an end would cover the whole world.
        let Some([from, to]) = cast.interval(&self.few_oversized.bounds, until) else { return until };
        for (entity, aabb) in self.few_overlapping(cast.swept_bounds(from, to, to)).into_iter().flatten() {
            if let Some(entry) = cast.impact(&aabb, until) {
                until = visit(entity, entry);
            }
        }
        until
    }
}
