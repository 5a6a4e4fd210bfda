//! Entities in slots, found through handles that become stale.
//!
//! SLOT-1: A slot contains an entity while its generation is odd: insertion makes it odd, removal
//! even. A handle has the odd generation of its entity, so it matches no other entity and no free
//! slot. A used slot whose generation wraps to 0 is retired.
//!
//! SLOT-2: The entities of a loose cell are a list linked through `next` and `prev`. Free slots are
//! a list linked through `next`.

use crate::geometry::{EMPTY_AABB, RawAabb};
use crate::memory::buffers::{buffers, plain_buffers};
use crate::tier::loose_grid::indices::EntityIndex;
use std::ops::{Index, IndexMut};

/// Most slots: an index is below [`EntityIndex::NONE`].
const SLOT_COUNT_MAX: usize = u32::MAX as usize - 1;

/// Identifies a box in a [`LooseGrid`](crate::tier::loose_grid::LooseGrid).
///
/// A handle is stale once its box is removed. Calls with a stale handle do nothing and return
/// `None` or `false`. Use a handle only with the grid that returned it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LooseHandle {
    pub(super) index: u32,
    pub(super) generation: u32,
}

impl LooseHandle {
    /// A handle of no entity.
    pub(super) const STALE: Self = Self { index: u32::MAX, generation: 0 };
}

/// The box of an entity, and its neighbors in a list (SLOT-2).
#[derive(Clone, Copy, Debug)]
pub(in crate::tier::loose_grid) struct Slot {
    pub(in crate::tier::loose_grid) bounds: RawAabb,
    pub(super) next: EntityIndex,
    pub(super) prev: EntityIndex,
    pub(super) generation: u32,
}

const _: () = assert!(size_of::<Slot>() == 28);

/// All slots of a grid.
#[derive(Clone, Debug)]
pub(super) struct Slots {
    slots: Vec<Slot>,
    /// The first free slot.
    free: EntityIndex,
    len: usize,
    /// The generation of new slots: at least that of every slot that was released (SLOT-1).
    first_generation: u32,
}

plain_buffers!(Slot);
buffers!(Slots { leveled: ; own: slots; plain: free, len, first_generation; });

impl Slots {
    pub(super) fn new() -> Self {
        Self { slots: Vec::new(), free: EntityIndex::NONE, len: 0, first_generation: 0 }
    }

    /// Returns the number of entities.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the number of slots, free ones included.
    pub(super) fn slot_count(&self) -> usize {
        self.slots.len()
    }

    /// Puts an entity into a free slot, or returns `None` if there are too many.
    pub(super) fn insert(&mut self, bounds: RawAabb) -> Option<EntityIndex> {
        if self.free == EntityIndex::NONE {
            if self.slots.len() >= SLOT_COUNT_MAX {
                return None;
            }
            let (none, generation) = (EntityIndex::NONE, self.first_generation);
            self.free = EntityIndex::new(self.slots.len());
            self.slots.push(Slot { bounds: EMPTY_AABB, next: none, prev: none, generation });
        }
        let index = self.free;
        let slot = &mut self.slots[index.get()];
        self.free = slot.next;
        slot.bounds = bounds;
        slot.generation |= 1;
        self.len += 1;
        Some(index)
    }

    /// Frees the slot of an entity that is in no list anymore.
    pub(super) fn remove(&mut self, index: EntityIndex) {
        let slot = &mut self.slots[index.get()];
        slot.generation = slot.generation.wrapping_add(1);
        if slot.is_free() {
            slot.next = self.free;
            self.free = index;
        }
        self.len -= 1;
    }

    /// Removes all entities.
    pub(super) fn clear(&mut self) {
        for slot in &mut self.slots {
            slot.generation = slot.generation.wrapping_add(slot.generation & 1);
        }
        self.len = 0;
        self.link_free();
    }

    /// Releases the free slots after the last entity. The others are reused from the lowest on.
    pub(super) fn truncate(&mut self) {
        while let Some(last) = self.slots.pop_if(|slot| slot.is_free()) {
            self.first_generation = self.first_generation.max(last.generation);
        }
        self.link_free();
    }

    /// Links all free slots, the lowest first.
    fn link_free(&mut self) {
        self.free = EntityIndex::NONE;
        for (k, slot) in self.slots.iter_mut().enumerate().rev() {
            if slot.is_free() {
                slot.next = self.free;
                self.free = EntityIndex::new(k);
            }
        }
    }

    /// Returns the slot of a handle, or `None` if it is stale.
    pub(super) fn find(&self, handle: LooseHandle) -> Option<EntityIndex> {
        let slot = self.slots.get(handle.index as usize)?;
        (slot.generation == handle.generation).then_some(EntityIndex(handle.index))
    }

    /// Returns the handle of the entity in a slot.
    pub(super) fn handle(&self, index: EntityIndex) -> LooseHandle {
        LooseHandle { index: index.0, generation: self[index].generation }
    }

    /// Panics if a slot is lost or the number of entities is wrong.
    #[cfg(test)]
    pub(super) fn assert_well_formed(&self) {
        let free = std::iter::successors(self.free.some(), |&index| self[index].next.some());
        let free_count = free.inspect(|&index| assert!(self[index].is_free(), "SLOT-2: {index:?} is free")).count();
        assert_eq!(free_count, self.slots.iter().filter(|slot| slot.is_free()).count(), "SLOT-2: a slot is lost");
        assert_eq!(self.len, self.slots.iter().filter(|slot| slot.is_occupied()).count());
    }
}

impl Slot {
    pub(super) fn is_occupied(&self) -> bool {
        self.generation & 1 == 1
    }

    /// Returns whether the slot may take an entity: it is empty and not retired.
    fn is_free(&self) -> bool {
        !self.is_occupied() && self.generation != 0
    }
}

impl Index<EntityIndex> for Slots {
    type Output = Slot;

    #[inline(always)]
    fn index(&self, index: EntityIndex) -> &Slot {
        &self.slots[index.get()]
    }
}

impl IndexMut<EntityIndex> for Slots {
    #[inline(always)]
    fn index_mut(&mut self, index: EntityIndex) -> &mut Slot {
        &mut self.slots[index.get()]
    }
}
