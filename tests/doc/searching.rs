//! Words of newcomers, of other languages and of the product find their page.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use std::collections::BTreeSet;
use std::fs;

use super::{doc, titles};
use crate::support::package;

#[test]
fn names_find_their_pages_in_any_spelling() {
    for (words, begins) in [
        (&["for", "each"][..], "FOR EACH name IN list"),
        (&["On Error"], "ON ERROR AS err DO"),
        (&["len"], "LEN(value)"),
        (&["tool.fs.walkdir"], "FS.WalkDir("),
        (&["read_file"], "FS.ReadFile("),
        (&["ns0101"], "NS0101: a name that nothing sets"),
        (&["not_found"], "not_found: "),
        (&["{{"], "```text with {{name}}```"),
        (&["json"], "JSON: JSON texts"),
    ] {
        let ran = doc(words);
        assert!(ran.code == 0 && ran.stdout.starts_with(begins), "{words:?}: {}{}", ran.stdout, ran.stderr);
    }
    let both = doc(&["STR"]).stdout;
    assert!(both.starts_with("STR(value)") && both.contains("STR.Upper"), "{both}");
}

#[test]
fn a_name_that_is_none_gets_the_nearest() {
    for (name, near) in [
        ("FS.WalkDri", "FS.WalkDir"),
        ("FS.Reed", "FS.ReadFile"),
        ("STR.Uper", "STR.Upper"),
        ("whlie", "WHILE"),
        ("not_fuond", "not_found"),
        ("Lenn", "LEN"),
    ] {
        let ran = doc(&[name]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{name}");
        assert!(ran.stderr.contains(&format!("did you mean `{near}")), "{name}: {}", ran.stderr);
    }
    assert!(doc(&["MATH.Cuberoot"]).stderr.contains("`ns doc MATH` lists"));
    assert!(doc(&["MATH.Sqrt"]).stdout.starts_with("SQRT(number)"));
    assert!(doc(&["xyzzyxyzzy"]).stderr.contains("`ns doc` lists"));
}

/// Words that newcomers look for, and the beginning of a line among the first three answers.
const WORDS: [(&str, &str); 74] = [
    ("concatenate", "STR.Join"),
    ("disk usage", "FS.Find"),
    ("folder size", "FS.Find"),
    ("temp file", "FS.TempDirectory"),
    ("merge files", "FS.AppendFile"),
    ("append to file", "FS.AppendFile"),
    ("rename", "FS.MoveFile"),
    ("delete folder", "FS.DeleteFile"),
    ("copy folder", "FS.CopyFile"),
    ("make directory", "FS.CreateDirectory"),
    ("mkdir", "FS.CreateDirectory"),
    ("list files", "FS.ListDirectory"),
    ("find files", "FS.Find"),
    ("glob", "FS.Find"),
    ("grep", "FS.SearchFiles"),
    ("search in files", "FS.SearchFiles"),
    ("file size", "FS.FileInfo"),
    ("modified time", "FS.FileInfo"),
    ("chmod", "FS.SetPermissions"),
    ("permissions", "FS.SetPermissions"),
    ("touch", "FS.SetModified"),
    ("utime", "FS.SetModified"),
    ("set mtime", "FS.SetModified"),
    ("same file", "FS.FileInfo"),
    ("zcat", "FS.ReadFile"),
    ("zgrep", "FS.SearchFiles"),
    ("namelist", "FS.ListArchive"),
    ("list archive", "FS.ListArchive"),
    ("gunzip", "FS.Extract"),
    ("urldecode", "STR.UrlDecode"),
    ("unquote", "STR.UrlDecode"),
    ("encodeURIComponent", "STR.UrlEncode"),
    ("sha256", "HASH.Sha256"),
    ("checksum", "HASH.Sha256"),
    ("unzip", "FS.Extract"),
    ("tar", "FS.Compress"),
    ("count lines", "FS.LineCount"),
    ("read file", "FS.ReadFile"),
    ("head of file", "FS.ReadFile"),
    ("write file", "FS.WriteFile"),
    ("replace text", "STR.Replace"),
    ("diff", "FS.DiffFiles"),
    ("split string", "STR.Split"),
    ("join", "STR.Join"),
    ("uppercase", "STR.Upper"),
    ("trim", "STR.Trim"),
    ("substring", "STR.Sub"),
    ("length", "STR.Length"),
    ("sort", "LIST.Sort"),
    ("unique", "LIST.Unique"),
    ("set union", "LIST.Unique"),
    ("queue", "LIST.Append"),
    ("stack", "LIST.Append"),
    ("getenv", "ENV.Get"),
    ("environment variable", "ENV.Get"),
    ("try catch", "ON ERROR"),
    ("exception", "ON ERROR"),
    ("throw", "FAIL"),
    ("exit", "FAIL"),
    ("assert", "MUST"),
    ("import", "USE"),
    ("lambda", "DEFINE PROCEDURE"),
    ("for loop", "FOR EACH"),
    ("switch", "IF"),
    ("input", "IO.Input"),
    ("print", "EMIT"),
    ("uuid", "UUID"),
    ("type of", "TYPEOF"),
    ("dry run", "ns run --plan"),
    ("preview", "ns run --plan"),
    ("sandbox", "ns doctor"),
    ("agent", "ns mcp"),
    ("lint", "ns check"),
    ("rollback", "ns undo"),
];

#[test]
fn what_newcomers_look_for_is_among_the_first_three_answers() {
    for (words, wanted) in WORDS {
        let ran = doc(&words.split(' ').collect::<Vec<_>>());
        assert_eq!(ran.code, 0, "{words}: {}", ran.stderr);
        let answers: Vec<&str> = ran.stdout.lines().filter(|line| !line.starts_with("no page")).take(3).collect();
        assert!(answers.iter().any(|line| line.trim_start().starts_with(wanted)), "{words}: {}", ran.stdout);
    }
}

/// A search for something that scripts cannot do shows the reason, and pages about the alternatives.
#[test]
fn what_there_is_not_is_answered_with_what_to_do_instead() {
    for (words, reason) in [
        ("http", "no access to the network"),
        ("http request", "no access to the network"),
        ("requests.get", "no access to the network"),
        ("download a file", "no access to the network"),
        ("email", "no access to the network"),
        ("sleep", "does not wait"),
        ("time.sleep", "does not wait"),
        ("cron", "does not wait"),
        ("exec", "starts no other programs"),
        ("run a program", "starts no other programs"),
        ("os.system", "starts no other programs"),
        ("async", "one thing after another"),
        ("hard link", "no tool makes a hard link"),
        ("hardlink", "no tool makes a hard link"),
        ("chown", "no tool changes owners"),
        ("database", "no tool opens a database"),
        ("class", "has no classes"),
        ("encrypt", "no tool encrypts"),
        ("parse html", "no tool parses HTML"),
        ("print pdf", "no tool reads the content"),
        ("window", "has no windows"),
        ("resize image", "no tool changes an image"),
        ("llm", "no provider"),
        ("disk space", "how much space is free"),
    ] {
        let ran = doc(&words.split(' ').collect::<Vec<_>>());
        let text = ran.stdout.replace('\n', " ").to_lowercase();
        assert!(ran.code == 0 && text.contains(&reason.to_lowercase()), "{words}: {}{}", ran.stdout, ran.stderr);
        let (_, see) = ran.stdout.split_once("\nSee\n").expect("pages to see");
        assert!(see.lines().take_while(|line| !line.is_empty()).count() >= 2, "{words}: {}", ran.stdout);
    }
    for words in ["zebra", "xyzzyxyzzy", "quux"] {
        let ran = doc(&[words]);
        assert!(ran.code == 2 && !ran.stderr.contains("did you mean"), "{words}: {}", ran.stderr);
    }
}

/// A word of the product, and the beginning of the first line of its page.
const PRODUCT_WORDS: [(&str, &str); 72] = [
    ("state", "The directory .ns"),
    (".ns", "The directory .ns"),
    ("state directory", "The directory .ns"),
    ("policy", "The policy"),
    ("neuroscript.toml", "The policy"),
    ("sandbox", "2. Security and Sandboxing"),
    ("escape", "2. Security and Sandboxing"),
    ("hard links", "No tool makes a hard link"),
    ("hard link", "No tool makes a hard link"),
    ("hardlinks", "No tool makes a hard link"),
    ("latin-1", "4. Encoding and Text Processing"),
    ("Latin1", "4. Encoding and Text Processing"),
    ("utf-16", "4. Encoding and Text Processing"),
    ("bom", "4. Encoding and Text Processing"),
    ("line endings", "4. Encoding and Text Processing"),
    ("encoding", "encoding: "),
    ("encodings", "4. Encoding and Text Processing"),
    ("undo", "ns undo"),
    ("redo", "ns redo"),
    ("limits", "[limits]"),
    ("quotas", "[limits]"),
    ("steps", "[limits]"),
    ("deadline", "[limits]"),
    ("memory limit", "[limits]"),
    ("backups", "7. Backup and Recovery"),
    ("backup", "7. Backup and Recovery"),
    ("trash", "7. Backup and Recovery"),
    (".ns/trash", "7. Backup and Recovery"),
    ("restore", "7. Backup and Recovery"),
    ("journal", "The journal"),
    ("fsync", "The journal"),
    ("crash", "The journal"),
    ("durability", "durability"),
    ("recovery", "Recovery"),
    ("plan", "ns run --plan"),
    ("plans", "Plans"),
    ("dry-run", "Plans"),
    ("overlay", "Plans"),
    ("atomic", "--atomic"),
    ("transaction", "9. Error Handling and Recovery"),
    ("all_or_nothing", "9. Error Handling and Recovery"),
    ("gitignore", "10. Integration with Development Tools"),
    (".gitignore", "10. Integration with Development Tools"),
    ("timeout", "--timeout"),
    ("memory", "MEMORY: "),
    ("project memory", "Memory"),
    ("exit codes", "Exit codes"),
    ("exit status", "Exit codes"),
    ("paths", "Paths"),
    ("roots", "Paths"),
    ("approval", "Approval"),
    ("secrets", "Blocked patterns"),
    ("lockdown", "Lockdown"),
    ("landlock", "Lockdown"),
    ("seccomp", "Lockdown"),
    ("audit", "ns audit"),
    ("audit log", "The audit log"),
    ("read-only", "--read-only"),
    ("foreign", "Foreign files in .ns"),
    ("ownership", "Foreign files in .ns"),
    ("seal", "Seals"),
    ("seals", "Seals"),
    ("session", "The session"),
    ("agents", "Agents"),
    ("mcp", "ns mcp"),
    ("golden files", "Testing scripts"),
    ("documents", "Documents"),
    ("retention", "Retention"),
    ("quota", "Making room"),
    ("conflict", "conflict: "),
    ("locks", "6. File System Monitoring"),
    ("large files", "5. Large File Handling"),
];

/// The first line is the heading of the page, and the answer says where to read on.
#[test]
fn words_of_the_product_lead_to_their_section() {
    for (word, heading) in PRODUCT_WORDS {
        let ran = doc(&["--", word]);
        let first = ran.stdout.lines().next().unwrap_or_default();
        assert!(ran.code == 0 && first.starts_with(heading), "{word}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.len() < 6_000, "{word}: {} bytes", ran.stdout.len());
        let leads_on = ["` prints the whole page", "`ns help ", "from docs/", "See\n", "is described in"];
        assert!(leads_on.iter().any(|lead| ran.stdout.contains(lead)), "{word}: {}", ran.stdout);
    }
}

/// Each word of the glossary finds something about itself, and each section of it exists.
#[test]
fn no_word_of_the_glossary_misses() {
    for term in &neuroscript::cli::TERMS {
        let page = fs::read_to_string(package(&format!("docs/{}.md", term.page))).expect("the page");
        assert!(titles(&page).iter().any(|title| title == term.title), "{}: {}", term.page, term.title);
        let file = format!("{}.md", term.page);
        assert_eq!(doc(&[&file]).stdout.trim_end(), page.trim_end(), "{file}");
        for word in term.words {
            let ran = doc(&["--", word]);
            let shown = ran.stdout.contains(&term.title.replace('`', ""));
            assert!(ran.code == 0 && shown, "{word}: {}{}", ran.stdout, ran.stderr);
            assert!(!ran.stdout.starts_with("no page is called"), "{word}: {}", ran.stdout);
        }
    }
    let words: Vec<&str> = neuroscript::cli::TERMS.iter().flat_map(|term| term.words.iter().copied()).collect();
    let unique: BTreeSet<&str> = words.iter().copied().collect();
    assert_eq!(unique.len(), words.len(), "a word stands for one section");
}
