//! `MARKDOWN.Headings`, `MARKDOWN.Links`: the structure of a Markdown text; pulldown-cmark parses it.

use std::collections::HashMap;
use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Parser, Tag, TagEnd};

use crate::gate::{Context, Tool};
use crate::limits::{LimitHit, MemoryCharge, work};
use crate::toolkit::{AnyList, Example, Spec, ToolError, arguments};
use crate::value::{Map, Str, Value};

use super::build::{ListBuilder, TextBuilder};

const HEADINGS: Spec = Spec::pure(
    "MARKDOWN.Headings",
    "markdown_headings",
    "Lists the headings of a Markdown text",
    "By CommonMark, in the order of the text, so `#` in code is no heading. Front matter is none either: lines between `---` (or \
        `+++`) in the first line, with text directly below it, and the next such line, which may be `...`. Each has `level` (1 to 6), \
        `text` without marks, `slug` and `line`, from 1. The slug is the anchor that GitHub gives the heading: small letters, \
        `-` for blanks, without punctuation and the descriptions of images, and `-1`, `-2` and so on for those that come again.",
    Example {
        script: "FOR EACH heading IN MARKDOWN.Headings(\"# The `ns` guide\\n\\nText\\n\\n## What's new?\\n\") DO\n  EMIT heading.line, \" \", heading.level, \" \", heading.text, \" #\", heading.slug\nEND",
        output: "1 1 The ns guide #the-ns-guide\n5 2 What's new? #whats-new\n",
    },
)
.keywords(&["table of contents", "toc", "outline", "markdown headings", "headers of a markdown file", "anchor", "slugify", "github slug"]);
const LINKS: Spec = Spec::pure(
    "MARKDOWN.Links",
    "markdown_links",
    "Lists the links and images of a Markdown text",
    "By CommonMark, in the order in which they begin, so links in code do not count. Each has `kind` (`link`, `image`, or `autolink` for \
        `<https://…>` and `<name@example.org>`), `url` (of an address of mail with `mailto:`), `text` without marks (of an image its description), `title` (`\"\"` where there is none) and `line`, from 1. \
        References such as `[text][name]` have the URL of their definition; one without a definition is text. Addresses in HTML \
        are not looked at.",
    Example {
        script: "FOR EACH link IN MARKDOWN.Links(\"See [the *guide*](docs/guide.md) and ![a map](map.png).\") DO\n  EMIT link.kind, \" \", link.url, \" \", link.text\nEND",
        output: "link docs/guide.md the guide\nimage map.png a map\n",
    },
)
.keywords(&["markdown links", "broken links", "link checker", "images of a markdown file", "extract links", "urls"]);

arguments! {
    struct Args {
        text: Str = Required, Kind::Text, "Markdown text";
    }
}

/// Maximum length of a text in bytes. The parser cannot be interrupted.
const MAX_BYTES: usize = 4 << 20;
/// Maximum memory in bytes per mark (punctuation or line end) while a text is parsed.
const MARK_BYTES: usize = 192;

/// Returns the tools of this file, in listing order.
pub fn tools() -> Vec<Tool> {
    vec![Tool::new(HEADINGS, headings), Tool::new(LINKS, links)]
}

/// Charges what parsing takes. Errors: the text is too long.
fn admit(context: &mut Context<'_>, text: &str) -> Result<MemoryCharge, ToolError> {
    if text.len() > MAX_BYTES {
        let message =
            format!("the text has {} bytes, more than the {MAX_BYTES} of Markdown that is parsed", text.len());
        return Err(ToolError::bad_argument("text", message).hint("give it in parts"));
    }
    context.spend_text(text.len())?;
    let marks = text.bytes().filter(|byte| byte.is_ascii_punctuation() || *byte == b'\n').count();
    Ok(MemoryCharge::of(marks.saturating_mul(MARK_BYTES).saturating_add(text.len()))?)
}

