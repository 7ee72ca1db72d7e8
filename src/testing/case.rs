//! One case: sets it up, runs it, and compares or updates its golden files.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::engine::{Found, Script, TestFolder, Words, describe_script};
use crate::options::Global;

use super::find::Case;
use super::golden::{self, Actual, Difference};
use super::head::Head;
use super::process::{self, Start, TIMEOUT};
use super::redact::Redaction;
use super::sandbox::Sandbox;

/// Settings for all cases of a run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Options of the command line, which the head of a script can narrow. Paths are absolute.
    pub global: Global,
    /// Redactions for all scripts.
    pub redactions: Vec<Redaction>,
    /// Whether to write golden files instead of comparing them.
    pub update: bool,
    /// The program that runs scripts.
    pub program: PathBuf,
    /// The directory for the sandboxes.
    pub home: PathBuf,
}

/// The outcome of a case.
#[derive(Debug)]
pub enum Outcome {
    /// The output matches.
    Passed,
    /// The output differed; these golden files were updated.
    Updated(Vec<String>),
    /// The output differs.
    Failed(Vec<Difference>),
    /// The case could not be run or compared.
    Faulty(String),
}

/// The result of a case.
#[derive(Debug)]
pub struct Verdict {
    /// The name of the case.
    pub name: String,
    /// The script.
    pub script: PathBuf,
    /// The outcome.
    pub outcome: Outcome,
    /// The duration.
    pub took: Duration,
}

/// Runs a case and compares or updates its golden files.
pub fn run(case: &Case, settings: &Settings, stop: &AtomicBool) -> Verdict {
    let begin = Instant::now();
    let outcome = attempt(case, settings, stop).unwrap_or_else(Outcome::Faulty);
    Verdict { name: case.name.clone(), script: case.script_path(), outcome, took: begin.elapsed() }
}

fn attempt(case: &Case, settings: &Settings, stop: &AtomicBool) -> Result<Outcome, String> {
    let folders = Folders { tests: TestFolder::open(&case.top)?, golden: TestFolder::open(&case.golden)? };
    let Folders { tests, golden } = &folders;
    let script = tests.read(&case.script)?.ok_or("the script is gone")?;
    let mut head = Head::of(&script).map_err(|(line, message)| at_line(case, line, &message))?;
    if let Some(lines) = golden.read(&case.part("args"))? {
        head.args = lines.lines().map(str::to_owned).collect();
    }
    let setup = case.setup(golden)?;
    let times = golden.read(&case.part("times"))?;
    let sandbox = Sandbox::new(&settings.home, setup.as_deref().map(|setup| (golden, setup)), times.as_deref())?;
    let ran = process::run(start(case, &head, settings, &folders, &sandbox)?, &sandbox, stop)?;
    let setup = setup.map(|setup| golden.path().join(setup));
    let redact = |text| {
        let all = settings.redactions.iter().chain(&head.redactions);
        all.fold(text, |text, redaction| redaction.apply(text))
    };
    if ran.code == USAGE && takes(&script, &head) {
        return Err(format!("it cannot be run: {}", ran.errors.trim_end()));
    }
    let actual = Actual::of(&ran, &sandbox, setup.as_deref())?.map(redact);
    if settings.update {
        let files = golden::update(case, golden, &actual, redact)?;
        return Ok(if files.is_empty() { Outcome::Passed } else { Outcome::Updated(files) });
    }
    let differences = golden::compare(case, golden, &actual, redact)?;
    Ok(if differences.is_empty() { Outcome::Passed } else { Outcome::Failed(differences) })
}

/// The exit code of `ns` if the command line, the policy or the sandbox is at fault rather than the script.
const USAGE: i32 = 2;

/// The directories of a case.
struct Folders {
    /// The directory of the script.
    tests: TestFolder,
    /// The directory of the golden files.
    golden: TestFolder,
}

/// Whether a script accepts these arguments. A refusal of others is part of its expected output.
fn takes(script: &str, head: &Head) -> bool {
    let described = describe_script(&Script::new("case.ns", script), head.procedure.as_deref());
    described.interface.is_none_or(|interface| interface.bind(&Words::verbatim(&head.args)).is_ok())
}

/// Builds the start parameters of the process of a case.
fn start<'a>(
    case: &Case,
    head: &Head,
    settings: &'a Settings,
    Folders { tests, golden }: &Folders,
    sandbox: &Sandbox,
) -> Result<Start<'a>, String> {
    let below = case.script.parent().unwrap_or(Path::new(""));
    let mut global = head.over(&settings.global);
    for path in &head.global.libraries {
        global.libraries.push(head.at("--lib", inside(tests, below, path, "--lib", Found::Folder), case)?);
    }
    let timeout = *global.timeout.get_or_insert(TIMEOUT);
    let mut words = global.words();
    if let Some(path) = &head.global.policy {
        let path = head.at("--policy", inside(tests, below, path, "--policy", Found::File), case)?;
        words.extend(["--case-policy".into(), path.into()]);
    }
    words.extend(["--sandbox".into(), sandbox.root().into(), "run".into()]);
    if head.atomic {
        words.push("--atomic".into());
    }
    if let Some(procedure) = &head.procedure {
        words.extend(["--proc".into(), procedure.into()]);
    }
    words.push(name_of_script(&case.script));
    words.push("--".into());
    words.extend(head.args.iter().map(Into::into));
    // Read it first to verify that it is text, like all files of a case.
    let input =
        golden.read(&case.part("in"))?.and_then(|_| golden.open_file(&case.part("in")).transpose()).transpose()?;
    Ok(Start { program: &settings.program, words, folder: tests.path().join(below), input, timeout })
}

/// Formats a finding about a line in the head of a script.
fn at_line(case: &Case, line: usize, message: &str) -> String {
    format!("{}:{line}: {message}", case.script.display())
}

impl Head {
    /// Adds the line of an option of the head to an error.
    fn at<T>(&self, option: &str, found: Result<T, String>, case: &Case) -> Result<T, String> {
        found.map_err(|message| at_line(case, self.line_of(option), &message))
    }
}

/// Resolves a path in a head, relative to the directory of the script. It must stay in the directory of the tests.
fn inside(tests: &TestFolder, below: &Path, named: &Path, option: &str, wanted: Found) -> Result<PathBuf, String> {
    let outside = || format!("`{option} {}` of the head leads out of the folder of the tests", named.display());
    let mut path = below.to_path_buf();
    for part in named.components() {
        match part {
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            Component::ParentDir if path.pop() => {}
            _ => return Err(outside()),
        }
    }
    if tests.find(&path)? == wanted {
        Ok(tests.path().join(path))
    } else {
        Err(format!("`{option} {}` of the head names nothing of the kind", named.display()))
    }
}

/// Returns only the file name, so that findings do not depend on the location of the directory.
fn name_of_script(script: &Path) -> OsString {
    let name = script.file_name().expect("a script has a name");
    if name.to_string_lossy().starts_with('-') { Path::new(".").join(name).into() } else { name.into() }
}
