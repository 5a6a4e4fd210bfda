//! The rules of the source: files import downward and never in a circle, few name rayon or contain
//! `unsafe`, none is too long, and labels of invariants are unique and cited.
//!
//! The lists contain the files that may break a rule. A file that is listed without need fails too,
//! so lists only shrink.

mod imports;
mod rules;

use imports::{Files, imports};
use std::collections::BTreeSet;
use std::path::Path;

/// Files and folders, those that import nothing first. A row imports from the rows above it; the
/// rooms of a row never import from each other. The longest room that fits a file is its room.
const ROOMS: &[&[&str]] = &[
    &["geometry"],
    &["error.rs", "reference.rs"],
    &["config.rs", "pair.rs", "prefetch.rs", "trace.rs"],
    &["team.rs"],
    &["team"], // its tests
    &["helper_pool.rs"],
    &["parallel.rs"],
    &["input"],
    &["memory"],
    &["plain_data.rs"],
    &["simd"],
    &["tier/debug_shape.rs", "tier/box_test.rs", "tier/fixed_boxes.rs"],
    &["tier/sweep"],
    &["tier/point_grid", "tier/loose_grid", "tier/static_tree"],
    &["tier"],
    &["frame"],
    &["broad_phase"],
    &["contacts"],
    &["query"],
    &["history.rs"],
    &["advice.rs"],
    &["state.rs"],
    &["call.rs", "snapshot.rs", "report.rs", "save.rs", "step.rs"],
    &["advice_rules.rs", "step_changed.rs"],
    &["record"],
    &["world.rs"],
    &["replay.rs"],
    &["lib.rs"],
];

/// Files that may name rayon.
const WITH_RAYON: &[&str] = &[
    "helper_pool.rs",       // where helpers are from
    "parallel.rs",          // all other ways into it
    "contacts/contacts.rs", // pages as a parallel iterator
];

/// Files that may name the crate `tracing`: the spans of all others are made there.
const WITH_TRACING: &[&str] = &["trace.rs"];

/// Files that may contain `unsafe`.
const WITH_UNSAFE: &[&str] = &[
    "contacts/exclusive/columns.rs", // two rows at a time, while no other thread has them
    "memory/disjoint.rs",            // one buffer, many tasks
    "parallel.rs",                   // items of one slice, each with a task of its own
    "team.rs",                       // tasks that borrow, run by any thread of a team
    "plain_data.rs",                 // types that bytemuck may cast
    "prefetch.rs",                   // a hint to the processor
    "simd/avx2.rs",
    "simd/avx512.rs",
    "simd/backend.rs",     // hits written as pairs
    "simd/batch_test.rs",  // a vector of entries against a probe
    "simd/block_mask.rs",  // a block of boxes against an area
    "simd/circle_test.rs", // circles, lane by lane
    "simd/compile.rs",     // kernels for each instruction set
    "simd/detected.rs",    // the choice of an instruction set
    "simd/double.rs",      // two vectors as one
    "simd/neon.rs",
    "simd/output_slots.rs", // pages written without bounds checks
    "simd/portable.rs",
    "simd/raw_columns.rs", // columns read without bounds checks
    "simd/scan.rs",        // entries of a grid, or in an order, against each other or probes
    "simd/splat_probe.rs", // a probe against a run of entries
    "simd/tree_scan.rs",   // probes against a packed tree
    "simd/sse2.rs",
    "simd/vector.rs", // the operations of an instruction set
    "simd/wasm128.rs",
    "tier/point_grid/rooms.rs", // each part of the rows writes to its own places
];

/// Folders whose comments are at most [`PROSE_COLUMNS_MAX`] wide.
const WITH_NARROW_PROSE: &[&str] = &["src", "tests", "examples", "benches"];

const LINES_MAX: usize = 500;
const PROSE_COLUMNS_MAX: usize = 100;

/// The Rust files of a folder of the repository, by their paths below it.
fn files(folder: &str) -> Files {
    fn collect(root: &Path, folder: &Path, files: &mut Files) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                collect(root, &path, files);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root).expect("a path below").components();
                let name: Vec<_> = name.map(|part| part.as_os_str().to_str().expect("a name in UTF-8")).collect();
                files.push((name.join("/"), std::fs::read_to_string(&path).expect("text")));
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    let mut files = Vec::new();
    collect(&root, &root, &mut files);
    files.sort();
    files
}

