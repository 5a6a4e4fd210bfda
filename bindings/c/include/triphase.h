// triphase: a 2D broad phase. Once a frame, pass your bodies, and get every pair whose boxes
// overlap.
//
// Generated from bindings/c/src by `UPDATE_HEADER=1 cargo test --test header`; do not edit.
//
// UNITS. Lengths are in world units: any unit that you use everywhere. Boxes are closed: touching
// is overlap. Rows are positions in the columns of a step, counted from 0. Ids are numbers of yours.
//
// ERRORS. Every call returns a tp_status, TP_STATUS_OK if it succeeded. (tp_abi_version() and
// tp_last_error_message() cannot fail, and return what they say.) After an error nothing has
// changed, and tp_last_error_message() and tp_last_error() say what was wrong. Null, misaligned
// pointers and counts that exceed the address space are errors; a pointer to memory that is too
// small, or a handle that was destroyed, is undefined behavior, as everywhere in C. Arrays with a
// count of 0 may be null. Strings are UTF-8 and end with a zero byte. Structs that you pass must be
// initialized as a whole: begin with zeros ({0} in C, {} in C++), and tp_config with
// tp_config_default(). No panic and no C++ exception crosses this interface; see TP_STATUS_PANIC.
//
// MEMORY. What you pass is read during the call and not kept. Meanwhile no thread may write to it: in
// a column, that is all from the first byte of the first value to the last byte of the last value,
// other fields of the structs included. Outputs of a call must not overlap each other or its inputs.
// Arrays that a call returns belong to the tp_buffer that you pass, until the next call with that
// buffer, or, where the call has no buffer, to the world, until the next call that changes the world:
// copy them before you pass them to such a call. A call that takes a pointer to const tp_world does
// not change it.
//
// THREADS. Any number of threads may read a world at the same time, each with a tp_buffer of its own.
// While a thread changes a world, no other thread may use it: use a tp_reader for that. Different
// worlds are independent. Handles may move between threads. Last errors are kept per thread. Every
// call that may use several threads may return TP_STATUS_NO_THREADS. The threads of the process-wide
// pool (tp_config.thread_count 0) live until the process ends: do not unload the library. After
// fork(), use worlds with a thread_count of 1 in the child, which has none of the parent's threads.
//
// RESULTS do not depend on the number of threads or on the instruction set.


#ifndef TRIPHASE_H
#define TRIPHASE_H

#include <stddef.h>
#include <stdint.h>

// Stands for "no row", "no axis" and "no count" in details of errors.
#define TP_NONE UINT32_MAX

// Version of the interface. It changes with every incompatible change of the header.
#define TP_ABI_VERSION 1

// The largest number of bounds in tp_config.
#define TP_BOUNDS_MAX 8

// parallel_threshold of a world that uses the calling thread only.
#define TP_NEVER_PARALLEL UINT64_MAX

// Which events tp_read_events() writes; combine them with `|`.
#define TP_EVENTS_BEGAN 1

// See TP_EVENTS_BEGAN.
#define TP_EVENTS_PERSISTED 2

// See TP_EVENTS_BEGAN.
#define TP_EVENTS_ENDED 4

// All events.
#define TP_EVENTS_ALL 7

// Outcome of a call. All but `TP_STATUS_OK` are errors, whose text tp_last_error_message() returns.
//
// After an error nothing has changed: contacts and queries are still those of the last successful
// step, and outputs were not written unless the call says so.
enum tp_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // The call succeeded.
  TP_STATUS_OK = 0,
  // A pointer that must not be null is null.
  TP_STATUS_NULL_POINTER = 1,
  // A pointer is not aligned for what it points to. (Columns may have any alignment.)
  TP_STATUS_MISALIGNED_POINTER = 2,
  // An argument is out of range: a count, a constant, a flag that is neither 0 nor 1, or a string
  // that is not UTF-8.
  TP_STATUS_INVALID_ARGUMENT = 3,
  // A setting is out of range, or needs another setting.
  TP_STATUS_INVALID_CONFIG = 4,
  // A stride is smaller than the values of its column, or the column exceeds the address space.
  TP_STATUS_INVALID_STRIDE = 5,
  // A body has an invalid value; `row` is the lowest such row.
  TP_STATUS_INVALID_BODY = 6,
  // A static has an invalid value; `row` is the lowest such row.
  TP_STATUS_INVALID_STATIC = 7,
  // A query shape has an invalid value. In a batch, `row` is its index.
  TP_STATUS_INVALID_SHAPE = 8,
  // Some chunks, or some statics of the set, have ids and others have none.
  TP_STATUS_INCONSISTENT_IDS = 9,
  // Two bodies or two statics share an id, and the world tracks contacts by id.
  TP_STATUS_DUPLICATE_ID = 10,
  // There are more rows than 2^32 - 2.
  TP_STATUS_TOO_MANY_ROWS = 11,
  // The step has more pairs than tp_config.pair_limit.
  TP_STATUS_TOO_MANY_PAIRS = 12,
  // The flags or bits of changed rows do not fit the rows of the step, or there are not as many
  // statics as rows to replace.
  TP_STATUS_LENGTH_MISMATCH = 13,
  // There is no such row or contact.
  TP_STATUS_NOT_FOUND = 14,
  // The static of the row was removed.
  TP_STATUS_REMOVED = 15,
  // The call needs a setting that is off: contact_tracking or partner_lists.
  TP_STATUS_OFF = 16,
  // The output array is too small. The number of elements that it needs was written.
  TP_STATUS_BUFFER_TOO_SMALL = 17,
  // The system could not start the threads of the world, or those that worlds share. The latter
  // are not tried again: use a tp_config.thread_count of 1.
  TP_STATUS_NO_THREADS = 18,
  // A bug in this library, caught at the border; or, in debug builds of it, a changed row that
  // tp_step_changed() was not told of. A world that was being changed is broken: all further
  // calls but tp_world_destroy() return this status. One that was only read is not.
  TP_STATUS_PANIC = 19,
  // An error of a newer version of the library.
  TP_STATUS_OTHER = 20,
  // A file cannot be opened, read or written; the message has the reason of the system.
  TP_STATUS_IO = 21,
  // A file is no recording, is damaged, ends within a record, or was made by another version of the
  // library.
  TP_STATUS_INVALID_RECORDING = 22,
  // A call of a recording did not return what was recorded.
  TP_STATUS_DIFFERENT = 23,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum tp_status tp_status;
#else
typedef int32_t tp_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// A column of the input.
enum tp_column_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // The error is not about a column.
  TP_COLUMN_NONE = 0,
  // Centers of bodies.
  TP_COLUMN_CENTER = 1,
  // Half-extents of bodies.
  TP_COLUMN_HALF_EXTENT = 2,
  // Lower corners of the boxes of bodies or statics.
  TP_COLUMN_MIN = 3,
  // Upper corners of the boxes of bodies or statics.
  TP_COLUMN_MAX = 4,
  // Displacements of bodies.
  TP_COLUMN_DISPLACEMENT = 5,
  // Ids of bodies or statics.
  TP_COLUMN_ID = 6,
  // Filters of bodies or statics.
  TP_COLUMN_FILTER = 7,
  // Flags that mark bodies as asleep.
  TP_COLUMN_ASLEEP = 8,
  // Boxes of bodies or statics, if the error is about the whole column.
  TP_COLUMN_BOX = 9,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum tp_column_kind tp_column_kind;
