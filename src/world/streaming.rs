//! Steps that hand on their pairs while they run.

use crate::contacts::contacts::Contacts;
use crate::contacts::stream::{Committed, Sender, Sending, StreamedPage};
use crate::error::Error;
use crate::input::bodies::Bodies;
use crate::world::World;

impl World {
    /// A [`step`](Self::step) that hands on each block of pairs as soon as it is full or its task is done, while the others are
    /// still searched: to `on_block`, on whichever thread of the step found it, several at a time.
    ///
    /// Blocks are provisional until the call returns: `Ok` says that all of them count, and that there are no others; an error
    /// (there may be more pairs than [`pair_limit`](crate::WorldConfig::with_pair_limit)) that none does. No more pairs than the
    /// limit allows are handed on. Sorted by [`sequence`](StreamedPage::sequence) the blocks are those of the contacts.
    ///
    /// `on_block` may do work of its own on the threads of the pool. While it runs its thread does nothing else for the step, so
    /// what takes long is better left for after, or given to a [channel](Self::step_to_channel).
    ///
    /// ```
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    /// use triphase::{Bodies, PagePairs, World};
    ///
    /// let mut world = World::default();
    /// world.set_statics(&[[0.0f32, -1.0, 100.0, 0.0]])?;
    /// let (bodies, statics) = (AtomicUsize::new(0), AtomicUsize::new(0));
    /// let centers = [[1.0f32, 0.4], [1.6, 0.4], [50.0, 9.0]];
    /// let contacts = world.step_streamed(Bodies::uniform(&centers, [0.5, 0.5]), |block| match block.pairs() {
    ///     PagePairs::Bodies(pairs) => _ = bodies.fetch_add(pairs.len(), Ordering::Relaxed),
    ///     PagePairs::Static(pairs) => _ = statics.fetch_add(pairs.len(), Ordering::Relaxed),
    /// })?;
    /// assert_eq!((contacts.body_pairs().len(), contacts.static_pairs().len()), (1, 2));
    /// assert_eq!((bodies.into_inner(), statics.into_inner()), (1, 2));
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`step`](Self::step).
    ///
    /// # Panics
    ///
    /// When `on_block` does. Other threads may be handed blocks until the panic has reached the caller. The world then still
    /// answers from its last good step, and steps again.
    ///
    /// # Determinism
    ///
    /// Which blocks there are, and their numbers, is a pure function of columns, statics and settings. When and on which thread
    /// each comes is up to the threads; on a single thread they come in order, body blocks and static blocks each.
    ///
    /// # Cost
    ///
    /// A call a block, which is up to a few thousand pairs; blocks of very large or crowded bands come when the band is done.
    /// Allocates nothing more than `step`, unless `on_block` works on the pool itself: then a thread may take up another task
    /// of the step while it waits, with scratch that is not kept.
    pub fn step_streamed<'a>(
        &mut self,
        bodies: impl AsRef<[Bodies<'a>]>,
        on_block: impl Fn(StreamedPage<'_>) + Sync,
    ) -> Result<Contacts<'_>, Error> {
        self.build_frame(bodies.as_ref(), Some(&|sequence, pairs| on_block(StreamedPage::new(sequence, pairs))))?;
        Ok(self.contacts())
    }

    /// A [`step`](Self::step) that sends a copy of each block of pairs to a consumer on another thread as soon as it is full or
    /// its task is done, and then one message that says how the step ended. See [`stream`](crate::contacts::stream) for an example.
    ///
    /// While the channel is full the step waits, so the consumer must not run on the threads of the step. See
    /// [`channel`](crate::contacts::stream::channel) for what happens when it stops listening: the step goes on.
    ///
    /// # Errors
    ///
    /// As [`step`](Self::step). The consumer receives a clone of the error.
    ///
    /// # Determinism
    ///
    /// As [`step_streamed`](Self::step_streamed).
    ///
    /// # Cost
    ///
    /// A copy of the pairs, in blocks of up to 16 KiB, and a message each.
    pub fn step_to_channel<'a>(
        &mut self,
        bodies: impl AsRef<[Bodies<'a>]>,
        sender: &Sender,
    ) -> Result<Contacts<'_>, Error> {
        let sending = Sending::new(sender);
        let outcome = self.build_frame(bodies.as_ref(), Some(&|sequence, pairs| sending.block(sequence, pairs)));
        sending.close(outcome.clone().map(|()| Committed {
            step: self.step_number(),
            body_blocks: self.found.all_bodies().len(),
            static_blocks: self.found.all_statics().len(),
            body_pairs: self.found.body_pair_count,
            static_pairs: self.found.static_pair_count,
        }));
        outcome.map(|()| self.contacts())
    }
}
