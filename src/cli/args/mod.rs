//! The arguments of the command line, with one file for each group of commands.

#[cfg(feature = "http")]
mod http;
mod mistake;
mod reference;
mod running;
mod scripts;
mod split;
mod state;
mod tools;
mod values;

use std::ffi::OsString;
use std::mem::ManuallyDrop;
use std::path::Path;

use clap::error::{ContextKind, ContextValue};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::manual::about;
use crate::manual::commands::instead_of;
use crate::options::Global;
use crate::terminal::exit::Exit;
use crate::terminal::report::report_error;
use crate::text::{nearest, shell_word};

use mistake::{Mistake, describe};

pub use reference::{CompletionsArgs, DocArgs, ExplainArgs, ManArgs, PageFormat};
pub use running::{ApplyArgs, PlanForm, RenderArgs, ReportFormat, ResultForm, RunArgs, TestArgs, WatchArgs};
pub use scripts::{CheckArgs, Denied, FindingFormat, FmtArgs, Keywords, LspArgs, MigrateArgs, NewArgs};
pub use state::{
    AdoptArgs, AuditArgs, AuditCommand, AuditPlace, GcArgs, LogArgs, MemoryArgs, MemoryCommand, RedoArgs, ShowArgs,
    UndoArgs,
};
pub use tools::{CallArgs, McpArgs, ToolFormat, ToolsArgs};

pub use split::{Line, RunLine, RunOptions};

/// A scripting language whose tools work on files inside an escape-proof sandbox.
#[derive(Debug, Parser)]
#[command(name = "ns", version, args_conflicts_with_subcommands = false, subcommand_help_heading = "Commands")]
#[command(
    override_usage = "ns [OPTIONS] COMMAND\n       ns [OPTIONS] FILE [WORDS]... [-- WORDS...]",
    after_help = "`ns FILE` runs a file, with the options of `ns run` before or after it; `ns FILE --help` shows what the script takes. Plain `ns` at a terminal begins a session.\n\nExit codes: 0 done, 1 the script failed, 2 usage, 3 a check found something, 4 refused by policy or sandbox, 5 a test failed, 124 time or step limit, 130 interrupted, 129 and 143 ended by SIGHUP and SIGTERM."
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
    #[command(about = about::RUN)]
    Run(RunArgs),
    #[command(about = about::WATCH)]
    Watch(WatchArgs),
    #[command(about = about::TEST)]
    Test(TestArgs),
    #[command(about = about::NEW)]
    New(NewArgs),
    #[command(about = about::RENDER)]
    Render(RenderArgs),
    #[command(about = about::CHECK)]
    Check(CheckArgs),
    #[command(about = about::FMT)]
    Fmt(FmtArgs),
    #[command(about = about::MIGRATE)]
    Migrate(MigrateArgs),
    #[command(about = about::CALL)]
    Call(CallArgs),
    #[command(about = about::TOOLS)]
    Tools(ToolsArgs),
    #[command(about = about::DOC)]
    Doc(DocArgs),
    #[command(about = about::GUIDE)]
    Guide,
    #[command(about = about::EXPLAIN)]
    Explain(ExplainArgs),
    #[command(about = about::DOCTOR)]
    Doctor,
    #[command(about = about::MEMORY)]
    Memory(MemoryArgs),
    #[command(about = about::AUDIT)]
    Audit(AuditArgs),
    #[command(about = about::LOG)]
    Log(LogArgs),
    #[command(about = about::SHOW)]
    Show(ShowArgs),
    #[command(about = about::APPLY)]
    Apply(ApplyArgs),
    #[command(about = about::UNDO)]
    Undo(UndoArgs),
    #[command(about = about::REDO)]
    Redo(RedoArgs),
    #[command(about = about::ADOPT)]
    Adopt(AdoptArgs),
    #[command(about = about::GC)]
    Gc(GcArgs),
    #[command(about = about::MCP)]
    Mcp(McpArgs),
    #[command(about = about::LSP)]
    Lsp(LspArgs),
    #[command(
        about = about::DAP,
        after_help = "An editor starts it and talks to it over the Debug Adapter Protocol on standard input and output. `launch` names the script (`program`) and may name `args`, `procedure`, `sandbox`, `policy`, `lib`, `strict`, `readOnly`, `plan` and `stopOnEntry`; the options of the command line hold where it names none."
    )]
    Dap,
    #[command(name = "mcp-worker", hide = true)]
    McpWorker,
    #[command(about = about::REPL)]
    Repl,
    #[command(name = "complete-script", hide = true)]
    CompleteScript {
        /// The command line up to the cursor, as it is typed in a shell; in place of the words.
        #[arg(long, conflicts_with = "words", allow_hyphen_values = true)]
        line: Option<String>,
        #[arg(last = true)]
        words: Vec<OsString>,
    },
    #[command(about = about::COMPLETIONS)]
    Completions(CompletionsArgs),
    #[command(about = about::MAN)]
    Man(ManArgs),
}

