//! The barrier: what was changed is durable before anything that tells of it leaves the process, and many changes are
//! made durable at once. Seen from outside, by the system calls of `ns`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::{files, unfinished};
use crate::support::{Ran, has_strace, ns, run, strace};

/// Renames every file and acknowledges each one.
const RENAMES: &str =
    "FOR EACH f IN FS.Find(\".\", \"*.txt\") DO\nMUST FS.MoveFile(f.path, f.path + \".new\")\nEMIT f.path\nEND\n";
/// The same, without a word.
const QUIET: &str = "FOR EACH f IN FS.Find(\".\", \"*.txt\") DO\nMUST FS.MoveFile(f.path, f.path + \".new\")\nEND\n";
/// Replaces a text in every file.
const EDITS: &str = "FOR EACH f IN FS.Find(\".\", \"*.txt\") DO\nMUST FS.EditFile(f.path, \"old\", \"new\")\nEND\n";

/// Replaces a text in every file, in one call.
const REPLACES: &str = "MUST FS.ReplaceInFiles(\".\", \"old\", \"new\")\n";

/// Returns a sandbox with so many files.
pub(super) fn sandbox(files: usize) -> tempfile::TempDir {
    let place = super::folder_on_disk();
    for number in 0..files {
        fs::write(place.path().join(format!("f{number:04}.txt")), "old").expect("a file");
    }
    place
}

/// Runs `ns` under `strace` with these options; returns what it did, and the trace.
pub(super) fn traced(place: &Path, options: &[&str], words: &[&str]) -> (Ran, String) {
    let trace = tempfile::NamedTempFile::new().expect("a file for the trace");
    let options = [&["-y", "-s", "100000"], options].concat();
    let ran = run(&mut strace(ns(place).args(words), trace.path(), &options));
    (ran, fs::read_to_string(trace.path()).expect("a trace"))
}

/// Whether a line of a trace begins a sync of the journal.
pub(super) fn is_sync_of_journal(line: &str) -> bool {
    line.contains("fdatasync(") && line.contains("/.ns/runs/")
}

