//! Contacts that began, persisted and ended.

use crate::buffer::{EventArrays, tp_buffer};
use crate::caller::call;
use crate::contacts::off;
use crate::error::{Failure, tp_error};
use crate::results::{
    tp_ended_pair, tp_ended_static_pair, tp_pair, tp_static_pair, tp_tracked_pair, tp_tracked_static_pair,
};
use crate::status::tp_status;
use crate::status::tp_status::*;
use crate::world::tp_world;
use broad_phase::{Pair, StaticPair, TrackedPair};

/// Which events tp_read_events() writes; combine them with `|`.
pub const TP_EVENTS_BEGAN: u32 = 1;
/// See TP_EVENTS_BEGAN.
pub const TP_EVENTS_PERSISTED: u32 = 2;
/// See TP_EVENTS_BEGAN.
pub const TP_EVENTS_ENDED: u32 = 4;
/// All events.
pub const TP_EVENTS_ALL: u32 = 7;

/// The events of the last successful step. Arrays that were not asked for are empty.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct tp_events {
    /// Contacts of bodies that began.
    pub began: *const tp_tracked_pair,
    /// Number of elements of `began`.
    pub began_count: usize,
    /// Contacts of bodies that began earlier and have not ended.
    pub persisted: *const tp_tracked_pair,
    /// Number of elements of `persisted`.
    pub persisted_count: usize,
    /// Contacts of bodies that ended.
    pub ended: *const tp_ended_pair,
    /// Number of elements of `ended`.
    pub ended_count: usize,
    /// Contacts with statics that began.
    pub static_began: *const tp_tracked_static_pair,
    /// Number of elements of `static_began`.
    pub static_began_count: usize,
    /// Contacts with statics that began earlier and have not ended.
    pub static_persisted: *const tp_tracked_static_pair,
    /// Number of elements of `static_persisted`.
    pub static_persisted_count: usize,
    /// Contacts with statics that ended.
    pub static_ended: *const tp_ended_static_pair,
    /// Number of elements of `static_ended`.
    pub static_ended_count: usize,
}

fn tracked(contact: TrackedPair<Pair>) -> tp_tracked_pair {
    tp_tracked_pair { pair: bytemuck::cast(contact.pair), value: contact.value }
}

fn tracked_static(contact: TrackedPair<StaticPair>) -> tp_tracked_static_pair {
    tp_tracked_static_pair { pair: bytemuck::cast(contact.pair), value: contact.value }
}

/// Replaces the contents of an array, with nothing if it was not asked for.
fn fill<T>(array: &mut Vec<T>, is_wanted: bool, items: impl Iterator<Item = T>) {
    array.clear();
    if is_wanted {
        array.extend(items);
    }
}

/// Writes the contacts that began, persisted and ended in the last successful step.
///
/// `which` is a combination of TP_EVENTS_BEGAN, TP_EVENTS_PERSISTED and TP_EVENTS_ENDED. Bodies are
/// identified by their ids, or by their rows in steps without ids. Each contact that begins also
/// ends, exactly once, whatever becomes of its bodies. The arrays belong to `buffer`. Contacts that began
/// or persist are in ascending order of their pairs.
///
/// Errors: TP_STATUS_OFF unless tp_config.contact_tracking is on; TP_STATUS_INVALID_ARGUMENT for other
/// bits of `which`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_read_events(
    world: *const tp_world,
    which: u32,
    buffer: *mut tp_buffer,
    events: *mut tp_events,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            if which & !TP_EVENTS_ALL != 0 {
                return Err(Failure::argument(format!("which is {which:#x}; must combine TP_EVENTS constants")));
            }
            let contacts = c.world(world)?.world.contacts();
            let found = contacts.events().ok_or_else(|| off("contact_tracking"))?;
            let out = c.out(events, "events")?;
            let EventArrays { began, persisted, ended, static_began, static_persisted, static_ended } =
                &mut c.get_mut(buffer, "buffer")?.events;
            let is_wanted = |event| which & event != 0;
            fill(began, is_wanted(TP_EVENTS_BEGAN), found.started().map(tracked));
            fill(static_began, is_wanted(TP_EVENTS_BEGAN), found.started_static().map(tracked_static));
            fill(persisted, is_wanted(TP_EVENTS_PERSISTED), found.persisting().map(tracked));
            fill(static_persisted, is_wanted(TP_EVENTS_PERSISTED), found.persisting_static().map(tracked_static));
            let of_bodies = found.ended().map(|end| tp_ended_pair {
                a_id: end.a_id,
                b_id: end.b_id,
                value: end.value,
                reserved: 0,
            });
            let of_statics = found.ended_static().map(|end| tp_ended_static_pair {
                body_id: end.body_id,
                static_id: end.static_id,
                value: end.value,
                reserved: 0,
            });
            fill(ended, is_wanted(TP_EVENTS_ENDED), of_bodies);
            fill(static_ended, is_wanted(TP_EVENTS_ENDED), of_statics);
            out.write(tp_events {
                began: began.as_ptr(),
                began_count: began.len(),
                persisted: persisted.as_ptr(),
                persisted_count: persisted.len(),
                ended: ended.as_ptr(),
                ended_count: ended.len(),
                static_began: static_began.as_ptr(),
                static_began_count: static_began.len(),
                static_persisted: static_persisted.as_ptr(),
                static_persisted_count: static_persisted.len(),
                static_ended: static_ended.as_ptr(),
                static_ended_count: static_ended.len(),
            });
            Ok(())
        })
    }
}

