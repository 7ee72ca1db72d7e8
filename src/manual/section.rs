//! Sections of the book's pages: `ns doc` finds them by their titles, by the words of the glossary, and by any words in
//! them.

use std::collections::HashSet;

use crate::engine::GUIDE;
use crate::text::safe;

use super::glossary::term_of;
use super::layout::{indented, wrapped};
use super::policy_key::plain;

/// The pages, with their names in `docs/`.
const PAGES: [(&str, &str); 20] = [
    ("language", include_str!("../../docs/language.md")),
    ("command_line", include_str!("../../docs/command_line.md")),
    ("guide", GUIDE),
    ("checking", include_str!("../../docs/checking.md")),
    ("policy", include_str!("../../docs/policy.md")),
    ("testing", include_str!("../../docs/testing.md")),
    ("undo", include_str!("../../docs/undo.md")),
    ("plan", include_str!("../../docs/plan.md")),
    ("file_system_tool", include_str!("../../docs/file_system_tool.md")),
    ("memory", include_str!("../../docs/memory.md")),
    ("session", include_str!("../../docs/session.md")),
    ("debugger", include_str!("../../docs/debugger.md")),
    ("editors", include_str!("../../docs/editors.md")),
    ("agents", include_str!("../../docs/agents.md")),
    ("server", include_str!("../../docs/server.md")),
    ("audit", include_str!("../../docs/audit.md")),
    ("foreign", include_str!("../../docs/foreign.md")),
    ("documents", include_str!("../../docs/documents.md")),
    ("formatting", include_str!("../../docs/formatting.md")),
    ("trust", include_str!("../../docs/trust.md")),
];

/// Maximum number of bytes of the beginning of a section.
const MOST_EXCERPTED: usize = 900;
/// Maximum number of sections that are listed for words in them.
const MOST_LISTED: usize = 5;
/// Maximum number of characters that are shown of a line.
const MOST_SHOWN: usize = 100;

/// A part of a page: below a heading, or a paragraph that begins with its title in bold.
#[derive(Clone, Copy)]
pub struct Section {
    /// The name of its page.
    pub page: &'static str,
    /// The title.
    pub title: &'static str,
    /// The text, with the title.
    pub text: &'static str,
}

impl Section {
    /// Formats the section with the name of its page.
    pub fn page_text(&self) -> String {
        format!("{}\n\n(from docs/{}.md)", self.text.trim_end(), self.page)
    }

    /// Formats the beginning of the section, and says where the rest is.
    pub fn excerpt(&self) -> String {
        let page = self.page;
        format!("{}\n\n`ns doc {page}.md` prints the whole page. (docs/{page}.md)", self.beginning())
    }

    /// Returns the title without marks of Markdown.
    pub fn heading(&self) -> String {
        self.title.replace('`', "")
    }

    /// Returns the first paragraph, list or table, cut at the end of one of its lines.
    fn beginning(&self) -> String {
        let (mut text, mut in_code) = (String::new(), false);
        for line in self.text.lines() {
            in_code ^= line.starts_with("```");
            let is_prose = !in_code && !line.starts_with("```") && !line.starts_with('#') && !line.starts_with("<!--");
            match is_prose.then(|| line.trim_end()) {
                Some("") | None if text.is_empty() => {}
                Some("") | None => break,
                Some(_) if text.len() > MOST_EXCERPTED => {
                    text.push_str("  …\n");
                    break;
                }
                Some(row) if row.starts_with('|') => text.push_str(&format!("  {row}\n")),
                Some(line) => text.push_str(&format!("{}\n", indented(&wrapped(&plain(line))))),
            }
        }
        text.trim_end().to_owned()
    }

    /// Returns whether this is its title, without regard to letter case, marks and numbers.
    fn is_called(&self, title: &str) -> bool {
        let bare = |title: &str| title.replace('`', "").trim().to_lowercase();
        let (own, wanted) = (bare(self.title), bare(title));
        let named = own.split_once(". ").filter(|(number, _)| number.parse::<u8>().is_ok());
        own == wanted || named.is_some_and(|(_, name)| name == wanted)
    }

