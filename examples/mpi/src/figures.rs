//! What is measured in a frame, and how it is printed.

use crate::options::RunOptions;
use bytemuck::{Pod, Zeroable};

/// A frame of one rank: times in seconds, and counts.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct FrameRecord {
    /// The whole frame.
    pub(crate) total: f64,
    /// Looking at the balance and moving strips.
    pub(crate) balance: f64,
    /// Moving bodies, finding migrants and ghosts, packing and unpacking them.
    pub(crate) scan: f64,
    /// `World::step`.
    pub(crate) step: f64,
    /// Reading the pairs: contacts are counted.
    pub(crate) contacts: f64,
    /// In calls that wait for all ranks.
    pub(crate) waited: f64,
    /// In messages from rank to rank.
    pub(crate) transferred: f64,
    pub(crate) own: u64,
    pub(crate) ghosts: u64,
    pub(crate) migrants: u64,
    /// Sent, without those of the check.
    pub(crate) bytes: u64,
    pub(crate) messages: u64,
    /// Of bodies and of statics.
    pub(crate) pairs: u64,
    pub(crate) pair_hash: u64,
}

impl FrameRecord {
    /// Time of the frame's work, without messages and waiting.
    pub(crate) fn busy(&self) -> f64 {
        self.scan + self.step + self.contacts
    }
}

/// The records of all frames, by rank.
struct Records<'a>(&'a [Vec<FrameRecord>]);

impl Records<'_> {
    /// Sum of a count over all ranks and frames.
    fn sum(&self, count: impl Fn(&FrameRecord) -> u64) -> u64 {
        self.0.iter().flatten().map(count).fold(0, u64::wrapping_add)
    }

    /// Sum of a count over all ranks, mean of all frames.
    fn mean(&self, count: impl Fn(&FrameRecord) -> u64) -> f64 {
        self.sum(count) as f64 / self.0[0].len() as f64
    }

    /// For each frame, in ascending order, a value of all ranks: the least or the greatest.
    fn ascending(&self, value: impl Fn(&FrameRecord) -> f64, fold: fn(f64, f64) -> f64) -> Vec<f64> {
        let of_frame = |frame: usize| self.0.iter().map(|rank| value(&rank[frame])).reduce(fold).unwrap_or(0.0);
        let mut values: Vec<f64> = (0..self.0[0].len()).map(of_frame).collect();
        values.sort_unstable_by(f64::total_cmp);
        values
    }

    /// The median frame's time in milliseconds, of the slowest rank.
    fn slowest(&self, time: impl Fn(&FrameRecord) -> f64) -> f64 {
        1e3 * middle(&self.ascending(time, f64::max))
    }

    /// The same of the rank with the least time.
    fn fastest(&self, time: impl Fn(&FrameRecord) -> f64) -> f64 {
        1e3 * middle(&self.ascending(time, f64::min))
    }
}

fn middle(ascending: &[f64]) -> f64 {
    ascending[ascending.len() / 2]
}

/// Prints the figures of all ranks, each with a record per frame.
///
/// Times of work are those of the slowest rank. Times of messages are those of the rank for which
/// the others wait, as it does not wait itself.
pub(crate) fn print(options: &RunOptions, records: &[Vec<FrameRecord>]) {
    let &RunOptions { scene, bodies, frames, balance, .. } = options;
    let (ranks, count) = (records.len(), bodies.max(1) as f64);
    let records = Records(records);
    let frame = records.slowest(|r| r.total);
    let largest = records.ascending(|r| r.own as f64 * ranks as f64 / count, f64::max);
    println!("scene                {scene:?}, {bodies} bodies, {frames} frames, balance by {balance:?}");
    println!("ranks                {ranks}");
    println!("pairs                {:.3} per body and frame", records.mean(|r| r.pairs) / count);
    println!("frame                {frame:.3} ms median, {:.1} ns per body", 1e6 * frame / count);
    println!("  scan and pack      {:.3} ms", records.slowest(|r| r.scan));
    println!("  step               {:.3} ms", records.slowest(|r| r.step));
    println!("  contacts           {:.3} ms", records.slowest(|r| r.contacts));
    println!("  counts             {:.3} ms without waiting", records.fastest(|r| r.waited));
    println!("  messages           {:.3} ms without waiting", records.fastest(|r| r.transferred));
    println!("  longest wait       {:.3} ms", records.slowest(|r| r.waited + r.transferred));
    println!("sent                 {:.3} bytes per body and frame", records.mean(|r| r.bytes) / count);
    println!("messages             {:.1} per rank and frame", records.mean(|r| r.messages) / ranks as f64);
    println!("ghosts               {:.3} % of bodies", 100.0 * records.mean(|r| r.ghosts) / count);
    println!("migrants             {:.3} % of bodies per frame", 100.0 * records.mean(|r| r.migrants) / count);
    println!("largest rank         {:.3} of the mean, {:.3} at worst", middle(&largest), largest[largest.len() - 1]);
    println!("pair hash            {:016x}", records.sum(|r| r.pair_hash));
    if options.check {
        println!("checked              {frames} frames, each equal to one world of all bodies");
    }
}
