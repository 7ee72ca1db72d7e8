// Chooses the arguments of `ns test` for some cases.
//
// This module does not know VS Code. A run may include further cases of the same scripts; an update never does, because
// it rewrites their golden files.

import { casesBeside } from './discover';

/** The most scripts that one `ns test` is given. */
const SCRIPTS_AT_ONCE = 200;

/** A case that the user selected. */
export interface Case {
  /** The absolute path of the script. */
  readonly script: string;
  /** The name, such as `report.empty`. */
  readonly name: string;
}

/** One start of `ns test`. */
export interface Part<T extends Case> {
  readonly cases: readonly T[];
  /** The filter and the paths. */
  readonly args: readonly string[];
}

/** A case that cannot be updated alone. */
export interface Refused<T extends Case> {
  readonly of: T;
  readonly reason: string;
}

export interface Selection<T extends Case> {
  readonly parts: readonly Part<T>[];
  readonly refused: readonly Refused<T>[];
}

/** Selects cases for a run. */
export function selectToRun<T extends Case>(cases: readonly T[]): Selection<T> {
  const [only] = cases;
  if (cases.length === 1 && only !== undefined) return { parts: [alone(only)], refused: [] };
  return { parts: wholeScripts(cases), refused: [] };
}

/** Selects cases for an update. Refuses those that `--filter`, which matches parts of names, cannot tell from others. */
export async function selectToUpdate<T extends Case>(cases: readonly T[]): Promise<Selection<T>> {
  const whole: T[] = [];
  const single: Part<T>[] = [];
  const refused: Refused<T>[] = [];
  for (const [script, own] of byScript(cases)) {
    const selected = new Set(own.map((one) => one.name));
    const others = (await casesBeside(script)).filter((name) => !selected.has(name));
    if (others.length === 0) {
      whole.push(...own);
      continue;
    }
    for (const one of own) {
      const namesakes = others.filter((name) => name.includes(one.name));
      if (namesakes.length === 0) single.push(alone(one));
      else refused.push({ of: one, reason: reasonOf(one, namesakes) });
    }
  }
  return { parts: [...wholeScripts(whole), ...single], refused };
}

function reasonOf(one: Case, namesakes: readonly string[]): string {
  const names = namesakes.map((name) => `\`${name}\``).join(', ');
  return `the golden files of \`${one.name}\` were not written, because \`ns test --filter\` would also write those of ${names}; select these as well, or the whole script`;
}

function alone<T extends Case>(one: T): Part<T> {
  // A name may begin with a dash.
  return { cases: [one], args: [`--filter=${one.name}`, one.script] };
}

function wholeScripts<T extends Case>(cases: readonly T[]): Part<T>[] {
  const scripts = [...byScript(cases)];
  const parts: Part<T>[] = [];
  for (let at = 0; at < scripts.length; at += SCRIPTS_AT_ONCE) {
    const some = scripts.slice(at, at + SCRIPTS_AT_ONCE);
    parts.push({ cases: some.flatMap(([, own]) => own), args: some.map(([script]) => script) });
  }
  return parts;
}

function byScript<T extends Case>(cases: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of cases) {
    const group = groups.get(one.script);
    if (group === undefined) groups.set(one.script, [one]);
    else group.push(one);
  }
  return groups;
}
