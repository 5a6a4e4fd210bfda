//! The passes of a step: within a tier and between tiers.

pub(crate) mod band_pass;
pub(crate) mod origin;
pub(crate) mod pairs;
pub(crate) mod sleepers;
pub(crate) mod static_pass;
pub(crate) mod static_sweep;
pub(crate) mod workers;