/// Returns where Markdown begins in a text: after a byte order mark and front matter, which would be read as a heading.
///
/// The parser knows front matter too, but takes text between two rules anywhere for it.
fn begin_of(text: &str) -> usize {
    let start = text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len();
    let mut lines = line_ranges(text, start);
    let Some(fence) = lines.next().map(|line| text[line].trim_end()).filter(|line| matches!(*line, "---" | "+++"))
    else {
        return start;
    };
    let ends = |line: &str| line == fence || fence == "---" && line == "...";
    let mut is_first = true;
    for line in lines {
        let content = text[line.clone()].trim_end();
        if ends(content) {
            return line.end;
        }
        if is_first && content.is_empty() {
            break;
        }
        is_first = false;
    }
    start
}

/// Returns the lines of a text from a position on, each with its end: LF, CR LF or CR.
fn line_ranges(text: &str, mut start: usize) -> impl Iterator<Item = Range<usize>> {
    std::iter::from_fn(move || {
        let rest = text.as_bytes().get(start..).filter(|rest| !rest.is_empty())?;
        let len = match memchr::memchr2(b'\n', b'\r', rest) {
            Some(at) if rest[at..].starts_with(b"\r\n") => at + 2,
            Some(at) => at + 1,
            None => rest.len(),
        };
        start += len;
        Some(start - len..start)
    })
}

/// Returns the events of a text, with their places in it.
fn events(text: &str) -> impl Iterator<Item = (Event<'_>, Range<usize>)> {
    let begin = begin_of(text);
    let events = Parser::new(&text[begin..]).into_offset_iter();
    events.map(move |(event, range)| (event, range.start + begin..range.end + begin))
}

/// Counts lines up to positions that only grow. A line ends in LF, CR LF or CR (CommonMark 2.1).
struct Lines<'t> {
    text: &'t str,
    at: usize,
    line: i64,
}

impl<'t> Lines<'t> {
    fn of(text: &'t str) -> Lines<'t> {
        Lines { text, at: 0, line: 1 }
    }

    fn at(&mut self, byte: usize) -> i64 {
        if byte > self.at {
            let bytes = self.text.as_bytes();
            let is_end = |at: &usize| bytes[*at] == b'\n' || bytes.get(at + 1) != Some(&b'\n');
            let ends = memchr::memchr2_iter(b'\n', b'\r', &bytes[self.at..byte]).map(|at| self.at + at);
            self.line += ends.filter(is_end).count() as i64;
            self.at = byte;
        }
        self.line
    }
}

fn headings(context: &mut Context<'_>, args: Args) -> Result<AnyList, ToolError> {
    let text = args.text.as_text();
    let _held = admit(context, &text)?;
    let (mut lines, mut slugs, mut found) = (Lines::of(&text), Slugs::default(), ListBuilder::default());
    let mut open: Option<Heading> = None;
    for (event, range) in events(&text) {
        work::charge(1)?;
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                let entries = Map::with_capacity(4).with("level", level as i64).with("line", lines.at(range.start));
                let (text, anchor) = (TextBuilder::default(), TextBuilder::default());
                open = Some(Heading { entries, text, anchor, images: 0 });
            }
            Event::End(TagEnd::Heading(_)) => {
                let Some(Heading { entries, text, anchor, .. }) = open.take() else { continue };
                let ((text, _text_held), (anchor, _anchor_held)) = (text.into_held(), anchor.into_held());
                let slug = slugs.of(&anchor)?;
                let text = Value::checked_text(text.trim())?;
                found.push(context, entries.with("text", text).with("slug", Value::checked_text(&slug)?).into())?;
            }
            event => {
                if let Some(heading) = &mut open {
                    heading.add(&event)?;
                }
            }
        }
    }
    found.finish()
}

/// A heading that has not ended.
struct Heading {
    entries: Map,
    text: TextBuilder,
    /// Its text without the descriptions of images, of which GitHub makes the anchor.
    anchor: TextBuilder,
    /// Number of images that have not ended.
    images: usize,
}

