//! A picture of a frame, as a PNG file.

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use triphase_live::{App, Canvas};

/// Runs some frames and writes the last one.
pub(crate) fn write(app: &mut App, frames: u32, path: &Path) -> Result<(), Box<dyn Error>> {
    for _ in 0..frames {
        app.frame();
    }
    app.draw();
    let named = |error: &dyn Error| format!("{}: {error}", path.display());
    let file = File::create(path).map_err(|error| named(&error))?;
    encode(app.canvas(), BufWriter::new(file)).map_err(|error| named(&error))?;
    println!("{}: {:.2} ms a frame, of which {:.2} for a step", path.display(), app.mean_frame(), app.mean_step());
    Ok(())
}

/// Alpha is left out: all pixels are opaque.
fn encode(canvas: &Canvas, out: impl std::io::Write) -> Result<(), png::EncodingError> {
    let mut encoder = png::Encoder::new(out, canvas.width() as u32, canvas.height() as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::High);
    let bytes = canvas.pixels().iter().map(|pixel| pixel.bytes());
    let bytes: Vec<u8> = bytes.flat_map(|[red, green, blue, _]| [red, green, blue]).collect();
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&bytes)?;
    writer.finish()
}
