//! The glossary of `CONTRIBUTING.md`: names declared in `src/` use one word for one idea, and comments are plain.

#![allow(clippy::disallowed_methods, reason = "tests read the sources")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use quote::ToTokens;
use syn::visit::Visit;

/// Directories whose comments may begin with "What": they are messages, in the help of commands and the schemas of
/// results.
const MESSAGES: [&str; 3] = ["src/cli/args/", "src/options/", "src/tools/"];

/// The types and modules that a file declares.
#[derive(Default)]
struct Declared {
    types: Vec<String>,
    modules: Vec<String>,
}

impl<'a> Visit<'a> for Declared {
    fn visit_item(&mut self, item: &'a syn::Item) {
        match item {
            syn::Item::Struct(item) => self.types.push(item.ident.to_string()),
            syn::Item::Enum(item) => self.types.push(item.ident.to_string()),
            syn::Item::Trait(item) => self.types.push(item.ident.to_string()),
            syn::Item::Type(item) => self.types.push(item.ident.to_string()),
            syn::Item::Mod(item)
                if item.attrs.iter().any(|mark| mark.to_token_stream().to_string().contains("test")) =>
            {
                return;
            }
            syn::Item::Mod(item) => self.modules.push(item.ident.to_string()),
            _ => {}
        }
        syn::visit::visit_item(self, item);
    }
}

fn package(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn sources(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory).expect("a directory of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("sources are UTF-8")
}

fn declared(path: &Path) -> Declared {
    let mut declared = Declared::default();
    let file = syn::parse_file(&read(path)).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    declared.visit_file(&file);
    declared
}

/// Returns the words in the last column of the glossary, which names must not use.
fn refused() -> BTreeSet<String> {
    let page = read(&package("CONTRIBUTING.md"));
    let glossary = page.split_once("\n## Words\n").expect("the page has a glossary").1;
    let rows =
        glossary.lines().skip_while(|line| !line.starts_with("|---")).skip(1).take_while(|line| line.starts_with('|'));
    let rows: Vec<&str> = rows.collect();
    assert!((20..=60).contains(&rows.len()), "{} words", rows.len());
    let words = rows.iter().flat_map(|row| row.rsplit('|').nth(1).expect("a column").split('`').skip(1).step_by(2));
    words.map(str::to_owned).collect()
}

#[test]
fn no_name_is_another_word_for_the_same_idea() {
    let refused = refused();
    let mut faults = Vec::new();
    for path in sources(&package("src")) {
        let Declared { types, modules } = declared(&path);
        for name in types.iter().chain(&modules).filter(|name| refused.contains(*name)) {
            faults.push(format!("{}: `{name}`", path.display()));
        }
    }
    assert!(faults.is_empty(), "the glossary of CONTRIBUTING.md has other words for:\n{}", faults.join("\n"));
}

#[test]
fn comments_begin_with_their_subject() {
    let mut faults = Vec::new();
    for path in sources(&package("src")) {
        let name = path.strip_prefix(package("")).expect("it lies in the package").to_string_lossy().into_owned();
        if MESSAGES.iter().any(|folder| name.starts_with(folder)) {
            continue;
        }
        let text = read(&path);
        let lines = text.lines().map(str::trim_start).zip(1..);
        let what = lines.filter(|(line, _)| ["//! What ", "/// What "].iter().any(|begin| line.starts_with(begin)));
        faults.extend(what.map(|(line, number)| format!("{name}:{number}: {line}")));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
