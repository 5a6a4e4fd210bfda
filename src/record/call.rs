//! The calls that a recording has.

use crate::input::bodies::Bodies;
use crate::input::changed_rows::ChangedRows;
use crate::input::statics::Statics;

/// A call that changes a world, with what the caller passed.
#[derive(Clone, Copy)]
#[cfg_attr(not(feature = "record"), allow(dead_code, reason = "read by the recorder alone"))]
pub(crate) enum Call<'c> {
    Step(&'c [Bodies<'c>]),
    StepChanged(&'c [Bodies<'c>], ChangedRows<'c>),
    SetStatics(Statics<'c>),
    InsertStatics(Statics<'c>),
    ReplaceStatics(&'c [u32], Statics<'c>),
    RemoveStatics(&'c [u32]),
    SetStaticEnabled(u32, bool),
    ShiftOrigin([f32; 2]),
    ShrinkToFit,
}
