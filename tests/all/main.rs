//! The integration tests that need no allocator of their own, as one program: it links once.

mod adversarial_layouts;
mod advice;
mod api_types;
mod boxes_by_row;
mod changed_rows;
mod changed_rows_cases;
mod circle_bodies;
mod contact_events;
mod dense_places;
mod error_messages;
mod filters;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod flush_to_zero;
mod input_errors;
mod islands;
mod many_statics;
mod pairs_mut;
mod partner_lists;
mod queries;
mod query_batches;
mod query_shapes;
mod random_worlds;
#[cfg(feature = "record")]
mod recording;
mod report;
mod rounding;
#[cfg(feature = "serde")]
mod save;
mod scenes;
mod settings;
mod shift_origin;
mod sleeping;
mod sleeping_combined;
mod sleeping_random;
mod snapshots;
mod spatial_order;
#[cfg(any(feature = "record", feature = "serde"))]
mod stored_files;
mod streaming;
mod strided;
#[cfg(feature = "tracing")]
mod tracing_spans;
