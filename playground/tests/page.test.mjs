// The page as a visitor uses it.
import assert from "node:assert/strict";
import { deflateRawSync } from "node:zlib";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { join } from "node:path";
import { SAMPLES } from "../page/samples.js";
import { through } from "../page/share.js";
import { LOOP, axePath, begin, files, isLong, launch, onlyLong, open, pictures, run, sample, serve, shows, site, write } from "./support.mjs";

let browser;
let server;

before(async () => {
  server = await serve({ "/playground/": site });
  browser = await launch();
});

after(async () => {
  await browser.close();
  server.close();
});

/** A test with a page of its own, which ends without an error of the page. */
function onPage(name, options, act) {
  if (typeof options === "function") [options, act] = [{}, options];
  const { expected = [], skip, ...opened } = options;
  test(name, { skip }, async () => {
    const page = await open(browser, server.url, opened);
    await act(page);
    const surprises = page.problems.filter((problem) => !expected.some((pattern) => pattern.test(problem)));
    assert.deepEqual(surprises, []);
    await page.context().close();
  });
}

onPage("a script runs, its changes are listed and undone and redone", async (page) => {
  await sample(page, "downloads");
  const start = await files(page);
  const output = await run(page, 'EMIT "ça va 😀"\nMUST FS.WriteFile("new/é.txt", "x")\nMUST FS.DeleteFile("setup.exe")');
  assert.equal(output, "ça va 😀\n");
  const end = await files(page);
  assert.ok(end.includes("new/é.txt") && !end.includes("setup.exe"), end.join());
  await page.click("#undo");
  await shows(page, "#status", /^undone/);
  assert.deepEqual(await files(page), start);
  await page.click("#redo");
  await shows(page, "#status", /^done again/);
  assert.deepEqual(await files(page), end);
});

onPage("every sample script does what it says, without a finding", async (page) => {
  const names = await page.$$eval("#sample option:not([hidden])", (options) => options.map((option) => option.value));
  assert.ok(names.length >= 5);
  for (const name of names) {
    await sample(page, name);
    const examples = await page.$$eval("#example option", (options) => options.map(({ value, textContent }) => [value, textContent]));
    for (const [value, title] of examples.filter(([value]) => value !== "")) {
      if (title === "Mistakes") continue;
      await sample(page, name);
      await page.selectOption("#example", value);
      const output = await run(page);
      const facts = await page.textContent("#ending");
      assert.match(facts, /^Done/, `${title}: ${facts}`);
      assert.notEqual(output, "", title);
      await shows(page, "#problem-count", /^No problems$/);
    }
  }
});

onPage("a plan shows a tree with differences, and is applied", async (page) => {
  await sample(page, "tables");
  const { bytes } = SAMPLES.tables.entries.find(({ path }) => path === "spending.csv");
  const spending = new TextDecoder().decode(bytes).trimEnd().split("\n");
  await run(page, 'MUST FS.EditFile("people.csv", "Bo,27", "Bo,28")\nMUST FS.DeleteFile("spending.csv")\nMUST FS.WriteFile("out/a.txt", "<b>new</b>\\n")', "#plan");
  await page.waitForSelector("#plan-panel:not([hidden]) .plan");
  assert.equal(await page.textContent("#plan-panel .summary"), ["+2 created", "~1 changed", "−1 deleted"].join(""));
  assert.deepEqual(await page.$$eval(".d-old, .d-new", (lines) => lines.map((line) => line.textContent)), ["+<b>new</b>\n", "-Bo,27,Malmö\n", "+Bo,28,Malmö\n", ...spending.map((line) => `-${line}\n`)]);
  assert.deepEqual(await files(page), ["people.csv", "spending.csv"], "a plan changes nothing");
  await page.click("#apply");
  await shows(page, "#status", /changes made/);
  assert.deepEqual(await files(page), ["out/a.txt", "people.csv"]);
  await page.click("#undo");
  await shows(page, "#status", /^undone/);
  assert.deepEqual(await files(page), ["people.csv", "spending.csv"]);
});

onPage("a plan of a script that fails cannot be applied", async (page) => {
  await run(page, 'MUST FS.WriteFile("a", "1")\nFAIL "no"', "#plan");
  assert.equal(await page.isDisabled("#apply"), true);
});

