//! `ns migrate FILE…`: scripts of upstream NeuroScript become scripts of this language, with a report.

use std::collections::HashSet;
use std::path::Path;

use crate::engine::{Engine, Migration, MigrationNote, Options, Verdict, migrate_script};
use crate::options::Global;
use crate::terminal::exit::Exit;
use crate::terminal::report::{counted, print, report_error, report_findings, say};
use crate::terminal::script_file::{is_markdown, read_script};
use crate::text::{Diagnostic, Source, Sources, safe};

use super::args::MigrateArgs;
use super::files::{files_of, more_severe};
use super::rewritten::{difference, listed, original_of, write};
use super::start::open;

/// Counts of the lines of the report, of all files together.
#[derive(Default)]
struct Totals {
    rewritten: usize,
    to_check: usize,
    left: usize,
}

/// The options that the command was given.
struct Given<'a> {
    global: &'a Global,
    args: &'a MigrateArgs,
}

pub fn migrate(global: &Global, args: &MigrateArgs) -> Exit {
    let (files, exit) = files_of(&args.files);
    if files.len() > 1 && !(args.write || args.check || args.diff) {
        report_error(
            "several scripts cannot be printed as one",
            "write them with `--write`, or look at `--diff` first",
        );
        return Exit::Usage;
    }
    let engine = match open(&Options { looks_only: true, ..global.options() }) {
        Ok(engine) => engine,
        Err(exit) => return exit,
    };
    let mut totals = Totals::default();
    let exit = files
        .iter()
        .map(|file| migrate_file(&engine, file, &Given { global, args }, &mut totals))
        .fold(exit, more_severe);
    let Totals { rewritten, to_check, left } = totals;
    let files = counted(files.len(), "file");
    say(&format!("{files}: {} rewritten, {to_check} to check, {left} left\n", counted(rewritten, "place")));
    if left > 0 { more_severe(exit, Exit::Difference) } else { exit }
}

fn migrate_file(engine: &Engine, file: &Path, options: &Given<'_>, totals: &mut Totals) -> Exit {
    let args = options.args;
    let original = original_of(file);
    let script = match read_script(file) {
        Ok(script) => script,
        Err(exit) => return exit,
    };
    if is_markdown(file) {
        report_error(
            &format!("`{}` is a document, not a script", file.display()),
            "migrate the scripts in it one by one",
        );
        return Exit::Usage;
    }
    let migrated = migrate_script(&script);
    let Migration { text, notes } = match migrated.result {
        Ok(migration) => migration,
        Err(findings) => {
            report_findings(&findings, &migrated.sources);
            return Exit::Difference;
        }
    };
    let source = migrated.sources.last().expect("the text was added");
    let checked = engine.check(&script.with_text(&text));
    report(source, &notes, options.global.quiet, totals);
    totals.left += report_errors(&checked.findings, &checked.sources, &notes);
    if args.check || args.diff {
        return show(source, &text, args);
    }
    match original.filter(|_| args.write) {
        Some(_) if source.text() == text => Exit::Done,
        Some(original) => {
            let instead = "`ns migrate - < FILE` prints the migrated script";
            write(file, original, &text, instead).map_or_else(|exit| exit, |_| Exit::Done)
        }
        None => print(&text),
    }
}

/// Prints the report of a file.
fn report(source: &Source, notes: &[MigrationNote], is_quiet: bool, totals: &mut Totals) {
    let name = safe::name(source.name());
    for MigrationNote { line, verdict, message } in notes {
        let (word, count) = match verdict {
            Verdict::Rewritten => ("rewritten", &mut totals.rewritten),
            Verdict::Check => ("check", &mut totals.to_check),
            Verdict::Left => ("left", &mut totals.left),
        };
        *count += 1;
        if !(is_quiet && *verdict == Verdict::Rewritten) {
            say(&format!("{name}:{line}: {word}: {}\n", safe::prose(message)));
        }
    }
}

/// Prints the errors of the result on lines that the report does not mention as left. Returns their number.
fn report_errors(findings: &[Diagnostic], sources: &Sources, notes: &[MigrationNote]) -> usize {
    let left: HashSet<usize> =
        notes.iter().filter(|note| note.verdict == Verdict::Left).map(|note| note.line).collect();
    let is_told = |finding: &Diagnostic| {
        let place = finding.span().and_then(|span| Some((sources.of(span)?, span.start as usize)));
        place.is_some_and(|(source, at)| !source.is_module() && left.contains(&source.line_of(at - source.base())))
    };
    let errors: Vec<Diagnostic> =
        findings.iter().filter(|finding| finding.is_error() && !is_told(finding)).cloned().collect();
    report_findings(&errors, sources);
    errors.len()
}

/// Shows what `--write` would change.
fn show(source: &Source, text: &str, args: &MigrateArgs) -> Exit {
    if source.text() == text {
        return Exit::Done;
    }
    let report = if args.diff { difference(source, text, "migrated") } else { listed(source) };
    more_severe(print(&report), Exit::Difference)
}
