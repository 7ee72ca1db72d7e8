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
pub const COMMANDS: [CommandTopic; 30] = [
    topic(
        &["ns run", "run"],
        about::RUN,
        &["execute", "start script", "start", "exec", "eval", "x", "task", "script", "source", "run-script", "go"],
        "run",
    ),
    topic(
        &["ns run --plan", "plan", "--plan"],
        about::PLAN,
        &["dry run", "preview", "what would change", "simulate", "dry-run", "diff", "whatif"],
        "run",
    ),
    topic(
        &["ns watch", "watch"],
        about::WATCH,
        &["on change", "trigger", "inotify", "fswatch", "entr", "watchexec", "inbox", "hot folder"],
        "watch",
    ),
    topic(&["ns test", "test"], about::TEST, &["golden", "snapshot", "unit test", "test-all", "tests", "spec"], "test"),
    topic(&["ns new", "new"], about::NEW, &["create script", "scaffold", "init", "create", "generate"], "new"),
    topic(
        &["ns render", "render", "invoke_tool", "{{invoke_tool"],
        about::RENDER,
        &["markdown document", "template document", "invoke tool"],
        "render",
    ),
    topic(
        &["ns check", "check"],
        about::CHECK,
        &[
            "lint",
            "validate",
            "syntax check",
            "diagnose",
            "clippy",
            "vet",
            "typecheck",
            "analyze",
            "compile",
            "build",
            "check-all",
            "fix",
            "ide-check",
            "check --watch",
        ],
        "check",
    ),
    topic(
        &["ns fmt", "fmt"],
        about::FMT,
        &["format", "prettify", "indent script", "prettier", "fmt-all", "fmt --watch"],
        "fmt",
    ),
    topic(
        &["ns migrate", "migrate"],
        about::MIGRATE,
        &["upstream", "convert", "port", "older dialect", "upgrade script", "translate script", "classic"],
        "migrate",
    ),
    topic(&["ns call", "call"], about::CALL, &["call tool", "one tool", "invoke tool", "invoke"], "call"),
    topic(
        &["ns tools", "tools"],
        about::TOOLS,
        &["list tools", "schema", "definitions", "tool", "functions", "builtins"],
        "tools",
    ),
    topic(
        &["ns doc", "doc"],
        about::DOC,
        &[
            "documentation",
            "manual",
            "reference",
            "docs",
            "describe",
            "apropos",
            "whatis",
            "rustdoc",
            "tutorial",
            "cookbook",
        ],
        "doc",
    ),
    topic(&["ns guide", "guide"], about::GUIDE, &["cheat sheet", "language summary", "prompt"], "guide"),
    topic(&["ns explain", "explain"], about::EXPLAIN, &["error code", "error", "errors"], "explain"),
    topic(
        &["ns doctor", "doctor"],
        about::DOCTOR,
        &[
            "policy in force",
            "limits in force",
            "diagnostics",
            "info",
            "env",
            "config",
            "settings",
            "policy",
            "sandbox",
            "pwd",
            "status",
            "metadata",
            "sysinfo",
        ],
        "doctor",
    ),
    topic(
        &["ns memory", "memory"],
        about::MEMORY,
        &["project memory", "remembered values", "kv", "store", "cache", "db"],
        "memory",
    ),
    topic(&["ns audit", "audit"], about::AUDIT, &["audit log", "verify log", "trail"], "audit"),
    topic(
        &["ns log", "log"],
        about::LOG,
        &["history", "list runs", "past runs", "runs", "reflog", "shortlog", "jobs", "ps"],
        "log",
    ),
    topic(
        &["ns show", "show"],
        about::SHOW,
        &["what changed", "changes of a run", "diff of a run", "changes", "blame"],
        "show",
    ),
    topic(&["ns apply", "apply"], about::APPLY, &["apply plan", "carry out plan"], "apply"),
    topic(
        &["ns undo", "undo"],
        about::UNDO,
        &[
            "take back",
            "revert",
            "rollback",
            "restore run",
            "restore",
            "reset",
            "undelete",
            "checkout",
            "back",
            "unrun",
        ],
        "undo",
    ),
    topic(&["ns redo", "redo"], about::REDO, &["do again", "repeat run", "repeat", "rerun", "again"], "redo"),
    topic(&["ns adopt", "adopt"], about::ADOPT, &["foreign", "take over"], "adopt"),
    topic(
        &["ns gc", "gc"],
        about::GC,
        &["clean up", "garbage", "retention", "free space", "clean", "cleanup", "prune", "purge"],
        "gc",
    ),
    topic(&["ns mcp", "mcp"], about::MCP, &["server", "agent", "model context protocol", "serve", "daemon"], "mcp"),
    topic(
        &["ns lsp", "lsp"],
        about::LSP,
        &[
            "language server",
            "language-server",
            "ide",
            "editor",
            "language server protocol",
            "vscode",
            "neovim",
            "intellisense",
        ],
        "lsp",
    ),
    topic(
        &["ns dap", "dap"],
        about::DAP,
        &["debug adapter", "debugger", "debug", "breakpoint", "step", "debug adapter protocol", "gdb", "pdb"],
        "dap",
    ),
    topic(
        &["ns repl", "repl"],
        about::REPL,
        &["session", "interactive", "shell", "prompt", "console", "kernel", "irb"],
        "repl",
    ),
    topic(
        &["ns completions", "completions"],
        about::COMPLETIONS,
        &["tab completion", "bash", "zsh", "completion", "complete"],
        "completions",
    ),
    topic(&["ns man", "man"], about::MAN, &["manual page"], "man"),
];

