//! `XML.Parse`: elements as maps, from the events of quick-xml, with a stack of its own.
//!
//! Nothing of a document type is read: no entity of it is expanded and no other file is opened, so no text can grow
//! (XML 1.0, 4.4; "billion laughs", "external entity"). quick-xml borrows from the text; what it keeps for itself are the names
//! of open elements. It checks that elements and comments end; the rest of what makes a text XML is checked here.

mod cursor;
mod names;
mod prolog;

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use quick_xml::Reader as Events;
use quick_xml::events::{BytesStart, Event};

use crate::gate::{Context, Tool};
use crate::limits::{MemoryCharge, MeteredVec, space, work};
use crate::toolkit::{AnyValue, Example, Spec, ToolError, arguments};
use crate::value::{Elements, Map, Str, Value, print};

use super::super::build::TextBuilder;
use super::super::fallback::parsed_or;
use super::super::place::at_byte;
use cursor::{Attribute, Cursor, Fault, meaning};
use names::{is_blank, is_char, is_name, is_qualified, prefix_of};

const SPEC: Spec = Spec::pure(
    "XML.Parse",
    "xml_parse",
    "Returns the root element of an XML text as a map",
    "Returns the root element. Every element is a map with the same four fields, so a script can loop \
        over `children` without asking what they are:\n\n\
        - `name`: with its prefix (`dc:title`).\n\
        - `attributes`: map of texts; `xmlns` is an attribute like others.\n\
        - `children`: list of the elements in it.\n\
        - `text`: text directly in it, without the blanks (space, tab, line ends) around it; CDATA is text. With \
        `xml:space=\"preserve\"` on the element or around it the blanks stay.\n\n\
        Order: where a text stands between children is lost, unless `mixed` is true. Then `children` also has the \
        texts, each as written, in their places; `TYPE_OF` tells them from elements. So the text of a page is that of \
        its parts, in order.\n\n\
        Left out: comments, processing instructions and the document type.\n\n\
        Entities: the five of XML and character numbers. Any other entity (`&nbsp;`) is an error: nothing is expanded \
        and no other file is read; `STR.Replace` writes them as numbers before (`&#160;`). The declared encoding does \
        not count, since a text is decoded already.\n\n\
        Checked: that the text is well-formed XML 1.0 with namespaces, so every prefix is declared, unless there is a \
        document type, which may do so. Whether it is valid by that type is not checked.\n\n\
        Limits: an element in another one is two levels of `value_depth`.\n\n\
        Failures: an error names line and column. With `default`, a text that is not XML returns that value.",
    Example {
        script: "SET feed = XML.Parse(\"<feed lang='en'><item id='1'>Tom &amp; Ann</item><item id='2'/></feed>\")\nFOR EACH item IN feed.children DO\n  EMIT item.name, \" \", item.attributes.id, \" \", item.text\nEND",
        output: "item 1 Tom & Ann\nitem 2 \n",
    },
)
.keywords(&["xml", "ElementTree", "xml.etree", "minidom", "parse xml", "DOMParser", "xml2js", "simplexml", "rss", "atom", "svg", "pom.xml", "pom", "cdata", "docx", "xhtml", "plist"]);

arguments! {
    struct Args {
        text: Str = Required, Kind::Text, "XML text";
        default: Option<Value> = Absent, Kind::Any, "result where the text cannot be parsed; an error when left out";
        mixed: bool = Is(Literal::Bool(false)), Kind::Bool, "whether `children` also has the texts between the elements";
    }
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<AnyValue, ToolError> {
    let text = args.text.as_text();
    context.spend_text(text.len())?;
    parsed_or(root(context, &text, args.mixed), args.default)
}

/// An element that is still open.
struct Open {
    name: Str,
    attributes: Map,
    children: Elements,
    text: TextBuilder,
    /// The text since the last child, if `children` has texts too.
    piece: TextBuilder,
    /// Whether the blanks around the text stay.
    preserves: bool,
    /// The prefixes that it declares.
    prefixes: Vec<String>,
}

/// Builds elements from events.
struct Builder<'t> {
    text: &'t str,
    mixed: bool,
    open: MeteredVec<Open>,
    root: Option<Value>,
    has_document_type: bool,
    prefixes: Prefixes,
}

