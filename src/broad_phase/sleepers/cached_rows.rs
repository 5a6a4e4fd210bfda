//! The pass over all rows that finds out which of them stand, by stretches of rows.
//!
//! H1: a row *stands* in a step when it says that it is asleep, is filed among the sleepers, and its box and filter equal those
//! that it was filed with, bit for bit. What is kept to compare with is not written while a row stands.
//! H2: every other good row is a *mover* of the step. One that was filed is a *hole* from then on, until the sleepers are filed
//! anew: its bit is cleared, and whatever becomes of the step, it stays cleared. So a step that is refused can make later ones
//! do more than they would have to, and nothing else.
//! H3: a row that is asleep and not filed is *settled* when its box and filter are those of the step before: it may be filed. So
//! bodies that say that they sleep and move are not filed again and again.
//! H4: a stretch is a fixed number of rows, and has all that is known of them to itself: nothing depends on threads.
//!
//! Cost: a comparison of 16 bytes a row, and a write of 20 a mover.

use crate::error::InvalidRow;
use crate::geometry::RawAabb;
use crate::input::chunks::Chunks;
use crate::input::filter::Filter;
use crate::input::rows::{BoxSource, is_finite};
use crate::memory::buffers::grow;
use crate::memory::record::BodyRecord;
use crate::parallel;
use crate::simd::SimdJob;
use std::ops::Range;

/// Rows in a stretch: enough to make a task, few enough to share out.
pub(crate) const STRETCH: usize = 4096;

/// Rows that are compared together: their boxes stay in the first-level cache.
const BATCH: usize = 256;

/// Rows of a word of bits.
const WORD: usize = 64;
pub(crate) const WORDS: usize = STRETCH / WORD;

/// What nothing equals: no computed box is NaN on its first edge.
const UNSEEN: RawAabb = [f32::NAN; 4];

/// What is known of the rows of a stretch.
pub(crate) struct Stretch {
    /// By row: what it is filed with, or had when it was last seen asleep.
    boxes: Vec<RawAabb>,
    /// As `boxes`; empty as long as no row had a filter.
    filters: Vec<Filter>,
    /// By row, a bit each: those that stand (H1), and in this step those that are settled (H3).
    standing: [u64; WORDS],
    settled: [u64; WORDS],
    /// How many there are of both.
    pub(crate) standing_count: usize,
    pub(crate) settled_count: usize,
    /// Those that move in this step (H2).
    pub(crate) movers: Vec<BodyRecord>,
    pub(crate) bad: Vec<InvalidRow>,
}

impl Default for Stretch {
    fn default() -> Self {
        Self {
            boxes: Vec::new(),
            filters: Vec::new(),
            standing: [0; WORDS],
            settled: [0; WORDS],
            standing_count: 0,
            settled_count: 0,
            movers: Vec::new(),
            bad: Vec::new(),
        }
    }
}

impl Stretch {
    /// Words of bits, of rows that stand.
    pub(crate) fn standing(&self) -> &[u64; WORDS] {
        &self.standing
    }

    fn stands(&self, row: u32) -> bool {
        let at = row as usize % STRETCH;
        self.standing[at / WORD] >> (at % WORD) & 1 != 0
    }

    /// Takes back a row that was to be filed: it moves.
    pub(crate) fn take_back(&mut self, record: BodyRecord) {
        let at = record.row as usize % STRETCH;
        self.standing_count -= usize::from(self.stands(record.row));
        self.standing[at / WORD] &= !(1 << (at % WORD));
        self.movers.push(record);
    }

    /// There are no such rows any more, or nothing is filed.
    pub(crate) fn clear_all(&mut self) {
        (self.standing, self.standing_count) = ([0; WORDS], 0);
        (self.settled, self.settled_count) = ([0; WORDS], 0);
        self.movers.clear();
        self.bad.clear();
    }

    /// Lists the rows that stand or are settled: those that are to be filed. They stand then.
    pub(crate) fn list_filing(&mut self, number: usize, mut places: &mut [BodyRecord]) {
        for (k, (standing, settled)) in self.standing.iter_mut().zip(&mut self.settled).enumerate() {
            *standing |= std::mem::take(settled);
            for_each_bit(*standing, |bit| {
                let at = k * WORD + bit;
                if let Some((place, rest)) = std::mem::take(&mut places).split_first_mut() {
                    *place = BodyRecord { aabb: self.boxes[at], row: (number * STRETCH + at) as u32 };
                    places = rest;
                }
            });
        }
        self.standing_count += std::mem::take(&mut self.settled_count);
    }

