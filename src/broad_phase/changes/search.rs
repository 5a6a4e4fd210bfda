//! Searches the frame of the last step for changed rows: it has their unchanged partners.
//!
//! Active rows are searched for with their present box, newly changed ones with their old and their
//! present box at once (CHANGE-3). An active row that gets a list of its neighbors is searched for
//! with the area of the list, and the neighbors are then compared with its present box.

use crate::broad_phase::changes::changed_bodies::ChangedBody;
use crate::broad_phase::changes::changes::Changes;
use crate::broad_phase::changes::found_changes::FoundChanges;
use crate::broad_phase::changes::neighbor_lists::LIST_MAX;
use crate::broad_phase::changes::row_index::RowIndex;
use crate::broad_phase::context::StepContext;
use crate::broad_phase::scratch_pool::SearchScratch;
use crate::frame::frame::Frame;
use crate::geometry::{NO_BOX, RawAabb, is_no_box, overlaps, union};
use crate::input::filter::PairRules;
use crate::memory::body_record::BodyRecord;
use crate::memory::box_octet::{BoxOctet, OCTET_LEN};
use crate::memory::buffers::{buffers, grow, plain_buffers};
use crate::memory::page::PairBudget;
use crate::pair::entry;
use crate::tier::point_grid::bands::Bands;
use crate::tier::point_grid::cross_search::{BandSearch, SEARCH_BOXES_MAX, SearchBuffers};
use smallvec::SmallVec;

/// Rows of a task: each may need two searches.
pub(super) const TASK_ROWS: usize = SEARCH_BOXES_MAX / 2;

/// Pairs that a task finds before it counts them against the pair limit.
const COUNTED_AT_ONCE: usize = 4096;

/// Rows whose boxes are loaded ahead of being read.
const BOXES_AHEAD: usize = 16;

/// Bits for the boxes of a newly changed row that overlap another body.
const BEFORE: u32 = 1;
const NOW: u32 = 2;

/// What changed in a step, and where the rows were.
#[derive(Clone, Copy)]
pub(crate) struct ChangedInput<'s> {
    pub(crate) changes: Changes<'s>,
    /// The frame of the last step, to which the index belongs.
    pub(crate) front: &'s Frame,
    pub(crate) index: &'s RowIndex,
    pub(crate) row_count: usize,
}

impl<'s> ChangedInput<'s> {
    /// The conditions on pairs besides boxes, with the filters of the last step.
    pub(super) fn rules(&self, step: StepContext<'_>) -> PairRules<'s> {
        step.rules(self.front.filters_by_row())
    }
}

/// A changed row that is searched for.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchedRow {
    pub(super) body: ChangedBody,
    /// The area in which the neighbors are to be listed; [`NO_BOX`] if they are not.
    pub(super) fat: RawAabb,
    /// The position of the row among the changed ones.
    pub(super) position: u32,
}

/// What was found for some changed rows.
#[derive(Default)]
pub(super) struct SearchOutput {
    pub(super) found: FoundChanges,
    /// The pairs of two newly changed rows in the last step.
    pub(super) both_before: Vec<u64>,
    /// The boxes of newly changed rows in the last step.
    pub(super) left: Vec<RawAabb>,
    /// The neighbors of the rows that get lists, row by row.
    octets: Vec<BoxOctet>,
    /// How many each row has; more than [`LIST_MAX`] are not listed, and count as one more.
    neighbor_counts: Vec<u8>,
    pub(super) has_jumps: bool,
}

plain_buffers!(SearchedRow);
buffers!(SearchOutput {
    leveled: found, both_before, left, octets, neighbor_counts;
    own: ;
    plain: has_jumps;
});

