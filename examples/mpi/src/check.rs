//! Compares what all ranks found with what one process finds without strips, ghosts or messages.

use crate::Failure;
use crate::body::Body;
use crate::exchange::Exchange;
use crate::part::Part;
use crate::scene::Scene;
use triphase::reference::{body_aabb, cross_pairs, self_pairs};
use triphase::{Bodies, World};

/// Up to so many bodies, the one world is compared with brute force as well.
const BRUTE_FORCE_MAX: usize = 4000;

/// All bodies of a scene, in one world on rank 0; elsewhere nothing.
pub(crate) struct Check {
    /// By id. Moved here, not gathered, so that a body lost or changed on the way is noticed.
    bodies: Vec<Body>,
    pub(crate) world: World,
}

impl Check {
    pub(crate) fn new(scene: &Scene, rank: usize) -> Result<Self, Failure> {
        let mut check = Self { bodies: Vec::new(), world: World::default() };
        if rank == 0 {
            check.bodies.extend((0..scene.bodies).map(|id| scene.body(id)));
            check.world.set_statics(&scene.statics)?;
        }
        Ok(check)
    }

    /// Gathers bodies, contacts and pairs of a frame at rank 0, and compares them.
    pub(crate) fn frame(
        &mut self,
        frame: u32,
        scene: &Scene,
        part: &Part,
        exchange: &mut Exchange,
    ) -> Result<(), Failure> {
        let found = Found::gather(part, exchange)?;
        if exchange.rank() != 0 {
            return Ok(());
        }
        if frame > 0 {
            self.advance(scene);
        }
        self.compare(scene, &found).map_err(|failure| format!("frame {frame}: {failure}").into())
    }

    pub(crate) fn advance(&mut self, scene: &Scene) {
        self.bodies.iter_mut().for_each(|body| scene.advance(&mut body.center, &mut body.velocity));
    }

    /// Compares what was found with a step of all bodies.
    pub(crate) fn compare(&mut self, scene: &Scene, found: &Found) -> Result<(), Failure> {
        compare("body", self.bodies.iter().map(|&body| plain(body)), &found.bodies)?;
        let centers: Vec<[f32; 2]> = self.bodies.iter().map(|body| body.center).collect();
        let half_extents: Vec<[f32; 2]> = self.bodies.iter().map(|body| body.half_extents).collect();
        let contacts = self.world.step(Bodies::new(&centers, &half_extents))?;
        let (mut pairs, mut static_pairs) = (Vec::new(), Vec::new());
        contacts.sorted_pairs(&mut pairs);
        contacts.sorted_static_pairs(&mut static_pairs);
        // Rows are ids here.
        let mut expected: Vec<[u64; 2]> = pairs.iter().map(|pair| [pair.a, pair.b].map(u64::from)).collect();
        let expected_static: Vec<[u64; 2]> =
            static_pairs.iter().map(|pair| [pair.body, pair.static_row].map(u64::from)).collect();
        if centers.len() <= BRUTE_FORCE_MAX {
            let rows = centers.iter().zip(&half_extents);
            let boxes: Vec<[f32; 4]> = rows.map(|(&center, &half)| body_aabb(center, half, None)).collect();
            let ids =
                |pairs: Vec<(u32, u32)>| pairs.into_iter().map(|(a, b)| [a, b].map(u64::from)).collect::<Vec<_>>();
            compare("pair of brute force", ids(self_pairs(&boxes)), &expected)?;
            compare("static pair of brute force", ids(cross_pairs(&boxes, &scene.statics)), &expected_static)?;
        }
        compare("pair of bodies", expected.iter().copied(), &found.pairs)?;
        compare("pair of a body and a static", expected_static, &found.static_pairs)?;

        let mut counts: Vec<[u64; 2]> = (0..centers.len() as u64).map(|id| [id, 0]).collect();
        expected.drain(..).flatten().for_each(|id| counts[id as usize][1] += 1);
        compare("body and its number of contacts", counts, &found.contact_counts)
    }
}

/// What the ranks found in a frame, merged and in ascending order.
#[derive(Debug, Default)]
pub(crate) struct Found {
    bodies: Vec<[u64; 4]>,
    contact_counts: Vec<[u64; 2]>,
    pairs: Vec<[u64; 2]>,
    static_pairs: Vec<[u64; 2]>,
}

impl Found {
    /// What a rank has found.
    pub(crate) fn of(part: &Part) -> Self {
        let (own, counts) = (part.own(), part.contact_counts());
        Self {
            bodies: (0..own.len()).map(|row| plain(own.get(row))).collect(),
            contact_counts: own.ids.iter().zip(counts).map(|(&id, &count)| [id, u64::from(count)]).collect(),
            pairs: part.pairs().map(|pair| part.ids(pair)).collect(),
            static_pairs: part.static_pairs().map(|pair| part.static_ids(pair)).collect(),
        }
    }

    fn gather(part: &Part, exchange: &mut Exchange) -> Result<Self, Failure> {
        let own = Self::of(part);
        Ok(Self {
            bodies: sorted(exchange.gather(own.bodies)?),
            contact_counts: sorted(exchange.gather(own.contact_counts)?),
            pairs: sorted(exchange.gather(own.pairs)?),
            static_pairs: sorted(exchange.gather(own.static_pairs)?),
        })
    }

    /// Merges what several ranks in one process have found.
    #[cfg(test)]
    pub(crate) fn merge(parts: &[Part]) -> Self {
        let found: Vec<Self> = parts.iter().map(Self::of).collect();
        Self {
            bodies: sorted(found.iter().map(|part| part.bodies.clone()).collect()),
            contact_counts: sorted(found.iter().map(|part| part.contact_counts.clone()).collect()),
            pairs: sorted(found.iter().map(|part| part.pairs.clone()).collect()),
            static_pairs: sorted(found.iter().map(|part| part.static_pairs.clone()).collect()),
        }
    }
}

fn sorted<T: Ord + Clone>(of_ranks: Vec<Vec<T>>) -> Vec<T> {
    let mut merged = of_ranks.concat();
    merged.sort_unstable();
    merged
}

/// A body as numbers that have an order, bit for bit.
fn plain(body: Body) -> [u64; 4] {
    bytemuck::cast(body)
}

/// Compares two ascending lists, and names the first that only one of them has.
fn compare<T: Ord + std::fmt::Debug>(
    what: &str,
    expected: impl IntoIterator<Item = T>,
    found: &[T],
) -> Result<(), Failure> {
    let mut found = found.iter();
    for expected in expected {
        match found.next() {
            Some(found) if *found == expected => {}
            Some(found) if *found < expected => {
                return Err(format!("{what} {found:?} is not one, or found twice").into());
            }
            _ => return Err(format!("{what} {expected:?} is missing").into()),
        }
    }
    match found.next() {
        Some(found) => Err(format!("{what} {found:?} is not one, or found twice").into()),
        None => Ok(()),
    }
}
