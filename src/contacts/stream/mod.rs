//! Streams: pairs that are delivered while the step still runs.
//!
//! There are two forms: a closure that is called on the threads of the step
//! ([`World::step_streamed`](crate::World::step_streamed)), and a [`channel`](fn@channel) to a
//! consumer on another thread ([`World::step_to_channel`](crate::World::step_to_channel)).
//!
//! Pairs arrive in pages, slices of up to a few thousand pairs, in the order in which these are
//! completed. This order depends on timing. Sorted by [`StreamedPage::sequence`], they are the
//! pages of the step's [`Contacts`](crate::Contacts). They are provisional until the step succeeds:
//! it may still find more pairs than the [limit](crate::WorldConfig::with_pair_limit) allows.
//!
//! ```
//! use triphase::stream::{self, StreamMessage};
//! use triphase::{Bodies, World};
//!
//! let (sender, receiver) = stream::channel(16);
//! let consumer = std::thread::spawn(move || {
//!     let (mut pair_count, mut steps) = (0, Vec::new());
//!     for message in receiver {
//!         match message {
//!             StreamMessage::Page(page) => pair_count += page.body_pairs().len(),
//!             StreamMessage::Committed(_) => steps.push(std::mem::take(&mut pair_count)),
//!             StreamMessage::Aborted(_) => pair_count = 0, // discard
//!             _ => {}
//!         }
//!     }
//!     steps
//! });
//!
//! let mut world = World::default();
//! let centers = [[0.0f32, 0.0], [0.6, 0.0], [1.2, 0.0], [9.0, 0.0]];
//! world.step_to_channel(Bodies::uniform(&centers, [0.5, 0.5]), &sender)?;
//! world.step_to_channel(Bodies::uniform(&[[f32::NAN, 0.0]], [0.5, 0.5]), &sender).unwrap_err();
//! world.step_to_channel(Bodies::uniform(&centers[1..], [0.5, 0.5]), &sender)?;
//! drop(sender);
//! assert_eq!(consumer.join().unwrap(), [2, 1]);
//! # Ok::<(), triphase::Error>(())
//! ```

pub(crate) mod channel;
pub(crate) mod page;

pub use crate::contacts::stream::channel::{CAPACITY_MAX, Receiver, Sender, StepSummary, StreamMessage, channel};
pub use crate::contacts::stream::page::{OwnedPage, PagePairs, StreamedPage};
