//! The settings of a world, in a recording.

use crate::config::{BodyShape, InvalidRows, SimdLevel, WorldConfig};
use crate::record::error::RecordingError;
use crate::record::format::{Content, RecordBuffer};

/// The levels by their numbers in files, from 1; 0 is no limit.
const LEVELS: [SimdLevel; 6] =
    [SimdLevel::Portable, SimdLevel::Sse2, SimdLevel::Avx2, SimdLevel::Avx512, SimdLevel::Neon, SimdLevel::Simd128];

pub(super) fn write_settings(config: &WorldConfig, record: &mut RecordBuffer) {
    record.column(config.bounds());
    record.u8(config.cell_size.is_some().into());
    record.f32(config.cell_size.unwrap_or_default());
    record.len(config.pair_limit);
    record.u8((config.invalid_rows == InvalidRows::Skip).into());
    record.u8(config.parallel_threshold.is_some().into());
    record.len(config.parallel_threshold.unwrap_or_default());
    let level = config.simd_max.and_then(|max| LEVELS.iter().position(|&level| level == max));
    record.u8(level.map_or(0, |at| at as u8 + 1));
    record.u8((config.body_shape == BodyShape::Circle).into());
    record.u8(config.contact_tracking.into());
    record.f32(config.margin);
    record.u8(config.partner_lists.into());
}

pub(super) fn read_settings(content: &mut Content<'_>) -> Result<WorldConfig, RecordingError> {
    let expected = "the settings of a world";
    let count = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
    let bounds: Vec<f32> = content.column(expected)?;
    let has_cell_size = content.bool(expected)?;
    let cell_size = content.f32(expected)?;
    let pair_limit = count(content.u64(expected)?);
    let invalid_rows = if content.bool(expected)? { InvalidRows::Skip } else { InvalidRows::Reject };
    let has_threshold = content.bool(expected)?;
    let threshold = count(content.u64(expected)?);
    let simd_max = match usize::from(content.u8(expected)?).checked_sub(1) {
        None => None,
        Some(at) => Some(*LEVELS.get(at).ok_or_else(|| content.damaged(expected))?),
    };
    let body_shape = if content.bool(expected)? { BodyShape::Circle } else { BodyShape::Aabb };
    Ok(WorldConfig::new()
        .with_bounds(bounds)
        .with_cell_size(has_cell_size.then_some(cell_size))
        .with_pair_limit(pair_limit)
        .with_invalid_rows(invalid_rows)
        .with_parallel_threshold(has_threshold.then_some(threshold))
        .with_simd_max(simd_max)
        .with_body_shape(body_shape)
        .with_contact_tracking(content.bool(expected)?)
        .with_margin(content.f32(expected)?)
        .with_partner_lists(content.bool(expected)?))
}
