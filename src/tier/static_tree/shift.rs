//! The same set seen from another origin.

use crate::error::Error;
use crate::geometry::translated;
use crate::input::statics::Statics;
use crate::tier::static_tree::StaticTree;
use std::sync::Arc;

impl StaticTree {
    /// This set with its boxes [`translated`]: ids, filters and what is switched off stay. Built anew.
    pub(crate) fn shifted(&self, by: [f32; 2], parallel: bool) -> Result<Self, Error> {
        let built = &self.built;
        let aabbs: Vec<_> = built.boxes.iter().map(|aabb| translated(aabb, by)).collect();
        let ids = (!built.ids.is_empty()).then_some(&built.ids[..]);
        let filters = (!built.filters.is_empty()).then_some(&built.filters[..]);
        let mut tree = Self::build(Statics { aabbs: &aabbs, ids, filters }, parallel)?;
        tree.disabled.copy_from(&self.disabled);
        Ok(tree)
    }

    /// As [`translated`](Self::shifted), given what `other` becomes: what the two share they share then too.
    pub(crate) fn shifted_beside(
        &self,
        other: &Self,
        other_shifted: &Self,
        by: [f32; 2],
        parallel: bool,
    ) -> Result<Self, Error> {
        if !Arc::ptr_eq(&self.built, &other.built) {
            return self.shifted(by, parallel);
        }
        let mut tree = other_shifted.clone();
        tree.disabled.copy_from(&self.disabled);
        Ok(tree)
    }
}
