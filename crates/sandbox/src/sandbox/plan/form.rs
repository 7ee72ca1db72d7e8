//! Plans as JSON: one object with each change, including its content, on a line of its own.
//!
//! Plans are written and read one change at a time, so only one content is in memory.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::error::Category;
use sha2::{Digest, Sha256};

use crate::text::JsonFault;

use super::super::handles::address::Address;
use super::super::handles::folder::{Scratch, file_metadata, new_scratch, set_access};
use super::super::handles::metadata::{Kind, Metadata};
use super::super::handles::seal::{RootSeal, SEAL_DIGITS};
use super::{Plan, PlanAbout, PlannedChange, Store, VERSION};

/// Maximum size in bytes of one content in a plan.
const MAX_CONTENT: u64 = 512 << 20;
/// Permission bits of contents in the scratch directory when they are created.
const PRIVATE: u32 = 0o600;

/// Describes what is wrong in a text that is not a plan, and where.
fn flaw(error: &serde_json::Error) -> String {
    let (line, column) = (error.line(), error.column());
    let what = match error.classify() {
        Category::Syntax if error.to_string().starts_with("trailing") => "more text follows the plan".to_owned(),
        Category::Syntax | Category::Io => "it is not JSON".to_owned(),
        Category::Eof => "it ends too early".to_owned(),
        Category::Data => JsonFault::of(error).words,
    };
    if line == 0 { what } else { format!("{what}, in line {line}, column {column}") }
}

/// Why a plan cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum FormError {
    /// The operating system reported an error.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The input is not a plan.
    #[error("it is no plan file: {}", flaw(.0))]
    Json(#[from] serde_json::Error),
    /// A newer version of the program wrote it.
    #[error("it has form {0}, and this program knows form {VERSION}")]
    Later(u32),
    /// A file is too large for a plan.
    #[error("`{0}` would have {1} bytes, more than the {MAX_CONTENT} that a plan carries")]
    TooLarge(String, u64),
}

/// A content to write.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Content {
    /// A file that is valid UTF-8.
    Text(String),
    /// Any other file.
    Base64(String),
    /// The target of a symbolic link.
    Link(Address),
}

/// A change with its content.
#[derive(Serialize, Deserialize)]
struct Row<C> {
    #[serde(flatten)]
    change: C,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    content: Option<Content>,
}

impl Plan {
    /// Writes the plan as JSON.
    pub fn write(&self, output: &mut impl Write) -> Result<(), FormError> {
        let mut output = Hashing::new(output);
        let about = serde_json::to_string(&self.about)?;
        write!(output, "{},\"changes\":[", about.strip_suffix('}').unwrap_or(&about))?;
        for (number, change) in self.changes.iter().enumerate() {
            output.write_all(if number == 0 { b"\n" } else { b",\n" })?;
            let content = change.content.as_ref().map(|name| self.carried(change, name)).transpose()?;
            serde_json::to_writer(&mut output, &Row { change, content })?;
        }
        output.write_all(if self.changes.is_empty() { b"]" } else { b"\n]" })?;
        let (output, digest) = output.end();
        let seal = self.seal.as_ref().map_or_else(String::new, |seal| seal.of_text(PURPOSE, &digest));
        writeln!(output, "{SEAL}{seal}{END}")?;
        Ok(())
    }

    fn carried(&self, change: &PlannedChange, name: &OsString) -> Result<Content, FormError> {
        let folder = self.store.scratch().folder();
        let metadata = folder.metadata(name)?;
        if metadata.kind == Kind::Link {
            return Ok(Content::Link(Address(folder.read_link(name)?)));
        }
        if metadata.size > MAX_CONTENT {
            return Err(FormError::TooLarge(change.path.display().into_owned(), metadata.size));
        }
        let mut bytes = Vec::new();
        folder.open_file(name)?.take(MAX_CONTENT).read_to_end(&mut bytes)?;
        Ok(match String::from_utf8(bytes) {
            Ok(text) => Content::Text(text),
            Err(error) => Content::Base64(STANDARD.encode(error.as_bytes())),
        })
    }

    /// Reads a plan from JSON.
    pub fn read(input: impl Read) -> Result<Plan, FormError> {
        let scratch = new_scratch()?;
        let mut input = Watching::new(input);
        let mut reader = serde_json::Deserializer::from_reader(io::BufReader::new(&mut input));
        let (about, changes) = Whole(&scratch).deserialize(&mut reader)?;
        reader.end()?;
        drop(reader);
        let claim = input.claim();
        match about.plan {
            VERSION => Ok(Plan { about, changes, store: Store::Read(scratch), seal: None, claim }),
            other => Err(FormError::Later(other)),
        }
    }
}

