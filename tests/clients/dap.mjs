// Debugs scripts through `ns dap` with the client of VS Code's own tests, @vscode/debugadapter-testsupport.
//
// usage: dap.mjs NS FOLDER_WITH_NODE_MODULES [WORD…]   (only the tests whose names have a word)
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";

const [ns, modules, ...words] = process.argv.slice(2);
const require = createRequire(path.join(path.resolve(modules), "x.js"));
const { DebugClient } = require("@vscode/debugadapter-testsupport");

const home = fs.mkdtempSync(path.join(os.tmpdir(), "ns-dap-"));
process.env.XDG_STATE_HOME = path.join(home, "state");
process.env.XDG_CONFIG_HOME = path.join(home, "config");
const tests = [];
const test = (name, run) => tests.push({ name, run });

/** A folder with a script and other files. */
class Place {
  constructor(files) {
    this.folder = fs.mkdtempSync(path.join(home, "place-"));
    for (const [name, text] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(this.path(name)), { recursive: true });
      fs.writeFileSync(this.path(name), text);
    }
    this.program = this.path("main.ns");
  }
  path(name) {
    return path.join(this.folder, name);
  }
  read(name) {
    return fs.readFileSync(this.path(name), "utf8");
  }
  has(name) {
    return fs.existsSync(this.path(name));
  }
  ns(...args) {
    return new Promise((resolve, reject) => {
      const child = spawn(path.resolve(ns), [...args, "--sandbox", this.folder], { cwd: this.folder });
      let output = "";
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (output += piece));
      child.on("error", reject);
      child.on("close", (code) => resolve({ code, output }));
    });
  }
}

/** A run of a script under the client. */
class Run {
  static async start(place, { launch = {}, breakpoints = {}, functions = [], filters = ["uncaught"] } = {}) {
    const run = new Run();
    run.place = place;
    run.output = { stdout: "", stderr: "", console: "", important: "" };
    run.client = new DebugClient(path.resolve(ns), "dap", "neuroscript", { cwd: place.folder });
    run.client.defaultTimeout = 20_000;
    run.client.on("output", ({ body }) => (run.output[body.category] += body.output));
    run.ended = run.client.waitForEvent("terminated", 60_000);
    run.ended.catch(() => {});
    await run.client.start();
    run.capabilities = (await run.client.initializeRequest()).body;
    run.next = run.stop();
    const ready = run.client.waitForEvent("initialized");
    const launched = run.client.launchRequest({ program: place.program, sandbox: place.folder, ...launch });
    await Promise.race([ready, launched]);
    await ready;
    run.set = {};
    for (const [file, points] of Object.entries(breakpoints)) {
      const wanted = points.map((point) => (typeof point === "number" ? { line: point } : point));
      const answer = await run.client.setBreakpointsRequest({ source: { path: place.path(file) }, breakpoints: wanted });
      run.set[file] = answer.body.breakpoints;
    }
    if (functions.length > 0) {
      const wanted = functions.map((point) => (typeof point === "string" ? { name: point } : point));
      run.set.functions = (await run.client.setFunctionBreakpointsRequest({ breakpoints: wanted })).body.breakpoints;
    }
    await run.client.setExceptionBreakpointsRequest({ filters });
    await run.client.configurationDoneRequest();
    await launched;
    return run;
  }
  /** The next stop, or the end of the run. */
  stop() {
    const stopped = this.client.waitForEvent("stopped", 20_000);
    stopped.catch(() => {});
    return Promise.race([stopped, this.ended]);
  }
  /** Waits for the stop that is under way: its reason, and where it is. */
  async here() {
    const event = await this.next;
    if (event.event === "terminated") return { reason: "end" };
    const { stackFrames } = (await this.client.stackTraceRequest({ threadId: 1 })).body;
    const [top] = stackFrames;
    return { ...event.body, line: top.line, name: top.name, file: path.basename(top.source.path), frames: stackFrames };
  }
  async go(command) {
    this.next = this.stop();
    await this.client.send(command, { threadId: 1 });
    return this.here();
  }
  async lines(command, count) {
    const lines = [];
    for (let at = 0; at < count; at += 1) lines.push((await this.go(command)).line);
    return lines;
  }
  async scope(name, frame = 0) {
    const { stackFrames } = (await this.client.stackTraceRequest({ threadId: 1 })).body;
    const { scopes } = (await this.client.scopesRequest({ frameId: stackFrames[frame].id })).body;
    return scopes.find((scope) => scope.name === name).variablesReference;
  }
  async variables(reference, more = {}) {
    return (await this.client.variablesRequest({ variablesReference: reference, ...more })).body.variables;
  }
  async values(name = "Variables", frame = 0) {
    const variables = await this.variables(await this.scope(name, frame));
    return Object.fromEntries(variables.map((variable) => [variable.name, variable.value]));
  }
  async evaluate(expression, context = "watch", frame = 0) {
    const { stackFrames } = (await this.client.stackTraceRequest({ threadId: 1 })).body;
    return (await this.client.evaluateRequest({ expression, context, frameId: stackFrames[frame].id })).body;
  }
  async end() {
    if ((await Promise.race([this.ended, Promise.resolve(null)])) === null) this.next = this.go("continue").catch(() => {});
    await this.ended;
    await this.client.stop();
    return this.output;
  }
}

