// The worker: holds the folder and runs scripts. It gets the compiled engine from the page and fetches nothing.
import { Folder, initSync } from "engine-glue";

/** Requests after which the page needs the new tree. */
const CHANGING = new Set(["run", "apply", "undo", "redo", "write", "remove", "load"]);

let folder;

const requests = {
  check: ({ script }) => folder.check(script),
  run: ({ script }) => folder.run(script, receive),
  plan: ({ script }) => folder.plan(script, receive),
  apply: () => folder.apply(),
  undo: () => folder.undo(false),
  redo: () => folder.undo(true),
  read: ({ path }) => folder.read(path),
  write: ({ path, text }) => folder.write(path, text),
  remove: ({ path }) => folder.remove(path),
  load: ({ snapshot }) => folder.load(snapshot),
  changes: ({ snapshot }) => folder.changes_since(snapshot),
};

function receive(piece, isWarning) {
  postMessage({ piece, isWarning });
}

self.onmessage = ({ data }) => {
  if (data.module) {
    initSync({ module: data.module });
    folder = new Folder();
    return;
  }
  const { number, kind } = data;
  const answer = JSON.parse(requests[kind](data));
  // A folder that was refused did not take the place of the one before.
  if (!CHANGING.has(kind) || (kind === "load" && answer.error)) {
    postMessage({ number, answer });
    return;
  }
  try {
    const snapshot = folder.save();
    postMessage({ number, answer, state: JSON.parse(folder.state()), snapshot }, [snapshot.buffer]);
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError) throw error;
    postMessage({ number, refusal: error.message });
  }
};
