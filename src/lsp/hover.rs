//! The page about the word at a position.

use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind, Position};

use crate::completion::built_in;
use crate::engine::{AnalyzedText, Page, PageKind, ProcedureInfo, Symbol, TokenKind, pages};
use crate::manual::{entry_of, part_markdown, tool_markdown};
use crate::toolkit::groups;

use super::request::Target;
use super::symbols::symbol_at;
use super::word::{Word, word_at};

/// Maximum number of characters of a value.
const LONGEST_VALUE: usize = 500;

/// Returns the page about the word at a position.
pub fn hover(target: &Target<'_>, position: Position) -> Option<Hover> {
    let offset = target.offset(position);
    let code = target.document.code();
    let word = word_at(&code, offset)?;
    let value = of_symbol(target, offset).or_else(|| of_word(target, &word))?;
    let kind = if target.client.shows_markdown { MarkupKind::Markdown } else { MarkupKind::PlainText };
    let positions = target.document.text.positions(target.client.encoding);
    let range = Some(positions.range(word.start, word.end));
    Some(Hover { contents: HoverContents::Markup(MarkupContent { kind, value }), range })
}

/// Describes a procedure, a module or a variable of the document.
fn of_symbol(target: &Target<'_>, offset: usize) -> Option<String> {
    let script = target.analysis.script()?;
    match symbol_at(target, offset)?.symbol {
        Symbol::Procedure { module, name } => {
            let text = module.map_or(Some(script), |module| target.analysis.module(module))?;
            Some(procedure_markdown(&text.procedure(&name)?))
        }
        Symbol::Module(name) => {
            let used = script.tree.uses().find(|used| used.name.text == name)?;
            let procedures = script.module_named(&name).map(|module| module.procedures().collect::<Vec<_>>());
            let listed = procedures.iter().flatten().map(|procedure| format!("- `{}`\n", procedure.signature()));
            Some(format!("Module `{name}`, from `{}`\n\n{}", used.path, listed.collect::<String>()))
        }
        Symbol::Variable { module: Some(module), procedure: Some(number), name } => {
            let procedure = target.analysis.module(module)?.tree.procedures().nth(number)?;
            Some(format!("Parameter `{name}` of `{}`", procedure.name.text))
        }
        Symbol::Variable { procedure, name, .. } => Some(match procedure {
            Some(number) => {
                let procedure = script.tree.procedures().nth(number)?;
                let is_param = procedure.params.iter().any(|param| param.name.text == name);
                let noun = if is_param { "Parameter" } else { "Variable" };
                let value = constant(&script, Some(number), &name).filter(|_| !is_param);
                format!("{noun} `{name}` of `{}`{}", procedure.name.text, value.unwrap_or_default())
            }
            None => format!("Variable `{name}` of the script{}", constant(&script, None, &name).unwrap_or_default()),
        }),
    }
}

/// Returns the value of a variable that is set once, to a literal.
fn constant(script: &AnalyzedText<'_>, procedure: Option<usize>, name: &str) -> Option<String> {
    let value = script.constant(procedure, name)?;
    let mut shown: String = value.chars().take(LONGEST_VALUE).collect();
    if shown.len() < value.len() {
        shown.push('…');
    }
    Some(format!("\n\n```neuroscript\n{shown}\n```"))
}

fn procedure_markdown(procedure: &ProcedureInfo) -> String {
    let documentation = procedure.documentation.as_deref().unwrap_or_default();
    format!("```neuroscript\n{}\n```\n\n{documentation}", procedure.signature()).trim_end().to_owned()
}

/// Describes a built-in, a tool, a group of tools or a keyword.
fn of_word(target: &Target<'_>, word: &Word) -> Option<String> {
    if matches!(word.kind, TokenKind::Keyword | TokenKind::Constant) && !word.dotted.contains('.') {
        return Some(part_markdown(keyword_page(&word.dotted)?));
    }
    if let Some(page) = built_in(&word.dotted).filter(|_| word.kind == TokenKind::Callee) {
        return Some(part_markdown(page));
    }
    if word.is_owner && !word.dotted.contains('.') {
        let title = groups::title(&word.dotted.to_ascii_uppercase());
        return (!title.is_empty()).then(|| format!("`{}`: {title}", word.dotted.to_ascii_uppercase()));
    }
    let is_call = word.kind == TokenKind::Callee || word.dotted.contains('.');
    entry_of(target.engine.registry(), &word.dotted).filter(|_| is_call).map(tool_markdown)
}

/// Returns the page of a statement or of a value.
fn keyword_page(word: &str) -> Option<&'static Page> {
    let is_named = |page: &&Page| page.names.iter().any(|name| name.eq_ignore_ascii_case(word));
    let mut pages = pages().filter(|page| page.kind != PageKind::BuiltIn);
    pages.find(is_named)
}
