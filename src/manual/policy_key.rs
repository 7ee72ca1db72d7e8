//! Keys of the policy file, described by the tables of `docs/policy.md`.

use crate::engine::policy_keys;

use super::layout::wrapped;

const POLICY: &str = include_str!("../../docs/policy.md");

/// Minimum number of letters by which the beginning of a key finds it.
const LEAST_LETTERS: usize = 5;

/// Returns the page about a key of the policy file, or about all keys that begin with a text.
pub fn policy_key(name: &str) -> Option<String> {
    let wanted = name.trim().to_lowercase().replace(['-', ' '], "_");
    let keys: Vec<_> = policy_keys().collect();
    let whole = keys.iter().filter(|key| key.name == wanted);
    let begun = keys.iter().filter(|key| wanted.len() >= LEAST_LETTERS && key.name.starts_with(&wanted));
    let chosen: Vec<_> = if whole.clone().next().is_some() { whole.collect() } else { begun.collect() };
    let pages = chosen.iter().map(|key| page(key.section, key.name, key.combines));
    (!chosen.is_empty()).then(|| pages.collect::<Vec<_>>().join("\n\n\n"))
}

/// Formats the page of a key.
fn page(section: &str, name: &str, rule: &str) -> String {
    let mut text = format!("{name}\n  a key of the policy file, in [{section}]\n");
    for (title, cell) in described(name) {
        let cell = plain(cell);
        text.push_str(&format!("\n{}", wrapped(&format!("{title}: {cell}"))));
    }
    let rest = format!("If several policy files set it: {rule}");
    text + &format!("\n{}\n\n`ns doctor` shows the value in force. (from docs/policy.md)", wrapped(&rest))
}

/// Returns the cells of the row about a key, with the titles of their columns.
fn described(name: &str) -> Vec<(&'static str, &'static str)> {
    let (_, tables) = POLICY.split_once("<!-- /keys -->").expect("the page has a table of all keys");
    let cells = |line: &'static str| line.trim_matches('|').split(" | ").map(str::trim);
    let mut titles: Vec<&'static str> = Vec::new();
    for line in tables.lines().filter(|line| line.starts_with('|')) {
        let row: Vec<&'static str> = cells(line).collect();
        match row[0] {
            "key" => titles = row,
            keys if keys.split(", ").any(|key| key.trim_matches('`') == name) => {
                return titles.into_iter().zip(row).skip(1).collect();
            }
            _ => {}
        }
    }
    Vec::new()
}

/// Returns a text of Markdown without links: `[below](#x)` is `below`.
pub fn plain(cell: &str) -> String {
    let mut text = String::new();
    let mut rest = cell;
    while let Some((before, link)) = rest.split_once('[') {
        text.push_str(before);
        match link.split_once("](").and_then(|(shown, target)| Some((shown, target.split_once(')')?.1))) {
            Some((shown, after)) => {
                text.push_str(shown);
                rest = after;
            }
            None => {
                text.push('[');
                rest = link;
            }
        }
    }
    text + rest
}
