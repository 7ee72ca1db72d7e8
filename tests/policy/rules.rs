//! Refusals in any spelling, before anything is changed.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value as Json, json};

use super::Place;
use crate::support::run;

/// Policy is checked before existence and kind, so an error reveals nothing about a blocked directory.
#[test]
fn what_is_refused_is_refused_whatever_is_there() {
    let place = Place::new("[policy]\nblocked_directories = [\"secret\"]\n");
    for name in ["root/secret/sub/file", "root/.env", "root/open"] {
        place.write(name, "x");
    }
    symlink("second", place.path("root/secret/first")).expect("a link");
    symlink("first", place.path("root/secret/second")).expect("a link");
    symlink("secret/sub", place.path("root/way")).expect("a link");
    for path in [
        "secret/sub/file/",
        "secret/sub/file/x",
        "secret/sub/none/x",
        "secret/none/",
        "secret/none/../../open",
        "secret/first",
        "secret/first/x",
        "way/file/",
        "way/file/x",
        "way/none/x",
        "open/secret/x",
        ".env/",
        ".env/x",
    ] {
        assert_eq!(place.refused("read_file", json!({"file_path": path})).0, "policy_denied", "{path}");
        let write = json!({"file_path": path, "content": "x"});
        assert_eq!(place.refused("write_file", write).0, "policy_denied", "{path}");
    }
    let log = place.read("root/.ns/audit.jsonl").expect("refusals are told");
    assert!(log.contains(r#""paths":["secret/sub/file"],"outcome":"refused""#), "{log}");
    assert_eq!(place.refused("read_file", json!({"file_path": "open/x"})).0, "not_a_directory");
    assert_eq!(place.refused("read_file", json!({"file_path": "none/../open"})).0, "not_found");
}

/// Listings include refused names, and the refusal names a policy that allows them.
#[test]
fn the_refusal_of_a_built_in_pattern_says_how_to_allow_it() {
    let place = Place::new("");
    place.write("root/.git/config", "x");
    let found = place.call("find", json!({ "path": "." })).stdout;
    assert!(found.contains(r#""path":".git/config""#), "{found}");
    let without = place.call("find", json!({ "path": ".", "pattern": ["!.git", "!.env"] })).stdout;
    assert!(!without.contains(".git"), "{without}");
    let refused = place.call("read_file", json!({ "file_path": ".git/config" }));
    let error: Json = serde_json::from_str(&refused.stderr).expect("an error as JSON");
    let hint = error["error"]["hint"].as_str().expect("a hint");
    let line = hint.split('`').nth(1).expect("a line of a policy file");
    assert_eq!(line, r#"blocked_patterns = ["@default", "!.git"]"#, "{hint}");
    place.write("policy.toml", &format!("[policy]\n{line}\n"));
    let read = place.call("read_file", json!({ "file_path": ".git/config" }));
    assert!(read.code == 0 && read.stdout.contains(r#""content":"x""#), "{} {}", read.stdout, read.stderr);
}

#[test]
fn a_recursive_change_that_meets_something_refused_is_refused_before_the_first_change() {
    let place = Place::new("[policy]\nblocked_extensions = [\"db\"]\n");
    for file in ["d/a.txt", "d/sub/b.txt", "d/sub/x.DB", "e/.env", "f/.git/config"] {
        place.write(&format!("root/{file}"), "x");
    }
    for folder in ["d", "e", "f"] {
        for (tool, arguments) in [
            ("delete_file", json!({"path": folder, "recursive": true})),
            ("move_file", json!({"source": folder, "destination": "new"})),
            ("copy_file", json!({"source_path": folder, "destination_path": "new", "recursive": true})),
        ] {
            assert_eq!(place.refused(tool, arguments).0, "policy_denied", "{tool} {folder}");
        }
    }
    for file in ["d/a.txt", "d/sub/b.txt", "d/sub/x.DB", "e/.env", "f/.git/config"] {
        assert_eq!(place.read(&format!("root/{file}")).as_deref(), Some("x"), "{file}");
    }
    assert!(!place.path("root/new").exists());
    let names = place.call("find_files", json!({"directory_path": ".", "recursive": true, "include_hidden": true}));
    assert!(names.stdout.contains("x.DB") && names.stdout.contains(".env"), "names are still listed: {}", names.stdout);
}

#[test]
fn rules_are_asked_of_the_true_name_in_any_spelling() {
    let place = Place::new("[policy]\nblocked_directories = [\"Gehäuse\", \"a/b\"]\n");
    place.write("root/geha\u{308}use/x.txt", "x");
    place.write("root/a/b/x.txt", "x");
    place.write("root/a/bb/x.txt", "fine");
    symlink("a", place.path("root/link")).expect("a link");
    for path in ["geha\u{308}use/x.txt", "a/b/x.txt", "link/b/x.txt", "link/../link/b/../b/x.txt", "a/bb/../b/x.txt"] {
        assert_eq!(place.refused("read_file", json!({"file_path": path})).0, "policy_denied", "{path}");
    }
    assert!(place.call("read_file", json!({"file_path": "link/bb/x.txt"})).stdout.contains("fine"));
}

#[test]
fn a_rule_that_goes_through_a_link_holds_for_where_that_leads() {
    let place = Place::new("");
    place.write("outside/secret/k.txt", "outside");
    place.write("root/real/k.txt", "inside");
    symlink(place.path("outside"), place.path("ext")).expect("a link");
    symlink("real", place.path("root/current")).expect("a link");
    let ext = place.path("ext");
    let policy = format!(
        "[policy]\nallowed_directories = [\".\", {ext:?}]\nblocked_directories = [{:?}, \"current\"]\n",
        ext.join("secret")
    );
    place.write("policy.toml", &policy);
    for path in ["current/k.txt", "real/k.txt"] {
        assert_eq!(place.refused("read_file", json!({"file_path": path})).0, "policy_denied", "{path}");
    }
    for path in [ext.join("secret/k.txt"), place.path("outside/secret/k.txt")] {
        assert_eq!(place.refused("read_file", json!({"file_path": path})).0, "policy_denied", "{path:?}");
    }
}

#[test]
fn files_with_more_than_one_name_can_be_refused() {
    let place = Place::new("[policy]\nreject_hard_links = true\n");
    place.write("root/a.txt", "shared");
    place.write("root/c.txt", "alone");
    fs::hard_link(place.path("root/a.txt"), place.path("root/d.txt")).expect("a second name");
    for (tool, arguments) in [
        ("read_file", json!({"file_path": "a.txt"})),
        ("hash_file", json!({"path": "d.txt"})),
        ("copy_file", json!({"source_path": "a.txt", "destination_path": "b.txt"})),
    ] {
        let (code, message) = place.refused(tool, arguments);
        assert_eq!(code, "policy_denied", "{tool}");
        assert!(message.contains("2 names"), "{message}");
    }
    fs::create_dir(place.path("root/f")).expect("a folder");
    fs::hard_link(place.path("root/a.txt"), place.path("root/f/x")).expect("a third name");
    let folder = json!({"source_path": "f", "destination_path": "g", "recursive": true});
    assert_eq!(place.refused("copy_file", folder).0, "policy_denied");
    assert_eq!(place.call("hash_file", json!({"path": "c.txt"})).code, 0);
    assert_eq!(place.call("delete_file", json!({"path": "d.txt"})).code, 0, "a name can go");
}

/// Rules go by names: what SECURITY.md and docs/policy.md say of the default.
#[test]
fn a_second_name_opens_a_secret_by_default() {
    for (policy, code) in [("", 0), ("[policy]\nreject_hard_links = true\n", 4)] {
        let place = Place::new(policy);
        place.write("root/.env", "SECRET=1");
        fs::hard_link(place.path("root/.env"), place.path("root/notes.txt")).expect("a second name");
        assert_eq!(place.call("read_file", json!({"file_path": ".env"})).code, 4);
        let ran = place.call("read_file", json!({"file_path": "notes.txt"}));
        assert_eq!((ran.code, ran.stdout.contains("SECRET")), (code, code == 0), "{policy}: {}", ran.stderr);
    }
}

#[test]
fn what_shares_its_content_is_not_read_by_way_of_a_backup() {
    let place = Place::new("[policy]\nreject_hard_links = true\n");
    place.write("outside/shadow", "shared");
    place.write("root/a.txt", "mine");
    fs::hard_link(place.path("outside/shadow"), place.path("root/hard")).expect("a second name");
    for (tool, arguments) in [
        ("write_file", json!({"file_path": "hard", "content": "x"})),
        ("append_file", json!({"file_path": "hard", "content": "x"})),
        ("copy_file", json!({"source_path": "a.txt", "destination_path": "hard", "overwrite": true})),
        ("compress", json!({"source_path": "a.txt", "destination_path": "hard", "format": "zip", "overwrite": true})),
    ] {
        assert_eq!(place.refused(tool, arguments).0, "policy_denied", "{tool}");
    }
    let unkept = json!({"file_path": "hard", "content": "x", "create_backup": false});
    assert_eq!(place.call("write_file", unkept).code, 0, "nothing is read for that");
    assert_eq!(place.read("outside/shadow").as_deref(), Some("shared"));
}

#[test]
fn a_blocked_directory_is_blocked_however_it_is_written() {
    for written in
        ["secret", "./secret", "secret/", "secret//", "./secret/.", "SECRET", "secret.", "secret ", "se\u{200b}cret"]
    {
        let place = Place::new(&format!("[policy]\nblocked_directories = [\"{written}\"]\n"));
        for file in ["secret/k.txt", "Secret/k.txt", "secret./k.txt", "secret /in/k.txt"] {
            place.write(&format!("root/{file}"), "k");
            let (code, message) = place.refused("read_file", json!({"file_path": file}));
            assert_eq!(code, "policy_denied", "{written} {file}: {message}");
        }
        place.write("root/secrets/k.txt", "k");
        assert_eq!(place.call("read_file", json!({"file_path": "secrets/k.txt"})).code, 0, "{written}");
    }
    for written in ["a/Geha\u{308}use", "a//geh\u{e4}use/", "./a/./GEH\u{c4}USE"] {
        let place = Place::new(&format!("[policy]\nblocked_directories = [\"{written}\"]\n"));
        place.write("root/a/geha\u{308}use/k.txt", "k");
        let (code, _) = place.refused("read_file", json!({"file_path": "a/geha\u{308}use/k.txt"}));
        assert_eq!(code, "policy_denied", "{written}");
    }
}

#[test]
fn an_allowed_directory_allows_nothing_but_what_it_names() {
    let place = Place::new("[policy]\nallowed_directories = [\"./docs//in/\", \"open.\"]\n");
    for (file, code) in [("docs/in/a.txt", 0), ("docs/a.txt", 4), ("open./a.txt", 0), ("open/a.txt", 4)] {
        place.write(&format!("root/{file}"), "a");
        assert_eq!(place.call("read_file", json!({"file_path": file})).code, code, "{file}");
    }
}

#[test]
fn a_blocked_directory_that_holds_the_root_blocks_all_of_it() {
    let place = Place::new("");
    place.write("root/a.txt", "a");
    symlink(place.path(""), place.path("link")).expect("a link");
    for above in [place.path(""), place.path("root"), place.path("link"), "/".into()] {
        place.write("policy.toml", &format!("[policy]\nblocked_directories = [{above:?}]\n"));
        assert_eq!(place.refused("read_file", json!({"file_path": "a.txt"})).0, "policy_denied", "{above:?}");
    }
}

/// The help for a limit names a place in which raising it works: the file in the root, if that one sets it.
#[test]
fn the_help_for_a_limit_names_where_it_is_set() {
    let limits = "[limits]\nfiles_changed = 1\nbytes_written = 3\nmax_steps = 1000\nstring_bytes = 2000\n";
    let of_root = Place::new("");
    of_root.write("root/neuroscript.toml", limits);
    let own = Place::new(limits);
    for (script, key, line) in [
        ("MUST FS.WriteFile(\"a\", \"1\")\nMUST FS.WriteFile(\"b\", \"1\")", "files_changed", 2),
        ("MUST FS.WriteFile(\"a\", \"12345\")", "bytes_written", 3),
        ("FOR EACH i IN RANGE(0, 10000) DO\nSET x = i\nEND", "max_steps", 4),
        ("EMIT STR.Repeat(\"x\", 5000)", "string_bytes", 5),
    ] {
        let ran = run(of_root.ns().args(["run", "-e", script]));
        let there = format!("`{key}` at neuroscript.toml:{line}, which no other policy file can widen");
        assert!(ran.stderr.contains(&there) && !ran.stderr.contains("your own policy file"), "{}", ran.stderr);
        let ran = run(own.ns().args(["run", "-e", script]));
        assert!(ran.stderr.contains(&format!("`{key}` in `[limits]` of your own policy file")), "{}", ran.stderr);
    }
    let call = of_root.call("write_file", json!({"file_path": "c", "content": "12345"}));
    assert!(call.stderr.contains("`bytes_written` at neuroscript.toml:3"), "{}", call.stderr);
}