/// How many open elements declare each prefix.
#[derive(Default)]
struct Prefixes {
    counts: HashMap<String, usize>,
    held: MemoryCharge,
}

/// Bytes that a declared prefix takes, besides its text.
const PREFIX_BYTES: usize = 160;

fn root(context: &mut Context<'_>, text: &str, mixed: bool) -> Result<Value, ToolError> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let skipped = text.len() - body.len();
    let (open, prefixes) = (MeteredVec::default(), Prefixes::default());
    let mut builder = Builder { text, mixed, open, root: None, has_document_type: false, prefixes };
    if let Some((at, character)) = body.char_indices().find(|(_, character)| !is_char(*character)) {
        let reason = format!("the character U+{:04X} stands in no XML", u32::from(character));
        return Err(builder.fault(skipped + at, &reason));
    }
    let mut events = Events::from_str(body);
    events.config_mut().check_comments = true;
    loop {
        let start = skipped + events.buffer_position() as usize;
        let event = events.read_event().map_err(|error| {
            let place = skipped + events.error_position() as usize;
            builder.fault(place, &error.to_string())
        })?;
        context.spend(1)?;
        if matches!(event, Event::Eof) {
            return builder.finish();
        }
        let markup = start..skipped + events.buffer_position() as usize;
        builder.take(event, markup)?;
    }
}