/// Returns what does here what a command of another program does, by its name there.
pub fn instead_of(word: &str) -> Option<String> {
    let word = word.to_ascii_lowercase();
    let helps = elsewhere(&word);
    let topic = || COMMANDS.iter().find(|topic| topic.keywords.contains(&&*word));
    let of_topic = |topic: &CommandTopic| format!("`{}`: {}", topic.names[0], topic.summary);
    helps.map(str::to_owned).or_else(|| topic().map(of_topic))
}

/// Returns what does here what a command of a shell or a package manager does.
pub fn elsewhere(word: &str) -> Option<&'static str> {
    let found = ELSEWHERE.iter().find(|(words, _)| words.split(' ').any(|known| known == word));
    found.map(|(_, help)| *help)
}

/// Commands of shells, version control, package managers and runners that no command of `ns` does.
const ELSEWHERE: [(&str, &str); 13] = [
    (
        "ls dir list tree ll",
        "`ns -e 'EMIT FS.ListDir(\".\")'` lists the folder; `ns tools`, `ns log` and `ns memory list` list other things",
    ),
    ("cat type open less head tail", "`ns -e 'EMIT FS.ReadFile(\"a.txt\").content'` prints a file"),
    ("cp copy", "`ns -e 'CALL FS.CopyFile(\"a.txt\", \"b.txt\")'` copies; `ns undo` takes it back"),
    (
        "mv move rename ren",
        "`ns -e 'CALL FS.MoveFile(\"a.txt\", \"b.txt\")'` moves or renames; `ns undo` takes it back",
    ),
    ("rm del delete remove unlink rmdir", "`ns -e 'CALL FS.DeleteFile(\"a.txt\")'` deletes; `ns undo` takes it back"),
    ("mkdir md", "`ns -e 'CALL FS.CreateDirectory(\"dir\")'` makes a folder"),
    (
        "find search grep glob",
        "`ns -e 'EMIT FS.Find(\".\", \"*.txt\")'` finds files; `ns doc WORDS` searches the manual",
    ),
    ("echo print write", "`ns -e 'EMIT \"text\"'` prints"),
    (
        "commit save add stage stash tag branch merge push pull clone rebase",
        "every run is recorded by itself: `ns log` lists the runs, `ns show` shows one, `ns undo` takes one back",
    ),
    (
        "install uninstall update upgrade publish outdated require i ci pack link search-packages",
        "there are no packages: `USE \"lib/dates.ns\" AS dates` imports the procedures of a file",
    ),
    ("version", "`ns --version` prints the version"),
    (
        "bench benchmark profile debug trace",
        "there is none; `ns check FILE`, `ns FILE --plan` and a session (plain `ns`) help to look into a script",
    ),
    (
        "bundle dist transpile",
        "nothing is built: `ns FILE` runs a script, and `#!/usr/bin/env ns` as its first line makes it a program",
    ),
];
