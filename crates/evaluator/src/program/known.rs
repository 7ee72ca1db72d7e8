//! Procedures in which a check found nothing, so that the check of the next version of a text does not look at them.
//!
//! The findings in a procedure follow from its text and from the meaning of its words outside it: variables of the
//! script, procedures and their parameters, modules. If both are as before, there is again nothing to find. An error
//! elsewhere only makes a check report less, so that a procedure stays clean; one whose words such an error may concern
//! is not kept.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use compact_str::CompactString;
use foldhash::quality::RandomState;

use crate::syntax::ast::Procedure;
use crate::syntax::keyword::is_word_char;
use crate::text::Span;

/// Maximum size in bytes of what is kept of procedures that the texts no longer have, in addition to the size of those
/// that they have.
const SPARE_BYTES: usize = 256 << 10;

/// Procedures in which there is nothing to find, by their texts.
#[derive(Default)]
pub struct KnownProcedures {
    clean: HashMap<Rc<str>, Kept, RandomState>,
    /// Total size.
    bytes: usize,
    /// Size of those that the current check has met.
    live_bytes: usize,
    /// The number of the current check.
    check: u64,
    /// The procedures that the current check lowered, by the offsets of their names.
    lowered: HashMap<u32, LoweredProcedure, RandomState>,
    /// The procedures that it did not look at.
    skipped: HashMap<u32, SkippedProcedure, RandomState>,
}

struct SkippedProcedure {
    procedure: Rc<CleanProcedure>,
    /// Where its text is.
    span: Span,
}

struct Kept {
    procedure: Rc<CleanProcedure>,
    /// The last check that met it.
    check: u64,
}

/// A procedure in which there is nothing to find.
pub struct CleanProcedure {
    /// The result of lowering it.
    lowered: LoweredProcedure,
    /// The facts that findings about other bodies depend on.
    pub facts: Facts,
    /// The facts about the text that this depends on.
    pub outside: OutsideFacts,
}

/// The names that a body reads, sets and mentions.
#[derive(Debug, Default)]
pub struct Facts {
    /// The names that it reads.
    pub reads: Vec<CompactString>,
    /// Those whose values are used for something other than a new value of the same variable.
    pub used: Vec<CompactString>,
    /// Words in the braces of its texts.
    pub in_braces: Vec<CompactString>,
    /// The names that it sets, and its parameters.
    pub sets: Vec<CompactString>,
    /// The names and the first parts of dotted names in it, each of which may be that of a module.
    pub mentions: Vec<CompactString>,
    /// Whether EVAL expands a text that is not known.
    pub expands_unknown: bool,
    /// Whether `LAST_ERROR` may be read.
    pub reads_errors: bool,
    /// Whether a template that is not a literal is expanded.
    pub expands_value: bool,
}

/// Facts about a whole text on which findings about each procedure depend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutsideFacts {
    /// Whether anything may read `LAST_ERROR`.
    pub reads_errors: bool,
    /// Whether anything reads `LAST`.
    pub reads_last: bool,
    /// Whether anything expands a template that is not a literal.
    pub expands_values: bool,
}

/// The text of a procedure up to the next statement.
#[derive(Clone, Copy)]
pub(super) struct WrittenText<'a> {
    /// The text.
    pub text: &'a str,
    /// Where it is.
    pub span: Span,
}

/// Whether a procedure is known.
pub(super) enum Known {
    /// There is nothing to find in it.
    Clean(Rc<CleanProcedure>),
    /// It must be checked. If nothing is found, it can be kept.
    Not(LoweredProcedure),
    /// It must be checked each time.
    Never,
}

/// A procedure that was lowered.
#[derive(Clone)]
pub struct LoweredProcedure {
    /// Where its text was.
    pub span: Span,
    /// Its text up to the next statement.
    text: Rc<str>,
    /// The words in the text.
    pub words: Rc<[CompactString]>,
    /// A hash of the meanings of these words.
    meanings: u64,
    /// The names of its variables.
    pub slots: Vec<CompactString>,
}

/// The meaning of a word outside a procedure.
#[derive(Default, Hash)]
pub struct Meaning {
    /// Whether a variable of the script has the name.
    pub is_variable: bool,
    /// Whether a SET of the script sets it as a whole, and nothing else.
    pub is_set_alone: bool,
    /// A hash of the parameters of the procedure with the name.
    pub procedure: Option<u64>,
    /// A hash of the procedures of the module with the name.
    pub module: Option<u64>,
}

/// The meanings of the words of a text. Other words mean nothing outside the procedures that use them.
pub type Meanings = HashMap<CompactString, Meaning, RandomState>;

