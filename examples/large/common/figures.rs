//! The figures of a run, as text and as a line of JSON.
//!
//! A run is a number of frames; frame `f` is the `f`th call of `step`, from 0. Bodies move between
//! calls.
//!
//! | key | meaning |
//! |---|---|
//! | `example`, `scene` | the example, and the scene or the name of the file |
//! | `bodies`, `statics` | the largest number in a frame |
//! | `frames`, `threads` | their number |
//! | `body_pairs`, `static_pairs` | pairs reported, summed over all frames |
//! | `pair_set_hash`, `pair_order_hash` | see below; 16 hexadecimal digits, lower case |
//! | `step_ms_median`, `step_ms_p99` | milliseconds of a call of `step`, over all frames; a percentile is the smallest time that at least this share of the times does not exceed |
//! | `bytes_per_body` | `Report::body_bytes` over the bodies of the frame, the most of all frames; pairs are not included |
//! | `bytes_per_static` | `Report::static_bytes` over the statics, the most of all frames; 0 without statics |
//! | `allocations_per_step` | calls of the allocator by all threads during a step: the median of the frames after the first ten, or of all frames if there are no more |
//! | `checked_frames` | frames whose pairs were equal to those of brute force |
//!
//! # Hashes
//!
//! All numbers are unsigned 64-bit integers, with sums and products modulo 2^64. `finish` is the
//! finalizer of SplitMix64:
//!
//! ```text
//! finish(z):  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
//!             z = (z ^ (z >> 27)) * 0x94d049bb133111eb
//!             return z ^ (z >> 31)
//! ```
//!
//! A pair is `(frame, kind, a, b)`: kind 0 is a pair of bodies, `a < b` their rows; kind 1 is a
//! pair of a body and a static, `a` the row of the body, `b` the row of the static. Its mix is
//!
//! ```text
//! mix(frame, kind, a, b) = finish(finish(0x9e3779b97f4a7c15 + 2 * frame + kind) ^ (a * 2^32 + b))
//! ```
//!
//! `pair_set_hash` is the sum of the mixes of all pairs of all frames, so it does not depend on
//! their order. `pair_order_hash` begins at 0 and becomes `finish(hash + mix)` for each pair in the
//! order of the report: frame by frame, first `body_pairs()`, then `static_pairs()`.

use serde_json::json;
use std::time::Duration;
use triphase::{Contacts, Report};
use triphase_scenes::SplitMix64;

/// Frames at the beginning whose allocations are not counted, while buffers grow.
const WARM_UP: usize = 10;

fn finish(z: u64) -> u64 {
    // The generator adds this constant to its state before the finalizer.
    SplitMix64::new(z.wrapping_sub(0x9e37_79b9_7f4a_7c15)).next_u64()
}

/// The hashes that the module documentation defines.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hashes {
    pub(crate) set: u64,
    pub(crate) order: u64,
}

impl Hashes {
    fn add_frame(&mut self, frame: u64, contacts: Contacts<'_>) {
        let key = |kind: u64| finish(0x9e37_79b9_7f4a_7c15u64.wrapping_add(2 * frame + kind));
        let (body_key, static_key) = (key(0), key(1));
        contacts.body_pairs().for_each(|pair| self.add(body_key, pair.a, pair.b));
        contacts.static_pairs().for_each(|pair| self.add(static_key, pair.body, pair.static_row));
    }

    fn add(&mut self, key: u64, a: u32, b: u32) {
        let mix = finish(key ^ (u64::from(a) << 32 | u64::from(b)));
        self.set = self.set.wrapping_add(mix);
        self.order = finish(self.order.wrapping_add(mix));
    }
}

/// The figures of a run, added frame by frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct Figures {
    pub(crate) body_pairs: Vec<usize>,
    pub(crate) static_pairs: Vec<usize>,
    pub(crate) hashes: Hashes,
    pub(crate) checked_frames: usize,
    bodies: usize,
    statics: usize,
    bytes_per_body: f64,
    bytes_per_static: f64,
    times: Vec<Duration>,
    allocations: Vec<u64>,
}

impl Figures {
    /// Reserves memory for this many frames, so that adding a frame allocates nothing.
    pub(crate) fn with_capacity(frames: usize) -> Self {
        Self {
            body_pairs: Vec::with_capacity(frames),
            static_pairs: Vec::with_capacity(frames),
            times: Vec::with_capacity(frames),
            allocations: Vec::with_capacity(frames),
            ..Self::default()
        }
    }