#else
typedef uint32_t tp_column_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// What a hit is.
enum tp_hit_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint8_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // A body; `row` is that of the last step.
  TP_HIT_BODY = 0,
  // A static; `row` is that of the static set.
  TP_HIT_STATIC = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum tp_hit_kind tp_hit_kind;
#else
typedef uint8_t tp_hit_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// How the boxes of bodies are given.
enum tp_body_form
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // `centers` and `half_extents`: boxes from `center - half` to `center + half`, in f32.
  TP_BODIES_CENTERS = 0,
  // `centers`, and `uniform_half_extents` for all of them.
  TP_BODIES_UNIFORM = 1,
  // `boxes`, taken bit for bit.
  TP_BODIES_BOXES = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum tp_body_form tp_body_form;
#else
typedef uint32_t tp_body_form;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// What counts as a contact pair.
enum tp_body_shape
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // Boxes that overlap.
  TP_SHAPE_BOX = 0,
  // Boxes that overlap, if the circles around their centers touch too. The diameter of a body's
  // circle is the longer side of its box; statics are boxes. In a step with displacements only
  // boxes are tested. Queries always test boxes.
  TP_SHAPE_CIRCLE = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum tp_body_shape tp_body_shape;
#else
typedef uint32_t tp_body_shape;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// What a step does with rows that have NaN, infinity, negative half-extents or an inverted box.
enum tp_invalid_rows
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // It fails and names the lowest such row. The world keeps its last successful step.
  TP_INVALID_ROWS_REJECT = 0,
  // It steps the other rows, and tp_skipped_rows() lists the invalid ones.
  TP_INVALID_ROWS_SKIP = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum tp_invalid_rows tp_invalid_rows;
#else
typedef uint32_t tp_invalid_rows;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Order of copied pairs.
enum tp_pair_order
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // The order of the pages: any, but always the same for the same input. Fastest.
  TP_ORDER_FOUND = 0,
  // Ascending.
  TP_ORDER_SORTED = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum tp_pair_order tp_pair_order;
#else
typedef uint32_t tp_pair_order;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// The best instruction set that a world may use. Results are the same with each.
enum tp_simd_level
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // The best that the CPU has.
  TP_SIMD_BEST = 0,
  // Plain code, vectorized by the compiler.
  TP_SIMD_PORTABLE = 1,
  // SSE2, which every x86-64 has.
  TP_SIMD_SSE2 = 2,
  // AVX2, BMI1, BMI2 and POPCNT.
  TP_SIMD_AVX2 = 3,
  // AVX-512 F, VL, BW and DQ.
  TP_SIMD_AVX512 = 4,
  // NEON, which every 64-bit ARM has.
  TP_SIMD_NEON = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum tp_simd_level tp_simd_level;
#else
typedef uint32_t tp_simd_level;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// What a query may find.
enum tp_targets
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // Bodies and statics.
  TP_TARGETS_ALL = 0,
  // Bodies only.
  TP_TARGETS_BODIES = 1,
  // Statics only.
  TP_TARGETS_STATICS = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum tp_targets tp_targets;
#else
typedef uint32_t tp_targets;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Memory for the results of calls.
//
// Opaque; made by tp_buffer_create(). Each array that a call writes to a buffer is valid until the
// next call with the same buffer, whatever becomes of the world. (Pages of pairs point to pairs of
// the world, which are valid until the next call that changes it.) Keep a buffer from frame to frame,
// and one for each thread that makes queries at the same time.
typedef struct tp_buffer tp_buffer;

// A handle through which other threads get the last completed step of a world.
//
// Opaque; made by tp_reader_create().
typedef struct tp_reader tp_reader;

// A completed step of a world, which does not change any more; see tp_query_options.snapshot.
//
// Opaque; made by tp_reader_latest() and tp_reader_wait_newer().
typedef struct tp_snapshot tp_snapshot;

// A broad phase: finds the contact pairs of moving bodies and statics, and answers queries.
//
// Opaque; made by tp_world_create().
typedef struct tp_world tp_world;

// Details of an error, as far as it has them.
typedef struct tp_error {
  // The status that the call returned.
  tp_status status;
  // The column, or TP_COLUMN_NONE.
  tp_column_kind column;
  // The row, numbered through all chunks, or TP_NONE. For a query shape in a batch its index.
  uint32_t row;
  // The second row, if two rows share an id or have no contact; otherwise TP_NONE.
  uint32_t second_row;
  // The chunk, if the step had several; otherwise TP_NONE.
  uint32_t chunk;
  // The row within the chunk, if the step had several; otherwise TP_NONE.
  uint32_t row_in_chunk;
  // 0 for x, 1 for y, or TP_NONE.
  uint32_t axis;
  // Always 0.
  uint32_t reserved;
  // The invalid value, or NaN if there is none or the value is NaN.
  double value;
  // The least valid value, or NaN if there is none or it is a constant that the message has.
  double min;
  // The count, stride or limit that was expected, or 0.
  uint64_t expected;
  // The count or stride that was found, or 0.
  uint64_t found;
  // The id that two rows share, or 0.
  uint64_t id;
} tp_error;

// Settings of a world. Begin with tp_config_default(), and change what you need.
//
// `struct_size` tells the library which version of this struct a program was compiled with: a
// newer library gives fields that the program does not know their defaults.
typedef struct tp_config {
  // sizeof(tp_config), as tp_config_default() sets it.
  uint32_t struct_size;
  // Number of threads that work on a call at a time, the calling one included. The others are
  // from a pool. 0: from the process-wide one, which all such worlds share; it has one thread per
  // CPU, or as many as the environment variable RAYON_NUM_THREADS says. 1: the calling thread
  // only. More: from a pool of its own with as many threads, which lives as long as the world, its
  // readers and its snapshots. At most 1,024; none are started with TP_NEVER_PARALLEL.
  uint32_t thread_count;
  // The least number of bodies for which a step uses several threads; 8,000 by default.
  // TP_NEVER_PARALLEL: it never does.
  uint64_t parallel_threshold;
  // The largest number of pairs of a step, body pairs and static pairs together; 2^28 by default.
  uint64_t pair_limit;
  // A tp_simd_level: the best instruction set that may be used; TP_SIMD_BEST by default.
  uint32_t simd_max;
  // A tp_body_shape; TP_SHAPE_BOX by default.
  uint32_t body_shape;
  // A tp_invalid_rows; TP_INVALID_ROWS_REJECT by default.
  uint32_t invalid_rows;
  // Number of elements of `bounds`; 0 by default: bounds are derived from the bodies of each step.
  uint32_t bound_count;
  // The largest half-extents of the size classes of bodies, ascending, in world units. Larger
  // bodies go to the double grid.
  float bounds[TP_BOUNDS_MAX];
  // Side of the cells of point grids, in world units; 0, the default, to derive it.
  float cell_size;
  // The margin that a tracked contact needs to end, in world units; 0 by default. A contact ends
  // once the boxes are more than twice the margin apart. Until then it persists, though it may be
  // no pair of the step. Above 0 it needs contact_tracking.
  float margin;
  // 1 to track contacts between steps, for tp_read_events(); 0 by default.
  uint8_t contact_tracking;
  // 1 to list the partners of each body, for tp_partners(); 0 by default.
  uint8_t partner_lists;
  // Must be 0.
  uint8_t reserved[6];
} tp_config;

