//! Files that are damaged, of another program or of a newer version: the error names the file and a remedy, nothing is
//! overwritten, and readable data can be salvaged.

use std::path::Path;

use rusqlite::Connection;

use super::{database, eval, file, keep, memory, sandbox, settle};
use crate::support::{ns, run};

/// Asserts that every use of the file fails with these words and leaves it unchanged.
fn unusable(place: &Path, words: &str) {
    let before = std::fs::read(file(place)).expect("the file");
    for arguments in [
        &["memory", "list"][..],
        &["memory", "get", "k1"],
        &["memory", "set", "k1", "1"],
        &["memory", "delete", "k1"],
        &["memory", "export"],
        &["run", "-e", "CALL MEMORY.Get(\"k1\", \"project\")"],
        &["run", "-e", "CALL MEMORY.Set(\"k1\", 1, \"project\")"],
        &["--read-only", "memory", "get", "k1"],
    ] {
        let ran = run(ns(place).args(arguments));
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{arguments:?}: {}", ran.stderr);
        let code = if words.contains("damaged") { "error[io_error]" } else { "error[conflict]" };
        assert!(ran.stderr.contains(code), "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(words), "{arguments:?}: {}", ran.stderr);
        let help = "save what can be read with `ns memory export --salvage > memory.jsonl`";
        assert!(ran.stderr.contains(".ns/memory.db") && ran.stderr.contains(help), "{arguments:?}: {}", ran.stderr);
    }
    assert!(std::fs::read(file(place)).expect("the file") == before, "the file was changed");
}

fn salvage(place: &Path) -> (i32, usize, String) {
    let before = std::fs::read(file(place)).expect("the file");
    let ran = memory(place, &["export", "--salvage"]);
    assert!(std::fs::read(file(place)).expect("the file") == before, "the file was changed");
    (ran.code, ran.stdout.lines().count(), ran.stderr)
}

/// Creates a memory of many keys in one file, without a log.
fn filled(keys: usize) -> tempfile::TempDir {
    let place = sandbox();
    let lines: String = (0..keys)
        .map(|number| format!("{{\"key\":\"k{number}\",\"value\":\"{}{number}\"}}\n", "v".repeat(60)))
        .collect();
    let list = place.path().join("lines");
    std::fs::write(&list, lines).expect("an import");
    assert_eq!(run(ns(place.path()).args(["memory", "import"]).arg(&list)).code, 0);
    settle(place.path());
    place
}

/// Returns deterministic bytes that are not a database.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 88_172_645_463_325_252_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    (0..length).map(|_| next()).collect()
}

#[test]
fn random_bytes() {
    for length in [1, 99, 100, 4096, 20_000] {
        let place = sandbox();
        std::fs::create_dir(place.path().join(".ns")).expect("a folder");
        std::fs::write(file(place.path()), noise(length)).expect("noise");
        let words = if length < 512 { "it has only" } else { "file is not a database" };
        unusable(place.path(), &format!("`.ns/memory.db` is damaged: {words}"));
        let (code, lines, words) = salvage(place.path());
        assert_eq!((code, lines), (1, 0), "{words}");
        assert!(words.contains("nothing in `.ns/memory.db` can be read as memory"), "{words}");
    }
}

#[test]
fn an_empty_file() {
    let place = sandbox();
    std::fs::create_dir(place.path().join(".ns")).expect("a folder");
    std::fs::write(file(place.path()), "").expect("an empty file");
    unusable(place.path(), "`.ns/memory.db` is damaged: it has only 0 bytes");
    assert_eq!(salvage(place.path()).1, 0);
}

#[test]
fn a_database_of_another_program() {
    for setup in ["CREATE TABLE other (a)", "PRAGMA application_id = 5; CREATE TABLE memory (key, value)", "VACUUM"] {
        let place = sandbox();
        std::fs::create_dir(place.path().join(".ns")).expect("a folder");
        Connection::open(file(place.path())).expect("a file").execute_batch(setup).expect(setup);
        if std::fs::metadata(file(place.path())).expect("the file").len() == 0 {
            continue;
        }
        unusable(place.path(), "`.ns/memory.db` is a database of another program: its application id is 0x0000000");
        assert_eq!(salvage(place.path()).1, 0);
    }
}

