//! Steps a triphase world from the columns of a hecs world. This is the file to copy.

use crate::components::{BULLET_HALF_EXTENTS, Displacement, HalfExtents, Position};
use hecs::{Archetype, ArchetypeColumn, Entity};
use triphase::{Bodies, Contacts, Error, Filter, Pair, StaticPair};

/// The columns of one archetype. hecs counts them as borrowed until this is dropped.
struct Columns<'w> {
    archetype: &'w Archetype,
    positions: ArchetypeColumn<'w, Position>,
    half_extents: Option<ArchetypeColumn<'w, HalfExtents>>,
    displacements: Option<ArchetypeColumn<'w, Displacement>>,
    filters: Option<ArchetypeColumn<'w, Filter>>,
}

impl<'w> Columns<'w> {
    /// Borrows what the archetype has. `None` if its entities are no bodies.
    fn borrow(archetype: &'w Archetype) -> Option<Self> {
        Some(Self {
            archetype,
            positions: archetype.get::<&Position>()?,
            half_extents: archetype.get::<&HalfExtents>(),
            displacements: archetype.get::<&Displacement>(),
            filters: archetype.get::<&Filter>(),
        })
    }

    /// Returns a function from rows to ids, so that no column of ids has to be stored or made.
    ///
    /// The id has the generation in it: an entity that is spawned in the place of another has
    /// another id. (Beware of `World::spawn_at` with an old handle, which gives it the old id.)
    #[allow(unsafe_code)]
    fn ids(&self, ecs: &'w hecs::World) -> impl Fn(usize) -> u64 + Sync + use<'w> {
        let ids = self.archetype.ids();
        // SAFETY: `ids` has the entities of an archetype of `ecs`. These are alive, and remain so
        // while `ecs` is borrowed.
        move |row| unsafe { ecs.find_entity_from_id(ids[row]) }.to_bits().get()
    }

    /// The bodies of the archetype, without a copy.
    fn bodies<'a>(&'a self, ids: &'a (dyn Fn(usize) -> u64 + Sync)) -> Bodies<'a> {
        let mut bodies = match &self.half_extents {
            Some(half_extents) => Bodies::new(&self.positions, half_extents),
            None => Bodies::uniform(&self.positions, BULLET_HALF_EXTENTS),
        };
        if let Some(displacements) = &self.displacements {
            bodies = bodies.with_displacements(displacements);
        }
        if let Some(filters) = &self.filters {
            bodies = bodies.with_filters(filters);
        }
        bodies.with_ids_by(ids)
    }
}

/// Finds the contacts of all entities that have a [`Position`].
///
/// An archetype that appears later, because a component was added to some entity, is found in the
/// next step.
pub fn step<'p>(physics: &'p mut triphase::World, ecs: &hecs::World) -> Result<Contacts<'p>, Error> {
    // Three short lists, with an element per archetype.
    let columns: Vec<Columns<'_>> = ecs.archetypes().filter_map(Columns::borrow).collect();
    let ids: Vec<_> = columns.iter().map(|columns| columns.ids(ecs)).collect();
    let bodies: Vec<Bodies<'_>> = columns.iter().zip(&ids).map(|(columns, ids)| columns.bodies(ids)).collect();
    physics.step(&bodies)
}

/// The entity of an id that came back from the step. It may have been despawned since.
///
/// # Panics
///
/// If the id is not that of an entity.
pub fn entity(id: u64) -> Entity {
    Entity::from_bits(id).expect("all ids of a step are those of entities")
}

/// The entities of a pair of rows of the last step.
pub fn entities(contacts: Contacts<'_>, pair: Pair) -> (Entity, Entity) {
    let of_row = |row| entity(contacts.body_id(row).expect("all rows have ids"));
    (of_row(pair.a), of_row(pair.b))
}

/// The body and the wall of a static pair of the last step.
pub fn body_and_wall(contacts: Contacts<'_>, pair: StaticPair) -> (Entity, Entity) {
    let body = contacts.body_id(pair.body).expect("all rows have ids");
    let wall = contacts.static_id(pair.static_row).expect("all walls have ids");
    (entity(body), entity(wall))
}
