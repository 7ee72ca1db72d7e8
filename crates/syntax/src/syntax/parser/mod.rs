//! The parser. Parsing never fails: a line that cannot be parsed becomes a finding and a
//! [`StatementKind::Bad`](super::ast::StatementKind::Bad), and parsing continues with the next line.
//!
//! The scanner provides lines, pest parses each of them separately, and [`blocks`] combines them using an explicit
//! stack. No pest type leaves this directory.

mod blocks;
mod bounded;
mod closer;
mod expr;
mod findings;
mod known_lines;
mod literal;
mod mistake;
mod next_words;
mod params;
mod role;
mod stmt;
mod tokens;

use web_time::Instant;

use crate::text::{Code, Diagnostic, Source, Span};

use super::ast::{Metadata, Statement, StatementKind, Tree};
use super::grammar::Rule;
use super::keyword;
use super::scan::{Line, LineKind, Scanner};
use super::written::{BlockPart, Written, WrittenKind, WrittenLine};

pub use closer::closed_heads;
pub use findings::MAX_FINDINGS;
pub use known_lines::KnownLines;
pub use literal::{escape, part_of_literal};
pub use mistake::{is_foreign_statement, joined_help};
pub use next_words::next_words;

use blocks::Blocks;
use findings::Findings;
use known_lines::LinePlace;
use stmt::{Head, Parsed};

/// Limits on the complexity of a text.
#[derive(Clone, Copy, Debug)]
pub struct TextLimits {
    /// Maximum nesting of brackets and of blocks, and maximum number of consecutive signs, `**`, or postfixes of a
    /// value.
    pub nesting: usize,
    /// Maximum number of operators in one expression.
    pub operators: usize,
    /// When parsing stops. The caller checks afterwards whether it has passed: the tree is incomplete then.
    pub deadline: Option<Instant>,
}

/// Parses a source. The tree is complete for all lines without findings.
///
/// The caller limits the length of the text; parsing takes time linear in it.
pub fn parse(source: &Source, limits: TextLimits, findings: &mut Vec<Diagnostic>) -> Tree {
    parse_into(source, limits, findings, Extras::default()).0
}

/// Parses a source like [`parse`]: lines that are known are copied, and lines that are new become known.
pub fn parse_again(
    source: &Source,
    limits: TextLimits,
    findings: &mut Vec<Diagnostic>,
    known: &mut KnownLines,
) -> Tree {
    known.admit(limits);
    parse_into(source, limits, findings, Extras { known: Some(known), written: None }).0
}

/// Parses a source, and also returns its lines and tokens as written.
pub fn parse_written(source: &Source, limits: TextLimits, findings: &mut Vec<Diagnostic>) -> (Tree, Written) {
    let extras = Extras { written: Some(Written::default()), known: None };
    let (tree, written) = parse_into(source, limits, findings, extras);
    (tree, written.unwrap_or_default())
}

/// Optional inputs and results of a parse besides the tree.
#[derive(Default)]
struct Extras<'k> {
    /// The lines and tokens as written.
    written: Option<Written>,
    /// Lines that were parsed before.
    known: Option<&'k mut KnownLines>,
}

fn parse_into(
    source: &Source,
    limits: TextLimits,
    findings: &mut Vec<Diagnostic>,
    extras: Extras<'_>,
) -> (Tree, Option<Written>) {
    let mut parser = Parser::new(source.base(), limits, extras);
    let mut scanner = Scanner::new(source.text(), source.base(), limits.nesting);
    let mut blocks = Blocks::new(source, limits.nesting);
    let mut rest = None;
    while let Some(line) = scanner.next_line() {
        parser.line(line, &mut blocks);
        if parser.is_over() {
            break;
        }
        if parser.findings.len() + scanner.diagnostics.len() >= MAX_FINDINGS {
            rest = scanner.rest();
            break;
        }
    }
    parser.tree.version = blocks.take_version();
    parser.tree.statements = blocks.finish(&mut parser.findings);
    parser.tree.comments = scanner.comments;
    findings.append(&mut scanner.diagnostics);
    let unread = parser.findings.first_refused().or(rest);
    findings.extend(parser.findings.into_kept());
    findings.extend(unread.map(too_many_faults));
    (parser.tree, parser.written)
}

