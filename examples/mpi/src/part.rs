//! The part of the world that one rank steps. It knows nothing of MPI: what it has for other ranks
//! it writes to one outbox per rank, and what others have for it is passed to it.
//!
//! A frame is, in this order: `advance`, `emigrate`, `immigrate`, `send_ghosts`, `receive_ghosts`,
//! `step`, and then whatever the game makes of the pairs. Here bodies count their contacts:
//! `count_contacts`, `send_replies`, `receive_replies`.

use crate::balance::Load;
use crate::body::{Body, Ghost, Ghosts, OwnBodies};
use crate::scene::Scene;
use crate::strips::Strips;
use triphase::{Aabb, Bodies, Error, Hit, Pair, StaticPair, Statics, World};

/// The bodies of one strip, the ghosts in it, and their broad phase.
pub(crate) struct Part {
    rank: usize,
    strips: Strips,
    own: OwnBodies,
    ghosts: Ghosts,
    /// The rank that each run of ghosts came from, and their number.
    ghost_counts: Vec<usize>,
    /// Rows of own bodies that other ranks have ghosts of, in the order sent; by rank.
    sent_rows: Vec<Vec<u32>>,
    /// Where the statics of this strip begin, by row.
    static_begins: Vec<f32>,
    /// Contacts of own bodies and then of ghosts, by row.
    contact_counts: Vec<u32>,
    world: World,
}

impl Part {
    /// Makes the bodies of a scene that begin in the strip of a rank.
    pub(crate) fn new(rank: usize, strips: Strips, scene: &Scene) -> Result<Self, Error> {
        let mut part = Self {
            rank,
            sent_rows: vec![Vec::new(); strips.count()],
            ghost_counts: vec![0; strips.count()],
            strips: strips.clone(),
            own: OwnBodies::default(),
            ghosts: Ghosts::default(),
            static_begins: Vec::new(),
            contact_counts: Vec::new(),
            world: World::default(),
        };
        for body in (0..scene.bodies).map(|id| scene.body(id)) {
            if strips.rank_of(crate::body::extent_x(body.center, body.half_extents)[0]) == rank {
                part.own.push(body);
            }
        }
        part.set_statics(scene)?;
        Ok(part)
    }

    pub(crate) fn own(&self) -> &OwnBodies {
        &self.own
    }

    pub(crate) fn ghost_count(&self) -> usize {
        self.ghosts.len()
    }

    /// What this rank says of its load: the given amount, where its bodies are.
    pub(crate) fn load(&self, amount: f64) -> Load {
        Load::new(amount, self.own.len(), |row| self.own.extent_x(row)[0])
    }

    /// Changes the strips. Bodies move to their new owners when they next migrate.
    pub(crate) fn set_strips(&mut self, strips: Strips, scene: &Scene) -> Result<(), Error> {
        assert_eq!(strips.count(), self.strips.count(), "strips are as many as ranks");
        let same = strips.strip(self.rank) == self.strips.strip(self.rank);
        self.strips = strips;
        if same { Ok(()) } else { self.set_statics(scene) }
    }

    /// Sets the statics that touch the strip. Their ids are their rows in the scene.
    ///
    /// These are enough. STRIP-3 holds for a static as for a body: the rank in whose strip the
    /// shared part begins reports the pair, and both boxes touch that strip.
    fn set_statics(&mut self, scene: &Scene) -> Result<(), Error> {
        let [begin, end] = self.strips.strip(self.rank);
        let touches = |aabb: &[f32; 4]| aabb[0] < end && aabb[2] >= begin;
        let (ids, boxes): (Vec<u64>, Vec<[f32; 4]>) =
            (0u64..).zip(&scene.statics).filter(|(_, aabb)| touches(aabb)).unzip();
        self.static_begins = boxes.iter().map(|aabb| aabb[0]).collect();
        self.world.set_statics(Statics::new(&boxes).with_ids(&ids))
    }
}

