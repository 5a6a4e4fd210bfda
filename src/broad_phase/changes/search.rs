//! The pairs of changed rows.
//!
//! The frame of the last step is searched for the changed rows, of which it has the unchanged
//! partners. The pairs of changed rows with each other are found by a step over these rows alone,
//! which finds their static pairs too. If they are few, they are compared with each other instead.
//!
//! - CHANGE-3: a changed row is *active* if it changed in the last step too, otherwise *new*. Pairs
//!   with an active row are found anew in each step. All other pairs are kept from the last one, so
//!   for new rows it has to be known which of them began and ended: these are searched for with two
//!   boxes at once, that of the last step and that of now.

use crate::broad_phase::changes::changed_body::{ChangedBody, NO_BOX, is_jump};
use crate::broad_phase::changes::changed_set::ChangedSet;
use crate::broad_phase::changes::pair_edits::{PairEdits, for_each_difference, sort_entries};
use crate::broad_phase::changes::row_index::RowIndex;
use crate::broad_phase::context::StepContext;
use crate::broad_phase::find_pairs::{FEW_BODIES, PairFinder, StepOutput};
use crate::broad_phase::pairs::FoundPairs;
use crate::broad_phase::scratch_pool::SearchScratch;
use crate::error::Error;
use crate::frame::frame::Frame;
use crate::frame::phases::PhaseTimes;
use crate::geometry::{BodyCircle, RawAabb, overlaps, union};
use crate::input::filter::Filter;
use crate::memory::buffers::{Buffers, buffers};
use crate::memory::page::PairBudget;
use crate::memory::record::{BodyRecord, RecordRows};
use crate::pair::{entry, row_and_partner};
use crate::tier::point_grid::bands::Bands;
use crate::tier::point_grid::cross_search::{SEARCH_BOXES_MAX, SearchBuffers};
use smallvec::SmallVec;
use std::ops::Range;

/// Rows of a task: each may need two searches.
const TASK_ROWS: usize = SEARCH_BOXES_MAX / 2;

/// Pairs that a task finds before it counts them against the pair limit.
const COUNTED_AT_ONCE: usize = 4096;

/// Rows whose boxes are loaded ahead of being read.
const BOXES_AHEAD: usize = 16;

/// Bits for the boxes of a new row that overlap another body.
const BEFORE: u32 = 1;
const NOW: u32 = 2;

/// What a search for changed rows found.
#[derive(Default)]
pub(crate) struct ChangedPairs {
    tasks: Vec<ChangedTask>,
    records: Vec<BodyRecord>,
    step_pairs: FoundPairs,
    spare: Vec<u64>,
    /// Pairs of two changed rows, of the last step and of this one.
    both: [Vec<u64>; 2],
    /// The changed bodies in their tiers.
    pub(crate) filed: Frame,
    pub(crate) bodies: FoundChanges,
    pub(crate) statics: FoundChanges,
}

/// The pairs of one kind with a changed row (CHANGE-3).
#[derive(Default)]
pub(crate) struct FoundChanges {
    /// Those with an active row, ascending in the end.
    pub(crate) active: Vec<u64>,
    /// The others; those with statics are ascending in the end.
    pub(crate) new: Vec<u64>,
    /// The pairs without an active row that ended and began, ascending in the end. Those with
    /// statics are left to whoever has the pairs of the last step.
    pub(crate) edits: PairEdits,
}

/// What was found for some changed rows; `both_before` has the pairs of two new rows in the last
/// step.
#[derive(Default)]
struct ChangedTask {
    range: Range<usize>,
    found: FoundChanges,
    both_before: Vec<u64>,
    has_jumps: bool,
}

buffers!(FoundChanges { leveled: active, new, edits; own: ; plain: ; });
buffers!(ChangedTask { leveled: found, both_before; own: ; plain: range, has_jumps; });

impl FoundChanges {
    fn clear(&mut self) {
        self.active.clear();
        self.new.clear();
        self.edits.clear();
    }

    fn extend(&mut self, other: &Self) {
        self.active.extend_from_slice(&other.active);
        self.new.extend_from_slice(&other.new);
        self.edits.removed.extend_from_slice(&other.edits.removed);
        self.edits.added.extend_from_slice(&other.edits.added);
    }

    fn sort(&mut self, spare: &mut Vec<u64>) {
        let Self { active, new: _, edits: PairEdits { removed, added } } = self;
        [active, removed, added].into_iter().for_each(|list| sort_entries(list, spare));
    }
}

impl Buffers for ChangedPairs {
    fn bytes(&self) -> usize {
        let Self { tasks, records, step_pairs, spare, both, filed, bodies, statics } = self;
        tasks.bytes()
            + records.bytes()
            + step_pairs.bytes()
            + spare.bytes()
            + both[0].bytes()
            + both[1].bytes()
            + filed.bytes()
            + bodies.bytes()
            + statics.bytes()
    }

    fn reserve_like(&mut self, _: &Self) {}

    /// Drops everything: the next search fills it again.
    fn shrink_to_fit(&mut self) {
        *self = Self::default();
    }
}

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

