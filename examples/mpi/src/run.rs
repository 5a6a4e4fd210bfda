//! The frame loop of a rank.

use crate::Failure;
use crate::balance::even_out;
use crate::body::{Body, Ghost};
use crate::check::Check;
use crate::exchange::Exchange;
use crate::figures::{FrameRecord, print};
use crate::options::{Balance, RunOptions};
use crate::part::Part;
use crate::scene::Scene;
use crate::strips::Strips;
use std::time::{Duration, Instant};
use triphase_scenes::SplitMix64;

/// Everything a rank has.
struct Run<'a> {
    options: &'a RunOptions,
    scene: Scene,
    part: Part,
    exchange: &'a mut Exchange,
    outboxes: Boxes,
    inboxes: Boxes,
    records: Vec<FrameRecord>,
}

/// Messages of each kind, by rank. Kept from frame to frame.
struct Boxes {
    bodies: Vec<Vec<Body>>,
    ghosts: Vec<Vec<Ghost>>,
    replies: Vec<Vec<u32>>,
}

impl Boxes {
    fn new(ranks: usize) -> Self {
        Self { bodies: vec![Vec::new(); ranks], ghosts: vec![Vec::new(); ranks], replies: vec![Vec::new(); ranks] }
    }
}

/// Steps a scene on all ranks, and prints figures on rank 0.
pub(crate) fn run(options: &RunOptions, exchange: &mut Exchange) -> Result<(), Failure> {
    let (rank, ranks) = (exchange.rank(), exchange.ranks());
    let scene = Scene::new(options.scene, options.bodies, options.seed);
    let part = Part::new(rank, Strips::even(ranks, [0.0, scene.size[0]]), &scene)?;
    let mut check = options.check.then(|| Check::new(&scene, rank)).transpose()?;
    let (outboxes, inboxes) = (Boxes::new(ranks), Boxes::new(ranks));
    let mut run = Run { options, scene, part, exchange, outboxes, inboxes, records: Vec::new() };
    for frame in 0..options.frames {
        run.frame(frame)?;
        if let Some(check) = &mut check {
            check.frame(frame, &run.scene, &run.part, run.exchange)?;
        }
    }
    let records = run.exchange.gather(run.records)?;
    if rank == 0 {
        print(options, &records);
    }
    Ok(())
}

impl Run<'_> {
    fn frame(&mut self, frame: u32) -> Result<(), Failure> {
        let (waited, transferred) = (self.exchange.waited, self.exchange.transferred);
        let (bytes, messages) = (self.exchange.bytes_sent, self.exchange.messages_sent);
        let Self { part, scene, exchange, outboxes, inboxes, .. } = self;
        let begin = Instant::now();
        if frame > 0 {
            part.advance(scene);
        }
        part.emigrate(&mut outboxes.bodies);
        exchange.exchange(&outboxes.bodies, &mut inboxes.bodies)?;
        part.immigrate(&inboxes.bodies);

        part.send_ghosts(&mut outboxes.ghosts);
        exchange.exchange(&outboxes.ghosts, &mut inboxes.ghosts)?;
        part.receive_ghosts(&inboxes.ghosts);

        let step_begin = Instant::now();
        part.step()?;
        let step = step_begin.elapsed();

        // What a game makes of the pairs; here bodies count their contacts.
        let contacts_begin = Instant::now();
        let waited_before = exchange.transferred;
        part.count_contacts();
        part.send_replies(&mut outboxes.replies);
        part.expect_replies(&mut inboxes.replies);
        exchange.transfer(&outboxes.replies, &mut inboxes.replies)?;
        part.receive_replies(&inboxes.replies);
        let contacts = contacts_begin.elapsed() - (exchange.transferred - waited_before);

        let busy = begin.elapsed() - (exchange.waited - waited) - (exchange.transferred - transferred);
        // Between frames each body is in the strip of its owner, so loads do not overlap.
        let balance_begin = Instant::now();
        self.balance(frame, busy)?;
        let balance = balance_begin.elapsed();

        let seconds = |time: Duration| time.as_secs_f64();
        let mut record = FrameRecord {
            total: seconds(begin.elapsed()),
            scan: seconds(busy - step - contacts),
            step: seconds(step),
            contacts: seconds(contacts),
            waited: seconds(self.exchange.waited - waited),
            transferred: seconds(self.exchange.transferred - transferred),
            balance: seconds(balance),
            own: self.part.own().len() as u64,
            ghosts: self.part.ghost_count() as u64,
            migrants: self.inboxes.bodies.iter().map(|inbox| inbox.len() as u64).sum(),
            bytes: self.exchange.bytes_sent - bytes,
            messages: self.exchange.messages_sent - messages,
            pairs: 0,
            pair_hash: 0,
        };
        self.hash(frame, &mut record);
        self.records.push(record);
        Ok(())
    }

    /// Moves strips if it is time to.
    fn balance(&mut self, frame: u32, busy: Duration) -> Result<(), Failure> {
        let Self { options, scene, part, exchange, .. } = self;
        if !(frame + 1).is_multiple_of(options.balance_every) || exchange.ranks() == 1 {
            return Ok(());
        }
        let amount = match options.balance {
            Balance::Off => return Ok(()),
            Balance::Random => {
                return Ok(part.set_strips(random_strips(frame, exchange.ranks(), scene), scene)?);
            }
            Balance::Bodies => part.own().len() as f64,
            Balance::Times => busy.as_secs_f64(),
        };
        let loads = exchange.all_gather(&part.load(amount));
        if let Some(strips) = even_out(&loads) {
            part.set_strips(strips, scene)?;
        }
        Ok(())
    }

    /// Hashes the pairs that this rank reports. The sum over all ranks depends on which pairs there
    /// are and how often, not on who reported them.
    fn hash(&self, frame: u32, record: &mut FrameRecord) {
        let hash = |kind: u64, [a, b]: [u64; 2]| {
            let next = |state: u64, value: u64| SplitMix64::new(state ^ value).next_u64();
            next(next(next(u64::from(frame), kind), a), b)
        };
        let bodies = self.part.pairs().map(|pair| hash(0, self.part.ids(pair)));
        let statics = self.part.static_pairs().map(|pair| hash(1, self.part.static_ids(pair)));
        for hash in bodies.chain(statics) {
            record.pairs += 1;
            record.pair_hash = record.pair_hash.wrapping_add(hash);
        }
    }
}

/// Strips with borders anywhere, some of them empty and some exactly on integers; the same on all
/// ranks.
pub(crate) fn random_strips(frame: u32, ranks: usize, scene: &Scene) -> Strips {
    let mut random = scene.random(u64::MAX - u64::from(frame));
    let mut borders: Vec<f32> = (1..ranks).map(|_| random.range(-0.1 * scene.size[0], 1.1 * scene.size[0])).collect();
    match random.below(4) {
        0 => borders.iter_mut().for_each(|border| *border = border.round()),
        1 => borders.iter_mut().skip(1).for_each(|border| *border = 0.5 * scene.size[0]),
        _ => {}
    }
    borders.sort_unstable_by(f32::total_cmp);
    Strips::new(borders)
}
