//! The view of a step's contacts.

use crate::broad_phase::pairs::PageChain;
use crate::contacts::changes::kept_pairs::KeptPairs;
use crate::contacts::events::view::ContactEvents;
use crate::contacts::store::ContactStore;
use crate::frame::frame::Frame;
use crate::pair::{Pair, StaticPair};
use crate::tier::static_tree::tree::StaticTree;
use bytemuck::Pod;
use std::fmt;

/// The contacts of the last successful step: its pairs, and what is derived from them.
///
/// Returned by [`World::step`](crate::World::step), and with a shared borrow by
/// [`World::contacts`](crate::World::contacts). It is `Copy` and `Sync`, and borrows the world but
/// not the columns of the step.
///
/// ```
/// use triphase::{Bodies, World};
///
/// let mut world = World::default();
/// world.set_statics(&[[0.0f32, -1.0, 100.0, 0.0]])?;
/// let centers = [[1.0f32, 0.4], [1.6, 0.4], [50.0, 9.0]];
/// let contacts = world.step(Bodies::uniform(&centers, [0.5, 0.5]))?;
/// for pair in contacts.body_pairs() {
///     assert_eq!((pair.a, pair.b), (0, 1));
/// }
/// assert_eq!(contacts.static_pairs().len(), 2); // rows 0 and 1 touch the ground
/// # Ok::<(), triphase::Error>(())
/// ```
///
/// # Determinism
///
/// The order of pages and pairs depends only on input, settings, and the static set with the
/// changes made to it since it was set: not on the number of threads, the SIMD level, the platform
/// or earlier steps. With [`Bodies::with_asleep`](crate::Bodies::with_asleep) and after
/// [`World::step_changed`](crate::World::step_changed) it depends on earlier steps too. The order
/// may change between versions of this crate.
#[derive(Clone, Copy)]
pub struct Contacts<'w> {
    pub(super) store: &'w ContactStore,
    pub(super) frame: &'w Frame,
    /// The present set, which may be newer than that of the step.
    pub(super) statics: &'w StaticTree,
    /// Whether work on these contacts may use several threads.
    pub(super) parallel: bool,
}

/// # Pairs
impl<'w> Contacts<'w> {
    /// Iterates over the pairs of bodies, each once, with `a < b`.
    ///
    /// Two bodies are a pair if their closed boxes overlap and their filters accept each other. In
    /// a world of [circles](crate::BodyShape::Circle), the circles must touch too.
    pub fn body_pairs(&self) -> Pairs<'w, Pair> {
        let found = &self.store.found;
        Pairs::new(found.body_pages(), found.body_pair_count())
    }

    /// Iterates over the pairs of a body and an enabled static, each once.
    ///
    /// There are none between [`World::set_statics`](crate::World::set_statics) and the next step.
    /// Until the next step, changed statics have the pairs that they had before.
    pub fn static_pairs(&self) -> Pairs<'w, StaticPair> {
        let found = &self.store.found;
        Pairs::new(found.static_pages(), found.static_pair_count())
    }

    /// Iterates over the pairs of bodies as slices of up to a few thousand pairs.
    ///
    /// After [`World::step_changed`](crate::World::step_changed), unless many rows changed, the
    /// first slices have the pairs of rows that keep changing. One slice for each 64 rows follows,
    /// of any length and possibly empty. The order is that of [`body_pairs`](Self::body_pairs).
    pub fn body_pages(&self) -> impl ExactSizeIterator<Item = &'w [Pair]> + Clone + use<'w> {
        self.store.found.body_pages().map(bytemuck::cast_slice)
    }

    /// Iterates over the static pairs as slices of up to a few thousand pairs.
    ///
    /// After [`World::step_changed`](crate::World::step_changed), unless many rows changed, the
    /// first slices have the pairs of rows that keep changing. One slice for each 64 rows follows,
    /// of any length and possibly empty. The order is that of [`static_pairs`](Self::static_pairs).
    pub fn static_pages(&self) -> impl ExactSizeIterator<Item = &'w [StaticPair]> + Clone + use<'w> {
        self.store.found.static_pages().map(bytemuck::cast_slice)
    }

    /// The slices of [`body_pages`](Self::body_pages) as a rayon iterator, in the same order.
    /// (Feature `parallel`.)
    #[cfg(feature = "parallel")]
    pub fn par_body_pages(&self) -> impl rayon::iter::IndexedParallelIterator<Item = &'w [Pair]> + use<'w> {
        par_pages(self.store.found.body_pages())
    }

    /// The slices of [`static_pages`](Self::static_pages) as a rayon iterator, in the same order.
    /// (Feature `parallel`.)
    #[cfg(feature = "parallel")]
    pub fn par_static_pages(&self) -> impl rayon::iter::IndexedParallelIterator<Item = &'w [StaticPair]> + use<'w> {
        par_pages(self.store.found.static_pages())
    }

    /// Replaces the contents of `sorted` with the pairs of bodies, in ascending order of `(a, b)`.
    ///
    /// # Cost
    ///
    /// A copy and a sort, which take several times as long as iterating over the pairs. Allocates
    /// only if `sorted` has too little capacity.
    pub fn sorted_pairs(&self, sorted: &mut Vec<Pair>) {
        sorted.clear();
        sorted.reserve(self.store.found.body_pair_count());
        self.body_pages().for_each(|page| sorted.extend_from_slice(page));
        sorted.sort_unstable();
    }

    /// Replaces the contents of `sorted` with the static pairs, in ascending order of
    /// `(body, static_row)`.
    ///
    /// # Cost
    ///
    /// That of [`sorted_pairs`](Self::sorted_pairs).
    pub fn sorted_static_pairs(&self, sorted: &mut Vec<StaticPair>) {
        sorted.clear();
        sorted.reserve(self.store.found.static_pair_count());
        self.static_pages().for_each(|page| sorted.extend_from_slice(page));
        sorted.sort_unstable();
    }
}

