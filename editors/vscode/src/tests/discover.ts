// Finds the cases of `ns test` below a directory, by the rules of docs/testing.md.
//
// This module does not know VS Code. A test compares what it finds with what `ns test` runs.

import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** The extensions of the files of a case. */
const PARTS: readonly string[] = ['out', 'err', 'tree', 'audit', 'args', 'in', 'times'];

/** A script with its cases. */
export interface Script {
  /** The path from the directory that was searched, with `/`. */
  readonly path: string;
  /** The names of its cases without the directory: `report`, `report.empty`. */
  readonly cases: readonly string[];
}

export interface Bounds {
  readonly entries: number;
  readonly scripts: number;
}

export const BOUNDS: Bounds = { entries: 200_000, scripts: 10_000 };

export interface Found {
  /** The scripts with cases, in the order of their paths. */
  readonly scripts: Script[];
  /** Whether a bound was reached, so that scripts may be missing. */
  readonly isCut: boolean;
}

/** Finds the scripts below a directory that have golden files. */
export async function findCases(top: string, bounds: Bounds = BOUNDS): Promise<Found> {
  const scripts: Script[] = [];
  const ahead = [''];
  let entries = 0;
  for (let folder = ahead.pop(); folder !== undefined; folder = ahead.pop()) {
    const listed = await readdir(join(top, folder), { withFileTypes: true }).catch(() => []);
    entries += listed.length;
    if (entries > bounds.entries) return { scripts: sorted(scripts), isCut: true };
    const names = new Set(listed.map((entry) => entry.name));
    for (const entry of listed) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.name.startsWith('.')) continue;
      if (entry.isDirectory()) {
        if (!isSetup(entry.name, names)) ahead.push(path);
      } else if ((entry.isFile() || entry.isSymbolicLink()) && entry.name.endsWith('.ns')) {
        const cases = casesOf(entry.name, names);
        if (cases.length > 0) scripts.push({ path, cases });
        if (scripts.length > bounds.scripts) return { scripts: sorted(scripts), isCut: true };
      }
    }
  }
  return { scripts: sorted(scripts), isCut: false };
}

function sorted(scripts: Script[]): Script[] {
  return scripts.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Whether a directory is the set-up of a script beside it or of one of its cases. */
function isSetup(name: string, beside: ReadonlySet<string>): boolean {
  if (beside.has(`${name}.ns`)) return true;
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
    if (beside.has(`${name.slice(0, dot)}.ns`)) return true;
  }
  return false;
}

/** The cases of a script as its directory has them now. */
export async function casesBeside(script: string): Promise<string[]> {
  const names = await readdir(dirname(script)).catch(() => []);
  return casesOf(basename(script), new Set(names));
}

/** The cases of a script, given the names beside it. */
function casesOf(script: string, beside: ReadonlySet<string>): string[] {
  const own = script.slice(0, -'.ns'.length);
  if (own === '') return [];
  const stems = new Set<string>();
  for (const name of beside) {
    const stem = stemOf(name, own, beside);
    if (stem !== undefined) stems.add(stem);
  }
  return [...stems].sort();
}

/** The case that a file belongs to: `a.b.out` belongs to `a.b.ns` if that exists, otherwise to `a.ns`. */
function stemOf(name: string, script: string, beside: ReadonlySet<string>): string | undefined {
  const dot = name.lastIndexOf('.');
  if (dot < 0 || !PARTS.includes(name.slice(dot + 1))) return undefined;
  const stem = name.slice(0, dot);
  if (stem !== script && !stem.startsWith(`${script}.`)) return undefined;
  for (let longer = stem; longer.length > script.length; longer = longer.slice(0, longer.lastIndexOf('.'))) {
    if (beside.has(`${longer}.ns`)) return undefined;
  }
  return stem;
}
