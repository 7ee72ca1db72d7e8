// The page: connects the editor, the folder, the results and the engine.
import { byId, count, element, firstOf, size } from "./dom.js";
import { canOpen, readFolder, stepsOf, writeBack } from "./disk.js";
import { Editor } from "./editor.js";
import { Engine, format, loadEngine, tokens } from "./engine.js";
import { problem } from "./problems.js";
import { SAMPLES } from "./samples.js";
import { MAX_LINK, fragmentOf, scriptOf } from "./share.js";
import { pack } from "./snapshot.js";
import { nextTheme, restoreTheme } from "./theme.js";
import { MOST_ROWS, changeTree, folderTree, summary } from "./trees.js";

/** Number of characters of output that the page shows. */
const MOST_OUTPUT = 700_000;
/** Time after the last key until the script is checked. */
const CHECK_DELAY = 250;

const state = {
  sample: "downloads",
  entries: [],
  runs: [],
  /** The path of the file that is shown. */
  chosen: undefined,
  /** The field with its text. */
  area: undefined,
  /** Whether a script runs, or other work during which nothing else may start. */
  isBusy: false,
  /** The folder of the disk: its handle, the stamps of its files, and the tree as it was read. */
  disk: undefined,
  /** The entries of the folder that came with a link. */
  linked: undefined,
  checkTimer: undefined,
  outputLength: 0,
};

/** The engine, once it is loaded. */
let engine;

const editor = new Editor({ area: byId("script"), highlight: byId("highlight"), gutter: byId("gutter"), changed: scheduleCheck });

function say(text, isError = false) {
  byId("status").textContent = text;
  byId("status").classList.toggle("bad", isError);
}

function note(text) {
  byId("notice").textContent = text ?? "";
  byId("notice").hidden = text === undefined;
}

/** Carries out work, and says why it failed. */
async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    say(error instanceof Error ? error.message : String(error), true);
    return undefined;
  }
}

function demand(answer) {
  if (!answer.error) return answer;
  const { message, help } = answer.error;
  throw new Error(help ? `${message}; ${help}` : message);
}

// Results

const TABS = ["output", "plan", "file"];

function showTab(name, focus = false) {
  for (const tab of TABS) {
    const button = byId(`tab-${tab}`);
    button.setAttribute("aria-selected", String(tab === name));
    button.tabIndex = tab === name ? 0 : -1;
    byId(`${tab}-panel`).hidden = tab !== name;
    if (tab === name && focus) button.focus();
  }
}

function clearOutput() {
  byId("output").replaceChildren();
  byId("ending").replaceChildren();
  state.outputLength = 0;
}

/** Adds a piece of output, up to a bound. */
function addOutput(piece, isWarning) {
  const left = MOST_OUTPUT - state.outputLength;
  if (left <= 0) return;
  const text = (piece.length > left ? `${piece.slice(0, left)}…` : piece) + (isWarning ? "\n" : "");
  state.outputLength += text.length;
  const output = byId("output");
  const last = output.lastChild;
  const isOfKind = last instanceof HTMLElement && last.classList.contains("warning") === isWarning;
  // A node takes a bounded number of characters, so that the browser lays out only the newest again.
  if (isOfKind && last.textContent.length < 16_384) last.append(text);
  else output.append(element("span", { class: isWarning ? "warning" : "text" }, text));
}

const ENDINGS = {
  done: "Done",
  failed: "Failed",
  refused: "Refused by the policy",
  out_of_time: "Stopped at a limit",
  interrupted: "Interrupted",
};

function showEnding({ ending, findings, warnings, steps, changes }, isPlan) {
  const facts = [`${ENDINGS[ending]}${isPlan ? " (planned only)" : ""}`, count(steps, "step")];
  if (changes > 0) facts.push(`${count(changes, "change")}, which Undo takes back`);
  byId("ending").replaceChildren(
    element("p", { class: `facts e-${ending}` }, facts.join(" · ")),
    ...warnings.map((text) => element("p", { class: "warning" }, text)),
    ...findings.map((finding) => problem(finding, editor)),
  );
}

function showPlan(plan) {
  const { changes, failed } = plan;
  const apply = element("button", { type: "button", class: "primary", id: "apply", disabled: failed, onclick: applyPlan }, "Apply");
  const text = failed ? "The script failed, so this plan cannot be applied." : changes.length === 0 ? "The script would change nothing." : undefined;
  byId("plan-panel").replaceChildren(
    element("div", { class: "plan-head" }, element("p", { class: "summary" }, ...summary(changes)), changes.length > 0 && apply),
    ...(text ? [element("p", { class: "empty" }, text)] : []),
    element("div", { class: "plan" }, ...changeTree(changes)),
  );
}

