//! Moves a set of statics to another origin.

use crate::error::Error;
use crate::geometry::translated;
use crate::input::statics::Statics;
use crate::tier::static_tree::tree::StaticTree;
use std::sync::Arc;

impl StaticTree {
    /// Builds the tree of the same statics with `by` subtracted from their boxes.
    pub(crate) fn shifted(&self, by: [f32; 2], parallel: bool) -> Result<Self, Error> {
        let aabbs: Vec<_> = self.data.boxes.iter().map(|aabb| translated(aabb, by)).collect();
        let (ids, filters) = (self.ids(), self.has_filters().then_some(&self.data.filters[..]));
        let mut tree = Self::build(Statics { aabbs: &aabbs, ids, filters }, parallel)?;
        tree.disabled.copy_from(&self.disabled);
        Ok(tree)
    }

    /// Returns the [`translated`](Self::translated) tree, which shares as much as possible with
    /// `other_shifted`, the shifted tree of `other`.
    pub(crate) fn shifted_beside(
        &self,
        other: &Self,
        other_shifted: &Self,
        by: [f32; 2],
        parallel: bool,
    ) -> Result<Self, Error> {
        if !Arc::ptr_eq(&self.data, &other.data) {
            return self.shifted(by, parallel);
        }
        let mut tree = other_shifted.clone();
        tree.disabled.copy_from(&self.disabled);
        Ok(tree)
    }
}
