//! Every kernel on every instruction set of this machine against safe scalar twins: the same pairs
//! in the same order.

pub(crate) mod circles;
pub(crate) mod filters;
pub(crate) mod masks;
pub(crate) mod scans;
pub(crate) mod sorted;
pub(crate) mod tree;

use crate::config::SimdLevel;
use crate::geometry::RawAabb;
use crate::input::filter::Filter;
use crate::memory::body_record::BodyRecord;
use crate::memory::cell_table::{CellKey, CellStarts, table_words};
use crate::memory::columns::{SOA_PAD, SoaColumns, SoaColumnsMut, column_words};
use crate::memory::page::{Page, PagePool, PairBudget};
use crate::memory::pair_sink::PairSink;
use crate::simd::detected::TARGET_LEVELS;
use crate::simd::{CellRect, CellView, DetectedSimd, PairOrder, Probe};
use std::io::Write as _;
use std::ops::Range;
use std::sync::OnceLock;
use triphase_scenes::SplitMix64;

const INF: f32 = f32::INFINITY;
const EVERYTHING: RawAabb = [-INF, -INF, INF, INF];

/// What follows the population of a column; it must never count.
#[derive(Clone, Copy, Debug)]
enum Padding {
    /// Boxes that overlap all others.
    Everything,
    NotANumber,
    /// All bits set, rows too.
    Ones,
}

const PADDINGS: [Padding; 3] = [Padding::Everything, Padding::NotANumber, Padding::Ones];

/// The levels of this machine, lowest first. The first call prints them past the test harness, so
/// that each run says which levels it compared.
fn levels() -> &'static [DetectedSimd] {
    static LEVELS: OnceLock<Vec<DetectedSimd>> = OnceLock::new();
    LEVELS.get_or_init(|| {
        let all = TARGET_LEVELS;
        let mut levels: Vec<_> = all.iter().map(|&simd| DetectedSimd::detect(Some(simd))).collect();
        levels.dedup();
        assert_eq!(levels.last(), Some(&DetectedSimd::default()), "the best one is tested");
        let missing = &all[levels.len()..];
        let note = if missing.is_empty() {
            String::new()
        } else {
            format!("; NOT COMPARED, not on this machine: {missing:?}")
        };
        writeln!(std::io::stderr(), "SIMD levels compared: {:?}{note}", &all[..levels.len()]).expect("standard error");
        levels
    })
}

/// Detection is compared with the features one by one, so that a level that it misses is noticed.
#[cfg(target_arch = "x86_64")]
#[test]
fn every_level_of_this_machine_is_compared() {
    let has_avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2");
    let has_avx512 = has_avx2
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq");
    assert_eq!(levels().len(), 2 + usize::from(has_avx2) + usize::from(has_avx512));
}

/// Without detection, every level that is compiled is compared.
#[cfg(not(target_arch = "x86_64"))]
#[test]
fn every_level_of_this_target_is_compared() {
    assert_eq!(levels().len(), TARGET_LEVELS.len());
    let has_more = cfg!(any(all(target_arch = "aarch64", target_endian = "little"), target_feature = "simd128"));
    assert_eq!(TARGET_LEVELS.len(), 1 + usize::from(has_more));
}

#[test]
fn levels_of_other_targets_are_no_limit() {
    use SimdLevel::{Avx2, Avx512, Neon, Portable, Simd128, Sse2};
    let best = levels().len() - 1;
    for max in [Portable, Sse2, Avx2, Avx512, Neon, Simd128] {
        let limit = TARGET_LEVELS.iter().position(|&level| level == max).unwrap_or(best);
        assert_eq!(DetectedSimd::detect(Some(max)), levels()[limit.min(best)], "{max:?}");
    }
}

