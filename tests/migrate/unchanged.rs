//! No migration changes a valid program of ours.

use super::{migrated, syntax_errors};
use crate::format::program::program;
use crate::support::package_files;

#[test]
fn generated_programs_keep_their_bytes() {
    let count = if std::env::var_os("NS_LONG").is_some() { 10_000 } else { 300 };
    for seed in 0..count {
        let text = program(seed).text;
        assert_eq!(syntax_errors(&text), [""; 0], "seed {seed}");
        assert_eq!(migrated(&text).text, text, "seed {seed}");
    }
}

#[test]
fn the_scripts_of_the_repository_keep_their_bytes() {
    let files = package_files("scripts", &["ns"]);
    assert!(files.len() > 3);
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a script");
        let migration = migrated(&text);
        assert_eq!(migration.text, text, "{}", file.display());
        assert_eq!(migration.notes, [], "{}", file.display());
    }
}

/// Names and comments of ours that look like words of upstream.
#[test]
fn scripts_of_ours_that_look_like_upstream_keep_their_bytes() {
    let texts = [
        "DEFINE PROCEDURE F(error_code)\n  ON ERROR DO\n    EMIT error_code\n  END\n  EMIT error_code, [[error_code]]\nEND\n",
        "func f(needs a optional b: 1) means\n  emit [[a]], [[b]]\nendfunc\n",
        "func f(\n  needs a,\n  b\n) means\n  emit [[b]], [[a, 1], [b]]\nendfunc\n",
        "EMIT [[ARGS]]\nON ERROR DO\n  EMIT [[LAST_ERROR]]\nEND\n",
        "comment: emit no x\n  emit tool.str.ToUpper(\"x\")\nendcomment\nemit 1\n",
        "COMMENT:\n  the word ENDCOMMENT closes\n  emit tool.str.ToUpper(\"x\")\nENDCOMMENT\nemit 1\n",
        "set no = [1]\nset some = 1\nemit no [0], some - 1\n",
        "set LLM = 1\nset a = LLM\n",
        "EMIT LEN([\n  1,\n\n\n  2])\n",
    ];
    for text in texts {
        assert_eq!(syntax_errors(text), [""; 0], "{text}");
        let migration = migrated(text);
        assert_eq!((migration.text.as_str(), migration.notes), (text, Vec::new()));
    }
}

#[test]
fn texts_that_are_no_scripts_end() {
    let deep = "(".repeat(100_000);
    let brackets = "[[".repeat(100_000);
    let lists = "set a = [[1]],".to_owned() + &"[[1]],".repeat(50_000);
    let lines = "call f(".to_owned() + &"\n".repeat(1_000_000);
    let open = "call f([[ :(( ]]".to_owned() + &", [[ :(( ]]".repeat(20_000) + ")";
    let closing = "func f needs ".to_owned() + &")".repeat(200_000);
    let blocks = "if a\n".repeat(50_000) + &"set a = 1\n".repeat(50_000);
    let no = "emit ".to_owned() + &"no ".repeat(100_000) + "x";
    let texts = [&deep, &brackets, &lists, &lines, &closing, &blocks, &no].map(String::as_str);
    for text in texts.into_iter().chain(["", "\u{feff}", "[[", "\"", "'''", "COMMENT:", "::", "call", "set"]) {
        assert_eq!(migrated(text).text, text);
    }
    assert_eq!(migrated(&open).text, open.replace("[[", "'''").replace("]]", "'''"));
}
