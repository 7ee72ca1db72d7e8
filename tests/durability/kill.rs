//! A run is killed at any moment: the tree is in its state after the last acknowledged change or the one in progress;
//! replaced and deleted files are backed up; the next run removes unfinished files; and the run can be undone
//! completely.
//!
//! The run is a child process of this test binary. It makes the same changes each time and acknowledges each one.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use neuroscript::engine::{EmitError, Engine, Invocation, Meter, Options, Output, Script, Value};

use super::{files, folders, unfinished};

const CHILD: &str = "NS_DURABILITY_WRITER";
/// Number of steps of the script. It is killed earlier, unless the killing process is suspended for long; then the
/// script ends by itself, before its log is longer than a script may read (10 MiB).
const STEPS: usize = 2_500;
/// Each step is one change; its number determines which.
const SCRIPT: &str = "\
CALL FS.WriteFile(\"fixed\", \"fixed\")
CALL FS.WriteFile(\"log\", \"\")
FOR EACH i IN RANGE(INT(ARGS[0])) DO
  SET file = \"d/f\" + STR(i % 5)
  SET text = \"begin \" + STR(i) + STR.Repeat(\" \" + STR(i), 3000 + i % 7 * 900) + \" end\"
  SET r = nil
  IF i % 8 == 5 THEN
    SET r = FS.CopyFile(file, \"d/copy\", overwrite: true)
  ELSE IF i % 8 == 6 THEN
    SET r = FS.MoveFile(file, \"d/moved\" + STR(i))
  ELSE IF i % 8 == 7 THEN
    SET r = FS.DeleteFile(\"d/moved\" + STR(i - 1))
  ELSE IF i % 16 == 9 THEN
    SET r = FS.CreateLink(\"d/link\" + STR(i), \"fixed\")
  ELSE IF i % 16 == 11 THEN
    SET r = FS.AppendFile(\"log\", text)
  ELSE IF i % 16 == 12 THEN
    SET r = FS.EditFile(\"log\", \"begin \" + STR(i - 1) + \" \", \"BEGIN \")
  ELSE IF i % 8 == 3 THEN
    SET seen = FS.ReadFile(\"log\")
    SET r = FS.WriteFile(\"log\", seen.content + text, if_match: seen.checksum)
  ELSE
    SET r = FS.WriteFile(file, text)
  ENDBLOCK
  MUST r.error == nil
  EMIT \"done \", i
ENDBLOCK
";

/// Prints each value that a script emits as a line, immediately.
pub struct Lines;

impl Output for Lines {
    fn emit(&mut self, values: &[Value], _: &mut Meter) -> Result<(), EmitError> {
        let line: String =
            values.iter().map(|value| serde_json::to_string(value).expect("JSON").replace('"', "")).collect();
        let mut out = std::io::stdout().lock();
        out.write_all(format!("{line}\n").as_bytes()).and_then(|()| out.flush()).map_err(EmitError::Io)
    }

    fn warn(&mut self, text: &str) {
        eprintln!("{text}");
    }
}

/// Not a test of its own: the child process that is killed.
#[test]
fn writer() {
    let Some(sandbox) = std::env::var_os(CHILD) else { return };
    let engine = Engine::open(&Options { sandbox: Some(sandbox.into()), ..Options::default() }).expect("an engine");
    let outcome =
        engine.run(&Script::new("writer.ns", SCRIPT), &Invocation::verbatim(&[STEPS.to_string()]), Box::new(Lines));
    for finding in &outcome.findings {
        println!("failed: {}", finding.message);
    }
    std::process::exit(i32::from(!outcome.findings.is_empty()));
}

/// The expected tree by path, and every content that was replaced or deleted.
#[derive(Clone, Default)]
struct Model {
    tree: BTreeMap<PathBuf, Vec<u8>>,
    kept: BTreeSet<Vec<u8>>,
}

impl Model {
    /// Applies a step of the script.
    fn step(&mut self, i: usize) {
        let file = PathBuf::from(format!("d/f{}", i % 5));
        let text = format!("begin {i}{} end", format!(" {i}").repeat(3000 + i % 7 * 900)).into_bytes();
        match i % 8 {
            5 => {
                let content = self.tree[&file].clone();
                self.put("d/copy".into(), content);
            }
            6 => {
                let content = self.tree.remove(&file).expect("the file is there");
                self.tree.insert(format!("d/moved{i}").into(), content);
            }
            7 => {
                let content = self.tree.remove(Path::new(&format!("d/moved{}", i - 1))).expect("the file is there");
                self.kept.insert(content);
            }
            // The content is read through the link.
            1 if i % 16 == 9 => self.put(format!("d/link{i}").into(), b"fixed".to_vec()),
            4 if i % 16 == 12 => {
                let log = String::from_utf8(self.tree[Path::new("log")].clone()).expect("the log is text");
                self.put("log".into(), log.replacen(&format!("begin {} ", i - 1), "BEGIN ", 1).into_bytes());
            }
            3 => {
                let content = [self.tree[Path::new("log")].clone(), text].concat();
                self.put("log".into(), content);
            }
            _ => self.put(file, text),
        }
    }

    fn put(&mut self, file: PathBuf, content: Vec<u8>) {
        if let Some(old) = self.tree.insert(file, content) {
            self.kept.insert(old);
        }
    }
}

/// Runs the writer for a moment. Returns the number of acknowledged steps.
fn run_for(place: &Path, moment: Duration) -> usize {
    let mut child = Command::new(std::env::current_exe().expect("this binary"))
        .args(["durability::kill::writer", "--exact", "--nocapture", "--test-threads=1"])
        .env(CHILD, place)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the writer starts");
    let mut lines = BufReader::new(child.stdout.take().expect("output is piped")).lines().map_while(Result::ok);
    let mut acknowledged = 0;
    let mut take = |line: &str| {
        assert!(!line.contains("failed: "), "{line}");
        // The first line follows output of the test harness.
        if let Some(number) = line.split("done ").nth(1) {
            acknowledged = number.parse::<usize>().expect("a number") + 1;
        }
        acknowledged
    };
    while take(&lines.next().expect("the writer begins")) == 0 {}
    std::thread::sleep(moment);
    child.kill().expect("the writer is killed");
    for line in lines {
        take(&line);
    }
    child.wait().expect("the writer ends");
    acknowledged
}

/// Returns a random number below a bound.
pub fn random(below: u64) -> u64 {
    use std::hash::{BuildHasher, Hasher};
    std::collections::hash_map::RandomState::new().build_hasher().finish() % below
}

#[test]
fn a_run_that_is_killed_leaves_every_file_whole() {
    let asked = std::env::var("NS_KILLS").ok().and_then(|kills| kills.parse().ok());
    let moments = asked.unwrap_or(if std::env::var_os("NS_LONG").is_some() { 2_000 } else { 60 });
    let (mut under_way, mut stray) = (0, 0);
    for _ in 0..moments {
        let place = match tempfile::tempdir_in("/dev/shm") {
            Ok(place) => place,
            Err(_) => tempfile::tempdir().expect("a folder for the test"),
        };
        let steps = run_for(place.path(), Duration::from_micros(random(30_000)));
        let mut model = Model::default();
        model.put("fixed".into(), b"fixed".to_vec());
        model.put("log".into(), Vec::new());
        (0..steps).for_each(|step| model.step(step));
        let before = model.clone();
        model.step(steps);
        stray += unfinished(place.path()).len();
        // The next run recovers the one that was killed.
        let options = Options { sandbox: Some(place.path().to_owned()), ..Options::default() };
        let engine = Engine::open(&options).expect("an engine");
        assert_eq!(unfinished(place.path()), Vec::<PathBuf>::new(), "after {steps} steps");
        let tree = files(place.path(), ".ns");
        let is_before = tree == before.tree;
        assert!(is_before || tree == model.tree, "after {steps} steps: {:?}", differences(&tree, &before.tree));
        let kept: BTreeSet<Vec<u8>> = files(&place.path().join(".ns"), "").into_values().collect();
        let lost = before.kept.difference(&kept).count();
        assert_eq!(lost, 0, "after {steps} steps {lost} contents are lost");
        under_way += usize::from(!is_before);
        let undone = engine.undo(None, false, false);
        let undone = undone.unwrap_or_else(|error| panic!("after {steps} steps: {}", error.message));
        assert!(undone.steps >= steps && undone.left.is_empty(), "after {steps} steps: {undone:?}");
        assert_eq!(files(place.path(), ".ns").len() + folders(place.path()).len(), 0, "after {steps} steps");
    }
    println!(
        "{moments} moments: {under_way} between a change and its acknowledgement, {stray} with an unfinished file"
    );
}

fn differences(found: &BTreeMap<PathBuf, Vec<u8>>, expected: &BTreeMap<PathBuf, Vec<u8>>) -> Vec<String> {
    let paths: BTreeSet<&PathBuf> = found.keys().chain(expected.keys()).collect();
    let differ = paths.into_iter().filter(|path| found.get(*path) != expected.get(*path));
    differ
        .map(|path| {
            let length = |tree: &BTreeMap<PathBuf, Vec<u8>>| tree.get(path).map(Vec::len);
            format!("{}: {:?} bytes, not {:?}", path.display(), length(found), length(expected))
        })
        .collect()
}
