//! Threads that work together: the one that called the library, and helpers from a pool.
//!
//! A thread that hands its work over to a pool wakes one of its threads, which wakes the next one,
//! and sleeps until it is woken itself. Where processors are few, the system may run the pool's
//! threads on the same one meanwhile. So the calling thread works too.
//!
//! A member of a team that has tasks puts a list of them on the team's board, and runs one after
//! the other. Members that have nothing else to do take tasks of the oldest list. Helpers that
//! find none for some time leave, and are called again when there is another list.
//!
//! - TEAM-1: a list is on the board until all of its tasks have ended, and its owner waits for
//!   that. So what tasks borrow exists as long as any of them may run.
//! - TEAM-2: the board is locked to take a task and to note that one has ended, but not while one
//!   runs: it may put a list of its own on the board.
//! - TEAM-3: while a thread does other work of the pool, it belongs to no team, so a team runs no
//!   tasks of that work. If the other work is to help, the thread helps with one task and returns:
//!   something waits for it.
//! - TEAM-4: helpers leave when their leader has led, for example at the end of each step. So the
//!   other jobs of the pool run in between, and so does what waits for a thread of the pool that
//!   began to help while it waited itself.

#![allow(unsafe_code)]

#[cfg(test)]
mod tests;

use smallvec::SmallVec;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Rounds in which a thread that waits for another one stays awake: to wake it takes tens of
/// microseconds, longer than the other one mostly needs. A round takes a quarter of a microsecond,
/// unless another thread is ready to run, which gets the processor.
pub(crate) const WAIT_ROUNDS: usize = 256;

/// How long a member sleeps before it looks for other work of the pool again, which does not know
/// that it sleeps.
const NAP: Duration = Duration::from_millis(1);

thread_local! {
    /// See [`Team::of_thread`]. It is kept for its memory.
    static LED: Arc<Team> = Arc::default();
    /// The team that this thread belongs to at present.
    static JOINED: RefCell<Option<Arc<Team>>> = const { RefCell::new(None) };
    /// Whether this thread does other work (TEAM-3).
    static IS_APART: Cell<bool> = const { Cell::new(false) };
}

/// The pool that helpers are from.
#[derive(Clone, Copy)]
pub(crate) struct HelperPool {
    /// Lets another thread call [`Team::help`]. It must not unwind.
    pub(crate) call_helper: fn(Arc<Team>),
    /// Does other work of the pool, if the calling thread is one of its threads. Returns whether
    /// there was any.
    pub(crate) do_other_work: fn() -> bool,
}

/// A leader and any number of helpers.
#[derive(Default)]
pub(crate) struct Team {
    board: Mutex<Board>,
    /// How many lists were put on the board, plus how many of them have ended. Changed under the
    /// lock.
    changes: AtomicUsize,
    /// Notified of these changes.
    changed: Condvar,
    /// Counted up when the leader begins to lead, and when it ends: odd in between. Changed under
    /// the lock.
    lead: AtomicUsize,
}

/// The lists of a team, and its helpers.
#[derive(Default)]
struct Board {
    lists: SmallVec<[TaskList; 16]>,
    helpers_wanted: usize,
    /// Helpers that were called and have not come.
    helpers_called: usize,
    /// Helpers that have come since the leader began to lead, and have not left.
    helpers_present: usize,
    /// Number of lists so far.
    lists_made: u64,
    /// Members that sleep.
    sleepers: usize,
}

/// Tasks, of which some were taken.
struct TaskList {
    id: u64,
    task: TaskPointer,
    task_count: usize,
    /// The next task to be taken.
    next: usize,
    ended: usize,
    /// The first panic of a task.
    panic: Option<Box<dyn Any + Send>>,
}

