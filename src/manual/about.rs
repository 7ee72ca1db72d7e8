//! The description of each command in one sentence, for the list of commands and the first line of the command's own
//! help.

pub const RUN: &str = "Run a script";
pub const TEST: &str = "Run scripts and compare what they say and leave behind with golden files";
pub const NEW: &str = "Make a new script, with its golden test";
pub const RENDER: &str = "Run the {{invoke_tool: …}} calls of a Markdown document, and print it with their results";
pub const CHECK: &str = "Find what is wrong with scripts without running them";
pub const FMT: &str = "Bring scripts into their canonical form";
pub const CALL: &str = "Call one tool with JSON arguments";
pub const TOOLS: &str = "List the tools, or show one";
pub const DOC: &str = "Show a page about a tool, built-in, statement, code or command, with an example";
pub const EXPLAIN: &str = "Explain an error code";
pub const MEMORY: &str = "Look at and change what scripts remember in the sandbox";
pub const AUDIT: &str = "Look at the log of changes and refusals, and prove that nobody changed it";
pub const LOG: &str = "List the runs that changed something, the newest first";
pub const SHOW: &str = "Show what a run changed";
pub const APPLY: &str = "Do what a plan says, or nothing where the directory has changed since";
pub const UNDO: &str = "Take a run back: the newest, or the one that is named";
pub const REDO: &str = "Do a run again that was taken back: the last, or the one that is named";
pub const ADOPT: &str = "Show what others left in `.ns`, and take it over if you say so";
pub const GC: &str = "Delete what is kept of old runs, as the policy or these options say";
pub const MCP: &str = "Serve the tools and scripts to an agent over the Model Context Protocol";
pub const COMPLETIONS: &str = "Print the script by which a shell completes `ns`";
pub const MAN: &str = "Print a manual page, of `ns` or of a command";
pub const GUIDE: &str = "Print the language and its tools on one small page, for models";
pub const DOCTOR: &str = "Show the sandbox, the policy and the limits in force";
pub const REPL: &str = "Begin a session";
pub const PLAN: &str = "Show what a script would change, and change nothing; `ns apply` does it";
