//! Resources: lists, reading, completion of paths, and attempts to reach what tools do not reach.

use std::path::Path;

use serde_json::{Value as Json, json};

use crate::mcp::client::Client;

/// A sandbox beside a file that is outside of it.
struct Place {
    _above: tempfile::TempDir,
    root: std::path::PathBuf,
}

impl Place {
    fn new() -> Place {
        let above = tempfile::tempdir().expect("a folder");
        let root = above.path().canonicalize().expect("a path").join("box");
        std::fs::create_dir(&root).expect("a sandbox");
        std::fs::write(root.parent().expect("a parent").join("outside.txt"), "secret").expect("a file");
        Place { _above: above, root }
    }

    fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, content).expect("a file");
    }

    fn uri(&self, path: &str) -> String {
        format!("file://{}/{path}", self.root.display())
    }

    fn policy(&self, text: &str) {
        std::fs::write(self.root.join("neuroscript.toml"), text).expect("a policy");
    }
}

fn read(client: &mut Client, uri: &str) -> Json {
    client.request("resources/read", json!({ "uri": uri }))
}

fn paths(page: &Json, root: &Path) -> Vec<String> {
    let resources = page["resources"].as_array().expect("resources");
    let uri = |resource: &Json| resource["uri"].as_str().expect("a URI").to_owned();
    resources.iter().map(|one| uri(one).replacen(&format!("file://{}/", root.display()), "", 1)).collect()
}

/// Lists all pages.
fn all(client: &mut Client, root: &Path) -> Vec<Vec<String>> {
    let mut pages = Vec::new();
    let mut params = json!({});
    loop {
        let answer = client.request("resources/list", params);
        let page = &answer["result"];
        pages.push(paths(page, root));
        match page.get("nextCursor") {
            Some(cursor) => params = json!({ "cursor": cursor }),
            None => return pages,
        }
    }
}

#[test]
fn files_are_listed_and_read_with_their_types() {
    let place = Place::new();
    place.write("docs/a.md", "# A\n");
    place.write("b #1?.txt", "b");
    place.write("picture.png", [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', 0, 0]);
    let mut client = Client::open(&place.root, &[]);
    let listed = client.request("resources/list", json!({}))["result"].clone();
    assert_eq!(paths(&listed, &place.root), ["b%20%231%3F.txt", "docs/a.md", "picture.png"]);
    let first = &listed["resources"][1];
    assert_eq!((&first["name"], &first["title"]), (&json!("a.md"), &json!("docs/a.md")));
    assert_eq!((&first["mimeType"], &first["size"]), (&json!("text/markdown"), &json!(4)));
    for (resource, field, expected) in [(1, "text", "# A\n"), (0, "text", "b"), (2, "blob", "iVBORw0KGgoAAA==")] {
        let uri = listed["resources"][resource]["uri"].as_str().expect("a URI").to_owned();
        let contents = read(&mut client, &uri)["result"]["contents"].clone();
        assert_eq!((&contents[0]["uri"], &contents[0][field]), (&json!(uri), &json!(expected)), "{contents}");
    }
    assert_eq!(read(&mut client, &place.uri("picture.png"))["result"]["contents"][0]["mimeType"], "image/png");
    for directory in ["docs", "docs/"] {
        let contents = read(&mut client, &place.uri(directory))["result"]["contents"][0].clone();
        assert_eq!((&contents["text"], &contents["mimeType"]), (&json!("docs/\n  a.md"), &json!("inode/directory")));
    }
    let root = read(&mut client, &place.uri(""))["result"]["contents"][0]["text"].clone();
    assert!(root.as_str().is_some_and(|text| text.starts_with("box/\n") && text.contains("picture.png")), "{root}");
    let template = client.request("resources/templates/list", json!({}))["result"].clone();
    assert_eq!(template["resourceTemplates"][0]["uriTemplate"], format!("{}{{+path}}", place.uri("")));
}

#[test]
fn every_revision_reads_resources() {
    let place = Place::new();
    place.write("a.txt", "a");
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut client = Client::open_with(&place.root, &[], version, json!({}));
        assert_eq!(read(&mut client, &place.uri("a.txt"))["result"]["contents"][0]["text"], "a", "{version}");
        let missing = read(&mut client, &place.uri("none.txt"))["error"].clone();
        assert_eq!((&missing["code"], &missing["data"]["code"]), (&json!(-32002), &json!("not_found")), "{missing}");
    }
    let mut client = Client::modern(&place.root, &[], json!({}));
    let answer = read(&mut client, &place.uri("a.txt"))["result"].clone();
    assert_eq!((&answer["contents"][0]["text"], &answer["resultType"]), (&json!("a"), &json!("complete")), "{answer}");
    // The newest revision has no code of its own for a missing resource.
    assert_eq!(read(&mut client, &place.uri("none.txt"))["error"]["code"], -32602);
}

#[test]
fn pages_are_bounded_ordered_and_whole() {
    let place = Place::new();
    let mut expected = Vec::new();
    for folder in ["a", "a-b", "a/inner", "z"] {
        for number in 0..150 {
            let path = format!("{folder}/{number:03}.txt");
            place.write(&path, "");
            expected.push(path);
        }
    }
    expected.sort_by(|one, other| one.split('/').cmp(other.split('/')));
    place.write(".hidden/a.txt", "");
    place.write(".env", "");
    place.write("ignored/a.txt", "");
    place.write(".gitignore", "ignored/\n");
    std::os::unix::fs::symlink("a", place.root.join("link")).expect("a link");
    let mut client = Client::open(&place.root, &[]);
    let pages = all(&mut client, &place.root);
    assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [200, 200, 200, 0]);
    assert_eq!(pages.concat(), expected);
    // A cursor is a place in the order, so that a removed file ends nothing.
    let cursor = client.request("resources/list", json!({}))["result"]["nextCursor"].clone();
    std::fs::remove_dir_all(place.root.join("a/inner")).expect("it is there");
    let rest = client.request("resources/list", json!({ "cursor": cursor }))["result"].clone();
    assert_eq!(paths(&rest, &place.root).first().map(String::as_str), Some("a-b/000.txt"), "{rest}");
    for cursor in ["", "1", "nonsense"] {
        let answer = client.request("resources/list", json!({ "cursor": cursor }));
        assert_eq!(answer["error"]["code"], -32602, "{cursor:?}: {answer}");
    }
}