fn no_contact(a: u32, b: u32) -> Failure {
    let details = tp_error { row: a, second_row: b, ..tp_error::new(TP_STATUS_NOT_FOUND) };
    Failure::new(details, format!("rows {a} and {b} have no tracked contact (of two bodies, the lower row is first)"))
}

/// Writes the value of a contact of two bodies.
///
/// Errors: TP_STATUS_OFF unless tp_config.contact_tracking is on; TP_STATUS_NOT_FOUND if there is no
/// such contact.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_contact_value(world: *const tp_world, pair: tp_pair, value: *mut u32) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let events = c.world(world)?.world.contacts().events().ok_or_else(|| off("contact_tracking"))?;
            let found = events.value(pair.into()).ok_or_else(|| no_contact(pair.a, pair.b))?;
            c.out(value, "value")?.write(found);
            Ok(())
        })
    }
}

/// Writes the value of a contact of a body and a static, like tp_contact_value().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_static_contact_value(
    world: *const tp_world,
    pair: tp_static_pair,
    value: *mut u32,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let events = c.world(world)?.world.contacts().events().ok_or_else(|| off("contact_tracking"))?;
            let found = events.static_value(pair.into()).ok_or_else(|| no_contact(pair.body, pair.static_row))?;
            c.out(value, "value")?.write(found);
            Ok(())
        })
    }
}

/// Sets the values of contacts of bodies, such as indices of impulses.
///
/// A value stays with its contact, even if the bodies change rows, until the contact ends.
///
/// Errors: TP_STATUS_OFF unless tp_config.contact_tracking is on; TP_STATUS_NOT_FOUND names the
/// first pair that is no contact. Then no value is changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_set_contact_values(
    world: *mut tp_world,
    contacts: *const tp_tracked_pair,
    count: usize,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let contacts = c.slice(contacts, count, "contacts")?;
            c.update(world, |world| {
                let mut events = world.world.events_mut().ok_or_else(|| off("contact_tracking"))?;
                for &tp_tracked_pair { pair, .. } in contacts {
                    events.value_mut(pair.into()).ok_or_else(|| no_contact(pair.a, pair.b))?;
                }
                for &tp_tracked_pair { pair, value } in contacts {
                    *events.value_mut(pair.into()).ok_or_else(|| no_contact(pair.a, pair.b))? = value;
                }
                Ok(())
            })
        })
    }
}

/// Sets the values of contacts of a body and a static, like tp_set_contact_values().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tp_set_static_contact_values(
    world: *mut tp_world,
    contacts: *const tp_tracked_static_pair,
    count: usize,
) -> tp_status {
    // SAFETY: C callers keep POINTER-1.
    unsafe {
        call(|c| {
            let contacts = c.slice(contacts, count, "contacts")?;
            c.update(world, |world| {
                let mut events = world.world.events_mut().ok_or_else(|| off("contact_tracking"))?;
                let failed = |pair: tp_static_pair| no_contact(pair.body, pair.static_row);
                for &tp_tracked_static_pair { pair, .. } in contacts {
                    events.static_value_mut(pair.into()).ok_or_else(|| failed(pair))?;
                }
                for &tp_tracked_static_pair { pair, value } in contacts {
                    *events.static_value_mut(pair.into()).ok_or_else(|| failed(pair))? = value;
                }
                Ok(())
            })
        })
    }
}
