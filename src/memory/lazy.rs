//! A value that is made at its first use, in the memory of its predecessor.
//!
//! - LAZY-1: no lock is held while the value is made. Making it may run other work of the thread
//!   pool, which may use the same value. If two threads make it at once, both make the same and one
//!   is dropped.

use crate::memory::buffers::Buffers;
use parking_lot::Mutex;
use std::sync::OnceLock;

/// A value that is made at its first use and then kept until it is invalidated.
#[derive(Debug)]
pub(crate) struct ReusableLazy<T> {
    value: OnceLock<T>,
    /// An old value, for its memory. Locked only to take or to put (LAZY-1).
    spare: Mutex<Option<T>>,
}

impl<T> Default for ReusableLazy<T> {
    fn default() -> Self {
        Self { value: OnceLock::new(), spare: Mutex::new(None) }
    }
}

/// A clone has no value; it makes its own at its first use.
impl<T> Clone for ReusableLazy<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<T: Default> ReusableLazy<T> {
    /// Returns the value. If there is none, `make` gets an old value, or a default one, to
    /// overwrite.
    pub(crate) fn get_or_make(&self, make: impl FnOnce(&mut T)) -> &T {
        if let Some(value) = self.value.get() {
            return value;
        }
        let mut made = self.spare.lock().take().unwrap_or_default();
        make(&mut made);
        self.value.get_or_init(|| made)
    }

    /// Removes the value; its memory stays for the next one.
    pub(crate) fn invalidate(&mut self) {
        if let Some(old) = self.value.take() {
            *self.spare.get_mut() = Some(old);
        }
    }
}

impl<T: Buffers> Buffers for ReusableLazy<T> {
    fn bytes(&self) -> usize {
        self.value.get().map_or(0, T::bytes) + self.spare.lock().as_ref().map_or(0, T::bytes)
    }

    fn reserve_like(&mut self, _: &Self) {}

    /// Drops the spare: it is not part of the present contents.
    fn shrink_to_fit(&mut self) {
        *self.spare.get_mut() = None;
        if let Some(value) = self.value.get_mut() {
            value.shrink_to_fit();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_is_made_once_in_the_memory_of_the_last() {
        let mut lazy = ReusableLazy::<Vec<u32>>::default();
        let first = lazy.get_or_make(|value| value.extend([1, 2, 3])).as_ptr();
        assert_eq!(lazy.get_or_make(|_| unreachable!("already made")), &[1, 2, 3]);
        lazy.invalidate();
        let second = lazy.get_or_make(|value| {
            assert_eq!(value, &[1, 2, 3], "the old value");
            value[0] = 7;
        });
        assert_eq!((second.as_ptr(), second.as_slice()), (first, [7, 2, 3].as_slice()));
        assert!(lazy.bytes() >= 12);
        lazy.invalidate();
        lazy.shrink_to_fit();
        assert_eq!(lazy.bytes(), 0);
        assert!(lazy.get_or_make(|value| assert!(value.is_empty())).is_empty());
    }

    #[test]
    fn making_a_value_may_use_the_same_value() {
        let lazy = ReusableLazy::<Vec<u32>>::default();
        let outer = lazy.get_or_make(|value| {
            // As another job does that this thread runs meanwhile (LAZY-1).
            assert_eq!(lazy.get_or_make(|value| value.push(5)), &[5]);
            value.push(5);
        });
        assert_eq!(outer, &[5]);
    }
}
