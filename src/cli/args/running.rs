//! Arguments of the commands that run something: scripts, tests, documents, plans.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::engine::Words;
use crate::manual::about;
use crate::options::seconds;
use crate::testing::Redaction;

/// Arguments of `ns run`.
#[derive(Args, Debug)]
#[command(about = about::RUN)]
#[command(override_usage = RUN_USAGE, after_help = RUN_HELP)]
pub struct RunArgs {
    /// The script, or - for standard input; of a file NAME.md the ```neuroscript blocks
    #[arg(required_unless_present = "code", value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The words that belong to the script; they are removed before clap parses the others.
    #[arg(skip)]
    pub given: Words,
    /// Whether `--help` follows the file.
    #[arg(skip)]
    pub asks_help: bool,
    /// The script itself
    #[arg(short = 'e', long = "eval", value_name = "CODE", conflicts_with = "file")]
    pub code: Option<String>,
    /// Roll back all changes of the run if it ends with an error
    #[arg(long)]
    pub atomic: bool,
    /// Change nothing and show the changes that the run would make; json is for `ns apply`, html for a browser
    #[arg(long, visible_alias = "dry-run", value_name = "FORM", num_args = 0..=1, require_equals = true, default_missing_value = "text")]
    pub plan: Option<PlanForm>,
    /// Print on standard error which restrictions the kernel enforces on the run
    #[arg(short = 'v', long)]
    pub verbose: bool,
    /// The procedure to run, instead of the script's top level
    #[arg(long = "proc", value_name = "NAME")]
    pub procedure: Option<String>,
}

const RUN_USAGE: &str = "\
ns [run] [OPTIONS] FILE [WORDS]... [-- WORDS...]
       ns [run] [OPTIONS] -e CODE [WORDS]... [-- WORDS...]";

const RUN_HELP: &str = "\
Options of `ns` are honoured before and after FILE. Plain words go to the script, and so do the options that it declares: the parameters of its procedure `Main`. Everything after -- goes to the script as it is. An option that neither has is an error, and so is a word that the script does not read; nothing is run.
`ns FILE --help` shows what a script takes.";

/// Arguments of `ns watch`.
#[derive(Args, Debug)]
#[command(about = about::WATCH)]
#[command(after_help = WATCH_HELP)]
pub struct WatchArgs {
    /// The script
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Pattern of the files to watch, as for `FS.Find`: of names, or of paths from the sandbox root if it has a `/`; `!` leaves out; may be repeated
    #[arg(long, required = true, value_name = "PATTERN")]
    pub on: Vec<String>,
    /// Also run the script for the files that are there at the start
    #[arg(long)]
    pub initial: bool,
    /// End when the first files are handed over, perhaps in several runs, with the highest exit code of these
    #[arg(long)]
    pub once: bool,
    /// How long a file must stay as it is before it is handed over
    #[arg(long, value_name = "SECONDS", default_value = "0.5", value_parser = seconds)]
    pub settle: Duration,
    /// The procedure to run, instead of the script's top level
    #[arg(long = "proc", value_name = "NAME")]
    pub procedure: Option<String>,
    /// Words for the script, before the paths
    #[arg(last = true, value_name = "WORDS")]
    pub words: Vec<String>,
}

const WATCH_HELP: &str = "\
The script gets the paths of the files that are new or have changed as its last arguments, in order, at most 1,000 (and 64 KiB) at once; further ones go to further runs. Each run is one of `ns run --atomic`: all of its changes or none, with an entry of its own for `ns undo`. What a run changes itself starts no other one; files that are deleted start none either. A run that fails is reported, and the watch goes on.
Ctrl-C ends the watch; a run under way is taken back. A second Ctrl-C within a second ends it at once.";

/// How a plan is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlanForm {
    /// A tree with marks, and differences
    Text,
    /// One object, which `ns apply` reads
    Json,
    /// A self-contained page
    Html,
}

/// Arguments of `ns apply`.
#[derive(Args, Debug)]
#[command(about = about::APPLY)]
pub struct ApplyArgs {
    /// A plan written by `ns run --plan=json`, or - for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

/// Arguments of `ns test`.
#[derive(Args, Debug)]
#[command(about = about::TEST)]
#[command(after_help = TEST_HELP)]
pub struct TestArgs {
    /// Scripts NAME.ns, and folders of them
    #[arg(default_value = ".", value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// The folder of the golden files [default: beside the scripts]
    #[arg(long, value_name = "DIR")]
    pub golden: Option<PathBuf>,
    /// Write the current output of the scripts into the golden files; review the difference
    #[arg(long)]
    pub update: bool,
    /// Run only cases whose name contains a text
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Run again whenever a file changes, until Ctrl-C
    #[arg(long)]
    pub watch: bool,
    /// Replace values that vary from run to run by [NAME]: time, date, duration, hash, uuid, or a pattern of your own; may be repeated
    #[arg(long = "redact", value_name = "NAME[=REGEX]")]
    pub redactions: Vec<Redaction>,
    /// Output format
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

/// Output formats of a test run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// For people
    Text,
    /// A JSON object
    Json,
    /// JUnit XML
    Junit,
}

/// Arguments of `ns render`.
#[derive(Args, Debug)]
#[command(about = about::RENDER)]
#[command(after_help = RENDER_HELP)]
pub struct RenderArgs {
    /// The document, or - for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// A text for {{NAME}}; may be repeated
    #[arg(long = "var", value_name = "NAME=VALUE")]
    pub variables: Vec<String>,
    /// A JSON object with values for names, - to read it from standard input; --var comes before it
    #[arg(long = "vars", value_name = "FILE")]
    pub variable_file: Option<PathBuf>,
    /// The form in which results are inserted into the document
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
    /// The content of a file that was read; JSON for every other result
    Content,
}
