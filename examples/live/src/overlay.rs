//! The overlays that can be switched.

macro_rules! overlays {
    ($($variant:ident $key:literal $name:literal $about:literal)*) => {
        /// A part of the world's structure, or of its results, that can be drawn over the bodies.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Overlay {
            $(#[doc = $about] $variant,)*
        }

        impl Overlay {
            /// All overlays, in the order of their keys.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The key that switches it.
            pub fn key(self) -> char {
                match self { $(Self::$variant => $key,)* }
            }

            /// Its name, of one word.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What it shows.
            pub fn about(self) -> &'static str {
                match self { $(Self::$variant => $about,)* }
            }
        }
    };
}

overlays! {
    Cells '1' "cells" "cells of the point grids, by population: from 1 (dark) to 32 (bright)"
    Bands '2' "bands" "bands of the point grids, in the color of the thread that ran them"
    Ghosts '3' "ghosts" "bodies that bands borrow from others, since they reach into them"
    Loose '4' "loose" "loose cells of oversized bodies, grown to cover these"
    Tight '5' "tight" "tight cells, which list the loose cells that overlap them"
    Tree '6' "tree" "nodes of the static quadtree, its leaves by population"
    Contacts '7' "contacts" "pairs of the step, of bodies and with statics"
    Events '8' "events" "contacts that began (green) or ended (red)"
}

/// The overlays that are on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overlays(u32);

impl Overlays {
    /// Whether an overlay is on.
    pub fn has(self, overlay: Overlay) -> bool {
        self.0 & Self::bit(overlay) != 0
    }

    /// Turns an overlay on, or off if it is on.
    pub fn toggle(&mut self, overlay: Overlay) {
        self.0 ^= Self::bit(overlay);
    }

    /// Whether overlays are on that are drawn over bodies. Only cells are not.
    pub(crate) fn cover_bodies(self) -> bool {
        self.0 & !Self::bit(Overlay::Cells) != 0
    }

    /// A bit for each overlay, in the order of their keys.
    pub fn bits(self) -> u32 {
        self.0
    }

    fn bit(overlay: Overlay) -> u32 {
        1 << overlay as u32
    }
}
