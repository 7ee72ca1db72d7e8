// Builds the arguments of `ns`. Every path is absolute, so no path is taken for an option.
//
// This module does not know VS Code.

import { dirname, isAbsolute, join, resolve } from 'node:path';

/** The options that hold for a script. */
export interface Options {
  /** The absolute path of the sandbox. */
  readonly sandbox: string;
  readonly policy: string | undefined;
  readonly lib: readonly string[];
  readonly strict: boolean;
}

/** The settings as written. */
export interface Written {
  readonly sandbox: string;
  readonly policy: string;
  readonly lib: readonly string[];
  readonly strict: boolean;
}

/** Where a script is. */
export interface Place {
  /** The absolute path of the script, or `undefined` for commands on a folder. In a task it may begin with a variable. */
  readonly file: string | undefined;
  /** The folder of the workspace, if the script is in one. */
  readonly folder: string | undefined;
  readonly home: string;
}

/** Resolves the settings for a script; `undefined` if there is neither a script nor a folder. */
export function optionsAt(written: Written, place: Place): Options | undefined {
  const directory = place.file === undefined ? undefined : directoryOf(place.file);
  const base = place.folder ?? directory;
  if (base === undefined) return undefined;
  const absolute = (text: string): string => {
    const expanded = text
      .replaceAll('${workspaceFolder}', () => base)
      .replaceAll('${fileDirname}', () => directory ?? base);
    if (expanded === '~' || expanded.startsWith('~/')) return join(place.home, expanded.slice(1));
    const isLeftToEditor = directory?.startsWith('${') === true && expanded.startsWith(directory);
    return isAbsolute(expanded) || isLeftToEditor ? expanded : resolve(base, expanded);
  };
  return {
    sandbox: written.sandbox === '' ? base : absolute(written.sandbox),
    policy: written.policy === '' ? undefined : absolute(written.policy),
    lib: written.lib.filter((entry) => entry !== '').map(absolute),
    strict: written.strict,
  };
}

/** The directory of a script. For a variable alone, it is a variable as well, which VS Code replaces. */
function directoryOf(file: string): string {
  return file.startsWith('${') && !file.includes('/') ? '${fileDirname}' : dirname(file);
}

/** Whether a task is about the file of the active editor, for which VS Code replaces `${fileDirname}`. */
export function isOfActiveFile(file: string): boolean {
  return file === '${file}' || file === '${relativeFile}' || file.startsWith('${fileDirname}/');
}

/** Says which text VS Code would change, because it replaces variables in tasks and debug configurations. */
export function variableProblem(texts: readonly string[]): string | undefined {
  const text = texts.find((text) => text.includes('${'));
  if (text === undefined) return undefined;
  return `\`${text}\` contains \`\${\`, which VS Code replaces in tasks and debug configurations; use \`ns\` in a terminal`;
}

/** The options of every command but the sandbox, which `ns test` does not take. */
export function withoutSandbox(options: Options): string[] {
  const args: string[] = [];
  if (options.policy !== undefined) args.push('--policy', options.policy);
  for (const directory of options.lib) args.push('--lib', directory);
  if (options.strict) args.push('--strict');
  return args;
}

/** The options of every command. */
export function allOptions(options: Options): string[] {
  return ['--sandbox', options.sandbox, ...withoutSandbox(options)];
}

export interface RunOf {
  readonly file: string;
  readonly procedure?: string | undefined;
  readonly words?: readonly string[] | undefined;
  readonly readOnly?: boolean | undefined;
}

/** The arguments of `ns run`. */
export function runArguments(options: Options, script: RunOf): string[] {
  return ['run', ...allOptions(options), ...scriptArguments(script)];
}

/** The arguments of `ns run --plan=json`. */
export function planArguments(options: Options, script: RunOf): string[] {
  return ['run', '--plan=json', ...allOptions(options), ...scriptArguments(script)];
}

function scriptArguments(script: RunOf): string[] {
  const args: string[] = [];
  if (script.readOnly === true) args.push('--read-only');
  if (script.procedure !== undefined) args.push('--proc', script.procedure);
  args.push(script.file);
  const words = script.words ?? [];
  if (words.length > 0) args.push('--', ...words);
  return args;
}
