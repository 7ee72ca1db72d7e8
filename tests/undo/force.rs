//! After a change by another program, undo reports the conflict; a forced undo undoes the rest, and nothing ends up at
//! a wrong path.

use std::fs;
use std::path::Path;

use super::{Place, tick};

type Change = fn(&Path);

/// A script, a change after it, the paths that are left, and the content of some of them.
struct Case {
    script: &'static str,
    change: Change,
    left: &'static [&'static str],
    found: &'static [(&'static str, &'static str)],
}

const CASES: [Case; 5] = [
    Case {
        script: "MUST FS.MoveFile(\"alone\", \"c\")\nMUST FS.WriteFile(\"c\", \"new\")\nMUST FS.WriteFile(\"e/x\", \"x\")",
        change: |root| fs::write(root.join("alone"), "theirs").expect("a file"),
        left: &["`alone`", "`c`"],
        found: &[("alone", "theirs"), ("c", "new"), ("e/x", "")],
    },
    Case {
        script: "MUST FS.MoveFile(\"d\", \"moved\")\nMUST FS.WriteFile(\"moved/in/f\", \"new\")\nMUST FS.WriteFile(\"e/x\", \"x\")",
        change: |root| fs::write(root.join("moved/in/f"), "theirs").expect("a file"),
        left: &["`moved/in/f`", "`moved`", "`d`"],
        found: &[("moved/in/f", "theirs"), ("e/x", "")],
    },
    Case {
        script: "MUST FS.DeleteFile(\"d\", recursive: true)\nMUST FS.WriteFile(\"d/in/f\", \"new\")",
        change: |root| fs::write(root.join("d/theirs"), "theirs").expect("a file"),
        left: &["`d`", "`d/in`", "`d/in/f`"],
        found: &[("d/in/f", "new"), ("d/theirs", "theirs")],
    },
    Case {
        script: "MUST FS.DeleteFile(\"d/in/f\")\nMUST FS.WriteFile(\"e/x\", \"x\")",
        change: |root| {
            fs::rename(root.join("d"), root.join("away")).expect("it is moved");
            fs::create_dir_all(root.join("d/in")).expect("other directories");
        },
        left: &["`d/in`"],
        found: &[("d/in/f", ""), ("e/x", "")],
    },
    Case {
        script: "MUST FS.DeleteFile(\"d/in/f\")\nMUST FS.WriteFile(\"e/x\", \"x\")",
        change: |root| {
            fs::remove_dir_all(root.join("d")).expect("it is removed");
            fs::write(root.join("d"), "theirs").expect("a file");
        },
        left: &["`d/in`"],
        found: &[("d", "theirs"), ("e/x", "")],
    },
];

#[test]
fn nothing_comes_to_a_wrong_place() {
    for Case { script, change, left, found } in CASES {
        let place = Place::new();
        place.eval(script);
        tick();
        change(&place.root());
        let before = place.snapshot();
        let refused = place.ns(1, &["undo"]);
        assert!(refused.stderr.contains("changed since the run"), "{script}: {}", refused.stderr);
        place.expect(&before, "nothing was done");
        let forced = place.ns(1, &["undo", "--force"]);
        for name in left {
            assert!(forced.stderr.contains(name), "{script}: {name}: {}", forced.stderr);
        }
        for (name, content) in found {
            assert_eq!(place.read(name), *content, "{script}: {name}");
        }
    }
}
