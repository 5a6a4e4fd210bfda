//! The command line.

use super::subject::SubjectName;
use clap::Parser;
use std::path::PathBuf;

/// Races queries of triphase against other engines; all must give the same results
#[derive(Parser, Clone, Debug)]
pub struct Options {
    /// Names of scenes, or towns, town_boxes, ten_bodies, separated by commas
    #[arg(long = "scene", value_name = "NAME", value_delimiter = ',', default_value = "crowd")]
    pub subjects: Vec<SubjectName>,
    /// Numbers of bodies of scenes, separated by commas
    #[arg(long, value_name = "COUNT", value_delimiter = ',', default_value = "100000")]
    pub bodies: Vec<usize>,
    /// File of towns: a line of column names, then lines of lat,lon,… in degrees
    #[arg(long, value_name = "FILE")]
    pub towns: Option<PathBuf>,
    /// Number of queries of each kind
    #[arg(long, value_name = "COUNT", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub queries: u32,
    /// Number of queries in one call, for engines that have batches
    #[arg(long, value_name = "COUNT", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub batch: u32,
    /// How often each query is run
    #[arg(long, value_name = "COUNT", default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: u32,
    /// Threads for batches; other queries run on one
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: u16,
    /// Measure processor time of the thread, for machines that others use too (Linux)
    #[arg(long, conflicts_with = "threads")]
    pub processor_time: bool,
    /// Random seed of scenes and queries
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Names of engines, separated by commas; triphase always runs [default: all]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub engines: Vec<String>,
    /// Print a line of JSON for each engine and list instead of tables
    #[arg(long)]
    pub json: bool,
    /// Append these lines to a file in benches/record
    #[arg(long)]
    pub record: bool,
}
