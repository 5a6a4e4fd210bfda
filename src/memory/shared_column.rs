//! A column that its clones share, except for the chunks that were changed since.

use std::ops::Index;
use std::sync::Arc;

/// Rows of a chunk. A change copies one chunk, a clone one pointer for each.
const CHUNK_LEN: usize = 1024;

/// Values by row. All chunks but the last are full.
#[derive(Debug)]
pub(crate) struct SharedColumn<T> {
    chunks: Vec<Arc<[T]>>,
    len: usize,
}

impl<T> Default for SharedColumn<T> {
    fn default() -> Self {
        Self { chunks: Vec::new(), len: 0 }
    }
}

impl<T> Clone for SharedColumn<T> {
    fn clone(&self) -> Self {
        Self { chunks: self.chunks.clone(), len: self.len }
    }

    /// Keeps its memory.
    fn clone_from(&mut self, other: &Self) {
        self.chunks.clone_from(&other.chunks);
        self.len = other.len;
    }
}

impl<T: Copy> SharedColumn<T> {
    pub(crate) fn of(values: &[T]) -> Self {
        let mut column = Self::default();
        column.extend(values);
        column
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn get(&self, row: u32) -> Option<&T> {
        self.chunks.get(row as usize / CHUNK_LEN)?.get(row as usize % CHUNK_LEN)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flat_map(|chunk| chunk.iter())
    }

    /// Replaces the value of a row that exists.
    pub(crate) fn set(&mut self, row: u32, value: T) {
        Arc::make_mut(&mut self.chunks[row as usize / CHUNK_LEN])[row as usize % CHUNK_LEN] = value;
    }

    /// Appends values.
    pub(crate) fn extend(&mut self, values: &[T]) {
        self.len += values.len();
        let mut rest = values;
        if let Some(last) = self.chunks.last_mut().filter(|last| last.len() < CHUNK_LEN) {
            let (fitting, others) = rest.split_at(rest.len().min(CHUNK_LEN - last.len()));
            *last = last.iter().chain(fitting).copied().collect();
            rest = others;
        }
        self.chunks.extend(rest.chunks(CHUNK_LEN).map(Arc::from));
    }

    /// Bytes of heap memory, without the chunks that `other` has too.
    pub(crate) fn bytes_beside(&self, other: &Self) -> usize {
        let is_shared =
            |&(k, chunk): &(usize, &Arc<[T]>)| other.chunks.get(k).is_some_and(|other| Arc::ptr_eq(chunk, other));
        let own = self.chunks.iter().enumerate().filter(|chunk| !is_shared(chunk));
        let values: usize = own.map(|(_, chunk)| size_of_val(&**chunk)).sum();
        self.chunks.capacity() * size_of::<Arc<[T]>>() + values
    }
}

impl<T: Copy> Index<u32> for SharedColumn<T> {
    type Output = T;

    #[inline]
    fn index(&self, row: u32) -> &T {
        &self.chunks[row as usize / CHUNK_LEN][row as usize % CHUNK_LEN]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_the_vector_that_had_the_same_changes() {
        for len in [0, 1, 1023, 1024, 1025, 5000] {
            let mut values: Vec<u32> = (0..len).collect();
            let mut column = SharedColumn::of(&values);
            let before = column.clone();
            assert_eq!(column.bytes_beside(&before), column.chunks.capacity() * size_of::<Arc<[u32]>>());
            for added in [1, 0, 3, 1024, 700] {
                let added: Vec<u32> = (0..added).map(|k| k * 7).collect();
                values.extend(&added);
                column.extend(&added);
                let row = values.len() as u32 / 2;
                values[row as usize] = 99;
                column.set(row, 99);
                assert!(column.iter().eq(&values) && column.len() == values.len());
                assert_eq!((column[row], column.get(values.len() as u32)), (99, None));
            }
            assert!(before.iter().copied().eq(0..len), "a clone does not change");
        }
    }
}
