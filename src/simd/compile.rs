//! The kernels, compiled for an instruction set.

/// Compiles a scan for an instruction set: once for any tests, and once for boxes alone.
macro_rules! compile_scan {
    ([$(#[$features:meta])?] $module:ident::$scan:ident::<$backend:ty>($($argument:ident: $type:ty),*)) => {
        #[inline(never)]
        $(#[$features])?
        pub(super) fn $scan<const BOXES_ONLY: bool>(
            tests: Tests,
            $($argument: $type,)*
            sink: &mut PairSink<'_>,
        ) -> Option<()> {
            let tests = if BOXES_ONLY { Tests::BOXES } else { tests };
            // SAFETY: this function is compiled with the features, so they are available.
            unsafe { $module::$scan::<$backend>(tests, $($argument,)* sink) }
        }
    };
}
pub(super) use compile_scan;

/// Compiles the kernels for an instruction set, with its features.
///
/// They are not inlined where the set is chosen, so that the choice itself is small enough to be
/// inlined.
macro_rules! compile_kernels {
    ($backend:ty $(, #[$features:meta])?) => {
        use crate::geometry::RawAabb;
        use crate::memory::blocks::SOA_BLOCK_WORDS;
        use crate::memory::box_group::GroupEdges;
        use crate::memory::box_octet::OctetEdges;
        use crate::memory::columns::SoaColumns;
        use crate::memory::list_columns::ListColumns;
        use crate::memory::pair_sink::PairSink;
        use crate::simd::batch_test::Tests;
        use crate::simd::cell_view::{CellRect, CellView};
        use crate::simd::compile::compile_scan;
        use crate::simd::probe::{Probe, ProbeBatch};
        use crate::simd::tree_view::TreeView;
        use crate::simd::{block_mask, scan, tree_scan};

        // Not inlined into other jobs of the same instruction set.
        #[inline(never)]
        $(#[$features])?
        pub(super) fn run<J: crate::simd::SimdJob>(job: J) -> J::Output {
            job.run()
        }

        #[inline(never)]
        $(#[$features])?
        pub(super) fn scan_cells<const FILTERS: bool, const CIRCLES: bool>(
            cells: &CellView<'_>,
            keys: &[u32],
            probes: std::ops::Range<usize>,
            sink: &mut PairSink<'_>,
        ) -> Option<()> {
            let tests = Tests { filters: FILTERS, circles: CircleSides { probe: CIRCLES, entries: CIRCLES } };
            // SAFETY: this function is compiled with the features, so they are available.
            unsafe { scan::scan_cells::<$backend>(tests, cells, keys, probes, sink) }
        }

        compile_scan!([$(#[$features])?] scan::scan_rects::<$backend>(
            cells: &CellView<'_>,
            searches: &[(CellRect, Probe)],
            order: PairOrder
        ));
        compile_scan!([$(#[$features])?] tree_scan::scan_tree::<$backend>(
            tree: &TreeView<'_>,
            probes: &[Probe],
            order: PairOrder
        ));
        compile_scan!([$(#[$features])?] tree_scan::scan_tree_pairs::<$backend>(
            tree: &TreeView<'_>,
            probes: std::ops::Range<usize>
        ));
        compile_scan!([$(#[$features])?] scan::scan_lists::<$backend>(
            probes: (&SoaColumns<'_>, usize),
            lists: (&ListColumns, &[[u32; 2]]),
            are_exchanged: bool
        ));
        compile_scan!([$(#[$features])?] scan::scan_beside::<$backend>(
            probes: &SoaColumns<'_>,
            entries: (&SoaColumns<'_>, &[f32]),
            axis: (usize, PairOrder)
        ));
        compile_scan!([$(#[$features])?] scan::scan_sorted::<$backend>(
            entries: &SoaColumns<'_>,
            probes: std::ops::Range<usize>,
            axis: usize
        ));
        compile_scan!([$(#[$features])?] scan::scan_above::<$backend>(
            entries: &SoaColumns<'_>,
            probes: &ProbeBatch<'_>,
            above: [f32; 2]
        ));

        $(#[$features])?
        pub(super) fn overlap_mask(block: &[u32; SOA_BLOCK_WORDS], area: &RawAabb) -> u32 {
            // SAFETY: this function is compiled with the features, so they are available.
            unsafe { block_mask::overlap_mask::<$backend>(block, area) }
        }

        $(#[$features])?
        pub(super) fn group_mask(group: &GroupEdges, area: &RawAabb) -> u64 {
            // SAFETY: this function is compiled with the features, so they are available.
            unsafe { block_mask::group_mask::<$backend>(group, area) }
        }

        $(#[$features])?
        pub(super) fn octet_mask(octet: &OctetEdges, area: &RawAabb) -> u32 {
            // SAFETY: this function is compiled with the features, so they are available.
            unsafe { block_mask::octet_mask::<$backend>(octet, area) }
        }

        $(#[$features])?
        pub(super) fn overlap_masks(blocks: [&[u32; SOA_BLOCK_WORDS]; 2], area: &RawAabb) -> u32 {
            // SAFETY: this function is compiled with the features, so they are available.
            unsafe { block_mask::overlap_masks::<$backend>(blocks, area) }
        }
    };
}
pub(super) use compile_kernels;
