//! The difference of two texts, in the unified format of git and `diff -u`.
//!
//! A line ends in LF, and a CR before it is part of the line. A last line without LF is followed by `\ No
//! newline at end of file`, so that `patch` reproduces the new text exactly. The result depends only on the
//! texts, never on the clock, and the work is bounded: the common start and end of the texts are set aside
//! without splitting them into lines, and the rest is compared line by line (Myers, with the cost bounds of
//! git). Beyond [`MAX_LINES`] lines, the rest is shown as one block removed and one added.

mod lines;
mod page;
mod window;

use crate::limits::{LimitHit, Watch};

use page::{LinesAt, Page, hunks};
use window::Window;

/// Maximum number of lines in both texts that are compared individually, after their common start and end are
/// set aside.
pub const MAX_LINES: usize = 400_000;

/// A difference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// The unified format; empty if the texts are equal.
    pub text: String,
    /// Number of lines that only the new text has.
    pub added: usize,
    /// Number of lines that only the old text has.
    pub removed: usize,
}

/// The two sides of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sides<T> {
    /// The old side.
    pub old: T,
    /// The new side.
    pub new: T,
}

/// Returns the difference of two texts with `context_lines` lines around each change.
pub fn unified(text: Sides<&str>, name: Sides<&str>, context_lines: usize, watch: &Watch) -> Result<Diff, LimitHit> {
    if text.old == text.new {
        return Ok(Diff::default());
    }
    let window = Window::around_changes(text, context_lines)?;
    let changes = window.changes(watch)?;
    let mut page = Page::new(watch);
    page.push("--- ")?;
    page.name(name.old)?;
    page.push("+++ ")?;
    page.name(name.new)?;
    let mut lines = Sides { old: LinesAt::new(window.text.old), new: LinesAt::new(window.text.new) };
    for hunk in hunks(&changes, context_lines) {
        page.hunk(hunk, &mut lines, &window, context_lines)?;
    }
    Ok(page.finish())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::limits::{Interrupt, Limits, Meter};

    use super::*;

    fn diff(old: &str, new: &str, context_lines: usize) -> Diff {
        let watch = Meter::new(&Limits::default(), Interrupt::default()).watch();
        let names = Sides { old: "a", new: "b" };
        unified(Sides { old, new }, names, context_lines, &watch).expect("no limit is near")
    }

    #[test]
    fn a_name_makes_no_line_of_its_own() {
        let watch = Meter::new(&Limits::default(), Interrupt::default()).watch();
        for (name, head) in [
            ("a/b", "--- a/b"),
            ("a/b c", "--- a/b c\t"),
            ("a/line\nfeed", r#"--- "a/line\nfeed""#),
            ("a/\u{1b}[31m\"\\", r#"--- "a/\033[31m\"\\""#),
            ("a/\u{202e}é", r#"--- "a/\342\200\256\303\251""#),
            ("a/é\"", "--- a/é\""),
        ] {
            let names = Sides { old: name, new: "b" };
            let diff = unified(Sides { old: "1\n", new: "2\n" }, names, 3, &watch).expect("no limit is near");
            let lines: Vec<&str> = diff.text.split('\n').collect();
            assert_eq!(lines[..3], [head, "+++ b", "@@ -1 +1 @@"], "{name:?}");
        }
    }

    /// Applies a patch strictly: trusts every line number, and requires every line that is not added to be
    /// present.
    fn patched(old: &str, patch: &str) -> String {
        let mut old_lines = old.split_inclusive('\n');
        let mut new = String::new();
        let (mut old_at, mut new_at) = (0, 0);
        let lines: Vec<&str> = patch.split_inclusive('\n').collect();
        for (number, line) in lines.iter().enumerate().skip(2) {
            let (sign, line) = line.split_at(1);
            let unended = lines.get(number + 1).is_some_and(|next| next.starts_with('\\'));
            let line = if unended { line.strip_suffix('\n').expect("a patch ends its lines") } else { line };
            if sign == "@" {
                let ranges: Vec<&str> = line.split(' ').collect();
                let start = |range: &str| {
                    let mut numbers = range[1..].split(',').map(|number| number.parse::<usize>().expect("a number"));
                    let start = numbers.next().expect("a range has a start");
                    if numbers.next() == Some(0) { start } else { start - 1 }
                };
                while old_at < start(ranges[1]) {
                    new.push_str(old_lines.next().expect("the hunk is inside the text"));
                    (old_at, new_at) = (old_at + 1, new_at + 1);
                }
                assert_eq!(new_at, start(ranges[2]), "the heads of {patch}");
            }
            if matches!(sign, "-" | " ") {
                assert_eq!(old_lines.next(), Some(line), "{patch}");
                old_at += 1;
            }
            if matches!(sign, "+" | " ") {
                new.push_str(line);
                new_at += 1;
            }
        }
        new.extend(old_lines);
        new
    }

    #[test]
    fn the_format_is_that_of_git() {
        assert_eq!(diff("a\nb\nc\n", "a\nB\nc\n", 1).text, "--- a\n+++ b\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
        assert_eq!(diff("", "x\n", 3).text, "--- a\n+++ b\n@@ -0,0 +1 @@\n+x\n");
        assert_eq!(diff("x", "", 3).text, "--- a\n+++ b\n@@ -1 +0,0 @@\n-x\n\\ No newline at end of file\n");
        assert_eq!(diff("x\ny", "x\ny\n", 0).text, "--- a\n+++ b\n@@ -2 +2 @@\n-y\n\\ No newline at end of file\n+y\n");
        assert_eq!(diff("x\r\n", "x\n", 3).text, "--- a\n+++ b\n@@ -1 +1 @@\n-x\r\n+x\n");
        assert_eq!(diff("x\n", "x\n", 3), Diff::default());
    }

    #[test]
    fn changes_far_apart_are_hunks_of_their_own() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let new = "one\n2\n3\n4\n5\n6\n7\n8\nnine\n";
        assert_eq!(diff(old, new, 3).text.matches("@@ -").count(), 2);
        assert_eq!(diff(old, new, 4).text.matches("@@ -").count(), 1);
        assert_eq!(diff(old, new, 0).text, "--- a\n+++ b\n@@ -1 +1 @@\n-1\n+one\n@@ -9 +9 @@\n-9\n+nine\n");
    }

    #[test]
    fn beyond_the_bound_all_is_one_block() {
        let lines = |word: &str| (0..MAX_LINES).map(|line| format!("{word}{}\n", line % 7)).collect::<String>();
        let (old, new) = (format!("head\n{}tail\n", lines("a")), format!("head\n{}tail\n", lines("b")));
        let diff = diff(&old, &new, 3);
        assert_eq!((diff.added, diff.removed), (MAX_LINES, MAX_LINES));
        assert_eq!(diff.text.matches("@@ -").count(), 1);
        assert_eq!(patched(&old, &diff.text), new);
    }

    proptest! {
        #[test]
        fn a_patch_makes_the_new_text(
            old in "([abc]{0,1}\r?\n){0,30}[ab]?",
            new in "([abc]{0,1}\r?\n){0,30}[ab]?",
            context_lines in 0..5_usize,
        ) {
            let diff = diff(&old, &new, context_lines);
            let signs = |sign: char| diff.text.lines().skip(2).filter(|line| line.starts_with(sign)).count();
            prop_assert_eq!((signs('+'), signs('-')), (diff.added, diff.removed));
            if old != new {
                prop_assert_eq!(patched(&old, &diff.text), new);
            }
        }

        #[test]
        fn a_few_changes_of_a_long_text_are_few_lines(
            old in proptest::collection::vec("[a-f]{0,2}", 50..200),
            // Excludes the last element: if empty, it is not a line.
            at in 0..49_usize,
        ) {
            let mut new = old.clone();
            new[at].push('!');
            let (old, new) = (old.join("\n"), new.join("\n"));
            let diff = diff(&old, &new, 3);
            prop_assert_eq!((diff.added, diff.removed), (1, 1));
            prop_assert_eq!(patched(&old, &diff.text), new);
        }
    }
}
