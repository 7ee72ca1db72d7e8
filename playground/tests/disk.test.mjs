// A folder of the visitor's disk, played by handles that behave as those of browsers do.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { stepsOf } from "../page/disk.js";
import { pack } from "../page/snapshot.js";
import { begin, files, launch, open, run, serve, shows, site, write } from "./support.mjs";

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

/** Runs in the page: a folder on a disk, in `disk`, with a list of what was written to it. */
function fakeDisk() {
  const disk = { written: [], read: [], permission: "granted", asked: [], tree: new Map() };
  window.disk = disk;
  disk.fold = (path) => path;
  disk.failsAt = undefined;
  const stored = (path) => [...disk.tree.keys()].find((other) => disk.fold(other) === disk.fold(path)) ?? path;
  const error = (name) => Object.assign(new Error(name), { name });
  let clock = 1_000;
  disk.put = (path, text) => {
    for (let at = path.indexOf("/"); at > 0; at = path.indexOf("/", at + 1)) disk.tree.set(path.slice(0, at), { folder: true });
    disk.tree.set(path, { text, lastModified: clock++ });
  };
  const inside = (path) => [...disk.tree.keys()].filter((other) => path === "" || other.startsWith(`${path}/`));
  const isFolder = (path) => path === "" || disk.tree.get(path)?.folder === true;
  const fileHandle = (path) => ({
    kind: "file",
    name: path.split("/").at(-1),
    getFile: async () => {
      if (path === disk.unreadable) throw error("NotReadableError");
      disk.read.push(path);
      const { text, lastModified, size } = disk.tree.get(path);
      const file = new File([text], path, { lastModified });
      return size === undefined ? file : Object.defineProperty(file, "size", { value: size });
    },
    createWritable: async () => {
      if (path === disk.failsAt) throw error("NoModificationAllowedError");
      let text = "";
      return {
        write: async (bytes) => (text += new TextDecoder().decode(bytes)),
        close: async () => {
          disk.written.push(`write ${path}`);
          disk.put(path, text);
        },
      };
    },
  });
  const folderHandle = (path) => ({
    kind: "directory",
    name: path === "" ? "project" : path.split("/").at(-1),
    async *keys() {
      for await (const [name] of this.entries()) yield name;
    },
    async *entries() {
      const below = path === "" ? "" : `${path}/`;
      const names = new Set(inside(path).map((other) => other.slice(below.length).split("/")[0]));
      for (const name of [...names].sort()) yield [name, isFolder(below + name) ? folderHandle(below + name) : fileHandle(below + name)];
    },
    getDirectoryHandle: async (name, { create } = {}) => {
      const inner = path === "" ? name : `${path}/${name}`;
      if (!isFolder(inner)) {
        if (disk.tree.has(inner)) throw error("TypeMismatchError");
        if (!create) throw error("NotFoundError");
        disk.written.push(`create ${inner}/`);
        disk.tree.set(inner, { folder: true });
      }
      return folderHandle(inner);
    },
    getFileHandle: async (name, { create } = {}) => {
      const inner = stored(path === "" ? name : `${path}/${name}`);
      if (isFolder(inner)) throw error("TypeMismatchError");
      if (!disk.tree.has(inner)) {
        if (!create) throw error("NotFoundError");
        disk.put(inner, "");
      }
      return fileHandle(inner);
    },
    removeEntry: async (name) => {
      const inner = path === "" ? name : `${path}/${name}`;
      if (!disk.tree.has(inner) && !isFolder(inner)) throw error("NotFoundError");
      if (inside(inner).length > 0) throw error("InvalidModificationError");
      disk.written.push(`remove ${inner}`);
      disk.tree.delete(inner);
    },
    requestPermission: async ({ mode }) => {
      disk.asked.push(mode);
      return disk.permission;
    },
  });
  window.showDirectoryPicker = async ({ mode }) => {
    disk.asked.push(mode);
    return folderHandle("");
  };
  disk.put("a.txt", "one\ntwo\n");
  disk.put("old/b.txt", "b\n");
  disk.put("grüße.txt", "é\n");
  disk.put(".git/config", "secret");
  disk.put("neuroscript.toml", "[policy]\n");
  disk.put("huge.bin", "");
  disk.tree.get("huge.bin").size = 9e6;
}

/** Runs in the page: workers that are made while `workersFail` is set do so. */
function failingWorkers() {
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (data, ...others) {
    if (window.workersFail) setTimeout(() => this.dispatchEvent(new ErrorEvent("error", { cancelable: true })));
    else postMessage.call(this, data, ...others);
  };
}

