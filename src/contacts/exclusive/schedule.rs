//! Which pairs may be worked on at the same time, when each is given both of its rows to change.
//!
//! Tasks of a step are the units of it: most pairs are among the bodies of one band, and bands share no bodies.
//!
//! G1: each row belongs to one *block* (`owners.rs`): the band that files it, or a stretch of the oversized bodies.
//! G2: in the first phase a group is the *own* pairs of a task: both rows are filed in the task's band (J1 in `task.rs`, where
//! they are counted). A band has one task, so no two groups share a row.
//! G3: each of the other pairs is in the group of its two blocks, one of them where both rows belong to the same. Groups of one
//! colour share no block, hence no row. Colours are given in the order of groups, each the lowest that is free in both
//! blocks; groups that find none of [`COLOURS`] are worked on one after the other, in the last phase.
//! For that it is enough that the table says one thing of each row, whatever it says.
//! G4: pairs of a group stand in the order of the step's pairs. Sections, groups and colours are functions of the pairs and of
//! where rows are filed, so a row meets its pairs in one order whoever works on them.
//! G5: pairs that no section tells of belong to no task, and are grouped by their blocks like the others of G3.
//!
//! Each phase is a parallel loop, which ends when all of its groups are done; only then does the next begin. What a thread wrote
//! happens before the end of its loop, and that before all of the next one: rayon promises it of every join. So nothing here is
//! ordered by an atomic, no group waits for another, and there is no interleaving of theirs to be searched for faults: which
//! groups may meet is decided before the first one runs, and debug builds check it of every schedule (`check`).
//!
//! Pairs of bodies and statics touch one row each, and are found by the task that the row is filed with: all are own pairs.
//!
//! Cost: some lookups for each pair that is not own, two in a hundred as a rule, and a pass over all rows to note the blocks of
//! theirs (in parallel). Without such pairs, a few entries a task.

use crate::broad_phase::pairs::FoundBlocks;
use crate::contacts::exclusive::owners::Owners;
use crate::frame::frame::Index;
use crate::memory::page::PAGE_LEN;
use crate::parallel;
use bytemuck::Pod;
use std::ops::Range;

/// Colours that are worked on in parallel: as many as a word has bits.
const COLOURS: usize = 64;

/// A phase of fewer pairs is not worth handing out: some microseconds of a cheap loop.
const PARALLEL_FROM: usize = 512;

/// Pairs that a task found, where its pairs are known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Section {
    /// Its blocks of pairs of bodies.
    pub(crate) body_blocks: Range<usize>,
    /// So many of them, the first ones, are among bodies of its band (G2).
    pub(crate) own_pairs: usize,
    /// Its blocks of pairs with statics, of bodies that no other section has pairs with statics of.
    pub(crate) static_blocks: Range<usize>,
}

/// Some pairs of a block that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Run {
    /// Both blocks of its rows, the lower one in the high half; 0 in the first phase.
    key: u32,
    block: u32,
    start: u16,
    end: u16,
}

const _: () = assert!(PAGE_LEN <= u16::MAX as usize);

/// The pairs of the runs are worked on one after the other.
#[derive(Clone, Debug)]
struct Group {
    runs: Range<usize>,
}

/// The groups are worked on in any order, or at once.
#[derive(Clone, Debug)]
struct Phase {
    groups: Range<usize>,
    /// Whether it pays to hand them out.
    many: bool,
    /// Groups may share rows: they are worked on in their order.
    in_turn: bool,
}

/// Pairs that are not own, as they were found by one task or by none.
#[derive(Debug, Default)]
struct Rest {
    blocks: Range<usize>,
    /// Pairs at the front that are own.
    own: usize,
    runs: Vec<Run>,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Schedule {
    runs: Vec<Run>,
    groups: Vec<Group>,
    phases: Vec<Phase>,
    rests: Vec<Rest>,
    rest_count: usize,
    owners: Owners,
    /// Per block, the colours that it has (G3).
    taken: Vec<u64>,
    /// Per group that is not of the first phase, its colour.
    colours: Vec<u8>,
    coloured: Vec<Group>,
    /// Of debug builds: the group that had a row last.
    stamps: Vec<u32>,
}

/// Whose pairs they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touched {
    /// Two bodies.
    Both,
    /// A body, and a static that is not touched.
    First,
}

impl Touched {
    /// The rows that are touched, the second maybe the first again.
    #[inline(always)]
    fn rows(self, pair: [u32; 2]) -> [u32; 2] {
        if self == Self::Both { pair } else { [pair[0]; 2] }
    }
}

