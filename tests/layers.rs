//! The module dependencies of ARCHITECTURE.md.
//!
//! The test examines every `crate::module` in the sources of a module, in `use` lines and elsewhere. It knows names,
//! not meaning: a re-export passes a type through a module on purpose.

#![allow(clippy::disallowed_methods, reason = "tests read the sources")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The modules, lowest first, each with the modules that it may use.
const ARROWS: [(&str, &[&str]); 18] = [
    ("text", &[]),
    ("wall", &[]),
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
            "tools", "program", "eval", "wall",
        ],
    ),
    ("repl", &["engine", "text", "cli"]),
    ("mcp", &["text", "limits", "value", "toolkit", "engine"]),
    ("cli", &["engine", "text", "value", "toolkit", "repl", "mcp"]),
];

#[test]
fn rooms_keep_to_their_arrows() {
    let mut faults = Vec::new();
    for (room, allowed) in ARROWS {
        for file in sources(&source_folder().join(room)) {
            let text = std::fs::read_to_string(&file).expect("sources are UTF-8");
            for used in rooms_used(&text) {
                if used != room && !allowed.contains(&used.as_str()) {
                    faults.push(format!("{} uses {used}", file.display()));
                }
            }
        }
    }
    assert!(faults.is_empty(), "imports against the arrows of ARCHITECTURE.md:\n{}", faults.join("\n"));
}

#[test]
fn every_room_has_its_arrows() {
    let folders = std::fs::read_dir(source_folder()).expect("there are sources");
    let folders = folders.map(|entry| entry.expect("there are sources")).filter(|entry| entry.path().is_dir());
    let found: BTreeSet<String> = folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
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

fn source_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("every room is a folder");
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.expect("every room can be read").path();
        match path.is_dir() {
            true => files.extend(sources(&path)),
            false => files.push(path),
        }
    }
    files
}

/// Returns the modules that a text names after `crate::`.
fn rooms_used(text: &str) -> BTreeSet<String> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let mut rooms = BTreeSet::new();
    for line in code {
        for (at, _) in line.match_indices("crate::") {
            let rest = &line[at + "crate::".len()..];
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if ARROWS.iter().any(|(room, _)| *room == name) {
                rooms.insert(name);
            }
        }
    }
    rooms
}
