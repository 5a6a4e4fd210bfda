//! The command line.

use clap::Parser;
use std::path::PathBuf;
use triphase_scenes::SceneName;

/// Races triphase against other engines frame by frame; all must find the same pairs
#[derive(Parser, Clone, Debug)]
pub struct Options {
    /// Names of scenes, separated by commas; an unknown name lists all of them
    #[arg(long = "scene", value_name = "NAME", value_delimiter = ',', default_value = "crowd")]
    pub scenes: Vec<SceneName>,
    /// Map of the Moving AI benchmarks, raced instead of scenes: bodies walk its free cells
    #[arg(long, value_name = "FILE", conflicts_with = "scenes")]
    pub map: Option<PathBuf>,
    /// Crowds raced instead of scenes, separated by commas, such as 100:0.5: the largest body is 100
    /// times as large as the smallest, and the area of all is half that of the world
    #[arg(long, value_name = "RATIO:AREA", value_delimiter = ',', value_parser = spread, conflicts_with_all = ["scenes", "map"])]
    pub spread: Vec<(f64, f64)>,
    /// Numbers of bodies, separated by commas
    #[arg(long, value_name = "COUNT", value_delimiter = ',', default_value = "100000", value_parser = body_count)]
    pub bodies: Vec<usize>,
    /// Threads for engines that have a parallel form
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: u16,
    /// Number of measured frames
    #[arg(long, value_name = "COUNT", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    pub frames: u32,
    /// Frames before those; engines whose speed does not change over frames step only the last ten
    #[arg(long, value_name = "COUNT", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub warm_up: u32,
    /// Random seed of the scenes, or of the bodies on a map
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Names of engines, separated by commas; triphase always runs [default: all]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub engines: Vec<String>,
    /// Print a line of JSON for each engine instead of tables
    #[arg(long)]
    pub json: bool,
    /// Append these lines to a file in benches/record
    #[arg(long)]
    pub record: bool,
}

fn spread(text: &str) -> Result<(f64, f64), String> {
    let (ratio, area) = text.split_once(':').ok_or("must be two numbers with a colon between them")?;
    let number = |text: &str| text.parse::<f64>().map_err(|error| format!("{text}: {error}"));
    match (number(ratio)?, number(area)?) {
        (ratio, area) if (1.0..=1e6).contains(&ratio) && (1e-6..=100.0).contains(&area) => Ok((ratio, area)),
        _ => Err("the ratio must be from 1 to 1e6, and the area from 1e-6 to 100".to_owned()),
    }
}

fn body_count(text: &str) -> Result<usize, String> {
    let count: usize = text.parse().map_err(|error| format!("{error}"))?;
    if (1..=100_000_000).contains(&count) { Ok(count) } else { Err("must be from 1 to 100,000,000".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_excludes_named_scenes() {
        let parse = |arguments: &[&str]| Options::try_parse_from([&["race"], arguments].concat());
        assert!(parse(&["--map", "a.map"]).is_ok());
        assert!(parse(&["--scene", "crowd"]).is_ok());
        assert!(parse(&["--map", "a.map", "--scene", "crowd"]).is_err());
        assert!(parse(&["--map", "a.map", "--spread", "1:1"]).is_err());
    }

    #[test]
    fn a_spread_is_a_ratio_and_an_area() {
        assert_eq!(spread("100:0.5"), Ok((100.0, 0.5)));
        for wrong in ["", "1", "0.5:1", "1:0", "1:x", "1:nan", "inf:1"] {
            assert!(spread(wrong).is_err(), "{wrong}");
        }
    }
}
