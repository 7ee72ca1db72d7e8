//! `ns doc`: every topic has a page, and every example does what the page says.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

mod searching;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use neuroscript::engine::{code_example, pages};
use neuroscript::text::{Code, ToolCode};
use serde_json::Value as Json;

use crate::support::{Ran, ns, package, run};

/// Codes that a script alone cannot trigger, and those whose example shows how to handle them.
const WITHOUT: [&str; 7] = ["NS0010", "NS0024", "NS0501", "NS0614", "NS0901", "limit_exceeded", "cancelled"];
const HANDLED: [&str; 4] = ["permission_denied", "no_space", "io_error", "unknown_tool"];

fn doc(args: &[&str]) -> Ran {
    let place = tempfile::tempdir().expect("a folder for the test");
    run(ns(place.path()).arg("doc").args(args))
}

/// Runs an example in a sandbox with its files.
fn example(policy: &str, files: &[(&str, &str)], script: &str) -> (Ran, Ran) {
    let place = tempfile::tempdir().expect("a folder for the test");
    let sandbox = place.path().join("sandbox");
    fs::create_dir(&sandbox).expect("a sandbox");
    for (path, text) in files {
        let file = sandbox.join(path);
        fs::create_dir_all(file.parent().expect("a file lies in a folder")).expect("a folder for the file");
        fs::write(file, text).expect("a file of the example");
    }
    let (policy_file, script_file) = (place.path().join("policy.toml"), place.path().join("example.ns"));
    fs::write(&policy_file, policy).expect("a policy");
    fs::write(&script_file, script).expect("a script");
    let command = |word: &str| run(ns(&sandbox).arg("--policy").arg(&policy_file).arg(word).arg(&script_file));
    (command("run"), command("check"))
}

#[test]
fn examples_of_the_language_print_what_they_promise() {
    for page in pages() {
        let (ran, _) = example("", page.example.files, page.example.script);
        let told = (ran.stdout.as_str(), ran.code);
        assert_eq!(told, (page.example.output, 0), "{}: {}", page.name(), ran.stderr);
        assert!(
            !page.summary.ends_with('.') && page.details.is_empty() | page.details.ends_with('.'),
            "{}",
            page.name()
        );
    }
}

#[test]
fn every_code_has_an_example_that_brings_it_about() {
    let ids = Code::ALL.iter().map(|code| code.id()).chain(ToolCode::ALL.iter().map(|code| code.id()));
    for id in ids {
        let Some(shown) = code_example(id) else {
            assert!(WITHOUT.contains(&id), "{id} has no example");
            continue;
        };
        let (ran, checked) = example(shown.policy, shown.files, shown.script);
        if HANDLED.contains(&id) {
            assert_eq!(ran.code, 0, "{id}: {}", ran.stderr);
            continue;
        }
        let said = format!("{}{}{}", ran.stdout, ran.stderr, checked.stderr);
        assert!(said.contains(id), "{id}: {said}");
        // The findings before the run mention no other code.
        let others = Code::ALL.iter().map(|code| code.id()).filter(|other| *other != id && ran.stderr.contains(other));
        assert_eq!(others.collect::<Vec<_>>(), Vec::<&str>::new(), "{id}: {}", ran.stderr);
    }
}

/// Every key of the policy with an underscore has a page with its effect.
#[test]
fn keys_of_the_policy_have_pages() {
    let page = fs::read_to_string(package("docs/policy.md")).expect("the page");
    let (_, rest) = page.split_once("<!-- keys -->").expect("a table of keys");
    let (table, _) = rest.split_once("<!-- /keys -->").expect("its end");
    let keys: Vec<&str> = table.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    assert!(keys.len() > 30, "{keys:?}");
    // The other keys are ordinary words, which find other pages too.
    for key in keys.iter().filter(|key| key.contains('_')) {
        let ran = doc(&[key]);
        assert_eq!(ran.code, 0, "{key}: {}", ran.stderr);
        assert!(ran.stdout.contains(&format!("{key}\n  a key of the policy file, in [")), "{key}: {}", ran.stdout);
        assert!(ran.stdout.contains("\neffect: ") && ran.stdout.contains("\ndefault: "), "{key}: {}", ran.stdout);
    }
    let both = doc(&["max_files"]).stdout;
    assert!(both.contains("--max-files (all commands)") && both.contains("max_files_per_operation\n"), "{both}");
    assert!(doc(&["timeout"]).stdout.contains("timeout_s\n"), "an option and a key");
}

