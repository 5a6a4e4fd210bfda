//! Random numbers that are the same on every platform.

/// The random number generator SplitMix64 (Steele, Lea and Flood 2014): small, fast, and good
/// enough for scenes.
#[derive(Clone, Debug)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// Creates a generator from any seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Returns 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a uniform value in `0.0..1.0`.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Returns a uniform value in `low..=high`, computed in f64 and rounded.
    #[inline]
    pub fn range(&mut self, low: impl Into<f64>, high: impl Into<f64>) -> f32 {
        let (low, high) = (low.into(), high.into());
        (low + (high - low) * self.unit()) as f32
    }

    /// Returns a random point with both coordinates in `low..=high`.
    #[inline]
    pub fn point(&mut self, low: impl Into<f64> + Copy, high: impl Into<f64> + Copy) -> [f32; 2] {
        [self.range(low, high), self.range(low, high)]
    }

    /// Returns a uniform value in `0..count`; `count` must not be 0. The bias is below 2^-32 for
    /// the counts of a scene.
    #[inline]
    pub fn below(&mut self, count: usize) -> usize {
        ((u128::from(self.next_u64()) * count as u128) >> 64) as usize
    }

    /// Returns a random item; there must be at least one.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// Shuffles the items.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for k in (1..items.len()).rev() {
            items.swap(k, self.below(k + 1));
        }
    }

    /// Returns a random vector of length 1, by rejection sampling: no sine, so it is the same on
    /// every platform.
    #[inline]
    pub fn direction(&mut self) -> [f64; 2] {
        loop {
            let (x, y) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let square = x * x + y * y;
            if square <= 1.0 && square > 1e-6 {
                let scale = 1.0 / square.sqrt();
                return [x * scale, y * scale];
            }
        }
    }

    /// Returns two independent normal deviates (Marsaglia's polar method).
    pub fn normal_pair(&mut self) -> [f64; 2] {
        loop {
            let (x, y) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let square = x * x + y * y;
            if square < 1.0 && square > 0.0 {
                let scale = (-2.0 * libm::log(square) / square).sqrt();
                return [x * scale, y * scale];
            }
        }
    }
}
