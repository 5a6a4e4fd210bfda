//! A population, and the world that steps it.

#[cfg(feature = "native")]
use crate::playback::Playback;
use crate::population::Population;
use crate::settings::Settings;
use crate::threads::Threads;
use triphase::{Error, Report, World, WorldConfig};

/// Returns the time in milliseconds since some moment; a front provides it.
pub type Clock = fn() -> f64;

/// A running world: what is drawn.
pub struct Simulation {
    settings: Settings,
    /// Whether contacts are tracked from step to step.
    tracks_contacts: bool,
    population: Population,
    /// What is played in the place of the population.
    #[cfg(feature = "native")]
    playback: Option<Playback>,
    world: World,
    threads: Threads,
    clock: Clock,
    report: Report,
    advance_time: f64,
    step_time: f64,
}

impl Simulation {
    /// Creates the population and its world, and makes the first step.
    ///
    /// # Errors
    ///
    /// If the world rejects the settings or the bodies.
    pub fn new(settings: Settings, tracks_contacts: bool, clock: Clock) -> Result<Self, Error> {
        let settings = settings.clamped(Self::threads_max());
        let population = Population::new(&settings);
        let mut simulation = Self {
            settings,
            tracks_contacts,
            world: world_of(&settings, tracks_contacts, &population)?,
            population,
            #[cfg(feature = "native")]
            playback: None,
            threads: Threads::new(settings.threads),
            clock,
            report: Report::default(),
            advance_time: 0.0,
            step_time: 0.0,
        };
        simulation.step()?;
        Ok(simulation)
    }

    /// Plays a recording in the place of the scene.
    ///
    /// # Errors
    ///
    /// If the file is no recording; the error names the file.
    #[cfg(feature = "native")]
    pub fn play(&mut self, path: &std::path::Path) -> Result<(), Box<dyn std::error::Error>> {
        let (playback, world) = Playback::open(path)?;
        (self.playback, self.world) = (Some(playback), world);
        self.report = self.world.report();
        Ok(())
    }

    /// What was played last, if a recording is.
    pub fn played(&self) -> Option<&str> {
        #[cfg(feature = "native")]
        return self.playback.as_ref().map(Playback::state);
        #[cfg(not(feature = "native"))]
        None
    }

    /// Whether a recording is played, and is at its end.
    pub fn is_over(&self) -> bool {
        #[cfg(feature = "native")]
        return self.playback.as_ref().is_some_and(Playback::is_over);
        #[cfg(not(feature = "native"))]
        false
    }

    /// A box that covers the world.
    pub fn extent(&self) -> [f32; 4] {
        #[cfg(feature = "native")]
        if let Some(playback) = &self.playback {
            return playback.extent();
        }
        self.population.world()
    }

    /// The most threads that are worth having on this machine.
    pub fn threads_max() -> usize {
        Threads::count_max()
    }

    /// Changes the settings. Keeps the bodies where they are if the scene and their number stay.
    ///
    /// # Errors
    ///
    /// If the world rejects the settings or the bodies. Then nothing has changed.
    pub fn apply(&mut self, settings: Settings, tracks_contacts: bool) -> Result<(), Error> {
        let (before, settings) = (self.settings, settings.clamped(Self::threads_max()));
        if self.played().is_some() {
            // All else is as it was recorded.
            self.settings.threads = settings.threads;
            self.threads = Threads::new(settings.threads);
            return Ok(());
        }
        if (settings.scene, settings.bodies) != (before.scene, before.bodies) {
            *self = Self::new(settings, tracks_contacts, self.clock)?;
            return Ok(());
        }
        if settings.bound != before.bound || tracks_contacts != self.tracks_contacts {
            self.world = world_of(&settings, tracks_contacts, &self.population)?;
        }
        if settings.threads != before.threads {
            self.threads = Threads::new(settings.threads);
        }
        if settings.moving != before.moving {
            self.population.set_moving(settings.moving);
            // Rows may have changed places.
            self.world = world_of(&settings, tracks_contacts, &self.population)?;
        }
        (self.settings, self.tracks_contacts) = (settings, tracks_contacts);
        self.step()
    }

    /// Moves the bodies by a frame, and steps the world.
    ///
    /// # Errors
    ///
    /// If the world rejects the bodies.
    pub fn advance(&mut self) -> Result<(), Error> {
        #[cfg(feature = "native")]
        if let Some(playback) = &mut self.playback {
            let (world, threads) = (&mut self.world, &self.threads);
            threads.run(|| playback.advance(world));
            self.report = self.world.report();
            (self.advance_time, self.step_time) = (0.0, self.report.phases.total.as_secs_f64() * 1e3);
            return Ok(());
        }
        let begin = (self.clock)();
        self.population.advance();
        for (row, enabled) in self.population.switched_statics() {
            self.world.set_static_enabled(row, enabled)?;
        }
        self.advance_time = (self.clock)() - begin;
        self.step()
    }

