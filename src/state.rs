//! What a world consists of.

use crate::broad_phase::broad_phase::BroadPhase;
use crate::config::WorldConfig;
use crate::contacts::contacts::Contacts;
use crate::contacts::store::ContactStore;
use crate::error::Error;
use crate::frame::frames::Frames;
use crate::frame::statics::StaticSet;
use crate::history::StepHistory;
use crate::memory::usage::UsageWindow;
use crate::simd::DetectedSimd;
use crate::tier::static_tree::tree::StaticTree;
#[cfg(any(feature = "record", feature = "serde"))]
use crate::tier::static_tree::unique_ids::check_static_ids;
use std::ops::Range;

/// The parts of a world, apart from its recording.
#[derive(Default)]
pub(crate) struct WorldState {
    pub(crate) config: WorldConfig,
    pub(crate) simd: DetectedSimd,
    pub(crate) statics: StaticSet,
    pub(crate) frames: Frames,
    pub(crate) broad_phase: BroadPhase,
    pub(crate) contacts: ContactStore,
    pub(crate) usage: UsageWindow,
    pub(crate) history: StepHistory,
}

impl WorldState {
    pub(crate) fn new(config: WorldConfig) -> Result<Self, Error> {
        config.validate()?;
        let contacts = ContactStore::new(&config);
        let frames = Frames::new(config.contact_tracking);
        Ok(Self { simd: DetectedSimd::detect(config.simd_max), config, contacts, frames, ..Self::default() })
    }

    /// The contacts of the last successful step.
    pub(crate) fn contacts(&self) -> Contacts<'_> {
        let frame = self.frames.front();
        Contacts::new(&self.contacts, frame, &self.statics.tree, self.config.is_parallel(frame.row_count))
    }

    /// Changes the statics of `rows` by `edit`, which may also add some. Returns the rows of those.
    ///
    /// # Errors
    ///
    /// Those of `edit`, and [`Error::DuplicateStaticId`] if contacts are tracked and two statics
    /// share an id. Then nothing has changed.
    pub(crate) fn edit_statics(
        &mut self,
        rows: &[u32],
        edit: impl FnOnce(&mut StaticTree, bool) -> Result<(), Error>,
    ) -> Result<Range<u32>, Error> {
        let parallel = self.config.may_use_threads();
        self.statics.edit(rows, self.config.contact_tracking, |tree| edit(tree, parallel))
    }

    /// The state after `step` steps that were made before, with these statics.
    #[cfg(any(feature = "record", feature = "serde"))]
    pub(crate) fn continued(config: WorldConfig, statics: StaticTree, step: u64) -> Result<Self, Error> {
        if config.contact_tracking {
            check_static_ids(&statics)?;
        }
        let frames = Frames::after(step, config.contact_tracking);
        let mut state = Self { frames, ..Self::new(config)? };
        state.statics.replace(statics);
        Ok(state)
    }
}