#[test]
fn alone_it_lists_the_topics() {
    let text = doc(&[]).stdout;
    for word in ["FOR EACH", "CLEAR_ERROR", "RANGE", "JSON", "NS0101", "not_found", "operators"] {
        assert!(text.contains(word), "{word}: {text}");
    }
}

/// The page of a group names tools for the same purpose in other groups.
#[test]
fn a_group_names_what_does_the_same_elsewhere() {
    for (name, inside, elsewhere) in [
        ("hash", "HASH.Sha256", "FS.HashFile"),
        ("HASH", "HASH.Md5", "FS.HashFile"),
        ("list", "LIST.Sort", "FS.ListDirectory"),
    ] {
        let ran = doc(&[name]);
        let (page, others) = ran.stdout.split_once("\nElsewhere\n").expect("there are others");
        assert!(page.contains(inside) && others.contains(elsewhere) && !others.contains(inside), "{}", ran.stdout);
    }
    let main = doc(&["Main"]);
    assert!(main.code == 0 && main.stdout.contains("its parameters are the command line"), "{}", main.stdout);
}

#[test]
fn the_json_form_has_every_topic_and_whole_pages() {
    let topics: Json = serde_json::from_str(&doc(&["--format", "json"]).stdout).expect("JSON");
    let topics = topics.as_array().expect("a list");
    assert!(topics.len() > 200, "{}", topics.len());
    assert!(topics.iter().all(|topic| topic["name"].is_string() && topic["summary"].is_string()));
    for name in ["EMIT", "FS.WalkDir", "NS0303", "MIN"] {
        let found: Json = serde_json::from_str(&doc(&[name, "--format", "json"]).stdout).expect("JSON");
        assert_eq!(found[0]["name"], name);
        assert!(found[0]["example"]["script"].is_string(), "{found}");
    }
    let group: Json = serde_json::from_str(&doc(&["math", "--format", "json"]).stdout).expect("JSON");
    assert_eq!(group[0]["kind"], "group");
}

/// Each command of `ns --help` has a page that refers to its help, and a search for its purpose finds it.
#[test]
fn every_command_has_a_page() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let help = run(ns(place.path()).arg("--help")).stdout;
    let listed = help.split("Commands:\n").nth(1).expect("the commands are listed");
    let rows = listed
        .lines()
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names: Vec<&str> =
        rows.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").collect();
    assert!(names.len() >= 24, "{names:?}");
    for name in names {
        for words in [&[name][..], &["ns", name], &[&*name.to_uppercase()]] {
            let ran = doc(words);
            let leads =
                ran.stdout.contains(&format!("ns {name}\n")) && ran.stdout.contains(&format!("`ns help {name}`"));
            assert!(ran.code == 0 && leads, "{words:?}: {}{}", ran.stdout, ran.stderr);
        }
    }
    for (words, wanted) in [
        (&["plan"][..], "ns run --plan"),
        (&["invoke_tool"], "ns render"),
        (&["dry run"], "ns run --plan"),
        (&["apply a plan"], "ns apply"),
        (&["revert"], "ns undo"),
        (&["take", "back"], "ns undo"),
        (&["lint"], "ns check"),
        (&["history"], "ns log"),
        (&["clean up"], "ns gc"),
        (&["dry-run"], "ns run --plan"),
        (&["agent"], "ns mcp"),
    ] {
        let ran = doc(words);
        let first = ran.stdout.lines().find(|line| line.trim_start().starts_with("ns ")).unwrap_or_default();
        assert!(ran.code == 0 && first.trim_start().starts_with(wanted), "{words:?}: {}{}", ran.stdout, ran.stderr);
    }
}

/// The page has 3.1 bytes per token with the tokenizers `o200k_base` and `cl100k_base`, so this is 2,500 tokens.
const GUIDE_BYTES: usize = 7_780;

