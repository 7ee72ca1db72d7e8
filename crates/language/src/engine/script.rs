//! A script or document as a front end provides it: a name, and bytes that may or may not be text.

use crate::document;
use crate::text::{Code, Diagnostic, Span};

/// A script or document that has not been decoded yet.
#[derive(Clone, Debug)]
pub struct Script {
    name: String,
    bytes: Vec<u8>,
    form: Form,
}

/// The format of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Script,
    Markdown,
}

impl Script {
    /// Creates a script from its bytes; messages show the name.
    pub fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Script {
        Script { name: name.into(), bytes: bytes.into(), form: Form::Script }
    }

    /// Creates a Markdown text. Its fenced blocks of `neuroscript` or `ns` form one script, or it is rendered.
    pub fn markdown(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Script {
        Script { form: Form::Markdown, ..Script::new(name, bytes) }
    }

    /// Returns the name for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the code of the script, as far as it can be decoded.
    pub fn code(&self) -> String {
        self.decode_script(usize::MAX).0
    }

    /// Returns the whole text; `None` if it is not UTF-8.
    pub fn text(&self) -> Option<&str> {
        str::from_utf8(&self.bytes).ok()
    }

    /// Returns a script with the same name and format, and another text.
    pub fn with_text(&self, text: &str) -> Script {
        Script { bytes: text.as_bytes().to_vec(), ..self.clone() }
    }

    /// Returns the name without its directories.
    pub fn file_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }

    /// Whether this is a Markdown text.
    pub(super) fn is_markdown(&self) -> bool {
        self.form == Form::Markdown
    }

    /// Returns the script in the text, with all positions preserved, or a finding if there is none.
    pub(super) fn decode_script(&self, limit: usize) -> (String, Option<Diagnostic>) {
        let (text, finding) = self.decode(limit);
        if self.form == Form::Script || finding.is_some() {
            return (text, finding);
        }
        match document::script(&text) {
            Ok(Some(script)) => (script, None),
            Err(hit) => {
                let finding =
                    Diagnostic::placeless(hit.limit.code(), format!("reading the document is stopped: {hit}"));
                (text, Some(finding.help("split it, or raise `memory_bytes` in `[limits]`")))
            }
            Ok(None) => {
                let finding = Diagnostic::placeless(Code::NoEntry, format!("`{}` holds no script", self.name));
                let help = "begin one with a line of ```neuroscript; `ns render` runs the `{{invoke_tool: …}}` calls of a document";
                let blank = text.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect();
                (blank, Some(finding.help(help)))
            }
        }
    }

    /// Decodes the text. Returns a finding if it has more than `limit` bytes or is not UTF-8.
    pub(super) fn decode(&self, limit: usize) -> (String, Option<Diagnostic>) {
        let noun = if self.form == Form::Script { "script" } else { "document" };
        if self.bytes.len() > limit {
            let (name, bytes) = (&self.name, self.bytes.len());
            let message = format!("the {noun} `{name}` has {bytes} bytes, more than the {limit} of `script_bytes`");
            let finding = Diagnostic::placeless(Code::TextTooLong, message);
            return (
                String::new(),
                Some(
                    finding
                        .help("split it, or raise `script_bytes` in `[limits]` of your own policy file or `--policy`"),
                ),
            );
        }
        match str::from_utf8(&self.bytes) {
            Ok(text) => (text.to_owned(), None),
            Err(error) => {
                let at = error.valid_up_to();
                let is_utf16 = self.bytes.starts_with(&[0xFF, 0xFE]) || self.bytes.starts_with(&[0xFE, 0xFF]);
                let message = if is_utf16 {
                    format!("the {noun} is UTF-16, as its byte order mark says, and not UTF-8")
                } else {
                    format!("the byte 0x{:02X} is not UTF-8", self.bytes[at])
                };
                let finding = Diagnostic::error(Code::NotUtf8, Span::new(at, at + '\u{fffd}'.len_utf8()), message);
                let finding = finding.help(format!("save the {noun} as UTF-8, or write the character as an escape"));
                (String::from_utf8_lossy(&self.bytes).into_owned(), Some(finding))
            }
        }
    }
}