    /// Adds a step.
    pub(crate) fn add(
        &mut self,
        contacts: Contacts<'_>,
        report: &Report,
        statics: usize,
        time: Duration,
        allocations: u64,
    ) {
        self.hashes.add_frame(self.times.len() as u64, contacts);
        self.body_pairs.push(contacts.body_pairs().len());
        self.static_pairs.push(contacts.static_pairs().len());
        self.times.push(time);
        self.allocations.push(allocations);
        let bodies = contacts.body_count();
        let share = |bytes: usize, count: usize| if count == 0 { 0.0 } else { bytes as f64 / count as f64 };
        self.bodies = self.bodies.max(bodies);
        self.statics = self.statics.max(statics);
        self.bytes_per_body = self.bytes_per_body.max(share(report.body_bytes, bodies));
        self.bytes_per_static = self.bytes_per_static.max(share(report.static_bytes, statics));
    }

    /// The number of frames added.
    pub(crate) fn frames(&self) -> usize {
        self.times.len()
    }

    fn step_ms(&self, percent: usize) -> f64 {
        percentile(&self.times, percent).map_or(0.0, |time| time.as_secs_f64() * 1e3)
    }

    fn allocations_per_step(&self) -> u64 {
        let steady = self.allocations.get(WARM_UP..).filter(|rest| !rest.is_empty());
        percentile(steady.unwrap_or(&self.allocations), 50).unwrap_or(0)
    }

    /// The figures as a few lines of text.
    pub(crate) fn summary(&self) -> String {
        let frames = self.frames().max(1) as f64;
        let per_frame = |pairs: &[usize]| pairs.iter().sum::<usize>() as f64 / frames;
        let mut text = format!(
            "all {} frames\n\
             pairs     {:.0} of two bodies, {:.0} of a body and a static, on average\n\
             step      {:.3} ms median, {:.3} ms or less in 99 % of frames, on {}\n\
             memory    {} allocations a step",
            self.frames(),
            per_frame(&self.body_pairs),
            per_frame(&self.static_pairs),
            self.step_ms(50),
            self.step_ms(99),
            if threads() == 1 { "1 thread".to_owned() } else { format!("{} threads", threads()) },
            self.allocations_per_step(),
        );
        if self.checked_frames > 0 {
            text += &format!("\nverified  {} frames by brute force", self.checked_frames);
        }
        text
    }

    /// The figures as a line of JSON.
    pub(crate) fn json(&self, example: &str, scene: &str) -> String {
        let line = json!({
            "example": example,
            "scene": scene,
            "bodies": self.bodies,
            "statics": self.statics,
            "frames": self.frames(),
            "threads": threads(),
            "body_pairs": self.body_pairs.iter().sum::<usize>(),
            "static_pairs": self.static_pairs.iter().sum::<usize>(),
            "pair_set_hash": format!("{:016x}", self.hashes.set),
            "pair_order_hash": format!("{:016x}", self.hashes.order),
            "step_ms_median": rounded(self.step_ms(50)),
            "step_ms_p99": rounded(self.step_ms(99)),
            "bytes_per_body": rounded(self.bytes_per_body),
            "bytes_per_static": rounded(self.bytes_per_static),
            "allocations_per_step": self.allocations_per_step(),
            "checked_frames": self.checked_frames,
        });
        line.to_string()
    }
}

/// The number of threads that a step called here may use.
fn threads() -> usize {
    rayon::current_num_threads()
}

/// Rounds to a ten-thousandth.
fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// The smallest value that at least `percent` % of the values do not exceed.
fn percentile<T: Copy + Ord>(values: &[T], percent: usize) -> Option<T> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_match_the_documentation() {
        // The first number of SplitMix64 with seed 0, as published.
        assert_eq!(finish(0x9e37_79b9_7f4a_7c15), 0xe220_a839_7b1d_cdaf);
        let (mut one, mut other) = (Hashes::default(), Hashes::default());
        one.add(1, 2, 3);
        one.add(1, 2, 4);
        other.add(1, 2, 4);
        other.add(1, 2, 3);
        assert_eq!(one.set, other.set);
        assert_ne!(one.order, other.order);
    }

    #[test]
    fn percentiles_are_values_of_the_input() {
        assert_eq!(percentile::<u64>(&[], 50), None);
        assert_eq!(percentile(&[7], 99), Some(7));
        assert_eq!(percentile(&[4, 1, 3, 2], 50), Some(2));
        let hundred: Vec<u64> = (1..=100).collect();
        assert_eq!((percentile(&hundred, 50), percentile(&hundred, 99)), (Some(50), Some(99)));
    }
}
