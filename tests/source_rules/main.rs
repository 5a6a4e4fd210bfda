//! The house: a file imports only from lower layers, tiers never import each other, one file names rayon, `unsafe`
//! is where it is listed here, and no file grows beyond what can be read in one sitting.

use std::path::{Path, PathBuf};

/// Longest file, in lines.
const LINES_MAX: usize = 500;

/// Files that may hold `unsafe`, below `src/`.
const UNSAFE_FILES: [&str; 16] = [
    "geometry/aabb.rs",             // a box as four f32
    "pair.rs",                      // a pair as two u32
    "storage/disjoint.rs",          // one buffer, many tasks
    "storage/record.rs",            // a record as five words
    "kernel/lanes.rs",              // what an SIMD level offers
    "kernel/level.rs",              // the choice of one
    "kernel/rule.rs",               // discs, lane by lane
    "kernel/scan.rs",               // the scans
    "kernel/portable.rs",           // four boxes at a time
    "kernel/sse2.rs",               // eight
    "kernel/avx2.rs",               // the same
    "kernel/avx512.rs",             // the same
    "kernel/masks.rs",              // a few boxes at a time, as bits
    "tier/point_grid/partition.rs", // chunks write where they counted
    "world/task.rs",                // bands fill the places they were given
    "world/exclusive/columns.rs",   // two rows at a time, while no one else has them
];

/// Files that may name rayon, below `src/`.
const RAYON_FILES: [&str; 2] = [
    "parallel.rs",       // the seam
    "world/contacts.rs", // blocks as a parallel iterator, where the caller's loop meets them
];

/// A layer: the name of its top module or `tier/…`, and the layers that it may import. `lib` re-exports everything.
fn allowed(layer: &str) -> &'static [&'static str] {
    const VOCABULARY: &[&str] = &["geometry", "config", "bodies", "pair", "filter", "error"];
    const BELOW_TIERS: &[&str] = &[
        "geometry",
        "config",
        "bodies",
        "pair",
        "filter",
        "error",
        "parallel",
        "reference",
        "storage",
        "kernel",
        "query",
    ];
    const BELOW_QUERY: &[&str] = &["geometry", "config", "bodies", "pair", "filter", "error", "parallel", "storage"];
    const BELOW_KERNEL: &[&str] = &["geometry", "config", "bodies", "pair", "filter", "error", "storage"];
    match layer {
        "geometry" | "parallel" => &[],
        "config" | "bodies" | "pair" | "filter" | "error" => VOCABULARY,
        "reference" => &["geometry"],
        "storage" => VOCABULARY,
        "kernel" | "stream" => BELOW_KERNEL,
        "query" => BELOW_QUERY,
        tier if tier.starts_with("tier/") => BELOW_TIERS,
        _ => &[],
    }
}

/// The layer of a file, by its path below `src/`: `world/step.rs` is in `world`, `tier/a/b.rs` in `tier/a`.
fn layer_of(file: &str) -> String {
    let parts: Vec<&str> = file.trim_end_matches(".rs").split('/').filter(|part| *part != "mod").collect();
    layer(&parts)
}

/// The layer of a module path.
fn layer(path: &[&str]) -> String {
    match path {
        ["tier", name, ..] => format!("tier/{name}"),
        [name, ..] => (*name).to_owned(),
        [] => "lib".to_owned(),
    }
}

/// What a file does wrong, in words.
fn faults(file: &str, source: &str) -> Vec<String> {
    let code = code_of(source);
    let mut faults = Vec::new();
    let own = layer_of(file);
    for path in paths(file, &code) {
        let parts: Vec<&str> = path.split("::").collect();
        let target = match parts[..] {
            // The folder itself, or all of it: as good as naming every tier.
            ["tier"] | ["tier", "*" | "self"] => "every tier".to_owned(),
            _ => layer(&parts),
        };
        let free = own == "lib" || own == "world" || own == "tier" || target == own;
        if !free && !allowed(&own).contains(&target.as_str()) {
            faults.push(format!("{file}: {own} may not import {target} (crate::{path})"));
        }
    }
    let tokens = tokens(&code);
    if tokens.contains(&"rayon") && !RAYON_FILES.contains(&file) {
        faults.push(format!("{file}: names rayon, which only {RAYON_FILES:?} may"));
    }
    if tokens.contains(&"unsafe") && !UNSAFE_FILES.contains(&file) {
        faults.push(format!("{file}: holds unsafe, which only {UNSAFE_FILES:?} may"));
    }
    let lines = source.lines().count();
    if lines > LINES_MAX {
        faults.push(format!("{file}: {lines} lines, at most {LINES_MAX}"));
    }
    faults
}