/// Compares the files that break a rule with the listed ones.
#[track_caller]
fn check_list(found: &BTreeSet<String>, listed: &[&str], what: &str) {
    let extra: Vec<_> = found.iter().filter(|file| !listed.contains(&file.as_str())).collect();
    let needless: Vec<_> = listed.iter().filter(|file| !found.contains(**file)).collect();
    assert!(extra.is_empty() && needless.is_empty(), "{what}: {extra:?}; listed without need: {needless:?}");
}

#[test]
fn imports_form_no_circle() {
    for package in
        ["src", "bindings/bevy/src", "bindings/c/src", "bindings/python/src", "benches/scenes/src", "web/src"]
    {
        let in_circles = rules::files_in_circles(&imports(&files(package)));
        assert!(in_circles.is_empty(), "{package}: in a circle of imports: {in_circles:?}");
    }
}

#[test]
fn imports_point_to_rooms_above() {
    let files = files("src");
    let upward = rules::upward_imports(&files, &imports(&files), ROOMS);
    assert!(upward.is_empty(), "{upward:#?}");
}

#[test]
fn rayon_is_named_only_in_listed_files() {
    check_list(&rules::files_with_word(&files("src"), "rayon"), WITH_RAYON, "names rayon");
}

#[test]
fn tracing_is_named_only_in_listed_files() {
    check_list(&rules::files_with_word(&files("src"), "tracing"), WITH_TRACING, "names tracing");
}

#[test]
fn unsafe_code_is_only_in_listed_files() {
    check_list(&rules::files_with_word(&files("src"), "unsafe"), WITH_UNSAFE, "contains unsafe");
}

#[test]
fn files_are_short() {
    // All methods of the world, with their documentation.
    check_list(&rules::long_files(&files("src"), LINES_MAX), &["world.rs"], "too many lines");
}

#[test]
fn prose_is_narrow() {
    for folder in WITH_NARROW_PROSE {
        let mut files = files(folder);
        // The peers are a workspace of their own.
        files.retain(|(file, _)| !file.starts_with("peers/"));
        check_list(&rules::files_with_wide_prose(&files, PROSE_COLUMNS_MAX), &[], "comments too wide");
    }
}

#[test]
fn labels_are_unique_and_cited() {
    let files = files("src");
    check_list(&rules::files_with_nameless_labels(&files), &[], "labels without a name");
    let bad = rules::bad_labels(&files);
    assert!(bad.is_empty(), "{bad:#?}");
}

/// Checks of the rules themselves, on made-up sources.
mod made_up {
    use super::*;

    fn sources(files: &[(&str, &str)]) -> Files {
        files.iter().map(|(name, source)| ((*name).to_owned(), (*source).to_owned())).collect()
    }

    fn imports_of(files: &[(&str, &str)]) -> Vec<(String, String)> {
        imports(&sources(files)).into_iter().collect()
    }

    const LIB: (&str, &str) = ("lib.rs", "mod a; mod b; pub use b::inner::Deep;");

    #[test]
    fn imports_are_resolved_to_the_defining_file() {
        let b = ("b/mod.rs", "pub mod inner; pub use inner::Other; pub fn here() {}");
        let inner = ("b/inner.rs", "pub struct Deep; pub enum Other { A } pub fn call() {}");
        let to_inner = [("a.rs".to_owned(), "b/inner.rs".to_owned())];
        let to_mod = [("a.rs".to_owned(), "b/mod.rs".to_owned())];
        for (source, expected) in [
            ("use crate::Deep;", &to_inner[..]),
            ("use crate::b::{self, Other as Renamed};", &to_inner),
            ("use super::b; fn f() { b::inner::call(); }", &to_inner),
            ("use crate::b::inner::*; fn f() -> Other { Other::A }", &to_inner),
            ("use crate::b::*; fn f() { println!(\"{}\", call_of(Other::A)); }", &to_inner),
            ("fn f() { use crate::b::{inner::{call}}; call() }", &to_inner),
            ("fn f(b: usize, Deep: usize) -> usize { b }", &[]),
            ("use crate::b::here;", &to_mod),
            ("pub use crate::b::here;", &[]),
            ("#[cfg(test)] mod tests { use crate::Deep; }", &[]),
            ("use std::b::Deep; use b::nothing;", &[]),
            ("mod within { use super::super::b::inner::Deep; }", &to_inner),
        ] {
            assert_eq!(imports_of(&[LIB, ("a.rs", source), b, inner]), expected, "{source}");
        }
    }

