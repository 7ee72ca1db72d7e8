//! Rules for every tool's declaration, and the documentation generated from it.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use serde_json::Value as Json;

use crate::support::{golden, ns, package, run, with_input};

/// Returns the declarations of all tools.
pub fn declarations() -> Vec<Json> {
    let place = tempfile::tempdir().expect("a folder for the test");
    let ran = run(ns(place.path()).args(["tools", "--format", "json"]));
    let json: Json = serde_json::from_str(&ran.stdout).expect("the declarations are JSON");
    json.as_array().expect("the declarations are a list").clone()
}

/// Lines that are no calls are explained, and the exit code reports them.
#[test]
fn lines_that_are_no_calls_are_a_failure() {
    let place = tempfile::tempdir().expect("a folder");
    let answer = |lines: &str| with_input(ns(place.path()).args(["call", "--jsonl"]), lines);
    let exists = r#"{"tool":"exists","arguments":{"path":"."}}"#;
    let wrong = r#"{"name":"exists","arguments":{"path":"."}}"#;
    let failed = answer(&format!("{wrong}\n{}\n", exists.replace("arguments", "args")));
    assert_eq!(failed.code, 2, "{}", failed.stderr);
    for help in ["write `tool` instead of `name`", "write `arguments` instead of `args`"] {
        assert!(failed.stdout.contains(help), "{}", failed.stdout);
    }
    assert_eq!(answer(&format!("{wrong}\n{exists}\n")).code, 2);
    assert_eq!(answer(&format!("{exists}\n")).code, 0);
    assert_eq!(answer("").code, 0);
}

#[test]
fn every_example_prints_what_it_promises() {
    for tool in declarations() {
        let place = tempfile::tempdir().expect("a folder for the example");
        let script = tool["example"]["script"].as_str().expect("an example has a script");
        let wanted = tool["example"]["output"].as_str().expect("an example has an output");
        let ran = run(ns(place.path()).args(["run", "-e", script]));
        assert_eq!(
            (ran.stdout.as_str(), ran.code),
            (wanted, 0),
            "the example of {}: {}",
            tool["script_name"],
            ran.stderr
        );
    }
}

#[test]
fn reference_documentation_is_fresh() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let ran = run(ns(place.path()).args(["tools", "--format", "markdown"]));
    golden(&package("docs/tools.md"), &ran.stdout).unwrap_or_else(|fault| panic!("{fault}"));
    let rows = ran.stdout.lines().filter_map(|line| line.strip_prefix("| [`"));
    let groups: Vec<&str> = rows.filter_map(|row| row.split('`').next()).collect();
    let mut pages: Vec<String> = groups.iter().map(|group| format!("{}.md", group.to_ascii_lowercase())).collect();
    for (group, page) in groups.iter().zip(&pages) {
        let ran = run(ns(place.path()).args(["tools", group, "--format", "markdown"]));
        golden(&package("docs/tools").join(page), &ran.stdout).unwrap_or_else(|fault| panic!("{fault}"));
    }
    let there = std::fs::read_dir(package("docs/tools")).expect("the pages of the groups");
    let mut there: Vec<_> =
        there.map(|page| page.expect("an entry").file_name().into_string().expect("UTF-8")).collect();
    pages.sort();
    there.sort();
    assert_eq!(there, pages, "each page is that of a group");
}

#[test]
fn names_are_for_machines_and_people() {
    let mut wire_names = std::collections::BTreeSet::new();
    for tool in declarations() {
        let wire = tool["name"].as_str().expect("a tool has a wire name");
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        assert!(wire.starts_with(|c: char| c.is_ascii_lowercase()) && wire.chars().all(fits), "wire name {wire}");
        assert!(wire_names.insert(wire.to_owned()), "two tools are called {wire}");
        let name = tool["script_name"].as_str().expect("a tool has a script name");
        let (group, verb) = name.split_once('.').expect("a script name is GROUP.VerbNoun");
        assert!(group.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit()), "script name {name}");
        assert!(verb.starts_with(|c: char| c.is_ascii_uppercase()), "script name {name}");
        let summary = tool["description"].as_str().expect("a tool has a description");
        assert!(!summary.ends_with('.') && summary.len() > 10, "summary of {name}: {summary}");
    }
}

