// The engine as the page sees it: requests to a worker, one at a time, and a new worker when one has to be stopped.
import initialize, { format, tokens } from "engine-glue";

/* global WORKER: the text of worker.js, put in by bundle.mjs */

/** Time after which a request is stopped from outside. The engine itself stops scripts after 10 s. */
const HARD_LIMIT = 20_000;

/** Compiles the engine, and takes back the right to fetch. */
export async function loadEngine() {
  const response = await fetch("engine.wasm");
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  // Not every server of files knows the type that streaming needs.
  const module = await WebAssembly.compile(await response.arrayBuffer());
  await initialize({ module_or_path: module });
  const policy = document.createElement("meta");
  policy.httpEquiv = "Content-Security-Policy";
  policy.content = "connect-src 'none'";
  document.head.append(policy);
  return module;
}

export { format, tokens };

/** A request that was stopped. */
export class Stopped extends Error {}

export class Engine {
  /** Pieces of output go to `receive`, new trees and histories to `changed`, and what a stop lost to `restarted`. */
  constructor(module, { receive, changed, restarted }) {
    Object.assign(this, { module, receive, changed, restarted });
    this.queue = Promise.resolve();
    this.number = 0;
    this.snapshot = undefined;
    const text = new Blob([WORKER], { type: "text/javascript" });
    this.url = URL.createObjectURL(text);
    this.policy = globalThis.trustedTypes?.createPolicy("playground-worker", { createScriptURL: (url) => (url === this.url ? url : "") });
    this.start();
  }

  start() {
    this.worker = new Worker(this.policy ? this.policy.createScriptURL(this.url) : this.url);
    this.worker.onmessage = ({ data }) => this.hear(data);
    this.worker.onerror = (event) => {
      event.preventDefault();
      this.restart(new Stopped("the engine failed; please report the script"));
    };
    this.worker.postMessage({ module: this.module });
  }

  hear(data) {
    if (data.piece !== undefined) {
      this.receive(data.piece, data.isWarning);
      return;
    }
    if (data.number !== this.pending?.number) return;
    if (data.snapshot) {
      this.snapshot = data.snapshot;
      this.changed(data.state);
    }
    this.finish().resolve(data.answer);
  }

  /** Sends a request when the earlier ones are answered. Its answer may have `error`. */
  request(kind, values = {}) {
    const answer = this.queue.then(() => this.send(kind, values));
    this.queue = answer.catch(() => {});
    return answer;
  }

  send(kind, values) {
    return new Promise((resolve, reject) => {
      const number = ++this.number;
      const stop = () => this.restart(new Stopped(`stopped: it took more than ${HARD_LIMIT / 1000} s`));
      this.pending = { number, kind, resolve, reject, timer: setTimeout(stop, HARD_LIMIT) };
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
    if (this.pending) this.restart(new Stopped("stopped"));
  }

  /** Starts another worker with the folder as it was before the request. */
  restart(reason) {
    this.worker.onmessage = null;
    this.worker.terminate();
    this.start();
    const stopped = this.finish();
    const reload = this.snapshot && stopped?.kind !== "load" ? this.send("load", { snapshot: this.snapshot }) : Promise.resolve();
    reload.catch(() => {}).then(() => {
      this.restarted();
      stopped?.reject(reason);
    });
  }
}
