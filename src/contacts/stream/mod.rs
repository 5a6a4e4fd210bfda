//! Pairs that are handed on while the step still runs.
//!
//! Two forms: a closure that is called on the threads of the step ([`World::step_streamed`](crate::World::step_streamed)), and a
//! channel to a consumer on a thread of its own ([`channel`], [`World::step_to_channel`](crate::World::step_to_channel)).
//!
//! Blocks come in the order in which they are finished, which is up to the threads. What order they have is in their numbers:
//! sorted by [`StreamedPage::sequence`], they are the blocks of the step's [`Contacts`](crate::Contacts). They are provisional:
//! what counts is whether the step succeeds, for it may still find that there are more pairs than the limit allows.
//!
//! ```
//! use triphase::stream::{self, Streamed};
//! use triphase::{Bodies, World};
//!
//! let (sender, receiver) = stream::channel(16);
//! let consumer = std::thread::spawn(move || {
//!     let (mut rows, mut sums) = (0u64, Vec::new());
//!     for message in receiver {
//!         match message {
//!             Streamed::Block(block) => rows += block.body_pairs().iter().map(|pair| u64::from(pair.a + pair.b)).sum::<u64>(),
//!             Streamed::Committed(_) => sums.push(std::mem::take(&mut rows)), // all of it counts
//!             Streamed::Aborted(_) => rows = 0,                               // none of it does
//!             _ => {}
//!         }
//!     }
//!     sums
//! });
//! let mut world = World::default();
//! let centers = [[0.0f32, 0.0], [0.6, 0.0], [1.2, 0.0], [9.0, 0.0]];
//! world.step_to_channel(Bodies::uniform(&centers, [0.5, 0.5]), &sender)?;
//! world.step_to_channel(Bodies::uniform(&[[f32::NAN, 0.0]], [0.5, 0.5]), &sender).unwrap_err();
//! world.step_to_channel(Bodies::uniform(&centers[1..], [0.5, 0.5]), &sender)?;
//! drop(sender);
//! assert_eq!(consumer.join().unwrap(), [1 + 3, 1]);
//! # Ok::<(), triphase::Error>(())
//! ```

pub(crate) mod block;
pub(crate) mod channel;
pub use crate::contacts::stream::block::{OwnedPage, PagePairs, StreamedPage};
pub use crate::contacts::stream::channel::{CAPACITY_MAX, Committed, Receiver, Sender, Streamed, channel};

pub(crate) use crate::contacts::stream::block::{Kind, first_sequence};
pub(crate) use crate::contacts::stream::channel::Sending;