// Counts of a world.
typedef struct tp_counts {
  // Number of successful steps so far.
  uint64_t step_number;
  // Rows of the last step, including skipped ones.
  uint64_t body_count;
  // Pairs of two bodies in the last step.
  uint64_t body_pair_count;
  // Pairs of a body and a static in the last step.
  uint64_t static_pair_count;
  // Rows of the static set, those of disabled and of removed statics included.
  uint64_t static_count;
  // Invalid rows that the last step skipped.
  uint64_t skipped_count;
} tp_counts;

// A vector or a point, in world units.
typedef struct tp_vec2 {
  // Along x.
  float x;
  // Along y.
  float y;
} tp_vec2;

// A column: value `k` is at `(const char *)data + k * stride`.
//
// For a field of an array of structs, `data` is the address of the field in the first struct, and
// `stride` the size of the struct. For an array of its own, `stride` is the size of a value.
// Values may have any alignment; arrays that are aligned and without gaps are read fastest. A
// column with null as `data` is absent. Values are read in place and never written. Their types
// are not checked: coordinates are `float`, ids `uint64_t`; a `uint32_t` would be read together
// with what follows it, and a `double` as two floats.
typedef struct tp_column {
  // The first value, or null.
  const void *data;
  // Bytes from a value to the next, at least the size of a value.
  size_t stride;
} tp_column;

// Statics, in columns like those of bodies. The world copies them.
typedef struct tp_statics {
  // Number of rows. May be 0.
  size_t count;
  // tp_box each, in world units.
  struct tp_column boxes;
  // Optional, uint64_t each: ids, unique if contacts are tracked.
  struct tp_column ids;
  // Optional, tp_filter each.
  struct tp_column filters;
} tp_statics;

// A closed axis-aligned box, in world units: two boxes that only touch overlap.
//
// Edges must be finite, and min must not exceed max.
typedef struct tp_box {
  // The left edge.
  float min_x;
  // The lower edge.
  float min_y;
  // The right edge.
  float max_x;
  // The upper edge.
  float max_y;
} tp_box;

// The layers of an entity and the layers that it accepts, 32 bits each.
//
// Two entities interact only if each accepts the other: `a.layers & b.mask` and
// `b.layers & a.mask` are both not 0. Entities without a filter have all bits set.
typedef struct tp_filter {
  // The layers that the entity is in.
  uint32_t layers;
  // The layers that the entity accepts.
  uint32_t mask;
} tp_filter;

// A static of the set.
typedef struct tp_static {
  // Its box, or zeros if it was removed.
  struct tp_box aabb;
  // Its filter; all bits are set if it was given none.
  struct tp_filter filter;
  // Its id, or its row if the set has no ids.
  uint64_t id;
  // 1 if the set has ids.
  uint8_t has_id;
  // 1 if it takes part in steps and queries.
  uint8_t enabled;
  // 1 if it was removed.
  uint8_t removed;
  // Always 0.
  uint8_t reserved[5];
} tp_static;

// The bodies of a step, or one chunk of them, such as an archetype of an ECS.
//
// Initialize it with zeros and set what you have. Columns that the form does not use are ignored.
typedef struct tp_bodies {
  // Number of rows: each column has as many values. May be 0.
  size_t count;
  // A tp_body_form.
  uint32_t form;
  // Always 0.
  uint32_t reserved;
  // Half of the width and of the height of all bodies, in world units, for TP_BODIES_UNIFORM. If
  // it is 0, bodies are points.
  struct tp_vec2 uniform_half_extents;
  // tp_vec2 each: centers, in world units.
  struct tp_column centers;
  // tp_vec2 each: half of the width and of the height, in world units, not negative.
  struct tp_column half_extents;
  // tp_box each.
  struct tp_column boxes;
  // Optional, tp_vec2 each: the motion during the step. Boxes then cover the whole motion, so
  // that fast bodies do not tunnel.
  struct tp_column displacements;
  // Optional, uint64_t each: ids. They identify bodies if contacts are tracked, and must then be
  // unique. Either all chunks of a step have ids or none.
  struct tp_column ids;
  // Optional, tp_filter each.
  struct tp_column filters;
  // Optional, uint8_t or bool each: not 0 for bodies that rest, whose pairs are reused while they
  // do not move. A wrong mark costs time, never correctness.
  struct tp_column asleep;
} tp_bodies;

// Which rows have changed since the last successful step.
//
// Set one of the three arrays, or none if no row changed. A row has changed if any of its columns
// has: box, displacement, filter or id. Rows beyond those of the last step need not be named, rows
// that do not exist any more must not be.
typedef struct tp_changed {
  // Rows in any order, or null.
  const uint32_t *rows;
  // Number of elements of `rows`.
  size_t row_count;
  // A byte for each row of the step, 1 if it changed and 0 if not; or null.
  const uint8_t *flags;
  // Number of elements of `flags`.
  size_t flag_count;
  // A bit for each row of the step, from the lowest bit of the first word on; or null.
  const uint64_t *bits;
  // Number of elements of `bits`.
  size_t bit_word_count;
} tp_changed;

// A contact pair of two bodies.
typedef struct tp_pair {
  // The lower row of the step.
  uint32_t a;
  // The higher row of the step.
  uint32_t b;
} tp_pair;

// A contiguous part of the pairs of bodies.
typedef struct tp_pair_page {
  // The pairs.
  const struct tp_pair *pairs;
  // Their number; may be 0.
  size_t count;
} tp_pair_page;

// A contact pair of a body and a static.
typedef struct tp_static_pair {
  // Row of the body in the step.
  uint32_t body;
  // Row of the static in the static set.
  uint32_t static_row;
} tp_static_pair;

// A contiguous part of the pairs of bodies and statics.
typedef struct tp_static_pair_page {
  // The pairs.
  const struct tp_static_pair *pairs;
  // Their number; may be 0.
  size_t count;
} tp_static_pair_page;

// Groups of bodies that touch each other, directly or through others.
//
// Island `i` consists of `rows[starts[i]]` to `rows[starts[i + 1] - 1]`, ascending. Every row is in
// one island. Islands are in the order of their lowest rows.
typedef struct tp_islands {
  // Number of islands.
  size_t island_count;
  // Number of rows.
  size_t row_count;
  // The island of each row.
  const uint32_t *island_by_row;
  // The rows of all islands, island by island.
  const uint32_t *rows;
  // `island_count + 1` places in `rows`.
  const uint32_t *starts;
} tp_islands;

