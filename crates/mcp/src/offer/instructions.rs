//! The instructions that a model receives for the server as a whole. They name only what is offered.

use super::Offer;

/// Returns the instructions.
pub fn instructions(offer: &Offer, read_only: bool) -> String {
    let has = |wire: &str| offer.find(wire).is_ok();
    let mut sentences =
        vec!["Files of one directory. Paths are relative to its root, with `/` between their parts; `.` is the root."];
    sentences.push(match (read_only, has("undo")) {
        (true, _) => "Nothing can be changed here.",
        (false, true) => "Every change can be taken back with `undo`.",
        (false, false) => "The user can take back every change.",
    });
    if has("find") {
        sentences.push(
            "To find files take `find`: by pattern, type, size and time, in a directory and all below, without what \
             `.gitignore` names where `gitignore` is true; its `path` is what every other tool takes.",
        );
    }
    if has("read_files") {
        sentences.push("Several files are read by one call of `read_files`.");
    }
    if has("list_dir") {
        sentences.push("`list_dir` draws a tree.");
    }
    if has("run_script") {
        sentences.push(if has("language_guide") {
            "For work of more than a few calls write one script: read `language_guide`, then `run_script`."
        } else {
            "For work of more than a few calls write one script, for `run_script`."
        });
    }
    sentences.push("An answer that was cut says so; read on with `read_result`.");
    sentences.push("A failure has a code, a message and a hint.");
    sentences.join(" ")
}
