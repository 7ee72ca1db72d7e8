//! How tools make texts and lists: what they take is asked for before it is taken.

use std::borrow::Cow;

use compact_str::CompactString;

use crate::limits::{Held, LimitHit, space, work};
use crate::toolkit::{AnyList, Context, ToolError};
use crate::value::{Elements, List, Sink, Str, Value};

/// Elements after which the memory is looked at.
const STRETCH: usize = 4_096;
/// Bytes of a repeated text that are added between two charges.
const BLOCK: usize = 4_096;

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
        work::charge_bytes(piece.len())?;
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
        let at_once = (BLOCK / piece.len().max(1)).clamp(1, times.max(1));
        let block = if at_once == 1 { Cow::Borrowed(piece) } else { Cow::Owned(piece.repeat(at_once)) };
        for _ in 0..times / at_once {
            work::charge_bytes(block.len())?;
            self.text.push_str(&block);
        }
        self.text.push_str(&block[..times % at_once * piece.len()]);
        Ok(())
    }

    /// Whether nothing was added yet.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The text and what it takes, for a tool that goes on with it.
    pub fn into_held(self) -> (String, Held) {
        (self.text, self.held)
    }

    /// The text as a value, where it is paid for already.
    pub fn into_str(mut self) -> Str {
        self.held.release();
        self.text.shrink_to_fit();
        Str::from_compact(CompactString::from(self.text))
    }

    /// The text as a value; it is paid for by its length.
    pub fn finish(self, context: &mut Context<'_>) -> Result<Str, ToolError> {
        context.spend_text(self.text.len())?;
        Ok(self.into_str())
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

/// The text that was written to a sink; `written` says how the writer ended, which an exceeded limit explains.
pub fn written<E: std::fmt::Display>(
    context: &mut Context<'_>,
    sink: Sink,
    written: Result<(), E>,
    refuse: impl FnOnce(E) -> ToolError,
) -> Result<Str, ToolError> {
    match (written, sink.limit()) {
        (_, Some(hit)) => Err(hit.into()),
        (Err(error), None) => Err(refuse(error)),
        (Ok(()), None) => {
            let bytes = sink.into_bytes();
            context.spend_text(bytes.len())?;
            let text = String::from_utf8(bytes).expect("what is written is text");
            Ok(Str::from_compact(CompactString::from(text)))
        }
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
        work::charge(1)?;
        if made.len().is_multiple_of(STRETCH) {
            space::check(0)?;
        }
        made.push(value?);
    }
    Ok(AnyList(Value::list(made)?))
}

/// The elements of a list that are worked on, each charged, with room for them.
pub fn elements(context: &mut Context<'_>, list: &List) -> Result<Vec<Value>, ToolError> {
    let mut elements = room(context, list.len())?;
    list.try_each(|element| {
        work::charge(1)?;
        elements.push(element.clone());
        Ok::<(), LimitHit>(())
    })?;
    Ok(elements)
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
        work::charge(1)?;
        if self.elements.is_full() {
            context.spend(self.elements.grow(8)?)?;
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