// A contact of two bodies, and its value.
typedef struct tp_tracked_pair {
  // The pair, as rows of the last successful step.
  struct tp_pair pair;
  // The value that was set by tp_set_contact_values(); 0 when the contact begins.
  uint32_t value;
} tp_tracked_pair;

// A contact of two bodies that ended. The bodies may be gone, so it has ids, or, in steps without
// ids, the rows that the bodies had. They are in either order: as a key, put the lower one first.
typedef struct tp_ended_pair {
  // Id of one body.
  uint64_t a_id;
  // Id of the other body.
  uint64_t b_id;
  // The last value of the contact.
  uint32_t value;
  // Always 0.
  uint32_t reserved;
} tp_ended_pair;

// A contact of a body and a static, and its value.
typedef struct tp_tracked_static_pair {
  // The pair, as rows of the last successful step and of the static set of that step.
  struct tp_static_pair pair;
  // The value that was set by tp_set_static_contact_values(); 0 when the contact begins.
  uint32_t value;
} tp_tracked_static_pair;

// A contact of a body and a static that ended, with ids like tp_ended_pair.
typedef struct tp_ended_static_pair {
  // Id of the body.
  uint64_t body_id;
  // Id of the static.
  uint64_t static_id;
  // The last value of the contact.
  uint32_t value;
  // Always 0.
  uint32_t reserved;
} tp_ended_static_pair;

// The events of the last successful step. Arrays that were not asked for are empty.
typedef struct tp_events {
  // Contacts of bodies that began.
  const struct tp_tracked_pair *began;
  // Number of elements of `began`.
  size_t began_count;
  // Contacts of bodies that began earlier and have not ended.
  const struct tp_tracked_pair *persisted;
  // Number of elements of `persisted`.
  size_t persisted_count;
  // Contacts of bodies that ended.
  const struct tp_ended_pair *ended;
  // Number of elements of `ended`.
  size_t ended_count;
  // Contacts with statics that began.
  const struct tp_tracked_static_pair *static_began;
  // Number of elements of `static_began`.
  size_t static_began_count;
  // Contacts with statics that began earlier and have not ended.
  const struct tp_tracked_static_pair *static_persisted;
  // Number of elements of `static_persisted`.
  size_t static_persisted_count;
  // Contacts with statics that ended.
  const struct tp_ended_static_pair *static_ended;
  // Number of elements of `static_ended`.
  size_t static_ended_count;
} tp_events;

// Restrictions of a query. A hit must satisfy all of them.
//
// Initialize it with zeros and set what you need. Where a call takes options, null means none.
typedef struct tp_query_options {
  // If not null, this snapshot is queried. Then pass null as the world if another thread may be
  // stepping it.
  const struct tp_snapshot *snapshot;
  // Rows of bodies that are not found, such as the body that makes the query; or null. Each hit
  // is compared with all of them.
  const uint32_t *excluded_bodies;
  // Number of elements of `excluded_bodies`.
  size_t excluded_body_count;
  // Rows of statics that are not found, or null.
  const uint32_t *excluded_statics;
  // Number of elements of `excluded_statics`.
  size_t excluded_static_count;
  // A tp_targets.
  uint32_t targets;
  // If `has_filter` is 1, only entities whose filter and this one accept each other are found. To
  // find the entities in some layers, set `layers` to UINT32_MAX and `mask` to these layers.
  struct tp_filter filter;
  // 1 if `filter` is set, otherwise 0.
  uint8_t has_filter;
  // Always 0.
  uint8_t reserved[3];
} tp_query_options;

// A body or a static that a query found.
typedef struct tp_hit {
  // Its id, or its row if it has none.
  uint64_t id;
  // Its row.
  uint32_t row;
  // Whether it is a body or a static.
  tp_hit_kind kind;
  // 1 if it has an id.
  uint8_t has_id;
  // Always 0.
  uint8_t reserved[2];
} tp_hit;

// A circle to query with, in world units. The radius may be 0 or infinite, not negative.
typedef struct tp_circle {
  // The center.
  struct tp_vec2 center;
  // The radius.
  float radius;
} tp_circle;

// A body or a static near a point.
typedef struct tp_neighbor {
  // What was found.
  struct tp_hit target;
  // Distance from the point to the closed box, in world units; 0 inside.
  double distance;
} tp_neighbor;

// A ray from `origin` along `direction`.
//
// A point moves along it by one `direction`, of any length, per unit of time. It hits the boxes
// that it reaches at times from 0 to `max_time`, which may be infinite.
typedef struct tp_ray {
  // Where the ray begins.
  struct tp_vec2 origin;
  // Motion per unit of time.
  struct tp_vec2 direction;
  // The last time at which a hit counts; INFINITY for all. With 0 only boxes that contain the
  // origin are hit.
  float max_time;
} tp_ray;

// A box that a ray or a moving box hits.
typedef struct tp_cast_hit {
  // What was hit.
  struct tp_hit target;
  // When it is reached, in multiples of the ray's direction or the box's displacement; 0 if the
  // cast begins inside the box or touching it.
  double time;
  // Unit normal of the side that is hit, pointing out of the box; (0, 0) if `time` is 0.
  struct tp_vec2 normal;
} tp_cast_hit;

// A box that moves by `displacement` from time 0 to time 1.
typedef struct tp_box_cast {
  // The box at time 0.
  struct tp_box start;
  // The whole motion.
  struct tp_vec2 displacement;
} tp_box_cast;

// The hits of a batch: those of query `k` are `hits[offsets[k]]` to `hits[offsets[k + 1] - 1]`.
typedef struct tp_hit_batch {
  // As many elements as there are queries, and one more.
  const size_t *offsets;
  // The hits of all queries, in the order of the queries.
  const struct tp_hit *hits;
  // Number of all hits.
  size_t hit_count;
} tp_hit_batch;

// The neighbors of a batch, with offsets like those of tp_hit_batch.
typedef struct tp_neighbor_batch {
  // As many elements as there are queries, and one more.
  const size_t *offsets;
  // The neighbors of all queries, in the order of the queries; those of one, nearest first.
  const struct tp_neighbor *neighbors;
  // Number of all neighbors.
  size_t neighbor_count;
} tp_neighbor_batch;

// The cast hits of a batch, with offsets like those of tp_hit_batch.
typedef struct tp_cast_batch {
  // As many elements as there are queries, and one more.
  const size_t *offsets;
  // The first hit of each ray that hits something, in the order of the rays.
  const struct tp_cast_hit *hits;
  // Number of all hits.
  size_t hit_count;
} tp_cast_batch;

// Counts of a snapshot.
typedef struct tp_snapshot_counts {
  // Number of its step.
  uint64_t step_number;
  // Rows of the step, including skipped ones.
  uint64_t body_count;
  // Rows of its static set, those of disabled and of removed statics included.
  uint64_t static_count;
} tp_snapshot_counts;

