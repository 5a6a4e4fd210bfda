//! `include/triphase.h` is what cbindgen makes of the sources. `UPDATE_HEADER=1` writes it.

use std::path::Path;

#[test]
fn the_name_of_the_library_has_the_version_of_its_interface() {
    let name = format!("libtriphase.so.{}", triphase::config::TP_ABI_VERSION);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    for file in ["build.rs", "install"] {
        let text = std::fs::read_to_string(folder.join(file)).expect("a file that can be read");
        let mut after = text.match_indices(&name).map(|(at, _)| text[at + name.len()..].chars().next());
        assert!(after.any(|next| !next.is_some_and(|next| next.is_ascii_digit())), "{file} does not name {name}");
    }
}

#[test]
fn header_is_current() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml")).expect("valid settings");
    let mut bytes = Vec::new();
    cbindgen::generate_with_config(folder, config).expect("sources that cbindgen reads").write(&mut bytes);
    let generated = String::from_utf8(bytes).expect("text");
    let path = folder.join("include/triphase.h");
    if std::env::var_os("UPDATE_HEADER").is_some() {
        std::fs::write(&path, generated).expect("a file that can be written");
        return;
    }
    let current = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(generated == current, "run `UPDATE_HEADER=1 cargo test --test header`, and check in the header");
}
