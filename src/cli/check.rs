//! `ns check FILE…`

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::engine::{Checked, Engine, Options, policy_paths};
use crate::options::Global;
use crate::terminal::exit::Exit;
use crate::terminal::report::{counted, print, report_error, report_findings, say};
use crate::terminal::sandbox_hint::with_root;
use crate::terminal::script_file::{read_quietly, read_script};
use crate::text::render::{to_json, to_sarif};
use crate::text::{Diagnostic, Severity};
use crate::watch::Replacement;

use super::args::{CheckArgs, Denied, FindingFormat};
use super::files::{files_of, is_included, more_severe};
use super::fix::fix;
use super::start::open;
use super::watch::{Round, WatchedCommand, stop_on_interrupt, watch};

pub fn check(global: &Global, args: &CheckArgs) -> Exit {
    if let Err(exit) = demand_one_output(args) {
        return exit;
    }
    if !args.watch {
        return check_once(global, args, &mut Round::default());
    }
    let command = WatchedCommand {
        name: "ns check",
        named: &args.files,
        filter: is_included,
        is_for_people: args.format == FindingFormat::Text,
        stop: stop_on_interrupt(),
    };
    watch(&command, || {
        let mut round = Round { used: policy_paths(&options(global)).into_iter().collect(), ..Round::default() };
        check_once(global, args, &mut round);
        round
    })
}

fn options(global: &Global) -> Options {
    Options { looks_only: true, ..global.options() }
}

/// Checks all files and shows the findings. For `--watch`, `round` records what was used and replaced.
fn check_once(global: &Global, args: &CheckArgs, round: &mut Round) -> Exit {
    let engine = match open(&options(global)) {
        Ok(engine) => engine,
        Err(exit) => return exit,
    };
    let (files, exit) = files_of(&args.files);
    let (mut checked, unread) =
        if args.fix { repair(&engine, &files, &mut round.replaced) } else { look_at(&engine, &files) };
    let exit = more_severe(exit, unread);
    remove_duplicates(&mut checked);
    if args.watch {
        round.used.extend(module_paths(global, &engine, &files));
    }
    let shown = match args.format {
        FindingFormat::Text => show_text(&engine, &checked, args.info),
        FindingFormat::Json => show_json(&checked, args.info),
        FindingFormat::Sarif => show_sarif(&checked, exit == Exit::Done),
    };
    let is_refused = |finding: &Diagnostic| finding.is_error() || args.deny == Some(Denied::Warnings);
    let is_faulty = findings(&checked).any(is_refused);
    more_severe(more_severe(exit, if is_faulty { Exit::Difference } else { Exit::Done }), shown)
}

/// Refuses a second output: a repaired script from standard input occupies standard output.
fn demand_one_output(args: &CheckArgs) -> Result<(), Exit> {
    let reads_input = args.files.iter().any(|file| file == Path::new("-"));
    if args.fix && reads_input && (args.info || args.format != FindingFormat::Text) {
        report_error(
            "standard output is for the script that was repaired, so nothing else can be printed there",
            "name a file, or leave out `--format` and `--info`",
        );
        return Err(Exit::Usage);
    }
    Ok(())
}

/// Checks all files.
fn look_at(engine: &Engine, files: &[PathBuf]) -> (Vec<(String, Checked)>, Exit) {
    let (mut checked, mut exit) = (Vec::new(), Exit::Done);
    for file in files {
        match read_script(file) {
            Ok(script) => checked.push((script.name().to_owned(), engine.check(&script))),
            Err(fault) => exit = more_severe(exit, fault),
        }
    }
    (checked, exit)
}

/// Returns the paths where the modules of scripts are, could be or should be: in each library and in the sandbox.
fn module_paths(global: &Global, engine: &Engine, files: &[PathBuf]) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for script in files.iter().filter_map(|file| read_quietly(file)) {
        let analysis = engine.analyze(&script);
        let uses = analysis.script().into_iter().chain(analysis.modules()).flat_map(|text| text.tree.uses());
        for used in uses {
            let folders = global.libraries.iter().map(PathBuf::as_path).chain([engine.gate().root().path()]);
            paths.extend(folders.map(|folder| folder.join(&used.path)));
        }
    }
    paths
}

