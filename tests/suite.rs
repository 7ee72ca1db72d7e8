//! Many small scripts with their output and findings.
//!
//! A file under `tests/suite/` contains cases, each under a line `--- name`. In a case
//!
//! - `#> text` at the end of a line, or on a line of its own, is a line of output, in the order of the text;
//! - `#! CODE 6-9 message` under a line is a finding on that line at those columns (the end is exclusive); columns and
//!   message are optional, and the message may be a part of the whole;
//! - `#? text` under a finding is a part of its help or of its related messages;
//! - `#@ words` sets how the case runs: `check` instead of a run, `strict`, `read-only`, `max-steps N`, `timeout MS`,
//!   `now TIME`, `seed N`, `args A B`, `proc NAME`, `ends refused` (or `failed`, `out-of-time`);
//! - `#% KEY = VALUE` is a line of the case's policy file;
//! - `#+ path` begins a file of the case's sandbox, and each `#| text` below is a line of it; a finding in that file is
//!   under its line.
//!
//! Each case has a sandbox directory of its own. It is planned, run, undone, applied by its plan and undone again; the
//! effect of the plan must equal that of the run, and undo must restore everything. If the linter repairs something,
//! the repaired case is run once more, with the same result.
//!
//! `UPDATE=1 cargo test --test suite` rewrites the expectations; review the diff.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

#[path = "suite/debugger.rs"]
mod debugger;
mod support;

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use libtest_mimic::{Arguments, Failed, Trial};
use neuroscript::engine::{Clock, Ending, Engine, Invocation, Options, Outcome, Plan, Script, read_plan};
use neuroscript::text::{Diagnostic, Sources};

use debugger::PlainRun;
use support::{Captured, package, package_files};

fn main() {
    let args = Arguments::from_args();
    let root = package("tests/suite");
    let files = package_files("tests/suite", &["ns"]);
    let update = std::env::var_os("UPDATE").is_some();
    let mut trials = Vec::new();
    for file in files {
        let name = file.strip_prefix(&root).expect("files lie below the root").display().to_string();
        let cases = parse(&std::fs::read_to_string(&file).expect("cases are UTF-8"));
        assert!(!cases.is_empty(), "{name} has no case");
        if update && cases.iter().any(|case| run(case).is_err()) {
            rewrite(&file, &cases);
        }
        for case in cases {
            let title = format!("{name}: {}", case.name);
            trials.push(Trial::test(title, move || run(&case)));
        }
    }
    libtest_mimic::run(&args, trials).exit();
}

/// A case of a file.
#[derive(Clone, Default)]
struct Case {
    name: String,
    text: String,
    options: Vec<String>,
    policy: String,
    /// Files of the sandbox: path and text.
    files: Vec<(String, String)>,
    output: Vec<String>,
    findings: Vec<Expected>,
}

/// An expected finding.
#[derive(Clone, Debug)]
struct Expected {
    /// The file of the sandbox that contains it; `None` for the script.
    file: Option<String>,
    line: usize,
    code: String,
    columns: Option<(usize, usize)>,
    message: String,
    help: String,
}

fn parse(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut code_line = 0;
    let mut in_file = None;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("--- ") {
            cases.push(Case { name: name.trim().to_owned(), ..Case::default() });
            (code_line, in_file) = (0, None);
            continue;
        }
        let Some(case) = cases.last_mut() else {
            assert!(line.trim().is_empty() || line.starts_with('#'), "text before the first case: {line}");
            continue;
        };
        case.text.push_str(line);
        case.text.push('\n');
        let number = case.text.lines().count();
        let trimmed = line.trim_start();
        if let Some(finding) = trimmed.strip_prefix("#! ") {
            case.findings.push(Expected { file: in_file.clone(), ..expected_finding(finding, code_line) });
        } else if let Some(help) = trimmed.strip_prefix("#? ") {
            let finding = case.findings.last_mut().expect("`#?` stands under a finding");
            help.trim().clone_into(&mut finding.help);
        } else if let Some(options) = trimmed.strip_prefix("#@ ") {
            case.options.push(options.trim().to_owned());
        } else if let Some(policy) = trimmed.strip_prefix("#% ") {
            case.policy.push_str(policy);
            case.policy.push('\n');
        } else if let Some(path) = trimmed.strip_prefix("#+ ") {
            case.files.push((path.to_owned(), String::new()));
            (code_line, in_file) = (0, Some(path.to_owned()));
        } else if let Some(content) = trimmed.strip_prefix("#|") {
            let (_, file) = case.files.last_mut().expect("`#|` stands under a `#+`");
            file.push_str(content.strip_prefix(' ').unwrap_or(content));
            file.push('\n');
            code_line += 1;
        } else if let Some((code, output)) = line.split_once("#>") {
            case.output.push(output.strip_prefix(' ').unwrap_or(output).to_owned());
            if !code.trim().is_empty() {
                (code_line, in_file) = (number, None);
            }
        } else if !trimmed.is_empty() {
            (code_line, in_file) = (number, None);
        }
    }
    cases
}

