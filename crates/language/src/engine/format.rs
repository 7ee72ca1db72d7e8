//! Formatting of scripts. It needs no sandbox and no policy, only a large enough stack.

use crate::document::{ScriptBlock, script_blocks};
use crate::format::{Style, format};
use crate::limits::{Limits, MAX_OPERATORS};
use crate::syntax::TextLimits;
use crate::text::{Diagnostic, Source, Sources, Span};

use super::stack::on_large_stack;
use super::{Script, internal_fault};

pub use crate::format::{CONTINUED, INDENT, Spelling};

/// The result of formatting a text.
pub struct Formatted {
    /// The original text, for showing findings and differences.
    pub sources: Sources,
    /// The formatted text, or the errors in it.
    pub result: Result<String, Vec<Diagnostic>>,
}

/// Formats a script, or the scripts in a Markdown text. By default, keywords are spelled like the first one in the
/// text.
pub fn format_script(script: &Script, keywords: Option<Spelling>) -> Formatted {
    let limits = Limits::default();
    let mut sources = Sources::new();
    let (text, undecodable) = script.decode(limits.script_bytes);
    let source = sources.add(script.name(), text);
    let style =
        Style { keywords, limits: TextLimits { nesting: limits.nesting, operators: MAX_OPERATORS, deadline: None } };
    let work = || if script.is_markdown() { format_blocks(source, style) } else { format(source, style) };
    let result = match undecodable {
        Some(finding) => Err(vec![finding]),
        None => on_large_stack(work).unwrap_or_else(|panic| Err(vec![internal_fault(&panic)])),
    };
    Formatted { sources, result }
}

/// Formats each script in a Markdown text, and leaves everything else as it is.
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

/// Formats a block. If the block has no margins, the positions of its errors refer to the document.
fn format_block(source: &Source, block: &ScriptBlock, style: Style) -> Result<String, Vec<Diagnostic>> {
    let mut sources = Sources::new();
    let script = sources.add(source.name(), block.text.as_str());
    // Carriage returns are left out of the block.
    let place = |offset: u32| {
        let returns = if block.line_end == "\n" { 0 } else { block.text[..offset as usize].matches('\n').count() };
        source.base() + block.range.start + offset as usize + returns
    };
    format(script, style).map_err(|mut findings| {
        for finding in &mut findings {
            for label in finding.primary.iter_mut().chain(&mut finding.related) {
                label.span = Span::new(place(label.span.start), place(label.span.end));
            }
        }
        findings
    })
}
