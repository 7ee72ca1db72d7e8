//! Builders for the texts and lists that tools return. Memory and steps are charged before they are used.

use std::borrow::Cow;
use std::rc::Rc;

use compact_str::CompactString;

use crate::gate::Context;
use crate::limits::{LimitHit, MemoryCharge, space, work};
use crate::toolkit::{AnyList, ToolError};
use crate::value::{Elements, List, Sink, Str, Value};

/// Number of elements between two memory checks.
const STRETCH: usize = 4_096;
/// Bytes of a repeated text that are added between two charges.
const BLOCK: usize = 4_096;

/// A text under construction, within the limits on one text and on the memory of the run.
#[derive(Debug, Default)]
pub struct TextBuilder {
    text: String,
    held: MemoryCharge,
    /// A text that is continued, to which all pieces are appended; `text` stays empty.
    grown: Option<Str>,
    /// Number of bytes that were appended to it.
    appended: usize,
}

impl TextBuilder {
    /// Continues the text that is the first element of a list, without a copy if nothing else holds both. The element
    /// is nil afterwards. Returns `None` if it cannot be continued.
    pub fn continue_first(list: &mut Rc<List>) -> Option<TextBuilder> {
        let grown = List::own_element_mut(list, 0)?.take_own_text()?;
        Some(TextBuilder { grown: Some(grown), ..TextBuilder::default() })
    }

    /// Creates an empty text with the given capacity in bytes.
    pub fn with_room(bytes: usize) -> Result<TextBuilder, LimitHit> {
        space::check_string(bytes)?;
        let held = MemoryCharge::of(bytes)?;
        Ok(TextBuilder { held, text: String::with_capacity(bytes), ..TextBuilder::default() })
    }

    /// Appends a text.
    #[inline]
    pub fn push(&mut self, piece: &str) -> Result<(), LimitHit> {
        work::charge_bytes(piece.len())?;
        if let Some(grown) = &mut self.grown {
            self.appended += piece.len();
            return grown.append(piece);
        }
        if piece.len() > self.text.capacity() - self.text.len() {
            self.grow(piece.len())?;
        }
        self.text.push_str(piece);
        Ok(())
    }

    /// Appends a character.
    pub fn push_char(&mut self, character: char) -> Result<(), LimitHit> {
        self.push(character.encode_utf8(&mut [0; 4]))
    }

    /// Appends a text `times` times.
    pub fn push_times(&mut self, piece: &str, times: usize) -> Result<(), LimitHit> {
        if self.grown.is_some() {
            return (0..times).try_for_each(|_| self.push(piece));
        }
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

    /// Returns whether the text is empty.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.grown.is_none()
    }

    /// Returns the text together with its memory charge, for a tool that processes it further.
    pub fn into_held(self) -> (String, MemoryCharge) {
        (self.text, self.held)
    }

    /// Returns the text as a value without charging steps, for callers that have charged them already.
    pub fn into_str(mut self) -> Str {
        if let Some(grown) = self.grown {
            return grown;
        }
        self.held.release();
        self.text.shrink_to_fit();
        Str::from_compact(CompactString::from(self.text))
    }

    /// Returns the text as a value and charges steps by its length.
    pub fn finish(self, context: &mut Context<'_>) -> Result<Str, ToolError> {
        context.spend_text(self.text.len() + self.appended)?;
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

/// Returns the text that was written to a sink. `written` is the result of the writer. A limit that the sink
/// hit takes precedence over it.
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

/// Returns a list of `length` values and charges a step for each.
pub fn list(
    context: &mut Context<'_>,
    length: usize,
    values: impl Iterator<Item = Value>,
) -> Result<AnyList, ToolError> {
    try_list(context, length, values.map(Ok))
}

/// Returns a list of `length` values, or the first error among them.
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

/// Number of elements that are moved in a list for one step.
const MOVED: usize = 64;

/// Charges the insertion or removal of an element at an index: a list with other holders is copied, and in one without,
/// the elements between the index and the nearer end are moved.
pub fn charge_change(context: &mut Context<'_>, list: &Rc<List>, index: usize) -> Result<(), ToolError> {
    if List::is_shared(list) {
        space::check_items(list.len() + 1)?;
        work::charge(list.len())?;
        context.spend(list.len() + 1)?;
    } else {
        context.spend(1 + index.min(list.len() - index) / MOVED)?;
    }
    Ok(())
}

/// Returns copies of the elements of a list, for tools that reorder or filter them. Each is charged.
pub fn elements(context: &mut Context<'_>, list: &List) -> Result<Vec<Value>, ToolError> {
    let mut elements = room(context, list.len())?;
    list.try_each(|element| {
        work::charge(1)?;
        elements.push(element.clone());
        Ok::<(), LimitHit>(())
    })?;
    Ok(elements)
}

/// Allocates a vector for `length` values and charges a step for each.
pub fn room(context: &mut Context<'_>, length: usize) -> Result<Vec<Value>, ToolError> {
    space::check_items(length)?;
    space::check(length.saturating_mul(size_of::<Value>()))?;
    context.spend(length)?;
    Ok(Vec::with_capacity(length))
}

/// A list that charges steps as it grows.
#[derive(Debug, Default)]
pub struct ListBuilder {
    elements: Elements,
}

impl ListBuilder {
    /// Appends a value.
    #[inline]
    pub fn push(&mut self, context: &mut Context<'_>, value: Value) -> Result<(), ToolError> {
        work::charge(1)?;
        if self.elements.is_full() {
            context.spend(self.elements.grow(8)?)?;
        }
        Ok(self.elements.push(value)?)
    }

    /// Returns the values, for a tool that processes them further.
    pub fn into_values(self) -> Vec<Value> {
        self.elements.into_values()
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Returns the finished list.
    pub fn finish(self) -> Result<AnyList, ToolError> {
        Ok(AnyList(self.elements.finish()?))
    }
}
