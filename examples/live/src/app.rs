//! All that a front shows: a simulation, what is drawn of it, and the state of the input.

use crate::camera::Camera;
use crate::canvas::Canvas;
use crate::chart::{self, Chart};
use crate::color::BACKGROUND;
use crate::flashes::Flashes;
use crate::layers::structure::PartCounts;
use crate::layers::{View, bodies, contacts, structure};
use crate::overlay::{Overlay, Overlays};
use crate::panel::{self, PanelState};
use crate::probe::{Probe, ProbeKind};
use crate::settings::Settings;
use crate::simulation::{Clock, Simulation};
use triphase::{Error, Hit};

/// Factor by which a key changes the size of a query.
const PROBE_FACTOR: f64 = 1.25;
/// Weight of the last frame in the mean time of frames.
const LAST_FRAME: f64 = 0.05;

/// The state of the program. A front passes it input, calls [`frame`](Self::frame), and shows the
/// [`canvas`](Self::canvas).
pub struct App {
    simulation: Simulation,
    camera: Camera,
    canvas: Canvas,
    overlays: Overlays,
    probe: Probe,
    /// The pixel under the pointer.
    pointer: Option<[f64; 2]>,
    is_paused: bool,
    has_panel: bool,
    has_chart: bool,
    chart: Chart,
    flashes: Flashes,
    /// Why the last change of settings, or the last step, failed.
    error: Option<Error>,
    caption: Option<String>,
    /// When the last frame began, and the mean time of frames, in milliseconds.
    frame_begin: f64,
    frame_time: f64,
    hits: Vec<Hit>,
}

impl App {
    /// A program with these settings, on a canvas of this size in pixels.
    ///
    /// # Errors
    ///
    /// If the world rejects the settings or the bodies.
    pub fn new(settings: Settings, width: usize, height: usize, clock: Clock) -> Result<Self, Error> {
        let simulation = Simulation::new(settings, false, clock)?;
        let canvas = Canvas::new(width, height);
        let camera = Camera::new(canvas.width(), canvas.height());
        let mut app = Self {
            simulation,
            camera,
            canvas,
            overlays: Overlays::default(),
            probe: Probe::default(),
            pointer: None,
            is_paused: false,
            has_panel: true,
            has_chart: true,
            chart: Chart::default(),
            flashes: Flashes::default(),
            error: None,
            caption: None,
            frame_begin: clock(),
            frame_time: 0.0,
            hits: Vec::new(),
        };
        app.fit();
        Ok(app)
    }

    /// Plays a recording in the place of the scene.
    ///
    /// # Errors
    ///
    /// If the file is no recording; the error names the file.
    #[cfg(feature = "native")]
    pub fn play(&mut self, path: &std::path::Path) -> Result<(), Box<dyn std::error::Error>> {
        self.simulation.play(path)?;
        self.fit();
        Ok(())
    }

    /// The picture of the last frame.
    pub fn canvas(&self) -> &Canvas {
        &self.canvas
    }

    /// What is seen of the world.
    pub fn camera(&self) -> &Camera {
        &self.camera
    }

    /// The simulation.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// The overlays that are on.
    pub fn overlays(&self) -> Overlays {
        self.overlays
    }

    /// The query at the pointer.
    pub fn probe(&self) -> Probe {
        self.probe
    }

    /// Whether no steps are made.
    pub fn is_paused(&self) -> bool {
        self.is_paused
    }

    /// The mean time of a frame in milliseconds: a step, the picture, and what the front does.
    pub fn mean_frame(&self) -> f64 {
        self.frame_time
    }

    /// The mean time of a step in milliseconds.
    pub fn mean_step(&self) -> f64 {
        self.chart.mean_step()
    }
}

