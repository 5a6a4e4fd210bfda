//! Writes figures to `benches/record`.

use crate::machine::Machine;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Appends lines to the file of this machine and day, and returns its path.
///
/// `kind` is the end of the file's name; all lines of a file have the same keys.
///
/// # Errors
///
/// If the folder cannot be created or the file cannot be written.
pub fn append(lines: &[String], machine: &Machine, kind: &str) -> io::Result<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../record");
    fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{}-{}{kind}.jsonl", machine.short_cpu(), machine.date));
    let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
    let text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
    file.write_all(text.as_bytes())?;
    Ok(path)
}