#[test]
fn uris_that_leave_the_sandbox_or_have_two_readings_are_refused() {
    let place = Place::new();
    place.write("a.txt", "a");
    place.write("sub/b.txt", "b");
    std::os::unix::fs::symlink("../outside.txt", place.root.join("out")).expect("a link");
    std::os::unix::fs::symlink("..", place.root.join("up")).expect("a link");
    std::os::unix::fs::symlink("sub/b.txt", place.root.join("in")).expect("a link");
    let mut client = Client::open(&place.root, &["--tools", "all"]);
    let outside = place.root.with_file_name("outside.txt");
    let root = place.root.display().to_string();
    for (uri, code) in [
        ("file:///etc/passwd".to_owned(), "sandbox_violation"),
        (format!("file://{}", outside.display()), "sandbox_violation"),
        (format!("file://{root}x/a.txt"), "sandbox_violation"),
        ("file:///".to_owned(), "sandbox_violation"),
        (place.uri("out"), "sandbox_violation"),
        (place.uri("up/outside.txt"), "sandbox_violation"),
        (place.uri(".ns/journal"), "sandbox_violation"),
        (place.uri("neuroscript.toml"), "sandbox_violation"),
        (place.uri("../outside.txt"), "bad_args"),
        (place.uri("%2e%2e/outside.txt"), "bad_args"),
        (place.uri("sub/%2E%2e/a.txt"), "bad_args"),
        (place.uri("sub%2fb.txt"), "bad_args"),
        (place.uri("..%2Foutside.txt"), "bad_args"),
        (place.uri("a.txt%00"), "bad_args"),
        (place.uri("a.txt\u{0}"), "bad_args"),
        (place.uri("%ff"), "bad_args"),
        (place.uri("%zz"), "bad_args"),
        (format!("file://evil.example{root}/a.txt"), "bad_args"),
        (format!("http://localhost{root}/a.txt"), "bad_args"),
        ("a.txt".to_owned(), "bad_args"),
        (String::new(), "bad_args"),
        (place.uri(&"x".repeat(300)), "bad_args"),
        (place.uri(&"x/".repeat(100_000)), "bad_args"),
    ] {
        for method in ["resources/read", "resources/subscribe"] {
            let answer = client.request(method, json!({ "uri": uri }));
            let error = &answer["error"];
            let shown: String = uri.chars().take(100).collect();
            assert_eq!((&error["code"], &error["data"]["code"]), (&json!(-32602), &json!(code)), "{shown}: {answer}");
            assert!(answer.to_string().len() < 2_000 && !answer.to_string().contains("secret"), "{answer}");
        }
    }
    // A link that leads back into the sandbox is followed.
    assert_eq!(read(&mut client, &place.uri("in"))["result"]["contents"][0]["text"], "b");
    assert_eq!(read(&mut client, &format!("FILE://LOCALHOST{root}/a.txt"))["result"]["contents"][0]["text"], "a");
    assert!(client.request("resources/read", json!({ "uri": 5 }))["error"]["code"] == -32602);
}

