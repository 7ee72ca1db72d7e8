//! Markdown files that are run and rendered, from a shell.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use std::fs;

use serde_json::Value as Json;
use tempfile::TempDir;

use crate::support::{ns, run, with_input};

const NOTES: &str = "# Ünïcode
1. list
   ```neuroscript
   SET x = 41
   ```

> ~~~~ NS and more
> DEFINE PROCEDURE Next(n)
>   RETURN n + 1
> END
> ~~~~

```python
print(1)
```

    ```neuroscript
    FAIL \"indented code is no fenced block\"
    ```

``` ns
EMIT Next(x), LEN(ARGS)
";

fn sandbox() -> TempDir {
    tempfile::tempdir().expect("a folder for the test")
}

#[test]
fn blocks_of_a_markdown_file_are_one_script() {
    let place = sandbox();
    for name in ["notes.md", "notes.MARKDOWN"] {
        let file = place.path().join(name);
        fs::write(&file, NOTES).expect("a document");
        assert_eq!(run(ns(place.path()).arg("run").arg(&file).args(["--", "a"])).stdout, "421\n");
        assert_eq!(run(ns(place.path()).arg(&file)).stdout, "420\n");
        assert_eq!(run(ns(place.path()).arg("check").arg(&file)).code, 0);
        fs::write(&file, format!("{NOTES}EMIT y\n  EMIT 1 +\n")).expect("a document");
        let checked = run(ns(place.path()).args(["check", "--format", "json"]).arg(&file));
        let findings: Json = serde_json::from_str(&checked.stdout).expect("findings are JSON");
        let places: Vec<_> = findings.as_array().expect("a list").iter().map(|finding| &finding["place"]).collect();
        let places: Vec<_> = places.iter().map(|place| (place["line"].clone(), place["column"].clone())).collect();
        assert_eq!(places, [(23.into(), 6.into()), (24.into(), 11.into())], "{}", checked.stdout);
        let excerpt = run(ns(place.path()).arg("check").arg(&file)).stderr;
        assert!(excerpt.contains("23 | EMIT y") && excerpt.contains(":23:6"), "{excerpt}");
    }
}

#[test]
fn a_markdown_file_without_a_block_is_an_error() {
    let place = sandbox();
    let file = place.path().join("notes.md");
    for text in ["# notes\n", "", "```\nEMIT 1\n```\n", "~~~nsx\nEMIT 1\n~~~\n", "EMIT 1"] {
        fs::write(&file, text).expect("a document");
        for (command, code) in [("run", 1), ("check", 3)] {
            let ran = run(ns(place.path()).arg(command).arg(&file));
            assert_eq!((ran.code, ran.stdout.as_str()), (code, ""), "{text:?}");
            assert!(ran.stderr.contains("NS0107") && ran.stderr.contains("holds no script"), "{}", ran.stderr);
        }
    }
    fs::write(&file, b"```ns\nEMIT \"\xff\"\n").expect("a document");
    let ran = run(ns(place.path()).arg("run").arg(&file));
    assert!(ran.stderr.contains("NS0010") && ran.stderr.contains(":2:7"), "{}", ran.stderr);
}

#[test]
fn a_document_comes_from_standard_input_too() {
    let place = sandbox();
    let mut command = ns(place.path());
    command.args(["render", "-", "--var", "a=1"]);
    assert_eq!(with_input(&mut command, "{{a}} {{invoke_tool: FS.WalkDir path: \".\"}}").stdout, "1 `[]`");
    let both = with_input(ns(place.path()).args(["render", "-", "--vars", "-"]), "{}");
    assert_eq!((both.code, both.stdout.as_str()), (2, ""));
    let values = with_input(ns(place.path()).args(["render", "missing.md", "--vars", "-"]), "[1]");
    assert!(values.stderr.contains("holds a JSON list, not an object"), "{}", values.stderr);
}

#[test]
fn temporary_directories_go_with_the_document() {
    let place = sandbox();
    let text = "{{invoke_tool: temp_directory prefix: \"work\"}}";
    let ran = with_input(ns(place.path()).args(["render", "-"]), text);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.contains(".tmp-work-"), "{}", ran.stdout);
    let left =
        fs::read_dir(place.path()).expect("the sandbox is there").map(|entry| entry.expect("an entry").file_name());
    assert_eq!(left.filter(|name| name != ".ns").count(), 0);
}

/// The limits of a document are those of one run, whatever the number of its calls.
#[test]
fn a_document_has_the_limits_of_a_run() {
    let place = sandbox();
    let rendered = |limits: &str, text: &str| {
        let policy = place.path().join("policy.toml");
        fs::write(&policy, format!("[limits]\n{limits}\n")).expect("a policy");
        with_input(ns(place.path()).arg("--policy").arg(&policy).args(["render", "-", "--var", "a=12345678"]), text)
    };
    let write = |name: &str| format!("{{{{invoke_tool: write_file file_path: \"{name}\", content: \"{{{{a}}}}\"}}}}\n");
    let two = write("x") + &write("y");
    for (limits, text, code) in [
        ("files_changed = 1", two.as_str(), "NS0612"),
        ("bytes_written = 15", &two, "NS0613"),
        ("output_bytes = 15", "{{a}}{{a}}", "NS0610"),
        ("script_bytes = 15", "0123456789abcdef", "NS0601"),
        ("nesting = 2", "{{invoke_tool: memory_set key: \"a\", value: [[[1]]]}}", "NS0602"),
        ("string_bytes = 15", "{{invoke_tool: write_file file_path: \"z\", content: \"{{a}}{{a}}\"}}", "NS0608"),
        ("tool_output_bytes = 15", "{{invoke_tool: walk_dir path: \".\"}}", "NS0611"),
    ] {
        let ran = rendered(limits, text);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{limits}: {}", ran.stderr);
        assert!(ran.stderr.contains(code), "{limits}: {}", ran.stderr);
    }
    assert_eq!(fs::read_to_string(place.path().join("x")).expect("the first call was within"), "12345678");
    assert!(!place.path().join("y").exists() && !place.path().join("z").exists());
}