impl ChangedInput<'_> {
    /// Whether a changed row is active (CHANGE-3).
    #[inline(always)]
    fn is_active(&self, changed_row: u32) -> bool {
        self.last.contains(changed_row)
    }
}

impl ChangedPairs {
    /// Finds the pairs of all changed rows.
    ///
    /// # Errors
    ///
    /// If there are more pairs with changed rows than the limit allows.
    pub(crate) fn find(
        &mut self,
        finder: &mut PairFinder,
        step: StepContext<'_>,
        input: ChangedInput<'_>,
    ) -> Result<(), Error> {
        let limit = step.config.pair_limit;
        let bodies = input.bodies;
        let count = bodies.len().div_ceil(TASK_ROWS);
        if self.tasks.len() < count {
            self.tasks.resize_with(count, ChangedTask::default);
        }
        for (number, task) in self.tasks[..count].iter_mut().enumerate() {
            task.range = number * TASK_ROWS..bodies.len().min((number + 1) * TASK_ROWS);
        }
        let budget = PairBudget::new(limit);
        let ChangedInput { changed, last, .. } = input;
        let all_changed_again = last.rows().iter().all(|&row| changed.set().contains(row));
        let search = Search { step, input, all_changed_again, budget: &budget };
        let loose_cells = input.front.oversized.grid().loose_cell_count();
        if !bodies.is_empty() {
            finder.run_searches(step, loose_cells, &mut self.tasks[..count], |task, scratch| {
                search.run(&bodies[task.range.clone()], task, scratch);
            });
        }
        if budget.is_exceeded() {
            return Err(Error::TooManyPairs { limit });
        }
        self.gather(count);
        self.file(finder, step, input)?;
        // A step over so few takes longer than two loops.
        if bodies.len() <= FEW_BODIES {
            self.compare_few_rows(step, input)?;
        }
        self.add_both(input);
        self.bodies.sort(&mut self.spare);
        self.statics.sort(&mut self.spare);
        sort_entries(&mut self.statics.new, &mut self.spare);
        if self.tasks[..count].iter().any(|task| task.has_jumps) {
            self.bodies.edits.cancel();
        }
        Ok(())
    }

    fn gather(&mut self, count: usize) {
        let Self { tasks, both, bodies, statics, .. } = self;
        bodies.clear();
        statics.clear();
        both.iter_mut().for_each(Vec::clear);
        for task in &tasks[..count] {
            bodies.extend(&task.found);
            both[0].extend_from_slice(&task.both_before);
        }
    }

    /// Adds the pairs of two changed rows.
    fn add_both(&mut self, input: ChangedInput<'_>) {
        let Self { spare, both: [before, now], bodies: FoundChanges { active, new, edits }, .. } = self;
        now.retain(|&pair| {
            let is_new = !row_and_partner(pair).into_iter().any(|row| input.is_active(row));
            if is_new {
                new.push(pair)
            } else {
                active.push(pair)
            }
            is_new
        });
        sort_entries(before, spare);
        sort_entries(now, spare);
        let (before, now) = (before.iter().copied(), now.iter().copied());
        for_each_difference(before, now, |pair| edits.removed.push(pair), |pair| edits.added.push(pair));
    }

    /// Files the changed rows. Finds their pairs with each other and with statics if they are many.
    fn file(&mut self, finder: &mut PairFinder, step: StepContext<'_>, input: ChangedInput<'_>) -> Result<(), Error> {
        let ChangedInput { bodies: changed, row_count, .. } = input;
        let Self { records, filed, step_pairs, both, statics, .. } = self;
        filed.begin(row_count, true);
        let present = || changed.iter().filter(|body| !body.aabb[0].is_nan());
        records.clear();
        records.extend(present().map(|&ChangedBody { row, aabb, .. }| BodyRecord { aabb, row }));
        if changed.len() <= FEW_BODIES {
            filed.oversized.clear();
            return finder.file_bodies(step, records, &mut filed.bands, &mut Vec::new());
        }
        let mut phases = PhaseTimes::default();
        finder.file(step, &RecordRows(records), false, &mut filed.bands, &mut phases)?;
        // Only those of changed rows are read, so the others may be of earlier steps.
        if changed.iter().any(|body| body.filter != Filter::ALL) {
            filed.filters.resize(row_count, Filter::ALL);
            present().for_each(|body| filed.filters[body.row as usize] = body.filter);
        } else {
            filed.filters.clear();
        }
        let budget = PairBudget::new(step.config.pair_limit);
        finder.find_frame_pairs(
            step,
            &budget,
            &mut StepOutput { frame: filed, found: step_pairs, phases: &mut phases },
        )?;
        step_pairs.body_pages().for_each(|page| both[1].extend(page.iter().map(|&[a, b]| entry(a, b))));
        for &[body, static_row] in step_pairs.static_pages().flatten() {
            let list = if input.is_active(body) { &mut statics.active } else { &mut statics.new };
            list.push(entry(body, static_row));
        }
        step_pairs.clear(step.pool);
        Ok(())
    }

