//! The contacts of a span of rows, in ascending order, with free slots between them.
//!
//! - GAP-1: slots have the contacts in ascending order; a free slot has [`NO_ENTRY`]. After a step
//!   of all rows, contacts are packed: there are no free slots.
//! - GAP-2: a step that was told what changed spreads contacts: each block of [`BLOCK_ROWS`] rows
//!   has free slots at its end, so that an edit moves contacts of its block alone. If a block has
//!   no room left, all of the span's contacts are spread anew.
//!
//! Cost: an edit takes a binary search in a block and a move of half of it. Where there is one
//! contact per row, that is 200 bytes, and a quarter of the slots are free.

use crate::contacts::by_row::SPAN_ROWS;
use crate::memory::buffers::{buffers, plain_buffers};
use crate::pair::row_and_partner;
use crate::prefetch::prefetch;
use std::ops::Range;

/// Number of [`NO_ENTRY`] after packed contacts: this many entries are compared at once.
pub(super) const LOOKUP_LEN: usize = 6;

/// Equal to no entry: no row has such a high number.
pub(super) const NO_ENTRY: u64 = u64::MAX;

/// Rows of a block.
const BLOCK_ROWS: usize = 32;

/// Free slots of a block that was just spread, and one more for each this many contacts.
const BLOCK_SPARE: usize = 8;

/// If fewer than one slot in this many is taken, without those that each block has to spare,
/// contacts are spread anew.
const SLOTS_PER_CONTACT: usize = 4;

/// Most slots of a block that are loaded ahead: the contacts of a row may be many.
const LOADED_MAX: usize = 256;

/// If one contact in this many of a block is removed, they are found by looking at all.
const MANY_SHARE: usize = 8;

/// A contact: its rows as an [entry](crate::pair::entry), and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Contact {
    pub(super) entry: u64,
    pub(super) value: u32,
}

/// A contact to insert.
#[derive(Clone, Copy, Debug)]
pub(super) struct Insertion {
    pub(super) entry: u64,
    pub(super) value: u32,
    /// Whether it begins in this step.
    pub(super) began: bool,
}

impl Insertion {
    pub(super) fn began(entry: u64) -> Self {
        Self { entry, value: 0, began: true }
    }
}

/// The slots that the contacts of a block take. Its free slots end where the next block starts.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    start: u32,
    end: u32,
}

impl Block {
    fn slots(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Contacts whose first row is in one span of rows.
#[derive(Debug, Default)]
pub(super) struct ContactSlots {
    /// See GAP-1. After the last slot, if there are any, [`LOOKUP_LEN`] times [`NO_ENTRY`].
    entries: Vec<u64>,
    /// The value of each slot; of no meaning in free ones. Empty until one may be set: all are 0
    /// then.
    values: Vec<u32>,
    /// Number of contacts.
    count: usize,
    /// If contacts are spread (GAP-2), their blocks up to the highest row, and one more, which
    /// starts where the slots end.
    blocks: Vec<Block>,
}

plain_buffers!(Contact, Insertion, Block);
buffers!(ContactSlots { leveled: ; own: entries, values, blocks; plain: count; });

impl ContactSlots {
    /// Number of contacts.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The slots of all contacts, in ascending order.
    pub(super) fn occupied(&self) -> impl Iterator<Item = usize> + Clone + use<'_> {
        (0..self.slot_count()).filter(|&slot| self.entries[slot] != NO_ENTRY)
    }

    /// All contacts with their values, in ascending order.
    pub(super) fn iter(&self) -> impl Iterator<Item = Contact> + Clone + use<'_> {
        self.occupied().map(|slot| self.get(slot))
    }

