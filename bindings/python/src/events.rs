//! Contacts that began, persisted and ended, and the values that they keep.

use crate::columns::Column;
use crate::errors::{self, Facts, types};
use crate::results::{object, table};
use crate::shared::Work;
use crate::world::World;
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use triphase::{ContactEvents, ContactEventsMut, Pair, StaticPair, TrackedPair};

/// Pairs of rows or ids, and their values.
type Valued<T> = (Vec<T>, Vec<u32>);

/// The events while the world is locked: of bodies, then of statics.
struct FoundEvents {
    began: [Valued<u32>; 2],
    persisted: [Valued<u32>; 2],
    ended: [Valued<u64>; 2],
    step_number: u64,
}

impl FoundEvents {
    fn new(events: &ContactEvents<'_>, step_number: u64) -> Self {
        let ended = events.ended().map(|ended| ([ended.a_id, ended.b_id], ended.value));
        let static_ended = events.ended_static().map(|ended| ([ended.body_id, ended.static_id], ended.value));
        Self {
            began: [valued(events.started().map(body)), valued(events.started_static().map(with_static))],
            persisted: [valued(events.persisting().map(body)), valued(events.persisting_static().map(with_static))],
            ended: [valued(ended), valued(static_ended)],
            step_number,
        }
    }

    /// As an object of the class `Events`.
    fn into_object(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let rows = |(rows, values): Valued<u32>| Ok::<_, PyErr>((table(py, rows, 2)?, values.into_pyarray(py)));
        let ids = |(ids, values): Valued<u64>| Ok::<_, PyErr>((table(py, ids, 2)?, values.into_pyarray(py)));
        let ([began, static_began], [persisted, static_persisted]) = (self.began, self.persisted);
        let [ended, static_ended] = self.ended;
        let (began, persisted, ended) = (rows(began)?, rows(persisted)?, ids(ended)?);
        let statics = (rows(static_began)?, rows(static_persisted)?, ids(static_ended)?);
        let fields = PyTuple::new(
            py,
            [
                began.0.into_any(),
                began.1.into_any(),
                persisted.0.into_any(),
                persisted.1.into_any(),
                ended.0.into_any(),
                ended.1.into_any(),
                statics.0.0.into_any(),
                statics.0.1.into_any(),
                statics.1.0.into_any(),
                statics.1.1.into_any(),
                statics.2.0.into_any(),
                statics.2.1.into_any(),
                self.step_number.into_pyobject(py)?.into_any(),
            ],
        )?;
        object(py, "Events", fields)
    }
}

fn body(TrackedPair { pair, value }: TrackedPair<Pair>) -> ([u32; 2], u32) {
    ([pair.a, pair.b], value)
}

fn with_static(TrackedPair { pair, value }: TrackedPair<StaticPair>) -> ([u32; 2], u32) {
    ([pair.body, pair.static_row], value)
}

fn valued<T>(contacts: impl Iterator<Item = ([T; 2], u32)>) -> Valued<T> {
    let (mut pairs, mut values) = (Vec::new(), Vec::new());
    for (pair, value) in contacts {
        pairs.extend(pair);
        values.push(value);
    }
    (pairs, values)
}

#[pymethods]
impl World {
    /// The contacts that began, persisted and ended in the last step. Needs contact_tracking=True.
    ///
    /// Bodies are identified by their ids, so that rows may be swapped, removed and added; without
    /// ids by their rows. Each contact keeps a uint32 of yours, 0 at first, until it ends. Contacts that
    /// began or persist are in ascending order of their pairs; the ids of one that ended are in either
    /// order.
    fn events<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let found = self.world.read(py, Work::Sequential, |world| {
            world.contacts().events().map(|events| FoundEvents::new(&events, world.step_number()))
        })?;
        found.ok_or_else(not_tracked)?.into_object(py)
    }

    /// Sets the values of contacts of bodies: uint32 of shape (m, 2), rows, and of shape (m,).
    ///
    /// If a pair is not a contact, raises Error and sets nothing.
    fn set_values<'py>(&self, py: Python<'py>, pairs: &Bound<'py, PyAny>, values: &Bound<'py, PyAny>) -> PyResult<()> {
        self.set_tracked(
            py,
            pairs,
            values,
            |events, [a, b]| events.value(Pair { a, b }).is_some(),
            |events, next| events.tracked().for_each(|(pair, value)| next([pair.a, pair.b], value)),
        )
    }

    /// Sets the values of contacts of a body and a static, like set_values.
    fn set_static_values<'py>(
        &self,
        py: Python<'py>,
        pairs: &Bound<'py, PyAny>,
        values: &Bound<'py, PyAny>,
    ) -> PyResult<()> {
        self.set_tracked(
            py,
            pairs,
            values,
            |events, [body, static_row]| events.static_value(StaticPair { body, static_row }).is_some(),
            |events, next| events.tracked_static().for_each(|(pair, value)| next([pair.body, pair.static_row], value)),
        )
    }
}

impl World {
    /// Sets values: `is_tracked` tells whether a pair has one, `visit` calls its argument with each
    /// tracked pair, ascending.
    fn set_tracked<'py>(
        &self,
        py: Python<'py>,
        pairs: &Bound<'py, PyAny>,
        values: &Bound<'py, PyAny>,
        is_tracked: impl Fn(&ContactEvents<'_>, [u32; 2]) -> bool + Sync,
        visit: impl Fn(&mut ContactEventsMut<'_>, &mut dyn FnMut([u32; 2], &mut u32)) + Sync,
    ) -> PyResult<()> {
        let (pairs, values) = (Column::<u32, 2>::borrow(pairs, "pairs")?, Column::<u32, 1>::borrow(values, "values")?);
        if pairs.len() != values.len() {
            let message = format!("values has {} rows, but pairs has {}", values.len(), pairs.len());
            return Err(errors::error(py, message, Facts::of_column("values")));
        }
        let (pairs, values) = (pairs.rows(), values.items());
        let outcome = self.world.change(py, Work::Sequential, |world| {
            let Some(events) = world.contacts().events() else { return Ok(Err(None)) };
            // Copied, and in the order of contacts; of equal pairs the last one is set last.
            let mut new: Vec<([u32; 2], u32)> = pairs.iter().copied().zip(values.iter().copied()).collect();
            if let Some(row) = new.iter().position(|&(pair, _)| !is_tracked(&events, pair)) {
                return Ok(Err(Some((row, new[row].0))));
            }
            new.sort_by_key(|&(pair, _)| pair);
            let mut new = new.into_iter().peekable();
            if let Some(mut events) = world.events_mut() {
                visit(&mut events, &mut |pair, value| {
                    while let Some((_, set)) = new.next_if(|&(next, _)| next == pair) {
                        *value = set;
                    }
                });
            }
            Ok(Ok(()))
        })?;
        outcome.map_err(|failure| match failure {
            None => not_tracked(),
            Some((row, [a, b])) => {
                let facts = Facts { row: u32::try_from(row).ok(), ..Facts::of_column("pairs") };
                errors::error(py, format!("pairs row {row}: ({a}, {b}) is not a tracked contact"), facts)
            }
        })
    }
}

fn not_tracked() -> PyErr {
    types::Error::new_err("events and values need a World(contact_tracking=True)")
}
