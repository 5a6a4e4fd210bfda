//! The border: pointers from C are checked, errors kept, and panics caught here.

use crate::error::{Failure, keep, tp_error};
use crate::status::tp_status;
use crate::status::tp_status::*;
use std::any::Any;
use std::ffi::{CStr, c_char};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Evidence that a C caller keeps POINTER-1 for `'c`, the duration of a call.
#[derive(Clone, Copy)]
pub(crate) struct Caller<'c>(PhantomData<&'c ()>);

/// Runs the body of a call: keeps its error, and catches its panic.
///
/// # Safety
///
/// POINTER-1 holds for every pointer that the body passes to its [`Caller`].
pub(crate) unsafe fn call(body: impl for<'c> FnOnce(Caller<'c>) -> Result<(), Failure>) -> tp_status {
    match catch_unwind(AssertUnwindSafe(|| body(Caller(PhantomData)))) {
        Ok(Ok(())) => TP_STATUS_OK,
        Ok(Err(failure)) => keep(failure),
        Err(panic) => keep(Failure::status(TP_STATUS_PANIC, format!("panic in triphase: {}", panic_text(&*panic)))),
    }
}

/// As [`call`], but the last error of the thread stays.
///
/// # Safety
///
/// As for [`call`].
pub(crate) unsafe fn call_quietly(body: impl for<'c> FnOnce(Caller<'c>) -> Result<(), Failure>) -> tp_status {
    match catch_unwind(AssertUnwindSafe(|| body(Caller(PhantomData)))) {
        Ok(Ok(())) => TP_STATUS_OK,
        Ok(Err(failure)) => failure.details.status,
        Err(_) => TP_STATUS_PANIC,
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message")
}

impl<'c> Caller<'c> {
    /// What a pointer points to.
    pub(crate) fn get<T>(self, pointer: *const T, name: &str) -> Result<&'c T, Failure> {
        check(pointer, name)?;
        // SAFETY: not null and aligned, readable for the call by POINTER-1.
        Ok(unsafe { &*pointer })
    }

    /// What a pointer points to, to be changed.
    pub(crate) fn get_mut<T>(self, pointer: *mut T, name: &str) -> Result<&'c mut T, Failure> {
        check(pointer, name)?;
        // SAFETY: not null and aligned; writable, and by POINTER-1 not used by others in this call.
        Ok(unsafe { &mut *pointer })
    }

    /// Checks a pointer that is not used as what it points to.
    pub(crate) fn check<T>(self, pointer: *const T, name: &str) -> Result<(), Failure> {
        check(pointer, name)
    }

    /// Memory for a result, which need not be initialized.
    pub(crate) fn out<T>(self, pointer: *mut T, name: &str) -> Result<&'c mut MaybeUninit<T>, Failure> {
        self.get_mut(pointer.cast(), name)
    }

    /// Memory for a result that the caller may not want: null then.
    pub(crate) fn optional_out<T>(
        self,
        pointer: *mut T,
        name: &str,
    ) -> Result<Option<&'c mut MaybeUninit<T>>, Failure> {
        (!pointer.is_null()).then(|| self.out(pointer, name)).transpose()
    }

    /// Memory for several results. May be null if there is no room for any.
    pub(crate) fn out_slice<T>(
        self,
        pointer: *mut T,
        count: usize,
        name: &str,
    ) -> Result<&'c mut [MaybeUninit<T>], Failure> {
        if count == 0 {
            return Ok(&mut []);
        }
        check_slice(pointer, count, name)?;
        // SAFETY: not null, aligned and not larger than the address space; writable by POINTER-1.
        Ok(unsafe { std::slice::from_raw_parts_mut(pointer.cast(), count) })
    }

    /// An array. May be null if it is empty.
    pub(crate) fn slice<T>(self, pointer: *const T, count: usize, name: &str) -> Result<&'c [T], Failure> {
        if count == 0 {
            return Ok(&[]);
        }
        check_slice(pointer, count, name)?;
        // SAFETY: not null, aligned and not larger than the address space; readable by POINTER-1.
        Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
    }

    /// A string.
    pub(crate) fn text(self, string: *const c_char, name: &str) -> Result<&'c str, Failure> {
        check(string, name)?;
        // SAFETY: not null; readable for the call and ended by a zero byte by POINTER-1.
        let string = unsafe { CStr::from_ptr(string) };
        string.to_str().map_err(|_| Failure::argument(format!("{name} is not UTF-8: {string:?}")))
    }

    /// An array that was written before, to be changed. It is not empty.
    pub(crate) fn slice_mut<T>(self, pointer: *mut T, count: usize, name: &str) -> Result<&'c mut [T], Failure> {
        check_slice(pointer, count, name)?;
        // SAFETY: not null, aligned and not larger than the address space; writable by POINTER-1.
        Ok(unsafe { std::slice::from_raw_parts_mut(pointer, count) })
    }

    /// Writes where an array is, and how many elements it has.
    pub(crate) fn give<T>(self, array: &[T], to: *mut *const T, count: *mut usize, name: &str) -> Result<(), Failure> {
        let (to, count) = (self.out(to, name)?, self.out(count, "count")?);
        to.write(array.as_ptr());
        count.write(array.len());
        Ok(())
    }

    /// Copies `len` elements to an array with room for `capacity`, and writes how many there are.
    pub(crate) fn copy<T: Copy + 'static>(
        self,
        len: usize,
        items: impl Iterator<Item = T>,
        to: *mut T,
        capacity: usize,
        count: *mut usize,
        name: &str,
    ) -> Result<(), Failure> {
        let count = self.out(count, "count")?;
        let to = self.out_slice(to, capacity, name)?;
        count.write(len);
        if len > capacity {
            let details =
                tp_error { expected: len as u64, found: capacity as u64, ..tp_error::new(TP_STATUS_BUFFER_TOO_SMALL) };
            return Err(Failure::new(details, format!("{name} has room for {capacity} elements, but there are {len}")));
        }
        to.iter_mut().zip(items).for_each(|(slot, item)| _ = slot.write(item));
        Ok(())
    }

    /// Takes a handle back from C; `None` if it is null.
    pub(crate) fn take<T>(self, handle: *mut T) -> Option<Box<T>> {
        // SAFETY: by POINTER-1 a handle was returned by `create`, from a box, and not destroyed.
        (!handle.is_null()).then(|| unsafe { Box::from_raw(handle) })
    }
}

fn check<T>(pointer: *const T, name: &str) -> Result<(), Failure> {
    if pointer.is_null() {
        return Err(Failure::status(TP_STATUS_NULL_POINTER, format!("{name} is null")));
    }
    if !pointer.is_aligned() {
        let align = align_of::<T>();
        return Err(Failure::status(
            TP_STATUS_MISALIGNED_POINTER,
            format!("{name} is {pointer:p}, which is not a multiple of {align}"),
        ));
    }
    Ok(())
}

fn check_slice<T>(pointer: *const T, count: usize, name: &str) -> Result<(), Failure> {
    check(pointer, name)?;
    if count > isize::MAX as usize / size_of::<T>().max(1) {
        return Err(Failure::argument(format!("{name} has {count} elements, more than fit into memory")));
    }
    Ok(())
}

/// Reads a flag: a byte that is 0 or 1.
pub(crate) fn flag(byte: u8, name: &str) -> Result<bool, Failure> {
    match byte {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(Failure::argument(format!("{name} is {other}; must be 0 or 1"))),
    }
}
