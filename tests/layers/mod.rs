//! The arrows of ARCHITECTURE.md: which room may use which, and that nothing goes in circles.

#![allow(clippy::disallowed_methods, reason = "tests read the sources")]

mod imports;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use imports::{Import, ModulePath, Modules};

/// The rooms, lowest first, each with the rooms that it may use.
const ARROWS: [(&str, &[&str]); 22] = [
    ("text", &[]),
    ("lockdown", &[]),
    ("limits", &["text"]),
    ("value", &["text", "limits"]),
    ("syntax", &["text"]),
    ("format", &["text", "syntax"]),
    ("document", &["text", "limits", "value", "syntax"]),
    ("sandbox", &["text", "limits"]),
    ("memory", &["text", "limits", "value", "sandbox"]),
    ("audit", &["text", "limits", "value", "sandbox"]),
    ("toolkit", &["text", "limits", "value", "sandbox", "memory", "audit"]),
    ("tools", &["text", "limits", "value", "sandbox", "memory", "toolkit"]),
    ("program", &["text", "limits", "syntax", "value", "toolkit"]),
    ("eval", &["text", "limits", "value", "toolkit", "program"]),
    (
        "engine",
        &[
            "text", "limits", "value", "syntax", "format", "document", "sandbox", "memory", "audit", "toolkit",
            "tools", "program", "eval", "lockdown",
        ],
    ),
    ("options", &["engine"]),
    ("terminal", &["text", "value", "toolkit", "engine", "options"]),
    ("manual", &["text", "toolkit", "engine", "terminal"]),
    ("repl", &["text", "toolkit", "engine", "terminal", "manual"]),
    ("testing", &["text", "engine", "options"]),
    ("mcp", &["text", "limits", "value", "toolkit", "engine"]),
    ("cli", &["text", "value", "toolkit", "engine", "options", "terminal", "manual", "repl", "testing", "mcp"]),
];

/// Circles that are still there: how many modules of a directory depend on each other.
const CIRCLES: [(&str, usize); 17] = [
    ("document", 2),
    ("engine", 3),
    ("eval", 6),
    ("eval/compile", 3),
    ("memory", 3),
    ("sandbox", 21),
    ("sandbox/journal", 5),
    ("sandbox/overlay", 2),
    ("sandbox/walk", 6),
    ("toolkit", 12),
    ("toolkit/policy", 2),
    ("tools", 2),
    ("tools/fs", 2),
    ("tools/fs/archive", 2),
    ("tools/regex", 3),
    ("value", 4),
    ("value/json", 2),
];

static MODULES: LazyLock<Modules> = LazyLock::new(|| Modules::read(&source_directory()));
static IMPORTS: LazyLock<BTreeSet<Import>> = LazyLock::new(|| MODULES.imports());

#[test]
fn rooms_keep_to_their_arrows() {
    let rooms: BTreeMap<&str, &[&str]> = ARROWS.into_iter().collect();
    let mut faults = BTreeSet::new();
    for Import { by, named, .. } in IMPORTS.iter() {
        let (Some(room), Some(used)) = (by.first(), named.first()) else { continue };
        let Some(allowed) = rooms.get(room.as_str()) else { continue };
        if room != used && rooms.contains_key(used.as_str()) && !allowed.contains(&used.as_str()) {
            faults.insert(format!("{} uses {used}", by.join("/")));
        }
    }
    let faults: Vec<String> = faults.into_iter().collect();
    assert!(faults.is_empty(), "imports against the arrows of ARCHITECTURE.md:\n{}", faults.join("\n"));
}

/// The modules directly below `parent` that depend on each other in a circle. The parent's own file is none of them:
/// it may declare what its modules share, and use them.
fn circle(parent: &[String]) -> BTreeSet<String> {
    let node = |path: &ModulePath| path.strip_prefix(parent).and_then(|below| below.first().cloned());
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for import in IMPORTS.iter() {
        let (Some(by), Some(from)) = (node(&import.by), node(&import.from)) else { continue };
        if by != from {
            uses.entry(by).or_default().insert(from);
        }
    }
    let reached = |from: &String| {
        let mut found = BTreeSet::new();
        let mut left = vec![from];
        while let Some(next) = left.pop() {
            left.extend(uses.get(next).into_iter().flatten().filter(|used| found.insert((*used).clone())));
        }
        found
    };
    let children = MODULES.children(parent).into_iter().map(str::to_owned);
    children.filter(|child| reached(child).contains(child)).collect()
}

#[test]
fn nothing_goes_in_circles() {
    let known: BTreeMap<&str, usize> = CIRCLES.into_iter().collect();
    let mut faults = Vec::new();
    for parent in MODULES.paths() {
        let (name, circle) = (parent.join("/"), circle(parent));
        if circle.len() != known.get(name.as_str()).copied().unwrap_or(0) {
            faults.push(format!("(\"{name}\", {}), // {circle:?}", circle.len()));
        }
    }
    assert!(faults.is_empty(), "other circles than `CIRCLES` says:\n{}", faults.join("\n"));
}

#[test]
fn every_room_has_its_arrows() {
    let directories = std::fs::read_dir(source_directory()).expect("there are sources");
    let directories = directories.map(|entry| entry.expect("there are sources")).filter(|entry| entry.path().is_dir());
    let found: BTreeSet<String> = directories.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let known: BTreeSet<String> = ARROWS.iter().map(|(room, _)| (*room).to_owned()).collect();
    assert_eq!(found, known, "the rooms of src/ and those of this test differ");
}

#[test]
fn architecture_page_names_every_room() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md");
    let page = std::fs::read_to_string(page).expect("ARCHITECTURE.md is there");
    for (room, _) in ARROWS {
        assert!(page.contains(&format!("\n{room}/")), "ARCHITECTURE.md does not list `{room}/`");
    }
}

fn source_directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}
