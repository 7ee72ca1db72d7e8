//! Fuzz targets for files in `.ns` and for plans, all of which may be written by an attacker.

use std::fs;
use std::path::Path;

use neuroscript_language::engine::{AuditFilter, AuditLog, Differ, Engine, ForeignAction, Selection, read_plan};

use super::world::{World, call, check_findings, knows_secret};

/// The name of the planted journal.
const RUN: &str = "20260101T000000.000000Z-00000001";
/// The path of a backup before it is adopted.
const KEPT: &str = ".ns/trash/kept.txt/20260101T000000.000001Z-00000002";
/// The contents of the user's files; none may be lost.
const CONTENTS: [(&str, &str); 3] = [("a.txt", "precious a"), ("d/b.txt", "precious b"), (KEPT, "precious kept")];

fn opened(world: &World) -> Option<Engine> {
    match Engine::open(&world.options()) {
        Ok(engine) => Some(engine),
        Err(error) => {
            check_findings(&error.findings, &error.sources);
            None
        }
    }
}

/// Checks that each content still exists somewhere below the root.
fn check_contents(root: &Path) {
    let (mut found, mut ahead) = (Vec::new(), vec![root.to_owned()]);
    while let Some(here) = ahead.pop() {
        for entry in fs::read_dir(&here).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => ahead.push(entry.path()),
                Ok(kind) if kind.is_file() => found.push(fs::read(entry.path()).unwrap_or_default()),
                _ => {}
            }
        }
    }
    for (name, content) in CONTENTS {
        assert!(found.iter().any(|it| it == content.as_bytes()), "the content of {name} is lost");
    }
}

/// A planted journal has no effect; once adopted, it is recovered, shown and undone without data loss. The first byte
/// determines whether its run has ended; the rest is the journal.
pub fn journal(data: &[u8]) {
    let Some((form, text)) = data.split_first().filter(|_| !knows_secret(data)) else { return };
    let world = World::new();
    CONTENTS.iter().for_each(|(name, content)| world.put(name, content.as_bytes()));
    fs::create_dir_all(world.root().join(".ns/runs/open")).expect("folders");
    let folder = if form & 1 == 0 { ".ns/runs/open" } else { ".ns/runs" };
    let inodes = with_inodes(&world, text);
    world.put(&format!("{folder}/{RUN}"), &inodes);
    let Some(engine) = opened(&world) else { return };
    let _ = engine.runs(Selection::All, 10);
    assert!(engine.undo(Some(RUN), false, true).is_err(), "what is foreign was taken back");
    check_contents(&world.root());
    let _ = engine.foreign(ForeignAction::Show);
    if engine.foreign(ForeignAction::Adopt).is_err() {
        return;
    }
    drop(engine);
    let Some(engine) = opened(&world) else { return };
    check_contents(&world.root());
    for run in engine.runs(Selection::All, 10).into_iter().flatten() {
        if let Ok(shown) = engine.show_run(&run.run) {
            let _ = engine.describe_run(&shown, Differ::showing(engine.watch()));
        }
    }
    let _ = engine.undo(Some(RUN), false, form & 2 == 0);
    let _ = engine.undo(None, true, false);
    check_contents(&world.root());
    world.check_outside();
}

/// Replaces `@0`, `@1` and `@2` by the inodes of the user's files, and `@r` by that of the root, so that recorded
/// states can match.
fn with_inodes(world: &World, text: &[u8]) -> Vec<u8> {
    #[cfg(unix)]
    {
        let inode = |path: &Path| {
            let metadata = fs::symlink_metadata(path).expect("it is there");
            std::os::unix::fs::MetadataExt::ino(&metadata).to_string()
        };
        let mut text = String::from_utf8_lossy(text).replace("@r", &inode(&world.root()));
        for (number, (name, _)) in CONTENTS.iter().enumerate() {
            text = text.replace(&format!("@{number}"), &inode(&world.root().join(name)));
        }
        text.into_bytes()
    }
    #[cfg(not(unix))]
    text.to_vec()
}

/// A plan from an attacker is applied within the sandbox or refused.
pub fn plan(data: &[u8]) {
    if knows_secret(data) {
        return;
    }
    let world = World::new();
    CONTENTS.iter().for_each(|(name, content)| world.put(name, content.as_bytes()));
    let Ok(plan) = read_plan(with_inodes(&world, data).as_slice()) else { return };
    let Some(engine) = opened(&world) else { return };
    let _ = engine.describe_plan(&plan, Differ::showing(engine.watch()));
    let _ = engine.apply(&plan);
    check_contents(&world.root());
    let _ = engine.undo(None, false, false);
    check_contents(&world.root());
    world.check_outside();
}

/// A planted database in place of project memory.
pub fn memory(data: &[u8]) {
    if knows_secret(data) {
        return;
    }
    let world = World::new();
    world.put(".ns/memory.db", data);
    let Some(engine) = opened(&world) else { return };
    let _ = call(&engine, "MEMORY.Get", serde_json::json!({ "key": "k", "scope": "project" }));
    let _ = call(&engine, "MEMORY.Set", serde_json::json!({ "key": "k", "value": [1], "scope": "project" }));
    let _ = call(&engine, "MEMORY.List", serde_json::json!({ "scope": "project" }));
    let _ = engine.salvage_memory();
    world.check_outside();
}

/// A planted audit log is read, shown, verified and appended to, but never counts as the user's.
pub fn audit(data: &[u8]) {
    if knows_secret(data) {
        return;
    }
    let world = World::new();
    world.put(".ns/audit.jsonl", data);
    let Some(engine) = opened(&world) else { return };
    let filter = AuditFilter { limit: 20, ..AuditFilter::default() };
    let _ = engine.audit_lines(AuditLog::Root, &filter);
    if let Ok(Some(verdict)) = engine.verify_audit(AuditLog::Root, None) {
        assert_eq!(verdict.sealed, 0, "a line of a stranger counts as the user's");
    }
    let _ = call(&engine, "FS.WriteFile", serde_json::json!({ "file_path": "new.txt", "content": "x" }));
    let _ = engine.verify_audit(AuditLog::Root, None);
    world.check_outside();
}
