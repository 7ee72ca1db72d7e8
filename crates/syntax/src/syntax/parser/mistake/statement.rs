//! Mistakes in the first word of a line: statements of other languages and dialects, or a missing `CALL` or `SET`.

use crate::text::{Code, Diagnostic, FindingCode, changed_by, nearest, safe, written_as};

use super::super::super::foreign::ForeignWord;
use super::super::super::keyword::{
    STATEMENT_WORDS, first_word, is_keyword, is_reserved, is_statement_word, is_uniform, is_word, is_word_char,
};
use super::{Failure, quoted_length};

impl Failure<'_> {
    /// Returns the finding for a mistake in the first word of a line.
    pub(super) fn statement_mistake(&self) -> Option<Diagnostic> {
        let word = first_word(self.text);
        let after = self.text[word.len()..].trim_start_matches([' ', '\t']);
        let at_word = |code, message: String| Diagnostic::error(code, self.span(0, word.len().max(1)), message);
        if word.is_empty() {
            return self.first_mark();
        }
        if let Some(finding) = other_dialect(word, after, &at_word) {
            return Some(finding);
        }
        if is_statement_word(word) {
            // `use = 1`: a statement word that is not reserved may be a name.
            let is_assigned = after.starts_with('=') && !after.starts_with("==") && !is_reserved(word);
            let is_name = is_assigned || is_keyword(word, "USE") && !after.starts_with(['"', '\'']);
            return is_name.then(|| self.assignment_or_call(word, after)).flatten();
        }
        if let Some(finding) = comment_word(word, &at_word) {
            return Some(finding);
        }
        if after.starts_with("=>") {
            return self.habit();
        }
        if let Some(help) = exit_help(word, after) {
            let finding = at_word(Code::UnknownStatement, format!("`{word}` is not a statement of this language"));
            return Some(finding.help(help));
        }
        if let Some(finding) = self.assignment_or_call(word, after) {
            return Some(finding);
        }
        if let Some((meant, example)) = other_language(word) {
            let finding = at_word(Code::UnknownStatement, format!("`{word}` is not a statement of this language"));
            return Some(if meant == example {
                finding.write(meant)
            } else {
                let is_word = meant.chars().all(is_word_char);
                let finding = finding.help(format!("write `{meant}`: `{example}`"));
                if is_word && !after.starts_with('(') { finding.instead(meant) } else { finding }
            });
        }
        if ForeignWord::of(word) == Some(ForeignWord::Closer) {
            let finding = at_word(Code::UnknownStatement, format!("`{word}` is not a statement of this language"));
            let end = if word.contains(char::is_uppercase) { "END" } else { "end" };
            return Some(finding.write(end));
        }
        let upper = word.to_uppercase();
        if let Some(finding) = self.foreign_command() {
            return Some(finding);
        }
        let finding = at_word(Code::UnknownStatement, format!("expected a statement, found `{}`", safe::name(word)));
        Some(match nearest(&upper, STATEMENT_WORDS) {
            Some(keyword) if !is_uniform(word) && upper == *keyword => {
                let lower = keyword.to_lowercase();
                let help = format!("write `{keyword}` or `{lower}`: keywords are all upper or all lower case");
                finding.help(help).instead(keyword)
            }
            Some(keyword) => finding.did_you_mean(keyword),
            None => finding
                .help("a line begins with a word such as `SET`, `EMIT`, `CALL`, `IF`, `WHILE`, `FOR EACH` or `END`"),
        })
    }

    /// Returns the finding for `x = 1`, `x += 1` or `f(1)` as a line, with the whole line as the edit that it suggests.
    fn assignment_or_call(&self, word: &str, after: &str) -> Option<Diagnostic> {
        let at_word = |code, message: String| Diagnostic::error(code, self.span(0, word.len()), message);
        let mut finding = assignment_or_call(word, after, &at_word)?;
        if let Some(edit) = &mut finding.suggestion {
            edit.span = self.span(0, self.text.trim_end().len());
        }
        Some(finding)
    }

    /// Returns the finding for a command of a shell: `head a.txt`, `Get-Content a.txt`.
    fn foreign_command(&self) -> Option<Diagnostic> {
        let command = self.text.split(|c: char| !is_word_char(c) && c != '-').next()?;
        if STATEMENT_WORDS.contains(&&*command.to_uppercase()) {
            return None;
        }
        let message = format!("`{command}` is not a statement of this language");
        let finding = Diagnostic::error(Code::UnknownStatement, self.span(0, command.len()), message);
        written_as(command).map(|help| finding.help(help))
    }

    /// Returns the finding for a line that does not begin with a word.
    fn first_mark(&self) -> Option<Diagnostic> {
        let finding = |message: &str| Diagnostic::error(Code::UnknownStatement, self.span(0, 1), message);
        match self.text.chars().next()? {
            '}' => Some(finding("`}` closes no block here").help("blocks are closed with `END`")),
            '{' => Some(
                finding("`{` opens no block here").help("blocks begin with `IF … THEN`, `WHILE … DO`, `FOR EACH … DO`"),
            ),
            ';' => self.semicolon(),
            _ => None,
        }
    }
}

