//! The form of the XML declaration and the document type (XML 1.0, 2.8). Nothing that they declare is used.

use super::cursor::{Cursor, Fault};
use super::names::is_name;

/// Checks `<?xml …?>`.
pub fn check_declaration(markup: &str) -> Result<(), Fault> {
    let mut cursor = Cursor { markup: markup.strip_suffix("?>").unwrap_or(markup), at: "<?xml".len() };
    let mut expected = ["version", "encoding", "standalone"].iter();
    while let Some(attribute) = cursor.take_attribute()? {
        let is_first = expected.len() == 3;
        if !expected.any(|name| *name == attribute.name) || is_first && attribute.name != "version" {
            let reason = "the XML declaration has `version`, `encoding` and `standalone`, in this order";
            return Err(Fault::new(attribute.at, reason));
        }
        let is_fine = match attribute.name {
            "version" => attribute.value.strip_prefix("1.").is_some_and(is_number),
            "standalone" => matches!(attribute.value, "yes" | "no"),
            _ => is_encoding(attribute.value),
        };
        if !is_fine {
            let reason = format!("this is no value of `{}`", attribute.name);
            return Err(Fault::new(attribute.value_at, reason));
        }
    }
    if expected.len() == 3 { Err(Fault::new(0, "the XML declaration has no `version`")) } else { Ok(()) }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_encoding(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    text.starts_with(|first: char| first.is_ascii_alphabetic()) && text.bytes().all(is_part)
}

/// Checks `<!DOCTYPE …>`.
pub fn check_document_type(markup: &str) -> Result<(), Fault> {
    let mut cursor = Cursor { markup: markup.strip_suffix('>').unwrap_or(markup), at: 0 };
    if !cursor.takes("<!DOCTYPE") {
        return Err(Fault::new(0, "`DOCTYPE` is written in capitals"));
    }
    cursor.need_blanks()?;
    need_name(&mut cursor, &['['])?;
    if cursor.takes_blanks() {
        check_source(&mut cursor)?;
    }
    cursor.takes_blanks();
    if cursor.takes("[") {
        check_subset(&mut cursor)?;
        if !cursor.takes("]") {
            return Err(Fault::new(cursor.at, "this is no declaration of a document type"));
        }
        cursor.takes_blanks();
    }
    if cursor.is_at_end() { Ok(()) } else { Err(Fault::new(cursor.at, "the document type should end here")) }
}

/// Checks where a document type comes from, if it says that.
fn check_source(cursor: &mut Cursor<'_>) -> Result<(), Fault> {
    let literals = match (cursor.takes("SYSTEM"), cursor.takes("PUBLIC")) {
        (true, _) => 1,
        (_, true) => 2,
        _ => 0,
    };
    for _ in 0..literals {
        cursor.need_blanks()?;
        cursor.take_quoted()?;
    }
    Ok(())
}

/// Checks the declarations in a document type.
fn check_subset(cursor: &mut Cursor<'_>) -> Result<(), Fault> {
    loop {
        cursor.takes_blanks();
        if cursor.takes("<!--") {
            cursor.take_until("-->")?;
        } else if cursor.takes("<?") {
            cursor.take_until("?>")?;
        } else if cursor.takes("%") {
            need_name(cursor, &[';'])?;
            cursor.take_until(";")?;
        } else if ["<!ELEMENT", "<!ATTLIST", "<!ENTITY", "<!NOTATION"].iter().any(|begin| cursor.takes(begin)) {
            cursor.need_blanks()?;
            check_declared(cursor)?;
        } else {
            return Ok(());
        }
    }
}

/// Goes on to the end of a declaration, whose quotes may contain it.
fn check_declared(cursor: &mut Cursor<'_>) -> Result<(), Fault> {
    loop {
        let rest = cursor.rest();
        let Some(len) = rest.find(['>', '"', '\'', '<']) else {
            return Err(Fault::new(cursor.at, "`>` is missing behind this"));
        };
        cursor.at += len;
        match rest.as_bytes()[len] {
            b'>' => {
                cursor.at += 1;
                return Ok(());
            }
            b'<' => return Err(Fault::new(cursor.at, "a declaration begins in another one")),
            _ => _ = cursor.take_quoted()?,
        }
    }
}

fn need_name(cursor: &mut Cursor<'_>, ends: &[char]) -> Result<(), Fault> {
    let at = cursor.at;
    if is_name(cursor.take_word(ends)) { Ok(()) } else { Err(Fault::new(at, "a name is missing here")) }
}