    /// As [`iter`](Self::iter), with mutable values.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (u64, &mut u32)> {
        let (entries, values) = self.parts_mut();
        let contacts = entries.iter().copied().zip(values);
        contacts.filter(|&(entry, _)| entry != NO_ENTRY)
    }

    /// The contact in a slot.
    pub(super) fn get(&self, slot: usize) -> Contact {
        Contact { entry: self.entries[slot], value: value_of(&self.values, slot) }
    }

    /// The entries and the values of all slots.
    pub(super) fn parts_mut(&mut self) -> (&[u64], &mut [u32]) {
        let slot_count = self.slot_count();
        self.make_values();
        (&self.entries[..slot_count], &mut self.values)
    }

    /// Makes room for values other than 0.
    fn make_values(&mut self) {
        let slot_count = self.slot_count();
        reserve(&mut self.values, slot_count);
        self.values.resize(slot_count, 0);
    }

    fn slot_count(&self) -> usize {
        self.entries.len().saturating_sub(LOOKUP_LEN)
    }

    /// The slot of a contact.
    pub(super) fn find(&self, entry: u64) -> Option<usize> {
        let slots = match &self.blocks[..] {
            [] => 0..self.count,
            blocks => blocks.get(block_of(entry))?.slots(),
        };
        self.entries[slots.clone()].binary_search(&entry).ok().map(|at| slots.start + at)
    }

    /// The entries of packed contacts.
    pub(super) fn packed_entries(&self) -> &[u64] {
        &self.padded_entries()[..self.count]
    }

    /// The entries of packed contacts, followed by [`LOOKUP_LEN`] times [`NO_ENTRY`] if there are
    /// any.
    pub(super) fn padded_entries(&self) -> &[u64] {
        debug_assert!(self.blocks.is_empty(), "contacts are not packed");
        &self.entries
    }

    /// The values of packed contacts; `None` if all are 0.
    pub(super) fn packed_values(&self) -> Option<&[u32]> {
        debug_assert!(self.blocks.is_empty(), "contacts are not packed");
        (!self.values.is_empty()).then_some(&self.values)
    }

    /// Drops all free slots.
    pub(super) fn pack(&mut self) {
        let Self { entries, values, count, blocks } = self;
        if blocks.is_empty() {
            return;
        }
        let mut next = 0;
        for slots in blocks.drain(..).map(Block::slots) {
            let count = slots.len();
            move_slots(entries, values, slots, next);
            next += count;
        }
        let count = *count;
        self.set_packed(count);
    }

    /// Packs the contacts for which `keep` returns true, and drops the others.
    pub(super) fn retain_packed(&mut self, mut keep: impl FnMut(Contact) -> bool) {
        self.pack();
        let mut kept = 0;
        for slot in 0..self.count {
            let contact = self.get(slot);
            set_slot(&mut self.entries, &mut self.values, kept, contact);
            kept += usize::from(keep(contact));
        }
        self.set_packed(kept);
    }

    /// Packs all contacts, and inserts ascending ones among them, none of them already present.
    pub(super) fn insert_packed(&mut self, inserted: &[Contact]) {
        self.pack();
        let mut remaining = self.count;
        let mut slot = remaining + inserted.len();
        self.set_packed(slot);
        self.make_values_for(inserted.iter().map(|new| new.value));
        let Self { entries, values, .. } = self;
        for &new in inserted.iter().rev() {
            while remaining > 0 && entries[remaining - 1] > new.entry {
                (slot, remaining) = (slot - 1, remaining - 1);
                let contact = Contact { entry: entries[remaining], value: value_of(values, remaining) };
                set_slot(entries, values, slot, contact);
            }
            slot -= 1;
            set_slot(entries, values, slot, new);
        }
    }

    /// Replaces all contacts by packed ones. `values` is read only if there are
    /// [values](Self::packed_values) now.
    pub(super) fn replace_packed(&mut self, entries: &[u64], values: &[u32]) {
        self.set_packed(entries.len());
        self.entries[..entries.len()].copy_from_slice(entries);
        if !self.values.is_empty() {
            self.values.copy_from_slice(values);
        }
    }

    /// Makes room for these values, unless all are 0.
    fn make_values_for(&mut self, mut inserted: impl Iterator<Item = u32>) {
        if self.values.is_empty() && inserted.any(|value| value != 0) {
            self.make_values();
        }
    }

    /// Removes ascending contacts, all of them present, and passes them to `take`. Slots of other
    /// contacts may change.
    pub(super) fn remove(&mut self, removed: &[u64], mut take: impl FnMut(Contact)) {
        if removed.is_empty() {
            return;
        }
        if self.blocks.is_empty() {
            self.spread(&[]);
        }
        let Self { entries, values, blocks, count } = self;
        *count -= removed.len();
        for removed in removed.chunk_by(|&a, &b| block_of(a) == block_of(b)) {
            let block = &mut blocks[block_of(removed[0])];
            let Range { start, end } = block.slots();
            let (mut read, mut write) = (start, start);
            let are_many = removed.len() * MANY_SHARE >= end - start;
            for &entry in removed {
                let is_before = |&other: &u64| other < entry;
                let rest = &entries[read..end];
                let at = read
                    + if are_many {
                        rest.iter().take_while(|&other| is_before(other)).count()
                    } else {
                        rest.partition_point(is_before)
                    };
                take(Contact { entry, value: value_of(values, at) });
                move_slots(entries, values, read..at, write);
                write += at - read;
                read = at + 1;
            }
            move_slots(entries, values, read..end, write);
            write += end - read;
            entries[write..end].fill(NO_ENTRY);
            block.end = write as u32;
        }
        if self.count == 0 {
            self.pack();
        } else if self.slot_count() > SLOTS_PER_CONTACT * (self.count + BLOCK_SPARE * self.blocks.len()) {
            self.spread(&[]);
        }
    }

    /// Inserts ascending contacts, none of them already present. Appends the slots of those that
    /// began to `started`, in ascending order.
    pub(super) fn insert(&mut self, inserted: &[Insertion], started: &mut Vec<u32>) {
        if !self.has_room(inserted) {
            self.spread(inserted);
        }
        self.make_values_for(inserted.iter().map(|new| new.value));
        let Self { entries, values, blocks, count } = self;
        *count += inserted.len();
        for inserted in inserted.chunk_by(|a, b| block_of(a.entry) == block_of(b.entry)) {
            let block = &mut blocks[block_of(inserted[0].entry)];
            let Range { start, mut end } = block.slots();
            let first_started = started.len();
            for (before, new) in inserted.iter().enumerate().rev() {
                let at = start + entries[start..end].partition_point(|&other| other < new.entry);
                let slot = at + before;
                move_slots(entries, values, at..end, slot + 1);
                set_slot(entries, values, slot, Contact { entry: new.entry, value: new.value });
                started.extend(new.began.then_some(slot as u32));
                end = at;
            }
            started[first_started..].reverse();
            block.end += inserted.len() as u32;
        }
    }

    /// Loads the block of a contact that will be removed or inserted.
    pub(super) fn prefetch_block(&self, entry: u64) {
        let block = block_of(entry);
        prefetch(self.blocks.get(block..=block).unwrap_or_default());
    }

    /// Loads the slots of that block, if it is not far larger than most.
    pub(super) fn prefetch_slots(&self, entry: u64) {
        let slots = self.blocks.get(block_of(entry)).map(|block| block.slots());
        if let Some(slots) = slots.filter(|slots| slots.len() <= LOADED_MAX) {
            prefetch(&self.entries[slots.clone()]);
            prefetch(self.values.get(slots).unwrap_or_default());
        }
    }

    /// Whether the blocks have free slots for all of these.
    fn has_room(&self, inserted: &[Insertion]) -> bool {
        inserted.chunk_by(|a, b| block_of(a.entry) == block_of(b.entry)).all(|inserted| {
            let block = block_of(inserted[0].entry);
            let blocks = self.blocks.get(block..block + 2);
            blocks.is_some_and(|two| (two[1].start - two[0].end) as usize >= inserted.len())
        })
    }

    /// Spreads the contacts (GAP-2), with room for these.
    fn spread(&mut self, inserted: &[Insertion]) {
        self.pack();
        let Self { entries, count, blocks, .. } = self;
        let mut counts = [(0, 0); SPAN_ROWS / BLOCK_ROWS];
        entries[..*count].iter().for_each(|&entry| counts[block_of(entry)].0 += 1);
        inserted.iter().for_each(|new| counts[block_of(new.entry)].1 += 1);
        let highest = entries[..*count].last().into_iter().chain(inserted.last().map(|new| &new.entry)).max();
        let block_count = highest.map_or(0, |&entry| block_of(entry) + 1);
        let mut start = 0;
        blocks.extend(counts[..block_count].iter().map(|&(present, inserted)| {
            let block = Block { start: start as u32, end: (start + present) as u32 };
            start += present + inserted + (present + inserted) / BLOCK_SPARE + BLOCK_SPARE;
            block
        }));
        blocks.push(Block { start: start as u32, end: start as u32 });
        let mut packed = *count;
        self.set_slots(start);
        let Self { entries, values, blocks, .. } = self;
        // Back to front, as each block moves to the back.
        for two in blocks.windows(2).rev() {
            let slots = two[0].slots();
            let from = packed - slots.len();
            move_slots(entries, values, from..packed, slots.start);
            entries[slots.end..two[1].start as usize].fill(NO_ENTRY);
            packed = from;
        }
    }

    /// Sets the number of packed contacts; those that are new are to be written.
    fn set_packed(&mut self, count: usize) {
        self.set_slots(count);
        self.count = count;
    }

    fn set_slots(&mut self, count: usize) {
        let padded = if count == 0 { 0 } else { count + LOOKUP_LEN };
        reserve(&mut self.entries, padded);
        self.entries.resize(padded, NO_ENTRY);
        self.entries[count..].fill(NO_ENTRY);
        if !self.values.is_empty() {
            self.make_values();
        }
    }
}

