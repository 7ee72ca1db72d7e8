//! `:: arg` lines for no parameter, and options that `ns` has too.

use crate::program::interface::Interface;
use crate::text::Diagnostic;

use super::text::Text;

pub fn lint(text: &Text<'_>, found: &mut Vec<Diagnostic>) {
    let mut findings = Vec::new();
    // Where a script may begin in several places, nobody knows which parameters are meant.
    if Interface::of(text.tree, None, &mut findings).is_ok() {
        // What contradicts itself was reported before.
        found.extend(findings.into_iter().filter(|finding| !finding.is_error()));
    }
}
