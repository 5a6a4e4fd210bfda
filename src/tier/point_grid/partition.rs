//! One stable pass over the rows that hands each body to its band.
//!
//! R1: each good row is filed once: in one band of one class, or among the oversized.
//! R2: a body also *visits*, as a copy, every later band of its class that its box reaches into, and every such band of
//! smaller classes. So of two overlapping bodies of classes either both are filed in one band, or exactly one visits the
//! band of the other: by D1 the one with the lower edge on the band axis, or the larger class.
//! R3: chunks of rows are fixed by the input, and each has its own place in each destination: the result does not depend on
//! threads.
//! R4: a body makes at most [`VISITS_MAX`] copies; one that would make more is oversized.
//!
//! Cost: two passes over the rows, one write of 20 bytes a copy.

#![allow(unsafe_code)]

use super::plan::{Plan, VISITS_MAX, longest_side};
use super::rows::Rows;
use crate::error::BadRow;
use crate::parallel;
use crate::storage::disjoint::Disjoint;
use crate::storage::grow;
use crate::storage::record::Record;
use std::ops::Range;

/// Rows in a chunk: enough to make the table of destinations cheap, few enough to share out.
const CHUNK: usize = 8192;

/// The records of all destinations, one behind the other.
#[derive(Default)]
pub(crate) struct Partition {
    records: Vec<Record>,
    /// Per chunk and destination: first how many, then where the next goes.
    cursors: Vec<usize>,
    /// First record of each destination, and the end of the last.
    starts: Vec<usize>,
    bad: Vec<Vec<BadRow>>,
}

impl Partition {
    /// Distributes all rows. Under `skip` bad rows are left out; else the lowest is the error, and nothing was changed
    /// that [`records`](Self::own) shows.
    pub(crate) fn run(
        &mut self,
        rows: &(impl Rows + ?Sized),
        plan: &Plan,
        skip: bool,
        parallel: bool,
    ) -> Result<(), BadRow> {
        let destinations = 2 * plan.band_count() + 1;
        let chunks = rows.len().div_ceil(CHUNK);
        let chunk_rows = |chunk: usize| chunk * CHUNK..rows.len().min((chunk + 1) * CHUNK);
        self.count(rows, plan, chunks, destinations, skip, parallel);
        if let (false, Some(&first)) = (skip, self.bad.iter().flatten().next()) {
            return Err(first);
        }
        self.lay_out(chunks, destinations);
        let Self { records, cursors, starts, .. } = self;
        let total = starts[destinations];
        grow(records, total);
        let places = Disjoint::new(&mut records[..total]);
        parallel::for_each_chunk(parallel, cursors, destinations, |chunk, cursors| {
            let good = |record| {
                route(plan, record, |destination, record| {
                    let cursor = &mut cursors[destination];
                    // SAFETY: the count pass made the same calls, so by R3 this place is this chunk's alone and in bounds.
                    unsafe { places.write(*cursor, record) };
                    *cursor += 1;
                });
            };
            rows.for_each(chunk_rows(chunk), good, |_| ());
        });
        Ok(())
    }

    fn count(
        &mut self,
        rows: &(impl Rows + ?Sized),
        plan: &Plan,
        chunks: usize,
        destinations: usize,
        skip: bool,
        parallel: bool,
    ) {
        self.bad.iter_mut().for_each(Vec::clear);
        self.cursors.clear();
        self.cursors.resize(chunks * destinations, 0);
        if self.bad.len() < chunks {
            self.bad.resize_with(chunks, Vec::new);
        }
        let count = |chunk: usize, counts: &mut [usize], bad: &mut Vec<BadRow>| {
            let range = chunk * CHUNK..rows.len().min((chunk + 1) * CHUNK);
            let good = |record| route(plan, record, |destination, _| counts[destination] += 1);
            // The lowest is enough to refuse.
            rows.for_each(range, good, |row| {
                if skip || bad.is_empty() {
                    bad.push(row);
                }
            });
        };
        parallel::for_each_chunk_and(parallel, &mut self.cursors, destinations, &mut self.bad, count);
    }

    /// Turns counts into places: destination by destination, and within it chunk by chunk (R3).
    fn lay_out(&mut self, chunks: usize, destinations: usize) {
        self.starts.clear();
        let mut next = 0;
        for destination in 0..destinations {
            self.starts.push(next);
            for chunk in 0..chunks {
                let cursor = &mut self.cursors[chunk * destinations + destination];
                next += std::mem::replace(cursor, next);
            }
        }
        self.starts.push(next);
    }

    /// Bad rows that were left out, ascending.
    pub(crate) fn bad_rows(&self) -> impl Iterator<Item = BadRow> + '_ {
        self.bad.iter().flatten().copied()
    }

    /// The bodies filed in a band, in the order of rows.
    pub(crate) fn own(&self, band: usize) -> &[Record] {
        &self.records[self.range(2 * band)]
    }

    /// The bodies that visit a band, in the order of rows.
    pub(crate) fn visitors(&self, band: usize) -> &[Record] {
        &self.records[self.range(2 * band + 1)]
    }

    /// The bodies that no class takes, in the order of rows.
    pub(crate) fn oversized(&self) -> &[Record] {
        match self.starts.len() {
            0 => &[],
            ends => &self.records[self.range(ends - 2)],
        }
    }

    fn range(&self, destination: usize) -> Range<usize> {
        self.starts[destination]..self.starts[destination + 1]
    }

    pub(crate) fn bytes(&self) -> usize {
        self.records.capacity() * size_of::<Record>()
            + (self.cursors.capacity() + self.starts.capacity()) * size_of::<usize>()
            + self.bad.iter().map(|bad| size_of::<Vec<BadRow>>() + bad.capacity() * size_of::<BadRow>()).sum::<usize>()
    }

    /// Drops everything: what a step needs, it takes again.
    pub(crate) fn release(&mut self) {
        *self = Self::default();
    }
}

/// Where a body is filed and which bands it visits (R1, R2, R4).
#[inline(always)]
fn route(plan: &Plan, record: Record, mut send: impl FnMut(usize, Record)) {
    let classes = plan.classes();
    let side = longest_side(&record.aabb);
    let Some(own) = classes.iter().position(|class| side <= class.side_max) else {
        return send(2 * plan.band_count(), record);
    };
    let reach = |k: usize| {
        let class = &classes[k];
        let axis = if class.transposed { 0 } else { 1 };
        let (low, high) = (record.aabb[axis], record.aabb[axis + 2]);
        (class.splitter.band(low), class.splitter.band(high))
    };
    let (low, high) = reach(own);
    if own > 0 || high > low + VISITS_MAX {
        let smaller: usize = (0..own).map(reach).map(|(low, high)| high - low + 1).sum();
        if smaller + high - low > VISITS_MAX {
            return send(2 * plan.band_count(), record);
        }
    }
    let oriented = |k: usize| if classes[k].transposed { record.transposed() } else { record };
    send(2 * (classes[own].first_band + low), oriented(own));
    for band in low + 1..=high {
        send(2 * (classes[own].first_band + band) + 1, oriented(own));
    }
    for k in 0..own {
        let (low, high) = reach(k);
        for band in low..=high {
            send(2 * (classes[k].first_band + band) + 1, oriented(k));
        }
    }
}
