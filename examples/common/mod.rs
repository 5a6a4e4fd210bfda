//! What the examples share: options, measuring, checking and drawing. Not needed to use the
//! library; `embed` does without it.

// Each example is a crate of its own and uses its part of this.
#![allow(dead_code)]

pub(crate) mod allocations;
pub(crate) mod check;
pub(crate) mod figures;
pub(crate) mod json;
pub(crate) mod letters;
pub(crate) mod map;
pub(crate) mod options;
pub(crate) mod picture;
pub(crate) mod recording;
pub(crate) mod run;

/// What goes wrong is told to the user in a sentence.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// A file as text; where it is none, the line is told.
pub(crate) fn read_text(path: &std::path::Path) -> Result<String, Failure> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..good].iter().filter(|&&byte| byte == b'\n').count();
        format!("{}:{line}: expected text in UTF-8", path.display()).into()
    })
}
