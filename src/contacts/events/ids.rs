//! Who is who: where the bodies of the last step are in this one.
//!
//! I1: between steps, `table` has each row of the last step that was there, by its id, once.
//! I2: nothing changes before [`commit`](Identities::commit), so a step that is refused leaves no trace.
//! I3: rows whose id is the same as in the last step are compared and nothing more; work is done for the others only. As
//!     ids are unique, a body that left its row can only be in a row whose id changed.
//!
//! Cost: a comparison of 8 bytes a row, in parallel; some 50 ns for each row whose id changed. 20 to 28 bytes a row.

use crate::contacts::by_row::SPAN;
use crate::error::Error;
use crate::parallel;
use std::ops::Range;

/// No row.
pub(crate) const NONE: u32 = u32::MAX;

/// Rows that are compared by one task.
const CHUNK: usize = 8 * SPAN;

/// The ids of a step: a column, or none, where rows stand for themselves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ids<'a> {
    pub(crate) column: Option<&'a [u64]>,
    pub(crate) rows: usize,
    /// Rows that were skipped, ascending.
    pub(crate) absent: &'a [u32],
}

/// The ids of the last good step, and what this one makes of them.
#[derive(Default)]
pub(crate) struct Identities {
    /// Empty when there was no column.
    ids: Vec<u64>,
    with_column: bool,
    rows: usize,
    absent: Vec<u32>,
    table: Table,
    /// Rows that changed, ascending.
    changed: Vec<u32>,
    parts: Vec<Vec<u32>>,
    /// Ids that are new, and their rows.
    fresh: Vec<(u64, u32)>,
    went: Went,
    /// Whether all ids were found to be the same, and of each chunk.
    unchanged: bool,
    same: Vec<bool>,
    /// Where each row of the last step is now, or [`NONE`].
    moved: Vec<u32>,
}

/// Where bodies of the last step went.
#[derive(Clone, Copy, Default)]
enum Went {
    #[default]
    Nowhere,
    Below(u32),
    ToRows,
    Away,
}

/// Where rows of the last step are now, on one side of a contact.
#[derive(Clone, Copy)]
pub(crate) enum Side<'m> {
    /// Where they were.
    Same,
    /// Those below this one where they were; the others are gone.
    Below(u32),
    /// Each where it says here, or gone: [`NONE`].
    To(&'m [u32]),
    Gone,
}

impl Side<'_> {
    /// Where a row is now, or [`NONE`].
    #[inline]
    pub(crate) fn of(self, row: u32) -> u32 {
        match self {
            Self::Same => row,
            Self::Below(end) => {
                if row < end {
                    row
                } else {
                    NONE
                }
            }
            Self::To(rows) => rows[row as usize],
            Self::Gone => NONE,
        }
    }
}

impl Identities {
    /// Whether a step without absent rows has the ids of the last one, row by row.
    pub(crate) fn is_as_before(
        &mut self,
        rows: usize,
        equal: impl Fn(Range<usize>, &[u64]) -> bool + Sync,
        parallel: bool,
    ) -> bool {
        let Self { ids, with_column, same, .. } = self;
        self.unchanged = *with_column && rows == ids.len() && self.absent.is_empty();
        if self.unchanged {
            same.clear();
            same.resize(rows.div_ceil(CHUNK), false);
            parallel::for_each_mut(parallel, same, |chunk, same| {
                let rows = chunk * CHUNK..rows.min((chunk + 1) * CHUNK);
                *same = equal(rows.clone(), &ids[rows]);
            });
            self.unchanged = same.iter().all(|&same| same);
        }
        if self.unchanged {
            self.went = Went::Nowhere;
        }
        self.unchanged
    }

