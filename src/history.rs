//! What the last steps were like, as far as advice needs to know it.
//!
//! It is written by steps that succeed and by changes of the static set, a few words
//! each, and read by reports alone: no step depends on it.

use crate::memory::step_bits::StepBits;
use crate::tier::static_tree::tree::StaticTree;

/// Why a step that was told what changed had to step all rows, though few had changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RestartCause {
    /// The step before was not by [`World::step_changed`](crate::World::step_changed), or so many
    /// rows had changed in it that it stepped all.
    #[default]
    FullStep,
    /// [`World::shift_origin`](crate::World::shift_origin) moved the origin since the step before.
    ShiftedOrigin,
    /// [`World::set_statics`](crate::World::set_statics) replaced the static set, or more of its
    /// rows changed than are remembered.
    Statics,
    /// A row was [skipped](crate::InvalidRows::Skip).
    SkippedRow,
    /// The first filter, id or, in a world of circles, displacement appeared, or the last one
    /// disappeared.
    Columns,
}

/// The last steps, and the calls since the last one.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepHistory {
    /// Rows that a static set got other boxes in since the last step, if it was set in whole.
    set_since: Option<usize>,
    /// The same for the last step before which that happened.
    pub(crate) changed_statics: usize,
    /// Steps before which a static set that was there was set in whole again.
    pub(crate) set_statics: StepBits,
    /// Threads that the last step of all rows could use.
    pub(crate) thread_count: usize,
    /// Whether the last step was told what changed.
    pub(crate) was_told: bool,
    /// Steps that were told of so many changed rows that they stepped all, and the number of rows
    /// in the last of them.
    pub(crate) told_many: StepBits,
    pub(crate) many_rows: usize,
    /// Steps that were told of few changed rows, and stepped all; the cause in the last of them.
    pub(crate) restarts: StepBits,
    pub(crate) restart_cause: RestartCause,
}

/// How a step was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepKind {
    /// By a method that reads all rows.
    Full,
    /// It was told which rows changed, and there was no row before.
    First,
    /// It was told which rows changed, and looked only at these.
    Told,
    /// It was told that this many rows changed, which are too many.
    ToldMany(usize),
    /// It was told that few rows changed, but stepped all.
    Restarted(RestartCause),
}

impl StepHistory {
    /// The static set is about to be replaced.
    pub(crate) fn count_set_statics(&mut self, before: &StaticTree, after: &StaticTree) {
        if before.is_empty() {
            return;
        }
        let equal = |(a, b): (&[f32; 4], &[f32; 4])| a.map(f32::to_bits) == b.map(f32::to_bits);
        let kept = before.raw_boxes().zip(after.raw_boxes()).filter(|&boxes| equal(boxes)).count();
        self.set_since = Some(after.len() - kept);
    }

    /// A step succeeded.
    pub(crate) fn count_step(&mut self, kind: StepKind) {
        self.set_statics.push(self.set_since.is_some());
        if let Some(changed) = self.set_since.take() {
            self.changed_statics = changed;
        }
        self.was_told = kind != StepKind::Full;
        self.told_many.push(matches!(kind, StepKind::ToldMany(_)));
        self.restarts.push(matches!(kind, StepKind::Restarted(_)));
        match kind {
            StepKind::Full | StepKind::First | StepKind::Told => {}
            StepKind::ToldMany(rows) => self.many_rows = rows,
            StepKind::Restarted(cause) => self.restart_cause = cause,
        }
    }
}
