//! Prompts: the chores of the cookbook.

use serde_json::{Value as Json, json};

use crate::mcp::client::Client;

fn get(client: &mut Client, name: &str, arguments: Json) -> Json {
    client.request("prompts/get", json!({ "name": name, "arguments": arguments }))
}

fn text(answer: &Json) -> String {
    assert_eq!(answer["result"]["messages"][0]["role"], "user", "{answer}");
    answer["result"]["messages"][0]["content"]["text"].as_str().expect("a text").to_owned()
}

#[test]
fn every_recipe_of_the_book_is_a_prompt_with_its_script() {
    let place = tempfile::tempdir().expect("a sandbox");
    let mut client = Client::open(place.path(), &[]);
    let listed = client.request("prompts/list", json!({}))["result"]["prompts"].clone();
    let prompts = listed.as_array().expect("prompts");
    let mut recipes = 0;
    for page in ["data", "finding", "keeping", "logs", "texts", "tidying"] {
        let page =
            std::fs::read_to_string(crate::support::package(&format!("docs/cookbook/{page}.md"))).expect("a page");
        // Each recipe has one script, and the heading above it that is not in a file is its title.
        let fence = "\n```neuroscript\n";
        for (at, _) in page.match_indices(fence) {
            let (before, after) = (&page[..at], &page[at + fence.len()..]);
            let script = after.split("\n```").next().expect("a script");
            let prompt = prompts.iter().find(|prompt| {
                let heading = format!("\n## {}\n", prompt["title"].as_str().expect("a title"));
                before.rfind(&heading).is_some_and(|at| !before[at..].contains(fence))
            });
            let prompt = prompt.unwrap_or_else(|| panic!("no prompt for {script}"));
            let name = prompt["name"].as_str().expect("a name");
            let got = get(&mut client, name, json!({ "request": "only in `new/`" }));
            let text = text(&got);
            assert!(text.contains(script) && text.contains("`plan: true`"), "{text}");
            assert!(text.contains("only in `new/`"), "{text}");
            recipes += 1;
        }
    }
    assert!(recipes > 30);
    // A file of this recipe has a heading.
    assert!(prompts.iter().any(|prompt| prompt["title"] == "Generate a table of contents"));
    assert_eq!(prompts.len(), recipes + 5);
}

/// The words of a prompt give its arguments to its script.
#[test]
fn a_script_runs_with_the_arguments_of_its_prompt() {
    let place = tempfile::tempdir().expect("a sandbox");
    std::fs::create_dir(place.path().join("my photos")).expect("a folder");
    std::fs::write(place.path().join("my photos/a.jpg"), "").expect("a file");
    let mut client = Client::open(place.path(), &["--write"]);
    let listed = client.request("prompts/list", json!({}))["result"]["prompts"].clone();
    let prompt = listed.as_array().and_then(|all| all.iter().find(|prompt| prompt["name"] == "rename-photos"));
    let prompt = prompt.expect("the script is there").clone();
    assert_eq!(prompt["arguments"][0]["name"], "folder");
    assert_eq!(
        (&prompt["arguments"][0]["required"], &prompt["arguments"][1]["required"]),
        (&json!(true), &json!(false))
    );
    let text = text(&get(&mut client, "rename-photos", json!({ "folder": "my photos", "go": "true" })));
    let words = text.split("`args` as ").nth(1).and_then(|rest| rest.split(".\u{20}").next()).expect("the words");
    let words: Json = serde_json::from_str(words).unwrap_or_else(|error| panic!("{error}: {words}"));
    let script = text.split("```neuroscript\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a script");
    let planned = client.done("run_script", json!({ "script": script, "args": words, "plan": true }));
    assert_eq!(planned["changes"].as_array().map(Vec::len), Some(1), "{planned}");
    assert!(place.path().join("my photos/a.jpg").exists());
    client.done("run_script", json!({ "script": script, "args": words }));
    assert!(!place.path().join("my photos/a.jpg").exists());
}

#[test]
fn wrong_arguments_are_errors_that_name_them() {
    let place = tempfile::tempdir().expect("a sandbox");
    let mut client = Client::open(place.path(), &[]);
    for (name, arguments, word) in [
        ("rename-photo", json!({}), "`rename-photos`"),
        ("rename-photos", json!({}), "`folder` is missing"),
        ("rename-photos", json!({ "folder": "" }), "`folder` is missing"),
        ("rename-photos", json!({ "folder": 5 }), "`folder` needs a text"),
        ("rename-photos", json!({ "folder": "a", "go": "perhaps" }), "`true` or `false`"),
        ("rename-photos", json!({ "folder": "a", "other": "b" }), "no argument `other`"),
        ("rename-photos", json!({ "folder": "x".repeat(5_000) }), "5000 bytes"),
    ] {
        let answer = get(&mut client, name, arguments);
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        assert!(answer["error"]["message"].as_str().is_some_and(|text| text.contains(word)), "{word}: {answer}");
    }
    assert_eq!(client.request("prompts/list", json!({ "cursor": "1" }))["error"]["code"], -32602);
}

#[test]
fn paths_and_flags_of_prompts_are_completed() {
    let place = tempfile::tempdir().expect("a sandbox");
    std::fs::create_dir(place.path().join("photos")).expect("a folder");
    let mut client = Client::open(place.path(), &[]);
    for (prompt, argument, typed, values) in [
        ("rename-photos", "folder", "ph", &["photos/"][..]),
        ("rename-photos", "go", "t", &["true"]),
        ("project-report", "to", "", &["photos/"]),
        ("convert-csv-to-json", "request", "p", &[]),
    ] {
        let params = json!({
            "ref": { "type": "ref/prompt", "name": prompt }, "argument": { "name": argument, "value": typed },
        });
        let found = client.request("completion/complete", params)["result"]["completion"].clone();
        assert_eq!(found["values"], json!(values), "{prompt} {argument}");
    }
}

#[test]
fn lists_of_tools_are_the_same_with_and_without_prompts() {
    let place = tempfile::tempdir().expect("a sandbox");
    let mut client = Client::open(place.path(), &[]);
    let tools = client.request("tools/list", json!({})).to_string();
    for word in ["resources/", "prompts/", "file://", "subscri"] {
        assert!(!tools.contains(word), "{word}");
    }
}
