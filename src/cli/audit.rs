//! `ns audit`: shows and verifies the log of changes and refusals.

use std::fs::File;

use chrono::{DateTime, Local};
use serde_json::json;

use crate::engine::{AuditFault, AuditFilter, AuditLog, AuditVerdict, Engine, Options, Value};
use crate::options::{Global, OutputFormat};
use crate::terminal::exit::Exit;
use crate::terminal::printer::Format;
use crate::terminal::report::{print, report_error, report_findings, report_setup, say};
use crate::terminal::table::{Listing, listing_width};
use crate::text::{Diagnostic, FindingCode, Sources, safe};
use crate::toolkit::{Kind, ToolError};
use crate::value::Map;

use super::args::{AuditCommand, AuditPlace};
use super::print_value::print_as;
use super::start::{open, seal};

pub fn audit(global: &Global, command: &AuditCommand) -> Exit {
    let engine = match open(&Options { looks_only: true, ..global.options() }) {
        Ok(engine) => engine,
        Err(exit) => return exit,
    };
    let (AuditCommand::Show { place, .. } | AuditCommand::Verify { place, .. }) = command;
    let log = match log(place) {
        Ok(log) => log,
        Err(exit) => return exit,
    };
    let (is_there, path) = engine.find_audit_log(&log);
    let is_elsewhere = engine.find_audit_log(&if place.state { AuditLog::Root } else { AuditLog::State }).0;
    // The log of read-only runs is in the user state, out of reach of all runs, so it is read without lockdown.
    if !place.state
        && let Err(error) = seal(&engine)
    {
        report_setup(&error);
        return Exit::Usage;
    }
    let name = path.map_or_else(|| "the audit log".to_owned(), |path| format!("`{}`", path.display()));
    let done = match command {
        AuditCommand::Show { run, tool, since, limit, .. } => {
            let filter =
                AuditFilter { run: run.clone(), tool: tool.clone(), since: since.clone(), limit: *limit as usize };
            show(&engine, log, &filter, Format::for_call(global.output))
        }
        AuditCommand::Verify { expect, .. } => {
            verify(&engine, log, expect.as_deref(), &name, global.output == OutputFormat::Json)
        }
    };
    match done {
        Ok(Some(exit)) => exit,
        Ok(None) => missing(is_elsewhere, place, &name),
        Err(error) => {
            debug_assert!(is_there || !error.message.is_empty(), "a log that is not there is no error");
            let finding = Diagnostic::placeless(FindingCode::Tool(error.code), error.message);
            let finding = error.hint.into_iter().fold(finding, Diagnostic::help);
            report_findings(&[finding], &Sources::new());
            error.code.into()
        }
    }
}

fn log(place: &AuditPlace) -> Result<AuditLog, Exit> {
    let Some(path) = &place.file else {
        return Ok(if place.state { AuditLog::State } else { AuditLog::Root });
    };
    let name = path.display().to_string();
    let opened = match std::fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => Err(std::io::Error::other("it is no regular file")),
        Ok(_) => File::open(path),
        Err(error) => Err(error),
    };
    opened.map(|file| AuditLog::File(file.into(), name.clone())).map_err(|error| {
        report_error(&format!("`{name}` cannot be read: {error}"), "name a file that was an audit log");
        Exit::Usage
    })
}

/// Reports a missing log. It proves nothing, so it is a failure.
fn missing(is_elsewhere: bool, place: &AuditPlace, name: &str) -> Exit {
    let help = match (is_elsewhere, place.state) {
        (true, false) => "there is one of runs that may change nothing: give `--state`",
        (true, true) => "there is one in the sandbox: leave `--state` out",
        (false, _) => "it is made by the first change or refusal; if there was one, somebody removed it",
    };
    report_error(&format!("there is no audit log {name}"), help);
    Exit::Failed
}

fn show(
    engine: &Engine,
    log: AuditLog,
    filter: &AuditFilter,
    format: Option<Format>,
) -> Result<Option<Exit>, ToolError> {
    let Some(found) = engine.audit_lines(log, filter)? else { return Ok(None) };
    let exit = match format {
        Some(Format::Table) => print(&table_of(engine, &found.lines)),
        format => print_as(format.unwrap_or(Format::Json), Value::list(found.lines)?)?,
    };
    if found.flawed > 0 {
        say(&format!("warning: {} lines are none of the log's: see `ns audit verify`\n", found.flawed));
    }
    Ok(Some(exit))
}

/// Formats lines for people: one line each, limited to the width of the terminal.
fn table_of(engine: &Engine, lines: &[Value]) -> String {
    let rows = lines.iter().filter_map(|line| if let Value::Map(line) = line { Some(row(engine, line)) } else { None });
    let head = ["seq", "when", "run", "tool", "outcome", "paths"];
    Listing { head: &head, rows: rows.collect(), numeric: &[0] }.to_text(listing_width())
}

fn row(engine: &Engine, line: &Map) -> Vec<String> {
    let text =
        |name: &str| line.get_str(name).filter(|value| !matches!(value, Value::Nil)).map(|value| value.to_string());
    let of = |name: &str| text(name).unwrap_or_default();
    let when = DateTime::parse_from_rfc3339(&of("time"))
        .map_or_else(|_| of("time"), |time| time.with_timezone(&Local).format("%Y-%m-%d %H:%M:%S").to_string());
    let outcome = text("code").unwrap_or_else(|| of("outcome"));
    let cells = [of("seq"), when, of("run"), of("tool"), outcome, paths(engine, line)];
    cells.iter().map(|cell| safe::name(cell).into_owned()).collect()
}

