//! Finds the pairs of active rows on the lists of their neighbors, and which rows have to be
//! searched for.

use crate::broad_phase::changes::changed_bodies::ChangedBody;
use crate::broad_phase::changes::neighbor_lists::{SharedLists, Slot};
use crate::broad_phase::changes::search::ChangedInput;
use crate::broad_phase::context::StepContext;
use crate::memory::body_record::BodyRecord;
use crate::memory::buffers::buffers;
use crate::memory::radix::Numbered;
use crate::pair::entry;
use crate::tier::point_grid::update::SortKeys;

/// Rows of a task.
pub(super) const TASK_ROWS: usize = 1024;

/// Rows whose lists are loaded ahead of being read.
const LISTS_AHEAD: usize = 16;

/// What is to be done with some changed rows.
#[derive(Default)]
pub(super) struct ListTask {
    /// The pairs of active rows with listed bodies.
    pub(super) active: Vec<u64>,
    /// The rows without a valid list, by their positions among the changed ones, each with a number
    /// by which near ones are sorted together.
    pub(super) searched: Vec<Numbered>,
}

buffers!(ListTask { leveled: active, searched; own: ; plain: ; });

impl ListTask {
    /// Reads the lists of changed rows that exist; `first` is the position of the first one.
    pub(super) fn run(
        &mut self,
        step: StepContext<'_>,
        input: ChangedInput<'_>,
        (slots, lists, first): (&mut [Slot], SharedLists<'_>, usize),
        sort_keys: SortKeys,
    ) {
        let Self { active, searched } = self;
        active.clear();
        searched.clear();
        let (changes, rules) = (input.changes, input.rules(step));
        for (k, body) in changes.bodies[first..first + slots.len()].iter().enumerate() {
            if let Some(ahead) = slots.get(k + LISTS_AHEAD) {
                lists.prefetch(ahead);
            }
            let &ChangedBody { row, ref aabb, filter, .. } = body;
            // Skips changed partners (LIST-2).
            let add = |partner: BodyRecord| {
                let is_pair = !changes.rows.contains(partner.row)
                    && rules.bodies_touch(aabb, &partner.aabb)
                    && filter.interacts_with(rules.filter(partner.row));
                if is_pair {
                    active.push(entry(row.min(partner.row), row.max(partner.row)));
                }
            };
            if !lists.visit(&mut slots[k], row, aabb, add) {
                searched.push((sort_keys.of(aabb), (first + k) as u32));
            }
        }
    }
}
