//! The hash chain: whatever is done to a log, the first line that reveals it is named.

use std::path::Path;

use serde_json::Value;

use super::{audit, eval, file, fill, holds, lines, sandbox, texts};

/// Returns the exit code and output of `ns audit verify` for a log with this content.
fn verdict(place: &Path, content: &[u8]) -> (i32, String) {
    std::fs::write(file(place), content).expect("the log can be written");
    let ran = audit(place, &["verify"]);
    (ran.code, ran.stdout + &ran.stderr)
}

fn joined(lines: &[String]) -> Vec<u8> {
    (lines.join("\n") + "\n").into_bytes()
}

#[track_caller]
fn breaks(place: &Path, content: &[u8], line: usize, words: &str) {
    let (code, said) = verdict(place, content);
    assert!(code == 1 && said.contains(&format!(", line {line}: ")) && said.contains(words), "{code}: {said}");
}

#[test]
fn an_untouched_log_holds() {
    let place = sandbox();
    fill(place.path(), 5);
    fill(place.path(), 5);
    let ran = audit(place.path(), &["verify"]);
    assert_eq!(ran.code, 0);
    let last = lines(place.path())[9]["hash"].as_str().expect("a hash").to_owned();
    assert_eq!(
        ran.stdout,
        format!("`.ns/audit.jsonl`: 10 lines, the chain holds; 10 sealed by you\nlast hash: {last}\n")
    );
}

#[test]
fn every_flipped_byte_is_noticed() {
    let place = sandbox();
    fill(place.path(), 3);
    let log = file(place.path());
    let whole = std::fs::read(&log).expect("the log");
    let engine = |place: &Path| {
        let (sandbox, state) = (Some(place.to_owned()), Some(crate::support::state_home()));
        let options = neuroscript::engine::Options { sandbox, state, ..Default::default() };
        neuroscript::engine::Engine::open(&options).expect("an engine")
    };
    let engine = engine(place.path());
    let mut line = 1;
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        std::fs::write(&log, &bytes).expect("the log can be written");
        let verdict = engine.verify_audit(neuroscript::engine::AuditLog::Root, None).expect("it can be read");
        let verdict = verdict.expect("there is a log");
        match verdict.fault {
            Some((found, _)) => assert_eq!(found, line, "byte {at}"),
            // The seal of the first line is the only part that no later line covers.
            None => assert_eq!((line, verdict.sealed), (1, 2), "byte {at} went unseen"),
        }
        line += u64::from(whole[at] == b'\n');
    }
}

/// Anyone without the key can compute every hash, but no seal.
#[test]
fn a_chain_that_somebody_else_wrote_is_named() {
    let place = sandbox();
    fill(place.path(), 3);
    let mine = texts(&file(place.path()));
    let foreign = |line: &str| {
        let (body, _) = line.split_once(",\"hash\":").expect("a line has a hash");
        let hash = sha256(body);
        format!("{body},\"hash\":\"{hash}\",\"seal\":\"{}\"}}", "0".repeat(32))
    };
    let anew: Vec<String> = mine
        .iter()
        .scan(None, |before: &mut Option<String>, line| {
            let mut line: Value = serde_json::from_str(line).expect("a line is JSON");
            line["outcome"] = "failed".into();
            line["previous"] = before.clone().into();
            let line = foreign(&line.to_string());
            *before = serde_json::from_str::<Value>(&line).expect("JSON")["hash"].as_str().map(str::to_owned);
            Some(line)
        })
        .collect();
    let (code, said) = verdict(place.path(), &joined(&anew));
    assert!(code == 1 && said.contains("line 3, which you wrote last, is not among them"), "{said}");
    let mut last = mine.clone();
    last[2] = foreign(&mine[2]);
    breaks(place.path(), &joined(&last), 3, "your key did not seal it");
    // A log that came with the directory, and nothing else.
    let other = sandbox();
    std::fs::create_dir(other.path().join(".ns")).expect("a folder");
    let (code, said) = verdict(other.path(), &joined(&anew));
    assert!(code == 1 && said.contains("none of them sealed by your key"), "{said}");
}

