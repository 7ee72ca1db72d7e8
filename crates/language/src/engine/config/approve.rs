//! Saves a permanent approval: adds a tool to `allow` in the user's policy file. Everything else in the file stays
//! the same, including comments.

#![allow(clippy::disallowed_methods, reason = "policy files are the user's; no script reads them")]

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;

use toml_edit::{Array, DocumentMut, Item, RawString, Table, Value};

use crate::gate::Layer;
use crate::text::Sources;
use crate::toolkit::Registry;

use super::read;

/// Allows a tool in a policy file, which is created if it is missing. The file is replaced atomically.
pub fn allow_for_good(path: &Path, layer: Layer, tool: &str, registry: &Registry) -> Result<(), String> {
    let shown = path.display();
    // Links are preserved: the target is replaced.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let before = match fs::read_to_string(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        other => other.map_err(|error| format!("`{shown}` cannot be read: {error}"))?,
    };
    let after =
        with_leave(&before, tool, registry).map_err(|reason| format!("`{shown}` cannot be changed: {reason}"))?;
    let mut sources = Sources::new();
    if read(sources.add("", after.as_str()), registry, layer).is_err() {
        return Err(format!("`{shown}` would no longer be a policy file"));
    }
    exchange(&path, &after).map_err(|error| format!("`{shown}` cannot be written: {error}"))
}

/// Returns the text of a policy file with a tool added to `allow`, and its name removed from `ask`.
fn with_leave(before: &str, tool: &str, registry: &Registry) -> Result<String, String> {
    let mut document: DocumentMut = before.parse().map_err(|error: toml_edit::TomlError| error.message().to_owned())?;
    let tools = document.entry("tools").or_insert_with(|| Item::Table(Table::new()));
    let tools = tools.as_table_like_mut().ok_or("`tools` is no table")?;
    let names_it = |value: &Value| {
        let id = value.as_str().and_then(|written| registry.find(written));
        id.is_some_and(|id| registry.get(id).spec.name == tool)
    };
    if let Some(ask) = tools.get_mut("ask").and_then(Item::as_array_mut) {
        let places: Vec<usize> =
            ask.iter().enumerate().filter(|(_, value)| names_it(value)).map(|(place, _)| place).collect();
        places.into_iter().rev().for_each(|place| take_out(ask, place));
    }
    let allow = tools.entry("allow").or_insert_with(|| Item::Value(Array::new().into()));
    let allow = allow.as_array_mut().ok_or("`allow` is no list")?;
    if !allow.iter().any(names_it) {
        allow.push(tool);
    }
    Ok(document.to_string())
}

/// Removes an element from a list. The comment before it stays, since it may belong to the element above.
fn take_out(list: &mut Array, place: usize) {
    let text = |raw: Option<&RawString>| raw.and_then(RawString::as_str).unwrap_or_default().to_owned();
    let taken = list.remove(place);
    let before = text(taken.decor().prefix());
    // Without a comment there is nothing to preserve.
    let Some((comment, _)) = before.rsplit_once('\n').filter(|_| before.contains('#')) else { return };
    match list.get_mut(place) {
        Some(next) => {
            let after = text(next.decor().prefix());
            next.decor_mut().set_prefix(format!("{comment}{after}"));
        }
        None => {
            let after = text(Some(list.trailing()));
            list.set_trailing(format!("{comment}{after}"));
        }
    }
}

/// Replaces the content of a file atomically, and syncs it.
fn exchange(path: &Path, content: &str) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let draft = folder.join(format!(".neuroscript-{}.tmp", std::process::id()));
    let written = fs::File::create_new(&draft).and_then(|mut file| {
        file.write_all(content.as_bytes())?;
        if let Ok(metadata) = fs::metadata(path) {
            file.set_permissions(metadata.permissions())?;
        }
        file.sync_all()?;
        fs::rename(&draft, path)
    });
    if written.is_err() {
        // Best effort: the first error is the one that matters.
        let _ = fs::remove_file(&draft);
    }
    written
}
