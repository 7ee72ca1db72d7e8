//! One placeholder of a template: which value it takes, and how the value is formatted.

use std::fmt::Write as _;
use std::iter::Peekable;
use std::str::Chars;

use crate::value::{Map, Value, number, print};

/// Maximum width to which a value is padded, in characters.
const MAX_WIDTH: usize = 10_000;
/// Number of decimals for `f` without a precision.
const DECIMALS: usize = 6;
/// Maximum number of keys in the message for a missing one.
const MAX_KEYS: usize = 8;
/// Maximum number of decimals.
const MAX_DECIMALS: usize = 300;

/// The syntax after the colon of a placeholder, for messages.
const TAKEN: &str =
    ", which is said by fill and `<`, `>` or `^`, `0`, a width, `,`, `.2`, and one of `f d s x X o b e %`";

/// A placeholder: `name:style`.
pub struct Placeholder<'t> {
    name: &'t str,
    pub style: Style,
}

/// The alignment of a value within its width.
#[derive(Clone, Copy)]
pub enum Align {
    Left,
    Right,
    Middle,
}

/// The format of a value.
#[derive(Clone, Copy)]
pub struct Style {
    pub fill: char,
    pub align: Option<Align>,
    pub zeros: bool,
    pub width: usize,
    thousands: bool,
    precision: Option<usize>,
    form: Option<char>,
}

impl<'t> Placeholder<'t> {
    /// Parses the text between two braces. Returns a message if it is malformed.
    pub fn parse(text: &'t str) -> Result<Placeholder<'t>, String> {
        let (name, style) = text.split_once(':').unwrap_or((text, ""));
        Ok(Placeholder { name, style: Style::parse(style)? })
    }

    /// Returns the value for the placeholder; `turn` counts placeholders without a name.
    pub fn value(&self, values: &Value, turn: &mut i64) -> Result<Value, String> {
        match values {
            Value::Map(map) => {
                if let Some(value) = map.get_str(self.name) {
                    return Ok(value);
                }
                let mut parts = self.name.split('.');
                let first = parts.next().and_then(|first| map.get_str(first));
                let found = parts.fold(first, |value, part| match value {
                    Some(Value::Map(map)) => map.get_str(part),
                    _ => None,
                });
                found.ok_or_else(|| missing(self.name, map))
            }
            Value::List(list) => {
                let index = match self.name {
                    "" => {
                        *turn += 1;
                        *turn - 1
                    }
                    name => name.parse().map_err(|_| {
                        format!("`{}` is no element's number, and `values` is a list", print::shortened(name, 40))
                    })?,
                };
                let found = usize::try_from(index).ok().and_then(|index| list.get(index));
                found.ok_or_else(|| format!("`values` has no element {index}, but {} elements", list.len()))
            }
            _ => Err("`values` is neither a map nor a list".to_owned()),
        }
    }
}

impl Style {
    fn parse(text: &str) -> Result<Style, String> {
        let mut style =
            Style { fill: ' ', align: None, zeros: false, width: 0, thousands: false, precision: None, form: None };
        let mut rest = text.chars().peekable();
        style.parse_fill(text, &mut rest);
        if rest.next_if_eq(&'0').is_some() && style.align.is_none() {
            (style.zeros, style.fill, style.align) = (true, '0', Some(Align::Right));
        }
        style.width = digits(&mut rest).unwrap_or(0);
        style.thousands = rest.next_if_eq(&',').is_some();
        if rest.next_if_eq(&'.').is_some() {
            style.precision = Some(digits(&mut rest).ok_or_else(|| format!("`{text}` has no digits after its point"))?);
        }
        style.form = rest.next_if(|c| matches!(c, 'x' | 'X' | 'o' | 'b' | 'e' | '%' | 'f' | 'd' | 's'));
        match (rest.next(), style.width > MAX_WIDTH) {
            (Some(c), _) => {
                Err(format!("`{c}` in `{}` says nothing about how a value is shown{TAKEN}", print::shortened(text, 40)))
            }
            (None, true) => Err(format!("the width {} is over {MAX_WIDTH}", style.width)),
            (None, false) => Ok(style),
        }
    }

    /// Parses fill and alignment: `<`, or `*<`.
    fn parse_fill(&mut self, text: &str, rest: &mut Peekable<Chars<'_>>) {
        let align = |c: char| match c {
            '<' => Some(Align::Left),
            '>' => Some(Align::Right),
            '^' => Some(Align::Middle),
            _ => None,
        };
        let mut ahead = text.chars();
        let (first, second) = (ahead.next(), ahead.next());
        if let (Some(fill), Some(found)) = (first, second.and_then(align)) {
            (self.fill, self.align) = (fill, Some(found));
            rest.next();
            rest.next();
        } else if let Some(found) = first.and_then(align) {
            self.align = Some(found);
            rest.next();
        }
    }

