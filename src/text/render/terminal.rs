//! Findings as annotated excerpts of the source, drawn by annotate-snippets.
//!
//! Only the lines that labels lie on are handed over, and very long ones are cut around the label,
//! so that a finding in a line of a million characters costs no more than any other.

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::super::diagnostic::{Diagnostic, Label, Severity};
use super::super::safe;
use super::super::source::{Source, Sources};

/// Whether colours may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Text alone.
    Plain,
    /// With ANSI colours.
    Colored,
}

/// The finding as lines of text, with a line feed at the end.
pub fn to_terminal(diagnostic: &Diagnostic, sources: &Sources, style: Style) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let message = safe::name(&diagnostic.message);
    let mut group = Group::with_title(level.primary_title(message).id(diagnostic.code.id()));
    for (label, kind) in labels(diagnostic) {
        group = excerpt(group, label, kind, sources);
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(safe::prose(help)));
    }
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Colored => Renderer::styled(),
    };
    let mut text = renderer.render(&[group]);
    text.push('\n');
    text
}

/// The primary label first, then the related ones, those on one line of it next to it.
fn labels(diagnostic: &Diagnostic) -> impl Iterator<Item = (&Label, AnnotationKind)> {
    let primary = diagnostic.primary.iter().map(|label| (label, AnnotationKind::Primary));
    primary.chain(diagnostic.related.iter().map(|label| (label, AnnotationKind::Context)))
}

fn excerpt<'a>(group: Group<'a>, label: &'a Label, kind: AnnotationKind, sources: &'a Sources) -> Group<'a> {
    let Some(source) = sources.of(label.span) else { return group };
    let view = View::of(source, label);
    let position = source.position(label.span);
    let origin = Origin::path(safe::name(source.name())).line(position.line).char_column(position.column);
    let mut annotation = kind.span(view.start..view.end);
    if !label.text.is_empty() {
        annotation = annotation.label(safe::name(&label.text));
    }
    let snippet = Snippet::source(view.text).line_start(position.line).fold(false).annotation(annotation);
    group.element(origin).element(snippet)
}

/// One line of a source, cut to what is worth showing, and the label's place in it.
struct View {
    text: String,
    start: usize,
    end: usize,
}

/// Bytes shown on either side of a label when its line is too long to be shown whole.
const CONTEXT: usize = 60;
/// Longer lines are cut.
const LONG_LINE: usize = 400;

impl View {
    fn of(source: &Source, label: &Label) -> View {
        let (start, end) = source.local(label.span);
        let (line, line_start) = source.line(source.line_of(start));
        let start = (start - line_start).min(line.len());
        let end = end.saturating_sub(line_start).clamp(start, line.len());
        if line.len() <= LONG_LINE {
            return View { text: line.to_owned(), start, end };
        }
        let from = line.floor_char_boundary(start.saturating_sub(CONTEXT));
        let end = line.floor_char_boundary(end.min(start + CONTEXT)).max(start);
        let to = line.ceil_char_boundary((end + CONTEXT).min(line.len()));
        let lead = if from > 0 { "…" } else { "" };
        let tail = if to < line.len() { "…" } else { "" };
        let shift = from - lead.len().min(from);
        let text = format!("{lead}{}{tail}", &line[from..to]);
        View { text, start: start - shift, end: end - shift }
    }
}