async function opened() {
  const page = await open(browser, server.url, { before: fakeDisk });
  await page.click("#open-folder");
  await shows(page, "#status", /\d files? read/);
  return page;
}

const CHANGES = 'MUST FS.EditFile("a.txt", "two", "2")\nMUST FS.WriteFile("new/c.txt", "ç")\nMUST FS.DeleteFile("old", recursive: true)';

test("a folder is read into memory, and nothing is written without confirmation", async () => {
  const page = await opened();
  assert.deepEqual(await files(page), ["old/b.txt", "a.txt", "grüße.txt"]);
  const notice = await page.textContent("#notice");
  for (const left of [".git", "neuroscript.toml", "huge.bin (it has more than 8 MB)"]) assert.ok(notice.includes(left), notice);
  await run(page, CHANGES);
  assert.deepEqual(await files(page), ["new/c.txt", "a.txt", "grüße.txt"]);
  await page.click("#write-back");
  await page.waitForSelector("dialog[open]");
  await page.click("#dialog-close");
  assert.deepEqual(await page.evaluate(() => [disk.written, disk.asked]), [[], ["read"]]);
  await page.context().close();
});

test("writing back shows the changes first, and writes these", async () => {
  const page = await opened();
  await run(page, CHANGES);
  await page.click("#write-back");
  await page.waitForSelector("dialog[open] .plan");
  assert.equal(await page.textContent("dialog .summary"), "~1 changed+2 created−2 deleted");
  assert.ok((await page.textContent("dialog .plan")).includes("-two"));
  await page.click("#dialog-confirm");
  await shows(page, "#status", /written to project/);
  const { written, asked, text } = await page.evaluate(() => ({ ...disk, text: disk.tree.get("a.txt").text }));
  assert.deepEqual(asked, ["read", "readwrite"]);
  assert.deepEqual(written, ["write a.txt", "create new/", "write new/c.txt", "remove old/b.txt", "remove old"]);
  assert.equal(text, "one\n2\n");
  await page.click("#write-back");
  await shows(page, "#status", /^nothing differs/);
  await page.context().close();
});

for (const [name, interfere, expected] of [
  ["a file that changed on the disk", () => disk.put("a.txt", "other"), /not as they were read; open the folder again: a\.txt$/],
  ["a file that appeared there", () => disk.put("new/c.txt", "other"), /not as they were read; open the folder again: new\/c\.txt$/],
  ["a permission that is not granted", () => (disk.permission = "denied"), /did not grant permission/],
]) {
  test(`nothing is written over ${name}`, async () => {
    const page = await opened();
    await run(page, CHANGES);
    await page.evaluate(interfere);
    await page.click("#write-back");
    await page.waitForSelector("dialog[open] .plan");
    await page.click("#dialog-confirm");
    await page.waitForFunction(() => document.querySelector("#status").classList.contains("bad"));
    assert.match(await page.textContent("#status"), expected);
    assert.deepEqual(await page.evaluate(() => disk.written), []);
    await page.context().close();
  });
}

for (const [name, script, expected] of [
  ["two names that differ in case", 'MUST FS.WriteFile("new.txt", "1")\nMUST FS.WriteFile("New.txt", "2")', /the same name: New\.txt, new\.txt$/],
  ["two forms of one name", 'MUST FS.WriteFile("GRU\\u{308}SSE.txt", "1")\nMUST FS.WriteFile("grüsse.txt", "2")', /the same name: /],
  ["a name that differs in case from one that is deleted", 'MUST FS.DeleteFile("a.txt")\nMUST FS.WriteFile("A.txt", "2")', /the same name: a\.txt, A\.txt$/],
  ["a file in the place of a directory", 'MUST FS.DeleteFile("old", recursive: true)\nMUST FS.WriteFile("old", "x")', /place of a directory.*: old$/],
  ["a directory in the place of a file", 'MUST FS.DeleteFile("a.txt")\nMUST FS.WriteFile("a.txt/b", "x")', /place of a directory.*: a\.txt$/],
  ["a name that is skipped", 'MUST FS.WriteFile("old/Node_Modules/a.js", "x")', /never read or written: old\/Node_Modules, old\/Node_Modules\/a\.js$/],
  ["more changes than the page shows", 'FOR EACH n IN RANGE(0, 2001) DO\n  MUST FS.WriteFile("many/" + n, "x")\nEND', /^2002 changes cannot be shown/],
]) {
  test(`writing back is refused: ${name}`, async () => {
    const page = await opened();
    await run(page, script);
    assert.match(await page.textContent("#ending"), /^Done/);
    await page.click("#write-back");
    await page.waitForFunction(() => document.querySelector("#status").classList.contains("bad"));
    assert.match(await page.textContent("#status"), expected);
    assert.equal(await page.$("dialog[open]"), null);
    assert.deepEqual(await page.evaluate(() => [disk.written, disk.asked]), [[], ["read"]]);
    await page.context().close();
  });
}

