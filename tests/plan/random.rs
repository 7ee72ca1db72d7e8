//! Scripts of random changes: their output and effects are the same with a plan as without. A script is generated from
//! its number; `NS_SEED` is the first.

use std::fs;

use neuroscript::engine::{Ending, Engine, Invocation, Options, Outcome, Plan, Script, read_plan};

use crate::plan::Place;
use crate::support::dice::Dice;
use crate::support::{self, Captured, folder_in_memory};

/// Paths, few enough for collisions.
const NAMES: [&str; 9] = ["a.txt", "b.txt", "d", "d/f", "d/deep", "d/deep/g", "n", "n/x", "d/n"];

fn script(dice: &mut Dice) -> String {
    let mut script = String::new();
    for line in 0..14 {
        let (one, other) = (dice.pick(&NAMES), dice.pick(&NAMES));
        let call = match dice.below(13) {
            0..3 => format!("FS.WriteFile(\"{one}\", \"line {line}\\n\", overwrite: true)"),
            3 => format!("FS.AppendFile(\"{one}\", \"more {line}\\n\")"),
            4..7 => format!("FS.MoveFile(\"{one}\", \"{other}\")"),
            7 => format!("FS.DeleteFile(\"{one}\", recursive: true)"),
            8 => format!("FS.CreateDirectory(\"{one}\")"),
            9 => format!("FS.CopyFile(\"{one}\", \"{other}\", recursive: true, overwrite: true)"),
            10 => format!("FS.SetModified(\"{one}\", \"2024-05-0{}T12:30:00.5Z\")", 1 + line % 9),
            11 => format!("FS.CreateLink(\"{one}\", \"{other}\")"),
            _ => format!("FS.SetPermissions(\"{one}\", \"{}\")", dice.pick(&["700", "750", "755"])),
        };
        script.push_str(&format!("SET r = {call}\nEMIT r[\"error\"]\n"));
        if line % 4 == 3 {
            script.push_str(
                "FOR EACH entry IN FS.WalkDir(\".\") DO\nEMIT entry[\"path\"], \" \", entry[\"size\"]\nEND\n",
            );
        }
    }
    script
}

fn engine(place: &Place, plan: bool) -> Engine {
    let state = Some(place.folder.path().join("state"));
    let options = Options { sandbox: Some(place.root()), state, plan, ..Options::default() };
    Engine::open(&options).unwrap_or_else(|error| panic!("{:?}", error.findings))
}

fn run(engine: &Engine, script: &str) -> (Outcome, String) {
    let output = Captured::default();
    let outcome = engine.run(&Script::new("random.ns", script), &Invocation::default(), Box::new(output.clone()));
    (outcome, output.text())
}

fn planned(place: &Place, script: &str) -> (Plan, String) {
    let engine = engine(place, true);
    let (outcome, output) = run(&engine, script);
    assert_eq!(outcome.ending, Ending::Done, "{:?}", outcome.findings);
    let plan = engine.plan("random", false).expect("the changes are told").expect("the engine plans");
    let mut json = Vec::new();
    plan.write(&mut json).expect("the plan is written");
    (read_plan(json.as_slice()).expect("the plan is read"), output)
}

#[test]
fn random_scripts_do_what_their_plans_say() {
    let rounds = if std::env::var_os("NS_LONG").is_some() { 3_000 } else { 60 };
    let first = std::env::var("NS_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    for seed in first..first + rounds {
        let script = script(&mut Dice::new(seed));
        let place = Place::in_folder(folder_in_memory());
        let before = place.state();
        let (plan, told) = planned(&place, &script);
        assert_eq!(place.state(), before, "planning changed something, seed {seed}\n{script}");
        let (_, printed) = run(&engine(&place, false), &script);
        assert_eq!(told, printed, "seed {seed}\n{script}");
        let after = place.contents();
        take_back(&place, seed);
        assert_eq!(place.state(), before, "seed {seed}\n{script}");
        if let Err(error) = engine(&place, false).apply(&plan) {
            panic!("seed {seed}: {}\n{:#?}\n{script}", error.message, plan.changes);
        }
        assert_eq!(place.contents(), after, "seed {seed}\n{:#?}\n{script}", plan.changes);
        take_back(&place, seed);
        assert_eq!(support::state_of(&place.root()), before, "seed {seed}\n{script}");
    }
}

fn take_back(place: &Place, seed: u64) {
    match engine(place, false).undo(None, false, false) {
        Err(error) if error.code.id() != "not_found" => panic!("seed {seed}: {}", error.message),
        _ => {}
    }
}

/// Enough entries for the second thread of the walk, besides directories that were changed, moved and created.
#[test]
fn a_large_tree_is_walked_as_the_run_would_see_it() {
    let place = Place::new();
    for folder in 0..50 {
        let folder = place.root().join(format!("many/{}/{folder}", folder % 7));
        fs::create_dir_all(&folder).expect("folders");
        (0..100).for_each(|file| fs::write(folder.join(format!("{file}.txt")), "text").expect("a file"));
    }
    let script = r#"
        MUST FS.WriteFile("many/3/10/50.txt", "longer text", overwrite: true)
        MUST FS.DeleteFile("many/4/11", recursive: true)
        MUST FS.MoveFile("many/5", "many/moved")
        MUST FS.CopyFile("many/6/6", "many/6/copy", recursive: true)
        FOR EACH start IN [".", "many", "many/moved", "many/1"] DO
            FOR EACH entry IN FS.WalkDir(start) DO
                EMIT entry["path"], " ", entry["size"]
            END
        END
    "#;
    let (_, told) = planned(&place, script);
    let (outcome, printed) = run(&engine(&place, false), script);
    assert_eq!(outcome.ending, Ending::Done, "{:?}", outcome.findings);
    assert!(told.lines().count() > 10_000 && told == printed);
}