fn sha256(text: &str) -> String {
    let mut command = std::process::Command::new("sha256sum");
    let ran = crate::support::with_input(&mut command, text);
    ran.stdout.split(' ').next().expect("a digest").to_owned()
}

#[test]
fn edited_removed_moved_and_foreign_lines_are_named() {
    let place = sandbox();
    fill(place.path(), 6);
    let whole = texts(&file(place.path()));
    let with = |change: &dyn Fn(&mut Vec<String>)| {
        let mut lines = whole.clone();
        change(&mut lines);
        joined(&lines)
    };
    let place = place.path();
    breaks(place, &with(&|lines| lines[2] = lines[2].replace("\"f2\"", "\"g2\"")), 3, "it was edited");
    breaks(place, &with(&|lines| lines[5] = lines[5].replace("done", "failed")), 6, "it was edited");
    breaks(place, &with(&|lines| drop(lines.remove(0))), 1, "lines before it were removed");
    breaks(place, &with(&|lines| drop(lines.remove(3))), 4, "lines before it were removed");
    breaks(place, &with(&|lines| lines.swap(1, 2)), 2, "lines were moved or repeated");
    breaks(place, &with(&|lines| lines.insert(4, lines[1].clone())), 5, "lines were moved or repeated");
    breaks(place, &with(&|lines| lines.insert(2, "# a note".to_owned())), 3, "no line of an audit log");
    breaks(place, &with(&|lines| lines.insert(2, String::new())), 3, "no line of an audit log");
    breaks(place, &with(&|lines| lines.insert(2, "x".repeat(3 << 20))), 3, "no line of an audit log");
    breaks(place, &with(&|lines| lines.push("{}".to_owned())), 7, "no line of an audit log");
    let whole = joined(&whole);
    breaks(place, &whole[..whole.len() - 30], 6, "it is cut short");
    assert_eq!(verdict(place, &whole).0, 0);
    // Only the line feed is missing: a crash could do that, and no data is lost.
    assert_eq!(verdict(place, &whole[..whole.len() - 1]).0, 0);
    let (code, said) = verdict(place, b"");
    assert!(code == 1 && said.contains("has no lines"), "an emptied log proves nothing: {code}: {said}");
}

/// A line from another log with a valid hash does not match its neighbours.
#[test]
fn a_line_of_another_log_is_named() {
    let (place, other) = (sandbox(), sandbox());
    fill(place.path(), 4);
    fill(other.path(), 4);
    let mut mixed = texts(&file(place.path()));
    mixed[2] = texts(&file(other.path()))[2].clone();
    breaks(place.path(), &joined(&mixed), 3, "it does not follow the line before it");
}

/// The user's ledger and a recorded hash reveal that the end was cut off at a line boundary.
#[test]
fn a_cut_end_is_noticed() {
    let place = sandbox();
    fill(place.path(), 4);
    let lines = texts(&file(place.path()));
    let said = audit(place.path(), &["verify"]).stdout;
    let kept = said.trim_end().rsplit(' ').next().expect("the last hash").to_owned();
    fill(place.path(), 2);
    let expect = |kept: &str| audit(place.path(), &["verify", "--expect", kept]);
    assert_eq!(expect(&kept).code, 0, "{}", expect(&kept).stderr);
    let (code, said) = verdict(place.path(), &joined(&lines[..3]));
    assert!(code == 1 && said.contains("3 lines; line 6, which you wrote last, is not among them"), "{said}");
    let ran = expect(&kept);
    assert!(ran.code == 1 && ran.stderr.contains("3 lines, none of them with the expected hash"), "{}", ran.stderr);
}

