//! The functions that the page calls. Numbers go in and out; text and pixels are read from memory.
//!
//! `live.js` is the other side. There is no generated code between them.

// Exported names are an unsafe attribute: another symbol of the same name would be undefined
// behavior. There is none in this package.
#![allow(unsafe_code)]

mod host;

use std::cell::RefCell;
use triphase_live::{App, Comparison, Overlay, PairHash, ProbeKind, SceneChoice, Settings, Simulation};

/// What [`text`] returns.
const SCENE_NAME: u32 = 0;
const SCENE_ABOUT: u32 = 1;
const OVERLAY_NAME: u32 = 2;
const OVERLAY_ABOUT: u32 = 3;
const QUERY_NAME: u32 = 4;

thread_local! {
    static APP: RefCell<Option<App>> = const { RefCell::new(None) };
    /// The last text that was asked for.
    static TEXT: RefCell<String> = const { RefCell::new(String::new()) };
    static COMPARISON: RefCell<Comparison> = RefCell::default();
}

/// Runs an operation on the program, if it was started.
fn with_app<T: Default>(operation: impl FnOnce(&mut App) -> T) -> T {
    APP.with_borrow_mut(|app| app.as_mut().map(operation).unwrap_or_default())
}

fn settings(scene: u32, bodies: u32) -> Settings {
    let scene = SceneChoice::SHOWN.get(scene as usize).copied().unwrap_or(SceneChoice::Siege);
    Settings { scene, bodies: bodies as usize, ..Settings::default() }
}

/// Starts the program on a canvas of this size. Returns whether that succeeded.
#[unsafe(no_mangle)]
pub extern "C" fn start(width: u32, height: u32, scene: u32, bodies: u32) -> bool {
    host::set_clock();
    let app = App::new(settings(scene, bodies), width as usize, height as usize, host::milliseconds);
    APP.set(app.ok());
    APP.with_borrow(Option::is_some)
}

/// Steps and draws.
#[unsafe(no_mangle)]
pub extern "C" fn frame() {
    with_app(App::frame);
}

/// The address of the pixels: four bytes each, row by row.
#[unsafe(no_mangle)]
pub extern "C" fn pixels() -> usize {
    with_app(|app| app.canvas().pixels().as_ptr() as usize)
}

/// The width of the canvas.
#[unsafe(no_mangle)]
pub extern "C" fn width() -> usize {
    with_app(|app| app.canvas().width())
}

/// The height of the canvas.
#[unsafe(no_mangle)]
pub extern "C" fn height() -> usize {
    with_app(|app| app.canvas().height())
}

/// Changes the size of the canvas.
#[unsafe(no_mangle)]
pub extern "C" fn resize(width: u32, height: u32) {
    with_app(|app| app.resize(width as usize, height as usize));
}

/// A key was typed. Returns whether it means something.
#[unsafe(no_mangle)]
pub extern "C" fn key(character: u32) -> bool {
    char::from_u32(character).is_some_and(|character| with_app(|app| app.key(character)))
}

/// The pointer is at a pixel.
#[unsafe(no_mangle)]
pub extern "C" fn point(x: f64, y: f64) {
    with_app(|app| app.point(Some([x, y])));
}

/// The pointer is gone.
#[unsafe(no_mangle)]
pub extern "C" fn leave() {
    with_app(|app| app.point(None));
}

/// The world was dragged.
#[unsafe(no_mangle)]
pub extern "C" fn pan(x: f64, y: f64) {
    with_app(|app| app.pan([x, y]));
}

/// The world was scaled around a pixel.
#[unsafe(no_mangle)]
pub extern "C" fn zoom(x: f64, y: f64, factor: f64) {
    with_app(|app| app.zoom([x, y], factor));
}

/// Shows or hides the panel.
#[unsafe(no_mangle)]
pub extern "C" fn set_panel(is_shown: bool) {
    with_app(|app| app.set_panel(is_shown));
}

