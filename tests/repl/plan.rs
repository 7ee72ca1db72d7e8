//! `:plan`: lines that change nothing on the disk until the plan is applied.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::repl::terminal::{PtySession, begin, command, ends_with, plain, send, session, type_line, until};

const ON: &str = "ns> ";
const PLAN: &str = "plan> ";

/// Creates a sandbox with a file, and starts a planning session in it.
fn planning() -> (TempDir, PtySession) {
    let place = tempfile::tempdir().expect("a folder for the test");
    fs::write(place.path().join("a.txt"), "one\n").expect("a file");
    let mut session = session(place.path());
    type_line(&mut session, "SET before = 1", ON);
    let shown = type_line(&mut session, ":plan on", PLAN);
    assert!(shown.contains("the disk stays as it is"), "{shown}");
    (place, session)
}

fn write(name: &str, text: &str) -> String {
    format!("CALL FS.WriteFile(\"{name}\", \"{text}\")")
}

fn names(place: &Path) -> Vec<String> {
    let entries = fs::read_dir(place).expect("it is listed");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Answers a question once it is asked.
fn answer(session: &mut PtySession, line: &str, answer: &str, prompt: &str) -> String {
    send(session, format!("{line}\n"));
    let shown = until(session, "Do it?");
    until(session, ": ");
    send(session, answer);
    shown + &until(session, prompt)
}

#[test]
fn the_session_sees_its_changes_and_the_disk_none() {
    let (place, mut session) = planning();
    type_line(&mut session, &write("a.txt", "two\\n"), PLAN);
    type_line(&mut session, &write("new/b.txt", "b\\n"), PLAN);
    assert!(type_line(&mut session, "FS.ReadFile(\"new/b.txt\")[\"content\"]", PLAN).contains("\nb\n"));
    assert_eq!(names(place.path()), ["a.txt"]);
    assert_eq!(fs::read_to_string(place.path().join("a.txt")).expect("it is there"), "one\n");

    let shown = type_line(&mut session, ":plan", PLAN);
    assert!(shown.contains("plan: this would be changed") && shown.contains("~ a.txt"), "{shown}");
    assert!(shown.contains("-one\n+two") && shown.contains("1 created") | shown.contains("2 created"), "{shown}");

    let shown = answer(&mut session, ":plan off", "y\n", ON);
    assert!(shown.contains("+two") && shown.contains("done ("), "{shown}");
    assert_eq!(fs::read_to_string(place.path().join("a.txt")).expect("it is there"), "two\n");
    assert_eq!(fs::read_to_string(place.path().join("new/b.txt")).expect("it is there"), "b\n");
    // The whole plan is one run.
    type_line(&mut session, ":undo", ON);
    assert_eq!(fs::read_to_string(place.path().join("a.txt")).expect("it is there"), "one\n");
    assert!(!place.path().join("new").exists());
}

#[test]
fn variables_and_procedures_are_kept_through_it() {
    let (_place, mut session) = planning();
    assert!(type_line(&mut session, "before", PLAN).contains("\n1\n"));
    type_line(&mut session, "func Twice(needs n) means", "... ");
    type_line(&mut session, "RETURN n * 2", "... ");
    type_line(&mut session, "endfunc", PLAN);
    type_line(&mut session, "SET within = Twice(21)", PLAN);
    type_line(&mut session, "MEMORY.Set(\"k\", \"kept in the session\")", PLAN);
    let shown = type_line(&mut session, ":plan off", ON);
    assert!(shown.contains("nothing would be changed"), "{shown}");
    assert!(type_line(&mut session, "Twice(within)", ON).contains("\n84\n"));
    assert!(type_line(&mut session, "MEMORY.Get(\"k\")", ON).contains("\nkept in the session\n"));
}

#[test]
fn it_is_thrown_away_or_goes_on() {
    let (place, mut session) = planning();
    type_line(&mut session, &write("new.txt", "x"), PLAN);
    let shown = answer(&mut session, ":plan off", "\u{3}", PLAN);
    assert!(shown.contains("the plan remains active"), "{shown}");
    assert!(type_line(&mut session, "FS.Exists(\"new.txt\")", PLAN).contains("true"));
    let shown = answer(&mut session, ":plan off", "what\nn\n", ON);
    assert!(shown.contains("is discarded"), "{shown}");
    assert!(type_line(&mut session, "FS.Exists(\"new.txt\")", ON).contains("false"));
    assert_eq!(names(place.path()), ["a.txt"]);
    assert!(type_line(&mut session, ":plan off", ON).contains("no plan is active"));
    assert!(type_line(&mut session, ":plan", ON).contains("no plan is active"));
    assert!(type_line(&mut session, ":plan of", ON).contains(":plan [on|off]"));
}

#[test]
fn its_runs_are_listed_and_taken_back_within_it() {
    let (place, mut session) = planning();
    type_line(&mut session, &write("first.txt", "1"), PLAN);
    type_line(&mut session, &write("second.txt", "2"), PLAN);
    // Changes of a line before its failure are part of the plan, as they would be on the disk.
    assert!(type_line(&mut session, "FS.WriteFile(\"third.txt\", \"3\")[\"path\"] / 0", PLAN).contains("error"));
    let shown = type_line(&mut session, ":log", PLAN);
    assert_eq!(shown.matches("FS.WriteFile(").count(), 3, "{shown}");
    let shown = type_line(&mut session, ":plan", PLAN);
    assert!(shown.contains("+ third.txt"), "{shown}");
    let shown = type_line(&mut session, ":undo", PLAN);
    assert!(shown.contains("undid ") && shown.contains("`:redo` does it again"), "{shown}");
    let shown = type_line(&mut session, ":plan", PLAN);
    assert!(shown.contains("+ second.txt") && !shown.contains("third.txt"), "{shown}");
    type_line(&mut session, ":redo", PLAN);
    assert!(type_line(&mut session, ":plan", PLAN).contains("+ third.txt"));
    type_line(&mut session, ":reset", PLAN);
    assert!(type_line(&mut session, ":plan", PLAN).contains("+ third.txt"), "a plan outlives `:reset`");
    assert_eq!(names(place.path()), ["a.txt"]);
}

#[test]
fn what_was_done_before_can_be_taken_back_by_a_plan() {
    let place = tempfile::tempdir().expect("a folder for the test");
    fs::write(place.path().join("a.txt"), "one\n").expect("a file");
    let mut session = session(place.path());
    type_line(&mut session, "CALL FS.DeleteFile(\"a.txt\")", ON);
    type_line(&mut session, ":plan on", PLAN);
    type_line(&mut session, ":undo", PLAN);
    assert!(!place.path().join("a.txt").exists());
    answer(&mut session, ":plan off", "y\n", ON);
    assert_eq!(fs::read_to_string(place.path().join("a.txt")).expect("it is back"), "one\n");
    type_line(&mut session, ":undo", ON);
    assert!(!place.path().join("a.txt").exists());
}

#[test]
fn ctrl_c_stops_a_line_and_not_the_plan() {
    let (place, mut session) = planning();
    send(&session, format!("{}\nSET n = 0\nWHILE true DO\nSET n = n + 1\n", write("loop.txt", "x")));
    send(&session, "IF n == 2 THEN\nEMIT \"on\"\nEND\nEND\n");
    until(&mut session, "\non\r\n");
    send(&session, "\u{3}");
    until(&mut session, "interrupted");
    until(&mut session, PLAN);
    assert!(type_line(&mut session, ":plan", PLAN).contains("+ loop.txt"));
    assert_eq!(names(place.path()), ["a.txt"]);
}

#[test]
fn project_memory_and_temporary_directories_are_no_part_of_it() {
    let (place, mut session) = planning();
    type_line(&mut session, "MEMORY.Set(\"k\", 1, scope: \"project\")", PLAN);
    type_line(&mut session, "SET t = FS.MakeTempDirectory()", PLAN);
    type_line(&mut session, &write("new.txt", "x"), PLAN);
    assert!(type_line(&mut session, "MEMORY.Get(\"k\", scope: \"project\")", PLAN).contains("\n1\n"));
    let shown = answer(&mut session, ":plan off", "y\n", ON);
    assert!(shown.contains("project memory are not part of the plan") && shown.contains("1 created"), "{shown}");
    assert!(shown.contains("done (1 change)"), "{shown}");
    assert!(type_line(&mut session, "MEMORY.Get(\"k\", scope: \"project\")", ON).contains("\nnil\n"));
    assert_eq!(names(place.path()), [".ns", "a.txt", "new.txt"]);
}

#[test]
fn where_others_change_the_place_nothing_is_done() {
    let (place, mut session) = planning();
    type_line(&mut session, &write("a.txt", "two\\n"), PLAN);
    send(&session, ":plan off\n");
    until(&mut session, "Do it?");
    until(&mut session, ": ");
    fs::write(place.path().join("a.txt"), "somebody else's\n").expect("a file");
    send(&session, "y\n");
    let shown = until(&mut session, PLAN);
    assert!(shown.contains("a.txt") && shown.contains("the plan remains active"), "{shown}");
    assert_eq!(fs::read_to_string(place.path().join("a.txt")).expect("it is there"), "somebody else's\n");
    // The plan is shown again, against the current state of the disk.
    let shown = answer(&mut session, ":plan off", "y\n", ON);
    assert!(shown.contains("-somebody else's"), "{shown}");
    assert_eq!(fs::read_to_string(place.path().join("a.txt")).expect("it is there"), "two\n");
}

#[test]
fn who_leaves_is_asked_about_it() {
    let (place, mut session) = planning();
    type_line(&mut session, &write("new.txt", "x"), PLAN);
    let shown = answer(&mut session, ":quit", "\u{3}", PLAN);
    assert!(shown.contains("+ new.txt") && shown.contains("the plan remains active"), "{shown}");
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    send(&session, "\u{4}");
    until(&mut session, "Do it?");
    until(&mut session, ": ");
    send(&session, "y\n");
    until(&mut session, "done (1 change)");
    ends_with(&mut session, 0);
    assert_eq!(fs::read_to_string(place.path().join("new.txt")).expect("it is done"), "x");
}

#[test]
fn who_leaves_without_an_answer_changes_nothing() {
    let (place, mut session) = planning();
    type_line(&mut session, &write("new.txt", "x"), PLAN);
    send(&session, "\u{4}");
    until(&mut session, "Do it?");
    until(&mut session, ": ");
    send(&session, "\u{4}");
    until(&mut session, "is discarded");
    ends_with(&mut session, 0);
    assert_eq!(names(place.path()), ["a.txt"]);

    let (place, mut session) = planning();
    type_line(&mut session, &write("new.txt", "x"), PLAN);
    send(&session, "\u{3}");
    until(&mut session, PLAN);
    send(&session, "\u{3}");
    until(&mut session, "the plan was not applied");
    ends_with(&mut session, 130);
    assert_eq!(names(place.path()), ["a.txt"]);
}

#[test]
fn without_a_place_for_it_no_plan_begins() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut inside = command(place.path());
    inside.env("TMPDIR", place.path());
    let (mut session, _) = begin(inside);
    let shown = type_line(&mut session, ":plan on", ON);
    assert!(shown.contains("nothing can be planned") && shown.contains("TMPDIR="), "{shown}");
    assert!(type_line(&mut session, &write("new.txt", "x"), ON).is_ascii());
    assert!(place.path().join("new.txt").exists());
    assert!(!plain(&type_line(&mut session, ":plan", ON)).contains("would be"));
}