#[test]
fn our_id_with_other_tables() {
    for (setup, words) in [
        ("DROP TABLE memory", "its tables are not those of this program"),
        ("ALTER TABLE memory RENAME COLUMN value TO content", "its tables are not those of this program"),
        ("PRAGMA user_version = 0", "its version is 0"),
        ("PRAGMA user_version = -1", "its version is -1"),
    ] {
        let place = filled(3);
        database(place.path()).execute_batch(setup).expect(setup);
        settle(place.path());
        let ran = memory(place.path(), &["get", "k1"]);
        assert_eq!(ran.code, 1, "{setup}");
        assert!(ran.stderr.contains("is damaged") && ran.stderr.contains(words), "{setup}: {}", ran.stderr);
    }
}

/// Tables of other programs can compute whatever they like with each statement.
#[test]
fn our_id_with_tables_that_compute() {
    let huge = "printf('%.*c', 200000000, '1')";
    let table = |more: &str, value: &str| {
        format!(
            "DROP TABLE memory; CREATE TABLE memory (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, {value}, \
             type TEXT DEFAULT 'int', bytes INTEGER DEFAULT 1, updated TEXT DEFAULT '', writer TEXT DEFAULT '' {more});"
        )
    };
    let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) \
        INSERT INTO memory (id, key) SELECT i, 'k' || i FROM n;";
    let check = table(&format!(", CHECK (length({huge}) > 0)"), "value TEXT DEFAULT '1'");
    let computed = table("", &format!("value TEXT GENERATED ALWAYS AS ({huge}) VIRTUAL"));
    for setup in [
        format!("PRAGMA ignore_check_constraints = 1; {check} {rows}"),
        format!("{computed} {rows}"),
        format!("CREATE INDEX other ON memory (length({huge}))").replace(huge, "key"),
        "CREATE TRIGGER other AFTER INSERT ON memory BEGIN DELETE FROM memory; END".to_owned(),
        "CREATE VIEW other AS SELECT key FROM memory".to_owned(),
        "ALTER TABLE memory RENAME TO kept; CREATE VIEW memory AS SELECT * FROM kept".to_owned(),
        "ANALYZE".to_owned(),
    ] {
        let place = filled(3);
        database(place.path()).execute_batch(&setup).expect(&setup);
        settle(place.path());
        let begin = std::time::Instant::now();
        unusable(place.path(), "`.ns/memory.db` is damaged: its tables are not those of this program");
        run(ns(place.path()).args(["--timeout", "2", "memory", "export", "--salvage"]));
        assert!(begin.elapsed().as_secs() < 60, "{setup}: the tables were computed with");
    }
}

/// A file may have any number of rows, whoever wrote it.
#[test]
fn rows_are_charged_before_they_are_held() {
    let place = filled(1);
    let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) \
        INSERT INTO memory SELECT i + 9, 'm' || i, '1', 'int', 1, '2020-01-01T00:00:00Z', 'w' FROM n";
    database(place.path()).execute_batch(rows).expect("many rows");
    settle(place.path());
    std::fs::write(place.path().join("neuroscript.toml"), "[limits]\nmemory_bytes = 8_000_000\n").expect("a policy");
    for arguments in [
        &["memory", "list"][..],
        &["memory", "export"],
        &["memory", "export", "--salvage"],
        &["--read-only", "memory", "get", "m1"],
        &["run", "-e", "EMIT LEN(MEMORY.List(\"project\"))"],
    ] {
        let ran = run(ns(place.path()).args(arguments));
        assert!(ran.stderr.contains("memory_bytes"), "{arguments:?}: {}", ran.stderr);
        assert_ne!(ran.code, 0, "{arguments:?}");
    }
    assert_eq!(memory(place.path(), &["get", "m77"]).stdout, "1\n", "one row is no load");
}