/// Returns the finding for `COMMENT` without its colon or in mixed case, or for an `ENDCOMMENT` alone.
fn comment_word(word: &str, at_word: &dyn Fn(Code, String) -> Diagnostic) -> Option<Diagnostic> {
    let (message, help) = match word.to_ascii_uppercase().as_str() {
        "COMMENT" => (
            format!("`{word}` does not begin a comment"),
            "write `COMMENT:` or `comment:`, and `ENDCOMMENT` on a line below",
        ),
        "ENDCOMMENT" => (
            format!("`{word}` closes nothing: no `COMMENT:` is open"),
            "remove it, or write `COMMENT:` where the comment begins",
        ),
        _ => return None,
    };
    Some(at_word(Code::UnknownStatement, message).help(help))
}

/// Returns the finding for statements of other dialects of the language.
fn other_dialect(word: &str, after: &str, at_word: &dyn Fn(Code, String) -> Diagnostic) -> Option<Diagnostic> {
    let is_statement = !after.starts_with(['=', '.', '[']);
    let is_event = is_keyword(first_word(after), "EVENT");
    let (shown, help) = match word.to_ascii_lowercase().as_str() {
        "ask" | "promptuser" if is_statement => (word.to_owned(), asking(after)),
        "whisper" if is_statement => (
            word.to_owned(),
            "`CALL MEMORY.Set(\"key\", value)` keeps a value that `MEMORY.Get(\"key\")` gives".to_owned(),
        ),
        "clear_event" => (word.to_owned(), NO_EVENTS.to_owned()),
        "clear" if is_event => ("clear event".to_owned(), NO_EVENTS.to_owned()),
        "on" if is_event => {
            ("on event".to_owned(), "events are not part of this language; `ON ERROR DO` handles errors".to_owned())
        }
        _ => return None,
    };
    Some(at_word(Code::OtherDialect, format!("`{shown}` belongs to another dialect")).help(help))
}

const NO_EVENTS: &str = "remove it: events are not part of this language; `CLEAR_ERROR` ends the handling of an error";

/// Returns help on how to prompt a person: `promptuser "name?" into name`.
fn asking(after: &str) -> String {
    let prompt = after.find(['"', '\'']).map(|at| &after[at..at + quoted_length(&after[at..])]);
    let outside = prompt.map_or_else(|| after.to_owned(), |prompt| after.replacen(prompt, " ", 1));
    let mut names = outside.split(|c: char| !is_word_char(c)).filter(|word| is_word(word) && !is_reserved(word));
    let name = names.rfind(|word| !["into", "as", "INTO", "AS"].contains(word));
    let (name, prompt) = (name.unwrap_or("answer"), prompt.unwrap_or("\"? \""));
    format!("write `SET {name} = IO.Input({prompt})`; a value from the command line is in `ARGS`: `ns FILE VALUE`")
}

