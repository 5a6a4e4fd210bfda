//! Both double grids against brute force.

mod handles;
mod oracle;
mod queries;
mod rebuilt;
mod scenes;