/// Random numbers, and records made of them.
struct Random(SplitMix64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 24) as f32
    }

    /// Two edges, the lower one first: equal or nearly equal ones, extreme ones, and ones far from
    /// all others.
    fn edges(&mut self) -> [f32; 2] {
        const SPECIAL: [f32; 17] = [
            -INF,
            f32::MIN,
            -1e30,
            -1.0,
            -f32::MIN_POSITIVE,
            -1e-45,
            -0.0,
            0.0,
            1e-45,
            f32::MIN_POSITIVE,
            1.0 - f32::EPSILON / 2.0,
            1.0,
            1.0 + f32::EPSILON,
            3.0,
            1e30,
            f32::MAX,
            INF,
        ];
        let (a, b) = (SPECIAL[self.below(17)], SPECIAL[self.below(17)]);
        let far = self.unit() * 1000.0;
        match self.below(4) {
            0 => [a.min(b), a.max(b)],
            1 => [a, a],
            _ => [far, far + 1.0 + self.unit()],
        }
    }

    /// Any row: half of all rows are above `i32::MAX`.
    fn record(&mut self) -> BodyRecord {
        let ([min_x, max_x], [min_y, max_y]) = (self.edges(), self.edges());
        let row = match self.below(8) {
            0 => [0, 1, u32::MAX, u32::MAX - 1][self.below(4)],
            _ => self.next() as u32,
        };
        BodyRecord { aabb: [min_x, min_y, max_x, max_y], row }
    }

    fn records(&mut self, count: usize) -> Vec<BodyRecord> {
        (0..count).map(|_| self.record()).collect()
    }

    /// Boxes of which few overlap each other.
    fn sparse_records(&mut self, count: usize) -> Vec<BodyRecord> {
        let mut sparse = |_| {
            let (x, y) = (self.unit() * 100.0, self.unit() * 100.0);
            BodyRecord { aabb: [x, y, x + 0.5, y + 0.5], row: self.next() as u32 }
        };
        (0..count).map(&mut sparse).collect()
    }
}

/// Columns of these records, padded.
fn columns(records: &[BodyRecord], padding: Padding) -> Vec<u32> {
    let of = |aabb: RawAabb| BodyRecord { aabb, row: 7 };
    let filling = match padding {
        Padding::Everything => of(EVERYTHING),
        Padding::NotANumber => of([f32::NAN; 4]),
        Padding::Ones => BodyRecord { aabb: [f32::from_bits(u32::MAX); 4], row: u32::MAX },
    };
    let mut words = vec![0; column_words(records.len())];
    let padded = records.iter().copied().chain([filling; SOA_PAD]);
    SoaColumnsMut::of(&mut words, records.len()).fill(padded);
    words
}

/// A probe against entries without filters.
fn probe_of(aabb: RawAabb, row: u32) -> Probe {
    Probe { aabb, row, filter: Filter::ALL }
}

/// Cells with the words of their records and a key for each record.
struct Cells {
    words: Vec<u32>,
    starts: Vec<u32>,
    keys: Vec<u32>,
    width: usize,
    height: usize,
    columns_reached: usize,
}

impl Cells {
    /// Cells with these contents, row by row. Whether a box reaches right or below is random: the
    /// kernel must rely on the keys alone.
    fn new(width: usize, contents: &[Vec<BodyRecord>], padding: Padding, random: &mut Random) -> Self {
        let (stride, height) = (width + 2, contents.len() / width);
        let mut starts = Vec::new();
        let mut keys = Vec::new();
        for (y, row) in contents.chunks(width).enumerate() {
            starts.push(keys.len() as u32);
            for (x, cell) in row.iter().enumerate() {
                starts.push(keys.len() as u32);
                let mut key = || {
                    CellKey::new(
                        (y * stride + x + 1) as u32,
                        u32::from(random.below(3) > 0),
                        u32::from(random.below(3) > 0),
                    )
                    .0
                };
                keys.extend(cell.iter().map(|_| key()));
            }
            starts.push(keys.len() as u32);
        }
        starts.resize(table_words(height, stride), keys.len() as u32);
        Self { words: columns(&contents.concat(), padding), starts, keys, width, height, columns_reached: 1 }
    }

