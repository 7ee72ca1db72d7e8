//! Several sandboxes in one server: each call names one, and nothing in it reaches another.

use std::path::Path;

use serde_json::{Value as Json, json};

use crate::mcp::client::Client;
use crate::support::{ns, ns_without_sandbox};

/// Two directories, `one` with `a.txt` and `two` with `b.txt`, each in its own parent.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        let place = Place { folder: tempfile::tempdir().expect("a folder for the test") };
        for (name, file) in [("one", "a.txt"), ("two", "b.txt")] {
            std::fs::create_dir(place.path(name)).expect("a sandbox");
            std::fs::write(place.path(name).join(file), name).expect("a file");
        }
        place
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().canonicalize().expect("a path").join(name)
    }

    fn options(&self, more: &[&str]) -> Vec<String> {
        let sandbox = |name| ["--sandbox".to_owned(), self.path(name).display().to_string()];
        ["one", "two"].into_iter().flat_map(sandbox).chain(more.iter().map(|word| (*word).to_owned())).collect()
    }

    fn open(&self, more: &[&str]) -> Client {
        self.open_with(more, json!({}))
    }

    fn open_with(&self, more: &[&str], capabilities: Json) -> Client {
        let options = self.options(more);
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        Client::open_with(self.folder.path(), &options, "2025-11-25", capabilities)
    }

    fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.path(path)).ok()
    }
}

fn tools(client: &mut Client) -> Vec<Json> {
    client.request("tools/list", json!({}))["result"]["tools"].as_array().expect("a list").clone()
}

#[test]
fn every_tool_that_works_on_files_takes_the_name() {
    let place = Place::new();
    let mut client = place.open(&["--write", "--tools", "all"]);
    let apart = ["read_result", "language_guide", "list_allowed_directories"];
    let mut pure = 0;
    for tool in tools(&mut client) {
        let name = tool["name"].as_str().expect("a name");
        let (schema, given) = (&tool["inputSchema"], &tool["inputSchema"]["properties"]["sandbox"]);
        let is_required = schema["required"].as_array().is_some_and(|names| names.contains(&json!("sandbox")));
        if given.is_null() {
            pure += usize::from(!apart.contains(&name));
            assert!(!is_required, "{tool}");
        } else {
            assert_eq!((&given["enum"], is_required), (&json!(["one", "two"]), true), "{tool}");
        }
        let is_of_files =
            name == "find" || ["_file", "_dir", "undo", "run_script"].iter().any(|part| name.ends_with(part));
        assert!(!is_of_files || !given.is_null(), "{name} works on files");
    }
    assert!(pure > 50, "{pure} tools are the same in every sandbox");
    let server = client.server["instructions"].as_str().expect("instructions").to_owned();
    assert!(server.contains(&format!("`one` ({})", place.path("one").display())), "{server}");
    let mut single = Client::open(&place.path("one"), &["--tools", "all"]);
    assert!(tools(&mut single).iter().all(|tool| tool["inputSchema"]["properties"]["sandbox"].is_null()));
}

#[test]
fn a_call_works_in_the_sandbox_that_it_names() {
    let place = Place::new();
    let mut client = place.open(&["--write"]);
    assert_eq!(client.done("read_file", json!({ "sandbox": "one", "file_path": "a.txt" }))["content"], "one");
    assert_eq!(client.done("read_file", json!({ "sandbox": "two", "file_path": "b.txt" }))["content"], "two");
    assert_eq!(client.failed("read_file", json!({ "sandbox": "one", "file_path": "b.txt" }))["code"], "not_found");
    let script = "MUST CALL FS.WriteFile(\"new.txt\", FS.ReadFile(\"b.txt\").content)";
    let report = client.done("run_script", json!({ "sandbox": "two", "script": script }));
    assert_eq!((place.read("two/new.txt").as_deref(), place.read("one/new.txt")), (Some("two"), None), "{report}");
}

