// The engine as the page sees it: requests to a worker, one at a time, and a new worker when one has to be stopped.
import initialize, { format, tokens } from "engine-glue";

/* global WORKER: the text of worker.js, put in by bundle.mjs */

/** Time after which a request is stopped from outside. The engine itself stops scripts after 10 s. */
const HARD_LIMIT = 20_000;

/** Compiles the engine, and takes back the right to load anything. */
export async function loadEngine() {
  const response = await fetch("engine.wasm");
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  // Not every server of files knows the type that streaming needs.
  const module = await WebAssembly.compile(await response.arrayBuffer());
  await initialize({ module_or_path: module });
  const policy = document.createElement("meta");
  policy.httpEquiv = "Content-Security-Policy";
  policy.content = "default-src 'none'; script-src 'wasm-unsafe-eval'; worker-src blob:";
  document.head.append(policy);
  return module;
}

export { format, tokens };

export class Engine {
  /**
   * Pieces of output go to `receive`, new trees and histories to `changed`. After a stop, `restarted` gets the paths that
   * could not be restored, or `undefined` if the whole folder could not be.
   */
  constructor(module, { receive, changed, restarted }) {
    Object.assign(this, { module, receive, changed, restarted });
    this.queue = Promise.resolve();
    this.number = 0;
    this.snapshot = undefined;
    /** Whether a new worker is getting the folder. */
    this.isReloading = false;
    /** Whether the worker does not have the folder of the snapshot. */
    this.isLost = false;
    const text = new Blob([WORKER], { type: "text/javascript" });
    this.url = URL.createObjectURL(text);
    this.policy = globalThis.trustedTypes?.createPolicy("playground-worker", { createScriptURL: (url) => (url === this.url ? url : "") });
  }

  start() {
    this.worker = new Worker(this.policy ? this.policy.createScriptURL(this.url) : this.url);
    this.worker.onmessage = ({ data }) => this.hear(data);
    this.worker.onerror = (event) => {
      event.preventDefault();
      this.restart(new Error("the engine failed; please report the script"));
    };
    this.worker.postMessage({ module: this.module });
  }

  hear(data) {
    if (data.piece !== undefined) {
      this.receive(data.piece, data.isWarning);
      return;
    }
    if (data.number !== this.pending?.number) return;
    if (data.refusal !== undefined) {
      // The worker has a folder that the page could not restore.
      this.restart(new Error(data.refusal));
      return;
    }
    // The request ends even if the page fails to show its result.
    this.finish().resolve(data.answer);
    if (!data.snapshot) return;
    this.snapshot = data.snapshot;
    this.isLost = false;
    this.changed(data.state);
  }

  /** Sends a request when the earlier ones are answered. Its answer may have `error`. */
  request(kind, values = {}) {
    const answer = this.queue.then(() => this.send(kind, values));
    this.queue = answer.catch(() => {});
    return answer;
  }

  send(kind, values) {
    return new Promise((resolve, reject) => {
      // An empty folder in place of the visitor's would read as if everything were deleted.
      if (this.isLost && kind !== "load") throw new Error("the folder in memory was lost when the engine was stopped; open a folder or choose a sample");
      if (!this.worker) this.start();
      const number = ++this.number;
      const stop = () => this.restart(new Error(`stopped: it took more than ${HARD_LIMIT / 1000} s`));
      this.pending = { number, resolve, reject, timer: setTimeout(stop, HARD_LIMIT) };
      this.worker.postMessage({ number, kind, ...values });
    });
  }

  finish() {
    const { pending } = this;
    this.pending = undefined;
    clearTimeout(pending?.timer);
    return pending;
  }

  /** Stops the request that is being worked on. */
  stop() {
    if (this.pending && !this.isReloading) this.restart(new Error("stopped"));
  }

  /** Ends the worker, and gives the folder as it was before the request to another one. */
  async restart(reason) {
    this.worker.onmessage = this.worker.onerror = null;
    this.worker.terminate();
    this.worker = undefined;
    const stopped = this.finish();
    this.isLost = this.snapshot !== undefined;
    if (this.isLost && !this.isReloading) this.restarted(await this.reload());
    stopped?.reject(reason);
  }

  /** Gives the folder to a new worker. Returns the paths that are left out, or `undefined` if it fails. */
  async reload() {
    this.isReloading = true;
    const answer = await this.send("load", { snapshot: this.snapshot }).catch(() => ({}));
    this.isReloading = false;
    return answer.left_out;
  }
}
