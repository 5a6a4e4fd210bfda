//! Worlds as values that can be serialized, and restored.
//!
//! SAVE-1: saved data is not trusted. It passes the same checks as a caller's input, and no number
//! in it sizes memory or indexes anything before it is checked.
//!
//! Saved is what later steps depend on besides their columns. Everything else (the tree, frames,
//! scratch, the SIMD level) is made anew.

use crate::config::WorldConfig;
use crate::contacts::events::{SavedTracked, StaticSet, Tracker, check_static_ids};
use crate::error::{Error, SettingValue};
use crate::frame::frames::Frames;
use crate::geometry::RawAabb;
use crate::input::filter::Filter;
use crate::input::statics::Statics;
use crate::tier::static_tree::tree::StaticTree;
use crate::world::World;
use serde::{Deserialize, Serialize};

/// Version of the saved layout, raised when older data would be misread.
///
/// A new field with a default needs no new version.
const VERSION: u32 = 1;

/// Largest step number: no world gets there by stepping.
const STEP_MAX: u64 = 1 << 63;

/// A saved world: everything but its bodies. See [`World::save`].
///
/// Serialize it with any `serde` format. Formats that name fields, such as JSON, can be read by
/// later versions of this crate; others by the same version only. Boxes are saved as bits, so they
/// come back the same from text formats too.
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
}

impl SavedWorld {
    pub(crate) fn of(world: &World) -> Self {
        let set = StaticSet { tree: &world.statics, number: world.static_set };
        Self {
            version: VERSION,
            config: world.config.clone(),
            step: world.step_number(),
            statics: SavedStatics::of(&world.statics),
            tracked: world.tracker.as_ref().map(|tracker| tracker.save(set)),
        }
    }

    /// The [`World::step_number`] when the world was saved.
    pub fn step_number(&self) -> u64 {
        self.step
    }

    /// The settings of the world.
    pub fn config(&self) -> &WorldConfig {
        &self.config
    }

    /// Makes the world (SAVE-1).
    pub(crate) fn restore(self) -> Result<World, Error> {
        let Self { version, config, step, statics, tracked } = self;
        if version != VERSION {
            return Err(invalid("version", out_of_range("version", version.into(), "1")));
        }
        if step > STEP_MAX {
            return Err(invalid("step number", out_of_range("step", step, "at most 2^63")));
        }
        let mut world = World::new(config).map_err(|error| invalid("settings", error))?;
        let statics = statics.restore(world.config.may_use_threads()).and_then(|statics| {
            if world.tracker.is_some() {
                check_static_ids(&statics)?;
            }
            Ok(statics)
        });
        world.statics = statics.map_err(|error| invalid("statics", error))?;
        (world.statics_version, world.static_set) = (1, 1);
        if let Some(tracker) = &mut world.tracker
            && let Some(tracked) = tracked
        {
            let set = StaticSet { tree: &world.statics, number: world.static_set };
            **tracker = Tracker::restore(&tracked, set).map_err(|error| invalid("contacts", error))?;
        }
        world.frames = Frames::after(step, world.tracker.is_some());
        Ok(world)
    }
}

impl SavedStatics {
    fn of(statics: &StaticTree) -> Self {
        let rows = || 0..statics.len() as u32;
        Self {
            boxes: statics.raw_boxes().iter().map(|aabb| aabb.map(f32::to_bits)).collect(),
            ids: rows().map_while(|row| statics.id(row)).collect(),
            filters: rows().filter(|_| statics.has_filters()).map(|row| statics.filter_of(row)).collect(),
            disabled: rows().filter(|&row| statics.is_enabled(row) == Some(false)).collect(),
        }
    }

    fn restore(&self, parallel: bool) -> Result<StaticTree, Error> {
        let aabbs: Vec<RawAabb> = self.boxes.iter().map(|edges| edges.map(f32::from_bits)).collect();
        let ids = (!self.ids.is_empty()).then_some(&self.ids[..]);
        let filters = (!self.filters.is_empty()).then_some(&self.filters[..]);
        let mut statics = StaticTree::build(Statics { aabbs: &aabbs, ids, filters }, parallel)?;
        for &row in &self.disabled {
            statics.set_enabled(row, false)?;
        }
        Ok(statics)
    }
}

fn invalid(part: &'static str, error: Error) -> Error {
    Error::InvalidSave { part, source: Box::new(error) }
}

fn out_of_range(setting: &'static str, value: u64, expected: &'static str) -> Error {
    Error::InvalidConfig { setting, value: SettingValue::Count(value), expected }
}
