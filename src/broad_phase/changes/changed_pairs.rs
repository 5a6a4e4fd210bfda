//! The pairs of changed rows.
//!
//! Their unchanged partners are on lists, or the frame of the last step is searched for them. The
//! pairs of changed rows with each other are found by a step over these rows alone,
//! which finds their static pairs too. If they are few, they are compared with each other instead.
//!
//! - CHANGE-3: a changed row is *active* if it also changed in the last step, otherwise *newly
//!   changed*. Pairs with an active row are found anew in each step. All other pairs are kept, so
//!   the pairs of newly changed rows that began or ended must be known: each such row is searched
//!   for with its old and its present box at once.

use crate::broad_phase::changes::changed_bodies::ChangedBody;
use crate::broad_phase::changes::changes::Changes;
use crate::broad_phase::changes::found_changes::FoundChanges;
use crate::broad_phase::changes::list_task::{self, ListTask};
use crate::broad_phase::changes::neighbor_lists::NeighborLists;
use crate::broad_phase::changes::pair_edits::sort_entries;
use crate::broad_phase::changes::search::{ChangedInput, SearchContext, SearchOutput, SearchedRow, TASK_ROWS, touch};
use crate::broad_phase::context::StepContext;
use crate::broad_phase::find_pairs::{FEW_BODIES, PairFinder, StepOutput};
use crate::broad_phase::pairs::FoundPairs;
use crate::config::InvalidRows;
use crate::error::Error;
use crate::frame::frame::Frame;
use crate::frame::phases::PhaseTimes;
use crate::geometry::{NO_BOX, is_no_box};
use crate::input::filter::Filter;
use crate::memory::body_record::{BodyRecord, RecordRows};
use crate::memory::buffers::buffers;
use crate::memory::page::PairBudget;
use crate::memory::radix::{Numbered, sort_by_key};
use crate::pair::{entry, row_and_partner};
use crate::parallel;

/// Rows whose lists are loaded ahead of being made.
const LISTS_AHEAD: usize = 4;

/// What a search for changed rows found.
#[derive(Default)]
pub(crate) struct ChangedPairs {
    pub(crate) neighbor_lists: NeighborLists,
    list_tasks: Vec<ListTask>,
    /// The rows that are searched for, near ones together.
    searched: Vec<SearchedRow>,
    /// The sort keys of these, and their positions among the changed rows.
    keyed_positions: Vec<Numbered>,
    spare_positions: Vec<Numbered>,
    /// What each task of the search found.
    outputs: Vec<SearchOutput>,
    /// The changed rows that exist; later the statics that one of them may touch.
    records: Vec<BodyRecord>,
    /// The pairs that a step over the changed rows finds.
    step_pairs: FoundPairs,
    /// While pairs are sorted.
    spare: Vec<u64>,
    /// Pairs of two newly changed rows in the last step.
    both_before: Vec<u64>,
    /// Pairs of two changed rows in this step.
    both_now: Vec<u64>,
    /// The changed bodies in their tiers.
    pub(crate) filed: Frame,
    pub(crate) bodies: FoundChanges,
    pub(crate) statics: FoundChanges,
}