    /// Formats a number. Returns `None` for values that are formatted as printed.
    pub fn show(&self, value: &Value) -> Result<Option<String>, String> {
        let is_number = matches!(value, Value::Int(_) | Value::Float(_));
        if !is_number && (self.thousands || self.form.is_some_and(|form| form != 's')) {
            return Err(format!("{} {} is no number", value.type_name(), print::preview(value)));
        }
        if !is_number {
            return Ok(None);
        }
        let shown = match self.form {
            Some(form @ ('x' | 'X' | 'o' | 'b')) => based(value, form)?,
            Some('d') => whole(value)?.to_string(),
            Some('s') => value.to_string(),
            Some('f') => Style { precision: self.precision.or(Some(DECIMALS)), ..*self }.plain(value)?,
            Some(form) => self.scaled(value.as_float().unwrap_or_default(), form)?,
            None => self.plain(value)?,
        };
        Ok(Some(if self.thousands { grouped(&shown) } else { shown }))
    }

    fn plain(&self, value: &Value) -> Result<String, String> {
        match (value, self.precision) {
            (_, None) => Ok(value.to_string()),
            (Value::Int(int), Some(decimals)) => {
                checked(decimals)?;
                Ok(if decimals == 0 { int.to_string() } else { format!("{int}.{}", "0".repeat(decimals)) })
            }
            (_, Some(decimals)) => Ok(format!("{:.*}", checked(decimals)?, value.as_float().unwrap_or_default())),
        }
    }

    fn scaled(&self, number: f64, form: char) -> Result<String, String> {
        let decimals = self.precision.map(checked).transpose()?;
        let mut shown = String::new();
        match (form, decimals) {
            ('e', Some(decimals)) => shown = format!("{number:.decimals$e}"),
            ('e', None) => shown = format!("{number:e}"),
            (_, decimals) => {
                let _ = write!(shown, "{:.*}%", decimals.unwrap_or(0), number * 100.0);
            }
        }
        Ok(shown)
    }

    /// Truncates a text to the precision, in characters.
    pub fn cut<'a>(&self, text: &'a str) -> &'a str {
        let end = self.precision.and_then(|most| text.char_indices().nth(most));
        end.map_or(text, |(end, _)| &text[..end])
    }
}

fn digits(rest: &mut Peekable<Chars<'_>>) -> Option<usize> {
    let mut number = None;
    while let Some(digit) = rest.peek().and_then(|c| c.to_digit(10)) {
        rest.next();
        number = Some(number.unwrap_or(0_usize).saturating_mul(10).saturating_add(digit as usize));
    }
    number
}

fn checked(decimals: usize) -> Result<usize, String> {
    if decimals <= MAX_DECIMALS { Ok(decimals) } else { Err(format!("{decimals} decimals are over {MAX_DECIMALS}")) }
}

fn whole(value: &Value) -> Result<i64, String> {
    let whole = match value {
        Value::Float(float) => number::exact_int(float.get()),
        value => value.as_integer(),
    };
    whole.ok_or_else(|| format!("{value} is no whole number"))
}

fn based(value: &Value, form: char) -> Result<String, String> {
    let whole = whole(value)?;
    let sign = if whole < 0 { "-" } else { "" };
    let whole = whole.unsigned_abs();
    Ok(match form {
        'x' => format!("{sign}{whole:x}"),
        'X' => format!("{sign}{whole:X}"),
        'o' => format!("{sign}{whole:o}"),
        _ => format!("{sign}{whole:b}"),
    })
}

/// Inserts `,` between groups of three digits before the decimal point.
fn grouped(number: &str) -> String {
    let sign = usize::from(number.starts_with('-'));
    let end = number[sign..].find(|c: char| !c.is_ascii_digit()).map_or(number.len(), |at| sign + at);
    let mut text = number[..sign].to_owned();
    for (index, digit) in number[sign..end].chars().enumerate() {
        if index > 0 && (end - sign - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + &number[end..]
}

/// Returns the message for a placeholder whose key is missing, with the keys that are there.
fn missing(name: &str, map: &Map) -> String {
    let keys: Vec<String> =
        map.keys().take(MAX_KEYS).map(|key| format!("`{}`", print::shortened(key.as_str(), 40))).collect();
    let more = if map.len() > MAX_KEYS { ", …" } else { "" };
    let there = if keys.is_empty() { "it is empty".to_owned() } else { format!("it has {}{more}", keys.join(", ")) };
    format!("`values` has no `{}` ({there})", print::shortened(name, 40))
}
