//! The pairs of the last step, kept so that the next can edit them.
//!
//! - KEPT-1: while `stamp` is that of the last successful frame, the pages contain its pairs in
//!   ascending order, each on the page of the span of its first row, and so do the partner lists,
//!   if there are any.
//!
//! Cost: a search and a move of half a kilobyte for each pair that began or ended.

use crate::broad_phase::changes::changed_set::ChangedSet;
use crate::broad_phase::changes::pair_edits::{PairEdits, for_each_difference};
use crate::broad_phase::changes::search::ChangedPairs;
use crate::broad_phase::pairs::{FoundPairs, PairPages};
use crate::contacts::changes::row_lists::RowLists;
use crate::contacts::changes::sorted_edit::{insert_sorted, remove_sorted};
use crate::contacts::changes::spans::{SPAN_ROWS, edit_spans};
use crate::contacts::partners::PartnerLists;
use crate::frame::moved::FrameStamp;
use crate::memory::buffers::{Buffers, buffers};
use crate::memory::page::Page;
use crate::pair::{entry, row_and_partner};
use crate::parallel;
use std::sync::Arc;

/// The pairs of both kinds.
#[derive(Default)]
pub(crate) struct KeptPairs {
    pub(crate) stamp: FrameStamp,
    pub(crate) bodies: KeptSide,
    pub(crate) statics: KeptSide,
    /// What the last search for changed rows found.
    pub(crate) found: ChangedPairs,
    static_edits: PairEdits,
}

/// The pairs of one kind.
#[derive(Default)]
pub(crate) struct KeptSide {
    pub(crate) pages: Arc<PairPages>,
    /// Empty unless partner lists are wanted.
    pub(crate) lists: RowLists,
    list_edits: PairEdits,
}

buffers!(KeptPairs { leveled: ; own: bodies, statics, found, static_edits; plain: stamp; });

impl Buffers for KeptSide {
    fn bytes(&self) -> usize {
        let Self { pages, lists, list_edits } = self;
        pages.bytes() + lists.bytes() + list_edits.bytes()
    }

    fn reserve_like(&mut self, _: &Self) {}

    fn shrink_to_fit(&mut self) {
        self.lists.shrink_to_fit();
        self.list_edits = PairEdits::default();
    }
}

impl KeptPairs {
    /// Whether these are the pairs of the last step, with this stamp.
    pub(crate) fn are_of(&self, stamp: FrameStamp) -> bool {
        stamp.filing > 0 && self.stamp == stamp
    }

    /// Removes the static pairs, which then differ from those of the last step.
    pub(crate) fn clear_statics(&mut self) {
        self.stamp = FrameStamp::default();
        self.statics = KeptSide::default();
    }

    /// Replaces all pairs by those of a step.
    pub(crate) fn fill(&mut self, found: &FoundPairs, row_count: usize, with_lists: bool, parallel: bool) {
        let mut lists = PartnerLists::default();
        lists.rebuild(found, row_count, parallel);
        let Self { bodies, statics, .. } = self;
        bodies.fill_pages(row_count, found.body_pair_count(), parallel, |row| {
            let partners = lists.bodies(row);
            &partners[partners.partition_point(|&partner| partner < row)..]
        });
        statics.fill_pages(row_count, found.static_pair_count(), parallel, |row| lists.statics(row));
        if with_lists {
            bodies.lists.fill(parallel, row_count, |row| lists.bodies(row));
            statics.lists.fill(parallel, row_count, |row| lists.statics(row));
        }
    }

    /// Finds the static pairs that began and ended. Returns the number of present pairs of both
    /// kinds.
    pub(crate) fn compare(&mut self, rows: &ChangedSet) -> usize {
        let Self { bodies, statics, found, static_edits, .. } = self;
        static_edits.clear();
        if statics.pages.pair_count() + found.present_statics.len() > 0 {
            let mut now = &found.present_statics[..];
            for row in rows.rows().iter().chain(rows.gone()) {
                let count = now.iter().take_while(|&&pair| row_and_partner(pair)[0] == *row).count();
                let (present, rest) = now.split_at(count);
                now = rest;
                let before = statics.pairs_of(*row).iter().map(|&[body, static_row]| entry(body, static_row));
                for_each_difference(
                    before,
                    present.iter().copied(),
                    |pair| static_edits.removed.push(pair),
                    |pair| static_edits.added.push(pair),
                );
            }
        }
        bodies.pair_count_after(&found.edits) + statics.pair_count_after(static_edits)
    }

