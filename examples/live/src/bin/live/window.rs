//! A native window: passes input on, and shows the canvas.

use minifb::{InputCallback, Key, MouseButton, MouseMode, Window, WindowOptions};
use std::cell::RefCell;
use std::error::Error;
use std::rc::Rc;
use triphase_live::App;

/// Frames a second, at most.
const FRAMES_PER_SECOND: usize = 60;
/// Pixels that a key moves the world in a frame.
const KEY_PAN: f64 = 16.0;
/// Factor of a notch of the mouse wheel, and of a frame in which a key is down.
const WHEEL_ZOOM: f64 = 1.2;
const KEY_ZOOM: f64 = 1.04;

/// Something that was pressed; also if it was released again within the same frame.
enum Press {
    /// A character: which key types it is up to the keyboard's layout.
    Typed(char),
    Key(Key),
}

/// Collects what is pressed.
struct Presses(Rc<RefCell<Vec<Press>>>);

impl InputCallback for Presses {
    fn add_char(&mut self, character: u32) {
        self.0.borrow_mut().extend(char::from_u32(character).map(Press::Typed));
    }

    fn set_key_state(&mut self, key: Key, is_down: bool) {
        self.0.borrow_mut().extend(is_down.then_some(Press::Key(key)));
    }
}

/// Runs until the window is closed.
pub(crate) fn run(mut app: App) -> Result<(), Box<dyn Error>> {
    let (width, height) = (app.canvas().width(), app.canvas().height());
    let options = WindowOptions { resize: true, ..WindowOptions::default() };
    let mut window = Window::new("triphase live", width, height, options).map_err(|error| {
        format!("no window can be opened here ({error}); --screenshot FILE writes a picture without one")
    })?;
    window.set_target_fps(FRAMES_PER_SECOND);
    let presses = Rc::new(RefCell::new(Vec::new()));
    window.set_input_callback(Box::new(Presses(presses.clone())));
    let (mut shown, mut dragged_from) = (Vec::new(), None);
    while window.is_open() {
        let (width, height) = window.get_size();
        app.resize(width, height);
        for press in presses.take() {
            match press {
                Press::Typed(character) => _ = app.key(character),
                Press::Key(Key::Escape) => return Ok(()),
                Press::Key(key) => handle_key(key, &mut app),
            }
        }
        window.get_keys().into_iter().for_each(|key| handle_key(key, &mut app));
        handle_pointer(&window, &mut app, &mut dragged_from);
        app.frame();
        let canvas = app.canvas();
        shown.clear();
        shown.extend(canvas.pixels().iter().map(|pixel| {
            let [red, green, blue, _] = pixel.bytes();
            u32::from_be_bytes([0, red, green, blue])
        }));
        window.update_with_buffer(&shown, canvas.width(), canvas.height())?;
    }
    Ok(())
}

/// Drags with any button; the wheel zooms around the pointer.
fn handle_pointer(window: &Window, app: &mut App, dragged_from: &mut Option<[f64; 2]>) {
    let pointer = window.get_mouse_pos(MouseMode::Pass).map(|(x, y)| [f64::from(x), f64::from(y)]);
    let buttons = [MouseButton::Left, MouseButton::Middle, MouseButton::Right];
    let is_down = buttons.into_iter().any(|button| window.get_mouse_down(button));
    if let (Some([x, y]), Some([from_x, from_y]), true) = (pointer, *dragged_from, is_down) {
        app.pan([x - from_x, y - from_y]);
    }
    *dragged_from = pointer.filter(|_| is_down);
    if let (Some(at), Some((_, notches))) = (pointer, window.get_scroll_wheel()) {
        app.zoom(at, WHEEL_ZOOM.powf(f64::from(notches.clamp(-5.0, 5.0))));
    }
    let is_inside = window.get_mouse_pos(MouseMode::Discard).is_some();
    app.point(pointer.filter(|_| is_inside));
}

/// Arrows pan; page up and page down zoom around the middle.
fn handle_key(key: Key, app: &mut App) {
    let middle = [app.canvas().width(), app.canvas().height()].map(|side| 0.5 * side as f64);
    match key {
        Key::Left => app.pan([KEY_PAN, 0.0]),
        Key::Right => app.pan([-KEY_PAN, 0.0]),
        Key::Up => app.pan([0.0, KEY_PAN]),
        Key::Down => app.pan([0.0, -KEY_PAN]),
        Key::PageUp => app.zoom(middle, KEY_ZOOM),
        Key::PageDown => app.zoom(middle, 1.0 / KEY_ZOOM),
        _ => {}
    }
}