/// The reason why a command line was refused, or a request for help or the version.
pub enum Refusal {
    /// From the declarations: a usage error, help or the version, with the words of the command.
    Declared { error: clap::Error, path: Vec<String> },
    /// A message and a remedy.
    Plain { message: String, help: String },
}

impl Refusal {
    fn new(message: String, help: String) -> Refusal {
        Refusal::Plain { message, help }
    }
}

impl From<clap::Error> for Refusal {
    fn from(error: clap::Error) -> Refusal {
        Refusal::Declared { error, path: Vec::new() }
    }
}

/// Parses the arguments of the process.
pub fn typed() -> Result<Cli, Refusal> {
    let words: Vec<OsString> = std::env::args_os().collect();
    // Freeing the declarations would take a tenth of the startup time.
    let mut command = ManuallyDrop::new(Cli::command());
    parsed(&mut command, &words)
}

fn parsed(command: &mut clap::Command, words: &[OsString]) -> Result<Cli, Refusal> {
    let program = words.first().cloned().unwrap_or_else(|| "ns".into());
    if words.get(1).is_some_and(|word| word == "help")
        && let Some(name) = words.get(2).and_then(|word| word.to_str())
    {
        let is_known = name.starts_with('-') || name == "help" || command.find_subcommand(name).is_some();
        if !is_known {
            return Err(Refusal::new(format!("there is no command `{name}`"), instead_of_command(command, name)));
        }
    }
    // Declare the options of `run` a second time only if the line may run a script.
    if words.get(1).is_some_and(|word| word != "run" && (word == "help" || command.find_subcommand(word).is_some())) {
        return read(command, words);
    }
    let line = match RunOptions::of(command).split(words)? {
        Line::Run(line) => line,
        Line::Other => return read(command, words),
    };
    let RunLine { own, file, words, asks_help } = line;
    // After `--`, the name of the file may begin with any character.
    let file = file.into_iter().flat_map(|file| ["--".into(), file]);
    let own: Vec<OsString> = [program, "run".into()].into_iter().chain(own).chain(file).collect();
    let mut cli = read(command, &own)?;
    if let Some(Command::Run(args)) = &mut cli.command {
        args.given = words;
        args.asks_help = asks_help;
    }
    Ok(cli)
}

/// Returns the help for a command that does not exist.
pub fn instead_of_command(all: &clap::Command, name: &str) -> String {
    if Path::new(name).is_file() {
        return format!("`ns {} --help` shows what the script takes", shell_word(name));
    }
    let near = || nearest(name, all.get_subcommands().map(clap::Command::get_name));
    let near = || near().map(|near| format!("did you mean `ns {near}`?"));
    let none = || format!("`ns --help` lists the commands, `ns doc {}` searches the manual", shell_word(name));
    instead_of(name).or_else(near).unwrap_or_else(none)
}

