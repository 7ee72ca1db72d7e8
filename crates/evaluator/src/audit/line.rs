//! Lines of the log: writes them and checks that they are unchanged when read.
//!
//! A line is a JSON object. Its member `hash` is the SHA-256 of the line's bytes before `,"hash":`, and `previous` is
//! the hash of the previous line. Any change of a line is therefore detected. The last member, `seal`, covers the hash:
//! only the user's key can create it for this root, so nobody else can rewrite the chain. Lines of the first version
//! have no seal.

use indexmap::IndexSet;
use serde::{Deserialize, Serialize, Serializer};
use sha2::{Digest, Sha256};

use crate::sandbox::{RootSeal, process_id};
use crate::text::{hex, safe};

use super::argument::Argument;

/// The record of a call.
#[derive(Debug)]
pub struct Entry<'a> {
    /// The id of the run, session or connection.
    pub run: &'a str,
    /// The command that the user started, such as `ns run x.ns`.
    pub command: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// The arguments, in the declared order.
    pub arguments: Vec<(&'static str, Argument)>,
    /// The paths affected, resolved and relative to the root.
    pub paths: &'a IndexSet<String>,
    /// Number of further paths that are not listed.
    pub more_paths: u64,
    /// Paths of lists that were refused, as given.
    pub refused: &'a [String],
    /// The progress of a call on several items.
    pub items: Option<Items>,
    /// The outcome of the call.
    pub outcome: Outcome,
    /// The error code of the failure or refusal.
    pub code: Option<&'a str>,
}

/// The outcome of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The call succeeded.
    Done,
    /// Some items succeeded and others failed.
    Partly,
    /// The call failed; a part of it may have been done.
    Failed,
    /// The policy or the sandbox refused the call.
    Refused,
}

/// The progress of a call on several items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Items {
    /// Number of items that were done and not undone.
    pub done: u64,
    /// Number of items that failed.
    pub failed: u64,
    /// Number of all items of the call.
    pub all: u64,
}

/// The position of a line in the chain.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Link {
    /// The sequence number of the previous line; 0 at the start.
    pub seq: u64,
    /// The hash of the previous line.
    pub hash: Option<String>,
    /// The truncated line that a crash left in between.
    pub torn: Option<Torn>,
    /// The last line that the user wrote before, if the log no longer has it.
    pub cut: Option<Cut>,
}

/// A line truncated by a crash.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Torn {
    /// The length in bytes.
    pub bytes: u64,
    /// The SHA-256 of the bytes, in hexadecimal.
    pub sha256: String,
}

/// A line that was the last of a log, of which the end is missing now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cut {
    /// The sequence number.
    pub seq: u64,
    /// The hash.
    pub hash: String,
}

impl Link {
    /// Whether a log that ends here lacks a line that it had. A line that a crash truncated may be the last one.
    pub fn lacks(&self, seq: u64, hash: &str) -> bool {
        let most = self.seq + u64::from(self.torn.is_some());
        seq > most || seq == self.seq && self.hash.as_deref() != Some(hash)
    }
}

impl Torn {
    /// Describes the bytes of a truncated line.
    pub fn of(piece: &[u8]) -> Torn {
        Torn { bytes: piece.len() as u64, sha256: hash_of(piece) }
    }
}

/// The members of a line before `hash` and `seal`, in order.
#[derive(Serialize)]
struct Body<'a> {
    seq: u64,
    time: &'a str,
    run: &'a str,
    command: &'a str,
    process: u32,
    tool: &'a str,
    #[serde(serialize_with = "as_map")]
    arguments: &'a [(&'static str, Argument)],
    #[serde(serialize_with = "as_list")]
    paths: &'a IndexSet<String>,
    #[serde(skip_serializing_if = "is_zero")]
    more_paths: u64,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    refused: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<Items>,
    outcome: Outcome,
    code: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    torn: Option<&'a Torn>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cut: Option<&'a Cut>,
    previous: Option<&'a str>,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes references; where those are short, the lint does not apply"
)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn as_map<S: Serializer>(arguments: &&[(&'static str, Argument)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(arguments.iter().map(|(name, argument)| (name, argument)))
}

fn as_list<S: Serializer>(paths: &&IndexSet<String>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(paths.iter())
}

impl Entry<'_> {
    /// Returns the line, including the line feed, and its hash.
    pub fn write(&self, link: &Link, time: &str, seal: &RootSeal) -> (Vec<u8>, String) {
        let body = Body {
            seq: link.seq + 1,
            time,
            run: self.run,
            command: self.command,
            process: process_id(),
            tool: self.tool,
            arguments: &self.arguments,
            paths: self.paths,
            more_paths: self.more_paths,
            refused: self.refused,
            items: self.items,
            outcome: self.outcome,
            code: self.code,
            torn: link.torn.as_ref(),
            cut: link.cut.as_ref(),
            previous: link.hash.as_deref(),
        };
        let text = serde_json::to_string(&body).expect("texts, numbers and values have a JSON form");
        let text = safe::json(text.strip_suffix('}').expect("an object ends in a brace"));
        let hash = hash_of(text.as_bytes());
        let seal = seal.of_text(PURPOSE, hash.as_bytes());
        (format!("{text}{HASH}{hash}{SEAL}{seal}{END}\n").into_bytes(), hash)
    }
}

/// Delimiters of the hash and the seal at the end of a line.
const HASH: &str = ",\"hash\":\"";
const SEAL: &str = "\",\"seal\":\"";
const END: &str = "\"}";
/// The purpose for which lines are sealed.
const PURPOSE: &str = "audit";

fn hash_of(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// The members of a line that readers need.
#[derive(Debug, Deserialize)]
pub struct Line {
    /// The sequence number.
    pub seq: u64,
    /// The time at which the call ended.
    pub time: String,
    /// The run that the line belongs to.
    pub run: String,
    /// The tool.
    pub tool: String,
    /// The hash of the previous line.
    pub previous: Option<String>,
    /// The truncated line before it.
    pub torn: Option<Torn>,
    /// The line that ended the log before its end was removed.
    pub cut: Option<Cut>,
    /// The hash of the line.
    pub hash: String,
    /// The seal of the hash; `None` in lines of the first version.
    seal: Option<String>,
}

/// The reason why a line is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// It is not a line of an audit log.
    Foreign,
    /// Its hash does not match its text.
    Edited,
}

impl Line {
    /// Parses a line without its line feed.
    pub fn read(bytes: &[u8]) -> Result<Line, Flaw> {
        let text = std::str::from_utf8(bytes).map_err(|_| Flaw::Foreign)?;
        let line: Line = serde_json::from_str(text).map_err(|_| Flaw::Foreign)?;
        let body = text
            .strip_suffix(END)
            .and_then(|text| match &line.seal {
                Some(seal) => text.strip_suffix(seal.as_str())?.strip_suffix(SEAL),
                None => Some(text),
            })
            .and_then(|text| text.strip_suffix(line.hash.as_str()))
            .and_then(|text| text.strip_suffix(HASH))
            .ok_or(Flaw::Edited)?;
        if hash_of(body.as_bytes()) == line.hash { Ok(line) } else { Err(Flaw::Edited) }
    }

    /// Whether the line was sealed with the user's key for this root.
    pub fn is_sealed(&self, seal: &RootSeal) -> bool {
        self.seal.as_ref().is_some_and(|own| seal.has_sealed(PURPOSE, self.hash.as_bytes(), own))
    }
}