#[test]
fn a_newer_version() {
    let place = filled(3);
    database(place.path())
        .execute_batch("PRAGMA user_version = 2; ALTER TABLE memory ADD COLUMN x")
        .expect_err("strict");
    database(place.path())
        .execute_batch("ALTER TABLE memory ADD COLUMN extra TEXT; PRAGMA user_version = 2")
        .expect("a newer file");
    settle(place.path());
    unusable(place.path(), "has version 2, and this program knows versions up to 1");
    assert_eq!(salvage(place.path()), (0, 3, "3 keys read; nothing is lost\n".to_owned()));
}

#[test]
fn a_truncated_file() {
    let whole = filled(2_000);
    let bytes = std::fs::read(file(whole.path())).expect("the file");
    assert!(bytes.len() > 200_000);
    for length in [bytes.len() - 1, bytes.len() - 4096, bytes.len() / 2, bytes.len() / 2 + 77] {
        let place = sandbox();
        std::fs::create_dir(place.path().join(".ns")).expect("a folder");
        std::fs::write(file(place.path()), &bytes[..length]).expect("a shorter file");
        unusable(place.path(), "`.ns/memory.db` is damaged: ");
        let (code, lines, words) = salvage(place.path());
        assert_eq!(code, 0, "{words}");
        let least = if length > bytes.len() - 5_000 { 1_900 } else { 600 };
        assert!((least..=2_000).contains(&lines), "{lines} of 2000 from {length} bytes: {words}");
        assert!(words.contains("some may be missing"), "{words}");
    }
}