    /// Whether the step that was compared has the ids of the last one, so that there is nothing to commit.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.unchanged
    }

    /// Compares a step with the last one.
    ///
    /// # Errors
    ///
    /// When two rows that are there have one id.
    pub(crate) fn compare(&mut self, step: Ids<'_>, parallel: bool) -> Result<(), Error> {
        self.unchanged = false;
        self.changed.clear();
        self.fresh.clear();
        self.moved.clear();
        let Some(column) = step.column else {
            // Rows stand for themselves, unless they stood for ids.
            self.went = match self.with_column {
                true => Went::Away,
                false if step.rows < self.rows => Went::Below(step.rows as u32),
                false => Went::Nowhere,
            };
            return Ok(());
        };
        let continues = self.with_column || self.rows == 0;
        let before = if continues { std::mem::take(&mut self.ids) } else { Vec::new() };
        let outcome = self.compare_column(&before, column, step.absent, parallel);
        self.went = match (continues, self.changed.is_empty()) {
            (false, _) => Went::Away,
            (true, true) => Went::Nowhere,
            (true, false) => Went::ToRows,
        };
        if continues {
            self.ids = before;
        }
        outcome
    }

    fn compare_column(&mut self, before: &[u64], now: &[u64], absent: &[u32], parallel: bool) -> Result<(), Error> {
        self.find_changed(before, now, absent, parallel);
        if self.changed.is_empty() {
            return Ok(());
        }
        self.moved.extend(0..before.len() as u32);
        for &row in self.changed.iter().take_while(|&&row| (row as usize) < before.len()) {
            self.moved[row as usize] = NONE;
        }
        let mut twice = false;
        for &row in &self.changed {
            if row as usize >= now.len() || absent.binary_search(&row).is_ok() {
                continue;
            }
            match self.table.find(before, now[row as usize]) {
                // Either that row did not change, or another has taken its id already.
                Some(old) if self.moved[old as usize] != NONE => twice = true,
                Some(old) => self.moved[old as usize] = row,
                None => self.fresh.push((now[row as usize], row)),
            }
        }
        self.fresh.sort_unstable();
        twice |= self.fresh.windows(2).any(|pair| pair[0].0 == pair[1].0);
        if twice { Err(duplicate(now, absent)) } else { Ok(()) }
    }

    /// I3. Rows that are absent now or were, are taken to have changed.
    fn find_changed(&mut self, before: &[u64], now: &[u64], absent: &[u32], parallel: bool) {
        let both = before.len().min(now.len());
        let chunks = both.div_ceil(CHUNK);
        if self.parts.len() < chunks {
            self.parts.resize_with(chunks, Vec::new);
        }
        parallel::for_each_mut(parallel, &mut self.parts[..chunks], |chunk, changed| {
            changed.clear();
            let rows = chunk * CHUNK..both.min((chunk + 1) * CHUNK);
            if before[rows.clone()] != now[rows.clone()] {
                changed.extend(rows.filter(|&row| before[row] != now[row]).map(|row| row as u32));
            }
        });
        self.parts[..chunks].iter().for_each(|part| self.changed.extend_from_slice(part));
        self.changed.extend(both as u32..before.len().max(now.len()) as u32);
        if !(absent.is_empty() && self.absent.is_empty()) {
            self.changed.extend(absent.iter().chain(&self.absent));
            self.changed.sort_unstable();
            self.changed.dedup();
        }
    }

    /// Where the rows of the last step are now.
    pub(crate) fn moved(&self) -> Side<'_> {
        match self.went {
            Went::Nowhere => Side::Same,
            Went::Below(end) => Side::Below(end),
            Went::ToRows => Side::To(&self.moved),
            Went::Away => Side::Gone,
        }
    }

    /// The id of a row of the last step.
    pub(crate) fn id_before(&self, row: u32) -> u64 {
        self.ids.get(row as usize).copied().unwrap_or(u64::from(row))
    }

    /// The step that was compared is the last good one now.
    pub(crate) fn commit(&mut self, step: Ids<'_>) {
        let now = step.column.unwrap_or_default();
        let Self { ids, table, changed, absent, .. } = self;
        // Without a column nothing was compared, and nothing is kept.
        let anew = !self.with_column || step.column.is_none() || changed.len() > now.len() / 4;
        if anew {
            table.clear();
            ids.clear();
        } else {
            // Before ids change, since entries are found by them.
            for &row in changed.iter().take_while(|&&row| (row as usize) < ids.len()) {
                table.remove(ids, row);
            }
        }
        if ids.capacity() < now.len() {
            ids.reserve_exact(now.len() + now.len() / 8 - ids.len());
        }
        ids.truncate(now.len());
        let kept = ids.len();
        ids.extend_from_slice(&now[kept..]);
        for &row in changed.iter().take_while(|&&row| (row as usize) < kept) {
            ids[row as usize] = now[row as usize];
        }
        table.reserve(ids);
        absent.clear();
        absent.extend_from_slice(step.absent);
        let is_there = |row: &u32| (*row as usize) < now.len() && absent.binary_search(row).is_err();
        if anew {
            (0..now.len() as u32).filter(is_there).for_each(|row| table.insert(ids, row));
        } else {
            changed.iter().copied().filter(is_there).for_each(|row| table.insert(ids, row));
        }
        (self.with_column, self.rows) = (step.column.is_some(), step.rows);
    }

    pub(crate) fn bytes(&self) -> usize {
        let words =
            self.absent.capacity() + self.table.rows.capacity() + self.changed.capacity() + self.moved.capacity();
        let parts: usize = self.parts.iter().map(Vec::capacity).sum();
        self.ids.capacity() * size_of::<u64>()
            + self.same.capacity()
            + (words + parts) * size_of::<u32>()
            + self.fresh.capacity() * size_of::<(u64, u32)>()
    }

    /// Gives back what the next step can make again.
    pub(crate) fn shrink_to_fit(&mut self) {
        (self.changed, self.parts, self.fresh, self.moved, self.same) = Default::default();
        self.ids.shrink_to_fit();
        self.absent.shrink_to_fit();
    }
}

