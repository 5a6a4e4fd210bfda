//! The passes of a step: within a tier and between tiers.

pub(crate) mod band_pass;
pub(crate) mod broad_phase;
pub(crate) mod changes;
pub(crate) mod context;
pub(crate) mod find_pairs;
pub(crate) mod oversized_pass;
pub(crate) mod pairs;
pub(crate) mod scratch_pool;
pub(crate) mod sleepers;
pub(crate) mod static_pass;
mod static_way;
pub(crate) mod task;
