//! The calls for the last error of a thread.

use crate::caller::call_quietly;
use crate::error::{tp_error, with_last};
use crate::status::tp_status;
use crate::status::tp_status::*;
use std::ffi::c_char;

/// The message of the last error of this thread, or an empty string if no call failed yet.
///
/// UTF-8, ended by a zero byte; never null. Valid until the next call of this thread that fails.
/// Successful calls do not change it.
#[unsafe(no_mangle)]
pub extern "C" fn tp_last_error_message() -> *const c_char {
    with_last(|last| last.map(|last| last.message.as_ptr())).flatten().unwrap_or(c"".as_ptr())
}

/// Writes the details of the last error of this thread.
///
/// The status is TP_STATUS_OK if no call failed yet. Does not change the last error, even if
/// `error` is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_last_error(error: *mut tp_error) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call_quietly(|c| {
            let last = with_last(|last| last.map(|last| last.details)).flatten();
            c.out(error, "error")?.write(last.unwrap_or(tp_error::new(TP_STATUS_OK)));
            Ok(())
        })
    }
}
