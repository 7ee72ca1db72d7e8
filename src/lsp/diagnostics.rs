//! Findings as diagnostics of the protocol.

use lsp_types::{
    Diagnostic as Shown, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location, NumberOrString,
    Range,
};

use crate::engine::Analysis;
use crate::text::{Code, Diagnostic, FindingCode, Severity};

use super::client::Client;
use super::documents::Document;
use super::explanations::link;
use super::places::Places;

/// Maximum number of diagnostics of a document.
const MOST: usize = 1_000;

/// Findings about code that can be left out.
const UNNECESSARY: [Code; 3] = [Code::UnusedName, Code::Unreachable, Code::NeedlessAllow];

/// A diagnostic with the document that it is about.
pub struct Placed {
    /// The place.
    pub location: Location,
    /// The diagnostic.
    pub shown: Shown,
}

/// Converts the findings of an analysis. Those in modules are placed there; those without a place are at the beginning
/// of the document. A Markdown text does not need a script.
pub fn diagnostics(document: &Document, analysis: &Analysis, places: &Places<'_>, client: &Client) -> Vec<Placed> {
    let is_wanted = |finding: &&Diagnostic| !document.is_markdown() || finding.code != FindingCode::from(Code::NoEntry);
    let findings = analysis.checked.findings.iter().filter(is_wanted).take(MOST);
    findings.map(|finding| placed(document, finding, places, client)).collect()
}

/// Converts one finding.
pub fn placed(document: &Document, finding: &Diagnostic, places: &Places<'_>, client: &Client) -> Placed {
    let location = finding.span().and_then(|span| places.location(span));
    let location = location.unwrap_or_else(|| Location { uri: document.uri.clone(), range: Range::default() });
    let related = finding.related.iter().filter_map(|label| {
        let message = if label.text.is_empty() { "see here".to_owned() } else { label.text.clone() };
        Some(DiagnosticRelatedInformation { location: places.location(label.span)?, message })
    });
    let related: Vec<_> = related.collect();
    let mut message = message(finding);
    if !client.shows_related {
        let line = |related: &DiagnosticRelatedInformation| {
            format!("\nline {}: {}", related.location.range.start.line + 1, related.message)
        };
        message.extend(related.iter().map(line));
    }
    let is_unnecessary = UNNECESSARY.iter().any(|code| finding.code == FindingCode::from(*code));
    let shown = Shown {
        range: location.range,
        severity: Some(match finding.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
        }),
        code: Some(NumberOrString::String(finding.code.id().to_owned())),
        code_description: client.opens_explanations.then(|| link(finding.code.id())).flatten(),
        source: Some("ns".to_owned()),
        message,
        related_information: (client.shows_related && !related.is_empty()).then_some(related),
        tags: (client.shows_tags && is_unnecessary).then(|| vec![DiagnosticTag::UNNECESSARY]),
        data: None,
    };
    Placed { location, shown }
}

/// Returns the message with the note at its place and the help.
fn message(finding: &Diagnostic) -> String {
    let mut message = finding.message.clone();
    let label = finding.primary.as_ref().map_or("", |label| &label.text);
    if !label.is_empty() {
        message.push_str(&format!("\n{label}"));
    }
    if let Some(help) = &finding.help {
        message.push_str(&format!("\nhelp: {help}"));
    }
    message
}

/// Returns the diagnostic of a document that is not held.
pub fn too_large(bytes: usize) -> Shown {
    Shown {
        range: Range::default(),
        severity: Some(DiagnosticSeverity::ERROR),
        code: Some(NumberOrString::String(Code::TextTooLong.id().to_owned())),
        source: Some("ns".to_owned()),
        message: format!("the document has more than {bytes} bytes, so it is not checked\nhelp: split it"),
        ..Shown::default()
    }
}
