//! Scripts offered as tools with `--script`: their schema, arguments and results.

use serde_json::{Value as Json, json};

use crate::mcp::client::Client;
use crate::support::{ns, run};

const TIDY: &str = "\
:: description: Moves old files of a folder
:: arg folder: the folder to tidy
:: arg most: files at most
:: arg skip: a name to leave alone
DEFINE PROCEDURE Main(folder, most: 5, ratio: 0.5, go: false, skip: [], sizes: [1], vars: {}, name: nil)
  MUST CALL FS.WriteFile(\"made.txt\", \"x\")
  EMIT folder
  RETURN [most, ratio, go, skip, sizes, vars, name, ARGS]
END
";

struct Place {
    sandbox: tempfile::TempDir,
    scripts: tempfile::TempDir,
}

impl Place {
    fn new(scripts: &[(&str, &str)]) -> Place {
        let folder = || tempfile::tempdir().expect("a folder for the test");
        let place = Place { sandbox: folder(), scripts: folder() };
        for (name, text) in scripts {
            std::fs::write(place.scripts.path().join(name), text).expect("a script");
        }
        place
    }

    /// Returns the options that offer these scripts.
    fn options(&self, names: &[&str]) -> Vec<String> {
        let path = |name: &&str| self.scripts.path().join(name).display().to_string();
        names.iter().flat_map(|name| ["--script".to_owned(), path(name)]).collect()
    }

    fn open(&self, names: &[&str], more: &[&str]) -> Client {
        let options = self.options(names);
        let options: Vec<&str> = options.iter().map(String::as_str).chain(more.iter().copied()).collect();
        Client::open(self.sandbox.path(), &options)
    }
}

fn tool(client: &mut Client, name: &str) -> Json {
    let listed = client.request("tools/list", json!({}))["result"]["tools"].clone();
    let found = listed.as_array().expect("a list").iter().find(|tool| tool["name"] == name).cloned();
    found.unwrap_or_else(|| panic!("{name} is listed in {listed}"))
}

#[test]
fn the_parameters_of_a_script_are_its_schema() {
    let place = Place::new(&[("Tidy-Up.ns", TIDY), ("words.ns", ":: usage: words.ns WORD...\nEMIT ARGS\n")]);
    let mut client = place.open(&["Tidy-Up.ns", "words.ns"], &["--write"]);
    let tidy = tool(&mut client, "tidy_up");
    assert_eq!((&tidy["title"], &tidy["description"]), (&json!("Tidy-Up.ns"), &json!("Moves old files of a folder")));
    assert_eq!(
        tidy["inputSchema"],
        json!({
            "type": "object",
            "properties": {
                "folder": { "type": "string", "description": "the folder to tidy" },
                "most": { "type": "integer", "description": "files at most", "default": 5 },
                "ratio": { "type": "number", "default": 0.5 },
                "go": { "type": "boolean", "default": false },
                "skip": { "type": "array", "items": { "type": "string" }, "description": "a name to leave alone", "default": [] },
                "sizes": { "type": "array", "items": { "type": "integer" }, "default": [1] },
                "vars": { "type": "object", "additionalProperties": { "type": "string" }, "default": {} },
                "name": { "type": "string" },
                "plan": { "type": "boolean", "description": "change nothing, and list the changes that would be made", "default": false },
            },
            "required": ["folder"],
            "additionalProperties": false,
        })
    );
    assert_eq!(tidy["annotations"]["readOnlyHint"], false);
    let words = tool(&mut client, "words");
    assert_eq!(words["inputSchema"]["properties"]["args"]["description"], "words.ns WORD...");
    assert_eq!(client.done("words", json!({ "args": ["a", "--b"] }))["output"], "[\"a\", \"--b\"]\n");
}

#[test]
fn a_declared_kind_is_in_the_schema_and_checked() {
    let script = ":: arg count (int): how many\nDEFINE PROCEDURE Main(count)\n  EMIT count + 1\nEND\n";
    let place = Place::new(&[("take.ns", script)]);
    let mut client = place.open(&["take.ns"], &["--write"]);
    let take = tool(&mut client, "take");
    assert_eq!(take["inputSchema"]["properties"]["count"], json!({ "type": "integer", "description": "how many" }));
    assert_eq!(take["inputSchema"]["required"], json!(["count"]));
    assert_eq!(client.done("take", json!({ "count": 5 }))["output"], "6\n");
    let refused = client.call("take", json!({ "count": "five" })).to_string();
    assert!(refused.contains("bad_args") && refused.contains("`count` needs a whole number"), "{refused}");
}

#[test]
fn a_script_gives_what_run_script_gives() {
    let place = Place::new(&[("tidy.ns", TIDY)]);
    let mut client = place.open(&["tidy.ns"], &["--write"]);
    let told = client.done(
        "tidy",
        json!({ "folder": "Photos", "most": 7, "ratio": 2, "go": true, "skip": ["a"], "vars": { "k": "v" }, "name": null }),
    );
    assert_eq!(told["output"], "Photos\n");
    assert_eq!(told["value"], json!([7, 2.0, true, ["a"], [1], { "k": "v" }, null, []]));
    assert_eq!(told["changes"][0]["path"], "made.txt");
    let listed = client.done("history", json!({}))["runs"][0].clone();
    assert_eq!(listed["command"], "ns mcp tidy.ns");
    client.done("undo", json!({ "run": told["undo_id"] }));
    assert!(!place.sandbox.path().join("made.txt").exists());
    let planned = client.done("tidy", json!({ "folder": "x", "plan": true }));
    assert_eq!((&planned["plan"], &planned["changes"][0]["path"]), (&json!(true), &json!("made.txt")));
    assert!(!place.sandbox.path().join("made.txt").exists());
}

#[test]
fn wrong_arguments_are_told_and_nothing_runs() {
    let place = Place::new(&[("tidy.ns", TIDY)]);
    let mut client = place.open(&["tidy.ns"], &["--write"]);
    for (arguments, told) in [
        (json!({}), "the argument `folder` is missing"),
        (json!({ "folder": 5 }), "`folder` needs a text, not int 5"),
        (json!({ "folder": "x", "most": "5" }), "`most` needs a whole number, not string \"5\""),
        (json!({ "folder": "x", "most": 1.5 }), "`most` needs a whole number"),
        (json!({ "folder": "x", "go": "yes" }), "`go` needs true or false"),
        (json!({ "folder": "x", "skip": "a" }), "`skip` needs a list of texts"),
        (json!({ "folder": "x", "sizes": ["a"] }), "`sizes` needs a list of whole numbers"),
        (json!({ "folder": "x", "vars": { "k": 1 } }), "`vars` needs a map of texts"),
        (json!({ "foldr": "x", "folder": "y" }), "the script has no argument `foldr`"),
        (json!({ "folder": "x", "plan": "yes" }), "`plan` needs true or false"),
    ] {
        let error = client.failed("tidy", arguments.clone());
        assert_eq!((&error["code"], &error["tool"]), (&json!("bad_args"), &json!("tidy")), "{error}");
        assert!(error["message"].as_str().is_some_and(|message| message.contains(told)), "{arguments}: {error}");
    }
    let hint = client.failed("tidy", json!({ "foldr": "x" }))["hint"].clone();
    assert_eq!(hint, "did you mean `folder`?");
    assert!(!place.sandbox.path().join("made.txt").exists());
}

#[test]
fn a_failure_names_the_tool_and_the_place_in_the_file() {
    let place = Place::new(&[("fails.ns", "DEFINE PROCEDURE Main(plan: 1)\n  FAIL \"no \" + plan\nEND\n")]);
    let mut client = place.open(&["fails.ns"], &[]);
    // A parameter of that name belongs to the script.
    assert_eq!(tool(&mut client, "fails")["inputSchema"]["properties"]["plan"]["type"], "integer");
    let error = client.failed("fails", json!({ "plan": 7 }));
    assert_eq!(
        (&error["code"], &error["tool"], &error["line"]),
        (&json!("fail"), &json!("fails"), &json!(2)),
        "{error}"
    );
    assert!(error["report"].as_str().is_some_and(|report| report.contains("fails.ns:2")), "{error}");
}

/// `plan` is either an argument of the server, which then changes nothing, or one that reaches the script.
#[test]
fn plan_is_never_lost() {
    let write = "MUST CALL FS.WriteFile(\"made.txt\", \"x\")\n";
    let own = |parameter: &str, and: &str| format!("{and}DEFINE PROCEDURE Main({parameter})\n  RETURN plan\nEND\n");
    let place = Place::new(&[
        ("flag.ns", &own("plan: false", "")),
        ("required.ns", &own("plan", "")),
        ("number.ns", &own("plan: 1", "")),
        ("declared.ns", &own("plan", ":: arg plan (int): how many\n")),
        ("top.ns", &format!(":: arg plan: the word plan or go\n{write}")),
        ("upper.ns", &format!("DEFINE PROCEDURE Main(PLAN: false)\n  {write}END\n")),
    ]);
    let names = ["flag.ns", "required.ns", "number.ns", "declared.ns", "top.ns", "upper.ns"];
    let mut client = place.open(&names, &["--write"]);
    for (name, given) in [("flag", json!(true)), ("required", json!("x")), ("number", json!(7)), ("declared", json!(7))]
    {
        assert_eq!(client.done(name, json!({ "plan": given }))["value"], given, "{name}");
    }
    for (name, given) in [("flag", json!("abc")), ("number", json!("abc")), ("declared", json!("abc"))] {
        assert_eq!(client.failed(name, json!({ "plan": given }))["code"], "bad_args", "{name}");
    }
    for name in ["top", "upper"] {
        assert_eq!(tool(&mut client, name)["inputSchema"]["properties"]["plan"]["type"], "boolean", "{name}");
        let planned = client.done(name, json!({ "plan": true }));
        assert_eq!((&planned["plan"], &planned["changed"]), (&json!(true), &json!(1)), "{name}: {planned}");
        assert!(!place.sandbox.path().join("made.txt").exists(), "{name}");
        assert_eq!(client.failed(name, json!({ "plan": "abc" }))["code"], "bad_args", "{name}");
    }
}

#[test]
fn a_server_that_only_reads_runs_scripts_that_only_read() {
    let place =
        Place::new(&[("tidy.ns", TIDY), ("count.ns", "DEFINE PROCEDURE Main(list: [])\n  EMIT LEN(list)\nEND\n")]);
    let mut client = place.open(&["tidy.ns", "count.ns"], &["--tools", "none"]);
    let listed = client.request("tools/list", json!({}))["result"]["tools"].clone();
    let names: Vec<&Json> = listed.as_array().expect("a list").iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, [&json!("read_result"), &json!("tidy"), &json!("count")]);
    assert_eq!(tool(&mut client, "tidy")["annotations"]["readOnlyHint"], true);
    assert_eq!(client.failed("tidy", json!({ "folder": "x" }))["code"], "policy_denied");
    assert_eq!(client.done("count", json!({ "list": ["a", "b"] }))["output"], "2\n");
}

