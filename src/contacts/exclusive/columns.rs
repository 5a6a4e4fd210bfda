//! Columns whose rows are handed out to be changed, two at a time, by many threads at once.
//!
//! P1: the columns are borrowed mutably for as long as this goes on, so no one else reads or writes them.
//! P2: a schedule never has two threads work on pairs that share a row at the same time (G2 and G3 in `schedule.rs`), and its
//! phases are ordered by the ends of parallel loops, which also make what one phase wrote visible to the next.
//! P3: the two rows of a pair are different, and each column has both: tested for every pair, so that it rests on nothing else.
//! P4: a reference to a row lives no longer than the call that it is given to: the closure takes it for any lifetime, so it can
//! keep none.
//!
//! Cost: two comparisons a pair, which always come out the same.

#![allow(unsafe_code)]

use crate::broad_phase::pairs::FoundBlocks;
use crate::contacts::exclusive::schedule::Schedule;
use crate::error::Error;
use crate::pair::{Pair, StaticPair};
use std::marker::PhantomData;

/// What is changed by contacts, row by row: a column, or a tuple of up to six. A column is `&mut [T]` or `&mut Vec<T>`, and `T`
/// is data that threads may hand on to each other and that borrows nothing (`Send + 'static`).
///
/// The columns of `(&mut [A], &mut [B])` are given to closures as `(&mut A, &mut B)` of each row. This trait is implemented for
/// no other types.
pub trait RowColumns: sealed::Sealed {
    /// What a closure is given of a row: `&mut T`, or a tuple of them.
    type Row<'r>;

    /// The columns as tasks share them.
    #[doc(hidden)]
    type Shared: Copy + Sync;

    /// Calls `each` with the length of each column.
    #[doc(hidden)]
    fn lengths(&self, each: &mut dyn FnMut(usize));

    /// To be shared while `self` is borrowed.
    #[doc(hidden)]
    fn share(&mut self) -> Self::Shared;

    /// # Safety
    ///
    /// The columns that were shared are still borrowed and have the row, and nothing else touches it for `'r`.
    #[doc(hidden)]
    unsafe fn row<'r>(shared: &Self::Shared, row: usize) -> Self::Row<'r>;
}

mod sealed {
    pub trait Sealed {}
}

/// A column as tasks share it.
#[derive(Debug)]
pub struct SharedColumn<T> {
    start: *mut T,
    column: PhantomData<*mut T>,
}

impl<T> Clone for SharedColumn<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for SharedColumn<T> {}

// SAFETY: all that can be done with it is `RowColumns::row`, whose contract gives a row to one thread at a time. `T: Send` as
// rows are changed, and so may be dropped, on other threads.
unsafe impl<T: Send> Sync for SharedColumn<T> {}

macro_rules! column {
    ($($column:ty)*) => {$(
        impl<T: Send + 'static> sealed::Sealed for $column {}

        impl<T: Send + 'static> RowColumns for $column {
            type Row<'r> = &'r mut T;
            type Shared = SharedColumn<T>;

            fn lengths(&self, each: &mut dyn FnMut(usize)) {
                each(self.len());
            }

            fn share(&mut self) -> SharedColumn<T> {
                SharedColumn { start: self.as_mut_ptr(), column: PhantomData }
            }

            #[inline(always)]
            unsafe fn row<'r>(shared: &SharedColumn<T>, row: usize) -> &'r mut T {
                // SAFETY: in bounds and no one else's, by the caller's contract.
                unsafe { &mut *shared.start.add(row) }
            }
        }
    )*};
}

column! { &mut [T] &mut Vec<T> }

macro_rules! tuple {
    ($($name:ident $at:tt)*) => {
        impl<$($name: RowColumns),*> sealed::Sealed for ($($name,)*) {}

        impl<$($name: RowColumns),*> RowColumns for ($($name,)*) {
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
                // SAFETY: of each column, by the caller's contract. They are borrowed mutably, so they are different.
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

/// That each column has as many rows as the step had.
fn check<C: RowColumns>(columns: &C, rows: usize) -> Result<(), Error> {
    let (mut number, mut short) = (0, None);
    columns.lengths(&mut |found| {
        if found < rows && short.is_none() {
            short = Some(Error::ColumnTooShort { index: number, expected: rows, found });
        }
        number += 1;
    });
    short.map_or(Ok(()), Err)
}

/// A schedule, the blocks that it is of, how many rows the step had, and whether other threads may help.
pub(crate) struct Work<'w> {
    pub(crate) schedule: &'w Schedule,
    pub(crate) blocks: FoundBlocks<'w>,
    pub(crate) parallel: bool,
}

/// Calls `each` with every pair of bodies and both of its rows, of a step of so many `rows`.
pub(crate) fn for_each_pair<'w, C: RowColumns>(
    mut columns: C,
    rows: usize,
    work: impl FnOnce() -> Work<'w>,
    each: impl Fn(Pair, C::Row<'_>, C::Row<'_>) + Sync,
) -> Result<(), Error> {
    check(&columns, rows)?;
    let Work { schedule, blocks, parallel } = work();
    let shared = &columns.share();
    schedule.run(blocks, parallel, |pairs: &[Pair]| {
        let shared = *shared;
        for &pair in pairs {
            let (a, b) = (pair.a as usize, pair.b as usize);
            assert!(a < b && b < rows, "P3");
            // SAFETY: `columns` is borrowed until after this call (P1) and has both rows, which are different (P3); no one
            // else works on them now (P2), and they are given away for this call only (P4).
            let (row_a, row_b) = unsafe { (C::row(&shared, a), C::row(&shared, b)) };
            each(pair, row_a, row_b);
        }
    });
    Ok(())
}

/// As [`for_each_pair`], of pairs with statics and the row of the body.
pub(crate) fn for_each_static_pair<'w, C: RowColumns>(
    mut columns: C,
    rows: usize,
    work: impl FnOnce() -> Work<'w>,
    each: impl Fn(StaticPair, C::Row<'_>) + Sync,
) -> Result<(), Error> {
    check(&columns, rows)?;
    let Work { schedule, blocks, parallel } = work();
    let shared = &columns.share();
    schedule.run(blocks, parallel, |pairs: &[StaticPair]| {
        for &pair in pairs {
            let body = pair.body as usize;
            assert!(body < rows, "P3");
            // SAFETY: as in `for_each_pair`, of one row.
            each(pair, unsafe { C::row(shared, body) });
        }
    });
    Ok(())
}