/// The text before the seal at the end of a plan.
const SEAL: &str = ",\"seal\":\"";
const END: &str = "\"}";
/// The purpose for which the seal is made.
const PURPOSE: &str = "plan";
/// Number of bytes at the end of a plan that the seal does not cover: the seal itself, the text around it and the
/// line feed.
const TAIL: usize = SEAL.len() + SEAL_DIGITS + END.len() + 1;

/// The seal that a plan claims to have, and the digest of the bytes it should cover.
#[derive(Clone, Debug)]
pub(super) struct SealClaim {
    digest: [u8; 32],
    seal: String,
}

impl SealClaim {
    /// Whether the seal is that of `root` for the bytes read.
    pub fn is_of(&self, root: &RootSeal) -> bool {
        root.has_sealed(PURPOSE, &self.digest, &self.seal)
    }
}

/// A writer that hashes everything written.
struct Hashing<W> {
    inner: W,
    hash: Sha256,
}

impl<W: Write> Hashing<W> {
    fn new(inner: W) -> Hashing<W> {
        Hashing { inner, hash: Sha256::new() }
    }

    fn end(self) -> (W, [u8; 32]) {
        (self.inner, self.hash.finalize().into())
    }
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// A reader that hashes everything read except the last [`TAIL`] bytes.
struct Watching<R> {
    inner: R,
    hash: Sha256,
    tail: Vec<u8>,
}

impl<R: Read> Watching<R> {
    fn new(inner: R) -> Watching<R> {
        Watching { inner, hash: Sha256::new(), tail: Vec::new() }
    }

    /// Returns the seal at the end of the input, once everything was read.
    fn claim(self) -> Option<SealClaim> {
        let tail = std::str::from_utf8(&self.tail).ok()?.strip_suffix('\n')?;
        let seal = tail.strip_prefix(SEAL)?.strip_suffix(END)?.to_owned();
        Some(SealClaim { digest: self.hash.finalize().into(), seal })
    }
}

impl<R: Read> Read for Watching<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.tail.extend_from_slice(&buffer[..read]);
        let over = self.tail.len().saturating_sub(TAIL);
        self.hash.update(&self.tail[..over]);
        self.tail.drain(..over);
        Ok(read)
    }
}

/// Deserializes a plan and stores its contents in the scratch directory as it reads them.
struct Whole<'a>(&'a Scratch);

impl<'de> DeserializeSeed<'de> for Whole<'_> {
    type Value = (PlanAbout, Vec<PlannedChange>);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Whole<'_> {
    type Value = (PlanAbout, Vec<PlannedChange>);

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a plan, as `ns run --plan=json` writes it")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut about = serde_json::Map::new();
        let mut changes = None;
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "changes" => changes = Some(map.next_value_seed(Changes(self.0))?),
                "plan" | "command" | "failed" | "root" | "refused" => drop(about.insert(key, map.next_value()?)),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        let about = serde_json::from_value(about.into()).map_err(serde::de::Error::custom)?;
        changes.map(|changes| (about, changes)).ok_or_else(|| serde::de::Error::missing_field("changes"))
    }
}

struct Changes<'a>(&'a Scratch);

impl<'de> DeserializeSeed<'de> for Changes<'_> {
    type Value = Vec<PlannedChange>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Changes<'_> {
    type Value = Vec<PlannedChange>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of changes")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<Self::Value, A::Error> {
        let mut changes = Vec::new();
        while let Some(Row { change, content }) = rows.next_element::<Row<PlannedChange>>()? {
            let mut change = change;
            if let Some(content) = content {
                change.content = Some(unpack(self.0, &change, content).map_err(serde::de::Error::custom)?);
            }
            changes.push(change);
        }
        Ok(changes)
    }
}

/// Stores a content in the scratch directory and returns its name.
fn unpack(scratch: &Scratch, change: &PlannedChange, content: Content) -> io::Result<OsString> {
    let (folder, name) = (scratch.folder(), scratch.new_name());
    let bytes = match content {
        Content::Link(target) => {
            folder.create_link(&target.0, &name)?;
            return Ok(name);
        }
        Content::Text(text) => text.into_bytes(),
        Content::Base64(text) => STANDARD.decode(text).map_err(io::Error::other)?,
    };
    let mut file = folder.create_file(&name, PRIVATE)?;
    file.write_all(&bytes)?;
    if let Some(now) = &change.now {
        let like = Metadata { mode: now.mode & 0o777, ..file_metadata(&file)? };
        set_access(&file, &like)?;
    }
    Ok(name)
}
