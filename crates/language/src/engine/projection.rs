//! Selects cheaper variants of tools for fields that a script does not read (`program/projection`).

use crate::program::projectable_calls;
use crate::program::tree::Program;

use super::Engine;

impl Engine {
    /// Selects variants of tools that omit what the script does not read. The script must be complete; a session may
    /// have later lines.
    pub(super) fn project(&self, program: &mut Program) {
        // If answers have a size limit, their whole size counts.
        if self.limits.tool_output_bytes.is_none() {
            program.projected = projectable_calls(program, self.gate.registry());
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::prepare::Purpose;
    use crate::engine::{Engine, Options, Script};
    use crate::gate::SessionMemory;

    /// Whether the walk omits sizes and times.
    fn is_projected(engine: &Engine, text: &str) -> bool {
        let watch = engine.begin_account().watch();
        let prepared = engine.prepare(
            &Script::new("test", text),
            Purpose::Run { memory: &SessionMemory::new("test"), procedure: None, watch: &watch, for_debugger: false },
        );
        assert_eq!(prepared.findings, [], "{text}");
        !prepared.program.projected.is_empty()
    }

    fn engine() -> (tempfile::TempDir, Engine) {
        let place = tempfile::tempdir().expect("a folder for the test");
        let options = Options { sandbox: Some(place.path().to_owned()), ..Options::default() };
        let engine = Engine::open(&options).expect("an engine");
        (place, engine)
    }

    #[test]
    fn what_nothing_reads_is_projected() {
        let (_place, engine) = engine();
        for text in [
            "EMIT LEN(FS.WalkDir(\".\"))",
            "FOR EACH e IN FS.WalkDir(\".\") DO\nEMIT e.path\nEND",
            "FOR EACH i, e IN FS.WalkDir(\".\") DO\nEMIT i, e[\"name\"]\nEND",
            "SET w = FS.WalkDir(\".\")\nIF w == nil OR NOT w THEN\nFAIL \"x\"\nEND\nSET v = w\nFOR EACH e IN v DO\nSET f = e\nEMIT f.isDir\nEND",
            "CALL FS.WalkDir(\".\")\nSET w = LAST\nEMIT w[0].path, LEN(w)",
            "MUST CALL FS.WalkDir(\".\"), \"no\"\nFOR EACH e IN LAST DO\nEMIT e.name\nEND",
            "DEFINE PROCEDURE P()\nFOR EACH e IN w DO\nEMIT e.name\nEND\nEND\nSET w = FS.WalkDir(\".\")\nCALL P()",
        ] {
            assert!(is_projected(&engine, text), "{text}");
        }
    }

    #[test]
    fn what_may_be_read_is_not_spared() {
        let (_place, engine) = engine();
        let uses = [
            "EMIT w",
            "EMIT w[0]",
            "EMIT w[0].size",
            "EMIT w[0][\"modTime\"]",
            "SET n = \"size\"\nEMIT w[0][n]",
            "SET n = 0\nEMIT w[n].name",
            "EMIT w[\"x\"]",
            "EMIT w[0].sizes",
            "EMIT w.name",
            "EMIT ```{{w}}```",
            "EMIT EVAL(\"x\")",
            "EMIT STR(w)",
            "EMIT TYPEOF(w)",
            "EMIT LIST.Map(w, P)",
            "CALL P(w)",
            "SET x = [w]",
            "SET x = {\"w\": w}",
            "EMIT w == w",
            "EMIT w + w",
            "SET w[0] = 1",
            "SET w[0].name = 1",
            "EMIT JSON.Text(w)",
            "FOR EACH e IN w DO\nEMIT e\nEND",
            "FOR EACH e IN w DO\nEMIT e.size\nEND",
            "FOR EACH e IN w DO\nFOR EACH k IN e DO\nEMIT k\nEND\nEND",
            "FOR EACH i, e IN w DO\nEMIT e.modTime\nEND",
            "SET a, b = w",
            "RETURN w",
            "FAIL w",
            "SET l = []\nFOR EACH e IN w DO\nSET l = l + [e]\nEND",
            "FOR EACH e IN w DO\nSET a = b\nSET b = e\nEND\nEMIT a",
            "EMIT 1 IN w",
            "EMIT w[0] != nil, w[0].size",
            "CALL Q()",
            "CALL STR.Upper(w[0])",
            "MUST false, w",
        ];
        for used in uses {
            let before =
                "DEFINE PROCEDURE P(x)\nRETURN x\nEND\nDEFINE PROCEDURE Q()\nEMIT w\nEND\nSET a = 0\nSET b = 0";
            // Only procedures that are called are present.
            let before = if used.contains("Q()") {
                before
            } else {
                "DEFINE PROCEDURE P(x)\nRETURN x\nEND\nSET a = 0\nSET b = 0"
            };
            let text = format!("{before}\nSET w = FS.WalkDir(\".\")\n{used}");
            assert!(!is_projected(&engine, &text), "{text}");
        }
    }
}
