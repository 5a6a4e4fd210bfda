//! What can be changed while the simulation runs.

use std::fmt;
use std::str::FromStr;
use triphase_scenes::SceneName;

/// Numbers of bodies that a key goes through.
const BODIES: &[usize] = &[100, 1_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000];

/// Most bodies: they take about a gigabyte with all overlays.
const BODIES_MAX: usize = 4_000_000;

/// Bounds, in world units; 0 stands for bounds that the world derives.
const BOUNDS: &[f32] = &[0.0, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 25.0];

/// Percentages of bodies that move.
const MOVING: &[u32] = &[0, 1, 2, 5, 20, 50, 100];

/// The scenes that a key goes through: those in which there is something to see.
const SHOWN: &[SceneChoice] = &[
    SceneChoice::Siege,
    SceneChoice::Named(SceneName::Crowd),
    SceneChoice::Named(SceneName::Dragons),
    SceneChoice::Named(SceneName::Castles),
    SceneChoice::Named(SceneName::Cities),
    SceneChoice::Named(SceneName::PowerLaw),
    SceneChoice::Named(SceneName::Bepu),
    SceneChoice::Named(SceneName::FewAmongMany),
    SceneChoice::Named(SceneName::Gravity),
    SceneChoice::Named(SceneName::Bullets),
    SceneChoice::Named(SceneName::Churn),
    SceneChoice::Named(SceneName::Brownian),
    SceneChoice::Named(SceneName::NestedClusters),
    SceneChoice::Named(SceneName::WideAndTall),
    SceneChoice::Named(SceneName::Harp),
    SceneChoice::Named(SceneName::LinesAndSquares),
    SceneChoice::Named(SceneName::SparseCrowdedCell),
];

/// A scene of this package, or of `triphase-scenes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SceneChoice {
    /// People, arrows and dragons in a palace whose doors open and close.
    Siege,
    /// A scene of the tests and benches.
    Named(SceneName),
}

impl SceneChoice {
    /// The scenes that a key goes through.
    pub const SHOWN: &[Self] = SHOWN;

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Siege => "siege",
            Self::Named(name) => name.as_str(),
        }
    }

    /// A short description.
    pub fn about(self) -> &'static str {
        match self {
            Self::Siege => "people in a palace, arrows, dragons, and doors that open and close",
            Self::Named(name) => name.about(),
        }
    }
}

impl fmt::Display for SceneChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for SceneChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == Self::Siege.name() {
            return Ok(Self::Siege);
        }
        text.parse().map(Self::Named).map_err(|error: triphase_scenes::UnknownScene| format!("{error}, siege"))
    }
}

/// The settings of a [`Simulation`](crate::Simulation).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Which bodies there are, and how they move.
    pub scene: SceneChoice,
    /// Number of bodies.
    pub bodies: usize,
    /// The bound of the point grid; 0 if the world derives its bounds.
    pub bound: f32,
    /// Number of threads.
    pub threads: usize,
    /// Percentage of the bodies that move.
    pub moving: u32,
    /// Whether steps are told which rows changed.
    pub told: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self { scene: SceneChoice::Siege, bodies: 20_000, bound: 0.0, threads: 1, moving: 100, told: false }
    }
}

impl Settings {
    /// Goes to the next scene, or to the one before.
    pub fn next_scene(&mut self, forward: bool) {
        let at = SHOWN.iter().position(|scene| *scene == self.scene);
        let step = if forward { 1 } else { SHOWN.len() - 1 };
        self.scene = at.map_or(SHOWN[0], |at| SHOWN[(at + step) % SHOWN.len()]);
    }

    /// More bodies, or fewer.
    pub fn next_bodies(&mut self, up: bool) {
        self.bodies = next_of(BODIES, self.bodies, up);
    }

    /// A larger bound, or a smaller one.
    pub fn next_bound(&mut self, up: bool) {
        self.bound = next_of(BOUNDS, self.bound, up);
    }

    /// One thread more, up to `threads_max`, or one less.
    pub fn next_threads(&mut self, up: bool, threads_max: usize) {
        let next = if up { self.threads + 1 } else { self.threads.saturating_sub(1) };
        self.threads = next.clamp(1, threads_max.max(1));
    }

    /// More bodies that move, or fewer.
    pub fn next_moving(&mut self, up: bool) {
        self.moving = next_of(MOVING, self.moving, up);
    }

    /// The settings with each number in the range that is allowed.
    #[must_use]
    pub fn clamped(self, threads_max: usize) -> Self {
        Self {
            bodies: self.bodies.clamp(1, BODIES_MAX),
            bound: if self.bound.is_finite() { self.bound.max(0.0) } else { 0.0 },
            threads: self.threads.clamp(1, threads_max.max(1)),
            moving: self.moving.min(100),
            ..self
        }
    }
}

/// The nearest choice above or below a value; the value itself if there is none.
fn next_of<T: Copy + PartialOrd>(choices: &[T], value: T, up: bool) -> T {
    let next = if up {
        choices.iter().find(|choice| **choice > value)
    } else {
        choices.iter().rfind(|choice| **choice < value)
    };
    next.copied().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenes_go_round_and_are_parsed() {
        let mut settings = Settings::default();
        for scene in SHOWN {
            assert_eq!(settings.scene, *scene);
            assert_eq!(scene.to_string().parse(), Ok(*scene));
            settings.next_scene(true);
        }
        assert_eq!(settings.scene, SHOWN[0]);
        settings.next_scene(false);
        assert_eq!(settings.scene, SHOWN[SHOWN.len() - 1]);
        // A scene that is not shown leads back to those that are.
        settings.scene = SceneChoice::Named(SceneName::Ulp);
        settings.next_scene(true);
        assert_eq!(settings.scene, SHOWN[0]);
        let error = "castle".parse::<SceneChoice>().expect_err("no such scene");
        assert!(error.contains("\"castle\"") && error.ends_with("siege"), "{error}");
    }

    #[test]
    fn values_stay_within_their_choices() {
        let mut settings = Settings { bodies: 7_000, ..Settings::default() };
        settings.next_bodies(true);
        assert_eq!(settings.bodies, 10_000);
        for up in [true, false] {
            for _ in 0..20 {
                settings.next_bodies(up);
                settings.next_bound(up);
                settings.next_moving(up);
                settings.next_threads(up, 4);
                assert_eq!(settings, settings.clamped(4));
            }
        }
        assert_eq!((settings.bodies, settings.bound, settings.moving, settings.threads), (100, 0.0, 0, 1));
    }

    #[test]
    fn settings_out_of_range_are_clamped() {
        let settings = Settings { bodies: 0, bound: f32::NAN, threads: 0, moving: 900, ..Settings::default() };
        let Settings { bodies, bound, threads, moving, .. } = settings.clamped(0);
        assert_eq!((bodies, bound, threads, moving), (1, 0.0, 1, 100));
    }
}