// Counts, memory and times of the last step.
typedef struct tp_report {
  // Bodies in point grids, cached ones included.
  uint64_t common_count;
  // Bodies marked as asleep whose pairs were reused.
  uint64_t cached_count;
  // Bodies in the double grid: larger than every bound, in too many bands, or with an infinite edge.
  uint64_t oversized_count;
  // Rows of the static set, those of disabled and of removed statics included.
  uint64_t static_count;
  // Rows of the static set that changed since its tree was built.
  uint64_t static_changed_count;
  // Rows of the static set whose static was removed.
  uint64_t static_removed_count;
  // Invalid rows that were skipped.
  uint64_t skipped_count;
  // Pairs of two bodies.
  uint64_t body_pair_count;
  // Pairs of a body and a static.
  uint64_t static_pair_count;
  // Bytes held for bodies, temporary memory included.
  uint64_t body_bytes;
  // Bytes held for statics.
  uint64_t static_bytes;
  // Bytes held for pairs, tracked contacts and partner lists.
  uint64_t pair_bytes;
  // Number of point grids.
  uint64_t grid_count;
  // Number of steps since all rows were filed: 0 unless the last step was told which rows
  // changed. The grids are those of that step.
  uint64_t filed_steps_ago;
  // Seconds of the whole step.
  double total_seconds;
  // Seconds of choosing size classes and bands.
  double plan_seconds;
  // Seconds of checking and distributing the rows.
  double partition_seconds;
  // Seconds of building the grid of oversized bodies and preparing the tasks.
  double layout_seconds;
  // Seconds of finding pairs.
  double find_pairs_seconds;
  // Seconds of joining the pairs of all tasks.
  double gather_seconds;
  // Seconds of comparing contacts with those of the step before.
  double track_contacts_seconds;
} tp_report;

// What a recording has.
typedef struct tp_recording_summary {
  // Calls that were recorded.
  uint64_t call_count;
  // Bytes that were written.
  uint64_t byte_count;
} tp_recording_summary;

// How far a recording was replayed.
typedef struct tp_replay_result {
  // Calls whose outcome is the recorded one. After an error, this is also the number, counted from
  // 0, of the call that differs, cannot be read, or panics.
  uint64_t call_count;
  // Number of the last successful step.
  uint64_t step_number;
  // 1 if all was read, up to the end that tp_stop_recording() writes; 0 if it ends earlier,
  // between two calls, such as by a crash of the program. (If it ends within the record of a call,
  // that is TP_STATUS_INVALID_RECORDING.)
  uint8_t is_complete;
  // Always 0.
  uint8_t reserved[7];
} tp_replay_result;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The message of the last error of this thread, or an empty string if no call failed yet.
//
// UTF-8, ended by a zero byte; never null. Valid until the next call of this thread that fails.
// Successful calls do not change it.
const char *tp_last_error_message(void);

// Writes the details of the last error of this thread.
//
// The status is TP_STATUS_OK if no call failed yet. Does not change the last error, even if
// `error` is null.
tp_status tp_last_error(struct tp_error *error);

// Returns the TP_ABI_VERSION that the library was built with.
//
// Programs that load the library at run time compare it with that of their header.
uint32_t tp_abi_version(void);

// Writes the default settings. `struct_size` is sizeof(tp_config), `abi_version` TP_ABI_VERSION.
//
// Call tp_config_default() instead, which passes those that the program was compiled with.
//
// Errors: TP_STATUS_INVALID_CONFIG if the library has another interface or an older struct.
tp_status tp_config_init(struct tp_config *config, uint32_t struct_size, uint32_t abi_version);

// Creates a world. `config` may be null, for the default settings.
//
// Errors: TP_STATUS_INVALID_CONFIG names the setting, TP_STATUS_INVALID_ARGUMENT a flag that is
// neither 0 nor 1; TP_STATUS_NO_THREADS.
tp_status tp_world_create(const struct tp_config *config, struct tp_world **world);

// Destroys a world, broken or not. `world` may be null.
//
// Arrays of the world become invalid: pages of pairs, changed pairs, partners. Those of a tp_buffer
// stay, and so do readers and snapshots. The world's own threads end, and are waited for, once its
// readers and snapshots are destroyed too.
tp_status tp_world_destroy(struct tp_world *world);

// Writes the counts of a world.
tp_status tp_world_counts(const struct tp_world *world, struct tp_counts *counts);

// Moves the origin of coordinates to `by`, in world units.
//
// Each edge of each stored box becomes `edge - by`, in f32. Subtract `by` from your columns before
// the next step, and from the shapes of all further queries. Contacts do not change. Because of
// rounding, boxes that touched may no longer touch, or vice versa.
//
// Errors: TP_STATUS_INVALID_ARGUMENT if `by` is not finite, TP_STATUS_INVALID_STATIC if an edge of
// a static would not be finite.
tp_status tp_shift_origin(struct tp_world *world, struct tp_vec2 by);

// Releases all memory that is not needed to keep the last step.
//
// Steps release memory by themselves once 256 to 511 of them in a row needed less than half of it,
// a part in each of the next few steps.
tp_status tp_shrink(struct tp_world *world);

// Copies the rows of the last step, sorted so that nearby bodies are adjacent.
//
// Row `order[k]` belongs at position `k`. If you sort your bodies by it once in a hundred frames
// or so, loops over contacts find both bodies of a pair close together in memory. `count` gets the
// number of rows, tp_counts.body_count.
//
// Errors: TP_STATUS_BUFFER_TOO_SMALL, after `count` was written.
tp_status tp_spatial_order(const struct tp_world *world,
                           uint32_t *order,
                           size_t capacity,
                           size_t *count);

// Replaces the static set, with all statics enabled.
//
// Queries see the new set at once. There are no static pairs until the next step. Takes
// O(n log n) time: to change a few statics, use the calls below.
//
// Tracked contacts with a static persist if the static of that id is in the new set. If either set
// has no ids, all contacts with statics end, and begin anew. Until the next step, tp_read_events()
// has rows of the old set.
//
// Errors: TP_STATUS_INVALID_STATIC names the lowest invalid row; TP_STATUS_DUPLICATE_ID if contacts
// are tracked; TP_STATUS_TOO_MANY_ROWS; TP_STATUS_NULL_POINTER and TP_STATUS_INVALID_STRIDE name the
// column. On an error the old set stays.
tp_status tp_set_statics(struct tp_world *world,
                         const struct tp_statics *statics);

// Appends statics, all enabled, and writes the row of the first of them.
//
// `first_row` may be null. The statics need ids if the set has ids, and must not have them if it
// has none; an empty set takes either. Queries see them at once, contact pairs from the next step
// on. Rows are never renumbered.
//
// Errors: those of tp_set_statics(), and TP_STATUS_INCONSISTENT_IDS. An invalid row counts among the
// given statics, and rows that share an id count in the whole set.
tp_status tp_insert_statics(struct tp_world *world,
                            const struct tp_statics *statics,
                            uint32_t *first_row);

// Replaces the statics of some rows, and enables these rows: row `rows[k]` gets static `k`.
//
// There are as many rows as statics; a row that is named twice gets the last of its statics. Rows
// of removed statics may be named too.
//
// Errors: those of tp_insert_statics(), TP_STATUS_NOT_FOUND if there is no such row, and
// TP_STATUS_LENGTH_MISMATCH. On an error nothing changes.
tp_status tp_replace_statics(struct tp_world *world,
                             const uint32_t *rows,
                             size_t row_count,
                             const struct tp_statics *statics);