/// # Pairs of changed rows
impl<'w> Contacts<'w> {
    /// The pairs of bodies of which at least one row changed, in the order of
    /// [`body_pairs`](Self::body_pairs).
    ///
    /// After [`World::step_changed`](crate::World::step_changed), these are the pairs with a row
    /// that was named or added, whether they began in this step or persist. If statics changed
    /// since the step before, these are also the pairs of bodies whose boxes in the step before
    /// touch the old or the new box of such a static.
    ///
    /// After any other step, all rows may have changed, and these are all pairs. So they are if
    /// [`World::set_statics`](crate::World::set_statics) was called, or more statics changed than
    /// [`World::step_changed`](crate::World::step_changed) keeps the boxes of. After
    /// [`World::shift_origin`](crate::World::shift_origin), they are still those with a named row:
    /// to get all, name all rows.
    ///
    /// # Cost
    ///
    /// The first call after a step lists these pairs, and looks through all pairs if the step had
    /// to read all rows. Later calls are O(1).
    pub fn changed_pairs(&self) -> &'w [Pair] {
        bytemuck::cast_slice(self.store.changed_view.bodies(&self.store.found, &self.store.kept))
    }

    /// The static pairs of which the body changed, in the order of
    /// [`static_pairs`](Self::static_pairs); see [`changed_pairs`](Self::changed_pairs).
    pub fn changed_static_pairs(&self) -> &'w [StaticPair] {
        bytemuck::cast_slice(self.store.changed_view.statics(&self.store.found, &self.store.kept))
    }

    /// The kept pairs, if those are the present ones.
    fn kept(&self) -> Option<&'w KeptPairs> {
        Some(&self.store.kept).filter(|_| self.store.kept_are_present())
    }
}