/// Returns whether a text begins like a statement of another language: `x = 1`, `x += 1`, `print x`. No value begins
/// like this.
pub fn is_foreign_statement(text: &str) -> bool {
    let text = text.trim_start();
    let word = first_word(text);
    let after = text[word.len()..].trim_start_matches([' ', '\t']);
    if word.is_empty() || is_statement_word(word) || after.starts_with("=>") {
        return false;
    }
    let placeless = |code, message: String| Diagnostic::placeless(FindingCode::Script(code), message);
    let is_assigned = !after.starts_with('(') && assignment_or_call(word, after, &placeless).is_some();
    is_assigned || other_language(word).is_some() && after.starts_with(['"', '\'', '`'])
}

/// Returns the finding for `x = 1`, `x += 1` or `f(1)` as a line. The edit that it suggests is for the line.
fn assignment_or_call(word: &str, after: &str, at_word: &dyn Fn(Code, String) -> Diagnostic) -> Option<Diagnostic> {
    let target_end = after.find('=').unwrap_or(0);
    let target = after[..target_end].trim_end();
    let compound = target.ends_with(['+', '-', '*', '/', '%']);
    let is_target = target.is_empty() || target.starts_with(['[', '.', ',']) || compound || target == ":";
    let compares = after[target_end..].starts_with("==")
        || after[target_end..].starts_with("=>")
        || target.ends_with(['<', '>', '!']);
    if after.contains('=') && is_target && !compares && !target.contains('(') {
        let value = after[target_end + 1..].trim();
        let place = format!("{word}{}", target.trim_end_matches([':', '+', '-', '*', '/', '%', ' ']));
        if compound {
            let op = &target[target.len() - 1..];
            let finding = at_word(Code::WrongOperator, format!("`{op}=` is not an operator here"));
            return Some(finding.write(&format!("SET {place} = {place} {op} {value}")));
        }
        let finding = at_word(Code::MissingCallOrSet, "an assignment begins with `SET`".to_owned());
        return Some(finding.write(&format!("SET {place} = {value}")));
    }
    if after.starts_with('(') || (after.starts_with('.') && after.contains('(')) {
        // For `print(x)` the equivalent word is the better help.
        if other_language(word).is_some() {
            return None;
        }
        if prints(word, after) {
            let finding = at_word(Code::UnknownStatement, format!("`{word}` is not a statement of this language"));
            return Some(finding.help("write `EMIT`: `EMIT \"size: \", n`"));
        }
        let line: String = after.chars().take(60).collect();
        let finding = at_word(Code::MissingCallOrSet, "a call on a line of its own begins with `CALL`".to_owned());
        return Some(match method_change(word, after) {
            Some(change) => finding.help(format!(
                "write `{change}`: nothing changes in place; a procedure of a module is called as `CALL {word}{line}`"
            )),
            None => finding.help(format!("write `CALL {word}{line}`")).instead(&format!("CALL {word}{after}")),
        });
    }
    if after.starts_with("++") || after.starts_with("--") {
        let finding = at_word(Code::WrongOperator, "there is no `++` or `--` here".to_owned());
        return Some(finding.write(&format!("SET {word} = {word} + 1")));
    }
    None
}

/// Returns the statement for a method that changes a variable: `s.append(2)`. Names of tool groups are in upper case,
/// so they do not match.
fn method_change(word: &str, after: &str) -> Option<String> {
    if after.len() > MAX_CALL || !word.contains(char::is_lowercase) {
        return None;
    }
    let (path, args) = after.split_once('(')?;
    let (fields, method) = path.rsplit_once('.')?;
    let args = args.trim_end_matches([' ', '\t', ';']).strip_suffix(')')?;
    changed_by(&format!("{word}{fields}"), method.trim(), args.trim())
}

/// Maximum length in bytes of a call that is displayed in its corrected form.
const MAX_CALL: usize = 100;

/// Returns whether a call prints in another language: `console.log(x)`.
fn prints(word: &str, after: &str) -> bool {
    let callee = format!("{word}{}", after.split('(').next().unwrap_or_default()).to_ascii_lowercase();
    let names = [
        "console.log",
        "console.error",
        "console.info",
        "system.out.println",
        "fmt.println",
        "fmt.printf",
        "fmt.print",
    ];
    names.contains(&callee.as_str())
}

