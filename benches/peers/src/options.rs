//! The command line.

use clap::Parser;
use triphase_scenes::SceneName;

/// triphase and other engines, measured frame by frame in turn; all must find the same pairs
#[derive(Parser, Clone, Debug)]
pub struct Options {
    /// A scene, by name; may be given several times, or as a list: a wrong name lists them all
    #[arg(long = "scene", value_name = "NAME", value_delimiter = ',', default_value = "crowd")]
    pub scenes: Vec<SceneName>,
    /// How many bodies; may be given several times, or as a list
    #[arg(long, value_name = "COUNT", value_delimiter = ',', default_value = "100000", value_parser = body_count)]
    pub bodies: Vec<usize>,
    /// Threads that engines may use that can
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: u16,
    /// Frames that are measured
    #[arg(long, value_name = "COUNT", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    pub frames: u32,
    /// Frames before those. Engines that age step them all, others the last ten
    #[arg(long, value_name = "COUNT", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub warm_up: u32,
    /// What scenes are made from: the same seed gives the same scenes
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Only these engines, and triphase
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub engines: Vec<String>,
    /// Print a line of JSON for each engine instead of tables
    #[arg(long)]
    pub json: bool,
    /// Append those lines to a file in benches/record
    #[arg(long)]
    pub record: bool,
}

fn body_count(text: &str) -> Result<usize, String> {
    let count: usize = text.parse().map_err(|error| format!("{error}"))?;
    if (1..=100_000_000).contains(&count) { Ok(count) } else { Err("from 1 to 100,000,000".to_owned()) }
}