/// # A frame
impl Part {
    /// Moves own bodies. Ghosts are not moved: they are sent anew in each frame.
    pub(crate) fn advance(&mut self, scene: &Scene) {
        for (center, velocity) in self.own.centers.iter_mut().zip(&mut self.own.velocities) {
            scene.advance(center, velocity);
        }
    }

    /// Moves bodies that no longer begin in this strip to the outboxes of their new owners.
    pub(crate) fn emigrate(&mut self, outboxes: &mut [Vec<Body>]) {
        outboxes.iter_mut().for_each(Vec::clear);
        let [begin, end] = self.strips.strip(self.rank);
        let mut row = 0;
        while row < self.own.len() {
            let [min_x, _] = self.own.extent_x(row);
            // The comparison with one's own strip is the fast path; STRIP-1 decides.
            let owner = if begin <= min_x && min_x < end { self.rank } else { self.strips.rank_of(min_x) };
            if owner == self.rank {
                row += 1;
            } else {
                outboxes[owner].push(self.own.swap_remove(row));
            }
        }
    }

    /// Adds the bodies that came from other ranks; by rank, so that rows do not depend on timing.
    pub(crate) fn immigrate(&mut self, inboxes: &[Vec<Body>]) {
        inboxes.iter().flatten().for_each(|&body| self.own.push(body));
    }

    /// Writes copies of the bodies that reach into other strips to the outboxes of their ranks.
    ///
    /// A scan, which costs less than a query of the border would, as all bodies move. Where few
    /// do, `World::query_aabb` of the border finds those that reach it in the last step.
    pub(crate) fn send_ghosts(&mut self, outboxes: &mut [Vec<Ghost>]) {
        outboxes.iter_mut().for_each(Vec::clear);
        self.sent_rows.iter_mut().for_each(Vec::clear);
        let [_, end] = self.strips.strip(self.rank);
        for row in 0..self.own.len() {
            let [_, max_x] = self.own.extent_x(row);
            if max_x < end {
                continue;
            }
            let Body { id, center, half_extents, .. } = self.own.get(row);
            for rank in self.strips.ghost_ranks(self.rank, max_x) {
                outboxes[rank].push(Ghost { id, center, half_extents });
                self.sent_rows[rank].push(row as u32); // the step limits rows to u32
            }
        }
    }

    /// Replaces the ghosts by those that came from other ranks.
    pub(crate) fn receive_ghosts(&mut self, inboxes: &[Vec<Ghost>]) {
        self.ghosts.clear();
        for (count, inbox) in self.ghost_counts.iter_mut().zip(inboxes) {
            *count = inbox.len();
            self.ghosts.extend(inbox);
        }
    }

    /// Steps own bodies and ghosts together: two sets of columns, ghosts in the rows after the own.
    pub(crate) fn step(&mut self) -> Result<(), Error> {
        let Self { own, ghosts, world, .. } = self;
        let own = Bodies::new(&own.centers, &own.half_extents).with_ids(&own.ids);
        let ghosts = Bodies::new(&ghosts.centers, &ghosts.half_extents).with_ids(&ghosts.ids);
        world.step([own, ghosts])?;
        Ok(())
    }

