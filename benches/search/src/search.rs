//! The search: random restarts, each followed by hill climbing.
//!
//! A round begins with random layouts. Then a random one of the slowest layouts is changed again
//! and again, and what is slower than one of them takes its place. When the slowest has not been
//! exceeded for a while, the next round begins.
//!
//! Layouts compete only with those of the same slowest phase. Otherwise those that are slow for one
//! reason would soon be all that is left.

use crate::layout::Layout;
use crate::measure::Cost;
use crate::random_layout::{mutated, random_layout};
use triphase_scenes::SplitMix64;

/// The slowest layouts of each phase that are kept, and changed.
const KEPT: usize = 4;
/// Random layouts at the beginning of a round.
const RANDOM_TRIES: usize = 64;
/// Tries without a slower layout that end a round.
const PATIENCE: usize = 100;
/// A layout counts as slower if it exceeds the slowest by this factor: less may be noise, and other
/// layouts are worth more than more of the same.
const PROGRESS: f64 = 1.1;

/// A layout and its cost.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) cost: Cost,
    pub(crate) layout: Layout,
}

/// The state of a search.
pub(crate) struct Search {
    bodies: usize,
    random: SplitMix64,
    /// The slowest layouts of the round, slowest first.
    population: Vec<Found>,
    round_tries: usize,
    /// The factor of the slowest at the last progress, and the tries since.
    progress: f64,
    tries_since: usize,
    /// The slowest of each phase, of all rounds.
    best: Vec<Found>,
    pub(crate) rounds: usize,
    pub(crate) tries: usize,
}

impl Search {
    pub(crate) fn new(bodies: usize, seed: u64) -> Self {
        Self {
            bodies,
            random: SplitMix64::new(seed),
            population: Vec::new(),
            round_tries: 0,
            progress: 0.0,
            tries_since: 0,
            best: Vec::new(),
            rounds: 1,
            tries: 0,
        }
    }

    /// The next layout to try.
    pub(crate) fn next(&mut self) -> Layout {
        if self.tries_since >= PATIENCE {
            self.population.clear();
            (self.round_tries, self.progress, self.tries_since) = (0, 0.0, 0);
            self.rounds += 1;
        }
        self.tries += 1;
        self.round_tries += 1;
        self.tries_since += 1;
        if self.round_tries <= RANDOM_TRIES || self.population.is_empty() {
            return random_layout(self.bodies, &mut self.random);
        }
        let parent = self.random.below(self.population.len());
        mutated(&self.population[parent].layout, &mut self.random)
    }

    /// Whether a layout of this cost would be kept.
    pub(crate) fn is_promising(&self, cost: &Cost) -> bool {
        let rivals = self.population.iter().filter(|other| other.cost.slowest_phase() == cost.slowest_phase());
        rivals.filter(|other| other.cost.factor() >= cost.factor()).count() < KEPT
    }

    /// Keeps a layout, if it is slow enough.
    pub(crate) fn add(&mut self, found: Found) {
        let (factor, phase) = (found.cost.factor(), found.cost.slowest_phase());
        if !self.is_promising(&found.cost) {
            return;
        }
        match self.best.iter_mut().find(|best| best.cost.slowest_phase() == phase) {
            Some(best) if best.cost.factor() >= factor => {}
            Some(best) => *best = found.clone(),
            None => self.best.push(found.clone()),
        }
        let place = self.population.partition_point(|other| other.cost.factor() >= factor);
        self.population.insert(place, found);
        let mut rivals = (0..self.population.len()).filter(|&k| self.population[k].cost.slowest_phase() == phase);
        if let Some(least) = rivals.nth(KEPT) {
            self.population.remove(least);
        }
        if factor > self.progress * PROGRESS {
            (self.progress, self.tries_since) = (factor, 0);
        }
    }

    /// The largest factor of the round.
    pub(crate) fn round_best(&self) -> f64 {
        self.population.first().map_or(0.0, |found| found.cost.factor())
    }

    /// The slowest layout of each phase, of all rounds, slowest first.
    pub(crate) fn best(&self) -> Vec<&Found> {
        let mut best: Vec<_> = self.best.iter().collect();
        best.sort_by(|a, b| b.cost.factor().total_cmp(&a.cost.factor()));
        best
    }
}
