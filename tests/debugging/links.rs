//! Scripts and modules whose paths lead through symbolic links: they are named as the client names them, and
//! breakpoints are found by the file to which a path leads.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::adapter::Adapter;

const SCRIPT: &str = "USE \"lib/m.ns\" AS m\nUSE \"shared/s.ns\" AS s\nEMIT m.Twice(1), s.Thrice(1)\n";
const MODULE: &str = "DEFINE PROCEDURE Twice(n)\n  RETURN n * 2\nEND\n";
const SHARED: &str = "DEFINE PROCEDURE Thrice(n)\n  RETURN n * 3\nEND\n";

/// `link` leads to the folder `real`, and `link/shared` to `real/store`.
struct Linked {
    _folder: TempDir,
    link: PathBuf,
    real: PathBuf,
}

impl Linked {
    fn new() -> Linked {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().canonicalize().expect("it is there");
        let [link, real] = ["link", "real"].map(|name| path.join(name));
        for name in ["lib", "store"] {
            fs::create_dir_all(real.join(name)).expect("a folder");
        }
        symlink("real", &link).expect("a link");
        symlink("store", real.join("shared")).expect("a link");
        fs::write(real.join("main.ns"), SCRIPT).expect("a script");
        fs::write(real.join("lib/m.ns"), MODULE).expect("a module");
        fs::write(real.join("store/s.ns"), SHARED).expect("a module");
        Linked { _folder: folder, link, real }
    }
}

/// Returns the paths of the frames in the script and in its two modules, without breakpoints on lines.
fn paths(directory: &Path, launch: Json) -> [String; 3] {
    let mut adapter = Adapter::launch(directory, launch);
    let names = json!([{ "name": "m.Twice" }, { "name": "s.Thrice" }]);
    adapter.result("setFunctionBreakpoints", json!({ "breakpoints": names }));
    assert_eq!(adapter.begin(), "function breakpoint 2");
    let [first, script] = [0, 1].map(|frame| adapter.path(frame));
    assert_eq!(adapter.go("continue"), "function breakpoint 2");
    [script, first, adapter.path(0)]
}

/// Returns the paths of the same files below a folder.
fn below(folder: &Path) -> [String; 3] {
    ["main.ns", "lib/m.ns", "shared/s.ns"].map(|name| folder.join(name).display().to_string())
}

#[test]
fn files_are_named_as_the_client_names_the_script_and_the_sandbox() {
    let Linked { link, real, _folder } = &Linked::new();
    let [by_link, by_real] = [below(link), below(real)];
    let [main, real_main] = [link, real].map(|folder| folder.join("main.ns"));
    assert_eq!(paths(link, json!({ "program": main })), by_link);
    assert_eq!(paths(real, json!({ "program": main })), by_link);
    assert_eq!(paths(real, json!({ "program": real_main })), by_real);
    let top = real.parent().expect("it is in a folder");
    assert_eq!(paths(top, json!({ "program": main, "sandbox": link })), by_link);
    assert_eq!(paths(top, json!({ "program": main, "sandbox": real })), by_link);
    assert_eq!(paths(top, json!({ "program": real_main, "sandbox": real })), by_real);
    // A relative path says nothing of the directory, but the sandbox does.
    assert_eq!(paths(link, json!({ "program": "main.ns", "sandbox": link })), by_link);
    let elsewhere = top.join("other.ns");
    fs::copy(&main, &elsewhere).expect("a script");
    let found = paths(top, json!({ "program": elsewhere, "sandbox": link }));
    assert_eq!(found[1..], by_link[1..]);
}

#[test]
fn modules_of_libraries_are_named_as_the_client_names_the_library() {
    let Linked { link, real, _folder } = &Linked::new();
    let top = real.parent().expect("it is in a folder");
    let (library, empty) = (top.join("library"), top.join("empty"));
    symlink("real", &library).expect("a link");
    fs::create_dir(&empty).expect("a folder");
    let elsewhere = empty.join("other.ns");
    fs::copy(real.join("main.ns"), &elsewhere).expect("a script");
    let launch = json!({ "program": elsewhere, "sandbox": empty, "lib": [library] });
    assert_eq!(paths(top, launch)[1..], below(&library)[1..]);
    // A relative library is below a directory that the client names by the link.
    fs::copy(&elsewhere, real.join("lib/main.ns")).expect("a script");
    let launch = json!({ "program": link.join("lib/main.ns"), "sandbox": empty, "lib": ["."] });
    assert_eq!(paths(link, launch)[1..], below(link)[1..]);
}

#[test]
fn a_breakpoint_is_found_by_the_file_to_which_its_path_leads() {
    let Linked { link, real, _folder } = &Linked::new();
    let line = json!([{ "line": 2 }]);
    for (directory, sandbox) in [(link, None), (real, None), (link, Some(real)), (real, Some(link))] {
        for folder in [link, real] {
            for module in ["lib/m.ns", "shared/s.ns", "store/s.ns", "lib/../lib/m.ns"] {
                let launch = json!({ "program": link.join("main.ns"), "sandbox": sandbox });
                let mut adapter = Adapter::launch(directory, launch);
                let file = folder.join(module);
                assert_eq!(adapter.set_breakpoints(&file, line.clone()), [true], "{}", file.display());
                assert_eq!(adapter.begin(), "breakpoint 2");
                // From now on, the file has the name that the client uses.
                assert_eq!(adapter.path(0), file.display().to_string());
                assert_eq!(adapter.go("continue"), "end");
            }
        }
        let mut adapter = Adapter::launch(directory, json!({ "program": real.join("main.ns"), "sandbox": sandbox }));
        assert_eq!(adapter.set_breakpoints(&link.join("main.ns"), json!([{ "line": 3 }])), [true]);
        assert_eq!(adapter.set_breakpoints(&link.join("lib"), line.clone()), [false]);
        assert_eq!(adapter.set_breakpoints(&link.join("none.ns"), line.clone()), [false]);
        assert_eq!(adapter.begin(), "breakpoint 3");
    }
}