    /// Leaves out the movers that stand since they were listed, and puts those that were taken back where they belong: they are
    /// listed twice if they did not stand before.
    pub(crate) fn finish_filing(&mut self) {
        let mut movers = std::mem::take(&mut self.movers);
        movers.retain(|mover| !self.stands(mover.row));
        movers.sort_unstable_by_key(|mover| mover.row);
        movers.dedup_by_key(|mover| mover.row);
        self.movers = movers;
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.boxes.capacity() * size_of::<RawAabb>()
            + self.filters.capacity() * size_of::<Filter>()
            + self.movers.capacity() * size_of::<BodyRecord>()
            + self.bad.capacity() * size_of::<InvalidRow>()
    }

    /// Drops what the next step makes anew.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.movers = Vec::new();
        self.boxes.shrink_to_fit();
        self.filters.shrink_to_fit();
        self.bad.shrink_to_fit();
    }
}

/// Finds out which rows of a stretch stand.
pub(crate) struct Verify<'a, 'i, 'c> {
    pub(crate) input: &'a Chunks<'i, 'c>,
    /// Of all rows, if any has one.
    pub(crate) filters: Option<&'a [Filter]>,
    pub(crate) number: usize,
    pub(crate) stretch: &'a mut Stretch,
    /// Whether bad rows are left out; else the first is enough.
    pub(crate) skip: bool,
}

impl SimdJob for Verify<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { input, filters, number, stretch, skip } = self;
        let from = number * STRETCH;
        let rows = from..input.len().min(from + STRETCH);
        if stretch.boxes.len() < rows.len() {
            stretch.boxes.resize(rows.len(), UNSEEN);
        }
        if filters.is_some() || !stretch.filters.is_empty() {
            stretch.filters.resize(stretch.boxes.len(), Filter::ALL);
        }
        stretch.movers.clear();
        stretch.bad.clear();
        (stretch.standing_count, stretch.settled_count) = (0, 0);
        let (mut now, mut asleep) = ([[0.0; 4]; BATCH], [false; BATCH]);
        for first in rows.clone().step_by(BATCH) {
            let batch = first..rows.end.min(first + BATCH);
            let (now, asleep) = (&mut now[..batch.len()], &mut asleep[..batch.len()]);
            let good = input.read(batch.clone(), now);
            input.read_asleep(batch, asleep);
            for (k, (now, asleep)) in now.chunks(WORD).zip(asleep.chunks(WORD)).enumerate() {
                let first = first + k * WORD;
                let mut valid = u64::MAX >> (WORD - now.len());
                if !good {
                    valid = check(input, first..first + now.len(), skip, &mut stretch.bad);
                }
                stretch.verify_word(first - from, (first, now), asleep, valid, filters);
            }
        }
        // Rows that are no more.
        let words = rows.len().div_ceil(WORD);
        stretch.standing[words..].fill(0);
        stretch.settled[words..].fill(0);
    }
}

impl Stretch {
    /// Compares up to [`WORD`] rows, of which `first` is the first, with what is kept from `at` on.
    #[inline(always)]
    fn verify_word(
        &mut self,
        at: usize,
        (first, now): (usize, &[RawAabb]),
        asleep: &[bool],
        valid: u64,
        filters: Option<&[Filter]>,
    ) {
        let kept = &mut self.boxes[at..at + now.len()];
        let (mut same, mut sleeping) = (same_bits(now, kept), bits(asleep));
        sleeping &= valid;
        if !self.filters.is_empty() {
            let kept = &self.filters[at..at + now.len()];
            for (k, filter) in kept.iter().enumerate() {
                let present = filters.map_or(Filter::ALL, |filters| filters[first + k]);
                same &= !(u64::from(present != *filter) << k);
            }
        }
        let (standing, settled) = (&mut self.standing[at / WORD], &mut self.settled[at / WORD]);
        let stays = same & sleeping;
        *settled = stays & !*standing; // H3
        *standing &= stays; // H1
        self.standing_count += standing.count_ones() as usize;
        self.settled_count += settled.count_ones() as usize;
        let movers = valid & !*standing; // H2
        self.movers.reserve(if movers != 0 { WORD } else { 0 });
        for_each_bit(movers, |k| {
            self.movers.push(BodyRecord { aabb: now[k], row: (first + k) as u32 });
        });
        for_each_bit(sleeping & !same, |k| {
            kept[k] = now[k];
            if let Some(filter) = self.filters.get_mut(at + k) {
                *filter = filters.map_or(Filter::ALL, |filters| filters[first + k]);
            }
        });
    }
}

