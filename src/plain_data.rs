//! Types that `bytemuck` may cast.
//!
//! Implemented by hand: its derive would make every user of this crate compile `syn`.
//!
//! PLAIN-1: these types consist of `f32` and `u32` only, without padding, and are `repr(C)` or
//! `repr(transparent)`. The sizes are checked below.

#![allow(unsafe_code)]

use crate::geometry::{Aabb, RawAabb};
use crate::input::filter::Filter;
use crate::memory::body_record::BodyRecord;
use crate::pair::{Pair, StaticPair};
use bytemuck::{NoUninit, Pod, Zeroable};

const _: () = assert!(size_of::<Aabb>() == size_of::<RawAabb>());
const _: () = assert!(size_of::<Filter>() == 2 * size_of::<u32>());
const _: () = assert!(size_of::<Pair>() == 2 * size_of::<u32>());
const _: () = assert!(size_of::<StaticPair>() == 2 * size_of::<u32>());
const _: () = assert!(size_of::<BodyRecord>() == size_of::<RawAabb>() + size_of::<u32>());

// SAFETY: PLAIN-1. Not `Pod`, as not every box of four `f32` is valid.
unsafe impl NoUninit for Aabb {}

// SAFETY: PLAIN-1; zero is a value of `u32`.
unsafe impl Zeroable for Filter {}
// SAFETY: PLAIN-1; any bits are a value of `u32`.
unsafe impl Pod for Filter {}

// SAFETY: PLAIN-1; zero is a value of `u32`.
unsafe impl Zeroable for Pair {}
// SAFETY: PLAIN-1; any bits are a value of `u32`.
unsafe impl Pod for Pair {}

// SAFETY: PLAIN-1; zero is a value of `u32`.
unsafe impl Zeroable for StaticPair {}
// SAFETY: PLAIN-1; any bits are a value of `u32`.
unsafe impl Pod for StaticPair {}

// SAFETY: PLAIN-1; zero is a value of `f32` and of `u32`.
unsafe impl Zeroable for BodyRecord {}
// SAFETY: PLAIN-1; any bits are a value of `f32` and of `u32`.
unsafe impl Pod for BodyRecord {}