/// Repairs all files and returns the remaining findings.
fn repair(engine: &Engine, files: &[PathBuf], replaced: &mut Vec<Replacement>) -> (Vec<(String, Checked)>, Exit) {
    let (mut left, mut exit) = (Vec::new(), Exit::Done);
    let (mut repairs, mut repaired_files) = (0, 0);
    for file in files {
        match fix(engine, file) {
            Ok(fixed) => {
                left.push((file, fixed.name, fixed.checked));
                repairs += fixed.repaired;
                repaired_files += usize::from(fixed.repaired > 0);
                replaced.extend(fixed.replaced);
            }
            Err(fault) => exit = more_severe(exit, fault),
        }
    }
    if repairs > 0 {
        say(&format!("{} repaired in {}\n", counted(repairs, "finding"), counted(repaired_files, "file")));
        left.iter_mut().for_each(|(file, _, checked)| check_again(engine, file, checked));
    }
    (left.into_iter().map(|(_, name, checked)| (name, checked)).collect(), exit)
}

/// Checks a file again if it uses modules, which may have been repaired after it.
fn check_again(engine: &Engine, file: &Path, checked: &mut Checked) {
    if file != Path::new("-")
        && !checked.info.modules.is_empty()
        && let Ok(script) = read_script(file)
    {
        *checked = engine.check(&script);
    }
}

fn findings(checked: &[(String, Checked)]) -> impl Iterator<Item = &Diagnostic> {
    checked.iter().flat_map(|(_, checked)| &checked.findings)
}

/// Removes duplicate findings in modules that several scripts use.
fn remove_duplicates(checked: &mut [(String, Checked)]) {
    let mut seen = HashSet::new();
    for (_, Checked { findings, sources, .. }) in checked {
        findings.retain(|finding| {
            let place = finding.span().and_then(|span| {
                let source = sources.of(span)?;
                let name = source.name().strip_prefix("./").unwrap_or(source.name());
                Some((name.to_owned(), source.local(span)))
            });
            place.is_none_or(|place| seen.insert((place, finding.message.clone())))
        });
    }
}

fn show_text(engine: &Engine, checked: &[(String, Checked)], info: bool) -> Exit {
    let mut page = String::new();
    for (name, checked) in checked {
        report_findings(&with_root(&checked.findings, engine.gate().root().path()), &checked.sources);
        if info {
            let text = serde_json::to_string_pretty(&checked.info).expect("information has a JSON form");
            page.push_str(&format!("{name}: {text}\n"));
        }
    }
    let count = |severity| findings(checked).filter(|finding| finding.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    if errors + warnings > 0 {
        let sum = format!("{}, {}", counted(errors, "error"), counted(warnings, "warning"));
        say(&match findings(checked).filter(|finding| finding.fix.is_some()).count() {
            0 => format!("{sum}\n"),
            repairs => format!("{sum}; `ns check --fix` repairs {repairs}\n"),
        });
    }
    print(&page)
}

fn show_json(checked: &[(String, Checked)], info: bool) -> Exit {
    let findings = |checked: &Checked| -> Vec<Value> {
        let findings = checked.findings.iter().map(|finding| to_json(finding, &checked.sources));
        findings.map(|finding| serde_json::to_value(finding).expect("a finding has a JSON form")).collect()
    };
    let json = if info {
        checked
            .iter()
            .map(|(name, checked)| serde_json::json!({ "file": name, "info": checked.info, "findings": findings(checked) }))
            .collect()
    } else {
        Value::Array(checked.iter().flat_map(|(_, checked)| findings(checked)).collect())
    };
    print(&format!("{json}\n"))
}

fn show_sarif(checked: &[(String, Checked)], is_whole: bool) -> Exit {
    let texts = checked.iter().map(|(_, checked)| (&checked.findings[..], &checked.sources));
    print(&format!("{}\n", to_sarif(texts, is_whole)))
}
