//! Shell completions: options of the script on the line, options of `ns`, files.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::support::pty::spawn_command;
use crate::support::{Ran, ns_without_sandbox, run};

const TIDY: &str = "\
:: arg folder: the folder to tidy
:: arg newer_than: since when
:: arg skip: a name to leave alone
DEFINE PROCEDURE Main(folder, newer_than: nil, go: false, keep: true, skip: [])
  EMIT folder
END

DEFINE PROCEDURE Undo(steps: 1)
  EMIT steps
END
";

fn place() -> TempDir {
    let place = tempfile::tempdir().expect("a folder for the test");
    for (name, text) in [("tidy.ns", TIDY), ("words.ns", "EMIT ARGS\n"), ("bad.ns", "SET x =\n"), ("photo.jpg", "")] {
        fs::write(place.path().join(name), text).expect("a file");
    }
    place
}

/// Returns the candidates for the last word: whether files are possible, and the words.
fn asked(place: &Path, words: &[&str]) -> Option<(bool, Vec<String>)> {
    let ran = run(ns_without_sandbox().current_dir(place).args(["complete-script", "--"]).args(words));
    if ran.code != 0 {
        assert_eq!(ran.stdout, "", "{words:?}");
        return None;
    }
    let mut lines = ran.stdout.lines();
    let files = lines.next() == Some("files");
    Some((files, lines.map(|line| line.split('\t').next().unwrap_or_default().to_owned()).collect()))
}

fn words_at(place: &Path, words: &[&str]) -> Vec<String> {
    asked(place, words).unwrap_or_else(|| panic!("{words:?} runs a script")).1
}

#[test]
fn the_options_of_a_script_are_known() {
    let place = place();
    let own = ["--newer-than", "--go", "--no-keep", "--skip"];
    assert_eq!(asked(place.path(), &["tidy.ns", ""]), Some((true, own.map(str::to_owned).to_vec())));
    let all = words_at(place.path(), &["tidy.ns", "-"]);
    assert!(all.starts_with(&own.map(str::to_owned)) && all.contains(&"--plan".to_owned()), "{all:?}");
    for words in [&["tidy.ns", "--n"][..], &["run", "tidy.ns", "Photos", "--n"], &["--read-only", "tidy.ns", "--n"]] {
        assert_eq!(words_at(place.path(), words), ["--newer-than", "--no-keep", "--now"], "{words:?}");
    }
    assert_eq!(words_at(place.path(), &["tidy.ns", "--", "--n"]), ["--newer-than", "--no-keep"]);
    assert_eq!(words_at(place.path(), &["tidy.ns", "--proc", "Undo", "--st"]), ["--steps", "--strict"]);
    assert_eq!(words_at(place.path(), &["words.ns", "--st"]), ["--strict"]);
    assert_eq!(words_at(place.path(), &["bad.ns", "--st"]), ["--strict"]);
    let code = "DEFINE PROCEDURE Main(name: \"\")\nEND";
    assert_eq!(words_at(place.path(), &["-e", code, "--na"]), ["--name"]);
}

#[test]
fn what_was_given_is_not_offered_again() {
    let place = place();
    assert_eq!(
        words_at(place.path(), &["tidy.ns", "--go", "--skip", "a", "--no-keep", ""]),
        ["--newer-than", "--skip"]
    );
    assert_eq!(words_at(place.path(), &["tidy.ns", "--newer-than=7d", "x", "--", ""]), ["--go", "--no-keep", "--skip"]);
}

#[test]
fn values_are_files_or_what_the_option_takes() {
    let place = place();
    assert_eq!(asked(place.path(), &["tidy.ns", "--newer-than", ""]), Some((true, Vec::new())));
    assert_eq!(asked(place.path(), &["tidy.ns", "--sandbox", "ph"]), Some((true, Vec::new())));
    let formats = ["auto", "table", "json", "jsonl", "raw"].map(str::to_owned).to_vec();
    assert_eq!(asked(place.path(), &["tidy.ns", "--output", ""]), Some((false, formats)));
    assert_eq!(asked(place.path(), &["tidy.ns", "pho"]), Some((true, Vec::new())));
}

#[test]
fn a_number_is_not_completed_with_files() {
    let place = place();
    let script = ":: arg count (int): how many\n:: arg [files...]: which\n:: arg most (int): at most\n\
        DEFINE PROCEDURE Main(count, files: [], most: nil)\nEND\n";
    fs::write(place.path().join("take.ns"), script).expect("a script");
    for (words, files) in [
        (&["take.ns", ""][..], false),
        (&["take.ns", "4"], false),
        (&["take.ns", "4", ""], true),
        (&["take.ns", "--most", ""], false),
        (&["take.ns", "--most", "3", ""], false),
        (&["take.ns", "--count", "3", ""], true),
    ] {
        assert_eq!(asked(place.path(), words).map(|(files, _)| files), Some(files), "{words:?}");
    }
}

