//! Determines which pairs may be processed at the same time, if each may change both of its rows.
//!
//! The tasks of the step divide the work: most pairs are between bodies of one band, and bands
//! share no bodies.
//!
//! - COLOR-1: own pairs. Both rows are filed in the band of the task that found the pair (TASK-1).
//!   The own pairs of a task are a group, and these groups are the first phase: no two share a row,
//!   because a band has one task.
//! - COLOR-2: cross pairs, all others. Each row has a region (REGION-1), and the cross pairs of the
//!   same two regions are a group. Groups of one color share no region, hence no row, and are one
//!   phase. This is correct for any assignment of one region to each row.
//! - COLOR-3: cross pairs that are not worth a color are processed last, one after the other.
//! - COLOR-4: the pairs of a group are in the order of the step. Phases and groups depend only on
//!   the pairs and on where rows are filed, so a row gets its pairs in the same order on any number
//!   of threads.
//!
//! A phase is a parallel loop: it ends when all of its groups have ended, and only then does the
//! next phase start. What a thread wrote happens before the end of its loop, and that before the
//! next loop; rayon guarantees this for every join, and a lock for those of a team. So no atomic is
//! needed for ordering, and no group waits for another. Debug builds check each schedule
//! ([`Schedule::check`]).
//!
//! Static pairs touch one row each and are found by the task that files it, so all of them are own
//! pairs, apart from those that are reused from earlier steps.
//!
//! Cost: a few entries per task, as long as cross pairs are few. If they get colors, a pass over
//! all rows for their regions, and two lookups per cross pair.

use crate::broad_phase::pairs::PageChain;
use crate::contacts::by_row::PairSides;
use crate::contacts::exclusive::regions::RowRegions;
use crate::frame::frame::Frame;
use crate::memory::buffers::{buffers, plain_buffers};
use crate::memory::page::PAGE_LEN;
use crate::parallel;
use crate::tier::point_grid::band::slot::BandSlot;
use bytemuck::Pod;
use std::ops::Range;

/// Number of colors: one for each bit of a word.
const COLOR_COUNT: usize = 64;

/// Smallest number of pairs of a phase that is worth distributing: some microseconds of a cheap
/// loop.
const PARALLEL_PAIRS_MIN: usize = 512;

/// Cross pairs get colors only if more than one pair in this many is a cross pair.
///
/// Fewer take less time in sequence than it takes to color them.
const PAIRS_PER_CROSS_PAIR: usize = 20;

/// Cross pairs get colors only if there is one for at most this many rows.
///
/// Fewer take less time in sequence than the pass over all rows.
const ROWS_PER_CROSS_PAIR: usize = 4;

/// Cross pairs get colors only if there is a ghost for at least this many rows, or fewer ghosts.
///
/// Where more bodies reach across bands, as wide and tall ones do, their cross pairs are in short
/// runs of many regions. Half of them get no color, and two threads take longer than a plain loop.
const ROWS_PER_GHOST: usize = 4;

/// Largest number of runs on a page whose pairs get colors.
///
/// With more, a run has fewer than sixteen pairs, and sorting the runs takes as long as processing
/// them.
const PAGE_RUNS_MAX: usize = PAGE_LEN / 16;

/// Pages of cross pairs that are searched by one task, if no task of the step found them.
const CHUNK_PAGES: usize = 16;

/// Adjacent pairs of a page that are in the same group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct PairRun {
    /// The regions of both rows, the lower one in the upper half. Unused in the first phase.
    regions: u32,
    page: u32,
    start: u32,
    end: u32,
}

impl PairRun {
    fn pairs<'p>(&self, pages: PageChain<'p>) -> &'p [[u32; 2]] {
        &pages.page(self.page as usize)[self.start as usize..self.end as usize]
    }

    fn len(&self) -> usize {
        (self.end - self.start) as usize
    }
}

/// Runs that are processed in sequence.
#[derive(Clone, Debug, Default)]
struct PairGroup {
    runs: Range<usize>,
}

/// Groups that are processed in parallel, or in sequence.
#[derive(Clone, Debug)]
struct Phase {
    groups: Range<usize>,
    parallel: bool,
}

/// Pages with cross pairs, of one task or of no task.
#[derive(Debug, Default)]
struct CrossPages {
    pages: Range<usize>,
    /// Number of leading pairs that are own pairs.
    own_pairs: usize,
    /// Runs of pairs with a color.
    colored: Vec<PairRun>,
    /// Runs of pairs without a color (COLOR-3).
    sequential: Vec<PairRun>,
}

plain_buffers!(PairRun, PairGroup, Phase);
buffers!(CrossPages { leveled: colored, sequential; own: ; plain: pages, own_pairs; });

