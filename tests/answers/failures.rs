//! A failure at a path names the path and its argument: every tool, every code.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};

use super::{call, failure, sandbox};
use crate::support::{ns_without_sandbox, run};

/// Tool, arguments, and the code, argument and path of the expected error.
type Failing = (&'static str, Json, &'static str, &'static str, &'static str);

#[rustfmt::skip]
fn failing_calls() -> Vec<(&'static str, Vec<Failing>)> {
    vec![
        ("", vec![
            ("read_file", json!({ "file_path": "no" }), "not_found", "path", "no"),
            ("read_file", json!({ "file_path": "../x" }), "sandbox_violation", "path", "../x"),
            ("read_file", json!({ "file_path": "dir" }), "is_a_directory", "path", "dir"),
            ("read_file", json!({ "file_path": "binary" }), "not_text", "path", "binary"),
            ("read_file", json!({ "file_path": "pipe" }), "io_error", "path", "pipe"),
            ("read_media", json!({ "path": "no" }), "not_found", "path", "no"),
            ("read_media", json!({ "path": "../x" }), "sandbox_violation", "path", "../x"),
            ("read_media", json!({ "path": "dir" }), "is_a_directory", "path", "dir"),
            ("read_media", json!({ "path": "a" }), "invalid_media", "path", "a"),
            ("read_media", json!({ "path": "pipe" }), "io_error", "path", "pipe"),
            ("image_info", json!({ "path": "no" }), "not_found", "path", "no"),
            ("image_info", json!({ "path": "../x" }), "sandbox_violation", "path", "../x"),
            ("image_info", json!({ "path": "dir" }), "is_a_directory", "path", "dir"),
            ("image_info", json!({ "path": "a" }), "invalid_media", "path", "a"),
            ("image_info", json!({ "path": "pipe" }), "io_error", "path", "pipe"),
            ("audio_tags", json!({ "path": "no" }), "not_found", "path", "no"),
            ("audio_tags", json!({ "path": "dir" }), "is_a_directory", "path", "dir"),
            ("audio_tags", json!({ "path": "a" }), "invalid_media", "path", "a"),
            ("audio_tags", json!({ "path": "pipe" }), "io_error", "path", "pipe"),
            ("lines", json!({ "path": "no" }), "not_found", "path", "no"),
            ("lines", json!({ "path": "../x" }), "sandbox_violation", "path", "../x"),
            ("lines", json!({ "path": "dir" }), "is_a_directory", "path", "dir"),
            ("lines", json!({ "path": "binary" }), "not_text", "path", "binary"),
            ("lines", json!({ "path": "pipe" }), "io_error", "path", "pipe"),
            ("csv_rows", json!({ "path": "dir" }), "is_a_directory", "path", "dir"),
            ("csv_rows", json!({ "path": "binary" }), "not_text", "path", "binary"),
            ("json_lines", json!({ "path": "no" }), "not_found", "path", "no"),
            ("json_lines", json!({ "path": "odd" }), "bad_args", "path", "odd"),
            ("write_file", json!({ "file_path": "dir", "content": "" }), "is_a_directory", "path", "dir"),
            ("write_file", json!({ "file_path": "a/b", "content": "" }), "not_a_directory", "path", "a/b"),
            ("write_file", json!({ "file_path": ".", "content": "" }), "sandbox_violation", "path", "."),
            ("write_file", json!({ "file_path": "a", "content": "", "overwrite": false }), "already_exists", "path", "a"),
            ("append_file", json!({ "file_path": "binary", "content": "" }), "not_text", "path", "binary"),
            ("append_file", json!({ "file_path": "odd", "content": "x", "encoding": "utf-16le" }), "encoding", "path", "odd"),
            ("append_file", json!({ "file_path": "dir", "content": "" }), "is_a_directory", "path", "dir"),
            ("append_file", json!({ "file_path": "a", "content": "", "max_size_mb": 0 }), "too_large", "path", "a"),
            ("edit_file", json!({ "file_path": "binary", "old_text": "a", "new_text": "b" }), "not_text", "path", "binary"),
            ("edit_file", json!({ "file_path": "no", "old_text": "a", "new_text": "b" }), "not_found", "path", "no"),
            ("edit_file", json!({ "file_path": "a", "old_text": "zzz", "new_text": "b" }), "conflict", "old_text", "a"),
            ("create_directory", json!({ "directory_path": "a" }), "already_exists", "path", "a"),
            ("create_directory", json!({ "directory_path": "a/b" }), "not_a_directory", "path", "a/b"),
            ("create_directory", json!({ "directory_path": "x/y", "recursive": false }), "not_found", "path", "x/y"),
            ("create_link", json!({ "path": "x", "target": "no" }), "not_found", "target", "no"),
            ("create_link", json!({ "path": "b", "target": "a" }), "already_exists", "path", "b"),
            ("create_link", json!({ "path": "a/x", "target": "b" }), "not_a_directory", "path", "a/x"),
            ("create_link", json!({ "path": "dir/x", "target": "dir" }), "conflict", "target", "dir"),
            ("create_link", json!({ "path": "x", "target": "pipe" }), "io_error", "target", "pipe"),
            ("copy_file", json!({ "source_path": "no", "destination_path": "b" }), "not_found", "source", "no"),
            ("copy_file", json!({ "source_path": "a", "destination_path": "dir" }), "is_a_directory", "destination", "dir"),
            ("copy_file", json!({ "source_path": "a", "destination_path": "b" }), "already_exists", "destination", "b"),
            ("copy_file", json!({ "source_path": "dir", "destination_path": "new" }), "is_a_directory", "source", "dir"),
            ("copy_file", json!({ "source_path": "dir", "destination_path": "dir/in", "recursive": true }), "conflict", "destination", "dir/in"),
            ("copy_file", json!({ "source_path": "a", "destination_path": "b/c" }), "not_a_directory", "destination", "b/c"),
            ("copy_file", json!({ "source_path": "special", "destination_path": "new", "recursive": true }), "io_error", "source", "special"),
            ("copy_file", json!({ "paths": ["no"], "destination_path": "new" }), "not_found", "paths", "no"),
            ("copy_file", json!({ "paths": ["a"], "destination_path": "full" }), "already_exists", "destination", "full/a"),
            ("copy_file", json!({ "glob": "pip*", "destination_path": "new" }), "io_error", "glob", "pipe"),
            ("copy_file", json!({ "paths": ["a", "no"], "destination_path": "new", "all_or_nothing": true }), "not_found", "paths", "no"),
            ("delete_file", json!({ "path": "no" }), "not_found", "path", "no"),
            ("delete_file", json!({ "path": "dir" }), "conflict", "path", "dir"),
            ("delete_file", json!({ "path": "." }), "sandbox_violation", "path", "."),
            ("delete_file", json!({ "paths": ["dir"] }), "conflict", "paths", "dir"),
            ("move_file", json!({ "source": "no", "destination": "x" }), "not_found", "source", "no"),
            ("move_file", json!({ "source": "a", "destination": "b" }), "already_exists", "destination", "b"),
            ("move_file", json!({ "source": "a", "destination": "x/y" }), "not_found", "destination", "x/y"),
            ("move_file", json!({ "source": ".", "destination": "x" }), "sandbox_violation", "source", "."),
            ("restore_backup", json!({ "backup_path": ".ns/backups/a/20261122T050102.123456Z-1a2b3c4d" }), "not_found", "path", ".ns/backups/a/20261122T050102.123456Z-1a2b3c4d"),
            ("restore_backup", json!({ "backup_path": "a" }), "sandbox_violation", "path", "a"),
            ("file_info", json!({ "path": "no" }), "not_found", "path", "no"),
            ("exists", json!({ "path": "../x" }), "sandbox_violation", "path", "../x"),
            ("find_files", json!({ "directory_path": "no" }), "not_found", "path", "no"),
            ("find_files", json!({ "directory_path": "a" }), "not_a_directory", "path", "a"),
            ("search_files", json!({ "directory_path": "no", "text": "x" }), "not_found", "path", "no"),
            ("diff_files", json!({ "a_path": "no", "b_path": "a" }), "not_found", "source", "no"),
            ("diff_files", json!({ "a_path": "a", "b_path": "dir" }), "is_a_directory", "destination", "dir"),
            ("hash_file", json!({ "path": "dir" }), "is_a_directory", "path", "dir"),
            ("hash_file", json!({ "path": "no" }), "not_found", "path", "no"),
            ("hash_files", json!({ "paths": ["a", "dir"] }), "is_a_directory", "paths", "dir"),
            ("hash_files", json!({ "paths": ["a", "no"] }), "not_found", "paths", "no"),
            ("hash_files", json!({ "paths": ["a", "../x"] }), "sandbox_violation", "paths", "../x"),
            ("hash_files", json!({ "glob": "pip*" }), "io_error", "glob", "pipe"),
            ("find_duplicates", json!({ "dir": "no" }), "not_found", "path", "no"),
            ("find_duplicates", json!({ "dir": "a" }), "not_a_directory", "path", "a"),
            ("compress", json!({ "source_path": "no", "destination_path": "x.zip" }), "not_found", "source", "no"),
            ("compress", json!({ "source_path": "pipe", "destination_path": "x.zip" }), "io_error", "source", "pipe"),
            ("compress", json!({ "source_path": "special", "destination_path": "x.zip" }), "io_error", "source", "special/pipe"),
            ("compress", json!({ "paths": ["a", "no"], "destination_path": "x.zip" }), "not_found", "paths", "no"),
            ("compress", json!({ "paths": ["a", "special"], "destination_path": "x.zip" }), "io_error", "paths", "special/pipe"),
            ("compress", json!({ "source_path": "a", "destination_path": "b", "format": "zip" }), "already_exists", "destination", "b"),
            ("extract", json!({ "archive_path": "no.zip", "destination_path": "x" }), "not_found", "source", "no.zip"),
            ("extract", json!({ "archive_path": "a", "destination_path": "x" }), "invalid_archive", "source", "a"),
            ("extract", json!({ "archive_path": "good.zip", "destination_path": "a" }), "not_a_directory", "destination", "a"),
            ("extract", json!({ "archive_path": "good.zip", "destination_path": "full" }), "already_exists", "destination", "full/a"),
            ("set_permissions", json!({ "path": "no", "mode": "644" }), "not_found", "path", "no"),
            ("set_permissions", json!({ "path": "pipe", "mode": "644" }), "io_error", "path", "pipe"),
            ("set_modified", json!({ "path": "no", "time": "2024-05-01" }), "not_found", "path", "no"),
            ("set_modified", json!({ "path": "pipe", "time": "2024-05-01" }), "io_error", "path", "pipe"),
            ("read_file", json!({ "file_path": "good.zip", "entry": "no" }), "not_found", "entry", "good.zip"),
            ("read_file", json!({ "file_path": "a", "entry": "no" }), "invalid_archive", "path", "a"),
            ("list_archive", json!({ "path": "no.zip" }), "not_found", "path", "no.zip"),
            ("list_archive", json!({ "path": "dir" }), "is_a_directory", "path", "dir"),
            ("list_archive", json!({ "path": "a" }), "invalid_archive", "path", "a"),
            ("compress", json!({ "source_path": "dir", "destination_path": "x.gz" }), "is_a_directory", "source", "dir"),
            ("extract", json!({ "archive_path": "good.zip", "destination_path": "x", "only": "*.none" }), "not_found", "only", "good.zip"),
            ("walk_dir", json!({ "path": "a" }), "not_a_directory", "path", "a"),
            ("list_dir", json!({ "path": "no" }), "not_found", "path", "no"),
            ("list_directory", json!({ "path": "no" }), "not_found", "path", "no"),
        ]),
        ("[limits]\nbytes_written = 0\n", vec![
            ("write_file", json!({ "file_path": "x", "content": "1" }), "limit_exceeded", "path", "x"),
            ("append_file", json!({ "file_path": "a", "content": "1" }), "limit_exceeded", "path", "a"),
            ("edit_file", json!({ "file_path": "a", "old_text": "a", "new_text": "b" }), "limit_exceeded", "path", "a"),
            ("copy_file", json!({ "source_path": "a", "destination_path": "x" }), "limit_exceeded", "destination", "x"),
            ("compress", json!({ "source_path": "a", "destination_path": "x.zip" }), "limit_exceeded", "destination", "x.zip"),
            ("extract", json!({ "archive_path": "good.zip", "destination_path": "x" }), "limit_exceeded", "destination", "x"),
        ]),
        ("[limits]\nfiles_changed = 0\n", vec![
            ("write_file", json!({ "file_path": "x", "content": "1" }), "limit_exceeded", "path", "x"),
            ("delete_file", json!({ "path": "a" }), "limit_exceeded", "path", "a"),
            ("move_file", json!({ "source": "a", "destination": "x" }), "limit_exceeded", "destination", "x"),
            ("create_directory", json!({ "directory_path": "x" }), "limit_exceeded", "path", "x"),
            ("create_link", json!({ "path": "x", "target": "a" }), "limit_exceeded", "path", "x"),
            ("set_permissions", json!({ "path": "a", "mode": "600" }), "limit_exceeded", "path", "a"),
            ("set_modified", json!({ "path": "a", "time": "2024-05-01" }), "limit_exceeded", "path", "a"),
        ]),
        ("[policy]\nmax_files_per_operation = 1\n", vec![
            ("copy_file", json!({ "source_path": "dir", "destination_path": "x", "recursive": true }), "limit_exceeded", "destination", "x"),
            ("delete_file", json!({ "path": "dir", "recursive": true }), "limit_exceeded", "path", "dir"),
            ("compress", json!({ "source_path": "dir", "destination_path": "x.zip" }), "limit_exceeded", "destination", "x.zip"),
        ]),
        ("[policy]\nmax_file_size = 1\nblocked_extensions = [\"key\"]\n", vec![
            ("read_file", json!({ "file_path": "binary" }), "policy_denied", "path", "binary"),
            ("copy_file", json!({ "source_path": "binary", "destination_path": "x" }), "policy_denied", "source", "binary"),
            ("copy_file", json!({ "source_path": "a", "destination_path": "x.key" }), "policy_denied", "destination", "x.key"),
            ("create_link", json!({ "path": "x.key", "target": "a" }), "policy_denied", "path", "x.key"),
            ("move_file", json!({ "source": "a", "destination": "x.key" }), "policy_denied", "destination", "x.key"),
            ("compress", json!({ "source_path": "binary", "destination_path": "x.zip" }), "policy_denied", "source", "binary"),
            ("extract", json!({ "archive_path": "good.zip", "destination_path": "x" }), "policy_denied", "source", "good.zip"),
            ("list_archive", json!({ "path": "good.zip" }), "policy_denied", "path", "good.zip"),
            ("hash_file", json!({ "path": "binary" }), "policy_denied", "path", "binary"),
            ("lines", json!({ "path": "binary" }), "policy_denied", "path", "binary"),
            ("hash_files", json!({ "paths": ["a", "binary"] }), "policy_denied", "paths", "binary"),
        ]),
    ]
}

