//! Reference pages of the language, as `ns doc` prints them: one for each statement, built-in and value, and an example
//! for each code. Tools have their own declarations. Every example is run as a test.

mod builtins;
mod codes;
mod statements;

use crate::text::Purpose;

pub use codes::{CodeExample, code_example};

/// A page about a part of the language.
#[derive(Debug)]
pub struct Page {
    /// The names that find the page, ignoring case; the first is its heading.
    pub names: &'static [&'static str],
    /// The kind of its subject.
    pub kind: PageKind,
    /// Names from other languages and everyday use, for searches.
    pub keywords: &'static [&'static str],
    /// The syntax.
    pub form: &'static str,
    /// One sentence, lower case, without a full stop.
    pub summary: &'static str,
    /// Further details.
    pub details: &'static str,
    /// An example of its use.
    pub example: PageExample,
}

/// The subject of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageKind {
    /// A statement.
    Statement,
    /// Something that has a value.
    Expression,
    /// A built-in function.
    BuiltIn,
}

/// A script, its output and the files that it uses.
#[derive(Debug)]
pub struct PageExample {
    /// Paths and contents of the files.
    pub files: &'static [(&'static str, &'static str)],
    /// The script.
    pub script: &'static str,
    /// The expected output.
    pub output: &'static str,
}

impl Page {
    /// Returns the heading.
    pub fn name(&self) -> &'static str {
        self.names[0]
    }

    /// Returns the names and keywords used by searches and suggestions.
    pub fn purpose(&self) -> Purpose<'static> {
        Purpose { name: self.name(), aliases: &[], keywords: self.keywords, summary: self.summary }
    }
}

impl PageKind {
    /// Returns the word that pages use for this kind.
    pub fn word(self) -> &'static str {
        match self {
            PageKind::Statement => "statement",
            PageKind::Expression => "expression",
            PageKind::BuiltIn => "built-in",
        }
    }
}

/// Returns all pages, statements first.
pub fn pages() -> impl Iterator<Item = &'static Page> {
    statements::STATEMENTS.iter().chain(&statements::EXPRESSIONS).chain(&builtins::BUILTINS)
}

/// An example without files.
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
