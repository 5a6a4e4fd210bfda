//! A channel from a step to a consumer on another thread.
//!
//! - CHANNEL-1: each step sends its pages and then exactly one closing message, whether it
//!   succeeds, fails or panics. If [`StepStream`] is dropped before it was closed, the step
//!   panicked.
//! - CHANNEL-2: a step does not fail when the receiver is gone. Messages are dropped, and pages are
//!   no longer copied.
//!
//! Cost: a copy of each page (16 bytes read and written per pair) and a message per page.

use crate::contacts::stream::page::{BufferPool, OwnedPage};
use crate::error::Error;
use crossbeam_channel as queue;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Largest capacity of a [`channel`] in messages: 1 GiB of pages.
pub const CAPACITY_MAX: usize = 1 << 16;

/// A message to a consumer.
///
/// Each step sends its pages as they are completed, and then one closing message with its outcome:
/// [`Committed`](Self::Committed) or [`Aborted`](Self::Aborted).
#[derive(Debug)]
#[non_exhaustive]
pub enum StreamMessage {
    /// Some pairs of the running step, provisional until `Committed` follows.
    Page(OwnedPage),
    /// The step succeeded. All pages since the last closing message are its pairs.
    Committed(StepSummary),
    /// The step failed with this error, or panicked if it is `None`: discard the pages since the
    /// last closing message.
    Aborted(Option<Error>),
}

/// Counts of a step that succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StepSummary {
    /// Number of the step: [`World::step_number`](crate::World::step_number).
    pub step_number: u64,
    /// Number of pages of body pairs that were sent.
    pub body_page_count: usize,
    /// Number of pages of static pairs that were sent.
    pub static_page_count: usize,
    /// Number of body pairs.
    pub body_pair_count: usize,
    /// Number of static pairs.
    pub static_pair_count: usize,
}

/// The state that both ends share.
#[derive(Default)]
struct ChannelState {
    pool: Arc<BufferPool>,
    receiver_gone: AtomicBool,
}

/// The sending end of a [`channel`].
///
/// Use it for one world at a time: messages do not tell from which world they come.
pub struct Sender {
    queue: queue::Sender<StreamMessage>,
    state: Arc<ChannelState>,
}

/// The receiving end of a [`channel`]: an iterator over messages.
pub struct Receiver {
    queue: queue::Receiver<StreamMessage>,
    state: Arc<ChannelState>,
}

/// Creates a bounded channel for the pages of steps.
///
/// `capacity` is the number of messages that wait in the channel. With 0, each message waits until
/// the consumer takes it. More than [`CAPACITY_MAX`] counts as [`CAPACITY_MAX`].
///
/// A step waits while the channel is full, so the consumer must not need the threads of the step.
/// Run it on a thread of its own: if it were a job on the step's thread pool, or code after the
/// step, both would wait forever. If there is no such thread, use
/// [`World::step_streamed`](crate::World::step_streamed).
///
/// If the receiver is dropped, steps continue and send nothing. If the sender is dropped, the
/// receiver still gets all messages that were sent.
///
/// # Cost
///
/// 16 KiB for each page that is in the channel or kept by the consumer. The memory of dropped pages
/// is reused: a step allocates nothing if the channel has room, and as many pages have been in use
/// at once before.
pub fn channel(capacity: usize) -> (Sender, Receiver) {
    let (sender, receiver) = queue::bounded(capacity.min(CAPACITY_MAX));
    let state = Arc::new(ChannelState::default());
    (Sender { queue: sender, state: Arc::clone(&state) }, Receiver { queue: receiver, state })
}

impl Sender {
    /// Whether the receiver was dropped. Steps then send nothing.
    pub fn is_closed(&self) -> bool {
        // Relaxed: no other read depends on it, and the queue rejects messages that are sent too
        // late.
        self.state.receiver_gone.load(Ordering::Relaxed)
    }

    /// Waits while the channel is full.
    fn send(&self, message: StreamMessage) {
        // Without a receiver the message is dropped (CHANNEL-2).
        let _ = self.queue.send(message);
    }
}