impl SearchOutput {
    /// Calls `visit` with the number of each row that gets a list, and with its neighbors unless
    /// there are too many.
    pub(super) fn for_each_list(&self, rows: &[SearchedRow], mut visit: impl FnMut(usize, Option<&[BoxOctet]>)) {
        let mut octets = &self.octets[..];
        for (number, &count) in self.neighbor_counts.iter().enumerate() {
            if !is_no_box(&rows[number].fat) {
                let is_listed = usize::from(count) <= LIST_MAX;
                let own;
                (own, octets) = octets.split_at(if is_listed { usize::from(count).div_ceil(OCTET_LEN) } else { 0 });
                visit(number, is_listed.then_some(own));
            }
        }
    }

    /// Puts the neighbors that were found in octets; `neighbors` has [`LIST_MAX`] places for each
    /// row.
    fn pack_neighbors(&mut self, neighbors: &[BodyRecord]) {
        let lists = neighbors.chunks_exact(LIST_MAX).zip(&self.neighbor_counts);
        for (list, count) in lists.map(|(list, &count)| (list, usize::from(count))) {
            if count <= LIST_MAX {
                let octets = list[..count].chunks(OCTET_LEN).map(|some| BoxOctet::of(some.iter().copied()));
                self.octets.extend(octets);
            }
        }
    }
}

/// What all tasks share.
#[derive(Clone, Copy)]
pub(super) struct SearchContext<'s> {
    pub(super) step: StepContext<'s>,
    pub(super) input: ChangedInput<'s>,
    /// Whether all rows that changed in the last step have changed in this one.
    pub(super) all_changed_again: bool,
    pub(super) budget: &'s PairBudget,
}

impl SearchContext<'_> {
    pub(super) fn run(self, rows: &[SearchedRow], output: &mut SearchOutput, scratch: &mut SearchScratch) {
        output.found.clear();
        output.both_before.clear();
        output.left.clear();
        output.octets.clear();
        output.neighbor_counts.clear();
        output.neighbor_counts.resize(rows.len(), 0);
        output.has_jumps = false;
        let ChangedInput { changes, index, front, .. } = self.input;
        let mut before = SmallVec::<[RawAabb; TASK_ROWS]>::new();
        let is_newly_changed = |searched: &&SearchedRow| !changes.is_active(searched.body.row);
        for (k, searched) in rows.iter().enumerate() {
            if let Some(ahead) = rows.get(k + 2 * BOXES_AHEAD).filter(is_newly_changed) {
                index.prefetch(ahead.body.row);
            }
            if let Some(ahead) = rows.get(k + BOXES_AHEAD).filter(is_newly_changed) {
                index.prefetch_box(front, ahead.body.row);
            }
            let row = searched.body.row;
            let last_box = Some(searched).filter(is_newly_changed).and_then(|_| index.aabb(front, row));
            output.left.extend(last_box);
            before.push(last_box.unwrap_or(NO_BOX));
        }
        let mut neighbors = std::mem::take(&mut scratch.neighbors);
        if rows.iter().any(|row| !is_no_box(&row.fat)) {
            grow(&mut neighbors, rows.len() * LIST_MAX);
        }
        let mut search =
            TaskSearch { shared: self, rows, before: &before, output, neighbors: &mut neighbors, counted: 0 };
        // Ends early once the pair limit is exceeded, which the step sees from the budget.
        let _ = search.search_bands().and_then(|()| search.search_oversized(scratch)).and_then(|()| search.count());
        output.pack_neighbors(&neighbors);
        scratch.neighbors = neighbors;
    }
}

/// The search of a task.
struct TaskSearch<'s, 't> {
    shared: SearchContext<'s>,
    rows: &'t [SearchedRow],
    /// The boxes of newly changed rows in the last step; [`NO_BOX`] for other rows.
    before: &'t [RawAabb],
    output: &'t mut SearchOutput,
    /// [`LIST_MAX`] places for each row that gets a list.
    neighbors: &'t mut [BodyRecord],
    /// Number of present pairs that were counted against the limit.
    counted: usize,
}

/// The boxes of a row that are searched for together, and its number in the task.
#[derive(Clone, Copy)]
struct Group<const N: usize> {
    boxes: [RawAabb; N],
    number: u32,
}

