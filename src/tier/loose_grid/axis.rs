//! Maps a coordinate to a column or row of cells.
//!
//! MAP-1: A map is a subtraction, a multiplication by a number that is not negative, a saturating
//! cast, a clamp and a shift. Each is monotone in f32, infinities included, so `a <= b` implies
//! `cell(a) <= cell(b)`. NaN maps to cell 0. Exactness needs no more: rounding may move a
//! coordinate to the next cell, but never past another coordinate.
//!
//! MAP-2: A warped axis has such a map between each two knots. Knots ascend, and each part between
//! two of them has cells of its own, so the whole is monotone.
//!
//! The ends of cells (`end_of`) are approximate and serve only speed and drawing: rounding may put
//! a coordinate near a border into the next cell.

/// Parts of a warped axis: the most clusters it can separate. All knots are compared at once.
pub(super) const PART_COUNT: usize = 32;

/// Limit on the cells of a part, so that cells of all parts are counted exactly in f32: up to 2^24.
const PART_CELLS_END: u32 = (1 << 24) / PART_COUNT as u32;

/// Coordinates that divide an axis into parts.
pub(super) type Knots = [f32; PART_COUNT + 1];

/// One axis of a grid: cells of one size, or of one size in each part. By default, one cell.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LooseAxis {
    origin: f32,
    /// Cells per unit of length.
    scale: f32,
    /// The last cell, before cells are joined.
    last: u32,
    /// 2^shift cells are joined into one.
    shift: u32,
    warp: Option<Warp>,
}

/// The map of a warped axis (MAP-2).
#[derive(Clone, Copy, Debug)]
struct Warp {
    knots: [f32; PART_COUNT],
    /// Cells per unit of length, in each part.
    scales: [f32; PART_COUNT],
    cells_per_part: u32,
}

impl LooseAxis {
    /// Divides a side into `count` cells. A side may be 0 or infinite (MAP-1).
    pub(super) fn new(origin: f64, side: f64, count: u32) -> Self {
        Self { origin: origin as f32, scale: scale(count, side), last: count.saturating_sub(1), ..Self::default() }
    }

    /// Divides the axis at knots instead, so that each part gets equally many cells. Their number
    /// stays about the same.
    pub(super) fn warped(self, knots: &Knots) -> Self {
        let cells_per_part = (self.last + 1) / PART_COUNT as u32;
        if !(1..PART_CELLS_END).contains(&cells_per_part) {
            return self;
        }
        let side = |k: usize| f64::from(knots[k + 1]) - f64::from(knots[k]);
        let warp = Warp {
            knots: std::array::from_fn(|k| knots[k]),
            scales: std::array::from_fn(|k| scale(cells_per_part, side(k))),
            cells_per_part,
        };
        Self { last: cells_per_part * PART_COUNT as u32 - 1, warp: Some(warp), ..self }
    }

    /// Joins 2^shift cells into one.
    pub(super) fn joined(self, shift: u32) -> Self {
        Self { shift: (self.shift + shift).min(u32::BITS - 1), ..self }
    }

    /// Returns the number of cells.
    #[inline(always)]
    pub(super) fn count(&self) -> u32 {
        (self.last >> self.shift) + 1
    }

    /// Returns the cell of a coordinate (MAP-1).
    #[inline(always)]
    pub(super) fn cell(&self, v: f32) -> u32 {
        let fine = self.warp.as_ref().map_or((v - self.origin) * self.scale, |warp| warp.fine_cell(v));
        (fine as u32).min(self.last) >> self.shift
    }

    /// Returns about where this many cells end (approximate).
    ///
    /// It is infinite or NaN if the length of cells is not known.
    pub(super) fn end_of(&self, cells: f64) -> f64 {
        let fine = cells * 2f64.powi(self.shift as i32);
        match &self.warp {
            Some(warp) => warp.end_of(fine),
            None => f64::from(self.origin) + fine / f64::from(self.scale),
        }
    }
}

impl Warp {
    fn fine_cell(&self, v: f32) -> f32 {
        let part = self.knots[1..].iter().map(|&knot| usize::from(knot <= v)).sum::<usize>();
        let fine = (v - self.knots[part]) * self.scales[part];
        // `max` of NaN and a number is the number.
        (part as u32 * self.cells_per_part) as f32 + fine.max(0.0).min(self.cells_per_part as f32 - 1.0)
    }

    fn end_of(&self, fine: f64) -> f64 {
        let cells_per_part = f64::from(self.cells_per_part);
        let part = ((fine / cells_per_part) as usize).min(PART_COUNT - 1);
        let within_part = (fine - part as f64 * cells_per_part) / f64::from(self.scales[part]);
        let end = f64::from(self.knots[part]) + within_part;
        // `min` of NaN and a number is the number.
        self.knots.get(part + 1).map_or(end, |&knot| end.min(f64::from(knot)))
    }
}

/// Returns the cells per unit of length: never negative and never NaN, also if `side` is 0 or
/// infinite (MAP-1).
fn scale(count: u32, side: f64) -> f32 {
    let scale = (f64::from(count) / side) as f32;
    if scale >= 0.0 { scale } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coordinates() -> Vec<f32> {
        let mut values =
            vec![f32::NEG_INFINITY, f32::MIN, -1e30, -1.0, -0.0, 0.0, 1e-45, 0.1, 1.0, 1e7, 1e30, f32::MAX];
        values.extend((0..100).map(|k| k as f32 * 0.37 - 5.0));
        values.push(f32::INFINITY);
        values.sort_by(f32::total_cmp);
        values
    }

    #[test]
    fn cells_are_monotone_over_all_coordinates() {
        let values = coordinates();
        for side in [0.0, 1e-45, 1e-30, 1.0, 13.7, 1e30, 6e38, f64::INFINITY] {
            for origin in [-3e38, -1.0, 0.0, 0.1, 3e38] {
                let axis = LooseAxis::new(origin, side, 1000);
                let cells = values.iter().map(|&v| axis.cell(v));
                assert!(cells.clone().is_sorted(), "side {side}, origin {origin}");
                assert!(cells.max() <= Some(999));
                assert_eq!(axis.cell(f32::NAN), 0);
            }
        }
    }

    #[test]
    fn warped_axis_is_monotone_and_divides_clusters() {
        let mut knots = [0.0; PART_COUNT + 1];
        for (k, knot) in knots.iter_mut().enumerate() {
            *knot = match k {
                0..10 => k as f32,
                10..20 => 10.0,
                _ => 1e7 + k as f32,
            };
        }
        let axis = LooseAxis::new(0.0, 1e7, 320).warped(&knots).joined(1);
        assert_eq!(axis.count(), 160);
        let mut values: Vec<f32> = (0..4000).map(|k| k as f32 * 0.01).collect();
        values.extend(values.clone().iter().map(|v| 1e7 + v));
        values.extend(coordinates());
        values.sort_by(f32::total_cmp);
        let mut cells: Vec<_> = values.iter().map(|&v| axis.cell(v)).collect();
        assert!(cells.is_sorted());
        cells.dedup();
        assert!(cells.len() > 60, "{} of 160 cells are used", cells.len());
        assert_eq!(axis.cell(f32::NAN), 0);
    }
}