test("writing back is refused: a link, and names of Git that are spelt otherwise", () => {
  const disk = { stamps: new Map(), snapshot: pack([]) };
  for (const [entry, expected] of [
    [{ path: "link", kind: "link" }, /cannot write links: link$/],
    [{ path: "a/.Git/config", bytes: new Uint8Array(1) }, /never read or written: a\/\.Git\/config$/],
    [{ path: ".g\u200cit/config", bytes: new Uint8Array(1) }, /never read or written/],
  ]) {
    assert.throws(() => stepsOf(disk, [{ what: "created", path: entry.path }], pack([entry])), expected);
  }
});

/** Writes back, and returns the status that ends it. */
async function writtenBack(page) {
  await page.click("#write-back");
  await page.waitForSelector("dialog[open] .plan");
  await page.click("#dialog-confirm");
  await page.waitForSelector("dialog:not([open])", { state: "attached" });
  return page.textContent("#status");
}

test("a directory with something that was not read is not deleted, nor anything else written", async () => {
  const page = await opened();
  await run(page, CHANGES);
  await page.evaluate(() => disk.put("old/later.txt", "x"));
  assert.match(await writtenBack(page), /^nothing was written: .*cannot be deleted: old\/later\.txt$/);
  assert.deepEqual(await page.evaluate(() => disk.written), []);
  await page.context().close();
});

test("a file is not written over one that the disk takes for the same", async () => {
  const page = await opened();
  await run(page, 'MUST FS.WriteFile("strasse", "1")\nMUST FS.WriteFile("straße", "2")');
  await page.evaluate(() => (disk.fold = (path) => path.toUpperCase()));
  assert.match(await writtenBack(page), /^1 of 2 changes were written, then `straße` failed: it is not as it was read/);
  assert.equal(await page.evaluate(() => disk.tree.get("strasse").text), "1");
  await page.context().close();
});

test("after an error halfway, Write back writes the rest", async () => {
  const page = await opened();
  await run(page, CHANGES);
  await page.evaluate(() => (disk.failsAt = "new/c.txt"));
  assert.match(await writtenBack(page), /^2 of 5 changes were written, then `new\/c\.txt` failed: NoModification/);
  await page.click("#write-back");
  await page.waitForSelector("dialog[open] .plan");
  assert.equal(await page.textContent("dialog .summary"), "~1 changed−2 deleted");
  await page.click("#dialog-close");
  assert.equal(await page.evaluate(() => disk.tree.get("old/b.txt").text), "b\n");
  await page.evaluate(() => (disk.failsAt = undefined));
  assert.match(await writtenBack(page), /written to project/);
  const left = await page.evaluate(() => [...disk.tree.keys()].filter((path) => !disk.tree.get(path).folder).sort());
  assert.deepEqual(left, [".git/config", "a.txt", "grüße.txt", "huge.bin", "neuroscript.toml", "new/c.txt"]);
  await page.context().close();
});

test("after an error halfway, Write back knows what was written, also if the run is undone", async () => {
  const page = await opened();
  await run(page, CHANGES);
  await page.evaluate(() => (disk.failsAt = "new/c.txt"));
  await writtenBack(page);
  await page.click("#undo");
  await shows(page, "#status", /^undone/);
  await page.evaluate(() => (disk.failsAt = undefined));
  assert.match(await writtenBack(page), /written to project/);
  const { kept, left } = await page.evaluate(() => ({ kept: disk.tree.get("a.txt").text, left: [...disk.tree.keys()].filter((path) => path.startsWith("new")) }));
  assert.deepEqual([kept, left], ["one\ntwo\n", []]);
  await page.context().close();
});

test("a folder with too many entries is read in part, and says so", async () => {
  const page = await open(browser, server.url, { before: fakeDisk });
  await page.evaluate(() => {
    for (let number = 0; number < 2_100; number++) disk.put(`many/${String(number).padStart(4, "0")}`, "x");
  });
  await page.click("#open-folder");
  await shows(page, "#status", /\d files? read/);
  assert.match(await page.textContent("#notice"), /more than 2000 entries/);
  await page.context().close();
});