const failure = async (promise) => {
  const error = await promise.then(() => null, (error) => error);
  assert.notEqual(error, null, "the request succeeded");
  return error.message;
};

const COUNTING = `DEFINE PROCEDURE Twice(n)
  SET result = n * 2
  RETURN result
END

# a comment
SET total = 0
FOR EACH i IN RANGE(1, 4) DO
  SET total = total + Twice(i)
END
EMIT total
`;

test("breakpoints, steps, stack and variables", async () => {
  const run = await Run.start(new Place({ "main.ns": COUNTING }), { breakpoints: { "main.ns": [6, 2, 99] } });
  const [moved, exact, none] = run.set["main.ns"];
  assert.deepEqual([moved.verified, moved.line], [true, 7]);
  assert.match(moved.message, /line 6; moved to line 7/);
  assert.deepEqual([exact.verified, exact.line, exact.message], [true, 2, undefined]);
  assert.equal(none.verified, false);
  let here = await run.here();
  assert.deepEqual([here.reason, here.line, here.hitBreakpointIds], ["breakpoint", 7, [moved.id]]);
  assert.deepEqual(await run.values(), { total: "not set yet", i: "not set yet" });
  here = await run.go("continue");
  assert.deepEqual([here.line, here.name, here.frames[1].line, here.frames[1].name], [2, "Twice", 9, "top level"]);
  assert.deepEqual(await run.values(), { n: "1", result: "not set yet" });
  assert.deepEqual(await run.values("Script"), { total: "0", i: "1" });
  assert.deepEqual(await run.lines("next", 2), [3, 9]);
  // A step in stops at the breakpoint of the procedure, a step out after it.
  assert.deepEqual(await run.lines("stepIn", 1), [2]);
  assert.deepEqual(await run.lines("stepOut", 1), [9]);
  await run.client.setBreakpointsRequest({ source: { path: run.place.program }, breakpoints: [] });
  assert.deepEqual(await run.lines("next", 1), [11]);
  assert.deepEqual(await run.values(), { total: "12", i: "3" });
  const { stdout } = await run.end();
  assert.equal(stdout, "12\n");
});

test("entry, arguments and one procedure", async () => {
  const script = "DEFINE PROCEDURE Greet(who, times: 2)\n  EMIT who, times\nEND\nEMIT 1\n";
  const place = new Place({ "main.ns": script });
  const run = await Run.start(place, { launch: { stopOnEntry: true, procedure: "Greet", args: ["you", "--times", "3"] } });
  const here = await run.here();
  assert.deepEqual([here.reason, here.line], ["entry", 2]);
  assert.deepEqual(await run.values(), { who: '"you"', times: "3" });
  assert.equal((await run.end()).stdout, "you3\n");
});

test("a run without debugging has no breakpoints", async () => {
  const run = await Run.start(new Place({ "main.ns": COUNTING }), { launch: { noDebug: true, stopOnEntry: true }, breakpoints: { "main.ns": [9] }, functions: ["Twice"], filters: ["errors"] });
  for (const [point] of [run.set["main.ns"], run.set.functions]) {
    assert.equal(point.verified, false);
    assert.match(point.message, /`noDebug`/);
  }
  assert.equal((await run.here()).reason, "end");
  assert.equal((await run.end()).stdout, "12\n");
});