// Removes the statics of some rows. The rows remain, without boxes.
//
// Errors: TP_STATUS_NOT_FOUND if there is no such row. Then nothing changes.
tp_status tp_remove_statics(struct tp_world *world, const uint32_t *rows, size_t row_count);

// Enables (1) or disables (0) a static, such as a door.
//
// Queries see the change at once, contact pairs from the next step on.
//
// Errors: TP_STATUS_NOT_FOUND if there is no such row, TP_STATUS_REMOVED if its static was removed.
tp_status tp_set_static_enabled(struct tp_world *world, uint32_t row, uint8_t enabled);

// Writes a static of the set.
//
// Errors: TP_STATUS_NOT_FOUND if there is no such row.
tp_status tp_get_static(const struct tp_world *world, uint32_t row, struct tp_static *found);

// Steps one frame: finds every contact pair of bodies, and of bodies and enabled statics.
//
// A contact pair is two entities whose closed boxes overlap and whose filters accept each other.
// Rows are numbered through all chunks: the first row of a chunk follows the last row of the chunk
// before. Most programs pass one tp_bodies and 1. The columns are read during the call and not
// kept.
//
// Errors: TP_STATUS_INVALID_BODY names the lowest invalid row; TP_STATUS_NULL_POINTER and
// TP_STATUS_INVALID_STRIDE name the column; TP_STATUS_INCONSISTENT_IDS, TP_STATUS_DUPLICATE_ID,
// TP_STATUS_TOO_MANY_ROWS, TP_STATUS_TOO_MANY_PAIRS; TP_STATUS_NO_THREADS, if the threads that
// worlds share cannot be started.
tp_status tp_step(struct tp_world *world, const struct tp_bodies *chunks, size_t chunk_count);

// Like tp_step(), but told which rows have changed since the last successful step.
//
// For worlds in which few bodies move: only the changed rows are read. The columns are those of all
// bodies. All other rows must be the same as in the last successful step, bit for bit; a row that
// changed without being named stays where it was, until a step reads all rows. A debug build of
// this library (`cargo build`) compares all rows in each step, and returns TP_STATUS_PANIC with a
// message that names the row. After an error, name the same rows again.
// Pairs are those of tp_step(). Their order also depends on which rows changed in the last step.
//
// If more than one row in six changed (in 22, if other rows change in each step), this takes about as
// long as tp_step(). After such a step, a step by another call, tp_set_statics() and
// tp_shift_origin(), all rows are stepped, in up to three times the time of tp_step(). So do not
// take turns with tp_step(). Rows beyond those of the last step need not be named, and rows that no
// longer exist must not be; after a row was removed by moving the last one there, name that row. The
// guide of the library, guide/src/told-changes.md, has all cases.
//
// Errors: those of tp_step(); TP_STATUS_NOT_FOUND names a changed row that does not exist;
// TP_STATUS_LENGTH_MISMATCH if there is not a flag, or not a bit, for each row;
// TP_STATUS_NULL_POINTER if the array of a count is null.
tp_status tp_step_changed(struct tp_world *world,
                          const struct tp_bodies *chunks,
                          size_t chunk_count,
                          const struct tp_changed *changed);

// Copies the rows that the last successful step skipped, ascending; see TP_INVALID_ROWS_SKIP.
//
// Each is described like the error that it would have been otherwise.
//
// Errors: TP_STATUS_BUFFER_TOO_SMALL, after `count` was written.
tp_status tp_skipped_rows(const struct tp_world *world,
                          struct tp_error *rows,
                          size_t capacity,
                          size_t *count);

// Creates an empty buffer.
tp_status tp_buffer_create(struct tp_buffer **buffer);

// Destroys a buffer and its arrays. `buffer` may be null.
tp_status tp_buffer_destroy(struct tp_buffer *buffer);

// Writes an array of pages with all pairs of bodies, without a copy of the pairs.
//
// The array is valid until the next call with `buffer`, and the pairs until the next call that
// changes the world. Loop over the pages, and within over the pairs.
tp_status tp_body_pages(const struct tp_world *world,
                        struct tp_buffer *buffer,
                        const struct tp_pair_page **pages,
                        size_t *count);

// Writes an array of pages with all pairs of a body and a static, like tp_body_pages().
//
// There are none between tp_set_statics() and the next step.
tp_status tp_static_pages(const struct tp_world *world,
                          struct tp_buffer *buffer,
                          const struct tp_static_pair_page **pages,
                          size_t *count);

// Copies all pairs of bodies to an array of the caller, in a tp_pair_order.
//
// `count` gets their number, which is also tp_counts.body_pair_count.
//
// Errors: TP_STATUS_BUFFER_TOO_SMALL, after `count` was written. Then no pair is copied.
// TP_STATUS_INVALID_ARGUMENT if `order` is no tp_pair_order.
tp_status tp_copy_body_pairs(const struct tp_world *world,
                             uint32_t order,
                             struct tp_pair *pairs,
                             size_t capacity,
                             size_t *count);

// Copies all pairs of a body and a static, like tp_copy_body_pairs().
tp_status tp_copy_static_pairs(const struct tp_world *world,
                               uint32_t order,
                               struct tp_static_pair *pairs,
                               size_t capacity,
                               size_t *count);

// Writes the pairs of bodies of which at least one row changed, in the order of tp_body_pages().
//
// After tp_step_changed() these are the pairs with a row that was named or added, or that touched a
// static that changed; after any other step, all pairs. Valid until the next call that changes the
// world.
tp_status tp_changed_pairs(const struct tp_world *world,
                           const struct tp_pair **pairs,
                           size_t *count);

// Writes the pairs of a body and a static of which the body changed, like tp_changed_pairs().
tp_status tp_changed_static_pairs(const struct tp_world *world,
                                  const struct tp_static_pair **pairs,
                                  size_t *count);

// Writes the id of a body of the last step.
//
// Errors: TP_STATUS_NOT_FOUND if the step had no ids or no such row.
tp_status tp_body_id(const struct tp_world *world, uint32_t row, uint64_t *id);

// Writes the box of a body of the last step: computed in f32, extended by its displacement.
//
// The first call after a step takes O(rows) time, later calls O(1).
//
// Errors: TP_STATUS_NOT_FOUND if the row was skipped or does not exist.
tp_status tp_body_box(const struct tp_world *world, uint32_t row, struct tp_box *aabb);

// Writes the rows of the bodies that body `row` is a pair with, ascending.
//
// None if the step had no such row. Valid until the next call that changes the world.
//
// Errors: TP_STATUS_OFF unless tp_config.partner_lists is on.
tp_status tp_partners(const struct tp_world *world,
                      uint32_t row,
                      const uint32_t **rows,
                      size_t *count);

// Writes the rows of the statics that body `row` is a pair with, like tp_partners().
tp_status tp_static_partners(const struct tp_world *world,
                             uint32_t row,
                             const uint32_t **rows,
                             size_t *count);