/// What is saved of it.
#[cfg(feature = "serde")]
impl Identities {
    /// The ids of the last step, if it had a column.
    pub(crate) fn column(&self) -> Option<&[u64]> {
        self.with_column.then_some(&self.ids)
    }

    /// How many rows the last step had.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Rows of the last step that were skipped.
    pub(crate) fn absent(&self) -> &[u32] {
        &self.absent
    }
}

/// The two rows of one id of which the higher is lowest, whatever was stepped before.
#[cold]
#[inline(never)]
fn duplicate(ids: &[u64], absent: &[u32]) -> Error {
    let (first, second, id) = first_duplicate(ids, absent).unwrap_or_default();
    Error::DuplicateBodyId { first, second, id }
}

/// As [`duplicate`]; in any ids.
pub(crate) fn first_duplicate(ids: &[u64], absent: &[u32]) -> Option<(u32, u32, u64)> {
    let there = (0..ids.len() as u32).filter(|row| absent.binary_search(row).is_err());
    let mut by_id: Vec<(u64, u32)> = there.map(|row| (ids[row as usize], row)).collect();
    by_id.sort_unstable();
    let twice = by_id.windows(2).filter(|pair| pair[0].0 == pair[1].0);
    twice.map(|pair| (pair[0].1, pair[1].1, pair[0].0)).min_by_key(|&(first, second, _)| (second, first))
}

/// Rows by id: open addressing, linear probing. Ids stand in a column of the caller.
#[derive(Default)]
struct Table {
    /// [`NONE`] where nothing is. A power of two, at least twice as many as there are rows.
    rows: Vec<u32>,
    len: usize,
}

impl Table {
    fn clear(&mut self) {
        self.rows.fill(NONE);
        self.len = 0;
    }

    /// Room for a row for each id. Grows only, and by a factor.
    fn reserve(&mut self, ids: &[u64]) {
        let wanted = (2 * ids.len()).next_power_of_two();
        if self.rows.len() < wanted {
            let before = std::mem::replace(&mut self.rows, vec![NONE; wanted]);
            self.len = 0;
            before.into_iter().filter(|&row| row != NONE).for_each(|row| self.insert(ids, row));
        }
    }

    /// Where the search for an id begins.
    fn home(&self, id: u64) -> usize {
        mix(id) as usize & (self.rows.len() - 1)
    }

    fn next(&self, at: usize) -> usize {
        (at + 1) & (self.rows.len() - 1)
    }

