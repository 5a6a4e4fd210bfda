//! Kernels: loops that test one box against many, several at a time.
//!
//! Each algorithm is written once, over the trait [`vector::Vector`]. A file per instruction set
//! implements that trait and [`backend::Backend`], and compiles the algorithms with its features.
//! [`DetectedSimd`] chooses among them at run time.
//!
//! Hits are reported in the order of the run, whatever the width of a vector, so results are the
//! same on every instruction set. Filters and circles are tested along with the boxes, so they
//! remove some of the hits and change nothing else.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod backend;
mod batch_test;
mod block_mask;
mod block_search;
mod cell_view;
mod circle_test;
mod compile;
#[cfg(any(
    all(target_arch = "aarch64", target_endian = "little"),
    all(target_arch = "wasm32", target_feature = "simd128")
))]
mod compress_four;
mod detected;
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little"),
    all(target_arch = "wasm32", target_feature = "simd128")
))]
mod double;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
mod neon;
mod output_slots;
#[cfg(any(not(target_arch = "x86_64"), debug_assertions, test))]
mod portable;
mod probe;
mod raw_columns;
mod read_rows;
mod scan;
mod splat_probe;
#[cfg(target_arch = "x86_64")]
mod sse2;
#[cfg(test)]
mod tests;
mod tree_scan;
mod tree_view;
mod vector;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm128;

pub(crate) use block_search::{OverlapIter, run_mask};
pub(crate) use cell_view::{CellRect, CellView};
pub(crate) use detected::{DetectedSimd, SimdJob};
pub(crate) use probe::{PairOrder, Probe, ProbeBatch};
pub(crate) use read_rows::SimdRows;
pub(crate) use tree_view::TreeView;
