//! When a world gives back memory that its steps no longer need.
//!
//! - USAGE-1: memory is given back after a window of steps each of which had less than half of the
//!   rows, or of the pairs, that the buffers have grown for. So memory that is needed at least once
//!   per window is never given back, and growing and shrinking cannot alternate from step to step.
//! - USAGE-2: decisions depend on counts only, so they are the same on any machine and at any
//!   number of threads.
//! - USAGE-3: one part is given back per step. No single step pays for all of it.

/// Steps per window: some seconds of a simulation. A spike is forgotten after at most two windows.
const WINDOW_STEPS: u32 = 256;

/// Rows and pairs up to which nothing is given back: their buffers hold less than a megabyte, even
/// with tracked contacts and partner lists.
const SMALL: StepUsage = StepUsage { rows: 4096, pairs: 4096 };

/// What a step needs memory for: all that decisions depend on (USAGE-2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StepUsage {
    pub(crate) rows: usize,
    pub(crate) pairs: usize,
}

impl StepUsage {
    fn max(self, other: Self) -> Self {
        Self { rows: self.rows.max(other.rows), pairs: self.pairs.max(other.pairs) }
    }

    /// Whether either count is less than half of that of `other` (USAGE-1).
    fn is_far_below(self, other: Self) -> bool {
        self.rows < other.rows / 2 || self.pairs < other.pairs / 2
    }
}

/// The usage of recent steps, compared with what buffers have grown for.
#[derive(Debug, Default)]
pub(crate) struct UsageWindow {
    /// Highest usage since memory was last given back.
    grown_for: StepUsage,
    /// Highest usage in the present window.
    highest: StepUsage,
    /// Steps of the present window so far.
    steps: u32,
    /// Number of parts that are still to be given back (USAGE-3).
    parts_left: usize,
}

impl UsageWindow {
    /// Counts a step. Returns the part of the memory, below `part_count`, to give back now, if any.
    pub(crate) fn count(&mut self, usage: StepUsage, part_count: usize) -> Option<usize> {
        self.grown_for = self.grown_for.max(usage);
        self.highest = self.highest.max(usage);
        self.steps += 1;
        if self.steps == WINDOW_STEPS {
            self.end_window(part_count);
        }
        let part = part_count.checked_sub(self.parts_left).filter(|&part| part < part_count);
        self.parts_left = self.parts_left.saturating_sub(1);
        part
    }

    /// All memory beyond that of a step of this usage has been given back.
    pub(crate) fn reset(&mut self, usage: StepUsage) {
        *self = Self { grown_for: usage, ..Self::default() };
    }

    fn end_window(&mut self, part_count: usize) {
        let highest = std::mem::take(&mut self.highest).max(SMALL);
        if highest.is_far_below(self.grown_for) {
            (self.grown_for, self.parts_left) = (highest, part_count);
        }
        self.steps = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARTS: usize = 3;

    fn pairs(pairs: usize) -> StepUsage {
        StepUsage { rows: 10_000, pairs }
    }

    /// Counts steps, and returns the number of each step that gives a part back, with the part.
    fn run(window: &mut UsageWindow, steps: u32, usage: impl Fn(u32) -> StepUsage) -> Vec<(u32, usize)> {
        (0..steps).filter_map(|step| window.count(usage(step), PARTS).map(|part| (step, part))).collect()
    }

    #[test]
    fn a_spike_is_given_back_once_a_part_at_a_time() {
        let mut window = UsageWindow::default();
        let given = run(&mut window, 5000, |step| pairs(if step == 7 { 1_000_000 } else { 30_000 }));
        let first = 2 * WINDOW_STEPS - 1;
        assert_eq!(given, [(first, 0), (first + 1, 1), (first + 2, 2)]);
    }

    #[test]
    fn rows_count_like_pairs() {
        let mut window = UsageWindow::default();
        let rows = |step| StepUsage { rows: if step == 0 { 100_000 } else { 30_000 }, pairs: 0 };
        assert_eq!(run(&mut window, 5000, rows).len(), PARTS);
    }

    #[test]
    fn memory_is_kept_while_half_of_it_is_needed_once_per_window() {
        let mut window = UsageWindow::default();
        let peaks = |step: u32| pairs(if step.is_multiple_of(WINDOW_STEPS / 2) { 1_000_000 } else { 10 });
        assert!(run(&mut window, 5000, peaks).is_empty());
        assert!(run(&mut window, 5000, |step| pairs([1_000_000, 500_000][step as usize % 2])).is_empty());
        assert!(run(&mut window, 5000, |_| pairs(500_000)).is_empty());
        assert_eq!(run(&mut window, 5000, |_| pairs(499_999)).len(), PARTS);
    }

    #[test]
    fn small_worlds_give_nothing_back() {
        let mut window = UsageWindow::default();
        let usage = |step| StepUsage { rows: 1, pairs: if step == 0 { 2 * SMALL.pairs } else { 0 } };
        assert!(run(&mut window, 5000, usage).is_empty());
    }

    #[test]
    fn a_world_that_was_shrunk_gives_nothing_more_back() {
        let mut window = UsageWindow::default();
        window.count(pairs(1_000_000), PARTS);
        window.reset(pairs(30_000));
        assert!(run(&mut window, 5000, |_| pairs(30_000)).is_empty());
    }
}
