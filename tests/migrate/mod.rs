//! `ns migrate`: what calls of upstream become and print, that spellings do not matter, and that our own programs stay.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

mod calls;
mod command;
mod scripts;
mod spellings;
mod unchanged;

use neuroscript::engine::{Migration, Script, migrate_script, parse_script};

/// Migrates a text, and demands that a second migration changes nothing.
fn migrated(text: &str) -> Migration {
    let migrate = |text: &str| migrate_script(&Script::new("case.ns", text)).result.expect("the text is UTF-8");
    let migration = migrate(text);
    assert_eq!(migrate(&migration.text).text, migration.text, "a second migration changes\n{text}");
    migration
}

/// Returns the syntax errors of a text.
fn syntax_errors(text: &str) -> Vec<String> {
    let parsed = parse_script(&Script::new("case.ns", text));
    parsed.findings.iter().filter(|finding| finding.is_error()).map(|finding| finding.message.clone()).collect()
}
