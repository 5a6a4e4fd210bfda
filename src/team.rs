//! Threads that work on one step together: the one that called it, and helpers from a pool.
//!
//! A thread that hands a step over to a pool wakes one of its threads, which wakes the next one,
//! and sleeps until it is woken itself. Where processors are few, the system may run the pool's
//! threads on the same one meanwhile. So the calling thread works too.
//!
//! A member of a team that has tasks puts a list of them on the team's board, and runs one after
//! the other. Members that have nothing else to do take tasks of the oldest list.
//!
//! - TEAM-1: a list is on the board until all of its tasks have ended, and its owner waits for
//!   that. So what tasks borrow exists as long as any of them may run.
//! - TEAM-2: the board is locked to take a task and to note that one has ended, but not while one
//!   runs: it may put a list of its own on the board.

#![allow(unsafe_code)]

use parking_lot::{Condvar, Mutex};
use smallvec::SmallVec;
use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Rounds of about a quarter of a microsecond in which a thread that waits for another one stays
/// awake: to wake it takes tens of microseconds, longer than the other one mostly needs. In each,
/// it leaves its processor to any other thread that is ready.
pub(crate) const WAIT_ROUNDS: usize = 256;

/// How long a helper sleeps before it looks for other work of the pool again.
const NAP: Duration = Duration::from_millis(1);

thread_local! {
    /// The team that this thread leads when it calls a step. It is kept for its memory.
    static LED: Arc<Team> = Arc::default();
    /// The team that this thread belongs to at present.
    static JOINED: RefCell<Option<Arc<Team>>> = const { RefCell::new(None) };
}

/// A leader and any number of helpers.
#[derive(Default)]
pub(crate) struct Team {
    board: Mutex<Board>,
    /// How often a list was put on the board or ended, or a step ended. Changed under the lock.
    changes: AtomicUsize,
    /// Notified of these changes.
    changed: Condvar,
}

/// The lists of a team.
#[derive(Default)]
struct Board {
    lists: SmallVec<[TaskList; 16]>,
    /// Number of lists so far.
    count: u64,
    /// Whether a step runs.
    is_open: bool,
}

/// Tasks by number, some of which were taken.
struct TaskList {
    /// Which one it is.
    number: u64,
    task: TaskPointer,
    count: usize,
    /// The next task to be taken.
    next: usize,
    ended: usize,
    panic: Option<Box<dyn Any + Send>>,
}

/// What runs the tasks of a list. Its lifetime is in TEAM-1.
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
        let has_tasks = |list: &TaskList| list.next < list.count;
        let is_preferred = |list: &TaskList| Some(list.number) == preferred && has_tasks(list);
        let at = self.lists.iter().position(is_preferred).or_else(|| self.lists.iter().position(has_tasks))?;
        let list = &mut self.lists[at];
        list.next += 1;
        Some(TakenTask { list: list.number, task: list.task, index: list.next - 1 })
    }

    /// Removes a list if all of its tasks have ended.
    fn remove_ended(&mut self, number: u64) -> Option<TaskList> {
        let at = self.lists.iter().position(|list| list.number == number && list.ended == list.count)?;
        Some(self.lists.remove(at))
    }
}

impl Team {
    /// The team that the calling thread belongs to.
    pub(crate) fn joined() -> Option<Arc<Self>> {
        JOINED.try_with(|joined| joined.borrow().clone()).ok().flatten()
    }

    /// Runs a step with a team that the calling thread leads. `call_helpers` makes other threads
    /// call [`help`](Self::help).
    pub(crate) fn lead<R>(call_helpers: impl FnOnce(&Arc<Self>), step: impl FnOnce() -> R) -> R {
        let Ok(team) = LED.try_with(Arc::clone) else { return step() };
        let _membership = Membership::begin(&team);
        team.change(|board| board.is_open = true);
        let _end = EndOfStep(&team);
        call_helpers(&team);
        step()
    }

    /// Runs tasks of the team until the step has ended. If there are none for some time,
    /// `run_other` may do other work, and returns whether it did.
    pub(crate) fn help(self: &Arc<Self>, run_other: impl Fn() -> bool) {
        // The thread may help already, and have started this as other work.
        if Self::joined().is_none() {
            let _membership = Membership::begin(self);
            self.work(None, run_other, |board| (!board.is_open).then_some(()));
        }
    }