/// Parses a text that is a single expression, as a script that returns its value.
///
/// Returns `None` for a text with more than one logical line.
pub fn parse_value(source: &Source, limits: TextLimits, findings: &mut Vec<Diagnostic>) -> Option<Tree> {
    let mut parser = Parser::new(source.base(), limits, Extras::default());
    let mut scanner = Scanner::new(source.text(), source.base(), limits.nesting);
    let line = scanner.next_line()?;
    let is_alone = scanner.next_line().is_none();
    let LineKind::Statement(text) = line.kind else {
        findings.append(&mut scanner.diagnostics);
        return None;
    };
    parser.base = line.span.start as usize;
    match bounded::apply(Rule::value_line, &text, limits.deadline) {
        None => {}
        Some(Ok(mut pairs)) => {
            let value = parser.expression(pairs.next().expect("a line that parses holds an expression"));
            parser.tree.statements.push(Statement { kind: StatementKind::Return(vec![value]), span: line.span });
        }
        Some(Err(error)) => parser.findings.push(mistake::explain_value(&error, &text, parser.base)),
    }
    findings.append(&mut scanner.diagnostics);
    findings.extend(parser.findings.into_kept());
    is_alone.then_some(parser.tree)
}

/// Returns whether more lines could complete a text: a block or bracket is still open, and there is no other error.
///
/// The REPL uses this to decide whether a first line is complete.
pub fn is_unfinished(text: &str, limits: TextLimits) -> bool {
    let findings = findings_of(text, limits);
    findings.iter().any(|finding| is_openness(finding, text))
        && findings.iter().all(|finding| is_openness(finding, text))
}

/// Returns whether a block or bracket is open at the end of a text, regardless of other errors.
///
/// The REPL uses this for the following lines: a mistake in a block does not end it, since the lines after it, pasted
/// together with it, would otherwise be run separately.
pub fn is_open(text: &str, limits: TextLimits) -> bool {
    findings_of(text, limits).iter().any(|finding| is_openness(finding, text))
}

fn findings_of(text: &str, limits: TextLimits) -> Vec<Diagnostic> {
    let mut sources = crate::text::Sources::new();
    let mut findings = Vec::new();
    parse(sources.add("", text), limits, &mut findings);
    findings
}

/// Returns whether a finding says that something is still open.
fn is_openness(finding: &Diagnostic, text: &str) -> bool {
    let open = [Code::UnclosedBlock, Code::UnclosedBracket].map(Into::into).contains(&finding.code);
    let open_text = finding.code == Code::UnclosedText.into() && finding.message.contains("never closed");
    let continued = finding.code == Code::BadContinuation.into() && text.trim_end().ends_with('\\');
    open || open_text || continued
}

/// Returns the finding that the rest of a text was not parsed, or that its findings were not kept.
fn too_many_faults(rest: Span) -> Diagnostic {
    let message = format!("the text has {MAX_FINDINGS} faults; it was not read from here on");
    Diagnostic::error(Code::TooManyFaults, rest, message).help("repair the faults above first")
}

/// The state of parsing one text; [`expr`], [`stmt`] and [`literal`] add its rules.
struct Parser<'k> {
    tree: Tree,
    findings: Findings,
    base: usize,
    limits: TextLimits,
    /// Number of operators in the current expression.
    operators: usize,
    /// Number of open blocks whose heads ended in `{`; a `}` closes each without a further finding.
    brace_blocks: usize,
    /// The lines and tokens as written, if requested.
    written: Option<Written>,
    /// Lines that were parsed before, if there are any.
    known: Option<&'k mut KnownLines>,
    /// Number of lines and elements so far.
    units: usize,
    /// Whether the deadline has passed.
    is_over: bool,
}

/// Number of lines or elements between two checks of the deadline.
const UNITS_PER_CHECK: usize = 256;