    /// Returns the first line that contains a text, cut to its surroundings.
    fn line_with(&self, words: &str) -> Option<String> {
        let line = self.text.lines().find(|line| line.to_lowercase().contains(words))?;
        let at = line.to_lowercase().find(words).unwrap_or_default();
        let before = line.char_indices().filter(|(place, _)| *place < at).count().saturating_sub(MOST_SHOWN / 3);
        let shown: String = line.chars().skip(before).take(MOST_SHOWN).collect();
        let is_cut = line.chars().count() > before + MOST_SHOWN;
        let (head, tail) = (if before > 0 { "…" } else { "" }, if is_cut { "…" } else { "" });
        Some(format!("{head}{}{tail}", shown.trim()))
    }
}

/// Returns all sections, in the order of the pages.
fn sections() -> impl Iterator<Item = Section> {
    PAGES.iter().flat_map(|(page, text)| split(page, text))
}

/// Returns the section with a title, without regard to letter case.
pub fn section(title: &str) -> Option<Section> {
    sections().find(|section| section.is_called(title))
}

/// Returns the section about a word of the product.
pub fn section_about(word: &str) -> Option<Section> {
    let term = term_of(word)?;
    sections().find(|section| section.page == term.page && section.title == term.title)
}

/// Returns a page of the book by its file name: `undo.md`, `docs/undo.md`.
pub fn book_page(name: &str) -> Option<&'static str> {
    let name = name.trim().strip_prefix("docs/").unwrap_or(name.trim()).strip_suffix(".md")?;
    PAGES.iter().find(|(page, _)| *page == name).map(|(_, text)| *text)
}

/// Lists the sections that contain a text, each with a line of it. Returns `None` if no section does.
pub fn passages(words: &str) -> Option<String> {
    let wanted = words.trim().to_lowercase();
    let mut lines = HashSet::new();
    let found = sections().filter_map(|section| Some((section, section.line_with(&wanted)?)));
    let found = found.filter(|(_, line)| lines.insert(line.clone()));
    let found: Vec<String> = found
        .take(MOST_LISTED)
        .map(|(section, line)| format!("  {} (docs/{}.md)\n    {line}", section.title, section.page))
        .collect();
    let is_told = !wanted.is_empty() && !found.is_empty();
    is_told.then(|| {
        format!("these sections have `{}`; `ns doc TITLE` prints one:\n{}", safe::name(words), found.join("\n"))
    })
}

/// Splits a page into sections.
fn split(page: &'static str, text: &'static str) -> Vec<Section> {
    let mut starts: Vec<(usize, &'static str)> = Vec::new();
    let (mut at, mut in_code) = (0, false);
    for line in text.split_inclusive('\n') {
        in_code ^= line.starts_with("```");
        if let Some(title) = title(line).filter(|_| !in_code) {
            starts.push((at, title));
        }
        at += line.len();
    }
    let is_heading = |start: usize| text[start..].starts_with('#');
    let section = |number: usize| {
        let (start, title) = starts[number];
        // A section with a heading ends at the next heading, and includes the paragraphs that have titles of their own.
        let ends = |(next, _): &&(usize, &str)| is_heading(*next) || !is_heading(start);
        let end = starts[number + 1..].iter().find(ends).map_or(text.len(), |(next, _)| *next);
        Section { page, title, text: &text[start..end] }
    };
    (0..starts.len()).map(section).collect()
}

/// Returns the title that a line begins with: `## Title`, `**Title.** …` or `- **Title.** …`.
fn title(line: &str) -> Option<&str> {
    if line.starts_with('#') {
        return Some(line.trim_start_matches('#').trim());
    }
    let bold = line.strip_prefix("- ").unwrap_or(line).strip_prefix("**")?;
    let (title, _) = bold.split_once("**")?;
    Some(title.trim_end_matches('.').trim_matches('`'))
}
