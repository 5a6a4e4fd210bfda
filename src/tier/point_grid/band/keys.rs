//! Computes the equal cells of boxes, several boxes at a time.

use crate::geometry::RawAabb;
use crate::memory::body_record::BodyRecord;
use crate::memory::cell_table::CellKey;
use crate::memory::columns::SoaColumns;
use crate::simd::{DetectedSimd, SimdJob};
use crate::tier::point_grid::axis::{WHOLE, floor_within, low_bits, wholes_within};
use glam::{Mat4, Vec4, Vec4Swizzles};

/// Boxes in a batch: their cells stay in the first-level cache, and loops over them vectorize.
const KEY_BATCH_LEN: usize = 32;

/// The cell of each edge of a batch on the axis of the edge: min x, min y, max x, max y.
type KeyBatch = [[u32; KEY_BATCH_LEN]; 4];

/// Cells of two [linear](crate::tier::point_grid::axis::AxisMap::Linear) axes.
///
/// However they are computed, the cell of an edge is the same.
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

    /// Calls `each` for every batch with its cells and the part of `keys` that belongs to it.
    #[inline(always)]
    fn for_each_batch(&self, own: &[BodyRecord], keys: &mut [u32], mut each: impl FnMut(&KeyBatch, &mut [u32])) {
        let mut batch = [[0; KEY_BATCH_LEN]; 4];
        for (own, keys) in own.chunks(KEY_BATCH_LEN).zip(keys.chunks_mut(KEY_BATCH_LEN)) {
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
            each(&batch, keys);
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

    /// Computes the cell of each body, by its lower corner; rows are `stride` cells apart. Columns
    /// divide x.
    // Not inlined, so that the constants of the loop stay in registers.
    #[inline(never)]
    pub(super) fn cells(&self, own: &[BodyRecord], stride: u32, cells: &mut [u32]) {
        debug_assert!(!self.columns_divide_y);
        let wholes = |[a, b]: [&BodyRecord; 2]| {
            let corners = Vec4::new(a.aabb[0], a.aabb[1], b.aabb[0], b.aabb[1]);
            wholes_within((corners - self.origins) * self.inverses, self.lasts)
        };
        // Exact, as there are at most `CellKey::CELLS_MAX` cells.
        let cell = |x: f32, y: f32| low_bits((y - WHOLE) * stride as f32 + x) + 1;
        let ((fours, rest), (cells, rest_cells)) = (own.as_chunks::<4>(), cells.as_chunks_mut::<4>());
        for ([a, b, c, d], cells) in fours.iter().zip(cells) {
            let (ab, cd) = (wholes([a, b]), wholes([c, d]));
            let (x, y) = ([ab.x, ab.z, cd.x, cd.z], [ab.y, ab.w, cd.y, cd.w]);
            *cells = std::array::from_fn(|k| cell(x[k], y[k]));
        }
        for (record, out) in rest.iter().zip(rest_cells) {
            let wholes = wholes([record; 2]);
            *out = cell(wholes.x, wholes.y);
        }
    }

    /// Computes the key of each body of some columns; rows are `stride` cells apart.
    pub(super) fn keys_in_order(&self, level: DetectedSimd, columns: SoaColumns<'_>, stride: u32, keys: &mut [u32]) {
        level.run(KeysInOrder { cells: self, columns, stride, keys });
    }

    /// Counts the bodies that are filed in each column and row.
    #[inline(never)]
    pub(super) fn count<'a>(
        &self,
        bodies: impl Iterator<Item = &'a BodyRecord>,
        columns: &mut [u32],
        rows: &mut [u32],
    ) {
        for record in bodies {
            let [x, y, ..] = self.of(&record.aabb);
            columns[x] += 1;
            rows[y] += 1;
        }
    }

    /// Computes the key of each body, if these cells are joined: `tables` have the column of each
    /// of them, and the row. Rows are `stride` cells apart.
    #[inline(never)]
    pub(super) fn merged_keys(&self, own: &[BodyRecord], tables: [&[u16]; 2], stride: u32, keys: &mut [u32]) {
        let [columns, rows] = tables;
        self.for_each_batch(own, keys, |[left, top, right, bottom], keys| {
            for (k, key) in keys.iter_mut().enumerate() {
                let [x, right] = [left[k], right[k]].map(|fine| u32::from(columns[fine as usize]));
                let [y, below] = [top[k], bottom[k]].map(|fine| u32::from(rows[fine as usize]));
                *key = CellKey::new(y * stride + x + 1, right - x, below - y).0;
            }
        });
    }
}

