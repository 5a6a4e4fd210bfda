//! The machine, compiler and version that figures were measured with.

use crate::engines::locked_version;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// What every line of a record says about its origin.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The processor's name.
    pub cpu: String,
    /// The compiler that built this program.
    pub rustc: &'static str,
    /// The version of triphase.
    pub triphase: String,
    /// The commit of triphase, if git is available.
    pub revision: Option<String>,
    /// Today's date in UTC, as in 2026-01-31.
    pub date: String,
}

impl Machine {
    /// This machine, today.
    pub fn here() -> Self {
        Self {
            cpu: cpu().unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
            rustc: env!("TRIPHASE_PEERS_RUSTC"),
            triphase: locked_version("triphase"),
            revision: revision(),
            date: date(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs() / 86_400)),
        }
    }

    /// The processor's name for a file name: letters and digits, with dashes for everything else.
    pub fn short_cpu(&self) -> String {
        let plain = self.cpu.replace("(R)", " ").replace("(TM)", " ").to_lowercase();
        let words = plain.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        let words = words.filter(|word| !["processor", "cpu"].contains(word) && !word.ends_with("core"));
        words.take(4).collect::<Vec<_>>().join("-")
    }
}

fn cpu() -> Option<String> {
    let info = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = info.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, name)| name.trim().to_owned())
}

fn revision() -> Option<String> {
    let arguments = ["-C", env!("CARGO_MANIFEST_DIR"), "describe", "--always", "--dirty", "--abbrev=12"];
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok().map(|text| text.trim().to_owned())
}

/// The Gregorian date of a day counted from 1970-01-01.
fn date(days: u64) -> String {
    // Years begin in March, so that the leap day is their last day.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    format!("{:04}-{month:02}-{day:02}", era * 400 + year + u64::from(month <= 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn date_of_a_day_is_gregorian() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(11_016), "2000-02-29");
        assert_eq!(date(20_454), "2026-01-01");
    }

    #[test]
    fn short_cpu_leaves_out_trademarks() {
        let named = |cpu: &str| Machine { cpu: cpu.to_owned(), ..Machine::here() }.short_cpu();
        assert_eq!(named("AMD EPYC 9R14 96-Core Processor"), "amd-epyc-9r14-96");
        assert_eq!(named("Intel(R) Core(TM) i7-9750H CPU @ 2.60GHz"), "intel-i7-9750h-2");
    }
}
