// The scripts of the book with the files that they work on: `blocks.mjs DOCS FILE`. The head of tests/book.rs says which
// files belong to a block. `try.js` makes links of them.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [docs, target] = process.argv.slice(2);

/** Returns the blocks of a page, each with its language, its further words and its text. */
function* blocksOf(page) {
  let block;
  for (const line of page.split("\n")) {
    const fence = /^(`{3,})(.*)$/.exec(line);
    if (block && line === block.fence) {
      yield block;
      block = undefined;
    } else if (block) {
      block.text += `${line}\n`;
    } else if (fence) {
      const [language = "", ...words] = fence[2].trim().split(/\s+/);
      block = { fence: fence[1], language, words, text: "" };
    } else if (line.startsWith("## ")) {
      yield { isSection: true };
    }
  }
}

function scriptsOf(page) {
  const scripts = [];
  let files = new Map();
  for (const { isSection, language, words, text } of blocksOf(page)) {
    if (isSection) files = new Map();
    else if (language === "neuroscript") scripts.push({ script: text, files: [...files.values()] });
    else if (words.length > 0 && words[0] !== "terminal") {
      const modified = /^\d{4}-\d{2}-\d{2}T/.test(words.at(-1)) ? words.pop() : undefined;
      const path = words.join(" ");
      files.set(path, { path, modified, text, isBase64: language === "base64" });
    }
  }
  return scripts;
}

const pages = {};
for (const name of readdirSync(docs, { recursive: true }).sort()) {
  if (!name.endsWith(".md") || name.startsWith("specs")) continue;
  const scripts = scriptsOf(readFileSync(join(docs, name), "utf8"));
  if (scripts.length > 0) pages[name.replace(/\.md$/, "").replace(/(^|\/)README$/, "$1index")] = scripts;
}
writeFileSync(target, JSON.stringify(pages));