fn read(command: &mut clap::Command, words: &[OsString]) -> Result<Cli, Refusal> {
    match of_one_command(command, words) {
        Some(cli) => Ok(cli),
        None => {
            of_all_commands(command, words).map_err(|error| Refusal::Declared { error, path: path_in(command, words) })
        }
    }
}

/// Returns the words of the command in a line, whatever else is wrong with it: `memory list`.
fn path_in(all: &clap::Command, words: &[OsString]) -> Vec<String> {
    let options = RunOptions::of(all);
    let (mut path, mut command) = (Vec::new(), all);
    let mut words = words.iter().skip(1).filter_map(|word| word.to_str());
    while let Some(word) = words.next() {
        if options.values(word).is_some() {
            words.next();
        } else if let Some(inner) = command.find_subcommand(word) {
            path.push(inner.get_name().to_owned());
            command = inner;
        }
    }
    path
}

/// Parses a command line with the declaration of its command only: declaring all commands takes a fifth of the startup
/// time. Returns `None` for everything that this declaration does not accept, help included.
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

/// Returns what to write instead of `ns log 3`.
fn help_of_log(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else { return None };
    let is_name = !given.is_empty() && given.chars().all(|c| c.is_ascii_hexdigit());
    is_name.then(|| match given.parse::<u16>() {
        Ok(_) => {
            format!("`ns log -n {given}` lists {given} runs at most; `ns show {given}` shows the run of this name")
        }
        Err(_) => format!("`ns show {given}` shows the run of this name"),
    })
}

/// Prints the reason why the command line was refused, or the requested help.
pub fn refused(refusal: &Refusal) -> Exit {
    match refusal {
        Refusal::Declared { error, path } => {
            let of_log = help_of_log(error).filter(|_| path.first().is_some_and(|name| name == "log"));
            match describe(error, Cli::command(), path) {
                Some(Mistake { message, help }) => report_error(&message, &of_log.unwrap_or(help)),
                // A closed output is not an error.
                None => drop(error.print()),
            }
            if error.use_stderr() { Exit::Usage } else { Exit::Done }
        }
        Refusal::Plain { message, help } => {
            report_error(message, help);
            Exit::Usage
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use crate::engine::OWN_OPTIONS;
    use crate::manual::commands::COMMANDS;

    use super::split::RunOptions;
    use super::{Cli, of_all_commands, of_one_command};

    #[test]
    fn one_command_reads_what_all_read() {
        let lines = [
            "run a.ns",
            "run --sandbox d a.ns",
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
        ];
        for line in lines {
            let words: Vec<_> = std::iter::once("ns").chain(line.split(' ')).map(Into::into).collect();
            let all = of_all_commands(&mut Cli::command(), &words).map(|cli| format!("{cli:?}"));
            let one = of_one_command(&Cli::command(), &words).map(|cli| format!("{cli:?}"));
            let is_named = Cli::command().find_subcommand(&words[1]).is_some();
            assert_eq!(one, all.ok().filter(|_| is_named), "{line}");
        }
    }

    /// `ns check` knows the options of `ns run`, which are declared here.
    #[test]
    fn the_check_knows_all_options_of_run() {
        let command = Cli::command();
        let options = RunOptions::of(&command);
        let mut names: Vec<&str> = options.names().into_iter().filter(|name| *name != "version").collect();
        names.sort_unstable();
        assert_eq!(names, OWN_OPTIONS);
    }

    #[test]
    fn every_command_has_its_topic_with_its_sentence() {
        let declared = Cli::command();
        let shown = declared.get_subcommands().filter(|command| !command.is_hide_set());
        for command in shown.filter(|command| command.get_name() != "help") {
            let name = format!("ns {}", command.get_name());
            let topic = COMMANDS.iter().find(|topic| topic.names[0] == name).expect(&name);
            assert_eq!(command.get_about().map(ToString::to_string).as_deref(), Some(topic.summary), "{name}");
            assert_eq!(topic.command, command.get_name());
        }
        assert!(COMMANDS.iter().all(|topic| declared.find_subcommand(topic.command).is_some()));
    }
}
