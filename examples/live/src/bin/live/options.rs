//! The command line.

use lexopt::{Arg, Parser, ValueExt};
use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;
use triphase_live::{Overlay, ProbeKind, SceneChoice, Settings, Simulation};

/// What the program does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Mode {
    Window,
    Picture(PathBuf),
    Film(PathBuf),
    Hash,
    Compare,
    Help,
}

/// The arguments.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Options {
    pub(crate) mode: Mode,
    pub(crate) settings: Settings,
    pub(crate) frames: u32,
    pub(crate) size: [usize; 2],
    pub(crate) zoom: f64,
    pub(crate) overlays: Vec<Overlay>,
    pub(crate) probe: ProbeKind,
    pub(crate) pointer: Option<[u16; 2]>,
    pub(crate) has_panel: bool,
    /// What is played in the place of a scene.
    pub(crate) recording: Option<PathBuf>,
}

impl Options {
    /// Parses arguments, the name of the program first.
    pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, lexopt::Error> {
        let settings = Settings { threads: Simulation::threads_max(), ..Settings::default() };
        let mut options = Self {
            mode: Mode::Window,
            settings,
            frames: 60,
            size: [1280, 800],
            zoom: 1.0,
            overlays: Vec::new(),
            probe: ProbeKind::Off,
            pointer: None,
            has_panel: true,
            recording: None,
        };
        let mut parser = Parser::from_iter(arguments);
        while let Some(argument) = parser.next()? {
            match argument {
                Arg::Long(name) => {
                    let name = name.to_owned();
                    options.read(&name, &mut parser)?;
                }
                Arg::Short('h') => options.mode = Mode::Help,
                Arg::Value(file) if options.recording.is_none() => options.recording = Some(file.into()),
                other => return Err(other.unexpected()),
            }
        }
        Ok(options)
    }

    /// Reads the value of an option.
    fn read(&mut self, name: &str, parser: &mut Parser) -> Result<(), lexopt::Error> {
        match name {
            "help" => self.mode = Mode::Help,
            "hash" => self.mode = Mode::Hash,
            "compare" => self.mode = Mode::Compare,
            "film" => self.mode = Mode::Film(parser.value()?.into()),
            "screenshot" => self.mode = Mode::Picture(parser.value()?.into()),
            "told" => self.settings.told = true,
            "no-panel" => self.has_panel = false,
            "scene" => self.settings.scene = value(name, parser)?,
            "bodies" => self.settings.bodies = value(name, parser)?,
            "bound" => self.settings.bound = value(name, parser)?,
            "threads" => self.settings.threads = value(name, parser)?,
            "moving" => self.settings.moving = value(name, parser)?,
            "frames" => self.frames = value(name, parser)?,
            "zoom" => self.zoom = value(name, parser)?,
            "size" => self.size = pair_of(name, &text(parser)?, 'x')?,
            "pointer" => self.pointer = Some(pair_of(name, &text(parser)?, ',')?),
            "query" => self.probe = named(ProbeKind::ALL, |kind| kind.name(), name, &text(parser)?)?,
            "overlay" => {
                for part in text(parser)?.split(',') {
                    self.overlays.push(named(Overlay::ALL, |overlay| overlay.name(), name, part)?);
                }
            }
            _ => return Err(Arg::Long(name).unexpected()),
        }
        Ok(())
    }
}

fn text(parser: &mut Parser) -> Result<String, lexopt::Error> {
    parser.value()?.string()
}

fn value<T: FromStr<Err: std::fmt::Display>>(name: &str, parser: &mut Parser) -> Result<T, lexopt::Error> {
    let text = text(parser)?;
    text.parse().map_err(|error| format!("--{name} {text:?}: {error}").into())
}

/// Two numbers with a character between them.
fn pair_of<T: FromStr>(name: &str, text: &str, between: char) -> Result<[T; 2], lexopt::Error> {
    let parts = text.split_once(between).and_then(|(a, b)| Some([a.parse().ok()?, b.parse().ok()?]));
    parts.ok_or_else(|| format!("--{name} {text:?}: expected two numbers, as in 640{between}480").into())
}

