//! The world: all three tiers behind one call.

use crate::advice_rules;
use crate::call::Call;
#[cfg(not(feature = "record"))]
use crate::call::Recorder;
use crate::config::WorldConfig;
use crate::contacts::contacts::Contacts;
use crate::contacts::events::view::ContactEventsMut;
use crate::contacts::stream::channel::{Sender, StepStream};
use crate::contacts::stream::page::StreamedPage;
use crate::error::{Error, InvalidRow};
use crate::geometry::{Aabb, Circle, Point, RawAabb, Ray};
use crate::input::bodies::Bodies;
use crate::input::changed_rows::ChangedRows;
use crate::input::statics::Statics;
use crate::query::{CastHit, Hits, Neighbor, QueryBuilder};
#[cfg(feature = "record")]
use crate::record::{Recorder, RecordingSummary};
use crate::report::Report;
#[cfg(feature = "serde")]
use crate::save::SavedWorld;
use crate::snapshot::SnapshotReader;
use crate::state::WorldState;
use crate::tier::DebugShape;
use crate::tier::static_tree::tree::StaticTree;
use crate::tier::static_tree::unique_ids::check_static_ids;
use crate::trace::span;
use std::ops::Range;

/// A broad phase: finds the contact pairs of moving bodies and statics, and answers queries.
///
/// ```
/// use triphase::{Aabb, Bodies, World};
///
/// let mut world = World::default();
/// world.set_statics(&[Aabb::new([-10.0, -1.0], [10.0, 0.0])?])?;
///
/// let half_extents = [[0.5f32, 0.5]; 3];
/// let mut centers = [[0.0f32, 2.0], [0.8, 2.3], [5.0, 0.2]];
/// for _ in 0..2 {
///     let contacts = world.step(Bodies::new(&centers, &half_extents))?;
///     assert_eq!(contacts.body_pairs().len(), 1);
///     for pair in contacts.static_pairs() {
///         centers[pair.body as usize][1] += 0.1; // contacts do not borrow the columns
///     }
/// }
/// let view = Aabb::new([4.0, 0.0], [6.0, 1.0])?;
/// assert_eq!(world.query_aabb(view).count(), 2); // a body and the ground
/// # Ok::<(), triphase::Error>(())
/// ```
#[derive(Default)]
pub struct World {
    state: WorldState,
    recorder: Recorder,
}

/// # Creation and settings
impl World {
    /// Creates a world with the given settings; `World::default()` has the default settings.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidConfig`] if a setting is out of range; it names the setting and its value.
    pub fn new(config: WorldConfig) -> Result<Self, Error> {
        Ok(Self { state: WorldState::new(config)?, ..Self::default() })
    }

    /// The settings.
    pub fn config(&self) -> &WorldConfig {
        &self.state.config
    }
}

