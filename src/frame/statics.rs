//! Static sets, and versions that identify their contents.

use crate::error::Error;
use crate::memory::buffers::plain_buffers;
use crate::tier::static_tree::tree::StaticTree;

/// Identifies the contents of a static set. A version is never reused for other contents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StaticsVersion {
    /// Changes when the set is replaced, so that the same rows may be different statics.
    set: u64,
    /// Changes with the set, and when statics are enabled, disabled or moved.
    state: u64,
}

plain_buffers!(StaticsVersion);

impl StaticsVersion {
    /// Whether rows are the same statics in both versions.
    pub(crate) fn is_same_set(self, other: Self) -> bool {
        self.set == other.set
    }
}

/// The statics of a world or of a frame.
#[derive(Clone, Default)]
pub(crate) struct StaticSet {
    pub(crate) tree: StaticTree,
    pub(crate) version: StaticsVersion,
}

impl StaticSet {
    /// Replaces all statics.
    pub(crate) fn replace(&mut self, tree: StaticTree) {
        self.tree = tree;
        self.version.set += 1;
        self.version.state += 1;
    }

    /// Enables or disables a static, and returns whether it was enabled.
    pub(crate) fn set_enabled(&mut self, row: u32, enabled: bool) -> Result<bool, Error> {
        let was_enabled = self.tree.set_enabled(row, enabled)?;
        self.version.state += u64::from(was_enabled != enabled);
        Ok(was_enabled)
    }

    /// Becomes a clone of `other`, in its own memory.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        if self.version != other.version {
            self.tree.copy_from(&other.tree);
            self.version = other.version;
        }
    }

    /// The same statics with `by` subtracted from their boxes.
    pub(crate) fn shifted(&self, by: [f32; 2], parallel: bool) -> Result<Self, Error> {
        let tree = self.tree.shifted(by, parallel)?;
        // Skips one version for the statics of a frame, if they differ.
        let version = StaticsVersion { state: self.version.state + 2, ..self.version };
        Ok(Self { tree, version })
    }

    /// The [`shifted`](Self::shifted) set of a frame. The world's set is `present`, which became
    /// `present_shifted`.
    pub(crate) fn shifted_beside(
        &self,
        present: &Self,
        present_shifted: &Self,
        by: [f32; 2],
        parallel: bool,
    ) -> Result<Self, Error> {
        if self.version == present.version {
            return Ok(present_shifted.clone());
        }
        let tree = self.tree.shifted_beside(&present.tree, &present_shifted.tree, by, parallel)?;
        let version = StaticsVersion { state: present_shifted.version.state - 1, ..self.version };
        Ok(Self { tree, version })
    }
}
