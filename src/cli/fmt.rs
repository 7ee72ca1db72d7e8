//! `ns fmt FILE…`

use std::path::Path;

use crate::engine::{Formatted, Spelling, format_script};
use crate::terminal::exit::Exit;
use crate::terminal::report::{counted, print, report_findings, say};
use crate::terminal::script_file::read_script;
use crate::text::{Code, Source, Sources};
use crate::watch::Replacement;

use super::args::{FmtArgs, Keywords};
use super::files::{files_of, is_included, more_severe};
use super::rewritten::{difference, listed, original_of, write};
use super::watch::{Round, WatchedCommand, stop_on_interrupt, watch};

/// The outcome for one file.
enum FormatOutcome {
    /// The file has its canonical form already, or its form was printed.
    Done,
    /// The file was rewritten.
    Written(Replacement),
    /// The file is not in canonical form and was only checked.
    Different,
    /// The file has errors, or cannot be read or written.
    Not(Exit),
}

pub fn fmt(args: &FmtArgs) -> Exit {
    if !args.watch {
        return format_all(args).0;
    }
    let command = WatchedCommand {
        name: "ns fmt",
        named: &args.files,
        filter: is_included,
        is_for_people: true,
        stop: stop_on_interrupt(),
    };
    watch(&command, || Round { replaced: format_all(args).1, ..Round::default() })
}

/// Formats all files. Returns those that were rewritten.
fn format_all(args: &FmtArgs) -> (Exit, Vec<Replacement>) {
    let (files, mut exit) = files_of(&args.files);
    let (mut replaced, mut different) = (Vec::new(), 0);
    for file in &files {
        match format(file, args) {
            FormatOutcome::Done => {}
            FormatOutcome::Written(replacement) => replaced.push(replacement),
            FormatOutcome::Different => different += 1,
            FormatOutcome::Not(fault) => exit = more_severe(exit, fault),
        }
    }
    if !replaced.is_empty() {
        say(&format!("{} of {} formatted\n", replaced.len(), counted(files.len(), "file")));
    }
    if different > 0 {
        say(&format!("{} of {} not formatted\n", different, counted(files.len(), "file")));
        exit = more_severe(exit, Exit::Difference);
    }
    (exit, replaced)
}

fn format(file: &Path, args: &FmtArgs) -> FormatOutcome {
    let original = original_of(file);
    let (sources, text) = match form_of(file, args) {
        Ok(form) => form,
        Err(exit) => return FormatOutcome::Not(exit),
    };
    let source = sources.last().expect("the text was added");
    if args.check || args.diff {
        return looked_at(source, &text, args);
    }
    match original {
        None => match print(&text) {
            Exit::Done => FormatOutcome::Done,
            exit => FormatOutcome::Not(exit),
        },
        Some(_) if source.text() == text => FormatOutcome::Done,
        Some(original) => match write(file, original, &text, "`ns fmt - < FILE` prints the form") {
            Ok(replacement) => FormatOutcome::Written(replacement),
            Err(exit) => FormatOutcome::Not(exit),
        },
    }
}

/// Reads a file and returns it with its canonical form.
fn form_of(file: &Path, args: &FmtArgs) -> Result<(Sources, String), Exit> {
    let script = read_script(file)?;
    let spelling = args.keywords.map(|keywords| match keywords {
        Keywords::Upper => Spelling::Upper,
        Keywords::Lower => Spelling::Lower,
    });
    let Formatted { sources, result } = format_script(&script, spelling);
    match result {
        Ok(text) => Ok((sources, text)),
        Err(findings) => {
            report_findings(&findings, &sources);
            let is_own_fault = findings.iter().any(|finding| finding.code == Code::Internal.into());
            Err(if is_own_fault { Exit::Failed } else { Exit::Difference })
        }
    }
}

/// Reports for one file what would change.
fn looked_at(source: &Source, text: &str, args: &FmtArgs) -> FormatOutcome {
    if source.text() == text {
        return FormatOutcome::Done;
    }
    let report = if args.diff { difference(source, text, "formatted") } else { listed(source) };
    match print(&report) {
        Exit::Done => FormatOutcome::Different,
        exit => FormatOutcome::Not(exit),
    }
}