#[test]
fn a_name_that_is_missing_or_unknown_is_refused_with_the_names() {
    let place = Place::new();
    let mut client = place.open(&["--write"]);
    for (tool, arguments) in [
        ("read_file", json!({ "file_path": "a.txt" })),
        ("read_file", json!({ "sandbox": null, "file_path": "a.txt" })),
        ("write_file", json!({ "sandbox": "on", "file_path": "a.txt", "content": "x" })),
        ("write_file", json!({ "sandbox": 1, "file_path": "a.txt", "content": "x" })),
        ("run_script", json!({ "script": "EMIT 1" })),
        ("undo", json!({})),
        ("history", json!({ "sandbox": "three" })),
    ] {
        let error = client.failed(tool, arguments.clone());
        assert_eq!(
            (&error["code"], &error["argument"]),
            (&json!("bad_args"), &json!("sandbox")),
            "{arguments}: {error}"
        );
        assert_eq!(error["tool"], tool, "{error}");
        let message = error["message"].as_str().expect("a message");
        assert!(message.contains("`one`, `two`"), "{message}");
    }
    assert_eq!(place.read("one/a.txt").as_deref(), Some("one"));
}

#[test]
fn absolute_paths_say_which_sandbox_is_meant() {
    let place = Place::new();
    let mut client = place.open(&["--write"]);
    let path = |path: &str| place.path(path).display().to_string();
    assert_eq!(client.done("read_file", json!({ "file_path": path("two/b.txt") }))["content"], "two");
    let several = json!({ "paths": [path("one/a.txt"), path("one/a.txt")] });
    client.done("read_files", several);
    let across = json!({ "paths": [path("one/a.txt"), path("two/b.txt")] });
    assert_eq!(client.failed("read_files", across)["argument"], "sandbox");
    let content = json!({ "file_path": "a.txt", "content": path("one/a.txt") });
    assert_eq!(client.failed("write_file", content)["argument"], "sandbox", "only paths count");
    let outside = json!({ "file_path": "/etc/passwd" });
    assert_eq!(client.failed("read_file", outside)["argument"], "sandbox");
    // A name that is given is never overruled.
    let other = json!({ "sandbox": "one", "file_path": path("two/b.txt") });
    assert_eq!(client.failed("read_file", other)["code"], "sandbox_violation");
}

#[test]
fn each_sandbox_has_its_own_history() {
    let place = Place::new();
    let mut client = place.open(&["--write"]);
    let write = |sandbox: &str| json!({ "sandbox": sandbox, "file_path": "new.txt", "content": "x" });
    let first = client.call("write_file", write("one"))["_meta"]["undo_id"].clone();
    client.done("write_file", write("two"));
    for sandbox in ["one", "two"] {
        let runs = client.done("history", json!({ "sandbox": sandbox }))["runs"].clone();
        assert_eq!(runs.as_array().map(Vec::len), Some(1), "{runs}");
    }
    assert_eq!(client.failed("undo", json!({ "sandbox": "two", "run": first }))["code"], "not_found");
    client.done("undo", json!({ "sandbox": "one" }));
    assert!(place.read("one/new.txt").is_none() && place.read("two/new.txt").is_some());
}

#[test]
fn nothing_in_a_sandbox_reaches_another() {
    let place = Place::new();
    std::os::unix::fs::symlink("../two", place.path("one/link")).expect("a link");
    std::os::unix::fs::symlink(place.path("two/b.txt"), place.path("one/b")).expect("a link");
    let mut client = place.open(&["--write"]);
    for path in ["link/b.txt", "b", "../two/b.txt"] {
        let error = client.failed("read_file", json!({ "sandbox": "one", "file_path": path }));
        assert_eq!(error["code"], "sandbox_violation", "{path}: {error}");
        let script = format!("MUST CALL FS.WriteFile(\"{path}\", \"x\")");
        let error = client.failed("run_script", json!({ "sandbox": "one", "script": script }));
        assert!(error["code"] == "sandbox_violation", "{path}: {error}");
    }
    assert_eq!(place.read("two/b.txt").as_deref(), Some("two"));
}

#[test]
fn session_memory_is_that_of_the_connection() {
    let place = Place::new();
    let mut client = place.open(&[]);
    let script = |sandbox: &str, script: &str| json!({ "sandbox": sandbox, "script": script });
    client.done("run_script", script("one", "CALL MEMORY.Set(\"text\", FS.ReadFile(\"a.txt\").content)"));
    assert_eq!(client.done("run_script", script("two", "EMIT MEMORY.Get(\"text\")"))["output"], "one\n");
}

