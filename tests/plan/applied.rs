//! Applied plans: their results, and that they are ordinary runs.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::plan::Place;

/// The plan, the page and the run that it becomes name the script as `ns log` names that of a run.
#[test]
fn a_plan_names_its_script_by_its_path() {
    let place = Place::new();
    for file in ["d/deep/it's.ns", "../outside.ns"] {
        let script = place.root().join(file);
        fs::write(&script, "SET _words = ARGS\nMUST FS.WriteFile(\"n\", \"x\")\n").expect("a script");
        let script = script.canonicalize().expect("it is there").display().to_string();
        place.ns(0, &["run", &script, "Photos"]);
        let log = place.ns(0, &["--output", "json", "log", "-n", "1"]).stdout;
        let log: serde_json::Value = serde_json::from_str(&log).expect("JSON");
        let command = log[0]["command"].as_str().expect("a command").to_owned();
        assert!(command.contains(if file.starts_with('d') { "run 'd/deep/" } else { "run /" }), "{command}");
        place.ns(0, &["undo"]);
        let plan = place.ns(0, &["run", "--plan=json", &script, "Photos"]).stdout;
        let json: serde_json::Value = serde_json::from_str(&plan).expect("JSON");
        assert_eq!(json["command"], command.as_str());
        let page = place.ns(0, &["run", "--plan=html", &script, "Photos"]).stdout;
        assert!(page.contains(&format!("Plan of {command}<")), "{page}");
        let written = place.folder.path().join("plan.json");
        fs::write(&written, plan).expect("a plan");
        place.apply(0, &written);
        let log = place.ns(0, &["--output", "json", "log", "-n", "1"]).stdout;
        let shown = format!("ns apply ({command})");
        assert!(log.contains(&serde_json::to_string(&shown).expect("JSON")), "{log}");
        assert!(
            place.ns(0, &["--output", "json", "show"]).stdout.contains(&*serde_json::to_string(&shown).expect("JSON"))
        );
        place.ns(0, &["undo"]);
    }
}

/// Two files exchange names; a directory is moved and changed, and another entry takes its place.
const SCRIPT: &str = r#"
MUST FS.MoveFile("a.txt", "aside")
MUST FS.MoveFile("b.txt", "a.txt")
MUST FS.MoveFile("aside", "b.txt")
MUST FS.MoveFile("d/deep", "deep")
MUST FS.WriteFile("deep/g", "other\n")
MUST FS.WriteFile("deep/new/h", "h\n")
MUST FS.DeleteFile("d", recursive: true)
MUST FS.WriteFile("d", "a file now\n")
MUST FS.SetPermissions("a.txt", "600")
"#;

#[test]
fn a_plan_does_what_the_run_does() {
    let place = Place::new();
    let before = place.state();
    let plan = place.plan(SCRIPT);
    assert_eq!(place.state(), before);
    assert!(!place.root().join(".ns").exists(), "planning left something");
    place.ns(0, &["run", "-e", SCRIPT]);
    let after = place.contents();
    place.ns(0, &["undo"]);
    let applied = place.apply(0, &plan);
    let run = place.ns(0, &["--output", "json", "log", "-n", "1"]).stdout;
    let run: serde_json::Value = serde_json::from_str(&run).expect("JSON");
    let id = run[0]["id"].as_str().expect("a short name");
    assert!(applied.stderr.contains(&format!("done (7 changes); `ns undo {id}` takes it back")), "{}", applied.stderr);
    assert_eq!(place.contents(), after);
    place.ns(0, &["undo"]);
    assert_eq!(place.state(), before);
}