/// Running what was saved does not make changes that the session undid, or planned and discarded.
#[test]
fn lines_that_had_no_effect_are_saved_as_comments() {
    let (place, mut session) = planning();
    type_line(&mut session, "CALL FS.DeleteFile(\"a.txt\")", PLAN);
    answer(&mut session, ":plan off", "n\n", ON);
    for line in [&*write("u.txt", "1"), &write("v.txt", "1"), ":undo", ":undo", ":redo"] {
        type_line(&mut session, line, ON);
    }
    type_line(&mut session, ":plan on", PLAN);
    type_line(&mut session, &write("w.txt", "1"), PLAN);
    answer(&mut session, ":plan off", "y\n", ON);
    let saved = place.path().join("saved.ns");
    type_line(&mut session, &format!(":save {}", saved.display()), ON);
    let text = fs::read_to_string(&saved).expect("it was saved");
    let (deleted, [u, v, w]) =
        ("CALL FS.DeleteFile(\"a.txt\")", ["u", "v", "w"].map(|name| write(&format!("{name}.txt"), "1")));
    assert_eq!(text, format!("SET before = 1\n# planned and discarded: {deleted}\n{u}\n# undone: {v}\n{w}\n"));
}

/// Saves the lines of a session to a new file and returns them.
fn saved(place: &Path, session: &mut PtySession, name: &str, prompt: &str) -> String {
    let path = place.join(name);
    type_line(session, &format!(":save {}", path.display()), prompt);
    fs::read_to_string(&path).expect("it was saved")
}

