//! Which file imports which: every path in the code and in macro calls, resolved to the file that
//! defines its item, through re-exports, globs, `self` and `super`. Unit tests are left out.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::{BTreeSet, HashMap};
use syn::{Attribute, Item, UseTree};

/// Most re-exports in the resolution of a name.
const DEPTH_MAX: usize = 16;

/// Files by their path below `src/`.
pub(crate) type Files = Vec<(String, String)>;

#[derive(Default)]
struct Module {
    file: usize,
    parent: usize,
    names: HashMap<String, Name>,
    globs: Vec<Vec<String>>,
    /// The paths that the code of the module has.
    paths: Vec<Vec<String>>,
}

enum Name {
    Item,
    Module(usize),
    Import(Vec<String>),
}

enum Target {
    Item(usize),
    Module(usize),
}

struct Crate<'a> {
    files: &'a Files,
    modules: Vec<Module>,
}

/// The imports between files, as pairs of names: the first imports from the second.
pub(crate) fn imports(files: &Files) -> BTreeSet<(String, String)> {
    let mut all = Crate { files, modules: vec![Module::default()] };
    let root = files.iter().position(|(name, _)| name == "lib.rs").expect("a file lib.rs");
    all.modules[0].file = root;
    all.add_file(0, "", &files[root].1);
    let mut imports = BTreeSet::new();
    for (number, module) in all.modules.iter().enumerate() {
        for path in &module.paths {
            if let Some(Target::Item(file)) = all.resolve(number, path, 0)
                && file != module.file
            {
                imports.insert((files[module.file].0.clone(), files[file].0.clone()));
            }
        }
    }
    imports
}

impl Crate<'_> {
    /// Adds the items of a file, whose child modules are in `folder`.
    fn add_file(&mut self, module: usize, folder: &str, source: &str) {
        let name = &self.files[self.modules[module].file].0;
        let file = syn::parse_file(source).unwrap_or_else(|error| panic!("{name}: {error}"));
        self.add_items(module, folder, file.items);
    }

    fn add_items(&mut self, module: usize, folder: &str, items: Vec<Item>) {
        for item in items {
            let tokens = item.to_token_stream();
            let (attributes, name) = match &item {
                Item::Const(item) => (&item.attrs, Some(&item.ident)),
                Item::Enum(item) => (&item.attrs, Some(&item.ident)),
                Item::Fn(item) => (&item.attrs, Some(&item.sig.ident)),
                Item::Impl(item) => (&item.attrs, None),
                Item::Macro(item) => (&item.attrs, item.ident.as_ref()),
                Item::Mod(item) => (&item.attrs, None),
                Item::Static(item) => (&item.attrs, Some(&item.ident)),
                Item::Struct(item) => (&item.attrs, Some(&item.ident)),
                Item::Trait(item) => (&item.attrs, Some(&item.ident)),
                Item::Type(item) => (&item.attrs, Some(&item.ident)),
                Item::Union(item) => (&item.attrs, Some(&item.ident)),
                Item::Use(item) => (&item.attrs, None),
                _ => continue,
            };
            if attributes.iter().any(is_test_only) {
                continue;
            }
            if let Some(name) = name {
                self.modules[module].names.insert(name.to_string(), Name::Item);
            }
            match item {
                Item::Mod(child) => self.add_module(module, folder, child),
                Item::Use(import) => {
                    self.add_use(module, &mut Vec::new(), &import.tree);
                    // A re-export imports nothing for its own file.
                    if matches!(import.vis, syn::Visibility::Inherited) {
                        collect_paths(tokens, &[], &mut self.modules[module].paths);
                    }
                }
                _ => collect_paths(tokens, &[], &mut self.modules[module].paths),
            }
        }
    }

    fn add_module(&mut self, parent: usize, folder: &str, child: syn::ItemMod) {
        let (name, number) = (child.ident.to_string(), self.modules.len());
        let folder = format!("{folder}{name}/");
        self.modules.push(Module { file: self.modules[parent].file, parent, ..Module::default() });
        self.modules[parent].names.insert(name.clone(), Name::Module(number));
        if let Some((_, items)) = child.content {
            return self.add_items(number, &folder, items);
        }
        let names = [format!("{}.rs", folder.trim_end_matches('/')), format!("{folder}mod.rs")];
        let file = self.files.iter().position(|(file, _)| names.contains(file));
        let file = file.unwrap_or_else(|| panic!("mod {name}: none of {names:?} exists"));
        self.modules[number].file = file;
        self.add_file(number, &folder, &self.files[file].1);
    }

    fn add_use(&mut self, module: usize, path: &mut Vec<String>, tree: &UseTree) {
        let mut import = |name: String, path: Vec<String>| {
            self.modules[module].names.entry(name).or_insert(Name::Import(path));
        };
        match tree {
            UseTree::Path(tree) => {
                path.push(tree.ident.to_string());
                self.add_use(module, path, &tree.tree);
                path.pop();
            }
            UseTree::Name(tree) if tree.ident == "self" => {
                import(path.last().cloned().unwrap_or_default(), path.clone())
            }
            UseTree::Name(tree) => import(tree.ident.to_string(), [&path[..], &[tree.ident.to_string()]].concat()),
            UseTree::Rename(tree) => import(tree.rename.to_string(), [&path[..], &[tree.ident.to_string()]].concat()),
            UseTree::Glob(_) => self.modules[module].globs.push(path.clone()),
            UseTree::Group(tree) => tree.items.iter().for_each(|tree| self.add_use(module, path, tree)),
        }
    }

    fn resolve(&self, module: usize, path: &[String], depth: usize) -> Option<Target> {
        let mut at = module;
        for (k, name) in path.iter().enumerate() {
            let target = match name.as_str() {
                "crate" => Target::Module(0),
                "self" => Target::Module(at),
                "super" => Target::Module(self.modules[at].parent),
                _ => self.look_up(at, name, k == 0, depth)?,
            };
            match target {
                Target::Module(module) => at = module,
                // The rest of the path is a variant, an associated item or a method.
                Target::Item(_) => return Some(target),
            }
        }
        Some(Target::Module(at))
    }

    fn look_up(&self, module: usize, name: &str, is_first: bool, depth: usize) -> Option<Target> {
        if depth > DEPTH_MAX {
            return None;
        }
        let here = &self.modules[module];
        match here.names.get(name) {
            Some(Name::Item) => Some(Target::Item(here.file)),
            Some(Name::Module(number)) => Some(Target::Module(*number)),
            // A path that begins with its own name is that of another crate.
            Some(Name::Import(path)) if is_first && path.len() == 1 && path[0] == name => None,
            Some(Name::Import(path)) => self.resolve(module, path, depth + 1),
            None => here.globs.iter().find_map(|glob| {
                let Some(Target::Module(other)) = self.resolve(module, glob, depth + 1) else { return None };
                (other != module).then(|| self.look_up(other, name, false, depth + 1)).flatten()
            }),
        }
    }
}

