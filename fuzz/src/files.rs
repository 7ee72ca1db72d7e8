//! Fuzz targets that take a file, a path, or the arguments of a tool.

use std::collections::BTreeSet;
use std::fs;

use neuroscript_language::engine::{Engine, Layer, Options, built_in_tools, check_policy};
use serde_json::{Value, json};

use super::world::{World, call, check_findings, knows_secret, with_shared};

/// No path leads out of the sandbox, whatever its form.
pub fn paths(data: &[u8]) {
    if knows_secret(data) {
        return;
    }
    let world = World::new();
    world.put("d/e/f.txt", b"in the sandbox");
    let engine = world.engine();
    let text = String::from_utf8_lossy(data);
    let (one, other) = text.split_once('\n').unwrap_or((&text, "d/new"));
    for tool in ["PATH.Normalize", "PATH.Base", "PATH.Parent"] {
        let _ = call(&engine, tool, json!({ "path": one }));
    }
    let _ = call(&engine, "FS.Exists", json!({ "path": one }));
    let _ = call(&engine, "FS.FileInfo", json!({ "path": one }));
    let _ = call(&engine, "FS.ReadFile", json!({ "file_path": one }));
    let _ = call(&engine, "FS.ListDir", json!({ "path": one, "recursive": true, "follow_folder_symlinks": true }));
    let _ = call(&engine, "FS.FindFiles", json!({ "directory_path": ".", "pattern": one, "recursive": true }));
    let _ = call(&engine, "FS.WriteFile", json!({ "file_path": one, "content": "new" }));
    let _ = call(&engine, "FS.MoveFile", json!({ "source": one, "destination": other }));
    let _ = call(&engine, "FS.CopyFile", json!({ "source_path": other, "destination_path": one, "recursive": true }));
    let _ = call(&engine, "FS.DeleteFile", json!({ "glob": one, "recursive": true }));
    let _ = call(&engine, "FS.DeleteFile", json!({ "path": other, "recursive": true }));
    world.check_outside();
}

/// A policy file is accepted or refused, and its findings can be rendered.
pub fn policy(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let registry = built_in_tools();
    let checked = [Layer::User, Layer::Root].map(|layer| check_policy(&text, layer, &registry));
    for error in checked.iter().filter_map(|checked| checked.as_ref().err()) {
        check_findings(&error.findings, &error.sources);
    }
    if checked.iter().all(Result::is_err) {
        return;
    }
    let world = World::new();
    let path = world.root().with_file_name("policy.toml");
    fs::write(&path, data).expect("a policy");
    let user = Engine::open(&Options { policy: Some(path), ..world.options() });
    world.put("neuroscript.toml", data);
    let root = Engine::open(&world.options());
    for opened in [user, root] {
        match opened {
            Err(error) => check_findings(&error.findings, &error.sources),
            Ok(engine) => drop(call(&engine, "FS.Exists", json!({ "path": "secret" }))),
        }
    }
    world.check_outside();
}

/// Arguments of any tool are accepted or refused, and every answer is JSON.
pub fn arguments(data: &[u8]) {
    let Some((choice, text)) = data.split_first().filter(|_| !knows_secret(data)) else { return };
    let Ok(given) = serde_json::from_slice::<Value>(text) else { return };
    let make = || {
        let world = World::new();
        world.put("a.txt", b"one\ntwo\n");
        let engine = world.engine();
        (world, engine)
    };
    with_shared(make, |world, engine| argue(world, engine, *choice, given));
}

fn argue(world: &World, engine: &Engine, choice: u8, given: Value) {
    let names: Vec<&str> = engine.registry().iter().map(|tool| tool.spec.name).collect();
    let name = names[usize::from(choice) % names.len()];
    // Skip the tool that reads standard input.
    if name != "IO.Input" {
        let _ = call(engine, name, given);
    }
    world.check_outside();
}

/// Files listed under a `.gitignore` are a subset of all files.
pub fn gitignore(data: &[u8]) {
    let make = || {
        let world = World::new();
        for name in ["a", "a.log", "b/c.txt", "b/d/e.log", ".hidden", "sp ace", "b/ü", "b/d/[x]"] {
            world.put(name, b"");
        }
        let engine = world.engine();
        (world, engine)
    };
    with_shared(make, |world, engine| ignore(world, engine, data));
}

fn ignore(world: &World, engine: &Engine, data: &[u8]) {
    world.put(".gitignore", data);
    world.put("b/.gitignore", &data[data.len() / 2..]);
    let listed = |ignores: bool| -> BTreeSet<String> {
        let arguments =
            json!({ "path": ".", "recursive": true, "filter": "files", "format": "json", "use_gitignore": ignores });
        let text = call(engine, "FS.ListDir", arguments).expect("it is listed");
        let rows: Vec<Value> = serde_json::from_str(text.as_str().expect("a text")).expect("JSON");
        rows.iter().map(|row| row["path"].to_string()).collect()
    };
    let (some, all) = (listed(true), listed(false));
    assert!(some.is_subset(&all), "{some:?} of {all:?}");
}

/// An archive is extracted completely or not at all, and nothing is written outside.
pub fn archive(data: &[u8]) {
    let Some((form, bytes)) = data.split_first().filter(|_| !knows_secret(data)) else { return };
    let name = ["a.zip", "a.tar", "a.tar.gz"][usize::from(*form) % 3];
    let make = || {
        let world = World::new();
        let engine = world.engine();
        (world, engine)
    };
    let skips = *form >= 128;
    with_shared(make, |world, engine| unpack(world, engine, &Archive { name, bytes, skips }));
}

/// An archive to unpack, and whether its unsafe entries are left out.
struct Archive<'a> {
    name: &'a str,
    bytes: &'a [u8],
    skips: bool,
}

fn unpack(world: &World, engine: &Engine, archive: &Archive<'_>) {
    let Archive { name, bytes, skips } = *archive;
    world.put(name, bytes);
    let arguments = json!({
        "archive_path": name, "destination_path": "to", "max_total_bytes": 1 << 20, "skip_unsafe": skips,
    });
    let answer = call(engine, "FS.Extract", arguments);
    let failed = answer.is_err() || answer.is_ok_and(|answer| answer.is_null() || !answer["error"].is_null());
    assert!(!failed || !world.root().join("to").exists(), "a part of it was unpacked");
    world.check_outside();
}

/// A file is described as an image and as audio, or refused, and no description is impossible.
pub fn media(data: &[u8]) {
    if knows_secret(data) {
        return;
    }
    let make = || {
        let world = World::new();
        let engine = world.engine();
        (world, engine)
    };
    with_shared(make, |world, engine| describe(world, engine, data));
}

fn describe(world: &World, engine: &Engine, bytes: &[u8]) {
    world.put("file", bytes);
    for tool in ["AUDIO.Tags", "IMAGE.Info"] {
        let answer = call(engine, tool, json!({ "path": "file" }));
        let Ok(answer) = answer.as_ref().map_err(|error| {
            let is_known = ["invalid_media", "too_large"].iter().any(|code| error.starts_with(code));
            assert!(is_known, "{tool}: {error}");
        }) else {
            continue;
        };
        assert!(answer["mimeType"].is_string(), "{tool}: {answer}");
        for number in ["duration", "bitrate", "sampleRate", "channels"] {
            let is_possible = answer[number].is_null() || answer[number].as_f64().is_some_and(|number| number > 0.0);
            assert!(is_possible, "{tool}: {answer}");
        }
        for text in ["title", "artist", "album", "albumArtist", "date", "genre"] {
            assert!(answer[text].as_str() != Some(""), "{tool}: {answer}");
        }
    }
    world.check_outside();
}
