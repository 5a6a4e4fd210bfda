//! Saving and restoring worlds as values that can be serialized.
//!
//! SAVE-1: saved data is not trusted. It passes the same checks as a caller's input, and no number
//! in it indexes anything or sizes memory before it is validated. A contact of the highest possible
//! row is valid, though, and the next step then takes a tenth of a byte for each row below it.
//!
//! A saved world contains everything that later steps depend on besides their columns. The rest
//! (the tree, frames, scratch, the SIMD level) is rebuilt.

use crate::config::WorldConfig;
use crate::contacts::events::saved::SavedTracked;
use crate::contacts::events::tracker::ContactTracker;
use crate::contacts::store::ContactStore;
use crate::error::{Error, SettingValue};
use crate::frame::frames::STEP_MAX;
use crate::frame::statics::StaticSet;
use crate::geometry::RawAabb;
use crate::input::filter::Filter;
use crate::input::statics::Statics;
use crate::state::WorldState;
use crate::tier::static_tree::restore::StaticColumns;
use crate::tier::static_tree::tree::StaticTree;
use serde::{Deserialize, Serialize};

/// Version of the saved layout, raised when older data would be misread.
///
/// A new field with a default needs no new version.
const VERSION: u32 = 3;

/// A saved world: everything except its bodies. See [`World::save`](crate::World::save).
///
/// Serialize it with any `serde` format. Data in a format that names fields, such as JSON, can be
/// read by later versions of this crate; data in other formats only by the same version. Boxes are
/// saved as bits, so text formats preserve them exactly too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedWorld {
    version: u32,
    config: WorldConfig,
    step: u64,
    statics: SavedStatics,
    /// The tracked contacts, if contacts are tracked.
    tracked: Option<SavedTracked>,
}

/// The columns of the statics.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct SavedStatics {
    /// The bits of the four edges: text formats may round.
    boxes: Vec<[u32; 4]>,
    /// Empty if there are none.
    ids: Vec<u64>,
    /// Empty if there are none.
    filters: Vec<Filter>,
    /// Disabled rows, ascending.
    disabled: Vec<u32>,
    /// The rows that changed since the tree was built, ascending, and the boxes that it was built
    /// of (EDIT-2).
    changed: Vec<(u32, [u32; 4])>,
}

impl SavedWorld {
    /// The saved form of a world with these parts, after `step` steps.
    pub(crate) fn new(config: &WorldConfig, step: u64, statics: &StaticSet, contacts: &ContactStore) -> Self {
        Self {
            version: VERSION,
            config: config.clone(),
            step,
            statics: SavedStatics::of(&statics.tree),
            tracked: contacts.events.as_ref().map(|tracker| tracker.save(statics)),
        }
    }

    /// The [`World::step_number`](crate::World::step_number) when the world was saved.
    pub fn step_number(&self) -> u64 {
        self.step
    }

    /// The settings of the world.
    pub fn config(&self) -> &WorldConfig {
        &self.config
    }

    /// Validates the data and builds the state of the world (SAVE-1).
    pub(crate) fn restore(self) -> Result<WorldState, Error> {
        let Self { version, config, step, statics, tracked } = self;
        if version != VERSION {
            const { assert!(VERSION == 3, "the error below names the version") };
            return Err(invalid("version", out_of_range("version", version.into(), "3")));
        }
        if step > STEP_MAX {
            return Err(invalid("step number", out_of_range("step", step, "at most 2^63")));
        }
        config.validate().map_err(|error| invalid("settings", error))?;
        let tree = statics.restore(&config).map_err(|error| invalid("statics", error))?;
        let mut state = WorldState::continued(config, tree, step).map_err(|error| invalid("statics", error))?;
        if let (Some(tracker), Some(tracked)) = (&mut state.contacts.events, tracked) {
            let restored = ContactTracker::restore(&tracked, &state.statics);
            **tracker = restored.map_err(|error| invalid("contacts", error))?;
        }
        Ok(state)
    }
}

impl SavedStatics {
    fn of(statics: &StaticTree) -> Self {
        let StaticColumns { aabbs, ids, filters, disabled, changed, built_boxes } = statics.columns();
        let bits = |aabb: RawAabb| aabb.map(f32::to_bits);
        Self {
            boxes: aabbs.into_iter().map(bits).collect(),
            ids: ids.unwrap_or_default(),
            filters: filters.unwrap_or_default(),
            disabled,
            changed: changed.into_iter().zip(built_boxes.into_iter().map(bits)).collect(),
        }
    }

    fn restore(&self, config: &WorldConfig) -> Result<StaticTree, Error> {
        let aabbs: Vec<RawAabb> = self.boxes.iter().map(|edges| edges.map(f32::from_bits)).collect();
        let ids = (!self.ids.is_empty()).then_some(&self.ids[..]);
        let filters = (!self.filters.is_empty()).then_some(&self.filters[..]);
        let changed = self.changed.iter().map(|&(row, edges)| (row, edges.map(f32::from_bits)));
        let columns = Statics { aabbs: &aabbs, ids, filters };
        StaticTree::restore(columns, &self.disabled, changed, config.may_use_threads())
    }
}

fn invalid(part: &'static str, error: Error) -> Error {
    Error::InvalidSave { part, source: Box::new(error) }
}

fn out_of_range(setting: &'static str, value: u64, expected: &'static str) -> Error {
    Error::InvalidConfig { setting, value: SettingValue::Count(value), expected }
}
