//! Memory that is kept between steps: how it is counted, leveled and released.
//!
//! [`Buffers`] is implemented field by field by [`buffers!`], which destructures the whole type: a
//! new field does not compile until its treatment is stated.

use crate::input::filter::Filter;

/// Heap memory that is reused from step to step.
pub(crate) trait Buffers {
    /// Whether the type owns no heap memory, so that vectors of it need not visit each element.
    const PLAIN: bool = false;

    /// Bytes of allocated heap memory, in use or not.
    fn bytes(&self) -> usize;

    /// Gives each buffer at least the capacity of the same buffer of `other`.
    fn reserve_like(&mut self, other: &Self);

    /// Releases the memory that the present contents do not need.
    fn shrink_to_fit(&mut self);
}

/// Implements [`Buffers`] for a struct.
///
/// - `leveled`: counted, shrunk, and given the same capacity in each copy of the struct.
/// - `own`: counted and shrunk, but each copy keeps its own capacity.
/// - `scratch`: counted, and dropped instead of shrunk: the next step fills it anyway.
/// - `plain`: owns no heap memory, or shares what is counted elsewhere.
macro_rules! buffers {
    ($type:ty {
        leveled: $($leveled:ident),*;
        own: $($own:ident),*;
        $(scratch: $($scratch:ident),*;)?
        plain: $($plain:ident),*;
    }) => {
        impl $crate::memory::buffers::Buffers for $type {
            fn bytes(&self) -> usize {
                let Self { $($leveled,)* $($own,)* $($($scratch,)*)? $($plain: _,)* } = self;
                0 $(+ $crate::memory::buffers::Buffers::bytes($leveled))*
                    $(+ $crate::memory::buffers::Buffers::bytes($own))*
                    $($(+ $crate::memory::buffers::Buffers::bytes($scratch))*)?
            }

            #[allow(unused_variables)]
            fn reserve_like(&mut self, other: &Self) {
                let Self { $($leveled,)* $($own: _,)* $($($scratch: _,)*)? $($plain: _,)* } = self;
                $($crate::memory::buffers::Buffers::reserve_like($leveled, &other.$leveled);)*
            }

            fn shrink_to_fit(&mut self) {
                let Self { $($leveled,)* $($own,)* $($($scratch,)*)? $($plain: _,)* } = self;
                $($crate::memory::buffers::Buffers::shrink_to_fit($leveled);)*
                $($crate::memory::buffers::Buffers::shrink_to_fit($own);)*
                $($(*$scratch = Default::default();)*)?
            }
        }
    };
}
pub(crate) use buffers;

/// Implements [`Buffers`] for types that own no heap memory.
macro_rules! plain_buffers {
    ($($type:ty),* $(,)?) => {
        $(impl $crate::memory::buffers::Buffers for $type {
            const PLAIN: bool = true;

            fn bytes(&self) -> usize {
                0
            }

            fn reserve_like(&mut self, _: &Self) {}

            fn shrink_to_fit(&mut self) {}
        })*
    };
}
pub(crate) use plain_buffers;

plain_buffers!(bool, u8, u16, u32, i32, u64, usize, f32, f64, (u64, u32), Filter);

impl<T: Buffers, const N: usize> Buffers for [T; N] {
    const PLAIN: bool = T::PLAIN;

    fn bytes(&self) -> usize {
        self.iter().map(T::bytes).sum()
    }

    fn reserve_like(&mut self, other: &Self) {
        self.iter_mut().zip(other).for_each(|(element, other)| element.reserve_like(other));
    }

    fn shrink_to_fit(&mut self) {
        self.iter_mut().for_each(T::shrink_to_fit);
    }
}

impl<T: Buffers> Buffers for Vec<T> {
    fn bytes(&self) -> usize {
        let elements = if T::PLAIN { 0 } else { self.iter().map(T::bytes).sum() };
        self.capacity() * size_of::<T>() + elements
    }

    fn reserve_like(&mut self, other: &Self) {
        self.reserve_exact(other.capacity().saturating_sub(self.len()));
        if !T::PLAIN {
            self.iter_mut().zip(other).for_each(|(one, other)| one.reserve_like(other));
        }
    }