onPage("findings stand at their place, with code, help and repair", async (page) => {
  await write(page, 'EMIT "😀"\nSET name = 1\n  EMIT nmae\nx = 5\n');
  await page.waitForSelector(".m-error");
  const marks = await page.$$eval(".m-error", (marks) => marks.map((mark) => mark.textContent));
  assert.ok(marks.includes("nmae"), marks.join("|"));
  const first = await page.textContent("#problems li:first-child .place");
  assert.match(first, /error.*NS0101.*3:8/);
  assert.match(await page.textContent("#problems li:first-child .help"), /did you mean name\?/);
  await page.click("#problems li:first-child .place");
  const selected = await page.$eval("#script", (area) => area.value.slice(area.selectionStart, area.selectionEnd));
  assert.equal(selected, "nmae");
  await page.click('#problems li:first-child button:has-text("Use the suggestion")');
  assert.match(await page.inputValue("#script"), /  EMIT name\nx = 5/);
  await shows(page, "#problem-count", /^1 error$/);
});

onPage("the text under the editor is the text of the editor", async (page) => {
  const script = 'SET t = "ä😀" # ünï\nFOR EACH f IN FS.Find(".", depth: 1) DO\n\tEMIT f.path, 1.5\nEND\n\n';
  await write(page, script);
  assert.equal(await page.textContent("#highlight"), `${script}\n`);
  const classes = await page.$$eval("#highlight span", (spans) => Object.fromEntries(spans.map((span) => [span.textContent, span.className])));
  const expected = { SET: "t-keyword", FS: "t-namespace", Find: "t-function", depth: "t-parameter", path: "t-property", "# ünï": "t-comment", '"ä😀"': "t-text", "1.5": "t-number" };
  for (const [text, name] of Object.entries(expected)) assert.equal(classes[text], name, text);
  const [area, layer] = await page.$$eval("#script, #highlight", (layers) => layers.map((layer) => {
    const { x, y } = layer.getBoundingClientRect();
    const { fontFamily, fontSize, fontVariantLigatures, letterSpacing, lineHeight, padding, tabSize } = getComputedStyle(layer);
    return { x, y, fontFamily, fontSize, fontVariantLigatures, letterSpacing, lineHeight, padding, tabSize };
  }));
  assert.deepEqual(area, layer);
});

onPage("the formatter and the keys of the editor", async (page) => {
  await write(page, "if true then\nemit 1\nend");
  await page.click("#format");
  const text = () => page.$eval("#script", (area) => area.value);
  assert.equal(await text(), "if true then\n  emit 1\nend\n");
  await page.focus("#script");
  await page.keyboard.press("Control+z");
  assert.equal(await text(), "if true then\nemit 1\nend", "the browser's undo takes the format back");
  await write(page, "WHILE true DO");
  await page.keyboard.press("Enter");
  assert.equal(await text(), "WHILE true DO\n  ");
  await page.keyboard.press("Control+[");
  assert.equal(await text(), "WHILE true DO\n");
  await page.keyboard.press("Tab");
  assert.notEqual(await page.evaluate(() => document.activeElement.id), "script", "Tab leaves the editor");
});

onPage("an endless loop is stopped by Stop, and the folder is as before", async (page) => {
  await sample(page, "tables");
  await run(page, 'MUST FS.WriteFile("kept.txt", "kept")');
  await begin(page, 'MUST FS.WriteFile("lost.txt", "lost")\n');
  await page.fill("#script", "EMIT 7");
  await page.click("#stop");
  await shows(page, "#status", /^stopped$/);
  assert.deepEqual(await files(page), ["kept.txt", "people.csv", "spending.csv"]);
  assert.equal(await run(page, "EMIT FS.ReadFile(\"kept.txt\").content"), "kept\n", "the page lives on");
});

onPage("an endless loop is stopped by the limits of the engine", async (page) => {
  await run(page, "WHILE true DO\nEND");
  assert.match(await page.textContent("#ending"), /Stopped at a limit.*NS0603/s);
});

onPage("a loop that waits for time is stopped by the limit of time", { skip: onlyLong }, async (page) => {
  await run(page, LOOP);
  assert.match(await page.textContent("#ending"), /Stopped at a limit/);
});

