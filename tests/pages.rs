//! Pages of a file, read in any order and while other programs change the file, equal those that a new process reads,
//! although the engine remembers between calls where lines begin.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;

use neuroscript::engine::{Engine, Options, Value};
use serde_json::{Value as Json, json};

use crate::support::dice::Dice;

/// Age of the last change from which the engine remembers where lines begin.
const SETTLED: Duration = Duration::from_millis(60);

/// A way in which the text is written, and the argument `encoding` with which it is read.
pub struct Form {
    pub name: &'static str,
    pub encoding: Option<&'static str>,
    pub bytes: fn(&str) -> Vec<u8>,
}

pub const FORMS: &[Form] = &[
    Form { name: "utf-8", encoding: None, bytes: |text| text.into() },
    Form { name: "utf-8, named", encoding: Some("utf-8"), bytes: |text| text.into() },
    Form { name: "utf-8 with a mark", encoding: None, bytes: |text| format!("\u{feff}{text}").into() },
    Form { name: "utf-8 with bad bytes", encoding: Some("utf-8"), bytes: spoilt },
    Form { name: "guessed", encoding: None, bytes: latin1 },
    Form { name: "guessed, late", encoding: None, bytes: |text| [ascii(text), latin1(text)].concat() },
    Form { name: "auto", encoding: Some("auto"), bytes: latin1 },
    Form { name: "latin-1", encoding: Some("latin-1"), bytes: latin1 },
    Form { name: "windows-1252", encoding: Some("windows-1252"), bytes: latin1 },
    Form { name: "shift_jis", encoding: Some("shift_jis"), bytes: shift_jis },
    Form { name: "iso-2022-jp", encoding: Some("iso-2022-jp"), bytes: iso_2022_jp },
    Form { name: "iso-2022-jp, Roman", encoding: Some("iso-2022-jp"), bytes: iso_2022_jp_roman },
    Form { name: "lines that end in CR", encoding: None, bytes: |text| text.replace('\n', "\r").into() },
    Form {
        name: "utf-16le, lines that end in CR",
        encoding: Some("utf-16le"),
        bytes: |text| utf16le(&text.replace('\n', "\r")),
    },
    Form { name: "utf-16le", encoding: Some("utf-16le"), bytes: utf16le },
    Form { name: "utf-16 with a mark", encoding: None, bytes: |text| utf16le(&format!("\u{feff}{text}")) },
    Form { name: "utf-16be", encoding: Some("utf-16be"), bytes: utf16be },
];

fn latin1(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect()
}

fn ascii(text: &str) -> Vec<u8> {
    latin1(text).into_iter().map(|byte| byte & 0x7f).filter(|byte| *byte != 0).collect()
}

fn spoilt(text: &str) -> Vec<u8> {
    let mut bytes: Vec<u8> = text.into();
    let middle = bytes.len() / 2;
    bytes.splice(middle..middle, *b"\xff\n\xc3\n\xe2\x82");
    bytes
}

fn shift_jis(text: &str) -> Vec<u8> {
    let character = |c: char| if c.is_ascii() { vec![c as u8] } else { vec![0x83, 0x5c] };
    text.chars().flat_map(character).collect()
}

fn iso_2022_jp(text: &str) -> Vec<u8> {
    let character = |c: char| if c.is_ascii() { vec![c as u8] } else { b"\x1b$B$\"\x1b(B".to_vec() };
    text.chars().flat_map(character).collect()
}

/// Stays in the Roman set at the ends of most lines, and has sequences that are cut off or of no character.
fn iso_2022_jp_roman(text: &str) -> Vec<u8> {
    let character = |c: char| match c {
        'é' => b"\x1b$B$\"\x1b(J".to_vec(),
        'ü' => b"\x1b(B\\".to_vec(),
        'ÿ' => b"\x1b\x1b(J~".to_vec(),
        c => vec![c as u8],
    };
    text.chars().flat_map(character).collect()
}

fn utf16le(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn utf16be(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_be_bytes).collect()
}

