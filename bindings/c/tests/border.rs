//! A panic does not cross the border, and leaves a world that only can be destroyed.

use std::ffi::CStr;
use std::ptr::null_mut;
use triphase::bodies::{tp_bodies, tp_column};
use triphase::error::tp_last_error_message;
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
    let (mut world, mut counts) = (null_mut(), tp_counts::default());
    // SAFETY: all pointers are to live values, and the world is not used after it was destroyed.
    unsafe {
        assert_eq!(tp_world_create(std::ptr::null(), &mut world), TP_STATUS_OK);
        assert_eq!(tp_step_changed(world, &bodies(&centers), 1, &nothing), TP_STATUS_OK);
        assert_eq!(tp_step_changed(world, &bodies(&centers), 1, &nothing), TP_STATUS_OK);
        centers[7].y = 1.0;
        assert_eq!(tp_step_changed(world, &bodies(&centers), 1, &nothing), TP_STATUS_PANIC);
        let message = CStr::from_ptr(tp_last_error_message()).to_str().unwrap().to_owned();
        assert!(message.starts_with("bug in triphase: "), "{message}");
        assert_eq!(tp_step(world, &bodies(&centers), 1), TP_STATUS_PANIC);
        assert_eq!(tp_world_counts(world, &mut counts), TP_STATUS_PANIC);
        assert_eq!(tp_world_destroy(world), TP_STATUS_OK);
    }
}
