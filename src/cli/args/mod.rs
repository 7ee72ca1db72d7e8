//! What the command line may say: the commands, and beside them a file for each kind of their arguments.

mod global;
mod kept;
mod offering;
mod reference;
mod running;
mod texts;
mod values;

use std::ffi::OsString;
use std::mem::ManuallyDrop;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

pub use global::{Global, OutputFormat};
pub use kept::{AuditArgs, AuditCommand, AuditPlace, LogArgs, MemoryArgs, MemoryCommand, RedoArgs, ShowArgs, UndoArgs};
pub use offering::{CallArgs, McpArgs, ToolFormat, ToolsArgs};
pub use reference::{CompletionsArgs, DocArgs, ExplainArgs, ManArgs, PageFormat};
pub use running::{ApplyArgs, PlanForm, RenderArgs, ReportFormat, ResultForm, RunArgs, TestArgs};
pub use texts::{CheckArgs, Denied, FindingFormat, FmtArgs, Keywords, NewArgs};

use super::adopt::AdoptArgs;
use super::exit::Exit;
use super::gc::GcArgs;

/// A scripting language whose tools work on files inside an escape-proof sandbox.
#[derive(Debug, Parser)]
#[command(name = "ns", version, args_conflicts_with_subcommands = false, subcommand_help_heading = "Commands")]
#[command(
    after_help = "`ns FILE [ARGS…]` runs a file; plain `ns` on a terminal begins a session.\n\nExit codes: 0 done, 1 the script failed, 2 usage, 3 a check found something, 4 refused by policy or sandbox, 5 a test failed, 124 time or step limit, 130 interrupted."
)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The commands.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum Command {
    /// Run a script
    Run(RunArgs),
    /// Run scripts and compare what they say and leave behind with golden files
    Test(TestArgs),
    /// Make a new script with its golden test
    New(NewArgs),
    /// Run the {{invoke_tool: …}} calls of a Markdown document and print it with their results
    Render(RenderArgs),
    /// Find what is wrong with scripts without running them
    Check(CheckArgs),
    /// Bring scripts into their canonical form
    Fmt(FmtArgs),
    /// Call one tool with JSON arguments
    Call(CallArgs),
    /// List the tools, or show one
    Tools(ToolsArgs),
    /// Show a page about a tool, built-in, statement or code, with an example
    Doc(DocArgs),
    /// Print the language and its tools on one small page, for models
    Guide,
    /// Explain an error code
    Explain(ExplainArgs),
    /// Show what holds here: sandbox, policy, limits
    Doctor,
    /// Look at and change what scripts remember in the sandbox
    Memory(MemoryArgs),
    /// Look at the log of changes and refusals, and prove that nobody changed it
    Audit(AuditArgs),
    /// List the runs that changed something, the newest first
    Log(LogArgs),
    /// Show what a run changed
    Show(ShowArgs),
    /// Do what a plan says, or nothing where the directory has changed since
    Apply(ApplyArgs),
    /// Take a run back: the newest, or the one that is named
    Undo(UndoArgs),
    /// Do again what was taken back last
    Redo(RedoArgs),
    /// Show what others left in `.ns`, and take it over if you say so
    Adopt(AdoptArgs),
    /// Make room: give up what is kept of old runs, as the policy says or as these options do
    Gc(GcArgs),
    /// Serve the tools and scripts to an agent, over the Model Context Protocol on standard input and output
    Mcp(McpArgs),
    #[command(name = "mcp-worker", hide = true)]
    McpWorker,
    /// Begin a session
    Repl,
    /// Print what makes a shell complete `ns`
    Completions(CompletionsArgs),
    /// Print a manual page: of `ns`, or of a command
    Man(ManArgs),
    #[command(external_subcommand)]
    File(Vec<OsString>),
}

/// What the process was started with.
pub fn typed() -> Result<Cli, clap::Error> {
    let words: Vec<OsString> = std::env::args_os().collect();
    // To free what is declared takes a tenth of a start.
    let mut command = ManuallyDrop::new(Cli::command());
    match of_one_command(&command, &words) {
        Some(cli) => Ok(cli),
        None => of_all_commands(&mut command, &words),
    }
}

/// Words whose first is a command, read with the declaration of that command alone: that of all takes a fifth of
/// a start. What it does not take, help among it, is for all commands to answer.
fn of_one_command(all: &clap::Command, words: &[OsString]) -> Option<Cli> {
    let named = all.find_subcommand(words.get(1)?)?.clone();
    let mut command = ManuallyDrop::new(Global::augment_args(clap::Command::new("ns")).subcommand(named));
    let mut matches = command.try_get_matches_from_mut(words).ok()?;
    Cli::from_arg_matches_mut(&mut matches).ok()
}

fn of_all_commands(command: &mut clap::Command, words: &[OsString]) -> Result<Cli, clap::Error> {
    let mut matches = command.try_get_matches_from_mut(words)?;
    Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(command))
}

/// Shows why the command line was refused, or the help that was asked for.
pub fn refused(error: &clap::Error) -> Exit {
    // Nothing can be done when nobody reads it.
    let _ = error.print();
    if error.use_stderr() { Exit::Usage } else { Exit::Done }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::{Cli, of_all_commands, of_one_command};

    #[test]
    fn one_command_reads_what_all_read() {
        let lines = [
            "run a.ns",
            "run --sandbox d a.ns x --y",
            "run",
            "run --no-such-option",
            "--version",
            "run --output json --strict --seed 7 -v a.ns",
            "--strict run a.ns --timeout 200ms",
            "call FS.ListDir {} --read-only --meta",
            "test scripts --filter x --jobs 3",
            "memory get k --scope project",
            "audit --state d tail",
            "undo --force 3",
            "mcp --write",
            "mcp-worker --policy p.toml",
            "man run",
            "a.ns b c",
        ];
        for line in lines {
            let words: Vec<_> = std::iter::once("ns").chain(line.split(' ')).map(Into::into).collect();
            let all = of_all_commands(&mut Cli::command(), &words).map(|cli| format!("{cli:?}"));
            let one = of_one_command(&Cli::command(), &words).map(|cli| format!("{cli:?}"));
            let is_named = Cli::command().find_subcommand(&words[1]).is_some();
            assert_eq!(one, all.ok().filter(|_| is_named), "{line}");
        }
    }
}