    /// The pairs of bodies that this rank reports (STRIP-3), as rows of the step.
    ///
    /// Pairs of two ghosts are dropped here. If there were many, a `Filter` for ghosts, with a
    /// layer that their own mask lacks, would keep the step from finding them.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = Pair> {
        let own_count = self.own.len() as u32;
        // `a` is the lower row, and own rows come first.
        self.world.contacts().body_pairs().filter(move |pair| pair.a < own_count)
    }

    /// The pairs of a body and a static that this rank reports.
    ///
    /// A static is owned by the rank in whose strip it begins, so STRIP-3 holds for it as well.
    pub(crate) fn static_pairs(&self) -> impl Iterator<Item = StaticPair> {
        let own_count = self.own.len() as u32;
        let [begin, _] = self.strips.strip(self.rank);
        let owned = move |row: u32| self.static_begins[row as usize] >= begin;
        self.world.contacts().static_pairs().filter(move |pair| pair.body < own_count || owned(pair.static_row))
    }

    /// The ids of a pair of bodies, the lower one first, so that all ranks name a pair alike.
    pub(crate) fn ids(&self, pair: Pair) -> [u64; 2] {
        let (a, b) = (self.id(pair.a), self.id(pair.b));
        [a.min(b), a.max(b)]
    }

    /// The ids of a body and a static.
    pub(crate) fn static_ids(&self, pair: StaticPair) -> [u64; 2] {
        let static_id = self.world.contacts().static_id(pair.static_row);
        [self.id(pair.body), static_id.unwrap_or_else(|| unreachable!("static {} has an id", pair.static_row))]
    }

    fn id(&self, row: u32) -> u64 {
        self.world.contacts().body_id(row).unwrap_or_else(|| unreachable!("row {row} has an id"))
    }
}

/// # Queries
impl Part {
    /// Bodies and statics in an area, as far as this rank reports them: all ranks together report
    /// each once. Ask the ranks whose strips the area reaches.
    ///
    /// STRIP-3 with an area in the place of a box: the rank in whose strip the area begins reports
    /// all that it finds, ghosts too; ranks to the right report what they own.
    pub(crate) fn query_aabb(&self, area: Aabb) -> impl Iterator<Item = Hit> {
        let first = self.strips.rank_of(area.min()[0]);
        let own_count = self.own.len() as u32;
        let [begin, _] = self.strips.strip(self.rank);
        let owned = move |hit: &Hit| match *hit {
            Hit::Body { row, .. } => row < own_count,
            Hit::Static { row, .. } => self.static_begins[row as usize] >= begin,
        };
        let asked = self.rank >= first;
        let hits = asked.then(|| self.world.query_aabb(area)).into_iter().flatten();
        hits.filter(move |hit| self.rank == first || owned(hit))
    }
}

/// # What the owner of a ghost must know
impl Part {
    /// Counts the contacts of own bodies and of ghosts in the pairs that this rank reports.
    pub(crate) fn count_contacts(&mut self) {
        let mut counts = std::mem::take(&mut self.contact_counts);
        counts.clear();
        counts.resize(self.own.len() + self.ghosts.len(), 0);
        for pair in self.pairs() {
            counts[pair.a as usize] += 1;
            counts[pair.b as usize] += 1;
        }
        self.contact_counts = counts;
    }

    /// Writes what was counted for ghosts to the outboxes of their owners, in the order in which
    /// the ghosts came: no ids are needed, and each side knows how many there are.
    ///
    /// Forces travel the same way. To be the same for any number of ranks, bit for bit, they must
    /// be summed in fixed point: sums of floats depend on their order.
    pub(crate) fn send_replies(&self, outboxes: &mut [Vec<u32>]) {
        let mut first = self.own.len();
        for (outbox, count) in outboxes.iter_mut().zip(&self.ghost_counts) {
            outbox.clear();
            outbox.extend(&self.contact_counts[first..first + count]);
            first += count;
        }
    }

    /// Makes room in the inboxes for the replies that will come.
    pub(crate) fn expect_replies(&self, inboxes: &mut [Vec<u32>]) {
        inboxes.iter_mut().zip(&self.sent_rows).for_each(|(inbox, rows)| inbox.resize(rows.len(), 0));
    }

    /// Adds what other ranks counted for the ghosts of own bodies.
    pub(crate) fn receive_replies(&mut self, inboxes: &[Vec<u32>]) {
        for (rows, inbox) in self.sent_rows.iter().zip(inboxes) {
            for (&row, &count) in rows.iter().zip(inbox) {
                self.contact_counts[row as usize] += count;
            }
        }
    }

    /// The number of contacts of each own body, by row.
    pub(crate) fn contact_counts(&self) -> &[u32] {
        &self.contact_counts[..self.own.len()]
    }
}
