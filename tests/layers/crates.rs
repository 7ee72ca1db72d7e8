//! The crates of the workspace, and the rooms in each.

use std::collections::BTreeSet;

use crate::support::package;

/// A crate of the workspace.
pub struct Crate {
    /// Its directory below `crates/`; `None` for the package at the top, which has the binary.
    pub directory: Option<&'static str>,
    /// The crates of the workspace that it may use, by their directories.
    pub uses: &'static [&'static str],
    /// The room whose names are those of the crate.
    pub main: Option<&'static str>,
    /// Its rooms.
    pub rooms: &'static [&'static str],
}

/// The module of the language in which front ends find rooms that are private otherwise.
const FACADE: &str = "front_end";

/// The crates, lowest first.
pub const CRATES: [Crate; 8] = [
    Crate { directory: Some("text"), uses: &[], main: Some("text"), rooms: &["text"] },
    Crate { directory: Some("syntax"), uses: &["text"], main: Some("syntax"), rooms: &["syntax", "format", "migrate"] },
    Crate {
        directory: Some("sandbox"),
        uses: &["text"],
        main: Some("sandbox"),
        rooms: &["lockdown", "limits", "sandbox"],
    },
    Crate {
        directory: Some("evaluator"),
        uses: &["text", "syntax", "sandbox"],
        main: None,
        rooms: &["value", "memory", "audit", "toolkit", "gate", "program", "eval"],
    },
    Crate { directory: Some("tools"), uses: &["text", "sandbox", "evaluator"], main: Some("tools"), rooms: &["tools"] },
    Crate {
        directory: Some("language"),
        uses: &["text", "syntax", "sandbox", "evaluator", "tools"],
        main: None,
        rooms: &["document", "engine"],
    },
    Crate { directory: Some("mcp"), uses: &["text", "language"], main: Some("mcp"), rooms: &["mcp"] },
    Crate {
        directory: None,
        uses: &["text", "language", "mcp"],
        main: None,
        rooms: &[
            "options",
            "terminal",
            "manual",
            "completion",
            "repl",
            "testing",
            "watch",
            "frames",
            "lsp",
            "dap",
            "cli",
        ],
    },
];

impl Crate {
    /// The crate that a module belongs to; `None` for a `lib.rs` that belongs to no room.
    pub fn of(module: &[String]) -> Option<&'static Crate> {
        let room = module.first()?;
        CRATES.iter().find(|known| known.rooms.contains(&room.as_str()))
    }

    /// Its name in code.
    pub fn library(&self) -> String {
        self.directory.map_or_else(|| "neuroscript".to_owned(), |directory| format!("neuroscript_{directory}"))
    }

    /// Its directory of sources.
    pub fn sources(&self) -> String {
        self.directory.map_or_else(|| "src".to_owned(), |directory| format!("crates/{directory}/src"))
    }

    /// The path from its room for one from the crate. A crate brings rooms of other crates under their names.
    pub fn path(&self, from_crate: &[String]) -> Vec<String> {
        let from_crate = match from_crate {
            [first, rest @ ..] if first == FACADE => rest,
            whole => whole,
        };
        let is_room = |name: &String| CRATES.iter().any(|known| known.rooms.contains(&name.as_str()));
        match self.main {
            Some(main) if !from_crate.first().is_some_and(is_room) => [&[main.to_owned()], from_crate].concat(),
            _ => from_crate.to_vec(),
        }
    }

    /// The crates of the workspace in its manifest, in any of its tables but those of tests, by their directories.
    pub fn dependencies(&self) -> BTreeSet<String> {
        let directory = self.directory.map_or_else(String::new, |directory| format!("crates/{directory}/"));
        let manifest = std::fs::read_to_string(package(&format!("{directory}Cargo.toml"))).expect("a manifest");
        let manifest: toml::Table = manifest.parse().expect("the manifest is TOML");
        let targets = manifest.get("target").and_then(toml::Value::as_table).into_iter().flatten();
        let tables = targets.filter_map(|(_, target)| target.as_table()).chain([&manifest]);
        let dependencies = tables.flat_map(|table| ["dependencies", "build-dependencies"].map(|kind| table.get(kind)));
        let names = dependencies.flatten().filter_map(toml::Value::as_table).flat_map(|table| table.keys());
        names.filter_map(|name| name.strip_prefix("neuroscript-")).map(str::to_owned).collect()
    }
}
