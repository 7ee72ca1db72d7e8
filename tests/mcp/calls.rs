//! Tool calls: results, failures, and truncated answers.

use serde_json::{Value as Json, json};

use crate::mcp::client::{Client, result_of};

#[test]
fn text_and_structure_have_the_same_data() {
    let place = tempfile::tempdir().expect("a sandbox");
    std::fs::write(place.path().join("a.txt"), "one\ntwo\n").expect("a file");
    let mut client = Client::open(place.path(), &["--tools", "default,list_directory,file_info"]);
    for (tool, arguments) in [
        ("list_directory", json!({ "path": "." })),
        ("find", json!({ "path": "." })),
        ("read_file", json!({ "file_path": "a.txt" })),
        ("find", json!({ "dir": ".", "pattern": ["*", "!b"], "type": "all" })),
        ("search_files", json!({ "text": "two" })),
        ("file_info", json!({ "path": "a.txt" })),
        ("read_file", json!({ "file_path": "none" })),
        ("list_dir", json!({ "path": "none" })),
    ] {
        let result = client.call(tool, arguments);
        let text = result["content"][0]["text"].as_str().expect("a text");
        let same: Json = serde_json::from_str(text).expect("the text is JSON");
        assert_eq!(same, result["structuredContent"], "{tool}");
        assert!(same.is_object(), "{tool}: {same}");
    }
}

/// A text has no structure, so it comes once, with its line ends as they are.
#[test]
fn a_text_comes_as_it_is() {
    let place = tempfile::tempdir().expect("a sandbox");
    std::fs::write(place.path().join("a.txt"), "x").expect("a file");
    std::fs::write(place.path().join("long.txt"), "line\n".repeat(40_000)).expect("a file");
    let mut client = Client::open(place.path(), &["--write", "--tools", "all"]);
    let listed = client.call("list_dir", json!({}));
    assert_eq!(listed["content"].as_array().map(Vec::len), Some(1), "{listed}");
    assert!(listed.get("structuredContent").is_none(), "{listed}");
    assert!(
        listed["content"][0]["text"].as_str().is_some_and(|text| text.ends_with("/\n  a.txt\n  long.txt")),
        "{listed}"
    );
    let guide = client.call("language_guide", json!({}));
    assert!(guide["content"][0]["text"].as_str().is_some_and(|text| text.starts_with("# ")), "{guide}");
    // An empty text is one too.
    let empty = client.call("str_trim", json!({ "text": " " }));
    assert_eq!((&empty["content"][0]["text"], empty.get("structuredContent")), (&json!(""), None), "{empty}");
    let cut = client.call("read_file", json!({ "file_path": "long.txt" }));
    let part = client.call("read_result", json!({ "cursor": cut["_meta"]["next_cursor"] }));
    assert!(part["content"][0]["text"].as_str().is_some_and(|text| text.starts_with("line\n")), "{part}");
    let note = part["content"][1]["text"].as_str().unwrap_or_default();
    let cursor = part["_meta"]["next_cursor"].as_str().expect("a cursor");
    assert!(note.starts_with("cut: ") && note.contains(cursor), "{note}");
    for tool in client.request("tools/list", json!({}))["result"]["tools"].as_array().expect("a list") {
        // An id for `undo` would be lost beside a text.
        assert!(tool.get("outputSchema").is_some() || tool["annotations"]["readOnlyHint"] == true, "{tool}");
        let is_text =
            ["list_dir", "language_guide", "read_result", "str_trim"].contains(&tool["name"].as_str().expect("a name"));
        assert!(!is_text || tool.get("outputSchema").is_none(), "{tool}");
    }
}

#[test]
fn what_is_no_object_becomes_one() {
    let place = tempfile::tempdir().expect("a sandbox");
    std::fs::write(place.path().join("a.txt"), "x").expect("a file");
    let mut client = Client::open(place.path(), &["--tools", "default,list_directory,file_info"]);
    let listed = client.done("list_dir", json!({}));
    assert!(listed["result"].as_str().is_some_and(|text| text.ends_with("/\n  a.txt")), "{listed}");
    assert_eq!(client.done("find", json!({}))["result"][0]["name"], "a.txt");
    assert_eq!(client.failed("find", json!({ "path": "none" }))["code"], "not_found");
    let mut client = Client::open(place.path(), &["--tools", "walk_dir"]);
    assert_eq!(client.done("walk_dir", json!({ "path": "none" }))["result"], Json::Null);
}