/// The order in which all pairs of one kind are processed.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    runs: Vec<PairRun>,
    groups: Vec<PairGroup>,
    phases: Vec<Phase>,
    cross: Vec<CrossPages>,
    /// Number of entries of `cross` in use.
    cross_len: usize,
    regions: RowRegions,
    /// For each region, the colors that it has.
    colors_by_region: Vec<u64>,
    /// Colored groups in the order of their regions, each with its color.
    uncollected: Vec<(u8, PairGroup)>,
    /// In debug builds: for each row, the group that touched it last.
    last_group_by_row: Vec<u32>,
}

plain_buffers!((u8, PairGroup));
buffers!(Schedule {
    leveled: runs, groups, phases, cross, regions, colors_by_region, uncollected, last_group_by_row;
    own: ;
    plain: cross_len;
});

impl Schedule {
    /// Rebuilds the schedule.
    ///
    /// `tasks` yields, in order, the pages of each task and the number of own pairs at their
    /// beginning. Pages of no task contain cross pairs.
    pub(super) fn rebuild(
        &mut self,
        pages: PageChain<'_>,
        tasks: impl Iterator<Item = (Range<usize>, usize)>,
        sides: PairSides,
        frame: &Frame,
        parallel: bool,
    ) {
        self.runs.clear();
        self.groups.clear();
        self.phases.clear();
        self.cross_len = 0;
        let mut next_page = 0;
        for (task_pages, own_pairs) in tasks {
            self.add_cross_pages(next_page..task_pages.start);
            next_page = task_pages.end;
            self.add_task(pages, task_pages, own_pairs);
        }
        self.add_cross_pages(next_page..pages.len());
        self.add_phase(0..self.groups.len(), true);
        self.add_cross_pairs(pages, sides, frame, parallel);
        if cfg!(debug_assertions) {
            self.check(pages, sides, frame.row_count);
        }
    }

    /// Processes all pairs.
    ///
    /// Calls `process` with adjacent pairs of a group; never at the same time as with other pairs
    /// that touch one of their rows (COLOR-1, COLOR-2).
    pub(super) fn run<P: Pod + Sync>(
        &self,
        pages: PageChain<'_>,
        parallel: bool,
        process: impl Fn(&[P]) + Send + Sync,
    ) {
        let run_phase = |phase: &Phase| {
            parallel::for_each(parallel && phase.parallel, &self.groups[phase.groups.clone()], |_, group| {
                for run in &self.runs[group.runs.clone()] {
                    process(bytemuck::cast_slice(run.pairs(pages)));
                }
            });
        };
        // Phases have few groups of many pairs each: all threads are worth calling.
        parallel::with_team(parallel, usize::MAX, || self.phases.iter().for_each(run_phase));
    }

    /// Adds the own pairs of a task as a group (COLOR-1), and records its cross pairs.
    fn add_task(&mut self, pages: PageChain<'_>, task_pages: Range<usize>, own_pairs: usize) {
        let (first_run, mut remaining) = (self.runs.len(), own_pairs);
        for page in task_pages.clone() {
            let page_len = pages.page(page).len();
            let end = page_len.min(remaining);
            remaining -= end;
            if end > 0 {
                self.runs.push(PairRun { regions: 0, page: page as u32, start: 0, end: end as u32 });
            }
            if end < page_len {
                let cross = page..task_pages.end;
                self.push_cross(cross, end);
                break;
            }
        }
        if self.runs.len() > first_run {
            self.groups.push(PairGroup { runs: first_run..self.runs.len() });
        }
    }

    /// Records pages that contain only cross pairs.
    fn add_cross_pages(&mut self, pages: Range<usize>) {
        for start in pages.clone().step_by(CHUNK_PAGES) {
            self.push_cross(start..pages.end.min(start + CHUNK_PAGES), 0);
        }
    }

    fn push_cross(&mut self, pages: Range<usize>, own_pairs: usize) {
        if self.cross.len() == self.cross_len {
            self.cross.push(CrossPages::default());
        }
        let cross = &mut self.cross[self.cross_len];
        (cross.pages, cross.own_pairs) = (pages, own_pairs);
        self.cross_len += 1;
    }

    /// Adds a phase of these groups, if there are any. `disjoint` groups may be processed in
    /// parallel.
    fn add_phase(&mut self, groups: Range<usize>, disjoint: bool) {
        if groups.is_empty() {
            return;
        }
        let mut pairs = 0;
        let mut runs = self.groups[groups.clone()].iter().flat_map(|group| &self.runs[group.runs.clone()]);
        let has_enough = runs.any(|run| {
            pairs += run.len();
            pairs >= PARALLEL_PAIRS_MIN
        });
        self.phases.push(Phase { parallel: disjoint && has_enough && groups.len() > 1, groups });
    }

