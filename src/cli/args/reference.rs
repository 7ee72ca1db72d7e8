//! Arguments of the commands that explain the language, codes and `ns` itself.

use clap::{Args, ValueEnum};

use crate::manual::about;

/// Arguments of `ns doc`.
#[derive(Args, Debug)]
#[command(about = about::DOC)]
pub struct DocArgs {
    /// A topic, such as FS.Find, FOR EACH, LEN, NS0101 or a command of `ns`, a title of the book's pages, such as Modules,
    /// or a purpose, such as rename or "find files"; all topics when left out
    #[arg(value_name = "NAME")]
    pub name: Vec<String>,
    /// Output format
    #[arg(long, default_value = "text")]
    pub format: PageFormat,
}

/// How pages are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PageFormat {
    /// For people
    Text,
    /// A JSON array
    Json,
}

/// Arguments of `ns explain`.
#[derive(Args, Debug)]
#[command(about = about::EXPLAIN)]
pub struct ExplainArgs {
    /// A code such as NS0101 or not_found
    pub code: String,
}

/// Arguments of `ns completions`.
#[derive(Args, Debug)]
#[command(about = about::COMPLETIONS)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

/// Arguments of `ns man`.
#[derive(Args, Debug)]
#[command(about = about::MAN)]
pub struct ManArgs {
    /// The command, such as test or audit show; all of `ns` when left out
    #[arg(value_name = "COMMAND")]
    pub command: Vec<String>,
}