    /// The same cells with boxes that reach up to so many columns beyond their own, at random.
    fn with_columns_reached(mut self, columns_reached: usize, random: &mut Random) -> Self {
        let stride = self.width + 2;
        for key in &mut self.keys {
            let (cell, below) = (CellKey(*key).cell(), CellKey(*key).below());
            // At most into the border.
            let most = columns_reached.min(stride - 1 - cell % stride);
            *key = CellKey::new(cell as u32, random.below(most + 1) as u32, below as u32).0;
        }
        Self { columns_reached, ..self }
    }

    fn view(&self) -> CellView<'_> {
        let starts = CellStarts::filled(&self.starts, self.width + 2, self.height);
        let columns = SoaColumns::of(&self.words, self.keys.len());
        CellView::new(columns, starts).with_columns_reached(self.columns_reached)
    }

    /// The entries of a cell, none if it is outside.
    fn cell(&self, x: usize, y: usize) -> Range<usize> {
        if x >= self.width || y >= self.height {
            return 0..0;
        }
        let cell = y * (self.width + 2) + 1 + x;
        self.starts[cell] as usize..self.starts[cell + 1] as usize
    }

    /// The cell of an entry, found without its key.
    fn place(&self, at: usize) -> (usize, usize) {
        let all = (0..self.height).flat_map(|y| (0..self.width).map(move |x| (x, y)));
        all.into_iter().find(|&(x, y)| self.cell(x, y).contains(&at)).expect("each entry is in a cell")
    }
}

/// The result of a scan.
#[derive(Debug, PartialEq)]
struct Outcome {
    finished: bool,
    pairs: Vec<[u32; 2]>,
    blocks: Vec<usize>,
    pages: usize,
}

/// Runs a scan into a sink with a pair limit.
fn run(limit: usize, mut scan: impl FnMut(&mut PairSink<'_>) -> Option<()>) -> Outcome {
    let (pool, budget, mut blocks) = (PagePool::default(), PairBudget::new(limit), Vec::<Page>::new());
    let mut sink = PairSink::new(&pool, &budget, &mut blocks);
    let finished = scan(&mut sink).is_some();
    if !finished {
        assert!(budget.is_exceeded(), "a scan stops only at the limit");
        // It does not continue at a second call.
        assert_eq!(scan(&mut sink), None);
    }
    drop(sink);
    let pairs: Vec<_> = blocks.iter().flat_map(|block| block.pairs()).copied().collect();
    assert_eq!(budget.is_exceeded(), pairs.len() > limit);
    let lens = blocks.iter().map(|block| block.pairs().len()).collect();
    Outcome { finished, pairs, blocks: lens, pages: blocks.len() + pool.free_count() }
}

/// Runs a scan without a limit on every level and compares its pairs with the twin's. Returns their
/// number.
fn check(label: &str, truth: &[[u32; 2]], scan: impl Fn(DetectedSimd, &mut PairSink<'_>) -> Option<()>) -> usize {
    let mut first = None;
    for &level in levels() {
        let outcome = run(usize::MAX, |sink| scan(level, sink));
        assert!(outcome.finished, "{label}, {level:?}: no limit");
        let differs = outcome.pairs.iter().zip(truth).position(|(found, truth)| found != truth);
        assert!(
            differs.is_none() && outcome.pairs.len() == truth.len(),
            "{label}, {level:?}: {} pairs, not {}; they differ from {differs:?} on",
            outcome.pairs.len(),
            truth.len()
        );
        // How pages are filled does not depend on the level either (PAGE-1).
        let first = first.get_or_insert_with(|| outcome.blocks.clone());
        assert_eq!(&outcome.blocks, first, "{label}, {level:?}");
    }
    truth.len()
}

fn ascending(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}
