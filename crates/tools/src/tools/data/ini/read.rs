//! `INI.Parse`: one pass over the lines.

use std::ops::Range;
use std::rc::Rc;

use memchr::memchr2;

use crate::gate::{Context, Tool};
use crate::limits::work;
use crate::toolkit::{AnyValue, Example, Spec, ToolError, arguments};
use crate::value::{Elements, List, Map, Str, Value, print};

use super::super::super::build::TextBuilder;
use super::super::super::edit::lines::text_start;
use super::super::super::fallback::parsed_or;
use super::super::super::place::at;
use super::layout::{Layout, Placed};

const SPEC: Spec = Spec::pure(
    "INI.Parse",
    "ini_parse",
    "Returns the sections of an INI text as maps",
    "A map of sections, each a map of keys; keys before the first section stand beside the sections. Values are texts as \
        written, without the blanks around them: `INT`, `FLOAT` and `== \"true\"` make more of them, and quotes stay. `=` or `:` \
        stands between key and value; a key alone has the value nil. Lines that begin with `#` or `;` are comments; \
        after a value these characters belong to it. A line that is indented more than the line of its key continues the value, on a \
        line of its own; blank lines between are left out. Nothing may follow the `]` of a section. A line that ends in `\\` goes on in the \
        next one in units of systemd and in git's files, and may also be a path of Windows. A path (`C:\\dir\\`: another `\\` \
        or a `:` before the last one, and no blank) keeps its `\\`; any other such line that is followed by a key is an error, \
        unless `continuation` says what to do: with `\"join\"` the next line that is no comment follows after a blank, as \
        for systemd, with `\"keep\"` the `\\` belongs to the value. A section that comes again goes on, so two `[Peer]` \
        of WireGuard become one; `STR.Split` at `[Peer]` and a call for each part keeps them apart. A key that comes again in its \
        section is an error that names the line; with `repeated: \"list\"` its values are a list, as units of systemd need it, with \
        `repeated: \"last\"` the last one counts. With `default`, a text that is no INI gives that value; but almost \
        every text is INI, JSON and HTML too, as a line of any words is a key.",
    Example {
        script: "SET config = INI.Parse(\"; editor\\nroot = true\\n\\n[*.md]\\nindent_size: 2\\n\")\nEMIT config.root, \" \", config[\"*.md\"].indent_size",
        output: "true 2\n",
    },
)
.keywords(&["configparser", "ini file", "read ini", "ConfigParser.read", "parse_ini_file", "cfg", "conf file", "editorconfig", "gitconfig", "systemd unit", "systemd", "properties file", "wireguard"]);

arguments! {
    struct Args {
        text: Str = Required, Kind::Text, "INI text";
        repeated: Str = Is(Literal::Text("error")), Kind::Word(&["error", "last", "list"]), "what becomes of a key that comes again in its section";
        default: Option<Value> = Absent, Kind::Any, "result where the text cannot be parsed; an error when left out";
        continuation: Str = Is(Literal::Text("error")), Kind::Word(&["error", "join", "keep"]), "what becomes of a `\\` at the end of a line";
    }
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<AnyValue, ToolError> {
    let text = args.text.as_text();
    context.spend_text(text.len())?;
    let (repeated, continuation) =
        (Repeated::named(&args.repeated.as_text()), Continuation::named(&args.continuation.as_text()));
    let mut reader = Reader::new(repeated, continuation);
    let parsed = reader.read(context, &text).map(|()| reader.whole.into());
    parsed_or(parsed, args.default)
}

/// Returns the value of a text, in which the values of a key that comes again are a list.
pub fn value_of(context: &mut Context<'_>, text: &str, continuation: Continuation) -> Result<Value, ToolError> {
    let mut reader = Reader::new(Repeated::List, continuation);
    reader.read(context, text)?;
    Ok(reader.whole.into())
}

/// Returns where the sections and keys of such a text are.
pub fn layout_of(context: &mut Context<'_>, text: &str, continuation: Continuation) -> Result<Layout, ToolError> {
    let mut reader = Reader { layout: Some(Layout::default()), ..Reader::new(Repeated::List, continuation) };
    reader.read(context, text)?;
    Ok(reader.layout.unwrap_or_default())
}

/// The treatment of a key that comes again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Repeated {
    Refuse,
    Last,
    List,
}

impl Repeated {
    fn named(word: &str) -> Repeated {
        match word {
            "last" => Repeated::Last,
            "list" => Repeated::List,
            _ => Repeated::Refuse,
        }
    }
}