test("conditions, hit counts, messages and procedures", async () => {
  const points = [
    { line: 9, condition: "i == 2" },
    { line: 9, hitCondition: ">= 3" },
    { line: 9, logMessage: "i is {i}, twice {Twice(i)}, {{no}} {i +}" },
    { line: 9, condition: "i ==" },
    { line: 9, hitCondition: "often" },
  ];
  const run = await Run.start(new Place({ "main.ns": COUNTING }), {
    breakpoints: { "main.ns": points },
    functions: ["Twice", { name: "Twice", condition: "n > 2" }, "Nobody"],
  });
  assert.deepEqual(run.set["main.ns"].map((point) => point.verified), [true, true, true, false, false]);
  assert.match(run.set["main.ns"][4].message, /hit count/);
  assert.deepEqual(run.set.functions.map((point) => [point.verified, point.line]), [[true, 2], [true, 2], [false, undefined]]);
  assert.match(run.set["main.ns"][3].message, /not an expression/);
  const stops = [];
  for (let here = await run.here(); here.reason !== "end"; here = await run.go("continue")) {
    stops.push([here.reason, here.line, here.hitBreakpointIds.length]);
  }
  const inside = "function breakpoint";
  assert.deepEqual(stops, [[inside, 2, 1], ["breakpoint", 9, 1], [inside, 2, 1], ["breakpoint", 9, 1], [inside, 2, 2]]);
  const { console: logged } = await run.end();
  assert.equal(logged.split("\n").length, 4);
  assert.match(logged, /^i is 1, twice 2, \{no\} \{i \+: /);
});

test("a condition that cannot be evaluated stops and says why", async () => {
  const script = "SET a = 1\nSET b = nil\nEMIT a\n";
  const run = await Run.start(new Place({ "main.ns": script }), { breakpoints: { "main.ns": [{ line: 3, condition: "b.c > 1" }] } });
  const here = await run.here();
  assert.equal(here.line, 3);
  assert.match(here.text, /the condition `b\.c > 1`: /);
  await run.end();
});

test("values are paged, cut and bounded", async () => {
  const script = `SET list = RANGE(5000)
SET text = STR.Repeat("é", 3000)
SET map = {"a b": [1, {"c": nil}], "d": 1.5, "e": []}
SET many = {}
FOR EACH i IN RANGE(2500) DO
  SET many["k" & i] = i
END
SET long = {}
SET long[STR.Repeat("k", 100000)] = RANGE(1000)
EMIT LEN(list)
`.replace('"k" & i', '"k" + STR(i)');
  const run = await Run.start(new Place({ "main.ns": script }), { breakpoints: { "main.ns": [10] } });
  await run.here();
  const variables = await run.variables(await run.scope("Variables"));
  const of = (name) => variables.find((variable) => variable.name === name);
  assert.deepEqual([of("list").indexedVariables, of("list").type], [5000, "list"]);
  const page = await run.variables(of("list").variablesReference, { filter: "indexed", start: 4990, count: 100 });
  assert.deepEqual(page.map((item) => item.name), Array.from({ length: 10 }, (_, at) => `[${4990 + at}]`));
  assert.equal(page[0].evaluateName, "list[4990]");
  const all = await run.variables(of("list").variablesReference);
  assert.deepEqual([all.length, all[1000].value], [1001, "4000 more; look at one with an expression"]);
  assert.equal((await run.variables(of("many").variablesReference)).length, 1001);
  assert.match(of("text").value, /^"é{999}… \(3000 characters\)$/);
  const inside = await run.variables(of("map").variablesReference);
  assert.deepEqual(inside.map((item) => [item.name, item.value]), [["a b", '[1, {"c": nil}] (2 elements)'], ["d", "1.5"], ["e", "[] (0 elements)"]]);
  assert.equal(inside[0].evaluateName, 'map["a b"]');
  const deep = await run.variables(inside[0].variablesReference);
  const deeper = await run.variables(deep[1].variablesReference);
  assert.equal(deeper[0].evaluateName, 'map["a b"][1]["c"]');
  assert.equal((await run.evaluate(deeper[0].evaluateName)).result, "nil");
  assert.equal((await run.evaluate("text", "clipboard")).result, "é".repeat(3000));
  assert.match(await failure(run.client.variablesRequest({ variablesReference: 999_999 })), /reference 999999/);
  // A long key is cut, and nothing can be set by a name that is cut.
  const [item] = await run.variables(of("long").variablesReference);
  assert.deepEqual([item.name, item.evaluateName], ["k".repeat(1000) + "…", undefined]);
  const elements = await run.variables(item.variablesReference);
  assert.deepEqual([elements.length, elements[999].name, elements[999].evaluateName], [1000, "[999]", undefined]);
  const cut = { variablesReference: of("long").variablesReference, name: item.name, value: "1" };
  assert.match(await failure(run.client.setVariableRequest(cut)), /the name is cut/);
  await run.end();
});

test("variables are set, also inside values", async () => {
  const script = `DEFINE PROCEDURE P(n)
  EMIT n, top
END
SET top = 1
SET map = {"list": [1, 2]}
CALL P(5)
EMIT map, top
`;
  const run = await Run.start(new Place({ "main.ns": script }), { functions: ["P"] });
  await run.here();
  const set = (variablesReference, name, value) => run.client.setVariableRequest({ variablesReference, name, value });
  assert.equal((await set(await run.scope("Variables"), "n", "n * 2 + 1")).body.value, "11");
  assert.equal((await set(await run.scope("Script"), "top", '"new"')).body.value, '"new"');
  const [, map] = await run.variables(await run.scope("Variables", 1));
  const [list] = await run.variables(map.variablesReference);
  assert.equal((await set(list.variablesReference, "[1]", "{}")).body.value, "{} (0 keys)");
  assert.equal((await set(map.variablesReference, "more", "[3]")).body.value, "[3] (1 element)");
  assert.equal((await run.variables(list.variablesReference))[1].value, "{} (0 keys)");
  assert.match(await failure(set(await run.scope("Variables"), "n", "nobody")), /nobody/);
  assert.match(await failure(set(await run.scope("Variables"), "n", 'FS.ReadFile("main.ns")')), /debug console/);
  assert.match(await failure(set(await run.scope("Variables"), "nobody", "1")), /no variable `nobody`/);
  assert.match(await failure(set(await run.scope("Outcome"), "ARGS", "1")), /by the run alone/);
  assert.equal((await run.end()).stdout, '11new\n{"list": [1, {}], "more": [3]}new\n');
});

test("expressions only compute, except in the debug console", async () => {
  const script = `DEFINE PROCEDURE Reads()
  RETURN FS.ReadFile("main.ns")
END
DEFINE PROCEDURE Prints(x)
  EMIT x
  RETURN x
END
SET name = "a.txt"
EMIT name
`;
  const place = new Place({ "main.ns": script });
  const run = await Run.start(place, { breakpoints: { "main.ns": [9] } });
  await run.here();
  assert.equal((await run.evaluate("STR.Upper(name)", "hover")).result, '"A.TXT"');
  for (const context of ["watch", "hover", "clipboard", undefined]) {
    for (const [expression, tool] of [['FS.WriteFile(name, "x")', /FS\.WriteFile/], ["Reads()", /FS\.ReadFile/], ["Prints(1)", /EMIT/], ["LIST.Map([1], Prints)", /EMIT/], ["RANDOM.Int(1, 6)", /RANDOM|nothing/]]) {
      assert.match(await failure(run.evaluate(expression, context)), tool);
    }
  }
  assert.equal(place.has("a.txt"), false);
  assert.match(await failure(run.evaluate("SET name = 1")), /statement/);
  assert.match(await failure(run.evaluate("1)\nEND\nCALL FS.WriteFile(name, \"x\")\n(2")), /./);
  assert.match(await failure(run.evaluate("name +")), /./);
  assert.match(await failure(run.evaluate("")), /no expression/);
  assert.match(await failure(run.client.evaluateRequest({ expression: "1", frameId: 7 })), /there is no frame 7 at this stop/);
  assert.match(await failure(run.evaluate("1 / 0")), /zero/);
  assert.match(await failure(run.evaluate("Loops()")), /Loops/);
  assert.equal((await run.evaluate("Prints(3)", "repl")).result, "3");
  await run.evaluate('FS.WriteFile(name, "x")', "repl");
  assert.equal(place.read("a.txt"), "x");
  // A change of the console is one like those of the script.
  assert.equal((await run.go("stepBack")).description, "Before change 1 of 1");
  assert.equal(place.has("a.txt"), false);
  await run.go("next");
  assert.equal(place.read("a.txt"), "x");
  assert.equal((await run.end()).stdout, "3\na.txt\n");
  assert.match((await place.ns("log")).output, /debug console/);
});

test("errors: unhandled, handled, passed on, in a handler", async () => {
  const script = `DEFINE PROCEDURE Fails(how)
  FAIL "on purpose"
END
DEFINE PROCEDURE Handles(how)
  ON ERROR AS problem DO
    IF how == 1 THEN
      CLEAR_ERROR
    ELSE IF how == 2 THEN
      SET x = 1 / 0
    END
  END
  CALL Fails(how)
END
CALL Handles(1)
EMIT "handled"
CALL Handles(HOW)
`;
  const stops = async (how, filters) => {
    const run = await Run.start(new Place({ "main.ns": script.replace("HOW", how) }), { filters });
    const found = [];
    for (let here = await run.here(); here.reason !== "end"; here = await run.go("continue")) {
      const info = (await run.client.exceptionInfoRequest({ threadId: 1 })).body;
      found.push(`${here.line} ${info.breakMode} ${info.exceptionId}`);
    }
    await run.end();
    return found;
  };
  assert.deepEqual(await stops("1", ["errors", "uncaught"]), ["2 always fail", "2 always fail"]);
  assert.deepEqual(await stops("1", ["uncaught"]), []);
  assert.deepEqual(await stops("2", []), []);
  // The error of the handler itself ends the run.
  assert.deepEqual(await stops("2", ["uncaught"]), ["9 unhandled NS0303"]);
  // A handler that does not clear the error passes it on; it stops in the handler.
  assert.deepEqual(await stops("3", ["uncaught"]), ["8 unhandled fail"]);
});

test("modules, recursion, lines of a file and templates", async () => {
  const place = new Place({
    "lib/sums.ns": "DEFINE PROCEDURE Sum(n)\n  IF n == 0 THEN\n    RETURN 0\n  END\n  RETURN n + Sum(n - 1)\nEND\n",
    "lines.txt": "one\ntwo\nthree\n",
    "main.ns": `USE "lib/sums.ns" AS sums
EMIT sums.Sum(3)
FOR EACH line IN FS.Lines("lines.txt") DO
  EMIT \`\`\`a {{line}}
  and more
  \`\`\`
END
`,
  });
  const run = await Run.start(place, { breakpoints: { "lib/sums.ns": [3], "main.ns": [5] }, functions: ["sums.Sum"] });
  assert.deepEqual(run.set["main.ns"].map((point) => point.line), [4]);
  assert.deepEqual(run.set.functions.map((point) => point.line), [2]);
  let here = await run.here();
  assert.deepEqual([here.file, here.line, here.frames.length], ["sums.ns", 2, 2]);
  assert.equal((await run.evaluate("Sum(n) + n")).result, "9");
  assert.match(await failure(run.evaluate("line")), /line/);
  await run.client.setFunctionBreakpointsRequest({ breakpoints: [] });
  here = await run.go("continue");
  assert.deepEqual([here.line, here.frames.length, here.frames.at(-1).line], [3, 5, 2]);
  assert.deepEqual(await Promise.all([0, 1, 2, 3].map((at) => run.values("Variables", at))), [0, 1, 2, 3].map((n) => ({ n: String(n) })));
  const part = (await run.client.stackTraceRequest({ threadId: 1, startFrame: 1, levels: 2 })).body;
  assert.deepEqual([part.stackFrames.length, part.totalFrames, part.stackFrames[0].id], [2, 5, 4]);
  const seen = [];
  for (let at = 0; at < 3; at += 1) {
    here = await run.go("continue");
    seen.push([here.line, (await run.values()).line]);
  }
  assert.deepEqual(seen, [[4, '"one"'], [4, '"two"'], [4, '"three"']]);
  const loaded = (await run.client.send("loadedSources")).body.sources.map((source) => path.relative(place.folder, source.path));
  assert.deepEqual(loaded, ["main.ns", "lib/sums.ns"]);
  assert.match((await run.end()).stdout, /^6\na one\n/);
});

test("a module is in the file of its own root, and libraries of the launch come first", async () => {
  const module = (name) => `DEFINE PROCEDURE Name()\n  RETURN "${name}"\nEND\n`;
  const place = new Place({
    "x.ns": module("sandbox"),
    "y.ns": module("sandbox"),
    "main.ns": 'USE "x.ns" AS x\nUSE "y.ns" AS y\nEMIT x.Name(), y.Name()\n',
  });
  const [first, second] = [new Place({ "x.ns": module("first") }), new Place({ "x.ns": module("second") })];
  const library = path.relative(place.folder, second.folder);
  const client = new Frames(place, "--lib", second.folder);
  client.send("initialize", {});
  client.send("launch", { program: "main.ns", lib: [first.folder] });
  client.send("configurationDone");
  await client.see(/"output":"firstsandbox\\n"/);
  client.send("disconnect");
  await client.closed;
  const run = await Run.start(place, { launch: { lib: [library] }, breakpoints: { "x.ns": [2], "y.ns": [2], [path.join(library, "x.ns")]: [2] } });
  assert.deepEqual(Object.values(run.set).map(([point]) => point.verified), [false, true, true]);
  let here = await run.here();
  assert.equal(path.resolve(here.frames[0].source.path), second.path("x.ns"));
  here = await run.go("continue");
  assert.equal(here.frames[0].source.path, place.path("y.ns"));
  assert.equal((await run.end()).stdout, "secondsandbox\n");
});

const CHANGING = `DEFINE PROCEDURE Save(name, text)
  CALL FS.WriteFile(name, text)
  RETURN LEN(text)
END
SET written = 0
FOR EACH name IN ["a.txt", "b.txt", "c.txt"] DO
  SET written = written + Save(name, "text of " + name)
END
CALL FS.DeleteFile("old.txt")
EMIT written
`;

test("the run stops before each change", async () => {
  const place = new Place({ "main.ns": CHANGING, "old.txt": "old" });
  const run = await Run.start(place, { filters: ["changes"] });
  const told = [];
  for (let here = await run.here(); here.reason !== "end"; here = await run.go("continue")) {
    told.push([here.line, here.text]);
    assert.equal((await run.client.exceptionInfoRequest({ threadId: 1 })).body.exceptionId, "change");
    if (told.length === 2) assert.deepEqual([place.has("a.txt"), place.has("b.txt")], [true, false]);
    if (told.length === 4) assert.equal(place.read("old.txt"), "old");
  }
  const write = (name) => [2, `FS.WriteFile of \`${name}\``];
  assert.deepEqual(told, [write("a.txt"), write("b.txt"), write("c.txt"), [9, "FS.DeleteFile of `old.txt`"]]);
  assert.equal((await run.end()).stdout, "39\n");
  assert.equal(place.has("old.txt"), false);
  // Each change is a run of its own, with its line.
  const { output } = await place.ns("log");
  assert.match(output, /line 2: FS\.WriteFile/);
  assert.match(output, /line 9: FS\.DeleteFile/);
});

test("stepping back takes changes back, and forward makes them again", async () => {
  const place = new Place({ "main.ns": CHANGING, "old.txt": "old" });
  const run = await Run.start(place, { breakpoints: { "main.ns": [10] } });
  const state = async () => {
    const files = ["a.txt", "b.txt", "c.txt", "old.txt"].filter((name) => place.has(name)).map((name) => name[0]).join("");
    const { stackFrames } = (await run.client.stackTraceRequest({ threadId: 1 })).body;
    const top = await run.values("Variables", stackFrames.length - 1);
    return `${stackFrames[0].line} ${files} ${top.written} ${top.name}`;
  };
  await run.here();
  const present = '10 abc 39 "c.txt"';
  assert.equal(await state(), present);
  const back = [];
  for (let at = 0; at < 4; at += 1) {
    const here = await run.go("stepBack");
    assert.equal(here.description, `Before change ${4 - at} of 4`);
    back.push(await state());
  }
  assert.deepEqual(back, ['9 abco 39 "c.txt"', '2 abo 26 "c.txt"', '2 ao 13 "b.txt"', '2 o 0 "a.txt"']);
  assert.match(await failure(run.client.send("stepBack", { threadId: 1 })), /no file before/);
  // The past can be looked at, and not changed.
  assert.equal((await run.evaluate("name + text")).result, '"a.txttext of a.txt"');
  const local = await run.scope("Variables");
  assert.match(await failure(run.client.setVariableRequest({ variablesReference: local, name: "name", value: "1" })), /go forward/);
  assert.match(await failure(run.evaluate('FS.WriteFile("x", "y")', "repl")), /go forward/);
  await run.go("next");
  assert.equal(await state(), back[2]);
  await run.go("stepIn");
  await run.go("stepOut");
  assert.equal(await state(), back[0]);
  await run.go("next");
  assert.equal(await state(), present);
  // To the first change, and to a breakpoint on the way.
  await run.go("reverseContinue");
  assert.equal(await state(), back[3]);
  // The breakpoint of the present stops the way forward again.
  assert.deepEqual([(await run.go("continue")).reason, await state()], ["breakpoint", present]);
  await run.go("reverseContinue");
  await run.client.setBreakpointsRequest({ source: { path: place.program }, breakpoints: [{ line: 9 }] });
  assert.deepEqual([(await run.go("continue")).reason, await state()], ["breakpoint", back[0]]);
  await run.go("next");
  await run.client.setBreakpointsRequest({ source: { path: place.program }, breakpoints: [{ line: 2 }] });
  await run.go("reverseContinue");
  assert.equal(await state(), back[1]);
  await run.client.setBreakpointsRequest({ source: { path: place.program }, breakpoints: [] });
  assert.equal((await run.end()).stdout, "39\n");
  assert.equal(place.has("old.txt"), false);
  assert.deepEqual([place.read("a.txt"), place.read("c.txt")], ["text of a.txt", "text of c.txt"]);
});

test("what somebody else changed meanwhile is not overwritten", async () => {
  const place = new Place({ "main.ns": CHANGING, "old.txt": "old" });
  const run = await Run.start(place, { breakpoints: { "main.ns": [10] } });
  await run.here();
  await run.go("stepBack");
  fs.writeFileSync(place.path("c.txt"), "of somebody else");
  assert.match(await failure(run.client.send("stepBack", { threadId: 1 })), /c\.txt/);
  assert.equal(place.read("c.txt"), "of somebody else");
  fs.writeFileSync(place.path("old.txt"), "of somebody else");
  assert.match(await failure(run.client.send("next", { threadId: 1 })), /old\.txt/);
  assert.equal(place.read("old.txt"), "of somebody else");
  assert.match(run.output.important, /c\.txt[^]*old\.txt/);
  fs.writeFileSync(place.path("old.txt"), "old");
  await run.client.stop();
  assert.equal(place.read("c.txt"), "of somebody else");
});

test("a way back over several changes ends where somebody else changed a file", async () => {
  const place = new Place({ "main.ns": CHANGING, "old.txt": "old" });
  const run = await Run.start(place, { breakpoints: { "main.ns": [10] } });
  await run.here();
  fs.writeFileSync(place.path("c.txt"), "of somebody else");
  const here = await run.go("reverseContinue");
  assert.deepEqual([here.reason, here.line, here.description], ["step", 9, "Before change 4 of 4"]);
  assert.match(run.output.important, /c\.txt/);
  assert.deepEqual([place.read("c.txt"), place.read("old.txt")], ["of somebody else", "old"]);
  // Nothing more is taken back, so the request fails.
  assert.match(await failure(run.client.send("reverseContinue", { threadId: 1 })), /c\.txt/);
  await run.client.stop();
});

test("a way forward over several changes ends where somebody else changed a file", async () => {
  const place = new Place({ "main.ns": CHANGING, "old.txt": "old" });
  const run = await Run.start(place, { breakpoints: { "main.ns": [10] } });
  await run.here();
  assert.equal((await run.go("reverseContinue")).description, "Before change 1 of 4");
  fs.writeFileSync(place.path("b.txt"), "of somebody else");
  const here = await run.go("continue");
  assert.deepEqual([here.reason, here.line, here.description], ["step", 2, "Before change 2 of 4"]);
  assert.equal((await run.values()).name, '"b.txt"');
  assert.match(run.output.important, /b\.txt/);
  assert.deepEqual([place.read("a.txt"), place.read("b.txt")], ["text of a.txt", "of somebody else"]);
  await run.client.stop();
});

test("a plan changes nothing on the disk", async () => {
  const place = new Place({ "main.ns": CHANGING + 'EMIT FS.ReadFile("a.txt").content\n', "old.txt": "old" });
  const run = await Run.start(place, { launch: { plan: true }, breakpoints: { "main.ns": [10] } });
  await run.here();
  assert.equal((await run.evaluate('FS.ReadFile("b.txt").content', "repl")).result, '"text of b.txt"');
  await run.go("stepBack");
  await run.go("stepBack");
  assert.equal((await run.go("next")).line, 9);
  await run.go("next");
  const { stdout, console: told } = await run.end();
  assert.match(stdout, /^39\ntext of a\.txt/);
  assert.match(told, /planned changes: 4; nothing on the disk has changed\n  a\.txt\n/);
  assert.deepEqual([place.has("a.txt"), place.read("old.txt")], [false, "old"]);
});

test("a run is paused, looked at and ended while it works", async () => {
  const place = new Place({ "main.ns": "SET n = 0\nWHILE true DO\n  SET n = n + 1\nEND\n" });
  const run = await Run.start(place);
  assert.deepEqual((await run.client.threadsRequest()).body.threads, [{ id: 1, name: "script" }]);
  assert.match(await failure(run.client.stackTraceRequest({ threadId: 1 })), /not stopped/);
  await new Promise((resolve) => setTimeout(resolve, 300));
  let here = await run.go("pause");
  assert.equal(here.reason, "pause");
  assert.equal((await run.evaluate("n > 0")).result, "true");
  await run.client.continueRequest({ threadId: 1 });
  run.next = run.stop();
  await run.client.setBreakpointsRequest({ source: { path: place.program }, breakpoints: [{ line: 3 }] });
  here = await run.here();
  assert.deepEqual([here.reason, here.line], ["breakpoint", 3]);
  await run.client.setBreakpointsRequest({ source: { path: place.program }, breakpoints: [] });
  await run.client.continueRequest({ threadId: 1 });
  await run.client.send("terminate");
  await run.ended;
  await run.client.stop();
});

test("a time limit does not count what a person takes, and ends a run nevertheless", async () => {
  const place = new Place({ "main.ns": "SET a = 1\nEMIT a\nFOR EACH i IN RANGE(20000) DO\n  SET a = i\nEND\nEMIT \"done\"\nWHILE true DO\n  SET a = 2\nEND\n", "neuroscript.toml": "[limits]\ntimeout_s = 1\n" });
  const run = await Run.start(place, { breakpoints: { "main.ns": [2] } });
  await run.here();
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const here = await run.go("continue");
  assert.equal(run.output.stdout, "1\ndone\n");
  assert.equal(here.reason, "exception");
  await run.end();
  assert.match(run.output.stderr, /NS0602|time/);
});

test("a script with errors is not launched, and says why", async () => {
  const place = new Place({ "main.ns": "SET a =\n" });
  const client = new DebugClient(path.resolve(ns), "dap", "neuroscript", { cwd: place.folder });
  let shown = "";
  client.on("output", ({ body }) => (shown += body.output));
  await client.start();
  await client.initializeRequest();
  const missing = await failure(client.launchRequest({ program: place.path("nobody.ns") }));
  assert.match(missing, /nobody\.ns/);
  assert.doesNotMatch(missing, /standard input/);
  assert.match(await failure(client.launchRequest({ program: 5 })), /do not fit/);
  assert.match(await failure(client.launchRequest({})), /`program` is missing/);
  assert.match(await failure(client.launchRequest({ program: place.program, sandbox: place.path("nobody") })), /nobody/);
  const ended = client.waitForEvent("terminated", 20_000);
  assert.match(await failure(client.launchRequest({ program: place.program })), /cannot be run/);
  await ended;
  assert.match(shown, /main\.ns:1/);
  await client.stop();
});

/** Speaks frames, right and wrong ones. */
class Frames {
  constructor(place, ...options) {
    this.child = spawn(path.resolve(ns), ["dap", ...options], { cwd: place.folder, stdio: ["pipe", "pipe", "inherit"] });
    this.text = "";
    this.seq = 0;
    this.child.stdout.on("data", (piece) => (this.text += piece));
    this.closed = new Promise((resolve) => this.child.on("close", (code, signal) => resolve(code ?? signal)));
    this.child.stdin.on("error", () => {});
  }
  raw(text) {
    this.child.stdin.write(text);
  }
  send(command, args) {
    this.seq += 1;
    const body = JSON.stringify({ seq: this.seq, type: "request", command, arguments: args });
    this.raw(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    return this.seq;
  }
  frame(body) {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    this.raw(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }
  async see(pattern) {
    for (let waited = 0; waited < 20_000; waited += 20) {
      if (pattern.test(this.text)) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.match(this.text, pattern);
  }
}

test("wrong order, unknown requests, odd frames", async () => {
  const place = new Place({ "main.ns": "EMIT 1\nEMIT 2\n" });
  const client = new Frames(place);
  client.send("launch", { program: "main.ns" });
  await client.see(/`launch` comes before `initialize`/);
  client.send("initialize", { pathFormat: "uri" });
  await client.see(/named by paths, not by `uri`/);
  client.send("initialize", { linesStartAt1: false, columnsStartAt1: false });
  await client.see(/supportsStepBack/);
  for (const command of ["setBreakpoints", "configurationDone", "stackTrace", "next", "terminate"]) client.send(command, {});
  await client.see(/`terminate` comes before `launch`/);
  client.send("attach", {});
  await client.see(/use `launch`/);
  client.frame("no json");
  client.frame([1]);
  client.frame({ seq: 1, type: "event" });
  client.frame({ seq: "x", type: "request", command: "threads" });
  await client.see(/`seq` is not a number/);
  client.send("launch", { program: "main.ns" });
  await client.see(/"initialized"/);
  client.send("launch", { program: "main.ns" });
  client.send("next", {});
  client.send("variables", {});
  client.send("nonsense", {});
  client.send("setBreakpoints", { source: { path: place.path("other.ns") }, breakpoints: [{ line: 1 }] });
  client.send("setBreakpoints", { source: { path: place.program }, breakpoints: "x" });
  client.send("setBreakpoints", { source: { path: place.program }, breakpoints: [{ line: 1 }] });
  await client.see(/"line":1}/);
  for (const text of ["a script runs already", "the run is not stopped", "there is no request `nonsense`", "no script or module of this run", "do not fit"]) await client.see(new RegExp(text));
  client.send("configurationDone");
  await client.see(/"reason":"breakpoint"/);
  client.send("pause", {});
  client.send("configurationDone");
  client.send("scopes", { frameId: 7 });
  client.send("exceptionInfo", {});
  for (const text of ["stopped already", "has begun already", "there is no frame 7", "did not stop at an error"]) await client.see(new RegExp(text));
  client.send("continue", {});
  await client.see(/"terminated"/);
  client.send("continue", {});
  await client.see(/the run is over/);
  client.send("disconnect");
  assert.equal(await client.closed, 0);
});

test("a client that disappears ends the run, wherever it is", async () => {
  const endless = "SET n = 0\nWHILE true DO\n  SET n = n + 1\nEND\n";
  for (const [breakpoints, seen] of [[[{ line: 3 }], /"stopped"/], [[], /"request_seq":4,"command":"configurationDone","success":true/]]) {
    for (const leave of [(client) => client.child.stdin.end(), (client) => client.raw("Content-Length: 100\r\n\r\n{"), (client) => client.send("disconnect")]) {
      const place = new Place({ "main.ns": endless });
      const client = new Frames(place);
      client.send("initialize", {});
      client.send("launch", { program: "main.ns" });
      client.send("setBreakpoints", { source: { path: place.program }, breakpoints });
      client.send("configurationDone");
      await client.see(seen);
      leave(client);
      client.child.stdin.end();
      const late = setTimeout(() => client.child.kill("SIGKILL"), 20_000);
      const code = await client.closed;
      clearTimeout(late);
      assert.ok(code === 0 || code === 1, `it ended with ${code}`);
      assert.match(client.text, /"exitCode":130/);
    }
  }
});

test("every thread is locked down before the script runs", async () => {
  if (!fs.existsSync("/proc/self/task")) return console.log("SKIPPED: there is no /proc here");
  const place = new Place({ "main.ns": "EMIT 1\n" });
  const client = new Frames(place);
  client.send("initialize", {});
  client.send("launch", { program: "main.ns", stopOnEntry: true });
  client.send("configurationDone");
  await client.see(/"stopped"/);
  const tasks = `/proc/${client.child.pid}/task`;
  const threads = fs.readdirSync(tasks).map((task) => {
    const status = fs.readFileSync(path.join(tasks, task, "status"), "utf8");
    return status.split("\n").filter((line) => /^(CapEff|CapPrm|NoNewPrivs|Seccomp|Seccomp_filters):/.test(line)).join(" ");
  });
  assert.ok(threads.length >= 2, "a thread reads and a thread runs");
  assert.match(threads[0], /NoNewPrivs:\t1 Seccomp:\t2/);
  assert.deepEqual([...new Set(threads)], [threads[0]]);
  client.send("disconnect");
  assert.equal(await client.closed, 0);
});

test("a request that is refused before the launch does nothing later", async () => {
  const place = new Place({ "main.ns": 'WHILE NOT FS.Exists("go") DO\n  SET n = 1\nEND\nEMIT "done"\n' });
  const client = new Frames(place);
  client.send("initialize", {});
  client.send("terminate", {});
  await client.see(/`terminate` comes before `launch`/);
  client.send("launch", { program: "main.ns" });
  client.send("configurationDone");
  await client.see(/"command":"configurationDone"/);
  client.send("threads");
  await client.see(/"name":"script"/);
  fs.writeFileSync(place.path("go"), "");
  await client.see(/"exitCode":0}/);
  client.send("disconnect");
  assert.equal(await client.closed, 0);
});

test("a client that disconnects before it launches has left properly", async () => {
  for (const commands of [["disconnect"], ["initialize", "disconnect"]]) {
    const client = new Frames(new Place({}));
    for (const command of commands) client.send(command, {});
    assert.equal(await client.closed, 0);
    assert.match(client.text, /"command":"disconnect"/);
  }
});

test("a debugger that is killed leaves what it changed, and each change can be taken back", async () => {
  const place = new Place({ "main.ns": CHANGING, "old.txt": "old" });
  const client = new Frames(place);
  client.send("initialize", {});
  client.send("launch", { program: "main.ns" });
  client.send("setBreakpoints", { source: { path: place.program }, breakpoints: [{ line: 10 }] });
  client.send("configurationDone");
  await client.see(/"stopped"/);
  client.child.kill("SIGKILL");
  await client.closed;
  assert.deepEqual([place.has("a.txt"), place.has("old.txt")], [true, false]);
  assert.equal((await place.ns("undo")).code, 0);
  assert.equal(place.read("old.txt"), "old");
  assert.equal(place.has("c.txt"), true);
  assert.equal((await place.ns("undo")).code, 0);
  assert.equal(place.has("c.txt"), false);
});

test("a temporary directory closes the way back, and is removed", async () => {
  const script = `SET folder = FS.TempDirectory()
CALL FS.WriteFile("a.txt", "a")
EMIT 1
`;
  const place = new Place({ "main.ns": script });
  const run = await Run.start(place, { breakpoints: { "main.ns": [3] } });
  await run.here();
  assert.match(await failure(run.client.send("stepBack", { threadId: 1 })), /temporary directory/);
  // Changes by the console belong to the same run.
  await run.evaluate('FS.WriteFile("b.txt", "b")', "repl");
  await run.end();
  assert.deepEqual(fs.readdirSync(place.folder).filter((name) => name.startsWith(".tmp")), []);
  assert.equal((await place.ns("undo")).code, 0);
  assert.deepEqual([place.has("a.txt"), place.has("b.txt")], [false, false]);
});

let failed = 0;
for (const { name, run } of tests.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))) {
  try {
    await run();
    console.log(`ok: ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED: ${name}\n${error.stack}`);
  }
}
fs.rmSync(home, { recursive: true, force: true });
process.exit(failed === 0 ? 0 : 1);