    /// The place of an id, or the free one where it would be. There is always a free one.
    fn place(&self, ids: &[u64], id: u64) -> usize {
        let mut at = self.home(id);
        while self.rows[at] != NONE && ids[self.rows[at] as usize] != id {
            at = self.next(at);
        }
        at
    }

    fn find(&self, ids: &[u64], id: u64) -> Option<u32> {
        if self.len == 0 {
            return None;
        }
        let row = self.rows[self.place(ids, id)];
        (row != NONE).then_some(row)
    }

    fn insert(&mut self, ids: &[u64], row: u32) {
        let at = self.place(ids, ids[row as usize]);
        debug_assert_eq!(self.rows[at], NONE, "I1");
        self.rows[at] = row;
        self.len += 1;
    }

    /// Takes out a row, if it is in: one that was absent is not.
    fn remove(&mut self, ids: &[u64], row: u32) {
        if self.len == 0 {
            return;
        }
        let mut hole = self.place(ids, ids[row as usize]);
        if self.rows[hole] != row {
            return;
        }
        self.len -= 1;
        // Those behind the hole move up, unless that would be before their home.
        let mut at = self.next(hole);
        while self.rows[at] != NONE {
            let home = self.home(ids[self.rows[at] as usize]);
            let mask = self.rows.len() - 1;
            if at.wrapping_sub(home) & mask >= at.wrapping_sub(hole) & mask {
                self.rows[hole] = self.rows[at];
                hole = at;
            }
            at = self.next(at);
        }
        self.rows[hole] = NONE;
    }
}

/// Spreads all bits over the lower ones (the finaliser of SplitMix64, Steele and others 2014): ids may be numbers in a row,
/// or have what tells them apart in their upper half.
fn mix(id: u64) -> u64 {
    let id = (id ^ (id >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let id = (id ^ (id >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    id ^ (id >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_finds_what_is_in_it_after_any_insertions_and_removals() {
        // Ids that differ in a few bits, the lower or the upper ones: long runs of taken places.
        for shift in [0, 7, 40, 60] {
            let ids: Vec<u64> = (0..300u64).map(|row| row << shift | row >> (64 - shift).min(63)).collect();
            let mut table = Table::default();
            table.reserve(&ids);
            let mut is_in = vec![false; ids.len()];
            let mut state = 9u64;
            for _ in 0..4000 {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let row = (state >> 33) as u32 % ids.len() as u32;
                if std::mem::replace(&mut is_in[row as usize], state >> 63 == 0) {
                    table.remove(&ids, row);
                }
                if is_in[row as usize] {
                    table.insert(&ids, row);
                }
                let other = (state >> 20) as usize % ids.len();
                assert_eq!(table.find(&ids, ids[other]), is_in[other].then_some(other as u32));
            }
            assert_eq!(table.len, is_in.iter().filter(|&&is_in| is_in).count());
            table.clear();
            assert!(ids.iter().all(|&id| table.find(&ids, id).is_none()));
        }
    }

    #[test]
    fn whatever_was_compared_before_the_same_two_rows_are_named() {
        fn step<'s>(column: &'s [u64; 4], absent: &'s [u32]) -> Ids<'s> {
            Ids { column: Some(column), rows: 4, absent }
        }
        for before in [None, Some([1u64, 2, 3, 4]), Some([4, 3, 2, 1])] {
            let mut identities = Identities::default();
            if let Some(before) = &before {
                identities.compare(step(before, &[]), false).expect("unique ids");
                identities.commit(step(before, &[]));
            }
            let error = identities.compare(step(&[7, 5, 7, 5], &[]), false).err();
            assert_eq!(error, Some(Error::DuplicateBodyId { first: 0, second: 2, id: 7 }));
            // Rows that are not there do not count; and nothing was changed.
            assert_eq!(identities.compare(step(&[7, 5, 7, 5], &[1, 2]), false), Ok(()));
            assert_eq!(identities.column(), before.as_ref().map(|ids| &ids[..]));
        }
    }

    impl Identities {
        #[cfg(not(feature = "serde"))]
        fn column(&self) -> Option<&[u64]> {
            self.with_column.then_some(&self.ids)
        }
    }
}