    fn shrink_to_fit(&mut self) {
        if !T::PLAIN {
            self.iter_mut().for_each(T::shrink_to_fit);
        }
        Self::shrink_to_fit(self);
    }
}

impl<T: Buffers> Buffers for Option<T> {
    fn bytes(&self) -> usize {
        self.as_ref().map_or(0, T::bytes)
    }

    fn reserve_like(&mut self, other: &Self) {
        if let (Some(one), Some(other)) = (self, other) {
            one.reserve_like(other);
        }
    }

    fn shrink_to_fit(&mut self) {
        if let Some(one) = self {
            one.shrink_to_fit();
        }
    }
}

impl<T: Buffers> Buffers for Box<T> {
    fn bytes(&self) -> usize {
        size_of::<T>() + T::bytes(self)
    }

    fn reserve_like(&mut self, other: &Self) {
        T::reserve_like(self, other);
    }

    fn shrink_to_fit(&mut self) {
        T::shrink_to_fit(self);
    }
}

/// Implements `Clone` for a struct such that `clone_from` copies into the memory that each field
/// has. (A derived `clone_from` allocates as `clone` does.)
macro_rules! clone_in_place {
    ($type:ty { $($field:ident),* }) => {
        impl Clone for $type {
            fn clone(&self) -> Self {
                Self { $($field: self.$field.clone()),* }
            }

            fn clone_from(&mut self, other: &Self) {
                let Self { $($field),* } = self;
                $($field.clone_from(&other.$field);)*
            }
        }
    };
}
pub(crate) use clone_in_place;

/// Where part `k` of `count` equal parts of `len` begins.
pub(crate) fn part_start(k: usize, len: usize, count: usize) -> usize {
    // In u64: the product may overflow a usize of 32 bits.
    (k as u64 * len as u64 / count as u64) as usize
}

/// The capacity of a buffer that has to grow to `len` items: a sixteenth more.
///
/// Doubling, as vectors do, would cost the largest buffers twice what they need, and a smaller
/// share would make growth frequent.
pub(crate) fn with_spare(len: usize) -> usize {
    len + len / 16
}

/// Makes `items` at least `len` long. Its contents may be lost.
///
/// Growth leaves [some to spare](with_spare).
pub(crate) fn grow<T: Clone + Default>(items: &mut Vec<T>, len: usize) {
    if items.len() < len {
        if items.capacity() < len {
            // The contents are scratch: not copied to the new allocation. That is zeroed memory, of
            // which the system gives only the pages that are used.
            *items = Vec::new();
            *items = vec![T::default(); with_spare(len)];
            items.truncate(len);
        }
        items.resize(len, T::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Example {
        rows: Vec<u32>,
        nested: Vec<Vec<u64>>,
        temporary: Vec<u8>,
        count: usize,
    }

    buffers!(Example { leveled: rows, nested; own: ; scratch: temporary; plain: count; });

    #[test]
    fn buffers_of_a_struct_are_counted_leveled_and_shrunk() {
        let mut full =
            Example { rows: Vec::with_capacity(10), nested: vec![Vec::with_capacity(3)], ..Example::default() };
        full.temporary.push(7);
        let temporary = full.temporary.capacity();
        assert_eq!(full.bytes(), 10 * 4 + size_of::<Vec<u64>>() + 3 * 8 + temporary);

        let mut other = Example { nested: vec![Vec::new()], ..Example::default() };
        other.reserve_like(&full);
        assert!(other.rows.capacity() >= 10 && other.nested[0].capacity() >= 3 && other.temporary.capacity() == 0);

        other.rows.push(1);
        (other.count, other.temporary) = (5, vec![7]);
        other.shrink_to_fit();
        assert_eq!((other.rows.capacity(), other.nested[0].capacity(), other.count), (1, 0, 5));
        assert_eq!(other.temporary.capacity(), 0);
    }

    #[test]
    fn parts_of_many_rows_do_not_overflow() {
        for len in [1 << 20, u32::MAX as usize] {
            assert_eq!((part_start(0, len, 4096), part_start(4096, len, 4096)), (0, len));
            assert!((0..4096).all(|k| part_start(k, len, 4096) < part_start(k + 1, len, 4096)));
        }
    }
}
