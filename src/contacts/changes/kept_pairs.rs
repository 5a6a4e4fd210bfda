//! The pairs of the last step, kept so that the next can edit them.
//!
//! - KEPT-1: while `stamp` is that of the last successful frame, its pairs are those on the pages
//!   and the active ones. The latter have a row that changed in that step and in the one before
//!   (CHANGE-3); the pages have all others in ascending order, each on the page of the segment
//!   of its first row. The partner lists, if there are any, have all pairs.
//!
//! Cost: a search and a move of half a kilobyte for each pair that goes to the pages or leaves: all
//! pairs of rows that become or cease to be active, and the pairs of newly changed rows that began
//! or ended.

use crate::broad_phase::changes::changed_pairs::ChangedPairs;
use crate::broad_phase::changes::changed_set::ChangedSet;
use crate::broad_phase::changes::found_changes::FoundChanges;
use crate::broad_phase::changes::pair_edits::PairEdits;
use crate::broad_phase::pairs::{FoundPairs, PageChain, PairPages};
use crate::contacts::by_row::{self, PairSides, RowSort};
use crate::contacts::changes::row_lists::RowLists;
use crate::contacts::changes::segments::{SEGMENT_ROWS, Segment, edit_segments};
use crate::contacts::changes::sorted_edit::{insert_sorted, release_spare, remove_sorted, reserve_spare};
use crate::contacts::partners::{CsrSpan, PartnerLists};
use crate::frame::frame::Frame;
use crate::frame::moved::FrameStamp;
use crate::memory::buffers::{Buffers, buffers};
use crate::memory::page::Page;
use crate::pair::{entry, row_and_partner};
use crate::parallel;
use crate::prefetch::prefetch;
use std::sync::Arc;

/// The pairs of both kinds.
#[derive(Default)]
pub(crate) struct KeptPairs {
    pub(crate) stamp: FrameStamp,
    /// The rows that changed in the last step that was told, even if it stepped all rows. That was
    /// the last step of all if these are the [pairs of it](Self::are_of), or if the
    /// [`ChangedView`](crate::contacts::changes::changed_view::ChangedView) knows its rows.
    pub(crate) last_changed: ChangedSet,
    pub(crate) bodies: KeptSide,
    pub(crate) statics: KeptSide,
}

/// The pairs of one kind.
#[derive(Default)]
pub(crate) struct KeptSide {
    pub(crate) pages: Arc<PairPages>,
    /// The pairs with an active row, ascending.
    pub(crate) active: Vec<u64>,
    /// The other pairs with a row that changed in the last step, in any order.
    pub(crate) newly_changed: Vec<u64>,
    /// Those of them that have an active row in the running step, ascending: they leave the pages.
    leaving: Vec<u64>,
    /// The pairs that the last step removed from the pages, and inserted there.
    page_edits: PairEdits,
    /// The pairs that ended and began in the last step, if that had to be known.
    pub(crate) edits: PairEdits,
    /// Empty unless partner lists are wanted.
    pub(crate) lists: RowLists,
    /// A buffer: the edits of active pairs, then those of the lists.
    spare_edits: PairEdits,
}

buffers!(KeptPairs { leveled: ; own: last_changed, bodies, statics; plain: stamp; });

impl Buffers for KeptSide {
    fn bytes(&self) -> usize {
        let Self { pages, active, newly_changed, leaving, page_edits, edits, lists, spare_edits } = self;
        pages.bytes()
            + active.bytes()
            + newly_changed.bytes()
            + leaving.bytes()
            + page_edits.bytes()
            + edits.bytes()
            + lists.bytes()
            + spare_edits.bytes()
    }

    fn reserve_like(&mut self, _: &Self) {}

    fn shrink_to_fit(&mut self) {
        if let Some(pages) = Arc::get_mut(&mut self.pages) {
            let pair_count = pages.pair_count();
            pages.edit(pair_count).iter_mut().for_each(|page| page.edit_pairs(Vec::shrink_to_fit));
        }
        self.lists.shrink_to_fit();
        self.active.shrink_to_fit();
        self.newly_changed.shrink_to_fit();
        (self.leaving, self.page_edits, self.edits, self.spare_edits) = Default::default();
    }
}