#[test]
fn other_lines_are_left_to_the_declarations() {
    let place = place();
    for words in [
        &[][..],
        &[""],
        &["ru"],
        &["run", ""],
        &["run", "tidy"],
        &["--sandbox", ""],
        &["check", "tidy.ns", ""],
        &["nothing.ns", "--g"],
        &["--nonsense", "tidy.ns", "--g"],
        &["--plan", ""],
    ] {
        assert_eq!(asked(place.path(), words), None, "{words:?}");
    }
    let made = Command::new("mkfifo").arg(place.path().join("pipe.ns")).status().expect("mkfifo");
    assert!(made.success());
    assert_eq!(asked(place.path(), &["pipe.ns", ""]), None, "a pipe is not waited for");
}

/// Runs a script of a shell after loading the completions of `ns`. Returns `None` if the shell is not installed.
fn in_shell(place: &Path, shell: &[&str], kind: &str, script: &str) -> Option<Ran> {
    let completions = run(ns_without_sandbox().args(["completions", kind]));
    fs::write(place.join("completions"), completions.stdout).expect("a script");
    let bin = Path::new(env!("CARGO_BIN_EXE_ns")).parent().expect("the binary lies in a folder");
    let mut command = Command::new(shell[0]);
    command.args(&shell[1..]).arg(script).current_dir(place);
    command.env("PATH", format!("{}:/usr/bin:/bin", bin.display())).env("HOME", place);
    match command.output() {
        Err(_) => {
            eprintln!("SKIPPED: {} is not there", shell[0]);
            None
        }
        Ok(output) => {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let code = output.status.code().unwrap_or(-1);
            Some(Ran { code, stdout: text(&output.stdout), stderr: text(&output.stderr) })
        }
    }
}

#[test]
fn bash_completes_scripts_and_commands() {
    let place = place();
    let line = |words: &str, at: usize| {
        format!(
            "COMPREPLY=(); COMP_WORDS=({words}); COMP_CWORD={at}; COMP_LINE='{words}'; COMP_POINT=${{#COMP_LINE}}; _ns_script ns \"${{COMP_WORDS[{at}]}}\" x; echo \"${{COMPREPLY[*]}}\"\n"
        )
    };
    let script = format!(
        "source ./completions\n{}{}{}{}complete -p ns\n",
        line("ns tidy.ns --g", 2),
        line("ns run tidy.ns --ne", 3),
        line("ns tidy.ns pho", 2),
        line("ns comp", 1),
    );
    let ran = in_shell(place.path(), &["bash", "-c"], "bash", &script).expect("bash is there");
    assert_eq!(ran.stderr, "");
    let lines: Vec<&str> = ran.stdout.lines().collect();
    // File names are left to bash, which knows their quotes.
    assert_eq!(lines[..4], ["--go", "--newer-than", "", "completions"], "{}", ran.stdout);
    assert!(lines[4].contains("-F _ns_script"), "{}", lines[4]);
}

#[test]
fn zsh_completes_scripts_and_commands() {
    let place = place();
    // The functions of the completion system are stubs that print their arguments.
    let script = "\
compdef() { echo \"compdef $*\"; }
_describe() { shift 2; local name=$1; print -l -- \"${(@P)name}\"; }
_files() { echo files; }
source ./completions
_ns_declared() { echo declared; }
words=(ns tidy.ns --ne) CURRENT=3; _ns
words=(ns tidy.ns '') CURRENT=3; _ns
words=(ns check '') CURRENT=3; _ns
";
    let Some(ran) = in_shell(place.path(), &["zsh", "-fc"], "zsh", script) else { return };
    assert_eq!(ran.stderr, "");
    let said = "compdef _ns ns\n--newer-than:since when\n--newer-than:since when\n--go:\n--no-keep:\n--skip:a name to leave alone\nfiles\ndeclared\n";
    assert_eq!(ran.stdout, said);
}

#[test]
fn fish_completes_scripts_and_commands() {
    let place = place();
    let script = "source ./completions; complete -C 'ns tidy.ns --ne'; echo; complete -C 'ns tidy.ns ph'; echo; complete -C 'ns compl'";
    let Some(ran) = in_shell(place.path(), &["fish", "--no-config", "-c"], "fish", script) else { return };
    let parts: Vec<&str> = ran.stdout.split("\n\n").collect();
    assert_eq!(parts[0], "--newer-than\tsince when", "{}{}", ran.stdout, ran.stderr);
    assert_eq!(parts[1], "photo.jpg");
    assert!(parts[2].starts_with("completions\t"), "{}", parts[2]);
}

/// Paths of scripts that are written with quotes in a shell.
const ODD_SCRIPTS: [&str; 5] =
    ["my scripts/tidy up.ns", "it's/a$b;c.ns", "für uns/ünï.ns", "say \"x\"/y z.ns", "a&b/(1).ns"];

fn odd_place() -> TempDir {
    let place = place();
    for path in ODD_SCRIPTS {
        let path = place.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, TIDY).expect("a script");
    }
    place
}

