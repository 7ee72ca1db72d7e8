// The sizes of the files below a folder in sum, by extension.
const fs = require("node:fs");
const path = require("node:path");

const groups = new Map();
let total = 0;
const waiting = [process.argv[2]];
while (waiting.length > 0) {
  const folder = waiting.pop();
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory()) { waiting.push(place); continue; }
    const size = fs.lstatSync(place).size;
    const ext = path.extname(entry.name).slice(1);
    groups.set(ext, (groups.get(ext) ?? 0) + size);
    total += size;
  }
}
console.log(groups.size, total, groups.get("so") ?? 0);