#[test]
fn failures_say_what_and_what_to_do() {
    let place = tempfile::tempdir().expect("a sandbox");
    let mut client = Client::open(place.path(), &["--write"]);
    let error = client.failed("read_file", json!({ "file_path": "none.txt" }));
    assert_eq!(
        (&error["code"], &error["tool"], &error["path"]),
        (&json!("not_found"), &json!("read_file"), &json!("none.txt"))
    );
    let error = client.failed("read_file", json!({ "file_path": "../../etc/passwd" }));
    assert_eq!(error["code"], "sandbox_violation", "{error}");
    let error = client.failed("read_file", json!({ "file_pat": "a" }));
    assert_eq!(error["code"], "bad_args", "{error}");
    assert!(error["hint"].as_str().is_some_and(|hint| hint.contains("file_path")), "{error}");
    let error = client.failed("read_file", json!({}));
    assert_eq!(error["hint"], "give `path`: file to read, from the sandbox root", "{error}");
    assert_eq!(client.failed("undo", json!({}))["hint"], "`history` lists the runs");
    let hint = client.failed("undo", json!({ "run": "zzz" }))["hint"].clone();
    assert!(hint.as_str().is_some_and(|hint| hint.starts_with("`history` lists the runs")), "{hint}");
    let error = client.failed("read_result", json!({ "cursor": "nonsense" }));
    assert_eq!(error["code"], "bad_args", "{error}");
    let error = client.failed("run_script", json!({}));
    assert_eq!((&error["code"], &error["tool"]), (&json!("bad_args"), &json!("run_script")));
}

/// Arguments of a tool with its required parameters; those that are texts are all `text`.
fn required(tool: &Json, text: &str) -> Json {
    let names = tool["inputSchema"]["required"].as_array().into_iter().flatten().filter_map(Json::as_str);
    let value = |name: &str| match tool["inputSchema"]["properties"][name]["type"].as_str() {
        Some("integer" | "number") => json!(1),
        Some("boolean") => json!(true),
        Some("array") => json!([text]),
        Some("object") => json!({}),
        _ => json!(text),
    };
    Json::Object(names.map(|name| (name.to_owned(), value(name))).collect())
}

/// Failures name tools by their wire names, and commands and options of the shell only for the user of the server.
#[test]
fn failures_speak_the_words_of_this_door() {
    let place = tempfile::tempdir().expect("a sandbox");
    std::fs::create_dir(place.path().join("d")).expect("a folder");
    std::fs::write(place.path().join("d/a.txt"), "x").expect("a file");
    let mut client = Client::open(place.path(), &["--write", "--tools", "all"]);
    let tools = client.request("tools/list", json!({}))["result"]["tools"].clone();
    let in_scripts = crate::support::run(crate::support::ns(place.path()).args(["tools", "--format", "json"])).stdout;
    let in_scripts: Json = serde_json::from_str(&in_scripts).expect("a list of tools");
    let in_scripts: Vec<&str> =
        in_scripts.as_array().into_iter().flatten().filter_map(|tool| tool["script_name"].as_str()).collect();
    assert!(in_scripts.contains(&"FS.ReadFile"), "{in_scripts:?}");
    let mut failed = 0;
    for tool in tools.as_array().expect("tools") {
        let texts = ["../x", "d", "none/x", "d/a.txt/x", "[", "{", ""];
        for arguments in
            texts.iter().map(|text| required(tool, text)).chain([json!({ "zzz": 1 }), json!({ "path": 5 })])
        {
            let name = tool["name"].as_str().expect("a name");
            let result = client.call(name, arguments.clone());
            if result["isError"] == false {
                continue;
            }
            failed += 1;
            let error = &result["structuredContent"]["error"];
            assert_eq!(error["tool"], name, "{error}");
            for said in [&error["message"], &error["hint"]].into_iter().filter_map(Json::as_str) {
                // A script that failed speaks of tools as scripts do.
                let named = in_scripts.iter().find(|tool| said.contains(&format!("`{tool}")));
                assert!(name == "run_script" || named.is_none(), "{name} {arguments}: {said}");
                let of_the_shell = said.split("; ").find(|part| part.contains("`ns ") || part.contains("`--"));
                assert!(
                    of_the_shell.is_none_or(|part| part.starts_with("for the user of this server: ")),
                    "{name}: {said}"
                );
            }
        }
    }
    assert!(failed > 800, "{failed} calls failed");
}