#[test]
fn a_line_of_output_leaves_after_its_change_is_durable() {
    if !has_strace() {
        return;
    }
    const FILES: usize = 300;
    let place = sandbox(FILES);
    let (ran, trace) = traced(place.path(), &["-e", "trace=write,renameat2,fdatasync"], &["run", "-e", RENAMES]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let (mut renamed, mut syncing, mut durable, mut told, mut syncs) = (0, 0, 0, 0, 0);
    for line in trace.lines() {
        if line.contains("renameat2(") && line.contains(".txt.new\"") {
            renamed += 1;
        } else if is_sync_of_journal(line) {
            (syncing, syncs) = (renamed, syncs + 1);
        }
        // A call that another thread interrupts is written in two lines; the second one has the result.
        if line.contains("fdatasync") && line.ends_with("= 0") {
            durable = syncing;
        } else if line.contains("write(1<") {
            told += line.matches(".txt\\n").count();
            assert!(told <= durable, "{told} lines tell of {durable} durable changes of {renamed}");
        }
    }
    assert_eq!((renamed, told), (FILES, FILES));
    assert!(syncs < FILES / 2, "{syncs} syncs for {FILES} changes");
}

#[test]
fn project_memory_is_written_after_the_changes_before_it_are_durable() {
    if !has_strace() {
        return;
    }
    let place = sandbox(1);
    let script =
        "MUST FS.MoveFile(\"f0000.txt\", \"moved\")\nMUST MEMORY.Set(\"is_moved\", true, scope: \"project\")\n";
    let calls = "trace=pwrite64,write,renameat2,fdatasync";
    let (ran, trace) = traced(place.path(), &["-e", calls], &["run", "-e", script]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let at = |is: &dyn Fn(&str) -> bool| trace.lines().position(is).expect("it is there");
    let renamed = at(&|line| line.contains("renameat2(") && line.contains("\"moved\""));
    let synced = renamed + trace.lines().skip(renamed).position(is_sync_of_journal).expect("the journal is synced");
    let is_memory = |line: &str| line.contains("/.ns/memory.db") && line.contains("is_moved");
    assert!(synced < at(&|line| is_memory(line)), "{trace}");
}

/// Returns how often each system call is made for one file more, times 200.
fn calls_for_200(script: &str, names: [&str; 5], policy: &str) -> [usize; 5] {
    let count = |files: usize| {
        let place = sandbox(files);
        fs::write(place.path().join("neuroscript.toml"), policy).expect("a policy");
        let (ran, trace) = traced(place.path(), &["-e", &format!("trace={}", names.join(","))], &["run", "-e", script]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        names.map(|name| trace.lines().filter(|line| line.contains(&format!(" {name}("))).count())
    };
    let (few, many) = (count(10), count(210));
    std::array::from_fn(|at| many[at].saturating_sub(few[at]))
}

#[test]
fn many_changes_need_few_system_calls() {
    if !has_strace() {
        return;
    }
    let names = ["statx", "openat2", "mkdirat", "fdatasync", "fsync"];
    let [looks, opens, makes, records, syncs] = calls_for_200(QUIET, names, "");
    assert!(looks <= 6 * 200 + 20 && opens <= 3 * 200 && makes == 0, "a rename: {looks} {opens} {makes} for 200");
    assert!(records + syncs <= 4, "renames are synced together: {records} {syncs}");
    let [looks, opens, makes, records, syncs] = calls_for_200(EDITS, names, "");
    assert!(looks <= 17 * 200 + 20 && opens <= 5 * 200 && makes <= 210, "an edit: {looks} {opens} {makes}");
    assert!(records + syncs <= 420, "an edit waits for its record and its content: {records} {syncs}");
    let [.., records, syncs] = calls_for_200(REPLACES, names, "");
    assert!(records + syncs <= 210, "edits of one call wait for a common record and their contents: {records} {syncs}");
    let [.., records, _] = calls_for_200(QUIET, names, "[policy]\ndurability = \"each\"\n");
    assert!(records >= 200, "each rename is synced: {records}");
}

/// Changes the metadata of a file and of the directory that has it.
const METADATA: &str = "MUST FS.SetPermissions(\"at/f\", \"600\")\n\
    MUST FS.SetModified(\"at/f\", \"2024-05-01T12:00:00Z\")\n\
    MUST FS.SetPermissions(\"at\", \"700\")\nEMIT \"done\"\n";
const CHILD: &str = "NS_BARRIER_MOUNTS";

/// Checks that each change of metadata syncs the file system of `at`, before a line of output tells of it.
fn check_each_is_synced(place: &Path) {
    let (ran, trace) = traced(place, &["-e", "trace=syncfs,write"], &["run", "-e", METADATA]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let before = trace.lines().take_while(|line| !line.contains("write(1<"));
    let at = place.canonicalize().expect("it is there").join("at");
    let is_of_at = |line: &&str| line.contains("syncfs(") && line.contains(&format!("<{}>", at.display()));
    assert_eq!(before.filter(is_of_at).count(), 3, "{trace}");
}

/// No directory makes permission bits and times durable, so the file system of the entry is synced.
#[test]
fn each_change_of_metadata_is_synced_if_the_policy_says_so() {
    if !has_strace() {
        return;
    }
    let place = sandbox(0);
    fs::create_dir(place.path().join("at")).and_then(|()| fs::write(place.path().join("at/f"), "")).expect("a file");
    fs::write(place.path().join("neuroscript.toml"), "[policy]\ndurability = \"each\"\n").expect("a policy");
    check_each_is_synced(place.path());
}

/// The barrier syncs the file system of the journal, and not another one.
#[test]
fn each_change_of_metadata_on_another_file_system_is_synced() {
    if !has_strace() {
        return;
    }
    let own = std::env::current_exe().expect("this binary");
    let mut command = Command::new("unshare");
    let worker = ["durability::barrier::mounting_worker", "--exact", "--nocapture"];
    let ran = run(command.arg("--mount").arg(own).args(worker).env(CHILD, "1"));
    if ran.stderr.contains("unshare failed") {
        println!("SKIPPED: nothing can be mounted: {}", ran.stderr);
        return;
    }
    assert!(ran.code == 0 && ran.stdout.contains("each is synced"), "{}{}", ran.stdout, ran.stderr);
}

/// Not a test of its own: runs where another file system can be mounted.
#[test]
fn mounting_worker() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let place = sandbox(0);
    let at = place.path().join("at");
    fs::create_dir(&at).expect("a directory");
    let mounted = Command::new("mount").args(["-t", "tmpfs", "tmpfs"]).arg(&at).status();
    assert!(mounted.is_ok_and(|status| status.success()), "it is mounted");
    fs::write(at.join("f"), "").expect("a file");
    check_each_is_synced(place.path());
    println!("each is synced");
    Command::new("umount").arg(&at).status().expect("it is unmounted");
}

/// A change that was made is told as made, and that it may be lost.
#[test]
fn what_cannot_be_made_durable_is_reported() {
    if !has_strace() {
        return;
    }
    let fails = ["-e", "trace=fdatasync", "-e", "inject=fdatasync:error=EIO"];
    let script = "MUST FS.MoveFile(\"f0000.txt\", \"moved\")\n";
    let json = "{\"source\": \"f0000.txt\", \"destination\": \"moved\"}";
    for words in [&["run", "-e", script][..], &["call", "move_file", json]] {
        let place = sandbox(1);
        let (ran, _) = traced(place.path(), &fails, words);
        assert_eq!(ran.code, 1, "{words:?}: {} {}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("may not outlive a power cut"), "{words:?}: {}", ran.stderr);
        assert!(place.path().join("moved").exists(), "{words:?}");
        let undone = run(ns(place.path()).arg("undo"));
        assert_eq!(undone.code, 0, "{}", undone.stderr);
        assert!(place.path().join("f0000.txt").exists(), "{words:?}");
    }
    // An atomic run that is not durable is not done.
    let place = sandbox(1);
    let fails = ["-e", "trace=fdatasync", "-e", "inject=fdatasync:error=EIO:when=2+"];
    let (ran, _) = traced(place.path(), &fails, &["run", "--atomic", "-e", script]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
}

/// A call that replaces a text in many files journals several before it writes the first. If it is killed then, somebody
/// may replace the others before the next start: these files are theirs.
#[test]
fn a_file_that_a_killed_call_did_not_reach_belongs_to_who_replaced_it() {
    if !has_strace() {
        return;
    }
    const FILES: usize = 20;
    for (kill, least) in [("fdatasync:signal=KILL:when=1", FILES), ("renameat2:signal=KILL:when=5", FILES - 5)] {
        let place = sandbox(FILES);
        let options = ["-e", "trace=fdatasync,renameat2", "-e", &format!("inject={kill}")];
        let (_, trace) = traced(place.path(), &options, &["run", "-e", REPLACES]);
        assert!(trace.contains("+++ killed by SIGKILL +++") && trace.lines().any(is_sync_of_journal), "{trace}");
        let path = |number: usize| place.path().join(format!("f{number:04}.txt"));
        let text = |number: usize| fs::read_to_string(path(number)).expect("a file");
        let untouched: Vec<usize> = (0..FILES).filter(|number| text(*number) == "old").collect();
        assert!(untouched.len() >= least, "{kill}: {untouched:?}");
        for number in &untouched {
            let theirs = place.path().join("theirs");
            fs::write(&theirs, "of somebody else").and_then(|()| fs::rename(&theirs, path(*number))).expect("a file");
        }
        let undone = run(ns(place.path()).arg("undo"));
        assert_eq!(undone.code, i32::from(untouched.len() == FILES), "{kill}: {}", undone.stderr);
        for number in 0..FILES {
            let expected = if untouched.contains(&number) { "of somebody else" } else { "old" };
            assert_eq!(text(number), expected, "{kill}: {number}");
        }
    }
}

/// Files are journaled, written, synced and put in their places 64 at a time. Wherever that is killed, each file is whole.
#[test]
fn a_call_that_edits_many_files_is_killed_anywhere() {
    if !has_strace() {
        return;
    }
    const FILES: usize = 70;
    let mut halves = 0;
    // The calls of each thread are counted by themselves.
    for (call, step) in [("openat2", 150), ("write", 60), ("fdatasync", 1), ("renameat2", 20)] {
        for when in (1..=3).map(|time| time * step) {
            let place = sandbox(FILES);
            let kill = format!("inject={call}:signal=KILL:when={when}");
            let (_, trace) =
                traced(place.path(), &["-e", &format!("trace={call}"), "-e", &kill], &["run", "-e", REPLACES]);
            assert!(trace.contains("+++ killed by SIGKILL +++"), "{kill}: {trace}");
            let recovered = run(ns(place.path()).arg("log"));
            let texts = || files(place.path(), ".ns").into_values();
            let new = texts().filter(|text| text == b"new").count();
            assert_eq!(texts().filter(|text| text == b"old").count(), FILES - new, "{kill}: {}", recovered.stderr);
            assert_eq!(unfinished(place.path()), Vec::<PathBuf>::new(), "{kill}");
            halves += usize::from(new > 0 && new < FILES);
            let undone = run(ns(place.path()).arg("undo"));
            assert_eq!(undone.code, i32::from(new == 0), "{kill}: {}", undone.stderr);
            assert!(texts().all(|text| text == b"old"), "{kill}: {}", undone.stderr);
        }
    }
    assert!(halves >= 4, "{halves} runs were killed between the first and the last file");
}

/// A call that does all or nothing, and one of whose later files is refused when others are in their places already.
#[test]
fn directories_keep_their_times_if_edits_of_one_call_are_taken_back() {
    for least in [10, 40] {
        let place = sandbox(60);
        for name in ["a", "b"] {
            fs::create_dir(place.path().join(name)).expect("a directory");
            for number in 10..60 {
                let text = if (name, number) == ("a", least) { "old ".repeat(2_000) } else { "old".to_owned() };
                fs::write(place.path().join(format!("{name}/f{number}.txt")), text).expect("a file");
            }
        }
        fs::write(place.path().join("neuroscript.toml"), "[policy]\nmax_file_size = 10_000\n").expect("a policy");
        // The first run makes `.ns`.
        run(ns(place.path()).args(["run", "-e", "MUST FS.CreateDirectory(\"c\")"]));
        let time =
            |name: &str| fs::metadata(place.path().join(name)).and_then(|found| found.modified()).expect("a time");
        let times = || ["", "a", "b"].map(time);
        let before = times();
        let edit = "FS.ReplaceInFiles(\".\", \"old\", \"older or newer\", all_or_nothing: true)";
        let ran = run(ns(place.path()).args(["run", "-e", &format!("EMIT {edit}.error")]));
        assert!(ran.stdout.contains("nothing was done") && ran.stdout.contains("max_file_size"), "{}", ran.stdout);
        assert_eq!(times(), before, "{least}");
        // Without that, the file is left out, and undo gives the times back.
        let edit = edit.replace("true", "false");
        let ran = run(ns(place.path()).args(["run", "-e", &format!("EMIT {edit}.error")]));
        assert!(ran.stdout.contains("1 of 160 items failed"), "{}", ran.stdout);
        assert_eq!(run(ns(place.path()).arg("undo")).code, 0);
        assert_eq!(times(), before, "{least}");
    }
}

/// Handles of files that are written at the same time are fewer where a process may have few.
#[test]
fn edits_of_one_call_need_few_open_files() {
    let place = sandbox(150);
    let command = ns(place.path());
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -n 64 && exec \"$0\" run -e \"$1\""]).arg(command.get_program()).arg(REPLACES);
    limited.current_dir(place.path());
    let ran = run(&mut limited);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(files(place.path(), ".ns").into_values().all(|text| text == b"new"));
}

/// A power failure may cut off the records of the last changes, or leave zeros in their place. The others are undone.
#[test]
fn a_journal_without_its_last_records_is_undone_as_far_as_it_goes() {
    const FILES: usize = 20;
    const RECORDED: usize = 12;
    for zeros in [0, 5_000] {
        let place = sandbox(FILES);
        let script = format!("{QUIET}SET line = IO.Input(\"\")\n");
        let mut child = ns(place.path()).args(["run", "-e", &script]).stdin(Stdio::piped()).spawn().expect("it runs");
        let name = |number: usize, is_new: bool| format!("f{number:04}.txt{}", if is_new { ".new" } else { "" });
        while !(0..FILES).all(|number| place.path().join(name(number, true)).exists()) {
            assert!(child.try_wait().expect("its state").is_none(), "it waits for a line");
            std::thread::sleep(Duration::from_millis(5));
        }
        child.kill().and_then(|()| child.wait()).expect("it is killed");
        let open = fs::read_dir(place.path().join(".ns/runs/open")).expect("a folder").next().expect("a journal");
        let journal = open.expect("an entry").path();
        let text = fs::read_to_string(&journal).expect("a journal");
        // The header, and two records for each step.
        let whole: usize = text.split_inclusive('\n').take(1 + 2 * RECORDED).map(str::len).sum();
        fs::write(&journal, [&text.as_bytes()[..whole + 30], &vec![0; zeros]].concat()).expect("it is cut");
        let undone = run(ns(place.path()).arg("undo"));
        assert_eq!(undone.code, 0, "{}", undone.stderr);
        let left: Vec<usize> = (0..FILES).filter(|number| place.path().join(name(*number, true)).exists()).collect();
        assert_eq!(left, (RECORDED..FILES).collect::<Vec<_>>(), "{zeros}: {}", undone.stderr);
        assert!((0..RECORDED).all(|number| place.path().join(name(number, false)).exists()));
    }
}
