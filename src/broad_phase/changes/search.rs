//! The pairs of changed rows before and after they changed.
//!
//! The frame of the last step is searched once for both boxes of each changed row, so pairs that
//! persist need no look-up. Pairs of two changed rows are apart from that: those before are found
//! by the same search, those now by a step over the changed rows alone, which finds their static
//! pairs too. Few rows are compared with each other instead.
//!
//! - CHANGE-3: a pair of an unchanged row is found by its changed row. A pair of two changed rows
//!   is found once by the search, through the lower one, and once by the step of changed rows.

use crate::broad_phase::changes::changed_body::{ChangedBody, NO_BOX, is_jump};
use crate::broad_phase::changes::changed_set::ChangedSet;
use crate::broad_phase::changes::pair_edits::{PairEdits, for_each_difference};
use crate::broad_phase::changes::row_index::RowIndex;
use crate::broad_phase::context::StepContext;
use crate::broad_phase::find_pairs::{PairFinder, StepOutput};
use crate::broad_phase::pairs::FoundPairs;
use crate::broad_phase::scratch_pool::SearchScratch;
use crate::broad_phase::sleepers::cached_rows::RecordRows;
use crate::error::Error;
use crate::frame::frame::Frame;
use crate::frame::phases::PhaseTimes;
use crate::geometry::{BodyCircle, RawAabb, overlaps, union};
use crate::input::filter::Filter;
use crate::memory::buffers::{Buffers, buffers};
use crate::memory::page::PairBudget;
use crate::memory::record::BodyRecord;
use crate::pair::entry;
use crate::tier::point_grid::bands::Bands;
use crate::tier::point_grid::cross_search::{SEARCH_BOXES_MAX, SearchBuffers};
use smallvec::SmallVec;
use std::ops::Range;

/// Rows of a task: each may need two searches.
const TASK_ROWS: usize = SEARCH_BOXES_MAX / 2;

/// Changed rows up to which two loops find their pairs with each other: filing as few takes longer.
const FEW_ROWS: usize = 64;

/// Pairs that a task finds before it counts them against the pair limit.
const COUNTED_AT_ONCE: usize = 4096;

/// Rows whose boxes are loaded ahead of being read.
const BOXES_AHEAD: usize = 16;

/// Bits for the boxes of a changed body that overlap another body.
const BEFORE: u32 = 1;
const NOW: u32 = 2;

/// What a search for changed rows found.
#[derive(Default)]
pub(crate) struct ChangedPairs {
    tasks: Vec<ChangedTask>,
    /// The changed rows that exist, numbered in ascending order, for the step over them alone.
    records: Vec<BodyRecord>,
    frame: Frame,
    found: FoundPairs,
    /// The pairs of bodies that began and ended, ascending, the lower row first.
    pub(crate) edits: PairEdits,
    /// All pairs of bodies with a changed row.
    pub(crate) present: Vec<u64>,
    /// All static pairs with a changed body, ascending.
    pub(crate) present_statics: Vec<u64>,
    /// Pairs of two changed rows in the last step and in this one.
    both: [Vec<u64>; 2],
}

/// The pairs of some changed rows with unchanged ones, and those of the last step with higher
/// changed ones.
#[derive(Default)]
struct ChangedTask {
    range: Range<usize>,
    edits: PairEdits,
    present: Vec<u64>,
    both_before: Vec<u64>,
    has_jumps: bool,
}

buffers!(ChangedTask { leveled: edits, present, both_before; own: ; plain: range, has_jumps; });

impl Buffers for ChangedPairs {
    fn bytes(&self) -> usize {
        let Self { tasks, records, frame, found, edits, present, present_statics, both } = self;
        tasks.bytes()
            + records.bytes()
            + frame.bytes()
            + found.bytes()
            + edits.bytes()
            + present.bytes()
            + present_statics.bytes()
            + both[0].bytes()
            + both[1].bytes()
    }

    fn reserve_like(&mut self, _: &Self) {}

    /// Drops everything: the next search fills it again.
    fn shrink_to_fit(&mut self) {
        *self = Self::default();
    }
}

