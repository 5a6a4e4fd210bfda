//! The calls that change a world, and the recorder of a library without the feature `record`.

#[cfg(not(feature = "record"))]
use crate::error::Error;
use crate::input::bodies::Bodies;
use crate::input::changed_rows::ChangedRows;
use crate::input::statics::Statics;
#[cfg(not(feature = "record"))]
use crate::state::WorldState;

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

/// Records nothing, and has no size.
#[cfg(not(feature = "record"))]
#[derive(Default)]
pub(crate) struct Recorder;

#[cfg(not(feature = "record"))]
impl Recorder {
    #[inline(always)]
    pub(crate) fn call(&mut self, _: Call<'_>) {}

    #[inline(always)]
    pub(crate) fn outcome<T>(&mut self, _: &Result<T, Error>, _is_step: bool, _: &WorldState) {}
}
