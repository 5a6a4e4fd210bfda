//! Moves the borders of strips when load is uneven.
//!
//! Each rank says how much load it has and where that load lies along x: points between which there
//! are equal numbers of its bodies. All ranks get what all said, compute the same borders from it,
//! and so agree without another message. As strips do not overlap, the points of all ranks in turn
//! are a histogram of the world with bins of about equal content, wherever its bodies are: no range
//! has to be known, and a body far away costs nothing.
//!
//! Borders decide what a step costs and which rank reports a pair, never which pairs there are.

use crate::strips::Strips;
use bytemuck::{Pod, Zeroable};

/// Bins per rank. A border is off by at most one bin, less where bodies are spread evenly in a bin.
const BINS: usize = 63;
/// Bodies sampled to find the points; the sampling error of a bin's content is below 1 %.
const SAMPLES_MAX: usize = 1 << 14;
/// Strips are moved if the largest load exceeds the mean by this factor.
const UNEVEN: f64 = 1.05;

/// What a rank says of its load.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Load {
    /// A number of bodies, or of nanoseconds.
    amount: f64,
    /// Ascending; equal parts of the load are between them.
    points: [f32; BINS + 1],
}

// The model of the README counts these bytes.
const _: () = assert!(size_of::<Load>() == 264);

impl Load {
    /// The load of a rank whose bodies begin at these x. Without bodies there is none.
    pub(crate) fn new(amount: f64, bodies: usize, begin_of: impl Fn(usize) -> f32) -> Self {
        if bodies == 0 {
            return Self { amount: 0.0, points: [0.0; BINS + 1] };
        }
        // A box that was computed as infinite still needs a finite border.
        let finite = |row| begin_of(row).clamp(f32::MIN, f32::MAX);
        let mut sample: Vec<f32> = (0..bodies).step_by(bodies.div_ceil(SAMPLES_MAX)).map(finite).collect();
        sample.sort_unstable_by(f32::total_cmp);
        Self { amount, points: std::array::from_fn(|k| sample[k * (sample.len() - 1) / BINS]) }
    }
}

/// Computes strips of equal load, or `None` if the loads are even enough as they are.
pub(crate) fn even_out(loads: &[Load]) -> Option<Strips> {
    let ranks = loads.len();
    let total: f64 = loads.iter().map(|load| load.amount).sum();
    let largest = loads.iter().map(|load| load.amount).fold(0.0, f64::max);
    if ranks == 1 || largest * ranks as f64 <= UNEVEN * total {
        return None;
    }
    // Strips do not overlap, so the bins of all ranks in turn are in ascending order.
    let mut borders: Vec<f32> = Vec::with_capacity(ranks - 1);
    let mut passed = 0.0;
    for load in loads.iter().filter(|load| load.amount > 0.0) {
        let content = load.amount / BINS as f64;
        for bin in load.points.windows(2) {
            let [begin, end] = [bin[0], bin[1]].map(f64::from);
            while borders.len() + 1 < ranks {
                let share = (total * (borders.len() + 1) as f64 / ranks as f64 - passed) / content;
                if share > 1.0 {
                    break;
                }
                borders.push((begin + (end - begin) * share.max(0.0)) as f32);
            }
            passed += content;
        }
    }
    Some(Strips::new(borders))
}

#[cfg(test)]
mod tests {
    use super::*;
    use triphase_scenes::SplitMix64;

    /// Loads of bodies that begin at `xs` in these strips, and how many there are in each.
    fn loads(xs: &[f32], strips: &Strips) -> (Vec<Load>, Vec<usize>) {
        let mut own = vec![Vec::new(); strips.count()];
        xs.iter().for_each(|&x| own[strips.rank_of(x)].push(x));
        let loads = own.iter().map(|own| Load::new(own.len() as f64, own.len(), |row| own[row])).collect();
        (loads, own.iter().map(Vec::len).collect())
    }

    #[test]
    fn all_bodies_in_one_strip_spread_over_all_ranks() {
        let mut random = SplitMix64::new(3);
        // Half of the bodies in a thousandth of the world, and one far away.
        let mut xs: Vec<f32> = (0..20_000).map(|_| random.range(0.0, 1000.0)).collect();
        xs.iter_mut().step_by(2).for_each(|x| *x = 700.0 + *x / 1000.0);
        xs[0] = 1e30;
        for ranks in [2, 3, 7, 64] {
            let mut strips = Strips::even(ranks, [-1e6, 2e6]);
            let mut rounds = 0;
            while let Some(better) = even_out(&loads(&xs, &strips).0) {
                strips = better;
                rounds += 1;
                assert!(rounds < 10, "{ranks} ranks: {:?}", loads(&xs, &strips).1);
            }
            let largest = loads(&xs, &strips).1.into_iter().max().unwrap_or(0);
            assert!(largest as f64 <= UNEVEN * xs.len() as f64 / ranks as f64, "{ranks} ranks: {largest}");
        }
    }

    #[test]
    fn bodies_at_one_x_cannot_be_divided() {
        let strips = even_out(&loads(&[4.0; 100], &Strips::even(4, [0.0, 8.0])).0).expect("uneven");
        assert_eq!(strips, Strips::new(vec![4.0; 3]));
    }

    #[test]
    fn even_or_no_loads_leave_strips_as_they_are() {
        assert_eq!(even_out(&loads(&[], &Strips::even(3, [0.0, 1.0])).0), None);
        assert_eq!(even_out(&loads(&[0.5, 1.5, 2.5], &Strips::even(3, [0.0, 3.0])).0), None);
        assert_eq!(even_out(&loads(&[0.5], &Strips::even(1, [0.0, 3.0])).0), None);
    }
}
