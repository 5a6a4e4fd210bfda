//! C interface of triphase.
//!
//! Calls take plain pointers and return a [`tp_status`](status::tp_status). What callers must know
//! is in the header, `include/triphase.h`, which is generated from the comments here.
//!
//! POINTER-1: C callers pass pointers that are null or point to memory that is readable, for
//! outputs writable, for as many elements as the call says, and that no other thread writes during
//! the call. A column is all memory from its first value to its last. Outputs overlap neither each
//! other nor inputs, and no input is memory of what the call changes. Handles are null or were
//! returned by a `create` function and not destroyed since. Strings end with a zero byte. Everything
//! else about arguments is checked. Bytes between the values of a column, such as the padding of
//! structs, are never read.

#![allow(non_camel_case_types)] // the names are those of the C header

// Blank lines keep the order, which is that of the header.
pub mod status; // what a call returns

pub mod error; // details of errors

pub mod last_error;

pub mod config; // the version of the interface, and settings

pub mod world; // creation, and calls of the whole world

pub mod shapes; // vectors, boxes, circles, rays

pub mod bodies; // columns with strides

pub mod statics; // boxes that rarely change

pub mod step;

pub mod results; // what calls find: pairs, contacts and hits

pub mod buffer; // memory for results

pub mod contacts; // pairs, partners, islands

pub mod events; // contacts that began, persisted and ended

pub mod queries; // boxes, circles, points

pub mod casts; // rays and moving boxes

pub mod batches; // many queries at once

pub mod snapshots; // completed steps, for other threads

pub mod report; // figures of the last step

pub mod recordings; // calls written to a file and made again

mod caller; // pointers from C, checked
mod threads; // the pool of a world, or that of the process
