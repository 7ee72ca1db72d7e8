import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findProgram, type Search } from '../src/program';
import { folder, NS, write } from './support';

/** A folder with a program `ns` of a given version in each of the named directories. */
function withPrograms(directories: Record<string, string>): string {
  const top = folder();
  for (const [directory, version] of Object.entries(directories)) {
    write(top, { [`${directory}/ns`]: `#!/bin/sh\necho ns ${version}\n` });
    chmodSync(join(top, directory, 'ns'), 0o755);
  }
  return top;
}

function search(top: string, more: Partial<Search>): Search {
  return { setting: '', base: top, home: join(top, 'home'), extension: join(top, 'extension'), path: '', platform: 'linux', ...more };
}

test('the setting is first, then the program of the extension, then PATH', async () => {
  const top = withPrograms({ mine: '1.0.0', 'extension/bin': '2.0.0', first: '3.0.0', second: '4.0.0', 'home/bin': '5.0.0' });
  const path = `${join(top, 'none')}:${join(top, 'first')}:${join(top, 'second')}`;
  const found = async (more: Partial<Search>): Promise<unknown> => findProgram(search(top, { path, ...more }));
  assert.deepEqual(await found({ setting: 'mine/ns' }), { path: join(top, 'mine/ns'), source: 'setting', version: '1.0.0' });
  assert.deepEqual(await found({ setting: '~/bin/ns' }), { path: join(top, 'home/bin/ns'), source: 'setting', version: '5.0.0' });
  assert.deepEqual(await found({}), { path: join(top, 'extension/bin/ns'), source: 'extension', version: '2.0.0' });
  assert.deepEqual(await found({ extension: top }), { path: join(top, 'first/ns'), source: 'PATH', version: '3.0.0' });
});

test('a relative entry of PATH chooses nothing', async () => {
  const top = withPrograms({ bin: '6.6.6' });
  const before = process.cwd();
  process.chdir(top);
  try {
    for (const path of ['bin', './bin', '', '.:bin', undefined]) {
      const found = await findProgram(search(top, { path }));
      assert.ok('problem' in found && found.problem.includes('cargo install'), JSON.stringify(found));
    }
  } finally {
    process.chdir(before);
  }
});

test('a setting that leads nowhere is reported, and nothing else is taken', async () => {
  const top = withPrograms({ 'extension/bin': '2.0.0' });
  write(top, { text: 'no program' });
  mkdirSync(join(top, 'directory'));
  for (const setting of ['none', 'text', 'directory', '/none/ns', '~/none']) {
    const found = await findProgram(search(top, { setting, path: join(top, 'extension/bin') }));
    assert.ok('problem' in found && found.problem.includes('neuroscript.path'), JSON.stringify(found));
  }
  const found = await findProgram(search(top, { setting: 'ns', base: undefined }));
  assert.ok('problem' in found && found.problem.includes('no folder is open'));
});

test('another program of the name is not taken for ns', async () => {
  const top = folder({ 'bin/ns': '#!/bin/sh\necho "network simulator 3"\n', 'slow/ns': '#!/bin/sh\nyes\n' });
  for (const directory of ['bin', 'slow']) {
    chmodSync(join(top, directory, 'ns'), 0o755);
    const found = await findProgram(search(top, { path: join(top, directory) }));
    assert.ok('problem' in found && found.problem.includes('--version'), JSON.stringify(found));
  }
});

test('the real program is found behind a link on PATH', async () => {
  const top = folder();
  symlinkSync(NS, join(top, 'ns'));
  const found = await findProgram(search(top, { path: top }));
  assert.ok('version' in found, JSON.stringify(found));
  assert.match(found.version, /^\d+\.\d+\.\d+/);
});
