//! `ns memory`, and the file as other programs see it.

use std::io::Write;
use std::process::Stdio;

use serde_json::Value as Json;

use super::{database, eval, keep, memory, sandbox};
use crate::support::{Ran, ns, run};

fn import(place: &std::path::Path, lines: &str) -> Ran {
    let mut command = ns(place);
    let command =
        command.args(["memory", "import"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("ns starts");
    child.stdin.take().expect("input is piped").write_all(lines.as_bytes()).expect("ns reads its input");
    let output = child.wait_with_output().expect("ns ends");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ran { code: output.status.code().unwrap_or(-1), stdout: text(output.stdout), stderr: text(output.stderr) }
}

#[test]
fn list_get_set_and_delete() {
    let place = sandbox();
    assert_eq!(memory(place.path(), &["list"]).stdout, "[]\n");
    keep(place.path(), "a", "{\"x\": [1, 2.0, \"\u{fc}\"]}");
    keep(place.path(), "5", "-5");
    assert_eq!(memory(place.path(), &["get", "a"]).stdout, "{\"x\":[1,2.0,\"\u{fc}\"]}\n");
    keep(place.path(), "t", "\"text\"");
    assert_eq!(memory(place.path(), &["get", "t"]).stdout, "\"text\"\n");
    let rows: Json = serde_json::from_str(&memory(place.path(), &["list"]).stdout).expect("rows are JSON");
    let keys: Vec<&str> = rows.as_array().expect("a list").iter().filter_map(|row| row["key"].as_str()).collect();
    assert_eq!(keys, ["5", "a", "t"]);
    assert_eq!((&rows[1]["type"], &rows[1]["bytes"]), (&"map".into(), &18.into()));
    assert!(rows[1]["writer"].as_str().expect("a writer").starts_with("ns memory, process "));
    assert!(rows[1]["updated"].as_str().expect("a time").ends_with('Z'));
    assert_eq!(memory(place.path(), &["list", "--prefix", "a"]).stdout.matches("\"key\"").count(), 1);
    assert!(run(ns(place.path()).args(["memory", "list", "--output", "table"])).stdout.contains(" a    map"));
    assert_eq!(memory(place.path(), &["delete", "a"]).code, 0);
    for words in [["get", "a"], ["delete", "a"]] {
        let ran = memory(place.path(), &words);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
        assert!(ran.stderr.contains("error[not_found]: there is no key `a`"), "{}", ran.stderr);
    }
    for words in [&["set", "a", "text"][..], &["set", "", "1"], &["set", "a", "@missing"], &["get", ""], &["set", "a"]]
    {
        assert_eq!(memory(place.path(), words).code, 2, "{words:?}");
    }
    assert_eq!(memory(place.path(), &["import", "missing.jsonl"]).code, 2);
}

#[test]
fn an_export_is_an_import_elsewhere() {
    let (from, to) = (sandbox(), sandbox());
    eval(
        from.path(),
        "FOR EACH v IN [1, 1.0, \"x\", [nil, true], {\"k\": {}}] DO\nCALL MEMORY.Set(\"k\" + STR(v), v, \"project\")\nEND",
    );
    let lines = memory(from.path(), &["export"]).stdout;
    assert_eq!(lines.lines().count(), 5);
    assert!(lines.starts_with("{\"key\":\"k1\",\"type\":\"int\",\"value\":1,\"updated\":\"20"), "{lines}");
    assert!(lines.contains("\"writer\":\"ns run <-e>, process "), "{lines}");
    keep(to.path(), "kx", "\"old\"");
    keep(to.path(), "other", "1");
    let ran = import(to.path(), &lines);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, "5 keys taken in\n"));
    let back = memory(to.path(), &["export"]).stdout;
    let back: Vec<&str> = back.lines().filter(|line| !line.contains("\"other\"")).collect();
    assert_eq!(back, lines.lines().collect::<Vec<_>>());
    let file = from.path().join("lines.jsonl");
    std::fs::write(&file, &lines).expect("an export");
    assert_eq!(run(ns(to.path()).args(["memory", "import"]).arg(&file)).code, 0);
    assert_eq!(import(to.path(), "").stderr, "0 keys taken in\n");
    assert_eq!(
        import(to.path(), "{\"key\": \"n\", \"value\": 1}\n\n{\"value\": 2, \"key\": \"o\", \"type\": \"float\"}").code,
        0
    );
    assert_eq!(memory(to.path(), &["get", "o"]).stdout, "2.0\n");
}

