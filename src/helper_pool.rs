//! Which pool helps a thread that belongs to none.

use crate::team::{HelperPool, Team};
use rayon::ThreadPool;
use std::cell::RefCell;
use std::sync::{Arc, Weak};

thread_local! {
    /// What [`with_pool`] chose for this thread, which is in no pool.
    static CHOSEN: RefCell<Option<Chosen>> = const { RefCell::new(None) };
    /// The pools that were chosen before, and the team with helpers from each.
    static TEAMS: RefCell<Vec<(Weak<ThreadPool>, Arc<Team>)>> = const { RefCell::new(Vec::new()) };
}

/// A pool, and the team that the thread leads with helpers from it.
#[derive(Clone)]
struct Chosen {
    pool: Arc<ThreadPool>,
    team: Arc<Team>,
}

impl Chosen {
    fn of_thread() -> Option<Self> {
        CHOSEN.try_with(|chosen| chosen.borrow().clone()).ok().flatten()
    }

    /// With the team of the last call with this pool, which knows which helpers have not come yet.
    /// A team has helpers from one pool alone: their number and indices depend on it.
    fn new(pool: &Arc<ThreadPool>) -> Self {
        let team = TEAMS.try_with(|teams| {
            let (mut teams, of) = (teams.borrow_mut(), Arc::downgrade(pool));
            if let Some((_, team)) = teams.iter().find(|(other, _)| other.ptr_eq(&of)) {
                return Arc::clone(team);
            }
            teams.retain(|(other, _)| other.strong_count() > 0);
            let team = Arc::<Team>::default();
            teams.push((of, Arc::clone(&team)));
            team
        });
        Self { pool: Arc::clone(pool), team: team.unwrap_or_default() }
    }

    fn replace(chosen: Option<Self>) -> Option<Self> {
        CHOSEN.try_with(|slot| slot.replace(chosen)).ok().flatten()
    }
}

/// Calls `work`, in which this thread gets help from `pool` instead of the global pool.
///
/// Steps, loops over pairs and batches of queries are divided among threads. A thread that is in
/// no pool works on them itself and gets help from threads of the global pool, or of `pool` here.
/// With [`ThreadPool::install`], it would hand all work over to threads of the pool, and wait
/// until these woke up and were done. Where there are few processors, that takes up to twice as
/// long.
///
/// As many threads as the pool has work at a time, the calling one included. Results are the same
/// with any pool. A thread that is in a pool already stays with that one.
/// [`par_body_pages`](crate::Contacts::par_body_pages) and
/// [`par_static_pages`](crate::Contacts::par_static_pages) are iterators of rayon, which knows
/// nothing of this choice.
///
/// ```
/// use std::sync::Arc;
/// use triphase::{Bodies, World};
///
/// // Two threads are left to the renderer.
/// let processors = std::thread::available_parallelism()?.get();
/// let threads = processors.saturating_sub(2).max(1);
/// let pool = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(threads).build()?);
///
/// let mut world = World::default();
/// let (centers, half_extents) = (vec![[0.0f32, 0.0]; 2], vec![[0.5f32, 0.5]; 2]);
/// let bodies = Bodies::new(&centers, &half_extents);
/// let contacts = triphase::with_pool(&pool, || world.step(bodies))?;
/// assert_eq!(contacts.body_pairs().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn with_pool<R>(pool: &Arc<ThreadPool>, work: impl FnOnce() -> R) -> R {
    /// Puts back what was chosen before, also if `work` panics.
    struct Restored(Option<Chosen>);
    impl Drop for Restored {
        fn drop(&mut self) {
            Chosen::replace(self.0.take());
        }
    }

    if !is_outside_of_pool() || Team::joined().is_some() {
        return work();
    }
    let _restored = Restored(Chosen::replace(Some(Chosen::new(pool))));
    work()
}

/// The leader calls the first helpers, and helpers call others from the pool that they are in.
pub(crate) const HELPERS: HelperPool = HelperPool {
    call_helper: |team| match Chosen::of_thread() {
        Some(Chosen { pool, .. }) => pool.spawn(|| team.help()),
        None => rayon::spawn(|| team.help()),
    },
    do_other_work: || _ = rayon::yield_now(),
};

/// Calls `work`. This thread, which is in no pool, leads a team of so many threads meanwhile.
pub(crate) fn lead<R>(threads: usize, work: impl FnOnce() -> R) -> R {
    match Chosen::of_thread().map(|chosen| chosen.team).or_else(Team::of_thread) {
        Some(team) => team.lead(threads.saturating_sub(1), HELPERS, work),
        None => work(),
    }
}

/// Whether the calling thread is in no pool.
pub(crate) fn is_outside_of_pool() -> bool {
    rayon::current_thread_index().is_none()
}

/// Number of threads of the pool that the calling thread is in or, if it is in none, of the one
/// from which it calls helpers.
pub(crate) fn thread_count() -> usize {
    let of_chosen = |chosen: &RefCell<Option<Chosen>>| Some(chosen.borrow().as_ref()?.pool.current_num_threads());
    let chosen = if is_outside_of_pool() { CHOSEN.try_with(of_chosen).ok().flatten() } else { None };
    chosen.unwrap_or_else(rayon::current_num_threads).max(1)
}
