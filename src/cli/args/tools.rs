//! Arguments of the commands that offer tools without a script: to a shell, a program or an agent.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args, ValueEnum};

use crate::manual::about;
use crate::options::seconds;
use crate::toolkit::Offset;

#[cfg(feature = "http")]
use super::http::HttpArgs;

/// Arguments of `ns call`.
#[derive(Args, Debug)]
#[command(
    about = about::CALL,
    after_help = "A text is printed as it is: into a file or a pipe its bytes and nothing more, at a terminal with a line feed at its end. Anything else is one line of JSON, at a terminal a table. `--output json` prints texts as JSON too, with a line feed at the end; `table`, `jsonl` and `raw` choose another form. A failure is one line of JSON on standard error.\n\nThe exit code is 0 if the call succeeded, 2 if it is malformed (an unknown tool, wrong arguments), 4 if the policy or the sandbox refused it, 130 if it was interrupted, and 1 if it failed in another way. A call that fails for some of its items has failed: it prints its result, with a row for each item, and the failure. With `--jsonl` the same call has an `error`, and its result is the `answer`; the exit code is 0 if no line has an `error`, otherwise that of the gravest error: 130, then 4, 2 and 1."
)]
pub struct CallArgs {
    /// The tool, by any of its names
    #[arg(required_unless_present = "jsonl")]
    pub tool: Option<String>,
    /// A JSON object with the arguments, @FILE to read it from a file, - from standard input
    #[arg(default_value = "{}", value_name = "JSON", allow_hyphen_values = true)]
    pub json: String,
    /// Maximum size of the answer in bytes; with --meta of one part, at least 72
    #[arg(long, value_name = "N")]
    pub max_output_bytes: Option<u64>,
    /// Return a longer answer in parts, and report its total size beside it
    #[arg(long)]
    pub meta: bool,
    /// Offset of the part: `next_offset` of the previous one
    #[arg(long, value_name = "N", requires = "meta", conflicts_with = "jsonl")]
    pub offset: Option<Offset>,
    /// Read a call from each line of standard input, such as {"id": 1, "tool": "read_file", "arguments": {}}, and print one line per answer
    #[arg(long, conflicts_with_all = ["tool", "json"])]
    pub jsonl: bool,
}

/// Arguments of `ns tools`.
#[derive(Args, Debug)]
#[command(about = about::TOOLS)]
pub struct ToolsArgs {
    /// The tool to show, by any of its names; a group; or words for what tools should do
    pub name: Vec<String>,
    /// Output format
    #[arg(long, default_value = "table")]
    pub format: ToolFormat,
}

/// How tools are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ToolFormat {
    /// For people
    Table,
    /// Complete declarations
    Json,
    /// As MCP servers declare them
    Mcp,
    /// As functions of OpenAI's interfaces
    Openai,
    /// Like openai, with every argument required and null for omitted ones
    OpenaiStrict,
    /// As tools of Anthropic's interface
    Anthropic,
    /// As function declarations of Gemini's interface
    Gemini,
    /// The schemas of the arguments, by wire name
    JsonSchema,
    /// The reference documentation
    Markdown,
}

/// Arguments of `ns mcp`.
#[derive(Args, Debug)]
#[command(about = about::MCP)]
pub struct McpArgs {
    /// Let the tools change files; without it, and with `--write=false`, the server only reads
    // Clients that ask a person for the setting can only fill in a value.
    #[arg(long, value_name = "BOOL", action = ArgAction::Set, num_args = 0..=1, require_equals = true, default_missing_value = "true", default_value = "false", hide_default_value = true)]
    pub write: bool,
    /// A script to offer as a tool, named after its file; may be repeated
    #[arg(long = "script", value_name = "FILE")]
    pub scripts: Vec<PathBuf>,
    /// The tools to offer: default, all, script, none, groups such as fs, or wire names
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "default")]
    pub tools: Vec<String>,
    /// Size of one part of an answer in bytes; `read_result` returns the next part [default: that of the policy, else 65536]
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(72..))]
    pub max_output_bytes: Option<u64>,
    /// Ignore the roots that the client names, instead of restricting its calls to them
    #[arg(long)]
    pub ignore_roots: bool,
    /// Seconds after which a client that does not read is disconnected
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "60")]
    pub patience: Duration,
    #[cfg(feature = "http")]
    #[command(flatten)]
    pub over_http: HttpArgs,
}
