// Puts the page together: `bundle.mjs GLUE SITE`. The worker's text is a string in the page's module, since only a worker
// that is made of one has the page's content security policy. Prints the sizes of the files.
import { copyFileSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const [glue, site] = process.argv.slice(2).map((folder) => resolve(folder));
const here = import.meta.dirname;
const require = createRequire(join(here, "../target/playground/tools/package.json"));
const { buildSync } = require("esbuild");

const shared = {
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
  alias: { "engine-glue": join(glue, "engine.js") },
};
const worker = buildSync({
  ...shared,
  format: "iife",
  // The worker gets a compiled module, so the glue never looks for the file beside itself.
  define: { "import.meta.url": '""' },
  entryPoints: [join(here, "page/worker.js")],
  write: false,
});
buildSync({
  ...shared,
  entryPoints: [join(here, "page/playground.js")],
  define: { WORKER: JSON.stringify(worker.outputFiles[0].text) },
  outfile: join(site, "playground.js"),
});
buildSync({ ...shared, entryPoints: [join(here, "page/playground.css")], outfile: join(site, "playground.css") });
copyFileSync(join(here, "page/index.html"), join(site, "index.html"));
copyFileSync(join(glue, "engine_bg.wasm"), join(site, "engine.wasm"));

const quality = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
const total = { name: "together", raw: 0, gzip: 0, brotli: 0 };
// Other files of the folder are not part of the page.
const rows = ["engine.wasm", "index.html", "playground.css", "playground.js"].map((name) => {
  const bytes = readFileSync(join(site, name));
  const gzip = gzipSync(bytes, { level: 9 }).length;
  const brotli = brotliCompressSync(bytes, { params: quality }).length;
  return { name, raw: bytes.length, gzip, brotli };
});
for (const row of rows) for (const key of ["raw", "gzip", "brotli"]) total[key] += row[key];
console.log(`${"".padEnd(16)}${["raw", "gzip -9", "brotli -11"].map((word) => word.padStart(12)).join("")}`);
for (const { name, raw, gzip, brotli } of [...rows, total]) {
  console.log(`${name.padEnd(16)}${[raw, gzip, brotli].map((bytes) => `${(bytes / 1e6).toFixed(2)} MB`.padStart(12)).join("")}`);
}
