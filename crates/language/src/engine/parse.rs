//! Parsing a script without running it. It needs no sandbox and no policy, only a large enough stack.

use std::cell::RefCell;

use crate::limits::{Limits, MAX_OPERATORS};
use crate::program::{lint, may_read_args};
use crate::syntax::{KnownLines, TextLimits, ast::Tree, parse, parse_again};
use crate::text::{Diagnostic, Source, Sources};

use super::required_version::{check_required_version, keep_version_findings};
use super::stack::on_large_stack;
use super::{Interface, Script, internal_fault};

/// A parsed script.
pub struct Parsed {
    /// The text, for showing findings and for the positions of the tree.
    pub sources: Sources,
    /// The syntax tree, complete for all lines without findings.
    pub tree: Tree,
    /// Syntax errors; names and calls are not checked.
    pub findings: Vec<Diagnostic>,
}

/// Parses a script.
pub fn parse_script(script: &Script) -> Parsed {
    let limits = Limits::default();
    let mut sources = Sources::new();
    let (text, undecodable) = script.decode_script(limits.script_bytes);
    let source = sources.add(script.name(), text);
    let mut findings: Vec<Diagnostic> = undecodable.into_iter().collect();
    let bounds = TextLimits { nesting: limits.nesting, operators: MAX_OPERATORS, deadline: None };
    let tree = on_large_stack(|| parse_known(source, bounds, &mut findings, None)).unwrap_or_else(|panic| {
        findings.push(internal_fault(&panic));
        Tree::default()
    });
    Parsed { sources, tree, findings }
}

/// Parses a text, and checks that this version is new enough for it. Lines that are known are copied, and lines that
/// are new become known.
pub(super) fn parse_known(
    source: &Source,
    limits: TextLimits,
    findings: &mut Vec<Diagnostic>,
    known: Option<&RefCell<KnownLines>>,
) -> Tree {
    let tree = match known {
        Some(known) => parse_again(source, limits, findings, &mut known.borrow_mut()),
        None => parse(source, limits, findings),
    };
    check_required_version(&tree, findings);
    tree
}

/// Returns the warning that a run of a parsed script never calls its `Main`. A page has none, because its blocks are
/// often scripts of their own.
pub(super) fn uncalled_main(script: &Script, source: &Source, tree: &Tree) -> Option<Diagnostic> {
    if script.is_markdown() { None } else { lint::uncalled_main(source, tree) }
}

/// The description of a script.
pub struct DescribedScript {
    /// The text, for showing findings.
    pub sources: Sources,
    /// The errors in the text.
    pub findings: Vec<Diagnostic>,
    /// The warning that a run without the name of a procedure never calls `Main`.
    pub uncalled_main: Option<Diagnostic>,
    /// The command-line interface, if it could be determined.
    pub interface: Option<Interface>,
}

/// Determines the command-line interface of a script: that of the named procedure, or of the default entry point.
pub fn describe_script(script: &Script, procedure: Option<&str>) -> DescribedScript {
    let Parsed { sources, tree, mut findings } = parse_script(script);
    let mut wrong = Vec::new();
    let interface = on_large_stack(|| {
        let interface = Interface::of(&tree, procedure, &mut wrong);
        interface.map(|interface| Interface { reads_args: may_read_args(&tree), ..interface })
    });
    findings.extend(wrong.into_iter().filter(Diagnostic::is_error));
    keep_version_findings(&mut findings);
    let interface = match interface {
        Ok(interface) => interface.map_err(|finding| findings.push(finding)).ok(),
        Err(panic) => {
            findings.push(internal_fault(&panic));
            None
        }
    };
    let interface = interface.filter(|_| !findings.iter().any(Diagnostic::is_error));
    let source = sources.last().filter(|_| procedure.is_none() && interface.is_some());
    let uncalled_main = on_large_stack(|| uncalled_main(script, source?, &tree)).ok().flatten();
    DescribedScript { sources, findings, uncalled_main, interface }
}
