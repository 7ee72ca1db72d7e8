//! The glossary of `CONTRIBUTING.md`: names declared in the sources use one word for one idea, and comments are plain.

#![allow(clippy::disallowed_methods, reason = "tests read the sources")]

use std::collections::BTreeSet;
use std::fs;

use quote::ToTokens;
use syn::visit::Visit;

use crate::support::{package, source_files};

/// Derives that turn comments into messages: the help of commands and the schemas of results.
const MESSAGES: [&str; 6] = ["Args", "JsonSchema", "Parser", "Subcommand", "ValueEnum", "Command"];

/// The names that a file declares, and its comments that are messages.
#[derive(Default)]
struct Declared {
    types: Vec<String>,
    modules: Vec<String>,
    messages: BTreeSet<String>,
}

impl<'a> Visit<'a> for Declared {
    fn visit_item(&mut self, item: &'a syn::Item) {
        let attributes = match item {
            syn::Item::Struct(item) => {
                self.types.push(item.ident.to_string());
                &item.attrs[..]
            }
            syn::Item::Enum(item) => {
                self.types.push(item.ident.to_string());
                &item.attrs[..]
            }
            syn::Item::Trait(item) => {
                self.types.push(item.ident.to_string());
                &[]
            }
            syn::Item::Type(item) => {
                self.types.push(item.ident.to_string());
                &[]
            }
            syn::Item::Mod(item) if item.attrs.iter().any(|mark| text_of(mark).contains("test")) => return,
            syn::Item::Mod(item) => {
                self.modules.push(item.ident.to_string());
                &[]
            }
            _ => &[],
        };
        let derives = attributes.iter().filter(|mark| mark.path().is_ident("derive")).map(text_of).collect::<String>();
        let words: BTreeSet<&str> = derives.split(|c: char| !c.is_alphanumeric()).collect();
        if MESSAGES.iter().any(|derive| words.contains(derive)) {
            self.messages.extend(comments_of(item));
        }
        syn::visit::visit_item(self, item);
    }
}

fn text_of(tokens: impl ToTokens) -> String {
    tokens.to_token_stream().to_string()
}

/// Returns the lines of the doc comments of an item and everything in it.
fn comments_of(item: &syn::Item) -> BTreeSet<String> {
    struct Comments(BTreeSet<String>);
    impl<'a> Visit<'a> for Comments {
        fn visit_attribute(&mut self, mark: &'a syn::Attribute) {
            if let syn::Meta::NameValue(value) = &mark.meta
                && value.path.is_ident("doc")
                && let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &value.value
            {
                self.0.insert(text.value().trim().to_owned());
            }
        }
    }
    let mut comments = Comments(BTreeSet::new());
    comments.visit_item(item);
    comments.0
}

/// Returns every source file with its text and its declarations.
fn sources() -> impl Iterator<Item = (String, String, Declared)> {
    source_files().into_iter().map(|path| {
        let text = fs::read_to_string(&path).expect("sources are UTF-8");
        let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut declared = Declared::default();
        declared.visit_file(&file);
        (path.strip_prefix(package("")).expect("it lies in the package").display().to_string(), text, declared)
    })
}

/// Returns the words in the last column of the glossary, which names must not use.
fn refused() -> BTreeSet<String> {
    let page = fs::read_to_string(package("CONTRIBUTING.md")).expect("CONTRIBUTING.md is there");
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
    for (file, _, Declared { types, modules, .. }) in sources() {
        for name in types.iter().chain(&modules).filter(|name| refused.contains(*name)) {
            faults.push(format!("{file}: `{name}`"));
        }
    }
    assert!(faults.is_empty(), "the glossary of CONTRIBUTING.md has other words for:\n{}", faults.join("\n"));
}

#[test]
fn comments_begin_with_their_subject() {
    let mut faults = Vec::new();
    for (file, text, Declared { messages, .. }) in sources() {
        for (line, number) in text.lines().map(str::trim_start).zip(1..) {
            let comment = ["//! ", "/// "].iter().find_map(|begin| line.strip_prefix(begin));
            let is_riddle = |comment: &&str| comment.starts_with("What ") && !messages.contains(comment.trim_end());
            faults.extend(comment.filter(is_riddle).map(|comment| format!("{file}:{number}: {comment}")));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