/// What is derived from the edits of pairs.
#[derive(Clone, Copy)]
pub(crate) struct Derived {
    /// Whether the pairs that began and ended are listed.
    pub(crate) edits: bool,
    /// Whether partner lists are kept.
    pub(crate) lists: bool,
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

    /// Replaces all pairs by those of a step in which these rows `changed`. `lists` are its partner
    /// lists, if these are wanted.
    pub(crate) fn fill(
        &mut self,
        found: &FoundPairs,
        changed: &ChangedSet,
        row_count: usize,
        lists: Option<&PartnerLists>,
        parallel: bool,
    ) {
        let Self { bodies, statics, .. } = self;
        bodies.fill_pages(found.body_pages(), (row_count, found.body_pair_count()), parallel);
        statics.fill_pages(found.static_pages(), (row_count, found.static_pair_count()), parallel);
        if let Some(lists) = lists {
            bodies.lists.fill(parallel, row_count, |row| lists.bodies(row));
            statics.lists.fill(parallel, row_count, |row| lists.statics(row));
        }
        for side in [&mut *bodies, &mut *statics] {
            side.active.clear();
            side.newly_changed.clear();
        }
        if changed.len() > 0 {
            let either = |&pair: &u64| row_and_partner(pair).into_iter().any(|row| changed.contains(row));
            bodies.newly_changed.extend(bodies.pages.entries().filter(either));
            let first = |&pair: &u64| changed.contains(row_and_partner(pair)[0]);
            statics.newly_changed.extend(statics.pages.entries().filter(first));
        }
    }

    /// Plans the edits of the pages for a step in which these rows `changed`, whose pairs were
    /// `found`. Returns the number of pairs of both kinds that there will be.
    pub(crate) fn plan_edits(&mut self, changed: &ChangedSet, found: &mut ChangedPairs) -> usize {
        let Self { last_changed: last, bodies, statics, .. } = self;
        let newly_changed = changed.rows().iter().chain(changed.gone()).copied().filter(|&row| !last.contains(row));
        statics.compare_rows(newly_changed, &mut found.statics);
        let active = ActiveRows { changed, last };
        // If all rows of the last step changed again, all pairs that were active still are.
        let may_return = !changed.contains_rows_of(last);
        bodies.plan(&found.bodies, may_return, |pair| active.are_in(pair))
            + statics.plan(&found.statics, may_return, |pair| active.is_first(pair))
    }

    /// Applies the planned edits, for a step that filed `frame`.
    pub(crate) fn apply(
        &mut self,
        changed: &ChangedSet,
        found: &mut ChangedPairs,
        frame: &Frame,
        derived: Derived,
        parallel: bool,
    ) {
        let row_count = frame.row_count;
        self.stamp = FrameStamp::default();
        let Self { last_changed: last, bodies, statics, .. } = self;
        bodies.edit_pages(row_count, parallel);
        statics.edit_pages(row_count, parallel);
        if derived.edits || derived.lists {
            let active = ActiveRows { changed, last };
            let may_return = !changed.contains_rows_of(last);
            bodies.find_edits(&found.bodies, may_return, |pair| active.are_in(pair));
            statics.find_edits(&found.statics, may_return, |pair| active.is_first(pair));
        }
        if derived.lists {
            bodies.edit_lists(PairSides::Both, row_count, parallel);
            statics.edit_lists(PairSides::First, row_count, parallel);
        }
        for (side, found) in [(bodies, &mut found.bodies), (statics, &mut found.statics)] {
            std::mem::swap(&mut side.active, &mut found.active);
            std::mem::swap(&mut side.newly_changed, &mut found.newly_changed);
        }
        self.stamp = frame.moved.stamp;
    }
}

/// The rows that are active in the running step (CHANGE-3), those that no longer exist included.
#[derive(Clone, Copy)]
struct ActiveRows<'a> {
    changed: &'a ChangedSet,
    last: &'a ChangedSet,
}

