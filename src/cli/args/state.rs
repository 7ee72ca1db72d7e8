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

/// Operations on project memory.
#[derive(Debug, Subcommand)]
pub enum MemoryCommand {
    /// List the keys, with type, size, time and writer of each value
    List {
        /// List only keys with this prefix
        #[arg(long, default_value = "", hide_default_value = true, value_name = "TEXT")]
        prefix: String,
    },
    /// Print the value of a key as JSON
    Get {
        /// The key
        key: String,
    },
    /// Store a value under a key
    Set {
        /// The key
        key: String,
        /// The value as JSON, @FILE to read it from a file, - from standard input
        #[arg(value_name = "JSON", allow_hyphen_values = true)]
        json: String,
    },
    /// Delete a key
    Delete {
        /// The key
        key: String,
    },
    /// Print all keys and values, one line of JSON per key
    Export {
        /// Export whatever is readable if the file is damaged, from another program or from a newer version
        #[arg(long)]
        salvage: bool,
    },
    /// Import the lines of an export, all or none; existing keys get the new values
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
    /// The log of read-only and planned runs, in your state folder
    #[arg(long)]
    pub state: bool,
    /// A log that was moved elsewhere
    #[arg(long, value_name = "FILE", conflicts_with = "state")]
    pub file: Option<PathBuf>,
}

/// Operations on the audit log.
#[derive(Debug, Subcommand)]
pub enum AuditCommand {
    /// Show the newest lines, the newest last
    Show {
        #[command(flatten)]
        place: AuditPlace,
        /// Show only lines of one run
        #[arg(long, value_name = "ID")]
        run: Option<String>,
        /// Show only lines of one tool, by any of its names
        #[arg(long, value_name = "NAME")]
        tool: Option<String>,
        /// Show only lines since a time, such as 2026-01-31, 2026-01-31T08:00:00Z or 90m, 12h, 7d ago
        #[arg(long, value_name = "TIME", value_parser = moment)]
        since: Option<String>,
        /// Maximum number of lines
        #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..))]
        limit: u64,
    },
    /// Check the chain of hashes; exit with 1 and name the first line that breaks it
    Verify {
        #[command(flatten)]
        place: AuditPlace,
        /// A hash that was printed earlier; the log must still contain the line with it
        #[arg(long, value_name = "HASH")]
        expect: Option<String>,
    },
}

/// Arguments of `ns log`.
#[derive(Args, Debug)]
#[command(about = about::LOG)]
pub struct LogArgs {
    /// Maximum number of runs
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: u64,
    /// Show all runs, and each undo and redo as a separate run
    #[arg(long, conflicts_with = "limit")]
    pub all: bool,
}

/// Arguments of `ns show`.
#[derive(Args, Debug)]
#[command(about = about::SHOW)]
pub struct ShowArgs {
    /// The run, by the short name that `ns log` shows or its beginning [default: the newest]
    pub run: Option<String>,
    /// Show the differences in text files
    #[arg(long)]
    pub diff: bool,
}

/// Arguments of `ns undo`.
#[derive(Args, Debug)]
#[command(
    about = about::UNDO,
    after_help = "What the newest 20 runs replaced or deleted is always kept. For older runs, `backup_count`, `backup_days` and `backup_bytes` of the policy say how long.\n\nA run counts as undone if at least one of its changes was taken back, or if nothing of it was left. The exit code is 0 if all of it was, and 1 if something had to be left as it is: the message names each path with the reason."
)]
pub struct UndoArgs {
    /// The run, by the short name that `ns log` shows or its beginning [default: the newest that was not
    /// undone]
    pub run: Option<String>,
    /// Undo although paths have changed since: what stands in the way is kept below `.ns`, what cannot come back is left
    #[arg(long)]
    pub force: bool,
    /// Skip runs that cannot be undone, and undo the newest that can
    #[arg(long, conflicts_with_all = ["force", "run"])]
    pub skip: bool,
    /// Change nothing, and show the changes that would be undone, or why they cannot be
    #[arg(long, visible_alias = "dry-run")]
    pub plan: bool,
}

/// Arguments of `ns redo`.
#[derive(Args, Debug)]
#[command(about = about::REDO)]
pub struct RedoArgs {
    /// The run, by the short name that `ns log` shows or its beginning [default: the one that was undone last]
    pub run: Option<String>,
    /// Redo although paths have changed since: what stands in the way is kept below `.ns`, what cannot be redone is left
    #[arg(long)]
    pub force: bool,
    /// Change nothing, and show the changes that would be redone, or why they cannot be
    #[arg(long, visible_alias = "dry-run")]
    pub plan: bool,
}

/// Arguments of `ns adopt`.
#[derive(Args, Debug)]
#[command(about = about::ADOPT)]
pub struct AdoptArgs {
    /// Adopt everything without asking
    #[arg(long)]
    pub yes: bool,
}

/// Arguments of `ns gc`.
#[derive(Args, Debug)]
#[command(about = about::GC)]
pub struct GcArgs {
    /// Change nothing; list what would be deleted, and its size in bytes
    #[arg(long)]
    pub dry_run: bool,
    /// Number of newest runs that can still be undone completely [default: 20]
    #[arg(long, value_name = "N")]
    pub keep_runs: Option<usize>,
    /// Delete foreign state in `.ns`: journals and backups that your key did not seal
    #[arg(long, conflicts_with_all = ["all", "keep_runs", "count", "days", "bytes", "journals", "journal_days", "journal_bytes"])]
    pub foreign: bool,
    /// Delete everything that these runs do not need
    #[arg(long)]
    pub all: bool,
    /// Maximum number of backups per file, 0 for no limit [default: `backup_count` of the policy]
    #[arg(long, value_name = "N")]
    pub count: Option<u64>,
    /// Days for which backups and trash are kept, 0 for no limit [default: `backup_days` of the policy]
    #[arg(long, value_name = "N")]
    pub days: Option<u64>,
    /// Maximum size of all backups and trash in bytes, such as 500M, 0 for no limit [default: `backup_bytes` of the policy]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub bytes: Option<u64>,
    /// Maximum number of journals of runs, 0 for no limit [default: 10000]
    #[arg(long, value_name = "N")]
    pub journals: Option<u64>,
    /// Days for which journals are kept [default: no limit]
    #[arg(long, value_name = "N")]
    pub journal_days: Option<u64>,
    /// Maximum size of all journals in bytes [default: no limit]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub journal_bytes: Option<u64>,
}