    /// Adds the phases of all cross pairs.
    fn add_cross_pairs(&mut self, pages: PageChain<'_>, sides: PairSides, frame: &Frame, parallel: bool) {
        let cross = &mut self.cross[..self.cross_len];
        let cross_pairs: usize = cross.iter().map(|cross| cross.pair_count(pages)).sum();
        let own_pairs: usize = self.runs.iter().map(PairRun::len).sum();
        let ghosts = frame.bands.slots().iter().map(BandSlot::ghost_count).sum();
        if (StepCounts { rows: frame.row_count, ghosts, own_pairs, cross_pairs }).colors_pay() {
            self.regions.fill(frame, parallel);
            let regions = &self.regions;
            parallel::for_each_mut(parallel, cross, |_, cross| cross.find_runs(pages, sides, regions));
            self.add_colored_groups();
        } else {
            cross.iter_mut().for_each(|cross| cross.skip_colors(pages));
        }
        let first_run = self.runs.len();
        self.cross[..self.cross_len].iter().for_each(|cross| self.runs.extend_from_slice(&cross.sequential));
        if self.runs.len() > first_run {
            let group = self.groups.len();
            self.groups.push(PairGroup { runs: first_run..self.runs.len() });
            self.add_phase(group..group + 1, false);
        }
    }

    /// Groups the colored runs by their regions, and adds a phase for each color (COLOR-2).
    ///
    /// Each group, in the order of regions, gets the lowest color that both of its regions lack.
    /// Groups without a color are processed in sequence.
    fn add_colored_groups(&mut self) {
        let first_run = self.runs.len();
        self.cross[..self.cross_len].iter().for_each(|cross| self.runs.extend_from_slice(&cross.colored));
        // By regions, then in the order of pairs (COLOR-4). All runs differ, so stability is not
        // needed.
        self.runs[first_run..].sort_unstable();
        let highest = self.runs[first_run..].iter().map(|run| run.regions & 0xFFFF).max().unwrap_or(0);
        self.colors_by_region.clear();
        self.colors_by_region.resize(highest as usize + 1, 0);
        self.uncollected.clear();
        let mut counts = [0; COLOR_COUNT + 1];
        let mut start = first_run;
        while start < self.runs.len() {
            let regions = self.runs[start].regions;
            let end = start + self.runs[start..].iter().take_while(|run| run.regions == regions).count();
            let [low, high] = [regions >> 16, regions & 0xFFFF].map(|region| region as usize);
            let color = (self.colors_by_region[low] | self.colors_by_region[high]).trailing_ones() as usize;
            if color < COLOR_COUNT {
                self.colors_by_region[low] |= 1 << color;
                self.colors_by_region[high] |= 1 << color;
            }
            self.uncollected.push((color as u8, PairGroup { runs: start..end }));
            counts[color] += 1;
            start = end;
        }
        self.collect_colors(counts);
    }

    /// Orders the colored groups by color, and adds a phase for each color.
    fn collect_colors(&mut self, counts: [usize; COLOR_COUNT + 1]) {
        let mut next = self.groups.len();
        let starts = counts.map(|count| {
            next += count;
            next - count
        });
        let mut ends = starts;
        self.groups.resize(next, PairGroup::default());
        for (color, group) in self.uncollected.drain(..) {
            let place = &mut ends[usize::from(color)];
            self.groups[*place] = group;
            *place += 1;
        }
        for (color, (start, end)) in starts.into_iter().zip(ends).enumerate() {
            self.add_phase(start..end, color < COLOR_COUNT);
        }
    }

    #[cfg(test)]
    pub(super) fn parallel_phase_count(&self) -> usize {
        self.phases.iter().filter(|phase| phase.parallel).count()
    }

    /// Asserts that each pair is scheduled once, and that groups of a parallel phase share no row.
    fn check(&mut self, pages: PageChain<'_>, sides: PairSides, rows: usize) {
        let last_group_by_row = &mut self.last_group_by_row;
        last_group_by_row.clear();
        last_group_by_row.resize(rows, u32::MAX);
        let mut scheduled = 0;
        for phase in &self.phases {
            for group in phase.groups.clone() {
                let runs = &self.runs[self.groups[group].runs.clone()];
                for &pair in runs.iter().flat_map(|run| run.pairs(pages)) {
                    scheduled += 1;
                    for row in sides.of(pair) {
                        let last = std::mem::replace(&mut last_group_by_row[row as usize], group as u32) as usize;
                        let exclusive = last == group || !phase.groups.contains(&last) || !phase.parallel;
                        assert!(exclusive, "groups {last} and {group} of one phase share row {row}");
                    }
                }
            }
        }
        assert_eq!(scheduled, pages.map(<[_]>::len).sum::<usize>(), "each pair is scheduled once");
    }
}

