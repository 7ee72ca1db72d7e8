//! The display of plans.

use crate::plan::Place;

const SCRIPT: &str = r#"EMIT "said"
MUST FS.WriteFile("a.txt", "one\n<script>alert(1)</script>\n")
MUST FS.WriteFile("n/<b>.txt", "x\n")
MUST FS.MoveFile("b.txt", "d/b.txt")
MUST FS.DeleteFile("d/deep", recursive: true)"#;

#[test]
fn as_a_tree_with_differences() {
    let place = Place::new();
    let shown = place.ns(0, &["run", "--plan", "-e", SCRIPT]).stdout;
    let wanted = "said
plan: the run would change
~ a.txt     +1 -1
  d/
>   b.txt   from b.txt
-   deep/    1 file (2 bytes)
+ n/
+   <b>.txt  +1
";
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(squeezed(&shown).starts_with(&squeezed(wanted)), "{shown}");
    assert!(shown.contains("--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+<script>"), "{shown}");
    assert!(shown.contains("2 created, 1 changed, 1 moved, 1 deleted with 1 file (2 bytes)"), "{shown}");
}

#[test]
fn nothing_to_change() {
    let place = Place::new();
    let shown = place.ns(0, &["run", "--plan", "-e", "EMIT FS.ReadFile(\"b.txt\")[\"content\"]"]).stdout;
    assert_eq!(shown, "b\n\nplan: nothing would be changed\n");
}

#[test]
fn output_of_the_script_is_no_part_of_a_plan_for_programs() {
    let place = Place::new();
    let ran = place.ns(0, &["run", "--plan=json", "-e", SCRIPT]);
    let plan: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!((plan["plan"].as_i64(), plan["changes"].as_array().map(Vec::len)), (Some(1), Some(5)));
    assert_eq!(ran.stderr, "said\n");
}

#[test]
fn a_page_holds_nothing_that_runs_or_is_fetched() {
    let place = Place::new();
    let ran = place.ns(0, &["run", "--plan=html", "-e", SCRIPT]);
    let page = ran.stdout;
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"), "{page}");
    for strange in ["<script", "<b>", "http:", "https:", "src=", "href=", "url("] {
        assert!(!page.contains(strange), "{strange}: {page}");
    }
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{page}");
    assert!(page.contains("<td class=\"number\">2</td><td class=\"deleted\">two</td>"), "{page}");
    assert!(page.contains("default-src 'none'"), "{page}");
}

/// A directory that is deleted or created as a whole is one line with a count of its contents, without entries that
/// are moved out of it.
#[test]
fn a_directory_is_told_with_what_is_in_it() {
    let place = Place::new();
    let shown = |words: &[&str]| place.ns(0, words).stdout;
    let planned = shown(&["run", "--plan", "-e", "MUST FS.DeleteFile(\"d\", recursive: true)"]);
    assert!(planned.contains("- d/  2 files (4 bytes)"), "{planned}");
    assert!(planned.contains("1 deleted with 2 files (4 bytes)"), "{planned}");
    let script = "MUST FS.MoveFile(\"d/deep\", \"kept\")\nMUST FS.DeleteFile(\"d\", recursive: true)";
    let planned = shown(&["run", "--plan", "-e", script]);
    assert!(planned.contains("1 moved, 1 deleted with 1 file (2 bytes)"), "{planned}");

    place.ns(0, &["run", "-e", "MUST FS.DeleteFile(\"d\", recursive: true)"]);
    assert!(shown(&["show"]).contains("1 deleted with 2 files (4 bytes)"));
    let planned = shown(&["undo", "--plan"]);
    assert!(planned.contains("+ d/  2 files (4 bytes)") && planned.contains("1 created with 2 files"), "{planned}");

    // The run creates the directory file by file; the undo deletes it as a whole.
    place.ns(0, &["run", "-e", "MUST FS.WriteFile(\"p/one\", \"1\")\nMUST FS.WriteFile(\"p/two\", \"22\")"]);
    assert!(shown(&["show"]).contains("3 created"));
    let planned = shown(&["undo", "--plan"]);
    assert!(planned.contains("- p/  2 files (3 bytes)"), "{planned}");
    place.ns(0, &["run", "-e", "MUST FS.CopyFile(\"p\", \"q\", recursive: true)"]);
    assert!(shown(&["show"]).contains("+ q/  2 files (3 bytes)"));
}

#[test]
fn programs_are_told_what_is_in_a_directory() {
    let place = Place::new();
    let plan = place.plan("MUST FS.DeleteFile(\"d\", recursive: true)");
    let read: serde_json::Value = serde_json::from_slice(&std::fs::read(&plan).expect("a plan")).expect("JSON");
    assert_eq!(read["changes"][0]["holds"], serde_json::json!({"files": 2, "bytes": 4}));
    let applied = place.apply(0, &plan);
    assert!(applied.stderr.contains("done (1 change)"), "{}", applied.stderr);
    let shown = place.ns(0, &["--output", "json", "show"]).stdout;
    let shown: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
    assert_eq!((&shown["changes"][0]["files"], &shown["changes"][0]["bytes"]), (&2.into(), &4.into()));
}