fn is_test_only(attribute: &Attribute) -> bool {
    let text = attribute.to_token_stream().to_string();
    attribute.path().is_ident("cfg") && (text.contains("test)") || text.contains("(test") || text.contains("doctest"))
}

/// Appends the paths in some tokens: those of several names, types, and called functions. A single
/// name in lower case elsewhere is a variable or a field.
fn collect_paths(tokens: TokenStream, prefix: &[String], paths: &mut Vec<Vec<String>>) {
    let mut path: Vec<String> = Vec::new();
    let (mut colons, mut is_member) = (0, false);
    let finish = |path: &mut Vec<String>, is_call: bool, paths: &mut Vec<Vec<String>>| {
        let is_type = path.first().is_some_and(|name| name.starts_with(char::is_uppercase));
        if !path.is_empty() && (is_type || is_call || path.len() + prefix.len() > 1) {
            paths.push([prefix, path].concat());
        }
        path.clear();
    };
    for token in tokens {
        match token {
            TokenTree::Ident(name) => {
                if colons != 2 {
                    finish(&mut path, false, paths);
                }
                if !is_member || colons == 2 {
                    path.push(name.to_string());
                }
                (colons, is_member) = (0, false);
            }
            TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
            TokenTree::Group(group) => {
                if colons == 2 && group.delimiter() == Delimiter::Brace {
                    // A tree of imports within a function.
                    collect_paths(group.stream(), &[prefix, &path].concat(), paths);
                    path.clear();
                } else {
                    finish(&mut path, group.delimiter() == Delimiter::Parenthesis, paths);
                    collect_paths(group.stream(), &[], paths);
                }
                (colons, is_member) = (0, false);
            }
            TokenTree::Punct(mark) => {
                finish(&mut path, false, paths);
                (colons, is_member) = (0, mark.as_char() == '.');
            }
            TokenTree::Literal(_) => {
                finish(&mut path, false, paths);
                (colons, is_member) = (0, false);
            }
        }
    }
    finish(&mut path, false, paths);
}
