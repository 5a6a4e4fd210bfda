//! Where figures are kept.

use crate::machine::Machine;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Appends lines to the file of this machine and day; tells which. `kind` is the end of its name: of one file all lines have
/// the same keys.
///
/// # Errors
///
/// The folder cannot be made or the file not be written.
pub fn append(lines: &[String], machine: &Machine, kind: &str) -> io::Result<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../record");
    fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{}-{}{kind}.jsonl", machine.short_cpu(), machine.date));
    let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
    let text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
    file.write_all(text.as_bytes())?;
    Ok(path)
}
