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
//! - TEAM-3: a member that waits for a task may run other jobs of the pool. Meanwhile it belongs to
//!   no team, so tasks of these jobs are not put on the board of its team. If such a job is to
//!   help a team, the thread runs one task and returns, as its own wait may be over. Closures of
//!   callers that wait in rayon are not covered.
//! - TEAM-4: a helper stays for one call of `lead` at most, for example for one step. So other
//!   jobs of the pool run between steps, and a thread of the pool that began to help while it
//!   waited for something else returns to that.

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
    /// See [`Team::of_thread`]. Kept between calls, as it knows which helpers have not come yet.
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
    /// Does other work of the pool, if there is any and the calling thread is one of its threads.
    pub(crate) do_other_work: fn(),
}

/// A leader and any number of helpers.
#[derive(Default)]
pub(crate) struct Team {
    board: Mutex<Board>,
    /// How often a list was put on the board, all of its tasks had ended, or a call of `lead` began
    /// or ended. Changed under the lock.
    changes: AtomicUsize,
    /// Notified of these changes.
    changed: Condvar,
}

/// The lists of a team, and its helpers.
#[derive(Default)]
struct Board {
    lists: SmallVec<[TaskList; 16]>,
    /// Whether `lead` runs.
    is_led: bool,
    /// Number of its calls so far.
    leads: u64,
    helpers_wanted: usize,
    /// Helpers that were called and have not come.
    helpers_called: usize,
    /// Helpers that have come in the present call of `lead`, and have not left.
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

    /// A list of which a task has not ended.
    fn list(&mut self, id: u64) -> &mut TaskList {
        let Some(list) = self.lists.iter_mut().find(|list| list.id == id) else {
            unreachable!("the list is on the board");
        };
        list
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
        /// Ends the call when it is dropped.
        struct Lead<'t>(&'t Team);
        impl Drop for Lead<'_> {
            fn drop(&mut self) {
                self.0.change(|board| board.is_led = false);
            }
        }

        let _membership = Membership::of(Some(self));
        self.change(|board| {
            (board.is_led, board.leads) = (true, board.leads + 1);
            (board.helpers_wanted, board.helpers_present) = (helpers, 0);
        });
        let _lead = Lead(self);
        self.call_helpers(pool);
        work()
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

    /// Runs tasks of the team until there are none for some time, or `lead` ends (TEAM-4). To be
    /// called once by each helper that was called.
    pub(crate) fn help(self: Arc<Self>) {
        let _membership = Membership::of(Some(&self));
        let lead = {
            let mut board = self.lock();
            board.helpers_called -= 1;
            if !board.is_led {
                // It comes too late.
                return;
            }
            board.helpers_present += 1;
            board.leads
        };
        let is_over = |board: &Board| !board.is_led || board.leads != lead;
        loop {
            let mut board = self.lock();
            if is_over(&board) {
                return;
            }
            let (seen, taken) = (self.changes.load(Ordering::Relaxed), board.take(None));
            drop(board);
            let found = taken.map(|taken| self.run_taken(taken)).is_some();
            let may_stay = !IS_APART.get();
            if may_stay && (found || self.wait_for_change(seen)) {
                continue;
            }
            let mut board = self.lock();
            if is_over(&board) {
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
            } else if !self.wait_for_change(seen) && !self.sleep(seen) {
                // Last, as it may take long: only a task that waits for the pool needs it.
                Self::apart(pool.do_other_work);
            }
        }
    }

    fn run_taken(&self, TakenTask { list: id, task: TaskPointer(task), index }: TakenTask) {
        // The board is not locked now (TEAM-2).
        // SAFETY: the list is on the board, as this task has not ended (TEAM-1).
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| unsafe { (*task)(index) })) {
            self.keep_first(id, panic);
        }
        let mut board = self.lock();
        let list = board.list(id);
        list.ended += 1;
        if list.ended == list.task_count {
            drop(board);
            self.change(|_| ());
        }
    }

    /// Keeps the panic of a task if it is the first of its list, and drops others.
    fn keep_first(&self, list: u64, panic: Box<dyn Any + Send>) {
        let mut board = self.lock();
        let first = &mut board.list(list).panic;
        if first.is_none() {
            *first = Some(panic);
            return;
        }
        drop(board);
        // To drop it may panic too, with something that may panic when it is dropped.
        _ = catch_unwind(AssertUnwindSafe(|| drop(panic))).map_err(std::mem::forget);
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

    /// Sleeps until there are more changes than were seen, but no longer than a [`NAP`]. Returns
    /// whether there are.
    fn sleep(&self, seen: usize) -> bool {
        let mut board = self.lock();
        if self.changes.load(Ordering::Relaxed) == seen {
            board.sleepers += 1;
            (board, _) = self.changed.wait_timeout(board, NAP).unwrap_or_else(PoisonError::into_inner);
            board.sleepers -= 1;
        }
        self.changes.load(Ordering::Relaxed) != seen
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
