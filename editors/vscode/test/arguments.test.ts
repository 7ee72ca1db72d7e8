import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { allOptions, isOfActiveFile, optionsAt, planArguments, runArguments, variableProblem, type Written } from '../src/arguments';
import { folder, ns, STRANGE } from './support';

const NOTHING: Written = { sandbox: '', policy: '', lib: [], strict: false };

test('the sandbox is the folder, or the directory of a script outside of one', () => {
  const at = (written: Partial<Written>, file: string | undefined, folder: string | undefined) =>
    optionsAt({ ...NOTHING, ...written }, { file, folder, home: '/home/me' });
  assert.equal(at({}, '/w/a/b.ns', '/w')?.sandbox, '/w');
  assert.equal(at({}, '/x/b.ns', undefined)?.sandbox, '/x');
  assert.equal(at({}, undefined, undefined), undefined);
  assert.equal(at({ sandbox: 'data' }, '/w/a/b.ns', '/w')?.sandbox, '/w/data');
  assert.equal(at({ sandbox: '${fileDirname}' }, '/w/a/b.ns', '/w')?.sandbox, '/w/a');
  assert.equal(at({ sandbox: '${workspaceFolder}/out' }, '/w/a/b.ns', '/w')?.sandbox, '/w/out');
  assert.equal(at({ sandbox: '~/data' }, undefined, '/w')?.sandbox, '/home/me/data');
  const all = at({ policy: 'p.toml', lib: ['lib', '', '/other'], strict: true }, '/w/b.ns', '/w');
  assert.deepEqual(all, { sandbox: '/w', policy: '/w/p.toml', lib: ['/w/lib', '/other'], strict: true });
  // The name of a folder is text, not a pattern of replacement.
  assert.equal(at({ sandbox: '${fileDirname}' }, "/w/$&$'/b.ns", '/w')?.sandbox, "/w/$&$'");
});

test('the sandbox of a task is that of the script, also where VS Code puts its path in', () => {
  const sandbox = (written: string, file: string) => optionsAt({ ...NOTHING, sandbox: written }, { file, folder: '/w', home: '/h' })?.sandbox;
  assert.equal(sandbox('${fileDirname}', '/w/a/b.ns'), '/w/a');
  assert.equal(sandbox('${fileDirname}', '${file}'), '${fileDirname}');
  assert.equal(sandbox('${fileDirname}/out', '${file}'), '${fileDirname}/out');
  assert.equal(sandbox('${fileDirname}', '${fileDirname}/b.ns'), '${fileDirname}');
  assert.equal(sandbox('', '${file}'), '/w');
  assert.equal(sandbox('out', '${file}'), '/w/out');
  // VS Code replaces `${fileDirname}` by the directory of the active file, whichever file the task is about.
  assert.deepEqual(['${file}', '${relativeFile}', '${fileDirname}/b.ns', '${input:script}', '/w/b.ns'].map(isOfActiveFile), [true, true, true, false, false]);
});

test('a text in which VS Code would replace a variable is named', () => {
  assert.equal(variableProblem(['/w/$HOME/a.ns', 'a}b{']), undefined);
  assert.match(variableProblem(['/w', '/w/${command:x}.ns']) ?? '', /^`\/w\/\$\{command:x\}\.ns` contains/);
});

test('a script with any name and any words runs', async () => {
  for (const name of STRANGE) {
    const file = `${name}.ns`;
    const top = folder({ [file]: 'EMIT ARGS\nFOR EACH f IN FS.Find(".") DO\n  EMIT f.path\nEND\n' });
    const options = optionsAt(NOTHING, { file: join(top, file), folder: top, home: '/' });
    assert.ok(options !== undefined);
    const ended = await ns(runArguments(options, { file: join(top, file), words: [name, '--plan'] }), top);
    assert.equal(ended.code, 0, ended.stderr);
    const [words, path] = ended.stdout.toString().split('\n');
    assert.ok(words?.endsWith(', "--plan"]'), words);
    assert.equal(path, file);
  }
});

test('the arguments of a plan', () => {
  const options = { sandbox: '/s', policy: '/p', lib: ['/l'], strict: true };
  assert.deepEqual(allOptions(options), ['--sandbox', '/s', '--policy', '/p', '--lib', '/l', '--strict']);
  const args = planArguments(options, { file: '/s/a.ns', procedure: 'Main', readOnly: true });
  assert.deepEqual(args, ['run', '--plan=json', ...allOptions(options), '--read-only', '--proc', 'Main', '/s/a.ns']);
});
