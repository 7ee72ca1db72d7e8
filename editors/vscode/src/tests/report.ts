// Reads the JSON of `ns test --format json`, and finds the place and the two texts of a difference.
//
// This module does not know VS Code.

import { basename } from 'node:path';

export interface Difference {
  /** The part that differs, such as `standard output`. */
  readonly of: string;
  /** The name of the golden file, without a directory. */
  readonly file: string;
  /** A unified diff, of which very long ones lack the end. */
  readonly diff: string;
}

export interface Row {
  /** The name of the case without its directory. */
  readonly name: string;
  /** The path of the script, as it was named. */
  readonly script: string;
  readonly status: 'passed' | 'updated' | 'failed' | 'faulty';
  readonly seconds: number;
  readonly differences: readonly Difference[];
  /** Why the case cannot be run or compared. */
  readonly fault: string | undefined;
}

/** Reads a report. Throws an error with a message for a person if it is none. */
export function parseReport(bytes: Buffer): Row[] {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new Error('`ns test` printed no report');
  }
  const cases = (value as { cases?: unknown } | null)?.cases;
  if (!Array.isArray(cases)) throw new Error('`ns test` printed no report');
  return cases.map(rowOf);
}

const STATUSES: readonly string[] = ['passed', 'updated', 'failed', 'faulty'];

function rowOf(value: unknown): Row {
  const row = value as Record<string, unknown>;
  const { name, script, status, seconds, differences, fault } = row;
  if (typeof name !== 'string' || typeof script !== 'string' || !STATUSES.includes(String(status))) {
    throw new Error('the report of `ns test` has a row of an unknown form; update the extension');
  }
  return {
    name: name.slice(name.lastIndexOf('/') + 1),
    script,
    status: status as Row['status'],
    seconds: typeof seconds === 'number' ? seconds : 0,
    differences: Array.isArray(differences) ? differences.map(differenceOf) : [],
    fault: typeof fault === 'string' ? fault : undefined,
  };
}

function differenceOf(value: unknown): Difference {
  const { of, file, diff } = value as Record<string, unknown>;
  return { of: String(of), file: String(file), diff: String(diff) };
}

/** A place in a text; lines and columns count from 1. */
export interface At {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@/;

/** The line of the golden file where the first difference is. */
export function firstLine(diff: string): number {
  let line = 1;
  for (const text of diff.split('\n')) {
    const head = HUNK.exec(text);
    if (head !== null) line = Math.max(1, Number(head[1]));
    else if (text.startsWith('-') || text.startsWith('+')) return line;
    else if (text.startsWith(' ')) line += 1;
  }
  return line;
}

/** The place of the error that a case printed although it was not expected to. */
export function errorPlace(diff: string): At | undefined {
  const found = /^\+ *--> (.+):(\d+):(\d+)$/m.exec(diff);
  if (found === null) return undefined;
  return { file: found[1] ?? '', line: Number(found[2]), column: Number(found[3]) };
}

export interface Sides {
  readonly expected: string;
  readonly actual: string;
}

/**
 * The two texts of a difference: the golden text and what the diff makes of it. Where the diff does not fit, because
 * values were redacted or its end is missing, the texts are those of its hunks alone.
 */
export function sidesOf(diff: string, golden: string): Sides {
  return wholeSides(diff, golden) ?? hunkSides(diff);
}

function wholeSides(diff: string, golden: string): Sides | undefined {
  if (/^@@ \d+ further lines @@$/m.test(diff)) return undefined;
  const lines = linesOf(golden);
  const actual: string[] = [];
  let next = 0;
  const body = diff.endsWith('\n') ? diff.slice(0, -1) : diff;
  let last: string[] | undefined;
  for (const text of body.split('\n')) {
    const head = HUNK.exec(text);
    if (head !== null) {
      // A hunk has lines around it, so only one of an empty text has the number 0.
      const start = Math.max(0, Number(head[1]) - 1);
      if (start < next || start > lines.length) return undefined;
      actual.push(...lines.slice(next, start));
      next = start;
      continue;
    }
    const [mark, rest] = [text[0], text.slice(1)];
    if (mark === '\\') {
      if (last === actual) actual.push((actual.pop() ?? '').replace(/\n$/, ''));
    } else if (mark === '+') {
      actual.push(`${rest}\n`);
      last = actual;
    } else if (mark === '-' || mark === ' ') {
      const line = lines[next];
      if (line === undefined || line.replace(/\n$/, '') !== rest) return undefined;
      if (mark === ' ') actual.push(line);
      last = mark === ' ' ? actual : undefined;
      next += 1;
    } else {
      return undefined;
    }
  }
  actual.push(...lines.slice(next));
  return { expected: golden, actual: actual.join('') };
}

/** The lines of a text with their ends. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function hunkSides(diff: string): Sides {
  const sides = { expected: '', actual: '' };
  for (const text of diff.split('\n')) {
    if (text === '' || text.startsWith('\\')) continue;
    if (text.startsWith('@@')) {
      if (sides.expected !== '' || sides.actual !== '') {
        sides.expected += '…\n';
        sides.actual += '…\n';
      }
      continue;
    }
    if (!text.startsWith('+')) sides.expected += `${text.slice(1)}\n`;
    if (!text.startsWith('-')) sides.actual += `${text.slice(1)}\n`;
  }
  return sides;
}

/** Replaces control characters other than tabs, so that a text cannot steer a terminal. */
export function safe(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}

/**
 * The lines that a terminal shows for a case. `directory` is that of its golden files, with a slash at its end. A golden
 * file that does not exist stands for no output; then the script is named in its place.
 */
export function linesOfRow(row: Row, directory: string, exists: (file: string) => boolean): string[] {
  const name = safe(`${directory}${row.name}`);
  switch (row.status) {
    case 'passed':
      return [`ok      ${name}`];
    case 'updated':
      return [`updated ${name}`];
    case 'faulty':
      return [`FAILED  ${name}: ${safe(row.fault ?? '')}`];
    case 'failed':
      return [
        `FAILED  ${name}`,
        ...row.differences.flatMap((difference) => [
          `  ${difference.of} differs from ${exists(difference.file) ? '' : 'nothing in '}${safe(directory + (exists(difference.file) ? difference.file : basename(row.script)))}:`,
          ...difference.diff.replace(/\n$/, '').split('\n').map((line) => `    ${safe(line)}`),
        ]),
      ];
  }
}