/// Times of files, of a directory, of what is moved, and of what the run makes, exact to the nanosecond.
const TIMES: &str = r#"
MUST FS.SetModified("a.txt", "2024-05-01T12:30:00.123456789Z")
MUST FS.MoveFile("b.txt", "moved.txt")
MUST FS.SetModified("moved.txt", "2024-05-02")
MUST FS.WriteFile("new/made.txt", "made")
MUST FS.SetModified("new/made.txt", "2024-05-03")
MUST FS.SetModified("new", "2024-05-04")
MUST FS.SetPermissions("d/deep/g", "600")
MUST FS.SetModified("d/deep/g", "2024-05-05")
MUST FS.SetModified("d/deep", "2024-05-06")
MUST FS.SetModified("d", "2024-05-07")
MUST FS.WriteFile("d/later.txt", "its directory has another time from here on")
"#;

#[test]
fn a_plan_sets_the_times_that_the_run_sets() {
    let place = Place::new();
    let modified = |path: &str| fs::metadata(place.root().join(path)).expect("it is there").modified().expect("a time");
    let paths = ["a.txt", "moved.txt", "new/made.txt", "new", "d/deep/g", "d/deep"];
    let before = place.state();
    let plan = place.plan(TIMES);
    assert_eq!(place.state(), before);
    place.ns(0, &["run", "-e", TIMES]);
    let after = (place.contents(), paths.map(modified));
    place.ns(0, &["undo"]);
    assert_eq!(place.state(), before);
    place.apply(0, &plan);
    assert_eq!((place.contents(), paths.map(modified)), after);
    place.ns(0, &["undo"]);
    assert_eq!(place.state(), before);
}