function clearPlan() {
  byId("plan-panel").replaceChildren(element("p", { class: "empty" }, "Plan shows what a script would change, without changing anything."));
}

// Problems

function scheduleCheck() {
  const select = byId("example");
  const example = SAMPLES[state.sample || "empty"].examples[select.value];
  if (example && example.script !== editor.text) select.value = "";
  clearTimeout(state.checkTimer);
  state.checkTimer = setTimeout(check, CHECK_DELAY);
}

async function check() {
  if (!engine || state.isBusy) return;
  const script = editor.text;
  const answer = await attempt(() => engine.request("check", { script }));
  // A check of an older text would mark other characters.
  if (answer && script === editor.text) showProblems(answer.findings);
}

function showProblems(findings) {
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const warnings = findings.length - errors;
  const text = findings.length === 0 ? "No problems" : [errors && count(errors, "error"), warnings && count(warnings, "warning")].filter(Boolean).join(", ");
  byId("problem-count").textContent = text;
  byId("problems").replaceChildren(...findings.slice(0, 100).map((finding) => element("li", {}, problem(finding, editor))));
  const inScript = findings.filter(({ place }) => place && !place.module);
  editor.mark(inScript.map(({ place, severity }) => ({ start: place.start, end: Math.max(place.end, place.start + 1), severity })));
}

// The folder

/** Shows the tree of the folder again, with the same directories open, and the focus where it was. */
function showTree() {
  const tree = byId("tree");
  const focused = tree.contains(document.activeElement) ? document.activeElement.closest("[data-path]")?.dataset.path : undefined;
  const open = new Map([...tree.querySelectorAll("details")].map((folder) => [folder.dataset.path, folder.open]));
  tree.replaceChildren(...folderTree(state.entries, state.chosen, openFile));
  for (const folder of tree.querySelectorAll("details")) folder.open = open.get(folder.dataset.path) ?? folder.open;
  if (focused === undefined) return;
  const now = [...tree.querySelectorAll("[data-path]")].find(({ dataset }) => dataset.path === focused);
  (now?.querySelector("summary") ?? now ?? tree).focus();
}

function showFolder({ entries, runs, is_cut: isCut }) {
  Object.assign(state, { entries, runs });
  showTree();
  const files = entries.filter(({ kind }) => kind !== "folder");
  const bytes = files.reduce((sum, file) => sum + file.size, 0);
  byId("folder-size").textContent = isCut ? "too many entries to list" : `${count(files.length, "file")}, ${size(bytes)}`;
  byId("runs").replaceChildren(...runs.map((run) => element("li", { class: run.is_undone ? "undone" : "" }, run.command.replace(/^ns /, ""), run.is_undone && " (undone)")));
  byId("runs-box").hidden = runs.length === 0;
  update();
  if (state.chosen && entries.some(({ path, kind }) => path === state.chosen && kind !== "folder")) showFile(state.chosen);
  else if (state.chosen && !isEdited()) closeFile();
}

/** Whether the file that is shown has edits that are not saved. */
const isEdited = () => state.area !== undefined && state.area.value !== state.area.defaultValue;

function closeFile() {
  Object.assign(state, { chosen: undefined, area: undefined });
  byId("file-panel").replaceChildren(element("p", { class: "empty" }, "Choose a file of the folder."));
}

function openFile(path) {
  Object.assign(state, { chosen: path, area: undefined });
  for (const file of byId("tree").querySelectorAll(".file")) {
    if (file.dataset.path === path) file.setAttribute("aria-current", "true");
    else file.removeAttribute("aria-current");
  }
  showTab("file");
  showFile(path);
}