/// Returns the paths of a line: those of a call or, if it was refused before all were resolved, those that it named.
fn paths(engine: &Engine, line: &Map) -> String {
    let of = |name: &str| line.get_str(name).unwrap_or_default();
    let (paths, named) = (texts(&of("paths")), named_paths(engine, line));
    let is_refused = of("outcome").as_text().is_some_and(|outcome| *outcome == *"refused");
    if named.is_empty() || (!is_refused && !paths.is_empty()) { paths.join(" ") } else { named.join(" ") }
}

/// Returns the path arguments of the call of a line.
fn named_paths(engine: &Engine, line: &Map) -> Vec<String> {
    let registry = engine.gate().registry();
    let tool = registry.find(&line.get_str("tool").unwrap_or_default().to_string());
    let (Some(tool), Some(Value::Map(arguments))) = (tool, line.get_str("arguments")) else { return Vec::new() };
    let params = registry.get(tool).params.iter();
    let named = params.filter(|param| matches!(param.kind, Kind::Path(..) | Kind::Paths(..)));
    named.filter_map(|param| arguments.get_str(param.name)).flat_map(|value| texts(&value)).collect()
}

/// Returns the texts of a list, or the one text that the value is.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::List(list) => list.iter().map(|item| item.to_string()).collect(),
        value => value.as_text().map(|text| text.to_string()).into_iter().collect(),
    }
}

fn verify(
    engine: &Engine,
    log: AuditLog,
    expect: Option<&str>,
    name: &str,
    as_json: bool,
) -> Result<Option<Exit>, ToolError> {
    let Some(verdict) = engine.verify_audit(log, expect)? else { return Ok(None) };
    let fault = verdict.fault.as_ref().map(|(line, fault)| (*line, words(fault)));
    let lost_key = engine.key_lost_because();
    let is_nobodys = verdict.sealed == 0 && lost_key.is_none();
    let holds = fault.is_none() && verdict.met && verdict.lines > 0 && verdict.cut.is_none() && !is_nobodys;
    if as_json {
        let fault = fault.map(|(line, what)| json!({ "line": line, "what": what }));
        let AuditVerdict { lines, last, torn, met, sealed, cut, before, .. } = &verdict;
        let cut = cut.as_ref().map(|end| end.seq);
        let shape = json!({
            "holds": holds, "lines": lines, "sealed": sealed, "last": last, "torn": torn, "expected": met,
            "missing": cut, "before": before, "fault": fault
        });
        print(&format!("{}\n", safe::json(&shape.to_string())));
    } else if let Some((line, what)) = fault {
        report_error(
            &format!("{name}, line {line}: {what}"),
            &format!(
                "the {} lines before it hold; keep a copy of the file before anything else is done",
                verdict.lines
            ),
        );
    } else if !verdict.met {
        report_error(
            &format!("{name}: {}, none of them with the expected hash", count(&verdict)),
            "the end was cut off, or the log was written anew",
        );
    } else if verdict.lines == 0 {
        report_error(&format!("{name} has no lines"), "that proves nothing: if there were some, somebody removed them");
    } else if let Some(end) = &verdict.cut {
        report_error(
            &format!("{name}: {}; line {}, which you wrote last, is not among them", count(&verdict), end.seq),
            "the end was cut off, or the log was moved away and a new one begun",
        );
    } else if is_nobodys {
        report_error(
            &format!("{name}: {}, none of them sealed by your key for this directory", count(&verdict)),
            "anybody may have written them; the next change here adds a line of yours",
        );
    } else {
        print_holding(&verdict, name, lost_key);
    }
    Ok(Some(if holds { Exit::Done } else { Exit::Failed }))
}

/// Prints that a log holds. `lost_key` is the reason why nobody can tell who sealed its lines.
fn print_holding(verdict: &AuditVerdict, name: &str, lost_key: Option<&str>) {
    let last = verdict.last.as_deref().unwrap_or("none");
    let torn = match verdict.torn {
        0 => String::new(),
        torn => format!("; {torn} more were cut short by a crash"),
    };
    let sealed = match lost_key {
        None => format!("; {} sealed by you", verdict.sealed),
        Some(reason) => format!("; nobody can tell whose they are: {reason}"),
    };
    let before = verdict.before.map(|lines| format!("; a log of {lines} lines was here before")).unwrap_or_default();
    print(&format!("{name}: {}, the chain holds{sealed}{torn}{before}\nlast hash: {last}\n", count(verdict)));
}

fn count(verdict: &AuditVerdict) -> String {
    if verdict.lines == 1 { "1 line".to_owned() } else { format!("{} lines", verdict.lines) }
}

fn words(fault: &AuditFault) -> String {
    match fault {
        AuditFault::Foreign => "it is no line of an audit log: it was edited, or put there".to_owned(),
        AuditFault::Edited => "its hash does not fit: it was edited".to_owned(),
        AuditFault::Missing { expected, found } => {
            format!("it has number {found} where {expected} is due: lines before it were removed")
        }
        AuditFault::Moved { expected, found } => {
            format!("it has number {found} where {expected} is due: lines were moved or repeated")
        }
        AuditFault::Unlinked => "it does not follow the line before it: one of the two was exchanged".to_owned(),
        AuditFault::Unsealed => {
            "your key did not seal it, as it did lines before it: somebody else wrote it".to_owned()
        }
        AuditFault::Cut { lines } => {
            format!("the log had {lines} lines when it was written, and those of its end were removed")
        }
        AuditFault::Torn => {
            "it is cut short: by a crash, and then the next change goes on after it, or by somebody".to_owned()
        }
    }
}