/// Returns help for `exit 1` and `sys.exit(1)`.
fn exit_help(word: &str, after: &str) -> Option<&'static str> {
    let is_exit = |word: &str| ["exit", "quit"].iter().any(|exit| word.eq_ignore_ascii_case(exit));
    let (called, rest) = match after.strip_prefix('.') {
        Some(member) => (first_word(member), &member[first_word(member).len()..]),
        None => (word, after),
    };
    if !is_exit(called) || (after.starts_with('.') && !rest.trim_start().starts_with('(')) {
        return None;
    }
    let code = rest.trim_matches([' ', '\t', '(', ')', ';']);
    Some(if ["", "0"].contains(&code) {
        "write `RETURN`: the script ends with exit code 0"
    } else {
        "write `FAIL \"why\"`: the script ends with exit code 1 and this message; `RETURN` ends it with 0"
    })
}

/// Returns the equivalent of a first word from another language, with an example.
fn other_language(word: &str) -> Option<(&'static str, &'static str)> {
    Some(match word.to_ascii_lowercase().as_str() {
        "print" | "println" | "echo" | "puts" | "say" | "printf" | "log" | "display" | "output" => {
            ("EMIT", "EMIT \"size: \", n")
        }
        "let" | "const" | "local" | "dim" | "int" | "string" | "float" | "list" | "map" => ("SET", "SET x = 1"),
        "each" => FOR_EACH,
        "throw" | "raise" | "error" | "panic" | "die" => ("FAIL", "FAIL \"message\""),
        "assert" | "require" | "ensure" => ("MUST", "MUST ok, \"message\""),
        "import" | "include" | "using" | "source" | "load" => ("USE", "USE \"lib/dates.ns\" AS dates"),
        "ls" => ("EMIT FS.ListDir(\"dir\")", "EMIT FS.ListDir(\"dir\")"),
        "cat" | "less" => ("EMIT FS.ReadFile(\"a.txt\").content", "EMIT FS.ReadFile(\"a.txt\").content"),
        "rm" | "del" | "rmdir" => ("CALL FS.DeleteFile(\"a.txt\")", "CALL FS.DeleteFile(\"a.txt\")"),
        "mv" | "ren" => ("CALL FS.MoveFile(\"a.txt\", \"b.txt\")", "CALL FS.MoveFile(\"a.txt\", \"b.txt\")"),
        "cp" => ("CALL FS.CopyFile(\"a.txt\", \"b.txt\")", "CALL FS.CopyFile(\"a.txt\", \"b.txt\")"),
        "mkdir" => ("CALL FS.CreateDirectory(\"dir\")", "CALL FS.CreateDirectory(\"dir\")"),
        "touch" => ("CALL FS.AppendFile(\"a.txt\", \"\")", "CALL FS.AppendFile(\"a.txt\", \"\")"),
        "grep" | "rg" => {
            ("EMIT FS.SearchFiles(\".\", \"text\").matches", "EMIT FS.SearchFiles(\".\", \"text\").matches")
        }
        "next" => ("CONTINUE", "CONTINUE"),
        _ => return part_of_block(ForeignWord::of(word)?),
    })
}

const FOR_EACH: (&str, &str) = ("FOR EACH", "FOR EACH x IN list DO");

/// Returns the equivalent of a word that begins or continues a block in another language, with an example.
fn part_of_block(word: ForeignWord) -> Option<(&'static str, &'static str)> {
    Some(match word {
        ForeignWord::ElseIf => ("ELSE IF", "ELSE IF n > 1 THEN"),
        ForeignWord::For | ForeignWord::Loop => FOR_EACH,
        ForeignWord::Until => ("WHILE NOT", "WHILE NOT done DO"),
        ForeignWord::Unless => ("IF NOT", "IF NOT ready THEN"),
        ForeignWord::Function => ("func", "func Name(needs a, b) means"),
        ForeignWord::Procedure => ("DEFINE PROCEDURE", "DEFINE PROCEDURE Name(a, b)"),
        ForeignWord::Try | ForeignWord::Catch | ForeignWord::Finally => ("ON ERROR", "ON ERROR AS err DO"),
        ForeignWord::Switch | ForeignWord::Begin | ForeignWord::Closer => return None,
    })
}
