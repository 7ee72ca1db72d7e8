//! The records of a pax header: `LENGTH KEY=VALUE` and a line feed each.

use crate::toolkit::ToolError;

use super::super::fault::invalid;

/// The fields of a pax header that are used.
#[derive(Default)]
pub struct Pax {
    pub path: Option<Vec<u8>>,
    pub link: Option<Vec<u8>>,
    pub size: Option<u64>,
    /// Whole seconds since 1970.
    pub modified: Option<i64>,
    pub sparse: Option<Sparse>,
}

/// The fields for a sparse file, version 1.0.
#[derive(Default)]
pub struct Sparse {
    pub name: Option<Vec<u8>>,
    pub real_size: u64,
    is_known: bool,
}

impl Pax {
    /// Parses the records.
    pub fn parse(mut content: &[u8]) -> Result<Pax, ToolError> {
        let mut pax = Pax::default();
        while !content.is_empty() {
            let (key, value, rest) = record(content).ok_or_else(|| invalid("a pax header is damaged"))?;
            pax.take(key, value)?;
            content = rest;
        }
        match &pax.sparse {
            Some(sparse) if !sparse.is_known => Err(invalid("a file with holes in an old format")),
            _ => Ok(pax),
        }
    }

    /// Refuses a global header that would change the name, link, size or map of all entries.
    pub fn check_global(&self) -> Result<(), ToolError> {
        if self.path.is_some() || self.link.is_some() || self.size.is_some() || self.sparse.is_some() {
            Err(invalid("a header gives all entries one name or size"))
        } else {
            Ok(())
        }
    }

    fn take(&mut self, key: &[u8], value: &[u8]) -> Result<(), ToolError> {
        match key {
            b"path" => self.path = Some(name(value)?),
            b"linkpath" => self.link = Some(name(value)?),
            b"size" => self.size = Some(decimal(value)?),
            b"mtime" => self.modified = seconds(value),
            b"GNU.sparse.name" => self.sparse().name = Some(name(value)?),
            b"GNU.sparse.realsize" => self.sparse().real_size = decimal(value)?,
            b"GNU.sparse.major" => self.sparse().is_known = value == b"1",
            b"GNU.sparse.minor" if value == b"0" => {}
            _ if key.starts_with(b"GNU.sparse.") => return Err(invalid("a file with holes in an old format")),
            _ => {}
        }
        Ok(())
    }

    fn sparse(&mut self) -> &mut Sparse {
        self.sparse.get_or_insert_default()
    }
}

/// Returns the key and value of the first record, and the rest.
fn record(content: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let blank = content.iter().take(8).position(|byte| *byte == b' ')?;
    let length: usize = std::str::from_utf8(&content[..blank]).ok()?.parse().ok()?;
    let (record, rest) = content.split_at_checked(length)?;
    let record = record.get(blank + 1..)?.strip_suffix(b"\n")?;
    let equals = record.iter().position(|byte| *byte == b'=')?;
    Some((&record[..equals], &record[equals + 1..], rest))
}

/// Returns a name. Errors: it contains a zero byte, which ends the name for some readers but not for others.
fn name(value: &[u8]) -> Result<Vec<u8>, ToolError> {
    if value.contains(&0) { Err(invalid("a name holds a zero byte")) } else { Ok(value.to_vec()) }
}

/// Parses a decimal integer.
pub fn decimal(value: &[u8]) -> Result<u64, ToolError> {
    let digits = std::str::from_utf8(value).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    digits.and_then(|text| text.parse().ok()).ok_or_else(|| invalid("a number that is none"))
}

/// Parses seconds since 1970, rounded down.
fn seconds(value: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(value).ok()?;
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let seconds: i64 = whole.parse().ok()?;
    let is_between = part.bytes().any(|digit| digit != b'0');
    Some(if whole.starts_with('-') && is_between { seconds.saturating_sub(1) } else { seconds })
}
