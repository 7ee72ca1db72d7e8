//! `ns doctor`: shows the sandbox, policy and limits in effect.

use serde_json::{Value as Json, json};

use crate::engine::{Engine, KeyRow, Layer, Options, PROMISES, Process, System};
use crate::options::{Global, OutputFormat};
use crate::terminal::exit::Exit;
use crate::terminal::in_force::in_force;
use crate::terminal::report::{print, report_setup};

use super::start::open;

pub fn doctor(global: &Global) -> Exit {
    let engine = match open(&Options { looks_only: true, ..global.options() }) {
        Ok(engine) => engine,
        Err(exit) => return exit,
    };
    // Lock down as a run would, so that the report is accurate.
    let sealed = engine.seal(Process::Script);
    let text =
        if global.output == OutputFormat::Json { format!("{:#}\n", as_json(&engine)) } else { in_force(&engine) };
    let printed = print(&text);
    match sealed {
        Ok(()) => printed,
        Err(error) => {
            report_setup(&error);
            Exit::Usage
        }
    }
}

/// Returns the same facts for programs: the promises that this system does not hold, the policy files, every value with
/// its origin, and unused values.
fn as_json(engine: &Engine) -> Json {
    let provenance = engine.provenance();
    let word = |layer: Layer| match layer {
        Layer::User => "user",
        Layer::Named => "named",
        Layer::Case => "case",
        Layer::Root => "root",
    };
    let files: Vec<Json> =
        provenance.files.iter().map(|file| json!({"layer": word(file.layer), "file": *file.name})).collect();
    let values: Vec<Json> = engine
        .values()
        .into_iter()
        .map(|(KeyRow { section, name, .. }, value)| {
            json!({"section": section, "key": name, "value": value, "from": provenance.display(name, |stated| provenance.whole(stated))})
        })
        .collect();
    let unused: Vec<Json> = provenance
        .unused
        .iter()
        .map(|unused| json!({"key": unused.key, "value": unused.value, "from": provenance.whole(&unused.stated)}))
        .collect();
    let differing: Vec<Json> = System::current()
        .into_iter()
        .flat_map(|system| PROMISES.iter().map(move |promise| (promise, promise.on(system).described())))
        .filter_map(|(promise, (word, difference))| {
            Some(json!({"promise": promise.name, "holding": word, "instead": difference?}))
        })
        .collect();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "system": std::env::consts::OS,
        "differing_promises": differing,
        "sandbox": engine.gate().root().path().display().to_string(),
        "policy_files": files,
        "values": values,
        "unused": unused,
    })
}