#[test]
fn a_script_that_cannot_be_offered_ends_the_server_before_it_begins() {
    let place = Place::new(&[
        ("read_file.ns", "EMIT 1\n"),
        ("bad.ns", "SET x =\n"),
        ("two.ns", "func A() means\nend\nfunc B() means\nend\n"),
        ("1.ns", "EMIT 1\n"),
        ("a.ns", "EMIT 1\n"),
        ("A.ns", "EMIT 1\n"),
    ]);
    for (names, told) in [
        (&["read_file.ns"][..], "`read_file.ns` would be called `read_file`, as another tool is"),
        (&["a.ns", "A.ns"], "`A.ns` would be called `a`"),
        (&["bad.ns"], "bad.ns:1"),
        (&["two.ns"], "NS0107"),
        (&["1.ns"], "`1.ns` is no name for a tool"),
        (&["none.ns"], "cannot be read"),
    ] {
        let ran = run(ns(place.sandbox.path()).arg("mcp").args(place.options(names)));
        assert!(ran.code == 2 && ran.stderr.contains(told), "{names:?}: {}", ran.stderr);
    }
}

/// A rest parameter takes at least one argument, from programs too.
#[test]
fn a_list_of_the_rest_is_not_empty() {
    let script = ":: arg files...: the files to count\nDEFINE PROCEDURE Main(files)\n  RETURN LEN(files)\nEND\n";
    let place = Place::new(&[("count.ns", script)]);
    let mut client = place.open(&["count.ns"], &["--write"]);
    assert_eq!(tool(&mut client, "count")["inputSchema"]["properties"]["files"]["minItems"], 1);
    let call = |client: &mut Client, files: Json| {
        client.request("tools/call", json!({ "name": "count", "arguments": { "files": files } }))["result"].clone()
    };
    let empty = call(&mut client, json!([]));
    assert!(empty["isError"] == true && empty.to_string().contains("`files` is missing"), "{empty}");
    assert_eq!(call(&mut client, json!(["a", "b"]))["isError"], json!(false));
}
