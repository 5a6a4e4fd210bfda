//! Contacts from step to step, as they are read.

use crate::contacts::by_row::{SPAN, entry, row_and_partner};
use crate::contacts::contacts::Contacts;
use crate::contacts::events::span::Span;
use crate::contacts::events::{Touching, Tracker};
use crate::pair::{Pair, StaticPair};
use crate::world::World;

/// A contact and the value that follows it from step to step: 0 until it is set by [`World::tracked_mut`] and the like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tracked<P> {
    /// Rows of the last good step.
    pub pair: P,
    /// The caller's.
    pub value: u32,
}

/// A contact of two bodies that ended. Their rows may be gone, so it is told by ids; without an id column those are the rows
/// that they had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EndedPair {
    /// One of the bodies.
    pub a: u64,
    /// The other.
    pub b: u64,
    /// The value that it had.
    pub value: u32,
}

/// A contact of a body and a static that ended, told as in [`EndedPair`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EndedStaticPair {
    /// The body.
    pub body: u64,
    /// The static.
    pub static_row: u64,
    /// The value that it had.
    pub value: u32,
}

/// A kind of pairs.
trait Kind: Copy {
    fn of(rows: [u32; 2]) -> Self;
}

impl Kind for Pair {
    fn of([a, b]: [u32; 2]) -> Self {
        Self { a, b }
    }
}

impl Kind for StaticPair {
    fn of([body, static_row]: [u32; 2]) -> Self {
        Self { body, static_row }
    }
}

/// What began, goes on and ended, from one step to the next. Nothing at all unless
/// [`WorldConfig::with_contact_tracking`](crate::WorldConfig::with_contact_tracking) is set.
///
/// Bodies are known by their ids, not by their rows (by their rows if there is no id column), so rows may be swapped,
/// removed and added. Each beginning is followed by exactly one end: also when a body is gone, skipped or teleported, when
/// filters or switches of statics forbid a pair, when the set of statics is replaced. A step that was refused tells
/// nothing; what is said here is of the last good one.
///
/// These go from step to step, so other than the pairs themselves they depend on what was stepped before. Their order does not
/// depend on threads: contacts that began or go on come in ascending order of pairs.
impl<'w> Contacts<'w> {
    /// Contacts of bodies that were none in the step before.
    ///
    /// ```
    /// use triphase::{Bodies, World, WorldConfig};
    /// let mut world = World::new(WorldConfig::new().with_contact_tracking(true))?;
    /// let half = [0.5f32, 0.5];
    /// world.step(Bodies::uniform(&[[0.0f32, 0.0], [0.8, 0.0]], half).with_ids(&[7, 8]))?;
    /// assert_eq!(world.contacts().started().count(), 1);
    /// for (_pair, value) in world.started_mut() {
    ///     *value = 42; // a slot of the solver's, say
    /// }
    /// // The same bodies in other rows: the contact goes on.
    /// world.step(Bodies::uniform(&[[0.7f32, 0.0], [0.0, 0.1]], half).with_ids(&[8, 7]))?;
    /// assert_eq!(world.contacts().persisting().next().map(|contact| contact.value), Some(42));
    /// // One is gone.
    /// let contacts = world.step(Bodies::uniform(&[[0.0f32, 0.1]], half).with_ids(&[7]))?;
    /// let ended: Vec<_> = contacts.ended().collect();
    /// assert_eq!((ended.len(), ended[0].value), (1, 42));
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn started(&self) -> impl Iterator<Item = Tracked<Pair>> + Clone + use<'w> {
        started(self.tracker.map(|tracker| &tracker.bodies))
    }

    /// Contacts of bodies that were contacts in the step before. With a [margin](crate::WorldConfig::with_margin) there may be some
    /// among them that are no pairs any more.
    pub fn persisting(&self) -> impl Iterator<Item = Tracked<Pair>> + Clone + use<'w> {
        persisting(self.tracker.map(|tracker| &tracker.bodies))
    }

    /// Contacts of bodies of the step before that are none any more.
    pub fn ended(&self) -> impl Iterator<Item = EndedPair> + Clone + use<'w> {
        let index = self.index;
        let id = |row: u32| index.ids.get(row as usize).copied().unwrap_or(u64::from(row));
        ended(self.tracker.map(|tracker| &tracker.bodies), move |rows| rows.map(id)).map(|([a, b], value)| EndedPair {
            a,
            b,
            value,
        })
    }

    /// As [`started`](Self::started), of bodies and statics.
    pub fn started_statics(&self) -> impl Iterator<Item = Tracked<StaticPair>> + Clone + use<'w> {
        started(self.tracker.map(|tracker| &tracker.statics))
    }

    /// As [`persisting`](Self::persisting), of bodies and statics. Where the set of statics was replaced, contacts go on with
    /// statics of the same id; if the old or the new set has no ids, all end.
    pub fn persisting_statics(&self) -> impl Iterator<Item = Tracked<StaticPair>> + Clone + use<'w> {
        persisting(self.tracker.map(|tracker| &tracker.statics))
    }

    /// As [`ended`](Self::ended), of bodies and statics.
    pub fn ended_statics(&self) -> impl Iterator<Item = EndedStaticPair> + Clone + use<'w> {
        let index = self.index;
        let id = |row: u32| index.ids.get(row as usize).copied().unwrap_or(u64::from(row));
        // Of the set that the step saw: it may have been replaced since.
        let static_id = |row: u32| index.statics.id(row).unwrap_or(u64::from(row));
        let ids = move |[body, static_row]: [u32; 2]| [id(body), static_id(static_row)];
        ended(self.tracker.map(|tracker| &tracker.statics), ids).map(|([body, static_row], value)| EndedStaticPair {
            body,
            static_row,
            value,
        })
    }

    /// The value of a contact of bodies, if it is one.
    ///
    /// # Cost
    ///
    /// A binary search among the contacts of some thousand rows.
    pub fn value(&self, pair: Pair) -> Option<u32> {
        value(self.tracker.map(|tracker| &tracker.bodies), [pair.a, pair.b])
    }

    /// As [`value`](Self::value), of a body and a static.
    pub fn static_value(&self, pair: StaticPair) -> Option<u32> {
        value(self.tracker.map(|tracker| &tracker.statics), [pair.body, pair.static_row])
    }
}

