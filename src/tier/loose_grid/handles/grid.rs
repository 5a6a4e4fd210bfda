//! The double grid that is changed through handles.
//!
//! HANDLES-1: There are at most as many loose cells as planned entities, or `CELLS_MIN` if that is
//! more. There are at most as many entities as planned, unless the cells have the requested size.

use crate::error::Error;
use crate::geometry::{Aabb, RawAabb, union};
use crate::memory::buffers::{Buffers, buffers};
use crate::tier::loose_grid::cell::{LooseCell, TIGHT_SHIFT, entry_count_max};
use crate::tier::loose_grid::handles::slots::{LooseHandle, Slot, Slots};
use crate::tier::loose_grid::handles::tight::TightLists;
use crate::tier::loose_grid::indices::{EntityIndex, LooseIndex};
use crate::tier::loose_grid::map::CellMap;

/// Loose cells that every grid may have: 20 KiB.
pub(super) const CELLS_MIN: usize = 1024;

/// Most loose cells of a grid, so that they can be numbered: 20 GiB.
const CELLS_MAX: usize = 1 << 30;

/// A loose/tight double grid of boxes, which are inserted, moved and removed in any order.
///
/// Use it for boxes of any size that exist for many frames and change one at a time: triggers,
/// areas of effect, large creatures, lights. For many bodies that move in each frame, use
/// [`World`](crate::World).
///
/// Each box is filed in one loose cell, the one that contains its center, and the bounds of the
/// cell grow to cover it. A coarser tight grid finds the loose cells that a search has to visit.
/// Removing and moving boxes never shrinks these bounds. This makes searches slower, never wrong,
/// until [`refit`](Self::refit) is called.
///
/// # Determinism
///
/// The order of hits and pairs depends only on the calls made before.
///
/// # Cost
///
/// [`insert`](Self::insert), [`remove`](Self::remove), [`set_aabb`](Self::set_aabb) and
/// [`aabb`](Self::aabb) take constant time on average. Memory is O(boxes), for the most boxes held
/// since [`shrink_to_fit`](Self::shrink_to_fit), however large the area and however small the
/// requested cell size.
///
/// # Example
///
/// ```
/// use triphase::{Aabb, tier::loose_grid::LooseGrid};
///
/// let mut grid = LooseGrid::new(Aabb::new([0.0, 0.0], [1000.0, 1000.0])?, 20.0)?;
/// let dragon = grid.insert(Aabb::from_half_extents([100.0, 100.0], [25.0, 10.0])?);
/// let trap = grid.insert(Aabb::from_half_extents([130.0, 100.0], [5.0, 5.0])?);
/// let view = Aabb::new([80.0, 90.0], [90.0, 95.0])?;
/// assert_eq!(grid.query_aabb(view).collect::<Vec<_>>(), [dragon]);
///
/// let mut pairs = Vec::new();
/// grid.find_pairs(&mut pairs);
/// assert_eq!(pairs.len(), 1); // they touch at x = 125
///
/// grid.set_aabb(dragon, Aabb::from_half_extents([500.0, 500.0], [25.0, 10.0])?);
/// assert!(grid.remove(trap).is_some() && grid.aabb(trap).is_none());
/// # Ok::<(), triphase::Error>(())
/// ```
///
/// # Source
///
/// A grid of cells that expand to fit their contents, under a coarser grid that finds those cells,
/// was described by the author known as "Dragon Energy", in an answer on Stack Overflow about
/// quadtrees and grids for collision detection.
#[derive(Clone, Debug)]
pub struct LooseGrid {
    area: Aabb,
    cell_size: f32,
    pub(super) map: CellMap,
    pub(in crate::tier::loose_grid) cells: Vec<LooseCell>,
    pub(in crate::tier::loose_grid) tight: TightLists,
    pub(super) slots: Slots,
    /// With more entities than this, the cells are rebuilt, smaller (HANDLES-1).
    pub(super) planned_len: usize,
}

buffers!(LooseGrid { leveled: ; own: cells, tight, slots; plain: area, cell_size, map, planned_len; });