#[test]
fn schemas_are_flat_objects() {
    for tool in declarations() {
        let name = tool["script_name"].as_str().expect("a tool has a script name");
        let input = &tool["input_schema"];
        assert_eq!(input["type"], "object", "{name}");
        assert_eq!(input["additionalProperties"], false, "{name}");
        let text = tool.to_string();
        // A parameter may be called `format`; as a keyword of JSON Schema it has a text.
        assert!(!text.contains("$ref") && !text.contains("\"format\":\""), "{name}: {text}");
        for (param, schema) in input["properties"].as_object().expect("a schema has properties") {
            assert!(schema["description"].is_string(), "{name} does not say what `{param}` means");
        }
    }
}

/// The result of a tool has the keys that its output schema promises.
#[test]
fn answers_have_the_shape_of_their_schema() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let calls = [
        ("write_file", "{\"file_path\": \"d/a.txt\", \"content\": \"x\"}"),
        ("read_file", "{\"file_path\": \"d/a.txt\"}"),
        ("file_info", "{\"path\": \"d/a.txt\"}"),
        ("hash_file", "{\"path\": \"d/a.txt\"}"),
        ("create_directory", "{\"directory_path\": \"e\"}"),
        ("list_directory", "{\"path\": \".\"}"),
        ("move_file", "{\"source\": \"d/a.txt\", \"destination\": \"e/a.txt\"}"),
        ("delete_file", "{\"path\": \"e\", \"recursive\": true}"),
    ];
    let declarations = declarations();
    for (tool, args) in calls {
        let ran = run(ns(place.path()).args(["call", tool, args]));
        let answer: Json = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{tool}: {}", ran.stderr));
        let declaration =
            declarations.iter().find(|declaration| declaration["name"] == tool).expect("the tool is declared");
        let properties = declaration["output_schema"]["properties"].as_object().expect("the answer is an object");
        for key in answer.as_object().expect("the answer is an object").keys() {
            assert!(properties.contains_key(key), "{tool} answers `{key}`, which its schema lacks");
        }
        for required in declaration["output_schema"]["required"].as_array().into_iter().flatten() {
            assert!(answer.get(required.as_str().expect("a key")).is_some(), "{tool} lacks {required}");
        }
    }
}

/// A result that is no map has no place for `error`. Of the maps, only that of `FS.MoveFile` holds nothing else.
#[test]
fn only_results_that_are_maps_carry_their_error() {
    for declaration in declarations() {
        let failure = declaration["failure"].as_str().expect("a sentence");
        let properties = declaration["output_schema"]["properties"].as_object();
        let least = if declaration["name"] == "move_file" { 1 } else { 2 };
        let is_map = properties.is_some_and(|own| own.contains_key("error") && own.len() >= least);
        assert!(is_map || !failure.contains("`error`"), "{}: {failure}", declaration["name"]);
    }
}

