//! Fuzz targets that take a script.

use neuroscript_language::engine::{
    Checked, Ending, Engine, Invocation, Options, Script, Spelling, format_script, tokens,
};

use super::world::{Unread, World, check_findings, knows_secret, with_shared};

thread_local! {
    /// Shared by all texts that are not run.
    static SHARED: (World, Engine) = {
        let world = World::new();
        let engine = world.engine();
        (world, engine)
    };
}

fn check(data: &[u8]) -> Checked {
    let checked = SHARED.with(|(_, engine)| engine.check(&Script::new("fuzz.ns", data)));
    check_findings(&checked.findings, &checked.sources);
    checked
}

/// Parsing never fails, every finding can be rendered with its location, and any input can be highlighted.
pub fn parser(data: &[u8]) {
    check(data);
    let text = String::from_utf8_lossy(data);
    let mut end = 0;
    for token in tokens(&text) {
        assert!(token.start >= end && token.end > token.start, "tokens overlap in {text:?}");
        assert!(text.get(token.start..token.end).is_some(), "a token cuts a character in {text:?}");
        end = token.end;
    }
    SHARED.with(|(_, engine)| {
        let session = engine.session(Box::new(Unread));
        let _ = (session.is_unfinished(&text), session.is_open(&text));
        let parts = session.parts(&text).concat();
        let solid = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(solid(&parts), solid(&text), "parts of a paste lose something");
        let document = engine.check(&Script::markdown("fuzz.md", data));
        check_findings(&document.findings, &document.sources);
    });
}

/// Formatting is idempotent and preserves the meaning.
pub fn formatter(data: &[u8]) {
    let spelling = [None, Some(Spelling::Upper), Some(Spelling::Lower)][data.len() % 3];
    let before = check(data);
    let formatted = format_script(&Script::new("fuzz.ns", data), spelling);
    let text = match formatted.result {
        Ok(text) => text,
        Err(findings) => return check_findings(&findings, &formatted.sources),
    };
    let again = format_script(&Script::new("fuzz.ns", text.as_str()), spelling).result;
    assert_eq!(again.ok().as_deref(), Some(text.as_str()), "a second pass changes something");
    let info = |checked: &Checked| serde_json::to_value(&checked.info).expect("it is JSON");
    assert_eq!(info(&before), info(&check(text.as_bytes())), "formatting changes what the script is");
}

/// A program ends within its limits and reaches nothing outside.
pub fn programs(data: &[u8]) {
    if knows_secret(data) {
        return;
    }
    let make = || {
        let world = World::new();
        world.put("a.txt", b"one\ntwo\n");
        let engine = world.opened(&Options { policy: Some(limits(&world)), ..world.options() });
        (world, engine)
    };
    with_shared(make, |world, engine| run(world, engine, data));
}

fn run(world: &World, engine: &Engine, data: &[u8]) {
    let outcome = engine.run(&Script::new("fuzz.ns", data), &Invocation::default(), Box::new(Unread));
    check_findings(&outcome.findings, &outcome.sources);
    assert!(outcome.steps <= 20_000 + 1, "{} steps", outcome.steps);
    assert!(outcome.ending != Ending::Interrupted, "nobody interrupts it");
    world.check_outside();
}

fn limits(world: &World) -> std::path::PathBuf {
    let path = world.root().with_file_name("policy.toml");
    let text = "[limits]\nmemory_bytes = 16777216\noutput_bytes = 65536\nfiles_changed = 50\nbytes_written = 1048576\n";
    std::fs::write(&path, text).expect("a policy");
    path
}
