//! Questions at a terminal before calls that need approval.

use std::path::Path;

use serde_json::json;

use super::Place;
use crate::support::ns;
use crate::support::pty::{PtySession, spawn_command};

/// Timeout of a terminal in milliseconds.
const PATIENCE_MS: u64 = 20_000;
/// Starts a call at a terminal.
fn at_terminal(place: &Place, words: &[&str]) -> PtySession {
    let mut command = place.ns();
    command.args(words).stdin(std::process::Stdio::inherit());
    command.env("TERM", "xterm").env("XDG_CONFIG_HOME", place.path("config"));
    spawn_command(command, PATIENCE_MS).expect("a terminal")
}

const DELETE_BOTH: &str = "EMIT FS.DeleteFile(\"a\").error\nEMIT FS.DeleteFile(\"b\", recursive: true).error";

/// Runs a script that deletes `a` and `b`, and types the answers. Returns the output from the last question on.
fn answered(place: &Place, answers: &[&str]) -> String {
    place.write("root/a", "12345");
    place.write("root/b/c", "1");
    place.write("root/b/d", "12");
    let mut session = at_terminal(place, &["run", "-e", DELETE_BOTH]);
    for answer in answers {
        session.exp_string("[n]ever? ").expect("a question");
        session.send_line(answer).expect("an answer");
    }
    session.exp_eof().expect("the end of the run").replace('\r', "")
}

#[test]
fn at_a_terminal_a_person_is_asked_and_the_answers_hold_as_they_say() {
    let policy = "[tools]\nask = [\"FS.Delete*\"]\n";
    let place = Place::new(policy);
    let both = "2 changes; ns undo --sandbox ";
    assert!(answered(&place, &["o", "huh", "once"]).contains(&format!("nil\n{both}")));
    assert!(!place.path("root/a").exists() && !place.path("root/b").exists());
    assert!(answered(&place, &["r"]).contains(&format!("nil\nnil\n{both}")), "the answer holds for the run");
    assert!(answered(&place, &["n"]).contains("refused when a person was asked"));
    assert!(place.path("root/a").exists() && place.path("root/b/c").exists(), "one refusal holds for the run");
    assert_eq!(place.read("policy.toml").as_deref(), Some(policy), "none of these is kept");
}

#[test]
fn a_question_shows_the_plan_of_the_call() {
    let place = Place::new("[policy]\nrequire_confirmation_for_delete = true\n");
    place.write("root/b/c", "1");
    place.write("root/b/d", "12");
    let mut session = at_terminal(&place, &["call", "delete_file", "{\"path\": \"b\", \"recursive\": true}"]);
    let question = session.exp_string("[n]ever? ").expect("a question").replace('\r', "");
    assert!(
        question.contains("`FS.DeleteFile` asks to run: `require_confirmation_for_delete` is true (")
            && question.contains("policy.toml:2)\n"),
        "{question}"
    );
    assert!(question.contains("  path: b/ (2 entries, 3 bytes)\n  recursive: true\n"), "{question}");
    session.send_control('d').expect("the end of the input");
    session.exp_eof().expect("the end of the call");
    assert!(place.path("root/b/d").exists(), "no answer is no leave");
}

#[test]
fn an_answer_for_good_goes_into_the_users_policy_with_its_comments_kept() {
    let policy = "# mine\n[policy]\nread_only = false # for now\n\n[tools]\n# ask me\nask = [\n  \"FS.WriteFile\", # writes\n  \"delete_file\",\n]\n";
    let place = Place::new(policy);
    answered(&place, &["a"]);
    let after = place.read("policy.toml").expect("the policy file");
    for kept in [
        "# mine\n",
        "read_only = false # for now\n",
        "# ask me\n",
        "\"FS.WriteFile\", # writes\n",
        "allow = [\"FS.DeleteFile\"]",
    ] {
        assert!(after.contains(kept), "`{kept}` is missing:\n{after}");
    }
    assert!(!after.contains("delete_file"), "it is no longer in `ask`:\n{after}");
    place.write("root/a", "1");
    assert_eq!(
        place.call("delete_file", json!({"path": "a"})).code,
        0,
        "it holds for the next run, without a terminal"
    );
    assert_eq!(place.refused("write_file", json!({"file_path": "a", "content": ""})).0, "policy_denied");
}

