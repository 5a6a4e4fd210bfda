//! Components that are read as columns.

use bevy_ecs::component::Component;
use bytemuck::{Pod, TransparentWrapper, Zeroable};
use triphase::{Aabb, Bodies, Filter};

/// Says which components make a body, and how their columns are read.
///
/// Implemented for an empty type of yours, so that the components may be of any crate:
///
/// ```
/// # use bevy_ecs::component::Component;
/// # use bytemuck::{Pod, Zeroable};
/// use triphase::{Bodies, StridedColumn};
/// use triphase_bevy::BodyColumns;
///
/// #[derive(Clone, Copy, Component, Pod, Zeroable)]
/// #[repr(C)]
/// struct Motion {
///     center: [f32; 2],
///     velocity: [f32; 2],
/// }
///
/// /// All are of one size.
/// #[derive(Component)]
/// struct Particle;
///
/// struct Particles;
///
/// impl BodyColumns for Particles {
///     type Position = Motion;
///     type Size = Particle;
///
///     fn bodies<'a>(motions: &'a [Motion], _: &'a [Particle]) -> Bodies<'a> {
///         Bodies::uniform_strided(StridedColumn::of(motions, |motion| &motion.center), [0.1, 0.1])
///     }
/// }
/// ```
pub trait BodyColumns: Send + Sync + 'static {
    /// The component with the center of a body, or with its whole box.
    type Position: Component;
    /// The component with the size of a body, or a marker of bodies.
    type Size: Component;

    /// The bodies of one table, which has a row per entity: one body for each, in the same order.
    ///
    /// A body must depend on its own row only, because it is read again only if the components of
    /// its row change.
    fn bodies<'a>(positions: &'a [Self::Position], sizes: &'a [Self::Size]) -> Bodies<'a>;
}

/// The layers of a body or static and those that it accepts; see [`triphase::Filter`].
///
/// Entities without it have [`Filter::ALL`].
#[derive(Clone, Copy, Component, Debug, Default, PartialEq, Eq, TransparentWrapper)]
#[repr(transparent)]
pub struct EntityFilter(pub Filter);

/// The motion of a fast body during the step, from its position on; see
/// [`Bodies::with_displacements`](triphase::Bodies::with_displacements).
#[derive(Clone, Copy, Component, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(transparent)]
pub struct Displacement(pub [f32; 2]);

/// Makes an entity a static, with this box.
///
/// It may be inserted, changed and removed at any time; for what that costs see
/// [`World::insert_statics`](triphase::World::insert_statics). While the entity is disabled, it is no
/// static.
#[derive(Clone, Copy, Component, Debug, PartialEq)]
pub struct StaticBox(pub Aabb);
