//! The commands of `ns` as topics of `ns doc`. `ns help COMMAND` documents their arguments and options.

use crate::text::Purpose;

use super::about;

/// A command, or an option that users look up like a command.
#[derive(Debug)]
pub struct CommandTopic {
    /// The command line, then other names that find only this topic.
    pub names: &'static [&'static str],
    /// Its description in a sentence.
    pub summary: &'static str,
    /// Other words that people use for it.
    pub keywords: &'static [&'static str],
    /// The command whose help describes it.
    pub command: &'static str,
}

impl CommandTopic {
    /// Returns the words that searches find it by.
    pub fn purpose(&self) -> Purpose<'static> {
        Purpose { name: self.names[0], aliases: &[], keywords: self.keywords, summary: self.summary }
    }

    /// Returns its page.
    pub fn page(&self) -> String {
        let command = self.command;
        format!(
            "{}\n  {}\n\n`ns help {command}` shows its options, `ns man {command}` prints its manual page.",
            self.names[0], self.summary
        )
    }
}

const fn topic(
    names: &'static [&'static str],
    summary: &'static str,
    keywords: &'static [&'static str],
    command: &'static str,
) -> CommandTopic {
    CommandTopic { names, summary, keywords, command }
}

/// All topics, in the order of `ns --help`.
pub const COMMANDS: [CommandTopic; 26] = [
    topic(&["ns run", "run"], about::RUN, &["execute", "start script"], "run"),
    topic(
        &["ns run --plan", "plan", "--plan"],
        about::PLAN,
        &["dry run", "preview", "what would change", "simulate"],
        "run",
    ),
    topic(&["ns test", "test"], about::TEST, &["golden", "snapshot", "unit test"], "test"),
    topic(&["ns new", "new"], about::NEW, &["create script", "scaffold", "init"], "new"),
    topic(
        &["ns render", "render", "invoke_tool", "{{invoke_tool"],
        about::RENDER,
        &["markdown document", "template document", "invoke tool"],
        "render",
    ),
    topic(&["ns check", "check"], about::CHECK, &["lint", "validate", "syntax check", "diagnose"], "check"),
    topic(&["ns fmt", "fmt"], about::FMT, &["format", "prettify", "indent script"], "fmt"),
    topic(&["ns call", "call"], about::CALL, &["call tool", "one tool", "invoke tool"], "call"),
    topic(&["ns tools", "tools"], about::TOOLS, &["list tools", "schema", "definitions"], "tools"),
    topic(&["ns doc", "doc"], about::DOC, &["documentation", "manual", "reference"], "doc"),
    topic(&["ns guide", "guide"], about::GUIDE, &["cheat sheet", "language summary", "prompt"], "guide"),
    topic(&["ns explain", "explain"], about::EXPLAIN, &["error code"], "explain"),
    topic(&["ns doctor", "doctor"], about::DOCTOR, &["policy in force", "limits in force", "diagnostics"], "doctor"),
    topic(&["ns memory", "memory"], about::MEMORY, &["project memory", "remembered values"], "memory"),
    topic(&["ns audit", "audit"], about::AUDIT, &["audit log", "verify log"], "audit"),
    topic(&["ns log", "log"], about::LOG, &["history", "list runs", "past runs"], "log"),
    topic(&["ns show", "show"], about::SHOW, &["what changed", "changes of a run", "diff of a run"], "show"),
    topic(&["ns apply", "apply"], about::APPLY, &["apply plan", "carry out plan"], "apply"),
    topic(&["ns undo", "undo"], about::UNDO, &["take back", "revert", "rollback", "restore run"], "undo"),
    topic(&["ns redo", "redo"], about::REDO, &["do again", "repeat run"], "redo"),
    topic(&["ns adopt", "adopt"], about::ADOPT, &["foreign", "take over"], "adopt"),
    topic(&["ns gc", "gc"], about::GC, &["clean up", "garbage", "retention", "free space"], "gc"),
    topic(&["ns mcp", "mcp"], about::MCP, &["server", "agent", "model context protocol"], "mcp"),
    topic(&["ns repl", "repl"], about::REPL, &["session", "interactive", "shell", "prompt"], "repl"),
    topic(&["ns completions", "completions"], about::COMPLETIONS, &["tab completion", "bash", "zsh"], "completions"),
    topic(&["ns man", "man"], about::MAN, &["manual page"], "man"),
];
