//! The command that draws the plots of README.md and BENCHMARKS.md from `benches/record`.
//!
//! ```sh
//! cargo run --release --manifest-path benches/plots/Cargo.toml
//! ```

mod chart;
mod plots;
mod records;
mod svg;

use clap::Parser;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Draws plots of recorded figures as SVG, one file each
#[derive(Parser)]
struct Options {
    /// Folder of records [default: benches/record]
    #[arg(long, value_name = "FOLDER")]
    record: Option<PathBuf>,
    /// Folder for the plots [default: the folder `plots` in that of the records]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: Options) -> Result<(), Box<dyn Error>> {
    let folder = options.record.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../record"));
    let out = options.out.unwrap_or_else(|| folder.join("plots"));
    let records = records::read(&folder)?;
    fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    for plot in plots::all(&records) {
        let path = out.join(format!("{}.svg", plot.name));
        match plot.svg? {
            Some(svg) => {
                fs::write(&path, svg).map_err(|error| format!("{}: {error}", path.display()))?;
                println!("{}", path.display());
            }
            None => println!("{}: not drawn, as no record has its figures", plot.name),
        }
    }
    Ok(())
}