fn expected_finding(text: &str, line: usize) -> Expected {
    let (code, rest) = text.split_once(' ').unwrap_or((text, ""));
    let (first, message) = rest.split_once(' ').unwrap_or((rest, ""));
    let columns = first.split_once('-').and_then(|(start, end)| Some((start.parse().ok()?, end.parse().ok()?)));
    let message = if columns.is_some() { message } else { rest };
    let (code, message) = (code.to_owned(), message.trim().to_owned());
    Expected { file: None, line, code, columns, message, help: String::new() }
}

/// The result of a case.
struct Actual {
    output: String,
    findings: Vec<Diagnostic>,
    sources: Sources,
    ending: Ending,
}

fn run(case: &Case) -> Result<(), Failed> {
    let actual = perform(case);
    let mut faults = String::new();
    let wanted: String = case.output.iter().map(|line| format!("{line}\n")).collect();
    if actual.output != wanted {
        let _ = writeln!(faults, "--- expected output\n{wanted}--- actual output\n{}", actual.output);
    }
    compare_findings(case, &actual, &mut faults);
    let wanted = option(case, "ends").map_or(if case.findings.is_empty() { "done" } else { "" }, |word| word);
    let ending = ending_word(actual.ending);
    if !wanted.is_empty() && wanted != ending && option(case, "check").is_none() {
        let _ = writeln!(faults, "expected the run to end `{wanted}`, and it ended `{ending}`");
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.into()) }
}

fn ending_word(ending: Ending) -> &'static str {
    match ending {
        Ending::Done => "done",
        Ending::Failed => "failed",
        Ending::Refused => "refused",
        Ending::OutOfTime => "out-of-time",
        Ending::Interrupted => "interrupted",
        Ending::Unread => "unread",
        Ending::Misused => "misused",
    }
}

fn compare_findings(case: &Case, actual: &Actual, faults: &mut String) {
    let found: Vec<Found> = actual.findings.iter().map(|finding| Found::of(finding, &actual.sources)).collect();
    let fits = |(expected, found): (&Expected, &Found)| {
        expected.code == found.code
            && found.file == expected.file
            && found.line.is_none_or(|line| line == expected.line)
            && expected.columns.is_none_or(|columns| Some(columns) == found.columns)
            && found.message.contains(&expected.message)
            && found.help.contains(&expected.help)
    };
    if found.len() == case.findings.len() && case.findings.iter().zip(&found).all(fits) {
        return;
    }
    let _ = writeln!(faults, "--- expected findings");
    for expected in &case.findings {
        let Expected { file, line, code, columns, message, help } = expected;
        let file = file.as_deref().unwrap_or_default();
        let _ = writeln!(faults, "{file} line {line}: {code} {columns:?} {message}");
        let _ = writeln!(faults, "    help: {help}");
    }
    let _ = writeln!(faults, "--- actual findings");
    for found in found {
        let file = found.file.as_deref().unwrap_or_default();
        let _ = writeln!(faults, "{file} line {}: #! {}", found.line.unwrap_or(0), found.written());
        let _ = writeln!(faults, "    help: {}", found.help);
    }
}

/// The name of the script.
const SCRIPT: &str = "case.ns";

/// A finding in the terms of a case.
struct Found {
    file: Option<String>,
    line: Option<usize>,
    code: &'static str,
    columns: Option<(usize, usize)>,
    message: String,
    help: String,
}

impl Found {
    fn of(finding: &Diagnostic, sources: &Sources) -> Found {
        let place = finding.span().and_then(|span| {
            let source = sources.of(span)?;
            Some((source.position(span), source.end_position(span)))
        });
        let columns =
            place.filter(|(start, end)| start.line == end.line).map(|(start, end)| (start.column, end.column));
        let name = finding.span().and_then(|span| sources.of(span)).map(|source| source.name().to_owned());
        Found {
            file: name.filter(|name| name != SCRIPT),
            line: place.map(|(start, _)| start.line),
            code: finding.code.id(),
            columns,
            message: finding.message.clone(),
            help: help_of(finding, sources),
        }
    }

    fn written(&self) -> String {
        match self.columns {
            Some((start, end)) => format!("{} {start}-{end} {}", self.code, self.message),
            None => format!("{} {}", self.code, self.message),
        }
    }
}