/// The treatment of a line that ends in `\`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Continuation {
    /// It is an error where another key follows.
    Refuse,
    /// The next line goes on with it.
    Join,
    /// The `\` belongs to the value.
    Keep,
}

impl Continuation {
    /// Returns the treatment that an argument names.
    pub fn named(word: &str) -> Continuation {
        match word {
            "join" => Continuation::Join,
            "keep" => Continuation::Keep,
            _ => Continuation::Refuse,
        }
    }
}

/// The advice for a line that may go on in the next one.
pub const GOES_ON: &str =
    "`continuation: \"join\"` joins them, as systemd and git do, `\"keep\"` takes the `\\` as text";

/// Whether a line ends in a `\` that continues it for other programs. At the end of a path of Windows it does not.
pub fn is_open(line: &str) -> bool {
    let Some(before) = line.strip_suffix('\\') else { return false };
    before.ends_with([' ', '\t']) || !before.contains('\\') && !before.ends_with(':')
}

/// Builds the sections of a text.
struct Reader {
    repeated: Repeated,
    continuation: Continuation,
    /// A line that goes on, without its `\`.
    begun: Option<TextBuilder>,
    /// Keys before the first section, and then the sections that are complete.
    whole: Map,
    /// The section that is open, with its name; `None` before the first.
    section: Option<(Str, Map)>,
    /// The key whose value may go on.
    entry: Option<Entry>,
    line: usize,
    /// The bytes of the line, and of those that it goes on in.
    bytes: Range<usize>,
    /// Where everything is, for those who change the text.
    layout: Option<Layout>,
}

/// A key and its value so far.
struct Entry {
    key: Str,
    value: Option<TextBuilder>,
    /// Number of blanks before the key.
    indent: usize,
    line: usize,
    /// The bytes of its lines.
    bytes: Range<usize>,
    /// Whether its last line may go on in the next one.
    is_open: bool,
}

impl Reader {
    fn new(repeated: Repeated, continuation: Continuation) -> Reader {
        Reader {
            repeated,
            continuation,
            begun: None,
            whole: Map::with_capacity(4),
            section: None,
            entry: None,
            line: 0,
            bytes: 0..0,
            layout: None,
        }
    }

