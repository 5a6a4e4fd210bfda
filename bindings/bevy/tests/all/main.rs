//! Tests of the plugin in apps.

mod common;
mod plugin;
mod random;