/// The groups of a task.
type Groups<const N: usize> = SmallVec<[Group<N>; SEARCH_BOXES_MAX]>;

impl TaskSearch<'_, '_> {
    fn search_bands(&mut self) -> Option<()> {
        let mut before_and_now = Groups::<2>::new();
        let mut now_alone = Groups::<1>::new();
        let mut fat_alone = Groups::<1>::new();
        for (number, (row, &before)) in (0..).zip(self.rows.iter().zip(self.before)) {
            let &SearchedRow { body: ChangedBody { aabb: now, .. }, fat, .. } = row;
            if !is_no_box(&fat) {
                fat_alone.push(Group { boxes: [fat], number });
            } else if is_no_box(&before) {
                if !is_no_box(&now) {
                    now_alone.push(Group { boxes: [now], number });
                }
            } else if is_jump(&before, &now) {
                self.output.has_jumps = true;
                before_and_now.push(Group { boxes: [before, NO_BOX], number });
                now_alone.push(Group { boxes: [now], number });
            } else {
                before_and_now.push(Group { boxes: [before, now], number });
            }
        }
        let SearchContext { step, input, .. } = self.shared;
        let (rules, are_circles) = (input.rules(step), step.are_circles);
        // Bit k is box k of the group: `BEFORE`, then `NOW`.
        self.search_for(&before_and_now, are_circles, |task, number, band, at, bits| {
            task.add(number, band.row(at), bits)
        })?;
        self.search_for(&now_alone, are_circles, |task, number, band, at, _| task.add(number, band.row(at), NOW))?;
        // The list has boxes in an area, which is no circle. The area contains the present box.
        self.search_for(&fat_alone, false, |task, number, band, at, _| {
            let row = band.row(at);
            if input.changes.rows.contains(row) {
                return Some(());
            }
            let partner = BodyRecord { aabb: band.aabb(at), row };
            task.add_neighbor(number, partner);
            let is_pair = touch(rules, &task.rows[number as usize].body.aabb, &partner.aabb);
            if is_pair { task.add(number, row, NOW) } else { Some(()) }
        })
    }

