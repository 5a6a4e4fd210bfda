//! Contact tracking: contacts that began, persisted and ended, with a value for each.

pub(crate) mod compare;
pub(crate) mod contact_set;
pub(crate) mod contact_slots;
pub(crate) mod edit;
pub(crate) mod id_table;
pub(crate) mod ids;
pub(crate) mod margin;
pub(crate) mod row_map;
#[cfg(feature = "serde")]
pub(crate) mod saved;
pub(crate) mod span;
pub(crate) mod tracker;
pub(crate) mod view;