impl Schedule {
    /// Makes it anew, for the pairs of a step and the bodies that it filed.
    pub(crate) fn make(
        &mut self,
        blocks: FoundBlocks<'_>,
        sections: &[Section],
        touched: Touched,
        index: &Index,
        parallel: bool,
    ) {
        self.runs.clear();
        self.groups.clear();
        self.phases.clear();
        self.rest_count = 0;
        let mut next = 0;
        for section in sections {
            let (range, own) = match touched {
                Touched::Both => (section.body_blocks.clone(), section.own_pairs),
                Touched::First => (section.static_blocks.clone(), usize::MAX),
            };
            self.add_rest(next..range.start, 0); // G5
            next = range.end;
            self.add_own(blocks, range.clone(), own);
            self.add_rest(range, own);
        }
        self.add_rest(next..blocks.len(), 0); // G5
        let own = 0..self.groups.len();
        self.add_phase(own, false);
        if self.find_rests(blocks, touched, index, parallel) {
            self.add_groups();
        }
        if cfg!(debug_assertions) {
            self.check(blocks, touched, index.row_count);
        }
    }

    /// A group of the first phase (G2).
    fn add_own(&mut self, blocks: FoundBlocks<'_>, range: Range<usize>, own: usize) {
        let (from, mut left) = (self.runs.len(), own);
        for block in range {
            let end = blocks.block(block).pairs().len().min(left);
            if end == 0 {
                break;
            }
            self.runs.push(Run { key: 0, block: block as u32, start: 0, end: end as u16 });
            left -= end;
        }
        if self.runs.len() > from {
            self.groups.push(Group { runs: from..self.runs.len() });
        }
    }

    /// Pairs that are to be looked at, but for the first ones.
    fn add_rest(&mut self, blocks: Range<usize>, own: usize) {
        if blocks.is_empty() {
            return;
        }
        if self.rests.len() == self.rest_count {
            self.rests.push(Rest::default());
        }
        let rest = &mut self.rests[self.rest_count];
        (rest.blocks, rest.own) = (blocks, own);
        self.rest_count += 1;
    }

    /// The groups are a phase, if there are any.
    fn add_phase(&mut self, groups: Range<usize>, in_turn: bool) {
        if groups.is_empty() {
            return;
        }
        let mut pairs = 0;
        let mut runs = self.groups[groups.clone()].iter().flat_map(|group| &self.runs[group.runs.clone()]);
        let many = runs.any(|run| {
            pairs += usize::from(run.end - run.start);
            pairs >= PARALLEL_FROM
        });
        self.phases.push(Phase { many: many && groups.len() > 1, groups, in_turn });
    }

    /// Finds the runs of all pairs that are not own; whether there are any.
    fn find_rests(&mut self, blocks: FoundBlocks<'_>, touched: Touched, index: &Index, parallel: bool) -> bool {
        let rests = &mut self.rests[..self.rest_count];
        let pairs: usize = rests.iter().flat_map(|rest| rest.pairs(blocks)).map(|(_, pairs)| pairs.len()).sum();
        if pairs == 0 {
            return false;
        }
        let rows = rests.iter().flat_map(|rest| rest.pairs(blocks)).flat_map(|(_, pairs)| pairs);
        self.owners.fill(index, parallel, pairs, rows.flat_map(|&pair| touched.rows(pair)));
        let owners = &self.owners;
        parallel::for_each_mut(parallel, rests, |_, rest| rest.find(blocks, touched, owners));
        true
    }

    /// Groups the runs that were found, and colours the groups (G3).
    fn add_groups(&mut self) {
        let first = self.runs.len();
        self.rests[..self.rest_count].iter().for_each(|rest| self.runs.extend_from_slice(&rest.runs));
        // By blocks of rows, then in the order of pairs (G4). They are all different, so that it need not be stable.
        self.runs[first..].sort_unstable();
        self.taken.clear();
        let highest = self.runs[first..].iter().map(|run| run.key & 0xFFFF).max().unwrap_or(0);
        self.taken.resize(highest as usize + 1, 0);
        self.colours.clear();
        self.coloured.clear();
        let mut counts = [0; COLOURS + 1];
        let mut from = first;
        while from < self.runs.len() {
            let key = self.runs[from].key;
            let end = from + self.runs[from..].iter().take_while(|run| run.key == key).count();
            let (low, high) = ((key >> 16) as usize, (key & 0xFFFF) as usize);
            let colour = (self.taken[low] | self.taken[high]).trailing_ones() as usize;
            if colour < COLOURS {
                self.taken[low] |= 1 << colour;
                self.taken[high] |= 1 << colour;
            }
            self.colours.push(colour as u8);
            self.coloured.push(Group { runs: from..end });
            counts[colour] += 1;
            from = end;
        }
        // Group by group in the order of colours.
        let mut next = self.groups.len();
        let places = counts.map(|count| {
            next += count;
            next - count
        });
        let mut cursors = places;
        self.groups.resize(next, Group { runs: 0..0 });
        for (group, &colour) in self.coloured.drain(..).zip(&self.colours) {
            self.groups[cursors[usize::from(colour)]] = group;
            cursors[usize::from(colour)] += 1;
        }
        for (colour, (start, end)) in places.into_iter().zip(cursors).enumerate() {
            self.add_phase(start..end, colour == COLOURS);
        }
    }