impl LooseGrid {
    /// Creates an empty grid over `area` with square loose cells whose sides are `cell_size` world
    /// units.
    ///
    /// `area` is where boxes are expected. Searches for boxes outside of it are slower but exact. A
    /// good cell size is the side of a typical box.
    ///
    /// There are at most 1024 cells, or two per box if that is more. If `cell_size` would need more
    /// cells, cells are larger, and become smaller each time the number of boxes has doubled.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidConfig`] if `cell_size` is not a finite number above 0.
    pub fn new(area: Aabb, cell_size: f32) -> Result<Self, Error> {
        if !(cell_size.is_finite() && cell_size > 0.0) {
            let expected = "a finite number above 0";
            return Err(Error::InvalidConfig { setting: "cell_size", value: cell_size.into(), expected });
        }
        let mut grid = Self {
            area,
            cell_size,
            map: CellMap::default(),
            cells: Vec::new(),
            tight: TightLists::new(),
            slots: Slots::new(),
            planned_len: 0,
        };
        grid.rebuild_cells(0);
        Ok(grid)
    }

    /// Inserts a box and returns its handle.
    ///
    /// A grid holds up to 2^32 - 2 boxes. If it is full, the box is not inserted, and the returned
    /// handle is stale.
    ///
    /// # Cost
    ///
    /// O(1) on average. A loose cell that grows is listed in at most 64 tight cells. A rebuild, as
    /// by [`refit`](Self::refit), may list it in more; if it then grows into other tight cells, it
    /// is removed from all of them, once.
    pub fn insert(&mut self, aabb: Aabb) -> LooseHandle {
        let Some(index) = self.slots.insert(aabb.to_array()) else {
            return LooseHandle::STALE;
        };
        if self.len() > self.planned_len {
            self.rebuild_cells(self.len() * 2);
        } else {
            self.file(index);
        }
        self.slots.handle(index)
    }

    /// Removes a box and returns it, or `None` if the handle is stale.
    ///
    /// # Cost
    ///
    /// O(1).
    pub fn remove(&mut self, handle: LooseHandle) -> Option<Aabb> {
        let aabb = self.aabb(handle)?;
        let index = self.slots.find(handle)?;
        self.unlink(index);
        self.slots.remove(index);
        Some(aabb)
    }

    /// Moves or resizes a box. Returns `false` if the handle is stale.
    ///
    /// # Cost
    ///
    /// That of [`insert`](Self::insert).
    ///
    /// # Example
    ///
    /// ```
    /// use triphase::{Aabb, tier::loose_grid::LooseGrid};
    ///
    /// let mut grid = LooseGrid::new(Aabb::new([0.0, 0.0], [100.0, 100.0])?, 5.0)?;
    /// let light = grid.insert(Aabb::new([0.0, 0.0], [4.0, 4.0])?);
    /// let moved = Aabb::new([50.0, 0.0], [54.0, 4.0])?;
    /// assert!(grid.set_aabb(light, moved));
    /// assert_eq!(grid.aabb(light), Some(moved));
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn set_aabb(&mut self, handle: LooseHandle, aabb: Aabb) -> bool {
        let Some(index) = self.slots.find(handle) else { return false };
        let bounds = aabb.to_array();
        let cell = self.map.cell_of_center(&bounds);
        if cell == self.map.cell_of_center(&self.slots[index].bounds) {
            self.slots[index].bounds = bounds;
            self.grow_cell(cell, &bounds);
        } else {
            self.unlink(index);
            self.slots[index].bounds = bounds;
            self.file(index);
        }
        true
    }

    /// Returns the box of a handle, or `None` if the handle is stale.
    pub fn aabb(&self, handle: LooseHandle) -> Option<Aabb> {
        self.slots[self.slots.find(handle)?].bounds.try_into().ok()
    }

    /// Returns the number of boxes.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns whether there are no boxes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Makes searches fast again after boxes were moved far or removed.
    ///
    /// Shrinks the bounds of each loose cell to fit its boxes, and rebuilds the tight grid, with
    /// larger tight cells if boxes are very long. Handles stay valid. Call it, for example, each
    /// time that as many boxes have moved to another cell as the grid contains.
    ///
    /// # Cost
    ///
    /// O(boxes).
    ///
    /// # Example
    ///
    /// ```
    /// use triphase::{Aabb, tier::loose_grid::LooseGrid};
    ///
    /// let mut grid = LooseGrid::new(Aabb::new([0.0, 0.0], [100.0, 100.0])?, 5.0)?;
    /// let creature = grid.insert(Aabb::new([0.0, 0.0], [90.0, 90.0])?);
    /// let small = Aabb::new([44.0, 44.0], [46.0, 46.0])?;
    /// grid.set_aabb(creature, small); // the bounds of its cell stay large
    /// grid.refit();
    /// assert_eq!(grid.aabb(creature), Some(small));
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn refit(&mut self) {
        self.rebuild_cells(self.len());
    }

