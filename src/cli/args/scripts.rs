//! Arguments of the commands that check, format and create scripts.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::manual::about;

/// Arguments of `ns new`.
#[derive(Args, Debug)]
#[command(about = about::NEW)]
pub struct NewArgs {
    /// The name, perhaps with a folder before it
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
    /// A SARIF 2.1.0 log, as code hosts and editors read it
    Sarif,
}

/// Arguments of `ns fmt`.
#[derive(Args, Debug)]
#[command(about = about::FMT)]
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
