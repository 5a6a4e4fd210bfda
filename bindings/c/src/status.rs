//! What a call returns.

/// Outcome of a call. All but `TP_STATUS_OK` are errors, whose text tp_last_error_message() returns.
///
/// After an error nothing has changed: contacts and queries are still those of the last successful
/// step, and outputs were not written unless the call says so.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tp_status {
    /// The call succeeded.
    TP_STATUS_OK = 0,
    /// A pointer that must not be null is null.
    TP_STATUS_NULL_POINTER = 1,
    /// A pointer is not aligned for what it points to. (Columns may have any alignment.)
    TP_STATUS_MISALIGNED_POINTER = 2,
    /// An argument is out of range: a count, a constant, a flag that is neither 0 nor 1, or a string
    /// that is not UTF-8.
    TP_STATUS_INVALID_ARGUMENT = 3,
    /// A setting is out of range, or needs another setting.
    TP_STATUS_INVALID_CONFIG = 4,
    /// A stride is smaller than the values of its column, or the column exceeds the address space.
    TP_STATUS_INVALID_STRIDE = 5,
    /// A body has an invalid value; `row` is the lowest such row.
    TP_STATUS_INVALID_BODY = 6,
    /// A static has an invalid value; `row` is the lowest such row.
    TP_STATUS_INVALID_STATIC = 7,
    /// A query shape has an invalid value. In a batch, `row` is its index.
    TP_STATUS_INVALID_SHAPE = 8,
    /// Some chunks, or some statics of the set, have ids and others have none.
    TP_STATUS_INCONSISTENT_IDS = 9,
    /// Two bodies or two statics share an id, and the world tracks contacts by id.
    TP_STATUS_DUPLICATE_ID = 10,
    /// There are more rows than 2^32 - 2.
    TP_STATUS_TOO_MANY_ROWS = 11,
    /// The step has more pairs than tp_config.pair_limit.
    TP_STATUS_TOO_MANY_PAIRS = 12,
    /// The flags or bits of changed rows do not fit the rows of the step, or there are not as many
    /// statics as rows to replace.
    TP_STATUS_LENGTH_MISMATCH = 13,
    /// There is no such row or contact.
    TP_STATUS_NOT_FOUND = 14,
    /// The static of the row was removed.
    TP_STATUS_REMOVED = 15,
    /// The call needs a setting that is off: contact_tracking or partner_lists.
    TP_STATUS_OFF = 16,
    /// The output array is too small. The number of elements that it needs was written.
    TP_STATUS_BUFFER_TOO_SMALL = 17,
    /// The system could not start the threads of the world, or those that worlds share. The latter
    /// are not tried again: use a tp_config.thread_count of 1.
    TP_STATUS_NO_THREADS = 18,
    /// A bug in this library, caught at the border; or, in debug builds of it, a changed row that
    /// tp_step_changed() was not told of. A world that was being changed is broken: all further
    /// calls but tp_world_destroy() return this status. One that was only read is not.
    TP_STATUS_PANIC = 19,
    /// An error of a newer version of the library.
    TP_STATUS_OTHER = 20,
    /// A file cannot be opened, read or written; the message has the reason of the system.
    TP_STATUS_IO = 21,
    /// A file is no recording, is damaged, ends within a record, or was made by another version of the
    /// library.
    TP_STATUS_INVALID_RECORDING = 22,
    /// A call of a recording did not return what was recorded.
    TP_STATUS_DIFFERENT = 23,
}
