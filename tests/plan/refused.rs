//! Refused plans leave no trace.

use std::fs;

use crate::plan::Place;

/// A change of a root in the meantime.
type Change = fn(&std::path::Path);

#[test]
fn a_plan_of_a_tree_that_moved_on() {
    let script = "MUST FS.WriteFile(\"a.txt\", \"new\")\nMUST FS.DeleteFile(\"d\", recursive: true)\n\
                  MUST FS.MoveFile(\"b.txt\", \"c.txt\")\nMUST FS.WriteFile(\"n/x\", \"x\")";
    let changes: [(&str, Change); 6] = [
        ("`a.txt`: it was changed since", |root| fs::write(root.join("a.txt"), "mine").expect("a file")),
        ("`d`: something in it was changed since", |root| fs::write(root.join("d/deep/g"), "mine").expect("a file")),
        ("`d`: something in it was changed since", |root| fs::write(root.join("d/new"), "mine").expect("a file")),
        ("`c.txt`: `b.txt` is no longer there", |root| fs::remove_file(root.join("b.txt")).expect("it goes")),
        ("`c.txt`: there is something new", |root| fs::write(root.join("c.txt"), "mine").expect("a file")),
        ("`n`: there is something new", |root| fs::create_dir(root.join("n")).expect("a folder")),
    ];
    for (reason, change) in changes {
        let place = Place::new();
        let plan = place.plan(script);
        change(&place.root());
        let before = place.state();
        let ran = place.apply(1, &plan);
        assert!(ran.stderr.contains(reason), "{reason}: {}", ran.stderr);
        assert_eq!(place.state(), before, "{reason}");
    }
}

#[test]
fn a_plan_is_done_once() {
    let place = Place::new();
    let plan = place.plan("MUST FS.WriteFile(\"n\", \"x\")");
    place.apply(0, &plan);
    assert!(place.apply(1, &plan).stderr.contains("`n`: there is something new"));
}

#[test]
fn the_plan_of_a_run_that_failed() {
    let place = Place::new();
    let before = place.state();
    let plan = place.folder.path().join("failed.json");
    let script = "MUST FS.WriteFile(\"n\", \"x\")\nFAIL \"no\"";
    fs::write(&plan, place.ns(1, &["run", "--plan=json", "-e", script]).stdout).expect("a plan");
    assert!(place.apply(1, &plan).stderr.contains("it is the plan of a run that failed"));
    let atomic = place.ns(1, &["run", "--atomic", "--plan=json", "-e", script]).stdout;
    assert!(atomic.contains("\"changes\":[]"), "{atomic}");
    assert_eq!(place.state(), before);
}

/// Writes a plan of an attacker with a forbidden change.
fn written(place: &Place, change: &str) -> std::path::PathBuf {
    use std::os::unix::fs::MetadataExt;
    let inode = fs::metadata(place.root()).expect("the root").ino();
    let plan = place.folder.path().join("written.json");
    let head = format!("{{\"plan\":1,\"command\":\"x\",\"failed\":false,\"root\":{inode},\"changes\":[");
    fs::write(&plan, format!("{head}{change}]}}")).expect("a plan");
    plan
}

#[test]
fn places_that_no_plan_may_name() {
    let place = Place::new();
    std::os::unix::fs::symlink(place.folder.path(), place.root().join("out")).expect("a link");
    let outside = place.folder.path().join("secret");
    fs::write(&outside, "secret").expect("a file");
    let before = (place.state(), fs::read(&outside).expect("it is there"));
    let state = "{\"kind\":\"file\",\"inode\":1,\"size\":1,\"mode\":420}";
    for path in [
        "../secret",
        "/etc/x",
        ".ns/x",
        ".NS/x",
        "neuroscript.toml",
        "d/.ns/x",
        "d/new/.NS",
        "d/neuroscript.toml",
        "d/deep/NEUROS~1.TOM",
        "a/../../x",
        "./x",
        "d//x",
        "",
        "d/",
        "out/secret",
        "out/new",
    ] {
        let change =
            format!("{{\"path\":\"{path}\",\"change\":\"created\",\"now\":{state},\"content\":{{\"text\":\"x\"}}}}");
        let ran = crate::support::run(crate::plan::ns(&place.root()).arg("apply").arg(written(&place, &change)));
        assert_ne!(ran.code, 0, "{path:?}");
        assert_eq!((place.state(), fs::read(&outside).expect("it is there")), before, "{path:?}");
        assert!(!place.folder.path().join("new").exists(), "{path:?}");
    }
    for (from, deed) in
        [("../secret", "moved"), (".ns/audit.jsonl", "restored"), (".ns/memory.db", "moved"), ("out/secret", "moved")]
    {
        let change = format!("{{\"path\":\"n\",\"change\":\"{deed}\",\"now\":{state},\"from\":[\"{from}\",{state}]}}");
        let ran = crate::support::run(crate::plan::ns(&place.root()).arg("apply").arg(written(&place, &change)));
        assert_ne!(ran.code, 0, "{from:?}");
        assert_eq!((place.state(), fs::read(&outside).expect("it is there")), before, "{from:?}");
    }
}

#[test]
fn what_the_policy_refuses() {
    let place = Place::new();
    let plan = place.plan("MUST FS.WriteFile(\"d/n\", \"x\")");
    let before = place.state();
    assert!(place.ns(4, &["--read-only", "apply", plan.to_str().expect("text")]).stderr.contains("read-only"));
    fs::write(place.root().join("neuroscript.toml"), "[policy]\nblocked_directories = [\"d\"]\n").expect("a policy");
    let ran = place.apply(4, &plan);
    assert!(ran.stderr.contains("the plan may not change 1 path: `d/n`"), "{}", ran.stderr);
    fs::remove_file(place.root().join("neuroscript.toml")).expect("it goes");
    assert_eq!(crate::support::contents_of(&place.root()).len(), before.len());
}