/// Returns the help of a finding, and its related locations with their messages.
fn help_of(finding: &Diagnostic, sources: &Sources) -> String {
    let mut help = finding.help.clone().unwrap_or_default();
    for label in &finding.related {
        let source = sources.of(label.span).expect("a place lies in a text");
        let _ = write!(help, " | {}: {}", label.text, source.slice(label.span));
    }
    help
}

/// Returns the rest of the option line that begins with a word.
fn option<'c>(case: &'c Case, word: &str) -> Option<&'c str> {
    case.options.iter().find_map(|line| line.strip_prefix(word)).map(str::trim)
}

fn perform(case: &Case) -> Actual {
    let folder = support::folder_in_memory();
    let policy = folder.path().join("policy.toml");
    let sandbox = folder.path().join("sandbox");
    std::fs::create_dir(&sandbox).expect("a sandbox for the case");
    std::fs::write(&policy, &case.policy).expect("a policy for the case");
    let options = Options {
        sandbox: Some(sandbox),
        policy: Some(policy),
        state: Some(folder.path().join("state")),
        libraries: Vec::new(),
        read_only: option(case, "read-only").is_some(),
        strict: option(case, "strict").is_some(),
        atomic: false,
        max_steps: option(case, "max-steps").map(|number| number.parse().expect("max-steps takes a number")),
        timeout: option(case, "timeout")
            .map(|ms| Duration::from_millis(ms.parse().expect("timeout takes milliseconds"))),
        clock: option(case, "now").map_or(Clock::System, |time| Clock::Fixed(time.parse().expect("now takes a time"))),
        seed: option(case, "seed").map(|number| number.parse().expect("seed takes a number")),
        ..Options::default()
    };
    let engine = Engine::open(&options).unwrap_or_else(|error| panic!("the case's engine: {:?}", error.findings));
    for (path, text) in &case.files {
        let file = options.sandbox.as_ref().expect("it was given").join(path);
        std::fs::create_dir_all(file.parent().expect("a file lies in a folder")).expect("a folder for the file");
        std::fs::write(file, text).expect("a file for the case");
    }
    let before = support::state_of(options.sandbox.as_ref().expect("it was given"));
    let script = Script::new(SCRIPT, case.text.as_str());
    if option(case, "check").is_some() {
        let checked = engine.check(&script);
        return Actual {
            output: String::new(),
            findings: checked.findings,
            sources: checked.sources,
            ending: Ending::Done,
        };
    }
    if case.text.contains("FS.Compress") {
        begin_with_a_second();
    }
    let planned = plan(case, &script, &options, &before);
    let (outcome, output) = run_with(&engine, case, &script);
    drop(engine);
    if !options.read_only {
        let after = support::contents_of(options.sandbox.as_ref().expect("it was given"));
        check_undo(&options, &before);
        assert_eq!(planned.output, output.text(), "the planned run said something else");
        check_plan(&options, planned.plan, &after);
        check_undo(&options, &before);
        check_repairs(case, &script, &options, &output.text());
        check_undo(&options, &before);
        if debugger::is_debugged(case) {
            let plain = PlainRun { outcome: &outcome, output: &output.text() };
            debugger::check(case, &script, &options, &before, plain);
        }
    }
    Actual { output: output.text(), findings: outcome.findings, sources: outcome.sources, ending: outcome.ending }
}

/// Waits for the beginning of a second, because archives store whole seconds and the plan and the run must fall into
/// the same one.
fn begin_with_a_second() {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    if since.subsec_millis() > 300 {
        std::thread::sleep(Duration::from_millis(1_000 - u64::from(since.subsec_millis())));
    }
}

fn run_with(engine: &Engine, case: &Case, script: &Script) -> (Outcome, Captured) {
    let output = Captured::default();
    let outcome = engine.run(script, &invocation_of(case), Box::new(output.clone()));
    (outcome, output)
}

fn invocation_of(case: &Case) -> Invocation {
    let args: Vec<String> =
        option(case, "args").map(|args| args.split(' ').map(str::to_owned).collect()).unwrap_or_default();
    Invocation::verbatim(&args).with_procedure(option(case, "proc"))
}

/// The output of a planned run, and its plan.
struct Planned {
    output: String,
    plan: Plan,
}

