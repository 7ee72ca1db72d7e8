//! The description of each command in one sentence, for the list of commands and the first line of the command's own
//! help.

pub const RUN: &str = "Run a script";
pub const WATCH: &str = "Run a script whenever files of the sandbox have changed";
pub const TEST: &str = "Run scripts and compare their output and files with golden files";
pub const NEW: &str = "Create a script with its golden test";
pub const RENDER: &str = "Run the {{invoke_tool: …}} calls of a Markdown document, and print it with their results";
pub const CHECK: &str = "Check scripts for errors and warnings without running them";
pub const FMT: &str = "Format scripts in their canonical form";
pub const MIGRATE: &str = "Turn scripts of upstream NeuroScript into this language, with a report";
pub const CALL: &str = "Call one tool with JSON arguments";
pub const TOOLS: &str = "List the tools, or show one";
pub const DOC: &str = "Show a page about a tool, built-in, statement, code or command, with an example";
pub const EXPLAIN: &str = "Explain an error code";
pub const MEMORY: &str = "Show and change the project memory of the sandbox";
pub const AUDIT: &str = "Show the log of changes and refusals, and verify that it is intact";
pub const LOG: &str = "List the runs that changed something, the newest first";
pub const SHOW: &str = "Show what a run changed";
pub const APPLY: &str = "Apply a plan, unless the directory has changed since";
pub const UNDO: &str = "Undo a run: the newest, or the one given";
pub const REDO: &str = "Redo a run that was undone: the last, or the one given";
pub const ADOPT: &str = "Show foreign state in `.ns`, and adopt it if you confirm";
pub const GC: &str = "Delete backups and journals of old runs, by the policy or these options";
pub const MCP: &str = "Serve the tools and scripts to an agent over the Model Context Protocol";
pub const LSP: &str = "Serve an editor over the Language Server Protocol";
/// `ns dap`
pub const DAP: &str = "Run a script under a debugger that an editor controls";
pub const COMPLETIONS: &str = "Print the completion script of `ns` for a shell";
pub const MAN: &str = "Print the manual page of `ns` or of a command";
pub const GUIDE: &str = "Print the language and its tools on one small page, for models";
pub const DOCTOR: &str = "Show the sandbox, the policy and the limits in force";
pub const REPL: &str = "Start a session";
pub const PLAN: &str = "Show the changes that a script would make; `ns apply` makes them";
