//! Arguments of the commands that check, format and create scripts.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::manual::about;

/// Arguments of `ns new`.
#[derive(Args, Debug)]
#[command(about = about::NEW)]
pub struct NewArgs {
    /// The name of the script, optionally with a folder
    #[arg(value_name = "NAME")]
    pub name: PathBuf,
}

/// Arguments of `ns check`.
#[derive(Args, Debug)]
#[command(about = about::CHECK)]
pub struct CheckArgs {
    /// The scripts, folders of scripts, - for standard input; of a file NAME.md the ```neuroscript blocks
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Apply the fixes that do not change what a script does; fixed standard input is printed
    #[arg(long)]
    pub fix: bool,
    /// The findings, besides errors, that end with exit code 3
    #[arg(long, value_name = "FINDINGS")]
    pub deny: Option<Denied>,
    /// Output format
    #[arg(long, default_value = "text")]
    pub format: FindingFormat,
    /// Print the scripts' own descriptions: metadata, arguments and procedures
    #[arg(long)]
    pub info: bool,
    /// Check again whenever a file changes, until Ctrl-C: the named ones, new ones in named folders, modules and policy files
    #[arg(long)]
    pub watch: bool,
}

/// The findings, besides errors, that make a check fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Denied {
    /// Warnings
    Warnings,
}

/// How findings are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FindingFormat {
    /// For people
    Text,
    /// A JSON array
    Json,
    /// A SARIF 2.1.0 log, for code hosts and editors
    Sarif,
}

/// Arguments of `ns lsp`.
#[derive(Args, Debug)]
#[command(
    about = about::LSP,
    after_help = "An editor starts it and talks to it on standard input and output. The folders that the editor opens are the sandboxes, unless --sandbox names one; --policy, --lib and --strict hold as for `ns check`. It runs nothing and changes nothing."
)]
pub struct LspArgs {
    /// Talk on standard input and output, which it does anyway: some editors add this option
    #[arg(long)]
    pub stdio: bool,
}

/// Arguments of `ns fmt`.
#[derive(Args, Debug)]
#[command(about = about::FMT)]
pub struct FmtArgs {
    /// The scripts, folders of scripts, - for standard input; of a file NAME.md the ```neuroscript blocks
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Change nothing; list files that are not formatted, and exit with 3 if there are any
    #[arg(long)]
    pub check: bool,
    /// Change nothing; print the differences, and exit with 3 if there are any
    #[arg(long)]
    pub diff: bool,
    /// The spelling of keywords [default: that of the file's first keyword]
    #[arg(long, value_name = "SPELLING")]
    pub keywords: Option<Keywords>,
    /// Format again whenever a file changes, until Ctrl-C: the named ones, and new ones in named folders
    #[arg(long)]
    pub watch: bool,
}

/// Arguments of `ns migrate`.
#[derive(Args, Debug)]
#[command(
    about = about::MIGRATE,
    after_help = "Without an option it prints the migrated script and changes nothing. The report on standard error says for each line what was rewritten and why, and what is left for a person; the exit code is 3 if something is left or the result has errors. `ns undo` does not take a migration back: keep the original, or look at --diff first."
)]
pub struct MigrateArgs {
    /// The scripts, folders of scripts, - for standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Write the migrated scripts to their files
    #[arg(long, conflicts_with_all = ["check", "diff"])]
    pub write: bool,
    /// Change nothing; list files that would be rewritten, and exit with 3 if there are any
    #[arg(long)]
    pub check: bool,
    /// Change nothing; print the differences, and exit with 3 if there are any
    #[arg(long)]
    pub diff: bool,
}

/// How keywords are spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Keywords {
    /// IF
    Upper,
    /// if
    Lower,
}
