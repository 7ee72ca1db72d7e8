import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { planArguments, type Options } from '../src/arguments';
import { after, before, MOST_BYTES, textOf } from '../src/plan/contents';
import { parsePlan, type Change, type Plan } from '../src/plan/form';
import { hasDifference, summary, treeOf, wordsOf, type Node } from '../src/plan/tree';
import { folder, ns } from './support';

const SCRIPT = `MUST CALL FS.WriteFile("notes.txt", "one\\n2\\n")
MUST CALL FS.CreateDirectory("new")
MUST CALL FS.MoveFile("old name.txt", "new/größe 100%.txt")
MUST CALL FS.MoveFile("moved", "elsewhere")
MUST CALL FS.WriteFile("elsewhere/in it.txt", "after\\n")
MUST CALL FS.WriteFile("log/today.txt", "done\\n")
MUST CALL FS.DeleteFile("gone", recursive: true)
MUST CALL FS.SetPermissions("run.sh", "755")
EMIT "planned"
`;

const FILES = {
  'plan it.ns': SCRIPT,
  'notes.txt': 'one\ntwo\n',
  'old name.txt': 'kept\n',
  'moved/in it.txt': 'before\n',
  'moved/other.txt': 'other\n',
  'gone/a.txt': 'abc',
  'gone/b/c.txt': 'd',
  'run.sh': '#!/bin/sh\n',
};

function optionsOf(sandbox: string): Options {
  return { sandbox, policy: undefined, lib: [], strict: false };
}

async function planOf(top: string, script: string): Promise<Plan> {
  const ended = await ns(planArguments(optionsOf(top), { file: join(top, script) }), top);
  assert.equal(ended.end, 'exited');
  return parsePlan(ended.stdout);
}

function at(plan: Plan, path: string): Change {
  const found = plan.changes.find((change) => change.path === path);
  assert.ok(found, `${path} is not in ${plan.changes.map((change) => change.path).join(', ')}`);
  return found;
}

test('a plan shows each file before and after, is applied as it was printed, and can be undone', async () => {
  const top = folder(FILES);
  const plan = await planOf(top, 'plan it.ns');
  assert.equal(plan.failed, false);
  const sides = async (path: string): Promise<string[]> => [await before(at(plan, path), top), await after(at(plan, path), top)];
  assert.deepEqual(await sides('notes.txt'), ['one\ntwo\n', 'one\n2\n']);
  assert.deepEqual(await sides('new/größe 100%.txt'), ['kept\n', 'kept\n']);
  assert.deepEqual(await sides('elsewhere/in it.txt'), ['before\n', 'after\n']);
  assert.deepEqual(await sides('log/today.txt'), ['', 'done\n']);
  const [mode, newMode] = await sides('run.sh');
  assert.match(mode ?? '', /^mode 0644\n/);
  assert.match(newMode ?? '', /^mode 0755\n/);

  const shown = lines(treeOf(plan));
  assert.deepEqual(shown, [
    'elsewhere: moved from moved',
    '  in it.txt: changed',
    'gone: deleted with 2 files (4 bytes)',
    'log: created',
    '  today.txt: created',
    'new: created',
    '  größe 100%.txt: moved from old name.txt',
    'notes.txt: changed',
    'run.sh: 0644 → 0755',
  ]);
  assert.equal(summary(plan), '3 created, 2 changed, 1 with another mode or time, 2 moved, 1 deleted');
  assert.equal(readFileSync(join(top, 'notes.txt'), 'utf8'), 'one\ntwo\n');

  const applied = await ns(['apply', '-', '--sandbox', top], top, plan.bytes);
  assert.equal(applied.code, 0, applied.stderr);
  assert.ok(!applied.stderr.includes('warning'), applied.stderr);
  assert.equal(readFileSync(join(top, 'elsewhere/in it.txt'), 'utf8'), 'after\n');
  assert.ok(!existsSync(join(top, 'gone')));
  const run = /`ns undo ([0-9a-f]+)`/.exec(applied.stderr)?.[1];
  assert.ok(run, applied.stderr);
  assert.equal((await ns(['undo', run, '--sandbox', top], top)).code, 0);
  assert.equal(readFileSync(join(top, 'gone/b/c.txt'), 'utf8'), 'd');
});

test('a deleted file shows what it was, and an applied plan is refused when the file changed', async () => {
  const top = folder({ 'a.ns': 'MUST CALL FS.DeleteFile("a.txt")\n', 'a.txt': 'gone\n' });
  const plan = await planOf(top, 'a.ns');
  assert.equal(await before(at(plan, 'a.txt'), top), 'gone\n');
  assert.equal(await after(at(plan, 'a.txt'), top), '');
  execFileSync('sh', ['-c', 'echo other > a.txt'], { cwd: top });
  const applied = await ns(['apply', '-', '--sandbox', top], top, plan.bytes);
  assert.equal(applied.code, 1);
  assert.match(applied.stderr, /a\.txt/);
});

