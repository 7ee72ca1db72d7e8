//! Reports on scripts that print, change or fail much: they arrive, and keep their form.

use std::path::Path;

use serde_json::{Value as Json, json};

use crate::mcp::client::Client;

/// Opens a server whose scripts may print 40 MB.
fn open(place: &Path, policy: &Path) -> Client {
    std::fs::write(policy, "[limits]\noutput_bytes = 40000000\n").expect("a policy");
    Client::open(place, &["--write", "--policy", &policy.display().to_string()])
}

/// A control character takes six bytes of JSON.
#[test]
fn a_change_is_reported_however_much_a_script_prints() {
    let (place, user) = (tempfile::tempdir().expect("a sandbox"), tempfile::tempdir().expect("a folder"));
    let mut client = open(place.path(), &user.path().join("policy.toml"));
    for (piece, count) in [("\\u0001", 6), ("x", 33)] {
        let script = format!(
            "MUST CALL FS.WriteFile(\"made.txt\", \"{piece}\")\n\
             SET t = STR.Repeat(\"{piece}\", 1000000)\nFOR EACH i IN RANGE({count}) DO\n  EMIT t\nEND\nRETURN t"
        );
        let result = client.call("run_script", json!({ "script": script }));
        assert_eq!(result["isError"], false, "{piece}: {result}");
        assert!(result["_meta"]["truncated"] == true, "{piece}");
        let newest = client.done("history", json!({}))["runs"][0].clone();
        assert_eq!((&newest["state"], &newest["operations"]), (&json!("done"), &json!(1)), "{newest}");
        assert_eq!(result["_meta"]["undo_id"], newest["id"], "{piece}");
    }
}

#[test]
fn an_output_that_is_cut_says_so() {
    let (place, user) = (tempfile::tempdir().expect("a sandbox"), tempfile::tempdir().expect("a folder"));
    let mut client = open(place.path(), &user.path().join("policy.toml"));
    let script = "SET t = STR.Repeat(\"\\u0001\", 999999)\nFOR EACH i IN RANGE(7) DO\n  EMIT t\nEND";
    let result = client.call("run_script", json!({ "script": script }));
    let meta = &result["_meta"];
    let (handle, _) = meta["next_cursor"].as_str().and_then(|cursor| cursor.split_once(':')).expect("a cursor");
    let whole = meta["of"].as_u64().expect("a size");
    let end = client.call("read_result", json!({ "cursor": format!("{handle}:{}", whole - 100) }));
    let end = end["content"][0]["text"].as_str().expect("a text");
    let (kept, note) = end.rsplit_once('\n').expect("a note");
    let kept = whole - 100 + kept.len() as u64;
    assert_eq!(note, format!("[cut: {kept} of 7000000 bytes]"));
    assert!(kept > 4_000_000, "{kept}");
}

/// Asserts that a failed script has an error in the common form, and returns the error.
fn fault(client: &mut Client, script: &str) -> Json {
    let result = client.call("run_script", json!({ "script": script }));
    assert_eq!(result["isError"], true, "{result}");
    let error = result["structuredContent"]["error"].clone();
    for key in ["code", "message"] {
        assert!(error[key].is_string(), "{key} in {error}");
    }
    let text = result["content"][0]["text"].as_str().expect("a text");
    let text: Json = serde_json::from_str(text).expect("the same as JSON");
    assert_eq!(text, result["structuredContent"]);
    error
}

#[test]
fn a_failure_keeps_its_form_however_much_is_wrong() {
    let place = tempfile::tempdir().expect("a sandbox");
    let mut client = Client::open(place.path(), &["--write"]);
    let unknown: String = (0..3_000).map(|number| format!("EMIT {}{number}\n", "nope".repeat(60))).collect();
    let error = fault(&mut client, &unknown);
    let report = error["report"].as_str().expect("a report");
    let (shown, note) = report.trim_end().rsplit_once('\n').expect("a note");
    let count = shown.matches("nothing sets").count();
    assert!(count > 20 && error["line"] == 1, "{count}: {report}");
    // Of 3,000 findings a script has 100 and one that says so.
    assert!(note.starts_with("[cut: ") && note.ends_with(" of 101 findings]"), "{note}");
    fault(&mut client, &format!("SET x = \"{}\"\n", "\\q".repeat(3_000)));
    let error = fault(&mut client, "FAIL STR.Repeat(\"x\\u0001\", 400000)");
    assert_eq!(error["code"], "fail", "{error}");
    let message = error["message"].as_str().expect("a message");
    assert!(message.len() < 10_000, "{}", message.len());
}

/// Beside two long parts an answer comes as pieces of its JSON, and the error beside them.
#[test]
fn a_failure_of_a_script_that_prints_and_changes_much_has_its_error() {
    let place = tempfile::tempdir().expect("a sandbox");
    let mut client = Client::open(place.path(), &["--write"]);
    let script = "FOR EACH i IN RANGE(200) DO\n  MUST CALL FS.WriteFile(\"f\" + i, STR.Repeat(\"line\\n\", 800))\nEND\n\
                  EMIT STR.Repeat(\"x\", 900000)\nFAIL \"too much\"";
    let result = client.call("run_script", json!({ "script": script, "plan": true }));
    let error = &result["structuredContent"]["error"];
    assert_eq!((&error["code"], &error["message"]), (&json!("fail"), &json!("too much")), "{error}");
    assert!(result["structuredContent"]["result"].is_string() && result["_meta"]["next_cursor"].is_string());
    for bytes in [72, 1_000] {
        let policy = format!("[limits]\ntool_output_bytes = {bytes}\n");
        std::fs::write(place.path().join("neuroscript.toml"), policy).expect("a policy");
        let mut client = Client::open(place.path(), &[]);
        assert_eq!(fault(&mut client, "FAIL \"no\"")["code"], "fail");
    }
}
