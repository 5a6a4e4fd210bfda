//! From a step to a consumer on another thread.
//!
//! H1: a step sends its blocks and then exactly one message that closes it, however it ends: `Sending` sends it when it is
//!     dropped without having been told how the step ended, which is when the step panicked.
//! H2: a receiver that is gone is no fault: what would be sent is let go of, and nothing is copied any more.
//!
//! Cost: a copy of each block, 16 bytes for each pair read and written, and a message each.

use crate::contacts::stream::block::{Buffers, OwnedPage};
use crate::error::Error;
use crossbeam::channel as queue;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Most messages that a channel holds: memory for so many blocks, a gibibyte, is beyond any use.
pub const CAPACITY_MAX: usize = 1 << 16;

/// What a consumer receives: of each step its blocks, in the order in which they are finished, then one message that closes it.
#[derive(Debug)]
#[non_exhaustive]
pub enum Streamed {
    /// Some pairs of the step that runs: provisional until it is committed.
    Block(OwnedPage),
    /// The step succeeded: all blocks since the last closing message are its pairs, all of them.
    Committed(Committed),
    /// The step was refused: the blocks since the last closing message count for nothing. `None` says that it panicked.
    Aborted(Option<Error>),
}

/// A step that succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Committed {
    /// Its number: [`World::step_number`](crate::World::step_number).
    pub step: u64,
    /// How many blocks of pairs of bodies were sent.
    pub body_blocks: usize,
    /// How many blocks of pairs with statics were sent.
    pub static_blocks: usize,
    /// How many pairs of bodies there are.
    pub body_pairs: usize,
    /// How many pairs with statics there are.
    pub static_pairs: usize,
}

/// What both ends share.
#[derive(Default)]
struct Shared {
    buffers: Arc<Buffers>,
    receiver_gone: AtomicBool,
}

/// The end of a channel that steps send into; see [`channel`].
///
/// It is for the steps of one world at a time: messages do not say which world they are of.
pub struct Sender {
    queue: queue::Sender<Streamed>,
    shared: Arc<Shared>,
}

/// The end of a channel that a consumer takes messages from, as an iterator or one by one; see [`channel`].
pub struct Receiver {
    queue: queue::Receiver<Streamed>,
    shared: Arc<Shared>,
}

/// A channel that holds up to `capacity` messages (at most [`CAPACITY_MAX`]); with none each is handed over from hand to hand.
///
/// A step waits while the channel is full. So the consumer must not need the threads that the step runs on: a thread of its own
/// is right, a job on the step's pool is not, nor is reading after the step what did not fit. Where there is no such thread,
/// use [`World::step_streamed`](crate::World::step_streamed).
///
/// A consumer that stops listening (the receiver was dropped, or its thread panicked) ends the stream and nothing else: steps
/// succeed as ever and send no more. When the sender is dropped the consumer still receives what was sent.
///
/// # Cost
///
/// 16 KiB for each block that is on its way or held by the consumer; what was dropped is used again. A step that finds its
/// channel with room enough allocates nothing once as many blocks were held before.
pub fn channel(capacity: usize) -> (Sender, Receiver) {
    let (sender, receiver) = queue::bounded(capacity.min(CAPACITY_MAX));
    let shared = Arc::new(Shared::default());
    (Sender { queue: sender, shared: Arc::clone(&shared) }, Receiver { queue: receiver, shared })
}

impl Sender {
    /// Whether the receiver is gone, so that nothing is sent any more.
    pub fn is_closed(&self) -> bool {
        // Relaxed: nothing else is read because of it, and a send that comes too early is refused by the queue.
        self.shared.receiver_gone.load(Ordering::Relaxed)
    }

    /// Waits while the channel is full (H2).
    fn send(&self, message: Streamed) {
        // What a receiver that is gone does not take is dropped here.
        let _ = self.queue.send(message);
    }
}

/// A step that sends (H1).
pub(crate) struct Sending<'s> {
    sender: &'s Sender,
    closed: bool,
}

impl<'s> Sending<'s> {
    pub(crate) fn new(sender: &'s Sender) -> Self {
        Self { sender, closed: false }
    }

    pub(crate) fn block(&self, sequence: u64, pairs: &[[u32; 2]]) {
        if !self.sender.is_closed() {
            self.sender.send(Streamed::Block(OwnedPage::new(sequence, pairs, &self.sender.shared.buffers)));
        }
    }

    /// Closes the step.
    pub(crate) fn close(mut self, outcome: Result<Committed, Error>) {
        self.closed = true;
        self.sender.send(match outcome {
            Ok(committed) => Streamed::Committed(committed),
            Err(error) => Streamed::Aborted(Some(error)),
        });
    }
}

impl Drop for Sending<'_> {
    fn drop(&mut self) {
        if !self.closed {
            self.sender.send(Streamed::Aborted(None));
        }
    }
}

impl Receiver {
    /// The next message, waited for; none once the sender is gone and everything was received.
    pub fn recv(&self) -> Option<Streamed> {
        self.queue.recv().ok()
    }

    /// The next message, if one is there now.
    pub fn try_recv(&self) -> Option<Streamed> {
        self.queue.try_recv().ok()
    }

    /// The next message, waited for at most so long.
    pub fn recv_timeout(&self, timeout: Duration) -> Option<Streamed> {
        self.queue.recv_timeout(timeout).ok()
    }

    /// How many messages wait to be received.
    pub fn len(&self) -> usize {
        self.queue.len()
    }

    /// Whether no message waits to be received.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }
}

/// Waits for each message; ends once the sender is gone and everything was received.
impl Iterator for Receiver {
    type Item = Streamed;

    fn next(&mut self) -> Option<Streamed> {
        self.recv()
    }
}

impl std::iter::FusedIterator for Receiver {}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.shared.receiver_gone.store(true, Ordering::Relaxed);
    }
}

impl fmt::Debug for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").field("waiting", &self.queue.len()).field("is_closed", &self.is_closed()).finish()
    }
}

impl fmt::Debug for Receiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").field("waiting", &self.queue.len()).finish()
    }
}

const _: () = {
    const fn sent<T: Send + Sync + 'static>() {}
    sent::<Sender>();
    sent::<Receiver>();
    sent::<Streamed>();
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_panics_is_closed_too() {
        let (sender, receiver) = channel(9);
        let step = std::panic::AssertUnwindSafe(|| {
            let sending = Sending::new(&sender);
            sending.block(0, &[[1, 2]]);
            panic!("on purpose");
        });
        assert!(std::panic::catch_unwind(step).is_err());
        assert!(matches!(receiver.try_recv(), Some(Streamed::Block(_))));
        assert!(matches!(receiver.try_recv(), Some(Streamed::Aborted(None))));
        assert!(receiver.try_recv().is_none());
        drop(receiver);
        assert!(sender.is_closed());
        Sending::new(&sender).block(0, &[[1, 2]]);
    }

    #[test]
    fn a_message_is_waited_for_as_long_as_was_said() {
        let (sender, receiver) = channel(usize::MAX);
        assert!(receiver.recv_timeout(Duration::from_millis(1)).is_none());
        Sending::new(&sender).close(Err(Error::StaticOutOfRange { row: 1, count: 0 }));
        assert!(matches!(receiver.recv_timeout(Duration::from_secs(9)), Some(Streamed::Aborted(Some(_)))));
    }
}
