//! Views of contact events, and access to the values of contacts.

use crate::contacts::by_row::SPAN_ROWS;
use crate::contacts::events::contact_set::ContactSet;
use crate::contacts::events::contact_slots::Contact;
use crate::contacts::events::tracker::ContactTracker;
use crate::frame::frame::Frame;
use crate::pair::{Pair, StaticPair};
use crate::pair::{entry, row_and_partner};
use bytemuck::Pod;
use std::fmt;

/// A contact and its value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TrackedPair<P> {
    /// The pair, as rows of the last successful step.
    pub pair: P,
    /// The value that was set through [`World::events_mut`](crate::World::events_mut); initially 0.
    pub value: u32,
}

/// A contact of two bodies that ended.
///
/// The bodies may no longer exist, so they are given by their ids, in either order: as a key, use
/// the lower id first. In steps without ids, the id is the row that the body had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EndedPair {
    /// Id of one body.
    pub a_id: u64,
    /// Id of the other body.
    pub b_id: u64,
    /// The last value of the contact.
    pub value: u32,
}

/// A contact of a body and a static that ended, given by ids like [`EndedPair`].
///
/// After [`World::replace_statics`](crate::World::replace_statics), the id is that of the old
/// static. Without ids of statics, it is the row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EndedStaticPair {
    /// Id of the body.
    pub body_id: u64,
    /// Id of the static.
    pub static_id: u64,
    /// The last value of the contact.
    pub value: u32,
}

/// The events of the last successful step: contacts that began, persisted and ended.
///
/// Returned by [`Contacts::events`](crate::Contacts::events).
///
/// Bodies are identified by their ids, so rows may be swapped, removed and added between steps. In
/// steps without ids, bodies are identified by their rows. If a step has ids and the one before had
/// none, or the reverse, all contacts end, and those that touch begin.
///
/// Each contact that begins also ends, exactly once: even if a body is removed, skipped or
/// teleported, if a filter or a disabled static excludes the pair, or if the static set is
/// replaced. After a failed step, these are still the events of the last successful one, with which
/// the next step is compared.
///
/// With a [margin](crate::WorldConfig::with_margin), a contact may persist although the step does
/// not report the pair.
///
/// ```
/// use triphase::{Bodies, World, WorldConfig};
///
/// let mut world = World::new(WorldConfig::new().with_contact_tracking(true))?;
/// let half = [0.5f32, 0.5];
/// world.step(Bodies::uniform(&[[0.0f32, 0.0], [0.8, 0.0]], half).with_ids(&[7, 8]))?;
/// if let Some(mut events) = world.events_mut() {
///     for (_pair, value) in events.started() {
///         *value = 42; // for example, the index of an impulse
///     }
/// }
/// // The same bodies in other rows: the contact persists, and so does its value.
/// let centers = [[0.7f32, 0.0], [0.0, 0.1]];
/// let contacts = world.step(Bodies::uniform(&centers, half).with_ids(&[8, 7]))?;
/// let events = contacts.events().expect("contact tracking is on");
/// assert_eq!(events.persisting().map(|contact| contact.value).collect::<Vec<_>>(), [42]);
/// // One body is removed.
/// let contacts = world.step(Bodies::uniform(&[[0.0f32, 0.1]], half).with_ids(&[7]))?;
/// let events = contacts.events().expect("contact tracking is on");
/// assert_eq!(events.ended().map(|ended| ended.value).collect::<Vec<_>>(), [42]);
/// # Ok::<(), triphase::Error>(())
/// ```
///
/// # Determinism
///
/// Unlike pairs, events depend on earlier steps. Their order does not depend on threads. Contacts
/// that began or persist are in ascending order of their pairs.
#[derive(Clone, Copy)]
pub struct ContactEvents<'w> {
    tracker: &'w ContactTracker,
    frame: &'w Frame,
}

impl<'w> ContactEvents<'w> {
    pub(crate) fn new(tracker: &'w ContactTracker, frame: &'w Frame) -> Self {
        Self { tracker, frame }
    }