    /// Calls `visit` with the number of each group, the band and the place of each body that
    /// overlaps one of its boxes, and a bit for each of these.
    fn search_for<const N: usize>(
        &mut self,
        groups: &[Group<N>],
        are_circles: bool,
        visit: impl Fn(&mut Self, u32, &BandSearch<'_>, u32, u32) -> Option<()>,
    ) -> Option<()> {
        let boxes = groups.iter().flat_map(|group| group.boxes).filter(|aabb| !is_no_box(aabb));
        let Some(bounds) = boxes.reduce(|a, b| union(&a, &b)) else { return Some(()) };
        let SearchContext { input, all_changed_again, .. } = self.shared;
        let moved = &input.front.moved;
        let mut buffers = SearchBuffers::<N>::default();
        let mut search_bands = |bands: &Bands, may_be_outdated: bool| {
            bands.bands_overlapping(bounds).try_for_each(|band| {
                let boxes = groups.iter().map(|group| group.boxes);
                let band = bands.search_band(band);
                band.for_each_overlap(boxes, are_circles, &mut buffers, |number, at, bits| {
                    if may_be_outdated && moved.is_outdated(band.row(at)) {
                        return Some(());
                    }
                    visit(self, groups[number as usize].number, &band, at, bits)
                })
            })
        };
        search_bands(&input.front.bands, true)?;
        // If all rows that changed in the last step changed again, their bands have no partner.
        let changed = moved.changed_bands().filter(|_| !all_changed_again);
        changed.into_iter().chain(moved.settled_bands()).try_for_each(|bands| search_bands(bands, false))
    }

    fn search_oversized(&mut self, SearchScratch { found, .. }: &mut SearchScratch) -> Option<()> {
        let SearchContext { step, input, .. } = self.shared;
        let (rules, oversized) = (input.rules(step), &input.front.oversized);
        if oversized.is_empty() {
            return Some(());
        }
        for (number, (row, before)) in (0..).zip(self.rows.iter().zip(self.before)) {
            let SearchedRow { body: ChangedBody { aabb: now, .. }, fat, .. } = row;
            let existing = [before, now, fat].into_iter().copied().filter(|aabb| !is_no_box(aabb));
            let Some(area) = existing.reduce(|a, b| union(&a, &b)) else { continue };
            found.clear();
            oversized.grid().collect(&area, found);
            for &partner in found.iter() {
                if overlaps(fat, &partner.aabb) && !input.changes.rows.contains(partner.row) {
                    self.add_neighbor(number, partner);
                }
                let touches = |aabb: &RawAabb| touch(rules, aabb, &partner.aabb);
                let bits = u32::from(touches(before)) * BEFORE + u32::from(touches(now)) * NOW;
                if bits != 0 {
                    self.add(number, partner.row, bits)?;
                }
            }
        }
        Some(())
    }

    /// Adds another body that overlaps the box of a changed row before, now or both.
    #[inline(always)]
    fn add(&mut self, number: u32, partner: u32, bits: u32) -> Option<()> {
        let SearchContext { step, input, .. } = self.shared;
        let (changes, rules) = (input.changes, input.rules(step));
        let ChangedBody { row, filter, .. } = self.rows[number as usize].body;
        // All rows have filters in both steps or in neither (`RestartCause::Columns`). The last
        // step has none of a row that was added since, which has no `BEFORE` either.
        let accepted_before = || rules.accept([row, partner]);
        if changes.rows.contains(partner) {
            // Both rows find this pair, and each row finds itself: only the lower row counts.
            if bits & BEFORE != 0 && row < partner && !changes.is_active(partner) && accepted_before() {
                self.output.both_before.push(entry(row, partner));
            }
            return Some(());
        }
        let was = bits & BEFORE != 0 && accepted_before();
        let is = bits & NOW != 0 && filter.interacts_with(rules.filter(partner));
        let (pair, found) = (entry(row.min(partner), row.max(partner)), &mut self.output.found);
        if changes.is_active(row) {
            if !is {
                return Some(());
            }
            found.active.push(pair);
        } else {
            if was != is {
                if is { found.edits.added.push(pair) } else { found.edits.removed.push(pair) }
            }
            if is {
                found.newly_changed.push(pair);
            }
        }
        if found.active.len() + found.newly_changed.len() - self.counted >= COUNTED_AT_ONCE {
            self.count()
        } else {
            Some(())
        }
    }

    /// Adds a body that does not change in this step to the list of a row (LIST-1).
    #[inline(always)]
    fn add_neighbor(&mut self, number: u32, body: BodyRecord) {
        let count = &mut self.output.neighbor_counts[number as usize];
        let at = usize::from(*count);
        if at <= LIST_MAX {
            if at < LIST_MAX {
                self.neighbors[number as usize * LIST_MAX + at] = body;
            }
            *count += 1;
        }
    }

    /// Counts what was found since the last call against the pair limit; `None` once that is
    /// exceeded.
    fn count(&mut self) -> Option<()> {
        let len = self.output.found.active.len() + self.output.found.newly_changed.len();
        let uncounted = len - std::mem::replace(&mut self.counted, len);
        self.shared.budget.spend(uncounted).then_some(())
    }
}

/// Whether two boxes are so far apart that one search for both would read much that is near
/// neither.
fn is_jump(before: &RawAabb, now: &RawAabb) -> bool {
    let is_far = |axis: usize| {
        let [a, b] = [before, now].map(|aabb| aabb[axis + 2] - aabb[axis]);
        before[axis + 2].max(now[axis + 2]) - before[axis].min(now[axis]) > 2.0 * (a + b)
    };
    is_far(0) || is_far(1)
}

/// Whether two boxes overlap, and their circles if bodies are circles.
pub(super) fn touch(rules: PairRules<'_>, a: &RawAabb, b: &RawAabb) -> bool {
    overlaps(a, b) && rules.bodies_touch(a, b)
}