/// What decides whether cross pairs get colors: counts alone, so the order of pairs is the same on
/// any number of threads (COLOR-4).
#[derive(Clone, Copy, Debug)]
struct StepCounts {
    rows: usize,
    ghosts: usize,
    own_pairs: usize,
    cross_pairs: usize,
}

impl StepCounts {
    /// Whether colors save more time than it takes to find them (COLOR-3).
    fn colors_pay(self) -> bool {
        let Self { rows, ghosts, own_pairs, cross_pairs } = self;
        cross_pairs * PAIRS_PER_CROSS_PAIR > cross_pairs + own_pairs
            && cross_pairs * ROWS_PER_CROSS_PAIR > rows
            && ghosts * ROWS_PER_GHOST <= rows
    }
}

impl CrossPages {
    /// The number of each page, the position of its first cross pair, and its cross pairs.
    fn pairs<'p>(&self, pages: PageChain<'p>) -> impl Iterator<Item = (usize, usize, &'p [[u32; 2]])> + use<'p> {
        let mut own_pairs = self.own_pairs;
        self.pages.clone().map(move |page| {
            let pairs = pages.page(page);
            let start = std::mem::take(&mut own_pairs);
            (page, start, &pairs[start..])
        })
    }

    fn pair_count(&self, pages: PageChain<'_>) -> usize {
        self.pairs(pages).map(|(_, _, pairs)| pairs.len()).sum()
    }

    /// Leaves all pairs without colors.
    fn skip_colors(&mut self, pages: PageChain<'_>) {
        self.colored.clear();
        self.sequential.clear();
        let runs = self.pairs(pages).map(|(page, start, pairs)| whole_page(page, start, pairs.len()));
        self.sequential.extend(runs);
    }

    /// Finds runs of pairs with the same regions. Pages with too many runs get no colors.
    fn find_runs(&mut self, pages: PageChain<'_>, sides: PairSides, regions: &RowRegions) {
        self.colored.clear();
        self.sequential.clear();
        for (page, start, pairs) in self.pairs(pages) {
            let first_run = self.colored.len();
            if push_runs(&mut self.colored, page, start, pairs, sides, regions).is_none() {
                self.colored.truncate(first_run);
                self.sequential.push(whole_page(page, start, pairs.len()));
            }
        }
    }
}

/// The run of all cross pairs of a page.
fn whole_page(page: usize, start: usize, len: usize) -> PairRun {
    PairRun { regions: 0, page: page as u32, start: start as u32, end: (start + len) as u32 }
}

/// Adds the runs of a page; `None` if there are more than [`PAGE_RUNS_MAX`].
fn push_runs(
    runs: &mut Vec<PairRun>,
    page: usize,
    start: usize,
    pairs: &[[u32; 2]],
    sides: PairSides,
    regions: &RowRegions,
) -> Option<()> {
    let runs_max = runs.len() + PAGE_RUNS_MAX;
    let mut run = whole_page(page, start, 0);
    for &pair in pairs {
        let [a, b] = sides.of(pair).map(|row| u32::from(regions.of(row)));
        let both = a.min(b) << 16 | a.max(b);
        if both != run.regions {
            if run.start < run.end {
                runs.push(run);
                if runs.len() > runs_max {
                    return None;
                }
            }
            run = PairRun { regions: both, start: run.end, ..run };
        }
        run.end += 1;
    }
    if run.start < run.end {
        runs.push(run);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_pay_where_cross_pairs_are_many_and_few_bodies_reach_across_bands() {
        // As measured in scenes of 100,000 bodies.
        let dragons = StepCounts { rows: 100_000, ghosts: 2912, own_pairs: 97_688, cross_pairs: 72_496 };
        assert!(dragons.colors_pay());
        let wide_and_tall = StepCounts { rows: 100_000, ghosts: 81_846, own_pairs: 3710, cross_pairs: 77_446 };
        assert!(!wide_and_tall.colors_pay());
        // Pairs of cached sleepers: in long runs, although none is known to be a band's own.
        assert!(StepCounts { rows: 100_000, ghosts: 100, own_pairs: 0, cross_pairs: 95_000 }.colors_pay());
        let few = [
            StepCounts { cross_pairs: 1400, ..dragons },
            StepCounts { own_pairs: 30 * dragons.cross_pairs, ..dragons },
            StepCounts { rows: 5 * dragons.cross_pairs, ..dragons },
        ];
        assert!(few.iter().all(|counts| !counts.colors_pay()), "{few:?}");
    }
}