    /// Finds the pairs of changed rows with each other and with statics, by comparing each row with
    /// all others.
    fn compare_few_rows(&mut self, step: StepContext<'_>, input: ChangedInput<'_>) -> Result<(), Error> {
        let Self { records: found, both: [_, both], statics: static_pairs, .. } = self;
        let StepContext { statics, are_circles, .. } = step;
        let (limit, changed) = (step.config.pair_limit, input.bodies);
        let mut count = 0;
        for (k, a) in changed.iter().enumerate().filter(|(_, body)| !body.aabb[0].is_nan()) {
            let partners = changed[k + 1..]
                .iter()
                .filter(|b| touches(&a.aabb, &b.aabb, are_circles) && a.filter.interacts_with(b.filter));
            both.extend(partners.map(|b| entry(a.row.min(b.row), a.row.max(b.row))));
            let list = if input.is_active(a.row) { &mut static_pairs.active } else { &mut static_pairs.new };
            let circle = BodyCircle::of_box(&a.aabb);
            let mut write = |found: &mut Vec<BodyRecord>| {
                let accepted = found.drain(..).filter(|of| {
                    let do_circles = || circle.overlaps_box(&of.aabb);
                    a.filter.interacts_with(statics.filter_of(of.row)) && (!are_circles || do_circles())
                });
                let before = list.len();
                list.extend(accepted.map(|of| entry(a.row, of.row)));
                count += list.len() - before;
                (both.len() + count <= limit).then_some(())
            };
            found.clear();
            let outcome = statics.collect(&a.aabb, found, &mut write).and_then(|()| write(found));
            outcome.ok_or(Error::TooManyPairs { limit })?;
        }
        Ok(())
    }
}

/// What all tasks share.
#[derive(Clone, Copy)]
struct Search<'s> {
    step: StepContext<'s>,
    input: ChangedInput<'s>,
    /// Whether all rows that changed in the last step have changed in this one.
    all_changed_again: bool,
    budget: &'s PairBudget,
}

impl Search<'_> {
    fn run(self, bodies: &[ChangedBody], task: &mut ChangedTask, scratch: &mut SearchScratch) {
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
        let mut found = Found { search: self, bodies, before: &before, task, counted: 0 };
        // Ends early once the pair limit is exceeded, which the step sees from the budget.
        let _ = found.search_bands().and_then(|()| found.search_oversized(scratch)).and_then(|()| found.count());
    }
}

/// The search of a task.
struct Found<'s, 't> {
    search: Search<'s>,
    bodies: &'t [ChangedBody],
    /// The boxes of new rows in the last step; NaN for other rows.
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

impl Found<'_, '_> {
    fn search_bands(&mut self) -> Option<()> {
        let mut two = Groups::<2>::new();
        let mut one = Groups::<1>::new();
        for (position, (body, &before)) in (0..).zip(self.bodies.iter().zip(self.before)) {
            let now = body.aabb;
            if before[0].is_nan() {
                if !now[0].is_nan() {
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
        // The bit of a box is that of its position in the group.
        self.search_for(&two, |bits| bits)?;
        self.search_for(&one, |_| NOW)
    }

    fn search_for<const N: usize>(&mut self, groups: &[Group<N>], bits_of: impl Fn(u32) -> u32) -> Option<()> {
        let boxes = groups.iter().flat_map(|group| group.boxes).filter(|aabb| !aabb[0].is_nan());
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
        // All bodies in the bands of those that changed in the last step may have changed again.
        let changed = moved.changed().filter(|_| !all_changed_again);
        changed.into_iter().chain(moved.settled()).try_for_each(|bands| search(bands, false))
    }

    fn search_oversized(&mut self, SearchScratch { seen_cells, found, .. }: &mut SearchScratch) -> Option<()> {
        let oversized = &self.search.input.front.oversized;
        if oversized.is_empty() {
            return Some(());
        }
        let are_circles = self.search.step.are_circles;
        for position in 0..self.bodies.len() {
            let boxes = [self.before[position], self.bodies[position].aabb];
            let existing = boxes.into_iter().filter(|aabb| !aabb[0].is_nan());
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
        let filters = front.filters_by_row();
        let accepted_before = || filters.is_none_or(|f| f[row as usize].interacts_with(f[partner as usize]));
        if changed.set().contains(partner) {
            // Two new rows find each other. A body overlaps itself.
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
                found.new.push(pair);
            }
        }
        if found.active.len() + found.new.len() - self.counted >= COUNTED_AT_ONCE { self.count() } else { Some(()) }
    }

    /// Counts new pairs against the pair limit; `None` once it is exceeded.
    fn count(&mut self) -> Option<()> {
        let len = self.task.found.active.len() + self.task.found.new.len();
        let new = len - std::mem::replace(&mut self.counted, len);
        self.search.budget.spend(new).then_some(())
    }
}

/// Whether two boxes overlap, and their circles if bodies are circles.
fn touches(a: &RawAabb, b: &RawAabb, are_circles: bool) -> bool {
    overlaps(a, b) && (!are_circles || BodyCircle::of_box(a).overlaps(&BodyCircle::of_box(b)))
}