impl Builder<'_> {
    /// Takes an event, with the place of its markup in the text.
    fn take(&mut self, event: Event<'_>, place: Range<usize>) -> Result<(), ToolError> {
        let (start, markup) = (place.start, &self.text[place]);
        match event {
            Event::Start(element) => self.begin(&element, start),
            Event::Empty(element) => {
                self.begin(&element, start)?;
                self.end()
            }
            Event::End(_) => self.end(),
            Event::Text(text) => {
                if let Some(at) = markup.find("]]>") {
                    return Err(self.fault(start + at, "`]]>` ends CDATA, and in a text its `>` is written `&gt;`"));
                }
                self.put(&text.xml10_content(), start)
            }
            Event::CData(_) | Event::GeneralRef(_) if self.open.is_empty() => Err(self.fault(start, OUTSIDE)),
            Event::CData(text) => self.put(&text.xml10_content(), start),
            Event::GeneralRef(entity) => {
                let mut buffer = [0; 4];
                let text = meaning(&entity, &mut buffer).ok_or_else(|| self.fault(start, &unknown_entity(&entity)))?;
                self.put(text, start)
            }
            Event::PI(instruction) => self.check_instruction(instruction.target(), start),
            Event::Decl(_) => self.check_declaration(markup, start),
            Event::DocType(_) => self.check_document_type(markup, start),
            Event::Comment(_) | Event::Eof => Ok(()),
        }
    }

    fn check_instruction(&self, target: &str, start: usize) -> Result<(), ToolError> {
        if is_name(target) && !target.eq_ignore_ascii_case("xml") {
            return Ok(());
        }
        let target = print::shortened(target, 40);
        Err(self.fault(start, &format!("`{target}` is no name of a processing instruction")))
    }

    fn check_declaration(&self, markup: &str, start: usize) -> Result<(), ToolError> {
        if !self.text[..start].trim_start_matches('\u{feff}').is_empty() {
            return Err(self.fault(start, "the XML declaration stands only at the beginning, without blanks before it"));
        }
        prolog::check_declaration(markup).map_err(|fault| self.fault_in(start, &fault))
    }

    fn check_document_type(&mut self, markup: &str, start: usize) -> Result<(), ToolError> {
        if self.has_document_type || self.root.is_some() || !self.open.is_empty() {
            return Err(self.fault(start, "the document type stands once, before the root element"));
        }
        self.has_document_type = true;
        prolog::check_document_type(markup).map_err(|fault| self.fault_in(start, &fault))
    }

    /// Begins an element, whose tag begins at `start`.
    fn begin(&mut self, element: &BytesStart<'_>, start: usize) -> Result<(), ToolError> {
        if self.open.is_empty() && self.root.is_some() {
            return Err(self.fault(start, "a second root element"));
        }
        // An element is a map, and its children a list in it.
        space::check_depth(2 * self.open.len() + 2)?;
        let written = element.name();
        self.check_name(written.as_ref(), start + 1)?;
        let name = Str::checked(written.as_ref())?;
        let mut attributes = Map::with_capacity(2);
        let mut preserves = self.open.as_slice().last().is_some_and(|open| open.preserves);
        let mut prefixes = Vec::new();
        let mut cursor = Cursor { markup: element, at: written.as_ref().len() };
        let mut later = cursor;
        while let Some(attribute) = cursor.take_attribute().map_err(|fault| self.fault_in(start + 1, &fault))? {
            work::charge(1)?;
            let value = self.attribute(&attribute, start + 1, &mut attributes)?;
            match attribute.name.strip_prefix("xmlns:") {
                Some(prefix) => prefixes.push(self.prefixes.declare(prefix)?),
                None if attribute.name == "xml:space" => preserves = value == "preserve",
                None => {}
            }
        }
        // An element may use the prefixes that its later attributes declare.
        let own = prefix_of(written.as_ref()).map(|prefix| (prefix, 0));
        for (prefix, at) in own.into_iter().chain(std::iter::from_fn(|| next_prefix(&mut later))) {
            if !self.has_document_type && !self.prefixes.counts.contains_key(prefix) {
                let reason = format!("no `xmlns:{0}` declares the prefix `{0}`", print::shortened(prefix, 40));
                return Err(self.fault(start + 1 + at, &reason));
            }
        }
        if self.mixed {
            self.end_piece()?;
        }
        let (text, piece) = (TextBuilder::default(), TextBuilder::default());
        let children = Elements::default();
        Ok(self.open.push(Open { name, attributes, children, text, piece, preserves, prefixes })?)
    }

    fn check_name(&self, name: &str, at: usize) -> Result<(), ToolError> {
        if is_qualified(name) {
            return Ok(());
        }
        Err(self.fault(at, &format!("`{}` is no name of XML", print::shortened(name, 40))))
    }

    /// Adds an attribute, and returns its value. Its places count from `start`.
    fn attribute<'a>(
        &self,
        attribute: &Attribute<'a>,
        start: usize,
        attributes: &mut Map,
    ) -> Result<Cow<'a, str>, ToolError> {
        self.check_name(attribute.name, start + attribute.at)?;
        let key = Str::checked(attribute.name)?;
        if attributes.contains(&key) {
            let reason = format!("the attribute `{}` comes twice", print::shortened(attribute.name, 40));
            return Err(self.fault(start + attribute.at, &reason));
        }
        space::check(attribute.value.len())?;
        let value = expanded(attribute.value).map_err(|fault| self.fault_in(start + attribute.value_at, &fault))?;
        attributes.put(key, Value::checked_text(&value)?)?;
        Ok(value)
    }

    fn end(&mut self) -> Result<(), ToolError> {
        if self.mixed {
            self.end_piece()?;
        }
        let Some(Open { name, attributes, children, text, preserves, prefixes, .. }) = self.open.pop() else {
            unreachable!("the reader checks that an element that ends was open");
        };
        prefixes.iter().for_each(|prefix| self.prefixes.forget(prefix));
        let (text, held) = text.into_held();
        let text = if preserves { &text } else { text.trim_matches(is_blank) };
        let mut element = Map::with_capacity(4);
        element.put(Str::new("name"), name.into())?;
        element.put(Str::new("attributes"), attributes.into())?;
        element.put(Str::new("children"), children.finish()?)?;
        element.put(Str::new("text"), Value::checked_text(text)?)?;
        drop(held);
        match self.open.last_mut() {
            Some(parent) => parent.children.push(element.into())?,
            None => self.root = Some(element.into()),
        }
        Ok(())
    }

    /// Adds the text since the last child to the children of the open element.
    fn end_piece(&mut self) -> Result<(), ToolError> {
        let Some(open) = self.open.last_mut().filter(|open| !open.piece.is_empty()) else { return Ok(()) };
        let piece = std::mem::take(&mut open.piece).into_str();
        Ok(open.children.push(piece.into())?)
    }

    /// Adds to the text of the open element. Outside of the root only blanks may stand.
    fn put(&mut self, text: &str, start: usize) -> Result<(), ToolError> {
        match self.open.last_mut() {
            Some(open) => {
                if self.mixed {
                    open.piece.push(text)?;
                }
                Ok(open.text.push(text)?)
            }
            None if text.chars().all(is_blank) => Ok(()),
            None => Err(self.fault(start, OUTSIDE)),
        }
    }

    fn finish(self) -> Result<Value, ToolError> {
        if let Some(open) = self.open.as_slice().last() {
            let reason = format!("the element `{}` is not closed", print::shortened(&open.name.as_text(), 40));
            return Err(self.fault(self.text.len(), &reason));
        }
        let missing =
            || ToolError::bad_argument("text", at_byte(self.text, self.text.len(), &refusal("it has no element")));
        self.root.ok_or_else(missing)
    }

    /// Returns the error for a fault in the markup that begins at `start`.
    fn fault_in(&self, start: usize, fault: &Fault) -> ToolError {
        self.fault(start + fault.at, &fault.reason)
    }

    fn fault(&self, byte: usize, reason: &str) -> ToolError {
        ToolError::bad_argument("text", at_byte(self.text, byte.min(self.text.len()), &refusal(reason)))
    }
}

