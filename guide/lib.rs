//! The pages of the guide as documentation, so that `cargo test` compiles and runs their programs.
//!
//! Pages are Markdown files in `src`. To add one, write it, and add a line to `src/SUMMARY.md` and to
//! the list below; a test fails if one of the three is missing.

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