/// Every path into this crate, without its leading `crate`: use trees are taken apart, `super` and `self` resolved.
fn paths(file: &str, code: &str) -> Vec<String> {
    let tokens = tokens(code);
    // Modules within the file, with the depth of braces at which each one ends.
    let mut within: Vec<(String, usize)> = Vec::new();
    let mut depth = 0;
    let mut found = Vec::new();
    let mut k = 0;
    while k < tokens.len() {
        match tokens[k] {
            "{" => depth += 1,
            "}" => {
                depth = usize::saturating_sub(depth, 1);
                within.retain(|(_, end)| *end <= depth);
            }
            "mod" if tokens.get(k + 2) == Some(&"{") => {
                within.push((tokens[k + 1].to_owned(), depth + 1));
                k += 1;
            }
            // `$crate` in a macro too; not `pub(crate)`, nor `self` without a path.
            start @ ("crate" | "super" | "self") if tokens.get(k + 1) == Some(&"::") => {
                let here = module_of(file).into_iter().chain(within.iter().map(|(name, _)| name.clone()));
                let base: Vec<String> = if start == "crate" { Vec::new() } else { here.collect() };
                let start = if start == "self" || start == "crate" { k + 2 } else { k };
                k = tree(&tokens, start, base, &mut found).max(k + 1);
                continue;
            }
            // `use triphase::…` would be this crate too.
            "triphase" if tokens.get(k + 1) == Some(&"::") => {
                k = tree(&tokens, k + 2, Vec::new(), &mut found);
                continue;
            }
            _ => {}
        }
        k += 1;
    }
    found
}

/// Reads a path or use tree that starts at `tokens[k]` below `base`; adds each leaf, returns where it ends.
fn tree(tokens: &[&str], mut k: usize, mut base: Vec<String>, found: &mut Vec<String>) -> usize {
    loop {
        match tokens.get(k) {
            Some(&"super") => {
                base.pop();
            }
            Some(&"{") => {
                k += 1;
                while !matches!(tokens.get(k), Some(&"}") | None) {
                    if tokens[k] == "," {
                        k += 1;
                    } else {
                        k = tree(tokens, k, base.clone(), found).max(k + 1);
                        if tokens.get(k) == Some(&"as") {
                            k += 2;
                        }
                    }
                }
                return k + 1;
            }
            Some(name) if is_name(name) || *name == "*" => base.push((*name).to_owned()),
            _ => break,
        }
        k += 1;
        if tokens.get(k) != Some(&"::") {
            break;
        }
        k += 1;
    }
    found.push(base.join("::"));
    k
}

/// The module that a file is.
fn module_of(file: &str) -> Vec<String> {
    let parts = file.trim_end_matches(".rs").split('/');
    parts.filter(|part| !["mod", "lib"].contains(part)).map(str::to_owned).collect()
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// Names, `::`, and single other characters.
fn tokens(code: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let name = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let len = match name {
            0 if rest.starts_with("::") => 2,
            0 => first.len_utf8(),
            len => len,
        };
        if !first.is_whitespace() {
            tokens.push(&rest[..len]);
        }
        rest = &rest[len..];
    }
    tokens
}

