//! Questions to a step's bodies and to statics: of a world, which asks of its present statics, and of what readers hold.

use super::index::Index;
use crate::geometry::Aabb;
use crate::pair::Hit;
use crate::tier::static_tree::StaticTree;

/// What is searched.
#[derive(Clone, Copy)]
pub(crate) struct Searched<'w> {
    pub(crate) index: &'w Index,
    pub(crate) statics: &'w StaticTree,
}

impl<'w> Searched<'w> {
    /// Everything whose closed box overlaps `area`, each once: common bodies in cell order, oversized ones, statics.
    pub(crate) fn query_aabb(self, area: Aabb) -> impl Iterator<Item = Hit> + use<'w> {
        let Self { index, statics } = self;
        let raw = area.to_array();
        let oversized = index.loose.query(raw).map(|entity| index.oversized_rows[entity as usize]);
        let bodies =
            index.grid.search(raw, crate::tier::point_grid::search::Overlapping(|_: &_| true)).chain(oversized);
        let body = |row: u32| Hit::Body { row, id: index.ids.get(row as usize).copied() };
        let fixed = |row: u32| Hit::Fixed { row, id: statics.id(row) };
        bodies.map(body).chain(statics.query_aabb(area).map(fixed))
    }
}
