//! Code shared by the examples: options, figures, verification and drawing. `embed` uses the
//! library without it.

// Each example compiles this module separately and uses a part.
#![allow(dead_code)]

pub(crate) mod allocations;
pub(crate) mod check;
pub(crate) mod figures;
pub(crate) mod options;
pub(crate) mod picture;
pub(crate) mod recording;
pub(crate) mod run;

/// A failure, printed as one sentence.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Reads a text file. The error names the line that is not UTF-8.
pub(crate) fn read_text(path: &std::path::Path) -> Result<String, Failure> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..good].iter().filter(|&&byte| byte == b'\n').count();
        format!("{}:{line}: expected text in UTF-8", path.display()).into()
    })
}
