//! One case: set up, run, compared, perhaps updated.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::engine::{Script, Words, describe_script};

use super::super::args::Global;
use super::find::Case;
use super::golden::{self, Actual};
use super::head::Head;
use super::process::{self, Start, TIMEOUT};
use super::redact::Redaction;
use super::sandbox::Sandbox;

/// What holds for all cases of a run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Options of the command line, for scripts whose head says nothing else. Its paths are absolute.
    pub global: Global,
    /// Patterns for all scripts.
    pub redactions: Vec<Redaction>,
    /// Golden files are written instead of compared.
    pub update: bool,
    /// The program that runs scripts.
    pub program: PathBuf,
}

/// How a case ended.
#[derive(Debug)]
pub enum Outcome {
    /// It says what it should.
    Passed,
    /// It did not; now its golden files say what it says.
    Updated(Vec<String>),
    /// It says something else.
    Failed(Vec<Difference>),
    /// It could not be run or compared.
    Faulty(String),
}

/// What differs from a golden file.
#[derive(Debug)]
pub struct Difference {
    /// What is compared, such as `standard output`.
    pub of: &'static str,
    /// The name of the golden file.
    pub file: String,
    /// Lines that begin with `-`, `+` or a space; `@@` parts them.
    pub diff: String,
}

/// What became of a case.
#[derive(Debug)]
pub struct Verdict {
    /// Its name.
    pub name: String,
    /// Its script.
    pub script: PathBuf,
    /// How it ended.
    pub outcome: Outcome,
    /// How long it took.
    pub took: Duration,
}

/// Runs a case and compares, or updates, its golden files.
pub fn run(case: &Case, settings: &Settings, stop: &AtomicBool) -> Verdict {
    let begin = Instant::now();
    let outcome = attempt(case, settings, stop).unwrap_or_else(Outcome::Faulty);
    Verdict { name: case.name.clone(), script: case.script.clone(), outcome, took: begin.elapsed() }
}

fn attempt(case: &Case, settings: &Settings, stop: &AtomicBool) -> Result<Outcome, String> {
    let script = read(&case.script)?.ok_or("the script is gone")?;
    let head = Head::of(&script)?;
    let setup = case.setup();
    let sandbox = Sandbox::new(setup.as_deref(), read(&case.part("times"))?.as_deref())?;
    let args = arguments(case, &head)?;
    let ran = process::run(start(case, &head, &args, (settings, &sandbox))?, &sandbox, stop)?;
    let redact = |text| {
        let all = settings.redactions.iter().chain(&head.redactions);
        all.fold(text, |text, redaction| redaction.apply(text))
    };
    if ran.code == USAGE && takes(&script, &head, args) {
        return Err(format!("it cannot be run: {}", ran.errors.trim_end()));
    }
    let actual = Actual::of(&ran, &sandbox, setup.as_deref())?.map(redact);
    if settings.update {
        let files = golden::update(case, &actual, redact)?;
        return Ok(if files.is_empty() { Outcome::Passed } else { Outcome::Updated(files) });
    }
    let differences = golden::compare(case, &actual, redact)?;
    Ok(if differences.is_empty() { Outcome::Passed } else { Outcome::Failed(differences) })
}

/// The exit code of `ns` where the command line, the policy or the sandbox is at fault, not the script.
const USAGE: i32 = 2;

/// Whether a script takes these arguments. That it refuses others is something that it says.
fn takes(script: &str, head: &Head, args: Vec<String>) -> bool {
    let described = describe_script(&Script::new("case.ns", script), head.procedure.as_deref());
    let words = Words { after: args, ..Words::default() };
    described.interface.is_none_or(|interface| interface.bind(&words).is_ok())
}

/// The arguments of the script.
fn arguments(case: &Case, head: &Head) -> Result<Vec<String>, String> {
    Ok(match read(&case.part("args"))? {
        Some(lines) => lines.lines().map(str::to_owned).collect(),
        None => head.args.clone(),
    })
}

/// The text of a file of a case; none where there is no such file. Whatever else has its name is told.
pub fn read(path: &Path) -> Result<Option<String>, String> {
    let name = || path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    match fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && path.symlink_metadata().is_err() => Ok(None),
        Err(error) => Err(format!("`{}` cannot be read: {error}", name())),
        Ok(metadata) if metadata.is_dir() => Err(format!("`{}` is a folder; it should be a text file", name())),
        Ok(metadata) if !metadata.is_file() => Err(format!("`{}` is no file; it should be a text file", name())),
        Ok(_) => match fs::read(path).map(String::from_utf8) {
            Ok(Ok(text)) => Ok(Some(text)),
            Ok(Err(_)) => Err(format!("`{}` is not UTF-8", name())),
            Err(error) => Err(format!("`{}` cannot be read: {error}", name())),
        },
    }
}

/// How the process of a case is started.
fn start<'a>(
    case: &'a Case,
    head: &Head,
    args: &[String],
    (settings, sandbox): (&'a Settings, &Sandbox),
) -> Result<Start<'a>, String> {
    let mut global = head.global.over(&settings.global);
    let timeout = *global.timeout.get_or_insert(TIMEOUT);
    let mut words = global.words();
    words.extend(["--sandbox".into(), sandbox.root().into(), "run".into()]);
    if head.atomic {
        words.push("--atomic".into());
    }
    if let Some(procedure) = &head.procedure {
        words.extend(["--proc".into(), procedure.into()]);
    }
    words.push(name_of_script(&case.script));
    words.push("--".into());
    words.extend(args.iter().map(Into::into));
    let input = case.part("in");
    let input = read(&input)?.map(|_| input).map(std::path::absolute).transpose();
    let input = input.map_err(|error| format!("the input: {error}"))?;
    let folder = case.script.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok(Start { program: &settings.program, words, folder, input, timeout })
}

/// Only the name: findings tell of the same file wherever its folder lies.
fn name_of_script(script: &Path) -> OsString {
    let name = script.file_name().expect("a script has a name");
    match name.to_string_lossy().starts_with('-') {
        true => Path::new(".").join(name).into(),
        false => name.into(),
    }
}