/// # Stepping
impl World {
    /// Steps one frame: finds every contact pair of bodies, and of bodies and enabled statics.
    ///
    /// A contact pair is two entities whose closed boxes overlap and whose
    /// [`Filter`](crate::Filter)s accept each other; with
    /// [`BodyShape::Circle`](crate::BodyShape::Circle) the shapes must touch as well. Boxes are
    /// computed in f32 (see [`Bodies`]); touching counts as overlap. No pair is missing, extra or
    /// reported twice.
    ///
    /// Takes one [`Bodies`], or a slice, array or `Vec` of them, for example one per archetype of
    /// an ECS. Each of them is then a *chunk*, and rows are numbered through all chunks: the first
    /// row of a chunk follows the last row of the chunk before.
    ///
    /// Runs on the rayon pool of the calling thread, from 8,000 bodies on
    /// ([`with_parallel_threshold`](WorldConfig::with_parallel_threshold)). A thread that is in no
    /// pool works on the step together with threads of the global one, or of one that you choose:
    /// `triphase::with_pool(&pool, || world.step(bodies))`. Meanwhile, a thread of the pool that
    /// waits may run any other job of the pool. So the caller must hold no lock that such a job
    /// takes, and no such job may wait for the caller.
    ///
    /// ```
    /// use triphase::{Bodies, World};
    ///
    /// let mut world = World::default();
    /// let orcs = [[0.0f32, 0.0], [9.0, 9.0]];
    /// let arrows = [[0.2f32, 0.0, 0.4, 0.1]];
    /// let chunks = [Bodies::uniform(&orcs, [0.5, 0.5]), Bodies::from_aabbs(&arrows)];
    /// let pair = world.step(&chunks)?.body_pairs().next().unwrap();
    /// assert_eq!((pair.a, pair.b), (0, 2)); // the arrow is row 2
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidBody`] names the lowest invalid row (see [`InvalidRows`](crate::InvalidRows)
    /// to skip such rows). Also [`Error::ColumnLengthMismatch`], [`Error::InconsistentIds`],
    /// [`Error::TooManyRows`], [`Error::TooManyPairs`] and, if contacts are tracked,
    /// [`Error::DuplicateBodyId`]. After an error, contacts and queries are still those of the last
    /// successful step.
    ///
    /// # Determinism
    ///
    /// Pairs and their order depend only on input, settings, and the static set with the
    /// [changes](Self::insert_statics) made to it since it was set: not on the number of threads,
    /// the SIMD level, the platform or earlier steps. With [`Bodies::with_asleep`], the order
    /// depends on earlier steps too, and so does that of [`step_changed`](Self::step_changed).
    ///
    /// # Cost
    ///
    /// O(bodies + pairs), in parallel, with few exceptions ("Known limits" in ARCHITECTURE.md). The
    /// first step near many statics also sorts these, see [`set_statics`](Self::set_statics).
    /// Allocates only when the world grows, with the exceptions named under
    /// [guarantees](crate#guarantees). After 256 to 511 steps in a row with less than half of
    /// the rows, or of the pairs, that the world has memory for, it releases the excess, a part in
    /// each of the next few steps, down to memory for 4,096 of each.
    /// [`shrink_to_fit`](Self::shrink_to_fit) releases it at once.
    pub fn step<'a>(&mut self, bodies: impl AsRef<[Bodies<'a>]>) -> Result<Contacts<'_>, Error> {
        let bodies = bodies.as_ref();
        self.recorded(Call::Step(bodies), |state| state.step(bodies, None))?;
        Ok(self.contacts())
    }

    /// Like [`step`](Self::step), but told which rows have changed since the last successful step.
    ///
    /// For worlds in which few bodies move. The columns are those of all bodies, as ever, but only
    /// the changed rows are read, filed and searched for. Pairs, events, filters, readers and
    /// queries are all those of a full step; only the [tier](crate::query::Tier) of a body may be
    /// another.
    ///
    /// `changed` is a list of rows in any order, or a flag for each row; see [`ChangedRows`]. A row
    /// has changed if any of its columns has: box, displacement, filter or id. Marks of
    /// [`with_asleep`](Bodies::with_asleep) are read only if many rows changed (see Determinism).
    ///
    /// - Rows beyond the number of rows of the last successful step need not be named.
    /// - To remove rows at the end, pass shorter columns. After a `swap_remove(k)` on each column,
    ///   name row `k` if it still exists: it is another body now. Rows that do not exist any more
    ///   must not be named.
    /// - After an error, name the same rows again, and those that have changed since.
    ///
    /// All other rows must be the same as in the last successful step, bit for bit. Builds with
    /// debug assertions check this in each step. Others trust it: a row that changed without being
    /// named is still where it was, for its pairs and for queries, and still has its old id and
    /// filter, until a step reads all rows (see Cost). As that may be the next one, such a mistake
    /// comes and goes. (Steps after [`shift_origin`](Self::shift_origin), and after one that
    /// skipped rows, read all rows, and none has to be named.)
    ///
    /// ```
    /// use triphase::{Bodies, ChangedRows, Pair, World};
    ///
    /// let mut world = World::default();
    /// let mut centers: Vec<[f32; 2]> = (0..1000).map(|k| [k as f32 * 2.0, 0.0]).collect();
    /// world.step_changed(Bodies::uniform(&centers, [0.5, 0.5]), ChangedRows::NONE)?;
    ///
    /// centers[7] = [40.5, 0.0]; // next to row 20
    /// let contacts = world.step_changed(Bodies::uniform(&centers, [0.5, 0.5]), &[7])?;
    /// assert_eq!(contacts.changed_pairs(), [Pair { a: 7, b: 20 }]);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`step`](Self::step), and [`Error::ChangedRowOutOfRange`] or
    /// [`Error::ChangedLengthMismatch`] if `changed` does not fit the rows.
    ///
    /// # Panics
    ///
    /// With debug assertions, if a row has changed that is neither named nor new. Not after
    /// `shift_origin` or a step that skipped rows.
    ///
    /// # Determinism
    ///
    /// The order of pairs does not depend on threads. It is the first of these that applies:
    ///
    /// - In the first step, and after a step without rows, all pairs are in ascending order of
    ///   `(a, b)`, or of `(body, static_row)`.
    /// - If *many* rows changed, pairs are in the order of `step`. These are many if `6 * again +
    ///   22 * new > rows`, where `again` rows changed in the last step too, `new` rows did not, and
    ///   `rows` is the number of rows, of this step or of the last one if that had more.
    /// - If all rows are stepped for another reason (see below), all pairs are in ascending order.
    /// - Pairs with a row that changed in this step and in the last one come first, then all
    ///   others. Both parts are in ascending order.
    ///
    /// Rows that were named, added or removed have changed, and so have bodies at statics that
    /// changed (see below). No row counts as changed in the last step if that was the first one or
    /// was made by another method, or if before it [`set_statics`](Self::set_statics) was called or
    /// so many statics changed that it stepped all rows (see below).
    ///
    /// The order of query hits, of [`spatial_order`](Self::spatial_order) and of
    /// [`par_for_each_pair_mut`](Contacts::par_for_each_pair_mut) depends on earlier steps too.
    ///
    /// # Cost
    ///
    /// O(changed rows + their pairs), in parallel, and for flags a pass over these. In a crowd of a
    /// million, a row that changes in each step costs 5 to 11 times as much as a row of `step`:
    /// least if one in twenty changes, most if one in a thousand does. The neighbors of such a row
    /// need not be searched for in each step: a list of them lasts until the row has moved on, or
    /// a body near it changes or comes to rest. A row that did not change in the last step costs
    /// 20 to 45 times as much as a row of `step`. Besides:
    ///
    /// - If the list is empty, and that of the last step was, it takes 0.1 microseconds, however
    ///   many rows there are. (Not with tracked contacts, while a reader or a snapshot has the last
    ///   step, after a change of statics, when all rows are to be filed again, or with debug
    ///   assertions.)
    /// - If many rows changed, this is `step`, once the list has been read: more than one in six if
    ///   the same rows change in each step, more than one in 22 if others do.
    /// - All rows are stepped, in up to three times the time of `step`, if there is nothing to
    ///   start from: the first time, after any other step, after one in which many rows changed,
    ///   after [`set_statics`](Self::set_statics), [`shift_origin`](Self::shift_origin) or a panic
    ///   in a step, while rows are [skipped](crate::InvalidRows::Skip), and when the first filter,
    ///   id or, in a world of circles, displacement appears, or the last one disappears. Such a
    ///   step allocates some tens of bytes per pair for its duration.
    /// - If statics were inserted, replaced, removed, enabled or disabled since the last step, each
    ///   body whose box of the last step touches the old or the new box of such a static counts as
    ///   a changed row, without being named.
    /// - All rows are stepped if more than 512 statics were replaced, or more than 1,024 were
    ///   changed in another way, since the last step. (The boxes of these changes are kept, up to
    ///   1,024; a replacement has two, any other change one.)
    /// - Rows that have left the cells in which they were filed, and then rest, are in a grid of
    ///   their own, which is made anew whenever further rows come to it. Once that has cost as much
    ///   as filing all rows, all rows are filed, in about the time of `step`.
    /// - If a body changed that is oversized, all oversized bodies are filed again.
    /// - With tracked contacts, a row whose id changes costs several microseconds more than one
    ///   that keeps it; so does a row with an id that is added or removed. With a
    ///   [margin](WorldConfig::with_margin), each contact without a pair is looked at.
    /// - If there are [readers](Self::reader), the rows changed in the last two steps are copied,
    ///   or all rows if each free copy is more than four steps old.
    ///
    /// Memory: 8 bytes per body and about 10 per pair more than `step` takes, some tens for each
    /// pair with a changed row, and up to a kilobyte for each row that keeps changing.
    pub fn step_changed<'a, 'c>(
        &mut self,
        bodies: impl AsRef<[Bodies<'a>]>,
        changed: impl Into<ChangedRows<'c>>,
    ) -> Result<Contacts<'_>, Error> {
        let (bodies, changed) = (bodies.as_ref(), changed.into());
        self.recorded(Call::StepChanged(bodies, changed), |state| state.step_changed(bodies, changed))?;
        Ok(self.contacts())
    }

