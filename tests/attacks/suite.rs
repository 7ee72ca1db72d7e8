//! The suite of all attacks: selection of modes, and the list at the end.

mod answer;
mod arena;
mod control;
mod declared;
mod devices;
mod door;
mod force;
mod generated;
mod judge;
mod launch;
mod mode;
mod mount;
mod opened;
mod output;
mod post;
mod probe;
mod race;
mod races;
mod rename;
mod report;
mod snapshot;
mod terminal;
mod vector;

use libtest_mimic::{Arguments, Trial};

use door::Door;
use mode::Mode;
use report::Verdict;
use vector::Vector;

/// Runs the attacks.
pub fn main() {
    launch::limit_open_files();
    // Before any other thread exists, because a namespace belongs to a thread.
    mount::own_mounts();
    let args = Arguments::from_args();
    let copy = launch::share_program();
    let trials = Mode::ALL.into_iter().flat_map(mode_trials);
    let trials = trials.chain(output::trials()).chain(control::trials());
    let every = report::trial("every parameter of what reaches files is attacked".to_owned(), every_parameter);
    let trials = trials.chain([every]).collect();
    let listed = args.list;
    let conclusion = libtest_mimic::run(&args, trials);
    if !listed {
        report::print();
    }
    drop(copy);
    conclusion.exit();
}

fn mode_trials(mode: Mode) -> Vec<Trial> {
    let mut trials = force::trials(mode);
    for (file, vectors) in [("shown", vector::shown()), ("own", vector::own())] {
        let here = vectors.into_iter().enumerate();
        let here = here.filter(|(number, vector)| if vector.once { mode == Mode::ONE } else { mode.is_due(*number) });
        let doors = here.flat_map(|(number, vector)| {
            let doors = Door::for_vector(&vector, number + mode.number());
            doors.into_iter().map(move |door| (vector.clone(), door))
        });
        trials.extend(doors.map(|(vector, door)| vector_trial(file, vector, mode, door)));
    }
    trials.extend(rename::trials(mode));
    trials.extend(devices::trials(mode));
    trials.extend(races::trials(mode));
    trials
}

/// Every tool that accesses files or memory is covered, with each of its parameters.
fn every_parameter() -> Verdict {
    let vectors: Vec<Vector> = vector::shown().into_iter().chain(vector::own()).collect();
    let is_tried = |tool: &str, parameter: &str| {
        let names = |vector: &Vector| {
            let given = vector.args.as_object().into_iter().flat_map(|args| args.keys());
            given.map(|name| declared::parameter(tool, name)).collect::<Vec<_>>()
        };
        let parameter = declared::parameter(tool, parameter);
        vectors.iter().any(|vector| vector.tool == tool && names(vector).contains(&parameter))
    };
    let all = declared::reaching().into_iter();
    let missing = all.flat_map(|(tool, parameters)| {
        let missing = parameters.iter().filter(move |parameter| !is_tried(tool, parameter));
        missing.map(move |parameter| format!("no vector has `{parameter}` of `{tool}`"))
    });
    Verdict::of(missing.collect())
}

fn vector_trial(file: &str, vector: Vector, mode: Mode, door: Door) -> Trial {
    let name = format!("vector [{mode}]: {file}/{} by {door}", vector.id);
    match vector.known.clone() {
        Some(what) => report::known_failure(name, what, move || judge::attack(&vector, mode, door)),
        None => report::trial(name, move || judge::attack(&vector, mode, door)),
    }
}

/// Shortens a text to fit a message.
pub fn cut(text: &str) -> String {
    const MOST: usize = 600;
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}… ({} bytes)", &text[..at], text.len()),
        None => text.to_owned(),
    }
}