    /// Body contacts that began in this step.
    pub fn started(&self) -> impl Iterator<Item = TrackedPair<Pair>> + Clone + use<'w> {
        started(&self.tracker.bodies)
    }

    /// Body contacts that began earlier and have not ended.
    pub fn persisting(&self) -> impl Iterator<Item = TrackedPair<Pair>> + Clone + use<'w> {
        persisting(&self.tracker.bodies)
    }

    /// All body contacts that have not ended: those that [started](Self::started) and those that
    /// [persist](Self::persisting).
    pub fn tracked(&self) -> impl Iterator<Item = TrackedPair<Pair>> + Clone + use<'w> {
        tracked(&self.tracker.bodies)
    }

    /// Body contacts that ended in this step.
    pub fn ended(&self) -> impl Iterator<Item = EndedPair> + Clone + use<'w> {
        let frame = self.frame;
        let ids = move |rows: [u32; 2]| rows.map(|row| body_id(frame, row));
        ended(&self.tracker.bodies, ids).map(|([a_id, b_id], value)| EndedPair { a_id, b_id, value })
    }

    /// Static contacts that began in this step.
    pub fn started_static(&self) -> impl Iterator<Item = TrackedPair<StaticPair>> + Clone + use<'w> {
        started(&self.tracker.statics)
    }

    /// Static contacts that began earlier and have not ended.
    ///
    /// Statics are identified by their ids. So a contact persists if the static of that id is in
    /// another row now, after [`World::set_statics`](crate::World::set_statics) or
    /// [`World::replace_statics`](crate::World::replace_statics), and ends if no static has the id
    /// any more.
    ///
    /// Without ids, statics are identified by their rows: a contact with a replaced static persists
    /// if the body still touches the static of that row. If `set_statics` was called and the old or
    /// the new set has no ids, all contacts with the old set end.
    pub fn persisting_static(&self) -> impl Iterator<Item = TrackedPair<StaticPair>> + Clone + use<'w> {
        persisting(&self.tracker.statics)
    }

    /// All static contacts that have not ended.
    pub fn tracked_static(&self) -> impl Iterator<Item = TrackedPair<StaticPair>> + Clone + use<'w> {
        tracked(&self.tracker.statics)
    }

    /// Static contacts that ended in this step.
    pub fn ended_static(&self) -> impl Iterator<Item = EndedStaticPair> + Clone + use<'w> {
        let Self { frame, tracker } = *self;
        let ids = move |[body, static_row]: [u32; 2]| [body_id(frame, body), tracker.static_id(static_row)];
        ended(&self.tracker.statics, ids).map(|([body_id, static_id], value)| EndedStaticPair {
            body_id,
            static_id,
            value,
        })
    }

    /// The value of a body contact, or `None` if there is no such contact.
    ///
    /// # Cost
    ///
    /// A binary search among the contacts of a few thousand rows.
    pub fn value(&self, pair: Pair) -> Option<u32> {
        value(&self.tracker.bodies, [pair.a, pair.b])
    }

    /// The value of a static contact, or `None`; see [`value`](Self::value).
    pub fn static_value(&self, pair: StaticPair) -> Option<u32> {
        value(&self.tracker.statics, [pair.body, pair.static_row])
    }
}

impl fmt::Debug for ContactEvents<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContactEvents")
            .field("started", &self.started().count())
            .field("persisting", &self.persisting().count())
            .field("ended", &self.ended().count())
            .field("started_static", &self.started_static().count())
            .field("persisting_static", &self.persisting_static().count())
            .field("ended_static", &self.ended_static().count())
            .finish()
    }
}

/// Mutable access to the values of tracked contacts.
///
/// Returned by [`World::events_mut`](crate::World::events_mut). A value is 0 when its contact
/// begins. It stays with the contact, even if the bodies change rows, and is reported when the
/// contact ends.
pub struct ContactEventsMut<'w> {
    tracker: &'w mut ContactTracker,
}

impl<'w> ContactEventsMut<'w> {
    pub(crate) fn new(tracker: &'w mut ContactTracker) -> Self {
        Self { tracker }
    }

    /// Body contacts that began in the last successful step, with their values.
    pub fn started(&mut self) -> impl Iterator<Item = (Pair, &mut u32)> {
        started_mut(&mut self.tracker.bodies)
    }

    /// All body contacts, with their values.
    pub fn tracked(&mut self) -> impl Iterator<Item = (Pair, &mut u32)> {
        tracked_mut(&mut self.tracker.bodies)
    }

    /// Static contacts that began in the last successful step, with their values.
    pub fn started_static(&mut self) -> impl Iterator<Item = (StaticPair, &mut u32)> {
        started_mut(&mut self.tracker.statics)
    }

