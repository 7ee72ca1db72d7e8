//! `--help` of every command, and `--version`.

use std::fs;
use std::path::Path;

use super::{ns, place};

/// Returns the commands that a help text lists, with their descriptions. Continuation lines are indented further.
fn commands_in(help: &str) -> Vec<(String, String)> {
    let section = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap_or_default();
    let mut commands: Vec<(String, String)> = Vec::new();
    for line in section.lines() {
        match (line.starts_with("   "), line.trim().split_once("  "), commands.last_mut()) {
            (false, Some((name, what)), _) => commands.push((name.to_owned(), what.trim().to_owned())),
            (_, _, Some((_, what))) => what.push_str(&format!(" {}", line.trim())),
            _ => {}
        }
    }
    commands.retain(|(name, _)| name != "help");
    commands
}

/// Returns the words of all commands and the commands inside them, with their help texts.
pub fn all_commands(place: &Path) -> Vec<(Vec<String>, String)> {
    let mut ahead: Vec<Vec<String>> = vec![Vec::new()];
    let mut read = Vec::new();
    while let Some(command) = ahead.pop() {
        let words: Vec<&str> = command.iter().map(String::as_str).chain(["--help"]).collect();
        let help = ns(place, &words);
        assert_eq!(help.code, 0, "{words:?}");
        ahead.extend(
            commands_in(&help.stdout).into_iter().map(|(name, _)| command.iter().cloned().chain([name]).collect()),
        );
        read.push((command, help.stdout));
    }
    read
}

#[test]
fn every_help_opens_with_what_the_command_does() {
    let place = place();
    let all = all_commands(place.path());
    let opening = |help: &str| help.split("\n\n").next().unwrap_or_default().replace('\n', " ");
    for (command, help) in &all {
        let first = opening(help);
        assert!(first.split(' ').count() > 2 && first.starts_with(char::is_uppercase), "{command:?}: {first}");
        assert!(!first.contains("Arguments") && !first.starts_with("Usage"), "{command:?}: {first}");
        for (name, what) in commands_in(help) {
            let inner: Vec<String> = command.iter().cloned().chain([name]).collect();
            let (_, help) = all.iter().find(|(command, _)| *command == inner).expect("each command was read");
            assert_eq!(what, opening(help), "{inner:?}");
        }
    }
    assert!(all.len() > 30, "{} pages of help", all.len());
}

/// `ns --version` works without a script; after a file, `--version` belongs to the script.
#[test]
fn a_script_may_have_a_version_and_options_of_run_have_a_help() {
    let place = place();
    fs::write(place.path().join("v.ns"), "DEFINE PROCEDURE Main(version: \"1\")\n  EMIT \"v\", version\nEND\n")
        .expect("a script");
    let ran = ns(place.path(), &["v.ns", "--version", "2"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "v2\n"), "{}", ran.stderr);
    fs::write(place.path().join("w.ns"), "EMIT \"ran\"\n").expect("a script");
    let ran = ns(place.path(), &["w.ns", "--version"]);
    assert!(ran.code == 2 && !ran.stdout.contains("ran"), "{}{}", ran.stdout, ran.stderr);
    for words in [&["--atomic", "--help"][..], &["--plan", "-h"], &["-v", "--strict", "--help"]] {
        let ran = ns(place.path(), words);
        assert!(ran.code == 0 && ran.stdout.contains("--atomic"), "{words:?}: {}{}", ran.stdout, ran.stderr);
    }
}
