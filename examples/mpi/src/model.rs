//! A model on paper: what a crowd on up to a thousand ranks would take.
//!
//! Measured are the constants of one rank, on one machine of two cores. The network is assumed. All
//! else follows by the formulas below, for bodies spread evenly and ranks that never wait.

use crate::balance::Load;
use crate::body::{Body, Ghost};

/// Measured: nanoseconds of `World::step` per body, with a million bodies on each of two ranks.
const STEP_NS: f64 = 23.8;
/// Measured likewise: moving, looking for migrants and ghosts, and counting contacts.
const OTHER_NS: f64 = 6.5;

/// From the scene: area of the world per body, width of a body, and its mean speed along x.
const AREA: f64 = 1.46;
const WIDTH: f64 = 0.85;
const SPEED_X: f64 = 0.2 * 0.425 * std::f64::consts::FRAC_2_PI;

/// Assumed: seconds that a message takes however short it is.
const LATENCY: f64 = 5e-6;
/// Assumed: bytes per second of a rank. A machine of 64 ranks has 100 Gbit/s, and all messages
/// leave it, although neighbors mostly share a machine.
const BANDWIDTH: f64 = 12.5e9 / 64.0;

/// From the program: frames from one look at the balance to the next.
const BALANCE_EVERY: f64 = 4.0;

/// A frame of a rank in the middle, with a neighbor on either side.
struct Frame {
    bodies: f64,
    ranks: f64,
}

impl Frame {
    fn own(&self) -> f64 {
        self.bodies / self.ranks
    }

    /// Side of the world.
    fn side(&self) -> f64 {
        (self.bodies * AREA).sqrt()
    }

    fn strip_width(&self) -> f64 {
        self.side() / self.ranks
    }

    /// Borders crossed by the boxes of a strip: own bodies times width of a body over width of a
    /// strip. It holds for strips thinner than bodies as well.
    fn ghosts(&self) -> f64 {
        if self.ranks > 1.0 { self.own() * WIDTH / self.strip_width() } else { 0.0 }
    }

    /// Ghosts if the world were cut into squares: of two sides, and of the corner between them.
    fn ghosts_of_blocks(&self) -> f64 {
        if self.ranks == 1.0 {
            return 0.0;
        }
        let share = WIDTH / (self.side() / self.ranks.sqrt());
        self.own() * (2.0 * share + share * share)
    }

    /// Bodies that begin in another strip than in the frame before.
    fn migrants(&self) -> f64 {
        if self.ranks > 1.0 { self.own() * (SPEED_X / self.strip_width()).min(1.0) } else { 0.0 }
    }

    /// Bytes that a rank sends to others: a reply of four bytes for each ghost that it has.
    fn message_bytes(&self) -> f64 {
        self.ghosts() * (size_of::<Ghost>() + size_of::<u32>()) as f64 + self.migrants() * size_of::<Body>() as f64
    }

    /// Bytes of the lengths of messages, sent twice a frame by each rank to each, and of loads.
    fn agreement_bytes(&self) -> f64 {
        (self.ranks - 1.0) * (2.0 * 8.0 + size_of::<Load>() as f64 / BALANCE_EVERY)
    }

    /// Seconds of work.
    fn work(&self) -> f64 {
        1e-9 * (self.own() * (STEP_NS + OTHER_NS) + self.ghosts() * STEP_NS)
    }

    /// Seconds of messages, each with the time of its bytes.
    ///
    /// Lengths go by Bruck's algorithm: as many rounds as the number of ranks has bits, each with
    /// half of the lengths. Loads are gathered in as many rounds, and each gets all of them once.
    fn messages(&self) -> f64 {
        if self.ranks == 1.0 {
            return 0.0;
        }
        let rounds = self.ranks.log2().ceil();
        let lengths = 2.0 * rounds * (LATENCY + 8.0 * self.ranks / 2.0 / BANDWIDTH);
        let loads = (rounds * LATENCY + size_of::<Load>() as f64 * self.ranks / BANDWIDTH) / BALANCE_EVERY;
        // Bodies, ghosts, replies. Each reaches one rank on the right, or so many as a body is
        // wider than a strip.
        let partners = (WIDTH / self.strip_width()).ceil();
        lengths + loads + 3.0 * partners * LATENCY + self.message_bytes() / BANDWIDTH
    }

    /// Time on one rank, divided by the time of all ranks together.
    fn efficiency(&self) -> f64 {
        let alone = self.bodies * 1e-9 * (STEP_NS + OTHER_NS);
        alone / (self.ranks * (self.work() + self.messages()))
    }
}

/// Prints the table of the README.
pub(crate) fn print() {
    println!("Computed, not measured; see src/model.rs for the formulas.");
    println!();
    println!(
        "| bodies | ranks | strip width | ghosts | ghosts of blocks | KB sent per rank | work ms | messages ms | efficiency | f32 spacing |"
    );
    println!("|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    let sizes = [(1e6, 16.0), (1e6, 1e3), (1e8, 1e2), (1e8, 1e3), (1e9, 1e2), (1e9, 1e3)];
    for (bodies, ranks) in sizes {
        let frame = Frame { bodies, ranks };
        let percent = |ghosts: f64| 100.0 * ghosts / frame.own();
        let side = frame.side() as f32;
        println!(
            "| {bodies:.0e} | {ranks} | {:.1} | {:.2} % | {:.2} % | {:.0} | {:.2} | {:.2} | {:.0} % | {:.4} |",
            frame.strip_width(),
            percent(frame.ghosts()),
            percent(frame.ghosts_of_blocks()),
            1e-3 * (frame.message_bytes() + frame.agreement_bytes()),
            1e3 * frame.work(),
            1e3 * frame.messages(),
            100.0 * frame.efficiency(),
            side.next_up() - side,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::part::Part;
    use crate::scene::{Scene, SceneName};
    use crate::strips::Strips;

    #[test]
    fn ghosts_are_as_many_as_in_a_scene() {
        let (bodies, ranks) = (100_000, 50);
        let scene = Scene::new(SceneName::Crowd, bodies, 1);
        let model = Frame { bodies: bodies as f64, ranks: ranks as f64 };
        assert!((model.side() / f64::from(scene.size[0]) - 1.0).abs() < 0.01, "side {}", model.side());
        let strips = Strips::even(ranks, [0.0, scene.size[0]]);
        let inner = (1..ranks - 1).step_by(4);
        let (mut ghosts, mut migrants) = (0, 0);
        for rank in inner.clone() {
            let mut part = Part::new(rank, strips.clone(), &scene).expect("valid");
            let mut outboxes = vec![Vec::new(); ranks];
            part.send_ghosts(&mut outboxes);
            ghosts += outboxes.iter().map(Vec::len).sum::<usize>();
            part.advance(&scene);
            let mut outboxes = vec![Vec::new(); ranks];
            part.emigrate(&mut outboxes);
            migrants += outboxes.iter().map(Vec::len).sum::<usize>();
        }
        let [ghosts, migrants] = [ghosts, migrants].map(|count| count as f64 / inner.len() as f64);
        assert!((ghosts / model.ghosts() - 1.0).abs() < 0.05, "{ghosts} ghosts, model {}", model.ghosts());
        assert!((migrants / model.migrants() - 1.0).abs() < 0.2, "{migrants} migrants, model {}", model.migrants());
    }
}
