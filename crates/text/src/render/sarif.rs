//! Findings as a SARIF 2.1.0 log, for code hosts and editors.
//!
//! Lines and columns count from 1; columns are in UTF-16 code units, as `columnKind` states.
//! <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::super::diagnostic::{Diagnostic, Edit, FindingCode, Label, Severity};
use super::super::source::Sources;
use super::super::span::Span;

/// Creates the log of one run over several texts, each with its findings. `is_whole` says whether every text was
/// read.
pub fn to_sarif<'a>(checked: impl Iterator<Item = (&'a [Diagnostic], &'a Sources)>, is_whole: bool) -> Value {
    let mut rules: Vec<FindingCode> = Vec::new();
    let mut results = Vec::new();
    for (findings, sources) in checked {
        for finding in findings {
            let known = rules.iter().position(|code| *code == finding.code);
            let index = known.unwrap_or_else(|| {
                rules.push(finding.code);
                rules.len() - 1
            });
            results.push(result(finding, index, sources));
        }
    }
    let version = env!("CARGO_PKG_VERSION");
    let rules: Vec<Value> = rules.into_iter().map(rule).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "ns", "fullName": "NeuroScript", "semanticVersion": version, "rules": rules } },
            "invocations": [{ "executionSuccessful": is_whole }],
            "columnKind": "utf16CodeUnits",
            "results": results,
        }],
    })
}

fn rule(code: FindingCode) -> Value {
    let explanation = code.explanation();
    json!({
        "id": code.id(),
        "shortDescription": { "text": code.title() },
        "fullDescription": { "text": explanation },
        "help": { "text": explanation, "markdown": explanation },
    })
}

fn result(finding: &Diagnostic, rule: usize, sources: &Sources) -> Value {
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let text = match &finding.help {
        Some(help) => format!("{}\n{help}", finding.message),
        None => finding.message.clone(),
    };
    let mut result = json!({
        "ruleId": finding.code.id(),
        "ruleIndex": rule,
        "level": level,
        "message": { "text": text },
        "locations": locations(finding, sources),
    });
    let related: Vec<Value> = finding.related.iter().filter_map(|label| related(label, sources)).collect();
    if !related.is_empty() {
        result["relatedLocations"] = Value::Array(related);
    }
    if let Some(fix) = finding.fix.as_ref().and_then(|edit| fix(finding, edit, sources)) {
        result["fixes"] = json!([fix]);
    }
    result
}

/// Returns the location of a finding; the whole text if it has no position.
fn locations(finding: &Diagnostic, sources: &Sources) -> Vec<Value> {
    let place = finding.span().and_then(|span| physical(span, sources));
    let whole = || sources.iter().next().map(|source| json!({ "artifactLocation": { "uri": uri(source.name()) } }));
    place.or_else(whole).map(|place| json!({ "physicalLocation": place })).into_iter().collect()
}

fn related(label: &Label, sources: &Sources) -> Option<Value> {
    Some(json!({ "physicalLocation": physical(label.span, sources)?, "message": { "text": label.text } }))
}

fn fix(finding: &Diagnostic, edit: &Edit, sources: &Sources) -> Option<Value> {
    let mut place = physical(edit.span, sources)?;
    let replacement = json!({ "deletedRegion": place["region"].take(), "insertedContent": { "text": edit.text } });
    Some(json!({
        "description": { "text": finding.help },
        "artifactChanges": [{ "artifactLocation": place["artifactLocation"].take(), "replacements": [replacement] }],
    }))
}

fn physical(span: Span, sources: &Sources) -> Option<Value> {
    let source = sources.of(span)?;
    let (start, end) = (source.position_utf16(span), source.end_position_utf16(span));
    let region = json!({
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    });
    Some(json!({ "artifactLocation": { "uri": uri(source.name()) }, "region": region }))
}

/// Returns the name of a source as a URI reference: relative, or a `file:` URI for an absolute path.
fn uri(name: &str) -> String {
    let mut uri = if name.starts_with('/') { "file://".to_owned() } else { String::new() };
    for byte in name.strip_prefix("./").unwrap_or(name).bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(byte.into()),
            byte if byte.is_ascii_alphanumeric() => uri.push(byte.into()),
            byte => write!(uri, "%{byte:02X}").expect("writing to a string cannot fail"),
        }
    }
    uri
}
