//! `:: needs: VERSION` refuses a script that a newer version was written for.

use super::{ns, place};

const OWN: &str = env!("CARGO_PKG_VERSION");

#[test]
fn older_versions_and_this_one_are_enough() {
    for version in ["0", "0.0.1", OWN, &format!("{OWN}-rc.1")] {
        let place = place(&[("a.ns", &format!(":: needs: {version}\nEMIT 1\n"))]);
        let ran = ns(place.path(), &["run", "a.ns"]);
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "1\n", ""), "{version}");
        let checked = ns(place.path(), &["check", "--deny", "warnings", "a.ns"]);
        assert_eq!(checked.code, 0, "{}", checked.stderr);
    }
}

#[test]
fn a_script_for_a_newer_version_is_refused_and_nothing_else_is_said() {
    let newer = ":: needs: 0.1\nEMIT totl\nIF THEN ]\n:: needs: 4711.2\n";
    let files =
        [("a.ns", newer), ("page.md", &format!("```ns\n{newer}```\n")), ("user.ns", "USE \"a.ns\" AS a\nEMIT 1\n")];
    let place = place(&files);
    for words in [&["run"][..], &["check"], &["run", "--plan"]] {
        for (file, _) in files {
            let ran = ns(place.path(), &[words, &[file]].concat());
            assert_ne!(ran.code, 0, "{words:?} {file}");
            let wanted = format!("error[NS0209]: the script needs `ns` 4711.2 or newer, and this is {OWN}");
            assert!(ran.stdout.is_empty() && ran.stderr.contains(&wanted), "{words:?} {file}\n{}", ran.stderr);
            assert_eq!(ran.stderr.matches("error[").count(), 1, "{words:?} {file}\n{}", ran.stderr);
        }
    }
    let help = ns(place.path(), &["a.ns", "--help"]);
    assert!(help.code != 0 && help.stderr.contains("needs `ns` 4711.2"), "{}", help.stderr);
}

#[test]
fn what_is_no_version_is_an_error() {
    for wrong in ["", "0.x", "v0.2", ">= 0.2", "1.2.3.4", "latest"] {
        let place = place(&[("a.ns", &format!(":: needs: {wrong}\nEMIT 1\n"))]);
        let ran = ns(place.path(), &["run", "a.ns"]);
        assert!(
            ran.code != 0 && ran.stderr.contains("NS0209") && ran.stderr.contains("`:: needs: 0.2`"),
            "{}",
            ran.stderr
        );
    }
    let place = place(&[("a.ns", ":: need: 0.1\nEMIT 1\n")]);
    let ran = ns(place.path(), &["check", "a.ns"]);
    assert!(ran.stderr.contains("did you mean `:: needs: …`?"), "{}", ran.stderr);
}
