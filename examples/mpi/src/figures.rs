//! What is measured in a frame, and how it is printed.

use crate::options::RunOptions;
use bytemuck::{Pod, Zeroable};

/// A frame of one rank: times in seconds, and counts.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct FrameRecord {
    /// From the beginning of the frame until the strips of the next are known.
    pub(crate) total: f64,
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
    /// Looking at the balance and moving strips.
    pub(crate) balance: f64,
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

/// Prints the figures of all ranks, each with a record per frame.
///
/// Times are medians of frames; of each frame the largest of all ranks, except for times of
/// messages: of these the smallest, as the rank that others wait for waits least.
pub(crate) fn print(options: &RunOptions, records: &[Vec<FrameRecord>]) {
    let (ranks, frames) = (records.len(), records[0].len());
    let frame_of = |frame: usize| records.iter().map(move |rank| &rank[frame]);
    let over_ranks = |frame, of: fn(&FrameRecord) -> f64, fold: fn(f64, f64) -> f64| {
        frame_of(frame).map(of).reduce(fold).unwrap_or(0.0)
    };
    let median_of =
        |of: fn(&FrameRecord) -> f64, fold| median((0..frames).map(|frame| over_ranks(frame, of, fold)).collect());
    let total_of = |of: fn(&FrameRecord) -> u64| records.iter().flatten().map(of).fold(0, u64::wrapping_add);
    let bodies = options.bodies.max(1) as f64;
    let per_frame = |of| total_of(of) as f64 / frames as f64;

    println!("{:?}, {} bodies, {frames} frames, balance {:?}", options.scene, options.bodies, options.balance);
    println!("ranks                  {ranks}");
    println!(
        "pairs                  {} ({:.2} per body and frame)",
        total_of(|r| r.pairs),
        per_frame(|r| r.pairs) / bodies
    );
    let total = median_of(|r| r.total, f64::max);
    println!("frame                  {:9.3} ms, {:.1} ns per body", 1e3 * total, 1e9 * total / bodies);
    let largest: [(&str, fn(&FrameRecord) -> f64); 4] = [
        ("  scan and pack", |r| r.scan),
        ("  step", |r| r.step),
        ("  contacts", |r| r.contacts),
        ("  balance", |r| r.balance),
    ];
    for (name, of) in largest {
        println!("{name:22} {:9.3} ms", 1e3 * median_of(of, f64::max));
    }
    println!("  counts, no waiting   {:9.3} ms", 1e3 * median_of(|r| r.waited, f64::min));
    println!("  messages, no waiting {:9.3} ms", 1e3 * median_of(|r| r.transferred, f64::min));
    println!("  longest wait         {:9.3} ms", 1e3 * median_of(|r| r.waited + r.transferred, f64::max));
    println!(
        "sent                   {:.3} bytes per body and frame, in {:.1} messages per rank",
        per_frame(|r| r.bytes) / bodies,
        per_frame(|r| r.messages) / ranks as f64
    );
    println!("ghosts                 {:.3} % of bodies", 100.0 * per_frame(|r| r.ghosts) / bodies);
    println!("migrants               {:.3} % of bodies per frame", 100.0 * per_frame(|r| r.migrants) / bodies);
    let balance: Vec<f64> =
        (0..frames).map(|frame| over_ranks(frame, |r| r.own as f64, f64::max) * ranks as f64 / bodies).collect();
    let worst = balance.iter().copied().fold(0.0, f64::max);
    println!("largest rank           {:.3} of the mean (median), {worst:.3} (worst)", median(balance));
    println!("pair hash              {:016x}", total_of(|r| r.pair_hash));
    if options.check {
        println!("checked                {frames} frames against one world of all bodies");
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}
