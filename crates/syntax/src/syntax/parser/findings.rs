//! The findings of one text, of which only the first are kept.

use crate::text::{Diagnostic, Span};

/// Maximum number of findings of one text, at which parsing stops, and of errors of a program.
pub const MAX_FINDINGS: usize = 100;

/// Findings up to [`MAX_FINDINGS`]. One line can have any number, so the bound is here and not where lines are read.
#[derive(Default)]
pub struct Findings {
    kept: Vec<Diagnostic>,
    /// Number of findings that were not kept, and where the first of them is.
    refused: usize,
    first_refused: Option<Span>,
}

impl Findings {
    /// Adds a finding, unless there are too many already.
    pub fn push(&mut self, finding: Diagnostic) {
        if self.kept.len() < MAX_FINDINGS {
            self.kept.push(finding);
        } else {
            self.first_refused = self.first_refused.or(finding.span());
            self.refused += 1;
        }
    }

    /// Returns the number of findings, with those that were not kept.
    pub fn len(&self) -> usize {
        self.kept.len() + self.refused
    }

    /// Returns where the first finding is that was not kept.
    pub fn first_refused(&self) -> Option<Span> {
        self.first_refused
    }

    /// Returns the findings that were kept.
    pub fn into_kept(self) -> Vec<Diagnostic> {
        self.kept
    }
}