#[test]
fn what_was_done_of_several_items_comes_with_the_failure() {
    let place = tempfile::tempdir().expect("a sandbox");
    std::fs::write(place.path().join("a.txt"), "x").expect("a file");
    let mut client = Client::open(place.path(), &["--write"]);
    let result = client.call("delete_file", json!({ "paths": ["a.txt", "none.txt"] }));
    assert_eq!(result["isError"], true, "{result}");
    assert_eq!(result["structuredContent"]["answer"]["succeeded"], 1, "{result}");
}

#[test]
fn a_change_names_what_takes_it_back() {
    let place = tempfile::tempdir().expect("a sandbox");
    let mut client = Client::open(place.path(), &["--write"]);
    let result = client.call("write_file", json!({ "file_path": "a.txt", "content": "x" }));
    let id = result["_meta"]["undo_id"].as_str().expect("an id").to_owned();
    let listed = client.done("history", json!({}));
    let newest = (&listed["runs"][0]["id"], &listed["runs"][0]["command"]);
    assert_eq!(newest, (&json!(id), &json!("ns mcp FS.WriteFile a.txt")));
    assert_eq!(client.done("undo", json!({ "run": id }))["operations"], 1);
    assert!(!place.path().join("a.txt").exists());
    assert_eq!(client.failed("undo", json!({ "run": id }))["code"], "conflict");
    // A shell can force it, which a client cannot.
    std::fs::write(place.path().join("b.txt"), "old").expect("a file");
    let result = client.call("write_file", json!({ "file_path": "b.txt", "content": "x" }));
    std::fs::write(place.path().join("b.txt"), "other").expect("somebody else changes it");
    let error = client.failed("undo", json!({ "run": result["_meta"]["undo_id"] }));
    let hint = error["hint"].as_str().expect("a hint");
    assert!(hint.contains("for the user of this server: `ns undo "), "{error}");
}

#[test]
fn nothing_is_changed_without_leave() {
    let place = tempfile::tempdir().expect("a sandbox");
    let mut client = Client::open(place.path(), &["--tools", "all"]);
    let error = client.failed("run_script", json!({ "script": "MUST CALL FS.WriteFile(\"a.txt\", \"x\")" }));
    assert_eq!(error["code"], "policy_denied", "{error}");
    assert_eq!(std::fs::read_dir(place.path()).expect("the sandbox").count(), 0);
}

#[test]
fn session_memory_lasts_as_long_as_the_connection() {
    let place = tempfile::tempdir().expect("a sandbox");
    let mut client = Client::open(place.path(), &["--write", "--tools", "memory"]);
    client.done("memory_set", json!({ "scope": "session", "key": "k", "value": [1, 2] }));
    assert_eq!(client.done("memory_get", json!({ "scope": "session", "key": "k" }))["result"], json!([1, 2]));
    let mut other = Client::open(place.path(), &["--tools", "memory"]);
    assert_eq!(other.done("memory_get", json!({ "scope": "session", "key": "k" }))["result"], Json::Null);
}

/// Reads all parts of an answer.
fn parts(client: &mut Client, result: &Json) -> Vec<Json> {
    let mut parts = Vec::new();
    let mut cursor = result["_meta"]["next_cursor"].clone();
    while cursor.is_string() {
        let next = client.call("read_result", json!({ "cursor": cursor }));
        assert_eq!(next["isError"], false, "{next}");
        assert!(next.to_string().len() < 700_000, "{}", next.to_string().len());
        parts.push(result_of(&next));
        cursor = next["_meta"]["next_cursor"].clone();
    }
    parts
}

