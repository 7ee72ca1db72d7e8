//! What the command line may say.

mod kept;
mod values;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use chrono::{DateTime, Utc};
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::engine::{Clock, Limits, Options};

pub use kept::{AuditArgs, AuditCommand, AuditPlace, LogArgs, MemoryArgs, MemoryCommand, RedoArgs, ShowArgs, UndoArgs};
use values::{fixed_time, seconds};

use super::exit::Exit;
use super::gc::GcArgs;
use super::testing::Redaction;

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

/// Options that every command takes.
#[derive(Args, Clone, Debug)]
pub struct Global {
    /// The folder that scripts cannot leave [default: the current folder]
    #[arg(long, global = true, value_name = "DIR")]
    pub sandbox: Option<PathBuf>,
    /// The policy file [default: neuroscript.toml in the sandbox, else the user's]
    #[arg(long, global = true, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// A folder of modules for USE, outside the sandbox and never changed; may be given often
    #[arg(long = "lib", global = true, value_name = "DIR")]
    pub libraries: Vec<PathBuf>,
    /// Refuse every change
    #[arg(long, global = true)]
    pub read_only: bool,
    /// Make every failure of a tool an error
    #[arg(long, global = true)]
    pub strict: bool,
    /// Steps that a run may take
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_steps: Option<u64>,
    /// Seconds that a run may take, such as 5, 0.5 or 200ms
    #[arg(long, global = true, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,
    /// The time that scripts see, such as 2024-05-01T12:00:00Z [default: the clock's]
    #[arg(long, global = true, value_name = "TIME", value_parser = fixed_time)]
    pub now: Option<DateTime<Utc>>,
    /// Where random numbers begin, so that they are the same in every run
    #[arg(long, global = true, value_name = "N")]
    pub seed: Option<u64>,
    /// How results are printed
    #[arg(long, global = true, value_name = "FORMAT", default_value = "auto")]
    pub output: OutputFormat,
}

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// What fits: text from scripts; from calls, a table on a terminal and JSON elsewhere
    Auto,
    /// Lists of maps as tables
    Table,
    /// JSON
    Json,
    /// One line of JSON for each element of a list
    Jsonl,
    /// Text as EMIT prints it
    Raw,
}

/// The commands.
#[derive(Debug, Subcommand)]
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

/// Arguments of `ns run`.
#[derive(Args, Debug)]
pub struct RunArgs {
    /// The script, or - for standard input; of a file NAME.md the ```neuroscript blocks
    #[arg(required_unless_present = "code", value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The script itself
    #[arg(short = 'e', long = "eval", value_name = "CODE", conflicts_with = "file")]
    pub code: Option<String>,
    /// Take back everything that the run changed when it ends with an error
    #[arg(long)]
    pub atomic: bool,
    /// Change nothing, and show what would be changed; as json for `ns apply`, as html for a browser
    #[arg(long, value_name = "FORM", num_args = 0..=1, require_equals = true, default_missing_value = "text")]
    pub plan: Option<PlanForm>,
    /// Say on standard error what the kernel keeps the run from
    #[arg(short = 'v', long)]
    pub verbose: bool,
    /// The procedure to run, instead of the script's top level
    #[arg(long = "proc", value_name = "NAME")]
    pub procedure: Option<String>,
    /// What the script finds in ARGS
    #[arg(last = true, value_name = "ARGS")]
    pub args: Vec<String>,
}

/// How a plan is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlanForm {
    /// A tree with marks, and differences
    Text,
    /// One object, which `ns apply` reads
    Json,
    /// A page that needs nothing else
    Html,
}

/// Arguments of `ns mcp`.
#[derive(Args, Debug)]
pub struct McpArgs {
    /// Let the tools change files; without it the server only reads
    #[arg(long)]
    pub write: bool,
    /// The tools to offer: default, all, script, groups such as fs, or wire names
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "default")]
    pub tools: Vec<String>,
    /// Do not let the roots that the client names narrow what its calls may do
    #[arg(long)]
    pub ignore_roots: bool,
    /// Seconds after which a client that does not read is given up
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "60")]
    pub patience: Duration,
    /// Serve over HTTP at this address, such as 127.0.0.1:8765, instead of standard input and output; the token is NS_MCP_TOKEN, or a new one that is told on standard error
    #[cfg(feature = "http")]
    #[arg(long, value_name = "ADDR")]
    pub http: Option<std::net::SocketAddr>,
    /// Listen at an address that other machines reach; put TLS before it
    #[cfg(feature = "http")]
    #[arg(long, requires = "http")]
    pub public: bool,
    /// A page of the web that may ask, such as https://app.example.com:443; may be given often
    #[cfg(feature = "http")]
    #[arg(long = "origin", value_name = "ORIGIN", requires = "http")]
    pub origins: Vec<String>,
}

