//! Whatever an answer is and however small a part: reading on ends, and the parts together are the answer.

use serde_json::{Value as Json, json};

use super::{Body, Excerpt, Extent, LEAST, MARGIN, NextPart, Offset, excerpt, read_on, rest_as_json};
use crate::value::Value;
use crate::value::json::{from_text, size};

/// A small generator of pseudo-random numbers.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    fn text(&mut self) -> String {
        let letters = ["a", "ü", "€", "😀", "\n", "\"", "\\", "\u{1}", "\u{7f}", " ", "{", "x\n"];
        let length = [0, 3, 12, 40, 300][self.below(5) as usize];
        (0..self.below(length + 1)).map(|_| letters[self.below(letters.len() as u64) as usize]).collect()
    }

    fn value(&mut self, depth: u64) -> Json {
        let kinds = if depth == 0 { 4 } else { 8 };
        match self.below(kinds) {
            0 => json!(null),
            1 => json!(self.below(1 << 40)),
            2 | 3 => json!(self.text()),
            4 | 5 => Json::Array((0..self.below(6)).map(|_| self.value(depth - 1)).collect()),
            _ => {
                let keys = ["content", "entries", "path", "more", "", "ü", "items"];
                let key = |chance: &mut Chance| keys[chance.below(keys.len() as u64) as usize].to_owned();
                Json::Object((0..self.below(6)).map(|_| (key(self), self.value(depth - 1))).collect())
            }
        }
    }
}

/// The first part, and what follows it.
struct Parts {
    first: Json,
    rest: Vec<Json>,
    extent: Option<Extent>,
}

/// Reads an answer in parts, as `ns call --meta` does: the answer is made again for each part.
fn read(answer: &Value, bytes: u64) -> Parts {
    let Excerpt { answer: first, extent, .. } = excerpt(answer.clone(), bytes).expect("no limit");
    assert!(size(&first, u64::MAX).expect("no limit") <= bytes, "{first:?}");
    let mut next = extent.as_ref().and_then(|extent| extent.next_offset);
    let mut rest = Vec::new();
    while let Some(offset) = next {
        let written: Offset = offset.to_string().parse().expect("an offset reads back");
        assert_eq!(written, offset);
        let body = Body::of(answer, offset).expect("no limit").expect("there is more");
        let NextPart::Part(part) = read_on(&body, offset.number(), bytes).expect("no limit") else {
            panic!("{offset} of {answer:?}")
        };
        assert!(size(&part.answer, u64::MAX).expect("no limit") <= bytes, "{:?}", part.answer);
        rest.push(json!(part.answer));
        next = part.extent.and_then(|extent| extent.next_offset);
        assert!(next.is_none_or(|next| next.number() > offset.number()), "it goes on: {offset}");
    }
    Parts { first: json!(first), rest, extent }
}

/// Puts the parts together.
fn whole(Parts { first, rest, extent }: Parts, answer: &Json) -> Json {
    let Some(extent) = extent.filter(|extent| extent.truncated) else { return first };
    if extent.unit == "bytes of JSON" {
        let text: String = [first].iter().chain(&rest).map(|part| part.as_str().expect("a text")).collect();
        return serde_json::from_str(&text).expect("JSON");
    }
    let key = first.as_object().and_then(|map| map.keys().find(|key| first[*key] != answer[*key]).cloned());
    let mut all = first.clone();
    let body = match key {
        Some(key) => &mut all[key],
        None => &mut all,
    };
    for part in rest {
        match (&mut *body, part) {
            (Json::String(text), Json::String(part)) => text.push_str(&part),
            (Json::Array(list), Json::Array(part)) => list.extend(part),
            (body, part) => panic!("{body} and {part}"),
        }
    }
    all
}

#[test]
fn parts_of_any_size_are_the_whole_answer() {
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    let (mut cut, mut as_json) = (0, 0);
    for _ in 0..1_000 {
        let json = chance.value(3);
        let answer = from_text(&json.to_string()).expect("a value");
        for bytes in [LEAST, LEAST + 1, 80, 100, 128, 200, 500, 1_000, 4_000, 1 << 20] {
            // Each part is cut from the whole again.
            if json.to_string().len() as u64 > 2_000 + 100 * (bytes - LEAST) {
                continue;
            }
            let parts = read(&answer, bytes);
            let extent = parts.extent.clone();
            assert_eq!(whole(parts, &json), json, "{bytes} bytes");
            cut += usize::from(extent.as_ref().is_some_and(|extent| extent.truncated));
            as_json += usize::from(extent.is_some_and(|extent| extent.unit == "bytes of JSON"));
        }
    }
    assert!(cut > 1_000 && as_json > 100 && cut - as_json > 100, "{cut} are cut, {as_json} of them as JSON");
}

#[test]
fn an_element_that_no_longer_fits_says_what_it_needs() {
    let long = "x".repeat(300);
    let answer = from_text(&json!(["a", long, "b"]).to_string()).expect("a value");
    let body = Body::of(&answer, Offset::Unit(1)).expect("no limit").expect("a list");
    let NextPart::Needs(least) = read_on(&body, 1, 100).expect("no limit") else { panic!("it does not fit") };
    assert_eq!(least, 302 + 3 + MARGIN);
    for (bytes, fits) in [(least - 1, false), (least, true)] {
        let next = read_on(&body, 1, bytes).expect("no limit");
        assert_eq!(matches!(next, NextPart::Part(_)), fits, "{bytes}");
    }
    // A server, whose clients cannot ask for more, returns the rest as JSON.
    let rest = rest_as_json(&body, 1, 100).expect("no limit");
    assert_eq!(rest.extent.expect("an extent").unit, "bytes of JSON");
}