/// Values of contacts: a number each, 0 when it begins, that goes on with the contact and comes back when it ends. Nothing at
/// all unless [`WorldConfig::with_contact_tracking`](crate::WorldConfig::with_contact_tracking) is set.
impl World {
    /// Contacts of bodies of the last good step and their values, to be changed: the number of an impulse to start from, say.
    pub fn tracked_mut(&mut self) -> impl Iterator<Item = (Pair, &mut u32)> {
        tracked_mut(self.tracker.as_deref_mut().map(|tracker| &mut tracker.bodies))
    }

    /// As [`tracked_mut`](Self::tracked_mut), of those only that began in the last good step.
    pub fn started_mut(&mut self) -> impl Iterator<Item = (Pair, &mut u32)> {
        started_mut(self.tracker.as_deref_mut().map(|tracker| &mut tracker.bodies))
    }

    /// As [`tracked_mut`](Self::tracked_mut), of bodies and statics.
    pub fn tracked_statics_mut(&mut self) -> impl Iterator<Item = (StaticPair, &mut u32)> {
        tracked_mut(self.tracker.as_deref_mut().map(|tracker| &mut tracker.statics))
    }

    /// As [`started_mut`](Self::started_mut), of bodies and statics.
    pub fn started_statics_mut(&mut self) -> impl Iterator<Item = (StaticPair, &mut u32)> {
        started_mut(self.tracker.as_deref_mut().map(|tracker| &mut tracker.statics))
    }
}

fn spans(touching: Option<&Touching>) -> &[Span] {
    touching.map(Touching::live).unwrap_or_default()
}

fn tracked<P: Kind>(span: &Span, place: usize) -> Tracked<P> {
    Tracked { pair: P::of(row_and_partner(span.entries()[place])), value: span.values()[place] }
}

fn started<P: Kind>(touching: Option<&Touching>) -> impl Iterator<Item = Tracked<P>> + Clone {
    let spans = spans(touching).iter();
    spans.flat_map(|span| span.started.iter().map(move |&place| tracked(span, place as usize)))
}

fn persisting<P: Kind>(touching: Option<&Touching>) -> impl Iterator<Item = Tracked<P>> + Clone {
    spans(touching).iter().flat_map(|span| {
        let mut started = span.started.iter().peekable();
        let goes_on = move |place: &usize| started.next_if(|&&next| next as usize == *place).is_none();
        (0..span.values().len()).filter(goes_on).map(move |place| tracked(span, place))
    })
}

/// Ids and values; `ids` looks up those of both sides.
fn ended<'t>(
    touching: Option<&'t Touching>,
    ids: impl Fn([u32; 2]) -> [u64; 2] + Clone + 't,
) -> impl Iterator<Item = ([u64; 2], u32)> + Clone + 't {
    spans(touching).iter().flat_map(move |span| {
        let ids = ids.clone();
        let there = span.ended.iter().map(move |&(entry, value)| (ids(row_and_partner(entry)), value));
        span.gone.iter().map(|gone| (gone.ids, gone.value)).chain(there)
    })
}

fn value(touching: Option<&Touching>, [row, partner]: [u32; 2]) -> Option<u32> {
    let span = spans(touching).get(row as usize / SPAN)?;
    span.entries().binary_search(&entry(row, partner)).ok().map(|place| span.values()[place])
}

fn spans_mut(touching: Option<&mut Touching>) -> impl Iterator<Item = &mut Span> {
    touching.into_iter().flat_map(|touching| {
        let live = touching.live;
        &mut touching.spans[..live]
    })
}

fn tracked_mut<P: Kind>(touching: Option<&mut Touching>) -> impl Iterator<Item = (P, &mut u32)> {
    spans_mut(touching).flat_map(|span| {
        let (entries, values, _) = span.parts_mut();
        entries.iter().map(|&entry| P::of(row_and_partner(entry))).zip(values)
    })
}

fn started_mut<P: Kind>(touching: Option<&mut Touching>) -> impl Iterator<Item = (P, &mut u32)> {
    spans_mut(touching).flat_map(|span| {
        let (entries, values, started) = span.parts_mut();
        let (mut values, mut next) = (values.iter_mut(), 0);
        started.iter().filter_map(move |&place| {
            let value = values.nth(place as usize - next)?;
            next = place as usize + 1;
            Some((P::of(row_and_partner(entries[place as usize])), value))
        })
    })
}

impl std::fmt::Debug for Tracker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tracker").finish_non_exhaustive()
    }
}
