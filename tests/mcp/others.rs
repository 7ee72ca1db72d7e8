//! The same tools for programs without MCP: `ns call --jsonl`, `ns call --meta`, `ns tools --format`.

use serde_json::{Value as Json, json};

use crate::support::{ns, run, with_input};

fn sandbox() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a sandbox");
    std::fs::write(place.path().join("a.txt"), "one\ntwo\nthree\n").expect("a file");
    place
}

#[test]
fn a_line_is_a_call_and_its_answer_has_its_id() {
    let place = sandbox();
    let lines = [
        json!({ "id": 1, "tool": "read_file", "arguments": { "file_path": "a.txt", "max_lines": 1 } }).to_string(),
        json!({ "id": "b", "tool": "FS.ReadFile", "arguments": { "file_path": "none" } }).to_string(),
        json!({ "id": [2], "tool": "memory_set", "arguments": { "key": "k", "value": 5 } }).to_string(),
        json!({ "tool": "memory_get", "arguments": { "key": "k" } }).to_string(),
        String::new(),
        "nonsense".to_owned(),
        json!({ "id": 3, "tool": "walk_dir", "arguments": { "path": "none" } }).to_string(),
        json!({ "id": 4, "tool": "nonsense" }).to_string(),
        json!({ "id": 5, "tool": "str_upper", "arguments": { "text": "x" }, "more": 1 }).to_string(),
        json!({ "id": 6, "tool": "str_upper", "arguments": { "text": "x" } }).to_string(),
    ];
    let ran = with_input(ns(place.path()).args(["call", "--jsonl"]), &lines.join("\n"));
    let answers: Vec<Json> = ran.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((answers.len(), ran.code), (9, 2), "{}{}", ran.stdout, ran.stderr);
    assert_eq!((&answers[0]["id"], &answers[0]["result"]["content"]), (&json!(1), &json!("one\n")));
    assert_eq!((&answers[1]["id"], &answers[1]["error"]["code"]), (&json!("b"), &json!("not_found")));
    assert_eq!(answers[2]["id"], json!([2]));
    // Session memory persists from line to line.
    assert_eq!(answers[3], json!({ "id": null, "result": 5 }));
    assert_eq!((&answers[4]["id"], &answers[4]["error"]["code"]), (&Json::Null, &json!("bad_args")));
    assert_eq!(answers[5], json!({ "id": 3, "result": null }));
    assert_eq!(answers[6]["error"]["code"], "unknown_tool");
    assert_eq!(answers[7]["error"]["code"], "bad_args");
    assert_eq!(answers[8], json!({ "id": 6, "result": "X" }));
}