/// See [`LinearCells::keys_in_order`].
struct KeysInOrder<'a> {
    cells: &'a LinearCells,
    columns: SoaColumns<'a>,
    stride: u32,
    keys: &'a mut [u32],
}

impl SimdJob for KeysInOrder<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { cells, columns, stride, keys } = self;
        let LinearCells { origins, inverses, lasts, columns_divide_y } = *cells;
        let on_x = |v: f32| floor_within((v - origins.x) * inverses.x, lasts.x);
        let on_y = |v: f32| floor_within((v - origins.y) * inverses.y, lasts.y);
        let boxes = columns.min_x().iter().zip(columns.min_y()).zip(columns.max_x()).zip(columns.max_y());
        for (key, (((min_x, min_y), max_x), max_y)) in keys.iter_mut().zip(boxes) {
            let (x, y) = ([*min_x, *max_x].map(on_x), [*min_y, *max_y].map(on_y));
            let [[left, right], [top, bottom]] = if columns_divide_y { [y, x] } else { [x, y] };
            *key = CellKey::new(top * stride + left + 1, right - left, bottom - top).0;
        }
    }
}

const _: () = assert!(CellKey::CELLS_MAX as f32 <= WHOLE, "cells are computed as whole numbers in f32");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SimdLevel;
    use crate::memory::columns::{SoaColumnsMut, column_words};
    use triphase_scenes::SplitMix64;

    #[test]
    fn keys_are_those_of_the_edges_however_they_are_computed() {
        let mut random = SplitMix64::new(9);
        // The last has nearly as many cells as a key can tell.
        for (population, [column_count, row_count]) in [(1, [1, 1]), (7, [3, 5]), (131, [20, 11]), (500, [32_700, 255])]
        {
            let (counts, origins) = ([column_count, row_count].map(|count| count as f32), [-31.7, 1e3]);
            // With a single cell, infinity times 0 is NaN.
            let inverses = counts.map(|count| if count > 1.0 { 1.0 / 0.7 } else { 0.0 });
            let own: Vec<BodyRecord> = (0..population)
                .map(|row| {
                    let [x, y] = [0, 1].map(|axis| origins[axis] + random.range(-0.2, 1.2) * counts[axis] * 0.7);
                    let [width, height] = random.point(0.0, 0.6);
                    let aabb = match row {
                        3 => [f32::NEG_INFINITY, f32::NEG_INFINITY, origins[0], origins[1]],
                        4 => [f32::MAX, f32::MAX, f32::INFINITY, f32::INFINITY],
                        _ => [x, y, x + width, y + height],
                    };
                    BodyRecord { aabb, row }
                })
                .collect();
            let linear = LinearCells::new(origins, inverses, [column_count, row_count]);
            let exchanged = LinearCells::new(origins, inverses, [row_count, column_count]).columns_dividing_y_if(true);
            let stride = column_count + 2;
            let key_of = |[left, top, right, bottom]: [usize; 4]| {
                CellKey::new((top * stride + left + 1) as u32, (right - left) as u32, (bottom - top) as u32)
            };
            let mut keys = vec![0; own.len()];
            linear.cells(&own, stride as u32, &mut keys);
            let expected: Vec<CellKey> = own.iter().map(|record| key_of(linear.of(&record.aabb))).collect();
            assert!(keys.iter().map(|&key| key as usize).eq(expected.iter().map(|key| key.cell())));
            for linear in [linear, exchanged] {
                let expected: Vec<u32> = own.iter().map(|record| key_of(linear.of(&record.aabb)).0).collect();
                linear.keys(&own, stride as u32, &mut keys);
                assert_eq!(keys, expected);
                let mut words = vec![0; column_words(own.len())];
                SoaColumnsMut::of(&mut words, own.len()).fill(own.iter().copied());
                for max in [SimdLevel::Portable, SimdLevel::Sse2, SimdLevel::Avx2, SimdLevel::Avx512] {
                    // On other targets, the last three are their best level.
                    let level = DetectedSimd::detect(Some(max));
                    keys.fill(0);
                    linear.keys_in_order(level, SoaColumns::of(&words, own.len()), stride as u32, &mut keys);
                    assert_eq!(keys, expected, "{level:?}");
                }
            }
        }
    }
}