/// Changes scene, number of bodies, and percentage of those that move.
#[unsafe(no_mangle)]
pub extern "C" fn apply(scene: u32, bodies: u32, moving: u32, bound: f32) {
    with_app(|app| {
        let told = app.simulation().settings().told;
        app.apply(Settings { moving, bound, told, ..settings(scene, bodies) });
    });
}

/// Sets the query at the pointer, by its number.
#[unsafe(no_mangle)]
pub extern "C" fn set_query(kind: u32) {
    with_app(|app| app.set_probe(ProbeKind::ALL.get(kind as usize).copied().unwrap_or_default()));
}

/// The number of the scene; that of all scenes if it is not among those that are shown.
#[unsafe(no_mangle)]
pub extern "C" fn scene() -> usize {
    let present = with_app(|app| Some(app.simulation().settings().scene));
    SceneChoice::SHOWN.iter().position(|scene| Some(*scene) == present).unwrap_or(SceneChoice::SHOWN.len())
}

/// The number of bodies that was asked for.
#[unsafe(no_mangle)]
pub extern "C" fn bodies() -> usize {
    with_app(|app| app.simulation().settings().bodies)
}

/// The percentage of bodies that move.
#[unsafe(no_mangle)]
pub extern "C" fn moving() -> u32 {
    with_app(|app| app.simulation().settings().moving)
}

/// The bound; 0 if it is derived.
#[unsafe(no_mangle)]
pub extern "C" fn bound() -> f32 {
    with_app(|app| app.simulation().settings().bound)
}

/// The number of the query.
#[unsafe(no_mangle)]
pub extern "C" fn query() -> u32 {
    with_app(|app| app.probe().kind as u32)
}

/// A bit for each overlay that is on.
#[unsafe(no_mangle)]
pub extern "C" fn overlays() -> u32 {
    with_app(|app| app.overlays().bits())
}

/// Whether no steps are made.
#[unsafe(no_mangle)]
pub extern "C" fn is_paused() -> bool {
    with_app(|app| app.is_paused())
}

/// Pixels per unit of the world.
#[unsafe(no_mangle)]
pub extern "C" fn scale() -> f64 {
    with_app(|app| app.camera().scale())
}

/// The coordinate of the world that is in the middle of the canvas: 0 for x, 1 for y.
#[unsafe(no_mangle)]
pub extern "C" fn middle(axis: u32) -> f64 {
    with_app(|app| app.camera().center().get(axis as usize).copied().unwrap_or_default())
}

/// Milliseconds of a step, a mean.
#[unsafe(no_mangle)]
pub extern "C" fn step_time() -> f64 {
    with_app(|app| app.mean_step())
}

/// Milliseconds of the last step, as the sum of its phases.
#[unsafe(no_mangle)]
pub extern "C" fn phase_time() -> f64 {
    with_app(|app| {
        let phases = &app.simulation().report().phases;
        let parts = [phases.plan, phases.partition, phases.layout, phases.find_pairs, phases.gather];
        parts.iter().sum::<std::time::Duration>().as_secs_f64() * 1e3
    })
}

/// The number of steps since the world was made.
#[unsafe(no_mangle)]
pub extern "C" fn step_number() -> f64 {
    with_app(|app| app.simulation().world().step_number() as f64)
}

/// Looks up a text of a list; see [`text_address`]. Returns its length in bytes, 0 after the last.
#[unsafe(no_mangle)]
pub extern "C" fn text(list: u32, index: u32) -> usize {
    let (index, scenes) = (index as usize, SceneChoice::SHOWN);
    let found = match list {
        SCENE_NAME => scenes.get(index).map(|scene| scene.name()),
        SCENE_ABOUT => scenes.get(index).map(|scene| scene.about()),
        OVERLAY_NAME => Overlay::ALL.get(index).map(|overlay| overlay.name()),
        OVERLAY_ABOUT => Overlay::ALL.get(index).map(|overlay| overlay.about()),
        QUERY_NAME => ProbeKind::ALL.get(index).map(|kind| kind.name()),
        _ => None,
    };
    TEXT.set(found.unwrap_or_default().to_owned());
    TEXT.with_borrow(String::len)
}