/// Arguments of `ns apply`.
#[derive(Args, Debug)]
pub struct ApplyArgs {
    /// The plan, as `ns run --plan=json` wrote it, or - for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

/// Arguments of `ns test`.
#[derive(Args, Debug)]
#[command(after_help = TEST_HELP)]
pub struct TestArgs {
    /// Scripts NAME.ns, and folders of them
    #[arg(default_value = ".", value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Where the golden files lie, instead of beside the scripts
    #[arg(long, value_name = "DIR")]
    pub golden: Option<PathBuf>,
    /// Write what the scripts say now into the golden files; review the difference
    #[arg(long)]
    pub update: bool,
    /// Only the cases whose name holds a text
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Cases that run at once [default: as many as there are processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Run again whenever a file changes, until Ctrl-C
    #[arg(long)]
    pub watch: bool,
    /// Show what is another each time as [NAME]: time, date, duration, hash, uuid, or a pattern of your own; may be given often
    #[arg(long = "redact", value_name = "NAME[=REGEX]")]
    pub redactions: Vec<Redaction>,
    /// How it is told
    #[arg(long, default_value = "text")]
    pub format: ReportFormat,
}

const TEST_HELP: &str = "\
NAME.ns is run in a fresh sandbox that is a copy of the folder NAME/, and held against

  NAME.out    standard output
  NAME.err    standard error, and the exit code as a last line `exit N`; without it, both are nothing
  NAME.tree   what is left behind, if there is such a file
  NAME.audit  what the audit log tells, if there is such a file

NAME.args holds arguments of the script, one a line, NAME.in its standard input, NAME.times lines of `TIME PATH` for files of the set-up; the others were last changed at 2020-09-13T12:26:40Z.
NAME.CASE.out and so on are a further case of the script, with the set-up NAME.CASE/ if there is one.
A comment `# ns: test OPTIONS [-- ARGS]` at the head of a script says how it runs: --now --seed --strict --read-only --timeout --max-steps --lib --policy --atomic --proc --output --redact.";

/// How a test run is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// For people
    Text,
    /// A JSON object
    Json,
    /// XML as JUnit writes it
    Junit,
}

/// Arguments of `ns new`.
#[derive(Args, Debug)]
pub struct NewArgs {
    /// The name, perhaps with a folder before it
    #[arg(value_name = "NAME")]
    pub name: PathBuf,
}

/// Arguments of `ns completions`.
#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

/// Arguments of `ns man`.
#[derive(Args, Debug)]
pub struct ManArgs {
    /// The command, such as test or audit show; all of `ns` when left out
    #[arg(value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// Arguments of `ns render`.
#[derive(Args, Debug)]
#[command(after_help = RENDER_HELP)]
pub struct RenderArgs {
    /// The document, or - for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// A text for {{NAME}}; may be given often
    #[arg(long = "var", value_name = "NAME=VALUE")]
    pub variables: Vec<String>,
    /// A JSON object with values for names, - to read it from standard input; --var comes before it
    #[arg(long = "vars", value_name = "FILE")]
    pub variable_file: Option<PathBuf>,
    /// The form in which results come into the document
    #[arg(long, default_value = "json")]
    pub results: ResultForm,
}

const RENDER_HELP: &str = "\
A call names a tool and its arguments, one a line or separated by commas:

  {{invoke_tool: read_file
    file_path: \"config/{{name}}.json\"
    max_lines: 20
  }}

Values are JSON. {{name}} is expanded in the document, in texts of arguments, and as a value of its own; what it stands for is not read again. \\{{ is text, and code, comments and what their text holds are left as they are.
The result comes in the place of its call: as a fenced block where the call stands alone on its lines, else within its line.
Names and calls are all checked before the first call runs. The first call that fails ends the work, and nothing is printed.";

/// The form in which results come into a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ResultForm {
    /// All of a result, as JSON
    Json,
    /// The content of a file that was read, and JSON for every other result
    Content,
}

/// Arguments of `ns check`.
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// The scripts, folders of scripts, - for standard input; of a file NAME.md the ```neuroscript blocks
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Repair what can be repaired without changing what a script does; standard input is printed
    #[arg(long)]
    pub fix: bool,
    /// What ends with exit code 3 besides errors
    #[arg(long, value_name = "FINDINGS")]
    pub deny: Option<Denied>,
    /// How findings are printed
    #[arg(long, default_value = "text")]
    pub format: FindingFormat,
    /// Show what the scripts say about themselves
    #[arg(long)]
    pub info: bool,
}

/// What a check does not let pass, besides errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Denied {
    /// Warnings
    Warnings,
}

/// Arguments of `ns fmt`.
#[derive(Args, Debug)]
pub struct FmtArgs {
    /// The scripts, folders of scripts, - for standard input; of a file NAME.md the ```neuroscript blocks
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Change nothing; name the files that have another form, and leave with 3 when there are any
    #[arg(long)]
    pub check: bool,
    /// Change nothing; show what would change, and leave with 3 when something would
    #[arg(long)]
    pub diff: bool,
    /// How keywords are spelled [default: as the first one of the file is]
    #[arg(long, value_name = "SPELLING")]
    pub keywords: Option<Keywords>,
}

/// How keywords are spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Keywords {
    /// IF
    Upper,
    /// if
    Lower,
}

/// How pages are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PageFormat {
    /// For people
    Text,
    /// A JSON array
    Json,
}

