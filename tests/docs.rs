//! The scripts of the README run, and the answers to the document's ten groups of questions hold. `tests/book.rs` tests
//! the book.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use std::fs;

use crate::support::{ns, package, run};

fn scripts(document: &str) -> Vec<String> {
    let text = fs::read_to_string(package(document)).expect("the document is there");
    let blocks = text.split("```neuroscript\n").skip(1);
    // A script may itself contain three backticks, so a block ends at a line with nothing else.
    blocks.map(|block| block.split("\n```\n").next().unwrap_or(block).to_owned() + "\n").collect()
}

#[test]
fn scripts_of_the_readme_run() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let sandbox = place.path().join("sandbox");
    fs::create_dir(&sandbox).expect("a sandbox");
    fs::write(sandbox.join("a.txt"), "12345").expect("a file");
    let scripts = scripts("README.md");
    assert!(!scripts.is_empty(), "the README shows a script");
    for script in scripts {
        let file = place.path().join("script.ns");
        fs::write(&file, &script).expect("the script can be written");
        let words: &[&str] = if script.contains("PROCEDURE Main(") { &["--", "."] } else { &[] };
        let ran = run(ns(&sandbox).arg("run").arg(&file).args(words));
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{script}");
        assert!(!ran.stdout.is_empty(), "{script}");
    }
}

/// Returns the fenced blocks: language and text.
fn blocks(text: &str) -> Vec<(&str, &str)> {
    let mut blocks = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("\n```") {
        let (language, body) = after.split_once('\n').expect("a block begins with its language");
        let (content, after) = body.split_once("\n```\n").or(body.split_once("\n```")).expect("a block ends");
        blocks.push((language, content));
        // The line end belongs to the following text, which may be a block.
        rest = &rest[rest.len() - after.len() - 1..];
    }
    blocks
}

#[test]
fn the_ten_groups_of_questions_are_answered_and_the_answers_hold() {
    let page = fs::read_to_string(package("docs/file_system_tool.md")).expect("the page");
    let document = fs::read_to_string(package("docs/specs/file_system_tool.md")).expect("the document");
    let groups: Vec<&str> = document.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    let groups = groups.iter().filter(|title| title.starts_with(|c: char| c.is_ascii_digit()));
    let sections: Vec<&str> = page.split("\n## ").skip(1).collect();
    assert_eq!(groups.clone().count(), 10);
    assert_eq!(sections.len(), 10);
    for (group, section) in groups.zip(sections) {
        assert!(section.starts_with(&format!("{group}\n")), "{group} comes in its place");
        assert_eq!(section.matches("\n- **").count(), 4, "{group}: one answer to each of four questions");
        let mut policy = "";
        let mut script = None;
        let mut ran = 0;
        for (language, text) in blocks(section) {
            match language {
                "toml" => policy = text,
                "neuroscript" => script = Some(text),
                "text" => {
                    let place = tempfile::tempdir().expect("a folder for the test");
                    fs::write(place.path().join("neuroscript.toml"), policy).expect("the policy");
                    let done = run(ns(place.path()).args(["run", "-e", script.take().expect("a script comes first")]));
                    assert_eq!(done.stdout.trim_end(), text, "{group}\n{}", done.stderr);
                    ran += 1;
                }
                other => panic!("a block of `{other}` in {group}"),
            }
        }
        assert!(ran > 0 && script.is_none(), "{group} shows what it says");
    }
}
