//! The text of a `COMMENT:` block: its lines without their common indentation.

/// The lines of a `COMMENT:` block.
#[derive(Debug, PartialEq, Eq)]
pub struct CommentLines<'a> {
    /// The text on the line of the word, trimmed.
    pub first: &'a str,
    /// The following lines, without common indentation, trailing blanks, and blank lines around them.
    pub rest: Vec<&'a str>,
}

impl<'a> CommentLines<'a> {
    /// Splits the text between `COMMENT:` and `ENDCOMMENT` into lines.
    pub fn of(body: &'a str) -> CommentLines<'a> {
        let mut lines = body.split('\n').map(str::trim_end);
        let first = lines.next().unwrap_or_default().trim_start();
        let mut rest: Vec<&str> = lines.collect();
        let written = rest.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
        rest.truncate(written);
        if first.is_empty() {
            let blank = rest.iter().take_while(|line| line.is_empty()).count();
            rest.drain(..blank);
        }
        let indentation = common_indentation(&rest);
        let rest = rest.into_iter().map(|line| line.get(indentation..).unwrap_or_default()).collect();
        CommentLines { first, rest }
    }

    /// Returns the whole text.
    pub fn text(&self) -> String {
        let first = Some(self.first).filter(|first| !first.is_empty());
        first.into_iter().chain(self.rest.iter().copied()).collect::<Vec<_>>().join("\n")
    }
}

/// Returns the length in bytes of the blanks that all non-empty lines begin with.
fn common_indentation(lines: &[&str]) -> usize {
    let mut filled = lines.iter().filter(|line| !line.is_empty());
    let Some(first) = filled.next() else { return 0 };
    let blanks = first.len() - first.trim_start_matches([' ', '\t']).len();
    filled.fold(blanks, |blanks, line| {
        let same = first.bytes().zip(line.bytes()).take_while(|(a, b)| a == b).count();
        blanks.min(same)
    })
}