#[test]
fn a_long_list_is_read_on() {
    let place = tempfile::tempdir().expect("a sandbox");
    for number in 0..5_000 {
        std::fs::write(place.path().join(format!("file-{number:05}.txt")), "").expect("a file");
    }
    let mut client = Client::open(place.path(), &[]);
    let result = client.call("find", json!({ "path": "." }));
    let mut names: Vec<Json> = result["structuredContent"]["result"].as_array().expect("a list").clone();
    let meta = &result["_meta"];
    assert_eq!((&meta["truncated"], &meta["unit"], &meta["of"]), (&json!(true), &json!("entries"), &json!(5_000)));
    assert_eq!((&meta["returned"], &meta["next_offset"]), (&json!(names.len()), &json!(names.len())));
    assert!(
        result["content"][1]["text"].as_str().is_some_and(|text| text.contains("read_result")),
        "told to the model"
    );
    assert!(names.len() < 5_000);
    for part in parts(&mut client, &result) {
        names.extend(part.as_array().expect("a list").clone());
    }
    let names: Vec<&str> = names.iter().map(|entry| entry["name"].as_str().expect("a name")).collect();
    assert_eq!(names.len(), 5_000);
    assert!(names.is_sorted(), "in the order of the whole");
}

/// Clients pass on the structured content alone, or the text alone: each has what a model needs to go on.
#[test]
fn both_halves_of_an_answer_say_all() {
    let place = tempfile::tempdir().expect("a sandbox");
    std::fs::write(place.path().join("long.txt"), "line\n".repeat(40_000)).expect("a file");
    std::fs::write(place.path().join("twin"), "x").expect("a file");
    std::fs::hard_link(place.path().join("twin"), place.path().join("other")).expect("a second name");
    let mut client = Client::open(place.path(), &["--write"]);
    for (tool, arguments, member) in [
        ("read_file", json!({ "path": "long.txt" }), "next_cursor"),
        ("run_script", json!({ "script": "FOR EACH n IN RANGE(40000) DO\n  EMIT n\nEND" }), "next_cursor"),
        ("create_directory", json!({ "path": "made" }), "undo_id"),
        ("run_script", json!({ "script": "CALL FS.WriteFile(\"a\", \"x\")" }), "undo_id"),
        ("delete_file", json!({ "paths": ["made", "none"] }), "undo_id"),
        ("write_file", json!({ "path": "twin", "content": "y" }), "notes"),
    ] {
        let result = client.call(tool, arguments);
        let structured = &result["structuredContent"];
        let text: Json = serde_json::from_str(result["content"][0]["text"].as_str().expect("a text")).expect("JSON");
        assert_eq!(&text, structured, "{tool}");
        let told = &structured["_meta"];
        assert!(!told[member].is_null() && told.get("time_ms").is_none(), "{tool} {member}: {told}");
        for (name, value) in told.as_object().expect("an object") {
            let notes: Vec<&Json> =
                result["content"].as_array().into_iter().flatten().skip(1).map(|block| &block["text"]).collect();
            let expected = if name == "notes" { json!(notes) } else { result["_meta"][name].clone() };
            assert_eq!(value, &expected, "{tool} {name}");
        }
    }
    let whole = client.call("read_file", json!({ "path": "twin" }));
    assert!(whole["structuredContent"].get("_meta").is_none(), "{whole}");
}

/// An answer has at most 64 KiB unless somebody asks for more; `_meta`, notes and the frame come on top.
#[test]
fn answers_are_cut_at_what_clients_take() {
    let place = tempfile::tempdir().expect("a sandbox");
    std::fs::write(place.path().join("long.txt"), "line\n".repeat(40_000)).expect("a file");
    for (options, bytes) in
        [(&[][..], 64 << 10), (&["--max-output-bytes", "10000"], 10_000), (&["--max-output-bytes", "150000"], 150_000)]
    {
        let mut client = Client::open(place.path(), options);
        let result = client.call("read_file", json!({ "path": "long.txt" }));
        let length = result["structuredContent"]["content"].as_str().expect("a text").len();
        assert!(length <= bytes && length > bytes * 2 / 3, "{options:?}: {length}");
    }
}

#[test]
fn what_a_tool_left_out_itself_is_told_with_its_limit() {
    let place = tempfile::tempdir().expect("a sandbox");
    std::fs::write(place.path().join("a.txt"), "x\n".repeat(9)).expect("a file");
    let mut client = Client::open(place.path(), &[]);
    let request = json!({ "text": "x", "directory_path": ".", "max_matches": 2 });
    let meta = client.call("search_files", request)["_meta"].clone();
    assert_eq!((&meta["truncated"], &meta["reason"]), (&json!(true), &json!("max_matches")), "{meta}");
}

