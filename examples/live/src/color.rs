//! Colors: their bytes, mixing, and the palette.

/// A color of a pixel: red, green, blue and alpha (always 255), in this order in memory, as in the
/// canvas of a browser and in PNG.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct Color(u32);

/// Red and blue, or green and alpha, of a pixel: every other byte.
const EVERY_OTHER: u32 = 0x00FF_00FF;

pub(crate) const BACKGROUND: Color = Color::rgb(13, 16, 22);
pub(crate) const PANEL: Color = Color::rgb(20, 24, 32);
pub(crate) const TEXT: Color = Color::rgb(214, 220, 230);
pub(crate) const DIM: Color = Color::rgb(122, 130, 146);
pub(crate) const WARNING: Color = Color::rgb(255, 190, 92);
pub(crate) const WHITE: Color = Color::rgb(255, 255, 255);

/// Tier 1: one color for each size class, smallest bodies first, and again from the first one.
pub(crate) const COMMON: [Color; 4] =
    [Color::rgb(78, 154, 241), Color::rgb(54, 196, 190), Color::rgb(140, 128, 248), Color::rgb(96, 190, 110)];
/// Tier 2.
pub(crate) const OVERSIZED: Color = Color::rgb(240, 132, 52);
/// Tier 3.
pub(crate) const STATIC: Color = Color::rgb(132, 136, 146);

pub(crate) const GHOST: Color = Color::rgb(255, 92, 220);
pub(crate) const LOOSE_CELL: Color = Color::rgb(255, 170, 80);
pub(crate) const TIGHT_CELL: Color = Color::rgb(214, 196, 92);
pub(crate) const TREE: Color = Color::rgb(88, 206, 120);
pub(crate) const CONTACT: Color = Color::rgb(255, 236, 110);
pub(crate) const STATIC_CONTACT: Color = Color::rgb(198, 130, 255);
pub(crate) const BEGAN: Color = Color::rgb(120, 255, 150);
pub(crate) const ENDED: Color = Color::rgb(255, 84, 84);

/// Threads of the pool, and again from the first one.
pub(crate) const THREADS: [Color; 6] = [
    Color::rgb(92, 160, 255),
    Color::rgb(255, 150, 80),
    Color::rgb(120, 220, 130),
    Color::rgb(240, 110, 200),
    Color::rgb(240, 220, 90),
    Color::rgb(120, 220, 240),
];

/// From few to many.
const HEAT: [Color; 5] = [
    Color::rgb(34, 40, 96),
    Color::rgb(96, 40, 140),
    Color::rgb(206, 60, 100),
    Color::rgb(248, 150, 60),
    Color::rgb(252, 246, 170),
];

impl Color {
    /// An opaque color.
    pub const fn rgb(red: u8, green: u8, blue: u8) -> Self {
        Self(u32::from_ne_bytes([red, green, blue, 255]))
    }

    /// Red, green, blue and alpha.
    pub const fn bytes(self) -> [u8; 4] {
        self.0.to_ne_bytes()
    }

    /// This color covered by another one: not at all at `alpha` 0, almost entirely at 255.
    #[inline]
    pub(crate) fn under(self, over: Self, alpha: u8) -> Self {
        let (under, over, alpha) = (self.0, over.0, alpha as u32 + (alpha as u32 >> 7));
        let mix = |shift: u32| {
            let (a, b) = (under >> shift & EVERY_OTHER, over >> shift & EVERY_OTHER);
            // Bytes of 16 bits: a product cannot run into the byte beside it.
            (a * (256 - alpha) + b * alpha) >> 8 & EVERY_OTHER
        };
        Self(mix(0) | mix(8) << 8)
    }

    /// The color of a value from 0 to 1; values outside have those of the ends.
    pub(crate) fn heat(value: f32) -> Self {
        let at = value.clamp(0.0, 1.0) * (HEAT.len() - 1) as f32;
        let low = (at as usize).min(HEAT.len() - 2);
        HEAT[low].under(HEAT[low + 1], ((at - low as f32) * 255.0) as u8)
    }

    /// The color of a population, on a scale of powers of two up to 32: from there on,
    /// the report of a step advises smaller cells.
    pub(crate) fn of_population(population: usize) -> Self {
        Self::heat((population.max(1) as f32).log2() / 5.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_mix_byte_by_byte() {
        let (a, b) = (Color::rgb(10, 200, 0), Color::rgb(250, 100, 255));
        assert_eq!(a.under(b, 0), a);
        assert_eq!(a.under(b, 255), b);
        let [red, green, blue, alpha] = a.under(b, 128).bytes();
        assert!((128..=132).contains(&red) && (148..=152).contains(&green) && (126..=130).contains(&blue));
        assert_eq!(alpha, 255);
    }

    #[test]
    fn heat_has_a_color_for_every_value() {
        assert_eq!(Color::heat(f32::NEG_INFINITY), HEAT[0]);
        assert_eq!(Color::heat(1.0), HEAT[4]);
        assert_eq!(Color::of_population(1), HEAT[0]);
        assert_eq!(Color::of_population(usize::MAX), HEAT[4]);
        let _ = Color::heat(f32::NAN);
    }
}
