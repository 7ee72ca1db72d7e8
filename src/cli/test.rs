//! `ns test [PATH…]`: runs the cases and reports the results.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::engine::{Jobs, TestPaths, policy_paths, seal_tests};
use crate::options::Global;
use crate::terminal::exit::Exit;
use crate::terminal::paint::{Paint, paint};
use crate::terminal::report::{counted, print, report_error, say};
use crate::testing::{Case, Difference, Outcome, Settings, Verdict, find, is_golden, run_all, to_json, to_junit};
use crate::text::safe;

use super::args::{ReportFormat, TestArgs};
use super::watch::{Round, WatchedCommand, stop_on_interrupt, watch};

pub fn test(global: &Global, args: &TestArgs) -> Exit {
    if global.sandbox().is_some() {
        report_error("`--sandbox` has no meaning for `ns test`", "each case has a sandbox of its own, a copy of NAME/");
        return Exit::Usage;
    }
    let home = tempfile::Builder::new().prefix("ns-test-").tempdir();
    let prepared = home.and_then(|home| Ok((settings(global, args, home.path())?, home)));
    let (settings, _home) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => {
            report_error(&format!("tests cannot be run here: {error}"), "begin in a folder that exists");
            return Exit::Failed;
        }
    };
    if args.watch {
        return repeat(args, &settings);
    }
    match seal(&settings, args) {
        // The lockdown comes first, so that the thread of the signal handler is restricted too.
        Ok(()) => run(args, &settings, &stop_on_interrupt()),
        Err(error) => refused(&error),
    }
}

fn refused(error: &str) -> Exit {
    report_error(&format!("the kernel does not restrict the process: {error}"), "nothing runs");
    Exit::Failed
}

/// Restricts this thread and the cases to the named directories, because tests may be foreign.
fn seal(settings: &Settings, args: &TestArgs) -> Result<(), String> {
    let folders: Vec<&Path> = args.paths.iter().map(|path| folder_of_tests(path)).collect();
    let golden: Vec<&Path> = args.golden.iter().map(PathBuf::as_path).collect();
    if args.update {
        // The lockdown can only grant access to directories that exist.
        golden.iter().try_for_each(std::fs::create_dir_all).map_err(|error| error.to_string())?;
    }
    let written = match (args.update, golden.is_empty()) {
        (false, _) => Vec::new(),
        (true, true) => folders.clone(),
        (true, false) => golden.clone(),
    };
    let Settings { global, home, .. } = settings;
    let libraries = global.libraries.iter().map(PathBuf::as_path);
    let read = folders.into_iter().chain(golden).chain(libraries).collect();
    let files = global.policy.iter().map(PathBuf::as_path).collect();
    seal_tests(&TestPaths { read, written, files, home }).map_err(|error| error.to_string())
}

/// Returns the directory of tests that a path names: itself, or the directory of a script.
fn folder_of_tests(path: &Path) -> &Path {
    match path.parent().filter(|_| !path.is_dir()) {
        None => path,
        Some(folder) if folder.as_os_str().is_empty() => Path::new("."),
        Some(folder) => folder,
    }
}

fn settings(global: &Global, args: &TestArgs, home: &Path) -> std::io::Result<Settings> {
    let mut global = global.clone();
    // Each case runs in the directory of its script, so make paths absolute.
    for path in global.policy.iter_mut().chain(&mut global.libraries) {
        *path = std::path::absolute(&*path)?;
    }
    let program = std::env::current_exe()?;
    let home = home.canonicalize()?;
    Ok(Settings { global, redactions: args.redactions.clone(), update: args.update, program, home })
}

/// Runs all cases again whenever a file changes. Each round is locked down in its own thread, because a lockdown does
/// not admit a directory that was removed and created again.
fn repeat(args: &TestArgs, settings: &Settings) -> Exit {
    let stop = stop_on_interrupt();
    let Global { policy, libraries, .. } = &settings.global;
    let folders = args.paths.iter().chain(&args.golden).map(|path| folder_of_tests(path).to_path_buf());
    let named: Vec<PathBuf> = folders.chain(policy.clone()).chain(libraries.clone()).collect();
    let command = WatchedCommand {
        name: "ns test",
        named: &named,
        filter: |name, _| !is_ours(name),
        is_for_people: args.format == ReportFormat::Text,
        stop: stop.clone(),
    };
    watch(&command, || {
        let round = || seal(settings, args).map_or_else(|error| refused(&error), |()| run(args, settings, &stop));
        std::thread::scope(|scope| scope.spawn(round).join().map(drop))
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let used = policy_paths(&settings.global.options()).into_iter().collect();
        Round { used, is_written: args.update.then_some(is_golden as fn(&OsStr) -> bool), ..Round::default() }
    })
}

/// Whether an entry belongs to version control or to `ns`, or is a golden file being written.
fn is_ours(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    matches!(&*name, ".git" | ".ns") || name.starts_with(".ns-test-")
}