/// The source without comments, strings and character literals, each a blank.
fn code_of(source: &str) -> String {
    let bytes = source.as_bytes();
    let mut code = String::new();
    let mut k = 0;
    while k < bytes.len() {
        let rest = &source[k..];
        let end = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment(rest)
        } else if rest.starts_with('"') {
            quoted(rest, '"')
        } else if rest.starts_with("r\"") || rest.starts_with("r#\"") {
            let close = if rest.starts_with("r#") { "\"#" } else { "\"" };
            let open = rest.find('"').expect("just seen") + 1;
            rest[open..].find(close).map_or(rest.len(), |at| open + at + close.len())
        } else if rest.starts_with('\'') && is_character(rest) {
            quoted(rest, '\'')
        } else {
            let len = rest.chars().next().map_or(1, char::len_utf8);
            code.push_str(&rest[..len]);
            k += len;
            continue;
        };
        code.push(' ');
        k += end;
    }
    code
}

/// Whether this quote opens a character rather than names a lifetime.
fn is_character(rest: &str) -> bool {
    let mut after = rest.chars().skip(1);
    matches!((after.next(), after.next()), (Some('\\'), _) | (_, Some('\'')))
}

/// Where a quoted literal ends that starts at the front.
fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        if !escaped && c == quote {
            return at + 1;
        }
        escaped = !escaped && c == '\\';
    }
    rest.len()
}

/// Where a block comment ends; they nest.
fn block_comment(rest: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        match rest.get(at..at + 2) {
            Some("/*") => (depth, at) = (depth + 1, at + 2),
            Some("*/") => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

/// Every file below `folder`, with its path below `src/`.
fn sources(folder: &Path, below: &str, all: &mut Vec<(String, PathBuf)>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().into_string().expect("a name in UTF-8");
        let path = if below.is_empty() { name } else { format!("{below}/{name}") };
        if entry.file_type().expect("a type").is_dir() {
            sources(&entry.path(), &path, all);
        } else if path.ends_with(".rs") {
            all.push((path, entry.path()));
        }
    }
}

#[test]
fn every_file_keeps_the_rules_of_the_house() {
    let mut all = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "", &mut all);
    assert!(all.len() > 10);
    let read = |path: &Path| std::fs::read_to_string(path).expect("a text");
    let faults: Vec<String> = all.iter().flat_map(|(file, path)| faults(file, &read(path))).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));

    // The lists of exceptions hold nothing that is not used.
    for file in UNSAFE_FILES {
        let path = all.iter().find(|(name, _)| name == file).map(|(_, path)| path);
        assert!(
            path.is_some_and(|path| tokens(&code_of(&read(path))).contains(&"unsafe")),
            "{file} needs no exception"
        );
    }
}

#[test]
fn every_module_of_the_crate_has_a_layer() {
    let mut all = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "", &mut all);
    let known = [
        "lib",
        "geometry",
        "config",
        "bodies",
        "pair",
        "filter",
        "error",
        "parallel",
        "reference",
        "storage",
        "kernel",
        "query",
        "stream",
        "tier",
        "world",
    ];
    for (file, _) in all {
        let layer = layer_of(&file);
        assert!(known.contains(&layer.as_str()) || layer.starts_with("tier/"), "{file} is in no known layer");
    }
}

