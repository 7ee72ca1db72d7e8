// A folder of the visitor's disk, through the File System Access API. Reading copies it into memory, within limits.
// Nothing is written before the visitor has seen the changes and confirmed them, and nothing over a file that somebody
// changed meanwhile.
import { unpack } from "./snapshot.js";

const MAX_ENTRIES = 2_000;
const MAX_BYTES = 32e6;
const MAX_FILE = 8e6;
const MAX_DEPTH = 32;
/** Names that are left out, with everything below them. */
const SKIPPED = new Set([".git", ".hg", ".svn", "node_modules", ".ns", "neuroscript.toml"]);

/** Whether the browser can open folders. */
export const canOpen = () => typeof globalThis.showDirectoryPicker === "function";

/** Reads a folder. Returns its entries, the stamp of each file, and what was left out, with reasons. */
export async function readFolder(handle) {
  const found = { entries: [], stamps: new Map(), leftOut: [], bytes: 0 };
  await readInto(found, handle, "", 0);
  return found;
}

async function readInto(found, handle, below, depth) {
  for await (const [name, entry] of handle.entries()) {
    const path = below + name;
    const reason = await readEntry(found, entry, path, depth);
    if (reason) found.leftOut.push({ path, reason });
    if (found.isFull) return;
  }
}

/** Reads an entry. Returns why it is left out, if it is. */
async function readEntry(found, entry, path, depth) {
  if (SKIPPED.has(entry.name)) return "it is skipped by its name";
  if (found.entries.length >= MAX_ENTRIES) {
    found.isFull = true;
    return `and everything after it: the folder has more than ${MAX_ENTRIES} entries`;
  }
  if (entry.kind === "directory") {
    if (depth >= MAX_DEPTH) return `it is more than ${MAX_DEPTH} directories deep`;
    found.entries.push({ path, kind: "folder" });
    await readInto(found, entry, `${path}/`, depth + 1);
    return undefined;
  }
  const file = await entry.getFile();
  if (file.size > MAX_FILE) return `it has more than ${MAX_FILE / 1e6} MB`;
  if (found.bytes + file.size > MAX_BYTES) return `the folder has more than ${MAX_BYTES / 1e6} MB`;
  const bytes = new Uint8Array(await file.arrayBuffer());
  found.bytes += bytes.length;
  found.entries.push({ path, bytes, modified: file.lastModified });
  found.stamps.set(path, stampOf(file));
  return undefined;
}

const stampOf = (file) => `${file.size} ${file.lastModified}`;

/** Writes changes (rows with `what` and `path`) back. `left` are paths that were never read. Returns the new stamps. */
export async function writeBack({ handle, stamps }, changes, snapshot) {
  const permission = await handle.requestPermission({ mode: "readwrite" });
  if (permission !== "granted") throw new Error("the browser did not grant permission to write; nothing was written");
  const paths = changes.map(({ path }) => path.replace(/\/$/, ""));
  const conflicts = [];
  for (const path of paths) {
    const now = await find(handle, path);
    const isSame = now === undefined ? !stamps.has(path) : now.kind === "directory" ? !stamps.has(path) : stampOf(await now.getFile()) === stamps.get(path);
    if (!isSame) conflicts.push(path);
  }
  if (conflicts.length > 0) {
    throw new Error(`nothing was written, because these are not as they were read: ${conflicts.slice(0, 10).join(", ")}; open the folder again`);
  }
  const contents = new Map(unpack(snapshot).map((entry) => [entry.path, entry]));
  const updated = new Map(stamps);
  // Deletions come last, so that an error before them loses nothing; inner entries before their directories.
  for (const [index, change] of changes.entries()) {
    if (change.what !== "deleted") await put(handle, contents.get(paths[index]), updated);
  }
  for (const [index, change] of [...changes.entries()].reverse()) {
    if (change.what === "deleted") await remove(handle, paths[index], updated);
  }
  return updated;
}

async function put(root, { path, kind, bytes }, stamps) {
  const [folder, name] = await parent(root, path, true);
  if (kind === "folder") {
    await folder.getDirectoryHandle(name, { create: true });
    return;
  }
  if (kind !== "file") throw new Error(`\`${path}\` is a link, which browsers cannot write`);
  const file = await folder.getFileHandle(name, { create: true });
  const stream = await file.createWritable();
  await stream.write(bytes);
  await stream.close();
  stamps.set(path, stampOf(await file.getFile()));
}

async function remove(root, path, stamps) {
  const [folder, name] = await parent(root, path, false);
  // A directory that holds something which was not read is refused by the browser.
  await folder.removeEntry(name);
  stamps.delete(path);
}

async function parent(root, path, create) {
  const parts = path.split("/");
  let folder = root;
  for (const part of parts.slice(0, -1)) folder = await folder.getDirectoryHandle(part, { create });
  return [folder, parts.at(-1)];
}

/** Returns the handle at a path, or `undefined` if nothing is there. */
async function find(root, path) {
  try {
    const [folder, name] = await parent(root, path, false);
    try {
      return await folder.getFileHandle(name);
    } catch (error) {
      if (error.name !== "TypeMismatchError") throw error;
      return await folder.getDirectoryHandle(name);
    }
  } catch (error) {
    if (error.name === "NotFoundError") return undefined;
    throw error;
  }
}