/// # Input
impl App {
    /// Handles a key, as the character that it types. Returns whether it means something.
    pub fn key(&mut self, key: char) -> bool {
        let (mut settings, is_upper) = (*self.simulation.settings(), key.is_ascii_uppercase());
        match key.to_ascii_lowercase() {
            // A recording has its own bodies and settings.
            's' | '+' | '=' | '-' | 'b' | 'm' | 'c' if self.simulation.played().is_some() => return false,
            's' => settings.next_scene(!is_upper),
            '+' | '=' => settings.next_bodies(true),
            '-' => settings.next_bodies(false),
            'b' => settings.next_bound(!is_upper),
            't' => settings.next_threads(!is_upper, Simulation::threads_max()),
            'm' => settings.next_moving(is_upper),
            'c' => settings.told = !settings.told,
            'q' => self.set_probe(self.probe.kind.next(!is_upper)),
            '[' => self.probe.resize(1.0 / PROBE_FACTOR),
            ']' => self.probe.resize(PROBE_FACTOR),
            ' ' => self.is_paused = !self.is_paused,
            '.' => self.step_once(),
            'f' => self.fit(),
            'h' => self.has_panel = !self.has_panel,
            'g' => self.has_chart = !self.has_chart,
            digit => match Overlay::ALL.iter().find(|overlay| overlay.key() == digit) {
                Some(overlay) => self.overlays.toggle(*overlay),
                None => return false,
            },
        }
        self.apply(settings);
        true
    }

    /// Changes the settings.
    pub fn apply(&mut self, settings: Settings) {
        let tracks_contacts = self.overlays.has(Overlay::Events);
        let before = *self.simulation.settings();
        if settings == before && tracks_contacts == self.tracks_contacts() {
            return;
        }
        self.error = self.simulation.apply(settings, tracks_contacts).err();
        self.flashes.clear();
        if (settings.scene, settings.bodies) != (before.scene, before.bodies) {
            self.fit();
        }
    }

    /// Sets the query at the pointer.
    pub fn set_probe(&mut self, kind: ProbeKind) {
        self.probe.kind = kind;
    }

    /// Shows or hides the panel.
    pub fn set_panel(&mut self, is_shown: bool) {
        self.has_panel = is_shown;
    }

    /// Sets a line of text, which is shown in the place of advice.
    pub fn set_caption(&mut self, caption: Option<String>) {
        self.caption = caption;
    }

    /// The pointer is at this pixel, or gone.
    pub fn point(&mut self, pointer: Option<[f64; 2]>) {
        self.pointer = pointer;
    }

    /// The world was dragged by pixels.
    pub fn pan(&mut self, by: [f64; 2]) {
        self.camera.pan(by);
    }

    /// Scales the world by a factor, around a pixel.
    pub fn zoom(&mut self, at: [f64; 2], factor: f64) {
        self.camera.zoom(at, factor);
    }

    /// The canvas gets another size.
    pub fn resize(&mut self, width: usize, height: usize) {
        if (width, height) != (self.canvas.width(), self.canvas.height()) {
            self.canvas = Canvas::new(width, height);
            self.camera.resize(self.canvas.width(), self.canvas.height());
        }
    }

    /// Shows all of the world, beside the panel and above the chart where there is room.
    fn fit(&mut self) {
        let mut free = self.camera.screen();
        let [width, height] = [free[2], free[3]];
        if self.has_panel && width > 2.0 * panel::WIDTH {
            free[0] = panel::WIDTH;
        }
        if self.has_chart && height > 3.0 * chart::HEIGHT {
            free[3] -= chart::HEIGHT;
        }
        self.camera.fit(self.simulation.extent(), free);
    }

    fn tracks_contacts(&self) -> bool {
        self.simulation.world().config().contact_tracking()
    }

    fn step_once(&mut self) {
        self.is_paused = true;
        self.advance();
    }
}

/// # Frames
impl App {
    /// Steps the world, unless it is paused, and draws it.
    pub fn frame(&mut self) {
        let now = self.simulation.now();
        let passed = now - self.frame_begin;
        self.frame_time += LAST_FRAME * (passed - self.frame_time);
        self.frame_begin = now;
        if !self.is_paused {
            self.advance();
        }
        self.draw();
    }

