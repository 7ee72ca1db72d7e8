//! Tab completion, and hints behind the cursor.

use std::os::unix::fs::symlink;

use crate::repl::terminal::{PtySession, begin, command, send, session, type_line, until};

/// Types text with Tabs, and waits for the output of the completed line.
fn completes(session: &mut PtySession, typed: &str, printed: &str) {
    send(session, typed);
    // If the line is redrawn while its end is typed, the redraw would be taken for the answer.
    std::thread::sleep(std::time::Duration::from_millis(100));
    send(session, "\n");
    until(session, &format!("\n{printed}\r\n"));
    until(session, "ns> ");
}

#[test]
fn keywords_names_and_procedures() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    type_line(&mut session, "SET counter = 41", "ns> ");
    type_line(&mut session, "func Twice(needs amount) means", "... ");
    // Tab at the beginning of a line inserts a blank.
    type_line(&mut session, "\tRETURN amount * 2", "... ");
    type_line(&mut session, "endfunc", "ns> ");
    completes(&mut session, "EMI\t\"upper\"", "upper");
    completes(&mut session, "emi\t\"lower\"", "lower");
    completes(&mut session, "coun\t + 1", "42");
    completes(&mut session, "Twi\t21)", "42");
    completes(&mut session, "Twice(amo\t4)", "8");
    completes(&mut session, "LE\t\"abc\")", "3");
    completes(&mut session, "IF tr\t TH\t\u{15}\"cleared\"", "cleared");
}

#[test]
fn tools_and_their_arguments() {
    let place = tempfile::tempdir().expect("a folder for the test");
    std::fs::write(place.path().join("a.txt"), "one\ntwo\n").expect("a file");
    let mut session = session(place.path());
    completes(&mut session, "FS.FileI\t\"a.txt\").size", "8");
    completes(&mut session, "fs.exi\t\"a.txt\")", "true");
    completes(&mut session, "STR.Upp\t\"x\")", "X");
    completes(&mut session, "SET x = CALL UPP\t\"y\")\u{1}\u{b}\"end\"", "end");
    completes(&mut session, "STR.PadRight(\"x\", wid\t3) + \"|\"", "x  |");
    // Aliases are completed if no tool begins with the text.
    completes(&mut session, "FS.Mk\t\"made\").path", "made");
    completes(&mut session, "fs.sta\t\"a.txt\").size", "8");
    completes(&mut session, "SET x = CALL Mkd\t\"also\")\u{1}\u{b}\"end\"", "end");
    // Two Tabs list the candidates.
    send(&session, "CALL FS.\t\t");
    until(&mut session, "WalkDir");
}

#[test]
fn paths_of_the_sandbox_and_no_others() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let (sandbox, outside) = (place.path().join("sandbox"), place.path().join("outside"));
    for (folder, name) in
        [(sandbox.join("sub"), "file.txt"), (sandbox.join("secret"), "key.txt"), (outside.clone(), "far.txt")]
    {
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join(name), "x").expect("a file");
    }
    symlink(&outside, sandbox.join("link")).expect("a link");
    std::fs::write(sandbox.join("neuroscript.toml"), "[policy]\nblocked_directories = [\"secret\"]\n")
        .expect("a policy");
    let mut session = session(&sandbox);
    completes(&mut session, "\"su\tfi\t", "sub/file.txt");
    completes(&mut session, "LEN(\"sub/\t)", "12");
    // Nothing invisible to tools is offered: the typed text stays.
    completes(&mut session, "\"link/fa\t\"", "link/fa");
    completes(&mut session, "\"secret/ke\t\"", "secret/ke");
    completes(&mut session, "\"../out\t\"", "../out");
    completes(&mut session, "\"/et\t\"", "/et");
    completes(&mut session, "\"neuro\t\"", "neuro");
    completes(&mut session, "\".n\t\"", ".n");
}

#[test]
fn keys_of_maps() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    type_line(&mut session, "SET x = {\"alpha\": {\"beta\": 7}, \"rows\": [{\"name\": \"n\"}]}", "ns> ");
    completes(&mut session, "x[\"al\t[\"be\t", "7");
    completes(&mut session, "x.al\t.be\t", "7");
    completes(&mut session, "x[\"rows\"][0][\"na\t", "n");
    type_line(&mut session, "FOR EACH row IN x.rows DO", "... ");
    type_line(&mut session, "EMIT row[\"na\t", "... ");
    type_line(&mut session, "END", "\nn\r\n");
}

#[test]
fn a_text_that_begins_in_a_line_above_is_left_alone() {
    let place = tempfile::tempdir().expect("a folder for the test");
    std::fs::create_dir(place.path().join("folder")).expect("a folder");
    let mut session = session(place.path());
    type_line(&mut session, "EMIT \'\'\'a long first line", "... ");
    completes(&mut session, "fo\t\'\'\'", "fo");
    send(&session, "SET x = {\"key\": 1}\n[x[\"key\"],\n");
    until(&mut session, "... ");
    completes(&mut session, "x[\"ke\t]", "[1, 1]");
}

#[test]
fn commands_and_their_topics() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut session = session(place.path());
    send(&session, ":va\t\n");
    until(&mut session, "there are no variables");
    send(&session, ":help FS.FileI\t\n");
    until(&mut session, "FS.FileInfo(");
}

#[test]
fn signatures_are_shown_behind_the_cursor() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut colored = command(place.path());
    colored.env_remove("NO_COLOR");
    let (mut session, _) = begin(colored);
    send(&session, "func Padded(needs text optional width: 10, fill) means\nRETURN text\nendfunc\n");
    for (typed, hint) in [
        ("Padded(", "\u{1b}[90mtext, width: 10, fill?)"),
        ("\"a\", ", "\u{1b}[90mwidth: 10, fill?)"),
        ("\u{15}", ""),
        ("FS.Exists(", "\u{1b}[90mpath)"),
        ("\u{15}LEN(", "\u{1b}[90mvalue)"),
        ("\"a\"", "\u{1b}[90m)"),
        (" + STR.Replace(\"x\", ", "\u{1b}[90mold, new"),
    ] {
        send(&session, typed);
        session.exp_string(hint).unwrap_or_else(|error| panic!("{hint:?} comes: {error}"));
    }
}
