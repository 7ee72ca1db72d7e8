//! Odd texts: the result is right, or the tool reports why it cannot be; nothing panics or hangs.

use serde_json::{Value as Json, json};

use crate::edits::Bench;
use crate::support::dice::Dice;

const PIECES: [(&str, &[&str]); 3] = [
    (
        "JSON",
        &[
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"a\"",
            "\"a\":",
            "1",
            " ",
            "\n",
            "null",
            "\"\\u0061\"",
            "\u{feff}",
            "\r\n",
            "\t",
        ],
    ),
    (
        "TOML",
        &[
            "a",
            "b",
            ".",
            "=",
            "[",
            "]",
            "[[",
            "]]",
            "{",
            "}",
            ",",
            "1",
            "\"a\"",
            "'b'",
            "\n",
            "#c",
            "a=1\n",
            "[a]\n",
            "[[a]]\n",
            "[a.b]\n",
            "a.b=1\n",
            " ",
            "\"\"\"",
            "\r\n",
            "a={b=1}\n",
            "a=[1]\n",
            "\u{feff}",
        ],
    ),
    (
        "YAML",
        &[
            "- ",
            "-",
            "a: ",
            "b: ",
            ":",
            "? ",
            "[",
            "]",
            "{",
            "}",
            ",",
            "a",
            "&x ",
            "*x",
            "!t ",
            "!!str ",
            "\n",
            "\n  ",
            "\n    ",
            " #c",
            "'q'",
            "\"d\"",
            "|\n  l",
            ">-\n  l",
            "|+\n  l\n\n",
            "---\n",
            "...\n",
            "<<: ",
            "\t",
            "\r\n",
            "1",
            "a: 1\n",
            "- a\n",
            "\u{feff}",
        ],
    ),
];

/// Changes a text at several paths. The results must have the expected values.
fn changes(bench: &Bench, form: &str, text: &str) -> usize {
    let Ok(value) = bench.parse(form, text.trim_start_matches('\u{feff}')) else { return 0 };
    let mut done = 0;
    for (path, pointer) in [("a", "/a"), ("a.b", "/a/b"), ("[0]", "/0"), ("a[0]", "/a/0"), ("b", "/b")] {
        for new in [json!("w"), json!({"k": [1]}), json!("l\nm\n")] {
            let Ok(made) = bench.set(form, text, path, &new) else { continue };
            let read = bench
                .parse(form, made.trim_start_matches('\u{feff}'))
                .unwrap_or_else(|error| panic!("{error}: {text:?} {made:?}"));
            assert_eq!(read.pointer(pointer), Some(&new), "{form} {path}: {text:?} became {made:?}");
            done += 1;
        }
        let Some(old) = value.pointer(pointer) else { continue };
        let Ok(made) = bench.remove(form, text, path) else { continue };
        let read = bench
            .parse(form, made.trim_start_matches('\u{feff}'))
            .unwrap_or_else(|error| panic!("{error}: {text:?} {made:?}"));
        let is_list = path.ends_with(']');
        assert!(
            is_list || read.pointer(pointer).is_none_or(Json::is_null),
            "{form} {path} {old}: {text:?} became {made:?}"
        );
        done += 1;
    }
    done
}

#[test]
fn texts_of_odd_pieces() {
    let seed = std::env::var("NS_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let rounds = if std::env::var_os("NS_LONG").is_some() { 200_000 } else { 3_000 };
    let (bench, mut dice) = (Bench::open(), Dice::new(seed));
    for (form, pieces) in PIECES {
        let done: usize = (0..rounds)
            .map(|_| {
                let text: String = (0..1 + dice.below(9)).map(|_| dice.pick(pieces)).collect();
                changes(&bench, form, &text)
            })
            .sum();
        assert!(done > rounds / 200, "{form}: {done} changes of {rounds} texts");
    }
}

#[test]
fn texts_that_are_very_deep_or_long() {
    let bench = Bench::open();
    let deep = 100_000;
    let texts = [
        ("JSON", "[".repeat(deep) + &"]".repeat(deep)),
        ("JSON", "{\"a\":".repeat(deep) + "1" + &"}".repeat(deep)),
        ("TOML", format!("a = {}{}", "[".repeat(deep), "]".repeat(deep))),
        ("TOML", format!("a{} = 1", ".a".repeat(deep))),
        ("TOML", format!("[a{}]", ".a".repeat(deep))),
        ("YAML", "[".repeat(deep) + &"]".repeat(deep)),
        ("YAML", "- ".repeat(deep) + "a"),
        ("YAML", "a: &a 1\n".to_owned() + "? "),
    ];
    for (form, text) in texts {
        let path = "a".to_owned() + &".a".repeat(deep);
        for path in ["a", "[0]", "", &path] {
            let _ = bench.set(form, &text, path, &json!(1));
            let _ = bench.remove(form, &text, path);
        }
    }
    let long: String = (0..20_000).map(|number| format!("k{number}: v # c{number}\n")).collect();
    let made = bench.set("YAML", &long, "k19999", &json!("w")).expect("it is there");
    assert_eq!(made, long.replace("k19999: v", "k19999: w"));
    let long: String = (0..20_000).map(|number| format!("k{number} = 1 # c{number}\n")).collect();
    let made = bench.remove("TOML", &long, "k10000").expect("it is there");
    assert_eq!(made, long.replace("k10000 = 1 # c10000\n", ""));
    let path = "a".to_owned() + &".a".repeat(deep);
    for (form, text) in [("JSON", "{}"), ("TOML", ""), ("YAML", "{}")] {
        assert!(bench.set(form, text, &path, &json!(1)).is_err_and(|error| error.contains("nest")), "{form}");
    }
}
