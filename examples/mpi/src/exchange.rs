//! Messages between ranks: each gives one outbox per rank and gets one inbox per rank.

use crate::Failure;
use bytemuck::Pod;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use std::time::{Duration, Instant};

/// The way to all ranks.
pub(crate) struct Exchange {
    comm: SimpleCommunicator,
    /// What its use has cost this rank so far.
    pub(crate) cost: Cost,
}

/// What messages have cost a rank.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cost {
    /// Bytes sent to other ranks.
    pub(crate) bytes: u64,
    /// Messages sent to one other rank.
    pub(crate) messages: u64,
    /// Time in calls that wait for all ranks, which includes the time until the last one arrives.
    pub(crate) waited: Duration,
    /// Time in messages from rank to rank.
    pub(crate) transferred: Duration,
}

impl Cost {
    pub(crate) fn time(&self) -> Duration {
        self.waited + self.transferred
    }
}

impl Exchange {
    pub(crate) fn new(comm: SimpleCommunicator) -> Self {
        Self { comm, cost: Cost::default() }
    }

    pub(crate) fn rank(&self) -> usize {
        self.comm.rank() as usize
    }

    pub(crate) fn ranks(&self) -> usize {
        self.comm.size() as usize
    }

    /// Ends all ranks. One that fails alone would leave the others waiting forever.
    pub(crate) fn abort(&self) -> ! {
        self.comm.abort(1)
    }

    /// Gets the outboxes that all ranks have for this one.
    ///
    /// Whoever may be wide enough to reach a rank, or fast enough to move there, is not known in
    /// advance. So all ranks first tell each other the lengths of their messages, eight bytes from
    /// each to each. Then messages that are not empty travel from rank to rank.
    pub(crate) fn exchange<T: Pod>(&mut self, outboxes: &[Vec<T>], inboxes: &mut [Vec<T>]) -> Result<(), Failure> {
        let begin = Instant::now();
        let lengths: Vec<u64> = outboxes.iter().map(|outbox| outbox.len() as u64).collect();
        let mut coming = vec![0u64; self.ranks()];
        self.comm.all_to_all_into(&lengths[..], &mut coming[..]);
        self.cost.bytes += 8 * (self.ranks() as u64 - 1);
        self.cost.waited += begin.elapsed();
        for (inbox, length) in inboxes.iter_mut().zip(coming) {
            inbox.resize(length as usize, T::zeroed());
        }
        self.transfer(outboxes, inboxes)
    }

    /// Like `exchange`, with inboxes that already have the right lengths.
    pub(crate) fn transfer<T: Pod>(&mut self, outboxes: &[Vec<T>], inboxes: &mut [Vec<T>]) -> Result<(), Failure> {
        let begin = Instant::now();
        let me = self.rank();
        inboxes[me].copy_from_slice(&outboxes[me]);
        let to_others = || outboxes.iter().enumerate().filter(|(rank, outbox)| *rank != me && !outbox.is_empty());
        for (rank, outbox) in to_others() {
            let bytes = size_of_val(&outbox[..]);
            if i32::try_from(bytes).is_err() {
                return Err(
                    format!("{bytes} bytes from rank {me} to rank {rank}, but MPI counts up to {}", i32::MAX).into()
                );
            }
            self.cost.bytes += bytes as u64;
            self.cost.messages += 1;
        }
        let comm = &self.comm;
        mpi::request::multiple_scope(2 * outboxes.len(), |scope, requests| {
            // Receives first, so that what comes finds its place.
            for (rank, inbox) in inboxes.iter_mut().enumerate().filter(|(rank, inbox)| *rank != me && !inbox.is_empty())
            {
                let bytes: &mut [u8] = bytemuck::cast_slice_mut(inbox);
                requests.add(comm.process_at_rank(rank as i32).immediate_receive_into(scope, bytes));
            }
            for (rank, outbox) in to_others() {
                let bytes: &[u8] = bytemuck::cast_slice(outbox);
                requests.add(comm.process_at_rank(rank as i32).immediate_send(scope, bytes));
            }
            requests.wait_all(&mut Vec::with_capacity(2 * outboxes.len()));
        });
        self.cost.transferred += begin.elapsed();
        Ok(())
    }

    /// Gets a value of each rank, by rank.
    pub(crate) fn all_gather<T: Pod>(&mut self, value: &T) -> Vec<T> {
        let begin = Instant::now();
        let mut values = vec![T::zeroed(); self.ranks()];
        self.comm.all_gather_into(bytemuck::bytes_of(value), bytemuck::cast_slice_mut::<T, u8>(&mut values));
        self.cost.bytes += (size_of::<T>() * (self.ranks() - 1)) as u64;
        self.cost.waited += begin.elapsed();
        values
    }

    /// Gathers what all ranks have at rank 0, by rank. Other ranks get empty inboxes.
    pub(crate) fn gather<T: Pod>(&mut self, values: Vec<T>) -> Result<Vec<Vec<T>>, Failure> {
        let mut outboxes = vec![Vec::new(); self.ranks()];
        outboxes[0] = values;
        let mut inboxes = vec![Vec::new(); self.ranks()];
        self.exchange(&outboxes, &mut inboxes)?;
        Ok(inboxes)
    }
}
