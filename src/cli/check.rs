//! `ns check FILE…`

use std::collections::HashSet;

use crate::engine::Checked;
use crate::text::render::to_json;
use crate::text::{Diagnostic, Severity};

use super::args::{CheckArgs, FindingFormat, Global};
use super::exit::Exit;
use super::run::read_script;
use super::terminal::{print, report_findings, say};

pub fn check(global: &Global, args: &CheckArgs) -> Exit {
    let engine = match super::open(&global.options()) {
        Ok(engine) => engine,
        Err(exit) => return exit,
    };
    let mut exit = Exit::Done;
    let mut checked = Vec::new();
    for file in &args.files {
        match read_script(file) {
            Ok(script) => checked.push((script.name().to_owned(), engine.check(&script))),
            Err(unreadable) => exit = unreadable,
        }
    }
    tell_once(&mut checked);
    let faulty = checked.iter().any(|(_, checked)| checked.findings.iter().any(Diagnostic::is_error));
    let shown = match args.format {
        FindingFormat::Text => show_text(&checked, args.info),
        FindingFormat::Json => show_json(&checked, args.info),
    };
    match (exit, shown) {
        (Exit::Done, Exit::Done) if faulty => Exit::Difference,
        (Exit::Done, shown) => shown,
        (exit, _) => exit,
    }
}

/// What is wrong with a module is told once, however many of the scripts use it.
fn tell_once(checked: &mut [(String, Checked)]) {
    let mut told = HashSet::new();
    for (_, Checked { findings, sources, .. }) in checked {
        findings.retain(|finding| {
            let place = finding.span().and_then(|span| {
                let source = sources.of(span)?;
                Some((source.name().to_owned(), source.local(span)))
            });
            place.is_none_or(|place| told.insert((place, finding.message.clone())))
        });
    }
}

fn show_text(checked: &[(String, Checked)], info: bool) -> Exit {
    let mut told = String::new();
    for (name, checked) in checked {
        report_findings(&checked.findings, &checked.sources);
        if info {
            let text = serde_json::to_string_pretty(&checked.info).expect("information has a JSON form");
            told.push_str(&format!("{name}: {text}\n"));
        }
    }
    let count = |severity| {
        checked.iter().flat_map(|(_, checked)| &checked.findings).filter(|finding| finding.severity == severity).count()
    };
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    if errors + warnings > 0 {
        say(&format!("{}, {}\n", counted(errors, "error"), counted(warnings, "warning")));
    }
    print(&told)
}

fn show_json(checked: &[(String, Checked)], info: bool) -> Exit {
    let findings = |checked: &Checked| -> Vec<serde_json::Value> {
        let findings = checked.findings.iter().map(|finding| to_json(finding, &checked.sources));
        findings.map(|finding| serde_json::to_value(finding).expect("a finding has a JSON form")).collect()
    };
    let json = match info {
        false => serde_json::Value::Array(checked.iter().flat_map(|(_, checked)| findings(checked)).collect()),
        true => checked
            .iter()
            .map(|(name, checked)| serde_json::json!({ "file": name, "info": checked.info, "findings": findings(checked) }))
            .collect(),
    };
    print(&format!("{json}\n"))
}

fn counted(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
