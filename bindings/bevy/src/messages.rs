//! Messages about contacts.

use bevy_ecs::entity::Entity;
use bevy_ecs::message::{Message, MessageWriter};
use bevy_ecs::system::SystemParam;
use triphase::Contacts;

/// Two bodies began to touch.
#[derive(Clone, Copy, Debug, Message, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContactStarted {
    /// One of them.
    pub a: Entity,
    /// The other.
    pub b: Entity,
}

/// Two bodies no longer touch, or one of them is no body any more.
///
/// Sent once for each [`ContactStarted`], though `a` and `b` may be the other way round. Either may
/// have been despawned.
#[derive(Clone, Copy, Debug, Message, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContactEnded {
    /// One of them.
    pub a: Entity,
    /// The other.
    pub b: Entity,
}

/// A body and a static began to touch.
#[derive(Clone, Copy, Debug, Message, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StaticContactStarted {
    /// The body.
    pub body: Entity,
    /// The entity with the [`StaticBox`](crate::StaticBox).
    pub static_entity: Entity,
}

/// A body and a static no longer touch, or one of them is gone; see [`ContactEnded`].
#[derive(Clone, Copy, Debug, Message, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StaticContactEnded {
    /// The body.
    pub body: Entity,
    /// The entity that has, or had, the [`StaticBox`](crate::StaticBox).
    pub static_entity: Entity,
}

/// Writers of all messages.
#[derive(SystemParam)]
pub(crate) struct ContactWriters<'w> {
    started: MessageWriter<'w, ContactStarted>,
    ended: MessageWriter<'w, ContactEnded>,
    static_started: MessageWriter<'w, StaticContactStarted>,
    static_ended: MessageWriter<'w, StaticContactEnded>,
}

impl ContactWriters<'_> {
    /// Writes what began and ended in a step; nothing if contacts are not tracked.
    pub(crate) fn write(&mut self, contacts: Contacts<'_>) {
        let Some(events) = contacts.events() else {
            return;
        };
        let body = |row| entity_of(contacts.body_id(row));
        self.started.write_batch(
            events.started().map(|contact| ContactStarted { a: body(contact.pair.a), b: body(contact.pair.b) }),
        );
        self.ended.write_batch(
            events
                .ended()
                .map(|ended| ContactEnded { a: Entity::from_bits(ended.a_id), b: Entity::from_bits(ended.b_id) }),
        );
        self.static_started.write_batch(events.started_static().map(|contact| StaticContactStarted {
            body: body(contact.pair.body),
            static_entity: entity_of(contacts.static_id(contact.pair.static_row)),
        }));
        self.static_ended.write_batch(events.ended_static().map(|ended| StaticContactEnded {
            body: Entity::from_bits(ended.body_id),
            static_entity: Entity::from_bits(ended.static_id),
        }));
    }
}

/// The entity of an id of the last step.
///
/// # Panics
///
/// If there is none: all rows that the plugin steps have ids.
pub(crate) fn entity_of(id: Option<u64>) -> Entity {
    Entity::from_bits(id.expect("all rows have ids"))
}