    fn advance(&mut self) {
        let step_before = self.simulation.world().step_number();
        self.error = self.simulation.advance().err();
        let simulation = &self.simulation;
        // Not if the step failed, or if a recording has no more.
        if simulation.world().step_number() != step_before {
            self.chart.add(simulation.advance_time(), simulation.step_time(), &simulation.report().phases);
            self.flashes.add(simulation.world());
        }
        self.is_paused |= simulation.is_over();
        if let Some(played) = simulation.played() {
            self.caption = Some(played.to_owned());
        }
    }

    /// Draws the world as it is.
    pub fn draw(&mut self) {
        let (world, report) = (self.simulation.world(), self.simulation.report());
        self.canvas.clear(BACKGROUND);
        let mut view = View { canvas: &mut self.canvas, camera: &self.camera };
        let strength = if self.overlays.cover_bodies() { bodies::DIMMED } else { bodies::FULL };
        structure::draw_cells(&mut view, world, self.overlays);
        bodies::draw(&mut view, world, &report.grids, strength, &mut self.hits);
        let parts = structure::draw(&mut view, world, self.overlays, self.simulation.settings().threads);
        if self.overlays.has(Overlay::Contacts) {
            contacts::draw(&mut view, world);
        }
        self.flashes.draw(&mut view);
        let pointer = self.pointer.filter(|_| self.probe.kind != ProbeKind::Off);
        let answer = pointer.map(|at| (at, self.probe.draw(&mut view, world, at, || self.simulation.now())));
        if self.has_panel {
            self.draw_panel(&parts);
        }
        let chart_top = if self.has_chart { self.chart.draw(&mut self.canvas) } else { self.canvas.height() as f64 };
        let error = self.error.as_ref().map(ToString::to_string);
        let advice = || self.simulation.report().advice.first().map(ToString::to_string);
        if let Some(message) = error.or_else(|| self.caption.clone()).or_else(advice) {
            panel::draw_advice(&mut self.canvas, &message, chart_top);
        }
        if let Some((at, answer)) = answer {
            panel::draw_answer(&mut self.canvas, at, &answer);
        }
    }

