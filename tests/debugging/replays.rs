//! Going back and forward over changes stops where breakpoints stop the run itself.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::adapter::Adapter;
use crate::support::folder_in_memory;

const SCRIPT: &str = "\
FOR EACH name IN [\"a\", \"b\", \"c\"] DO
  MUST CALL FS.WriteFile(name, \"1\")
END
SET done = 1
EMIT done
";

/// A run that has come to line 4, and the breakpoints on line 2.
struct Replay {
    adapter: Adapter,
    file: PathBuf,
    _folder: TempDir,
}

impl Replay {
    /// Runs to line 4, through the stops of a breakpoint on line 2.
    fn start(point: Json) -> (Replay, Vec<String>) {
        Replay::of(SCRIPT, 4, &[point])
    }

    fn of(script: &str, end: usize, points: &[Json]) -> (Replay, Vec<String>) {
        let folder = folder_in_memory();
        let file = folder.path().join("main.ns");
        fs::write(&file, script).expect("a script");
        let adapter = Adapter::launch(folder.path(), json!({ "program": file, "sandbox": folder.path() }));
        let mut replay = Replay { adapter, file, _folder: folder };
        replay.set(end, points);
        let mut stops = vec![replay.adapter.begin()];
        while stops.last().is_some_and(|stop| *stop != format!("breakpoint {end}")) {
            assert!(stops.len() < 20, "{stops:?}");
            stops.push(replay.adapter.go("continue"));
        }
        stops.pop();
        (replay, stops)
    }

    fn set(&mut self, end: usize, points: &[Json]) {
        let mut points = points.to_vec();
        points.push(json!({ "line": end }));
        let count = points.len();
        let set = self.adapter.set_breakpoints(&self.file, json!(points));
        assert_eq!(set, vec![true; count]);
    }

    /// Returns the stops of a command until one of them is at an end of the way.
    fn stops(&mut self, command: &str, end: &str) -> Vec<String> {
        let mut stops = vec![self.adapter.go(command)];
        while stops.last().is_some_and(|stop| stop != end) {
            assert!(stops.len() < 20, "{stops:?}");
            stops.push(self.adapter.go(command));
        }
        stops
    }

    /// Goes back to the first change and forward to line 4. Returns the stops on both ways, without the last ones.
    fn there_and_back(&mut self, first: &str) -> [Vec<String>; 2] {
        let mut back = self.stops("reverseContinue", first);
        let mut forward = self.stops("continue", "breakpoint 4");
        back.pop();
        forward.pop();
        [back, forward]
    }
}

/// The state before the first change, where the way back ends.
const START: &str = "step 2 Before change 1 of 3";
/// The same state, at which a breakpoint stops.
const STOPPED_START: &str = "breakpoint 2 Before change 1 of 3";

fn before(changes: &[usize]) -> Vec<String> {
    changes.iter().map(|change| format!("breakpoint 2 Before change {change} of 3")).collect()
}

#[test]
fn a_condition_is_that_of_the_variables_of_the_moment() {
    let (mut replay, stops) = Replay::start(json!({ "line": 2, "condition": "name == \"zzz\"" }));
    assert_eq!(stops, [""; 0]);
    assert_eq!(replay.there_and_back(START), [before(&[]), before(&[])]);
    let (mut replay, stops) = Replay::start(json!({ "line": 2, "condition": "name == \"b\"" }));
    assert_eq!(stops, ["breakpoint 2"]);
    assert_eq!(replay.there_and_back(START), [before(&[2]), before(&[2])]);
    // Steps one by one go everywhere.
    for change in [3, 2, 1] {
        assert_eq!(replay.adapter.go("stepBack"), format!("step 2 Before change {change} of 3"));
    }
    assert_eq!(replay.stops("continue", "breakpoint 4"), ["breakpoint 2 Before change 2 of 3", "breakpoint 4"]);
    assert_eq!(replay.adapter.go("continue"), "end");
}

#[test]
fn a_condition_without_a_value_stops_on_both_ways() {
    let (mut replay, stops) = Replay::start(json!({ "line": 2, "condition": "1 / (LEN(name) - 1) > 0" }));
    assert_eq!(stops, ["breakpoint 2"; 3]);
    assert_eq!(replay.there_and_back(STOPPED_START), [before(&[3, 2]), before(&[2, 3])]);
}

#[test]
fn a_log_point_stops_nowhere_and_prints_once() {
    let (mut replay, stops) = Replay::start(json!({ "line": 2, "logMessage": "at {name}" }));
    assert_eq!(stops, [""; 0]);
    assert_eq!(replay.there_and_back(START), [before(&[]), before(&[])]);
    assert_eq!(replay.adapter.logged, "at a\nat b\nat c\n");
}

#[test]
fn hits_are_those_of_the_run() {
    for (hits, back) in [("> 10", &[][..]), ("2", &[2]), (">= 2", &[3, 2]), ("% 3", &[3]), ("<= 2", &[2])] {
        let (mut replay, stops) = Replay::start(json!({ "line": 2, "hitCondition": hits }));
        let is_first = hits == "<= 2";
        assert_eq!(stops.len(), back.len() + usize::from(is_first), "`{hits}`: {stops:?}");
        let [there, again] = replay.there_and_back(if is_first { STOPPED_START } else { START });
        assert_eq!(there, before(back), "`{hits}`");
        let forward: Vec<usize> = back.iter().rev().copied().collect();
        assert_eq!(again, before(&forward), "`{hits}`");
        // Nothing was counted meanwhile.
        assert_eq!(replay.there_and_back(if is_first { STOPPED_START } else { START }), [there, again], "`{hits}`");
    }
    let (mut replay, _) = Replay::start(json!({ "line": 2, "hitCondition": "2", "condition": "name != \"a\"" }));
    assert_eq!(replay.there_and_back(START), [before(&[3]), before(&[3])]);
}

#[test]
fn a_breakpoint_that_is_set_later_has_no_hits_there() {
    let (mut replay, _) = Replay::start(json!({ "line": 2, "hitCondition": ">= 2" }));
    replay.set(4, &[json!({ "line": 2, "hitCondition": ">= 1" })]);
    assert_eq!(replay.there_and_back(START), [before(&[]), before(&[])]);
    replay.set(4, &[json!({ "line": 2, "condition": "name == \"c\"" }), json!({ "line": 2, "logMessage": "x" })]);
    assert_eq!(replay.there_and_back(START), [before(&[3]), before(&[3])]);
    replay.set(4, &[json!({ "line": 2 })]);
    assert_eq!(replay.there_and_back(STOPPED_START), [before(&[3, 2]), before(&[2, 3])]);
}

#[test]
fn hits_in_procedures_that_call_themselves_are_kept_apart() {
    let script = "\
DEFINE PROCEDURE Write(n)
  CALL FS.WriteFile(\"f\" + n, Inner(n))
  RETURN \"1\"
END
CALL Write(3)
EMIT 1
DEFINE PROCEDURE Inner(n)
  IF n > 1 THEN
    RETURN Write(n - 1)
  END
  RETURN \"1\"
END
";
    // The outermost call is the first hit, and makes the last change.
    let (mut replay, stops) = Replay::of(script, 6, &[json!({ "line": 2, "hitCondition": "1" })]);
    assert_eq!(stops, ["breakpoint 2"]);
    assert_eq!(replay.adapter.go("reverseContinue"), "breakpoint 2 Before change 3 of 3");
    assert_eq!(replay.adapter.go("reverseContinue"), START);
    assert_eq!(replay.stops("continue", "breakpoint 6")[0], "breakpoint 2 Before change 3 of 3");
}

#[test]
fn a_statement_that_changes_several_files_stops_before_the_first() {
    let write = |name: &str| format!("FS.WriteFile(\"{name}\", \"1\")");
    let script = format!("SET n = 0\nSET all = [{}, {}, {}]\nSET n = 1\nEMIT n\n", write("a"), write("b"), write("c"));
    let (mut replay, stops) = Replay::of(&script, 4, &[json!({ "line": 2 })]);
    assert_eq!(stops, ["breakpoint 2"]);
    assert_eq!(replay.there_and_back(STOPPED_START), [before(&[]), before(&[])]);
}
