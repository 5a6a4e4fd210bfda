//! Command-line options that the examples share.

use super::Failure;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of every example.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Options {
    /// Number of frames; the default depends on the example
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) frames: Option<u32>,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
    /// Verify some of the frames by brute force
    #[arg(long)]
    pub(crate) check: bool,
    /// Print one line of JSON to standard output, and everything else to standard error
    #[arg(long)]
    pub(crate) json: bool,
}

/// Options of the examples that draw.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct PictureOptions {
    /// File for the picture [default: in the folder `triphase` of the target directory]
    #[arg(long, value_name = "PATH")]
    picture: Option<PathBuf>,
    /// Do not draw a picture
    #[arg(long, conflicts_with = "picture")]
    no_picture: bool,
}

impl Options {
    /// Runs `example` in a pool of the given number of threads, in which steps then run too.
    pub(crate) fn in_pool<T: Send>(&self, example: impl FnOnce() -> Result<T, Failure> + Send) -> Result<T, Failure> {
        // For rayon, 0 means one thread a core.
        let threads = self.threads.map_or(0, usize::from);
        rayon::ThreadPoolBuilder::new().num_threads(threads).build()?.install(example)
    }

    /// Prints text: to standard error if standard output is for JSON.
    pub(crate) fn say(&self, text: &str) {
        if self.json { eprintln!("{text}") } else { print_line(text) }
    }
}

/// Prints a line to standard output. A closed pipe is no failure.
pub(crate) fn print_line(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// Parses a number of bodies.
pub(crate) fn body_count(text: &str) -> Result<usize, String> {
    const BODIES_MAX: usize = 100_000_000;
    match text.parse() {
        Ok(count) if count <= BODIES_MAX => Ok(count),
        Ok(_) => Err(format!("at most {BODIES_MAX}")),
        Err(_) => Err("not a whole number of at least 0".to_string()),
    }
}

impl PictureOptions {
    /// The file to draw to, if any.
    pub(crate) fn path(&self, file: &str) -> Option<PathBuf> {
        if self.no_picture {
            return None;
        }
        let target = || PathBuf::from(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()));
        Some(self.picture.clone().unwrap_or_else(|| target().join("triphase").join(file)))
    }
}

/// Ends an example: a failure prints one sentence and sets the exit code.
pub(crate) fn exit(result: Result<(), Failure>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}
