//! The arrows of ARCHITECTURE.md: which crate and which room may use which, and that nothing goes in circles; and
//! that functions name what they take.

#![allow(clippy::disallowed_methods, reason = "tests read the sources")]

mod crates;
mod imports;
mod signatures;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use crate::support::package;
use crates::CRATES;
use imports::{Import, ModulePath, Modules};

/// The rooms, lowest first, each with the rooms that it may use.
const ARROWS: [(&str, &[&str]); 29] = [
    ("text", &[]),
    ("lockdown", &[]),
    ("limits", &["text"]),
    ("value", &["text", "limits"]),
    ("syntax", &["text"]),
    ("format", &["text", "syntax"]),
    ("migrate", &["text", "syntax"]),
    ("document", &["text", "limits", "value", "syntax"]),
    ("sandbox", &["text", "limits"]),
    ("memory", &["text", "limits", "value", "sandbox"]),
    ("audit", &["text", "limits", "value", "sandbox"]),
    ("toolkit", &["text", "limits", "value", "sandbox", "memory"]),
    ("gate", &["text", "limits", "value", "sandbox", "memory", "audit", "toolkit"]),
    ("tools", &["text", "limits", "value", "sandbox", "memory", "toolkit", "gate"]),
    ("program", &["text", "limits", "syntax", "migrate", "value", "toolkit", "gate"]),
    ("eval", &["text", "limits", "value", "toolkit", "gate", "program"]),
    (
        "engine",
        &[
            "text", "limits", "value", "syntax", "format", "migrate", "document", "sandbox", "memory", "audit",
            "toolkit", "gate", "tools", "program", "eval", "lockdown",
        ],
    ),
    ("options", &["engine"]),
    ("terminal", &["text", "value", "toolkit", "gate", "engine", "options"]),
    ("manual", &["text", "toolkit", "gate", "engine", "terminal"]),
    ("completion", &["text", "toolkit", "engine", "manual"]),
    ("repl", &["text", "toolkit", "engine", "terminal", "manual", "completion"]),
    ("testing", &["text", "engine", "options"]),
    ("watch", &[]),
    ("frames", &[]),
    ("lsp", &["text", "toolkit", "gate", "engine", "manual", "completion", "testing", "frames"]),
    ("dap", &["text", "value", "toolkit", "engine", "terminal", "frames"]),
    ("mcp", &["text", "value", "toolkit", "gate", "engine"]),
    (
        "cli",
        &[
            "text", "value", "toolkit", "gate", "engine", "options", "terminal", "manual", "repl", "testing", "watch",
            "lsp", "dap", "mcp",
        ],
    ),
];

/// The inner rooms of `sandbox`, lowest first, each with the inner rooms that it may use.
const SANDBOX_ARROWS: [(&str, &[&str]); 6] = [
    ("handles", &[]),
    ("reading", &["handles"]),
    ("internal", &["handles"]),
    ("changing", &["handles", "reading", "internal"]),
    ("runs", &["handles", "reading", "internal", "changing"]),
    ("plan", &["handles", "reading", "internal", "changing", "runs"]),
];

static MODULES: LazyLock<Modules> = LazyLock::new(Modules::read);
static IMPORTS: LazyLock<BTreeSet<Import>> = LazyLock::new(|| MODULES.imports());

#[test]
fn rooms_keep_to_their_arrows() {
    let faults = against(&ARROWS, &[], |import| &import.named);
    assert!(faults.is_empty(), "imports against the arrows of ARCHITECTURE.md:\n{}", faults.join("\n"));
}

#[test]
fn rooms_of_the_sandbox_keep_to_their_arrows() {
    let faults = against(&SANDBOX_ARROWS, &["sandbox".to_owned()], |import| &import.from);
    assert!(
        faults.is_empty(),
        "imports against the arrows of crates/sandbox/src/sandbox/mod.rs:\n{}",
        faults.join("\n")
    );
    let (found, known) = (MODULES.children(&["sandbox".to_owned()]), SANDBOX_ARROWS.map(|(room, _)| room));
    assert_eq!(found, known.into_iter().collect(), "the inner rooms of the sandbox and those of this test differ");
}

/// The imports between the rooms below `parent` that their arrows do not allow. `used` is the end of an import that
/// counts.
fn against(arrows: &[(&str, &[&str])], parent: &[String], used: impl Fn(&Import) -> &ModulePath) -> Vec<String> {
    let rooms: BTreeMap<&str, &[&str]> = arrows.iter().copied().collect();
    let mut faults = BTreeSet::new();
    for import in IMPORTS.iter() {
        let room = |path: &ModulePath| path.strip_prefix(parent).and_then(|below| below.first().cloned());
        let (Some(room), Some(used)) = (room(&import.by), room(used(import))) else { continue };
        let Some(allowed) = rooms.get(room.as_str()) else { continue };
        if room != used && rooms.contains_key(used.as_str()) && !allowed.contains(&used.as_str()) {
            faults.insert(format!("{} uses {used}", import.by.join("/")));
        }
    }
    faults.into_iter().collect()
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
    let circles = MODULES.paths().map(|parent| (parent.join("/"), circle(parent)));
    let faults: Vec<String> = circles
        .filter(|(_, circle)| !circle.is_empty())
        .map(|(parent, circle)| format!("in `{parent}`: {circle:?}"))
        .collect();
    assert!(faults.is_empty(), "modules that depend on each other in a circle:\n{}", faults.join("\n"));
}

#[test]
fn no_function_takes_a_tuple() {
    let faults = signatures::tuples();
    assert!(
        faults.is_empty(),
        "these parameters are tuples; take a structure or plain parameters instead:\n{}",
        faults.join("\n")
    );
}

#[test]
fn crates_use_only_those_below_them() {
    let mut below: Vec<&str> = Vec::new();
    for owner in &CRATES {
        let name = owner.library();
        assert_eq!(owner.dependencies(), owner.uses.iter().map(|used| (*used).to_owned()).collect(), "{name}");
        assert!(owner.uses.iter().all(|used| below.contains(used)), "{name} uses a crate that is not below it");
        below.extend(owner.directory);
    }
    let found: BTreeSet<String> = std::fs::read_dir(package("crates"))
        .expect("the crates")
        .map(|entry| entry.expect("a crate").file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(found, below.into_iter().map(str::to_owned).collect(), "the crates and those of this test differ");
}

#[test]
fn every_room_has_its_arrows() {
    let found = MODULES.children(&[]);
    let known: BTreeSet<&str> = ARROWS.iter().map(|(room, _)| *room).collect();
    assert_eq!(found, known, "the rooms of the sources and those of this test differ");
    let placed: BTreeSet<&str> = CRATES.iter().flat_map(|owner| owner.rooms).copied().collect();
    assert_eq!(placed, known, "the rooms of the crates and those of this test differ");
}

#[test]
fn architecture_page_names_every_crate_and_room() {
    let page = std::fs::read_to_string(package("ARCHITECTURE.md")).expect("ARCHITECTURE.md is there");
    for (room, _) in ARROWS {
        assert!(page.contains(&format!("\n{room}/")), "ARCHITECTURE.md does not list `{room}/`");
    }
    for owner in &CRATES {
        let row = format!("\n| `{}` |", owner.library().replace('_', "-"));
        assert!(page.contains(&row), "ARCHITECTURE.md has no row for {}", owner.library());
    }
}
