//! Bearer tokens and the file that lists them.
//!
//! The server keeps only the SHA-256 hash of a token. A token is 256 random bits, so nobody can search for one that fits
//! a hash, and a slow password hash would protect nothing more.

use std::fmt::{self, Display, Formatter};
use std::num::NonZeroU32;
use std::path::PathBuf;

use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::text::hex;

/// The form of a hash in a tokens file, before its 64 hexadecimal digits.
const SHA256: &str = "sha256:";
/// Maximum number of tokens: each has an engine with a thread of its own.
pub const MAX_TOKENS: usize = 64;
/// Maximum length of the name of a token, in characters.
const MAX_NAME: usize = 64;

/// The hash of a token.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TokenHash([u8; 32]);

impl TokenHash {
    /// Hashes a token.
    pub fn of(token: &str) -> TokenHash {
        TokenHash(Sha256::digest(token.as_bytes()).into())
    }

    /// Compares two hashes without revealing through timing where they differ.
    pub fn is(&self, other: &TokenHash) -> bool {
        self.0.iter().zip(other.0).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
    }

    fn parse(text: &str) -> Option<TokenHash> {
        let digits = text.strip_prefix(SHA256).filter(|digits| digits.len() == 64 && digits.is_ascii())?;
        let mut hash = [0; 32];
        for (place, byte) in hash.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&digits[2 * place..2 * place + 2], 16).ok()?;
        }
        Some(TokenHash(hash))
    }
}

impl Display for TokenHash {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{SHA256}{}", hex(&self.0))
    }
}

impl fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

/// A new token.
///
/// # Errors
/// Returns an error if the system has no random numbers.
pub fn new_token() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(hex(&bytes))
}

/// An entry of a tokens file.
#[derive(Clone, Debug)]
pub struct TokenEntry {
    /// The name, under which the runs of the client are recorded.
    pub name: String,
    /// The hash of the token.
    pub hash: TokenHash,
    /// A policy file in place of that of `--policy`, as it is written.
    pub policy: Option<PathBuf>,
    /// Whether the client may change files; as the server by default.
    pub write: Option<bool>,
    /// Maximum number of requests per minute; that of the server by default.
    pub rate: Option<NonZeroU32>,
    /// The part of the server that the token gives access to.
    pub access: Access,
}

/// The part of the server that a token gives access to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// The tools, and nothing else.
    #[default]
    Tools,
    /// The metrics, and nothing else.
    Metrics,
}

/// The reason why a tokens file cannot be used.
#[derive(Debug, PartialEq, Eq)]
pub struct TokensFault {
    /// The line, counted from 1, if the fault has one.
    pub line: Option<usize>,
    /// A clause that says what is wrong and what was expected.
    pub message: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    token: Vec<toml::Spanned<Entry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    hash: String,
    policy: Option<PathBuf>,
    write: Option<bool>,
    rate: Option<NonZeroU32>,
    #[serde(default)]
    access: Access,
}

/// Reads the text of a tokens file.
///
/// # Errors
/// Returns the first fault: bad TOML, an unknown key, a bad or repeated name or hash, no token or too many.
pub fn parse_tokens(text: &str) -> Result<Vec<TokenEntry>, TokensFault> {
    let line_of = |offset: usize| 1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count();
    let file: File = toml::from_str(text).map_err(|error| TokensFault {
        line: error.span().map(|span| line_of(span.start)),
        message: error.message().to_owned(),
    })?;
    if file.token.is_empty() || file.token.len() > MAX_TOKENS {
        let message = format!("there are {} entries `[[token]]`; expected 1 to {MAX_TOKENS}", file.token.len());
        return Err(TokensFault { line: None, message });
    }
    let mut entries: Vec<TokenEntry> = Vec::new();
    for spanned in file.token {
        let line = line_of(spanned.span().start);
        entries.push(
            checked(spanned.into_inner(), &entries).map_err(|message| TokensFault { line: Some(line), message })?,
        );
    }
    Ok(entries)
}

/// Whether a name can be that of a token: it stands in lists of runs, so it has no blanks.
pub fn is_token_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(is_plain)
}

fn checked(entry: Entry, earlier: &[TokenEntry]) -> Result<TokenEntry, String> {
    let Entry { name, hash, policy, write, rate, access } = entry;
    if !is_token_name(&name) {
        return Err(format!("`{name}` is no name; expected 1 to {MAX_NAME} of the characters A-Z a-z 0-9 . _ -"));
    }
    let Some(hash) = TokenHash::parse(&hash) else {
        return Err(format!("the `hash` of `{name}` is not `sha256:` and 64 hexadecimal digits"));
    };
    if earlier.iter().any(|other| other.name == name) {
        return Err(format!("there are two tokens `{name}`; give each its own name"));
    }
    if let Some(other) = earlier.iter().find(|other| other.hash.is(&hash)) {
        return Err(format!("`{name}` has the token of `{}`; give each its own token", other.name));
    }
    if access == Access::Metrics && (policy.is_some() || write.is_some()) {
        return Err(format!("`{name}` reads metrics only; leave out `policy` and `write`"));
    }
    Ok(TokenEntry { name, hash, policy, write, rate, access })
}

#[cfg(test)]
mod tests {
    use super::{Access, TokenHash, parse_tokens};

    fn fault(text: &str) -> (Option<usize>, String) {
        let fault = parse_tokens(text).expect_err("the file has a fault");
        (fault.line, fault.message)
    }

    #[test]
    fn a_hash_is_that_of_sha256sum() {
        let known = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(TokenHash::of("abc").to_string(), known);
        assert!(TokenHash::parse(known).is_some_and(|hash| hash.is(&TokenHash::of("abc"))));
        assert!(!TokenHash::of("abc").is(&TokenHash::of("abd")));
    }

    #[test]
    fn an_entry_has_defaults() {
        let hash = TokenHash::of("x");
        let entries = parse_tokens(&format!("[[token]]\nname = \"ci\"\nhash = \"{hash}\"\n")).expect("it is right");
        assert_eq!(entries.len(), 1);
        let entry = &entries[0];
        assert_eq!((entry.name.as_str(), entry.write, entry.rate, entry.access), ("ci", None, None, Access::Tools));
    }

    #[test]
    fn faults_have_their_line() {
        let (one, other) = (TokenHash::of("1"), TokenHash::of("2"));
        let entry = |name: &str, hash: &TokenHash| format!("[[token]]\nname = \"{name}\"\nhash = \"{hash}\"\n");
        assert_eq!(fault("").0, None);
        assert_eq!(fault("[[token]\n").0, Some(1));
        assert_eq!(
            fault("\n[[token]]\nname = \"a\"\nhash = \"x\"\n"),
            (Some(2), "the `hash` of `a` is not `sha256:` and 64 hexadecimal digits".to_owned())
        );
        assert_eq!(fault(&format!("{}{}", entry("a", &one), entry("a", &other))).0, Some(4));
        assert!(fault(&format!("{}{}", entry("a", &one), entry("b", &one))).1.contains("the token of `a`"));
        assert_eq!(fault(&format!("{}speed = 3\n", entry("a", &one))).0, Some(4));
        assert!(fault(&entry("a b", &one)).1.contains("is no name"));
        assert!(fault(&format!("{}rate = 0\n", entry("a", &one))).0.is_some());
    }
}
