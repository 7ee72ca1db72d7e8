// Finds the program `ns`: the setting, then the program that the extension brings, then `PATH`.
//
// This module does not know VS Code. It starts nothing but `ns --version`.

import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { run } from './process';

export interface Search {
  /** The setting `neuroscript.path`, or an empty text. */
  readonly setting: string;
  /** The directory to which a relative setting is relative. */
  readonly base: string | undefined;
  readonly home: string;
  /** The directory of the extension. */
  readonly extension: string;
  /** The variable `PATH`. */
  readonly path: string | undefined;
  readonly platform: NodeJS.Platform;
}

export interface Program {
  readonly path: string;
  readonly source: 'setting' | 'extension' | 'PATH';
  /** The version, such as `0.1.0`. */
  readonly version: string;
}

/** Says why there is no program, and what to do. */
export interface NoProgram {
  readonly problem: string;
}

const VERSION_MS = 10_000;
const VERSION_BYTES = 4096;

/** Finds the program. A setting that leads nowhere is reported; nothing else is taken in its place. */
export async function findProgram(search: Search): Promise<Program | NoProgram> {
  const name = search.platform === 'win32' ? 'ns.exe' : 'ns';
  if (search.setting !== '') return fromSetting(search);
  const bundled = join(search.extension, 'bin', name);
  if (await isExecutable(bundled)) return withVersion(bundled, 'extension');
  const delimiter = search.platform === 'win32' ? ';' : ':';
  for (const directory of (search.path ?? '').split(delimiter)) {
    // A relative entry would take a program from the workspace.
    if (!isAbsolute(directory)) continue;
    const candidate = join(directory, name);
    if (await isExecutable(candidate)) return withVersion(candidate, 'PATH');
  }
  return {
    problem:
      'The program `ns` is neither in this extension nor on `PATH`. ' +
      'Install it with `cargo install --path .` in the repository of NeuroScript, or choose its path.',
  };
}

async function fromSetting(search: Search): Promise<Program | NoProgram> {
  let path = search.setting;
  if (path === '~' || path.startsWith('~/')) path = join(search.home, path.slice(1));
  if (!isAbsolute(path)) {
    if (search.base === undefined) {
      return { problem: `The setting \`neuroscript.path\` is \`${search.setting}\`, but no folder is open. Write an absolute path.` };
    }
    path = resolve(search.base, path);
  }
  if (await isExecutable(path)) return withVersion(path, 'setting');
  return { problem: `The setting \`neuroscript.path\` names \`${path}\`, which is not an executable file. Correct it, or empty it so that \`PATH\` is searched.` };
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

async function withVersion(path: string, source: Program['source']): Promise<Program | NoProgram> {
  const ended = await run({ program: path, args: ['--version'], cwd: process.cwd(), timeoutMs: VERSION_MS, maxBytes: VERSION_BYTES });
  const version = /^ns (\d+\.\d+\.\d+\S*)\s*$/.exec(ended.stdout.toString('utf8'))?.[1];
  if (ended.end === 'exited' && ended.code === 0 && version !== undefined) return { path, source, version };
  return { problem: `\`${path}\` is not the program \`ns\` of NeuroScript: \`--version\` does not answer with its version. Choose another one.` };
}
