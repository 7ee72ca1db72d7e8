//! Findings as annotated excerpts of the source, drawn by annotate-snippets.
//!
//! Only lines with labels are passed to it, and very long lines are cut around the label, so that a finding in a line
//! of a million characters costs no more than any other.

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::super::diagnostic::{Diagnostic, Label, Severity};
use super::super::safe;
use super::super::source::{Source, Sources};

/// Whether colors may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Plain text.
    Plain,
    /// With ANSI colors.
    Colored,
}

/// Returns the finding as lines of text, with a final line feed.
pub fn to_terminal(diagnostic: &Diagnostic, sources: &Sources, style: Style) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let message = safe::name(&diagnostic.message);
    let mut group = Group::with_title(level.primary_title(message).id(diagnostic.code.id()));
    for excerpt in excerpts(diagnostic, sources) {
        group = excerpt.show(group);
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

/// Some lines of one source, with the labels in them.
struct Excerpt<'a> {
    source: &'a Source,
    /// The first line, from 1.
    first: usize,
    last: usize,
    marks: Vec<Mark<'a>>,
}

/// A label in an excerpt; its offsets count from the beginning of its line.
struct Mark<'a> {
    kind: AnnotationKind,
    text: &'a str,
    line: usize,
    start: usize,
    end: usize,
}

/// Maximum number of lines in one excerpt; labels farther apart get separate excerpts.
const NEAR: usize = 12;

/// Groups nearby labels into excerpts: first the primary label, then the related ones.
fn excerpts<'a>(diagnostic: &'a Diagnostic, sources: &'a Sources) -> Vec<Excerpt<'a>> {
    let primary = diagnostic.primary.iter().map(|label| (label, AnnotationKind::Primary));
    let labels = primary.chain(diagnostic.related.iter().map(|label| (label, AnnotationKind::Context)));
    let mut excerpts: Vec<Excerpt<'_>> = Vec::new();
    for (label, kind) in labels {
        let Some(source) = sources.of(label.span) else { continue };
        let mark = Mark::of(source, label, kind);
        match excerpts.iter_mut().find(|excerpt| excerpt.takes(source, mark.line)) {
            Some(excerpt) => {
                (excerpt.first, excerpt.last) = (excerpt.first.min(mark.line), excerpt.last.max(mark.line));
                excerpt.marks.push(mark);
            }
            None => excerpts.push(Excerpt { source, first: mark.line, last: mark.line, marks: vec![mark] }),
        }
    }
    excerpts
}

impl<'a> Mark<'a> {
    fn of(source: &Source, label: &'a Label, kind: AnnotationKind) -> Mark<'a> {
        let (start, end) = source.local(label.span);
        let line = source.line_of(start);
        let (text, line_start) = source.line(line);
        let start = (start - line_start).min(text.len());
        let end = end.saturating_sub(line_start).clamp(start, text.len());
        Mark { kind, text: &label.text, line, start, end }
    }
}

impl<'a> Excerpt<'a> {
    /// Whether a label on a line of a source fits into this excerpt.
    fn takes(&self, source: &Source, line: usize) -> bool {
        let (first, last) = (self.first.min(line), self.last.max(line));
        let short = |line| self.source.line(line).0.len() <= LONG_LINE;
        std::ptr::eq(self.source, source) && last - first <= NEAR && (first..=last).all(short)
    }

    fn show(&self, group: Group<'a>) -> Group<'a> {
        let name = safe::name(self.source.name()).into_owned();
        let (line, _) = self.source.line(self.first);
        if line.len() > LONG_LINE {
            let mark = &self.marks[0];
            let column = line[..mark.start].chars().count() + 1;
            let view = View::of(line, mark);
            let snippet = Snippet::source(view.text).line_start(self.first).fold(false);
            let origin = Origin::path(name).line(self.first).char_column(column);
            return group.element(origin).element(snippet.annotation(annotate(mark, view.start, view.end)));
        }
        let mut text = String::new();
        let mut starts = Vec::new();
        for line in self.first..=self.last {
            starts.push(text.len());
            text.push_str(self.source.line(line).0);
            text.push('\n');
        }
        let annotations = self.marks.iter().map(|mark| {
            let start = starts[mark.line - self.first];
            annotate(mark, start + mark.start, start + mark.end)
        });
        let annotations: Vec<_> = annotations.collect();
        group.element(Snippet::source(text).path(name).line_start(self.first).annotations(annotations))
    }
}

fn annotate<'a>(mark: &Mark<'a>, start: usize, end: usize) -> Annotation<'a> {
    let annotation = mark.kind.span(start..end);
    if mark.text.is_empty() { annotation } else { annotation.label(safe::name(mark.text)) }
}

/// Part of a long line, with the position of the label in it.
struct View {
    text: String,
    start: usize,
    end: usize,
}

/// Number of bytes shown before and after a label in a long line.
const CONTEXT: usize = 60;
/// Longer lines are cut.
const LONG_LINE: usize = 400;

impl View {
    fn of(line: &str, mark: &Mark<'_>) -> View {
        let from = line.floor_char_boundary(mark.start.saturating_sub(CONTEXT));
        let end = line.floor_char_boundary(mark.end.min(mark.start + CONTEXT)).max(mark.start);
        let to = line.ceil_char_boundary((end + CONTEXT).min(line.len()));
        let lead = if from > 0 { "…" } else { "" };
        let tail = if to < line.len() { "…" } else { "" };
        let text = format!("{lead}{}{tail}", &line[from..to]);
        View { text, start: mark.start - from + lead.len(), end: end - from + lead.len() }
    }
}
