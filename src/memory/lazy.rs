//! What is worked out of a step's contacts when it is first asked for, and then kept with them.
//!
//! N1: no lock is held while it is made: making it runs on rayon, and a job that is taken over meanwhile may ask for the same. If
//! two threads ask at once, both make it; they make the same, and one is dropped.

use crate::memory::buffers::Buffers;
use parking_lot::Mutex;
use std::sync::OnceLock;

/// A value that is made when it is first asked for, in the memory of the one before it.
#[derive(Debug)]
pub(crate) struct Kept<T> {
    ready: OnceLock<T>,
    /// Held for a take or a put only (N1).
    spare: Mutex<Option<T>>,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self { ready: OnceLock::new(), spare: Mutex::new(None) }
    }
}

/// A clone begins without a value: it is made again when asked for.
impl<T> Clone for Kept<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<T: Buffers> Buffers for Kept<T> {
    fn bytes(&self) -> usize {
        self.ready.get().map_or(0, T::bytes) + self.spare.lock().as_ref().map_or(0, T::bytes)
    }

    fn reserve_like(&mut self, _: &Self) {}

    /// Drops what is kept for the next value.
    fn shrink_to_fit(&mut self) {
        *self.spare.get_mut() = None;
    }
}

impl<T: Default> Kept<T> {
    /// The value; `make` is given a default one, or one that was dropped, to make it in.
    pub(crate) fn get_or_make(&self, make: impl FnOnce(&mut T)) -> &T {
        if let Some(ready) = self.ready.get() {
            return ready;
        }
        let mut made = self.spare.lock().take().unwrap_or_default();
        make(&mut made);
        self.ready.get_or_init(|| made)
    }

    /// What it was made of has changed.
    pub(crate) fn renew(&mut self) {
        if let Some(old) = self.ready.take() {
            *self.spare.get_mut() = Some(old);
        }
    }

    /// Takes over the memory of another, which is left without a value.
    pub(crate) fn take_buffers(&mut self, other: &mut Self) {
        other.renew();
        if let Some(spare) = other.spare.get_mut().take() {
            *self.spare.get_mut() = Some(spare);
        }
    }

    /// Drops what is kept for the next value.
    pub(crate) fn shrink(&mut self) {
        *self.spare.get_mut() = None;
    }

    /// The sum of what `bytes` says of what is held.
    pub(crate) fn bytes(&self, bytes: impl Fn(&T) -> usize) -> usize {
        self.ready.get().map_or(0, &bytes) + self.spare.lock().as_ref().map_or(0, &bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_made_once_and_in_the_memory_of_the_last() {
        let mut kept = Kept::<Vec<u32>>::default();
        let made = kept.get_or_make(|value| value.extend([1, 2, 3])).as_ptr();
        assert_eq!(kept.get_or_make(|_| unreachable!("it is there")), &[1, 2, 3]);
        kept.renew();
        let next = kept.get_or_make(|value| {
            assert_eq!(value, &[1, 2, 3], "the old one");
            value[0] = 7;
        });
        assert_eq!((next.as_ptr(), next.as_slice()), (made, [7, 2, 3].as_slice()));
        let mut other = Kept::default();
        other.take_buffers(&mut kept);
        assert_eq!(kept.get_or_make(|value| assert!(value.is_empty())), &[0; 0]);
        assert_eq!(other.get_or_make(|_| {}).as_ptr(), made);
        assert_eq!(other.bytes(|value| value.len()), 3);
        other.renew();
        other.shrink();
        assert_eq!(other.bytes(|value| value.len()), 0);
    }

    #[test]
    fn whoever_asks_while_it_is_made_is_not_stopped() {
        let kept = Kept::<Vec<u32>>::default();
        let outer = kept.get_or_make(|value| {
            // As a job does that is taken over while it is made (N1).
            assert_eq!(kept.get_or_make(|value| value.push(5)), &[5]);
            value.push(5);
        });
        assert_eq!(outer, &[5]);
    }
}
