//! `--watch` of `ns check`, `ns fmt` and `ns test`, in processes that must detect changes themselves.

mod scripts;

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::support::pty::spawn_command;
use crate::support::{ns_without_sandbox, run};

/// The last line of each round.
const WAITING: &str = "waiting for changes; Ctrl-C ends it";

/// Maximum time until a round that must come has come.
const PATIENCE: Duration = Duration::from_secs(60);

/// Time in which a round that must not come would come: several intervals between looks.
const QUIET: Duration = Duration::from_millis(700);

/// Creates a directory with files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder for the test");
    for (path, text) in files {
        write(folder.path(), path, text);
    }
    folder
}

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}

/// Replaces a file as most editors do, by renaming another one.
fn save(folder: &Path, path: &str, text: &str) {
    write(folder, ".saved~", text);
    fs::rename(folder.join(".saved~"), folder.join(path)).expect("a file is replaced");
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

fn ns_in(folder: &Path, words: &[&str]) -> Command {
    let mut command = ns_without_sandbox();
    command.current_dir(folder).args(words);
    command
}

/// A process that watches.
struct Watch {
    child: Child,
    lines: Receiver<String>,
}

impl Watch {
    /// Starts a command. Its standard output and standard error are one stream.
    fn start(folder: &Path, words: &[&str]) -> Watch {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        let mut command = ns_in(folder, words);
        command.stdout(writer.try_clone().expect("a second end")).stderr(writer);
        let child = command.spawn().expect("ns starts");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(reader).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Watch { child, lines }
    }

    /// Returns what the next round says.
    fn round(&self) -> String {
        let mut said = String::new();
        loop {
            let line = self.lines.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no round comes; it began: {said}"));
            if line == WAITING {
                return said;
            }
            said.push_str(&line);
            said.push('\n');
        }
    }

    /// Fails if a round comes.
    fn is_quiet(&self) {
        match self.lines.recv_timeout(QUIET) {
            Err(RecvTimeoutError::Timeout) => {}
            other => panic!("a round comes: {other:?}"),
        }
    }

    /// Ends the process as Ctrl-C does; nothing more is said.
    fn interrupt(mut self) {
        kill_process(Pid::from_child(&self.child), Signal::INT).expect("it runs");
        assert_eq!(self.child.wait().expect("it ends").code(), Some(130));
        assert_eq!(self.lines.recv_timeout(PATIENCE), Err(RecvTimeoutError::Disconnected));
    }
}

/// Calls a function with each row at the same time, because watching is mostly waiting.
fn at_once<T: Sync>(rows: &[T], tried: impl Fn(&T) + Sync) {
    std::thread::scope(|scope| {
        for row in rows {
            scope.spawn(|| tried(row));
        }
    });
}

#[test]
fn a_check_watches_files_new_files_and_files_that_are_renamed() {
    let place = folder(&[("a.ns", "EMIT 1\n"), ("sub/b.ns", "EMIT 2\n")]);
    let watch = Watch::start(place.path(), &["check", "--watch", "."]);
    assert_eq!(watch.round(), "");
    save(place.path(), "a.ns", "EMIT x\n");
    assert!(watch.round().contains("a.ns:1:6"));
    write(place.path(), "sub/deep/c.ns", "EMIT y\n");
    let said = watch.round();
    assert!(said.contains("a.ns:1:6") && said.contains("sub/deep/c.ns:1:6"), "{said}");
    fs::remove_file(place.path().join("a.ns")).expect("a file is removed");
    let said = watch.round();
    assert!(!said.contains("a.ns") && said.contains("c.ns:1:6"), "{said}");
    // Neither scripts nor folders of scripts.
    for (path, text) in [("notes.txt", "x"), (".a.ns.swp", "x"), (".git/c.ns", "EMIT z\n"), ("sub/.d.ns", "EMIT z\n")] {
        write(place.path(), path, text);
    }
    watch.is_quiet();
    watch.interrupt();
}

#[test]
fn a_check_watches_modules_and_policies_that_are_there_and_that_are_not() {
    let place = folder(&[
        ("work/a.ns", "USE \"lib/one.ns\" AS one\nUSE \"far.ns\" AS far\nEMIT one.F(), far.G()\n"),
        ("library/far.ns", "DEFINE PROCEDURE G()\n  RETURN 1\nEND\n"),
    ]);
    let work = place.path().join("work");
    let watch = Watch::start(&work, &["check", "--watch", "--lib", "../library", "--sandbox", ".", "a.ns"]);
    assert!(watch.round().contains("no module is read"));
    write(&work, "lib/one.ns", "USE \"two.ns\" AS two\nDEFINE PROCEDURE F()\n  RETURN two.F()\nEND\n");
    let said = watch.round();
    assert!(said.contains("lib/one.ns:1:5") && said.contains("`two.ns` does not exist"), "{said}");
    write(&work, "two.ns", "DEFINE PROCEDURE F()\n  RETURN 1\nEND\n");
    assert_eq!(watch.round(), "");
    save(&work, "two.ns", "DEFINE PROCEDURE F()\n  RETURN x\nEND\n");
    assert!(watch.round().contains("two.ns:2:10"));
    save(&work, "two.ns", "DEFINE PROCEDURE F()\n  RETURN 2\nEND\n");
    assert_eq!(watch.round(), "");
    fs::remove_file(place.path().join("library/far.ns")).expect("a file is removed");
    assert!(watch.round().contains("`far.ns` does not exist"));
    write(place.path(), "library/far.ns", "DEFINE PROCEDURE G()\n  RETURN 1\nEND\n");
    assert_eq!(watch.round(), "");
    write(&work, "neuroscript.toml", "[limits\n");
    assert!(watch.round().contains("neuroscript.toml:1"));
    write(&work, "neuroscript.toml", "[policy]\nblocked_directories = [\"lib\"]\n");
    assert!(watch.round().contains("lib/one.ns"));
    fs::remove_file(work.join("neuroscript.toml")).expect("a file is removed");
    assert_eq!(watch.round(), "");
    watch.interrupt();
}

#[test]
fn a_folder_may_be_removed_and_made_again() {
    let commands =
        [&["check", "--watch", "sub"][..], &["fmt", "--check", "--watch", "sub"], &["test", "--watch", "sub"]];
    at_once(&commands, |words| {
        let place = folder(&[("sub/a.ns", "EMIT 1\n"), ("sub/a.out", "1\n")]);
        let watch = Watch::start(place.path(), words);
        let said = watch.round();
        assert!(!said.contains("error"), "{said}");
        fs::rename(place.path().join("sub"), place.path().join("away")).expect("a folder is moved");
        let said = watch.round();
        assert!(said.contains("error: `sub`"), "{words:?}: {said}");
        fs::remove_dir_all(place.path().join("away")).expect("a folder is removed");
        write(place.path(), "new/a.out", "1\n");
        write(place.path(), "new/a.ns", "EMIT    1\n");
        fs::rename(place.path().join("new"), place.path().join("sub")).expect("a folder is moved");
        let said = watch.round();
        assert!(!said.contains("error"), "{words:?}: {said}");
        write(place.path(), "sub/a.ns", "EMIT    x\n");
        let said = watch.round();
        assert!(said.contains("a.ns") || said.contains("FAILED"), "{words:?}: {said}");
        watch.interrupt();
    });
}

#[test]
fn a_format_or_a_repair_does_not_wake_itself_up() {
    let commands = [(&["fmt", "--watch", "."][..], "EMIT 1\n"), (&["check", "--fix", "--watch", "."], "EMIT 2\n")];
    at_once(&commands, |(words, written)| {
        let place = folder(&[]);
        let text = |name: &str| fs::read_to_string(place.path().join(name)).expect("a file");
        let messy = "EMIT  1\n# ns: allow NS0112\nEMIT 2\n";
        write(place.path(), "a.ns", messy);
        symlink("a.ns", place.path().join("link.ns")).expect("a link");
        fs::create_dir(place.path().join("sub")).expect("a folder");
        fs::hard_link(place.path().join("a.ns"), place.path().join("sub/c.ns")).expect("a second name");
        let watch = Watch::start(place.path(), words);
        let said = watch.round();
        assert!(said.contains("formatted") || said.contains("repaired"), "{said}");
        assert!(text("a.ns") != messy && text("a.ns").contains(written), "{}", text("a.ns"));
        watch.is_quiet();
        save(place.path(), "a.ns", &format!("{messy}EMIT 3\n"));
        let said = watch.round();
        assert!(said.contains("formatted") || said.contains("repaired"), "{said}");
        assert!(text("a.ns").ends_with("EMIT 3\n") && text("a.ns").len() < messy.len() + 7);
        watch.is_quiet();
        watch.interrupt();
        assert_eq!(names(place.path()), ["a.ns", "link.ns", "sub"], "nothing is left behind");
    });
}

#[test]
fn a_script_with_an_error_is_formatted_once_it_has_none() {
    let place = folder(&[("a.ns", "IF  true THEN\n")]);
    let watch = Watch::start(place.path(), &["fmt", "--watch", "a.ns"]);
    assert!(watch.round().contains("error[NS"));
    save(place.path(), "a.ns", "IF  true THEN\nEMIT 1\nEND\n");
    assert_eq!(watch.round(), "1 of 1 file formatted\n");
    assert_eq!(fs::read_to_string(place.path().join("a.ns")).expect("a file"), "IF true THEN\n  EMIT 1\nEND\n");
    watch.interrupt();
}

#[test]
fn directories_that_a_module_path_names_are_not_searched() {
    let place = folder(&[("work/a.ns", "USE \"..\" AS m\nUSE \"/\" AS n\nEMIT 1\n"), ("other/b.ns", "EMIT 1\n")]);
    let watch = Watch::start(&place.path().join("work"), &["check", "--watch", "a.ns"]);
    assert!(watch.round().contains("2 errors"));
    write(place.path(), "other/b.ns", "EMIT 2\n");
    write(place.path(), "other/in/c.ns", "EMIT 3\n");
    watch.is_quiet();
    save(&place.path().join("work"), "a.ns", "EMIT 1\n");
    assert_eq!(watch.round(), "");
    watch.interrupt();
}

#[test]
fn golden_files_that_a_watch_writes_start_no_round() {
    let place = folder(&[("a.ns", "EMIT 1\n")]);
    let watch = Watch::start(place.path(), &["test", "--watch", "--update", "a.ns"]);
    assert!(watch.round().contains("1 updated"));
    watch.is_quiet();
    save(place.path(), "a.ns", "EMIT 2\n");
    assert!(watch.round().contains("1 updated"));
    assert_eq!(fs::read_to_string(place.path().join("a.out")).expect("a file"), "2\n");
    watch.is_quiet();
    watch.interrupt();
}

#[test]
fn a_test_watches_libraries_and_policies() {
    let module = |number| format!("DEFINE PROCEDURE F()\n  RETURN {number}\nEND\n");
    let place = folder(&[
        ("tests/a.ns", "USE \"one.ns\" AS one\nEMIT one.F()\n"),
        ("tests/a.out", "1\n"),
        ("library/one.ns", &module(1)),
        ("mine.toml", ""),
    ]);
    let words = ["test", "--watch", "tests", "--lib", "library", "--policy", "mine.toml"];
    let watch = Watch::start(place.path(), &words);
    assert!(watch.round().contains("1 passed"));
    save(place.path(), "library/one.ns", &module(2));
    assert!(watch.round().contains("FAILED"));
    save(place.path(), "library/one.ns", &module(1));
    assert!(watch.round().contains("1 passed"));
    save(place.path(), "mine.toml", "[limits\n");
    assert!(watch.round().contains("FAILED"));
    watch.interrupt();
}

#[test]
fn a_watch_for_programs_prints_a_line_in_each_round_and_ends_with_its_reader() {
    let commands = [
        (&["check", "--watch", "--format", "json", "a.ns"][..], "/0/code"),
        (&["check", "--watch", "--format", "sarif", "a.ns"], "/runs/0/results/0/ruleId"),
        (&["test", "--watch", "--format", "json", "."], "/cases/0/status"),
    ];
    at_once(&commands, |(words, of)| {
        let place = folder(&[("a.ns", "EMIT x\n"), ("a.out", "")]);
        let mut child =
            ns_in(place.path(), words).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("ns starts");
        let mut lines = BufReader::new(child.stdout.take().expect("output")).lines();
        let mut document = || -> Json {
            let line = lines.next().expect("a line").expect("text");
            serde_json::from_str(&line).unwrap_or_else(|error| panic!("{words:?}: {error}: {line}"))
        };
        let first = document();
        assert!(first.pointer(of).is_some_and(|found| found == "NS0101" || found == "failed"), "{first}");
        save(place.path(), "a.ns", "\n");
        let second = document();
        assert!(second.pointer(of).is_none_or(|found| found == "passed"), "{second}");
        drop(lines);
        assert_eq!(child.wait().expect("it ends").code(), Some(0), "{words:?}");
    });
}

#[test]
fn a_terminal_is_cleared_before_each_round() {
    let place = folder(&[("a.ns", "EMIT x\n")]);
    for (terminal, clears) in [("xterm", true), ("dumb", false)] {
        let mut command = ns_in(place.path(), &["check", "--watch", "a.ns"]);
        command.env("TERM", terminal);
        let mut session = spawn_command(command, 60_000).expect("a terminal");
        let said = session.exp_string(WAITING).expect("a round");
        assert_eq!(said.matches("\u{1b}[H\u{1b}[2J").count(), usize::from(clears), "{said:?}");
        session.send_control('c').expect("a key");
        session.exp_eof().expect("it ends");
    }
    let watch = Watch::start(place.path(), &["check", "--watch", "a.ns"]);
    let said = watch.round();
    assert!(!said.contains('\u{1b}'), "{said:?}");
    watch.interrupt();
}

#[test]
fn standard_input_is_not_watched() {
    let place = folder(&[]);
    for command in ["check", "fmt"] {
        let ran = run(&mut ns_in(place.path(), &[command, "--watch", "-"]));
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains("standard input cannot be watched") && ran.stderr.contains("leave out `--watch`"));
    }
}
