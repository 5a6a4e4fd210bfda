//! Computes the equal cells of boxes, four boxes at a time, transposed in registers.

use crate::geometry::RawAabb;
use crate::memory::body_record::BodyRecord;
use crate::memory::cell_table::CellKey;
use crate::tier::point_grid::axis::{low_bits, wholes_within};
use glam::{Mat4, Vec4, Vec4Swizzles};

/// Boxes in a batch: their cells stay in the first-level cache, and loops over them vectorize.
const KEY_BATCH_LEN: usize = 32;

/// The cell of each edge of a batch on the axis of the edge: min x, min y, max x, max y.
type KeyBatch = [[u32; KEY_BATCH_LEN]; 4];

/// Cells of two [linear](crate::tier::point_grid::axis::AxisMap::Linear) axes, computed for all
/// four edges of a box in one vector.
pub(super) struct LinearCells {
    origins: Vec4,
    inverses: Vec4,
    lasts: Vec4,
    /// Whether columns divide y, and rows x.
    columns_divide_y: bool,
}

impl LinearCells {
    /// Equal cells, by axis: the origin, the inverse width of a cell, and how many there are.
    /// Columns divide x, and rows y.
    pub(super) fn new([x, y]: [f32; 2], [x_inverse, y_inverse]: [f32; 2], counts: [usize; 2]) -> Self {
        let [x_last, y_last] = counts.map(|count| (count - 1) as f32);
        Self {
            origins: Vec4::new(x, y, x, y),
            inverses: Vec4::new(x_inverse, y_inverse, x_inverse, y_inverse),
            lasts: Vec4::new(x_last, y_last, x_last, y_last),
            columns_divide_y: false,
        }
    }

    /// The same cells, with columns that divide y, and rows x, if `columns_divide_y`.
    pub(super) fn columns_dividing_y_if(self, columns_divide_y: bool) -> Self {
        Self { columns_divide_y, ..self }
    }

    /// The column or row of each edge of a box: its first column and row, and its last ones.
    #[inline(always)]
    pub(super) fn of(&self, aabb: &RawAabb) -> [usize; 4] {
        let t = (Vec4::from_array(*aabb) - self.origins) * self.inverses;
        let cells = wholes_within(t, self.lasts);
        let cells = if self.columns_divide_y { cells.yxwz() } else { cells };
        cells.to_array().map(|whole| low_bits(whole) as usize)
    }

    /// Calls `each` for every batch with its cells and the part of `out` that belongs to it.
    #[inline(always)]
    fn for_each_batch<T>(&self, own: &[BodyRecord], out: &mut [T], mut each: impl FnMut(&KeyBatch, &mut [T])) {
        let mut batch = [[0; KEY_BATCH_LEN]; 4];
        for (own, out) in own.chunks(KEY_BATCH_LEN).zip(out.chunks_mut(KEY_BATCH_LEN)) {
            for (k, four) in own.chunks(4).enumerate() {
                let mut cells = [Vec4::ZERO; 4];
                for (cells, record) in cells.iter_mut().zip(four) {
                    let t = (Vec4::from_array(record.aabb) - self.origins) * self.inverses;
                    *cells = wholes_within(t, self.lasts);
                }
                let by_edge = Mat4::from_cols(cells[0], cells[1], cells[2], cells[3]).transpose();
                let by_edge = [by_edge.x_axis, by_edge.y_axis, by_edge.z_axis, by_edge.w_axis];
                for (column, cells) in batch.iter_mut().zip(by_edge) {
                    column[4 * k..4 * k + 4].copy_from_slice(&cells.to_array().map(low_bits));
                }
            }
            each(&batch, out);
        }
    }

    /// Computes the key of each body; rows are `stride` cells apart.
    // Not inlined, so that the constants of the loop stay in registers.
    #[inline(never)]
    pub(super) fn keys(&self, own: &[BodyRecord], stride: u32, keys: &mut [u32]) {
        self.for_each_batch(own, keys, |[left, top, right, bottom], keys| {
            let edges = if self.columns_divide_y { [top, left, bottom, right] } else { [left, top, right, bottom] };
            let [x, y, right, below] = edges;
            for (k, key) in keys.iter_mut().enumerate() {
                *key = CellKey::new(y[k] * stride + x[k] + 1, right[k] - x[k], below[k] - y[k]).0;
            }
        });
    }

    /// Computes the cells of each body, to be unpacked by [`unpack_cells`], and counts the bodies
    /// in each column and row.
    #[inline(never)]
    pub(super) fn count(&self, own: &[BodyRecord], cells: &mut [u64], columns: &mut [u32], rows: &mut [u32]) {
        self.for_each_batch(own, cells, |[x, y, right, below], cells| {
            for (k, packed) in cells.iter_mut().enumerate() {
                *packed =
                    [x[k], y[k], right[k], below[k]].iter().rev().fold(0, |all, &cell| all << 16 | u64::from(cell));
                columns[x[k] as usize] += 1;
                rows[y[k] as usize] += 1;
            }
        });
    }
}

/// The cells of a box's four edges; an axis has at most 2^16 cells.
#[inline(always)]
pub(super) fn unpack_cells(packed: u64) -> [usize; 4] {
    [packed, packed >> 16, packed >> 32, packed >> 48].map(|cell| usize::from(cell as u16))
}
