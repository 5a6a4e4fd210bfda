//! Columns whose rows are lent to many threads for writing, two at a time.
//!
//! - EXCL-1: the columns are mutably borrowed for the whole call, so nothing else reads or writes
//!   them.
//! - EXCL-2: a schedule never processes two pairs that share a row at the same time (COLOR-1,
//!   COLOR-2). Its phases are separated by the ends of parallel loops, which also make the writes
//!   of one phase visible to the next.
//! - EXCL-3: the two rows of a pair differ, and each column has both. This is tested for every
//!   pair, so that it does not rely on any other code.
//! - EXCL-4: a reference to a row lives no longer than the call that it is passed to: the closure
//!   accepts any lifetime, so it cannot keep the reference.
//!
//! Cost: two predictable comparisons per pair.

#![allow(unsafe_code)]

use crate::broad_phase::pairs::PageChain;
use crate::contacts::exclusive::schedule::Schedule;
use crate::error::Error;
use crate::pair::{Pair, StaticPair};
use std::marker::PhantomData;

/// Mutable columns for a loop over pairs: one column, or a tuple of up to six.
///
/// A column is `&mut [T]` or `&mut Vec<T>`, where `T: Send + 'static`. For one column, the closure
/// gets a `&mut T` per row. For a tuple of columns it gets a tuple of references per row: for
/// `(&mut [A], &mut [B])`, a `(&mut A, &mut B)`.
///
/// This trait is sealed: it is implemented for these types only.
pub trait ColumnsMut: sealed::SharedColumns {}

pub(super) mod sealed {
    /// The operations of columns that the loops over pairs use.
    pub trait SharedColumns {
        /// The argument of a closure for a row.
        type Row<'r>;

        /// The columns in the form that threads share.
        type Shared: Copy + Sync;

        /// Calls `each` with the length of each column.
        fn lengths(&self, each: &mut dyn FnMut(usize));

        /// The columns, to be shared while `self` is borrowed.
        fn share(&mut self) -> Self::Shared;

        /// # Safety
        ///
        /// The columns are still mutably borrowed, each has the row, and nothing else uses the row
        /// for the lifetime `'r`.
        unsafe fn row<'r>(shared: &Self::Shared, row: usize) -> Self::Row<'r>;
    }
}

use sealed::SharedColumns;

/// A column in the form that threads share.
#[derive(Debug)]
pub struct ColumnPtr<T> {
    start: *mut T,
    column: PhantomData<*mut T>,
}

impl<T> Clone for ColumnPtr<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ColumnPtr<T> {}

// SAFETY: the pointer is used only by `SharedColumns::row`, whose callers use a row on one thread
// at a time. `T: Send` because rows are changed, and so may be dropped, on other threads.
unsafe impl<T: Send> Sync for ColumnPtr<T> {}

macro_rules! column {
    ($($column:ty)*) => {$(
        impl<T: Send + 'static> ColumnsMut for $column {}

        impl<T: Send + 'static> SharedColumns for $column {
            type Row<'r> = &'r mut T;
            type Shared = ColumnPtr<T>;

            fn lengths(&self, each: &mut dyn FnMut(usize)) {
                each(self.len());
            }

            fn share(&mut self) -> ColumnPtr<T> {
                ColumnPtr { start: self.as_mut_ptr(), column: PhantomData }
            }

            #[inline(always)]
            unsafe fn row<'r>(shared: &ColumnPtr<T>, row: usize) -> &'r mut T {
                // SAFETY: the column has the row and is mutably borrowed, and nothing else uses the
                // row for 'r: the caller guarantees all three.
                unsafe { &mut *shared.start.add(row) }
            }
        }
    )*};
}

column! { &mut [T] &mut Vec<T> }

