//! The pairs of a step.

use crate::results::{object, table};
use pyo3::prelude::*;
use triphase::Contacts;

/// What is copied from a step while the world is locked; pairs are a run of rows.
pub(crate) struct FoundPairs {
    pub(crate) bodies: Vec<u32>,
    pub(crate) statics: Vec<u32>,
    pub(crate) step_number: u64,
    pub(crate) body_count: usize,
}

impl FoundPairs {
    /// As an object of the class `Contacts` or `ChangedContacts`.
    pub(crate) fn into_object<'py>(self, py: Python<'py>, class: &str) -> PyResult<Bound<'py, PyAny>> {
        let (bodies, statics) = (table(py, self.bodies, 2)?, table(py, self.statics, 2)?);
        object(py, class, (bodies, statics, self.step_number, self.body_count))
    }
}

/// The pairs of two bodies as a run of rows.
pub(crate) fn body_pairs(contacts: &Contacts<'_>, sorted: bool) -> Vec<u32> {
    if sorted {
        let mut pairs = Vec::new();
        contacts.sorted_pairs(&mut pairs);
        return bytemuck::cast_slice(&pairs).to_vec();
    }
    flat(contacts.body_pages(), contacts.body_pairs().len())
}

/// The pairs of a body and a static as a run of rows.
pub(crate) fn static_pairs(contacts: &Contacts<'_>, sorted: bool) -> Vec<u32> {
    if sorted {
        let mut pairs = Vec::new();
        contacts.sorted_static_pairs(&mut pairs);
        return bytemuck::cast_slice(&pairs).to_vec();
    }
    flat(contacts.static_pages(), contacts.static_pairs().len())
}

fn flat<'w, P: bytemuck::Pod>(pages: impl Iterator<Item = &'w [P]>, pair_count: usize) -> Vec<u32> {
    let mut rows = Vec::with_capacity(2 * pair_count);
    pages.for_each(|page| rows.extend_from_slice(bytemuck::cast_slice(page)));
    rows
}
