//! Parsing a script without running it. It needs no sandbox and no policy, only a large enough stack.

use crate::limits::{Limits, MAX_OPERATORS};
use crate::program::lint;
use crate::syntax::keyword::is_word_char;
use crate::syntax::{TextLimits, ast::Tree, parse};
use crate::text::{Diagnostic, Sources};

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
    let bounds = TextLimits { nesting: limits.nesting, operators: MAX_OPERATORS };
    let tree = on_large_stack(|| parse(source, bounds, &mut findings)).unwrap_or_else(|panic| {
        findings.push(internal_fault(&panic));
        Tree::default()
    });
    Parsed { sources, tree, findings }
}

/// Returns the warning that a run of the script never calls its `Main`, with the text for showing it.
///
/// Returns `None` for a script with syntax errors, and for a page, whose blocks are often scripts of their own.
pub fn uncalled_main(script: &Script) -> Option<(Diagnostic, Sources)> {
    if script.is_markdown() || !defines_main(script.text()?) {
        return None;
    }
    let Parsed { sources, tree, findings } = parse_script(script);
    if findings.iter().any(Diagnostic::is_error) {
        return None;
    }
    let finding = on_large_stack(|| lint::uncalled_main(sources.last()?, &tree)).ok()??;
    Some((finding, sources))
}

/// Whether a text can define `Main`: a quick test, so that other scripts are not parsed twice.
fn defines_main(text: &str) -> bool {
    let mut words = text.split(|c: char| !is_word_char(c)).filter(|word| !word.is_empty());
    let opens = |word: &str| ["PROCEDURE", "FUNC"].iter().any(|opener| word.eq_ignore_ascii_case(opener));
    std::iter::from_fn(|| words.by_ref().find(|word| opens(word)).and_then(|_| words.next()))
        .any(|name| matches!(name, "Main" | "main"))
}

/// The description of a script.
pub struct DescribedScript {
    /// The text, for showing findings.
    pub sources: Sources,
    /// The errors in the text.
    pub findings: Vec<Diagnostic>,
    /// The command-line interface, if it could be determined.
    pub interface: Option<Interface>,
}

/// Determines the command-line interface of a script: that of the named procedure, or of the default entry point.
pub fn describe_script(script: &Script, procedure: Option<&str>) -> DescribedScript {
    let Parsed { sources, tree, mut findings } = parse_script(script);
    let mut wrong = Vec::new();
    let interface = on_large_stack(|| Interface::of(&tree, procedure, &mut wrong));
    findings.extend(wrong.into_iter().filter(Diagnostic::is_error));
    let interface = match interface {
        Ok(interface) => interface.map_err(|finding| findings.push(finding)).ok(),
        Err(panic) => {
            findings.push(internal_fault(&panic));
            None
        }
    };
    let interface = interface.filter(|_| !findings.iter().any(Diagnostic::is_error));
    DescribedScript { sources, findings, interface }
}
