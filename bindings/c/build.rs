//! Names the shared library by the version of its interface: a program that was linked with another
//! one does not start, and one that was linked by its path finds it in another folder.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        // As `TP_ABI_VERSION`, which a test compares.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libtriphase.so.1");
    }
}