/// Returns lines of any length with ends of any kind.
pub fn text(dice: &mut Dice, lines: usize) -> String {
    let mut text = String::new();
    for number in 0..lines {
        text.push_str(&number.to_string());
        (0..dice.below(120)).for_each(|_| text.push(dice.pick(&['a', 'é', 'ÿ', ' ', '\t', 'z', 'ü'])));
        if dice.one_in(400) {
            (0..70_000).for_each(|_| text.push(dice.pick(&['a', 'é'])));
        }
        text.push_str(dice.pick(&["\n", "\n", "\n", "\r\n", "\r\n", "\r", "\n\r"]));
    }
    text
}

fn engine(root: &Path) -> Engine {
    let options = Options { sandbox: Some(root.to_owned()), state: Some(root.join("state")), ..Options::default() };
    Engine::open(&options).unwrap_or_else(|error| panic!("no engine: {:?}", error.findings))
}

fn page(engine: &Engine, args: &Json) -> String {
    let args: Value = serde_json::from_value(args.clone()).expect("every argument is a value");
    match engine.call("read_file", &args) {
        Ok(value) => serde_json::to_string(&value).expect("every value is JSON"),
        Err(error) => error.message.to_string(),
    }
}

/// Makes a change that may by chance leave the same bytes.
fn change_perhaps(dice: &mut Dice, path: &Path) {
    let mut bytes = fs::read(path).expect("it is read");
    let half = bytes.len() / 2;
    match dice.below(4) {
        0 => {
            let file = fs::OpenOptions::new().write(true).open(path).expect("it is opened");
            let at = dice.below(half) as u64 * 2;
            let end: &[u8] = dice.pick(&[b"\n\0", b"\0\n", b"\n\n", b"ab"]);
            return file.write_all_at(end, at).expect("it is written");
        }
        1 => bytes.extend_from_slice(b"more\n\0\n"),
        2 => drop(bytes.drain(..dice.below(half / 4) * 2)),
        _ => bytes.rotate_left(dice.below(half) * 2),
    }
    if dice.one_in(3) {
        let other = path.with_extension("other");
        fs::write(&other, bytes).and_then(|()| fs::rename(&other, path)).expect("it is put in its place");
    } else {
        fs::write(path, bytes).expect("it is written");
    }
}

/// Changes the content of the file as another program would: a few bytes in place, or all of it, in the same file or in
/// another one of the same name.
fn change(dice: &mut Dice, path: &Path) {
    let before = fs::read(path).expect("it is read");
    while fs::read(path).expect("it is read") == before {
        change_perhaps(dice, path);
    }
    if dice.one_in(2) {
        std::thread::sleep(SETTLED);
    }
}

#[test]
fn pages_are_those_of_a_process_that_has_read_nothing_before() {
    let mut read = 0;
    for (number, form) in FORMS.iter().enumerate() {
        let place = tempfile::tempdir().expect("a folder");
        let root = place.path().join("root");
        fs::create_dir(&root).expect("a folder");
        let mut dice = Dice::new(number as u64 + 7);
        let path = root.join("log.txt");
        let lines = 2000;
        fs::write(&path, (form.bytes)(&text(&mut dice, lines))).expect("a file");
        std::thread::sleep(SETTLED);
        let long_lived = engine(&root);
        let mut skip = 0;
        for turn in 0..25 {
            skip = match dice.below(4) {
                0 => dice.below(lines + 200),
                1 => skip.saturating_sub(500),
                _ => skip + 100,
            };
            let mut args = json!({ "path": "log.txt", "skip_lines": skip, "max_lines": 1 + dice.below(200) });
            if let Some(encoding) = form.encoding {
                args["encoding"] = encoding.into();
            }
            let found = page(&long_lived, &args);
            // Each thread remembers for itself, so a new one has read nothing before.
            let expected = std::thread::scope(|scope| {
                scope.spawn(|| page(&engine(&root), &args)).join().expect("the thread ends")
            });
            let shown = |page: &str| page.chars().take(300).collect::<String>();
            assert!(found == expected, "{}, page {turn}: {args}\n{}\n{}", form.name, shown(&found), shown(&expected));
            read += usize::from(found.contains("\"error\":null"));
            if dice.one_in(8) {
                change(&mut dice, &path);
            }
        }
    }
    assert!(read > 12 * FORMS.len(), "only {read} pages were read");
}