impl ActiveRows<'_> {
    fn contains(self, row: u32) -> bool {
        self.changed.contains(row) && self.last.contains(row)
    }

    /// Whether either row of a pair of bodies is active.
    fn are_in(self, pair: u64) -> bool {
        row_and_partner(pair).into_iter().any(|row| self.contains(row))
    }

    /// Whether the body of a pair with a static is active.
    fn is_first(self, pair: u64) -> bool {
        self.contains(row_and_partner(pair)[0])
    }
}

impl KeptSide {
    /// Finds which static pairs of newly changed rows ended and began.
    fn compare_rows(&self, rows: impl Iterator<Item = u32>, found: &mut FoundChanges) {
        let FoundChanges { newly_changed, edits, .. } = found;
        if self.pages.pair_count() + newly_changed.len() == 0 {
            return;
        }
        let mut now = &newly_changed[..];
        for row in rows {
            let count = now.iter().take_while(|&&pair| row_and_partner(pair)[0] == row).count();
            let (present, rest) = now.split_at(count);
            now = rest;
            let before = self.pairs_of(row).iter().map(|&[body, static_row]| entry(body, static_row));
            edits.add_difference(before, present.iter().copied());
        }
    }

    /// Finds the edits of the pages. `is_active` is whether a pair has a row that is active now;
    /// `may_return`, whether that may be false for a pair of the last step with an active row.
    /// Returns the number of present pairs.
    fn plan(&mut self, found: &FoundChanges, may_return: bool, is_active: impl Fn(u64) -> bool) -> usize {
        let Self { active, newly_changed, leaving, page_edits: edits, .. } = self;
        edits.clear();
        // Pairs of rows that become active, and of those that are active no more.
        leaving.clear();
        leaving.extend(newly_changed.iter().copied().filter(|&pair| is_active(pair)));
        leaving.sort_unstable();
        edits.removed.extend(merge(leaving.iter().copied(), found.edits.removed.iter().copied()));
        let active = if may_return { &active[..] } else { &[] };
        let returning = active.iter().copied().filter(|&pair| !is_active(pair));
        edits.added.extend(merge(returning, found.edits.added.iter().copied()));
        // Pairs that would return to the pages, but ended.
        edits.cancel();
        self.pair_count_after() + found.active.len()
    }

    /// The number of pairs that the pages will have.
    fn pair_count_after(&self) -> usize {
        self.pages.pair_count() + self.page_edits.added.len() - self.page_edits.removed.len()
    }

    /// Finds which pairs ended and began, before those of the last step are replaced by what was
    /// `found`; for the other arguments see [`plan`](Self::plan).
    fn find_edits(&mut self, found: &FoundChanges, may_return: bool, is_active: impl Fn(u64) -> bool) {
        let Self { active, leaving, edits, spare_edits, .. } = self;
        // An active row also changed in the last step, so all pairs that it had are in these lists.
        spare_edits.clear();
        let now = found.active.iter().copied();
        if leaving.is_empty() && !may_return {
            spare_edits.add_difference(active.iter().copied(), now);
        } else {
            let before = merge(active.iter().copied().filter(|&pair| is_active(pair)), leaving.iter().copied());
            spare_edits.add_difference(before, now);
        }
        edits.clear();
        edits.removed.extend(merge(spare_edits.removed.iter().copied(), found.edits.removed.iter().copied()));
        edits.added.extend(merge(spare_edits.added.iter().copied(), found.edits.added.iter().copied()));
    }

    /// The pairs with an active row, ascending.
    pub(crate) fn active_pairs(&self) -> impl ExactSizeIterator<Item = [u32; 2]> {
        self.active.iter().map(|&pair| row_and_partner(pair))
    }

    /// The pairs whose first row is this one (KEPT-1).
    fn pairs_of(&self, row: u32) -> &[[u32; 2]] {
        let Some(page) = self.pages.pages().get(row as usize / SEGMENT_ROWS) else { return &[] };
        let pairs = page.pairs();
        let start = pairs.partition_point(|&[first, _]| first < row);
        &pairs[start..start + pairs[start..].partition_point(|&[first, _]| first == row)]
    }