    /// Like [`step`](Self::step), but also delivers each page of pairs as soon as it is complete.
    ///
    /// A page is a slice of up to a few thousand pairs. `on_page` is called by the thread that
    /// completed the page, so several threads may call it at the same time.
    ///
    /// Pages are provisional until the step returns. If it returns `Ok`, they contain exactly the
    /// pairs of the step; sorted by [`sequence`](StreamedPage::sequence), they are the pages of the
    /// contacts. If it returns `Err`, discard them. At most as many pairs are delivered as the
    /// [limit](WorldConfig::with_pair_limit) allows.
    ///
    /// `on_page` may start work of its own on the thread pool. The step waits for each call, so do
    /// long work after the step, or at the other end of a [channel](Self::step_to_channel). A
    /// [step that is told what changed](Self::step_changed) has no such form: use
    /// [`changed_pairs`](Contacts::changed_pairs).
    ///
    /// ```
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    /// use triphase::{Bodies, PagePairs, World};
    ///
    /// let mut world = World::default();
    /// world.set_statics(&[[0.0f32, -1.0, 100.0, 0.0]])?;
    /// let centers = [[1.0f32, 0.4], [1.6, 0.4], [50.0, 9.0]];
    /// let (body_pairs, static_pairs) = (AtomicUsize::new(0), AtomicUsize::new(0));
    /// world.step_streamed(Bodies::uniform(&centers, [0.5, 0.5]), |page| match page.pairs() {
    ///     PagePairs::Body(pairs) => _ = body_pairs.fetch_add(pairs.len(), Ordering::Relaxed),
    ///     PagePairs::Static(pairs) => _ = static_pairs.fetch_add(pairs.len(), Ordering::Relaxed),
    /// })?;
    /// assert_eq!((body_pairs.into_inner(), static_pairs.into_inner()), (1, 2));
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`step`](Self::step).
    ///
    /// # Panics
    ///
    /// Panics if `on_page` does. Other threads may still call `on_page` until the panic has reached
    /// the caller. The world keeps its last successful step, and can step again.
    ///
    /// # Determinism
    ///
    /// Pages and their sequence numbers depend only on input, settings, and the static set with the
    /// changes made to it since it was set. When and on which thread a page is delivered depends on
    /// timing. On a single thread, body pages are delivered in order, and so are static pages.
    ///
    /// # Cost
    ///
    /// That of `step`, and a call per page. The pages of a very large or very dense part of the
    /// world arrive together, once that part is complete. Allocates no more than `step`, unless
    /// `on_page` uses the pool: a thread that waits in `on_page` may then start another task of the
    /// step, which needs memory of its own.
    pub fn step_streamed<'a>(
        &mut self,
        bodies: impl AsRef<[Bodies<'a>]>,
        on_page: impl Fn(StreamedPage<'_>) + Sync,
    ) -> Result<Contacts<'_>, Error> {
        let bodies = bodies.as_ref();
        self.recorded(Call::Step(bodies), |state| {
            state.step(bodies, Some(&|sequence, pairs| on_page(StreamedPage::new(sequence, pairs))))
        })?;
        Ok(self.contacts())
    }

    /// Like [`step`](Self::step), but also sends a copy of each page of pairs to a channel as soon
    /// as the page is complete.
    ///
    /// After its pages, the step sends one message with its outcome. While the channel is full the
    /// step waits, so the consumer must not run on the threads of the step. If the receiver is
    /// dropped, the step continues without it. See [`stream`](crate::stream) for an example.
    ///
    /// # Errors
    ///
    /// Those of [`step`](Self::step). The consumer receives a clone of the error.
    ///
    /// # Determinism
    ///
    /// As in [`step_streamed`](Self::step_streamed).
    ///
    /// # Cost
    ///
    /// A copy of the pairs, in pages of up to 16 KiB, and a message per page.
    pub fn step_to_channel<'a>(
        &mut self,
        bodies: impl AsRef<[Bodies<'a>]>,
        sender: &Sender,
    ) -> Result<Contacts<'_>, Error> {
        let stream = StepStream::new(sender);
        let bodies = bodies.as_ref();
        let outcome = self.recorded(Call::Step(bodies), |state| {
            state.step(bodies, Some(&|sequence, pairs| stream.send_page(sequence, pairs)))
        });
        stream.close(outcome.clone().map(|()| self.state.contacts.summary(self.step_number())));
        outcome.map(|()| self.contacts())
    }

    /// The number of successful steps so far.
    pub fn step_number(&self) -> u64 {
        self.state.frames.front().step
    }

    /// The rows that the last successful step skipped, ascending; see
    /// [`InvalidRows::Skip`](crate::InvalidRows::Skip).
    pub fn skipped_rows(&self) -> &[InvalidRow] {
        &self.state.frames.front().skipped
    }
}