/// Plans a case, which must not change the disk.
fn plan(case: &Case, script: &Script, options: &Options, before: &[String]) -> Planned {
    let options = Options { plan: true, ..options.clone() };
    let engine = Engine::open(&options).unwrap_or_else(|error| panic!("the engine: {:?}", error.findings));
    let (outcome, output) = run_with(&engine, case, script);
    let failed = outcome.ending != Ending::Done;
    let plan = engine.plan("case", failed).expect("the changes are told").expect("the engine plans");
    let mut json = Vec::new();
    plan.write(&mut json).expect("the plan is written");
    let sandbox = options.sandbox.as_ref().expect("the case has a sandbox");
    assert_eq!(support::state_of(sandbox), before, "planning changed something");
    assert!(!sandbox.join(".ns").exists(), "planning left something");
    Planned { output: output.text(), plan: read_plan(json.as_slice()).expect("the plan is read again") }
}

/// Checks that a plan has the same effect as the run.
fn check_plan(options: &Options, mut plan: Plan, after: &[String]) {
    let engine = Engine::open(options).unwrap_or_else(|error| panic!("the engine: {:?}", error.findings));
    // Changes before a failure are compared too.
    plan.about.failed = false;
    engine.apply(&plan).unwrap_or_else(|error| panic!("the plan cannot be done: {}", error.message));
    let sandbox = options.sandbox.as_ref().expect("the case has a sandbox");
    assert_eq!(support::contents_of(sandbox), after, "the plan was not what the run did");
}

/// Checks that a repaired case has the same result.
fn check_repairs(case: &Case, script: &Script, options: &Options, output: &str) {
    // With less to do, a limit would be hit elsewhere.
    let is_measured = !case.policy.is_empty() || options.max_steps.is_some() || options.timeout.is_some();
    let engine = Engine::open(options).unwrap_or_else(|error| panic!("the engine: {:?}", error.findings));
    let Some(text) = engine.fix(script).text.filter(|_| !is_measured) else { return };
    let (_, repaired) = run_with(&engine, case, &Script::new(SCRIPT, text.as_str()));
    assert_eq!(without_lines(&repaired.text()), without_lines(output), "repaired, it says something else:\n{text}");
}

/// Removes line numbers from an output, because a removed line changes them.
fn without_lines(output: &str) -> String {
    let mut parts = output.split("\"line\": ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.trim_start_matches(|c: char| c.is_ascii_digit()))
}

/// Checks that undo restores everything that a case changed: files, modes and times.
fn check_undo(options: &Options, before: &[String]) {
    let engine = Engine::open(options).unwrap_or_else(|error| panic!("the engine: {:?}", error.findings));
    let sandbox = options.sandbox.as_ref().expect("the case has a sandbox");
    match engine.undo(None, false, false) {
        Ok(_) => {}
        Err(error) if error.code.id() == "not_found" => {}
        Err(error) => panic!("the run cannot be taken back: {}", error.message),
    }
    assert_eq!(support::state_of(sandbox), before, "something of the run is left after it was taken back");
}

/// Rewrites the expectations of a file's cases: findings under their lines, output at the end of each case.
fn rewrite(file: &Path, cases: &[Case]) {
    let mut text = String::new();
    for case in cases {
        let actual = perform(case);
        let found: Vec<Found> = actual.findings.iter().map(|finding| Found::of(finding, &actual.sources)).collect();
        let _ = writeln!(text, "--- {}", case.name);
        for finding in found.iter().filter(|finding| finding.line.is_none()) {
            let _ = writeln!(text, "#! {}", finding.written());
        }
        let unchanged = actual.output == case.output.iter().map(|line| format!("{line}\n")).collect::<String>();
        let mut in_file: Option<(&str, usize)> = None;
        for (number, line) in case.text.lines().enumerate() {
            let trimmed = line.trim_start();
            in_file = match (trimmed.strip_prefix("#+ "), in_file) {
                (Some(path), _) => Some((path, 0)),
                (None, Some((path, line))) if trimmed.starts_with("#|") => Some((path, line + 1)),
                (None, Some(_)) if !trimmed.starts_with('#') && !trimmed.is_empty() => None,
                (None, in_file) => in_file,
            };
            let (file, here) = in_file.map_or((None, number + 1), |(file, line)| (Some(file), line));
            let is_output = trimmed.starts_with("#>");
            if trimmed.starts_with("#! ") || (is_output && !unchanged) {
                continue;
            }
            let code = if unchanged { line } else { line.split_once("#>").map_or(line, |(code, _)| code.trim_end()) };
            let _ = writeln!(text, "{code}");
            for finding in found.iter().filter(|it| it.file.as_deref() == file && it.line == Some(here)) {
                let _ = writeln!(text, "#! {}", finding.written());
            }
        }
        if !unchanged {
            while text.ends_with("\n\n") {
                text.pop();
            }
            for line in actual.output.lines() {
                let _ = writeln!(text, "#> {line}");
            }
            text.push('\n');
        }
    }
    std::fs::write(file, text).expect("the case's file can be written");
}
