// The text of an entry before and after a plan.
//
// This module does not know VS Code. It reads only files below the sandbox, or at an absolute path below a further root,
// which `ns` has checked. It reads only regular files, at most `MOST_BYTES` of each; for everything else it returns a
// line in parentheses that says why.

import { constants } from 'node:fs';
import { lstat, open, readlink, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { Change, State } from './form';
import { octal } from './tree';

/** The most bytes that are shown of a file. */
export const MOST_BYTES = 4 * 1024 * 1024;

/** The text before the plan is applied. */
export async function before(change: Change, sandbox: string): Promise<string> {
  switch (change.action) {
    case 'created':
      return '';
    case 'mode':
      return stateText(change.was);
    case 'moved':
      return onDisk(sandbox, change.from ?? change.path);
    case 'restored':
      return change.was === undefined ? '' : onDisk(sandbox, change.path);
    case 'changed':
    case 'deleted':
      return onDisk(sandbox, change.origin ?? change.path);
  }
}

/** The text that the plan would leave. */
export async function after(change: Change, sandbox: string): Promise<string> {
  switch (change.action) {
    case 'deleted':
      return '';
    case 'mode':
      return stateText(change.now);
    case 'moved':
    case 'restored':
      return onDisk(sandbox, change.from ?? change.path);
    case 'created':
    case 'changed':
      return planned(change);
  }
}

function planned(change: Change): string {
  const content = change.content;
  if (content === undefined) return '';
  if ('link' in content) return linkText(content.link);
  if ('base64' in content) return binaryText(Buffer.byteLength(content.base64, 'base64'));
  const bytes = Buffer.byteLength(content.text);
  return bytes > MOST_BYTES ? largeText(bytes) : content.text;
}

/** Reads an entry of the sandbox as text. */
async function onDisk(sandbox: string, path: string): Promise<string> {
  try {
    const place = isAbsolute(path) ? path : join(sandbox, path);
    if (!isAbsolute(path) && !(await isBelow(sandbox, place))) return '(outside the sandbox)\n';
    const entry = await lstat(place);
    if (entry.isSymbolicLink()) return linkText(await readlink(place));
    if (!entry.isFile()) return '(no regular file)\n';
    return await readText(place);
  } catch (error) {
    return `(cannot be read: ${(error as NodeJS.ErrnoException).code ?? String(error)})\n`;
  }
}

async function isBelow(sandbox: string, place: string): Promise<boolean> {
  const way = relative(await realpath(sandbox), await realpath(dirname(place)));
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

async function readText(place: string): Promise<string> {
  // Another process may have put a pipe or a link here since the look above.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const file = await open(place, flags);
  try {
    const { size } = await file.stat();
    if (size > MOST_BYTES) return largeText(size);
    const buffer = Buffer.alloc(size);
    const { bytesRead } = await file.read(buffer, 0, size, 0);
    return textOf(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

/** Returns bytes as text, or a line that says that they are none. */
export function textOf(bytes: Buffer): string {
  if (bytes.includes(0)) return binaryText(bytes.length);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return binaryText(bytes.length);
  }
}

function linkText(target: string): string {
  return `(link to ${target})\n`;
}

function binaryText(bytes: number): string {
  return `(no text: ${bytes} bytes)\n`;
}

function largeText(bytes: number): string {
  return `(too large to show: ${bytes} bytes)\n`;
}

function stateText(state: State | undefined): string {
  if (state === undefined) return '';
  return `mode ${octal(state.mode)}\nmodified ${timeText(state.modified?.[0])}\n`;
}

function timeText(seconds: number | undefined): string {
  if (seconds === undefined) return '?';
  const date = new Date(seconds * 1000);
  // A date of JavaScript ends in the year 275760; file systems have later times.
  return Number.isNaN(date.getTime()) ? `${seconds} s after 1970` : date.toISOString();
}