/// # Statics
impl World {
    /// Replaces the static set, with all statics enabled.
    ///
    /// Queries see the new set at once. There are no static pairs until the next step. Until then,
    /// [events](Contacts::events) are those of the last step: their static rows are rows of the old
    /// set. [Readers](Self::reader) see the new set from the next step on; until then the old set
    /// stays in memory for them.
    ///
    /// ```
    /// use triphase::{Statics, World};
    ///
    /// let mut world = World::default();
    /// world.set_statics(&[[0.0f32, -1.0, 100.0, 0.0]])?;
    /// assert_eq!(world.statics().len(), 1);
    /// world.set_statics(Statics::default())?; // remove all
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidStatic`] names the lowest invalid row. Also
    /// [`Error::StaticColumnLengthMismatch`], [`Error::TooManyRows`] and, if contacts are tracked,
    /// [`Error::DuplicateStaticId`]. On an error the old set stays.
    ///
    /// # Cost
    ///
    /// O(n log n) for `n` boxes: builds a tree, in parallel if the set is large. A million boxes
    /// take a few hundred milliseconds. The first step in which some part of the world has more
    /// than a few statics also sorts all statics into a grid, which takes up to 300 milliseconds
    /// for a million, and 30 to 200 bytes for each static while the world keeps it. A step with
    /// bodies of another size may have to make another grid; up to three are kept. To open a door,
    /// use [`set_static_enabled`](Self::set_static_enabled). To change a few statics, use
    /// [`insert_statics`](Self::insert_statics), [`replace_statics`](Self::replace_statics) and
    /// [`remove_statics`](Self::remove_statics).
    pub fn set_statics<'s>(&mut self, statics: impl Into<Statics<'s>>) -> Result<(), Error> {
        let statics = statics.into();
        self.recorded(Call::SetStatics(statics), |state| {
            let _span = span!("build_statics", statics = statics.aabbs.len());
            let tree = StaticTree::build(statics, state.config.may_use_threads())?;
            if state.config.contact_tracking {
                check_static_ids(&tree)?;
            }
            state.history.count_set_statics(&state.statics.tree, &tree);
            state.statics.replace(tree);
            state.contacts.clear_statics();
            Ok(())
        })
    }

    /// Enables or disables a static, and returns whether it was enabled before.
    ///
    /// For doors; to destroy a wall, use [`remove_statics`](Self::remove_statics). Queries see the
    /// change at once, contact pairs and [readers](Self::reader) from the next step on.
    ///
    /// ```
    /// use triphase::{Bodies, World};
    ///
    /// let mut world = World::default();
    /// world.set_statics(&[[0.0f32, 0.0, 1.0, 9.0]])?; // a door
    /// let bodies = [[0.5f32, 4.0]];
    /// assert_eq!(world.step(Bodies::uniform(&bodies, [0.5, 0.5]))?.static_pairs().len(), 1);
    ///
    /// assert_eq!(world.set_static_enabled(0, false)?, true);
    /// assert_eq!(world.step(Bodies::uniform(&bodies, [0.5, 0.5]))?.static_pairs().len(), 0);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::StaticOutOfRange`] if there is no such row, [`Error::StaticRemoved`] if its static
    /// was removed.
    ///
    /// # Cost
    ///
    /// O(log k) if k rows were inserted, replaced or removed since the tree was built; see
    /// [`insert_statics`](Self::insert_statics).
    pub fn set_static_enabled(&mut self, row: u32, enabled: bool) -> Result<bool, Error> {
        self.recorded(Call::SetStaticEnabled(row, enabled), |state| state.statics.set_enabled(row, enabled))
    }

    /// Appends statics, all enabled, and returns their rows.
    ///
    /// For a wall that is built. Queries see it at once, contact pairs and [readers](Self::reader)
    /// from the next step on.
    ///
    /// Rows are never renumbered, and rows of removed statics remain. To reuse such rows, call
    /// [`replace_statics`](Self::replace_statics) instead.
    ///
    /// The statics need ids if the set has ids, and must not have them if it has none. An empty set
    /// takes either; one whose statics were all removed is not empty until it is
    /// [set](Self::set_statics) again. The id of a removed static may be used again.
    ///
    /// Without filters, the statics get [`Filter::ALL`](crate::Filter::ALL). If they have filters
    /// and the set has none, all other rows get `Filter::ALL`.
    ///
    /// ```
    /// use triphase::{Bodies, World};
    ///
    /// let mut world = World::default();
    /// world.set_statics(&[[0.0f32, -1.0, 100.0, 0.0]])?; // the ground
    /// let bridge = world.insert_statics(&[[20.0f32, 5.0, 40.0, 6.0], [40.0, 5.0, 60.0, 6.0]])?;
    /// assert_eq!(bridge, 1..3);
    /// let bodies = [[30.0f32, 6.4]];
    /// assert_eq!(world.step(Bodies::uniform(&bodies, [0.5, 0.5]))?.static_pairs().len(), 1);
    ///
    /// world.remove_statics(&[1])?; // it burns
    /// assert_eq!(world.step(Bodies::uniform(&bodies, [0.5, 0.5]))?.static_pairs().len(), 0);
    /// world.replace_statics(&[1, 2], &[[20.0f32, 7.0, 40.0, 8.0], [40.0, 7.0, 60.0, 8.0]])?;
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// - [`Error::InvalidStatic`] names the lowest invalid row, counted among the given statics.
    /// - [`Error::StaticColumnLengthMismatch`] if there are not as many ids or filters as boxes.
    /// - [`Error::TooManyRows`] if the set would have more than 2^32 - 2 rows.
    /// - [`Error::InconsistentStaticIds`] if only one of the set and the given statics has ids,
    ///   unless one of them is empty.
    /// - [`Error::DuplicateStaticId`] if contacts are tracked. Its rows are those of the whole set.
    ///
    /// On an error nothing changes.
    ///
    /// # Cost
    ///
    /// O(k log k) if k rows were inserted, replaced or removed since the tree was built, these
    /// included ([`StaticTree::changed_count`], and in the [report](Self::report)). Also copies two
    /// bits per row of the set, and each chunk of 1,024 rows in which a row changes. Once k exceeds
    /// 64 and a sixteenth of the rows, the tree is built anew, as by `set_statics`, and k is 0
    /// again. With tracked contacts and ids, also compares the id of each row with the given ones.
    ///
    /// On one thread of an Intel Xeon (Emerald Rapids) at about 2 GHz, replacing one of 100,000
    /// statics takes 5 microseconds, 125 after 1,000 others were changed, and 600 after 5,000;
    /// `set_statics` of all takes 23 milliseconds (`cargo bench --bench statics -- change/`).
    ///
    /// The next [`step_changed`](Self::step_changed) searches anew for the pairs of all bodies that
    /// touch the old or the new boxes.
    pub fn insert_statics<'s>(&mut self, statics: impl Into<Statics<'s>>) -> Result<Range<u32>, Error> {
        let statics = statics.into();
        self.recorded(Call::InsertStatics(statics), |state| {
            state.edit_statics(&[], |tree, parallel| tree.insert_statics(&statics, parallel).map(drop))
        })
    }

    /// Replaces the statics of some rows, and enables these rows.
    ///
    /// `rows[k]` gets static `k`; a row that is named twice gets the last of its statics. Rows
    /// whose statics were removed may be named, too. For ids and filters, and for an example, see
    /// [`insert_statics`](Self::insert_statics).
    ///
    /// Queries see the new statics at once. Until the next step, contacts and
    /// [readers](Self::reader) still have the old ones; but [`Contacts::static_id`] reads the set
    /// of the world, so it already returns the new ids. Which tracked contacts persist is described
    /// at [`persisting_static`](crate::ContactEvents::persisting_static).
    ///
    /// # Errors
    ///
    /// Those of [`insert_statics`](Self::insert_statics), where [`Error::InvalidStatic`] counts
    /// among the given statics, too. Also [`Error::StaticOutOfRange`] if there is no such row, and
    /// [`Error::StaticCountMismatch`] if there are not as many statics as rows.
    ///
    /// # Cost
    ///
    /// That of [`insert_statics`](Self::insert_statics).
    pub fn replace_statics<'s>(&mut self, rows: &[u32], statics: impl Into<Statics<'s>>) -> Result<(), Error> {
        let statics = statics.into();
        self.recorded(Call::ReplaceStatics(rows, statics), |state| {
            state.edit_statics(rows, |tree, parallel| tree.replace_statics(rows, &statics, parallel)).map(drop)
        })
    }

    /// Removes the statics of some rows.
    ///
    /// The rows remain, without boxes; [`replace_statics`](Self::replace_statics) gives them new
    /// ones. A static that was removed before stays removed. Queries see the change at once,
    /// contact pairs and [readers](Self::reader) from the next step on. See
    /// [`insert_statics`](Self::insert_statics) for an example. For a door, which closes again, use
    /// [`set_static_enabled`](Self::set_static_enabled) instead.
    ///
    /// # Errors
    ///
    /// [`Error::StaticOutOfRange`] if there is no such row. Then nothing changes.
    ///
    /// # Cost
    ///
    /// That of [`insert_statics`](Self::insert_statics). A row whose static was removed before the
    /// tree was built counts again.
    pub fn remove_statics(&mut self, rows: &[u32]) -> Result<(), Error> {
        self.recorded(Call::RemoveStatics(rows), |state| {
            state.edit_statics(rows, |tree, parallel| tree.remove_statics(rows, parallel)).map(drop)
        })
    }

    /// The static set: its boxes, ids and filters by row, and which rows are enabled.
    pub fn statics(&self) -> &StaticTree {
        &self.state.statics.tree
    }
}