#[test]
fn the_policy_decides_about_resources_as_about_tools() {
    let place = Place::new();
    place.write("src/a.rs", "a");
    place.write("secrets/key.txt", "secret");
    place.write("src/key.pem", "secret");
    place.write("other/c.txt", "c");
    place.policy(
        "[policy]\nallowed_directories = [\"src\", \"secrets\"]\nblocked_directories = [\"secrets\"]\nblocked_patterns = [\"*.pem\"]\n",
    );
    let mut client = Client::open(&place.root, &["--write", "--tools", "all"]);
    assert_eq!(all(&mut client, &place.root), [["src/a.rs"]]);
    assert_eq!(read(&mut client, &place.uri("src/a.rs"))["result"]["contents"][0]["text"], "a");
    for path in ["secrets/key.txt", "secrets/none", "src/key.pem", "src/none.pem", "other/c.txt", "secrets"] {
        let error = read(&mut client, &place.uri(path))["error"].clone();
        let tool = client.failed("read_file", json!({ "path": path }));
        assert_eq!((&error["data"]["code"], &error["message"]), (&json!("policy_denied"), &tool["message"]), "{path}");
        let error = client.request("resources/subscribe", json!({ "uri": place.uri(path) }))["error"].clone();
        assert_eq!((&error["code"], &error["data"]["code"]), (&json!(-32602), &json!("policy_denied")), "{path}");
    }
    // Reading is on record, like the calls of the tool.
    let log = crate::support::run(crate::support::ns(&place.root).args(["audit", "show"]));
    let lines: Json = serde_json::from_str(&log.stdout).expect("the log is JSON");
    let is_denied = |line: &&Json| {
        line["tool"] == "FS.ReadFile" && line["paths"] == json!(["secrets/key.txt"]) && line["outcome"] == "refused"
    };
    let denied = lines.as_array().expect("lines").iter().filter(is_denied);
    assert_eq!(denied.count(), 2, "the resource and the call: {}", log.stdout);
}

#[test]
fn a_tool_that_is_denied_or_not_offered_serves_no_resources() {
    let place = Place::new();
    place.write("a.txt", "a");
    place.policy("[tools]\ndeny = [\"FS.ReadFile\"]\n");
    for options in [&["--tools", "all"][..], &["--tools", "none"]] {
        let mut client = Client::open(&place.root, options);
        assert!(client.server["capabilities"].get("resources").is_none(), "{}", client.server);
        for (method, params) in [
            ("resources/list", json!({})),
            ("resources/templates/list", json!({})),
            ("resources/read", json!({ "uri": place.uri("a.txt") })),
            ("resources/subscribe", json!({ "uri": place.uri("a.txt") })),
        ] {
            assert_eq!(client.request(method, params)["error"]["code"], -32601, "{method}");
        }
    }
}

#[test]
fn capabilities_are_what_is_served() {
    let place = Place::new();
    for (options, served) in [
        (&[][..], ["completions", "logging", "prompts", "resources", "tools"].as_slice()),
        (&["--tools", "none"], &["logging", "tools"]),
        (&["--tools", "read_file"], &["completions", "logging", "resources", "tools"]),
        (&["--tools", "script"], &["completions", "logging", "prompts", "tools"]),
    ] {
        let declared = |capabilities: &Json| {
            let mut names: Vec<String> = capabilities.as_object().expect("capabilities").keys().cloned().collect();
            names.sort();
            names
        };
        let mut client = Client::open(&place.root, options);
        assert_eq!(declared(&client.server["capabilities"]), served, "{options:?}");
        let mut modern = Client::modern(&place.root, options, json!({}));
        let found = modern.request("server/discover", json!({}))["result"].clone();
        assert_eq!(found["capabilities"], client.server["capabilities"], "{options:?}");
        for (capability, method, params) in [
            ("resources", "resources/list", json!({})),
            ("prompts", "prompts/list", json!({})),
            ("tools", "tools/list", json!({})),
            ("logging", "logging/setLevel", json!({ "level": "emergency" })),
        ] {
            let answer = client.request(method, params);
            assert_eq!(answer.get("result").is_some(), served.contains(&capability), "{options:?} {answer}");
        }
    }
}