const OUTSIDE: &str = "text outside of the root element";

impl Prefixes {
    fn declare(&mut self, prefix: &str) -> Result<String, ToolError> {
        self.held.grow(2 * prefix.len() + PREFIX_BYTES)?;
        *self.counts.entry(prefix.to_owned()).or_default() += 1;
        Ok(prefix.to_owned())
    }

    fn forget(&mut self, prefix: &str) {
        self.held.shrink(2 * prefix.len() + PREFIX_BYTES);
        match self.counts.get_mut(prefix) {
            Some(count) if *count > 1 => *count -= 1,
            _ => _ = self.counts.remove(prefix),
        }
    }
}

/// Returns the prefix of the next attribute that has one and declares none, with the place of the attribute.
fn next_prefix<'t>(cursor: &mut Cursor<'t>) -> Option<(&'t str, usize)> {
    loop {
        let Attribute { name, at, .. } = cursor.take_attribute().ok()??;
        if let Some(prefix) = prefix_of(name).filter(|prefix| *prefix != "xmlns") {
            return Some((prefix, at));
        }
    }
}

/// Returns the value of an attribute, with a blank for each line end and tab (XML 1.0, 3.3.3).
fn expanded(written: &str) -> Result<Cow<'_, str>, Fault> {
    if !written.contains(['\n', '\r', '\t', '&', '<']) {
        return Ok(Cow::Borrowed(written));
    }
    let (mut value, mut cursor) = (String::with_capacity(written.len()), Cursor { markup: written, at: 0 });
    while !cursor.is_at_end() {
        let rest = cursor.rest();
        let len = rest.find(['\n', '\r', '\t', '&', '<']).unwrap_or(rest.len());
        value.push_str(&rest[..len]);
        cursor.at += len;
        let at = cursor.at;
        match rest.as_bytes().get(len) {
            None => {}
            Some(b'<') => return Err(Fault::new(at, "`<` is written `&lt;` in an attribute")),
            Some(b'&') => {
                cursor.at += 1;
                let name = cursor.take_until(";").ok().filter(|name| !name.contains(is_blank));
                let Some(name) = name else {
                    return Err(Fault::new(at, "`&` is written `&amp;`, unless it begins an entity that ends in `;`"));
                };
                let mut buffer = [0; 4];
                value.push_str(meaning(name, &mut buffer).ok_or_else(|| Fault::new(at, unknown_entity(name)))?);
            }
            Some(_) => {
                cursor.at += if rest[len..].starts_with("\r\n") { 2 } else { 1 };
                value.push(' ');
            }
        }
    }
    Ok(Cow::Owned(value))
}

fn unknown_entity(name: &str) -> String {
    let name = print::shortened(name, 40);
    if name.starts_with('#') {
        return format!("`&{name};` is the number of no character of XML");
    }
    format!("the entity `&{name};` is not one of XML itself, and no others are expanded")
}

fn refusal(reason: &str) -> String {
    format!("the text is no XML that can be read: {reason}")
}
