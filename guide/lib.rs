//! The pages of the guide as documentation, so that `cargo test` compiles and runs their programs.
//!
//! Pages are Markdown files in `src`. To add one, write it, and add a line to `src/SUMMARY.md` and
//! to the list below; a test fails if one of the three is missing.

/// Declares a module for each page, with the page as its documentation.
macro_rules! pages {
    ($($page:ident: $file:literal,)*) => {
        $(
            #[cfg(doctest)]
            #[doc = include_str!(concat!("src/", $file))]
            mod $page {}
        )*

        /// Files of all pages, in the order of the table of contents.
        #[cfg(test)]
        const PAGES: &[&str] = &[$($file),*];
    };
}

pages! {
    first_steps: "first-steps.md",
    how_it_works: "how-it-works.md",
    columns: "columns.md",
    bounds: "bounds.md",
    large_worlds: "large-worlds.md",
    told_changes: "told-changes.md",
    events: "events.md",
    solvers: "solvers.md",
    queries: "queries.md",
    determinism: "determinism.md",
    profiling: "profiling.md",
    from_hash_grid: "from-hash-grid.md",
    from_rapier: "from-rapier.md",
    from_box2d: "from-box2d.md",
    from_quadtree: "from-quadtree.md",
    calls: "calls.md",
}

#[cfg(test)]
mod tests {
    use super::PAGES;
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::{Path, PathBuf};

    fn folder() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
    }

    fn read(file: &str) -> String {
        fs::read_to_string(folder().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    /// The targets of links and pictures, without the part after `#`.
    fn links(text: &str) -> impl Iterator<Item = &str> {
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        targets.map(|target| target.split('#').next().unwrap_or(target))
    }

    #[test]
    fn the_summary_and_the_list_have_the_same_pages() {
        let summary = read("SUMMARY.md");
        assert_eq!(links(&summary).collect::<Vec<_>>(), PAGES, "SUMMARY.md (left), lib.rs (right)");
    }

    #[test]
    fn every_file_is_a_page() {
        let entries = fs::read_dir(folder()).expect("the folder exists");
        let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"));
        let mut files: Vec<String> = names.filter(|name| name.ends_with(".md") && name != "SUMMARY.md").collect();
        let mut pages = PAGES.to_vec();
        files.sort_unstable();
        pages.sort_unstable();
        assert_eq!(files, pages, "files (left), lib.rs (right)");
    }

    /// The path of a function up to its arguments, such as `QueryBuilder::nearest`.
    fn without_generics(item: &str) -> String {
        let (mut path, mut depth) = (String::new(), 0);
        for c in item.chars() {
            match c {
                '<' => depth += 1,
                '>' => depth -= 1,
                '(' if depth == 0 => break,
                _ if depth == 0 => path.push(c),
                _ => {}
            }
        }
        path
    }

    /// The record of public items is checked where the library is published.
    #[test]
    fn the_page_of_calls_names_every_call() {
        let record = folder().join("../../.ci/public-api.txt");
        let record = fs::read_to_string(&record).unwrap_or_else(|error| panic!("{}: {error}", record.display()));
        let page = read("calls.md");
        let words: BTreeSet<&str> = page.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let mut count = 0;
        for item in record.lines().filter_map(|line| line.strip_prefix("pub fn triphase::")) {
            let path = without_generics(item);
            let mut segments = path.rsplit("::");
            let (Some(call), Some(of)) = (segments.next(), segments.next()) else { continue };
            let is_reading = of == "WorldConfig" && !call.starts_with("with_");
            let is_shown = ["World", "WorldConfig", "Bodies", "Contacts", "QueryBuilder"].contains(&of);
            let is_of_a_trait = ["fmt", "as_ref", "len", "is_empty"].contains(&call);
            if is_shown && !is_reading && !is_of_a_trait {
                assert!(words.contains(call), "calls.md does not name {of}::{call}");
                count += 1;
            }
        }
        assert!(count > 90, "the record has calls: {count}");
    }

    #[test]
    fn links_lead_to_files_and_every_picture_is_shown() {
        let mut shown = Vec::new();
        for page in PAGES {
            let text = read(page);
            for target in links(&text).filter(|target| !target.is_empty() && !target.contains("://")) {
                assert!(folder().join(target).exists(), "{page} links to {target}, which does not exist");
                shown.extend(target.strip_prefix("pictures/").map(str::to_owned));
            }
        }
        for entry in fs::read_dir(folder().join("pictures")).expect("the folder exists") {
            let name = entry.expect("an entry").file_name().into_string().expect("UTF-8");
            assert!(shown.contains(&name), "no page shows {name}");
        }
    }
}
