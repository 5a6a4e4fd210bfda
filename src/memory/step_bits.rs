//! Which of the last steps had some property.

/// The last [`StepBits::LEN`] steps, a bit each, the latest in the lowest one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StepBits(u16);

impl StepBits {
    /// Number of steps that are remembered.
    pub(crate) const LEN: usize = u16::BITS as usize;

    /// Adds a step, and forgets the oldest.
    pub(crate) fn push(&mut self, had: bool) {
        self.0 = self.0 << 1 | u16::from(had);
    }

    /// How many of the last steps had the property.
    pub(crate) fn count(self) -> usize {
        self.0.count_ones() as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_steps_count() {
        let mut bits = StepBits::default();
        (0..3).for_each(|_| bits.push(true));
        assert_eq!(bits.count(), 3);
        (0..StepBits::LEN - 1).for_each(|_| bits.push(false));
        assert_eq!(bits.count(), 1);
        bits.push(false);
        assert_eq!(bits.count(), 0);
    }
}
