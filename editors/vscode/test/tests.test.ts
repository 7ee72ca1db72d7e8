import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { findCases } from '../src/tests/discover';
import { errorPlace, firstLine, linesOfRow, parseReport, safe, sidesOf, type Row } from '../src/tests/report';
import { selectToRun, selectToUpdate, type Case } from '../src/tests/select';
import { folder, ns, write } from './support';

async function report(top: string, paths: readonly string[] = [top]): Promise<Row[]> {
  const ended = await ns(['test', '--format', 'json', ...paths], top);
  assert.ok(ended.code === 0 || ended.code === 5, ended.stderr);
  return parseReport(ended.stdout);
}

test('the explorer finds the cases that `ns test` runs', async () => {
  const top = folder({
    'a.ns': 'EMIT 1\n', 'a.out': '1\n', 'a.two.out': '1\n', 'a.two.args': '',
    'a.b.ns': 'EMIT 2\n', 'a.b.out': '2\n', 'a.b.c.out': '2\n',
    'bare.ns': 'EMIT 3\n', 'bare.txt': '',
    'only.ns': '', 'only.err': '', 'only.out': '',
    // Set-ups of cases, in which nothing is a test.
    'a/x.ns': 'EMIT 1\n', 'a/x.out': '1\n', 'a.two/x.ns': 'EMIT 1\n', 'a.two/x.out': '',
    'deep/er/a b\'"%20ü.ns': 'EMIT 4\n', 'deep/er/a b\'"%20ü.out': '4\n',
    '.hidden/x.ns': 'EMIT 1\n', '.hidden/x.out': '1\n',
    'node_modules/x.ns': 'EMIT 1\n', 'node_modules/x.out': '1\n',
    'text.ns.txt': 'EMIT 1\n', 'text.ns.out': '1\n',
    'sub/-x.ns': 'EMIT 1\n', 'sub/-x.out': '1\n',
  });
  mkdirSync(join(top, 'directory.ns'));
  symlinkSync('deep', join(top, 'linked'));
  const found = await findCases(top);
  assert.equal(found.isCut, false);
  const listed = found.scripts.flatMap((script) => script.cases.map((name) => `${script.path} ${name}`)).sort();
  const run = (await report(top)).map((row) => `${row.script.slice(top.length + 1)} ${row.name}`).sort();
  assert.deepEqual(listed, run);
  assert.equal(listed.length, 8);
});

test('the search ends at its bounds and says so', async () => {
  const top = folder({ 'a.ns': '', 'a.out': '', 'b.ns': '', 'b.out': '', 'c/d.ns': '', 'c/d.out': '' });
  assert.equal((await findCases(top, { entries: 3, scripts: 10 })).isCut, true);
  assert.equal((await findCases(top, { entries: 100, scripts: 1 })).isCut, true);
  assert.equal((await findCases(top, { entries: 100, scripts: 3 })).isCut, false);
  assert.deepEqual(await findCases(join(top, 'none')), { scripts: [], isCut: false });
});

test('one case of one script runs by its name', async () => {
  const top = folder({ 'a.ns': 'EMIT 1\n', 'a.out': '1\n', 'a.two.out': '2\n', '-x.ns': 'EMIT 1\n', '-x.out': '1\n', '-x.y.out': '1\n' });
  const run = async (script: string, name: string): Promise<string[]> => {
    const [part, ...others] = selectToRun([{ script: join(top, script), name }]).parts;
    assert.equal(others.length, 0);
    const rows = await report(top, part?.args);
    assert.ok(rows.every((row) => row.script === join(top, script)));
    return rows.map((row) => `${row.name} ${row.status}`);
  };
  assert.deepEqual(await run('a.ns', 'a.two'), ['a.two failed']);
  assert.deepEqual(await run('-x.ns', '-x.y'), ['-x.y passed']);
});

test('an update writes the selected cases and no others', async () => {
  const files = {
    'a.ns': 'EMIT 1\n', 'a.out': 'old\n', 'a.b.out': 'old\n', 'a.b.c.out': 'old\n', 'a.d.out': 'old\n',
    'b.ns': 'EMIT 1\n', 'b.out': 'old\n',
    '-x.ns': 'EMIT 1\n', '-x.out': 'old\n', '-x.y.out': 'old\n',
  };
  const update = async (...names: string[]): Promise<{ written: string[]; refused: string[] }> => {
    const top = folder(files);
    const scriptOf = (name: string): string => join(top, `${name.split('.')[0]}.ns`);
    const cases: Case[] = names.map((name) => ({ script: scriptOf(name), name }));
    const { parts, refused } = await selectToUpdate(cases);
    for (const part of parts) await report(top, ['--update', ...part.args]);
    const written = Object.keys(files).filter((file) => file.endsWith('.out') && readFileSync(join(top, file), 'utf8') === '1\n');
    return { written, refused: refused.map(({ of, reason }) => `${of.name}: ${/those of (.*);/.exec(reason)?.[1]}`) };
  };
  assert.deepEqual(await update('a'), { written: [], refused: ['a: `a.b`, `a.b.c`, `a.d`'] });
  assert.deepEqual(await update('a', 'b'), { written: ['b.out'], refused: ['a: `a.b`, `a.b.c`, `a.d`'] });
  assert.deepEqual(await update('a.b', 'a.d'), { written: ['a.d.out'], refused: ['a.b: `a.b.c`'] });
  // Each start writes selected cases only, although `a.b` alone stands for `a.b.c` too.
  assert.deepEqual(await update('a.b', 'a.b.c'), { written: ['a.b.out', 'a.b.c.out'], refused: [] });
  assert.deepEqual(await update('a', 'a.b', 'a.b.c', 'a.d'), { written: ['a.out', 'a.b.out', 'a.b.c.out', 'a.d.out'], refused: [] });
  assert.deepEqual(await update('-x.y'), { written: ['-x.y.out'], refused: [] });
});

