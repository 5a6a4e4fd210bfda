//! How property tests run.

use proptest::test_runner::{Config, FileFailurePersistence};

/// So many cases. Seeds of failures go to a file, from which they are tried first from then on; each test file has its own.
pub fn settings(seeds: &'static str, cases: u32) -> Config {
    let seeds = FileFailurePersistence::Direct(seeds);
    Config { cases, failure_persistence: Some(Box::new(seeds)), max_shrink_iters: 2000, ..Config::default() }
}
