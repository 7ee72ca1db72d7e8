//! Semantic tokens, from the tokens of the scanner.

use lsp_types::{Range, SemanticToken, SemanticTokenType, SemanticTokens, SemanticTokensLegend};

use crate::engine::{Token, TokenClass, tokens};

use super::client::Client;
use super::documents::Document;

/// The types of tokens, in the order of the legend.
const TYPES: [SemanticTokenType; 9] = [
    SemanticTokenType::KEYWORD,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::PROPERTY,
    SemanticTokenType::FUNCTION,
    SemanticTokenType::NAMESPACE,
    SemanticTokenType::PARAMETER,
    SemanticTokenType::NUMBER,
    SemanticTokenType::STRING,
    SemanticTokenType::COMMENT,
];

/// Returns the legend.
pub fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend { token_types: TYPES.to_vec(), token_modifiers: Vec::new() }
}

/// Returns the tokens of a document, or those that touch a range.
pub fn semantic_tokens(document: &Document, range: Option<Range>, client: &Client) -> SemanticTokens {
    let code = document.code();
    let text = &document.text;
    let (from, to) = match range {
        Some(range) => (text.offset(range.start, client.encoding), text.offset(range.end, client.encoding)),
        None => (0, code.len()),
    };
    let all = tokens(&code);
    let positions = text.positions(client.encoding);
    let mut data = Vec::new();
    let mut last = (0, 0);
    for (place, token) in all.iter().enumerate().filter(|(_, token)| token.end >= from && token.start <= to) {
        let Some(kind) = TokenClass::of(&all, place).map(type_of) else { continue };
        let token_type = TYPES.iter().position(|known| *known == kind).unwrap_or_default() as u32;
        for (start, end) in lines(&code, token) {
            let (start, end) = (positions.position(start), positions.position(end));
            if end.line != start.line || end.character <= start.character {
                continue;
            }
            let delta_line = start.line - last.0;
            let delta_start = if delta_line == 0 { start.character - last.1 } else { start.character };
            let length = end.character - start.character;
            data.push(SemanticToken { delta_line, delta_start, length, token_type, token_modifiers_bitset: 0 });
            last = (start.line, start.character);
        }
    }
    SemanticTokens { result_id: None, data }
}

/// Returns the parts of a token that lie on one line each.
fn lines(code: &str, token: &Token) -> Vec<(usize, usize)> {
    let mut at = token.start;
    let parts = code[token.start..token.end].split_inclusive(['\n', '\r']).map(|line| {
        let start = at;
        at += line.len();
        (start, start + line.trim_end_matches(['\n', '\r']).len())
    });
    parts.filter(|(start, end)| end > start).collect()
}

/// Returns the type of a class, as the legend has it.
fn type_of(class: TokenClass) -> SemanticTokenType {
    match class {
        TokenClass::Keyword => SemanticTokenType::KEYWORD,
        TokenClass::Variable => SemanticTokenType::VARIABLE,
        TokenClass::Property => SemanticTokenType::PROPERTY,
        TokenClass::Function => SemanticTokenType::FUNCTION,
        TokenClass::Namespace => SemanticTokenType::NAMESPACE,
        TokenClass::Parameter => SemanticTokenType::PARAMETER,
        TokenClass::Number => SemanticTokenType::NUMBER,
        TokenClass::Text => SemanticTokenType::STRING,
        TokenClass::Comment => SemanticTokenType::COMMENT,
    }
}