/// Returns a hash that is the same in each check.
pub fn hash_of(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

impl KnownProcedures {
    /// Begins the check of a script and its modules.
    pub fn begin_check(&mut self) {
        self.check += 1;
        self.live_bytes = 0;
        self.lowered.clear();
        self.skipped.clear();
    }

    /// Ends the check. Forgets the procedures that the texts no longer have, if they are many.
    pub fn end_check(&mut self) {
        if self.bytes > 2 * self.live_bytes + SPARE_BYTES {
            let check = self.check;
            self.clean.retain(|_, kept| kept.check == check);
            self.bytes = self.live_bytes;
        }
    }

    /// Returns the number of procedures that the newest check did not lower.
    pub fn skipped_procedures(&self) -> usize {
        self.skipped.len()
    }

    /// Looks for the procedure with this text.
    pub(super) fn find(&mut self, procedure: &Procedure, written: WrittenText<'_>, meanings: &Meanings) -> Known {
        let WrittenText { text, span } = written;
        if has_codes(text) {
            return Known::Never;
        }
        let kept = self.clean.get_mut(text);
        let words = kept.as_ref().map_or_else(|| words(text).into(), |kept| kept.procedure.lowered.words.clone());
        let meant = hash_of(words.iter().map(|word| meanings.get(word)).collect::<Vec<_>>());
        match kept {
            Some(kept) if kept.procedure.lowered.meanings == meant => {
                if kept.check != self.check {
                    kept.check = self.check;
                    self.live_bytes += kept.procedure.size();
                }
                let skipped = SkippedProcedure { procedure: kept.procedure.clone(), span };
                self.skipped.insert(procedure.name.span.start, skipped);
                Known::Clean(kept.procedure.clone())
            }
            kept => {
                let text = kept.map_or_else(|| text.into(), |kept| kept.procedure.lowered.text.clone());
                Known::Not(LoweredProcedure { span, text, words, meanings: meant, slots: Vec::new() })
            }
        }
    }

    /// Records that a procedure was lowered.
    pub(super) fn add_lowered(&mut self, procedure: &Procedure, lowered: LoweredProcedure) {
        self.lowered.insert(procedure.name.span.start, lowered);
    }

    /// Returns a procedure that the current check did not look at, because there is nothing to find in it.
    pub fn skipped(&self, procedure: &Procedure) -> Option<Rc<CleanProcedure>> {
        self.skipped.get(&procedure.name.span.start).map(|skipped| skipped.procedure.clone())
    }

    /// Returns a procedure that the current check lowered, or one that it need not have looked at.
    pub fn lowered(&self, procedure: &Procedure) -> Option<LoweredProcedure> {
        let place = procedure.name.span.start;
        let lowered = self.lowered.get(&place).cloned();
        lowered.or_else(|| {
            let SkippedProcedure { procedure, span } = self.skipped.get(&place)?;
            Some(LoweredProcedure { span: *span, ..procedure.lowered.clone() })
        })
    }

    /// Keeps a procedure in which there is nothing to find.
    pub fn keep(&mut self, lowered: LoweredProcedure, facts: Facts, outside: OutsideFacts) {
        let text = lowered.text.clone();
        let procedure = Rc::new(CleanProcedure { lowered, facts, outside });
        let size = procedure.size();
        let replaced = self.clean.insert(text, Kept { procedure, check: self.check });
        (self.bytes, self.live_bytes) = (self.bytes + size, self.live_bytes + size);
        if let Some(replaced) = replaced {
            let size = replaced.procedure.size();
            self.bytes -= size;
            if replaced.check == self.check {
                self.live_bytes -= size;
            }
        }
    }
}

impl Facts {
    /// Returns the approximate size in bytes.
    fn size(&self) -> usize {
        let lists = [&self.reads, &self.used, &self.in_braces, &self.sets, &self.mentions];
        lists.iter().map(|list| list.len() * size_of::<CompactString>()).sum()
    }
}

impl CleanProcedure {
    /// The names of the procedure's variables.
    pub(super) fn slots(&self) -> &[CompactString] {
        &self.lowered.slots
    }

    /// Returns the approximate size in bytes.
    fn size(&self) -> usize {
        let names = self.lowered.words.len() + self.lowered.slots.len();
        2 * self.lowered.text.len() + names * size_of::<CompactString>() + self.facts.size() + size_of::<Self>()
    }
}

/// Returns the words of a text, each once.
fn words(text: &str) -> Vec<CompactString> {
    let words = text.split(|c: char| !is_word_char(c)).filter(|word| !word.is_empty());
    let mut words: Vec<&str> = words.collect();
    words.sort_unstable();
    words.dedup();
    words.into_iter().map(CompactString::from).collect()
}

/// Returns whether a text may have letters that are written as their codes: `\x41`, `\u0041`. Then its words are not
/// known.
fn has_codes(text: &str) -> bool {
    ["\\x", "\\u"].iter().any(|code| text.contains(code))
}
