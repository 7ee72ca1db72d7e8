//! A script or a document as a front end hands it over: a name and bytes that are perhaps text.

use crate::document;
use crate::text::{Code, Diagnostic, Span};

/// A text that was not looked at yet.
#[derive(Clone, Debug)]
pub struct Script {
    name: String,
    bytes: Vec<u8>,
    form: Form,
}

/// What a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Script,
    Markdown,
}

impl Script {
    /// A script from its bytes; the name is shown in messages.
    pub fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Script {
        Script { name: name.into(), bytes: bytes.into(), form: Form::Script }
    }

    /// A Markdown text, whose fenced blocks of `neuroscript` or `ns` are one script, or which is rendered.
    pub fn markdown(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Script {
        Script { form: Form::Markdown, ..Script::new(name, bytes) }
    }

    /// The name shown in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The script in the text, as far as it is one.
    pub fn code(&self) -> String {
        self.decode_script(usize::MAX).0
    }

    /// The whole text, where it is one.
    pub fn text(&self) -> Option<&str> {
        str::from_utf8(&self.bytes).ok()
    }

    /// The same with another text.
    pub(super) fn with_text(&self, text: &str) -> Script {
        Script { bytes: text.as_bytes().to_vec(), ..self.clone() }
    }

    /// The name without the folders before it.
    pub fn file_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }

    /// The first line that is not blank, if the text is UTF-8.
    pub(super) fn first_line(&self) -> Option<&str> {
        self.text()?.lines().map(str::trim).find(|line| !line.is_empty())
    }

    /// Whether it is a Markdown text.
    pub(super) fn is_markdown(&self) -> bool {
        self.form == Form::Markdown
    }

    /// The script in the text, every place in it that of the text; or why there is none.
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
                (text, Some(finding.help(help)))
            }
        }
    }

    /// The text; or why it is none: it is over `limit` bytes, or not UTF-8.
    pub(super) fn decode(&self, limit: usize) -> (String, Option<Diagnostic>) {
        let noun = if self.form == Form::Script { "script" } else { "document" };
        if self.bytes.len() > limit {
            let message = format!("the {noun} has {} bytes, more than the {limit} of `script_bytes`", self.bytes.len());
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
                let message = format!("the byte 0x{:02X} is not UTF-8", self.bytes[at]);
                let finding = Diagnostic::error(Code::NotUtf8, Span::new(at, at + '\u{fffd}'.len_utf8()), message);
                let finding = finding.help(format!("save the {noun} as UTF-8, or write the character as an escape"));
                (String::from_utf8_lossy(&self.bytes).into_owned(), Some(finding))
            }
        }
    }
}
