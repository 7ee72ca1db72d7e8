//! Random trees, and random calls of `find` on them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Map, Value as Json, json};

use crate::support::dice::Dice;

/// Names that share prefixes, followed by characters below and above `/`.
const NAMES: &[&str] = &[
    "a",
    "b",
    "ab",
    "a.txt",
    "a-b",
    "a b",
    "a!",
    "a0",
    ".h",
    ".hid.rs",
    "src",
    "target",
    "x.rs",
    "y.RS",
    "Z.rs",
    "é",
    "日本.md",
    "a\nb",
    "'q'",
    "\"d\"",
    "[a]",
    "{b}",
    "*",
    "x.",
    ".x.y",
    "-r",
    "🙂.txt",
    "B",
];
const FOLDERS: &[&str] = &["a", "b", "ab", "src", "target", ".git2", ".h", "a.d", "a-d", "é"];
const LINKS: &[&str] =
    &["..", "../..", ".", "a", "b", "src", "../a", "../src", "nowhere", "/etc", "../../..", "x.rs", "ab"];
const PATTERNS: &[&str] = &[
    "*",
    "*.rs",
    "a*",
    "?",
    "a?b",
    "[ab]",
    "[!a]*",
    "*.{rs,txt}",
    "src",
    "src/",
    "a/*",
    "a/**",
    "**/a",
    "**/x.rs",
    "src/**/*.rs",
    "*/*",
    "*/a/*",
    "{a,src}/*",
    "{a/b,src}/**",
    "é*",
    "a/**/b",
    "**",
    "./a/*",
    "**/",
    "\\*",
    "\\[a\\]",
    ".*",
    "*.*",
];

/// Fills the directory of a tree.
pub fn fill(dice: &mut Dice, folder: &Path) {
    fill_below(dice, folder, 0);
}

fn fill_below(dice: &mut Dice, folder: &Path, depth: usize) {
    for _ in 0..2 + dice.below(7) {
        let path = folder.join(dice.pick(NAMES));
        if path.symlink_metadata().is_ok() {
            continue;
        }
        match dice.below(8) {
            0 => symlink(dice.pick(LINKS), path).expect("a link of the tree"),
            1 if fs::hard_link(folder.join(dice.pick(NAMES)), &path).is_ok() => {}
            _ => {
                fs::write(&path, "x".repeat(dice.below(3) * dice.below(2000))).expect("a file of the tree");
                let time =
                    Duration::new(1_600_000_000 + 100 * dice.below(5) as u64, 250_000_000 * dice.below(4) as u32);
                let file = fs::File::options().write(true).open(&path).expect("a file of the tree");
                file.set_modified(UNIX_EPOCH + time).expect("a time of the tree");
            }
        }
    }
    for _ in 0..dice.below(4) + usize::from(depth == 0) {
        let path = folder.join(dice.pick(FOLDERS));
        if depth < 4 && path.symlink_metadata().is_err() {
            fs::create_dir(&path).expect("a folder of the tree");
            fill_below(dice, &path, depth + 1);
        }
    }
}

/// Returns random arguments of a call.
pub fn call(dice: &mut Dice) -> Json {
    let mut args = Map::new();
    if dice.one_in(3) {
        let patterns: Vec<String> = (0..1 + dice.below(3)).map(|_| pattern(dice)).collect();
        let one = if patterns.len() == 1 { json!(patterns[0]) } else { json!(patterns) };
        args.insert("pattern".to_owned(), one);
    } else if dice.one_in(2) {
        args.insert("pattern".to_owned(), json!(dice.pick(PATTERNS)));
    }
    let mut option = |name: &str, chances: usize, value: &dyn Fn(&mut Dice) -> Json| {
        if dice.one_in(chances) {
            args.insert(name.to_owned(), value(dice));
        }
    };
    option("type", 2, &|dice| json!(dice.pick(&["file", "directory", "link", "all"])));
    option("depth", 4, &|dice| json!(1 + dice.below(3)));
    option("hidden", 3, &|dice| json!(dice.one_in(2)));
    option("follow", 3, &|_| json!(true));
    option("ignore_case", 6, &|_| json!(true));
    option("min_size", 8, &|dice| dice.pick(&["1", "1K", "1.5 KB"]).into());
    option("max_size", 8, &|dice| json!(dice.pick(&[0, 1000, 2000])));
    option("newer_than", 8, &|_| json!("2020-09-13T12:30:00Z"));
    option("older_than", 8, &|_| json!("2020-09-13T12:30:00Z"));
    option("sort", 3, &|dice| json!(dice.pick(&["path", "name", "size", "modified", "extension"])));
    option("descending", 4, &|_| json!(true));
    option("identity", 3, &|_| json!(true));
    option("limit", 6, &|dice| json!(dice.below(6)));
    Json::Object(args)
}

fn pattern(dice: &mut Dice) -> String {
    format!("{}{}", if dice.one_in(3) { "!" } else { "" }, dice.pick(PATTERNS))
}