macro_rules! tuple {
    ($($name:ident $at:tt)*) => {
        impl<$($name: ColumnsMut),*> ColumnsMut for ($($name,)*) {}

        impl<$($name: SharedColumns),*> SharedColumns for ($($name,)*) {
            type Row<'r> = ($($name::Row<'r>,)*);
            type Shared = ($($name::Shared,)*);

            fn lengths(&self, each: &mut dyn FnMut(usize)) {
                $(self.$at.lengths(each);)*
            }

            fn share(&mut self) -> Self::Shared {
                ($(self.$at.share(),)*)
            }

            #[inline(always)]
            unsafe fn row<'r>(shared: &Self::Shared, row: usize) -> Self::Row<'r> {
                // SAFETY: the caller guarantees for all columns what each of them needs, and as
                // each is mutably borrowed, no two are the same memory.
                unsafe { ($($name::row(&shared.$at, row),)*) }
            }
        }
    };
}

tuple! { A 0 }
tuple! { A 0 B 1 }
tuple! { A 0 B 1 C 2 }
tuple! { A 0 B 1 C 2 D 3 }
tuple! { A 0 B 1 C 2 D 3 E 4 }
tuple! { A 0 B 1 C 2 D 3 E 4 F 5 }

/// Pairs in the order in which they are processed.
#[derive(Clone, Copy)]
pub(super) struct ScheduledPairs<'w> {
    pub(super) schedule: &'w Schedule,
    pub(super) pages: PageChain<'w>,
    pub(super) parallel: bool,
}

/// Columns that have at least `row_count` rows, mutably borrowed (EXCL-1).
pub(super) struct CheckedColumns<C> {
    columns: C,
    row_count: usize,
}

impl<C: ColumnsMut> CheckedColumns<C> {
    /// # Errors
    ///
    /// [`Error::ColumnTooShort`] names the first column that has fewer rows.
    pub(super) fn new(columns: C, row_count: usize) -> Result<Self, Error> {
        let (mut index, mut outcome) = (0, Ok(()));
        columns.lengths(&mut |found| {
            if found < row_count && outcome.is_ok() {
                outcome = Err(Error::ColumnTooShort { index, expected: row_count, found });
            }
            index += 1;
        });
        outcome.map(|()| Self { columns, row_count })
    }

    /// Calls `each` with every pair of bodies and both of its rows.
    pub(super) fn for_each_pair(
        mut self,
        pairs: ScheduledPairs<'_>,
        each: impl Fn(Pair, C::Row<'_>, C::Row<'_>) + Sync,
    ) {
        let (shared, row_count) = (&self.columns.share(), self.row_count);
        pairs.schedule.run(pairs.pages, pairs.parallel, |run: &[Pair]| {
            let shared = *shared; // a copy that stays in registers
            for &pair in run {
                let (a, b) = (pair.a as usize, pair.b as usize);
                assert!(a < b && b < row_count, "rows must differ and be inside the columns");
                // SAFETY: the columns are borrowed by `self` until after the loop (EXCL-1) and have
                // both rows, which differ (EXCL-3). Nothing else uses these rows now (EXCL-2), and
                // they are lent for this call only (EXCL-4).
                let (row_a, row_b) = unsafe { (C::row(&shared, a), C::row(&shared, b)) };
                each(pair, row_a, row_b);
            }
        });
    }

    /// Calls `each` with every static pair and the row of its body.
    pub(super) fn for_each_static_pair(
        mut self,
        pairs: ScheduledPairs<'_>,
        each: impl Fn(StaticPair, C::Row<'_>) + Sync,
    ) {
        let (shared, row_count) = (&self.columns.share(), self.row_count);
        pairs.schedule.run(pairs.pages, pairs.parallel, |run: &[StaticPair]| {
            let shared = *shared;
            for &pair in run {
                let body = pair.body as usize;
                assert!(body < row_count, "rows must be inside the columns");
                // SAFETY: the columns are borrowed by `self` until after the loop (EXCL-1) and have
                // the row (EXCL-3). Nothing else uses it now (EXCL-2), and it is lent for this call
                // only (EXCL-4).
                each(pair, unsafe { C::row(&shared, body) });
            }
        });
    }
}