// Groups the bodies of the last step into islands, in arrays of `buffer`.
//
// With `connect_statics` 1, bodies that touch the same static are in the same island, with 0 not.
tp_status tp_build_islands(const struct tp_world *world,
                           uint8_t connect_statics,
                           struct tp_buffer *buffer,
                           struct tp_islands *islands);

// Writes the contacts that began, persisted and ended in the last successful step.
//
// `which` is a combination of TP_EVENTS_BEGAN, TP_EVENTS_PERSISTED and TP_EVENTS_ENDED. Bodies are
// identified by their ids, or by their rows in steps without ids. Each contact that begins also
// ends, exactly once, whatever becomes of its bodies. The arrays belong to `buffer`. Contacts that began
// or persist are in ascending order of their pairs.
//
// Errors: TP_STATUS_OFF unless tp_config.contact_tracking is on; TP_STATUS_INVALID_ARGUMENT for other
// bits of `which`.
tp_status tp_read_events(const struct tp_world *world,
                         uint32_t which,
                         struct tp_buffer *buffer,
                         struct tp_events *events);

// Writes the value of a contact of two bodies.
//
// Errors: TP_STATUS_OFF unless tp_config.contact_tracking is on; TP_STATUS_NOT_FOUND if there is no
// such contact.
tp_status tp_contact_value(const struct tp_world *world, struct tp_pair pair, uint32_t *value);

// Writes the value of a contact of a body and a static, like tp_contact_value().
tp_status tp_static_contact_value(const struct tp_world *world,
                                  struct tp_static_pair pair,
                                  uint32_t *value);

// Sets the values of contacts of bodies, such as indices of impulses.
//
// A value stays with its contact, even if the bodies change rows, until the contact ends.
//
// Errors: TP_STATUS_OFF unless tp_config.contact_tracking is on; TP_STATUS_NOT_FOUND names the
// first pair that is no contact. Then no value is changed.
tp_status tp_set_contact_values(struct tp_world *world,
                                const struct tp_tracked_pair *contacts,
                                size_t count);

// Sets the values of contacts of a body and a static, like tp_set_contact_values().
tp_status tp_set_static_contact_values(struct tp_world *world,
                                       const struct tp_tracked_static_pair *contacts,
                                       size_t count);

// Finds everything whose box overlaps `area`.
//
// Queries find the bodies of the last successful step, and the statics that are enabled now. Common
// bodies come first, then those of the double grid, then statics; the order within these depends only
// on the steps, never on threads. The array belongs to `buffer`. Several threads may query a world at
// the same time, each with a buffer of its own.
//
// Errors: TP_STATUS_INVALID_SHAPE if an edge is not finite or min exceeds max;
// TP_STATUS_INVALID_ARGUMENT for an unknown value in `options`.
tp_status tp_query_box(const struct tp_world *world,
                       const struct tp_query_options *options,
                       struct tp_box area,
                       struct tp_buffer *buffer,
                       const struct tp_hit **hits,
                       size_t *count);

// Finds everything whose box is inside `area`, such as for a selection; like tp_query_box().
tp_status tp_query_contained(const struct tp_world *world,
                             const struct tp_query_options *options,
                             struct tp_box area,
                             struct tp_buffer *buffer,
                             const struct tp_hit **hits,
                             size_t *count);

// Finds everything whose box contains `point`; like tp_query_box().
tp_status tp_query_point(const struct tp_world *world,
                         const struct tp_query_options *options,
                         struct tp_vec2 point,
                         struct tp_buffer *buffer,
                         const struct tp_hit **hits,
                         size_t *count);

// Finds everything whose box contains all of `aabb`; like tp_query_box().
tp_status tp_query_containing(const struct tp_world *world,
                              const struct tp_query_options *options,
                              struct tp_box aabb,
                              struct tp_buffer *buffer,
                              const struct tp_hit **hits,
                              size_t *count);

// Finds everything whose box overlaps a circle; like tp_query_box().
tp_status tp_query_circle(const struct tp_world *world,
                          const struct tp_query_options *options,
                          struct tp_circle circle,
                          struct tp_buffer *buffer,
                          const struct tp_hit **hits,
                          size_t *count);

// Finds the `k` boxes nearest to the center of a circle among those that overlap it, nearest first.
//
// Among boxes at the same distance, bodies come before statics and lower rows before higher ones. The
// radius is the largest distance; INFINITY for any. With SIZE_MAX as `k`, finds all boxes that overlap
// the circle. Otherwise like tp_query_box().
tp_status tp_query_nearest(const struct tp_world *world,
                           const struct tp_query_options *options,
                           struct tp_circle circle,
                           size_t k,
                           struct tp_buffer *buffer,
                           const struct tp_neighbor **neighbors,
                           size_t *count);

// Finds the first box that a ray hits.
//
// `is_hit` gets 1 if there is one, and otherwise 0; then the time of `hit` is INFINITY. Among boxes
// that are hit at the same time, bodies come before statics and lower rows before higher ones.
// Needs no buffer.
//
// Errors: TP_STATUS_INVALID_SHAPE.
tp_status tp_cast_ray(const struct tp_world *world,
                      const struct tp_query_options *options,
                      struct tp_ray ray,
                      struct tp_cast_hit *hit,
                      uint8_t *is_hit);

// Finds every box that a ray hits, first hit first. The array belongs to `buffer`. Boxes that are hit
// at the same time are in the order of tp_cast_ray().
//
// Errors: TP_STATUS_INVALID_SHAPE.
tp_status tp_cast_ray_all(const struct tp_world *world,
                          const struct tp_query_options *options,
                          struct tp_ray ray,
                          struct tp_buffer *buffer,
                          const struct tp_cast_hit **hits,
                          size_t *count);

// Writes 1 to `is_hit` if a ray hits any box, such as for a line of sight, and otherwise 0.
//
// Errors: TP_STATUS_INVALID_SHAPE.
tp_status tp_cast_ray_any(const struct tp_world *world,
                          const struct tp_query_options *options,
                          struct tp_ray ray,
                          uint8_t *is_hit);

// Finds the first box that a moving box hits; like tp_cast_ray().
tp_status tp_cast_box(const struct tp_world *world,
                      const struct tp_query_options *options,
                      struct tp_box_cast cast,
                      struct tp_cast_hit *hit,
                      uint8_t *is_hit);

// Finds every box that a moving box hits; like tp_cast_ray_all().
tp_status tp_cast_box_all(const struct tp_world *world,
                          const struct tp_query_options *options,
                          struct tp_box_cast cast,
                          struct tp_buffer *buffer,
                          const struct tp_cast_hit **hits,
                          size_t *count);

// Writes 1 to `is_hit` if a moving box hits any box; like tp_cast_ray_any().
tp_status tp_cast_box_any(const struct tp_world *world,
                          const struct tp_query_options *options,
                          struct tp_box_cast cast,
                          uint8_t *is_hit);

