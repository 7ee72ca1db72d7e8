//! The names of captures in the queries of tree-sitter, as Neovim, Helix and Zed document them.
//!
//! `editors/tree-sitter/queries/highlights.scm` has the names of Neovim (`:help treesitter-highlight-groups`); the
//! queries of Helix (its page on themes) and of Zed (its page on language extensions) are made from it.

use std::fs;

use super::regions::refreshed;
use super::words::region_of_query;
use crate::support::{golden, package};

/// A kind of text, by its names in the three editors.
struct Capture {
    neovim: &'static str,
    helix: &'static str,
    zed: &'static str,
}

const fn capture(neovim: &'static str, helix: &'static str, zed: &'static str) -> Capture {
    Capture { neovim, helix, zed }
}

const CAPTURES: [Capture; 32] = [
    capture("attribute", "attribute", "attribute"),
    capture("boolean", "constant.builtin.boolean", "boolean"),
    capture("comment", "comment", "comment"),
    capture("comment.documentation", "comment.block.documentation", "comment.doc"),
    capture("constant.builtin", "constant.builtin", "constant"),
    capture("function", "function", "function"),
    capture("function.builtin", "function.builtin", "function"),
    capture("function.call", "function", "function"),
    capture("keyword", "keyword", "keyword"),
    capture("keyword.conditional", "keyword.control.conditional", "keyword"),
    capture("keyword.exception", "keyword.control.exception", "keyword"),
    capture("keyword.function", "keyword.function", "keyword"),
    capture("keyword.import", "keyword.control.import", "keyword"),
    capture("keyword.operator", "keyword.operator", "keyword"),
    capture("keyword.repeat", "keyword.control.repeat", "keyword"),
    capture("keyword.return", "keyword.control.return", "keyword"),
    capture("module", "namespace", "type"),
    capture("module.builtin", "namespace", "type"),
    capture("number", "constant.numeric", "number"),
    capture("operator", "operator", "operator"),
    capture("property", "variable.other.member", "property"),
    capture("punctuation.bracket", "punctuation.bracket", "punctuation.bracket"),
    capture("punctuation.delimiter", "punctuation.delimiter", "punctuation.delimiter"),
    capture("punctuation.special", "punctuation.special", "punctuation.special"),
    capture("string", "string", "string"),
    capture("string.documentation", "string", "string"),
    capture("string.escape", "constant.character.escape", "string.escape"),
    capture("string.special.path", "string.special.path", "string.special"),
    capture("variable", "variable", "variable"),
    capture("variable.builtin", "variable.builtin", "variable.special"),
    capture("variable.member", "variable.other.member", "property"),
    capture("variable.parameter", "variable.parameter", "variable"),
];

#[test]
fn the_queries_of_helix_and_zed_are_that_of_neovim() {
    let source = package("editors/tree-sitter/queries/highlights.scm");
    let text = fs::read_to_string(&source).expect("the query can be read");
    let text = refreshed(&text, region_of_query).unwrap_or_else(|fault| panic!("{fault}"));
    let outcomes = [
        golden(&source, &text),
        golden(&package("editors/helix/queries/neuroscript/highlights.scm"), &renamed(&text, "Helix", |to| to.helix)),
        golden(&package("editors/zed/languages/neuroscript/highlights.scm"), &renamed(&text, "Zed", |to| to.zed)),
        copied("injections.scm", "editors/helix/queries/neuroscript/injections.scm"),
        copied("injections.scm", "editors/zed/languages/neuroscript/injections.scm"),
    ];
    let faults: Vec<String> = outcomes.into_iter().filter_map(Result::err).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Compares a query of an editor with the one of the grammar.
fn copied(query: &str, copy: &str) -> Result<(), String> {
    let source = package("editors/tree-sitter/queries").join(query);
    golden(&package(copy), &fs::read_to_string(source).expect("the query can be read"))
}

/// Returns a query with the capture names of another editor.
fn renamed(text: &str, editor: &str, name: impl Fn(&Capture) -> &'static str) -> String {
    let mut renamed = format!(
        "; Made from editors/tree-sitter/queries/highlights.scm with the names of {editor}:\n\
         ; UPDATE=1 cargo test --test integration -- editors::\n"
    );
    for line in text.lines().skip_while(|line| line.starts_with(';')) {
        let mut rest = line;
        while let Some((before, after)) = rest.split_once('@') {
            let end = after.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '_')).unwrap_or(after.len());
            let found = CAPTURES.iter().find(|capture| capture.neovim == &after[..end]);
            let capture = found.unwrap_or_else(|| panic!("no editor is known to know @{}", &after[..end]));
            renamed.push_str(&format!("{before}@{}", name(capture)));
            rest = &after[end..];
        }
        renamed.push_str(rest);
        renamed.push('\n');
    }
    renamed
}

#[test]
fn every_known_capture_is_used() {
    let text =
        fs::read_to_string(package("editors/tree-sitter/queries/highlights.scm")).expect("the query can be read");
    let is_used = |capture: &&Capture| {
        text.split('@').skip(1).any(|part| {
            let end = part.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '_')).unwrap_or(part.len());
            &part[..end] == capture.neovim
        })
    };
    let unused: Vec<_> = CAPTURES.iter().filter(|capture| !is_used(capture)).map(|capture| capture.neovim).collect();
    assert!(unused.is_empty(), "{unused:?}");
}