onPage("procedures without end and deep nesting are refused, not trapped", async (page) => {
  for (const body of ["RETURN F(n + 1) + 1", "RETURN LIST.Map([n], F)", "RETURN LIST.SortBy([n, n + 1], F)"]) {
    await run(page, `DEFINE PROCEDURE F(n)\n  ${body}\nEND\nEMIT F(0)`);
    assert.match(await page.textContent("#ending"), /NS0605/, body);
  }
  for (const depth of [19, 200, 20_000]) {
    await run(page, `EMIT ${"(".repeat(depth)}1${")".repeat(depth)}`);
    assert.match(await page.textContent("#ending"), depth === 19 ? /^Done/ : /NS0602/, `${depth}`);
  }
});

onPage("a flood of output and warnings is bounded", async (page) => {
  const flood = await run(page, 'WHILE true DO\n  EMIT STR.Repeat("x", 100)\nEND');
  assert.ok(flood.length > 100_000 && flood.length < 800_000, `${flood.length}`);
  assert.match(await page.textContent("#ending"), /NS0610/);
  const warned = await run(page, 'FOR EACH n IN RANGE(0, 100000) DO\n  CALL FS.ReadFile("missing")\nEND');
  assert.ok(warned.length < 100_000, `${warned.length}`);
  assert.ok((await page.$$("#output *")).length < 200);
});

onPage("memory and a full folder are limits, not crashes", async (page) => {
  await run(page, 'SET t = "x"\nWHILE true DO\n  SET t = t + t\nEND');
  assert.match(await page.textContent("#ending"), /NS06\d\d/);
  await run(page, 'FOR EACH n IN RANGE(0, 1000) DO\n  MUST FS.WriteFile("f" + n, STR.Repeat("x", 4000000))\nEND');
  assert.match(await page.textContent("#ending"), /NS06\d\d|no_space/);
  assert.equal(await run(page, "EMIT 1"), "1\n");
});

onPage("a run after which the folder has too many entries is stopped, and the folder is as before", async (page) => {
  await sample(page, "empty");
  const fill = (name) => `FOR EACH n IN RANGE(0, 4000) DO\n  MUST FS.WriteFile("${name}/" + n, "")\nEND`;
  for (const name of ["a", "b"]) {
    await run(page, fill(name));
    assert.match(await page.textContent("#ending"), /^Done/);
  }
  await run(page, fill("c"));
  assert.match(await page.textContent("#ending"), /the folder has more than 10000 entries/);
  assert.equal(await run(page, 'EMIT FS.Exists("b/1")\nEMIT FS.Exists("c/1")'), "true\nfalse\n");
});

onPage("a plan with many short lines and deep paths is shown", async (page) => {
  await sample(page, "empty");
  await run(page, 'MUST FS.WriteFile("long.txt", STR.Repeat("\\n", 190000))\nMUST FS.WriteFile(STR.Repeat("d/", 100) + "deep.txt", "x")', "#plan");
  assert.match(await page.textContent("#ending"), /^Done/);
  await page.waitForSelector("#plan-panel .plan", { state: "attached" });
  assert.ok((await page.textContent("#plan-panel")).includes("d/d/deep.txt"));
  for (const { length } of await page.$$eval(".difference", (all) => all.map((one) => ({ length: one.childNodes.length })))) assert.ok(length <= 5_001, `${length}`);
  await page.click("#apply");
  await shows(page, "#status", /changes made/);
  assert.equal((await files(page)).length, 2);
});

