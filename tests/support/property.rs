//! How property tests run.

use proptest::test_runner::{Config, FileFailurePersistence};

/// Runs `cases` cases, or as many as the environment variable `PROPTEST_CASES` says, but at least
/// one. Those of earlier failures come first: their seeds are kept in `tests/<name>.seeds`.
pub fn settings(name: &str, cases: u32) -> Config {
    // `proptest` keeps a `&'static str`; a test makes one.
    let seeds: &'static str = format!("{}/{name}.seeds", env!("CARGO_MANIFEST_DIR")).leak();
    let seeds = FileFailurePersistence::Direct(seeds);
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse::<u32>().ok());
    let cases = asked.unwrap_or(cases).max(1);
    Config { cases, failure_persistence: Some(Box::new(seeds)), max_shrink_iters: 2000, ..Config::default() }
}