impl ChangedPairs {
    /// Finds the pairs of all changed rows. `bodies` are these rows, near ones together, and
    /// `front` is the frame of the last step, to which the index belongs.
    ///
    /// # Errors
    ///
    /// If there are more pairs with changed rows than the limit allows.
    pub(crate) fn find(
        &mut self,
        finder: &mut PairFinder,
        step: StepContext<'_>,
        (front, index): (&Frame, &RowIndex),
        bodies: &[ChangedBody],
        changed: &ChangedSet,
    ) -> Result<(), Error> {
        let limit = step.config.pair_limit;
        let count = bodies.len().div_ceil(TASK_ROWS);
        if self.tasks.len() < count {
            self.tasks.resize_with(count, ChangedTask::default);
        }
        for (number, task) in self.tasks[..count].iter_mut().enumerate() {
            task.range = number * TASK_ROWS..bodies.len().min((number + 1) * TASK_ROWS);
        }
        let budget = PairBudget::new(limit);
        let search = Search { step, front, index, changed, budget: &budget };
        let loose_cells = front.oversized.grid().loose_cell_count();
        finder.run_searches(step, loose_cells, &mut self.tasks[..count], |task, scratch| {
            search.run(&bodies[task.range.clone()], task, scratch);
        });
        if budget.is_exceeded() {
            return Err(Error::TooManyPairs { limit });
        }
        self.gather(count);
        if bodies.len() <= FEW_ROWS {
            self.compare_few_rows(step, bodies)?;
        } else {
            self.step_changed_rows(finder, step, bodies, changed)?;
        }
        self.compare_both();
        self.edits.removed.sort_unstable();
        self.edits.added.sort_unstable();
        if self.tasks[..count].iter().any(|task| task.has_jumps) {
            self.edits.cancel();
        }
        Ok(())
    }

    fn gather(&mut self, count: usize) {
        let Self { tasks, edits, present, both, .. } = self;
        edits.clear();
        present.clear();
        both[0].clear();
        for task in &tasks[..count] {
            edits.removed.extend_from_slice(&task.edits.removed);
            edits.added.extend_from_slice(&task.edits.added);
            present.extend_from_slice(&task.present);
            both[0].extend_from_slice(&task.both_before);
        }
    }

    /// Finds the pairs of changed rows with each other, and all their static pairs.
    fn step_changed_rows(
        &mut self,
        finder: &mut PairFinder,
        step: StepContext<'_>,
        bodies: &[ChangedBody],
        changed: &ChangedSet,
    ) -> Result<(), Error> {
        let Self { records, frame, found, present, present_statics, both, .. } = self;
        let (rows, present_bodies) = (changed.rows(), bodies.iter().filter(|body| !body.aabb[0].is_nan()));
        frame.begin(rows.len(), true);
        records.clear();
        records.extend(present_bodies.clone().map(|body| BodyRecord { aabb: body.aabb, row: body.number }));
        frame.filters.clear();
        if bodies.iter().any(|body| body.filter != Filter::ALL) {
            frame.filters.resize(rows.len(), Filter::ALL);
            present_bodies.for_each(|body| frame.filters[body.number as usize] = body.filter);
        }
        let mut phases = PhaseTimes::default();
        finder.file(step, &RecordRows(records), false, &mut frame.bands, &mut phases)?;
        let budget = PairBudget::new(step.config.pair_limit);
        finder.find_frame_pairs(step, &budget, &mut StepOutput { frame, found, phases: &mut phases })?;
        let row = |number: u32| rows[number as usize];
        both[1].clear();
        found.body_pages().for_each(|page| both[1].extend(page.iter().map(|&[a, b]| entry(row(a), row(b)))));
        present.extend_from_slice(&both[1]);
        present_statics.clear();
        found.static_pages().for_each(|page| {
            present_statics.extend(page.iter().map(|&[body, static_row]| entry(row(body), static_row)));
        });
        present_statics.sort_unstable();
        found.clear(step.pool);
        Ok(())
    }

    /// As [`step_changed_rows`](Self::step_changed_rows), by comparing each with all others.
    fn compare_few_rows(&mut self, step: StepContext<'_>, bodies: &[ChangedBody]) -> Result<(), Error> {
        let Self { records: found, present, present_statics, both, .. } = self;
        let StepContext { statics, are_circles, .. } = step;
        let limit = step.config.pair_limit;
        both[1].clear();
        present_statics.clear();
        for (k, a) in bodies.iter().enumerate().filter(|(_, body)| !body.aabb[0].is_nan()) {
            let partners = bodies[k + 1..]
                .iter()
                .filter(|b| touches(&a.aabb, &b.aabb, are_circles) && a.filter.interacts_with(b.filter));
            both[1].extend(partners.map(|b| entry(a.row.min(b.row), a.row.max(b.row))));
            let circle = BodyCircle::of_box(&a.aabb);
            let mut write = |found: &mut Vec<BodyRecord>| {
                let accepted = found.drain(..).filter(|of| {
                    let do_circles = || circle.overlaps_box(&of.aabb);
                    a.filter.interacts_with(statics.filter_of(of.row)) && (!are_circles || do_circles())
                });
                present_statics.extend(accepted.map(|of| entry(a.row, of.row)));
                (both[1].len() + present_statics.len() <= limit).then_some(())
            };
            found.clear();
            let outcome = statics.collect(&a.aabb, found, &mut write).and_then(|()| write(found));
            outcome.ok_or(Error::TooManyPairs { limit })?;
        }
        present.extend_from_slice(&both[1]);
        present_statics.sort_unstable();
        Ok(())
    }

    /// Adds the pairs of two changed rows that began and ended to the edits.
    fn compare_both(&mut self) {
        let Self { edits, both: [before, now], .. } = self;
        before.sort_unstable();
        now.sort_unstable();
        let (before, now) = (before.iter().copied(), now.iter().copied());
        for_each_difference(before, now, |pair| edits.removed.push(pair), |pair| edits.added.push(pair));
    }
}