    /// Removes all boxes. Their handles become stale.
    pub fn clear(&mut self) {
        self.slots.clear();
        self.rebuild_cells(0);
    }

    /// Returns the heap memory held, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.bytes()
    }

    /// Releases memory that the current boxes do not need. Handles stay valid.
    ///
    /// # Cost
    ///
    /// That of [`refit`](Self::refit).
    pub fn shrink_to_fit(&mut self) {
        self.slots.truncate();
        self.rebuild_cells(self.len());
        Buffers::shrink_to_fit(self);
    }

    /// Files an entity in its cell, which grows to cover it.
    fn file(&mut self, index: EntityIndex) {
        let cell = self.link(index);
        let bounds = self.slots[index].bounds;
        self.grow_cell(cell, &bounds);
    }

    /// Puts an entity at the front of the list of its cell, and returns the cell (LOOSE-1).
    fn link(&mut self, index: EntityIndex) -> usize {
        let cell = self.map.cell_of_center(&self.slots[index].bounds);
        let next = std::mem::replace(&mut self.cells[cell].head, index);
        let slot = &mut self.slots[index];
        (slot.next, slot.prev) = (next, EntityIndex::NONE);
        if let Some(next) = next.some() {
            self.slots[next].prev = index;
        }
        cell
    }

    /// Removes an entity from the list of its cell (SLOT-2). The bounds of the cell stay.
    fn unlink(&mut self, index: EntityIndex) {
        let Slot { bounds, next, prev, .. } = self.slots[index];
        match prev.some() {
            Some(prev) => self.slots[prev].next = next,
            None => self.cells[self.map.cell_of_center(&bounds)].head = next,
        }
        if let Some(next) = next.some() {
            self.slots[next].prev = prev;
        }
    }

    /// Makes the bounds of a cell cover a box (LOOSE-2, LOOSE-3).
    fn grow_cell(&mut self, cell: usize, bounds: &RawAabb) {
        let old = self.cells[cell].bounds;
        let new = union(&old, bounds);
        if new != old {
            self.cells[cell].bounds = new;
            self.tight.grow(LooseIndex::new(cell), &old, &new, self.entry_count_max());
        }
    }

    /// Returns the most entries of tight cells, for the most entities held so far (LOOSE-5).
    pub(super) fn entry_count_max(&self) -> usize {
        entry_count_max(self.slots.slot_count())
    }

    /// Makes cells for `planned_len` entities and files all entities anew.
    fn rebuild_cells(&mut self, planned_len: usize) {
        let planned_len = planned_len.max(CELLS_MIN);
        let (min, max) = (self.area.min(), self.area.max());
        let sides = [0, 1].map(|axis| f64::from(max[axis]) - f64::from(min[axis]));
        let cell_size = f64::from(self.cell_size);
        let wanted = sides.map(|side| (side / cell_size).ceil().max(1.0));
        let counts = cell_counts(wanted, planned_len.min(CELLS_MAX) as f64);
        let has_wanted_size = counts == wanted;
        self.planned_len = if has_wanted_size { usize::MAX } else { planned_len };
        // Cells of the wanted size may extend beyond the area.
        let covered = [0, 1].map(|k| if has_wanted_size { wanted[k] * cell_size } else { sides[k] });
        self.map = CellMap::new(min.map(f64::from), covered, counts.map(|count| count as u32));
        self.cells.clear();
        self.cells.resize(self.map.cell_count(), LooseCell::EMPTY);
        // As entities are linked at the front, the lists ascend.
        for index in (0..self.slots.slot_count()).rev().map(EntityIndex::new) {
            if self.slots[index].is_occupied() {
                let cell = self.link(index);
                self.cells[cell].bounds = union(&self.cells[cell].bounds, &self.slots[index].bounds);
            }
        }
        self.tight.rebuild(self.map.joined([TIGHT_SHIFT; 2]), &self.cells, self.entry_count_max());
    }
}

/// Returns as many cells as wanted on each axis, or fewer in the same proportion.
fn cell_counts(wanted: [f64; 2], cells_max: f64) -> [f64; 2] {
    let [x, y] = wanted;
    if x * y <= cells_max {
        return wanted;
    }
    let count_x = (x / y * cells_max).sqrt().clamp(1.0, cells_max.min(x)).floor();
    [count_x, (cells_max / count_x).clamp(1.0, y).floor()]
}
