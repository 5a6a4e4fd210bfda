//! `live`: a window on a world of triphase, or a picture of it, without a window.

mod film;
mod options;
mod picture;
#[cfg(feature = "window")]
mod window;

use options::{Mode, Options};
use std::error::Error;
use std::process::ExitCode;
use std::sync::LazyLock;
use std::time::Instant;
use triphase_live::{App, PairHash, Simulation};

/// Exit codes: something failed, and the arguments are wrong.
const FAILED: u8 = 1;
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args_os()) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("live: {error}\nTry --help.");
            return ExitCode::from(USAGE);
        }
    };
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("live: {error}");
            ExitCode::from(FAILED)
        }
    }
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    match &options.mode {
        Mode::Help => {
            println!("{}", options::help());
            Ok(())
        }
        Mode::Hash => print_hash(options),
        Mode::Compare => print_comparison(options),
        Mode::Picture(file) => picture::write(&mut app(options)?, options.frames, file),
        Mode::Film(file) => film::write(&mut app(options)?, &options.overlays, options.frames, file),
        Mode::Window => show(app(options)?),
    }
}

#[cfg(feature = "window")]
fn show(app: App) -> Result<(), Box<dyn Error>> {
    window::run(app)
}

#[cfg(not(feature = "window"))]
fn show(_: App) -> Result<(), Box<dyn Error>> {
    Err("this build has no window (feature `window`); --screenshot FILE works without".into())
}

/// The program in the state that the options describe.
fn app(options: &Options) -> Result<App, Box<dyn Error>> {
    let [width, height] = options.size;
    let mut app = App::new(options.settings, width, height, milliseconds)?;
    if let Some(path) = &options.recording {
        app.play(path)?;
    }
    app.set_panel(options.has_panel);
    app.key('f'); // the panel takes space
    app.set_probe(options.probe);
    app.point(Some(options.pointer.map_or([0.62 * width as f64, 0.4 * height as f64], |at| at.map(f64::from))));
    if !matches!(options.mode, Mode::Film(_)) {
        options.overlays.iter().for_each(|overlay| _ = app.key(overlay.key()));
    }
    app.zoom([0.5 * width as f64, 0.5 * height as f64], options.zoom);
    Ok(app)
}

/// The scene or the recording of the options.
fn simulation(options: &Options) -> Result<Simulation, Box<dyn Error>> {
    let mut simulation = Simulation::new(options.settings, false, milliseconds)?;
    if let Some(path) = &options.recording {
        simulation.play(path)?;
    }
    Ok(simulation)
}

/// Prints the hash of the pairs of all frames, to be compared with a browser's.
fn print_hash(options: &Options) -> Result<(), Box<dyn Error>> {
    let mut simulation = simulation(options)?;
    let mut hash = PairHash::default();
    for _ in 0..options.frames {
        simulation.advance()?;
        if simulation.is_over() {
            break;
        }
        hash.add(simulation.world().contacts());
    }
    println!("{:016x}", hash.value());
    Ok(())
}

fn print_comparison(options: &Options) -> Result<(), Box<dyn Error>> {
    println!("{}", triphase_live::Comparison::new(&simulation(options)?)?);
    Ok(())
}

/// The time since the program began.
fn milliseconds() -> f64 {
    static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
    BEGIN.elapsed().as_secs_f64() * 1e3
}
