// A server of files, a browser, and what the tests do on the page again and again.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { extname, join, normalize } from "node:path";

const tools = createRequire(join(import.meta.dirname, "../../target/playground/tools/package.json"));
const { chromium } = tools("playwright-core");

/** The text of axe-core. */
export const axePath = tools.resolve("axe-core/axe.min.js");
export const site = process.env.PLAYGROUND_SITE;
export const isLong = process.env.PLAYGROUND_LONG === "1";
/** The reason why a test is left out, if it is only in the long form. */
export const onlyLong = isLong ? false : "only with --all";
export const pictures = process.env.PLAYGROUND_PICTURES;

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };

/** Serves folders, `{"/prefix/": folder}`, and remembers what was asked for. */
export async function serve(folders) {
  const asked = [];
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, "http://localhost").pathname;
    asked.push(path);
    const prefix = Object.keys(folders).find((prefix) => path.startsWith(prefix));
    const name = normalize(path.slice(prefix?.length ?? 0)) || ".";
    try {
      const file = join(folders[prefix], path.endsWith("/") ? join(name, "index.html") : name);
      const bytes = await readFile(file);
      response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" }).end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, asked, close: () => server.close() };
}

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });

/** Opens the playground. `problems` collects errors of the page and what its policy blocks. */
export async function open(browser, url, { fragment = "", before, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(String(error)));
  page.on("console", (message) => message.type() === "error" && page.problems.push(message.text()));
  if (before) await page.addInitScript(before);
  await page.goto(`${url}/playground/${fragment}`);
  await page.waitForSelector("html[data-ready]", { timeout: 60_000 });
  return page;
}

/** Waits until the text of an element matches a pattern. */
export const shows = (page, selector, pattern) =>
  page.waitForFunction(([selector, pattern]) => pattern.test(document.querySelector(selector).textContent), [selector, pattern]);

/** Puts a script into the editor. */
export const write = (page, script) => page.fill("#script", script);

/** Runs the script of the editor, and waits until it has ended. */
export async function run(page, script, button = "#run") {
  if (script !== undefined) await write(page, script);
  await page.click(button);
  await page.waitForSelector("#ending .facts", { state: "attached", timeout: 60_000 });
  return page.textContent("#output");
}

/** A script that no limit but those of time ends: each of its steps is long. */
export const LOOP = 'SET text = STR.Repeat("ab", 100000)\nWHILE true DO\n  SET x = HASH.Sha256(text)\nEND';

/** Runs a script that never ends, after statements at its beginning, and waits until it is in its loop. */
export async function begin(page, statements = "") {
  await write(page, `${statements}EMIT "begun"\n${LOOP}`);
  await page.click("#run");
  await shows(page, "#output", /begun/);
}

/** Chooses a sample, and waits until its files are listed. */
export async function sample(page, name) {
  await page.selectOption("#sample", name);
  await shows(page, "#status", /in memory only$/);
}

/** Returns the paths of the files that the page lists. */
export const files = (page) =>
  page.$$eval("#tree .file", (buttons) =>
    buttons.map((button) => {
      const folders = [];
      for (let at = button.parentElement; at; at = at.parentElement) {
        if (at.tagName === "DETAILS") folders.unshift(at.querySelector("summary").textContent);
      }
      return folders.join("") + button.querySelector(".name").textContent;
    }),
  );
