//! Rows in spatial order.

use crate::frame::frame::Frame;

impl Frame {
    /// Writes all rows so that bodies that are near each other become adjacent.
    ///
    /// Common bodies in cell order, moved and cached ones after the others, then oversized ones in
    /// the order of their loose cells, then skipped rows.
    pub(crate) fn write_spatial_order(&self, order: &mut Vec<u32>) {
        order.clear();
        order.reserve(self.row_count);
        if self.moved.is_in_use() {
            let is_current = |row: &u32| !self.moved.is_outdated(*row);
            self.bands.row_runs().for_each(|rows| order.extend(rows.iter().copied().filter(is_current)));
        } else {
            self.bands.row_runs().for_each(|rows| order.extend_from_slice(rows));
        }
        for moved in self.moved.bands() {
            moved.row_runs().for_each(|rows| order.extend_from_slice(rows));
        }
        if let Some(sleepers) = self.cached.bands() {
            let is_cached = |row: &u32| self.cached.is_cached(*row);
            sleepers.row_runs().for_each(|rows| order.extend(rows.iter().copied().filter(is_cached)));
        }
        order.extend(self.oversized.records_in_cell_order().iter().map(|body| body.row));
        order.extend(self.skipped.iter().map(|invalid| invalid.row));
        debug_assert_eq!(order.len(), self.row_count, "each row is filed once or was skipped");
    }
}