#[test]
fn the_roots_of_a_client_narrow_its_resources() {
    let place = Place::new();
    place.write("in/a.txt", "a");
    place.write("out/b.txt", "b");
    let mut client = Client::open_with(&place.root, &[], "2025-11-25", json!({ "roots": {} }));
    let question = client.hear();
    let roots = json!({ "roots": [{ "uri": place.uri("in") }] });
    client.say(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": roots }));
    assert_eq!(all(&mut client, &place.root), [["in/a.txt"]]);
    assert_eq!(read(&mut client, &place.uri("out/b.txt"))["error"]["data"]["code"], "policy_denied");
    let template = client.request("resources/templates/list", json!({}))["result"].clone();
    let found = complete(&mut client, &template, "out/");
    assert_eq!(found["values"], json!([]), "{found}");
}

#[test]
fn large_files_are_refused_and_say_how_to_read_them() {
    let place = Place::new();
    place.write("fits.txt", "x".repeat(4 << 20));
    place.write("large.txt", "x".repeat((4 << 20) + 1));
    place.write("escaped.txt", "\u{1}".repeat(4 << 20));
    let file = std::fs::File::create(place.root.join("huge.bin")).expect("a file");
    file.set_len(60 << 30).expect("a file with holes");
    let mut client = Client::open(&place.root, &[]);
    let before = client.memory();
    let text = read(&mut client, &place.uri("fits.txt"))["result"]["contents"][0]["text"].clone();
    assert_eq!(text.as_str().map(str::len), Some(4 << 20));
    for path in ["large.txt", "huge.bin", "escaped.txt"] {
        let error = read(&mut client, &place.uri(path))["error"].clone();
        assert_eq!((&error["code"], &error["data"]["code"]), (&json!(-32602), &json!("too_large")), "{error}");
        assert!(error["data"]["hint"].as_str().is_some_and(|hint| hint.contains("`read_file`")), "{error}");
    }
    assert!(client.memory() < before + (200 << 20), "{} before, {} after", before, client.memory());
}

fn complete(client: &mut Client, templates: &Json, typed: &str) -> Json {
    let uri = &templates["resourceTemplates"][0]["uriTemplate"];
    let params =
        json!({ "ref": { "type": "ref/resource", "uri": uri }, "argument": { "name": "path", "value": typed } });
    client.request("completion/complete", params)["result"]["completion"].clone()
}

#[test]
fn paths_are_completed_as_far_as_tools_may_read_them() {
    let place = Place::new();
    for path in ["src/main.rs", "src/map/a.rs", "src/.hidden", "src/secret.pem", "blocked/a", "file.txt"] {
        place.write(path, "");
    }
    for number in 0..250 {
        place.write(&format!("many/{number:03}.txt"), "");
    }
    std::os::unix::fs::symlink("../../outside.txt", place.root.join("src/mout")).expect("a link");
    std::os::unix::fs::symlink("main.rs", place.root.join("src/min")).expect("a link");
    place.policy("[policy]\nblocked_directories = [\"blocked\"]\nblocked_patterns = [\"*.pem\"]\n");
    let mut client = Client::open(&place.root, &[]);
    let templates = client.request("resources/templates/list", json!({}))["result"].clone();
    for (typed, values) in [
        ("", &["file.txt", "many/", "src/"][..]),
        ("s", &["src/"]),
        ("src/m", &["src/main.rs", "src/map/", "src/min"]),
        ("src/s", &[]),
        ("src/.", &["src/.hidden"]),
        ("src/map/", &["src/map/a.rs"]),
        ("blocked/", &[]),
        ("b", &[]),
        ("none/", &[]),
        ("../", &[]),
        ("../o", &[]),
        ("/etc/", &[]),
        ("src/../../", &[]),
        (".n", &[]),
        (".ns/", &[]),
        ("\u{0}", &[]),
    ] {
        let found = complete(&mut client, &templates, typed);
        assert_eq!(found, json!({ "values": values, "total": values.len(), "hasMore": false }), "{typed:?}");
    }
    let found = complete(&mut client, &templates, "many/");
    assert_eq!(
        (found["values"].as_array().map(Vec::len), &found["total"], &found["hasMore"]),
        (Some(100), &json!(250), &json!(true))
    );
    for (reference, argument) in [
        (json!({ "type": "ref/resource", "uri": "file:///etc/{+path}" }), "path"),
        (json!({ "type": "ref/resource", "uri": templates["resourceTemplates"][0]["uriTemplate"] }), "other"),
        (json!({ "type": "ref/prompt", "name": "none" }), "folder"),
    ] {
        let params = json!({ "ref": reference, "argument": { "name": argument, "value": "" } });
        let answer = client.request("completion/complete", params);
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
}
