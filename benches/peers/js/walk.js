// Walks a folder and takes type, size and time of change of every entry.
const fs = require("node:fs");
const path = require("node:path");

let entries = 0, size = 0, newest = 0;
const waiting = [process.argv[2]];
while (waiting.length > 0) {
  const folder = waiting.pop();
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const place = path.join(folder, entry.name);
    const status = fs.lstatSync(place);
    entries++;
    newest = Math.max(newest, status.mtimeMs);
    if (entry.isDirectory()) waiting.push(place);
    else size += status.size;
  }
}
console.log(entries, size);