async function showFile(path) {
  if (state.isBusy || isEdited()) return;
  const answer = await attempt(() => engine.request("read", { path }));
  if (!answer || state.chosen !== path || isEdited()) return;
  const { error, text, size: bytes, is_cut: isCut } = answer;
  // The browser turns each line end into `\n`, so that only equal ones can be restored.
  const ends = new Set(text?.match(/\r\n?|\n/g));
  const isFixed = Boolean(isCut) || ends.size > 1;
  const area = element("textarea", { id: "file-text", "aria-label": `Content of ${path}`, spellcheck: false, readOnly: isFixed, defaultValue: (text ?? "").replace(/\r\n?/g, "\n") });
  const length = element("span", { class: "small" }, size(bytes ?? 0));
  state.area = area;
  const act = (kind, values, done) => () => attempt(async () => {
    if (state.isBusy) throw new Error("the page is busy; wait, or press Stop");
    const { value } = area;
    demand(await engine.request(kind, values(value)));
    area.defaultValue = value;
    length.textContent = size(state.entries.find((entry) => entry.path === path)?.size ?? 0);
    if (state.chosen === path && kind === "remove") closeFile();
    clearPlan();
    say(done);
  });
  const save = act("write", (value) => ({ path, text: value.replaceAll("\n", [...ends][0] ?? "\n") }), `saved ${path}`);
  byId("file-panel").replaceChildren(
    element("div", { class: "file-head" }, element("h3", {}, path), !error && length),
    error || text === null || text === undefined
      ? element("p", { class: "empty" }, error ? error.message : "The file is binary, so it is not shown.")
      : area,
    element(
      "div",
      { class: "actions" },
      typeof text === "string" && !isFixed && element("button", { type: "button", onclick: save }, "Save"),
      element("button", { type: "button", onclick: act("remove", () => ({ path }), `deleted ${path}; Undo takes it back`) }, "Delete"),
      isCut && element("span", { class: "small" }, "Only the beginning is shown."),
      ends.size > 1 && element("span", { class: "small" }, "The file mixes line ends, so it cannot be edited here."),
    ),
  );
}

function newFile() {
  const input = element("input", { id: "new-path", type: "text", value: "notes.txt", autocomplete: "off", spellcheck: false });
  openDialog({
    title: "New file",
    body: [element("label", { htmlFor: "new-path" }, "Path in the folder"), input],
    confirm: "Create",
    act: async () => {
      const path = input.value.trim();
      if (state.entries.some((entry) => entry.path === path)) throw new Error(`\`${path}\` exists already`);
      demand(await engine.request("write", { path, text: "" }));
      openFile(path);
    },
  });
}

/** Replaces the folder in memory, which is a sample, that of a link or a copy of one on the disk. Returns the paths left out. */
async function fill(entries, { sample = "", linked }) {
  const { left_out: leftOut } = demand(await engine.request("load", { snapshot: pack(entries) }));
  Object.assign(state, { sample, linked, disk: undefined });
  byId("sample").value = sample;
  closeFile();
  clearPlan();
  return leftOut;
}

/** Fills the folder with a sample, or with the entries of a link to it. Returns the paths left out. */
async function loadSample(name, keepsScript = false, linked = undefined) {
  const { examples, title, entries } = SAMPLES[name];
  return hold("loading", async () => {
    const leftOut = await fill(linked ?? entries, { sample: name, linked });
    byId("example").replaceChildren(element("option", { value: "" }, "Scripts for this folder…"), ...examples.map((example, number) => element("option", { value: number }, example.title)));
    if (!keepsScript) {
      byId("example").value = "0";
      editor.text = examples[0].script;
      clearOutput();
    }
    say(`${linked ? count(linked.length, "entry", "entries") : title}: in memory only`);
    return leftOut;
  });
}

/** Returns the first of the paths that are left out, with reasons. */
function listed(leftOut) {
  return firstOf(leftOut.map(({ path, reason }) => `${path} (${reason})`), 5);
}

async function openFolder() {
  let handle;
  try {
    handle = await showDirectoryPicker({ mode: "read" });
  } catch (error) {
    if (error.name === "AbortError") return;
    throw error;
  }
  await hold(`reading ${handle.name}`, async () => {
    const { entries, stamps, leftOut } = await readFolder(handle);
    const all = [...leftOut, ...(await fill(entries, {}))];
    state.disk = { handle, stamps, snapshot: engine.snapshot };
    note(
      `A copy of “${handle.name}” is in memory. Nothing is written to your disk unless you ask for it and confirm.` +
        (all.length > 0 ? ` Left out: ${listed(all)}.` : ""),
    );
    say(`${count(stamps.size, "file")} read`);
  });
}

async function offerWriteBack() {
  const { disk } = state;
  const { changes } = demand(await engine.request("changes", { snapshot: disk.snapshot }));
  if (changes.length === 0) {
    say("nothing differs from what was read");
    return;
  }
  if (state.disk !== disk) return;
  if (changes.length > MOST_ROWS) throw new Error(`${changes.length} changes cannot be shown, so they cannot be written back; the most are ${MOST_ROWS}`);
  const steps = stepsOf(disk, changes, engine.snapshot);
  openDialog({
    title: `Write to “${disk.handle.name}” on your disk?`,
    body: [
      element("p", {}, "These changes go to your disk. The browser keeps nothing to undo them with."),
      element("p", { class: "summary" }, ...summary(changes)),
      element("div", { class: "plan" }, ...changeTree(changes)),
    ],
    confirm: `Write ${count(changes.length, "change")}`,
    act: () => hold("writing", async () => {
      await writeBack(disk, steps);
      say(`${count(changes.length, "change")} written to ${disk.handle.name}`);
    }),
  });
}

