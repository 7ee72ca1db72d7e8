//! The instructions that a model receives for the server as a whole. They name only what is offered.

use crate::engine::Engine;

use super::super::sandboxes::Sandboxes;
use super::Offer;

/// Returns the instructions.
pub fn instructions(offer: &Offer, sandboxes: &Sandboxes) -> String {
    let has = |wire: &str| offer.find(wire).is_ok();
    let mut sentences = vec![about_sandboxes(sandboxes)];
    let mut say = |sentence: &str| sentences.push(sentence.to_owned());
    let is_read_only = sandboxes.engines().all(|engine| engine.gate().policy().read_only);
    say(match (is_read_only, has("undo")) {
        (true, _) => "Nothing can be changed here.",
        (false, true) => "Every change can be taken back with `undo`.",
        (false, false) => "The user can take back every change.",
    });
    if has("find") {
        say("To find files take `find`: by pattern, type, size and time, in a directory and all below, without what \
             `.gitignore` names where `gitignore` is true; its `path` is what every other tool takes.");
    }
    if has("read_files") {
        say("Several files are read by one call of `read_files`.");
    }
    if has("list_dir") {
        say("`list_dir` draws a tree.");
    }
    if has("run_script") {
        say(if has("language_guide") {
            "For work of more than a few calls write one script: read `language_guide`, then `run_script`."
        } else {
            "For work of more than a few calls write one script, for `run_script`."
        });
    }
    say("An answer that was cut says so; read on with `read_result`.");
    say("A failure has a code, a message and a hint.");
    sentences.join(" ")
}

/// Returns the sentence about where the files are.
fn about_sandboxes(sandboxes: &Sandboxes) -> String {
    let paths = "Paths are relative to its root, with `/` between their parts; `.` is the root.";
    if !sandboxes.are_several() {
        return format!("Files of one directory. {paths}");
    }
    let names: Vec<String> = sandboxes.iter().map(|(name, engine)| named(name, engine)).collect();
    format!("Files of the sandboxes {}. Each call names its `sandbox`. {paths}", names.join(", "))
}

fn named(name: &str, engine: &Engine) -> String {
    let path = engine.gate().root().path().display();
    let read_only = if engine.gate().policy().read_only { ", read-only" } else { "" };
    format!("`{name}` ({path}{read_only})")
}