/// # Contacts
impl World {
    /// The contacts of the last successful step, with a shared borrow.
    ///
    /// The contacts that [`step`](Self::step) returns borrow the world mutably. These do not, so
    /// the world can be queried while they are iterated. Empty before the first step.
    pub fn contacts(&self) -> Contacts<'_> {
        self.state.contacts()
    }

    /// Mutable access to the values of tracked contacts.
    ///
    /// `None` unless [`WorldConfig::with_contact_tracking`] is on. See
    /// [`ContactEvents`](crate::ContactEvents) for an example.
    pub fn events_mut(&mut self) -> Option<ContactEventsMut<'_>> {
        self.state.contacts.events.as_deref_mut().map(ContactEventsMut::new)
    }
}

/// # Queries, and snapshots for other threads
impl World {
    /// Returns a builder of queries, with every query and every restriction; see [`QueryBuilder`].
    ///
    /// Queries find the bodies of the last successful step, and the statics that are enabled now.
    ///
    /// ```
    /// use triphase::{Aabb, Bodies, Hit, World};
    /// let mut world = World::default();
    /// world.set_statics(&[[0.0f32, -1.0, 100.0, 0.0]])?;
    /// world.step(Bodies::uniform(&[[2.0f32, 0.5], [4.0, 0.5]], [0.5, 0.5]))?;
    /// let others = world.query().only_bodies().exclude_bodies(&[0]);
    /// let area = Aabb::new([0.0, 0.0], [9.0, 9.0])?;
    /// assert!(others.query_aabb(area).eq([Hit::Body { row: 1, id: None }]));
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn query(&self) -> QueryBuilder<'_> {
        QueryBuilder::of_frame(self.state.frames.front(), &self.state.statics.tree, self.state.config.may_use_threads())
    }

    /// Finds all entities whose boxes overlap `area`; see [`QueryBuilder::query_aabb`].
    ///
    /// ```
    /// use triphase::{Aabb, Bodies, World};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[2.0f32, 0.5], [40.0, 0.5]], [0.5, 0.5]))?;
    /// for hit in world.query_aabb(Aabb::new([0.0, 0.0], [9.0, 9.0])?) {
    ///     println!("in view: {hit:?}");
    /// }
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn query_aabb(&self, area: Aabb) -> Hits<'_> {
        self.query().query_aabb(area)
    }

    /// Finds all entities whose boxes overlap a circle; see [`QueryBuilder::query_circle`].
    ///
    /// ```
    /// use triphase::{Bodies, Circle, World};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[1.0f32, 1.0], [4.0, 1.0]], [0.5, 0.5]))?;
    /// assert_eq!(world.query_circle(Circle::new([0.0, 1.0], 2.0)?).count(), 1);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn query_circle(&self, circle: Circle) -> Hits<'_> {
        self.query().query_circle(circle)
    }

    /// Finds the entity nearest to a point; see [`QueryBuilder::nearest`].
    ///
    /// ```
    /// use triphase::{Bodies, Point, World};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[1.0f32, 0.0], [5.0, 0.0]], [0.5, 0.5]))?;
    /// assert_eq!(world.nearest(Point::new([3.5, 0.0])?).unwrap().distance, 1.0);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn nearest(&self, point: Point) -> Option<Neighbor> {
        self.query().nearest(point)
    }

    /// Finds the first entity that a ray hits; see [`QueryBuilder::cast_ray`].
    ///
    /// ```
    /// use triphase::{Bodies, Ray, World};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[9.0f32, 0.0], [5.0, 0.0]], [0.5, 0.5]))?;
    /// let ray = Ray::new([0.0, 0.0], [1.0, 0.0], 100.0)?;
    /// assert_eq!(world.cast_ray(ray).unwrap().time_of_impact, 4.5);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn cast_ray(&self, ray: Ray) -> Option<CastHit> {
        self.query().cast_ray(ray)
    }

    /// The box of a body in the last successful step, as `[min_x, min_y, max_x, max_y]`.
    ///
    /// This is the box that the step tested: computed in f32, and extended by the displacement.
    /// Its edges may have rounded to infinity. The sign of an edge that is zero is not specified:
    /// compare edges with `==`, not by their bits. Edges that overflow are infinite, so this is no
    /// [`Aabb`]; for a query, make one by `Aabb::try_from`. Returns `None` if the row was skipped
    /// or does not exist.
    ///
    /// ```
    /// use triphase::{Bodies, World};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[1.0f32, 2.0]], [0.5, 0.5]))?;
    /// assert_eq!(world.aabb(0), Some([0.5, 1.5, 1.5, 2.5]));
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Cost
    ///
    /// The first call after a step takes O(rows) time and 16 bytes per row; later calls take O(1).
    pub fn aabb(&self, row: u32) -> Option<RawAabb> {
        self.state.frames.front().aabb(row)
    }

    /// Creates a handle through which other threads get the last completed step.
    ///
    /// They can query it while the next step runs: to draw, to play sounds, to find paths, or to
    /// answer the clients of a server.
    ///
    /// ```
    /// use triphase::{Aabb, Bodies, World};
    ///
    /// let mut world = World::default();
    /// world.set_statics(&[[0.0f32, -1.0, 100.0, 0.0]])?;
    /// let mut centers = vec![[1.0f32, 1.0], [50.0, 1.0]];
    /// world.step(Bodies::uniform(&centers, [0.5, 0.5]))?;
    ///
    /// let reader = world.reader();
    /// let view = Aabb::new([0.0, -5.0], [9.0, 5.0])?;
    /// std::thread::scope(|scope| {
    ///     scope.spawn(|| {
    ///         let snapshot = reader.latest(); // step 1 or a later one; it does not change
    ///         let drawn = snapshot.query_aabb(view).count();
    ///         assert_eq!(drawn, snapshot.query_aabb(view).count());
    ///         assert!(snapshot.step_number() >= 1 && drawn >= 2); // the ground and a body
    ///     });
    ///     for _ in 0..10 {
    ///         centers[1][0] -= 4.5;
    ///         world.step(Bodies::uniform(&centers, [0.5, 0.5])).expect("valid bodies");
    ///     }
    /// });
    /// let latest = reader.latest();
    /// assert_eq!((latest.step_number(), latest.query_aabb(view).count()), (11, 3));
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Determinism
    ///
    /// Which step a reader gets depends on timing; the content of a step does not. Readers do not
    /// affect steps.
    ///
    /// # Cost
    ///
    /// O(1). Steps and queries never block each other for longer than it takes to copy a pointer.
    /// While there are readers, each step copies its ids (8 bytes per body, if there are ids) and
    /// is built in memory that no [`Snapshot`](crate::Snapshot) uses. If snapshots keep at most two
    /// earlier steps at a time, steps reuse the memory of older ones and allocate nothing.
    pub fn reader(&self) -> SnapshotReader {
        SnapshotReader::new(self.state.frames.publish(), self.state.config.may_use_threads())
    }

    /// Visits the parts of the three tiers' structures, for debug drawing.
    ///
    /// These are the bands, cells and ghosts of the point grids, the loose and tight cells, and the
    /// nodes and leaves of the static tree; see [`DebugShape`]. Grids are those of the last
    /// successful step. After [`step_changed`](Self::step_changed) they are those of the step that
    /// filed all rows last, with further ones for the rows that have moved since: such a row is
    /// counted in both.
    ///
    /// # Cost
    ///
    /// O(cells + ghosts + nodes).
    pub fn visit_debug_shapes(&self, visitor: impl FnMut(DebugShape)) {
        self.state.frames.front().visit_debug_shapes(&self.state.statics.tree, visitor);
    }
}

