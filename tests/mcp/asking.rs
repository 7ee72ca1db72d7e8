//! Calls that need approval: asked while they wait, asked by repeating the call, or refused.

use serde_json::{Value as Json, json};

use crate::mcp::client::Client;

fn sandbox() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a sandbox");
    for name in ["a.txt", "b.txt", "c.txt"] {
        std::fs::write(place.path().join(name), "x").expect("a file");
    }
    let policy = "[tools]\nask = [\"delete_file\"]\n";
    std::fs::write(place.path().join("neuroscript.toml"), policy).expect("a policy");
    place
}

fn delete(path: &str) -> Json {
    json!({ "name": "delete_file", "arguments": { "path": path } })
}

/// Answers the next question.
fn reply(client: &mut Client, answer: Json) -> Json {
    let question = client.hear();
    assert_eq!(question["method"], "elicitation/create", "{question}");
    client.say(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": answer }));
    question["params"].clone()
}

fn accepted(word: &str) -> Json {
    json!({ "action": "accept", "content": { "answer": word } })
}

#[test]
fn where_nobody_can_be_asked_the_key_is_named() {
    let place = sandbox();
    for mut client in [Client::open(place.path(), &["--write"]), Client::modern(place.path(), &["--write"], json!({}))]
    {
        let error = client.failed("delete_file", json!({ "path": "a.txt" }));
        assert_eq!(error["code"], "policy_denied", "{error}");
        assert!(error["hint"].as_str().is_some_and(|hint| hint.contains("`allow` in `[tools]`")), "{error}");
        assert!(place.path().join("a.txt").exists());
    }
}

/// Every question is a form, so a client that can only open addresses is not asked.
#[test]
fn only_a_client_that_shows_forms_is_asked() {
    let place = sandbox();
    for (modes, is_asked) in [
        (json!({}), true),
        (json!({ "form": {} }), true),
        (json!({ "form": {}, "url": {} }), true),
        (json!({ "url": {} }), false),
    ] {
        let can = json!({ "elicitation": modes });
        let script = json!({ "name": "run_script", "arguments": { "script": "MUST CALL FS.DeleteFile(\"a.txt\")" } });
        for call in [delete("a.txt"), script] {
            let mut client = Client::open_with(place.path(), &["--write"], "2025-11-25", can.clone());
            client.ask("tools/call", call.clone());
            let frame = client.hear();
            let (method, code) = (&frame["method"], &frame["result"]["structuredContent"]["error"]["code"]);
            assert_eq!((method == "elicitation/create", code == "policy_denied"), (is_asked, !is_asked), "{frame}");
            let mut client = Client::modern(place.path(), &["--write"], can.clone());
            let result = client.request("tools/call", call)["result"].clone();
            let code = &result["structuredContent"]["error"]["code"];
            assert_eq!(
                (result["resultType"] == "input_required", code == "policy_denied"),
                (is_asked, !is_asked),
                "{result}"
            );
        }
    }
    assert!(place.path().join("a.txt").exists());
}

#[test]
fn an_older_client_is_asked_while_the_call_waits() {
    let place = sandbox();
    let can = json!({ "elicitation": {} });
    let mut client = Client::open_with(place.path(), &["--write"], "2025-06-18", can);
    let id = client.ask("tools/call", delete("a.txt"));
    let question = reply(&mut client, accepted("once"));
    let message = question["message"].as_str().expect("a message");
    assert!(message.contains("FS.DeleteFile") && message.contains("a.txt (1 byte)"), "{message}");
    let words = &question["requestedSchema"]["properties"]["answer"]["enum"];
    assert_eq!(words, &json!(["once", "session", "never"]));
    assert_eq!(client.answer_to(id)["result"]["isError"], false);
    let id = client.ask("tools/call", delete("b.txt"));
    reply(&mut client, accepted("session"));
    assert_eq!(client.answer_to(id)["result"]["isError"], false);
    // From here on nobody is asked, not even by scripts.
    client.done("delete_file", json!({ "path": "c.txt" }));
    std::fs::write(place.path().join("d.txt"), "x").expect("a file");
    client.done("run_script", json!({ "script": "MUST CALL FS.DeleteFile(\"d.txt\")" }));
    assert!(!place.path().join("d.txt").exists());
}

#[test]
fn a_refusal_holds_for_the_session() {
    let place = sandbox();
    let can = json!({ "elicitation": {} });
    let mut client = Client::open_with(place.path(), &["--write"], "2025-11-25", can);
    let id = client.ask("tools/call", delete("a.txt"));
    reply(&mut client, accepted("never"));
    assert_eq!(client.answer_to(id)["result"]["structuredContent"]["error"]["code"], "policy_denied");
    assert_eq!(client.failed("delete_file", json!({ "path": "b.txt" }))["code"], "policy_denied");
    assert!(place.path().join("a.txt").exists() && place.path().join("b.txt").exists());
}

#[test]
fn a_question_that_is_closed_is_asked_again() {
    let place = sandbox();
    let can = json!({ "elicitation": {} });
    let mut client = Client::open_with(place.path(), &["--write"], "2025-11-25", can);
    for (answer, is_error) in [(json!({ "action": "cancel" }), true), (accepted("once"), false)] {
        let id = client.ask("tools/call", delete("a.txt"));
        reply(&mut client, answer);
        let result = client.answer_to(id)["result"].clone();
        assert_eq!(result["isError"], is_error);
        if is_error {
            let error = &result["structuredContent"]["error"];
            let message = error["message"].as_str().expect("a message");
            assert!(message.ends_with("who closed the question") && error["hint"].is_string(), "{error}");
        }
    }
}

#[test]
fn a_script_asks_too() {
    let place = sandbox();
    let can = json!({ "elicitation": {} });
    let mut client = Client::open_with(place.path(), &["--write"], "2025-11-25", can);
    let script =
        json!({ "name": "run_script", "arguments": { "script": "MUST CALL FS.DeleteFile(\"a.txt\")\nEMIT \"gone\"" } });
    let id = client.ask("tools/call", script);
    reply(&mut client, accepted("once"));
    assert_eq!(client.answer_to(id)["result"]["structuredContent"]["output"], "gone\n");
    assert!(!place.path().join("a.txt").exists());
}

#[test]
fn a_newer_client_comes_again_with_the_answer() {
    let place = sandbox();
    let mut client = Client::modern(place.path(), &["--write"], json!({ "elicitation": { "form": {} } }));
    let required = client.call("delete_file", json!({ "path": "a.txt" }));
    assert_eq!(required["resultType"], "input_required", "{required}");
    let question = &required["inputRequests"]["approval"];
    assert_eq!(question["method"], "elicitation/create", "{required}");
    assert!(place.path().join("a.txt").exists(), "nothing is done before the answer");
    let again = |path: &str, word: &str| {
        let mut call = delete(path);
        call["requestState"] = required["requestState"].clone();
        call["inputResponses"] = json!({ "approval": accepted(word) });
        call
    };
    // The answer is valid only for the plan that was shown.
    let other = client.request("tools/call", again("b.txt", "once"))["result"].clone();
    assert_eq!(other["resultType"], "input_required", "{other}");
    assert!(place.path().join("b.txt").exists());
    let done = client.request("tools/call", again("a.txt", "once"))["result"].clone();
    assert_eq!((&done["resultType"], &done["isError"]), (&json!("complete"), &json!(false)), "{done}");
    assert!(!place.path().join("a.txt").exists());
}

/// Returns a call of a script that deletes its arguments, in the form of a newer client.
fn deleting(paths: &[&str]) -> Json {
    let script = "MUST CALL FS.WriteFile(\"begun.txt\", \"x\")\n\
        FOR EACH path IN ARGS DO\n  MUST CALL FS.DeleteFile(path)\nEND\nRETURN LEN(ARGS)";
    json!({ "name": "run_script", "arguments": { "script": script, "args": paths } })
}

/// Adds the answer to a question to the call.
fn answered(call: &Json, required: &Json, word: &str) -> Json {
    let mut call = call.clone();
    call["requestState"] = required["requestState"].clone();
    call["inputResponses"] = json!({ "approval": accepted(word) });
    call
}

#[test]
fn a_script_of_a_newer_client_waits_for_each_answer() {
    let place = sandbox();
    let mut client = Client::modern(place.path(), &["--write"], json!({ "elicitation": { "form": {} } }));
    let call = deleting(&["a.txt", "b.txt"]);
    let first = client.request("tools/call", call.clone())["result"].clone();
    assert_eq!(first["resultType"], "input_required", "{first}");
    let message = first["inputRequests"]["approval"]["params"]["message"].as_str().expect("a question");
    assert!(message.contains("a.txt"), "{message}");
    assert!(place.path().join("begun.txt").exists() && place.path().join("a.txt").exists());
    // A repeated call without an answer is asked again; the same script continues and asks its next question.
    let mut empty = call.clone();
    empty["requestState"] = first["requestState"].clone();
    let again = client.request("tools/call", empty)["result"].clone();
    assert_eq!(again["inputRequests"], first["inputRequests"], "{again}");
    let second = client.request("tools/call", answered(&call, &again, "once"))["result"].clone();
    let message = second["inputRequests"]["approval"]["params"]["message"].as_str().expect("a question");
    assert!(message.contains("b.txt") && !place.path().join("a.txt").exists(), "{message}");
    let done = client.request("tools/call", answered(&call, &second, "once"))["result"].clone();
    assert_eq!((&done["resultType"], &done["isError"]), (&json!("complete"), &json!(false)), "{done}");
    assert_eq!(done["structuredContent"]["value"], 2);
    assert_eq!(done["structuredContent"]["changed"], 3, "what it did before the questions was done once: {done}");
    // Nothing waits for the same answer again.
    let late = client.request("tools/call", answered(&call, &second, "once"))["result"].clone();
    assert_eq!(late["structuredContent"]["error"]["code"], "not_found", "{late}");
}

#[test]
fn an_answer_holds_for_the_script_that_asked() {
    let place = sandbox();
    let mut client = Client::modern(place.path(), &["--write"], json!({ "elicitation": { "form": {} } }));
    let call = deleting(&["a.txt"]);
    let required = client.request("tools/call", call.clone())["result"].clone();
    let other = client.request("tools/call", answered(&deleting(&["b.txt"]), &required, "once"))["result"].clone();
    assert_eq!(other["structuredContent"]["error"]["code"], "not_found", "{other}");
    let refused = client.request("tools/call", answered(&call, &required, "never"))["result"].clone();
    assert_eq!(refused["structuredContent"]["error"]["code"], "policy_denied", "{refused}");
    let left = |name: &str| place.path().join(name).exists();
    assert!(left("a.txt") && left("b.txt") && !left("begun.txt"), "it was taken back");
}

#[test]
fn scripts_that_nobody_answers_are_taken_back() {
    let place = sandbox();
    for number in 0..6 {
        std::fs::write(place.path().join(format!("{number}.txt")), "x").expect("a file");
    }
    let mut client = Client::modern(place.path(), &["--write"], json!({ "elicitation": { "form": {} } }));
    let script = "MUST CALL FS.WriteFile(\"begun-\" + ARGS[0], \"x\")\nMUST CALL FS.DeleteFile(ARGS[0])";
    let call = |path: &str| json!({ "name": "run_script", "arguments": { "script": script, "args": [path] } });
    let begun = |number: usize| place.path().join(format!("begun-{number}.txt")).exists();
    for number in 0..6 {
        let required = client.request("tools/call", call(&format!("{number}.txt")))["result"].clone();
        assert_eq!(required["resultType"], "input_required", "{required}");
    }
    // Four may wait; the two oldest are stopped.
    let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while begun(0) || begun(1) {
        assert!(std::time::Instant::now() < end, "the oldest scripts are taken back");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!((2..6).all(begun), "the others wait");
    assert_eq!(client.leave(), 0);
    while (2..6).any(begun) {
        assert!(std::time::Instant::now() < end, "a client that leaves takes its scripts with it");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}
