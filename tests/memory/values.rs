//! The values that memory can store, and their lifetime.

use super::{eval, memory, sandbox};
use crate::support::{ns, run};

#[test]
fn values_come_back_as_they_were() {
    let place = sandbox();
    for scope in ["session", "project"] {
        let code = format!(
            "SET all = [nil, true, false, 0, -1, 9223372036854775807, 1.0, -0.5, 1e300, 0.1, \"\", \"a\\u0000\\u001b\\n\", \
             \"\u{1f600}\", [], [[]], {{}}, {{\"b\": 1, \"a\": [2.0]}}]\n\
             FOR EACH i, value IN all DO\n\
             CALL MEMORY.Set(\"k\" + i, value, \"{scope}\")\n\
             SET back = MEMORY.Get(\"k\" + i, \"{scope}\")\n\
             MUST back == value AND TYPEOF(back) == TYPEOF(value) AND STR(back) == STR(value), i\n\
             END\n\
             EMIT LEN(MEMORY.List(\"{scope}\")), \" \", MEMORY.Get(\"k16\", \"{scope}\")"
        );
        let ran = eval(place.path(), &code);
        assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("17 {\"b\": 1, \"a\": [2.0]}\n", ""), "{scope}");
    }
}

#[test]
fn what_project_memory_cannot_keep_is_refused() {
    let place = sandbox();
    let code = "SET deep = 1\nFOR EACH i IN RANGE(101) DO\nSET deep = [deep]\nEND\n\
        CALL MEMORY.Set(\"k\", deep)\n\
        ON ERROR AS err DO\nEMIT err.code, \": \", err.message, \" (\", err.argument, \")\"\nCLEAR_ERROR\nEND\n\
        CALL MEMORY.Set(\"k\", deep, \"project\")\n\
        CALL MEMORY.Set(\"k\", deep[0], \"project\")\n\
        MUST MEMORY.Get(\"k\", \"project\") == deep[0]\n\
        CALL MEMORY.Set(\"k\", [1e300 * 1e300], \"project\")\n\
        EMIT LEN(MEMORY.List(\"project\"))";
    let ran = eval(place.path(), code);
    assert_eq!(
        ran.stdout,
        "bad_args: the value is nested more than 100 deep (value)\n\
         bad_args: JSON has no number `inf`, which is at `[0]` (value)\n1\n",
        "{}",
        ran.stderr
    );
}

#[test]
fn a_value_has_at_most_so_many_bytes() {
    let place = sandbox();
    let code = |bytes: usize| format!("SET t = \"{}\"\nCALL MEMORY.Set(\"k\", t, \"project\")", "x".repeat(bytes));
    assert_eq!(eval(place.path(), &code(100_000)).code, 0);
    let script = |bytes: usize| {
        let file = place.path().join("big.ns");
        std::fs::write(&file, code(bytes)).expect("a script");
        run(ns(place.path()).arg("run").arg(&file))
    };
    let limit = 1 << 20;
    assert_eq!(script(limit - 2).code, 0, "two bytes are the quotes");
    let ran = script(limit - 1);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("error[bad_args]: the value takes more than 1048576 bytes as JSON"));
    assert!(ran.stderr.contains("max_value_bytes"), "{}", ran.stderr);
    std::fs::write(place.path().join("neuroscript.toml"), "[tools.memory]\nmax_value_bytes = 5\n").expect("a policy");
    assert_eq!(memory(place.path(), &["set", "a", "\"abc\""]).code, 0);
    assert_eq!(memory(place.path(), &["set", "a", "\"abcd\""]).code, 2);
    assert_eq!(memory(place.path(), &["get", "k"]).stdout.len(), limit + 1, "what is there is still read");
}

#[test]
fn keys_have_rules_in_both_memories() {
    let place = sandbox();
    let long = "k".repeat(256);
    for scope in ["session", "project"] {
        let set = |key: &str| eval(place.path(), &format!("CALL MEMORY.Set(\"{key}\", 1, \"{scope}\")"));
        assert_eq!(set(&long).code, 0);
        assert_eq!(set("\u{1f600} / .. \\\"").code, 0);
        for (key, words) in [
            ("", "found an empty text"),
            ("a\\u0000b", "U+0000"),
            ("a\\nb", "U+000A"),
            ("a\\u0085b", "U+0085"),
            (&format!("{long}k"), "257 bytes, more than 256"),
        ] {
            for call in [
                format!("MEMORY.Set(\"{key}\", 1, \"{scope}\")"),
                format!("MEMORY.Get(\"{key}\", \"{scope}\")"),
                format!("MEMORY.Delete(\"{key}\", \"{scope}\")"),
            ] {
                let ran = eval(place.path(), &format!("CALL {call}"));
                assert_eq!(ran.code, 1, "{call}");
                assert!(ran.stderr.contains("error[bad_args]") && ran.stderr.contains(words), "{call}: {}", ran.stderr);
            }
        }
    }
}

