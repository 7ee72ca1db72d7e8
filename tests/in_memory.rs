//! A sandbox in memory: scripts, plans, undo and rollback give what they give on the disk.

use neuroscript::engine::{Ending, Engine, Invocation, Options, Root, Script, read_plan};
use tempfile::TempDir;

use crate::support::Captured;
use crate::support::dice::Dice;

/// Room of a sandbox, in bytes.
const ROOM: u64 = 16 << 20;

/// The tree before each script, with times that are not those of the test.
const SETUP: &str = r#"
MUST FS.CreateDirectory("d/deep")
MUST FS.WriteFile("a.txt", "one\ntwo\n")
MUST FS.WriteFile("b.txt", "b\n")
MUST FS.WriteFile("d/f", "f\n")
MUST FS.WriteFile("d/deep/g", "g\n")
FOR EACH path IN ["a.txt", "b.txt", "d/f", "d/deep/g", "d/deep", "d"] DO
    MUST FS.SetModified(path, "2024-02-03T04:05:06Z")
END
"#;

/// Lists the tree, without the times that differ from run to run (an archive contains some) and without the permission
/// bits that depend on the umask.
const LIST: &str = r#"
FOR EACH entry IN FS.Find(".", type: "all", exact_times: true) DO
    SET dated = ""
    IF STR.StartsWith(entry.modified, "2024-0") THEN
        SET dated = entry.modified
    END
    SET size = 0
    SET hash = ""
    IF entry.type == "file" THEN
        IF entry.extension != "zip" THEN
            SET size = entry.size
            SET hash = FS.HashFile(entry.path).checksum
        END
    END
    EMIT entry.path, " ", entry.type, " ", STR.Sub(FS.FileInfo(entry.path).permissions, 0, 2), " ", size, " ", dated, " ", hash
END
"#;

const NAMES: [&str; 9] = ["a.txt", "b.txt", "d", "d/f", "d/deep", "d/deep/g", "n", "n/x", "d/n"];

fn changes(dice: &mut Dice) -> String {
    let mut script = String::new();
    for line in 0..16 {
        let (one, other) = (dice.pick(&NAMES), dice.pick(&NAMES));
        let call = match dice.below(17) {
            0..3 => format!("FS.WriteFile(\"{one}\", \"line {line}\\n\", overwrite: true)"),
            3 => format!("FS.AppendFile(\"{one}\", \"more {line}\\n\")"),
            4..7 => format!("FS.MoveFile(\"{one}\", \"{other}\")"),
            7 | 8 => format!("FS.DeleteFile(\"{one}\", recursive: true)"),
            9 => format!("FS.CreateDirectory(\"{one}\")"),
            10 => format!("FS.CopyFile(\"{one}\", \"{other}\", recursive: true, overwrite: true)"),
            11 => format!("FS.SetModified(\"{one}\", \"2024-05-0{}T12:30:00.5Z\")", 1 + line % 9),
            12 => format!("FS.SetPermissions(\"{one}\", \"{}\")", dice.pick(&["600", "700", "400"])),
            13 => format!("FS.EditFile(\"{one}\", \"line\", \"word\", replace_all: true)"),
            14 => format!("FS.Compress(\"{other}\", \"{one}.zip\", overwrite: true)"),
            15 => format!("FS.Extract(\"{one}.zip\", \"{other}\")"),
            _ => format!("FS.SearchFiles(\"{one}\", \"line\")"),
        };
        script.push_str(&format!("SET r = {call}\nEMIT r[\"error\"]\n"));
    }
    script + LIST
}

struct Place {
    _directory: TempDir,
    root: Root,
    options: Options,
}

impl Place {
    fn new(in_memory: bool) -> Place {
        let directory = tempfile::tempdir().expect("a directory");
        let sandbox = directory.path().join("sandbox");
        std::fs::create_dir(&sandbox).expect("a directory");
        let root = if in_memory { Root::in_memory(ROOM) } else { Root::open(&sandbox) };
        let options = Options { state: Some(directory.path().join("state")), ..Options::default() };
        let place = Place { root: root.expect("a root"), options, _directory: directory };
        place.run(&place.engine(false), SETUP);
        place
    }

    fn engine(&self, plan: bool) -> Engine {
        let root = self.root.duplicate().expect("another handle");
        let options = Options { plan, ..self.options.clone() };
        Engine::open_at(root, &options).unwrap_or_else(|error| panic!("{:?}", error.findings))
    }

    fn run(&self, engine: &Engine, script: &str) -> String {
        let output = Captured::default();
        let outcome = engine.run(&Script::new("test.ns", script), &Invocation::default(), Box::new(output.clone()));
        assert_eq!(outcome.ending, Ending::Done, "{:?}\n{script}", outcome.findings);
        output.text()
    }

    fn list(&self) -> String {
        self.run(&self.engine(false), LIST)
    }

    /// Plans a script, runs it, undoes it, applies the plan and undoes that. Returns all that is seen on the way.
    fn everything(&self, script: &str) -> Vec<String> {
        let planning = self.engine(true);
        let planned = self.run(&planning, script);
        let plan = planning.plan("test", false).expect("the changes are told").expect("the engine plans");
        let mut json = Vec::new();
        plan.write(&mut json).expect("the plan is written");
        let plan = read_plan(json.as_slice()).expect("the plan is read");
        drop(planning);
        let mut seen = vec![self.list(), planned];
        let engine = self.engine(false);
        seen.push(self.run(&engine, script));
        seen.push(format!("{:?}", engine.undo(None, false, false).map(|_| ()).map_err(|error| error.code.id())));
        seen.push(self.list());
        seen.push(format!("{:?}", engine.apply(&plan).map(|_| ()).map_err(|error| error.code.id())));
        seen.push(self.list());
        seen.push(format!("{:?}", engine.undo(None, false, false).map(|_| ()).map_err(|error| error.code.id())));
        seen.push(self.list());
        seen
    }
}

#[test]
fn random_scripts_see_the_same_as_on_the_disk() {
    let rounds = if std::env::var_os("NS_LONG").is_some() { 3_000 } else { 60 };
    let first = std::env::var("NS_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    for seed in first..first + rounds {
        let script = changes(&mut Dice::new(seed));
        let [disk, memory] = [false, true].map(|in_memory| Place::new(in_memory).everything(&script));
        for (step, (disk, memory)) in disk.iter().zip(&memory).enumerate() {
            assert_eq!(disk, memory, "seed {seed}, step {step}\n{script}");
        }
    }
}