    fn draw_panel(&mut self, parts: &PartCounts) {
        let state = PanelState {
            overlays: self.overlays,
            probe: self.probe.kind,
            parts,
            events: self.flashes.counts,
            is_paused: self.is_paused,
            frames_per_second: if self.frame_time > 0.0 { 1e3 / self.frame_time } else { 0.0 },
            mean_step: self.chart.mean_step(),
        };
        panel::draw(&mut self.canvas, &self.simulation, &state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::SceneChoice;
    use triphase_scenes::{SceneName, SplitMix64};

    fn no_clock() -> f64 {
        0.0
    }

    fn app(scene: SceneChoice, bodies: usize) -> App {
        let settings = Settings { scene, bodies, ..Settings::default() };
        App::new(settings, 320, 240, no_clock).expect("a valid scene")
    }

    #[test]
    fn bodies_are_drawn_where_the_camera_sees_them() {
        let mut app = app(SceneChoice::Named(SceneName::One), 1);
        app.set_panel(false);
        app.key('g');
        app.draw();
        let painted = |app: &App| app.canvas().pixels().iter().filter(|pixel| **pixel != BACKGROUND).count();
        assert!(painted(&app) > 100);
        app.pan([1e4, 0.0]);
        app.draw();
        assert_eq!(painted(&app), 0);
        app.key('f');
        app.draw();
        assert!(painted(&app) > 100);
    }

    #[test]
    fn each_overlay_changes_the_picture() {
        let mut app = app(SceneChoice::Named(SceneName::Castles), 12_000);
        app.set_panel(false);
        app.draw();
        app.advance();
        for overlay in Overlay::ALL {
            app.draw();
            let before = app.canvas().pixels().to_vec();
            assert!(app.key(overlay.key()));
            app.advance();
            app.key(' ');
            app.draw();
            let after = app.canvas().pixels().to_vec();
            assert!(app.overlays().has(*overlay) && before != after, "{overlay:?}");
            app.key(overlay.key());
        }
    }

    #[test]
    fn no_input_panics() {
        let mut random = SplitMix64::new(5);
        let mut app = app(SceneChoice::Siege, 600);
        let keys: Vec<char> = "sSbBtTmMcqQ[] .fhg12345678=x\u{e9}\0".chars().collect();
        for round in 0..300 {
            let coordinate = |random: &mut SplitMix64| match random.below(6) {
                0 => f64::NAN,
                1 => f64::INFINITY,
                2 => -1e300,
                _ => f64::from(random.range(-400.0, 800.0)),
            };
            let at = [coordinate(&mut random), coordinate(&mut random)];
            match random.below(6) {
                0 => app.point(Some(at)),
                1 => app.point(None),
                2 => app.pan(at),
                3 => app.zoom(at, coordinate(&mut random) / 100.0),
                4 => app.resize(random.below(500), random.below(500)),
                _ => _ = app.key(random.pick(&keys)),
            }
            // Few bodies, so that debug builds are fast enough.
            app.apply(Settings { bodies: 600, ..*app.simulation().settings() });
            if round % 3 == 0 {
                app.frame();
            }
        }
        assert!(app.error.is_none());
    }

    /// A recording of three steps, the second of which fails, whose last bytes are cut off.
    #[cfg(feature = "native")]
    fn recording(cut: usize) -> Result<std::path::PathBuf, Box<dyn std::error::Error>> {
        use triphase::{Bodies, World};
        let path = std::env::temp_dir().join(format!("triphase-live-app-{}-{cut}.triphase", std::process::id()));
        let mut world = World::default();
        world.record_to(std::fs::File::create(&path)?)?;
        for x in [0.0f32, f32::NAN, 0.5] {
            let stepped = world.step(Bodies::uniform(&[[0.0f32, 0.0], [x, 0.0]], [0.5, 0.5]));
            assert_eq!(stepped.is_err(), x.is_nan());
        }
        world.stop_recording()?;
        drop(world);
        let bytes = std::fs::read(&path)?;
        std::fs::write(&path, &bytes[..bytes.len() - cut])?;
        Ok(path)
    }

    #[test]
    #[cfg(feature = "native")]
    fn playback_pauses_at_the_end() -> Result<(), Box<dyn std::error::Error>> {
        for (cut, end) in [(0, "the end of the recording"), (1, "the recording ends early: ")] {
            let path = recording(cut)?;
            let mut app = app(SceneChoice::Siege, 100);
            app.play(&path)?;
            std::fs::remove_file(&path)?;
            let mut steps = 0;
            while !app.is_paused() {
                app.frame();
                steps += 1;
                assert!(steps < 10, "it ends");
            }
            assert_eq!((app.chart.len(), app.simulation().world().step_number()), (1, 2), "step 1 is made by `play`");
            // Going on changes nothing.
            let caption = app.caption.clone().unwrap_or_default();
            assert!(caption.starts_with(end), "{caption}");
            app.key('.');
            app.key(' ');
            app.frame();
            assert!(app.is_paused() && app.chart.len() == 1);
            assert_eq!(app.caption, Some(caption));
        }
        Ok(())
    }

    #[test]
    #[cfg(feature = "native")]
    fn a_recording_keeps_its_settings() -> Result<(), Box<dyn std::error::Error>> {
        let path = recording(0)?;
        let mut app = app(SceneChoice::Siege, 100);
        app.play(&path)?;
        std::fs::remove_file(&path)?;
        let before = *app.simulation().settings();
        assert!("sS+=-bBmMcC".chars().all(|key| !app.key(key)));
        assert_eq!(*app.simulation().settings(), before);
        assert!("qtTfhg[]1".chars().all(|key| app.key(key)));
        Ok(())
    }

    #[test]
    fn keys_without_meaning_say_so() {
        let mut app = app(SceneChoice::Siege, 100);
        assert!(!app.key('x') && !app.key('9') && !app.key('\u{1f409}'));
        assert!(app.key('C') && app.simulation().settings().told);
    }
}