/// What runs the tasks of a list. It exists as long as TEAM-1 says.
#[derive(Clone, Copy)]
struct TaskPointer(*const (dyn Fn(usize) + Sync + 'static));

// SAFETY: it points to something `Sync`.
unsafe impl Send for TaskPointer {}

/// A task that was taken from a list.
struct TakenTask {
    list: u64,
    task: TaskPointer,
    index: usize,
}

impl Board {
    /// Takes a task of the `preferred` list if it has one, otherwise of the oldest list that has.
    fn take(&mut self, preferred: Option<u64>) -> Option<TakenTask> {
        let has_tasks = |list: &TaskList| list.next < list.task_count;
        let is_preferred = |list: &TaskList| Some(list.id) == preferred && has_tasks(list);
        let at = self.lists.iter().position(is_preferred).or_else(|| self.lists.iter().position(has_tasks))?;
        let list = &mut self.lists[at];
        list.next += 1;
        Some(TakenTask { list: list.id, task: list.task, index: list.next - 1 })
    }

    /// Removes a list if all of its tasks have ended.
    fn remove_ended(&mut self, id: u64) -> Option<TaskList> {
        let at = self.lists.iter().position(|list| list.id == id && list.ended == list.task_count)?;
        Some(self.lists.remove(at))
    }
}

impl Team {
    /// The team that the calling thread belongs to.
    pub(crate) fn joined() -> Option<Arc<Self>> {
        JOINED.try_with(|joined| joined.borrow().clone()).ok().flatten()
    }

    /// The team that the calling thread leads with helpers from the global pool. `None` if the
    /// thread is about to end.
    pub(crate) fn of_thread() -> Option<Arc<Self>> {
        LED.try_with(Arc::clone).ok()
    }

    /// Calls `work` as the leader of this team, which calls up to so many helpers. They are always
    /// from the same pool.
    pub(crate) fn lead<R>(self: &Arc<Self>, helpers: usize, pool: HelperPool, work: impl FnOnce() -> R) -> R {
        if JOINED.try_with(|_| ()).is_err() {
            // The thread is about to end.
            return work();
        }
        /// Ends to lead when it is dropped.
        struct Lead<'t>(&'t Team);
        impl Drop for Lead<'_> {
            fn drop(&mut self) {
                self.0.begin_or_end(0);
            }
        }

        let _membership = Membership::of(Some(self));
        self.begin_or_end(helpers);
        let _lead = Lead(self);
        self.call_helpers(pool);
        work()
    }

    /// The leader begins to lead, or ends to, with no helpers present.
    fn begin_or_end(&self, helpers_wanted: usize) {
        self.change(|board| {
            (board.helpers_wanted, board.helpers_present) = (helpers_wanted, 0);
            self.lead.fetch_add(1, Ordering::Relaxed);
        });
    }

    /// Calls helpers if some are missing.
    fn call_helpers(self: &Arc<Self>, pool: HelperPool) {
        let missing = {
            let mut board = self.lock();
            let missing = board.helpers_wanted.saturating_sub(board.helpers_called + board.helpers_present);
            board.helpers_called += missing;
            missing
        };
        (0..missing).for_each(|_| (pool.call_helper)(Arc::clone(self)));
    }

    /// Runs tasks of the team until there are none for some time, or its leader has led (TEAM-4).
    /// To be called once by each helper that was called.
    pub(crate) fn help(self: Arc<Self>) {
        let _membership = Membership::of(Some(&self));
        let lead = {
            let mut board = self.lock();
            let lead = self.lead.load(Ordering::Relaxed);
            board.helpers_called -= 1;
            board.helpers_present += 1;
            lead
        };
        if lead.is_multiple_of(2) {
            // It comes too late.
            return;
        }
        let is_led_still = || self.lead.load(Ordering::Relaxed) == lead;
        loop {
            let seen = self.changes.load(Ordering::Relaxed);
            let taken = self.lock().take(None);
            let found = taken.map(|taken| self.run_taken(taken)).is_some();
            let may_stay = !IS_APART.get();
            if may_stay && is_led_still() && (found || self.wait_for_change(seen)) {
                continue;
            }
            let mut board = self.lock();
            if !is_led_still() {
                return;
            }
            // A list that was put on the board since then was given no other helper.
            if !may_stay || self.changes.load(Ordering::Relaxed) == seen {
                board.helpers_present -= 1;
                return;
            }
        }
    }

    /// Does other work, as a member of no team (TEAM-3).
    pub(crate) fn apart<R>(work: impl FnOnce() -> R) -> R {
        let _none = Membership::of(None);
        work()
    }

    /// Runs `task` with each number below `count`, on any members of the team.
    ///
    /// # Panics
    ///
    /// If one of them panics, after all have ended.
    pub(crate) fn run(self: &Arc<Self>, count: usize, pool: HelperPool, task: &(dyn Fn(usize) + Sync)) {
        // SAFETY: only the lifetime changes, and the pointer is used only while the list is on the
        // board (TEAM-1): nothing unwinds from here on, and `finish` returns when all tasks have
        // ended.
        let task = TaskPointer(unsafe {
            std::mem::transmute::<*const (dyn Fn(usize) + Sync + '_), *const (dyn Fn(usize) + Sync + 'static)>(task)
        });
        let id = self.change(|board| {
            board.lists_made += 1;
            let id = board.lists_made;
            board.lists.push(TaskList { id, task, task_count: count, next: 0, ended: 0, panic: None });
            id
        });
        self.call_helpers(pool);
        if let Some(panic) = self.finish(id, pool).panic {
            resume_unwind(panic);
        }
    }

    /// Runs tasks until all of a list have ended, and removes it. It does not unwind: panics of
    /// tasks are caught, and other work never unwinds out of its pool.
    fn finish(&self, id: u64, pool: HelperPool) -> TaskList {
        loop {
            let mut board = self.lock();
            if let Some(ended) = board.remove_ended(id) {
                return ended;
            }
            let seen = self.changes.load(Ordering::Relaxed);
            let taken = board.take(Some(id));
            drop(board);
            if let Some(taken) = taken {
                self.run_taken(taken);
            } else if !self.wait_for_change(seen) && !Self::apart(pool.do_other_work) {
                self.sleep(seen);
            }
        }
    }

    fn run_taken(&self, TakenTask { list: id, task: TaskPointer(task), index }: TakenTask) {
        // The board is not locked now (TEAM-2).
        // SAFETY: the list is on the board, as this task has not ended (TEAM-1).
        let result = catch_unwind(AssertUnwindSafe(|| unsafe { (*task)(index) }));
        let mut ignored = None;
        let mut board = self.lock();
        let Some(list) = board.lists.iter_mut().find(|list| list.id == id) else {
            unreachable!("the list is on the board");
        };
        list.ended += 1;
        match result {
            Err(panic) if list.panic.is_none() => list.panic = Some(panic),
            Err(panic) => ignored = Some(panic),
            Ok(()) => {}
        }
        let is_last = list.ended == list.task_count;
        drop(board);
        if let Some(panic) = ignored {
            // To drop it may panic too, with something that may panic when it is dropped.
            _ = catch_unwind(AssertUnwindSafe(|| drop(panic))).map_err(std::mem::forget);
        }
        if is_last {
            self.change(|_| ());
        }
    }

    /// Changes the board, and wakes all members that sleep.
    fn change<R>(&self, change: impl FnOnce(&mut Board) -> R) -> R {
        let mut board = self.lock();
        let result = change(&mut board);
        self.changes.fetch_add(1, Ordering::Relaxed);
        let is_awaited = board.sleepers > 0;
        drop(board);
        if is_awaited {
            self.changed.notify_all();
        }
        result
    }

    /// Sleeps until there are more changes than were seen, but no longer than a [`NAP`].
    fn sleep(&self, seen: usize) {
        let mut board = self.lock();
        if self.changes.load(Ordering::Relaxed) == seen {
            board.sleepers += 1;
            (board, _) = self.changed.wait_timeout(board, NAP).unwrap_or_else(PoisonError::into_inner);
            board.sleepers -= 1;
        }
    }

    /// Waits for some time until there are more changes than were seen. Returns whether there are.
    fn wait_for_change(&self, seen: usize) -> bool {
        for _ in 0..WAIT_ROUNDS {
            if self.changes.load(Ordering::Relaxed) != seen {
                return true;
            }
            std::thread::yield_now();
        }
        false
    }

    fn lock(&self) -> MutexGuard<'_, Board> {
        // Nothing panics under the lock.
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// While it exists, the thread belongs to a team, or to none.
struct Membership {
    before: Option<Arc<Team>>,
    was_apart: bool,
}

impl Membership {
    fn of(team: Option<&Arc<Team>>) -> Self {
        let was_apart = IS_APART.replace(team.is_none() || IS_APART.get());
        Self { before: Self::replace(team.map(Arc::clone)), was_apart }
    }

    /// Replaces the team that the thread belongs to; there is none if the thread is about to end.
    fn replace(team: Option<Arc<Team>>) -> Option<Arc<Team>> {
        JOINED.try_with(|joined| joined.replace(team)).ok().flatten()
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        Self::replace(self.before.take());
        IS_APART.set(self.was_apart);
    }
}
