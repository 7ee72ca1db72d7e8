//! Whole scripts of both dialects, and the report.

use neuroscript::engine::Verdict;

use super::{migrated, syntax_errors};

/// Returns the lines of the report that are not about what was rewritten.
fn open_points(text: &str) -> Vec<(usize, Verdict)> {
    let notes = migrated(text).notes.into_iter().filter(|note| note.verdict != Verdict::Rewritten);
    notes.map(|note| (note.line, note.verdict)).collect()
}

#[test]
fn heads_and_handlers_are_rewritten() {
    let pairs = [
        (
            "func f(optional c needs a, b returns r) means\nendfunc\n",
            "func f(needs a, b optional c returns r) means\nendfunc\n",
        ),
        ("func f returns r needs a means # x\nendfunc\n", "func f needs a returns r means # x\nendfunc\n"),
        ("on_error means\n  emit system_error_message\nendon\n", "on error as err do\n  emit err.message\nendon\n"),
        (
            "on error as e do\n  emit error_msg + error_code\nendon\n",
            "on error as e do\n  emit e.message + e.code\nendon\n",
        ),
        (
            "set err = 1\non error do\n  if err\n    emit system_error_message\n  endif\nendon\n",
            "set err = 1\non error as upstream_error do\n  if err\n    emit upstream_error.message\n  endif\nendon\n",
        ),
        ("on error do\n  emit 1\nendon\n", "on error do\n  emit 1\nendon\n"),
        (
            "on error do\n  if x ? 1\n  endif\n  emit error_code\nendon\n",
            "on error as err do\n  if x ? 1\n  endif\n  emit err.code\nendon\n",
        ),
        ("must call tool.fs.Mkdir(\"a\")\n", "must call FS.CreateDirectory(\"a\")\n"),
        ("emit (typeof # why\n  x == \"list\")\n", "emit (typeof( # why\n  x) == \"list\")\n"),
        ("emit (typeof( # a\n  x # b\n) == \"boolean\")\n", "emit (TYPEOF( # a\n  x # b\n) == \"bool\")\n"),
        ("must (some # why\n  x)\n", "must ( # why\n  x)\n"),
        ("for each x in [1] means\nend for\n", "for each x in [1] do\nendfor\n"),
        ("if typeof(x) == \"number\" means\nend if\n", "if TYPEOF(x) in [\"int\", \"float\"] then\nendif\n"),
        ("emit ```{{@x}}```\nwhisper self, 1\n", "emit ```{{x}}```\nwhisper self, 1\n"),
    ];
    for (before, after) in pairs {
        assert_eq!(migrated(before).text, after);
    }
}

#[test]
fn the_older_dialect_is_known_by_its_comments() {
    let head = "DEFINE PROCEDURE Show(path)\nCOMMENT:\n  PURPOSE: Shows a file.\n  INPUTS: path\nENDCOMMENT\n";
    let body = "  CALL TOOL.ReadFile(path)\n  SET text = LAST\n  EMIT TOOL.Substring(text, 1, 4)\nEND\n";
    let after = "  CALL STR(FS.ReadFile(path).content)\n  SET text = LAST\n  EMIT upstream_part(text, 1, 4)\nEND\n";
    let migrated_text = migrated(&format!("{head}{body}")).text;
    assert!(migrated_text.starts_with(&format!("{head}{after}")), "{migrated_text}");
    assert_eq!(syntax_errors(&migrated_text), [""; 0]);
    // Without them, names in capitals are ours.
    let ours = format!("DEFINE PROCEDURE Show(path)\n{body}");
    assert_eq!(migrated(&ours).text, ours);
}

#[test]
fn what_has_no_counterpart_stays_and_is_reported() {
    let left = [
        "ask \"m\", \"x\" into y\n",
        "whisper self, \"x\"\n",
        "on event \"x\" as e do\n  emit e\nendon\n",
        "clear event named \"x\"\n",
        "call tool.meta.listTools()\n",
        "set x = tool.git.Status()\n",
        "set x = tool.str.Compress(\"x\")\n",
        "set x = tool.crypto.Hash(\"x\", name)\n",
        "set x = tool.str.ToUpper(\"x\", 1)\n",
        "call tool.fs.Write(\"a\", \"b\", \"c\")\n",
        "func f(optional c, # why\n  needs a) means\nendfunc\n",
        "set x = tool.str.ToUpper(text: \"x\")\n",
        "set x = tool.str.ToJsonString(v, is_pretty)\n",
        "emit system_error_message\n",
    ];
    for text in left {
        assert_eq!(migrated(text).text, text);
        assert_eq!(open_points(text), [(1, Verdict::Left)], "{text}");
    }
}

#[test]
fn double_brackets_are_texts_unless_they_are_lists() {
    let text = "set a = 1\nset b = [[a, 1], [2]]\nset c = [[other, 1]]\nset d = [[a b]]\nset e = [ [1] ]\n";
    let after = "set a = 1\nset b = [[a, 1], [2]]\nset c = '''other, 1'''\nset d = '''a b'''\nset e = [ [1] ]\n";
    assert_eq!(migrated(text).text, after);
    assert_eq!(open_points(text), [(2, Verdict::Check)]);
    let ours = "SET rows = [[1, 2], [3]]\nEMIT rows\n";
    assert_eq!((migrated(ours).text.as_str(), open_points(ours)), (ours, Vec::new()));
}

#[test]
fn procedures_are_added_once_and_with_the_line_ends_of_the_text() {
    let text = "set a = tool.str.Substring(\"abc\", 0, 1)\r\nset b = tool.str.Substring(\"abc\", 0, 1)";
    let migrated_text = migrated(text).text;
    assert_eq!(migrated_text.matches("func upstream_substring").count(), 1);
    assert_eq!(migrated_text.matches('\n').count(), migrated_text.matches("\r\n").count());
    // A second call later, in a text that has the procedure already.
    let more = migrated_text + "emit tool.str.Substring(\"abc\", 1, 1)\r\n";
    assert_eq!(migrated(&more).text.matches("func upstream_substring").count(), 1);
}

#[test]
fn missing_fields_are_reported() {
    let notes = migrated("set x = tool.fs.Stat(\"a\")\n").notes;
    let [note] = &notes[..] else { panic!("{notes:?}") };
    assert!(["`mode_string`", "`mode_perm`"].iter().all(|field| note.message.contains(field)), "{}", note.message);
}

#[test]
fn a_file_with_one_procedure_is_told_how_to_be_run() {
    let text = "func first() means\n  return tool.str.Substring(\"abc\", 0, 1)\nendfunc\n";
    assert_eq!(open_points(text), [(1, Verdict::Check)]);
}
