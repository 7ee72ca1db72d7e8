//! Messages, hints and notes in the words of a client. Where they name a command of the shell, a client has a method of
//! the server, or it can only pass the hint on to its user. Tools have their wire names.

use crate::toolkit::Registry;

/// A tool or method that is not offered.
#[derive(Clone, Debug)]
pub struct HiddenTool {
    /// The wire name.
    pub wire: &'static str,
    /// The reason or the remedy, as the end of a sentence.
    pub why: String,
}

impl HiddenTool {
    /// Returns the sentence for clients.
    pub fn sentence(&self) -> String {
        format!("`{}` is not offered here: {}", self.wire, self.why)
    }
}

/// Replaces the names that tools have in scripts by their wire names. Names are found in backquotes, alone or before
/// their arguments.
pub fn in_wire_names(text: &str, registry: &Registry) -> String {
    let pieces: Vec<&str> = text.split('`').collect();
    if pieces.len().is_multiple_of(2) {
        // A name has a backquote, so nothing tells what is quoted.
        return text.to_owned();
    }
    let renamed = |(number, piece): (usize, &&str)| {
        let (name, rest) = piece.split_at(piece.find('(').unwrap_or(piece.len()));
        match wire_name(name, registry).filter(|_| number % 2 == 1) {
            Some(wire) => format!("{wire}{rest}"),
            None => (*piece).to_owned(),
        }
    };
    pieces.iter().enumerate().map(renamed).collect::<Vec<_>>().join("`")
}

/// Returns the wire name of a tool by its name in scripts.
pub fn wire_name(name: &str, registry: &Registry) -> Option<&'static str> {
    let tool = registry.find(name).filter(|_| name.contains('.'))?;
    Some(registry.get(tool).spec.wire)
}

/// Adds to a hint, of each tool in it that is not offered, how that is changed. Names are found in backquotes.
pub fn with_hidden_tools(hint: &str, hidden: &[HiddenTool]) -> String {
    let named = |tool: &&HiddenTool| hint.split('`').skip(1).step_by(2).any(|piece| piece == tool.wire);
    let sentences = hidden.iter().filter(named).map(HiddenTool::sentence);
    std::iter::once(hint.to_owned()).chain(sentences).collect::<Vec<_>>().join("; ")
}

/// Replaces the parts of a hint that a client cannot follow. Parts are separated by `; `.
pub fn for_a_client(hint: &str) -> String {
    match hint {
        "`ns tools` lists the tools" => "look at the list of tools of this server".to_owned(),
        hint if hint.starts_with("see `ns tools ") => "look at the input schema of the tool".to_owned(),
        hint if hint.starts_with("give a text: ") => "give a text".to_owned(),
        hint if hint.starts_with("give a number: ") => "give a number".to_owned(),
        hint => hint.split("; ").map(part).collect::<Vec<_>>().join("; "),
    }
}

fn part(part: &str) -> String {
    let pieces: Vec<&str> = part.split('`').collect();
    if pieces.len().is_multiple_of(2) {
        // A name has a backquote, so nothing tells what is quoted.
        return part.to_owned();
    }
    let mut told = String::new();
    for (number, piece) in pieces.into_iter().enumerate() {
        let is_quoted = number % 2 == 1;
        match command_in(piece).filter(|_| is_quoted).map(method) {
            Some(Some(method)) => told.push_str(&method),
            Some(None) => return for_the_user(part),
            // Only the user can give an option to the server.
            None if is_quoted && piece.starts_with("--") => return for_the_user(part),
            None if is_quoted => told.push_str(&format!("`{piece}`")),
            None => told.push_str(piece),
        }
    }
    told
}

fn for_the_user(part: &str) -> String {
    format!("for the user of this server: {part}")
}

/// The commands that hints name. Anything else in quotes may be a file.
const COMMANDS: [&str; 9] = ["adopt", "audit", "doctor", "gc", "log", "redo", "run", "tools", "undo"];

/// Returns the words of the command that a text is, without `ns`.
fn command_in(text: &str) -> Option<Vec<&str>> {
    let words: Vec<&str> = text.strip_prefix("ns ")?.split(' ').collect();
    words.first().is_some_and(|first| COMMANDS.contains(first)).then_some(words)
}

/// Returns what a client does in place of a command; `None` if only its user can do it.
fn method(command: Vec<&str>) -> Option<String> {
    Some(match command[..] {
        ["log"] => "`history`".to_owned(),
        ["undo"] => "`undo`".to_owned(),
        ["undo", run] if !run.starts_with("--") => format!("`undo` with the run `{run}`"),
        ["redo", run] if !run.starts_with("--") => "`undo` with the id of the undo (`history` lists it)".to_owned(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::for_a_client;

    #[test]
    fn commands_become_methods_or_go_to_the_user() {
        for (hint, told) in [
            ("set `overwrite`", "set `overwrite`"),
            ("did you mean `ns notes.txt`?", "did you mean `ns notes.txt`?"),
            ("see `ns tools FS.Find`", "look at the input schema of the tool"),
            ("`ns tools` lists the tools", "look at the list of tools of this server"),
            ("`ns log` lists the runs", "`history` lists the runs"),
            ("`ns log` lists the runs; name one by its end", "`history` lists the runs; name one by its end"),
            ("`ns undo a1` takes it back", "`undo` with the run `a1` takes it back"),
            ("look at the disk; `ns undo` takes the change back", "look at the disk; `undo` takes the change back"),
            ("`ns redo a1` does it again", "`undo` with the id of the undo (`history` lists it) does it again"),
            ("`ns undo a1`, then `ns undo b2`", "`undo` with the run `a1`, then `undo` with the run `b2`"),
            ("the file a`b is `ns log`", "the file a`b is `ns log`"),
            (
                "nothing was done; `ns undo a1 --force` gives back what can come back",
                "nothing was done; for the user of this server: `ns undo a1 --force` gives back what can come back",
            ),
            ("`ns undo --skip` leaves this run", "for the user of this server: `ns undo --skip` leaves this run"),
            ("raise it with `--timeout SECONDS`", "for the user of this server: raise it with `--timeout SECONDS`"),
            (
                "make room: `ns gc` gives up what is kept",
                "for the user of this server: make room: `ns gc` gives up what is kept",
            ),
        ] {
            assert_eq!(for_a_client(hint), told, "{hint}");
        }
    }
}