impl<'k> Parser<'k> {
    fn new(base: usize, limits: TextLimits, extras: Extras<'k>) -> Parser<'k> {
        Parser {
            tree: Tree::default(),
            findings: Findings::default(),
            base,
            limits,
            operators: 0,
            brace_blocks: 0,
            written: extras.written,
            known: extras.known,
            units: 0,
            is_over: false,
        }
    }

    /// Counts a line or an element. Returns whether the deadline has passed.
    fn is_over(&mut self) -> bool {
        self.units += 1;
        if self.units.is_multiple_of(UNITS_PER_CHECK) {
            self.is_over |= self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        }
        self.is_over
    }

    fn line(&mut self, line: Line<'_>, blocks: &mut Blocks<'_>) {
        match line.kind {
            LineKind::Statement(text) => {
                self.base = line.span.start as usize;
                let first = self.written.as_ref().map_or(0, |written| written.tokens.len());
                let parsed = self.known_or_new(&text);
                if let Some(written) = &mut self.written {
                    let kind = WrittenKind::Statement(place_of(&parsed), first..written.tokens.len());
                    written.lines.push(WrittenLine { kind, span: line.span });
                }
                blocks.add(parsed, line.span, line.indent, &mut self.findings);
            }
            LineKind::Broken(text) => {
                let parsed = Parsed::broken(text);
                blocks.add(parsed, line.span, line.indent, &mut self.findings);
            }
            LineKind::Braces(text) => {
                self.braces(text, line.span, blocks.has_open());
                blocks.add(Parsed::broken(text), line.span, line.indent, &mut self.findings);
            }
            LineKind::Metadata(text) => {
                self.note(WrittenKind::Metadata, line.span);
                let (key, value) = text.split_once(':').unwrap_or((&text, ""));
                let (key, value) = (key.trim().to_owned(), value.trim().to_owned());
                let metadata = Metadata { key, value, span: line.span };
                self.tree.metadata.push(metadata);
            }
            LineKind::Comment(text) => {
                self.note(WrittenKind::Comment, line.span);
                blocks.documentation(text);
            }
        }
    }

    /// Reports a line with block braces: `IF x {`, `} else {` or `}`.
    fn braces(&mut self, text: &str, span: Span, is_inside: bool) {
        let base = span.start as usize;
        let is_closer = text.starts_with('}');
        let is_paired = is_closer && self.brace_blocks > 0;
        self.brace_blocks -= usize::from(is_paired);
        let opens = text.len() > 1 && text.ends_with('{');
        self.brace_blocks += usize::from(opens);
        match mistake::brace_head(text, base).filter(|_| opens) {
            Some(finding) => self.findings.push(finding),
            // The head of its block was reported.
            None if is_paired => {}
            None => self.findings.push(mistake::stray_brace(base, is_inside)),
        }
    }

    fn note(&mut self, kind: WrittenKind, span: Span) {
        if let Some(written) = &mut self.written {
            written.lines.push(WrittenLine { kind, span });
        }
    }

    /// Takes the parts of a line that was parsed before, or parses it.
    fn known_or_new(&mut self, text: &str) -> Parsed {
        let found = self.known.as_mut().and_then(|known| known.place(text, self.base, &mut self.tree));
        if let Some(parsed) = found {
            return parsed;
        }
        let place = LinePlace { base: self.base, exprs: self.tree.exprs().len() };
        let findings = self.findings.len();
        let parsed = self.statement(text);
        if let Some(known) = &mut self.known
            && self.findings.len() == findings
            && !self.is_over
        {
            known.keep(text, place, &parsed, &self.tree);
        }
        parsed
    }

    /// Parses the text of one logical line.
    fn statement(&mut self, text: &str) -> Parsed {
        let before = self.findings.len();
        match bounded::apply(Rule::line, text, self.limits.deadline) {
            None => {
                self.is_over = true;
                Parsed::broken("")
            }
            Some(Ok(mut pairs)) => {
                if let Some(written) = &mut self.written {
                    tokens::record(pairs.clone(), text, self.base, &mut written.tokens);
                }
                let pair = pairs.next().expect("a line that parses holds a statement");
                let parsed = self.parsed_line(pair);
                // A line with a finding is not lowered: its tree is incomplete.
                if self.findings.len() > before { Parsed::broken_as(parsed, text) } else { parsed }
            }
            Some(Err(error)) => {
                let finding = mistake::explain(&error, text, self.base);
                self.findings.push(finding);
                Parsed::broken(text)
            }
        }
    }
}

/// Returns the words that could be names, for a line that could not be parsed.
fn words_of(text: &str) -> Vec<compact_str::CompactString> {
    let words = text.split(|c: char| !keyword::is_word_char(c));
    words.filter(|word| keyword::is_word(word) && !keyword::is_reserved(word)).map(Into::into).collect()
}

/// Returns the role of a line in block structure.
fn place_of(parsed: &Parsed) -> BlockPart {
    match parsed {
        Parsed::Opens(Head::Procedure(_) | Head::Func(_)) => BlockPart::OpensProcedure,
        Parsed::Opens(_) => BlockPart::Opens,
        Parsed::Else | Parsed::ElseIf(_) => BlockPart::Between,
        Parsed::Closes(_) => BlockPart::Closes,
        Parsed::Plain(_) | Parsed::Version(_) | Parsed::Broken(..) => BlockPart::Inside,
    }
}
