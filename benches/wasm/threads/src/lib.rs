//! The module of `triphase-wasm-bench` with `initThreadPool`, which gives rayon's threads to web
//! workers.

use parking_lot as _; // see Cargo.toml
use triphase_wasm_bench as _; // its functions are exported by their names
pub use wasm_bindgen_rayon::init_thread_pool;