    /// Runs `task` with each number below `count`, on any members of the team.
    ///
    /// # Panics
    ///
    /// If one of them panics, after all have ended.
    pub(crate) fn run(&self, count: usize, task: &(dyn Fn(usize) + Sync)) {
        // SAFETY: only the lifetime changes, and the pointer is used only while the list is on the
        // board (TEAM-1): `work` does not return or unwind before all tasks have ended.
        let task = unsafe { std::mem::transmute::<*const (dyn Fn(usize) + Sync + '_), TaskPointer>(task) };
        let number = self.change(|board| {
            board.count += 1;
            let number = board.count;
            board.lists.push(TaskList { number, task, count, next: 0, ended: 0, panic: None });
            number
        });
        let ended = self.work(Some(number), || false, |board| board.remove_ended(number));
        if let Some(panic) = ended.panic {
            resume_unwind(panic);
        }
    }

    /// Runs tasks until `is_over` returns something. It never unwinds.
    fn work<R>(
        &self,
        preferred: Option<u64>,
        run_other: impl Fn() -> bool,
        is_over: impl Fn(&mut Board) -> Option<R>,
    ) -> R {
        loop {
            let mut board = self.board.lock();
            if let Some(result) = is_over(&mut board) {
                return result;
            }
            let changes = self.changes.load(Ordering::Relaxed);
            let taken = board.take(preferred);
            drop(board);
            match taken {
                Some(taken) => self.run_taken(taken),
                None => self.wait_for_change(changes, &run_other),
            }
        }
    }

    fn run_taken(&self, TakenTask { list, task: TaskPointer(task), index }: TakenTask) {
        // The board is not locked now (TEAM-2).
        // SAFETY: the list is on the board, as this task has not ended (TEAM-1).
        let result = catch_unwind(AssertUnwindSafe(|| unsafe { (*task)(index) }));
        let mut board = self.board.lock();
        let Some(list) = board.lists.iter_mut().find(|other| other.number == list) else {
            unreachable!("the list is on the board");
        };
        list.ended += 1;
        list.panic = result.err().or(list.panic.take());
        if list.ended == list.count {
            drop(board);
            self.change(|_| ());
        }
    }

    /// Changes the board, and wakes all members that sleep.
    fn change<R>(&self, change: impl FnOnce(&mut Board) -> R) -> R {
        let mut board = self.board.lock();
        let result = change(&mut board);
        self.changes.fetch_add(1, Ordering::Relaxed);
        drop(board);
        self.changed.notify_all();
        result
    }

    /// Waits until there are more than so many changes, or for some time, or does other work.
    fn wait_for_change(&self, changes: usize, run_other: &impl Fn() -> bool) {
        let is_same = || self.changes.load(Ordering::Relaxed) == changes;
        for _ in 0..WAIT_ROUNDS {
            if !is_same() {
                return;
            }
            std::thread::yield_now();
        }
        if !run_other() {
            let mut board = self.board.lock();
            if is_same() {
                self.changed.wait_for(&mut board, NAP);
            }
        }
    }
}

/// While it exists, the thread belongs to a team.
struct Membership {
    before: Option<Arc<Team>>,
}

impl Membership {
    fn begin(team: &Arc<Team>) -> Self {
        Self { before: JOINED.replace(Some(Arc::clone(team))) }
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        JOINED.set(self.before.take());
    }
}

/// Sends helpers away when dropped.
struct EndOfStep<'t>(&'t Team);

impl Drop for EndOfStep<'_> {
    fn drop(&mut self) {
        self.0.change(|board| board.is_open = false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    /// Runs a step with helpers, after which no list is left.
    fn with_helpers<R>(count: usize, step: impl FnOnce() -> R) -> R {
        let helper = |team: &Arc<Team>| {
            let team = Arc::clone(team);
            thread::spawn(move || team.help(|| false))
        };
        let mut helpers = Vec::new();
        let result = catch_unwind(AssertUnwindSafe(|| {
            Team::lead(|team| helpers.extend((0..count).map(|_| helper(team))), step)
        }));
        helpers.into_iter().for_each(|helper| helper.join().expect("helpers do not panic"));
        assert!(Team::joined().is_none());
        LED.with(|team| assert!(team.board.lock().lists.is_empty()));
        result.unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// Runs tasks within tasks, and counts the innermost ones.
    fn run_nested(depth: usize, width: usize, ran: &AtomicUsize) {
        let team = Team::joined().expect("a member");
        team.run(width, &|_| match depth {
            0 => _ = ran.fetch_add(1, Ordering::Relaxed),
            _ => run_nested(depth - 1, width, ran),
        });
    }

    #[test]
    fn each_task_runs_once() {
        for helpers in 0..4 {
            with_helpers(helpers, || {
                let team = Team::joined().expect("the leader is a member");
                for count in [1, 2, 7, 40] {
                    let runs: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
                    team.run(count, &|k| _ = runs[k].fetch_add(1, Ordering::Relaxed));
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
    fn helpers_take_part_and_wake_up_for_late_tasks() {
        with_helpers(1, || {
            let team = Team::joined().expect("a member");
            // Longer than a helper stays awake.
            thread::sleep(5 * NAP);
            let (leader, others) = (thread::current().id(), AtomicUsize::new(0));
            // Each waits for the other, so they run on two threads.
            let arrived = AtomicUsize::new(0);
            team.run(2, &|_| {
                arrived.fetch_add(1, Ordering::Relaxed);
                while arrived.load(Ordering::Relaxed) < 2 {
                    thread::yield_now();
                }
                others.fetch_add(usize::from(thread::current().id() != leader), Ordering::Relaxed);
            });
            assert_eq!(others.into_inner(), 1);
        });
    }

    #[test]
    fn a_panic_reaches_the_owner_after_all_tasks_have_ended() {
        for helpers in 0..3 {
            let ran = AtomicUsize::new(0);
            let step = || {
                Team::joined().expect("a member").run(20, &|k| {
                    ran.fetch_add(1, Ordering::Relaxed);
                    if k == 7 {
                        resume_unwind(Box::new("seven"));
                    }
                });
            };
            let panic = catch_unwind(AssertUnwindSafe(|| with_helpers(helpers, step))).expect_err("it panicked");
            assert_eq!(panic.downcast_ref(), Some(&"seven"));
            assert_eq!(ran.into_inner(), 20);
        }
    }

    #[test]
    fn helpers_run_other_work_if_there_are_no_tasks() {
        let (ran, team) = (Arc::new(AtomicUsize::new(0)), Arc::<Team>::default());
        team.change(|board| board.is_open = true);
        let helper = {
            let (ran, team) = (Arc::clone(&ran), Arc::clone(&team));
            thread::spawn(move || {
                team.help(|| {
                    ran.fetch_add(1, Ordering::Relaxed);
                    // Help within help ends at once.
                    team.help(|| unreachable!("it helps already"));
                    false
                })
            })
        };
        while ran.load(Ordering::Relaxed) < 3 {
            thread::yield_now();
        }
        drop(EndOfStep(&team));
        helper.join().expect("it ends");
    }
}