    /// Applies the edits that were found, for a step with this many rows.
    pub(crate) fn apply(&mut self, row_count: usize, stamp: FrameStamp, with_lists: bool, parallel: bool) {
        self.stamp = FrameStamp::default();
        let Self { bodies, statics, found, static_edits, .. } = self;
        bodies.edit_pages(&found.edits, row_count, parallel);
        statics.edit_pages(static_edits, row_count, parallel);
        if with_lists {
            bodies.edit_lists(&found.edits, true, row_count, parallel);
            statics.edit_lists(static_edits, false, row_count, parallel);
        }
        self.stamp = stamp;
    }

    /// The pairs of bodies and the static pairs that the last step removed and added, ascending.
    pub(crate) fn edits(&self) -> [&PairEdits; 2] {
        [&self.found.edits, &self.static_edits]
    }
}

impl KeptSide {
    /// All pairs, ascending (KEPT-1).
    pub(crate) fn entries(&self) -> impl Iterator<Item = u64> {
        self.pages.pages().iter().flat_map(|page| page.pairs()).map(|&[row, partner]| entry(row, partner))
    }

    fn pair_count_after(&self, edits: &PairEdits) -> usize {
        self.pages.pair_count() + edits.added.len() - edits.removed.len()
    }

    /// The pairs whose first row is this one (KEPT-1).
    fn pairs_of(&self, row: u32) -> &[[u32; 2]] {
        let Some(page) = self.pages.pages().get(row as usize / SPAN_ROWS) else { return &[] };
        let pairs = page.pairs();
        let start = pairs.partition_point(|&[first, _]| first < row);
        &pairs[start..start + pairs[start..].partition_point(|&[first, _]| first == row)]
    }

    /// Replaces the pages; `partners` returns the second rows of the pairs of a row.
    fn fill_pages<'p>(
        &mut self,
        row_count: usize,
        pair_count: usize,
        parallel: bool,
        partners: impl Fn(u32) -> &'p [u32] + Sync + Send,
    ) {
        // Nothing else has the pages while a step is at work, so they are not cloned.
        let pages = Arc::make_mut(&mut self.pages).edit(pair_count);
        pages.resize_with(row_count.div_ceil(SPAN_ROWS), Page::empty);
        parallel::for_each_mut(parallel, pages, |number, page| {
            page.edit(|pairs| {
                pairs.clear();
                let rows = (number * SPAN_ROWS) as u32..row_count.min((number + 1) * SPAN_ROWS) as u32;
                let count = rows.clone().map(|row| partners(row).len()).sum::<usize>();
                if pairs.capacity() < count {
                    pairs.reserve_exact(count + count / 4 + 8);
                }
                rows.for_each(|row| pairs.extend(partners(row).iter().map(|&partner| [row, partner])));
            });
        });
    }

    fn edit_pages(&mut self, edits: &PairEdits, row_count: usize, parallel: bool) {
        let pair_count = self.pair_count_after(edits);
        let span_count = row_count.div_ceil(SPAN_ROWS);
        // Nothing else has the pages while a step is at work, so they are not cloned.
        let pages = Arc::make_mut(&mut self.pages).edit(pair_count);
        // Rows are added before and removed after their pairs are edited.
        pages.resize_with(pages.len().max(span_count), Page::empty);
        edit_spans(parallel, pages, 0, edits.into(), &|page, removed, added| {
            page.edit(|pairs| edit_page(pairs, removed, added));
        });
        pages.truncate(span_count);
    }

    /// Applies edits to the lists; to those of both rows if `both`.
    fn edit_lists(&mut self, edits: &PairEdits, both: bool, row_count: usize, parallel: bool) {
        let Self { lists, list_edits, .. } = self;
        for (all, edits) in [(&mut list_edits.removed, &edits.removed), (&mut list_edits.added, &edits.added)] {
            all.clear();
            all.extend_from_slice(edits);
            if both {
                all.extend(edits.iter().map(|&pair| pair.rotate_left(32)));
                parallel::sort_unstable(parallel, all);
            }
        }
        lists.edit(parallel, row_count, (&*list_edits).into());
    }
}

fn edit_page(pairs: &mut Vec<[u32; 2]>, removed: &[u64], added: &[u64]) {
    let place = |pairs: &[[u32; 2]], key: u64| pairs.partition_point(|&[row, partner]| entry(row, partner) < key);
    remove_sorted(pairs, removed, |pairs, from, &key| from + place(&pairs[from..], key));
    insert_sorted(pairs, added.iter(), |pairs, end, &key| place(&pairs[..end], key), |&key| row_and_partner(key));
}
