//! Searches the frame of the last step for changed rows: it has their unchanged partners.
//!
//! Active rows are searched for with their present box, newly changed ones with their old and their
//! present box at once (CHANGE-3).

use crate::broad_phase::changes::changed_body::ChangedBody;
use crate::broad_phase::changes::changed_set::ChangedSet;
use crate::broad_phase::changes::found_changes::FoundChanges;
use crate::broad_phase::changes::row_index::RowIndex;
use crate::broad_phase::context::StepContext;
use crate::broad_phase::scratch_pool::SearchScratch;
use crate::frame::frame::Frame;
use crate::geometry::{BodyCircle, NO_BOX, RawAabb, is_no_box, overlaps, union};
use crate::memory::buffers::buffers;
use crate::memory::page::PairBudget;
use crate::pair::entry;
use crate::tier::point_grid::bands::Bands;
use crate::tier::point_grid::cross_search::{SEARCH_BOXES_MAX, SearchBuffers};
use smallvec::SmallVec;
use std::ops::Range;

/// Rows of a task: each may need two searches.
pub(super) const TASK_ROWS: usize = SEARCH_BOXES_MAX / 2;

/// Pairs that a task finds before it counts them against the pair limit.
const COUNTED_AT_ONCE: usize = 4096;

/// Rows whose boxes are loaded ahead of being read.
const BOXES_AHEAD: usize = 16;

/// Bits for the boxes of a newly changed row that overlap another body.
const BEFORE: u32 = 1;
const NOW: u32 = 2;

/// The rows of a step that was told what changed, and where they were.
#[derive(Clone, Copy)]
pub(crate) struct ChangedInput<'s> {
    /// The changed rows, near ones together.
    pub(crate) bodies: &'s [ChangedBody],
    pub(crate) changed: &'s ChangedSet,
    /// The rows that changed in the last step.
    pub(crate) last: &'s ChangedSet,
    /// The frame of the last step, to which the index belongs.
    pub(crate) front: &'s Frame,
    pub(crate) index: &'s RowIndex,
    pub(crate) row_count: usize,
}

impl<'s> ChangedInput<'s> {
    /// The changed rows that exist.
    pub(super) fn present(self) -> impl Iterator<Item = &'s ChangedBody> {
        self.bodies.iter().filter(|body| body.exists())
    }

    /// Whether a changed row is active (CHANGE-3).
    #[inline(always)]
    pub(super) fn is_active(&self, changed_row: u32) -> bool {
        self.last.contains(changed_row)
    }
}

/// What was found for some changed rows; `both_before` has the pairs of two newly changed rows in
/// the last step.
#[derive(Default)]
pub(super) struct ChangedTask {
    pub(super) range: Range<usize>,
    pub(super) found: FoundChanges,
    pub(super) both_before: Vec<u64>,
    pub(super) has_jumps: bool,
}

buffers!(ChangedTask { leveled: found, both_before; own: ; plain: range, has_jumps; });

/// What all tasks share.
#[derive(Clone, Copy)]
pub(super) struct Search<'s> {
    pub(super) step: StepContext<'s>,
    pub(super) input: ChangedInput<'s>,
    /// Whether all rows that changed in the last step have changed in this one.
    pub(super) all_changed_again: bool,
    pub(super) budget: &'s PairBudget,
}

impl Search<'_> {
    pub(super) fn run(self, bodies: &[ChangedBody], task: &mut ChangedTask, scratch: &mut SearchScratch) {
        task.found.clear();
        task.both_before.clear();
        task.has_jumps = false;
        let ChangedInput { index, front, .. } = self.input;
        let mut before = SmallVec::<[RawAabb; TASK_ROWS]>::new();
        for (k, body) in bodies.iter().enumerate() {
            if let Some(ahead) = bodies.get(k + 2 * BOXES_AHEAD).filter(|ahead| !self.input.is_active(ahead.row)) {
                index.prefetch(ahead.row);
            }
            if let Some(ahead) = bodies.get(k + BOXES_AHEAD).filter(|ahead| !self.input.is_active(ahead.row)) {
                index.prefetch_box(front, ahead.row);
            }
            let last_box =
                Some(body.row).filter(|&row| !self.input.is_active(row)).and_then(|row| index.aabb(front, row));
            before.push(last_box.unwrap_or(NO_BOX));
        }
        let mut search = TaskSearch { search: self, bodies, before: &before, task, counted: 0 };
        // Ends early once the pair limit is exceeded, which the step sees from the budget.
        let _ = search.search_bands().and_then(|()| search.search_oversized(scratch)).and_then(|()| search.count());
    }
}

/// The search of a task.
struct TaskSearch<'s, 't> {
    search: Search<'s>,
    bodies: &'t [ChangedBody],
    /// The boxes of newly changed rows in the last step; [`NO_BOX`] for other rows.
    before: &'t [RawAabb],
    task: &'t mut ChangedTask,
    /// Number of present pairs that were counted against the limit.
    counted: usize,
}

/// The boxes of a body that are searched for together, and its position in the task.
#[derive(Clone, Copy)]
struct Group<const N: usize> {
    boxes: [RawAabb; N],
    position: u32,
}

/// The groups of a task.
type Groups<const N: usize> = SmallVec<[Group<N>; SEARCH_BOXES_MAX]>;

