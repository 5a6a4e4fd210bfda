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

#![allow(unsafe_code)]

use smallvec::SmallVec;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Rounds of about a quarter of a microsecond in which a thread that waits for another one stays
/// awake: to wake it takes tens of microseconds, longer than the other one mostly needs. In each,
/// it leaves its processor to any other thread that is ready.
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
    /// Helpers that were called and have not left. They leave under the lock.
    helpers: AtomicUsize,
    /// How many there should be.
    helpers_wanted: AtomicUsize,
}

/// The lists of a team.
#[derive(Default)]
struct Board {
    lists: SmallVec<[TaskList; 16]>,
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
        let _membership = Membership::of(Some(self));
        self.helpers_wanted.store(helpers, Ordering::Relaxed);
        self.call_helpers(pool);
        work()
    }

    /// Calls helpers if some are missing.
    fn call_helpers(self: &Arc<Self>, pool: HelperPool) {
        let wanted = self.helpers_wanted.load(Ordering::Relaxed);
        let one_more = |helpers: usize| (helpers < wanted).then_some(helpers + 1);
        while self.helpers.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).is_ok() {
            (pool.call_helper)(Arc::clone(self));
        }
    }

    /// Runs tasks of the team until there are none for some time. To be called once by each helper
    /// that was called.
    pub(crate) fn help(self: Arc<Self>) {
        let _membership = Membership::of(Some(&self));
        loop {
            let seen = self.changes.load(Ordering::Relaxed);
            let taken = self.lock().take(None);
            let may_stay = !IS_APART.get();
            let found = taken.map(|taken| self.run_taken(taken)).is_some();
            if may_stay && (found || self.wait_for_change(seen)) {
                continue;
            }
            let _board = self.lock();
            // A list that was put on the board since then was given no other helper.
            if !may_stay || self.changes.load(Ordering::Relaxed) == seen {
                self.helpers.fetch_sub(1, Ordering::Relaxed);
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
        let mut board = self.lock();
        let Some(list) = board.lists.iter_mut().find(|list| list.id == id) else {
            unreachable!("the list is on the board");
        };
        list.ended += 1;
        match result {
            Err(panic) if list.panic.is_none() => list.panic = Some(panic),
            // To drop it could panic.
            Err(panic) => std::mem::forget(panic),
            Ok(()) => {}
        }
        if list.ended == list.task_count {
            drop(board);
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    const THREADS: HelperPool =
        HelperPool { call_helper: |team| drop(thread::spawn(|| team.help())), do_other_work: || false };

    fn run(count: usize, task: &(dyn Fn(usize) + Sync)) {
        Team::joined().expect("a member").run(count, THREADS, task);
    }

    /// Calls `work` with helpers, after which no list is left, and all helpers leave.
    fn with_helpers<R>(helpers: usize, work: impl FnOnce() -> R) -> R {
        let team = Team::of_thread().expect("the thread goes on");
        let result = catch_unwind(AssertUnwindSafe(|| team.lead(helpers, THREADS, work)));
        assert!(Team::joined().is_none());
        assert!(team.lock().lists.is_empty());
        while team.helpers.load(Ordering::Relaxed) > 0 {
            thread::yield_now();
        }
        result.unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// Runs tasks within tasks, and counts the innermost ones.
    fn run_nested(depth: usize, width: usize, ran: &AtomicUsize) {
        run(width, &|_| match depth {
            0 => _ = ran.fetch_add(1, Ordering::Relaxed),
            _ => run_nested(depth - 1, width, ran),
        });
    }

    #[test]
    fn each_task_runs_once() {
        for helpers in 0..4 {
            with_helpers(helpers, || {
                for count in [1, 2, 7, 40] {
                    let runs: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
                    run(count, &|k| _ = runs[k].fetch_add(1, Ordering::Relaxed));
                    assert!(runs.iter().all(|runs| runs.load(Ordering::Relaxed) == 1), "{helpers} helpers");
                }
            });
        }
    }

    #[test]
    fn tasks_may_have_tasks() {
        for helpers in 0..3 {
            let ran = AtomicUsize::new(0);
            with_helpers(helpers, || run_nested(3, 3, &ran));
            assert_eq!(ran.into_inner(), 81);
        }
    }

    #[test]
    fn helpers_that_left_are_called_again() {
        with_helpers(1, || {
            let team = Team::joined().expect("a member");
            for _ in 0..2 {
                while team.helpers.load(Ordering::Relaxed) > 0 {
                    thread::yield_now();
                }
                let (leader, others, arrived) = (thread::current().id(), AtomicUsize::new(0), AtomicUsize::new(0));
                // Each waits for the other, so they run on two threads.
                run(2, &|_| {
                    arrived.fetch_add(1, Ordering::Relaxed);
                    while arrived.load(Ordering::Relaxed) < 2 {
                        thread::yield_now();
                    }
                    others.fetch_add(usize::from(thread::current().id() != leader), Ordering::Relaxed);
                });
                assert_eq!(others.into_inner(), 1);
            }
        });
    }

    #[test]
    fn no_more_helpers_are_called_than_wanted() {
        let called = Arc::new(Team::default());
        called.helpers_wanted.store(3, Ordering::Relaxed);
        // They never come, as in a pool that is busy.
        let busy = HelperPool { call_helper: drop, do_other_work: || false };
        for _ in 0..3 {
            called.run(5, busy, &|_| ());
            assert_eq!((called.helpers.load(Ordering::Relaxed), Arc::strong_count(&called)), (3, 1));
        }
    }

    #[test]
    fn a_panic_reaches_the_owner_after_all_tasks_have_ended() {
        for helpers in 0..3 {
            let ran = AtomicUsize::new(0);
            let work = || {
                run(20, &|k| {
                    ran.fetch_add(1, Ordering::Relaxed);
                    if k % 10 == 7 {
                        resume_unwind(Box::new("seven"));
                    }
                });
            };
            let panic = catch_unwind(AssertUnwindSafe(|| with_helpers(helpers, work))).expect_err("it panicked");
            assert_eq!(panic.downcast_ref(), Some(&"seven"));
            assert_eq!(ran.into_inner(), 20);
        }
    }

    #[test]
    fn a_thread_that_does_other_work_helps_with_one_task() {
        let ran = AtomicUsize::new(0);
        with_helpers(0, || {
            run(4, &|k| {
                if k == 0 {
                    let team = Team::joined().expect("a member");
                    team.helpers.fetch_add(1, Ordering::Relaxed);
                    Team::apart(|| team.help());
                    assert_eq!(ran.load(Ordering::Relaxed), 1);
                }
                ran.fetch_add(1, Ordering::Relaxed);
            });
        });
        assert_eq!(ran.into_inner(), 4);
    }

    #[test]
    fn an_owner_that_waits_does_other_work_as_no_member() {
        static OTHER_WORK: AtomicUsize = AtomicUsize::new(0);
        let do_other_work = || {
            assert!(Team::joined().is_none());
            OTHER_WORK.fetch_add(1, Ordering::Relaxed) < 2
        };
        let pool = HelperPool { do_other_work, ..THREADS };
        with_helpers(1, || {
            let (team, leader) = (Team::joined().expect("a member"), thread::current().id());
            let arrived = AtomicUsize::new(0);
            team.run(2, pool, &|_| {
                arrived.fetch_add(1, Ordering::Relaxed);
                while arrived.load(Ordering::Relaxed) < 2 {
                    thread::yield_now();
                }
                // The leader waits for its helper then, which waits for that.
                while thread::current().id() != leader && OTHER_WORK.load(Ordering::Relaxed) < 4 {
                    thread::yield_now();
                }
            });
            assert!(Team::joined().is_some());
        });
    }
}
