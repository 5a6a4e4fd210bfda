//! Components of tests, and brute force over their entities.

use bevy_ecs::component::Component;
use bevy_ecs::entity::Entity;
use bevy_ecs::system::{Query, SystemParam};
use bytemuck::{Pod, Zeroable};
use fastrand::Rng;
use std::collections::BTreeSet;
use triphase::reference::body_aabb;
use triphase::{Aabb, Bodies};
use triphase_bevy::{BodyColumns, Displacement, EntityFilter, StaticBox};

#[derive(Clone, Copy, Component, PartialEq, Pod, Zeroable)]
#[repr(transparent)]
pub struct Position(pub [f32; 2]);

#[derive(Clone, Copy, Component, Pod, Zeroable)]
#[repr(transparent)]
pub struct HalfExtents(pub [f32; 2]);

pub struct Columns;

impl BodyColumns for Columns {
    type Position = Position;
    type Size = HalfExtents;

    fn bodies<'a>(positions: &'a [Position], half_extents: &'a [HalfExtents]) -> Bodies<'a> {
        Bodies::new(positions, half_extents)
    }
}

pub fn position(rng: &mut Rng) -> Position {
    Position([rng.f32() * 40.0, rng.f32() * 40.0])
}

/// Mostly small; one in thirty is large.
pub fn half_extents(rng: &mut Rng) -> HalfExtents {
    let scale = if rng.u8(..30) == 0 { 8.0 } else { 0.7 };
    HalfExtents([rng.f32() * scale, rng.f32() * scale])
}

type Body<'q> = (Entity, &'q Position, &'q HalfExtents, Option<&'q Displacement>, Option<&'q EntityFilter>);

/// Reads all bodies and statics.
#[derive(SystemParam)]
pub struct Expected<'w, 's> {
    bodies: Query<'w, 's, Body<'static>>,
    statics: Query<'w, 's, (Entity, &'static StaticBox, Option<&'static EntityFilter>)>,
}

pub type EntityPairs = BTreeSet<(Entity, Entity)>;

impl Expected<'_, '_> {
    /// All pairs of bodies, the smaller entity first, and of bodies and statics, by two loops.
    pub fn pairs(&self) -> (EntityPairs, EntityPairs) {
        let filter_of = |filter: Option<&EntityFilter>| filter.copied().unwrap_or_default().0;
        let bodies: Vec<_> = self
            .bodies
            .iter()
            .map(|(entity, place, half, displacement, filter)| {
                let aabb = body_aabb(place.0, half.0, displacement.map(|by| by.0));
                (entity, Aabb::try_from(aabb).expect("a step was made of it"), filter_of(filter))
            })
            .collect();
        let statics: Vec<_> =
            self.statics.iter().map(|(entity, aabb, filter)| (entity, aabb.0, filter_of(filter))).collect();
        let (mut body_pairs, mut static_pairs) = (BTreeSet::new(), BTreeSet::new());
        for (k, a) in bodies.iter().enumerate() {
            for b in &bodies[k + 1..] {
                if a.1.overlaps(&b.1) && a.2.interacts_with(b.2) {
                    body_pairs.insert((a.0.min(b.0), a.0.max(b.0)));
                }
            }
            for b in &statics {
                if a.1.overlaps(&b.1) && a.2.interacts_with(b.2) {
                    static_pairs.insert((a.0, b.0));
                }
            }
        }
        (body_pairs, static_pairs)
    }
}

/// Compares pairs, of which each must be found once, in either order if `expected` has that.
#[track_caller]
pub fn assert_same(what: &str, found: impl Iterator<Item = (Entity, Entity)>, expected: &EntityPairs) {
    let mut missing = expected.clone();
    let extra: Vec<_> = found.filter(|&(a, b)| !missing.remove(&(a, b)) && !missing.remove(&(b, a))).collect();
    assert!(missing.is_empty() && extra.is_empty(), "{what}: missing {missing:?}, extra {extra:?}");
}