/// The good ones of some rows, as bits; the others are noted.
#[cold]
#[inline(never)]
fn check(input: &Chunks<'_, '_>, rows: Range<usize>, skip: bool, bad: &mut Vec<InvalidRow>) -> u64 {
    let mut valid = 0;
    for (k, row) in rows.enumerate() {
        match input.check(row) {
            Ok(_) => valid |= 1 << k,
            // The lowest is enough to refuse.
            Err(row) if skip || bad.is_empty() => bad.push(row),
            Err(_) => {}
        }
    }
    valid
}

/// Which boxes are equal, bit for bit.
#[inline(always)]
fn same_bits(now: &[RawAabb], kept: &[RawAabb]) -> u64 {
    let mut same = [false; WORD];
    for ((same, now), kept) in same.iter_mut().zip(now).zip(kept) {
        let [now, kept] = [now, kept].map(|aabb| bytemuck::cast::<RawAabb, u128>(*aabb));
        *same = now == kept;
    }
    bits(&same)
}

/// Up to [`WORD`] truths as bits.
#[inline(always)]
fn bits(truths: &[bool]) -> u64 {
    let mut bytes = [0u8; WORD];
    bytes.iter_mut().zip(truths).for_each(|(byte, &truth)| *byte = u8::from(truth));
    let (eights, _) = bytes.as_chunks::<8>();
    // The lowest bit of each byte, brought together in the highest byte.
    let gather = |eight: &[u8; 8]| u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    eights.iter().enumerate().fold(0, |all, (k, eight)| all | gather(eight) << (8 * k))
}

#[inline(always)]
fn for_each_bit(mut bits: u64, mut visit: impl FnMut(usize)) {
    while bits != 0 {
        visit(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

/// Some rows of a step, all good, each with the number that it has among all.
pub(crate) struct Listed<'a>(pub(crate) &'a [BodyRecord]);

impl BoxSource for Listed<'_> {
    fn len(&self) -> usize {
        self.0.len()
    }

    #[inline(always)]
    fn number(&self, row: usize) -> u32 {
        self.0[row].row
    }

    fn check(&self, row: usize) -> Result<RawAabb, InvalidRow> {
        Ok(self.0[row].aabb)
    }

    #[inline(always)]
    fn read(&self, rows: Range<usize>, boxes: &mut [RawAabb]) -> bool {
        let mut good = true;
        for (slot, BodyRecord { aabb, .. }) in boxes.iter_mut().zip(&self.0[rows]) {
            *slot = *aabb;
            good &= is_finite(aabb);
        }
        good
    }
}

/// Fewer are copied in less time than another thread takes to help.
const LIST_MIN: usize = 20_000;

/// What each stretch lists, one behind the other: `count` says how many there are of one, `write` writes them.
pub(crate) fn list(
    parallel: bool,
    stretches: &mut [Stretch],
    listed: &mut Vec<BodyRecord>,
    count: impl Fn(&Stretch) -> usize + Sync + Copy + Send,
    write: impl Fn(&mut Stretch, usize, &mut [BodyRecord]) + Sync + Copy + Send,
) {
    let total = stretches.iter().map(count).sum();
    grow(listed, total);
    listed.truncate(total);
    fill(parallel && total >= LIST_MIN, (0, stretches), listed, count, write);
}

fn fill(
    parallel: bool,
    (first, stretches): (usize, &mut [Stretch]),
    places: &mut [BodyRecord],
    count: impl Fn(&Stretch) -> usize + Sync + Copy + Send,
    write: impl Fn(&mut Stretch, usize, &mut [BodyRecord]) + Sync + Copy + Send,
) {
    match stretches {
        [] => {}
        [one] => write(one, first, places),
        _ => {
            let middle = stretches.len() / 2;
            let (front, back) = stretches.split_at_mut(middle);
            let (front_places, back_places) = places.split_at_mut(front.iter().map(count).sum());
            parallel::join(
                parallel,
                || fill(parallel, (first, front), front_places, count, write),
                || fill(parallel, (first + middle, back), back_places, count, write),
            );
        }
    }
}
