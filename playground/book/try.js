// Adds "Try it" to the scripts of the book: a link that opens the playground with the script and its files. Without a
// playground beside the book there are no links.
(async () => {
  "use strict";
  const root = typeof path_to_root === "string" ? path_to_root : "";
  const codes = [...document.querySelectorAll("pre > code.language-neuroscript")];
  if (codes.length === 0) return;
  let pages;
  try {
    const response = await fetch(`${root}playground/blocks.json`);
    if (!response.ok) return;
    pages = await response.json();
  } catch {
    return;
  }
  const encode = (text) => {
    const bytes = new TextEncoder().encode(text);
    let binary = "";
    for (const byte of bytes) binary += String.fromCharCode(byte);
    return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  };
  // The text on the page finds its block, so that pages which show several chapters have the right files too.
  const known = new Map();
  for (const scripts of Object.values(pages)) for (const block of scripts) known.set(block.script.trim(), block);
  const here = new URL(root || ".", location.href).pathname;
  const page = decodeURIComponent(location.pathname.slice(here.length)).replace(/\.html$/, "").replace(/(^|\/)$/, "$1index");
  for (const block of pages[page] ?? []) known.set(block.script.trim(), block);
  for (const code of codes) {
    const block = known.get(code.textContent.trim());
    if (!block) continue;
    const files = block.files.map(({ path, text, modified, isBase64 }) => [path, text, modified ?? "", isBase64 ? 1 : 0]);
    const link = document.createElement("a");
    link.className = "try-it";
    link.href = `${root}playground/#1..${encode(block.script)}${files.length > 0 ? `.${encode(JSON.stringify(files))}` : ""}`;
    link.textContent = "Try it";
    link.title = "Opens the script in the playground; nothing runs by itself";
    const line = document.createElement("p");
    line.style.cssText = "margin: -0.6em 0 1em; text-align: right; font-size: 0.85em";
    line.append(link);
    code.parentElement.after(line);
  }
})();