/// What all tasks share.
#[derive(Clone, Copy)]
struct Search<'s> {
    step: StepContext<'s>,
    front: &'s Frame,
    index: &'s RowIndex,
    changed: &'s ChangedSet,
    budget: &'s PairBudget,
}

impl Search<'_> {
    fn run(self, bodies: &[ChangedBody], task: &mut ChangedTask, scratch: &mut SearchScratch) {
        task.edits.clear();
        task.present.clear();
        task.both_before.clear();
        task.has_jumps = false;
        let mut before = SmallVec::<[RawAabb; TASK_ROWS]>::new();
        for (k, body) in bodies.iter().enumerate() {
            if let Some(place) = bodies.get(k + BOXES_AHEAD).and_then(|ahead| self.index.place(ahead.row)) {
                self.front.bands.prefetch_box(place);
            }
            before.push(self.index.aabb(self.front, body.row).unwrap_or(NO_BOX));
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
    /// The boxes of each body in the last step.
    before: &'t [RawAabb],
    task: &'t mut ChangedTask,
    /// Number of present pairs that were counted against the limit.
    counted: usize,
}

/// The boxes of a body that are searched for together, and its position in the task.
#[derive(Clone, Copy)]
struct Group {
    boxes: [RawAabb; 2],
    position: u32,
}

impl Found<'_, '_> {
    fn search_bands(&mut self) -> Option<()> {
        let front = self.search.front;
        let mut groups = SmallVec::<[Group; SEARCH_BOXES_MAX]>::new();
        for (position, (body, &before)) in (0..).zip(self.bodies.iter().zip(self.before)) {
            let now = body.aabb;
            if is_jump(&before, &now) {
                self.task.has_jumps = true;
                groups.push(Group { boxes: [before, NO_BOX], position });
                groups.push(Group { boxes: [NO_BOX, now], position });
            } else {
                groups.push(Group { boxes: [before, now], position });
            }
        }
        let boxes = groups.iter().flat_map(|group| group.boxes).filter(|aabb| !aabb[0].is_nan());
        let Some(bounds) = boxes.reduce(|a, b| union(&a, &b)) else { return Some(()) };
        let mut buffers = SearchBuffers::<2>::default();
        let are_circles = self.search.step.are_circles;
        let mut search = |bands: &Bands, may_be_outdated: bool| {
            bands.bands_overlapping(bounds).try_for_each(|band| {
                let boxes = groups.iter().map(|group| group.boxes);
                let band = bands.search_band(band);
                band.for_each_overlap(boxes, are_circles, &mut buffers, |number, partner, bits| {
                    let position = groups[number as usize].position;
                    // A body overlaps itself.
                    let is_self = partner == self.bodies[position as usize].row;
                    if is_self || may_be_outdated && front.moved.is_outdated(partner) {
                        return Some(());
                    }
                    self.add(position, partner, bits)
                })
            })
        };
        search(&front.bands, true)?;
        front.moved.bands().map_or(Some(()), |moved| search(moved, false))
    }

    fn search_oversized(&mut self, SearchScratch { seen_cells, found, .. }: &mut SearchScratch) -> Option<()> {
        let oversized = &self.search.front.oversized;
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
                if partner.row == self.bodies[position].row {
                    continue;
                }
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
        let Search { front, changed, .. } = self.search;
        let ChangedBody { row, filter, .. } = self.bodies[position as usize];
        let filters = front.filters_by_row();
        let accepted_before = || filters.is_none_or(|f| f[row as usize].interacts_with(f[partner as usize]));
        if changed.set().contains(partner) {
            // CHANGE-3.
            if bits & BEFORE != 0 && row < partner && accepted_before() {
                self.task.both_before.push(entry(row, partner));
            }
            return Some(());
        }
        let was = bits & BEFORE != 0 && accepted_before();
        let is = bits & NOW != 0 && filters.is_none_or(|filters| filter.interacts_with(filters[partner as usize]));
        let pair = entry(row.min(partner), row.max(partner));
        if was != is {
            if is { self.task.edits.added.push(pair) } else { self.task.edits.removed.push(pair) }
        }
        if is {
            self.task.present.push(pair);
            if self.task.present.len() - self.counted >= COUNTED_AT_ONCE {
                return self.count();
            }
        }
        Some(())
    }

    /// Counts new pairs against the pair limit; `None` once it is exceeded.
    fn count(&mut self) -> Option<()> {
        let len = self.task.present.len();
        let new = len - std::mem::replace(&mut self.counted, len);
        self.search.budget.spend(new).then_some(())
    }
}

/// Whether two boxes overlap, and their circles if bodies are circles.
fn touches(a: &RawAabb, b: &RawAabb, are_circles: bool) -> bool {
    overlaps(a, b) && (!are_circles || BodyCircle::of_box(a).overlaps(&BodyCircle::of_box(b)))
}