#[test]
fn a_short_answer_says_that_it_is_whole() {
    let place = tempfile::tempdir().expect("a sandbox");
    std::fs::write(place.path().join("a.txt"), "äx").expect("a file");
    let mut client = Client::open(place.path(), &[]);
    let meta = client.call("read_file", json!({ "file_path": "a.txt" }))["_meta"].clone();
    assert_eq!(meta, json!({ "truncated": false, "unit": "bytes", "returned": 3, "of": 3 }));
}

#[test]
fn a_single_long_line_is_read_on_by_bytes() {
    let place = tempfile::tempdir().expect("a sandbox");
    let line = "äöü€😀".repeat(50_000);
    std::fs::write(place.path().join("line.txt"), &line).expect("a file");
    let mut client = Client::open(place.path(), &[]);
    let result = client.call("read_file", json!({ "file_path": "line.txt" }));
    assert_eq!((&result["_meta"]["unit"], &result["_meta"]["of"]), (&json!("bytes"), &json!(line.len())));
    let mut read = result["structuredContent"]["content"].as_str().expect("a text").to_owned();
    assert_eq!(result["_meta"]["next_offset"], read.len());
    for part in parts(&mut client, &result) {
        read.push_str(part.as_str().expect("a text"));
    }
    assert!(read == line, "nothing is lost between the parts");
}

#[test]
fn an_element_that_is_too_long_is_read_as_text() {
    let place = tempfile::tempdir().expect("a sandbox");
    let line = format!("{} needle {}", "x".repeat(400_000), "y".repeat(400_000));
    std::fs::write(place.path().join("line.txt"), &line).expect("a file");
    let mut client = Client::open(place.path(), &["--tools", "csv,json,script"]);
    let text = format!("[\"{}\"]", "z".repeat(600_000));
    let result = client.call("json_parse", json!({ "text": text }));
    let mut read = result_of(&result).as_str().expect("the text of the JSON").to_owned();
    for part in parts(&mut client, &result) {
        read.push_str(part.as_str().expect("a text"));
    }
    assert_eq!(read, text);
}

#[test]
fn an_answer_that_is_no_longer_kept_says_so() {
    let place = tempfile::tempdir().expect("a sandbox");
    let mut client = Client::open(place.path(), &[]);
    let error = client.failed("read_result", json!({ "cursor": "0123456789ab:100" }));
    assert_eq!((&error["code"], &error["hint"]), (&json!("not_found"), &json!("make the call again")));
}

/// JSON has no infinite floats, so an answer with one is an error that names the place, and the connection goes on.
#[test]
fn answers_with_infinite_floats_are_refused() {
    let place = tempfile::tempdir().expect("a sandbox");
    let mut client = Client::open(place.path(), &["--write", "--tools", "toml,yaml,script"]);
    for (spelled, shown) in [("inf", "`inf`"), ("-inf", "`-inf`"), ("nan", "`nan`")] {
        for (text, within) in [(format!("x = {spelled}"), "`x`"), (format!("x = [1, {{y = {spelled}}}]"), "`x[1].y`")] {
            let error = client.failed("toml_parse", json!({ "text": text }));
            let message = error["message"].as_str().expect("a message");
            assert!(error["code"] == "bad_args" && error["tool"] == "toml_parse", "{error}");
            assert!(message.contains(shown) && message.contains(within), "{error}");
            let script = format!("RETURN TOML.Parse('{text}')");
            let returned = client.done("run_script", json!({ "script": script }));
            let warning = returned["warnings"][0].as_str().expect("a warning");
            assert!(returned["value"].is_null() && warning.contains(shown) && warning.contains(within), "{returned}");
            let script = format!("EMIT TOML.Parse('{text}')\nRETURN 1");
            let printed = client.done("run_script", json!({ "script": script }));
            assert!(printed["output"].as_str().is_some_and(|text| text.contains(shown.trim_matches('`'))), "{printed}");
        }
    }
    assert_eq!(client.done("toml_parse", json!({ "text": "x = 1.5" }))["x"], 1.5);
}
