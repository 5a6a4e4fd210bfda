//! The version of the interface, and the settings of a world.

use crate::caller::{call, flag};
use crate::error::Failure;
use crate::status::tp_status;
use crate::status::tp_status::*;
use broad_phase::{BodyShape, InvalidRows, SimdLevel, WorldConfig};
use bytemuck::{Pod, Zeroable};

/// Version of the interface. It changes with every incompatible change of the header.
pub const TP_ABI_VERSION: u32 = 1;

/// The best instruction set that a world may use. Results are the same with each.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tp_simd_level {
    /// The best that the CPU has.
    TP_SIMD_BEST = 0,
    /// Plain code, vectorized by the compiler.
    TP_SIMD_PORTABLE = 1,
    /// SSE2, which every x86-64 has.
    TP_SIMD_SSE2 = 2,
    /// AVX2, BMI1, BMI2 and POPCNT.
    TP_SIMD_AVX2 = 3,
    /// AVX-512 F, VL, BW and DQ.
    TP_SIMD_AVX512 = 4,
    /// NEON, which every 64-bit ARM has.
    TP_SIMD_NEON = 5,
}

/// What counts as a contact pair.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tp_body_shape {
    /// Boxes that overlap.
    TP_SHAPE_BOX = 0,
    /// Boxes that overlap, if the circles around their centers touch too. The diameter of a body's
    /// circle is the longer side of its box; statics are boxes. In a step with displacements only
    /// boxes are tested. Queries always test boxes.
    TP_SHAPE_CIRCLE = 1,
}

/// What a step does with rows that have NaN, infinity, negative half-extents or an inverted box.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tp_invalid_rows {
    /// It fails and names the lowest such row. The world keeps its last successful step.
    TP_INVALID_ROWS_REJECT = 0,
    /// It steps the other rows, and tp_skipped_rows() lists the invalid ones.
    TP_INVALID_ROWS_SKIP = 1,
}

/// The largest number of bounds in tp_config.
pub const TP_BOUNDS_MAX: usize = 8;

/// parallel_threshold of a world that uses the calling thread only.
pub const TP_NEVER_PARALLEL: u64 = u64::MAX;

/// Settings of a world. Begin with tp_config_default(), and change what you need.
///
/// `struct_size` tells the library which version of this struct a program was compiled with: a
/// newer library gives fields that the program does not know their defaults.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct tp_config {
    /// sizeof(tp_config), as tp_config_default() sets it.
    pub struct_size: u32,
    /// Number of threads that work on a call at a time, the calling one included. The others are
    /// from a pool. 0: from the process-wide one, which all such worlds share; it has one thread per
    /// CPU, or as many as the environment variable RAYON_NUM_THREADS says. 1: the calling thread
    /// only. More: from a pool of its own with as many threads, which lives as long as the world, its
    /// readers and its snapshots. At most 1,024; none are started with TP_NEVER_PARALLEL.
    pub thread_count: u32,
    /// The least number of bodies for which a step uses several threads; 8,000 by default.
    /// TP_NEVER_PARALLEL: it never does.
    pub parallel_threshold: u64,
    /// The largest number of pairs of a step, body pairs and static pairs together; 2^28 by default.
    pub pair_limit: u64,
    /// A tp_simd_level: the best instruction set that may be used; TP_SIMD_BEST by default.
    pub simd_max: u32,
    /// A tp_body_shape; TP_SHAPE_BOX by default.
    pub body_shape: u32,
    /// A tp_invalid_rows; TP_INVALID_ROWS_REJECT by default.
    pub invalid_rows: u32,
    /// Number of elements of `bounds`; 0 by default: bounds are derived from the bodies of each step.
    pub bound_count: u32,
    /// The largest half-extents of the size classes of bodies, ascending, in world units. Larger
    /// bodies go to the double grid.
    pub bounds: [f32; TP_BOUNDS_MAX],
    /// Side of the cells of point grids, in world units; 0, the default, to derive it.
    pub cell_size: f32,
    /// The margin that a tracked contact needs to end, in world units; 0 by default. A contact ends
    /// once the boxes are more than twice the margin apart. Until then it persists, though it may be
    /// no pair of the step. Above 0 it needs contact_tracking.
    pub margin: f32,
    /// 1 to track contacts between steps, for tp_read_events(); 0 by default.
    pub contact_tracking: u8,
    /// 1 to list the partners of each body, for tp_partners(); 0 by default.
    pub partner_lists: u8,
    /// Must be 0.
    pub reserved: [u8; 6],
}

/// Size of the first version of the struct: smaller sizes are mistakes.
const SIZE_MIN: usize = size_of::<tp_config>();

const _: () = assert!(size_of::<tp_config>() == 88, "the layout is part of the interface");