#[test]
fn an_import_is_all_or_nothing() {
    let place = sandbox();
    keep(place.path(), "a", "1");
    for (line, words) in [
        ("{\"key\": \"\", \"value\": 1}", "line 2: expected a key"),
        ("{\"key\": \"x\"}", "line 2: the key `value` is missing"),
        ("{\"key\": \"x\", \"value\": }", "line 2: expected a value, at column 23"),
        ("{\"key\": \"a\", \"value\": 3}", "line 2: the key was given before"),
        ("{\"key\": \"x\", \"value\": 1, \"typ\": \"int\"}", "line 2: unknown key `typ`"),
        ("{\"key\": \"x\", \"value\": 1, \"type\": \"string\"}", "line 2: the value is of type `int`"),
        ("[]", "line 2: "),
        ("{\"key\": \"x\", \"value\": \"cut", "line 2: it ends too early"),
    ] {
        let ran = import(
            place.path(),
            &format!("{{\"key\": \"a\", \"value\": 2}}\n{line}\n{{\"key\": \"z\", \"value\": 2}}\n"),
        );
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{line}");
        assert!(ran.stderr.contains(words), "{line}: {}", ran.stderr);
        assert_eq!(memory(place.path(), &["get", "a"]).stdout, "1\n", "{line}");
        assert_eq!(memory(place.path(), &["get", "z"]).code, 1, "{line}");
    }
    std::fs::write(place.path().join("neuroscript.toml"), "[limits]\nfiles_changed = 1\n").expect("a policy");
    let ran = import(place.path(), "{\"key\": \"b\", \"value\": 2}\n{\"key\": \"c\", \"value\": 2}\n");
    assert_eq!(ran.code, 1);
    assert_eq!(memory(place.path(), &["get", "b"]).code, 1);
}

#[test]
fn other_programs_can_read_and_write_the_file() {
    let place = sandbox();
    keep(place.path(), "a", "[1.0, \"\u{fc}\"]");
    let connection = database(place.path());
    let row = connection.query_row("SELECT key, value, type, bytes, updated, writer FROM memory", [], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?, row.get::<_, i64>(3)?))
    });
    assert_eq!(row.expect("a row"), ("a".to_owned(), "[1.0,\"\u{fc}\"]".to_owned(), "list".to_owned(), 10));
    let pragma = |name: &str| {
        connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, rusqlite::types::Value>(0)).expect(name)
    };
    assert_eq!(pragma("application_id"), rusqlite::types::Value::Integer(0x4e53_6d65));
    assert_eq!(pragma("user_version"), rusqlite::types::Value::Integer(1));
    assert_eq!(pragma("journal_mode"), rusqlite::types::Value::Text("wal".to_owned()));
    let insert = |key: &str, value: &str, type_name: &str| {
        let sql = "INSERT INTO memory (key, value, type, bytes, updated, writer) VALUES (?1, ?2, ?3, 0, '', '')";
        connection.execute(sql, [key, value, type_name])
    };
    insert("theirs", "1", "float").expect("a row");
    assert!(insert("bad", "no json", "int").is_err(), "the table checks itself");
    assert_eq!(memory(place.path(), &["get", "theirs"]).stdout, "1.0\n");
    insert("strange", "1", "map").expect("a row");
    let ran = memory(place.path(), &["get", "strange"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stderr.contains("under `strange`: the value is of type `int`, and `type` says `map`"),
        "{}",
        ran.stderr
    );
    let ran = memory(place.path(), &["export"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    let ran = memory(place.path(), &["export", "--salvage"]);
    assert_eq!((ran.code, ran.stdout.lines().count()), (0, 2));
    assert!(ran.stderr.contains("2 keys read; 1 cannot be used"), "{}", ran.stderr);
}

#[test]
fn a_policy_that_is_read_only_refuses_changes_of_project_memory() {
    let place = sandbox();
    keep(place.path(), "a", "1");
    let read_only = |words: &[&str]| run(ns(place.path()).arg("--read-only").args(words));
    for words in [&["memory", "set", "a", "2"][..], &["memory", "delete", "a"], &["memory", "import", "/dev/null"]] {
        let ran = read_only(words);
        assert_eq!(ran.code, 4, "{words:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("error[policy_denied]"), "{}", ran.stderr);
    }
    for call in ["MEMORY.Set(\"a\", 2, \"project\")", "MEMORY.Delete(\"a\", \"project\")"] {
        assert_eq!(read_only(&["run", "-e", &format!("CALL {call}")]).code, 4, "{call}");
    }
    let code =
        "CALL MEMORY.Set(\"s\", 1)\nEMIT MEMORY.Get(\"s\"), MEMORY.Delete(\"s\"), MEMORY.Get(\"a\", \"project\")";
    assert_eq!(read_only(&["run", "-e", code]).stdout, "1true1\n");
    assert_eq!(read_only(&["memory", "get", "a"]).stdout, "1\n");
    assert_eq!(read_only(&["memory", "export"]).stdout.lines().count(), 1);
}