onPage("the File panel keeps line ends and unsaved edits", async (page) => {
  await sample(page, "empty");
  await run(page, 'MUST FS.WriteFile("dos.txt", "a\\r\\nb\\r\\n")\nMUST FS.WriteFile("mixed.txt", "a\\r\\nb\\n")');
  const open = async (name) => {
    await page.click(`#tree [data-path="${name}"]`);
    await page.waitForSelector(`textarea[aria-label="Content of ${name}"]`);
  };
  await open("mixed.txt");
  assert.equal(await page.$eval("#file-text", (area) => area.readOnly), true);
  assert.equal(await page.$('#file-panel button:has-text("Save")'), null);
  await open("dos.txt");
  await run(page, 'MUST FS.WriteFile("dos.txt", "a\\r\\nb\\r\\n2\\r\\n")');
  await page.waitForFunction(() => document.querySelector("#file-text").value === "a\nb\n2\n");
  await page.click("#tab-file");
  await page.fill("#file-text", "a\nb\nc\n");
  assert.equal(await run(page, 'MUST FS.WriteFile("other.txt", "x")\nEMIT "ran"'), "ran\n");
  await page.click("#tab-file");
  assert.equal(await page.inputValue("#file-text"), "a\nb\nc\n");
  await page.click('#file-panel button:has-text("Save")');
  await shows(page, "#status", /^saved/);
  assert.match(await run(page, 'EMIT FS.ReadFile("dos.txt").content == "a\\r\\nb\\r\\nc\\r\\n"'), /true\n$/);
  await page.click("#tab-file");
  await run(page, 'MUST FS.WriteFile("dos.txt", "new")');
  await page.waitForFunction(() => document.querySelector("#file-text").value === "new");
});

onPage("a script cannot leave the folder", async (page) => {
  for (const path of ["../x", "/etc/passwd", "a/../../x"]) {
    await run(page, `SET r = FS.WriteFile("${path}", "x")\nEMIT LAST_ERROR.code`);
    assert.match(await page.textContent("#output"), /sandbox_violation/, path);
  }
});

onPage("a link brings the script and the sample back, and runs nothing", { permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
  await sample(page, "logs");
  const script = `# grüße 杭州 😀\n${'EMIT "längere Zeile, ' .concat('die sich lohnt"\n').repeat(30)}MUST FS.WriteFile("ran.txt", "")\n`;
  await write(page, script);
  await page.click("#share");
  const link = await page.inputValue("#link");
  assert.match(link, /#2\.logs\.[\w-]+$/);
  await page.click("#dialog-confirm");
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), link);
  const other = await open(browser, server.url, { fragment: new URL(link).hash });
  assert.equal(await other.inputValue("#script"), script);
  assert.equal(await other.inputValue("#sample"), "logs");
  assert.equal(await other.textContent("#output"), "");
  assert.ok(!(await files(other)).includes("ran.txt"));
  await other.context().close();
});

test("a stream that grows beyond a bound is read no further", async () => {
  let read = 0;
  const { readable, writable } = new DecompressionStream("deflate-raw");
  const counting = new TransformStream({
    transform(piece, controller) {
      read += piece.length;
      controller.enqueue(piece);
    },
  });
  const bomb = deflateRawSync(Buffer.alloc(20_000_000), { level: 9 });
  await assert.rejects(through(bomb, { writable, readable: readable.pipeThrough(counting) }, 100_000), RangeError);
  assert.ok(read > 100_000 && read < 1_000_000, `${read}`);
});

const plain = (text) => Buffer.from(text).toString("base64url");
const deflated = (text) => deflateRawSync(Buffer.from(text), { level: 9 }).toString("base64url");

