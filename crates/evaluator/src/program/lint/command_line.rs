//! `:: arg` lines for unknown parameters, and options that `ns` has too.

use crate::program::interface::Interface;
use crate::text::Diagnostic;

use super::text::Text;

pub fn lint(text: &Text<'_>, found: &mut Vec<Diagnostic>) {
    let mut findings = Vec::new();
    // If the entry point is ambiguous, so are the parameters.
    if Interface::of(text.tree, None, &mut findings).is_ok() {
        // Contradictions were reported earlier, as errors.
        found.extend(findings.into_iter().filter(|finding| !finding.is_error()));
    }
}