#[test]
fn it_is_one_run_of_the_log() {
    let place = Place::new();
    let plan = place.plan(SCRIPT);
    place.apply(0, &plan);
    let log = place.ns(0, &["--output", "json", "log"]).stdout;
    let log: serde_json::Value = serde_json::from_str(&log).expect("JSON");
    let command = log[0]["command"].as_str().expect("a text");
    assert!(command.starts_with(r#"ns apply (ns run -e 'MUST FS.MoveFile("a.txt", "aside"); MUST FS."#), "{command}");
    assert_eq!(log.as_array().map(Vec::len), Some(1));
}

#[test]
fn bytes_links_and_times_come_along() {
    let place = Place::new();
    std::os::unix::fs::symlink("../a.txt", place.root().join("d/link")).expect("a link");
    fs::write(place.root().join("bytes"), b"\xff\0\xfe").expect("a file");
    let script = r#"MUST FS.CopyFile("d", "e", recursive: true)
MUST FS.CopyFile("bytes", "bytes2")"#;
    let plan = place.plan(script);
    place.apply(0, &plan);
    assert_eq!(fs::read_link(place.root().join("e/link")).expect("a link"), Path::new("../a.txt"));
    assert_eq!(fs::read(place.root().join("bytes2")).expect("a file"), b"\xff\0\xfe");
    let modified = |name: &str| fs::metadata(place.root().join(name)).and_then(|it| it.modified()).expect("a time");
    assert_eq!(modified("bytes2"), modified("bytes"));
}

#[test]
fn what_is_kept_comes_back_without_being_carried() {
    let place = Place::new();
    let deleted = place.ns(0, &["run", "-e", "EMIT FS.DeleteFile(\"d\", recursive: true)[\"backupPath\"]"]).stdout;
    let plan = place.plan(&format!("MUST FS.RestoreBackup(\"{}\")", deleted.trim()));
    let json = fs::read_to_string(&plan).expect("the plan");
    assert!(json.contains("\"change\":\"restored\"") && !json.contains("\"content\""), "{json}");
    place.apply(0, &plan);
    assert_eq!(fs::read(place.root().join("d/deep/g")).expect("it is back"), b"g\n");
}

#[test]
fn project_memory_is_tried_and_not_kept() {
    let place = Place::new();
    place.ns(0, &["run", "-e", "CALL MEMORY.Set(\"k\", 1, scope: \"project\")"]);
    let script = "CALL MEMORY.Set(\"k\", 2, scope: \"project\")\nEMIT MEMORY.Get(\"k\", scope: \"project\")";
    assert!(place.ns(0, &["run", "--plan", "-e", script]).stdout.starts_with("2\n"));
    let kept = place.ns(0, &["run", "-e", "EMIT MEMORY.Get(\"k\", scope: \"project\")"]).stdout;
    assert_eq!(kept, "1\n");
}

/// The directory `n` is filled from `d` and then takes its name.
#[test]
fn a_folder_takes_the_place_of_the_one_that_it_is_filled_from() {
    let script = "\
MUST FS.CreateDirectory(\"n\")
MUST FS.MoveFile(\"d/f\", \"n/x\")
MUST FS.DeleteFile(\"d\", recursive: true)
MUST FS.MoveFile(\"n\", \"d\")
";
    let place = Place::new();
    let plan = place.plan(script);
    place.apply(0, &plan);
    let planned = place.contents();
    place.ns(0, &["undo"]);
    place.ns(0, &["run", "-e", script]);
    assert_eq!(planned, place.contents());
}

/// The plan, the log, undo and redo report the same number of changes.
#[test]
fn changes_are_counted_alike() {
    let place = Place::new();
    let changes = |ran: &crate::support::Ran| {
        let (before, _) = ran.stderr.split_once(" change").expect("a count");
        before.rsplit([' ', '(']).next().expect("a word").parse::<u64>().expect("a number")
    };
    let logged = || {
        let log = place.ns(0, &["--output", "json", "log"]).stdout;
        let log: serde_json::Value = serde_json::from_str(&log).expect("JSON");
        log[0]["changes"].as_u64().expect("a number")
    };
    for script in [SCRIPT, "MUST FS.DeleteFile(\"d\", recursive: true)", "MUST FS.WriteFile(\"n/m/x\", \"x\")"] {
        let plan = place.plan(script);
        let applied = changes(&place.apply(0, &plan));
        assert_eq!(logged(), applied, "{script}");
        for verb in ["undo", "redo", "undo", "redo", "undo"] {
            let ran = place.ns(0, &[verb]);
            assert_eq!(changes(&ran), applied, "{verb}: {script}: {}", ran.stderr);
            assert_eq!(logged(), applied, "{script}");
        }
        place.ns(0, &["run", "-e", script]);
        let run = logged();
        for verb in ["undo", "redo", "undo"] {
            assert_eq!(changes(&place.ns(0, &[verb])), run, "{verb}: {script}");
        }
    }
}

/// A forced undo and its redo report their number of changes out of the number in the log.
#[test]
fn a_part_is_told_as_one() {
    let place = Place::new();
    place.ns(0, &["run", "-e", "MUST FS.WriteFile(\"one\", \"1\")\nMUST FS.WriteFile(\"two\", \"2\")"]);
    fs::write(place.root().join("one"), "theirs").expect("a file");
    let forced = place.ns(1, &["undo", "--force"]);
    assert!(forced.stderr.contains(": 1 of 2 changes; `ns redo` does it again"), "{}", forced.stderr);
    let redone = place.ns(0, &["redo"]);
    assert!(redone.stderr.contains(": 1 of 2 changes; `ns undo` takes it back"), "{}", redone.stderr);
    assert_eq!(fs::read_to_string(place.root().join("one")).expect("a file"), "theirs");
}

/// A plan that was edited makes no link that leads out of the sandbox, and moves none to where it would.
#[test]
fn an_edited_plan_leads_no_link_out_of_the_sandbox() {
    let place = Place::new();
    place.ns(0, &["run", "-e", "MUST FS.WriteFile(\"f\", \"1\")\nMUST FS.CreateLink(\"a/b/c\", \"f\")"]);
    let plan = place.plan("MUST FS.CreateLink(\"x/l\", \"f\")");
    let text = fs::read_to_string(&plan).expect("a plan");
    for target in ["/etc/passwd", "../../f", "a/../../../f", "/"] {
        let edited = text.replace("\"link\":\"../f\"", &format!("\"link\":\"{target}\""));
        assert_ne!(edited, text);
        fs::write(&plan, edited).expect("a plan");
        let refused = place.apply(4, &plan);
        assert!(refused.stderr.contains(&format!("a link to `{target}` would lead out")), "{}", refused.stderr);
        assert!(!place.root().join("x").exists());
    }
    // The kind that a plan claims does not hide what its content is.
    let (edited, outside) = (text.replace("../f", "/etc/passwd"), "a link to `/etc/passwd` would lead out");
    for claimed in ["file", "folder", "special"] {
        fs::write(&plan, edited.replace("\"kind\":\"link\"", &format!("\"kind\":\"{claimed}\""))).expect("a plan");
        let refused = place.apply(4, &plan);
        assert!(refused.stderr.contains(outside), "{claimed}: {}", refused.stderr);
        assert!(!place.root().join("x").exists());
    }
    fs::write(&plan, text.replace("\"link\":\"../f\"", "\"link\":\"../a\"")).expect("a plan");
    place.apply(0, &plan);
    assert_eq!(fs::read_link(place.root().join("x/l")).expect("a link"), Path::new("../a"));
    for (moved, path, edited) in [("a/b/c", "a/b/z", "z"), ("a/b", "a/z", "z")] {
        let plan = place.plan(&format!("MUST FS.MoveFile(\"{moved}\", \"{path}\")"));
        let text = fs::read_to_string(&plan).expect("a plan");
        let edited = text.replace(&format!("\"path\":\"{path}\""), &format!("\"path\":\"{edited}\""));
        assert_ne!(edited, text);
        fs::write(&plan, edited).expect("a plan");
        let refused = place.apply(4, &plan);
        assert!(refused.stderr.contains("a link to `../../f` would lead out"), "{}", refused.stderr);
        assert!(!place.root().join("z").exists());
    }
}

const NOT_AS_MADE: &str = "warning: the plan is not as `ns` made it for you here";

/// A plan that was edited or made by another user is applied with a warning; the user's own plan without one.
#[test]
fn a_plan_that_is_not_as_made_is_warned_of() {
    let script = "MUST FS.WriteFile(\"n\", \"planned\")";
    let place = Place::new();
    let plan = place.plan(script);
    let text = fs::read_to_string(&plan).expect("a plan");
    assert_eq!(place.apply(0, &plan).stderr.matches("warning").count(), 0);
    place.ns(0, &["undo"]);

    let edits = [text.replace("planned", "edited!"), text.trim_end().to_owned(), text.replacen(":1,", ": 1,", 1)];
    for edited in edits {
        fs::write(&plan, edited).expect("a plan");
        let applied = place.apply(0, &plan);
        assert!(applied.stderr.starts_with(NOT_AS_MADE), "{}", applied.stderr);
        place.ns(0, &["undo"]);
    }
    let stranger = tempfile::tempdir().expect("a folder");
    let mut command = crate::plan::ns(&place.root());
    command.env("XDG_STATE_HOME", stranger.path()).args(["run", "--plan=json", "-e", script]);
    fs::write(&plan, crate::support::run(&mut command).stdout).expect("a plan");
    assert!(place.apply(0, &plan).stderr.starts_with(NOT_AS_MADE));
    // The warning also appears if nothing is applied.
    let again = place.apply(1, &plan);
    assert!(
        again.stderr.starts_with(NOT_AS_MADE) && again.stderr.contains("there is something new"),
        "{}",
        again.stderr
    );
    // A plan from standard input is recognized too.
    place.ns(0, &["undo"]);
    let mut command = crate::plan::ns(&place.root());
    let applied = crate::support::with_input(command.args(["apply", "-"]), &text);
    assert_eq!((applied.code, applied.stderr.contains("warning")), (0, false), "{}", applied.stderr);
}

/// Returns path, owner, group and permission bits of each entry.
fn owners(place: &Place) -> Vec<String> {
    use std::os::unix::fs::MetadataExt;
    let mut owners = Vec::new();
    let mut ahead = vec![place.root()];
    while let Some(folder) = ahead.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let metadata = path.symlink_metadata().expect("an entry");
            if path.file_name().is_some_and(|name| name == ".ns") {
                continue;
            }
            owners.push(format!("{} {}:{} {:o}", path.display(), metadata.uid(), metadata.gid(), metadata.mode()));
            if metadata.is_dir() {
                ahead.push(path);
            }
        }
    }
    owners.sort();
    owners.iter().map(|line| line.replace(&*place.root().to_string_lossy(), "")).collect()
}

/// Files of other users: what a plan makes belongs to whom the run would have given it.
#[test]
fn a_plan_keeps_owners() {
    use std::os::unix::fs::chown;
    if !rustix::process::geteuid().is_root() {
        println!("SKIPPED: only root makes files of other users");
        return;
    }
    let foreign = || {
        let place = Place::new();
        for (path, user, group) in [("a.txt", 1000, 1001), ("d", 1000, 0), ("d/f", 0, 1001), ("d/deep/g", 1002, 1002)] {
            chown(place.root().join(path), Some(user), Some(group)).expect("root gives files away");
        }
        // After the owners, which clear the first two of these bits.
        for (path, mode) in [("a.txt", 0o6755), ("b.txt", 0o4711), ("d", 0o3777), ("d/f", 0o1644), ("d/deep", 0o2755)] {
            fs::set_permissions(place.root().join(path), fs::Permissions::from_mode(mode)).expect("a mode");
        }
        place
    };
    for script in [
        "MUST FS.CopyFile(\"b.txt\", \"new.txt\")",
        "MUST FS.SetPermissions(\"a.txt\", \"600\")\nMUST FS.SetPermissions(\"d\", \"700\")",
        "MUST FS.WriteFile(\"a.txt\", \"two\")",
        "MUST FS.EditFile(\"a.txt\", \"one\", \"two\")\nMUST FS.MoveFile(\"a.txt\", \"c.txt\")",
        "MUST FS.CopyFile(\"d\", \"e\", recursive: true)",
        "MUST FS.CopyFile(\"b.txt\", \"a.txt\", overwrite: true)",
        "MUST FS.AppendFile(\"a.txt\", \"x\")\nMUST FS.MoveFile(\"d\", \"d2\")\nMUST FS.WriteFile(\"d2/f\", \"new\")",
        "MUST FS.DeleteFile(\"a.txt\")\nMUST FS.WriteFile(\"a.txt\", \"new\")",
    ] {
        let (run, planned) = (foreign(), foreign());
        let before = owners(&planned);
        run.ns(0, &["run", "-e", script]);
        let plan = planned.plan(script);
        planned.apply(0, &plan);
        assert_eq!(owners(&planned), owners(&run), "{script}");
        planned.ns(0, &["undo"]);
        assert_eq!(owners(&planned), before, "{script}");
    }
    // A plan that somebody edited gives nothing away, and lets no file run as its owner.
    let place = foreign();
    let plan = place.plan("MUST FS.WriteFile(\"a.txt\", \"two\")\nMUST FS.SetPermissions(\"d/f\", \"755\")");
    let text = fs::read_to_string(&plan).expect("a plan");
    let edited = text.replace("\"owner\":[1000,1001]", "\"owner\":[1002,1002]");
    assert_ne!(edited, text);
    let (kept, widened) = (format!("\"mode\":{}}}", 0o755), format!("\"mode\":{}}}", 0o4755));
    assert!(edited.contains(&kept), "{edited}");
    let edited = edited.replace(&kept, &widened);
    fs::write(&plan, edited).expect("a plan");
    assert!(place.apply(0, &plan).stderr.contains("not as `ns` made it"));
    for expected in ["/a.txt 0:0 100755", "/d/f 0:1001 100755"] {
        assert!(owners(&place).contains(&expected.to_owned()), "{expected}: {:?}", owners(&place));
    }
}