/// Returns the codes that each tool declares.
fn declared_errors() -> HashMap<String, Vec<Json>> {
    let ran = run(ns_without_sandbox().args(["tools", "--format", "json"]));
    let tools: Vec<Json> = serde_json::from_str(&ran.stdout).expect("the declarations are a list");
    let of = |tool: &Json| (tool["name"].as_str()?.to_owned(), tool["errors"].as_array()?.clone()).into();
    tools.iter().filter_map(of).collect()
}

#[test]
fn a_failure_at_a_path_names_the_path_and_its_argument() {
    let mut faults = Vec::new();
    let declared = declared_errors();
    for (policy, calls) in failing_calls() {
        for (tool, arguments, code, argument, path) in calls {
            let place = sandbox("", &["a", "b", "dir/in/x", "dir/y", "full/a", "special/x"]);
            fs::write(place.path().join("binary"), b"\0\x01\x02").expect("a file");
            fs::write(place.path().join("odd"), b"abc").expect("a file");
            for pipe in ["pipe", "special/pipe"] {
                make_pipe(&place.path().join(pipe));
            }
            let zip = json!({ "source_path": "a", "destination_path": "good.zip" });
            assert_eq!(call(&place, "compress", &zip, &[]).code, 0);
            fs::write(place.path().join("neuroscript.toml"), policy).expect("a policy");
            let (error, _) = failure(&call(&place, tool, &arguments, &[]));
            assert!(declared[tool].contains(&error["code"]), "{tool} does not declare {}", error["code"]);
            let found = (&error["code"], &error["argument"], &error["path"]);
            if found != (&json!(code), &json!(argument), &json!(path)) {
                faults.push(format!("{tool} {arguments}: {found:?}: {}", error["message"]));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn make_pipe(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.is_ok_and(|status| status.success()), "a pipe can be made");
}