/// A line whose changes were applied and then undone is saved as a comment, even if another process undid them. A redo
/// brings the line back.
#[test]
fn applied_lines_that_are_undone_are_saved_as_comments() {
    let (place, mut session) = planning();
    let [a, b, c] = ["a", "b", "c"].map(|name| write(&format!("{name}.txt"), "1"));
    type_line(&mut session, &a, PLAN);
    let planned = format!("SET before = 1\n# planned and not applied: {a}\n");
    assert_eq!(saved(place.path(), &mut session, "1.ns", PLAN), planned);
    answer(&mut session, ":plan off", "y\n", ON);
    type_line(&mut session, &b, ON);
    let mut next = 1;
    let mut expect = |session: &mut PtySession, lines: &str| {
        next += 1;
        let text = saved(place.path(), session, &format!("{next}.ns"), ON);
        assert_eq!(text, format!("SET before = 1\n{lines}"), "{next}");
    };
    expect(&mut session, &format!("{a}\n{b}\n"));
    type_line(&mut session, ":undo", ON);
    type_line(&mut session, ":undo", ON);
    expect(&mut session, &format!("# undone: {a}\n# undone: {b}\n"));
    type_line(&mut session, ":redo", ON);
    expect(&mut session, &format!("{a}\n# undone: {b}\n"));
    // Another process undoes it.
    assert_eq!(crate::support::run(command(place.path()).arg("undo")).code, 0);
    expect(&mut session, &format!("# undone: {a}\n# undone: {b}\n"));
    assert_eq!(crate::support::run(command(place.path()).arg("redo")).code, 0);
    // An undo that is only planned is in force once the plan is applied.
    type_line(&mut session, ":plan on", PLAN);
    type_line(&mut session, &c, PLAN);
    type_line(&mut session, ":undo", PLAN);
    type_line(&mut session, ":undo", PLAN);
    let shown = answer(&mut session, ":plan off", "n\n", ON);
    expect(&mut session, &format!("{a}\n# undone: {b}\n# planned and discarded: {c}\n"));
    assert!(shown.contains("a.txt"), "{shown}");
    type_line(&mut session, ":plan on", PLAN);
    type_line(&mut session, ":undo", PLAN);
    answer(&mut session, ":plan off", "y\n", ON);
    expect(&mut session, &format!("# undone: {a}\n# undone: {b}\n# planned and discarded: {c}\n"));
    type_line(&mut session, ":undo", ON);
    expect(&mut session, &format!("{a}\n# undone: {b}\n# planned and discarded: {c}\n"));
}

/// The session may change the sandbox, but a planned line does not; its refusal goes to the user state.
#[test]
fn refusals_of_planned_lines_are_on_record() {
    let (place, mut session) = planning();
    let before = names(place.path());
    let shown = type_line(&mut session, "SET r = FS.ReadFile(\"../up\")", PLAN);
    assert!(!shown.contains("audit"), "the log can be written: {shown}");
    assert_eq!(names(place.path()), before);
    let log = crate::support::run(command(place.path()).args(["audit", "show", "--state"])).stdout;
    assert!(log.contains("FS.ReadFile") && log.contains("refused"), "{log}");
}