#[test]
fn a_malformed_line_keeps_its_id() {
    let place = sandbox();
    for (line, id) in [
        (r#"{"id": 7, "tool": "read_file", "arguments": {"#, json!(7)),
        (r#"{"tool": "read_file", "id": "é", "arguments": {]}"#, json!("é")),
        (r#"{"id": {"a": [1]}, "name": "read_file"}"#, json!({ "a": [1] })),
        (r#"{"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {}}"#, json!(5)),
        (r#"{"id": 1, "id": 2, "tool": "uuid_new"}"#, json!(1)),
        (r#"{"id": 8}"#, json!(8)),
        (r#"{"id": 9, "tool": "uuid_new"} more"#, json!(9)),
        (r#"{"id": 10, "tool": "uuid_new"#, json!(10)),
        (r#"{"arguments": {"id": 3}, "tool": 5}"#, Json::Null),
        (r#"{"tool": nonsense, "id": 3}"#, Json::Null),
        (r#"{"id": 12"#, Json::Null),
        (r#"{"id": 12,"#, json!(12)),
        (r#"{"id": "cut"#, Json::Null),
        (r#"[{"id": 3}]"#, Json::Null),
        ("nonsense", Json::Null),
    ] {
        let ran = with_input(ns(place.path()).args(["call", "--jsonl"]), line);
        let answer: Json = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{line}: {}", ran.stderr));
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!("bad_args")), "{line}");
        assert_eq!(ran.code, 2, "{line}");
    }
}

#[test]
fn the_exit_code_is_that_of_the_gravest_answer() {
    let place = sandbox();
    let good = r#"{"id": 1, "tool": "read_file", "arguments": {"file_path": "a.txt"}}"#;
    let failed = r#"{"id": 2, "tool": "read_file", "arguments": {"file_path": "none"}}"#;
    let malformed = r#"{"id": 3, "tool": "read_file""#;
    let unknown = r#"{"id": 4, "tool": "no_such_tool"}"#;
    let arguments = r#"{"id": 5, "tool": "read_file", "arguments": {"file_path": 1}}"#;
    let refused = r#"{"id": 6, "tool": "read_file", "arguments": {"file_path": "../up"}}"#;
    let nil = r#"{"id": 7, "tool": "walk_dir", "arguments": {"path": "none"}}"#;
    let large = r#"{"id": 8, "tool": "str_repeat", "arguments": {"text": "x", "times": 5000}}"#;
    for (lines, code) in [
        (vec![good, nil], 0),
        (vec![], 0),
        (vec![failed, good], 1),
        (vec![good, large, good], 1),
        (vec![failed, malformed, good], 2),
        (vec![good, unknown, failed], 2),
        (vec![arguments, good], 2),
        (vec![malformed, refused, failed, good], 4),
        (vec![refused], 4),
    ] {
        for meta in [&[][..], &["--meta"]] {
            let limit = if meta.is_empty() { "1000" } else { "100000" };
            let code = if lines.contains(&large) && !meta.is_empty() { 0 } else { code };
            let mut command = ns(place.path());
            command.args(["call", "--jsonl", "--max-output-bytes", limit]).args(meta);
            let ran = with_input(&mut command, &lines.join("\n"));
            assert_eq!(ran.stdout.lines().count(), lines.len(), "every line is answered: {}", ran.stdout);
            assert_eq!(ran.code, code, "{lines:?}: {}{}", ran.stdout, ran.stderr);
        }
    }
}

#[test]
fn a_long_answer_comes_in_parts() {
    let place = sandbox();
    let text = "äöü€\n".repeat(200);
    std::fs::write(place.path().join("long.txt"), &text).expect("a file");
    let (mut read, mut offset) = (String::new(), None::<u64>);
    loop {
        let from = offset.map(|offset| ["--offset".to_owned(), offset.to_string()]);
        let mut command = ns(place.path());
        command.args(["call", "--meta", "--max-output-bytes", "700"]).args(from.into_iter().flatten());
        let ran = run(command.args(["read_file", r#"{"file_path":"long.txt"}"#]));
        let part: Json = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}{}", ran.stdout, ran.stderr));
        let text = if part["result"].is_string() { &part["result"] } else { &part["result"]["content"] };
        read.push_str(text.as_str().unwrap_or_else(|| panic!("{part}")));
        assert_eq!((&part["_meta"]["unit"], &part["_meta"]["of"]), (&json!("bytes"), &json!(2_000)), "{part}");
        offset = part["_meta"]["next_offset"].as_u64();
        assert_eq!(part["_meta"]["truncated"], offset.is_some(), "{part}");
        if offset.is_none() {
            break;
        }
    }
    assert_eq!(read, text);
    let ran =
        run(ns(place.path()).args(["call", "--meta", "--offset", "9999", "read_file", r#"{"file_path":"a.txt"}"#]));
    assert_eq!(ran.code, 2, "{}{}", ran.stdout, ran.stderr);
    // Without `--meta`, the answer equals the documented one byte for byte.
    let plain = run(ns(place.path()).args(["call", "list_dir", r#"{"filter":"files"}"#]));
    assert_eq!(plain.stdout, "a.txt\nlong.txt");
}

/// The rest of the answer is too large for a part, or an element of its list is: the parts are those of its JSON.
#[test]
fn an_answer_that_cannot_be_cut_in_its_shape_comes_as_json() {
    let place = sandbox();
    for value in [
        json!({ "content": "one\ntwo\n", "path": "€".repeat(200), "more": { "deep": vec!["ü\u{1}"; 30] } }),
        json!(["a", "b", "long ".repeat(60), []]),
        json!({ "map": { "only": "x".repeat(300) } }),
    ] {
        let args = json!({ "text": value.to_string() }).to_string();
        for bytes in [80, 100, 300] {
            let (mut text, mut offset) = (String::new(), None::<Json>);
            loop {
                let from = offset.iter().flat_map(|offset| ["--offset", offset.as_str().expect("an offset")]);
                let mut command = ns(place.path());
                command.args(["call", "--meta", "--max-output-bytes", &bytes.to_string()]).args(from);
                let ran = run(command.args(["json_parse", &args]));
                let part: Json = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.stderr));
                assert!(part["result"].to_string().len() <= bytes, "{part}");
                assert_eq!(part["_meta"]["unit"], "bytes of JSON");
                text.push_str(part["result"].as_str().unwrap_or_else(|| panic!("{part}")));
                offset = Some(part["_meta"]["next_offset"].clone()).filter(|next| !next.is_null());
                if offset.is_none() {
                    break;
                }
            }
            assert_eq!(serde_json::from_str::<Json>(&text).expect("JSON"), value, "{bytes}");
        }
    }
    let script = r#"{"file_path":"new.txt","content":"x"}"#;
    let small = run(ns(place.path()).args(["call", "--meta", "--max-output-bytes", "71", "write_file", script]));
    assert_eq!(small.code, 2, "{}{}", small.stdout, small.stderr);
    assert!(small.stderr.contains("needs at least 72, not 71"), "{}", small.stderr);
    assert!(!place.path().join("new.txt").exists(), "the call was not made");
}

#[test]
fn definitions_have_the_forms_of_the_frameworks() {
    let place = sandbox();
    let form = |format: &str, tool: &str| -> Json {
        let ran = run(ns(place.path()).args(["tools", tool, "--format", format]));
        serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{format}: {}{}", ran.stdout, ran.stderr))
    };
    let mcp = form("mcp", "read_file");
    assert_eq!((&mcp["name"], &mcp["annotations"]["readOnlyHint"]), (&json!("read_file"), &json!(true)));
    let openai = form("openai", "read_file");
    let parameters = &openai["function"]["parameters"];
    let named =
        |schema: &Json| schema["properties"].as_object().expect("properties").keys().cloned().collect::<Vec<_>>();
    assert_eq!((&openai["type"], named(parameters)), (&json!("function"), named(&mcp["inputSchema"])));
    assert_eq!(parameters["additionalProperties"], false);
    assert_eq!(form("anthropic", "read_file")["input_schema"], *parameters);
    let strict = form("openai-strict", "read_file")["function"].clone();
    assert_eq!(strict["strict"], true);
    let properties = strict["parameters"]["properties"].as_object().expect("properties");
    assert_eq!(strict["parameters"]["required"].as_array().map(Vec::len), Some(properties.len()));
    assert_eq!(properties["path"]["type"], "string");
    assert_eq!(properties["max_lines"]["type"], json!(["integer", "null"]));
    assert!(properties.values().all(|property| property.get("default").is_none()));
    let gemini = form("gemini", "read_file");
    assert_eq!(gemini["parameters"]["type"], "OBJECT");
    assert_eq!(gemini["parameters"]["properties"]["path"]["type"], "STRING");
    assert_eq!(gemini["parameters"].get("additionalProperties"), None);
}

#[test]
fn all_tools_have_every_form() {
    let place = sandbox();
    for (format, pointer) in [
        ("mcp", "/tools"),
        ("openai", ""),
        ("openai-strict", ""),
        ("anthropic", ""),
        ("gemini", "/0/functionDeclarations"),
    ] {
        let ran = run(ns(place.path()).args(["tools", "--format", format]));
        let all: Json = serde_json::from_str(&ran.stdout).expect("JSON");
        let tools = all.pointer(pointer).and_then(Json::as_array).unwrap_or_else(|| panic!("{format}: {all}"));
        assert!(tools.len() > 150, "{format}: {}", tools.len());
        let group = run(ns(place.path()).args(["tools", "uuid", "--format", format]));
        let group: Json = serde_json::from_str(&group.stdout).expect("JSON");
        assert_eq!(group.pointer(pointer).and_then(Json::as_array).map(Vec::len), Some(2), "{format}");
    }
}