#[test]
fn the_checker_finds_what_it_should() {
    let bad = [
        ("geometry/aabb.rs", "use crate::error::Error;"),
        ("geometry/aabb.rs", "fn f() -> crate::pair::Pair {}"),
        ("geometry/aabb.rs", "use super::super::error::Error;"),
        ("geometry/mod.rs", "use super::error::Error;"),
        ("config.rs", "use crate::{geometry::Aabb, storage::bitset::BitSet};"),
        ("error.rs", "use super::world;"),
        ("error.rs", "pub(crate) use self::super::world;"),
        ("bodies.rs", "use crate::{\n    error::{self, Column},\n    world::{Contacts as C},\n};"),
        ("reference.rs", "use crate::error::Error;"),
        ("parallel.rs", "use crate::geometry::Aabb;"),
        ("storage/pages.rs", "fn f() { crate::parallel::join(a, b) }"),
        ("storage/pages.rs", "use crate::kernel::test;"),
        ("storage/pages.rs", "mod tests { mod deep { use super::super::super::super::world::World; } }"),
        ("kernel/avx2.rs", "use crate::tier::point_grid::Cell;"),
        ("kernel/avx2.rs", "let x = 'a'; let y = crate::world::World::default();"),
        ("tier/point_grid/build.rs", "use crate::tier::loose_grid::LooseGrid;"),
        ("tier/point_grid/build.rs", "use super::super::loose_grid::LooseGrid;"),
        ("tier/point_grid/mod.rs", "use super::loose_grid::LooseGrid;"),
        ("tier/point_grid/mod.rs", "use crate::{tier::{static_tree as t}};"),
        ("tier/point_grid/mod.rs", "use crate::tier;"),
        ("tier/point_grid/mod.rs", "use crate::{tier::{self}};"),
        ("tier/point_grid/mod.rs", "use crate::tier::*;"),
        ("tier/point_grid/mod.rs", "fn f() { let g = crate :: world :: World::default(); }"),
        ("tier/point_grid/mod.rs", "mod tests { use super::super::static_tree::StaticTree; }"),
        ("tier/static_tree/query.rs", "macro_rules! m { () => { $crate::world::World } }"),
        ("tier/static_tree/query.rs", "use triphase::World;"),
        ("tier/static_tree/query.rs", "use crate::World;"),
        ("kernel/mod.rs", "use rayon::prelude::*;"),
        ("world/step.rs", "fn f() { rayon::join(a, b) }"),
        ("world/step.rs", "fn f() { unsafe { g() } }"),
        ("storage/pages.rs", "/* a /* b */ */ unsafe fn f() {}"),
    ];
    for (file, source) in bad {
        assert_eq!(faults(file, source).len(), 1, "{file}: {source}: {:?}", faults(file, source));
    }
    let long = "//\n".repeat(LINES_MAX + 1);
    assert_eq!(faults("world/step.rs", &long).len(), 1);
}

#[test]
fn the_checker_leaves_alone_what_is_right() {
    let good = [
        ("lib.rs", "pub use world::World; pub use crate::tier::point_grid::PointGrid;"),
        ("error.rs", "use crate::geometry::{BadBox, axis_name}; use super::pair::Pair; use crate::config;"),
        ("geometry/aabb.rs", "use super::ray::Ray; use crate::geometry::mod_a; mod tests { use super::*; }"),
        (
            "geometry/aabb.rs",
            "//! [`World`](crate::World), rayon, unsafe\n/* crate::world::World */ const S: &str = \"crate::world\";",
        ),
        (
            "geometry/aabb.rs",
            "const R: &str = r#\"crate::world \" rayon\"#; const C: char = '\"'; fn f<'a>(x: &'a str) {}",
        ),
        ("geometry/aabb.rs", "pub(crate) fn overlaps() {} pub(super) fn f(self) {} pub(in crate::geometry) fn g() {}"),
        ("kernel/avx2.rs", "use crate::{geometry::RawBox, storage::{bitset::BitSet, pages::*}};"),
        ("reference.rs", "use crate::geometry::{RawBox, overlaps};"),
        ("tier/mod.rs", "pub mod loose_grid; pub use self::loose_grid::LooseGrid;"),
        ("tier/point_grid/build.rs", "use super::cell::Cell; use crate::tier::point_grid::Run; use crate::parallel;"),
        (
            "tier/point_grid/build.rs",
            "mod tests { use super::*; use crate::reference; fn f() { super::super::query::g() } }",
        ),
        ("tier/point_grid/mod.rs", "use self::build::Build; use crate::kernel::test_run;"),
        ("world/step.rs", "use crate::tier::{loose_grid, point_grid}; use super::frame::Frame;"),
        ("parallel.rs", "use rayon::prelude::*; mod tests { use super::*; }"),
        ("pair.rs", "unsafe impl Pod for Pair {}"),
    ];
    for (file, source) in good {
        assert_eq!(faults(file, source), Vec::<String>::new(), "{source}");
    }
}
