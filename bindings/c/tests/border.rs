//! A panic does not cross the border, and leaves a world that only can be destroyed. A destroyed
//! world leaves no threads.

use std::ffi::{CStr, CString};
use std::path::Path;
use std::ptr::null_mut;
use triphase::bodies::{tp_bodies, tp_column};
use triphase::config::tp_config;
use triphase::last_error::tp_last_error_message;
use triphase::recordings::{tp_record_to, tp_replay, tp_replay_result, tp_stop_recording};
use triphase::shapes::tp_vec2;
use triphase::status::tp_status::*;
use triphase::step::{tp_changed, tp_step, tp_step_changed};
use triphase::world::{tp_counts, tp_world_counts, tp_world_create, tp_world_destroy};

fn bodies(centers: &[tp_vec2]) -> tp_bodies {
    let absent = tp_column { data: std::ptr::null(), stride: 0 };
    tp_bodies {
        count: centers.len(),
        form: 1,
        reserved: 0,
        uniform_half_extents: tp_vec2 { x: 0.5, y: 0.5 },
        centers: tp_column { data: centers.as_ptr().cast(), stride: 8 },
        half_extents: absent,
        boxes: absent,
        displacements: absent,
        ids: absent,
        filters: absent,
        asleep: absent,
    }
}

#[test]
#[cfg(debug_assertions)] // they detect a changed row that was not named, and panic
fn a_panic_is_a_status_and_breaks_the_world() {
    let mut centers: Vec<tp_vec2> = (0..100).map(|k| tp_vec2 { x: k as f32, y: 0.0 }).collect();
    let nothing = tp_changed {
        rows: std::ptr::null(),
        row_count: 0,
        flags: std::ptr::null(),
        flag_count: 0,
        bits: std::ptr::null(),
        bit_word_count: 0,
    };
    let (mut world, mut counts, mut result) = (null_mut(), tp_counts::default(), tp_replay_result::default());
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("panic.recording");
    let path = CString::new(file.to_str().unwrap()).unwrap();
    // SAFETY: all pointers are to live values, and the world is not used after it was destroyed.
    unsafe {
        assert_eq!(tp_world_create(std::ptr::null(), &mut world), TP_STATUS_OK);
        assert_eq!(tp_record_to(world, path.as_ptr()), TP_STATUS_OK);
        assert_eq!(tp_step_changed(world, &bodies(&centers), 1, &nothing), TP_STATUS_OK);
        assert_eq!(tp_step_changed(world, &bodies(&centers), 1, &nothing), TP_STATUS_OK);
        centers[7].y = 1.0;
        assert_eq!(tp_step_changed(world, &bodies(&centers), 1, &nothing), TP_STATUS_PANIC);
        let message = CStr::from_ptr(tp_last_error_message()).to_str().unwrap().to_owned();
        assert!(message.starts_with("panic in triphase: "), "{message}");
        assert_eq!(tp_step(world, &bodies(&centers), 1), TP_STATUS_PANIC);
        assert_eq!(tp_world_counts(world, &mut counts), TP_STATUS_PANIC);
        assert_eq!(tp_world_destroy(world), TP_STATUS_OK);
        // The recording has the call that panicked, which panics again.
        assert_eq!(tp_replay(path.as_ptr(), &mut result), TP_STATUS_PANIC);
        assert_eq!((result.call_count, result.step_number, result.is_complete), (2, 2, 0));
    }
}

#[test]
#[cfg(target_os = "linux")] // whose pipes have paths
fn a_recording_that_cannot_be_written_is_an_error_at_its_end() {
    use std::os::fd::AsRawFd;
    let (reader, writer) = std::io::pipe().unwrap();
    let path = CString::new(format!("/proc/self/fd/{}", writer.as_raw_fd())).unwrap();
    let centers = [tp_vec2 { x: 0.0, y: 0.0 }];
    let mut world = null_mut();
    // SAFETY: all pointers are to live values, and the world is not used after it was destroyed.
    unsafe {
        assert_eq!(tp_world_create(std::ptr::null(), &mut world), TP_STATUS_OK);
        assert_eq!(tp_record_to(world, path.as_ptr()), TP_STATUS_OK);
        drop((reader, writer));
        assert_eq!(tp_step(world, &bodies(&centers), 1), TP_STATUS_OK);
        assert_eq!(tp_stop_recording(world, null_mut()), TP_STATUS_IO);
        let message = CStr::from_ptr(tp_last_error_message()).to_str().unwrap();
        assert!(message.starts_with("cannot write the recording: "), "{message}");
        assert_eq!(tp_stop_recording(world, null_mut()), TP_STATUS_OK);
        assert_eq!(tp_record_to(world, c"/dev/full".as_ptr()), TP_STATUS_IO);
        assert_eq!(tp_world_destroy(world), TP_STATUS_OK);
    }
}

#[test]
#[cfg(target_os = "linux")] // whose threads have names in /proc
fn a_destroyed_world_leaves_no_threads() {
    let own_threads = || {
        let tasks = std::fs::read_dir("/proc/self/task").unwrap();
        let names = tasks.filter_map(|task| std::fs::read_to_string(task.unwrap().path().join("comm")).ok());
        names.filter(|name| name.starts_with("triphase ")).count()
    };
    // A thread gets its name, and leaves /proc, a moment later.
    let wait_for = |count: usize| {
        let in_time = (0..1000).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(1));
            own_threads() == count
        });
        assert!(in_time, "{} threads instead of {count}", own_threads());
    };
    let config = tp_config { thread_count: 3, ..tp_config::default() };
    for _ in 0..20 {
        let mut world = null_mut();
        // SAFETY: all pointers are to live values, and the world is not used after it was destroyed.
        unsafe {
            assert_eq!(tp_world_create(&config, &mut world), TP_STATUS_OK);
            wait_for(3);
            assert_eq!(tp_world_destroy(world), TP_STATUS_OK);
        }
        wait_for(0);
    }
}
