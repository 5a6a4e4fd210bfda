//! Command line options that the examples share.

use super::Failure;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of every example.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Options {
    /// How many frames
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) frames: Option<u32>,
    /// How many threads steps run on; as many as the machine has cores unless given
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
    /// Compare some of the frames with an independent search for pairs
    #[arg(long)]
    pub(crate) check: bool,
    /// Print nothing to the standard output but one line of JSON at the end; what is for people
    /// goes to the standard error
    #[arg(long)]
    pub(crate) json: bool,
}

/// Options of the examples that draw.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct PictureOptions {
    /// Where the picture goes; below the target directory unless given
    #[arg(long, value_name = "PATH")]
    picture: Option<PathBuf>,
    /// Draw nothing
    #[arg(long, conflicts_with = "picture")]
    no_picture: bool,
}

impl Options {
    /// Runs `example` on a pool of as many threads as were asked for; steps respect the pool they
    /// are called in.
    pub(crate) fn in_pool<T: Send>(&self, example: impl FnOnce() -> Result<T, Failure> + Send) -> Result<T, Failure> {
        // 0 is rayon's word for "as many as there are cores".
        let threads = self.threads.map_or(0, usize::from);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        pool.install(example)
    }

    /// Prints for people: on the standard output, or beside it where that is kept for JSON.
    pub(crate) fn say(&self, text: &str) {
        if self.json { eprintln!("{text}") } else { put(text) }
    }
}

/// Prints a line. Whoever reads may have read enough and gone: that is no failure.
pub(crate) fn put(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// Reads a number of bodies that a machine may hold.
pub(crate) fn bodies(text: &str) -> Result<usize, String> {
    const MOST: usize = 100_000_000;
    match text.parse() {
        Ok(count) if count <= MOST => Ok(count),
        Ok(_) => Err(format!("at most {MOST}")),
        Err(_) => Err("not a whole number of at least 0".to_string()),
    }
}

impl PictureOptions {
    /// Where to draw to, if at all.
    pub(crate) fn path(&self, file: &str) -> Option<PathBuf> {
        if self.no_picture {
            return None;
        }
        let target = || PathBuf::from(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()));
        Some(self.picture.clone().unwrap_or_else(|| target().join("triphase").join(file)))
    }
}

/// The end of every example: a failure is one sentence and a code, not a backtrace.
pub(crate) fn exit(result: Result<(), Failure>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}
