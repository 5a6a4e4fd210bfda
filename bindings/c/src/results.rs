//! What calls find: pairs, contacts and hits.

use crate::shapes::tp_vec2;
use broad_phase::{CastHit, Hit, Neighbor, Pair, StaticPair};
use bytemuck::{Pod, Zeroable};

/// A contact pair of two bodies.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
pub struct tp_pair {
    /// The lower row of the step.
    pub a: u32,
    /// The higher row of the step.
    pub b: u32,
}

/// A contact pair of a body and a static.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
pub struct tp_static_pair {
    /// Row of the body in the step.
    pub body: u32,
    /// Row of the static in the static set.
    pub static_row: u32,
}

/// A contiguous part of the pairs of bodies.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct tp_pair_page {
    /// The pairs.
    pub pairs: *const tp_pair,
    /// Their number; may be 0.
    pub count: usize,
}

/// A contiguous part of the pairs of bodies and statics.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct tp_static_pair_page {
    /// The pairs.
    pub pairs: *const tp_static_pair,
    /// Their number; may be 0.
    pub count: usize,
}

impl From<tp_pair> for Pair {
    fn from(pair: tp_pair) -> Self {
        bytemuck::cast(pair)
    }
}

impl From<tp_static_pair> for StaticPair {
    fn from(pair: tp_static_pair) -> Self {
        bytemuck::cast(pair)
    }
}

/// A contact of two bodies, and its value.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct tp_tracked_pair {
    /// The pair, as rows of the last successful step.
    pub pair: tp_pair,
    /// The value that was set by tp_set_contact_values(); 0 when the contact begins.
    pub value: u32,
}

/// A contact of a body and a static, and its value.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct tp_tracked_static_pair {
    /// The pair, as rows of the last successful step and of the static set of that step.
    pub pair: tp_static_pair,
    /// The value that was set by tp_set_static_contact_values(); 0 when the contact begins.
    pub value: u32,
}

/// A contact of two bodies that ended. The bodies may be gone, so it has ids, or, in steps without
/// ids, the rows that the bodies had. They are in either order: as a key, put the lower one first.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct tp_ended_pair {
    /// Id of one body.
    pub a_id: u64,
    /// Id of the other body.
    pub b_id: u64,
    /// The last value of the contact.
    pub value: u32,
    /// Always 0.
    pub reserved: u32,
}

/// A contact of a body and a static that ended, with ids like tp_ended_pair.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct tp_ended_static_pair {
    /// Id of the body.
    pub body_id: u64,
    /// Id of the static.
    pub static_id: u64,
    /// The last value of the contact.
    pub value: u32,
    /// Always 0.
    pub reserved: u32,
}

/// What a hit is.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tp_hit_kind {
    /// A body; `row` is that of the last step.
    TP_HIT_BODY = 0,
    /// A static; `row` is that of the static set.
    TP_HIT_STATIC = 1,
}

/// A body or a static that a query found.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct tp_hit {
    /// Its id, or its row if it has none.
    pub id: u64,
    /// Its row.
    pub row: u32,
    /// Whether it is a body or a static.
    pub kind: tp_hit_kind,
    /// 1 if it has an id.
    pub has_id: u8,
    /// Always 0.
    pub reserved: [u8; 2],
}

/// A body or a static near a point.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct tp_neighbor {
    /// What was found.
    pub target: tp_hit,
    /// Distance from the point to the closed box, in world units; 0 inside.
    pub distance: f64,
}

impl From<Hit> for tp_hit {
    fn from(hit: Hit) -> Self {
        let (kind, row, id) = match hit {
            Hit::Body { row, id } => (tp_hit_kind::TP_HIT_BODY, row, id),
            Hit::Static { row, id } => (tp_hit_kind::TP_HIT_STATIC, row, id),
        };
        Self { id: id.unwrap_or(row.into()), row, kind, has_id: id.is_some().into(), reserved: [0; 2] }
    }
}

impl From<Neighbor> for tp_neighbor {
    fn from(found: Neighbor) -> Self {
        Self { target: found.target.into(), distance: found.distance }
    }
}

/// A box that a ray or a moving box hits.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct tp_cast_hit {
    /// What was hit.
    pub target: tp_hit,
    /// When it is reached, in multiples of the ray's direction or the box's displacement; 0 if the
    /// cast begins inside the box or touching it.
    pub time: f64,
    /// Unit normal of the side that is hit, pointing out of the box; (0, 0) if `time` is 0.
    pub normal: tp_vec2,
}

impl From<CastHit> for tp_cast_hit {
    fn from(hit: CastHit) -> Self {
        let [x, y] = hit.normal.unwrap_or_default();
        Self { target: hit.target.into(), time: hit.time_of_impact, normal: tp_vec2 { x, y } }
    }
}
