//! One line: how it is written, and whether one that is read is whole.
//!
//! A line is a JSON object. Its member `hash` is the SHA-256 of the line's bytes before `,"hash":`, and
//! `previous` is the hash of the line before, so that no byte of a line changes unseen. The last member,
//! `seal`, is over the hash: only the user's key makes it for this root, so that nobody else writes the
//! chain anew. Lines of the first form have no seal.

use indexmap::IndexSet;
use serde::{Deserialize, Serialize, Serializer};
use sha2::{Digest, Sha256};

use crate::sandbox::RootSeal;
use crate::text::{hex, safe};

use super::argument::Argument;

/// What a line tells of a call.
#[derive(Debug)]
pub struct Entry<'a> {
    /// The run, the session or the connection.
    pub run: &'a str,
    /// What the user began: `ns run x.ns`.
    pub command: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// Its arguments, in the declared order.
    pub arguments: Vec<(&'static str, Argument)>,
    /// The places concerned, resolved, from the root.
    pub paths: &'a IndexSet<String>,
    /// How many more there are.
    pub more_paths: u64,
    /// Paths of lists that were refused, as they were given.
    pub refused: &'a [String],
    /// How far a call on several items came.
    pub items: Option<Items>,
    /// What became of the call.
    pub outcome: Outcome,
    /// The code of what failed or refused.
    pub code: Option<&'a str>,
}

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It succeeded.
    Done,
    /// Some of several items were done, and others failed.
    Partly,
    /// It failed; a part may be done.
    Failed,
    /// The policy or the sandbox refused it.
    Refused,
}

/// How far a call on several items came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Items {
    /// Items that were done, and not taken back.
    pub done: u64,
    /// Items that failed.
    pub failed: u64,
    /// All items of the call.
    pub all: u64,
}

/// What stands before a line: where in the chain it belongs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Link {
    /// The number of the line before; 0 at the beginning.
    pub seq: u64,
    /// Its hash.
    pub hash: Option<String>,
    /// What a crash left between that line and this one.
    pub torn: Option<Torn>,
}

/// A line that a crash cut short.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Torn {
    /// Its bytes.
    pub bytes: u64,
    /// Their SHA-256, hexadecimal.
    pub sha256: String,
}

impl Torn {
    /// What is noted of a piece.
    pub fn of(piece: &[u8]) -> Torn {
        Torn { bytes: piece.len() as u64, sha256: hash_of(piece) }
    }
}

/// The members of a line but the last, in their order.
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
    previous: Option<&'a str>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
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
    /// The line, line feed included, and its hash.
    pub fn write(&self, link: &Link, time: &str, seal: &RootSeal) -> (Vec<u8>, String) {
        let body = Body {
            seq: link.seq + 1,
            time,
            run: self.run,
            command: self.command,
            process: std::process::id(),
            tool: self.tool,
            arguments: &self.arguments,
            paths: self.paths,
            more_paths: self.more_paths,
            refused: self.refused,
            items: self.items,
            outcome: self.outcome,
            code: self.code,
            torn: link.torn.as_ref(),
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
/// What the seal of a line is for.
const PURPOSE: &str = "audit";

fn hash_of(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// What is known of a line that was read.
#[derive(Debug, Deserialize)]
pub struct Line {
    /// Its number.
    pub seq: u64,
    /// When the call ended.
    pub time: String,
    /// The run it belongs to.
    pub run: String,
    /// The tool.
    pub tool: String,
    /// The hash of the line before.
    pub previous: Option<String>,
    /// What a crash left before it.
    pub torn: Option<Torn>,
    /// Its own hash.
    pub hash: String,
    /// The seal over that; `None` in lines of the first form.
    seal: Option<String>,
}

/// Why a line is not as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// It is no line of an audit log.
    Foreign,
    /// It is one, and its hash does not fit.
    Edited,
}

impl Line {
    /// Reads a line, without its line feed.
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

    /// Whether the user's key sealed it for this root.
    pub fn is_sealed(&self, seal: &RootSeal) -> bool {
        self.seal.as_ref().is_some_and(|own| seal.has_sealed(PURPOSE, self.hash.as_bytes(), own))
    }
}