/// # Maintenance
impl World {
    /// Writes to `order` the rows of the last step, sorted so that nearby bodies are adjacent.
    ///
    /// `order` is cleared first, and then contains each row once: row `order[k]` belongs at
    /// position `k`. If you sort your columns by it once in a hundred frames or so, loops over
    /// contacts find both rows of a pair close together in memory, and steps with a million bodies
    /// become faster too. The order stays useful for many frames, as bodies leave their neighbors
    /// slowly.
    ///
    /// Reordering your columns invalidates the rows in contacts, in hits and in your own data. Use
    /// the results of the last step before you reorder, and keep ids for references that must
    /// outlast it.
    ///
    /// Common bodies come first, in cell order. If some have moved since
    /// [`step_changed`](Self::step_changed) filed all rows, these follow the other common bodies,
    /// in cell order too. So do bodies whose pairs are [reused](crate::Bodies::with_asleep).
    /// Oversized bodies come next, then [skipped rows](Self::skipped_rows). Before the first step
    /// `order` is empty. A failed step does not change the order.
    ///
    /// ```
    /// use triphase::{Bodies, World};
    ///
    /// /// Sorts a column through a reused buffer.
    /// fn reorder<T: Copy>(column: &mut Vec<T>, order: &[u32], buffer: &mut Vec<T>) {
    ///     buffer.clear();
    ///     buffer.extend(order.iter().map(|&row| column[row as usize]));
    ///     std::mem::swap(column, buffer);
    /// }
    ///
    /// // A thousand bodies in a line, each overlapping the next, in random row order.
    /// let mut ids: Vec<u64> = (0..1000).map(|row| row * 617 % 1000).collect();
    /// let mut centers: Vec<[f32; 2]> = ids.iter().map(|&id| [id as f32, 0.0]).collect();
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&centers, [0.6, 0.6]).with_ids(&ids))?;
    ///
    /// let mut order = Vec::new();
    /// world.spatial_order(&mut order);
    /// reorder(&mut centers, &order, &mut Vec::new());
    /// reorder(&mut ids, &order, &mut Vec::new());
    ///
    /// let contacts = world.step(Bodies::uniform(&centers, [0.6, 0.6]).with_ids(&ids))?;
    /// assert_eq!(contacts.body_pairs().len(), 999);
    /// assert!(contacts.body_pairs().all(|pair| pair.b - pair.a < 100)); // close in memory too
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// With several chunks, rows are numbered through all of them. To sort one chunk, keep only its
    /// rows: they are in spatial order as well.
    ///
    /// ```
    /// use triphase::{Bodies, World};
    /// let mut world = World::default();
    /// let orcs = [[0.0f32, 0.0], [90.0, 0.0], [0.5, 0.0]];
    /// let arrows = [[90.0f32, 0.1], [0.2, 0.1]];
    /// world.step(&[Bodies::uniform(&orcs, [0.5, 0.5]), Bodies::uniform(&arrows, [0.1, 0.1])])?;
    /// let mut order = Vec::new();
    /// world.spatial_order(&mut order);
    /// let first_arrow = orcs.len() as u32;
    /// let orc_order: Vec<u32> = order.iter().copied().filter(|&row| row < first_arrow).collect();
    /// assert_eq!(orc_order.len(), orcs.len());
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Determinism
    ///
    /// Like the order of pairs, it depends only on input and settings, and on earlier steps only
    /// with [`Bodies::with_asleep`] and [`step_changed`](Self::step_changed). It may change between
    /// versions of this crate.
    ///
    /// # Cost
    ///
    /// O(rows) on the calling thread: four bytes are copied per row. Allocates only if `order` has
    /// too little capacity.
    pub fn spatial_order(&self, order: &mut Vec<u32>) {
        self.state.frames.front().write_spatial_order(order);
    }

    /// Moves the origin of coordinates to `by`, so that the active part of a large world stays near
    /// the origin.
    ///
    /// Each edge of each stored box becomes `edge - by`, computed in f32. Subtract `by` from your
    /// columns before the next step, and from the shapes of all further queries. The next
    /// [`step_changed`](Self::step_changed) reads all rows; none has to be named.
    ///
    /// Statics keep their rows, ids and filters, and stay enabled or disabled. Queries of the world
    /// and of new snapshots find the bodies of the last step at their new coordinates; a
    /// [`Snapshot`](crate::Snapshot) taken before keeps the old ones. Contacts, [skipped
    /// rows](Self::skipped_rows) and the [step number](Self::step_number) do not change.
    ///
    /// Because of rounding, boxes that touched may no longer touch, or vice versa.
    ///
    /// ```
    /// use triphase::{Aabb, Bodies, World};
    ///
    /// let mut world = World::default();
    /// world.set_statics(&[[100_000.0f32, 0.0, 100_010.0, 1.0]])?;
    /// let mut centers = [[100_004.0f32, 1.25], [100_050.0, 9.0]];
    /// world.step(Bodies::uniform(&centers, [0.5, 0.5]))?;
    ///
    /// let by = [100_000.0, 0.0];
    /// world.shift_origin(by)?;
    /// assert_eq!(world.query_aabb(Aabb::new([0.0, 0.0], [10.0, 5.0])?).count(), 2);
    ///
    /// for center in &mut centers {
    ///     *center = [center[0] - by[0], center[1] - by[1]];
    /// }
    /// let contacts = world.step(Bodies::uniform(&centers, [0.5, 0.5]))?;
    /// assert_eq!(contacts.static_pairs().len(), 1);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidOrigin`] if `by` is not finite. [`Error::InvalidStatic`] if an edge of a
    /// static would not be finite; it names the lowest such row. After an error, nothing has
    /// changed. Until the next step, [readers](Self::reader) see the static set of the last step.
    /// If that older set has an edge that would not be finite, and the present one has none, the
    /// call succeeds, and readers see the present set at once. (An edge of a body may become
    /// infinite, as it may in a step.)
    ///
    /// # Determinism
    ///
    /// The result depends only on the statics and the boxes of the last step. Queries return hits
    /// in the same order as after a step with the shifted boxes as [`Bodies::from_aabbs`].
    ///
    /// # Cost
    ///
    /// O(statics log statics), as [`set_statics`](Self::set_statics), plus about half of a step.
    /// Allocates 16 bytes per body and 32 per static while it runs. Call it when f32 becomes too
    /// coarse, and shift by thousands of units, rather than by a little in every frame.
    pub fn shift_origin(&mut self, by: impl Into<[f32; 2]>) -> Result<(), Error> {
        let by = by.into();
        self.recorded(Call::ShiftOrigin(by), |state| {
            if let Some(axis) = (0..2).find(|&axis| !by[axis].is_finite()) {
                return Err(Error::InvalidOrigin { axis, value: by[axis] });
            }
            state.shift_origin(by)
        })
    }

    /// Releases all memory that is not needed to keep the last step.
    ///
    /// [`step`](Self::step) releases memory by itself after 256 to 511 steps that needed less than
    /// half of it. Call this to release it sooner, or to release temporary memory too, which the
    /// next step allocates again. A step that a [`Snapshot`](crate::Snapshot) keeps is released
    /// with the last snapshot of it. While there are [readers](Self::reader), the excess memory of
    /// the last step is released by the next one.
    ///
    /// # Determinism
    ///
    /// Later steps find the same pairs. Their order may be another with
    /// [`with_asleep`](Bodies::with_asleep): in lockstep, call this after the same step everywhere.
    pub fn shrink_to_fit(&mut self) {
        // It cannot fail.
        let _ = self.recorded(Call::ShrinkToFit, |state| {
            state.shrink_to_fit();
            Ok(())
        });
    }

    /// Reports counts, memory and times of the last step, and what to change if a step, or the
    /// memory of the world, costs more than it has to.
    ///
    /// ```
    /// use triphase::{Advice, Bodies, World, WorldConfig};
    ///
    /// let mut world = World::new(WorldConfig::new().with_bound(0.1))?;
    /// let centers: Vec<[f32; 2]> = (0..2000).map(|k| [k as f32, 0.0]).collect();
    /// world.step(Bodies::uniform(&centers, [0.5, 0.5]))?;
    /// let report = world.report();
    /// assert!(matches!(report.advice[..], [Advice::OversizedBodies { bound: 0.1, .. }]));
    /// for advice in &report.advice {
    ///     println!("{advice}");
    /// }
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Cost
    ///
    /// O(cells), and if contacts are tracked O(bodies / 4096). Meant for occasional use, not for
    /// every frame.
    pub fn report(&self) -> Report {
        let mut report = Report::new(&self.state);
        report.advice = advice_rules::advice(&self.state, &report);
        report
    }

    /// Saves the world as a value to serialize with any `serde` format. (Feature `serde`.)
    ///
    /// It contains the settings, the statics with their ids and filters and which of them are
    /// enabled, the tracked contacts with their values, and the step number. It does not contain
    /// bodies, which are in your columns.
    ///
    /// ```
    /// use triphase::{Bodies, SavedWorld, World, WorldConfig};
    ///
    /// let mut world = World::new(WorldConfig::new().with_bound(0.5))?;
    /// world.set_statics(&[[0.0f32, -1.0, 100.0, 0.0], [3.0, 0.0, 4.0, 9.0]])?;
    /// world.set_static_enabled(1, false)?;
    /// let centers = [[1.0f32, 0.4], [3.5, 0.2]];
    /// world.step(Bodies::uniform(&centers, [0.5, 0.5]))?;
    /// let saved: SavedWorld = world.save(); // implements `Serialize` and `Deserialize`
    ///
    /// let mut restored = World::restore(saved)?;
    /// assert_eq!(restored.statics().is_enabled(1), Some(false));
    /// let contacts = restored.step(Bodies::uniform(&centers, [0.5, 0.5]))?;
    /// assert_eq!(contacts.static_pairs().len(), 2); // with the ground
    /// assert_eq!(restored.step_number(), 2);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Cost
    ///
    /// O(statics + tracked contacts). Memory: 16 bytes per row of the static set, 8 each for its id
    /// and filter, 20 if it was changed since the tree was built, and 4 if it is disabled; 12 bytes
    /// per contact, and 8 per body with tracked contacts.
    #[cfg(feature = "serde")]
    pub fn save(&self) -> SavedWorld {
        SavedWorld::new(&self.state.config, self.step_number(), &self.state.statics, &self.state.contacts)
    }

    /// Restores a [saved](Self::save) world. (Feature `serde`.)
    ///
    /// Its steps find the same pairs in the same order as those of the saved world, and [tracked
    /// contacts](WorldConfig::with_contact_tracking) continue with their values. (The order may
    /// differ with bodies [marked as asleep](Bodies::with_asleep) and after
    /// [`step_changed`](Self::step_changed), where it depends on earlier steps.) Until the first
    /// step, the world has no bodies and no pairs; its statics can be queried at once.
    ///
    /// What began and ended in the last step before the save is not saved, so handle events before
    /// you save. Until the first step, all saved contacts are among those that persist, with the
    /// rows of the saved step; [`Contacts::body_id`] knows no ids yet.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidSave`] if the data is damaged or of an unknown version; it names the damaged
    /// part.
    ///
    /// # Cost
    ///
    /// That of [`set_statics`](Self::set_statics), plus O(tracked contacts).
    #[cfg(feature = "serde")]
    pub fn restore(saved: SavedWorld) -> Result<Self, Error> {
        Ok(Self { state: saved.restore()?, ..Self::default() })
    }
}