#[test]
fn a_damaged_page_costs_the_rows_on_it_alone() {
    let place = filled(2_000);
    let mut bytes = std::fs::read(file(place.path())).expect("the file");
    // Leaf pages of a table begin with 13; one in the middle is overwritten.
    let leaves: Vec<usize> = (1..bytes.len() / 4096).filter(|page| bytes[page * 4096] == 13).collect();
    let at = leaves[leaves.len() / 2] * 4096;
    bytes[at..at + 4096].copy_from_slice(&noise(4096));
    std::fs::write(file(place.path()), &bytes).expect("a damaged file");
    let ran = memory(place.path(), &["export"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "a plain export is whole or an error");
    assert!(ran.stderr.contains("is damaged: ") && ran.stderr.contains("--salvage"), "{}", ran.stderr);
    let (code, lines, words) = salvage(place.path());
    assert_eq!(code, 0, "{words}");
    assert!((1_900..2_000).contains(&lines), "{lines} of 2000: {words}");
    // The remedy that the help shows.
    let lines = memory(place.path(), &["export", "--salvage"]).stdout;
    let saved = place.path().join("memory.jsonl");
    std::fs::write(&saved, &lines).expect("the export");
    for name in ["memory.db", "memory.db-wal", "memory.db-shm"] {
        let _ = std::fs::remove_file(place.path().join(".ns").join(name));
    }
    assert_eq!(run(ns(place.path()).args(["memory", "import"]).arg(&saved)).code, 0);
    let mut after: Vec<String> = memory(place.path(), &["export"]).stdout.lines().map(str::to_owned).collect();
    let mut before: Vec<String> = lines.lines().map(str::to_owned).collect();
    after.sort();
    before.sort();
    assert_eq!(after, before);
}

#[test]
fn a_first_page_that_is_lost_costs_no_row() {
    for end in [100, 4096] {
        let place = filled(500);
        let mut bytes = std::fs::read(file(place.path())).expect("the file");
        bytes[..end].copy_from_slice(&noise(end));
        std::fs::write(file(place.path()), &bytes).expect("a damaged file");
        unusable(place.path(), "`.ns/memory.db` is damaged: ");
        let (code, lines, words) = salvage(place.path());
        assert_eq!((code, lines), (0, 500), "{words}");
    }
}

/// Damage anywhere causes an answer or an error: no panic, no hang, no value that was never stored.
#[test]
fn damage_anywhere_is_survived() {
    let whole = filled(300);
    let bytes = std::fs::read(file(whole.path())).expect("the file");
    let place = sandbox();
    std::fs::create_dir(place.path().join(".ns")).expect("a folder");
    let rounds = if std::env::var_os("NS_LONG").is_some() { 1_000 } else { 40 };
    let picks = noise(rounds * 8);
    for round in 0..rounds {
        let pick = |at: usize| usize::from(picks[round * 8 + at]);
        let mut bytes = bytes.clone();
        let at = (pick(0) * 65_536 + pick(1) * 256 + pick(2)) % bytes.len();
        let end = (at + 1 + pick(3) * (1 + pick(4) % 16)).min(bytes.len());
        bytes[at..end].copy_from_slice(&noise(end - at));
        for name in ["memory.db-wal", "memory.db-shm"] {
            let _ = std::fs::remove_file(place.path().join(".ns").join(name));
        }
        std::fs::write(file(place.path()), &bytes).expect("a damaged file");
        let salvaged = memory(place.path(), &["export", "--salvage"]);
        for line in salvaged.stdout.lines() {
            let line: serde_json::Value = serde_json::from_str(line).expect("lines are JSON");
            assert!(line["key"].is_string() && line.get("value").is_some(), "{line}");
        }
        for ran in
            [salvaged, memory(place.path(), &["export"]), eval(place.path(), "EMIT MEMORY.Get(\"k7\", \"project\")")]
        {
            assert!([0, 1].contains(&ran.code), "round {round}: {} {}", ran.code, ran.stderr);
            assert!(!ran.stderr.contains("fault of NeuroScript itself"), "round {round}: {}", ran.stderr);
        }
    }
}

#[test]
fn a_row_that_breaks_the_rules_is_an_error_and_not_a_value() {
    let place = sandbox();
    keep(place.path(), "a", "1");
    let connection = database(place.path());
    connection.execute_batch("PRAGMA ignore_check_constraints = ON").expect("a pragma");
    for value in ["[1", "\u{1}", &"[".repeat(100_000), "1e999"] {
        connection.execute("UPDATE memory SET value = ?1 WHERE key = 'a'", [value]).expect("a bad row");
        let ran = memory(place.path(), &["get", "a"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{value:.20}");
        assert!(ran.stderr.contains("is damaged: under `a`"), "{value:.20}: {}", ran.stderr);
    }
}

#[test]
fn a_damaged_page_is_found_before_anything_is_written() {
    let place = sandbox();
    let lines: String = (0..300).map(|n| format!("{{\"key\":\"k{n:03}\",\"value\":\"{n:0100}\"}}\n")).collect();
    let import = place.path().join("import.jsonl");
    std::fs::write(&import, lines).expect("lines to take in");
    assert_eq!(memory(place.path(), &["import", import.to_str().expect("a text")]).code, 0);
    settle(place.path());
    let mut bytes = std::fs::read(file(place.path())).expect("the database");
    bytes[4096 * 8 + 10..4096 * 8 + 3010].fill(0xff);
    std::fs::write(file(place.path()), &bytes).expect("a damaged file");
    for words in [&["set", "a", "1"][..], &["delete", "k200"], &["get", "k000"], &["list"]] {
        let ran = memory(place.path(), words);
        assert_eq!(ran.code, 1, "{words:?}");
        assert!(ran.stderr.contains("`.ns/memory.db` is damaged"), "{words:?}: {}", ran.stderr);
    }
    assert!(std::fs::read(file(place.path())).expect("the database") == bytes, "the damaged file was written to");
}

#[test]
fn what_another_program_has_not_committed_is_not_read() {
    let place = sandbox();
    for n in 0..20 {
        keep(place.path(), &format!("k{n}"), &format!("\"{n:0100}\""));
    }
    let connection = database(place.path());
    connection.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(())).expect("another journal");
    connection
        .execute_batch("PRAGMA cache_size = 1; BEGIN IMMEDIATE; UPDATE memory SET value = '\"no\"'")
        .expect("a change");
    connection.cache_flush().expect("the change is in the file");
    let ran = memory(place.path(), &["get", "k3", "--read-only"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{}", ran.stderr);
    assert!(ran.stderr.contains("error[conflict]"), "{}", ran.stderr);
    connection.execute_batch("ROLLBACK").expect("it is taken back");
    drop(connection);
    assert_eq!(memory(place.path(), &["get", "k3", "--read-only"]).stdout, format!("\"{:0100}\"\n", 3));
}
