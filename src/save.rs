//! A world as a value that can be written down, and a world from one.
//!
//! P1: what is read is not trusted: it goes through the same checks as what a caller gives, and no number in it is a size of
//!     memory or an index before it was checked.
//! P2: what is saved is what the next steps depend on beside their columns. All else (the tree, frames, scratch, the instruction
//!     set) is made anew, and does not show in what is found.

use crate::config::WorldConfig;
use crate::contacts::events::saved::SavedTracked;
use crate::contacts::events::tracker::{ContactTracker, NumberedStatics, check_static_ids};
use crate::error::Error;
use crate::frame::frames::Frames;
use crate::geometry::RawAabb;
use crate::input::filter::Filter;
use crate::input::statics::Statics;
use crate::tier::static_tree::StaticTree;
use crate::world::World;
use serde::{Deserialize, Serialize};

/// Number of this layout. To be raised when data of before would be misread; a field more, with a default, needs no other.
const VERSION: u32 = 1;

/// Steps are counted up to here: no world gets there by stepping.
const STEP_MAX: u64 = 1 << 63;

/// What [`World::save`] gives: all of a world but its bodies, to be serialised by any format of `serde`.
///
/// Formats that name fields, as JSON does, are readable by later versions of this crate; others may be by the version that wrote
/// them only. Boxes are kept as bits, so that they come back the same from any of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedWorld {
    version: u32,
    config: WorldConfig,
    step: u64,
    statics: SavedStatics,
    /// Contacts that are followed from step to step, where they are.
    tracked: Option<SavedTracked>,
}

/// Columns of the statics.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct SavedStatics {
    /// The bits of the four edges: text formats may round.
    boxes: Vec<[u32; 4]>,
    /// Empty if none were given.
    ids: Vec<u64>,
    /// Empty if none were given.
    filters: Vec<Filter>,
    /// Rows that are switched off, ascending.
    disabled: Vec<u32>,
}

impl SavedWorld {
    /// [`World::step_number`] of when it was saved.
    pub fn step_number(&self) -> u64 {
        self.step
    }

    /// The settings of the world.
    pub fn config(&self) -> &WorldConfig {
        &self.config
    }
}

impl World {
    /// The world as a value that can be serialised, for [`restore`](Self::restore): settings, statics (boxes, ids, filters,
    /// which are enabled), the contacts that are tracked with their values, and the number of the last good step. Bodies are
    /// the caller's, and are no part of it. (Feature `serde`.)
    ///
    /// ```
    /// use triphase::{Bodies, SavedWorld, World, WorldConfig};
    ///
    /// let mut world = World::new(WorldConfig::new().with_bound(0.5))?;
    /// world.set_statics(&[[0.0f32, -1.0, 100.0, 0.0], [3.0, 0.0, 4.0, 9.0]])?;
    /// world.set_static_enabled(1, false)?;
    /// let centers = [[1.0f32, 0.4], [3.5, 0.2]];
    /// world.step(Bodies::uniform(&centers, [0.5, 0.5]))?;
    /// let text = serde_json::to_string(&world.save()).unwrap();
    ///
    /// let saved: SavedWorld = serde_json::from_str(&text).unwrap();
    /// let mut later = World::restore(saved)?;
    /// assert_eq!(later.statics().is_enabled(1), Some(false));
    /// let contacts = later.step(Bodies::uniform(&centers, [0.5, 0.5]))?;
    /// assert_eq!(contacts.static_pairs().len(), 2); // with the ground
    /// assert_eq!(later.step_number(), 2);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Cost
    ///
    /// O(statics + tracked contacts): 16 bytes a static, 8 for an id, 8 for a filter; 12 bytes a contact, 8 for a body's id.
    pub fn save(&self) -> SavedWorld {
        let statics = &self.statics;
        let rows = || 0..statics.len() as u32;
        SavedWorld {
            version: VERSION,
            config: self.config.clone(),
            step: self.step_number(),
            statics: SavedStatics {
                boxes: statics.raw_boxes().iter().map(|aabb| aabb.map(f32::to_bits)).collect(),
                ids: rows().map_while(|row| statics.id(row)).collect(),
                filters: if statics.has_filters() {
                    rows().map(|row| statics.filter_of(row)).collect()
                } else {
                    Vec::new()
                },
                disabled: rows().filter(|&row| statics.is_enabled(row) == Some(false)).collect(),
            },
            tracked: self.contacts.events.as_ref().map(|tracker| tracker.save(self.static_set())),
        }
    }

    /// The world that was [saved](Self::save). (Feature `serde`.)
    ///
    /// Its steps find the same pairs as those of the world that was saved, in the same order (but among bodies that
    /// [sleep](crate::Bodies::with_asleep), of which none is filed at first), and where contacts are
    /// [tracked](WorldConfig::with_contact_tracking), these begin, go on with their values and end as they would have there. Until the
    /// first step it has no bodies and no pairs; its statics can be asked at once. It runs on the best instruction set of the
    /// machine that it is restored on, as far as its settings allow.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidSave`] where the data is damaged, or of a layout that this version does not know: it names the part, and
    /// what is wrong with it.
    ///
    /// # Cost
    ///
    /// As [`set_statics`](Self::set_statics).
    pub fn restore(saved: SavedWorld) -> Result<Self, Error> {
        let invalid = |part| move |error| Error::InvalidSave { part, source: Box::new(error) };
        let SavedWorld { version, config, step, statics, tracked } = saved;
        if version != VERSION {
            return Err(invalid("version")(Error::InvalidConfig {
                setting: "version",
                value: u64::from(version).into(),
                expected: "1",
            }));
        }
        if step > STEP_MAX {
            let expected = "at most 2^63";
            return Err(invalid("step number")(Error::InvalidConfig { setting: "step", value: step.into(), expected }));
        }
        let mut world = Self::new(config).map_err(invalid("settings"))?;
        let statics = statics.restore(world.config.may_use_threads()).and_then(|statics| {
            if world.config.contact_tracking {
                check_static_ids(&statics)?;
            }
            Ok(statics)
        });
        world.statics = statics.map_err(invalid("statics"))?;
        (world.statics_version, world.static_set) = (1, 1);
        if world.config.contact_tracking
            && let Some(tracked) = tracked
        {
            let tracker = ContactTracker::restore(&tracked, world.static_set()).map_err(invalid("contacts"))?;
            world.contacts.events = Some(Box::new(tracker));
        }
        world.frames = Frames::after(step, world.config.contact_tracking);
        Ok(world)
    }
}

impl World {
    /// The statics as of now, as contacts are tracked with them.
    fn static_set(&self) -> NumberedStatics<'_> {
        NumberedStatics { tree: &self.statics, number: self.static_set }
    }
}

impl SavedStatics {
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