#[test]
fn a_cut_end_stays_noticed_after_further_lines() {
    let place = sandbox();
    fill(place.path(), 4);
    let lines = texts(&file(place.path()));
    std::fs::write(file(place.path()), joined(&lines[..2])).expect("the log is cut");
    let ran = eval(place.path(), "MUST FS.WriteFile(\"more\", \"1\")");
    assert!(ran.code == 0 && ran.stderr.contains("it had line 4, which you wrote"), "{}", ran.stderr);
    for _ in 0..2 {
        let ran = audit(place.path(), &["verify"]);
        assert!(ran.code == 1 && ran.stderr.contains("line 3: the log had 4 lines"), "{}{}", ran.stdout, ran.stderr);
        assert_eq!(eval(place.path(), "MUST FS.WriteFile(\"again\", \"1\")").stderr, "", "it is said once");
    }
    // A log that was moved away is no fault, but the new one says that there was one.
    std::fs::remove_file(file(place.path())).expect("the log goes");
    assert_eq!(eval(place.path(), "MUST FS.WriteFile(\"last\", \"1\")").stderr, "");
    let ran = audit(place.path(), &["verify"]);
    assert!(
        ran.code == 0 && ran.stdout.contains("; a log of 5 lines was here before\n"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
}

/// A line torn by a crash stays and the next one mentions it; nobody else can insert text there.
#[test]
fn a_torn_line_is_closed_and_told() {
    for cut in [1, 2, 30, 300] {
        let place = sandbox();
        fill(place.path(), 3);
        let whole = std::fs::read(file(place.path())).expect("the log");
        std::fs::write(file(place.path()), &whole[..whole.len() - cut]).expect("the log is cut");
        fill(place.path(), 2);
        let ran = audit(place.path(), &["verify"]);
        let told = match cut {
            1 => "5 lines, the chain holds; 5 sealed by you\n",
            _ => "4 lines, the chain holds; 4 sealed by you; 1 more were cut short by a crash\n",
        };
        assert!(ran.code == 0 && ran.stdout.contains(told), "{cut}: {}{}", ran.stdout, ran.stderr);
        if cut > 1 {
            let bytes = std::fs::read(file(place.path())).expect("the log");
            let text = String::from_utf8(bytes.clone()).expect("it is text");
            let torn: Vec<&str> = text.lines().filter(|line| !line.ends_with("\"}")).collect();
            assert_eq!(torn.len(), 1);
            let other = text.replacen(torn[0], &torn[0].replacen("FS.", "XX.", 1), 1);
            assert_eq!(verdict(place.path(), other.as_bytes()).0, 1, "what was cut short is bound by the next line");
            let without: String =
                text.lines().filter(|line| *line != torn[0]).map(|line| format!("{line}\n")).collect();
            assert_eq!(verdict(place.path(), without.as_bytes()).0, 1);
        }
    }
}

#[test]
fn nothing_is_added_to_a_log_that_does_not_end_in_a_line() {
    let place = sandbox();
    fill(place.path(), 2);
    let log = file(place.path());
    let whole = std::fs::read(&log).expect("the log");
    for end in ["garbage\n", "{}\n", "garbage\ntorn", "\n"] {
        std::fs::write(&log, [&whole[..], end.as_bytes()].concat()).expect("the log can be written");
        let ran = eval(place.path(), "MUST FS.WriteFile(\"new\", \"x\")");
        assert!(ran.code == 1 && ran.stderr.contains("does not end in a line of the audit log"), "{}", ran.stderr);
        assert!(!place.path().join("new").exists());
    }
    std::fs::rename(&log, place.path().join("old.jsonl")).expect("it is moved away");
    fill(place.path(), 1);
    holds(place.path());
    let old = place.path().join("old.jsonl");
    let ran = audit(place.path(), &["verify", "--file", old.to_str().expect("a plain name")]);
    assert!(ran.code == 1 && ran.stderr.contains("old.jsonl`, line 3: "), "{}", ran.stderr);
}

#[test]
fn a_missing_log_is_no_proof() {
    let place = sandbox();
    for words in [&["verify"][..], &["show"]] {
        let ran = audit(place.path(), words);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
        assert!(ran.stderr.contains("there is no audit log `.ns/audit.jsonl`"), "{}", ran.stderr);
    }
    assert!(!place.path().join(".ns").exists());
}