test("links that somebody forged are refused or harmless", async () => {
  const bomb = deflateRawSync(Buffer.alloc(20_000_000, "# \n"), { level: 9 }).toString("base64url").slice(0, 32_000);
  const own = (files) => `#2..${[deflated("EMIT 1"), deflated(files)].join(".")}`;
  const many = own(JSON.stringify(Array.from({ length: 10_001 }, (_, number) => [`${number}/`, ""])));
  // The engine takes no path that is no Unicode.
  const unpaired = own('[["\\ud800", "x", "", 0]]');
  const refused = ["#9.logs.YQ", "#1.nowhere.YQ", "#1.logs.%3Cb%3E", "#2.logs.YWJj", `#2.logs.${bomb}`, `#1.logs.${"A".repeat(40_000)}`, "#1.logs.gICA", "#1.__proto__.YQ", "#1.constructor.YQ", many, unpaired];
  const visited = await open(browser, server.url, { fragment: refused[0] });
  for (const fragment of refused) {
    await visited.evaluate((fragment) => {
      if (location.hash !== fragment) document.querySelector("#notice").textContent = "";
      location.hash = fragment;
    }, fragment);
    await shows(visited, "#notice", /./);
    assert.match(await visited.textContent("#notice"), /^the (link (is damaged|names a sample)|folder cannot be read)/, fragment.slice(0, 40));
    if (fragment.includes(bomb)) assert.match(await visited.textContent("#notice"), /too long/);
    assert.match(await visited.inputValue("#script"), /^# Sorts the files/);
  }
  await visited.evaluate(() => (location.hash = "#<img src=x onerror=alert(1)>"));
  assert.match(await visited.inputValue("#script"), /^# Sorts the files/);
  assert.deepEqual(visited.problems, []);
  const first = await open(browser, server.url, { fragment: unpaired });
  assert.equal(await run(first, "EMIT 1"), "1\n", "the page opens with its own sample");
  await first.context().close();
  await visited.evaluate((fragment) => (location.hash = fragment), own('[["../x", "x", "", 0], ["y", "x", "", 0]]'));
  await shows(visited, "#notice", /Left out: \.\.\/x \(/);
  assert.deepEqual(await files(visited), ["y"]);
  await visited.context().close();
  const attack = '</textarea><img src=x onerror="window.hit = 1"><script>window.hit = 1</script>';
  const page = await open(browser, server.url, { fragment: `#1.logs.${plain(attack)}` });
  assert.equal(await page.inputValue("#script"), attack);
  await page.waitForSelector("#problems .problem");
  assert.equal(await page.evaluate(() => window.hit), undefined);
  assert.equal(await page.$("img, main script"), null);
  await page.context().close();
});

onPage("texts of scripts, files and names never become markup", async (page) => {
  const markup = '<img src=x onerror=document.title=1><b id=hit>x</b>';
  await run(page, `EMIT '${markup}'\nMUST FS.WriteFile("<b id=hit>.txt", '${markup}')\nCALL FS.ReadFile("<b id=hit>")\nFAIL '${markup}'`);
  assert.ok((await page.textContent("#output")).includes(markup));
  await page.click('#tree .file:has-text("<b id=hit>.txt")');
  await page.waitForSelector("#file-text");
  await run(page, `MUST FS.WriteFile("<b id=hit>.txt", "<i id=hit>")`, "#plan");
  await page.waitForSelector(".plan .difference");
  assert.equal(await page.$("#hit"), null);
  assert.equal(await page.title(), "NeuroScript playground");
});

test("nothing but the page's own four files is asked for, and nothing can be", async () => {
  const own = await serve({ "/playground/": site });
  const page = await open(browser, own.url, {});
  const outside = [];
  page.on("response", (response) => outside.push(response.url()));
  await run(page, 'EMIT "x"');
  assert.deepEqual([...new Set(own.asked)].sort(), ["/playground/", "/playground/engine.wasm", "/playground/playground.css", "/playground/playground.js"]);
  const attempts = await page.evaluate(async () => {
    const results = {};
    const attempt = async (name, act) => {
      try {
        await act();
        results[name] = "done";
      } catch (error) {
        results[name] = error.name;
      }
    };
    await attempt("own", () => fetch("engine.wasm"));
    await attempt("other", () => fetch("https://example.org/"));
    await attempt("socket", () => new Promise((resolve, reject) => Object.assign(new WebSocket("wss://example.org/"), { onopen: resolve, onerror: () => reject(new TypeError()) })));
    await attempt("eval", () => (0, eval)("1"));
    await attempt("markup", () => (document.createElement("p").innerHTML = "<b>x</b>"));
    await attempt("image", () => new Promise((resolve, reject) => Object.assign(new Image(), { onload: resolve, onerror: () => reject(new TypeError()), src: "https://example.org/x.png" })));
    await attempt("script", () => import(new URL("playground.js?again", location.href)));
    await attempt("style", () => new Promise((resolve, reject) => document.head.append(Object.assign(document.createElement("link"), { onload: resolve, onerror: () => reject(new TypeError()), rel: "stylesheet", href: "playground.css?again" }))));
    await attempt("own image", () => new Promise((resolve, reject) => Object.assign(new Image(), { onload: resolve, onerror: () => reject(new TypeError()), src: "x.png" })));
    await attempt("worker", () => new Promise((resolve, reject) => {
      const text = "fetch('engine.wasm').then(() => postMessage('done'), (error) => postMessage(error.name))";
      const worker = new Worker(URL.createObjectURL(new Blob([text])));
      worker.onmessage = ({ data }) => (data === "done" ? resolve() : reject(new TypeError(data)));
    }));
    return results;
  });
  assert.deepEqual(attempts, { own: "TypeError", other: "TypeError", socket: "TypeError", eval: "EvalError", markup: "TypeError", image: "TypeError", script: "TypeError", style: "TypeError", "own image": "TypeError", worker: "TypeError" });
  assert.equal(own.asked.length, 4, own.asked.join());
  assert.deepEqual(outside.filter((url) => !url.startsWith("blob:")), []);
  await page.context().close();
  own.close();
});

test("the worker, too, can fetch nothing", async () => {
  const page = await open(browser, server.url, {});
  const [worker] = page.workers();
  const result = await worker.evaluate(() => fetch("http://127.0.0.1:9/").then(() => "done", (error) => error.name));
  assert.equal(result, "TypeError");
  const violated = await worker.evaluate(() => new Promise((resolve) => {
    self.addEventListener("securitypolicyviolation", (event) => resolve(event.effectiveDirective));
    fetch("http://127.0.0.1:9/").catch(() => {});
  }));
  assert.equal(violated, "connect-src");
  await page.context().close();
});

test("the engine imports clocks and chance, and nothing that reaches out", async () => {
  const module = await WebAssembly.compile(readFileSync(join(site, "engine.wasm")));
  const names = WebAssembly.Module.imports(module).map(({ name }) => name.replace(/^__wbg_(.*)_[0-9a-f]{16}$/, "$1"));
  const known = /^(__wbindgen_\w+|Error|call|getRandomValues|getTime|getTimezoneOffset|new|new_0|new_with_year_month_day_hr_min_sec|now|performance|static_accessor_(GLOBAL_THIS|GLOBAL|SELF|WINDOW))$/;
  assert.deepEqual(names.filter((name) => !known.test(name)), []);
});

// The book

test("the scripts of the book open with their files", { timeout: 600_000 }, async (t) => {
  const book = await serve({ "/playground/": site, "/try.js": join(import.meta.dirname, "../book/try.js") });
  const pages = JSON.parse(readFileSync(join(site, "blocks.json"), "utf8"));
  const names = Object.keys(pages);
  assert.ok(names.length > 15 && names.includes("cookbook/logs"), names.join());
  const page = await open(browser, book.url);
  const script = readFileSync(join(import.meta.dirname, "../book/try.js"), "utf8");
  const reader = await page.context().newPage();
  const outcomes = [];
  for (const name of names) {
    await t.test(name, { skip: name === "cookbook/logs" ? false : onlyLong }, async () => {
      const depth = name.split("/").length - 1;
      await reader.route(`${book.url}/${name}.html`, (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html><main></main>" }));
      await reader.goto(`${book.url}/${name}.html`);
      await reader.evaluate(([blocks, root]) => {
        window.path_to_root = root;
        for (const { script } of blocks) {
          const [pre, code] = [document.createElement("pre"), document.createElement("code")];
          code.className = "language-neuroscript hljs";
          code.textContent = script;
          pre.append(code);
          document.querySelector("main").append(pre);
        }
      }, [pages[name], "../".repeat(depth)]);
      await reader.evaluate(script);
      await reader.waitForSelector("a.try-it");
      const links = await reader.$$eval("a.try-it", (links) => links.map((link) => link.href));
      assert.equal(links.length, pages[name].length, name);
      for (const [number, link] of links.entries()) {
        assert.ok(link.startsWith(`${book.url}/playground/#1..`), link);
        await page.evaluate(() => (document.querySelector("#notice").textContent = ""));
        await page.evaluate((hash) => (location.hash = hash), new URL(link).hash);
        await shows(page, "#notice", /./);
        assert.match(await page.textContent("#notice"), /^This script came/, link);
        assert.equal(await page.inputValue("#script"), pages[name][number].script);
        const wanted = pages[name][number].files.map(({ path }) => path).filter((path) => !path.endsWith("/"));
        assert.deepEqual((await files(page)).sort(), [...new Set(wanted)].sort(), `${name} ${number}`);
        await run(page);
        outcomes.push({ name, number, facts: await page.textContent("#ending") });
      }
    });
  }
  const failed = outcomes.filter(({ facts }) => !facts.startsWith("Done") && !facts.includes("without project memory"));
  // Scripts that use modules, arguments or errors on purpose end otherwise.
  assert.ok(failed.length * 10 <= outcomes.length, failed.map(({ name, number, facts }) => `${name} ${number}: ${facts.slice(0, 160)}`).join("\n"));
  if (isLong) console.log(`${outcomes.length} scripts of the book, ${failed.length} did not end well:\n${failed.map(({ name, number, facts }) => `${name} ${number}: ${facts.slice(0, 120)}`).join("\n")}`);
  await page.context().close();
  book.close();
});

// Accessibility

for (const colorScheme of ["light", "dark"]) {
  for (const [form, viewport] of Object.entries({ wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 844 } })) {
    // The short form has each scheme and each form once.
    const isShort = (colorScheme === "light") === (form === "wide");
    const skip = isShort ? false : onlyLong;
    onPage(`axe finds nothing: ${colorScheme}, ${form}`, { skip, colorScheme, viewport, bypassCSP: true }, async (page) => {
      await page.addScriptTag({ path: axePath });
      const audit = async (scene) => {
        const { violations } = await page.evaluate(() => axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
        const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).slice(0, 3).join("; ")}`);
        assert.deepEqual(found, [], scene);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(overflow <= 0, `${scene}: wider than the window by ${overflow}`);
        if (pictures) await page.screenshot({ path: join(pictures, `${colorScheme}-${form}-${scene}.png`), fullPage: form === "narrow" });
      };
      await audit("start");
      await run(page, undefined, "#plan");
      await page.waitForSelector(".plan");
      await audit("plan");
      await sample(page, "tables");
      await run(page, 'MUST FS.EditFile("people.csv", "Bo,27", "Bo,28")\nMUST FS.WriteFile("out/a.txt", "new\\n")', "#plan");
      await page.waitForSelector(".difference");
      await audit("differences");
      await page.click('#tree .file:has-text("people.csv")');
      await page.waitForSelector("#file-text");
      await audit("file");
      await sample(page, "empty");
      await page.selectOption("#example", { label: "Mistakes" });
      await page.waitForSelector(".problem");
      await audit("problems");
      await run(page, 'EMIT "some output"\nCALL FS.ReadFile("missing")\nFAIL "the end"');
      await audit("failed");
      await page.click("#share");
      await audit("dialog");
    });
  }
}

onPage("the skip link leads to the editor, and is no link with a script", async (page) => {
  await page.focus(".skip");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement.id === "script");
  assert.equal(new URL(page.url()).hash, "#script");
  await page.reload();
  await page.waitForSelector("html[data-ready]");
  assert.equal(await page.isHidden("#notice"), true);
});

onPage("the focus and the open directories outlast a choice and a run", async (page) => {
  await sample(page, "empty");
  await run(page, 'MUST FS.WriteFile("a/b.txt", "1")\nMUST FS.WriteFile("c/d.txt", "2")');
  await page.click('#tree summary:has-text("c/")');
  const focused = () => page.evaluate(() => [document.activeElement.className, document.activeElement.getAttribute("data-path"), document.activeElement.getAttribute("aria-current")]);
  await page.focus('#tree [data-path="a/b.txt"]');
  await page.keyboard.press("Enter");
  await page.waitForSelector("#file-text");
  assert.deepEqual(await focused(), ["file", "a/b.txt", "true"]);
  await page.keyboard.press("Control+Enter");
  await shows(page, "#status", /^Done$/);
  assert.deepEqual(await focused(), ["file", "a/b.txt", "true"]);
  assert.deepEqual(await page.$$eval("#tree details", (all) => all.map(({ open }) => open)), [true, false]);
});

onPage("everything is done by keyboard", async (page) => {
  await page.focus("#script");
  await page.keyboard.press("Control+a");
  await page.keyboard.type('EMIT "keys"');
  await page.keyboard.press("Control+Enter");
  await page.waitForSelector("#ending .facts");
  assert.equal(await page.textContent("#output"), "keys\n");
  await page.focus("#tab-output");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.getAttribute("#tab-plan", "aria-selected"), "true");
  await page.focus("#script");
  await page.keyboard.press("Control+Shift+Enter");
  await shows(page, "#ending", /planned only/);
});