/// # Partners and events, if enabled in the settings
impl<'w> Contacts<'w> {
    /// The rows of the bodies that body `row` is a pair with, ascending.
    ///
    /// `None` unless [`WorldConfig::with_partner_lists`](crate::WorldConfig::with_partner_lists) is
    /// on. Empty if the body has no partners, or if the step had no such row. Each row of a pair is
    /// a partner of the other.
    ///
    /// ```
    /// use triphase::{Bodies, World, WorldConfig};
    ///
    /// let mut world = World::new(WorldConfig::new().with_partner_lists(true))?;
    /// let centers = [[0.0f32, 0.0], [0.8, 0.0], [9.0, 0.0], [1.6, 0.0]];
    /// let contacts = world.step(Bodies::uniform(&centers, [0.5, 0.5]))?;
    /// assert_eq!(contacts.partners(1), Some(&[0, 3][..]));
    /// assert_eq!(contacts.partners(2), Some(&[][..]));
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Cost
    ///
    /// O(1): returns a slice.
    pub fn partners(&self, row: u32) -> Option<&'w [u32]> {
        let lists = self.store.partners.as_ref()?;
        Some(self.kept().map_or_else(|| lists.bodies(row), |kept| kept.bodies.lists.of(row)))
    }

    /// The rows of the statics that body `row` is a pair with, ascending.
    ///
    /// `None` unless [`WorldConfig::with_partner_lists`](crate::WorldConfig::with_partner_lists) is
    /// on, like [`partners`](Self::partners).
    pub fn static_partners(&self, row: u32) -> Option<&'w [u32]> {
        let lists = self.store.partners.as_ref()?;
        Some(self.kept().map_or_else(|| lists.statics(row), |kept| kept.statics.lists.of(row)))
    }

    /// The contacts that began, persisted and ended in the step, with their values.
    ///
    /// `None` unless
    /// [`WorldConfig::with_contact_tracking`](crate::WorldConfig::with_contact_tracking) is on.
    pub fn events(&self) -> Option<ContactEvents<'w>> {
        self.store.events.as_ref().map(|tracker| ContactEvents::new(tracker, self.frame))
    }
}

/// # Rows of the step
impl<'w> Contacts<'w> {
    /// Number of rows of the step, including skipped ones.
    pub fn body_count(&self) -> usize {
        self.frame.row_count
    }

    /// The id of a body, or `None` if the step had no ids or no such row.
    pub fn body_id(&self, row: u32) -> Option<u64> {
        self.frame.ids.get(row as usize).copied()
    }

    /// The id of a static, or `None` if the current static set has no ids or no such row.
    ///
    /// After [`World::replace_statics`](crate::World::replace_statics), this is already the new id,
    /// while pairs are those of the old static until the next step.
    pub fn static_id(&self, row: u32) -> Option<u64> {
        self.statics.id(row)
    }

    pub(crate) fn new(store: &'w ContactStore, frame: &'w Frame, statics: &'w StaticTree, parallel: bool) -> Self {
        Self { store, frame, statics, parallel }
    }
}

impl fmt::Debug for Contacts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contacts")
            .field("body_count", &self.body_count())
            .field("body_pair_count", &self.store.found.body_pair_count())
            .field("static_pair_count", &self.store.found.static_pair_count())
            .finish()
    }
}

#[cfg(feature = "parallel")]
fn par_pages<'w, P: Pod + Sync>(
    pages: PageChain<'w>,
) -> impl rayon::iter::IndexedParallelIterator<Item = &'w [P]> + use<'w, P> {
    use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
    pages.found.par_iter().chain(pages.reused).map(|page| bytemuck::cast_slice(page.pairs()))
}

/// An iterator over pairs with a known length.
#[derive(Clone, Debug)]
pub struct Pairs<'w, P> {
    page: std::slice::Iter<'w, P>,
    rest: PageChain<'w>,
    remaining: usize,
}

impl<'w, P: Pod> Pairs<'w, P> {
    fn new(pages: PageChain<'w>, count: usize) -> Self {
        Self { page: [].iter(), rest: pages, remaining: count }
    }
}

impl<P: Pod> Iterator for Pairs<'_, P> {
    type Item = P;

    #[inline]
    fn next(&mut self) -> Option<P> {
        loop {
            if let Some(&pair) = self.page.next() {
                self.remaining -= 1;
                return Some(pair);
            }
            self.page = bytemuck::cast_slice(self.rest.next()?).iter();
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.remaining, Some(self.remaining))
    }

    // Whole slices at a time, so that a loop over pairs costs no more than a loop over a slice.
    fn fold<B, F: FnMut(B, P) -> B>(self, init: B, mut f: F) -> B {
        let first = self.page.copied().fold(init, &mut f);
        self.rest.fold(first, |folded, page| bytemuck::cast_slice(page).iter().copied().fold(folded, &mut f))
    }
}

impl<P: Pod> ExactSizeIterator for Pairs<'_, P> {}
impl<P: Pod> std::iter::FusedIterator for Pairs<'_, P> {}
