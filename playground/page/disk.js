// A folder of the visitor's disk, through the File System Access API. Reading copies it into memory, within limits.
// Nothing is written before the visitor has seen the changes and confirmed them, and nothing over a file that somebody
// changed meanwhile.
import { firstOf } from "./dom.js";
import { pack, unpack } from "./snapshot.js";

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
  const found = { entries: [], stamps: new Map(), leftOut: [], visited: 0, bytes: 0, isFull: false };
  await readInto(found, handle, "", 0);
  return found;
}

async function readInto(found, handle, below, depth) {
  for await (const [name, entry] of handle.entries()) {
    const path = below + name;
    // One entry that cannot be read leaves the others readable.
    const reason = await readEntry(found, entry, path, depth).catch((error) => `it cannot be read: ${error.message}`);
    if (reason) found.leftOut.push({ path, reason });
    if (found.isFull) return;
  }
}

/** Reads an entry. Returns why it is left out, if it is. */
async function readEntry(found, entry, path, depth) {
  found.visited += 1;
  if (found.visited > MAX_ENTRIES) return full(found, `${MAX_ENTRIES} entries`);
  if (isSkipped(entry.name)) return "it is skipped by its name";
  if (entry.kind === "directory") {
    if (depth >= MAX_DEPTH) return `it is more than ${MAX_DEPTH} directories deep`;
    found.entries.push({ path, kind: "folder" });
    await readInto(found, entry, `${path}/`, depth + 1);
    return undefined;
  }
  const file = await entry.getFile();
  if (file.size > MAX_FILE) return `it has more than ${MAX_FILE / 1e6} MB`;
  if (found.bytes + file.size > MAX_BYTES) return full(found, `${MAX_BYTES / 1e6} MB`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  found.bytes += bytes.length;
  found.entries.push({ path, bytes, modified: file.lastModified });
  found.stamps.set(path, stampOf(file));
  return undefined;
}

/** Ends the reading at a limit. */
function full(found, limit) {
  found.isFull = true;
  return `and everything after it: the folder has more than ${limit}`;
}

const stampOf = (file) => `${file.size} ${file.lastModified}`;

/** Returns a path in the form in which disks that ignore case, and forms of Unicode, compare paths. */
const folded = (path) => path.normalize("NFC").replace(/\p{Default_Ignorable_Code_Point}/gu, "").toLowerCase();

const isSkipped = (path) => folded(path).split("/").some((name) => SKIPPED.has(name));

/** Throws an error that names the paths, if there are any. */
function refuse(reason, paths) {
  if (paths.length > 0) throw new Error(`nothing was written: ${reason}: ${firstOf(paths, 10)}`);
}

/**
 * Returns the steps that bring a disk to a snapshot, from changes (rows with `what` and `path`). Throws if a step is not
 * possible on every disk. Deletions come last, so that an error before them loses nothing; inner entries before their
 * directories.
 */
export function stepsOf({ snapshot: earlier }, changes, snapshot) {
  const [before, after] = [earlier, snapshot].map((packed) => new Map(unpack(packed).map((entry) => [entry.path, entry])));
  const steps = changes.map(({ path }) => path.replace(/\/$/, "")).map((path) => ({ path, isDeleted: !after.has(path), ...(after.get(path) ?? before.get(path)) }));
  const pathsOf = (test) => steps.filter(test).map(({ path }) => path);
  refuse("these names are never read or written", pathsOf(({ path }) => isSkipped(path)));
  refuse("browsers cannot write links", pathsOf(({ kind }) => kind !== "file" && kind !== "folder"));
  refuse("a file cannot take the place of a directory, nor a directory that of a file; delete and write back first", pathsOf(({ path, kind }) => before.has(path) && before.get(path).kind !== kind));
  const alike = new Map();
  for (const path of new Set([...before.keys(), ...after.keys()])) alike.set(folded(path), [...(alike.get(folded(path)) ?? []), path]);
  // A disk that gave both names tells them apart.
  const clashes = [...alike.values()].filter((paths) => paths.length > 1 && paths.some((path) => !before.has(path)));
  refuse("many disks take these for the same name", clashes.flat());
  return [...steps.filter(({ isDeleted }) => !isDeleted), ...steps.filter(({ isDeleted }) => isDeleted).reverse()];
}

/** Writes steps to a disk. Its stamps and its snapshot follow each step, so that after an error the rest can be written. */
export async function writeBack(disk, steps) {
  const { handle, stamps } = disk;
  const permission = await handle.requestPermission({ mode: "readwrite" });
  if (permission !== "granted") throw new Error("the browser did not grant permission to write; nothing was written");
  const [conflicts, unread] = [[], []];
  const deleted = new Set(steps.filter(({ isDeleted }) => isDeleted).map(({ path }) => path));
  for (const step of steps) {
    const now = await find(handle, step.path);
    if (!(await isAsRead(now, step, stamps))) conflicts.push(step.path);
    else if (now?.kind === "directory" && step.isDeleted) {
      for await (const name of now.keys()) if (!deleted.has(`${step.path}/${name}`)) unread.push(`${step.path}/${name}`);
    }
  }
  refuse("these are not as they were read; open the folder again", conflicts);
  refuse("these were not read, so their directories cannot be deleted", unread);
  const entries = new Map(unpack(disk.snapshot).map((entry) => [entry.path, entry]));
  let written = 0;
  try {
    for (; written < steps.length; written++) await carryOut({ handle, stamps, entries }, steps[written]);
  } catch (error) {
    throw new Error(`${written} of ${steps.length} changes were written, then \`${steps[written].path}\` failed: ${error.message}; the rest is not written yet`);
  } finally {
    disk.snapshot = pack([...entries.values()]);
  }
}

/** Returns whether the entry that is now at the path of a step is the one that was read, or written, there. */
async function isAsRead(now, { path, kind }, stamps) {
  if (now === undefined) return !stamps.has(path);
  if (now.kind === "directory") return kind === "folder";
  return stampOf(await now.getFile()) === stamps.get(path);
}

/** Carries out a step, and notes in `stamps` and `entries` how far it came. */
async function carryOut({ handle, stamps, entries }, step) {
  const { path, kind, bytes, isDeleted } = step;
  // The disk may compare names in a way of its own, or have changed since the steps were checked.
  const now = await find(handle, path);
  if (!(await isAsRead(now, step, stamps))) throw new Error("it is not as it was read");
  if (isDeleted) {
    if (now !== undefined) {
      const [folder, name] = await parent(handle, path);
      await folder.removeEntry(name);
    }
    stamps.delete(path);
    entries.delete(path);
    return;
  }
  const [folder, name] = await parent(handle, path);
  if (kind === "folder") {
    await folder.getDirectoryHandle(name, { create: true });
  } else {
    const file = await folder.getFileHandle(name, { create: true });
    // A new file is there, and empty, even if writing to it fails.
    stamps.set(path, stampOf(await file.getFile()));
    if (now === undefined) entries.set(path, { ...step, bytes: new Uint8Array() });
    const stream = await file.createWritable();
    await stream.write(bytes);
    await stream.close();
    stamps.set(path, stampOf(await file.getFile()));
  }
  entries.set(path, step);
}

async function parent(root, path) {
  const parts = path.split("/");
  let folder = root;
  for (const part of parts.slice(0, -1)) folder = await folder.getDirectoryHandle(part);
  return [folder, parts.at(-1)];
}

/** Returns the handle at a path, or `undefined` if nothing is there. */
async function find(root, path) {
  try {
    const [folder, name] = await parent(root, path);
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
