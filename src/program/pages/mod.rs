//! What the language is made of, as `ns doc` prints it: a page for each statement, built-in and value, and
//! an example for each code. Tools have their own declarations. Every example is run as a test.

mod builtins;
mod codes;
mod statements;

use crate::text::Purpose;

pub use codes::{CodeExample, code_example};

/// A page about a part of the language.
#[derive(Debug)]
pub struct Page {
    /// What it is found by, its heading first; letter case does not matter.
    pub names: &'static [&'static str],
    /// What it is about.
    pub kind: PageKind,
    /// What people and other languages call it; searches use them.
    pub keywords: &'static [&'static str],
    /// How it is written.
    pub form: &'static str,
    /// One sentence, lower case, without full stop.
    pub summary: &'static str,
    /// What else there is to know.
    pub details: &'static str,
    /// How it is used.
    pub example: PageExample,
}

/// What a page is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageKind {
    /// A statement.
    Statement,
    /// Something that has a value.
    Expression,
    /// A built-in function.
    BuiltIn,
}

/// A script, what it prints, and the files that it finds.
#[derive(Debug)]
pub struct PageExample {
    /// Path and text.
    pub files: &'static [(&'static str, &'static str)],
    /// Some lines.
    pub script: &'static str,
    /// What they print.
    pub output: &'static str,
}

impl Page {
    /// Its heading.
    pub fn name(&self) -> &'static str {
        self.names[0]
    }

    /// What searches and suggestions find it by.
    pub fn purpose(&self) -> Purpose<'static> {
        Purpose { name: self.name(), aliases: &[], keywords: self.keywords, summary: self.summary }
    }
}

impl PageKind {
    /// How pages name it.
    pub fn word(self) -> &'static str {
        match self {
            PageKind::Statement => "statement",
            PageKind::Expression => "expression",
            PageKind::BuiltIn => "built-in",
        }
    }
}

/// All pages, statements first.
pub fn pages() -> impl Iterator<Item = &'static Page> {
    statements::STATEMENTS.iter().chain(&statements::EXPRESSIONS).chain(&builtins::BUILTINS)
}

/// A script without files.
const fn printing(script: &'static str, output: &'static str) -> PageExample {
    PageExample { files: &[], script, output }
}

#[cfg(test)]
mod tests {
    use super::super::Builtin;
    use super::{PageKind, pages};
    use crate::syntax::keyword::STATEMENT_WORDS;

    #[test]
    fn every_built_in_has_its_page_with_its_form() {
        let forms = pages().filter(|page| page.kind == PageKind::BuiltIn).map(|page| page.form);
        let known = Builtin::names().map(|name| Builtin::find(name).expect("names find their functions").signature());
        assert_eq!(forms.collect::<Vec<_>>(), known.collect::<Vec<_>>());
    }

    #[test]
    fn every_word_of_a_statement_finds_its_page() {
        for word in STATEMENT_WORDS {
            let finds = |name: &&str| name.eq_ignore_ascii_case(word);
            assert!(pages().any(|page| page.names.iter().any(finds)), "{word}");
        }
    }
}