/// Sends the pages of one step, and its outcome (CHANNEL-1).
pub(crate) struct StepStream<'s> {
    sender: &'s Sender,
    closed: bool,
}

impl<'s> StepStream<'s> {
    pub(crate) fn new(sender: &'s Sender) -> Self {
        Self { sender, closed: false }
    }

    pub(crate) fn send_page(&self, sequence: u64, pairs: &[[u32; 2]]) {
        if !self.sender.is_closed() {
            self.sender.send(StreamMessage::Page(OwnedPage::new(sequence, pairs, &self.sender.state.pool)));
        }
    }

    pub(crate) fn close(mut self, outcome: Result<StepSummary, Error>) {
        self.closed = true;
        self.sender.send(match outcome {
            Ok(summary) => StreamMessage::Committed(summary),
            Err(error) => StreamMessage::Aborted(Some(error)),
        });
    }
}

impl Drop for StepStream<'_> {
    fn drop(&mut self) {
        if !self.closed {
            self.sender.send(StreamMessage::Aborted(None));
        }
    }
}

impl Receiver {
    /// Waits for the next message. Returns `None` once the sender is dropped and all messages were
    /// received.
    pub fn recv(&self) -> Option<StreamMessage> {
        self.queue.recv().ok()
    }

    /// Returns the next message, or `None` if the channel is empty.
    pub fn try_recv(&self) -> Option<StreamMessage> {
        self.queue.try_recv().ok()
    }

    /// Waits for the next message for at most `timeout`.
    ///
    /// Returns `None` if the time runs out, or once the sender is dropped and all messages were
    /// received.
    pub fn recv_timeout(&self, timeout: Duration) -> Option<StreamMessage> {
        self.queue.recv_timeout(timeout).ok()
    }

    /// Number of messages in the channel.
    pub fn len(&self) -> usize {
        self.queue.len()
    }

    /// Whether the channel contains no message.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }
}

/// Waits for each message; ends once the sender is dropped and all messages were received.
impl Iterator for Receiver {
    type Item = StreamMessage;

    fn next(&mut self) -> Option<StreamMessage> {
        self.recv()
    }
}

impl std::iter::FusedIterator for Receiver {}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.state.receiver_gone.store(true, Ordering::Relaxed);
    }
}

impl fmt::Debug for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").field("len", &self.queue.len()).field("is_closed", &self.is_closed()).finish()
    }
}

impl fmt::Debug for Receiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").field("len", &self.queue.len()).finish()
    }
}

const _: () = {
    const fn can_be_sent<T: Send + Sync + 'static>() {}
    can_be_sent::<Sender>();
    can_be_sent::<Receiver>();
    can_be_sent::<StreamMessage>();
};

// WebAssembly has no clock and does not unwind.
#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_panics_sends_aborted() {
        let (sender, receiver) = channel(9);
        let step = std::panic::AssertUnwindSafe(|| {
            let stream = StepStream::new(&sender);
            stream.send_page(0, &[[1, 2]]);
            panic!("on purpose");
        });
        assert!(std::panic::catch_unwind(step).is_err());
        assert!(matches!(receiver.try_recv(), Some(StreamMessage::Page(_))));
        assert!(matches!(receiver.try_recv(), Some(StreamMessage::Aborted(None))));
        assert!(receiver.try_recv().is_none());
        drop(receiver);
        assert!(sender.is_closed());
        StepStream::new(&sender).send_page(0, &[[1, 2]]);
    }

    #[test]
    fn recv_timeout_returns_none_or_the_message() {
        let (sender, receiver) = channel(usize::MAX);
        assert!(receiver.recv_timeout(Duration::from_millis(1)).is_none());
        StepStream::new(&sender).close(Err(Error::StaticOutOfRange { row: 1, count: 0 }));
        assert!(matches!(receiver.recv_timeout(Duration::from_secs(9)), Some(StreamMessage::Aborted(Some(_)))));
    }
}