    /// Works on all pairs: `work` is called with some of a group that follow each other, never at once with pairs of this
    /// schedule that touch a row of them.
    pub(crate) fn run<P: Pod + Sync>(
        &self,
        blocks: FoundBlocks<'_>,
        parallel: bool,
        work: impl Fn(&[P]) + Send + Sync,
    ) {
        for phase in &self.phases {
            let parallel = parallel && phase.many && !phase.in_turn;
            parallel::for_each(parallel, &self.groups[phase.groups.clone()], |_, group| {
                for run in &self.runs[group.runs.clone()] {
                    let pairs = blocks.block(run.block as usize).pairs();
                    work(bytemuck::cast_slice(&pairs[usize::from(run.start)..usize::from(run.end)]));
                }
            });
        }
    }

    /// That each pair is scheduled once, and that no two groups of a phase touch the same row.
    fn check(&mut self, blocks: FoundBlocks<'_>, touched: Touched, rows: usize) {
        let mut stamps = std::mem::take(&mut self.stamps);
        stamps.clear();
        stamps.resize(rows, u32::MAX);
        let mut scheduled = 0;
        for phase in &self.phases {
            for group in phase.groups.clone() {
                let runs = &self.runs[self.groups[group].runs.clone()];
                let pairs =
                    |run: &Run| &blocks.block(run.block as usize).pairs()[usize::from(run.start)..usize::from(run.end)];
                for &pair in runs.iter().flat_map(pairs) {
                    scheduled += 1;
                    for row in touched.rows(pair) {
                        let before = std::mem::replace(&mut stamps[row as usize], group as u32) as usize;
                        let alone = before == group || !phase.groups.contains(&before) || phase.in_turn;
                        assert!(alone, "row {row} is touched by groups {before} and {group} of one phase (G2, G3)");
                    }
                }
            }
        }
        let pairs: usize = blocks.map(|block| block.pairs().len()).sum();
        assert_eq!(scheduled, pairs, "each pair is scheduled once");
        self.stamps = stamps;
    }

    pub(crate) fn bytes(&self) -> usize {
        let rests: usize =
            self.rests.iter().map(|rest| size_of::<Rest>() + rest.runs.capacity() * size_of::<Run>()).sum();
        rests
            + self.runs.capacity() * size_of::<Run>()
            + (self.groups.capacity() + self.coloured.capacity()) * size_of::<Group>()
            + self.phases.capacity() * size_of::<Phase>()
            + self.owners.bytes()
            + self.taken.capacity() * size_of::<u64>()
            + self.colours.capacity()
            + self.stamps.capacity() * size_of::<u32>()
    }
}

impl Rest {
    /// Its pairs, block by block: the number of the block, and those that are not own.
    fn pairs<'b>(&self, blocks: FoundBlocks<'b>) -> impl Iterator<Item = (usize, &'b [[u32; 2]])> + use<'b> {
        let mut own = self.own;
        self.blocks.clone().map(move |block| {
            let pairs = blocks.block(block).pairs();
            let from = own.min(pairs.len());
            own -= from;
            (block, &pairs[from..])
        })
    }

    /// Finds runs of pairs that are in one group.
    fn find(&mut self, blocks: FoundBlocks<'_>, touched: Touched, owners: &Owners) {
        self.runs.clear();
        for (block, pairs) in self.pairs(blocks) {
            let from = (blocks.block(block).pairs().len() - pairs.len()) as u16;
            let mut run = Run { key: 0, block: block as u32, start: from, end: from };
            for &pair in pairs {
                let [a, b] = touched.rows(pair).map(|row| u32::from(owners.of(row)));
                let key = a.min(b) << 16 | a.max(b);
                if key != run.key {
                    if run.start < run.end {
                        self.runs.push(run);
                    }
                    run = Run { key, start: run.end, ..run };
                }
                run.end += 1;
            }
            if run.start < run.end {
                self.runs.push(run);
            }
        }
    }
}