    #[test]
    fn circle_is_found() {
        let b = ("b.rs", "mod c; pub struct B(crate::a::A);");
        let files = [("lib.rs", "mod a; mod b; mod d;"), ("a.rs", "pub struct A; use super::b::c::C;"), b];
        let files = [&files[..], &[("b/c.rs", "pub struct C(super::B);"), ("d.rs", "use crate::a::A;")]].concat();
        let found = rules::files_in_circles(&imports(&sources(&files)));
        assert!(found.iter().eq(["a.rs", "b.rs", "b/c.rs"]), "{found:?}");
    }

    #[test]
    fn upward_import_is_found() {
        let files = sources(&[
            ("lib.rs", "mod low; mod left; mod right;"),
            ("low.rs", "pub struct Low;"),
            ("left/mod.rs", "pub struct Left(crate::low::Low);"),
            ("right.rs", "use crate::left::Left; use crate::low::Low;"),
        ]);
        let upward = |rooms| rules::upward_imports(&files, &imports(&files), rooms);
        assert!(upward(&[&["low.rs"], &["left"], &["right.rs"], &["lib.rs"]]).is_empty());
        let right = "right.rs imports left/mod.rs";
        assert_eq!(upward(&[&["low.rs"], &["left", "right.rs"], &["lib.rs"]]), [right]);
        let low = "left/mod.rs imports low.rs";
        assert_eq!(upward(&[&["left"], &["low.rs"], &["right.rs"], &["lib.rs"]]), [low]);
        assert_eq!(upward(&[&["low.rs"], &["left"], &["right.rs"]]), ["lib.rs is in no room"]);
    }

    #[test]
    fn words_are_found_in_code_alone() {
        let files = sources(&[
            ("a.rs", "// unsafe\nconst A: &str = \"unsafe\"; const unsafe_code: u8 = 0;"),
            ("b.rs", "fn f() { call!([unsafe { g() }]) }"),
        ]);
        assert!(rules::files_with_word(&files, "unsafe").iter().eq(["b.rs"]));
    }

    #[test]
    fn wide_prose_and_long_files_are_found() {
        let wide = format!("    // {}\n", "long ".repeat(20));
        let table = format!("//! | {}\n", "long ".repeat(20));
        let code = format!("const A: &str = \"{}\";\n", "long ".repeat(20));
        let files = sources(&[("a.rs", &wide), ("b.rs", &table), ("c.rs", &code)]);
        assert!(rules::files_with_wide_prose(&files, 100).iter().eq(["a.rs"]));
        assert!(rules::long_files(&sources(&[("a.rs", "\n\n\n"), ("b.rs", "\n\n")]), 2).iter().eq(["a.rs"]));
    }

    #[test]
    fn bad_labels_are_found() {
        let files = sources(&[
            ("a.rs", "//! BAND-1: a body is in one band.\n//! BAND-2: no box is large.\n//! BAND-3: cells are wide."),
            ("b.rs", "fn f() {} // by BAND-1\n/// BAND-2: again. See BAND-2.\nconst A: &str = \"BAND-3\"; // BAND-31"),
            ("c.rs", "//! B1: old."),
        ]);
        assert_eq!(
            rules::bad_labels(&files),
            ["BAND-2 is defined twice", "BAND-2 is cited nowhere", "BAND-3 is cited nowhere"]
        );
        assert!(rules::files_with_nameless_labels(&files).iter().eq(["c.rs"]));
    }

    #[test]
    #[should_panic(expected = "listed without need: [\"b.rs\"]")]
    fn needless_entry_of_a_list_fails() {
        check_list(&BTreeSet::from(["a.rs".to_owned()]), &["a.rs", "b.rs"], "breaks a rule");
    }
}