// Dialog

function openDialog({ title, body, confirm, act }) {
  const [dialog, button] = [byId("dialog"), byId("dialog-confirm")];
  byId("dialog-title").textContent = title;
  byId("dialog-body").replaceChildren(...body);
  button.hidden = confirm === undefined;
  button.textContent = confirm ?? "";
  button.disabled = false;
  button.onclick = async () => {
    button.disabled = true;
    await attempt(act);
    dialog.close();
  };
  dialog.showModal();
}

// Running

function update() {
  const { isBusy, runs, disk } = state;
  const isReady = engine !== undefined && !isBusy;
  for (const id of ["run", "plan", "format", "new-file", "sample", "write-back"]) byId(id).disabled = !isReady;
  byId("open-folder").disabled = !isReady || !canOpen();
  byId("open-folder").title = canOpen() ? "" : "This browser cannot open folders; Chromium and its relatives can.";
  byId("write-back").hidden = disk === undefined;
  byId("stop").disabled = !isBusy;
  byId("undo").disabled = !isReady || !runs.some((run) => !run.is_undone);
  byId("redo").disabled = !isReady || !runs.some((run) => run.is_undone);
  const apply = byId("apply");
  if (apply && isBusy) apply.disabled = true;
}

/** Carries out work during which the page starts no other. */
async function hold(word, work) {
  if (state.isBusy) throw new Error("the page is busy; wait, or press Stop");
  state.isBusy = true;
  update();
  say(`${word}…`);
  try {
    return await work();
  } finally {
    state.isBusy = false;
    update();
  }
}

/** Carries out a request that Stop can end. */
async function busy(kind, values, word) {
  if (!engine || state.isBusy) return undefined;
  return attempt(() => hold(word, async () => demand(await engine.request(kind, values))));
}

async function run(kind) {
  if (!engine || state.isBusy) return;
  clearTimeout(state.checkTimer);
  clearOutput();
  clearPlan();
  showTab("output");
  const answer = await busy(kind, { script: editor.text }, kind === "run" ? "running" : "planning");
  if (answer) {
    showEnding(answer, kind === "plan");
    say(ENDINGS[answer.ending], answer.ending !== "done");
    if (answer.plan) {
      showPlan(answer.plan);
      if (answer.plan.changes.length > 0) showTab("plan");
    }
  } else {
    byId("ending").replaceChildren(element("p", { class: "facts e-failed" }, byId("status").textContent));
  }
  if (state.chosen) showFile(state.chosen);
  check();
}

async function applyPlan() {
  const answer = await busy("apply", {}, "applying");
  if (!answer) return;
  clearPlan();
  say(`${count(answer.changes, "change")} made, which Undo takes back`);
  showTab("plan", true);
  if (state.chosen) showFile(state.chosen);
}

async function takeBack(kind) {
  const answer = await busy(kind, {}, kind);
  if (!answer) return;
  clearPlan();
  say(`${kind === "undo" ? "undone" : "done again"}: ${answer.command.replace(/^ns /, "")} (${count(answer.changes, "change")})`);
  if (state.chosen) showFile(state.chosen);
}

function formatScript() {
  const answer = JSON.parse(format(editor.text));
  if (answer.text === undefined) {
    showProblems(answer.findings);
    say("repair the errors first", true);
  } else if (answer.text !== editor.text) {
    const at = byId("script").selectionStart;
    editor.text = answer.text;
    byId("script").setSelectionRange(at, at);
    say("formatted");
  } else {
    say("formatted already");
  }
}

// Links

async function share() {
  const fragment = await fragmentOf(editor.text, state.sample, state.linked);
  if (fragment === undefined) {
    say(`the script is too long for a link, which holds ${MAX_LINK.toLocaleString("en")} characters`, true);
    return;
  }
  history.replaceState(null, "", fragment);
  const link = location.href;
  const field = element("input", { id: "link", type: "text", readOnly: true, value: link, onfocus: (event) => event.target.select() });
  const files = state.linked ? "the files that came with it" : state.sample ? `names the sample “${SAMPLES[state.sample].title}”` : "none of your files";
  openDialog({
    title: "Share",
    body: [element("label", { htmlFor: "link" }, `This link holds the script and ${files}. Nothing runs when somebody opens it.`), field],
    confirm: "Copy the link",
    act: async () => {
      await navigator.clipboard.writeText(link);
      say("copied");
    },
  });
}