impl TaskSearch<'_, '_> {
    fn search_bands(&mut self) -> Option<()> {
        let mut two = Groups::<2>::new();
        let mut one = Groups::<1>::new();
        for (position, (body, &before)) in (0..).zip(self.bodies.iter().zip(self.before)) {
            let now = body.aabb;
            if is_no_box(&before) {
                if !is_no_box(&now) {
                    one.push(Group { boxes: [now], position });
                }
            } else if is_jump(&before, &now) {
                self.task.has_jumps = true;
                two.push(Group { boxes: [before, NO_BOX], position });
                one.push(Group { boxes: [now], position });
            } else {
                two.push(Group { boxes: [before, now], position });
            }
        }
        // Bit k is box k of the group: `BEFORE`, then `NOW`.
        self.search_for(&two, |bits| bits)?;
        self.search_for(&one, |_| NOW)
    }

    fn search_for<const N: usize>(&mut self, groups: &[Group<N>], bits_of: impl Fn(u32) -> u32) -> Option<()> {
        let boxes = groups.iter().flat_map(|group| group.boxes).filter(|aabb| !is_no_box(aabb));
        let Some(bounds) = boxes.reduce(|a, b| union(&a, &b)) else { return Some(()) };
        let Search { step, input, all_changed_again, .. } = self.search;
        let moved = &input.front.moved;
        let mut buffers = SearchBuffers::<N>::default();
        let mut search = |bands: &Bands, may_be_outdated: bool| {
            bands.bands_overlapping(bounds).try_for_each(|band| {
                let boxes = groups.iter().map(|group| group.boxes);
                let band = bands.search_band(band);
                band.for_each_overlap(boxes, step.are_circles, &mut buffers, |number, partner, bits| {
                    if may_be_outdated && moved.is_outdated(partner) {
                        return Some(());
                    }
                    self.add(groups[number as usize].position, partner, bits_of(bits))
                })
            })
        };
        search(&input.front.bands, true)?;
        // If all rows that changed in the last step changed again, their bands have no partner.
        let changed = moved.changed_bands().filter(|_| !all_changed_again);
        changed.into_iter().chain(moved.settled_bands()).try_for_each(|bands| search(bands, false))
    }

    fn search_oversized(&mut self, SearchScratch { seen_cells, found, .. }: &mut SearchScratch) -> Option<()> {
        let oversized = &self.search.input.front.oversized;
        if oversized.is_empty() {
            return Some(());
        }
        let are_circles = self.search.step.are_circles;
        for position in 0..self.bodies.len() {
            let boxes = [self.before[position], self.bodies[position].aabb];
            let existing = boxes.into_iter().filter(|aabb| !is_no_box(aabb));
            let Some(area) = existing.reduce(|a, b| union(&a, &b)) else { continue };
            found.clear();
            oversized.grid().collect(&area, seen_cells, found);
            for &entity in found.iter() {
                let partner = oversized.record(entity);
                let touches = |aabb: &RawAabb| touches(aabb, &partner.aabb, are_circles);
                let bits = u32::from(touches(&boxes[0])) * BEFORE + u32::from(touches(&boxes[1])) * NOW;
                if bits != 0 {
                    self.add(position as u32, partner.row, bits)?;
                }
            }
        }
        Some(())
    }

    /// Adds another body that overlaps the box of a changed row before, now or both.
    #[inline(always)]
    fn add(&mut self, position: u32, partner: u32, bits: u32) -> Option<()> {
        let input @ ChangedInput { front, changed, .. } = self.search.input;
        let ChangedBody { row, filter, .. } = self.bodies[position as usize];
        // All rows have filters in both steps or in neither (`RestartCause::Columns`). The last
        // step has none of a new row, which has no `BEFORE` either.
        let filters = front.filters_by_row();
        let accepted_before = || filters.is_none_or(|f| f[row as usize].interacts_with(f[partner as usize]));
        if changed.set().contains(partner) {
            // Both rows find this pair, and each row finds itself: only the lower row counts.
            if bits & BEFORE != 0 && row < partner && !input.is_active(partner) && accepted_before() {
                self.task.both_before.push(entry(row, partner));
            }
            return Some(());
        }
        let was = bits & BEFORE != 0 && accepted_before();
        let is = bits & NOW != 0 && filters.is_none_or(|filters| filter.interacts_with(filters[partner as usize]));
        let (pair, found) = (entry(row.min(partner), row.max(partner)), &mut self.task.found);
        if input.is_active(row) {
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

    /// Counts what was found since the last call against the pair limit; `None` once that is
    /// exceeded.
    fn count(&mut self) -> Option<()> {
        let len = self.task.found.active.len() + self.task.found.newly_changed.len();
        let uncounted = len - std::mem::replace(&mut self.counted, len);
        self.search.budget.spend(uncounted).then_some(())
    }
}

/// Whether two boxes are so far apart that one search for both would read much that is near
/// neither.
fn is_jump(before: &RawAabb, now: &RawAabb) -> bool {
    let is_far = |axis: usize| {
        let [a, b] = [before, now].map(|aabb| aabb[axis + 2] - aabb[axis]);
        before[axis + 2].max(now[axis + 2]) - before[axis].min(now[axis]) > 2.0 * (a + b)
    };
    !is_no_box(before) && !is_no_box(now) && (is_far(0) || is_far(1))
}

/// Whether two boxes overlap, and their circles if bodies are circles.
pub(super) fn touches(a: &RawAabb, b: &RawAabb, are_circles: bool) -> bool {
    overlaps(a, b) && (!are_circles || BodyCircle::of_box(a).overlaps(&BodyCircle::of_box(b)))
}