fn in_single_quotes(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn in_double_quotes(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "\\$"))
}

fn with_backslashes(text: &str) -> String {
    text.chars()
        .flat_map(|c| (!c.is_alphanumeric() && !"/.".contains(c)).then_some('\\').into_iter().chain([c]))
        .collect()
}

/// Types lines in bash, each with its tabs, and returns the words that bash would pass, each in `<…>`.
fn typed_in_bash(place: &Path, lines: &[String]) -> Vec<String> {
    let completions = run(ns_without_sandbox().args(["completions", "bash"]));
    let set = "bind 'set bell-style none'\nbind 'set enable-bracketed-paste off'\n";
    fs::write(place.join("rc"), format!("{set}PS1=\n{}", completions.stdout)).expect("a script");
    let mut bash = Command::new("bash");
    let bin = Path::new(env!("CARGO_BIN_EXE_ns")).parent().expect("the binary lies in a folder");
    bash.args(["--noprofile", "--rcfile", "rc", "-i"]).current_dir(place);
    bash.env("PATH", format!("{}:/usr/bin:/bin", bin.display())).env("LC_ALL", "C.UTF-8").env("TERM", "dumb");
    let mut session = spawn_command(bash, 30_000).expect("a terminal");
    let shown = lines
        .iter()
        .map(|line| {
            // Ctrl-A and Ctrl-E go to the ends of the line.
            session.send(&format!("{line}\u{1}printf '<%s>' \u{5}; echo '|'END\n")).expect("bash takes it");
            // The session reads bytes as characters.
            let bytes = session.exp_string("|END").expect("bash answers").chars().map(|c| c as u8).collect();
            let shown = String::from_utf8(bytes).expect("bash prints UTF-8");
            shown.rsplit_once("\n").map_or(shown.clone(), |(_, last)| last.trim_start_matches('\r').to_owned())
        })
        .collect();
    // At a terminal, bash ignores the signal that ends other programs.
    session.send_line("exit").expect("bash takes it");
    session.exp_eof().expect("bash ends");
    shown
}

#[test]
fn bash_completes_what_stands_in_quotes() {
    let place = odd_place();
    let (mut lines, mut wanted) = (Vec::new(), Vec::new());
    for path in ODD_SCRIPTS {
        for quoted in [in_single_quotes(path), in_double_quotes(path), with_backslashes(path)] {
            lines.push(format!("ns run {quoted} --ne\t"));
            wanted.push(format!("<ns><run><{path}><--newer-than>"));
            lines.push(format!("ns {quoted} --g\t"));
            wanted.push(format!("<ns><{path}><--go>"));
        }
        // The name of the file itself, without its last characters.
        let last = path.char_indices().rev().nth(3).map_or(0, |(at, _)| at);
        let known = &path[..last];
        let backslashes = format!("ns run {}\t", with_backslashes(known));
        let begun = in_double_quotes(known);
        for line in [backslashes, format!("ns run {}\t", &begun[..begun.len() - 1])] {
            lines.push(line);
            wanted.push(format!("<ns><run><{path}>"));
        }
    }
    let shown = typed_in_bash(place.path(), &lines);
    for ((line, shown), wanted) in lines.iter().zip(shown).zip(wanted) {
        assert_eq!(shown, wanted, "{line}");
    }
}

#[test]
fn zsh_and_fish_complete_what_stands_in_quotes() {
    let place = odd_place();
    let quoted: Vec<String> =
        ODD_SCRIPTS.iter().flat_map(|path| [in_single_quotes(path), with_backslashes(path)]).collect();
    let stubs = "compdef() { :; }\n_describe() { shift 2; local name=$1; print -l -- \"${(@P)name}\"; }\n_files() { :; }\n\
        source ./completions\n_ns_declared() { echo declared; }\n";
    let asks = quoted.iter().map(|word| format!("words=(ns run {} --ne) CURRENT=4; _ns\n", in_single_quotes(word)));
    let script = format!("{stubs}{}", asks.collect::<String>());
    if let Some(ran) = in_shell(place.path(), &["zsh", "-fc"], "zsh", &script) {
        assert_eq!(ran.stdout, "--newer-than:since when\n".repeat(quoted.len()), "{}", ran.stderr);
    }
    let asks = ODD_SCRIPTS.iter().map(|path| {
        let typed = format!("ns run {} --ne", with_backslashes(path));
        format!("complete -C '{}'\n", typed.replace('\\', "\\\\").replace('\'', "\\'"))
    });
    let script = format!("source ./completions\n{}", asks.collect::<String>());
    if let Some(ran) = in_shell(place.path(), &["fish", "--no-config", "-c"], "fish", &script) {
        assert_eq!(ran.stdout, "--newer-than\tsince when\n".repeat(ODD_SCRIPTS.len()), "{}", ran.stderr);
    }
}
