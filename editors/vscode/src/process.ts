// Runs a program without a shell. The output is read up to a limit, and a program that takes too long is ended.
//
// This module does not know VS Code. It never throws: each outcome is an `Ended`.

import { spawn, type ChildProcess } from 'node:child_process';

/** How a program ended. */
export type End =
  /** By itself; `code` is its exit code. */
  | 'exited'
  /** It took longer than it may. */
  | 'timed out'
  /** It printed more than is read. */
  | 'too long'
  /** The caller stopped it. */
  | 'stopped'
  /** It could not be started; `stderr` says why. */
  | 'not started';

export interface Ended {
  readonly end: End;
  /** The exit code, or `undefined` if a signal ended the program or it did not start. */
  readonly code: number | undefined;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface Start {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The time after which the program is ended; `Infinity` for no limit. */
  readonly timeoutMs: number;
  /** The most that is read of standard output, and the same of standard error. */
  readonly maxBytes: number;
  /** Standard input; empty if left out. */
  readonly input?: Buffer;
  readonly stop?: AbortSignal;
}

/** Time between the request to end and the kill. */
const GRACE_MS = 2000;

/** Collects chunks up to a limit. */
class Collected {
  private readonly chunks: Buffer[] = [];
  private bytes = 0;

  constructor(private readonly maxBytes: number) {}

  /** Adds a chunk, and tells whether all of it fits. */
  add(chunk: Buffer): boolean {
    const kept = chunk.subarray(0, this.maxBytes - this.bytes);
    this.bytes += kept.length;
    this.chunks.push(kept);
    return kept.length === chunk.length;
  }

  all(): Buffer {
    return Buffer.concat(this.chunks);
  }
}

/** Runs a program to its end. */
export function run(start: Start): Promise<Ended> {
  return new Promise((resolve) => {
    const output = new Collected(start.maxBytes);
    const errors = new Collected(start.maxBytes);
    let end: End = 'exited';
    let child: ChildProcess;
    const finish = (code: number | undefined, message?: string): void => {
      clearTimeout(timer);
      start.stop?.removeEventListener('abort', onStop);
      resolve({ end, code, stdout: output.all(), stderr: message ?? errors.all().toString('utf8') });
    };
    const endAs = (reason: End): void => {
      if (end !== 'exited') return;
      end = reason;
      endGroup(child);
    };
    const onStop = (): void => endAs('stopped');
    const timer = Number.isFinite(start.timeoutMs) ? setTimeout(() => endAs('timed out'), start.timeoutMs) : undefined;
    try {
      child = spawn(start.program, [...start.args], {
        cwd: start.cwd,
        // A group of its own, so that the children of `ns test` end with it.
        detached: process.platform !== 'win32',
        windowsHide: true,
        stdio: ['pipe', 'pipe', 'pipe'],
      });
    } catch (error) {
      end = 'not started';
      finish(undefined, String(error));
      return;
    }
    child.once('error', (error) => {
      if (child.pid !== undefined) return;
      end = 'not started';
      finish(undefined, error.message);
    });
    child.stdout?.on('data', (chunk: Buffer) => output.add(chunk) || endAs('too long'));
    child.stderr?.on('data', (chunk: Buffer) => errors.add(chunk) || endAs('too long'));
    child.once('close', (code) => finish(code ?? undefined));
    // A program that does not read its input closes the pipe; the exit code tells more than this error.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(start.input);
    start.stop?.addEventListener('abort', onStop, { once: true });
    if (start.stop?.aborted === true) onStop();
  });
}

/** Asks a program and its children to end, and kills them if they do not. */
function endGroup(child: ChildProcess): void {
  signal(child, 'SIGINT');
  const timer = setTimeout(() => {
    signal(child, 'SIGKILL');
    // A child that left the group may hold the pipes open.
    child.stdout?.destroy();
    child.stderr?.destroy();
  }, GRACE_MS);
  child.once('close', () => clearTimeout(timer));
}

function signal(child: ChildProcess, name: 'SIGINT' | 'SIGKILL'): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill(name);
    else process.kill(-child.pid, name);
  } catch {
    // It ended meanwhile.
  }
}

/** The most characters of a message that a person is shown. */
const SHOWN = 1500;

/** Describes an outcome that is not the expected one, in one text for a person. */
export function describe(ended: Ended, what: string, timeoutMs: number): string {
  const said = shorten(ended.stderr.trim());
  switch (ended.end) {
    case 'timed out':
      return `${what} took longer than ${timeoutMs / 1000} s and was ended`;
    case 'too long':
      return `${what} printed more than the editor reads and was ended`;
    case 'stopped':
      return `${what} was stopped`;
    case 'not started':
      return `${what} cannot be started: ${said}`;
    case 'exited':
      return said === '' ? `${what} ended with the exit code ${ended.code ?? 'of a signal'}` : said;
  }
}

/** Cuts a text to what fits into a message. */
export function shorten(text: string, most: number = SHOWN): string {
  return text.length <= most ? text : `${text.slice(0, most)} …`;
}