buffers!(ChangedPairs {
    leveled: ;
    own: neighbor_lists, list_tasks, searched, keyed_positions, spare_positions, outputs, records, step_pairs, spare,
        both_before, both_now, filed, bodies, statics;
    plain: ;
});

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
        let budget = PairBudget::new(step.config.pair_limit);
        self.read_lists(step, input, &budget);
        let has_jumps = self.search(finder, step, input, &budget);
        if budget.is_exceeded() {
            return Err(Error::TooManyPairs { limit: step.config.pair_limit });
        }
        self.make_lists();
        self.collect_present(input);
        if input.changes.bodies.len() <= FEW_BODIES {
            // A step over so few rows takes longer than two loops.
            self.filed.oversized.clear();
            finder.file_bodies(step, &self.records, &mut self.filed.bands, &mut Vec::new());
            self.find_by_comparing(step, input)?;
        } else {
            self.find_by_filing(finder, step, input)?;
        }
        self.add_both(input);
        self.bodies.sort(&mut self.spare);
        self.statics.sort(&mut self.spare);
        sort_entries(&mut self.statics.newly_changed, &mut self.spare);
        if has_jumps {
            // The boxes of a jump are searched for one by one, so a partner of both was removed and
            // added.
            self.bodies.edits.cancel();
        }
        Ok(())
    }

    /// Finds the pairs on the lists of neighbors, and lists the rows to be searched for.
    fn read_lists(&mut self, step: StepContext<'_>, input: ChangedInput<'_>, budget: &PairBudget) {
        let Self { neighbor_lists, list_tasks: tasks, searched, keyed_positions, spare_positions, bodies, .. } = self;
        let ChangedInput { changes, front, index, .. } = input;
        neighbor_lists.begin(changes.rows, changes.last, front);
        let (slots, lists) = neighbor_lists.parts(step.level);
        let count = slots.len().div_ceil(list_task::TASK_ROWS);
        if tasks.len() < count {
            tasks.resize_with(count, ListTask::default);
        }
        let sort_keys = front.bands.sort_keys();
        parallel::for_each_chunk_and(step.parallel, slots, list_task::TASK_ROWS, tasks, |number, slots, task| {
            task.run(step, input, (slots, lists, number * list_task::TASK_ROWS), sort_keys);
            budget.spend(task.active.len());
        });
        bodies.clear();
        keyed_positions.clear();
        for task in &tasks[..count] {
            bodies.active.extend_from_slice(&task.active);
            keyed_positions.extend_from_slice(&task.searched);
        }
        for (position, body) in (0..).zip(changes.bodies).skip(slots.len()) {
            // Newly changed rows that do not exist any more had pairs.
            if !changes.is_active(body.row) {
                keyed_positions.push((index.aabb(front, body.row).map_or(0, |aabb| sort_keys.of(&aabb)), position));
            }
        }
        sort_by_key(keyed_positions, spare_positions);
        searched.clear();
        searched.extend(keyed_positions.iter().map(|&(_, position)| {
            let fat = slots.get(position as usize).map_or(NO_BOX, |slot| slot.fat);
            SearchedRow { body: changes.bodies[position as usize], fat, position }
        }));
    }

    /// Searches for the rows that have no valid list. Returns whether one of them jumped.
    fn search(
        &mut self,
        finder: &mut PairFinder,
        step: StepContext<'_>,
        input: ChangedInput<'_>,
        budget: &PairBudget,
    ) -> bool {
        let Self { searched, outputs, both_before, both_now, bodies, statics, .. } = self;
        let count = searched.len().div_ceil(TASK_ROWS);
        if outputs.len() < count {
            outputs.resize_with(count, SearchOutput::default);
        }
        let Changes { rows: changed, last, .. } = input.changes;
        let search = SearchContext { step, input, all_changed_again: changed.contains_rows_of(last), budget };
        if count > 0 {
            finder.run_searches(step, &mut outputs[..count], |number, output, scratch| {
                let first = number * TASK_ROWS;
                search.run(&searched[first..searched.len().min(first + TASK_ROWS)], output, scratch);
            });
        }
        statics.clear();
        both_before.clear();
        both_now.clear();
        for output in &outputs[..count] {
            bodies.extend(&output.found);
            both_before.extend_from_slice(&output.both_before);
        }
        outputs[..count].iter().any(|output| output.has_jumps)
    }

    /// Makes the lists of neighbors that were searched for, and notes which bodies left theirs.
    fn make_lists(&mut self) {
        let Self { neighbor_lists: lists, searched, outputs, .. } = self;
        for (output, rows) in outputs.iter().zip(searched.chunks(TASK_ROWS)) {
            let listed = |number: usize| rows.get(number).filter(|row| !is_no_box(&row.fat));
            output.for_each_list(rows, |number, neighbors| {
                if let Some(ahead) = listed(number + 2 * LISTS_AHEAD) {
                    lists.prefetch_slot(ahead.position as usize);
                }
                if let Some(ahead) = listed(number + LISTS_AHEAD) {
                    lists.prefetch_octets(ahead.position as usize);
                }
                lists.make(rows[number].position as usize, neighbors);
            });
        }
        if lists.have_bodies() {
            let left = outputs.iter().zip(searched.chunks(TASK_ROWS)).flat_map(|(output, _)| &output.left);
            left.for_each(|aabb| lists.note_left(aabb));
        }
    }

    /// Adds the pairs of two changed rows.
    fn add_both(&mut self, input: ChangedInput<'_>) {
        let Self { spare, both_before, both_now, bodies: FoundChanges { active, newly_changed, edits }, .. } = self;
        both_now.retain(|&pair| {
            let is_newly_changed = !row_and_partner(pair).into_iter().any(|row| input.changes.is_active(row));
            if is_newly_changed {
                newly_changed.push(pair)
            } else {
                active.push(pair)
            }
            is_newly_changed
        });
        sort_entries(both_before, spare);
        sort_entries(both_now, spare);
        edits.add_difference(both_before.iter().copied(), both_now.iter().copied());
    }

    /// Resets `filed`, and collects the changed rows that exist.
    fn collect_present(&mut self, input: ChangedInput<'_>) {
        self.filed.begin(input.row_count);
        self.records.clear();
        self.records.extend(input.changes.present().map(|&ChangedBody { row, aabb, .. }| BodyRecord { aabb, row }));
    }

    /// Files the changed rows, and finds their pairs with each other and with statics.
    fn find_by_filing(
        &mut self,
        finder: &mut PairFinder,
        step: StepContext<'_>,
        input: ChangedInput<'_>,
    ) -> Result<(), Error> {
        let Self { records, filed, step_pairs, both_now, statics, .. } = self;
        let mut phases = PhaseTimes::default();
        finder.file(step, &RecordRows(records), InvalidRows::Reject, &mut filed.bands, &mut phases)?;
        // Only those of changed rows are read, so the others may be of earlier steps.
        if input.changes.bodies.iter().any(|body| body.filter != Filter::ALL) {
            filed.filters.resize(input.row_count, Filter::ALL);
            input.changes.present().for_each(|body| filed.filters[body.row as usize] = body.filter);
        } else {
            filed.filters.clear();
        }
        let budget = PairBudget::new(step.config.pair_limit);
        finder.find_frame_pairs(
            step,
            &budget,
            &mut StepOutput { frame: filed, found: step_pairs, phases: &mut phases },
        )?;
        step_pairs.body_pages().for_each(|page| both_now.extend(page.iter().map(|&[a, b]| entry(a, b))));
        for &[body, static_row] in step_pairs.static_pages().flatten() {
            let list = if input.changes.is_active(body) { &mut statics.active } else { &mut statics.newly_changed };
            list.push(entry(body, static_row));
        }
        step_pairs.clear(step.pool);
        Ok(())
    }

    /// Finds the pairs of changed rows with each other and with statics, by comparing each row with
    /// all others.
    fn find_by_comparing(&mut self, step: StepContext<'_>, input: ChangedInput<'_>) -> Result<(), Error> {
        // The rows of `records` have been filed: its memory takes the statics of one row at a time.
        let Self { records: found, both_now, statics: static_pairs, .. } = self;
        let (statics, rules) = (&step.statics.tree, input.rules(step));
        let (limit, changed) = (step.config.pair_limit, input.changes.bodies);
        let mut count = 0;
        for (k, a) in changed.iter().enumerate().filter(|(_, body)| body.exists()) {
            let partners =
                changed[k + 1..].iter().filter(|b| touch(rules, &a.aabb, &b.aabb) && a.filter.interacts_with(b.filter));
            both_now.extend(partners.map(|b| entry(a.row.min(b.row), a.row.max(b.row))));
            let list =
                if input.changes.is_active(a.row) { &mut static_pairs.active } else { &mut static_pairs.newly_changed };
            let mut write = |found: &mut Vec<BodyRecord>| {
                let accepted = found.drain(..).filter(|of| {
                    a.filter.interacts_with(statics.filter_of(of.row)) && rules.body_touches_static(&a.aabb, &of.aabb)
                });
                let before = list.len();
                list.extend(accepted.map(|of| entry(a.row, of.row)));
                count += list.len() - before;
                (both_now.len() + count <= limit).then_some(())
            };
            found.clear();
            let outcome = statics.collect(&a.aabb, found, &mut write).and_then(|()| write(found));
            outcome.ok_or(Error::TooManyPairs { limit })?;
        }
        Ok(())
    }
}
