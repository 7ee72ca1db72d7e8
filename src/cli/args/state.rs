//! Arguments of the commands for stored state: memory, the audit log, the journal.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::manual::about;

use super::values::{bytes, moment};

/// Arguments of `ns memory`.
#[derive(Args, Debug)]
#[command(about = about::MEMORY)]
pub struct MemoryArgs {
    #[command(subcommand)]
    pub command: MemoryCommand,
}

/// What can be done with project memory.
#[derive(Debug, Subcommand)]
pub enum MemoryCommand {
    /// List the keys with type, bytes, time and writer of their values
    List {
        /// What the keys begin with
        #[arg(long, default_value = "", hide_default_value = true, value_name = "TEXT")]
        prefix: String,
    },
    /// Print the value of a key as JSON
    Get {
        /// The key
        key: String,
    },
    /// Keep a value under a key
    Set {
        /// The key
        key: String,
        /// The value as JSON, @FILE to read it from a file, - from standard input
        #[arg(value_name = "JSON", allow_hyphen_values = true)]
        json: String,
    },
    /// Forget a key
    Delete {
        /// The key
        key: String,
    },
    /// Print everything, one line of JSON for each key
    Export {
        /// Read what can be read of a file that is damaged, of another program or of a newer version
        #[arg(long)]
        salvage: bool,
    },
    /// Take in the lines of an export, all or none; keys that are there get the new values
    Import {
        /// The lines, - for standard input
        #[arg(default_value = "-", value_name = "FILE")]
        file: PathBuf,
    },
}

/// Arguments of `ns audit`.
#[derive(Args, Debug)]
#[command(about = about::AUDIT)]
pub struct AuditArgs {
    #[command(subcommand)]
    pub command: AuditCommand,
}

/// Which audit log is meant: that of the sandbox, unless one of these says otherwise.
#[derive(Args, Debug)]
pub struct AuditPlace {
    /// The log of runs that may change nothing, in your state folder
    #[arg(long)]
    pub state: bool,
    /// A log that was moved away
    #[arg(long, value_name = "FILE", conflicts_with = "state")]
    pub file: Option<PathBuf>,
}

/// What can be done with the audit log.
#[derive(Debug, Subcommand)]
pub enum AuditCommand {
    /// Show the newest lines, the newest last
    Show {
        #[command(flatten)]
        place: AuditPlace,
        /// Of one run
        #[arg(long, value_name = "ID")]
        run: Option<String>,
        /// Of one tool, by any of its names
        #[arg(long, value_name = "NAME")]
        tool: Option<String>,
        /// Since a time, such as 2026-01-31, 2026-01-31T08:00:00Z or 90m, 12h, 7d ago
        #[arg(long, value_name = "TIME", value_parser = moment)]
        since: Option<String>,
        /// Lines at most
        #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..))]
        limit: u64,
    },
    /// Check the chain of hashes; exit with 1 and name the first line that breaks it
    Verify {
        #[command(flatten)]
        place: AuditPlace,
        /// A hash that was printed before: the line that has it must still be there
        #[arg(long, value_name = "HASH")]
        expect: Option<String>,
    },
}

/// Arguments of `ns log`.
#[derive(Args, Debug)]
#[command(about = about::LOG)]
pub struct LogArgs {
    /// Runs at most
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: u64,
    /// All runs, and each undo and redo as a run of its own
    #[arg(long, conflicts_with = "limit")]
    pub all: bool,
}

/// Arguments of `ns show`.
#[derive(Args, Debug)]
#[command(about = about::SHOW)]
pub struct ShowArgs {
    /// The run, by the short name that `ns log` shows or its beginning [default: the newest]
    pub run: Option<String>,
    /// Show how the contents of text files differ
    #[arg(long)]
    pub diff: bool,
}

/// Arguments of `ns undo`.
#[derive(Args, Debug)]
#[command(about = about::UNDO)]
pub struct UndoArgs {
    /// The run, by the short name that `ns log` shows or its beginning [default: the newest that was not
    /// taken back]
    pub run: Option<String>,
    /// Where the tree has changed since, take back the rest
    #[arg(long)]
    pub force: bool,
    /// Pass over runs that cannot be taken back, and take back the newest that can
    #[arg(long, conflicts_with_all = ["force", "run"])]
    pub skip: bool,
    /// Change nothing, and show what would be taken back, or what stands in the way
    #[arg(long, visible_alias = "dry-run")]
    pub plan: bool,
}

/// Arguments of `ns redo`.
#[derive(Args, Debug)]
#[command(about = about::REDO)]
pub struct RedoArgs {
    /// The run, by the short name that `ns log` shows or its beginning [default: the one that was taken back last]
    pub run: Option<String>,
    /// Where the tree has changed since, do the rest
    #[arg(long)]
    pub force: bool,
    /// Change nothing, and show what would be done again, or what stands in the way
    #[arg(long, visible_alias = "dry-run")]
    pub plan: bool,
}

/// Arguments of `ns adopt`.
#[derive(Args, Debug)]
#[command(about = about::ADOPT)]
pub struct AdoptArgs {
    /// Take everything over without a question
    #[arg(long)]
    pub yes: bool,
}

/// Arguments of `ns gc`.
#[derive(Args, Debug)]
#[command(about = about::GC)]
pub struct GcArgs {
    /// Say what would go, and how many bytes that are; nothing is done
    #[arg(long)]
    pub dry_run: bool,
    /// So many of the newest runs can be taken back whole afterwards [default: 20]
    #[arg(long, value_name = "N")]
    pub keep_runs: Option<usize>,
    /// Remove what others left in `.ns`: journals and kept files that your key did not seal
    #[arg(long, conflicts_with_all = ["all", "keep_runs", "count", "days", "bytes", "journals", "journal_days", "journal_bytes"])]
    pub foreign: bool,
    /// Give up everything that these runs do not need
    #[arg(long)]
    pub all: bool,
    /// Backups of one file, 0 for any number [default: `backup_count` of the policy]
    #[arg(long, value_name = "N")]
    pub count: Option<u64>,
    /// Days for which backups and trash are kept, 0 for ever [default: `backup_days` of the policy]
    #[arg(long, value_name = "N")]
    pub days: Option<u64>,
    /// Bytes of all backups and trash, such as 500M, 0 for any number [default: `backup_bytes` of the policy]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub bytes: Option<u64>,
    /// Journals of runs, 0 for any number [default: 10000]
    #[arg(long, value_name = "N")]
    pub journals: Option<u64>,
    /// Days for which journals are kept [default: for ever]
    #[arg(long, value_name = "N")]
    pub journal_days: Option<u64>,
    /// Bytes of all journals [default: any number]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub journal_bytes: Option<u64>,
}