test('a run that fails gives a plan that says so, with the refused calls', async () => {
  const top = folder({ 'a.ns': 'MUST CALL FS.WriteFile("x", "1")\nSET r = FS.WriteFile("../out", "1")\nFAIL r.error\n' });
  const plan = await planOf(top, 'a.ns');
  assert.equal(plan.failed, true);
  assert.equal(plan.refused.length, 1);
  assert.match(plan.refused[0] ?? '', /^FS\.WriteFile: .*\.\.\/out/);
});

test('what is no text is named, not shown', async () => {
  const script = 'MUST CALL FS.CopyFile("binary", "copy")\nMUST CALL FS.DeleteFile("large")\nMUST CALL FS.DeleteFile("link")\n';
  const top = folder({ 'a.ns': script, binary: Buffer.from([0, 255, 1]), large: Buffer.alloc(MOST_BYTES + 1, 'x') });
  symlinkSync('binary', join(top, 'link'));
  const plan = await planOf(top, 'a.ns');
  assert.equal(await after(at(plan, 'copy'), top), '(no text: 3 bytes)\n');
  assert.equal(await before(at(plan, 'large'), top), `(too large to show: ${MOST_BYTES + 1} bytes)\n`);
  assert.equal(await before(at(plan, 'link'), top), '(link to binary)\n');
  assert.equal(textOf(Buffer.from([0xc3, 0x28])), '(no text: 2 bytes)\n');
  assert.equal(textOf(Buffer.from('\ufeffä')), '\ufeffä');
});

test('a path of a plan cannot make the editor read elsewhere, or wait', async () => {
  const outside = folder({ secret: 'secret' });
  const top = folder({ 'a.txt': 'a' });
  symlinkSync(outside, join(top, 'way'));
  execFileSync('mkfifo', [join(top, 'pipe')]);
  mkdirSync(join(top, 'directory'));
  const read = (path: string): Promise<string> => before({ ...EMPTY, path }, top);
  assert.equal(await read('a.txt'), 'a');
  assert.equal(await read('way/secret'), '(outside the sandbox)\n');
  assert.equal(await read(`../../${outside.slice(dirname(dirname(outside)).length + 1)}/secret`), '(outside the sandbox)\n');
  assert.equal(await read('pipe'), '(no regular file)\n');
  assert.equal(await read('directory'), '(no regular file)\n');
  assert.equal(await read('none'), '(cannot be read: ENOENT)\n');
  assert.equal(await read('a\0b'), '(cannot be read: ERR_INVALID_ARG_VALUE)\n');
});

test('an absolute path of a plan is read below a further root, and only a regular file', async () => {
  const root = folder({ 'a.txt': 'a' });
  const top = folder();
  symlinkSync('a.txt', join(root, 'link'));
  const read = (path: string): Promise<string> => before({ ...EMPTY, path: join(root, path) }, top);
  assert.equal(await read('a.txt'), 'a');
  assert.equal(await read('link'), '(link to a.txt)\n');
  assert.equal(await read('.'), '(no regular file)\n');
  assert.equal(await read('none'), '(cannot be read: ENOENT)\n');
});

test('a time that JavaScript has no date for is shown in seconds', async () => {
  const shown = (seconds: number): Promise<string> =>
    before({ ...EMPTY, action: 'mode', was: { kind: 'file', size: 0, mode: 0o644, modified: [seconds, 0] } }, '/');
  assert.equal(await shown(0), 'mode 0644\nmodified 1970-01-01T00:00:00.000Z\n');
  assert.equal(await shown(9e12), 'mode 0644\nmodified 9000000000000 s after 1970\n');
});

test('output that is no plan gets a message', () => {
  const faulty = ['', 'x', '[]', 'null', '{}', '{"plan":2}', '{"plan":1,"changes":[]}', '{"plan":1,"command":"","changes":[{}]}', '{"plan":1,"command":"","changes":[{"path":"a","change":"new"}]}'];
  for (const text of faulty) {
    assert.throws(() => parsePlan(Buffer.from(text)), (error: Error) => error.constructor === Error && error.message !== '', text);
  }
});

const EMPTY: Change = { path: '', action: 'deleted', was: undefined, now: undefined, content: undefined, from: undefined, origin: undefined, holds: undefined };

function lines(nodes: readonly Node[], indent = ''): string[] {
  return nodes.flatMap((node) => {
    const words = node.change === undefined ? '' : `: ${wordsOf(node.change)}`;
    if (node.change !== undefined && node.change.action === 'deleted') assert.equal(hasDifference(node.change), node.change.holds === undefined);
    return [`${indent}${node.name}${words}`, ...lines(node.children, `${indent}  `)];
  });
}