#[test]
fn the_policy_of_the_root_does_not_take_an_answer_for_good() {
    let place = Place::new("");
    place.write("root/neuroscript.toml", "[tools]\nask = [\"FS.DeleteFile\"]\n");
    place.write("root/a", "1");
    let mut command = ns(&place.path("root"));
    command.args(["run", "-e", "EMIT FS.DeleteFile(\"a\").error"]).stdin(std::process::Stdio::inherit());
    let mut session = spawn_command(command, PATIENCE_MS).expect("a terminal");
    let question = session.exp_string("[n]ever? ").expect("a question");
    assert!(!question.contains("lways"), "{question}");
    session.send_line("a").expect("an answer");
    session.exp_string("[n]ever? ").expect("the question again");
    session.send_line("n").expect("an answer");
    session.exp_eof().expect("the end of the run");
    assert!(place.path("root/a").exists());
}

#[test]
fn ctrl_c_at_a_question_ends_the_run_and_nothing_is_done() {
    let place = Place::new("[tools]\nask = [\"FS.DeleteFile\"]\n");
    place.write("root/a", "1");
    let mut session = at_terminal(&place, &["run", "-e", "EMIT FS.DeleteFile(\"a\").error\nEMIT \"on\""]);
    session.exp_string("[n]ever? ").expect("a question");
    session.send_control('c').expect("Ctrl-C");
    let rest = session.exp_eof().expect("the end of the run");
    assert!(!rest.contains("on\r\n"), "{rest}");
    assert!(Path::new(&place.path("root/a")).exists());
}

/// A permanent answer is written to the file whose rule asked; it is not offered if no single file of the user can lift
/// the rule.
#[test]
fn an_answer_for_good_goes_into_the_file_that_asks() {
    let ask = "[tools]\nask = [\"FS.DeleteFile\"]\n";
    let confirm = "[policy]\nrequire_confirmation_for_delete = true\n";
    for rule in [ask, confirm] {
        for (user, named, root, takes) in [
            (rule, "", "", Some("config/neuroscript/neuroscript.toml")),
            ("", rule, "", Some("policy.toml")),
            ("", rule, "[limits]\nmax_steps = 1000\n", Some("policy.toml")),
            (rule, rule, "", None),
            (rule, "", rule, None),
            ("", "", rule, None),
        ] {
            let place = Place::new(named);
            place.write("config/neuroscript/neuroscript.toml", user);
            place.write("root/neuroscript.toml", root);
            place.write("root/a", "1");
            let mut command = place.ns();
            command.env("XDG_CONFIG_HOME", place.path("config")).stdin(std::process::Stdio::inherit());
            command.args(["run", "-e", "EMIT FS.DeleteFile(\"a\").error"]);
            let mut session = spawn_command(command, PATIENCE_MS).expect("a terminal");
            let question = session.exp_string("[n]ever? ").expect("a question");
            assert_eq!(question.contains("[a]lways"), takes.is_some(), "{question}");
            assert_eq!(question.contains("an answer applies to this run at most"), takes.is_none(), "{question}");
            session.send_line(if takes.is_some() { "a" } else { "r" }).expect("an answer");
            session.exp_eof().expect("the end of the run");
            assert!(!place.path("root/a").exists());
            for file in ["config/neuroscript/neuroscript.toml", "policy.toml", "root/neuroscript.toml"] {
                let has_answer = place.read(file).expect("a file").contains("allow = [\"FS.DeleteFile\"]");
                assert_eq!(has_answer, takes == Some(file), "{file}");
            }
        }
    }
}
