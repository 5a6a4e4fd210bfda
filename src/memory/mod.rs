//! Memory that outlives a step, and how tasks share it.

pub(crate) mod bit_set;
pub(crate) mod bits;
pub(crate) mod blocks;
pub(crate) mod body_record;
pub(crate) mod box_group;
pub(crate) mod box_octet;
pub(crate) mod buffers;
pub(crate) mod cell_table;
pub(crate) mod columns;
pub(crate) mod disjoint;
pub(crate) mod lazy;
pub(crate) mod list_columns;
pub(crate) mod listener;
pub(crate) mod page;
pub(crate) mod pair_sink;
pub(crate) mod partition_points;
pub(crate) mod radix;
pub(crate) mod shared_column;
pub(crate) mod step_bits;
pub(crate) mod usage;
