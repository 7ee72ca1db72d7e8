//! Procedures that do what a call does upstream, where no expression does. A migrated script ends with those that it
//! calls; `helpers.ns` holds them all, with an empty line between.

/// The text of all procedures.
const TEXT: &str = include_str!("helpers.ns");
/// The line above the procedures in a migrated script.
const HEADING: &str = "# Added by `ns migrate`: these do what the calls did upstream.";

/// Returns the name and the lines of each procedure.
pub fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    TEXT.split("\n\n").filter_map(|text| {
        let name = text.strip_prefix("func ")?.split('(').next()?;
        Some((name, text.trim_end()))
    })
}

/// Appends the named procedures to a script, after its last line.
pub fn append(script: &mut String, names: &[&str]) {
    let added: Vec<&str> = all().filter(|(name, _)| names.contains(name)).map(|(_, text)| text).collect();
    if added.is_empty() {
        return;
    }
    let line_end = if script.contains("\r\n") { "\r\n" } else { "\n" };
    if !script.is_empty() && !script.ends_with('\n') {
        script.push_str(line_end);
    }
    for text in std::iter::once(HEADING).chain(added) {
        if !(script.is_empty()
            || script.ends_with("\n\n")
            || script.ends_with("\n\r\n")
            || script.ends_with(&end_of(HEADING, line_end)))
        {
            script.push_str(line_end);
        }
        for line in text.lines() {
            script.push_str(line);
            script.push_str(line_end);
        }
    }
}

fn end_of(line: &str, line_end: &str) -> String {
    format!("{line}{line_end}")
}