impl Default for tp_config {
    fn default() -> Self {
        let config = WorldConfig::new();
        Self {
            struct_size: size_of::<Self>() as u32,
            parallel_threshold: config.parallel_threshold().map_or(TP_NEVER_PARALLEL, |bodies| bodies as u64),
            pair_limit: config.pair_limit() as u64,
            ..Self::zeroed()
        }
    }
}

impl tp_config {
    /// The settings of the program, with defaults for fields that it does not know.
    pub(crate) fn read(size: u32, bytes: &[u8]) -> Result<Self, Failure> {
        let mut config = Self::default();
        bytemuck::bytes_of_mut(&mut config)[..bytes.len()].copy_from_slice(bytes);
        config.struct_size = size;
        Ok(config)
    }

    /// Checks the size of the struct of a program, and returns how much of it there is.
    pub(crate) fn known_size(size: u32) -> Result<usize, Failure> {
        let known = SIZE_MIN..=size_of::<Self>();
        let size = size as usize;
        if known.contains(&size) {
            return Ok(size);
        }
        let known_size = known.end();
        Err(Failure::status(
            TP_STATUS_INVALID_CONFIG,
            format!(
                "struct_size is {size}; this library knows {known_size}: begin with tp_config_default(), and compare \
                 tp_abi_version() with TP_ABI_VERSION"
            ),
        ))
    }

    pub(crate) fn to_world_config(self) -> Result<WorldConfig, Failure> {
        let bounds = self.bounds.get(..self.bound_count as usize).ok_or_else(|| {
            let count = self.bound_count;
            Failure::status(TP_STATUS_INVALID_CONFIG, format!("bound_count is {count}; must be at most 8"))
        })?;
        if self.reserved != [0; 6] {
            return Err(Failure::status(TP_STATUS_INVALID_CONFIG, "reserved is not 0; begin with tp_config_default()"));
        }
        let simd_max = match self.simd_max {
            0 => None,
            1 => Some(SimdLevel::Portable),
            2 => Some(SimdLevel::Sse2),
            3 => Some(SimdLevel::Avx2),
            4 => Some(SimdLevel::Avx512),
            5 => Some(SimdLevel::Neon),
            other => return Err(unknown("simd_max", other, "tp_simd_level")),
        };
        let body_shape = match self.body_shape {
            0 => BodyShape::Aabb,
            1 => BodyShape::Circle,
            other => return Err(unknown("body_shape", other, "tp_body_shape")),
        };
        let invalid_rows = match self.invalid_rows {
            0 => InvalidRows::Reject,
            1 => InvalidRows::Skip,
            other => return Err(unknown("invalid_rows", other, "tp_invalid_rows")),
        };
        let threshold = usize::try_from(self.parallel_threshold).unwrap_or(usize::MAX);
        let never = self.parallel_threshold == TP_NEVER_PARALLEL || self.thread_count == 1;
        Ok(WorldConfig::new()
            .with_bounds(bounds.iter().copied())
            .with_cell_size((self.cell_size != 0.0).then_some(self.cell_size))
            .with_pair_limit(usize::try_from(self.pair_limit).unwrap_or(usize::MAX))
            .with_invalid_rows(invalid_rows)
            .with_parallel_threshold((!never).then_some(threshold))
            .with_simd_max(simd_max)
            .with_body_shape(body_shape)
            .with_contact_tracking(flag(self.contact_tracking, "contact_tracking")?)
            .with_margin(self.margin)
            .with_partner_lists(flag(self.partner_lists, "partner_lists")?))
    }
}

fn unknown(setting: &str, value: u32, kind: &str) -> Failure {
    Failure::status(TP_STATUS_INVALID_CONFIG, format!("{setting} is {value}, which is no {kind}"))
}

/// Returns the TP_ABI_VERSION that the library was built with.
///
/// Programs that load the library at run time compare it with that of their header.
#[unsafe(no_mangle)]
pub extern "C" fn tp_abi_version() -> u32 {
    TP_ABI_VERSION
}

/// Writes the default settings. `struct_size` is sizeof(tp_config), `abi_version` TP_ABI_VERSION.
///
/// Call tp_config_default() instead, which passes those that the program was compiled with.
///
/// Errors: TP_STATUS_INVALID_CONFIG if the library has another interface or an older struct.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_config_init(config: *mut tp_config, struct_size: u32, abi_version: u32) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            if abi_version != TP_ABI_VERSION {
                let message =
                    format!("the header has version {abi_version} of the interface, the library {TP_ABI_VERSION}");
                return Err(Failure::status(TP_STATUS_INVALID_CONFIG, message));
            }
            let size = tp_config::known_size(struct_size)?;
            c.check(config, "config")?;
            let to = c.out_slice(config.cast::<u8>(), size, "config")?;
            let defaults = tp_config { struct_size, ..tp_config::default() };
            to.iter_mut().zip(bytemuck::bytes_of(&defaults)).for_each(|(slot, &byte)| _ = slot.write(byte));
            Ok(())
        })
    }
}
