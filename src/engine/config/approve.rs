//! Keeping an answer for good: a tool's name goes into `allow` of the user's policy file, and all else
//! that stands there stays as it is, comments too.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;

use toml_edit::{Array, DocumentMut, Item, RawString, Table, Value};

use crate::text::Sources;
use crate::toolkit::{Layer, Registry};

use super::read;

/// Allows a tool in a policy file, which is made when there is none. The file is exchanged in one step.
pub fn allow_for_good(path: &Path, layer: Layer, tool: &str, registry: &Registry) -> Result<(), String> {
    let shown = path.display();
    // A link is kept, and what it points to is changed.
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

/// The text of a policy file with a tool in `allow`, and no longer by its name in `ask`.
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

/// Takes an element out of a list. The comment before it, which may be that of the element above, stays.
fn take_out(list: &mut Array, place: usize) {
    let text = |raw: Option<&RawString>| raw.and_then(RawString::as_str).unwrap_or_default().to_owned();
    let taken = list.remove(place);
    let before = text(taken.decor().prefix());
    // Without a comment there is nothing to keep.
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

/// Gives a file new content in one step, whole and synced.
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
        // Best effort: the error that matters is the first.
        let _ = fs::remove_file(&draft);
    }
    written
}
