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

/// Collects the characters that are typed: which keys these are is up to the keyboard's layout.
struct Typed(Rc<RefCell<Vec<char>>>);

impl InputCallback for Typed {
    fn add_char(&mut self, character: u32) {
        self.0.borrow_mut().extend(char::from_u32(character));
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
    let typed = Rc::new(RefCell::new(Vec::new()));
    window.set_input_callback(Box::new(Typed(typed.clone())));
    let (mut shown, mut dragged_from) = (Vec::new(), None);
    while window.is_open() && !window.is_key_down(Key::Escape) {
        let (width, height) = window.get_size();
        app.resize(width, height);
        typed.take().into_iter().for_each(|character| _ = app.key(character));
        handle_pointer(&window, &mut app, &mut dragged_from);
        handle_held_keys(&window, &mut app);
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
fn handle_held_keys(window: &Window, app: &mut App) {
    let (width, height) = window.get_size();
    let middle = [0.5 * width as f64, 0.5 * height as f64];
    for key in window.get_keys() {
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
}