    /// The value of a body contact, or `None` if there is no such contact.
    ///
    /// # Cost
    ///
    /// A binary search among the contacts of a few thousand rows.
    pub fn value_mut(&mut self, pair: Pair) -> Option<&mut u32> {
        value_mut(&mut self.tracker.bodies, [pair.a, pair.b])
    }

    /// The value of a static contact, or `None`; see [`value_mut`](Self::value_mut).
    pub fn static_value_mut(&mut self, pair: StaticPair) -> Option<&mut u32> {
        value_mut(&mut self.tracker.statics, [pair.body, pair.static_row])
    }

    /// All static contacts, with their values.
    pub fn tracked_static(&mut self) -> impl Iterator<Item = (StaticPair, &mut u32)> {
        tracked_mut(&mut self.tracker.statics)
    }
}

impl fmt::Debug for ContactEventsMut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContactEventsMut").finish_non_exhaustive()
    }
}

/// The id of a row, or the row itself in a step without ids.
fn body_id(frame: &Frame, row: u32) -> u64 {
    frame.ids.get(row as usize).copied().unwrap_or(u64::from(row))
}

/// The pair of an entry, which is of either kind.
fn pair_of<P: Pod>(entry: u64) -> P {
    bytemuck::cast(row_and_partner(entry))
}

fn tracked_pair<P: Pod>(Contact { entry, value }: Contact) -> TrackedPair<P> {
    TrackedPair { pair: pair_of(entry), value }
}

fn started<P: Pod>(contacts: &ContactSet) -> impl Iterator<Item = TrackedPair<P>> + Clone {
    let spans = contacts.live().iter();
    spans.flat_map(|span| span.started.iter().map(move |&slot| tracked_pair(span.contacts.get(slot as usize))))
}

fn tracked<P: Pod>(contacts: &ContactSet) -> impl Iterator<Item = TrackedPair<P>> + Clone {
    contacts.live().iter().flat_map(|span| span.contacts.iter().map(tracked_pair))
}

fn persisting<P: Pod>(contacts: &ContactSet) -> impl Iterator<Item = TrackedPair<P>> + Clone {
    contacts.live().iter().flat_map(|span| {
        let mut started = span.started.iter().peekable();
        let persists = move |slot: &usize| started.next_if(|&&next| next as usize == *slot).is_none();
        span.contacts.occupied().filter(persists).map(move |slot| tracked_pair(span.contacts.get(slot)))
    })
}

/// Ids and values; `ids` looks up those of contacts whose sides are both present.
fn ended<'t>(
    contacts: &'t ContactSet,
    ids: impl Fn([u32; 2]) -> [u64; 2] + Clone + 't,
) -> impl Iterator<Item = ([u64; 2], u32)> + Clone + 't {
    contacts.live().iter().flat_map(move |span| {
        let ids = ids.clone();
        let present = span.ended.iter().map(move |&Contact { entry, value }| (ids(row_and_partner(entry)), value));
        span.gone.iter().map(|gone| (gone.ids, gone.value)).chain(present)
    })
}

fn value(contacts: &ContactSet, [row, partner]: [u32; 2]) -> Option<u32> {
    let contacts = &contacts.live().get(row as usize / SPAN_ROWS)?.contacts;
    contacts.find(entry(row, partner)).map(|slot| contacts.get(slot).value)
}

fn value_mut(contacts: &mut ContactSet, [row, partner]: [u32; 2]) -> Option<&mut u32> {
    let contacts = &mut contacts.live_mut().get_mut(row as usize / SPAN_ROWS)?.contacts;
    let slot = contacts.find(entry(row, partner))?;
    Some(&mut contacts.parts_mut().1[slot])
}

fn tracked_mut<P: Pod>(contacts: &mut ContactSet) -> impl Iterator<Item = (P, &mut u32)> {
    let contacts = contacts.live_mut().iter_mut().flat_map(|span| span.contacts.iter_mut());
    contacts.map(|(entry, value)| (pair_of(entry), value))
}

fn started_mut<P: Pod>(contacts: &mut ContactSet) -> impl Iterator<Item = (P, &mut u32)> {
    let spans = contacts.live_mut().iter_mut().filter(|span| !span.started.is_empty());
    spans.flat_map(|span| {
        let (entries, values) = span.contacts.parts_mut();
        let (mut values, mut next) = (values.iter_mut(), 0);
        span.started.iter().filter_map(move |&slot| {
            let value = values.nth(slot as usize - next)?;
            next = slot as usize + 1;
            Some((pair_of(entries[slot as usize]), value))
        })
    })
}
