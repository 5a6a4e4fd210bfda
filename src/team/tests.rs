//! Tests of teams whose helpers are threads of their own.

use super::*;
use std::thread;

const THREADS: HelperPool =
    HelperPool { call_helper: |team| drop(thread::spawn(|| team.help())), do_other_work: || () };

fn run(count: usize, task: &(dyn Fn(usize) + Sync)) {
    Team::joined().expect("a member").run(count, THREADS, task);
}

/// Calls `work` with helpers, after which no list is left, and all helpers leave.
fn with_helpers<R>(helpers: usize, work: impl FnOnce() -> R) -> R {
    let team = Team::of_thread().expect("the thread goes on");
    let result = catch_unwind(AssertUnwindSafe(|| team.lead(helpers, THREADS, work)));
    assert!(Team::joined().is_none());
    assert!(team.lock().lists.is_empty());
    while team.lock().helpers_called > 0 {
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
            while team.lock().helpers_present > 0 {
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
fn helpers_leave_when_the_leader_has_led() {
    let team = Arc::new(Team::default());
    let helpers = Mutex::new(Vec::new());
    for _ in 0..20 {
        team.lead(1, THREADS, || {
            let (leader, arrived) = (thread::current().id(), AtomicUsize::new(0));
            // Each waits for the other, so a helper comes.
            run(2, &|_| {
                arrived.fetch_add(1, Ordering::Relaxed);
                while arrived.load(Ordering::Relaxed) < 2 {
                    thread::yield_now();
                }
                let id = thread::current().id();
                helpers.lock().expect("no panic").extend((id != leader).then_some(id));
            });
        });
    }
    let helpers = helpers.into_inner().expect("no panic");
    assert_eq!(helpers.len(), 20);
    assert!((1..20).all(|round| !helpers[..round].contains(&helpers[round])));
}

#[test]
fn no_more_helpers_are_called_than_wanted() {
    let called = Arc::new(Team::default());
    called.lock().helpers_wanted = 3;
    // They never come, as in a pool that is busy.
    let busy = HelperPool { call_helper: drop, do_other_work: || () };
    for _ in 0..3 {
        called.run(5, busy, &|_| ());
        assert_eq!((called.lock().helpers_called, Arc::strong_count(&called)), (3, 1));
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
fn all_panics_but_the_first_are_dropped() {
    static DROPPED: AtomicUsize = AtomicUsize::new(0);
    struct Payload;
    impl Drop for Payload {
        fn drop(&mut self) {
            if DROPPED.fetch_add(1, Ordering::Relaxed) == 2 {
                resume_unwind(Box::new("dropped"));
            }
        }
    }
    let work = || with_helpers(1, || run(20, &|_| resume_unwind(Box::new(Payload))));
    let panic = catch_unwind(AssertUnwindSafe(work)).expect_err("it panicked");
    assert!(panic.is::<Payload>());
    assert_eq!(DROPPED.load(Ordering::Relaxed), 19);
}

#[test]
fn a_thread_that_does_other_work_helps_with_one_task() {
    let ran = AtomicUsize::new(0);
    with_helpers(0, || {
        run(4, &|k| {
            if k == 0 {
                let team = Team::joined().expect("a member");
                team.lock().helpers_called += 1;
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
        OTHER_WORK.fetch_add(1, Ordering::Relaxed);
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