// Runs tp_query_box() for each area, on several threads. The arrays belong to `buffer`.
//
// Each query has the hits that it has alone, in the same order. Batches of a world or of its
// snapshots use its threads even below tp_config.parallel_threshold, unless it uses the calling
// thread only.
//
// Errors: TP_STATUS_INVALID_SHAPE; tp_error.row is the index of the first invalid area.
tp_status tp_query_boxes(const struct tp_world *world,
                         const struct tp_query_options *options,
                         const struct tp_box *areas,
                         size_t area_count,
                         struct tp_buffer *buffer,
                         struct tp_hit_batch *batch);

// Runs tp_query_circle() for each circle; like tp_query_boxes().
tp_status tp_query_circles(const struct tp_world *world,
                           const struct tp_query_options *options,
                           const struct tp_circle *circles,
                           size_t circle_count,
                           struct tp_buffer *buffer,
                           struct tp_hit_batch *batch);

// Runs tp_query_nearest() for each circle, with the same `k`; like tp_query_boxes().
tp_status tp_query_nearests(const struct tp_world *world,
                            const struct tp_query_options *options,
                            const struct tp_circle *circles,
                            size_t circle_count,
                            size_t k,
                            struct tp_buffer *buffer,
                            struct tp_neighbor_batch *batch);

// Runs tp_cast_ray() for each ray; like tp_query_boxes(). A ray has one hit or none.
tp_status tp_cast_rays(const struct tp_world *world,
                       const struct tp_query_options *options,
                       const struct tp_ray *rays,
                       size_t ray_count,
                       struct tp_buffer *buffer,
                       struct tp_cast_batch *batch);

// Creates a reader of a world.
//
// Not while another thread changes the world. While there are readers, each step copies its ids.
tp_status tp_reader_create(const struct tp_world *world, struct tp_reader **reader);

// Destroys a reader, before or after its world. `reader` may be null. Its snapshots stay.
//
// If the world has threads of its own, they end with the last of the world, its readers and its
// snapshots: the call that destroys it waits for them.
tp_status tp_reader_destroy(struct tp_reader *reader);

// Creates a snapshot of the last completed step, and writes the number of that step.
//
// Any thread may call this at any time, even while another thread steps the world. `step_number`
// may be null. Destroy the snapshot when it is not needed any more: it keeps the memory of a step.
tp_status tp_reader_latest(const struct tp_reader *reader,
                           struct tp_snapshot **snapshot,
                           uint64_t *step_number);

// Waits for a step newer than `step_number`, at most `seconds`, and creates a snapshot of it.
//
// The thread sleeps while it waits; meanwhile, do not destroy the reader. `snapshot` gets null if
// the time runs out, as in a pause of the game, or if the world is destroyed first. In the latter
// case, no step will follow, and `is_closed` gets 1, otherwise 0. `is_closed` may be null.
//
// Errors: TP_STATUS_INVALID_ARGUMENT if `seconds` is negative or NaN.
tp_status tp_reader_wait_newer(const struct tp_reader *reader,
                               uint64_t step_number,
                               double seconds,
                               struct tp_snapshot **snapshot,
                               uint8_t *is_closed);

// Writes the counts of a snapshot.
tp_status tp_snapshot_get_counts(const struct tp_snapshot *snapshot,
                                 struct tp_snapshot_counts *counts);

// Writes the id of a body of a snapshot, or its row if the step had no ids.
//
// Errors: TP_STATUS_NOT_FOUND if the step had no such row.
tp_status tp_snapshot_body_id(const struct tp_snapshot *snapshot, uint32_t row, uint64_t *id);

// Writes the box of a body of a snapshot; like tp_body_box().
//
// Errors: TP_STATUS_NOT_FOUND if the row was skipped or does not exist.
tp_status tp_snapshot_body_box(const struct tp_snapshot *snapshot,
                               uint32_t row,
                               struct tp_box *aabb);

// Writes a static of the set of a snapshot; like tp_get_static().
tp_status tp_snapshot_static(const struct tp_snapshot *snapshot,
                             uint32_t row,
                             struct tp_static *found);

// Destroys a snapshot, before or after its reader and world. `snapshot` may be null.
tp_status tp_snapshot_destroy(struct tp_snapshot *snapshot);

// Writes the figures of the last step. Takes O(cells) time: not for every frame.
tp_status tp_get_report(const struct tp_world *world, struct tp_report *report);

// Copies the figures as text, in UTF-8, with advice if a setting makes steps slow.
//
// `count` gets the number of bytes, including the zero byte that ends the text. Figures differ from
// call to call, so if the text does not fit, leave some bytes to spare the second time.
//
// Errors: TP_STATUS_BUFFER_TOO_SMALL, after `count` was written.
tp_status tp_report_text(const struct tp_world *world, char *text, size_t capacity, size_t *count);

// Records all further calls that change a world, and what they return, in a file.
//
// A recording is the way to report a bug: it has the settings, the statics, and the columns of each
// step bit for bit, and tp_replay() makes the same calls again. Replaces a file that exists. Begin
// before the first step: otherwise events of the first recorded step, and the order of pairs of steps
// with sleeping bodies and of tp_step_changed(), may differ in a replay. Values of contacts are not
// recorded.
//
// Each call is written before it runs, so the file has all calls if the program crashes, or if a call
// returns TP_STATUS_PANIC, the last one included. If writing fails later, the world's calls are not
// affected, the recording stops, and tp_stop_recording() returns the error. A recording that was
// under way is ended first.
//
// Errors: TP_STATUS_INVALID_ARGUMENT if `path` is not UTF-8; TP_STATUS_IO, also for a recording that
// was under way; then nothing is recorded.
tp_status tp_record_to(struct tp_world *world,
                       const char *path);

// Ends the recording of a world, and writes what it has, zeros if there is none.
//
// `summary` may be null. If a world is destroyed instead, its recording lacks the end, but no call.
//
// Errors: TP_STATUS_IO if the file could not be written at some call; the calls before it were
// recorded.
tp_status tp_stop_recording(struct tp_world *world, struct tp_recording_summary *summary);

// Makes the calls of a recording again, in a world of its own, and compares what they return.
//
// Succeeds if all of them return what was recorded: the same pairs in the same order, or the same
// error. A newer version of the library may find the same pairs in another order. Stops at the first
// call that differs; tp_last_error_message() says how. `result` is also written after errors, other than
// those of arguments. Uses the threads of the process-wide pool if the recorded world used several.
//
// Errors: TP_STATUS_INVALID_ARGUMENT if `path` is not UTF-8; TP_STATUS_IO;
// TP_STATUS_INVALID_RECORDING; TP_STATUS_DIFFERENT; TP_STATUS_PANIC, such as if a call panicked when
// it was recorded; TP_STATUS_NO_THREADS.
tp_status tp_replay(const char *path,
                    struct tp_replay_result *result);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TRIPHASE_H */

#ifndef TRIPHASE_H_CONFIG_DEFAULT
#define TRIPHASE_H_CONFIG_DEFAULT

// Returns the default settings, with the size of the struct that this header declares. If the
// library does not suit this header, all is 0, which tp_world_create() does not accept.
static inline tp_config tp_config_default(void)
{
  static tp_config zeros;
  tp_config config = zeros;
  tp_config_init(&config, (uint32_t)sizeof config, TP_ABI_VERSION);
  return config;
}

#endif
