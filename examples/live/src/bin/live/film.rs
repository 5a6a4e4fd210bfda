//! A moving picture, as a GIF file that repeats.

use gif::{DisposalMethod, Encoder, Frame, Repeat};
use std::error::Error;
use std::f64::consts::TAU;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use triphase_live::{App, Overlay};

/// Steps from picture to picture, and how long one is shown, in hundredths of a second.
const STEPS: u32 = 2;
const DELAY: u16 = 8;
/// Trades quality of the colors (1) for time (30).
const SPEED: i32 = 10;

/// Writes pictures in which the overlays are shown one after another, each for as long, while the
/// pointer moves around.
pub(crate) fn write(app: &mut App, overlays: &[Overlay], pictures: u32, path: &Path) -> Result<(), Box<dyn Error>> {
    let named = |error: &dyn Error| format!("{}: {error}", path.display());
    let mut file = BufWriter::new(File::create(path).map_err(|error| named(&error))?);
    encode(app, overlays, pictures, &mut file).map_err(|error| named(&*error))?;
    file.flush().map_err(|error| named(&error))?;
    println!("{}: {pictures} pictures", path.display());
    Ok(())
}

fn encode(app: &mut App, overlays: &[Overlay], pictures: u32, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let size = [app.canvas().width(), app.canvas().height()];
    let [width, height] = [u16::try_from(size[0])?, u16::try_from(size[1])?];
    let mut encoder = Encoder::new(out, width, height, &[])?;
    encoder.set_repeat(Repeat::Infinite)?;
    let mut shown: Option<Overlay> = None;
    let mut before = Vec::new();
    for picture in 0..pictures {
        let wanted = overlays.get(picture as usize * overlays.len() / pictures as usize).copied();
        if wanted != shown {
            // The key of an overlay switches it.
            shown.into_iter().chain(wanted).for_each(|overlay| _ = app.key(overlay.key()));
            app.set_caption(wanted.map(|overlay| format!("{}: {}", overlay.name(), overlay.about())));
            shown = wanted;
        }
        let angle = TAU * f64::from(picture) / f64::from(pictures);
        let [x, y] = size.map(|pixels| pixels as f64);
        app.point(Some([x * (0.6 + 0.2 * angle.cos()), y * (0.4 + 0.2 * angle.sin())]));
        (0..STEPS).for_each(|_| app.frame());
        app.draw();
        let now: Vec<[u8; 4]> = app.canvas().pixels().iter().map(|pixel| pixel.bytes()).collect();
        encoder.write_frame(&changes(&before, &now, [width, height]))?;
        before = now;
    }
    Ok(())
}

/// A picture that is transparent where it is equal to the one before.
fn changes(before: &[[u8; 4]], now: &[[u8; 4]], [width, height]: [u16; 2]) -> Frame<'static> {
    let pixel = |(place, &[red, green, blue, _]): (usize, &[u8; 4])| {
        let is_new = before.get(place) != now.get(place);
        [red, green, blue, if is_new { 0xff } else { 0 }]
    };
    let mut pixels: Vec<u8> = now.iter().enumerate().flat_map(pixel).collect();
    let mut frame = Frame::from_rgba_speed(width, height, &mut pixels, SPEED);
    frame.delay = DELAY;
    frame.dispose = DisposalMethod::Keep;
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_pixels_are_transparent() {
        let (red, blue) = ([0xff, 0, 0, 0xff], [0, 0, 0xff, 0xff]);
        let frame = changes(&[red, red], &[red, blue], [2, 1]);
        let transparent = frame.transparent.expect("one pixel is equal");
        assert_eq!(frame.buffer.iter().map(|&index| index == transparent).collect::<Vec<_>>(), [true, false]);
        assert_eq!(changes(&[], &[red, blue], [2, 1]).transparent, None);
    }
}