/// # Recording
#[cfg(feature = "record")]
impl World {
    /// Records all steps, and all changes of statics, of the origin and of memory, from now on, and
    /// what they return. (Feature `record`.)
    ///
    /// Values that are set by [`events_mut`](Self::events_mut) are not recorded: when the calls are
    /// made again, values are 0.
    ///
    /// The recording has the settings, the statics, and the columns of each step bit for bit, so
    /// [`Recording`](crate::record::Recording) can make the same calls again: to find out why a
    /// step is slow or wrong, or to report it. See the module [`record`](crate::record) for an
    /// example.
    ///
    /// Each call is written before it runs, so a recording survives a crash of the program; pass a
    /// [`File`](std::fs::File), which needs no buffer. Columns that do not change are not written
    /// again. Begin before the first step to get the order of pairs and the events of all steps,
    /// see [`Recording::start_step`](crate::record::Recording::start_step).
    ///
    /// A recording that was under way is ended.
    ///
    /// # Errors
    ///
    /// Those of the writer, and those of [`stop_recording`](Self::stop_recording) of a recording
    /// that was under way. Then nothing is recorded. An error of the writer in a later call does
    /// not affect that call: it ends the recording, see [`recording_error`](Self::recording_error).
    ///
    /// # Cost
    ///
    /// A pass over the columns and one over the pairs in each step, and what the writer takes. A
    /// function for ids is called once more per row. Memory: a copy of the columns, and as much for
    /// the largest record; another for columns that are strided or computed.
    pub fn record_to(&mut self, writer: impl std::io::Write + Send + 'static) -> std::io::Result<()> {
        self.recorder.end()?;
        self.recorder = Recorder::begin(Box::new(writer), &self.state)?;
        Ok(())
    }