test('a difference has both texts and its place', async () => {
  const golden = Array.from({ length: 40 }, (_, index) => `line ${index}`);
  const actual = golden.map((line, index) => (index === 20 ? 'other' : line)).filter((_, index) => index !== 30);
  const top = folder({
    'long.ns': `EMIT STR.Join(${JSON.stringify(actual)}, "\\n")\n`, 'long.out': `${golden.join('\n')}\n`,
    'fails.ns': 'EMIT 1\nFAIL "no"\n', 'fails.out': '1\n',
    'sub/empty.ns': 'EMIT 1\n', 'sub/empty.out': '',
    'end.ns': 'EMIT "a"\n', 'end.out': 'a',
  });
  const rows = new Map((await report(top)).map((row) => [row.name, row]));
  const long = rows.get('long')?.differences[0];
  assert.ok(long);
  assert.deepEqual(sidesOf(long.diff, `${golden.join('\n')}\n`), { expected: `${golden.join('\n')}\n`, actual: `${actual.join('\n')}\n` });
  assert.equal(firstLine(long.diff), 21);
  const fails = rows.get('fails')?.differences[0];
  assert.equal(fails?.of, 'standard error');
  assert.deepEqual(errorPlace(fails?.diff ?? ''), { file: 'fails.ns', line: 2, column: 1 });
  const empty = rows.get('empty')?.differences[0];
  assert.deepEqual(sidesOf(empty?.diff ?? '', ''), { expected: '', actual: '1\n' });
  assert.equal(firstLine(empty?.diff ?? ''), 1);
  const end = rows.get('end')?.differences[0];
  assert.deepEqual(sidesOf(end?.diff ?? '', 'a'), { expected: 'a', actual: 'a\n' });
});

test('the actual text of random outputs is the one that the script prints', async () => {
  let seed = 7;
  const random = (below: number): number => (seed = (seed * 48271) % 2147483647) % below;
  const text = (): string => Array.from({ length: random(60) }, () => `${'abc'.slice(0, random(4))}\n`).join('');
  const top = folder();
  const cases = Array.from({ length: 60 }, (_, index) => ({ name: `case${index}`, golden: text(), actual: text() }));
  for (const { name, golden, actual } of cases) {
    // The last line end is the one of EMIT.
    const script = actual === '' ? '' : `EMIT ${JSON.stringify(actual.slice(0, -1))}\n`;
    write(top, { [`${name}.ns`]: script, [`${name}.out`]: golden });
  }
  const rows = new Map((await report(top)).map((row) => [row.name, row]));
  let compared = 0;
  for (const { name, golden, actual } of cases) {
    const diff = rows.get(name)?.differences[0]?.diff;
    if (diff === undefined) {
      assert.equal(golden, actual);
      continue;
    }
    assert.deepEqual(sidesOf(diff, golden), { expected: golden, actual }, `${name}\n${diff}`);
    compared += 1;
  }
  assert.ok(compared > 40);
});

test('where the golden file is another text, the hunks are shown', () => {
  const diff = '@@ -1,2 +1,2 @@\n at [time]\n-one\n+two\n@@ -9 +9 @@\n-x\n+y\n';
  assert.deepEqual(sidesOf(diff, 'at 12:00\none\n'), { expected: 'at [time]\none\n…\nx\n', actual: 'at [time]\ntwo\n…\ny\n' });
  const cut = '@@ -1 +1,2 @@\n-one\n+two\n@@ 50 further lines @@\n';
  assert.equal(sidesOf(cut, 'one\n').actual, 'two\n…\n');
});

test('a report that is none gets a message, and control characters do not reach a terminal', () => {
  for (const text of ['', 'x', 'null', '{}', '{"cases":[{}]}', '{"cases":[{"name":"a","script":"b","status":"new"}]}']) {
    assert.throws(() => parseReport(Buffer.from(text)), (error: Error) => error.constructor === Error && error.message !== '', text);
  }
  assert.equal(safe('a\u001b[31m\r\tb\u202e'), 'a\ufffd[31m\ufffd\tb\ufffd');
  const row: Row = { name: 'a', script: '/x/a.ns', status: 'failed', seconds: 0, fault: undefined, differences: [{ of: 'standard output', file: 'a.out', diff: '@@ -1 +1 @@\n-\u001b]0;x\u0007\n+b\n' }] };
  const lines = linesOfRow(row, `${dirname('sub/a')}/`, () => true);
  assert.equal(lines[1], '  standard output differs from sub/a.out:');
  assert.equal(linesOfRow(row, 'sub/', () => false)[1], '  standard output differs from nothing in sub/a.ns:');
  assert.ok(lines.every((line) => !/[\u0000-\u001f]/.test(line)));
});
