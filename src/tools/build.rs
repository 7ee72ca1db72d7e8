//! How tools make texts and lists: what they take is asked for before it is taken.

use compact_str::CompactString;

use crate::limits::{Charged, Held, LimitHit, space};
use crate::toolkit::{AnyList, Context, ToolError};
use crate::value::{Elements, Str, Value};

/// Elements after which the clock and the memory are looked at.
const STRETCH: usize = 4_096;

/// A text that is being made, within the limits of one text and of the run's memory.
#[derive(Debug, Default)]
pub struct TextBuilder {
    text: String,
    held: Held,
}

impl TextBuilder {
    /// An empty text with room for so many bytes.
    pub fn with_room(bytes: usize) -> Result<TextBuilder, LimitHit> {
        space::check_string(bytes)?;
        Ok(TextBuilder { held: Held::of(bytes)?, text: String::with_capacity(bytes) })
    }

    /// Adds to the end.
    #[inline]
    pub fn push(&mut self, piece: &str) -> Result<(), LimitHit> {
        if piece.len() > self.text.capacity() - self.text.len() {
            self.grow(piece.len())?;
        }
        self.text.push_str(piece);
        Ok(())
    }

    /// Adds a character to the end.
    pub fn push_char(&mut self, character: char) -> Result<(), LimitHit> {
        self.push(character.encode_utf8(&mut [0; 4]))
    }

    /// Adds a text so many times.
    pub fn push_times(&mut self, piece: &str, times: usize) -> Result<(), LimitHit> {
        let more = piece.len().saturating_mul(times);
        if more > self.text.capacity() - self.text.len() {
            self.grow(more)?;
        }
        (0..times).for_each(|_| self.text.push_str(piece));
        Ok(())
    }

    /// The text and what it takes, for a tool that goes on with it.
    pub fn into_held(self) -> (String, Held) {
        (self.text, self.held)
    }

    /// The text as a value; it is paid for by its length.
    pub fn finish(mut self, context: &mut Context<'_>) -> Result<Str, ToolError> {
        self.text.shrink_to_fit();
        context.spend_text(self.text.len())?;
        self.held.release();
        Ok(Str::from_compact(CompactString::from(self.text)))
    }

    #[cold]
    fn grow(&mut self, more: usize) -> Result<(), LimitHit> {
        let needed = self.text.len().saturating_add(more);
        space::check_string(needed)?;
        let capacity = needed.max(self.text.capacity().saturating_mul(2).min(space::string_bound()));
        self.held.grow_to(capacity)?;
        self.text.reserve_exact(capacity - self.text.len());
        Ok(())
    }
}

/// Takes the bytes of a text from a writer of some format, as far as the limits let it.
#[derive(Debug, Default)]
pub struct Sink {
    bytes: Charged<u8>,
    hit: Option<LimitHit>,
}

impl Sink {
    /// The text that was written; `written` says how the writer ended, which an exceeded limit explains.
    pub fn finish<E: std::fmt::Display>(
        self,
        context: &mut Context<'_>,
        written: Result<(), E>,
        refuse: impl FnOnce(E) -> ToolError,
    ) -> Result<Str, ToolError> {
        match (written, self.hit) {
            (_, Some(hit)) => Err(hit.into()),
            (Err(error), None) => Err(refuse(error)),
            (Ok(()), None) => {
                context.spend_text(self.bytes.len())?;
                let text = String::from_utf8(self.bytes.into_vec()).expect("what is written is text");
                Ok(Str::from_compact(CompactString::from(text)))
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), LimitHit> {
        space::check_string(self.bytes.len() + bytes.len())?;
        self.bytes.extend_from_slice(bytes)
    }
}

impl std::io::Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if let Err(hit) = self.take(bytes) {
            self.hit = Some(hit);
            return Err(std::io::Error::other("over the limit"));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A list of so many values, each a step.
pub fn list(
    context: &mut Context<'_>,
    length: usize,
    values: impl Iterator<Item = Value>,
) -> Result<AnyList, ToolError> {
    try_list(context, length, values.map(Ok))
}

/// A list of so many values, some of which may not be made.
pub fn try_list(
    context: &mut Context<'_>,
    length: usize,
    values: impl Iterator<Item = Result<Value, ToolError>>,
) -> Result<AnyList, ToolError> {
    let mut made = room(context, length)?;
    for value in values {
        if made.len().is_multiple_of(STRETCH) {
            space::check(0)?;
            context.meter.poll()?;
        }
        made.push(value?);
    }
    Ok(AnyList(Value::list(made)?))
}

/// Room for a list of so many values, each of which is a step.
pub fn room(context: &mut Context<'_>, length: usize) -> Result<Vec<Value>, ToolError> {
    space::check_items(length)?;
    space::check(length.saturating_mul(size_of::<Value>()))?;
    context.spend(length)?;
    Ok(Vec::with_capacity(length))
}

/// A list whose elements are paid for with steps as it grows.
#[derive(Debug, Default)]
pub struct ListBuilder {
    elements: Elements,
}

impl ListBuilder {
    /// Adds a value to the end.
    #[inline]
    pub fn push(&mut self, context: &mut Context<'_>, value: Value) -> Result<(), ToolError> {
        if self.elements.is_full() {
            context.spend(self.elements.grow(8)?)?;
            context.meter.poll()?;
        }
        Ok(self.elements.push(value)?)
    }

    /// The values, for a tool that goes on with them.
    pub fn into_values(self) -> Vec<Value> {
        self.elements.into_values()
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// The list.
    pub fn finish(self) -> Result<AnyList, ToolError> {
        Ok(AnyList(self.elements.finish()?))
    }
}