#[test]
fn the_policy_of_a_sandbox_holds_for_it_alone() {
    let place = Place::new();
    let policy = "[policy]\nread_only = true\nallowed_directories = [\"src\"]\n";
    std::fs::write(place.path("two/neuroscript.toml"), policy).expect("a policy");
    let mut client = place.open(&["--write"]);
    let write = |sandbox: &str| json!({ "sandbox": sandbox, "file_path": "src.txt", "content": "x" });
    client.done("write_file", write("one"));
    assert_eq!(client.failed("write_file", write("two"))["code"], "policy_denied");
    let listed = client.done("list_allowed_directories", json!({}))["directories"].clone();
    let path = |name: &str| json!(place.path(name).display().to_string());
    assert_eq!(listed[0], json!({ "sandbox": "one", "path": path("one"), "writable": true, "rules": [] }));
    let two = json!({
        "sandbox": "two", "path": path("two"), "writable": false, "rules": ["allowed_directories = [\"src\"]"],
    });
    assert_eq!(listed[1], two);
}

#[test]
fn an_answer_that_stands_does_so_for_one_sandbox() {
    let place = Place::new();
    for name in ["one", "two"] {
        let policy = "[tools]\nask = [\"delete_file\"]\n";
        std::fs::write(place.path(name).join("neuroscript.toml"), policy).expect("a policy");
        std::fs::write(place.path(name).join("c.txt"), "x").expect("a file");
    }
    let mut client = place.open_with(&["--write"], json!({ "elicitation": {} }));
    let script = |path: &str| format!("MUST CALL FS.DeleteFile(\"{path}\")");
    for (sandbox, path, call) in [
        ("one", "a.txt", json!({ "name": "delete_file", "arguments": { "sandbox": "one", "path": "a.txt" } })),
        ("two", "b.txt", json!({ "name": "run_script", "arguments": { "sandbox": "two", "script": script("b.txt") } })),
    ] {
        let id = client.ask("tools/call", call);
        let question = client.hear();
        let message = question["params"]["message"].as_str().unwrap_or_default();
        assert!(message.starts_with(&format!("In the sandbox `{sandbox}`, ")), "{question}");
        let accepted = json!({ "action": "accept", "content": { "answer": "session" } });
        client.say(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": accepted }));
        assert_eq!(client.answer_to(id)["result"]["isError"], false);
        assert!(place.read(&format!("{sandbox}/{path}")).is_none());
        // The answer stands for the next call in this sandbox.
        client.done("delete_file", json!({ "sandbox": sandbox, "path": "c.txt" }));
    }
}

#[test]
fn roots_of_the_client_narrow_every_sandbox() {
    let place = Place::new();
    let mut client = place.open_with(&[], json!({ "roots": {} }));
    let question = client.hear();
    assert_eq!(question["method"], "roots/list", "{question}");
    let roots = json!({ "roots": [{ "uri": format!("file://{}", place.path("one").display()) }] });
    client.say(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": roots }));
    client.done("read_file", json!({ "sandbox": "one", "file_path": "a.txt" }));
    let error = client.failed("read_file", json!({ "sandbox": "two", "file_path": "b.txt" }));
    assert_eq!(error["code"], "policy_denied", "{error}");
    let script = json!({ "sandbox": "two", "script": "MUST CALL FS.ReadFile(\"b.txt\")" });
    assert_eq!(client.failed("run_script", script)["code"], "policy_denied");
    let listed = client.done("list_allowed_directories", json!({}))["directories"].clone();
    assert_eq!((&listed[0]["roots"], &listed[1]["roots"]), (&json!(["."]), &json!([])), "{listed}");
}

#[test]
fn a_call_in_one_sandbox_is_cancelled_like_any() {
    let place = Place::new();
    for number in 0..2_000 {
        std::fs::write(place.path("two").join(format!("{number}.txt")), "x".repeat(10_000)).expect("a file");
    }
    let mut client = place.open(&[]);
    let search = json!({ "sandbox": "two", "text": "(x+x+)+y", "regex": true, "include": ["*.txt"] });
    let id = client.ask("tools/call", json!({ "name": "search_files", "arguments": search }));
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } });
    client.say(&cancel);
    assert_eq!(client.done("read_file", json!({ "sandbox": "one", "file_path": "a.txt" }))["content"], "one");
}

#[test]
fn a_script_that_is_offered_runs_in_the_sandbox_that_a_call_names() {
    let place = Place::new();
    let script = place.path("count.ns");
    std::fs::write(&script, "DEFINE PROCEDURE Main(pattern: \"*\")\n  EMIT LEN(FS.Find(\".\", pattern))\nEND\n")
        .expect("a script");
    let script = script.display().to_string();
    let mut client = place.open(&["--script", &script]);
    std::fs::write(place.path("two/c.txt"), "x").expect("a file");
    assert_eq!(client.done("count", json!({ "sandbox": "one" }))["output"], "1\n");
    assert_eq!(client.done("count", json!({ "sandbox": "two" }))["output"], "2\n");
    assert_eq!(client.failed("count", json!({}))["argument"], "sandbox");
    std::fs::write(place.path("count.ns"), "DEFINE PROCEDURE Main(sandbox: \"x\")\n  EMIT sandbox\nEND\n")
        .expect("a script");
    let refused = refused(&place.options(&["--script", &script]));
    assert!(refused.contains("the parameter `sandbox` of `count.ns` needs another name"), "{refused}");
}

