//! A world larger than one machine: cut into strips, one per MPI rank, each with a broad phase of
//! its own.
//!
//! ```text
//! cargo build --release
//! mpirun -n 2 target/release/triphase-mpi run --scene crowd --bodies 1000000
//! ```
//!
//! In the order of reading: who owns a body and who reports a pair (`strips`), what a rank does
//! without MPI (`part`), messages (`exchange`), and the frame (`run`).

mod body; // columns, and what travels
mod scene; // bodies and walls from a name and a seed
mod strips; // who owns what, who needs ghosts, who reports a pair

mod balance; // where the borders should be
mod part; // what one rank steps

mod exchange; // the only file that sends messages
mod options;

mod check; // the same by one process
mod figures;
mod model; // what a thousand ranks would take
mod run; // the frame loop

#[cfg(test)]
mod tests;

use clap::Parser;
use exchange::Exchange;
use options::{Arguments, Command};
use std::process::ExitCode;

/// Why a run ends early.
pub(crate) type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::Run(options) => {
            // Each rank is one thread: on a machine of many cores, start as many ranks.
            let Some(universe) = mpi::initialize() else {
                eprintln!("error: MPI is initialized already");
                return ExitCode::FAILURE;
            };
            let mut exchange = Exchange::new(universe.world());
            if let Err(failure) = run::run(&options, &mut exchange) {
                eprintln!("error: rank {}: {failure}", exchange.rank());
                exchange.abort();
            }
        }
        Command::Model => model::print(),
    }
    ExitCode::SUCCESS
}