    fn step(&mut self) -> Result<(), Error> {
        let Self { settings, population, world, threads, clock, .. } = self;
        let chunks = population.chunks();
        let changed = population.changed_rows().filter(|_| settings.told);
        let begin = clock();
        threads.run(|| match changed {
            Some(rows) => world.step_changed(&chunks, rows).map(drop),
            None => world.step(&chunks).map(drop),
        })?;
        self.step_time = clock() - begin;
        self.report = self.world.report();
        Ok(())
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The world after its last step.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The bodies and statics.
    pub fn population(&self) -> &Population {
        &self.population
    }

    /// The report of the last step.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Milliseconds that the last step took.
    pub fn step_time(&self) -> f64 {
        self.step_time
    }

    /// Milliseconds that it took to move the bodies.
    pub fn advance_time(&self) -> f64 {
        self.advance_time
    }

    /// The clock.
    pub(crate) fn clock(&self) -> Clock {
        self.clock
    }

    /// The time.
    pub(crate) fn now(&self) -> f64 {
        (self.clock)()
    }
}

/// A world with these settings and the statics of a population, before its first step.
fn world_of(settings: &Settings, tracks_contacts: bool, population: &Population) -> Result<World, Error> {
    let bound = (settings.bound > 0.0).then_some(settings.bound);
    let mut world = World::new(WorldConfig::new().with_bounds(bound).with_contact_tracking(tracks_contacts))?;
    world.set_statics(population.statics())?;
    Ok(world)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::SceneChoice;
    use triphase::reference;

    fn no_clock() -> f64 {
        0.0
    }

    /// The pairs of the last step agree with brute force.
    fn check(simulation: &Simulation) {
        let world = simulation.world();
        let count = world.contacts().body_count() as u32;
        let boxes: Vec<[f32; 4]> = (0..count).map(|row| world.aabb(row).expect("a valid row")).collect();
        let mut pairs: Vec<(u32, u32)> = world.contacts().body_pairs().map(|pair| (pair.a, pair.b)).collect();
        pairs.sort_unstable();
        assert_eq!(pairs, reference::self_pairs(&boxes), "{:?}", simulation.settings());
        let walls: Vec<[f32; 4]> = simulation.population().statics().to_vec();
        let mut pairs: Vec<(u32, u32)> =
            world.contacts().static_pairs().map(|pair| (pair.body, pair.static_row)).collect();
        pairs.sort_unstable();
        let mut expected = reference::cross_pairs(&boxes, &walls);
        expected.retain(|(_, wall)| world.statics().is_enabled(*wall) == Some(true));
        assert_eq!(pairs, expected, "{:?}", simulation.settings());
    }

    #[test]
    fn every_shown_scene_runs_and_is_exact() {
        for &scene in SceneChoice::SHOWN {
            let settings = Settings { scene, bodies: 1_500, ..Settings::default() };
            let mut simulation = Simulation::new(settings, true, no_clock).expect("a valid scene");
            for moving in [100, 5, 0] {
                for told in [false, true] {
                    let settings = Settings { moving, told, ..settings };
                    simulation.apply(settings, told).expect("valid settings");
                    for _ in 0..3 {
                        simulation.advance().expect("valid bodies");
                    }
                    check(&simulation);
                }
            }
        }
    }

    #[test]
    fn settings_can_change_while_it_runs() {
        let mut simulation = Simulation::new(Settings::default(), false, no_clock).expect("a valid scene");
        for (bodies, bound, threads) in [(3_000, 0.25, 2), (3_000, 25.0, 1), (1, 0.0, 64), (100_000_000, 0.5, 0)] {
            let bodies = bodies.min(30_000);
            let settings = Settings { bodies, bound, threads, ..*simulation.settings() };
            simulation.apply(settings, true).expect("valid settings");
            simulation.advance().expect("valid bodies");
            assert_eq!(simulation.world().contacts().body_count(), bodies);
        }
    }

    #[test]
    fn doors_open_and_close() {
        let settings = Settings { bodies: 3_000, ..Settings::default() };
        let mut simulation = Simulation::new(settings, false, no_clock).expect("a valid scene");
        let open = |simulation: &Simulation| {
            let statics = simulation.world().statics();
            (0..statics.len() as u32).filter(|row| statics.is_enabled(*row) == Some(false)).collect::<Vec<_>>()
        };
        let mut seen = Vec::new();
        for _ in 0..200 {
            simulation.advance().expect("valid bodies");
            seen.push(open(&simulation));
        }
        seen.dedup();
        assert!(seen.len() > 2 && seen.iter().all(|doors| !doors.is_empty()), "{}", seen.len());
        check(&simulation);
    }
}