#[test]
fn the_guide_is_small_and_names_what_there_is() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let guide = run(ns(place.path()).arg("guide")).stdout;
    assert!(guide.len() <= GUIDE_BYTES && guide.starts_with("# NeuroScript"), "{} bytes", guide.len());
    let topics: Json = serde_json::from_str(&doc(&["--format", "json"]).stdout).expect("JSON");
    let known = |name: &String| topics.as_array().expect("a list").iter().any(|topic| topic["name"] == **name);
    let named = tools_named(&guide);
    assert!(named.len() > 80, "{named:?}");
    let unknown: Vec<&String> = named.iter().filter(|name| !known(name)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

/// Returns the tools named in a text: `STR.Upper(…)`, and in lists ``- `STR.` Upper Lower Trim(t)``.
fn tools_named(text: &str) -> Vec<String> {
    let pattern = |text: &str| regex::Regex::new(text).expect("a pattern");
    let (whole, group) = (pattern(r"\b([A-Z]{2,}[0-9]*\.[A-Z]\w+)\("), pattern(r"`([A-Z]+)\.`"));
    let (arguments, word) = (pattern(r"\([^)]*\)"), pattern(r"\b[A-Z][A-Za-z]*[a-z]\b"));
    let mut names: Vec<String> = whole.captures_iter(text).map(|found| found[1].to_owned()).collect();
    for part in text.lines().filter(|line| line.starts_with("- `")).flat_map(|line| line.split("; ")) {
        let Some(found) = group.captures(part) else { continue };
        let rest = arguments.replace_all(&part[found.get(0).expect("a match").end()..], " ").into_owned();
        names.extend(word.find_iter(&rest).map(|word| format!("{}.{}", &found[1], word.as_str())));
    }
    names
}

/// Every title and keyword of the pages about the language, every key of a script's head and every option of `ns`.
#[test]
fn what_the_pages_name_is_found() {
    let mut names: Vec<String> = Vec::new();
    for page in ["language", "command_line", "guide", "checking", "testing"] {
        let text = fs::read_to_string(package(&format!("docs/{page}.md"))).expect("a page");
        names.extend(titles(&text));
    }
    let grammar = fs::read_to_string(package("grammar/neuroscript.pest")).expect("the grammar");
    let keywords = grammar.lines().filter(|line| line.starts_with("kw_")).filter_map(|line| line.split('"').nth(1));
    names.extend(keywords.map(str::to_owned));
    names.extend(
        [":: arg", ":: arg folder: x", ":: usage", ":: description", ":: lang_version", "::"].map(str::to_owned),
    );
    names.extend(["'''", "```", "{{name}}", "\\", "|", "**", "NOT IN", "#", "//"].map(str::to_owned));
    names.extend(options());
    assert!(names.len() > 120, "{}", names.len());
    for name in names {
        let ran = doc(&["--", &name]);
        assert!(ran.code == 0 && ran.stdout.len() > 20, "{name}: {}{}", ran.stdout, ran.stderr);
        let begins = ran.stdout.lines().next().unwrap_or_default();
        assert!(!begins.starts_with("no page is called"), "{name} has no page of its own: {}", ran.stdout);
    }
}

/// Returns the titles of a page: of its headings, and of paragraphs that begin in bold.
fn titles(page: &str) -> Vec<String> {
    let mut in_code = false;
    let mut titles = Vec::new();
    for line in page.lines() {
        in_code ^= line.starts_with("```");
        let bold = line.trim_start_matches("- ").strip_prefix("**").and_then(|rest| rest.split("**").next());
        let title = line.strip_prefix('#').map(|rest| rest.trim_start_matches('#')).or(bold).filter(|_| !in_code);
        titles.extend(title.map(|title| title.trim().trim_end_matches('.').to_owned()));
    }
    titles
}

/// Returns the long options of all commands, as their help shows them.
fn options() -> BTreeSet<String> {
    let mut options = BTreeSet::new();
    for command in ["run", "check", "fmt", "test", "new", "call", "tools", "doc", "undo", "log", "gc", "mcp", "audit"] {
        let help = run(ns(Path::new(".")).args([command, "--help"])).stdout;
        let words =
            help.split(|c: char| c.is_whitespace() || matches!(c, ',' | '=' | '[' | '`' | '.' | ')' | ';' | ':'));
        let longs = words.filter(|word| word.starts_with("--") && word.len() > 3).map(str::to_owned);
        options.extend(
            longs.filter(|long| help.contains(&format!("      {long}")) || help.contains(&format!(", {long}"))),
        );
    }
    options
}
