//! Code that means something else in other languages: `2 ^ 8`, `5 // 2`, `"{name}"`, `NOT a == b`, `x OR "default"`, or
//! than it seems to: a MUST that does not stop.
//!
//! A session reports it immediately, since nothing fails; `ns check` reports it with its other findings.

use crate::syntax::keyword::is_word_char;
use crate::text::{Code, Diagnostic, FindingCode, Sources};

use super::session::Session;
use super::{Engine, Script};

/// Maximum size in bytes; longer texts are left to `ns check`.
const MOST_BYTES: usize = 64 << 10;
/// The codes of such findings.
const CODES: [Code; 6] = [
    Code::CommentLooksLikeCode,
    Code::NotBindsTight,
    Code::ConstantCondition,
    Code::WrongOperand,
    Code::UnexpandedName,
    Code::ResumedMust,
];

impl Engine {
    /// Finds code in a script that means something else in other languages. Returns nothing for a script with errors.
    pub fn elsewhere(&self, script: &Script) -> (Vec<Diagnostic>, Sources) {
        if script.text().is_none_or(|text| text.len() > MOST_BYTES) {
            return Default::default();
        }
        let checked = self.check(script);
        let is_meant = |finding: &Diagnostic| CODES.iter().any(|code| finding.code == FindingCode::Script(*code));
        let is_whole = !checked.findings.iter().any(Diagnostic::is_error);
        let findings = checked.findings.into_iter().filter(|finding| is_whole && is_meant(finding));
        (findings.collect(), checked.sources)
    }
}

impl Session<'_> {
    /// Finds code in a line that means something else in other languages. Returns messages, each with a suggestion.
    pub fn elsewhere(&self, text: &str) -> Vec<String> {
        let words = || text.split(|c: char| !is_word_char(c));
        let known = self.variables().filter(|(name, _)| words().any(|word| word == *name));
        let mut script: String = known.map(|(name, _)| format!("SET {name} = nil\n")).collect();
        script.push_str(if self.is_value(text) { "EMIT " } else { "" });
        script.push_str(text.trim());
        script.push('\n');
        let (findings, _) = self.engine().elsewhere(&Script::new("<line>", script));
        let sentence = |finding: Diagnostic| match finding.help {
            Some(help) => format!("{}; {help}", finding.message),
            None => finding.message,
        };
        findings.into_iter().map(sentence).collect()
    }
}
