//! The command line.

use crate::scene::SceneName;

/// Steps a world that is divided among MPI ranks
#[derive(clap::Parser, Debug)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(clap::Subcommand, Debug)]
pub(crate) enum Command {
    /// Step a scene, on as many ranks as mpirun starts
    Run(RunOptions),
    /// Print the model of the README: steps of up to a thousand ranks, computed, not measured
    Model,
}

#[derive(clap::Args, Clone, Debug)]
pub(crate) struct RunOptions {
    /// Name of the scene
    #[arg(long, value_enum, default_value = "crowd")]
    pub(crate) scene: SceneName,
    /// Number of bodies, of all ranks together
    #[arg(long, value_name = "COUNT", default_value_t = 100_000)]
    pub(crate) bodies: u64,
    /// Number of frames
    #[arg(long, value_name = "COUNT", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) frames: u32,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// What strips are moved by
    #[arg(long, value_enum, default_value = "bodies")]
    pub(crate) balance: Balance,
    /// Frames from one look at the balance to the next
    #[arg(long, value_name = "FRAMES", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) balance_every: u32,
    /// Compare each frame with one world of all bodies on rank 0, and few bodies with brute force
    #[arg(long)]
    pub(crate) check: bool,
}

/// What strips are moved by.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Balance {
    /// Strips keep the equal widths that they begin with
    Off,
    /// Equal numbers of bodies
    Bodies,
    /// Equal times of steps, as measured; where strips are then depends on the run, pairs do not
    Times,
    /// Anywhere, for tests
    Random,
}