    /// Replaces the pages by all pairs of a step.
    fn fill_pages(&mut self, found: PageChain<'_>, (row_count, pair_count): (usize, usize), parallel: bool) {
        let mut by_span = RowSort::default();
        by_span.fill(found, row_count, PairSides::First, parallel);
        // Nothing else has the pages while a step is at work, so they are not cloned.
        let pages = Arc::make_mut(&mut self.pages).edit(pair_count);
        pages.resize_with(row_count.div_ceil(SEGMENT_ROWS), Page::empty);
        parallel::for_each_chunk(parallel, pages, by_row::SPAN_ROWS / SEGMENT_ROWS, |number, pages| {
            // A span of the sort has many segments.
            let mut partners = CsrSpan::default();
            partners.rebuild(by_span.runs(number));
            let first_row = (number * by_row::SPAN_ROWS) as u32;
            for (page, rows) in pages.iter_mut().zip((0..by_row::SPAN_ROWS).step_by(SEGMENT_ROWS)) {
                page.edit_pairs(|pairs| {
                    pairs.clear();
                    let lists = (rows..rows + SEGMENT_ROWS).map(|row| (row, partners.list(row)));
                    let count = lists.clone().map(|(_, list)| list.len()).sum::<usize>();
                    reserve_spare(pairs, count);
                    for (row, list) in lists {
                        pairs.extend(list.iter().map(|&partner| [first_row + row as u32, partner]));
                    }
                    release_spare(pairs);
                });
            }
        });
    }

    fn edit_pages(&mut self, row_count: usize, parallel: bool) {
        let (pair_count, edits) = (self.pair_count_after(), &self.page_edits);
        let page_count = row_count.div_ceil(SEGMENT_ROWS);
        // Nothing else has the pages while a step is at work, so they are not cloned.
        let pages = Arc::make_mut(&mut self.pages).edit(pair_count);
        // Pages are added before the edits and removed after them: removed rows lose their pairs
        // first.
        pages.resize_with(pages.len().max(page_count), Page::empty);
        edit_segments(parallel, pages, 0, edits.into());
        pages.truncate(page_count);
    }

    /// Edits the lists of these sides of the pairs.
    fn edit_lists(&mut self, sides: PairSides, row_count: usize, parallel: bool) {
        let Self { lists, edits, spare_edits, .. } = self;
        for (all, edits) in [(&mut spare_edits.removed, &edits.removed), (&mut spare_edits.added, &edits.added)] {
            all.clear();
            all.extend_from_slice(edits);
            if sides == PairSides::Both {
                all.extend(edits.iter().map(|&pair| pair.rotate_left(32)));
                parallel::sort_unstable(parallel, all);
            }
        }
        lists.edit(parallel, row_count, (&*spare_edits).into());
    }
}

/// Both ascending lists as one.
fn merge(a: impl Iterator<Item = u64>, b: impl Iterator<Item = u64>) -> impl Iterator<Item = u64> {
    let (mut a, mut b) = (a.peekable(), b.peekable());
    std::iter::from_fn(move || match (a.peek(), b.peek()) {
        (Some(first), Some(second)) if second < first => b.next(),
        (Some(_), _) => a.next(),
        (None, _) => b.next(),
    })
}

impl Segment for Page {
    fn edit(&mut self, removed: &[u64], added: &[u64]) {
        let place = |pairs: &[[u32; 2]], wanted: u64| pairs.partition_point(|&[a, b]| entry(a, b) < wanted);
        self.edit_pairs(|pairs| {
            remove_sorted(pairs, removed, |pairs, from, entry| from + place(&pairs[from..], entry));
            insert_sorted(pairs, added, |pairs, end, entry| place(&pairs[..end], entry), row_and_partner);
            release_spare(pairs);
        });
    }

    fn prefetch(&self) {
        prefetch(self.pairs());
    }
}
