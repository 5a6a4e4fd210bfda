//! Bevy's tables, in the order in which a step reads them.

use crate::components::{BodyColumns, Displacement, EntityFilter};
use bevy_ecs::change_detection::{ContiguousComponentTicksRef, ContiguousRef, Ref};
use bevy_ecs::entity::{Entities, Entity};
use bevy_ecs::error::BevyError;
use bevy_ecs::storage::TableId;
use bevy_ecs::system::Query;
use bytemuck::TransparentWrapper;
use std::any::type_name;
use std::cmp::Reverse;
use triphase::Bodies;

/// What is read of a body.
pub(crate) type BodyData<C> = (
    Entity,
    Ref<'static, <C as BodyColumns>::Position>,
    Ref<'static, <C as BodyColumns>::Size>,
    Option<Ref<'static, Displacement>>,
    Option<Ref<'static, EntityFilter>>,
);

/// The columns of one table.
pub(crate) struct BodyTable<'w> {
    pub(crate) id: TableId,
    pub(crate) entities: &'w [Entity],
    /// Without ids.
    pub(crate) bodies: Bodies<'w>,
    /// When the components of each row were written, for each of its columns.
    pub(crate) ticks: [Option<ContiguousComponentTicksRef<'w>>; 4],
}

/// Takes the columns of all tables that have bodies. Nothing is copied.
///
/// # Errors
///
/// If a component is not in table storage.
pub(crate) fn body_tables<'w, C: BodyColumns>(
    query: &'w Query<BodyData<C>>,
    entities: &Entities,
) -> Result<Vec<BodyTable<'w>>, BevyError> {
    let not_dense = |_| {
        let components = [type_name::<C::Position>(), type_name::<C::Size>()].join(" and ");
        format!("{components} must have table storage, which components have by default")
    };
    let mut tables = Vec::new();
    for (rows, positions, sizes, displacements, filters) in query.contiguous_iter().map_err(not_dense)? {
        let (positions, position_ticks) = ContiguousRef::split(positions);
        let (sizes, size_ticks) = ContiguousRef::split(sizes);
        let mut bodies = C::bodies(positions, sizes);
        assert_eq!(bodies.len(), rows.len(), "`BodyColumns::bodies` must return a body for each row");
        let mut ticks = [Some(position_ticks), Some(size_ticks), None, None];
        if let Some((displacements, written)) = displacements.map(ContiguousRef::split) {
            bodies = bodies.with_displacements(displacements);
            ticks[2] = Some(written);
        }
        if let Some((filters, written)) = filters.map(ContiguousRef::split) {
            bodies = bodies.with_filters(EntityFilter::peel_slice(filters));
            ticks[3] = Some(written);
        }
        // Tables without rows are not visited.
        let id = entities.get_spawned(rows[0])?.table_id;
        tables.push(BodyTable { id, entities: rows, bodies, ticks });
    }
    Ok(tables)
}

/// Where a table was in a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacedTable {
    pub(crate) id: TableId,
    pub(crate) first_row: usize,
    pub(crate) len: usize,
    /// About its length; larger tables come first.
    weight: usize,
}

/// Where tables were in the last good step.
#[derive(Default)]
pub(crate) struct Placement {
    tables: Vec<PlacedTable>,
    /// The number of that step. If the world has another, it was stepped by others.
    step_number: u64,
}

impl Placement {
    /// Takes the tables of the last step, leaving none: unless this step succeeds, all rows of the
    /// next one count as changed.
    pub(crate) fn take(&mut self, step_number: u64) -> Vec<PlacedTable> {
        let last = std::mem::take(&mut self.tables);
        if self.step_number == step_number { last } else { Vec::new() }
    }

    /// Stores the tables of a step that succeeded.
    pub(crate) fn set(&mut self, tables: Vec<PlacedTable>, step_number: u64) {
        *self = Self { tables, step_number };
    }
}

/// Sorts tables, and gives them their rows.
///
/// If a table grows or shrinks, the rows of all tables after it are others. So larger tables come
/// first. The order changes only if a table becomes twice as large as it was when it got its place,
/// or half as large.
pub(crate) fn place_tables(tables: &mut [BodyTable<'_>], last: &[PlacedTable]) -> Vec<PlacedTable> {
    let weight = |table: &BodyTable<'_>| {
        let (len, placed) = (table.entities.len(), last.iter().find(|placed| placed.id == table.id));
        placed.map(|placed| placed.weight).filter(|weight| (weight / 2..=weight * 2).contains(&len)).unwrap_or(len)
    };
    tables.sort_by_cached_key(|table| Reverse(weight(table))); // stable
    let mut first_row = 0;
    tables
        .iter()
        .map(|table| {
            let placed = PlacedTable { id: table.id, first_row, len: table.entities.len(), weight: weight(table) };
            first_row += placed.len;
            placed
        })
        .collect()
}