    /// Ends the recording and flushes its writer; returns what was written. (Feature `record`.)
    ///
    /// Returns zeros if there is no recording. If the world is dropped instead, the recording lacks
    /// its end, but no call.
    ///
    /// # Errors
    ///
    /// The first error of the writer. The calls before it were recorded.
    pub fn stop_recording(&mut self) -> std::io::Result<RecordingSummary> {
        self.recorder.end()
    }

    /// The error of the writer that ended the recording early, if one did. (Feature `record`.)
    pub fn recording_error(&self) -> Option<&std::io::Error> {
        self.recorder.error()
    }

    /// A world with this state.
    pub(crate) fn of(state: WorldState) -> Self {
        Self { state, ..Self::default() }
    }
}

impl World {
    /// Makes a call, and records it if there is a recording (RECORD-2).
    fn recorded<T>(
        &mut self,
        call: Call<'_>,
        run: impl FnOnce(&mut WorldState) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let is_step = matches!(call, Call::Step(_) | Call::StepChanged(..));
        self.recorder.call(call);
        let outcome = run(&mut self.state);
        self.recorder.outcome(&outcome, is_step, &self.state);
        outcome
    }
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World")
            .field("config", &self.state.config)
            .field("contacts", &self.contacts())
            .field("statics", &self.state.statics.tree.len())
            .finish_non_exhaustive()
    }
}

const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<World>();
    shared::<Contacts<'static>>();
    shared::<Error>();
};