/// Finds and runs all cases once.
fn run(args: &TestArgs, settings: &Settings, stop: &AtomicBool) -> Exit {
    let mut found = match find(&args.paths, args.golden.as_deref(), args.update) {
        Ok(found) => found,
        Err((message, help)) => {
            report_error(&message, &help);
            return Exit::Usage;
        }
    };
    if let Some(text) = &args.filter {
        let all = found.cases.len();
        found.cases.retain(|case| case.name.contains(text));
        if all > 0 && found.cases.is_empty() {
            let help = format!("`ns test` without `--filter` runs {}", counted(all, "case"));
            report_error(&format!("no case has `{text}` in its name"), &help);
            return Exit::Usage;
        }
    }
    let begin = Instant::now();
    let verdicts = run_cases(&found.cases, args, settings, stop);
    let shown = match args.format {
        ReportFormat::Text => print(&summary(&verdicts, &found.bare, begin.elapsed())),
        ReportFormat::Json => print(&to_json(&verdicts, &found.bare, begin.elapsed())),
        ReportFormat::Junit => print(&to_junit(&verdicts, begin.elapsed())),
    };
    if stop.load(Ordering::Relaxed) {
        return Exit::Interrupted;
    }
    if found.cases.is_empty() {
        say(
            "there are no cases; a script NAME.ns has one when NAME.out lies beside it, and `ns test NAME.ns --update` writes it\n",
        );
    }
    if verdicts.iter().all(|verdict| matches!(verdict.outcome, Outcome::Passed | Outcome::Updated(_))) {
        shown
    } else {
        Exit::TestsFailed
    }
}

fn run_cases(cases: &[Case], args: &TestArgs, settings: &Settings, stop: &AtomicBool) -> Vec<Verdict> {
    let jobs = settings.global.jobs.unwrap_or_else(Jobs::available).threads();
    let mut verdicts = Vec::with_capacity(cases.len());
    let paint = paint();
    run_all(cases, settings, jobs, stop, |verdict| {
        if args.format == ReportFormat::Text {
            // A closed output does not end the tests: the exit code is still useful.
            print(&verdict_line(&verdict, paint));
        }
        verdicts.push(verdict);
    });
    verdicts
}

/// Formats the result of one case.
fn verdict_line(verdict: &Verdict, paint: Paint) -> String {
    let name = safe::name(&verdict.name);
    match &verdict.outcome {
        Outcome::Passed => format!("{} {name}\n", painted("ok     ", GREEN, paint)),
        Outcome::Updated(files) => {
            format!("{} {name}: {}\n", painted("updated", YELLOW, paint), safe::name(&files.join(", ")))
        }
        Outcome::Faulty(fault) => {
            format!("{} {name}: {}\n", painted("FAILED ", RED, paint), safe::prose(fault))
        }
        Outcome::Failed(differences) => {
            let differences: String = differences.iter().map(|it| difference_text(it, paint)).collect();
            format!("{} {name}\n{differences}", painted("FAILED ", RED, paint))
        }
    }
}

fn difference_text(difference: &Difference, paint: Paint) -> String {
    let mut text = format!("  {} differs from {}:\n", difference.of, safe::name(&difference.file));
    for line in difference.diff.lines() {
        let color = match line.as_bytes().first() {
            Some(b'-') => RED,
            Some(b'+') => GREEN,
            Some(b'@' | b'\\') => CYAN,
            _ => "",
        };
        text.push_str(&format!("    {}\n", painted(&safe::prose(line), color, paint)));
    }
    text
}

const RED: &str = "31";
const GREEN: &str = "32";
const YELLOW: &str = "33";
const CYAN: &str = "36";

fn painted(text: &str, color: &str, paint: Paint) -> String {
    match paint {
        Paint::Colored if !color.is_empty() => format!("\x1b[{color}m{text}\x1b[0m"),
        _ => text.to_owned(),
    }
}

/// Formats the last line, preceded by the scripts without golden files.
fn summary(verdicts: &[Verdict], bare: &[String], took: Duration) -> String {
    let count = |is: fn(&Outcome) -> bool| verdicts.iter().filter(|verdict| is(&verdict.outcome)).count();
    let passed = count(|outcome| matches!(outcome, Outcome::Passed));
    let updated = count(|outcome| matches!(outcome, Outcome::Updated(_)));
    let failed = verdicts.len() - passed - updated;
    let mut text = String::new();
    if !bare.is_empty() {
        text.push_str(&format!("without golden files: {}\n", safe::name(&bare.join(", "))));
    }
    text.push_str(&format!("{passed} passed"));
    if updated > 0 {
        text.push_str(&format!(", {updated} updated"));
    }
    text.push_str(&format!(", {failed} failed in {:.1} s\n", took.as_secs_f64()));
    text
}