impl Heading {
    fn add(&mut self, event: &Event<'_>) -> Result<(), LimitHit> {
        match event {
            Event::Start(Tag::Image { .. }) => self.images += 1,
            Event::End(TagEnd::Image) => self.images -= 1,
            _ => {}
        }
        push(&mut self.text, event)?;
        if self.images == 0 { push(&mut self.anchor, event) } else { Ok(()) }
    }
}

/// Appends the text that an event shows.
fn push(text: &mut TextBuilder, event: &Event<'_>) -> Result<(), LimitHit> {
    match event {
        Event::Text(piece) | Event::Code(piece) => text.push(piece),
        Event::SoftBreak | Event::HardBreak => text.push(" "),
        _ => Ok(()),
    }
}

/// The anchors of a page, each of which occurs once.
#[derive(Default)]
struct Slugs {
    /// How often an anchor was asked for, by its text without a number.
    counts: HashMap<String, usize>,
    held: MemoryCharge,
}

/// Bytes that an anchor takes in the table, besides its text.
const SLUG_BYTES: usize = 96;

impl Slugs {
    fn of(&mut self, title: &str) -> Result<String, LimitHit> {
        // Each character may have more bytes as a small letter.
        self.held.grow(2 * title.len() + 2 * SLUG_BYTES)?;
        let kept = |character: &char| matches!(character, ' ' | '-') || is_word_character(*character);
        let lower = title.chars().flat_map(char::to_lowercase).filter(kept);
        let slug: String = lower.map(|character| if character == ' ' { '-' } else { character }).collect();
        let mut unique = slug.clone();
        while self.counts.contains_key(&unique) {
            let count = self.counts.entry(slug.clone()).or_default();
            *count += 1;
            unique = format!("{slug}-{count}");
        }
        self.counts.insert(unique.clone(), 0);
        Ok(unique)
    }
}

/// Whether GitHub keeps a character: a letter, a digit, a mark or a connector such as `_`.
fn is_word_character(character: char) -> bool {
    // The class of `regex_syntax` also has the characters that join letters.
    regex_syntax::is_word_character(character) && !matches!(character, '\u{200c}' | '\u{200d}')
}

fn links(context: &mut Context<'_>, args: Args) -> Result<AnyList, ToolError> {
    let text = args.text.as_text();
    let _held = admit(context, &text)?;
    let (mut lines, mut found) = (Lines::of(&text), Vec::new());
    // An image can be in a link, and a link in the description of an image.
    let mut open: Vec<Link> = Vec::new();
    let mut count = 0;
    for (event, range) in events(&text) {
        // A text belongs to every link around it.
        work::charge(1 + open.len())?;
        let (kind, url, title) = match event {
            Event::Start(Tag::Link { link_type: LinkType::Email, dest_url, title, .. }) => {
                ("autolink", format!("mailto:{dest_url}").into(), title)
            }
            Event::Start(Tag::Link { link_type, dest_url, title, .. }) => (kind_of(link_type), dest_url, title),
            Event::Start(Tag::Image { dest_url, title, .. }) => ("image", dest_url, title),
            Event::End(TagEnd::Link | TagEnd::Image) => {
                found.extend(open.pop());
                continue;
            }
            event => {
                open.iter_mut().try_for_each(|link| push(&mut link.text, &event))?;
                continue;
            }
        };
        context.spend(1)?;
        let entries = Map::with_capacity(5).with("kind", kind);
        let entries = entries.with("url", Value::checked_text(&url)?).with("title", Value::checked_text(&title)?);
        let entries = entries.with("line", lines.at(range.start));
        open.push(Link { number: count, entries, text: TextBuilder::default() });
        count += 1;
    }
    // Inner ones end first.
    found.sort_by_key(|link| link.number);
    let mut list = ListBuilder::default();
    for Link { entries, text, .. } in found {
        list.push(context, entries.with("text", text.into_str()).into())?;
    }
    list.finish()
}

/// A link or image.
struct Link {
    /// Its place in the order in which they begin.
    number: usize,
    entries: Map,
    text: TextBuilder,
}

fn kind_of(kind: LinkType) -> &'static str {
    match kind {
        LinkType::Autolink => "autolink",
        _ => "link",
    }
}