/// The item of a name.
fn named<T: Copy>(
    items: &[T],
    name_of: impl Fn(T) -> &'static str,
    name: &str,
    text: &str,
) -> Result<T, lexopt::Error> {
    let names = || items.iter().map(|item| name_of(*item)).collect::<Vec<_>>().join(", ");
    let item = items.iter().find(|item| name_of(**item) == text);
    item.copied().ok_or_else(|| format!("--{name} {text:?}: expected one of {}", names()).into())
}

/// The text of `--help`.
pub(crate) fn help() -> String {
    let list =
        |items: Vec<[&str; 2]>| items.iter().map(|[name, about]| format!("  {name:<20} {about}\n")).collect::<String>();
    let scenes = SceneChoice::SHOWN.iter().map(|scene| [scene.name(), scene.about()]).collect();
    let overlays = Overlay::ALL.iter().map(|overlay| [overlay.name(), overlay.about()]).collect();
    format!(
        "Draws a world of triphase while it runs.\n\n\
         live [OPTIONS]                    a window; its keys are on the screen\n\
         live RECORDING [OPTIONS]          what World::record_to wrote, in the place of a scene\n\
         live --screenshot FILE [OPTIONS]  a PNG file, without a window\n\
         live --film FILE [OPTIONS]        an animated GIF, without a window\n\
         live --hash [OPTIONS]             the hash of the pairs of all frames\n\
         live --compare [OPTIONS]          a step beside a plain grid and brute force\n\n\
         Options:\n{}\nScenes (those of triphase-scenes that are not listed can be named, too):\n{}\nOverlays:\n{}",
        list(vec![
            ["--scene NAME", "the scene [siege]"],
            ["--bodies N", "number of bodies [20000]"],
            ["--bound X", "largest half-extent of the point grid; 0: derived [0]"],
            ["--threads N", "number of threads [all]"],
            ["--moving PERCENT", "bodies that move [100]"],
            ["--told", "steps are told which rows changed"],
            ["--overlay A,B", "overlays that are on; in a film, one after another"],
            ["--query KIND", "off, box, circle, nearest or ray, at the pointer [off]"],
            ["--pointer X,Y", "where the pointer is, in pixels"],
            ["--zoom FACTOR", "scale, where 1 shows all [1]"],
            ["--size WxH", "size in pixels [1280x800]"],
            ["--frames N", "frames before the picture, of the film, or of the hash [60]"],
            ["--no-panel", "hides the text on the left"],
        ]),
        list(scenes),
        list(overlays),
    )
    .trim_end()
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &str) -> Result<Options, String> {
        let arguments = std::iter::once("live").chain(arguments.split_whitespace());
        Options::parse(arguments.map(OsString::from)).map_err(|error| error.to_string())
    }

    #[test]
    fn arguments_are_read() {
        let options =
            parse("--screenshot a.png --scene castles --bodies 7 --overlay cells,tree --size 640x480").unwrap();
        assert_eq!(options.mode, Mode::Picture("a.png".into()));
        assert_eq!((options.settings.scene.name(), options.settings.bodies), ("castles", 7));
        assert_eq!((options.overlays, options.size), (vec![Overlay::Cells, Overlay::Tree], [640, 480]));
        assert_eq!(parse("--query ray --pointer 3,4").unwrap().pointer, Some([3, 4]));
        assert_eq!(parse("--help").unwrap().mode, Mode::Help);
        assert_eq!(parse("a.triphase --frames 2").unwrap().recording, Some("a.triphase".into()));
    }

    #[test]
    fn errors_name_the_argument_and_the_value() {
        for (arguments, part) in [
            ("--scene castle", "\"castle\""),
            ("--bodies many", "--bodies \"many\""),
            ("--overlay cells,trees", "\"trees\": expected one of cells, bands"),
            ("--size 640", "--size \"640\""),
            ("--frames -1", "\"-1\""),
            ("--bogus", "--bogus"),
            ("a.triphase b.triphase", "b.triphase"),
            ("--screenshot", "--screenshot"),
            ("--film", "--film"),
        ] {
            let error = parse(arguments).unwrap_err();
            assert!(error.contains(part), "{arguments}: {error}");
        }
    }
}