/// The address of the last text; UTF-8.
#[unsafe(no_mangle)]
pub extern "C" fn text_address() -> usize {
    TEXT.with_borrow(|text| text.as_ptr() as usize)
}

/// Measures a step beside a plain grid and brute force. Returns whether all found the same pairs.
#[unsafe(no_mangle)]
pub extern "C" fn compare() -> bool {
    let measured = with_app(|app| Comparison::new(app.simulation()).ok());
    COMPARISON.set(measured.unwrap_or_default());
    measured.is_some_and(|comparison| comparison.agrees)
}

/// A figure of the last comparison, by its number.
#[unsafe(no_mangle)]
pub extern "C" fn figure(number: u32) -> f64 {
    COMPARISON.with_borrow(|comparison| match number {
        0 => comparison.bodies as f64,
        1 => comparison.pairs as f64,
        2 => comparison.triphase,
        3 => comparison.plain_grid,
        4 => comparison.brute_force_of_all(),
        5 => comparison.brute_force_bodies as f64,
        6 => comparison.brute_force,
        _ => f64::NAN,
    })
}

/// The hash of the pairs of some frames of a scene, as `live --hash` prints it; 0 if a step fails.
#[unsafe(no_mangle)]
pub extern "C" fn pair_hash(scene: u32, bodies: u32, frames: u32) -> u64 {
    let mut hash = PairHash::default();
    let Ok(mut simulation) = Simulation::new(settings(scene, bodies), false, host::milliseconds) else { return 0 };
    for _ in 0..frames {
        if simulation.advance().is_err() {
            return 0;
        }
        hash.add(simulation.world().contacts());
    }
    hash.value()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last text.
    fn last_text() -> String {
        TEXT.with_borrow(String::clone)
    }

    #[test]
    fn calls_before_the_start_do_nothing() {
        frame();
        point(f64::NAN, 1.0);
        assert!(!key('1' as u32) && !key(u32::MAX) && !compare());
        assert_eq!((pixels(), width(), height(), overlays()), (0, 0, 0, 0));
        assert!(figure(99).is_nan());
    }

    #[test]
    fn program_starts_and_follows_its_controls() {
        assert!(start(64, 48, 0, 500));
        frame();
        assert_eq!((width(), height(), scene(), bodies(), moving()), (64, 48, 0, 500, 100));
        apply(3, 300, 5, 0.5);
        assert_eq!((scene(), bodies(), moving(), bound()), (3, 300, 5, 0.5));
        apply(u32::MAX, 0, u32::MAX, f32::NAN);
        assert_eq!((scene(), bodies(), moving(), bound()), (0, 1, 100, 0.0));
        set_query(1);
        assert_eq!(query(), 1);
        set_query(77);
        assert_eq!(query(), 0);
        assert!(key('8' as u32) && overlays() == 0b1000_0000);
        resize(0, 0);
        frame();
        assert_eq!((width(), height()), (1, 1));
    }

    #[test]
    fn lists_end() {
        for list in [SCENE_NAME, SCENE_ABOUT, OVERLAY_NAME, OVERLAY_ABOUT, QUERY_NAME] {
            let count = (0..).take_while(|index| text(list, *index) > 0).count();
            assert!(count >= 5, "list {list}");
        }
        assert_eq!((text(SCENE_NAME, 0), last_text().as_str()), (5, "siege"));
        assert_eq!((text(99, 0), text(SCENE_NAME, u32::MAX)), (0, 0));
    }

    #[test]
    fn hashes_depend_on_the_scene() {
        assert_eq!(pair_hash(1, 300, 2), pair_hash(1, 300, 2));
        assert_ne!(pair_hash(1, 2_000, 2), pair_hash(2, 2_000, 2));
    }
}