test("a folder is read up to limits of entries that are visited and of bytes", async () => {
  const page = await open(browser, server.url, { before: fakeDisk });
  const reopened = async () => {
    await page.evaluate(() => (document.querySelector("#status").textContent = ""));
    await page.click("#open-folder");
    await shows(page, "#status", /\d files? read/);
    return page.textContent("#notice");
  };
  await page.evaluate(() => {
    for (let number = 0; number < 3_000; number++) {
      disk.put(`large/${String(number).padStart(4, "0")}`, "");
      disk.tree.get(`large/${String(number).padStart(4, "0")}`).size = 9e6;
    }
  });
  assert.match(await reopened(), /and \d+ more/);
  assert.ok((await page.evaluate(() => disk.read.length)) <= 2_000);
  await page.evaluate(() => {
    for (const path of [...disk.tree.keys()]) if (path.startsWith("large/")) disk.tree.delete(path);
    for (const name of ["1", "2", "3", "4", "5", "6"]) disk.put(`large/${name}`, "x".repeat(7e6));
    disk.read.length = 0;
    disk.unreadable = "a.txt";
  });
  const notice = await reopened();
  assert.ok(notice.includes("a.txt (it cannot be read: NotReadableError)"), notice);
  assert.match(notice, /large\/5 \(and everything after it: the folder has more than 32 MB\)/);
  assert.deepEqual(await page.evaluate(() => disk.read.filter((path) => path > "large/5")), []);
  assert.deepEqual((await files(page)).sort(), ["grüße.txt", "large/1", "large/2", "large/3", "large/4"]);
  await page.context().close();
});

test("a second click on Stop does not lose the folder", async () => {
  const page = await opened();
  await begin(page);
  await page.evaluate(() => {
    document.querySelector("#stop").click();
    document.querySelector("#stop").click();
  });
  await shows(page, "#status", /^stopped$/);
  assert.equal(await run(page, 'EMIT FS.ReadFile("a.txt").content'), "one\ntwo\n\n");
  await page.click("#write-back");
  await shows(page, "#status", /^nothing differs/);
  await page.context().close();
});

test("a folder that cannot be restored after a stop is not taken for an empty one", async () => {
  const page = await opened();
  await page.evaluate(failingWorkers);
  await begin(page);
  await page.evaluate(() => (window.workersFail = true));
  await page.click("#stop");
  await shows(page, "#output", /The folder in memory is lost/);
  await page.evaluate(() => (window.workersFail = false));
  await page.click("#write-back");
  await shows(page, "#status", /^the folder in memory was lost/);
  assert.equal(await page.$("dialog[open]"), null);
  await page.click("#open-folder");
  await shows(page, "#status", /\d files? read/);
  assert.equal(await run(page, 'EMIT FS.ReadFile("a.txt").content'), "one\ntwo\n\n");
  await page.context().close();
});

test("a link in the address replaces a folder of the disk only when the visitor agrees", async () => {
  const page = await opened();
  const link = `#1.logs.${Buffer.from("EMIT 5").toString("base64url")}`;
  const follow = () => page.evaluate((link) => (location.hash = link), link);
  await run(page, CHANGES);
  const changed = await files(page);
  await follow();
  await page.waitForSelector("dialog[open]");
  assert.match(await page.textContent("#dialog-title"), /^Close “project”/);
  await page.click("#dialog-close");
  assert.deepEqual([await files(page), new URL(page.url()).hash], [changed, ""]);

  await page.click("#write-back");
  await page.waitForSelector("dialog[open] .plan");
  await follow();
  await shows(page, "#notice", /^The link was not opened/);
  await page.click("#dialog-confirm");
  await shows(page, "#status", /written to project/);
  assert.deepEqual(await files(page), changed);

  await begin(page);
  await page.evaluate(() => (document.querySelector("#notice").textContent = ""));
  await follow();
  await shows(page, "#notice", /^The link was not opened/);
  await page.click("#stop");
  await shows(page, "#status", /^stopped$/);
  assert.deepEqual(await files(page), changed);

  await follow();
  await page.waitForSelector("dialog[open]");
  await page.click("#dialog-confirm");
  await shows(page, "#notice", /^This script came/);
  assert.deepEqual([await page.inputValue("#script"), await page.isHidden("#write-back")], ["EMIT 5", true]);
  assert.equal(new URL(page.url()).hash, link);
  await page.context().close();
});

test("after a folder of the disk is opened, Share holds no file of a link", async () => {
  const own = Buffer.from(JSON.stringify([["secret.txt", "x", "", 0]])).toString("base64url");
  const page = await open(browser, server.url, { before: fakeDisk, fragment: `#1..${Buffer.from("EMIT 5").toString("base64url")}.${own}` });
  assert.deepEqual(await files(page), ["secret.txt"]);
  await page.click("#open-folder");
  await shows(page, "#status", /\d files? read/);
  await page.click("#share");
  assert.match(await page.inputValue("#link"), /#[12]\.\.[\w-]+$/);
  await page.context().close();
});
