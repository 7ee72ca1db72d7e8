//! `XML.Parse`: elements as maps, from the events of quick-xml, with a stack of its own.
//!
//! Nothing of a document type is read: no entity of it is expanded and no other file is opened, so no text can grow
//! (XML 1.0, 4.4; "billion laughs", "external entity"). quick-xml borrows from the text; what it keeps for itself are the names
//! of open elements.

use std::borrow::Cow;

use quick_xml::Reader as Events;
use quick_xml::escape::{resolve_predefined_entity, unescape};
use quick_xml::events::{BytesRef, BytesStart, Event};

use crate::gate::{Context, Tool};
use crate::limits::{MeteredVec, space, work};
use crate::toolkit::{AnyValue, Example, Spec, ToolError, arguments};
use crate::value::{Elements, Map, Str, Value, print};

use super::super::build::TextBuilder;
use super::super::fallback::parsed_or;
use super::super::place::at_byte;

const SPEC: Spec = Spec::pure(
    "XML.Parse",
    "xml_parse",
    "Returns the root element of an XML text as a map",
    "Returns the root element. Every element is a map with the same four fields, so a script can loop \
        over `children` without asking what they are:\n\n\
        - `name`: with its prefix (`dc:title`).\n\
        - `attributes`: map of texts; `xmlns` is an attribute like others.\n\
        - `children`: list of the elements in it.\n\
        - `text`: text directly in it, without the blanks around it; CDATA is text. Where it stands between children \
        is not kept.\n\n\
        Left out: comments, processing instructions and the document type.\n\n\
        Entities: the five of XML and character numbers. Any other entity is an error: nothing is expanded and no \
        other file is read. The declared encoding does not count, since a text is decoded already.\n\n\
        Limits: an element in another one is two levels of `value_depth`.\n\n\
        Failures: an error names line and column. With `default`, a text that is not XML returns that value.",
    Example {
        script: "SET feed = XML.Parse(\"<feed lang='en'><item id='1'>Tom &amp; Ann</item><item id='2'/></feed>\")\nFOR EACH item IN feed.children DO\n  EMIT item.name, \" \", item.attributes.id, \" \", item.text\nEND",
        output: "item 1 Tom & Ann\nitem 2 \n",
    },
)
.keywords(&["xml", "ElementTree", "xml.etree", "minidom", "parse xml", "DOMParser", "xml2js", "simplexml", "rss", "atom", "svg", "pom.xml", "plist"]);

arguments! {
    struct Args {
        text: Str = Required, Kind::Text, "XML text";
        default: Option<Value> = Absent, Kind::Any, "result where the text cannot be parsed; an error when left out";
    }
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<AnyValue, ToolError> {
    let text = args.text.as_text();
    context.spend_text(text.len())?;
    parsed_or(root(context, &text), args.default)
}

/// An element that is still open.
struct Open {
    name: Str,
    attributes: Map,
    children: Elements,
    text: TextBuilder,
}

/// Builds elements from events.
struct Builder<'t> {
    text: &'t str,
    open: MeteredVec<Open>,
    root: Option<Value>,
}

fn root(context: &mut Context<'_>, text: &str) -> Result<Value, ToolError> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let skipped = text.len() - body.len();
    let mut events = Events::from_str(body);
    let mut builder = Builder { text, open: MeteredVec::default(), root: None };
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
        builder.take(event, start)?;
    }
}

impl Builder<'_> {
    fn take(&mut self, event: Event<'_>, start: usize) -> Result<(), ToolError> {
        match event {
            Event::Start(element) => self.begin(&element, start),
            Event::Empty(element) => {
                self.begin(&element, start)?;
                self.end()
            }
            Event::End(_) => self.end(),
            Event::Text(text) => self.put(&text.xml10_content(), start),
            Event::CData(text) => self.put(&text.xml10_content(), start),
            Event::GeneralRef(entity) => {
                let mut buffer = [0; 4];
                let text = self.meaning(&entity, start, &mut buffer)?;
                self.put(text, start)
            }
            _ => Ok(()),
        }
    }

    fn begin(&mut self, element: &BytesStart<'_>, start: usize) -> Result<(), ToolError> {
        if self.open.is_empty() && self.root.is_some() {
            return Err(self.fault(start, "a second root element"));
        }
        // An element is a map, and its children a list in it.
        space::check_depth(2 * self.open.len() + 2)?;
        let name = Str::checked(element.name().as_ref())?;
        let mut attributes = Map::with_capacity(2);
        for attribute in element.attributes().with_checks(false) {
            work::charge(1)?;
            let attribute = attribute.map_err(|error| self.fault(start, &error.to_string()))?;
            let key = Str::checked(attribute.key.as_ref())?;
            if attributes.contains(&key) {
                let reason = format!("the attribute `{}` comes twice", print::shortened(&key.as_text(), 40));
                return Err(self.fault(start, &reason));
            }
            space::check(attribute.value.len())?;
            let written = on_one_line(&attribute.value);
            let value = unescape(&written).map_err(|error| self.fault(start, &error.to_string()))?;
            attributes.put(key, Value::checked_text(&value)?)?;
        }
        let (children, text) = (Elements::default(), TextBuilder::default());
        Ok(self.open.push(Open { name, attributes, children, text })?)
    }

    fn end(&mut self) -> Result<(), ToolError> {
        let Some(Open { name, attributes, children, text }) = self.open.pop() else {
            unreachable!("the reader checks that an element that ends was open");
        };
        let (text, held) = text.into_held();
        let mut element = Map::with_capacity(4);
        element.put(Str::new("name"), name.into())?;
        element.put(Str::new("attributes"), attributes.into())?;
        element.put(Str::new("children"), children.finish()?)?;
        element.put(Str::new("text"), Value::checked_text(text.trim())?)?;
        drop(held);
        match self.open.last_mut() {
            Some(parent) => parent.children.push(element.into())?,
            None => self.root = Some(element.into()),
        }
        Ok(())
    }

    /// Adds to the text of the open element. Outside of the root only blanks may stand.
    fn put(&mut self, text: &str, start: usize) -> Result<(), ToolError> {
        match self.open.last_mut() {
            Some(open) => Ok(open.text.push(text)?),
            None if text.trim().is_empty() => Ok(()),
            None => Err(self.fault(start, "text outside of the root element")),
        }
    }

    /// Returns the text that an entity stands for.
    fn meaning<'b>(&self, entity: &BytesRef<'_>, start: usize, buffer: &'b mut [u8; 4]) -> Result<&'b str, ToolError> {
        match entity.resolve_char_ref() {
            Ok(Some(character)) => return Ok(character.encode_utf8(buffer)),
            Ok(None) => {}
            Err(error) => return Err(self.fault(start, &error.to_string())),
        }
        resolve_predefined_entity(entity).ok_or_else(|| {
            let name = print::shortened(entity, 40);
            self.fault(start, &format!("the entity `&{name};` is not one of XML itself, and no others are expanded"))
        })
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

    fn fault(&self, byte: usize, reason: &str) -> ToolError {
        ToolError::bad_argument("text", at_byte(self.text, byte.min(self.text.len()), &refusal(reason)))
    }
}

/// Returns the text of an attribute with a blank for each line end and tab (XML 1.0, 3.3.3).
fn on_one_line(value: &str) -> Cow<'_, str> {
    if !value.contains(['\n', '\r', '\t']) {
        return Cow::Borrowed(value);
    }
    Cow::Owned(value.replace("\r\n", " ").replace(['\n', '\r', '\t'], " "))
}

fn refusal(reason: &str) -> String {
    format!("the text is no XML that can be read: {reason}")
}
