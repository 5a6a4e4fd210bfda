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
use std::time::Instant;
use triphase::{Aabb, InvalidShape};
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
    let in_view = run.part.query_aabb(view(&run.scene)?).count() as u64;
    let in_view: u64 = run.exchange.gather(vec![in_view])?.concat().iter().sum();
    let records = run.exchange.gather(run.records)?;
    if rank == 0 {
        print(options, &records);
        println!("in view              {in_view} bodies and statics, in the middle of the world");
    }
    Ok(())
}

/// A tenth of the world's width, in the middle.
fn view(scene: &Scene) -> Result<Aabb, InvalidShape> {
    let [x, y] = scene.size.map(|size| 0.5 * size);
    let half = 0.05 * scene.size[0];
    Aabb::new([x - half, y - half], [x + half, y + half])
}

impl Run<'_> {
    fn frame(&mut self, frame: u32) -> Result<(), Failure> {
        let (begin, before) = (Instant::now(), self.exchange.cost);
        let balance = self.timed(|run| run.balance(frame))?;
        let scan = self.timed(|run| run.exchange_bodies(frame))?;
        let step = self.timed(|run| Ok(run.part.step()?))?;
        let contacts = self.timed(Self::exchange_contacts)?;
        let total = begin.elapsed().as_secs_f64();

        let cost = self.exchange.cost;
        let mut record = FrameRecord {
            total,
            balance,
            scan,
            step,
            contacts,
            waited: (cost.waited - before.waited).as_secs_f64(),
            transferred: (cost.transferred - before.transferred).as_secs_f64(),
            own: self.part.own().len() as u64,
            ghosts: self.part.ghost_count() as u64,
            migrants: self.inboxes.bodies.iter().map(|inbox| inbox.len() as u64).sum(),
            bytes: cost.bytes - before.bytes,
            messages: cost.messages - before.messages,
            pairs: 0,
            pair_hash: 0,
        };
        self.hash_pairs(frame, &mut record);
        self.records.push(record);
        Ok(())
    }

    /// Returns the seconds of work, without those of messages and of waiting for others.
    fn timed(&mut self, work: impl FnOnce(&mut Self) -> Result<(), Failure>) -> Result<f64, Failure> {
        let (begin, before) = (Instant::now(), self.exchange.cost.time());
        work(self)?;
        Ok((begin.elapsed().saturating_sub(self.exchange.cost.time() - before)).as_secs_f64())
    }

    /// Moves bodies, sends those that left the strip to their new owners, and then ghosts.
    ///
    /// Nothing is computed while messages travel: in the README's figures they take at most 2.3 %
    /// of a frame, and computing meanwhile did not make frames shorter. To wait for the slowest
    /// rank costs more.
    fn exchange_bodies(&mut self, frame: u32) -> Result<(), Failure> {
        let Self { part, scene, exchange, outboxes, inboxes, .. } = self;
        if frame > 0 {
            part.advance(scene);
        }
        part.emigrate(&mut outboxes.bodies);
        exchange.exchange(&outboxes.bodies, &mut inboxes.bodies)?;
        part.immigrate(&inboxes.bodies);

        part.send_ghosts(&mut outboxes.ghosts);
        exchange.exchange(&outboxes.ghosts, &mut inboxes.ghosts)?;
        part.receive_ghosts(&inboxes.ghosts);
        Ok(())
    }

    /// What a game makes of the pairs; here bodies count their contacts.
    fn exchange_contacts(&mut self) -> Result<(), Failure> {
        let Self { part, exchange, outboxes, inboxes, .. } = self;
        part.count_contacts();
        part.send_replies(&mut outboxes.replies);
        part.expect_replies(&mut inboxes.replies);
        exchange.transfer(&outboxes.replies, &mut inboxes.replies)?;
        part.receive_replies(&inboxes.replies);
        Ok(())
    }

    /// Moves strips if it is time to.
    ///
    /// At the beginning of a frame each body is still in the strip of its owner, so loads do not
    /// overlap; and the pairs of the last step, which new statics would clear, are not needed.
    fn balance(&mut self, frame: u32) -> Result<(), Failure> {
        let Self { options, scene, part, exchange, records, .. } = self;
        if !frame.is_multiple_of(options.balance_every) || exchange.ranks() == 1 {
            return Ok(());
        }
        let amount = match options.balance {
            Balance::Off => return Ok(()),
            Balance::Random => {
                return Ok(part.set_strips(random_strips(frame, exchange.ranks(), scene), scene)?);
            }
            Balance::Bodies => part.own().len() as f64,
            Balance::Times => records.last().map_or(0.0, FrameRecord::busy),
        };
        let loads = exchange.all_gather(&part.load(amount));
        if let Some(strips) = even_out(&loads) {
            part.set_strips(strips, scene)?;
        }
        Ok(())
    }

    /// Hashes the pairs that this rank reports. The sum over all ranks depends on which pairs there
    /// are and how often, not on who reported them.
    fn hash_pairs(&self, frame: u32, record: &mut FrameRecord) {
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