/// Starts a server, which must not start, and returns what it says.
fn refused(options: &[String]) -> String {
    let output = ns_without_sandbox().arg("mcp").args(options).output().expect("ns runs");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    String::from_utf8(output.stderr).expect("a text")
}

#[test]
fn sandboxes_that_cannot_be_told_apart_are_refused() {
    let place = Place::new();
    std::fs::create_dir_all(place.path("one/two")).expect("a folder");
    std::os::unix::fs::symlink("two", place.path("same")).expect("a link");
    let refused = |sandboxes: &[(&str, &str)]| {
        let option = |(name, path): &(&str, &str)| {
            ["--sandbox".to_owned(), format!("{name}{}", Path::new(&place.path(path)).display())]
        };
        refused(&sandboxes.iter().flat_map(option).collect::<Vec<_>>())
    };
    assert!(refused(&[("", "two"), ("", "one/two")]).contains("two sandboxes are called `two`"));
    assert!(refused(&[("", "one"), ("in=", "one/two")]).contains("the sandbox `in` is in the sandbox `one`"));
    assert!(refused(&[("", "two"), ("", "same")]).contains("is in the sandbox"));
    assert!(refused(&[("", "one"), ("", "none")]).contains("cannot be opened"));
}

#[test]
fn other_commands_have_one_sandbox() {
    let place = Place::new();
    let mut command = ns(&place.path("one"));
    let output =
        command.arg("--sandbox").arg(place.path("two")).args(["call", "find", "{}"]).output().expect("ns runs");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("`--sandbox` is given several times"), "{output:?}");
}

#[test]
fn resources_are_those_of_every_sandbox() {
    let place = Place::new();
    let mut client = place.open(&[]);
    let uri = |path: &str| format!("file://{}", place.path(path).display());
    let mut listed = Vec::new();
    let mut page = client.request("resources/list", json!({}))["result"].clone();
    loop {
        listed.extend(page["resources"].as_array().expect("a list").iter().map(|resource| resource["uri"].clone()));
        let Some(cursor) = page["nextCursor"].as_str().map(str::to_owned) else { break };
        page = client.request("resources/list", json!({ "cursor": cursor }))["result"].clone();
    }
    assert_eq!(listed, [json!(uri("one/a.txt")), json!(uri("two/b.txt"))]);
    for (path, text) in [("one/a.txt", "one"), ("two/b.txt", "two")] {
        let read = client.request("resources/read", json!({ "uri": uri(path) }));
        assert_eq!(read["result"]["contents"][0]["text"], text, "{read}");
    }
    let outside = client.request("resources/read", json!({ "uri": uri("three/c.txt") }));
    assert!(outside["error"]["message"].as_str().is_some_and(|text| text.contains("outside the sandbox")), "{outside}");
    for cursor in ["after:2:", "after:x:", "after:0"] {
        let refused = client.request("resources/list", json!({ "cursor": cursor }));
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
    let templates = client.request("resources/templates/list", json!({}))["result"]["resourceTemplates"].clone();
    let names: Vec<&Json> = templates.as_array().expect("a list").iter().map(|template| &template["name"]).collect();
    assert_eq!(names, ["one", "two"]);
    let reference = json!({ "type": "ref/resource", "uri": templates[1]["uriTemplate"] });
    let asked = json!({ "ref": reference, "argument": { "name": "path", "value": "" } });
    let completed = client.request("completion/complete", asked);
    assert_eq!(completed["result"]["completion"]["values"], json!(["b.txt"]), "{completed}");
    // A change in the second sandbox is told.
    let subscribed = client.request("resources/subscribe", json!({ "uri": uri("two/b.txt") }));
    assert!(subscribed.get("error").is_none(), "{subscribed}");
    std::fs::write(place.path("two/b.txt"), "other").expect("a file");
    let told = client.hear();
    assert_eq!(
        (&told["method"], &told["params"]["uri"]),
        (&json!("notifications/resources/updated"), &json!(uri("two/b.txt")))
    );
}