    fn read(&mut self, context: &mut Context<'_>, text: &str) -> Result<(), ToolError> {
        let mut next = text_start(text);
        for (index, line) in text[next..].split_inclusive('\n').enumerate() {
            work::charge_bytes(line.len())?;
            let start = next;
            next += line.len();
            let line = line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line));
            self.bytes.end = start + line.len();
            if self.begun.is_none() {
                self.line = index + 1;
                self.bytes.start = start;
            }
            let content = line.trim();
            if let Some(b'#' | b';') = content.as_bytes().first() {
                continue;
            }
            if content.is_empty() {
                self.take_begun()?;
                continue;
            }
            context.spend(1)?;
            self.join(line.trim_end(), content)?;
        }
        self.take_begun()?;
        self.close_entry()?;
        self.close_section()
    }

    /// Takes a line, or joins it to the one that goes on.
    fn join(&mut self, line: &str, content: &str) -> Result<(), ToolError> {
        let goes_on = self.continuation == Continuation::Join && content.ends_with('\\');
        let without_end = |text: &str| text[..text.len() - usize::from(goes_on)].trim_end().to_owned();
        match &mut self.begun {
            None if !goes_on => return self.take(line, content),
            None => {
                let mut begun = TextBuilder::default();
                begun.push(&without_end(line))?;
                self.begun = Some(begun);
            }
            Some(begun) => {
                begun.push(" ")?;
                begun.push(&without_end(content))?;
            }
        }
        if goes_on { Ok(()) } else { self.take_begun() }
    }

    /// Takes the line that went on.
    fn take_begun(&mut self) -> Result<(), ToolError> {
        let Some(begun) = self.begun.take() else { return Ok(()) };
        let (line, _held) = begun.into_held();
        let content = line.trim();
        if content.is_empty() { Ok(()) } else { self.take(&line, content) }
    }

    /// Takes a line with its content.
    fn take(&mut self, line: &str, content: &str) -> Result<(), ToolError> {
        let indent = line.len() - line.trim_start().len();
        let is_open = self.continuation == Continuation::Refuse && is_open(content);
        if let Some(Entry { value: Some(value), indent: of_key, is_open: was_open, bytes, .. }) = &mut self.entry
            && indent > *of_key
        {
            *was_open = is_open;
            bytes.end = self.bytes.end;
            if !value.is_empty() {
                value.push("\n")?;
            }
            return Ok(value.push(content)?);
        }
        if self.entry.as_ref().is_some_and(|entry| entry.is_open) && !content.starts_with('[') {
            let error = self.fault(indent, "the line before ends in `\\`, so this one may continue it");
            return Err(error.hint(GOES_ON));
        }
        self.close_entry()?;
        if let Some(rest) = content.strip_prefix('[') {
            let Some(name) = rest.strip_suffix(']') else {
                let reason =
                    "the section is not closed by `]` at the end of the line; a comment stands on a line of its own";
                return Err(self.fault(indent, reason));
            };
            return self.open_section(name);
        }
        let (key, value) = match memchr2(b'=', b':', content.as_bytes()) {
            Some(at) => (content[..at].trim_end(), Some(content[at + 1..].trim_start())),
            None => (content, None),
        };
        if key.is_empty() {
            return Err(self.fault(indent, "a value without a key"));
        }
        let bytes = self.bytes.clone();
        let mut entry = Entry { key: Str::checked(key)?, value: None, indent, line: self.line, bytes, is_open };
        if let Some(value) = value {
            let mut builder = TextBuilder::default();
            builder.push(value)?;
            entry.value = Some(builder);
        }
        self.entry = Some(entry);
        Ok(())
    }

    /// Puts the key whose value is complete into its section.
    fn close_entry(&mut self) -> Result<(), ToolError> {
        let Some(Entry { key, value, line, bytes, .. }) = self.entry.take() else { return Ok(()) };
        let value = value.map_or(Value::Nil, |value| value.into_str().into());
        if let Some(layout) = &mut self.layout {
            layout.add_key(Placed { name: key.clone(), value: value.clone(), bytes })?;
        }
        let target = self.section.as_mut().map_or(&mut self.whole, |(_, section)| section);
        let Some(before) = target.get(&key) else { return Ok(target.put(key, value)?) };
        let value = match self.repeated {
            Repeated::Refuse => {
                let reason = format!("the key `{}` comes twice in its section", print::shortened(&key.as_text(), 40));
                let error = ToolError::bad_argument("text", at(line, 1, &refusal(&reason)));
                return Err(error.hint("`repeated: \"list\"` gives a list of its values"));
            }
            Repeated::Last => value,
            Repeated::List => joined(target, &key, before, value)?,
        };
        Ok(target.put(key, value)?)
    }

    fn open_section(&mut self, name: &str) -> Result<(), ToolError> {
        self.close_section()?;
        let name = Str::checked(name)?;
        if let Some(layout) = &mut self.layout {
            layout.add_section(name.clone(), self.bytes.clone())?;
        }
        let known = self.whole.get(&name);
        // The map of a section that goes on has one holder then, so it grows in place.
        self.whole.put(name.clone(), Value::Nil)?;
        let section = match known {
            Some(Value::Map(section)) => Rc::try_unwrap(section).expect("nothing else holds a section"),
            Some(_) => {
                let reason = format!("the section `{}` is a key too", print::shortened(&name.as_text(), 40));
                return Err(self.fault(0, &reason));
            }
            None => Map::with_capacity(4),
        };
        self.section = Some((name, section));
        Ok(())
    }

    fn close_section(&mut self) -> Result<(), ToolError> {
        if let Some((name, section)) = self.section.take() {
            self.whole.put(name, section.into())?;
        }
        Ok(())
    }

    fn fault(&self, indent: usize, reason: &str) -> ToolError {
        ToolError::bad_argument("text", at(self.line, indent + 1, &refusal(reason)))
    }
}

/// Adds a value to the list of a key, which becomes one with its second value.
fn joined(target: &mut Map, key: &Str, before: Value, value: Value) -> Result<Value, ToolError> {
    // A value is a text, so a list here is one of this function. Taken out, it has one holder and grows in place.
    target.put(key.clone(), Value::Nil)?;
    let mut values = Elements::default();
    match before {
        Value::List(mut list) => {
            List::push(&mut list, value)?;
            return Ok(Value::List(list));
        }
        first => values.push(first)?,
    }
    values.push(value)?;
    Ok(values.finish()?)
}

fn refusal(reason: &str) -> String {
    format!("the text is no INI: {reason}")
}