/** Whether a fragment is meant as a link of the playground. Others are places in the page. */
const isLink = (fragment) => /^#\d/.test(fragment);

/** Fills the editor from the address. Returns whether there was a script in it. */
async function readLink() {
  if (!isLink(location.hash)) return false;
  try {
    const shared = await scriptOf(location.hash, Object.keys(SAMPLES));
    const leftOut = await loadSample(shared.sample || "empty", true, shared.entries);
    byId("example").value = "";
    editor.text = shared.script;
    clearOutput();
    note("This script came with the link. Nothing has run yet, and it can reach only the folder in memory." + (leftOut.length > 0 ? ` Left out: ${listed(leftOut)}.` : ""));
    return true;
  } catch (error) {
    note(error.message);
    return false;
  }
}

/** Opens the link of a new address. Asks first if a folder of the disk would be lost by it. */
async function follow({ oldURL, newURL }) {
  const { hash } = new URL(newURL);
  if (!engine || !isLink(hash)) return;
  const { disk } = state;
  const isTaken = state.isBusy || byId("dialog").open;
  if (!disk && !isTaken) {
    await readLink();
    return;
  }
  // The link can be tried again.
  history.replaceState(null, "", oldURL);
  if (isTaken) {
    note("The link was not opened, because the page was busy. Open it again.");
    return;
  }
  openDialog({
    title: `Close “${disk.handle.name}”?`,
    body: [element("p", {}, "The link has a folder of its own. Changes that you have not written back are lost; your disk stays as it is.")],
    confirm: "Open the link",
    act: async () => {
      history.replaceState(null, "", hash);
      await readLink();
    },
  });
}

function connect() {
  const on = (id, act) => byId(id).addEventListener("click", () => attempt(act));
  on("run", () => run("run"));
  on("plan", () => run("plan"));
  on("stop", () => engine?.stop());
  on("undo", () => takeBack("undo"));
  on("redo", () => takeBack("redo"));
  on("format", formatScript);
  on("share", share);
  on("theme", nextTheme);
  on("new-file", newFile);
  on("open-folder", openFolder);
  on("write-back", offerWriteBack);
  byId("dialog-close").addEventListener("click", () => byId("dialog").close());
  byId("sample").append(element("option", { value: "", hidden: true }, "Your folder"), ...Object.entries(SAMPLES).map(([value, { title }]) => element("option", { value }, title)));
  byId("sample").value = state.sample;
  byId("sample").addEventListener("change", ({ target }) => attempt(async () => {
    note();
    await loadSample(target.value);
  }));
  byId("example").addEventListener("change", ({ target }) => {
    const example = SAMPLES[state.sample || "empty"].examples[target.value];
    if (example) editor.text = example.script;
  });
  for (const name of TABS) {
    byId(`tab-${name}`).addEventListener("click", () => showTab(name));
    byId(`tab-${name}`).addEventListener("keydown", ({ key }) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[key];
      if (by) showTab(TABS[(TABS.indexOf(name) + by + TABS.length) % TABS.length], true);
    });
  }
  addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || byId("dialog").open) return;
    event.preventDefault();
    attempt(() => run(event.shiftKey ? "plan" : "run"));
  });
  addEventListener("hashchange", (event) => attempt(() => follow(event)));
}

/** Returns a sentence about the folder after a stop. */
function restored(leftOut) {
  if (leftOut === undefined) return "The folder in memory is lost: open a folder or choose a sample.";
  if (leftOut.length > 0) return `The folder is as it was before, without ${listed(leftOut)}; its history begins anew.`;
  return "The folder is as it was before it; its history begins anew.";
}

async function begin() {
  restoreTheme();
  connect();
  const module = await loadEngine();
  editor.tokens = tokens;
  engine = new Engine(module, {
    receive: addOutput,
    changed: showFolder,
    restarted: (leftOut) => addOutput(`\nThe run was stopped. ${restored(leftOut)}`, true),
  });
  if (!(await readLink())) await loadSample(state.sample);
  editor.draw();
  update();
  check();
  document.documentElement.dataset.ready = "true";
}

begin().catch((error) => say(`the engine cannot be loaded: ${error.message}`, true));
