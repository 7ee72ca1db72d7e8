//! Formatting: it needs no sandbox and no policy, only a stack that is large enough.

use crate::document::{ScriptBlock, script_blocks};
use crate::format::{Style, format};
use crate::limits::{Limits, MAX_OPERATORS};
use crate::syntax::TextLimits;
use crate::text::{Diagnostic, Source, Sources};

use super::stack::on_large_stack;
use super::{Script, internal_fault};

pub use crate::format::Spelling;

/// What becomes of a text that is formatted.
pub struct Formatted {
    /// The text as it was, for showing findings and differences.
    pub sources: Sources,
    /// Its canonical form; or what is wrong with it.
    pub result: Result<String, Vec<Diagnostic>>,
}

/// Brings a script, or the scripts in a Markdown text, into their canonical form; keywords are spelled as the
/// first one is unless something else is asked for.
pub fn format_script(script: &Script, keywords: Option<Spelling>) -> Formatted {
    let limits = Limits::default();
    let mut sources = Sources::new();
    let (text, undecodable) = script.decode(limits.script_bytes);
    let source = sources.add(script.name(), text);
    let style = Style { keywords, limits: TextLimits { nesting: limits.nesting, operators: MAX_OPERATORS } };
    let work = || match script.is_markdown() {
        true => format_blocks(source, style),
        false => format(source, style),
    };
    let result = match undecodable {
        Some(finding) => Err(vec![finding]),
        None => on_large_stack(work).unwrap_or_else(|panic| Err(vec![internal_fault(&panic)])),
    };
    Formatted { sources, result }
}

/// A Markdown text with each of its scripts in its canonical form, and everything else as it is.
fn format_blocks(source: &Source, style: Style) -> Result<String, Vec<Diagnostic>> {
    let text = source.text();
    let (mut page, mut findings, mut done) = (String::with_capacity(text.len()), Vec::new(), 0);
    for block in script_blocks(text) {
        match format_block(source, &block, style) {
            Ok(script) => {
                page.push_str(&text[done..block.range.start]);
                page.push_str(&block.with_margins(&script));
                done = block.range.end;
            }
            Err(found) => findings.extend(found),
        }
    }
    page.push_str(&text[done..]);
    if findings.is_empty() { Ok(page) } else { Err(findings) }
}

/// A block in its canonical form; the places of its faults are those of the document where it has no margins.
fn format_block(source: &Source, block: &ScriptBlock, style: Style) -> Result<String, Vec<Diagnostic>> {
    let mut sources = Sources::new();
    let script = sources.add(source.name(), block.text.as_str());
    format(script, style).map_err(|mut findings| {
        for finding in &mut findings {
            for label in finding.primary.iter_mut().chain(&mut finding.related) {
                label.span = label.span.shifted(source.base() + block.range.start);
            }
        }
        findings
    })
}