/// How findings are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FindingFormat {
    /// For people
    Text,
    /// A JSON array
    Json,
    /// A SARIF 2.1.0 log, as code hosts and editors read it
    Sarif,
}

/// Arguments of `ns call`.
#[derive(Args, Debug)]
pub struct CallArgs {
    /// The tool, by any of its names
    #[arg(required_unless_present = "jsonl")]
    pub tool: Option<String>,
    /// A JSON object with the arguments, @FILE to read it from a file, - from standard input
    #[arg(default_value = "{}", value_name = "JSON", allow_hyphen_values = true)]
    pub json: String,
    /// Bytes that the answer may take
    #[arg(long, value_name = "N")]
    pub max_output_bytes: Option<u64>,
    /// Give an answer that is longer than that in parts, and say beside it how much is there
    #[arg(long)]
    pub meta: bool,
    /// Where the part begins: `next_offset` of the one before
    #[arg(long, value_name = "N", requires = "meta", conflicts_with = "jsonl")]
    pub offset: Option<usize>,
    /// Read a call from each line of standard input, such as {"id": 1, "tool": "read_file", "arguments": {}}, and answer each in a line
    #[arg(long, conflicts_with_all = ["tool", "json"])]
    pub jsonl: bool,
}

/// Arguments of `ns tools`.
#[derive(Args, Debug)]
pub struct ToolsArgs {
    /// The tool to show, by any of its names
    pub name: Option<String>,
    /// How tools are printed
    #[arg(long, default_value = "table")]
    pub format: ToolFormat,
}

/// How tools are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ToolFormat {
    /// For people
    Table,
    /// Whole declarations
    Json,
    /// As MCP servers declare them
    Mcp,
    /// As functions of OpenAI's interfaces
    Openai,
    /// The same with every argument required, and null for what is left out
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

/// Arguments of `ns doc`.
#[derive(Args, Debug)]
pub struct DocArgs {
    /// What to show, such as FS.WalkDir, FOR EACH, LEN or NS0101; all topics when left out
    #[arg(value_name = "NAME")]
    pub name: Vec<String>,
    /// How it is printed
    #[arg(long, default_value = "text")]
    pub format: PageFormat,
}

/// Arguments of `ns explain`.
#[derive(Args, Debug)]
pub struct ExplainArgs {
    /// A code such as NS0101 or not_found
    pub code: String,
}

impl Global {
    /// These options where they are given, else the others.
    pub fn over(&self, other: &Global) -> Global {
        Global {
            sandbox: self.sandbox.clone().or_else(|| other.sandbox.clone()),
            policy: self.policy.clone().or_else(|| other.policy.clone()),
            libraries: self.libraries.iter().chain(&other.libraries).cloned().collect(),
            read_only: self.read_only || other.read_only,
            strict: self.strict || other.strict,
            max_steps: self.max_steps.or(other.max_steps),
            timeout: self.timeout.or(other.timeout),
            now: self.now.or(other.now),
            seed: self.seed.or(other.seed),
            output: if self.output == OutputFormat::Auto { other.output } else { self.output },
        }
    }

    /// The words that say the same, for another `ns`; but for the sandbox.
    pub fn words(&self) -> Vec<OsString> {
        let mut words = Vec::new();
        let mut give =
            |option: &str, value: Option<OsString>| words.extend([Some(option.into()), value].into_iter().flatten());
        let Global { sandbox: _, policy, libraries, read_only, strict, max_steps, timeout, now, seed, output } = self;
        policy.iter().for_each(|path| give("--policy", Some(path.into())));
        libraries.iter().for_each(|path| give("--lib", Some(path.into())));
        read_only.then(|| give("--read-only", None));
        strict.then(|| give("--strict", None));
        max_steps.iter().for_each(|steps| give("--max-steps", Some(steps.to_string().into())));
        timeout.iter().for_each(|time| give("--timeout", Some(time.as_secs_f64().to_string().into())));
        now.iter().for_each(|now| give("--now", Some(now.to_rfc3339().into())));
        seed.iter().for_each(|seed| give("--seed", Some(seed.to_string().into())));
        let format = output.to_possible_value().expect("no format is hidden");
        give("--output", Some(format.get_name().into()));
        words
    }

    /// The options for an engine.
    pub fn options(&self) -> Options {
        Options {
            sandbox: self.sandbox.clone(),
            policy: self.policy.clone(),
            state: None,
            libraries: self.libraries.clone(),
            read_only: self.read_only,
            strict: self.strict,
            atomic: false,
            plan: false,
            limits: Limits::default(),
            within: None,
            max_steps: self.max_steps,
            timeout: self.timeout,
            answer_bytes: None,
            clock: self.now.map_or(Clock::System, Clock::Fixed),
            seed: self.seed,
        }
    }
}

/// Shows why the command line was refused, or the help that was asked for.
pub fn refused(error: &clap::Error) -> Exit {
    // Nothing can be done when nobody reads it.
    let _ = error.print();
    if error.use_stderr() { Exit::Usage } else { Exit::Done }
}
