//! A full disk: a change is refused before it is made, and a partial line is removed.

use super::sandbox;
use crate::support::Ran;

/// Runs a shell script on a small tmpfs at `$PLACE`. Returns `None` if mounting is not possible.
fn on_small_disk(script: &str) -> Option<Ran> {
    crate::support::on_small_disk(sandbox().path(), "size=512k", script)
}

/// On a full disk nothing is changed, because neither the audit log nor the journal could record it.
#[test]
fn a_full_disk_refuses_a_change_before_it_is_made() {
    let Some(ran) = on_small_disk(
        "i=0; while [ $i -lt 40 ]; do : > \"$PLACE/f$i\"; i=$((i+1)); done\n\
         head -c 2000000 /dev/zero > \"$PLACE/fill\" 2>/dev/null || true\n\
         ns run -e 'CALL FS.DeleteFile(\"f0\")\nEMIT LAST_ERROR.code, \" \", LAST_ERROR.message' || true\n\
         test -e \"$PLACE/f0\" && echo f0 is there\n\
         rm \"$PLACE/fill\"\n\
         ns run -e 'MUST FS.DeleteFile(\"f0\")'\n\
         head -c 2000000 /dev/zero > \"$PLACE/fill\" 2>/dev/null || true\n\
         ns run -e 'FOR EACH i IN RANGE(1, 40) DO\nMUST FS.DeleteFile(\"f\" + i)\nEND\nEMIT \"all deleted\"' || echo refused\n\
         ls \"$PLACE\" | wc -l\n\
         ns audit verify",
    ) else {
        return;
    };
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout.starts_with("no_space nothing is changed, since the audit log cannot be written"),
        "{}",
        ran.stdout
    );
    // The journal finds no space, so nothing is deleted that could not be undone: 39 files and `fill` stay.
    assert!(ran.stdout.contains("f0 is there\nrefused\n40\n"), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("the chain holds"), "{}", ran.stdout);
}

/// If one call uses up the reserved space, the next is refused, and all lines are complete.
#[test]
fn lines_that_find_no_room_refuse_changes() {
    let Some(ran) = on_small_disk(
        "ns run -e 'MUST FS.WriteFile(\"a\", \"x\")'\n\
         head -c 2000000 /dev/zero > \"$PLACE/fill\" 2>/dev/null || true\n\
         ns run -e 'SET n = 0\nWHILE n < 5000 DO\nCALL FS.DeleteFile(\"nope\" + n)\nSET n = n + 1\nEND' 2>/dev/null\n\
         ns run -e 'MUST FS.DeleteFile(\"a\")' && echo deleted\n\
         test -e \"$PLACE/a\" && echo a is there\n\
         ns audit verify | head -1",
    ) else {
        return;
    };
    assert!(
        ran.stdout.starts_with("a is there\n") && ran.stdout.contains("the chain holds"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    assert!(ran.stderr.contains("no space left"), "{}", ran.stderr);
}
