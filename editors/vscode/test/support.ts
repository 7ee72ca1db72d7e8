// Several tests need these: the program under test, and folders with names that break careless code.

import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import { run, type Ended } from '../src/process';

/** The program `ns` that the tests run. */
export const NS: string = process.env['NS'] ?? '';
if (NS === '') throw new Error('set NS to the path of `ns`, or use editors/vscode/check');

/** The directory of the extension; the bundled tests are in `dist-test`. */
export const HERE: string = join(__dirname, '..');
/** The directory of the repository. */
export const REPOSITORY: string = join(HERE, '../..');

/** Parts of names with blanks, quotes, `%`, variables of shells and of VS Code, options, and other letters. */
export const STRANGE = ["a b", "it's", 'say "hi"', '100%20', '$HOME', '-x', 'größe', '日本', 'a&b;c', '[x]{y}', 'tab\there', '#1?'];

/** Makes a directory that is removed after the tests of the file. Its name is a strange one. */
export function folder(files: Record<string, string | Buffer> = {}): string {
  const path = join(mkdtempSync(join(tmpdir(), 'ns-vscode-')), `a b'"%20 ü`);
  mkdirSync(path);
  after(() => rmSync(dirname(path), { recursive: true, force: true }));
  write(path, files);
  return path;
}

/** Writes files below a directory. */
export function write(top: string, files: Record<string, string | Buffer>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    writeFileSync(join(top, path), content);
  }
}

/** Runs `ns` as the extension does. */
export function ns(args: readonly string[], cwd: string, input?: Buffer): Promise<Ended> {
  const more = input === undefined ? {} : { input };
  return run({ program: NS, args, cwd, timeoutMs: 60_000, maxBytes: 64 * 1024 * 1024, ...more });
}