/// A refusal while a run is planned is in the plan, in every form, and in the audit log of the user state: nothing
/// changes below the root.
#[test]
fn refusals_of_a_planned_run_are_on_record() {
    let place = Place::new();
    let script = "SET r = FS.ReadFile(\"../up\")\nSET w = FS.WriteFile(\"x/../../up\", \"secret\")\n\
                  FOR EACH n IN RANGE(1, 300) DO\n  SET r = FS.ReadFile(\"../up\" + STR(n % 200))\nEND\n\
                  MUST FS.WriteFile(\"n\", \"x\")";
    let before = place.state();
    let text = place.ns(0, &["run", "--plan", "-e", script]).stdout;
    let refused = text.split_once("\nrefused while it was planned:\n").expect("a heading").1;
    assert!(refused.starts_with("  FS.ReadFile: ") && refused.contains("\n  FS.WriteFile: "), "{text}");
    assert!(refused.lines().count() == 101 && refused.ends_with(" more\n") && !refused.contains("secret"), "{text}");
    let html = place.ns(0, &["run", "--plan=html", "-e", script]).stdout;
    assert!(html.contains("<li>FS.WriteFile: "), "{html}");
    let json = place.ns(0, &["run", "--plan=json", "-e", script]).stdout;
    let plan: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(plan["refused"]["calls"][0]["tool"], "FS.ReadFile");
    assert_eq!(plan["refused"]["calls"].as_array().map(Vec::len), Some(100));
    let nothing = place.ns(0, &["run", "--plan", "-e", "SET r = FS.ReadFile(\"../up\")"]).stdout;
    let told = "plan: nothing would be changed\nrefused while it was planned:\n  FS.ReadFile: ";
    assert!(nothing.starts_with(told), "{nothing}");
    assert_eq!(place.state(), before, "not even in `.ns`");

    let log = place.ns(0, &["audit", "show", "--state", "--output", "json", "--limit", "1000"]).stdout;
    let lines: serde_json::Value = serde_json::from_str(&log).expect("JSON");
    let lines = lines.as_array().expect("lines");
    let written = lines.iter().filter(|line| line["tool"] == "FS.WriteFile");
    assert_eq!(written.count(), 3, "refused ones, and no planned change: {log}");
    for line in lines {
        let command = line["command"].as_str().expect("a command");
        assert!(line["outcome"] == "refused" && command.ends_with(" (planned)"), "{line}");
    }
    place.ns(0, &["audit", "verify", "--state"]);

    let file = place.folder.path().join("plan.json");
    fs::write(&file, json).expect("a plan");
    place.apply(0, &file);
    assert!(!place.ns(0, &["run", "--plan", "-e", "EMIT 1"]).stdout.contains("refused"));
}

/// Moves that wait for each other without an end are named.
#[test]
fn changes_that_contradict_are_named() {
    let place = Place::new();
    let plan = place.plan("MUST FS.CreateDirectory(\"n\")\nMUST FS.MoveFile(\"a.txt\", \"n/a\")");
    let text = fs::read_to_string(&plan).expect("a plan");
    let without: Vec<&str> = text.lines().filter(|line| !line.starts_with(r#"{"path":"n","#)).collect();
    assert_eq!(without.len() + 1, text.lines().count(), "{text}");
    fs::write(&plan, without.join("\n")).expect("a plan");
    let before = place.state();
    let ran = crate::support::run(crate::plan::ns(&place.root()).arg("apply").arg(&plan));
    assert!(
        ran.code != 0 && ran.stderr.contains("error[bad_args]: the changes of the plan contradict each other"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("`n/a`: `a.txt` would be moved there"), "{}", ran.stderr);
    assert_eq!(place.state(), before);
}

#[test]
fn texts_that_are_no_plan() {
    let place = Place::new();
    let plan = place.folder.path().join("plan");
    let folder = place.folder.path().display().to_string();
    let texts = [
        ("", "it is no plan file: it ends too early"),
        ("# a script\nEMIT 1\n", "it is no plan file: it is not JSON, in line 1, column 1"),
        ("[]", "it is no plan file"),
        ("{\"plan\":1}", "the key `command` is missing"),
        ("{\"plan\":2,\"command\":\"x\",\"failed\":false,\"root\":1,\"changes\":[]}", "it has form 2"),
        ("{\"plan\":1,\"command\":\"x\",\"failed\":false,\"root\":1,\"changes\":[]}", "made for another directory"),
        (
            "{\"plan\":1,\"command\":\"x\",\"failed\":false,\"root\":1,\"changes\":[]} more",
            "more text follows the plan, in line 1",
        ),
    ];
    for (text, reason) in texts {
        fs::write(&plan, text).expect("a file");
        let ran = crate::support::run(crate::plan::ns(&place.root()).arg("apply").arg(&plan));
        assert!(ran.code != 0 && ran.stderr.contains(reason), "{text}: {}", ran.stderr);
    }
    assert!(place.ns(2, &["apply", &folder]).stderr.contains("it is a directory"));
    assert!(place.ns(2, &["apply", "/nonexistent"]).stderr.contains("No such file"));
}

#[test]
fn nothing_is_planned_where_temporary_files_lie() {
    let place = Place::new();
    let ran = crate::support::run(
        crate::plan::ns(&place.root()).env("TMPDIR", place.root().join("d")).args(["run", "--plan", "-e", "EMIT 1"]),
    );
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("the directory for temporary files lies below it"), "{}", ran.stderr);
    assert_eq!(fs::read_dir(place.root().join("d")).expect("it is there").count(), 2);
}
