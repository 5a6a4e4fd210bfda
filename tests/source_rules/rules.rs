//! The rules, each a function from sources to descriptions of the violations.

use crate::imports::Files;
use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};

type Imports = BTreeSet<(String, String)>;

/// The files that import themselves, directly or through others.
pub(crate) fn files_in_circles(imports: &Imports) -> BTreeSet<String> {
    let mut targets: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    imports.iter().for_each(|(from, to)| _ = targets.entry(from).or_default().insert(to));
    let reaches_itself = |start: &str| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![start]);
        while let Some(file) = next.pop() {
            next.extend(targets.get(file).into_iter().flatten().copied().filter(|&file| seen.insert(file)));
        }
        seen.contains(start)
    };
    targets.keys().filter(|file| reaches_itself(file)).map(|file| (*file).to_owned()).collect()
}

/// Imports that point up. `rooms` are rows of files and folders: a row imports only from the rows
/// above it, and the rooms of a row never import from each other.
pub(crate) fn upward_imports(files: &Files, imports: &Imports, rooms: &[&[&str]]) -> Vec<String> {
    let room = |file: &str| {
        let all = rooms.iter().enumerate().flat_map(|(row, rooms)| rooms.iter().map(move |room| (row, *room)));
        let fits = all.filter(|(_, room)| file == *room || file.starts_with(&format!("{room}/")));
        fits.max_by_key(|(_, room)| room.len())
    };
    let homeless =
        files.iter().filter(|(file, _)| room(file).is_none()).map(|(file, _)| format!("{file} is in no room"));
    let upward = imports.iter().filter(|(from, to)| match (room(from), room(to)) {
        (Some((from_row, from_room)), Some((to_row, to_room))) => from_room != to_room && from_row <= to_row,
        _ => false,
    });
    homeless.chain(upward.map(|(from, to)| format!("{from} imports {to}"))).collect()
}

/// Files that contain a word as a token: not in comments, strings or longer words.
pub(crate) fn files_with_word(files: &Files, word: &str) -> BTreeSet<String> {
    fn holds(tokens: TokenStream, word: &str) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(name) => name == word,
            TokenTree::Group(group) => holds(group.stream(), word),
            _ => false,
        })
    }
    let tokens = |source: &str| source.parse().expect("tokens");
    files.iter().filter(|(_, source)| holds(tokens(source), word)).map(|(file, _)| file.clone()).collect()
}

/// Files with more lines than `lines_max`.
pub(crate) fn long_files(files: &Files, lines_max: usize) -> BTreeSet<String> {
    files.iter().filter(|(_, source)| source.lines().count() > lines_max).map(|(file, _)| file.clone()).collect()
}

/// Files with a comment wider than `columns_max`, except tables and links.
pub(crate) fn files_with_wide_prose(files: &Files, columns_max: usize) -> BTreeSet<String> {
    let is_wide = |line: &str| {
        let text = line.trim_start();
        let is_fixed = text.trim_start_matches('/').trim_start_matches('!').trim_start().starts_with('|');
        text.starts_with("//") && !is_fixed && !text.contains("http") && line.chars().count() > columns_max
    };
    files.iter().filter(|(_, source)| source.lines().any(is_wide)).map(|(file, _)| file.clone()).collect()
}

/// The label that a comment line defines: `BAND-2` of `//! BAND-2: ...`, or `B2` of `//! B2: ...`.
fn label(line: &str) -> Option<&str> {
    let text =
        line.trim_start().strip_prefix("//")?.trim_start_matches(['/', '!']).trim_start().trim_start_matches("- ");
    let (label, _) = text.split_once(": ")?;
    let is_label = label.starts_with(|c: char| c.is_ascii_uppercase())
        && label.ends_with(|c: char| c.is_ascii_digit())
        && label.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-');
    is_label.then_some(label)
}

/// Files with labels of invariants that have no name, unlike `BAND-2`.
pub(crate) fn files_with_nameless_labels(files: &Files) -> BTreeSet<String> {
    let nameless = |source: &str| source.lines().filter_map(label).any(|label| !label.contains('-'));
    files.iter().filter(|(_, source)| nameless(source)).map(|(file, _)| file.clone()).collect()
}

/// Named labels that are defined twice or cited nowhere.
pub(crate) fn bad_labels(files: &Files) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let lines = || files.iter().flat_map(|(_, source)| source.lines());
    lines()
        .filter_map(label)
        .filter(|label| label.contains('-'))
        .for_each(|label| *counts.entry(label).or_default() += 1);
    let is_cited = |label: &str| {
        let cites = |line: &str| {
            let comment = line.split_once("//").map_or("", |(_, comment)| comment);
            comment.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').any(|word| word == label)
        };
        lines().any(|line| cites(line) && self::label(line) != Some(label))
    };
    let twice = counts.iter().filter(|(_, count)| **count > 1).map(|(label, _)| format!("{label} is defined twice"));
    let uncited = counts.keys().filter(|label| !is_cited(label)).map(|label| format!("{label} is cited nowhere"));
    twice.chain(uncited).collect()
}
