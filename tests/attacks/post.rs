//! The additional assertions of a vector: `word` or `word:rest`.

use std::process::Command;

use serde_json::Value;

use super::answer::{Answer, shown};
use super::arena::Arena;
use super::judge::Before;
use super::launch::Ended;
use super::terminal::unsafe_character;
use super::vector::{Op, Vector, expand_text, from_hex};

/// The data that assertions can check.
pub struct Scene<'a> {
    pub vector: &'a Vector,
    pub arena: &'a Arena,
    pub before: &'a Before,
    pub answer: &'a Answer,
    pub ended: &'a Ended,
    /// Repeats the call with its output on a terminal, and returns the bytes that the terminal received.
    pub terminal: &'a dyn Fn() -> Vec<u8>,
}

/// Returns the fault, if there is one.
pub fn check(text: &str, scene: &Scene<'_>) -> Option<String> {
    let (word, rest) = text.split_once(':').unwrap_or((text, ""));
    let rest = expand_text(rest, &scene.arena.names());
    let holds = match word {
        // Checked for every vector: outside, end, panic, temporary files, UTF-8.
        "outside_unchanged" | "never_returns_secret" | "no_panic" | "no_abort" | "valid_utf8" | "no_stray_tmp" => true,
        // No test asserts a duration: a process that does not end is killed and fails.
        "finishes_ms" => true,
        "rss_mb_max" => scene.ended.peak_kib / 1024 <= number(&rest),
        "exists" => std::fs::symlink_metadata(scene.arena.place(&rest)).is_ok(),
        "absent" => std::fs::symlink_metadata(scene.arena.place(&rest)).is_err(),
        "content" => {
            let (path, content) = pair(&rest);
            std::fs::read(scene.arena.place(path)).is_ok_and(|bytes| bytes == content.as_bytes())
        }
        "link" => {
            let (path, target) = pair(&rest);
            std::fs::read_link(scene.arena.place(path)).is_ok_and(|found| found.as_os_str() == target)
        }
        "contains" => output(scene).contains(&rest),
        "lacks" => !output(scene).contains(&rest),
        "result" => {
            let (pointer, wanted) = pair(&rest);
            let found = scene.answer.value.as_ref().and_then(|value| value.pointer(pointer));
            found.is_some_and(|found| serde_json::from_str(wanted).is_ok_and(|wanted: Value| *found == wanted))
        }
        "entries" => entries(scene).len() as u64 == number(&rest),
        "entries_distinct" => entries(scene).len() >= named(scene).len(),
        "json_roundtrip_name" => {
            let names: Vec<Option<&str>> = entries(scene).iter().map(|entry| entry["name"].as_str()).collect();
            named(scene).iter().all(|name| names.contains(&Some(name)))
        }
        "root_unchanged" => {
            let after = super::snapshot::Snapshot::of_root(&scene.arena.root);
            scene.before.root.differences(&after, super::snapshot::Closeness::State).is_empty()
        }
        "terminal_safe" => {
            let written = (scene.terminal)();
            let found = unsafe_character(&written);
            return found.map(|c| format!("U+{:04X} reached the terminal: {}", c as u32, shown(&written)));
        }
        "audit_lines_parse" => {
            let log = std::fs::read_to_string(scene.arena.place(".ns/audit.jsonl")).unwrap_or_default();
            log.lines().all(|line| serde_json::from_str::<Value>(line).is_ok())
        }
        "audit_chain_ok" => {
            let verify = Command::new(env!("CARGO_BIN_EXE_ns"))
                .args(["audit", "verify", "--sandbox"])
                .arg(&scene.arena.root)
                .output();
            let there = scene.arena.place(".ns/audit.jsonl").exists();
            !there || verify.is_ok_and(|ran| ran.status.success())
        }
        _ => return Some(format!("nobody knows what `post: {text}` means")),
    };
    (!holds).then(|| format!("`{text}` does not hold: {}", shown(&scene.ended.stdout)))
}

fn output(scene: &Scene<'_>) -> String {
    let both = [scene.ended.stdout.as_slice(), scene.ended.stderr.as_slice()].concat();
    String::from_utf8_lossy(&both).into_owned()
}

/// Returns the entries of a listing or of a walk.
fn entries<'s>(scene: &'s Scene<'_>) -> &'s [Value] {
    let value = scene.answer.value.as_ref();
    let list = value.and_then(|value| value.as_array().or_else(|| value["entries"].as_array()));
    list.map_or(&[], Vec::as_slice)
}

/// Returns the names in a set-up that need not be UTF-8, as they are displayed.
fn named(scene: &Scene<'_>) -> Vec<String> {
    let raw = scene.vector.setup.iter().filter_map(|op| match op {
        Op::RawName { path_hex, .. } => Some(String::from_utf8_lossy(&from_hex(path_hex)).into_owned()),
        _ => None,
    });
    raw.collect()
}

fn pair(text: &str) -> (&str, &str) {
    text.split_once('=').expect("an assertion about a value has `=`")
}

fn number(text: &str) -> u64 {
    text.parse().expect("an assertion about a number has one")
}
