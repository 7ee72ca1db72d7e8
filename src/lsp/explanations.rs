//! The pages of `ns explain` as documents with URIs, so that the code of a diagnostic leads to one.
//!
//! A client of protocol 3.18 asks for the text of such a document with `workspace/textDocumentContent`. The code of a
//! diagnostic has a link only for a client that can do so, because no other program knows the scheme.

use lsp_types::{CodeDescription, Uri};
use serde_json::{Value as Json, json};

use crate::manual::code_markdown;

use super::request::{Refusal, RefusalCode};

/// The scheme of the URIs.
pub const SCHEME: &str = "neuroscript-explain";

/// Returns the link of a code.
pub fn link(code: &str) -> Option<CodeDescription> {
    format!("{SCHEME}:/{code}.md").parse().ok().map(|href| CodeDescription { href })
}

/// Answers `workspace/textDocumentContent`.
///
/// # Errors
/// The URI is not that of a known code.
pub fn content(uri: &Uri) -> Result<Json, Refusal> {
    let code = uri.as_str().strip_prefix(SCHEME).and_then(|rest| rest.strip_prefix(":/")?.strip_suffix(".md"));
    let text = code.and_then(code_markdown).ok_or_else(|| {
        let message =
            format!("`{}` is not the page of a code; pages are `{SCHEME}:/NS0101.md` and the like", uri.as_str());
        Refusal::new(RefusalCode::InvalidParams, message)
    })?;
    Ok(json!({ "text": text }))
}
