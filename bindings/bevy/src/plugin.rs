//! The plugin.

use crate::broad_phase::BroadPhase;
use crate::components::BodyColumns;
use crate::messages::{ContactEnded, ContactStarted, ContactWriters, StaticContactEnded, StaticContactStarted};
use crate::statics::{update_statics, watch_statics};
use crate::step::step;
use crate::tables::BodyData;
use bevy_app::{App, Plugin, PostUpdate};
use bevy_ecs::entity::Entities;
use bevy_ecs::schedule::{InternedScheduleLabel, IntoScheduleConfigs, ScheduleLabel, SystemSet};
use bevy_ecs::system::{Query, ResMut};
use std::marker::PhantomData;
use triphase::WorldConfig;

/// Steps all entities with the components of `C` once per frame.
///
/// Inserts [`BroadPhase`], and adds its systems to [`PostUpdate`], in the set
/// [`BroadPhaseSystems`]. An app has one such plugin.
pub struct TriphasePlugin<C> {
    config: WorldConfig,
    schedule: InternedScheduleLabel,
    is_told: bool,
    columns: PhantomData<fn() -> C>,
}

/// The systems of the plugin. Order yours before or after this set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, SystemSet)]
pub struct BroadPhaseSystems;

impl<C: BodyColumns> TriphasePlugin<C> {
    /// Creates the plugin of a world with these settings.
    ///
    /// Messages are sent if [contacts are tracked](WorldConfig::with_contact_tracking).
    pub fn new(config: WorldConfig) -> Self {
        Self { config, schedule: PostUpdate.intern(), is_told: true, columns: PhantomData }
    }

    /// Steps in another schedule, such as `FixedPostUpdate`.
    pub fn in_schedule(mut self, schedule: impl ScheduleLabel) -> Self {
        self.schedule = schedule.intern();
        self
    }

    /// Sets whether steps are told which rows changed; on by default.
    ///
    /// Without it all rows are stepped, and the order of pairs depends on the rows alone. This
    /// saves reading ticks if most bodies move in each frame.
    pub fn with_told_steps(mut self, told: bool) -> Self {
        self.is_told = told;
        self
    }
}

/// The default settings, with contact tracking.
impl<C: BodyColumns> Default for TriphasePlugin<C> {
    fn default() -> Self {
        Self::new(WorldConfig::new().with_contact_tracking(true))
    }
}

impl<C: BodyColumns> Plugin for TriphasePlugin<C> {
    /// # Panics
    ///
    /// If a setting is out of range, or the app has a `BroadPhase` already.
    fn build(&self, app: &mut App) {
        assert!(!app.world().contains_resource::<BroadPhase>(), "an app has one `TriphasePlugin`");
        let broad_phase = BroadPhase::new(self.config.clone()).unwrap_or_else(|error| panic!("{error}"));
        app.insert_resource(broad_phase)
            .add_message::<ContactStarted>()
            .add_message::<ContactEnded>()
            .add_message::<StaticContactStarted>()
            .add_message::<StaticContactEnded>();
        watch_statics(app);
        let is_told = self.is_told;
        let step =
            move |query: Query<BodyData<C>>,
                  entities: &Entities,
                  broad_phase: ResMut<BroadPhase>,
                  writers: ContactWriters| step::<C>(query, entities, broad_phase, writers, is_told);
        app.add_systems(self.schedule, (update_statics, step).chain().in_set(BroadPhaseSystems));
    }
}
