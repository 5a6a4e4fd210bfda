//! The command line.

use super::subject::SubjectName;
use clap::Parser;
use std::path::PathBuf;

/// triphase and other engines, asked the same questions in turn; all must give the same answers
#[derive(Parser, Clone, Debug)]
pub struct Options {
    /// A scene by name, or towns, town_boxes, ten_bodies; may be given several times, or as a list
    #[arg(long = "scene", value_name = "NAME", value_delimiter = ',', default_value = "crowd")]
    pub subjects: Vec<SubjectName>,
    /// How many bodies scenes have; may be given several times, or as a list
    #[arg(long, value_name = "COUNT", value_delimiter = ',', default_value = "100000")]
    pub bodies: Vec<usize>,
    /// A file of towns: a line of names, then lat,lon,… in degrees
    #[arg(long, value_name = "FILE")]
    pub towns: Option<PathBuf>,
    /// Queries of each kind
    #[arg(long, value_name = "COUNT", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub queries: u32,
    /// How many of them are asked at once where engines take more than one
    #[arg(long, value_name = "COUNT", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub batch: u32,
    /// How often they are answered
    #[arg(long, value_name = "COUNT", default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: u32,
    /// Threads for batches; all else is asked on one
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: u16,
    /// Tell the time that the asking thread ran, not what passed: for machines that others use too (Linux)
    #[arg(long, conflicts_with = "threads")]
    pub processor_time: bool,
    /// What scenes and questions are made from
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Only these engines, and triphase
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub engines: Vec<String>,
    /// Print a line of JSON for each engine and list instead of tables
    #[arg(long)]
    pub json: bool,
    /// Append those lines to a file in benches/record
    #[arg(long)]
    pub record: bool,
}
