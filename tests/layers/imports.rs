//! Which module takes which name from which other module, in all crates.
//!
//! A path begins with a room, whatever crate the room is in. Names are followed through re-exports to the module that
//! declares them. Tests inside the sources are left out.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Item, UseTree};

use super::crates::{CRATES, Crate};
use crate::support::{package, package_files};

/// A module, or an item in one: its room, and the segments below.
pub type ModulePath = Vec<String>;

/// Most re-exports that a name is followed through.
const MAX_REEXPORTS: usize = 20;

/// A name that one module takes from another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Import {
    /// The module that takes it.
    pub by: ModulePath,
    /// The name as an absolute path, before re-exports are followed.
    pub named: ModulePath,
    /// The module that declares it.
    pub from: ModulePath,
}

/// A `use` of a name.
struct Use {
    path: ModulePath,
    alias: String,
}

/// The imports and paths of one file.
#[derive(Default)]
struct Module {
    uses: Vec<Use>,
    /// Paths in code, as written.
    paths: BTreeSet<ModulePath>,
}

/// All modules of the workspace.
pub struct Modules(BTreeMap<ModulePath, Module>);

impl Modules {
    /// Reads the libraries of all crates.
    pub fn read() -> Modules {
        let mut modules = Modules(BTreeMap::new());
        CRATES.iter().for_each(|owner| modules.add(owner));
        modules
    }

    fn add(&mut self, owner: &Crate) {
        let directory = owner.sources();
        for file in package_files(&directory, &["rs"]).into_iter().filter(|file| !file.ends_with("main.rs")) {
            let below = file.strip_prefix(package(&directory)).expect("it was found there").with_extension("");
            let mut written: ModulePath = below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            if written.last().is_some_and(|last| matches!(last.as_str(), "mod" | "lib")) {
                written.pop();
            }
            let path = owner.path(&written);
            let text = std::fs::read_to_string(&file).expect("sources are UTF-8");
            let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            let mut module = Module::default();
            parsed.items.iter().filter(|item| !is_test(item)).for_each(|item| module.add(item));
            // The `lib.rs` of crates with several rooms belong to none of them.
            self.0.entry(path).or_default().merge(module);
        }
    }

    /// Every name that a module takes from another one.
    pub fn imports(&self) -> BTreeSet<Import> {
        let mut imports = BTreeSet::new();
        for (by, module) in &self.0 {
            for path in module.uses.iter().map(|used| &used.path).chain(&module.paths) {
                let Some(named) = self.absolute(by, path) else { continue };
                let from = self.declared_in(&named, 0);
                if from != *by {
                    imports.insert(Import { by: by.clone(), named, from });
                }
            }
        }
        imports
    }

    /// The modules directly below one.
    pub fn children(&self, parent: &[String]) -> BTreeSet<&str> {
        let below = self.0.keys().filter(|path| path.len() == parent.len() + 1 && path.starts_with(parent));
        below.map(|path| path[parent.len()].as_str()).collect()
    }

    /// All modules.
    pub fn paths(&self) -> impl Iterator<Item = &ModulePath> {
        self.0.keys()
    }

    /// The path from its room for one that is written in a module; `None` for crates of others and local names.
    fn absolute(&self, module: &[String], written: &[String]) -> Option<ModulePath> {
        let (first, rest) = written.split_first()?;
        if let Some(named) = CRATES.iter().find(|known| known.library() == *first) {
            return Some(named.path(rest));
        }
        let mut base = match first.as_str() {
            "crate" => return Some(Crate::of(module).map_or_else(|| rest.to_vec(), |owner| owner.path(rest))),
            "self" => module.to_vec(),
            "super" => module.split_last()?.1.to_vec(),
            child if self.children(module).contains(child) => [module, &[child.to_owned()]].concat(),
            _ => return None,
        };
        for part in rest {
            if part == "super" {
                base.pop()?;
            } else {
                base.push(part.clone());
            }
        }
        Some(base)
    }

    /// The module that declares what a path names.
    fn declared_in(&self, path: &[String], depth: usize) -> ModulePath {
        let length = (0..=path.len()).rev().find(|&length| self.0.contains_key(&path[..length])).unwrap_or(0);
        let module = &path[..length];
        let Some(name) = path.get(length) else { return module.to_vec() };
        let reexport = self.0.get(module).and_then(|known| known.uses.iter().find(|used| used.alias == *name));
        match reexport.and_then(|used| self.absolute(module, &used.path)) {
            Some(target) if depth < MAX_REEXPORTS => self.declared_in(&target, depth + 1),
            _ => module.to_vec(),
        }
    }
}

impl Module {
    fn merge(&mut self, other: Module) {
        self.uses.extend(other.uses);
        self.paths.extend(other.paths);
    }

    fn add(&mut self, item: &Item) {
        if let Item::Use(used) = item {
            self.add_use(&used.tree, &mut Vec::new());
        } else {
            self.add_paths(item.to_token_stream());
        }
    }

    fn add_use(&mut self, tree: &UseTree, before: &mut ModulePath) {
        let mut add = |path: ModulePath, alias: String| self.uses.push(Use { path, alias });
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.add_use(&path.tree, before);
                before.pop();
            }
            UseTree::Name(name) if name.ident == "self" => {
                add(before.clone(), before.last().cloned().unwrap_or_default());
            }
            UseTree::Name(name) => add([&before[..], &[name.ident.to_string()]].concat(), name.ident.to_string()),
            UseTree::Rename(name) => add([&before[..], &[name.ident.to_string()]].concat(), name.rename.to_string()),
            UseTree::Glob(_) => add(before.clone(), "*".to_owned()),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.add_use(tree, before)),
        }
    }

    /// Collects `a::b::c` from tokens, those inside macros too.
    fn add_paths(&mut self, tokens: TokenStream) {
        let mut path: ModulePath = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.end_path(&mut path);
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
                other => {
                    self.end_path(&mut path);
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.add_paths(group.stream());
                    }
                }
            }
        }
        self.end_path(&mut path);
    }

    fn end_path(&mut self, path: &mut ModulePath) {
        let path = std::mem::take(path);
        if path.len() > 1 {
            self.paths.insert(path);
        }
    }
}

/// Whether an item is compiled for tests alone.
pub fn is_test(item: &Item) -> bool {
    let Item::Mod(module) = item else { return false };
    module.attrs.iter().any(|attribute| attribute.to_token_stream().to_string().replace(' ', "") == "#[cfg(test)]")
}