#[test]
fn session_memory_lives_as_long_as_a_run() {
    let place = sandbox();
    let code = "func Remember(needs k) means\nCALL MEMORY.Set(k, MEMORY.Get(k))\nRETURN MEMORY.List()\nendfunc\n\
        EMIT MEMORY.Get(\"a\")\nCALL MEMORY.Set(\"a\", 1)\nEMIT Remember(\"a\"), MEMORY.Get(\"a\")";
    for _ in 0..2 {
        assert_eq!(eval(place.path(), code).stdout, "nil\n[\"a\"]1\n");
    }
    assert!(!place.path().join(".ns").exists(), "session memory makes no file");
    let call = |tool: &str, args: &str| run(ns(place.path()).args(["call", tool, args])).stdout;
    assert_eq!(call("memory_set", "{\"key\": \"a\", \"value\": 1}"), "null\n");
    assert_eq!(call("memory_get", "{\"key\": \"a\"}"), "null\n");
}

#[test]
fn session_memory_counts_as_memory_of_the_run() {
    let place = sandbox();
    std::fs::write(place.path().join("neuroscript.toml"), "[limits]\nmemory_bytes = 1000000\n").expect("a policy");
    let code = "SET i = 0\nWHILE true DO\nCALL MEMORY.Set(\"key \" + i, i)\nSET i = i + 1\nEND";
    let ran = eval(place.path(), code);
    assert!(ran.stderr.contains("NS0607") || ran.stderr.contains("limit_exceeded"), "{}", ran.stderr);
    let code = "FOR EACH i IN RANGE(50000) DO\nCALL MEMORY.Set(\"key\", i)\nCALL MEMORY.Set(\"other\", i)\n\
        CALL MEMORY.Delete(\"key\")\nEND\nEMIT MEMORY.List()";
    assert_eq!(eval(place.path(), code).stdout, "[\"other\"]\n");
}

#[test]
fn project_memory_lives_on_and_keys_come_in_order() {
    let place = sandbox();
    eval(
        place.path(),
        "FOR EACH k IN [\"b\", \"a\", \"ab\", \"\u{e9}\", \"Z\"] DO\nCALL MEMORY.Set(k, k, \"project\")\nEND",
    );
    let ran = eval(
        place.path(),
        "EMIT MEMORY.List(\"project\"), MEMORY.List(\"project\", \"a\"), MEMORY.List(scope: \"project\", prefix: \"x\")",
    );
    assert_eq!(ran.stdout, "[\"Z\", \"a\", \"ab\", \"b\", \"\u{e9}\"][\"a\", \"ab\"][]\n");
    let ran = eval(
        place.path(),
        "EMIT MEMORY.Delete(\"a\", \"project\"), MEMORY.Delete(\"a\", \"project\"), MEMORY.Get(\"a\", \"project\")",
    );
    assert_eq!(ran.stdout, "truefalsenil\n");
    assert_eq!(memory(place.path(), &["get", "ab"]).stdout, "\"ab\"\n");
}

#[test]
fn project_memory_costs_like_other_changes() {
    let place = sandbox();
    let policy = |limits: &str| {
        std::fs::write(place.path().join("neuroscript.toml"), format!("[limits]\n{limits}\n")).expect("a policy");
    };
    let code = "FOR EACH i IN RANGE(5) DO\nCALL MEMORY.Set(\"k\" + i, \"12345678\", \"project\")\nEMIT i\nEND";
    policy("files_changed = 3");
    let ran = eval(place.path(), code);
    assert_eq!(ran.stdout, "0\n1\n2\n");
    assert!(ran.stderr.contains("files_changed"), "{}", ran.stderr);
    policy("bytes_written = 20");
    let ran = eval(place.path(), code);
    assert_eq!(ran.stdout, "0\n1\n");
    assert!(ran.stderr.contains("bytes_written"), "{}", ran.stderr);
    policy("files_changed = 1");
    let ran = eval(place.path(), "CALL MEMORY.Delete(\"k0\", \"project\")\nCALL MEMORY.Delete(\"k1\", \"project\")");
    assert!(ran.stderr.contains("files_changed"), "{}", ran.stderr);
    assert_eq!(eval(place.path(), "FOR EACH i IN RANGE(5) DO\nCALL MEMORY.Set(\"k\", i)\nEND").code, 0);
}