/// Tools accept every argument name that the guide, the README and the cookbook use.
#[test]
fn the_names_of_the_guide_are_names_of_arguments() {
    let declarations = declarations();
    let wire =
        |name: &str| declarations.iter().find(|tool| tool["script_name"] == name).map(|tool| tool["name"].clone());
    let mut pages = vec![package("docs/guide.md"), package("README.md")];
    let cookbook = std::fs::read_dir(package("docs/cookbook")).expect("the cookbook is there");
    pages.extend(cookbook.map(|entry| entry.expect("an entry").path()));
    let texts: Vec<String> = pages.iter().map(|page| std::fs::read_to_string(page).expect("a page")).collect();
    let signatures = texts.iter().zip([true].into_iter().chain(std::iter::repeat(false)));
    let asked: Vec<(String, String)> = signatures
        .flat_map(|(text, is_guide)| {
            calls(text).into_iter().flat_map(move |(tool, args)| named(&tool, &args, is_guide))
        })
        .filter(|(tool, _)| wire(tool).is_some())
        .collect();
    let lines: String = asked
        .iter()
        .map(|(tool, name)| serde_json::json!({"tool": wire(tool), "arguments": {name: Json::Null}}).to_string() + "\n")
        .collect();
    let place = tempfile::tempdir().expect("a folder for the test");
    let ran = with_input(ns(place.path()).args(["--read-only", "call", "--jsonl"]), &lines);
    let answers: Vec<&str> = ran.stdout.lines().collect();
    assert!(asked.len() > 90 && answers.len() == asked.len(), "{} names, {} answers", asked.len(), answers.len());
    let unknown = asked.iter().zip(answers).filter(|(_, answer)| answer.contains("has no argument"));
    let unknown: Vec<_> = unknown.collect();
    assert!(unknown.is_empty(), "{unknown:#?}");
    for (tool, name) in [("FS.EditFile", "old"), ("STR.Trim", "t"), ("LIST.Where", "l"), ("FS.CopyFile", "from")] {
        assert!(asked.contains(&(tool.to_owned(), name.to_owned())), "{tool} {name}");
    }
    let refused = with_input(
        ns(place.path()).args(["call", "--jsonl"]),
        "{\"tool\": \"edit_file\", \"arguments\": {\"olt\": 1}}\n",
    );
    assert!(refused.stdout.contains("has no argument"), "{}", refused.stdout);
}

/// Returns the tool calls in a text, each with the text between its parentheses: `STR.Upper(…)`, and in lists of the
/// guide ``- `STR.` Upper Lower Trim(t)``.
fn calls(text: &str) -> Vec<(String, String)> {
    let pattern = |text: &str| regex::Regex::new(text).expect("a pattern");
    let (whole, group, word) = (
        pattern(r"\b([A-Z]{2,}[0-9]*\.[A-Z]\w+)\("),
        pattern(r"`((?:[A-Z]+\. ?)+)`"),
        pattern(r"[^.\w]([A-Z][A-Za-z]*)\("),
    );
    let mut calls: Vec<(String, String)> = whole
        .captures_iter(text)
        .map(|found| (found[1].to_owned(), inside(&text[found.get(0).expect("a match").end()..]).to_owned()))
        .collect();
    for line in text.lines().filter(|line| line.starts_with("- `")) {
        for found in word.captures_iter(line) {
            let at = found.get(0).expect("a match");
            let Some(groups) = group.captures_iter(&line[..at.start() + 1]).last() else { continue };
            let args = inside(&line[at.end()..]);
            calls.extend(
                groups[1]
                    .split(['.', ' '])
                    .filter(|name| !name.is_empty())
                    .map(|group| (format!("{group}.{}", &found[1]), args.to_owned())),
            );
        }
    }
    calls
}

/// Returns the text up to the parenthesis that closes it.
fn inside(text: &str) -> &str {
    let mut depth = 1;
    let end = text.find(|c| {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        depth == 0
    });
    &text[..end.unwrap_or(text.len())]
}

/// Returns the names of arguments: the words before a `:`, and in signatures of the guide also plain words.
fn named(tool: &str, args: &str, is_guide: bool) -> Vec<(String, String)> {
    /// Variables in the examples of the guide.
    const VARIABLES: [&str; 10] = ["report", "levels", "words", "line", "a", "to", "x", "list", "file", "result"];
    let mut depth = 0_usize;
    let mut parts = vec![String::new()];
    let mut quote = None;
    for c in args.chars() {
        match c {
            '"' | '\'' if quote.is_none() => quote = Some(c),
            _ if quote == Some(c) => quote = None,
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 && quote.is_none() => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().expect("there is a part").push(c);
    }
    let is_name = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    let name = |part: &String| {
        let part = part.trim().trim_end_matches('?');
        let name = part.split_once(':').map_or(part, |(name, _)| name.trim());
        let is_signature = part.contains(':') || is_guide && (tool.starts_with("FS.") || !VARIABLES.contains(&name));
        (is_name(name) && is_signature && !["nil", "true", "false"].contains(&name)).then(|| name.to_owned())
    };
    parts.iter().filter_map(name).map(|name| (tool.to_owned(), name)).collect()
}