/// The block of an entry within its span.
fn block_of(entry: u64) -> usize {
    row_and_partner(entry)[0] as usize % SPAN_ROWS / BLOCK_ROWS
}

/// Moves contacts to other slots.
fn move_slots(entries: &mut [u64], values: &mut [u32], from: Range<usize>, to: usize) {
    if from.start == to || from.is_empty() {
        return;
    }
    entries.copy_within(from.clone(), to);
    if !values.is_empty() {
        values.copy_within(from, to);
    }
}

/// The value of a slot; 0 if there are no values.
fn value_of(values: &[u32], slot: usize) -> u32 {
    values.get(slot).copied().unwrap_or_default()
}

/// Puts a contact in a slot.
fn set_slot(entries: &mut [u64], values: &mut [u32], slot: usize, Contact { entry, value }: Contact) {
    entries[slot] = entry;
    if let Some(slot) = values.get_mut(slot) {
        *slot = value;
    }
}

/// Makes room for `count` items. If it has to grow, it leaves an eighth to spare: numbers of pairs
/// vary more than those of bodies.
pub(super) fn reserve<T>(items: &mut Vec<T>, count: usize) {
    if items.capacity() < count {
        items.reserve_exact(count + count / 8 + 8 - items.len());
    }
}

#[cfg(test)]
mod tests;
