// Scenes that are played in a real VS Code: `node scenes.mjs PACKAGE PACKAGE-WITHOUT-NS PICTURES [NAME…]`. `run` installs
// the programs. Without names all scenes are played. A picture of a scene that fails is left in PICTURES.

import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Editor } from './editor.mjs';

const [, , packed, bare, pictures, ...names] = process.argv;
// An exit ends code-server as well; a signal alone would leave it behind.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

const TIDY = `DEFINE PROCEDURE Tidy(folder)
  FOR EACH file IN FS.Find(folder, "*.txt") DO
    MUST CALL FS.MoveFile(file.path, "done/" + file.name)
  END
END

MUST CALL FS.CreateDirectory("done")
CALL Tidy("inbox")
MUST CALL FS.WriteFile("report.md", "# Report\\n\\nTidied.\\n")
MUST CALL FS.DeleteFile("old.log")
EMIT "tidied"
`;

const FILES = {
  'tidy.ns': TIDY,
  'inbox/a b.txt': 'a\n',
  'inbox/größe 100%.txt': 'b\n',
  'report.md': '# Report\n\nNothing yet.\n',
  'old.log': 'old\n',
  'faulty.ns': 'SET folder = 1\nEMIT foldr\n',
  'repair.ns': 'SET unused = 1\nEMIT 1\n',
  'write.ns': '',
  'format.ns': 'if  true then\nEMIT   1\nend\n',
  'fails.ns': 'EMIT "before"\nFAIL "no reason"\n',
  'words.ns': 'EMIT ARGS\n',
  'debug.ns': 'SET total = 1\nMUST CALL FS.WriteFile("made.txt", "one\\n")\nMUST CALL FS.WriteFile("made.txt", "two\\n")\nSET total = total + 1\nEMIT total\n',
  'tests/good.ns': 'EMIT "good"\n',
  'tests/good.out': 'good\n',
  "tests/it's bad.ns": 'EMIT "one"\nEMIT "two"\n',
  "tests/it's bad.out": 'one\n2\n',
  "tests/it's bad.empty.out": 'one\ntwo\n',
  'tests/raises.ns': 'EMIT 1\nFAIL "no"\n',
  'tests/raises.out': '1\n',
  'page.md': '# Page\n\n```neuroscript\nEMIT nothing\n```\n',
};

/** Sets a setting of the folder. */
function setSetting(key, value) {
  mkdirSync(join(folder, '.vscode'), { recursive: true });
  writeFileSync(join(folder, '.vscode/settings.json'), JSON.stringify({ [key]: value }));
}

/** Writes the files of the folder anew. */
function fresh(top, files = FILES) {
  // The directory itself stays, because a server has it open.
  mkdirSync(top, { recursive: true });
  for (const name of readdirSync(top)) rmSync(join(top, name), { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    writeFileSync(join(top, path), content);
  }
  return top;
}

const home = mkdtempSync(join(tmpdir(), 'ns-vscode-'));
const folder = join(home, `a b'"%20 ü`);

/** The texts of the item of `ns` in the status bar. */
const status = (editor) => editor.texts('#neuroscript\\.neuroscript\\.neuroscript\\.status, [id*="neuroscript.status"]');
/** The lines of the view of the plan. */
const planLines = (editor) =>
  editor.page.locator('.sidebar .customview-tree .monaco-list-row').evaluateAll((all) => all.map((row) => row.querySelector('.monaco-icon-label-container')?.textContent ?? ''));
const problems = (editor) => editor.texts('.markers-panel .monaco-list-row');
const terminal = async (editor) => (await editor.texts('.terminal-wrapper.active .xterm-rows > div')).join('\n');
/** Waits until the debugger shows a variable with a value. */
const shows = (editor, name, value) =>
  editor.until(`${name} = ${value}`, async () => {
    const collapsed = editor.page.locator('.debug-variables .monaco-list-row[aria-expanded=false]', { hasText: 'Variables' });
    if ((await collapsed.count()) > 0) await collapsed.locator('.monaco-tl-twistie').click();
    return (await editor.texts('.debug-variables .monaco-list-row')).some((text) => new RegExp(`^${name}\\s*[:=]?\\s*=?\\s*${value}$`).test(text.trim()));
  });
const tests = (editor) => editor.page.locator('.test-explorer .monaco-list-row');

/**
 * Runs a task and waits for the problems that its matcher finds. VS Code sometimes misses the output of a short task
 * (microsoft/vscode#184523), so the task has three tries.
 */
async function matched(attempt) {
  for (let turn = 1; ; turn += 1) {
    try {
      return await attempt(15_000);
    } catch (error) {
      if (turn === 3) throw error;
      console.log(`    once more: ${error.message.split('\n')[0]}`);
    }
  }
}

const scenes = {
  async 'the program of the package, and findings'(editor) {
    await editor.file('faulty.ns');
    await editor.until('the status', async () => (await status(editor)).some((text) => /ns \d+\.\d+\.\d+: a b'"%20 ü/.test(text)));
    await editor.command('Problems: Focus on Problems View');
    await editor.until('the finding', async () => (await problems(editor)).some((text) => text.includes('nothing sets `foldr`')));
    await editor.until('the code', async () => (await problems(editor)).some((text) => text.includes('NS0101')));
  },

  async 'the page of a code'(editor) {
    await editor.file('faulty.ns');
    await editor.command('Problems: Focus on Problems View');
    await editor.page.locator('.markers-panel .monaco-list-row a', { hasText: 'NS0101' }).first().click();
    await editor.until('the page', async () => (await editor.text()).startsWith('# NS0101: a name that nothing sets'));
    await editor.command('View: Close Editor');
  },

  async 'a repair of a finding'(editor) {
    await editor.file('repair.ns');
    await editor.until('the finding', async () => (await editor.page.locator('.squiggly-warning, .squiggly-unnecessary').count()) > 0);
    await editor.goto(1, 6);
    await editor.press('Control+.');
    await editor.page.locator('.action-widget .monaco-list-row.action').first().waitFor();
    await editor.press('Enter');
    await editor.until('the repair', async () => !(await editor.text()).includes('unused'));
    await editor.press('Control+s');
  },

  async 'a server that ends is started again'(editor) {
    await editor.file('faulty.ns');
    const [server] = await editor.until('one server', () => (processesOf(editor).length === 1 ? processesOf(editor) : undefined));
    process.kill(Number(server), 'SIGKILL');
    await editor.until('another server', () => processesOf(editor).some((id) => id !== server));
    await editor.goto(2, 1);
    await editor.type('EMIT othr');
    await editor.press('Escape', 'Enter');
    await editor.command('Problems: Focus on Problems View');
    await editor.until('its finding', async () => (await problems(editor)).some((text) => text.includes('nothing sets `othr`')));
    await editor.file('faulty.ns');
    await editor.press('Control+z', 'Control+z', 'Control+z');
    await editor.command('File: Revert File');
    assert.deepEqual(await editor.notifications(), []);
  },

  async 'completion and a snippet'(editor) {
    await editor.file('write.ns');
    await editor.type('SET files = FS.Fin');
    await editor.see('.suggest-widget .monaco-list-row', 'Find');
    await editor.press('Escape', 'Control+a', 'Delete');
    await editor.type('forfile');
    await editor.see('.suggest-widget .monaco-list-row', 'forfile');
    await editor.press('Tab');
    await editor.until('the snippet', async () => (await editor.text()).includes('FOR EACH file IN FS.Find(".", "*.txt") DO'));
    await editor.press('Escape', 'Control+a', 'Delete');
  },

  async 'indentation while typing'(editor) {
    await editor.file('write.ns');
    await editor.press('Control+a', 'Delete');
    for (const line of ['IF true THEN', 'EMIT 1', 'ELSE', 'WHILE false DO', 'BREAK', 'END', 'END', 'EMIT 2']) {
      // VS Code indents only lines that it has looked at, which takes it a moment after a change.
      await sleep(300);
      await editor.type(line);
      await sleep(300);
      await editor.press('Escape', 'Enter');
    }
    const wanted = 'IF true THEN\n  EMIT 1\nELSE\n  WHILE false DO\n    BREAK\n  END\nEND\nEMIT 2';
    assert.equal((await editor.text()).trimEnd(), wanted);
    await editor.press('Control+a', 'Delete', 'Control+s');
  },

  async 'hover'(editor) {
    await editor.file('tidy.ns');
    await editor.goto(2, 23);
    await editor.command('Show or Focus Hover');
    await editor.see('.monaco-hover', 'Finds files in a directory');
    await editor.press('Escape');
  },

  async 'formatting'(editor) {
    await editor.file('format.ns');
    await editor.command('Format Document');
    await editor.until('the form', async () => (await editor.text()).startsWith('if true then\n  emit 1\nend'));
    await editor.press('Control+s');
  },

  async 'rename'(editor) {
    await editor.file('tidy.ns');
    await editor.goto(1, 24);
    await editor.press('F2');
    const input = editor.page.locator('.rename-box input');
    await input.waitFor({ state: 'visible' });
    await input.fill('place');
    await editor.press('Enter');
    await editor.until('the new name', async () => /Tidy\(place\)[\s\S]*FS\.Find\(place,/.test(await editor.text()));
    await editor.press('Control+z');
    await editor.until('the old name', async () => (await editor.text()).includes('FS.Find(folder,'));
    await editor.press('Control+s');
  },

  async 'go to definition and references'(editor) {
    await editor.file('tidy.ns');
    await editor.goto(8, 7);
    await editor.press('F12');
    await editor.until('the definition', async () => (await editor.texts('.editor-statusbar-item, .statusbar-item')).some((text) => text.includes('Ln 1,')));
  },

  async 'findings in Markdown'(editor) {
    await editor.file('page.md');
    await editor.command('Problems: Focus on Problems View');
    await editor.until('the finding', async () => (await problems(editor)).some((text) => text.includes('nothing sets `nothing`')));
  },

  async 'a run in a terminal, and the place of its error'(editor) {
    await editor.file('fails.ns');
    await matched(async (patience) => {
      await editor.command('NeuroScript: Run Script');
      await editor.until('the output', async () => (await terminal(editor)).includes('FAIL "no reason"'));
      await editor.command('Problems: Focus on Problems View');
      await editor.until('the error', async () => (await problems(editor)).some((text) => text.includes('no reason')), patience);
    });
  },

  async 'arguments of a script'(editor) {
    await editor.file('words.ns');
    await editor.command('NeuroScript: Set Arguments of Script…');
    await editor.see('.quick-input-title', 'Arguments of words.ns');
    const input = editor.page.locator('.quick-input-widget input[type=text]').first();
    await input.fill(`one 'two words'`);
    await sleep(300);
    await editor.press('Enter');
    await input.waitFor({ state: 'hidden' });
    await editor.command('NeuroScript: Run Script');
    await editor.until('the output', async () => (await terminal(editor)).includes('["one", "two words"]'));
  },

  async 'a plan, its differences, and its application'(editor) {
    fresh(folder);
    await editor.file('tidy.ns');
    await editor.command('NeuroScript: Plan Script');
    const lines = await editor.until('the plan', async () => {
      const lines = await planLines(editor);
      return lines.length >= 5 ? lines : undefined;
    });
    assert.deepEqual(lines, ['done/created', 'a b.txtmoved from inbox/a b.txt', 'größe 100%.txtmoved from inbox/größe 100%.txt', 'old.logdeleted', 'report.mdchanged']);
    await editor.see('.tab.active', 'Plan of tidy.ns');
    await editor.page.locator('.sidebar .customview-tree .monaco-list-row').filter({ hasText: 'report.md' }).click();
    await editor.see('.tab.active', 'report.md (changed)');
    const sides = await editor.until('both sides', async () => {
      const sides = await editor.texts('.editor-group-container.active .monaco-diff-editor .view-lines');
      return sides.some((text) => text.includes('Nothing yet.')) && sides.some((text) => text.includes('Tidied.')) ? sides : undefined;
    });
    assert.ok(sides);
    assert.equal(readFileSync(join(folder, 'report.md'), 'utf8'), FILES['report.md']);
    await editor.command('NeuroScript: Apply Plan');
    await editor.see('.monaco-dialog-box', 'Apply 5 changes of tidy.ns?');
    await editor.page.locator('.monaco-dialog-box .monaco-button', { hasText: 'Apply' }).click();
    await editor.until('the report', () => readFileSync(join(folder, 'report.md'), 'utf8').includes('Tidied.'));
    assert.ok(existsSync(join(folder, 'done/größe 100%.txt')) && !existsSync(join(folder, 'old.log')));
    await editor.see('.notification-list-item-message', 'done (5 changes)');
  },

  async 'undo of the last run'(editor) {
    await editor.closeNotifications();
    await editor.command('NeuroScript: Undo Last Run');
    await editor.see('.monaco-dialog-box', 'Undo the last run?');
    await editor.see('.monaco-dialog-box', 'ns apply');
    await editor.page.locator('.monaco-dialog-box .monaco-button', { hasText: 'Undo' }).click();
    await editor.until('the end', async () => (await editor.notifications()).some((text) => text.includes('undid')));
    assert.equal(readFileSync(join(folder, 'report.md'), 'utf8'), FILES['report.md']);
    assert.equal(readFileSync(join(folder, 'old.log'), 'utf8'), 'old\n');
    await editor.closeNotifications();
  },

  async 'a plan that is refused because a file changed'(editor) {
    await editor.file('tidy.ns');
    await editor.command('NeuroScript: Plan Script');
    await editor.until('the plan', async () => (await planLines(editor)).length >= 5);
    writeFileSync(join(folder, 'report.md'), 'meanwhile\n');
    await editor.command('NeuroScript: Apply Plan');
    await editor.page.locator('.monaco-dialog-box .monaco-button', { hasText: 'Apply' }).click();
    await editor.until('the refusal', async () => (await editor.notifications()).some((text) => text.includes('report.md')));
    assert.equal(readFileSync(join(folder, 'report.md'), 'utf8'), 'meanwhile\n');
    assert.ok(existsSync(join(folder, 'old.log')));
    await editor.closeNotifications();
    await editor.command('NeuroScript: Close Plan');
    await editor.until('the view is closed', async () => (await planLines(editor)).length === 0);
  },

  async 'the test explorer: all, the failures at their places, one alone'(editor) {
    fresh(folder);
    await editor.command('Testing: Focus on Test Explorer View');
    await editor.until('the tests', async () => (await tests(editor).count()) >= 1);
    await editor.command('Test: Refresh Tests');
    await editor.command('Test: Run All Tests');
    await editor.until('the results', async () => (await editor.texts('.test-explorer')).some((text) => text.includes('2/4')));
    await editor.file("it's bad.ns");
    await editor.command('NeuroScript: Test Script');
    await editor.until('the results of one script', async () => (await editor.texts('.test-explorer')).some((text) => text.includes('1/2')));
    await editor.command('Test: Rerun Failed Tests');
    await editor.until('the failed tests again', async () => (await editor.texts('.test-explorer')).some((text) => text.includes('0/2')));
    await editor.page.locator('.test-output-peek-tree .monaco-list-row', { hasText: 'standard output differs' }).first().click();
    await editor.until('expected and actual', async () => {
      const sides = await editor.texts('.panel .monaco-diff-editor .view-lines');
      return sides.some((text) => /one\s*2/.test(text)) && sides.some((text) => /one\s*two/.test(text));
    });
    await editor.file("it's bad.out");
    await editor.page.getByText('one two != one 2').first().waitFor();
    await editor.press('Escape');
  },

  async 'a script becomes a test'(editor) {
    fresh(folder);
    await editor.file('words.ns');
    await editor.command('NeuroScript: Test Script');
    await editor.see('.notification-list-item-message', 'words.ns has no golden file');
    await editor.page.locator('.notifications-toasts .monaco-button', { hasText: 'Write Golden Files' }).click();
    await editor.until('the golden file', () => existsSync(join(folder, 'words.out')));
    assert.equal(readFileSync(join(folder, 'words.out'), 'utf8'), '[]\n');
    await editor.command('NeuroScript: Test Script');
    await editor.until('the result', async () => (await editor.texts('.test-explorer')).some((text) => text.includes('1/1')));
    writeFileSync(join(folder, 'words.out'), 'other\n');
    await editor.command('NeuroScript: Write Golden Files of Script');
    await editor.until('the golden file again', () => readFileSync(join(folder, 'words.out'), 'utf8') === '[]\n');
    rmSync(join(folder, 'words.out'));
  },

  async 'a task with its problem matcher'(editor) {
    await matched(async (patience) => {
      await editor.press('Escape');
      await editor.command('Tasks: Run Task');
      const input = editor.page.locator('.quick-input-widget input[type=text]').first();
      await input.fill('neuroscript');
      await editor.page.locator('.quick-input-list .monaco-list-row', { hasText: 'neuroscript' }).first().click();
      await editor.page.locator('.quick-input-list .monaco-list-row', { hasText: 'test scripts' }).first().click();
      await editor.until('the output', async () => (await terminal(editor)).includes('2 passed, 2 failed'));
      await editor.file("it's bad.out");
      await editor.page.locator('.editor-group-container.active .squiggly-error').first().waitFor({ timeout: patience });
      await editor.file('raises.ns');
      await editor.page.locator('.editor-group-container.active .squiggly-error').first().waitFor({ timeout: patience });
    });
  },

  async 'debugging: a breakpoint, steps, steps back over changes of files'(editor) {
    const made = join(folder, 'made.txt');
    const content = () => (existsSync(made) ? readFileSync(made, 'utf8') : undefined);
    const line = (number) => editor.until(`line ${number}`, async () => (await editor.texts('.statusbar-item')).some((text) => text.includes(`Ln ${number},`)));
    await editor.file('debug.ns');
    await editor.goto(4, 1);
    await editor.press('F9', 'F5');
    await line(4);
    await editor.page.locator('.statusbar.debugging, .debug-view-content .monaco-list-row').first().waitFor();
    await editor.until('both changes', () => content() === 'two\n');
    await shows(editor, 'total', 1);
    await editor.button('Step Back');
    await line(3);
    await editor.until('the first change alone', () => content() === 'one\n');
    await editor.button('Step Back');
    await line(2);
    await editor.until('no change', () => content() === undefined);
    await editor.button('Step Over');
    await line(3);
    await editor.until('the first change again', () => content() === 'one\n');
    await editor.button('Step Over');
    await line(4);
    await editor.until('both changes again', () => content() === 'two\n');
    await editor.button('Step Over');
    await line(5);
    await shows(editor, 'total', 2);
    await editor.button('Continue');
    await editor.until('the end', async () => (await editor.page.locator('.statusbar.debugging').count()) === 0);
    assert.equal(content(), 'two\n');
  },

  async 'lenses run, plan, test and debug'(editor) {
    await editor.file("it's bad.ns");
    const lenses = () => editor.texts('.codelens-decoration a');
    await editor.until('the lenses', async () => (await lenses()).some((text) => text.includes('Run')));
    await editor.until('all of them', async () => {
      const shown = await lenses();
      return ['Run', 'Plan', 'Debug', 'Test all', "Test it's bad.empty"].every((title) => shown.includes(title));
    });
    await editor.page.locator('.codelens-decoration a', { hasText: 'Run' }).first().click();
    await editor.until('the output', async () => /one\s+two/.test(await terminal(editor)));
  },

  async 'names of parameters as hints'(editor) {
    await editor.file('tidy.ns');
    const shown = async () => (await editor.text()).includes('content:');
    assert.ok(!(await shown()));
    setSetting('neuroscript.inlayHints.parameterNames', true);
    await editor.until('the hints', shown);
    setSetting('neuroscript.inlayHints.parameterNames', false);
    await editor.until('no hints', async () => !(await shown()));
  },
};

/** Scenes that need other windows. */
const apart = {
  async 'picture of a plan'() {
    const top = fresh(join(home, 'letters'), {
      'tidy.ns': ':: description: Files letters by year, and writes an index\n\nDEFINE PROCEDURE Main(inbox: "inbox")\n  SET lines = []\n  FOR EACH letter IN FS.Find(inbox, "*.txt") DO\n    SET year = STR.Sub(letter.name, 0, 4)\n    MUST CALL FS.CreateDirectory(year)\n    MUST CALL FS.MoveFile(letter.path, year + "/" + letter.name)\n    SET lines = lines + ["- " + letter.name]\n  END\n  MUST CALL FS.WriteFile("index.md", "# Letters\\n\\n" + STR.Join(lines, "\\n") + "\\n")\n  MUST CALL FS.DeleteFile("old index.txt")\nEND\n',
      'inbox/2025-03-01 bank.txt': 'Dear customer,\n', 'inbox/2025-11-20 city.txt': 'Your request of October\n', 'inbox/2026-02-14 ana.txt': 'Hello\n',
      'index.md': '# Letters\n\n- 2025-03-01 bank.txt\n', 'old index.txt': 'replaced by index.md\n',
    });
    await withEditor('picture', packed, { 'security.workspace.trust.enabled': false }, async (editor) => {
      await editor.open({ folder: top });
      await editor.file('tidy.ns');
      await editor.until('the status', async () => (await status(editor)).some((text) => text.includes('letters')));
      await editor.command('NeuroScript: Plan Script');
      await editor.until('the plan', async () => (await planLines(editor)).length >= 7);
      await editor.see('.tab.active', 'Plan of tidy.ns');
      await editor.until('the index', async () => (await editor.texts('.editor-group-container.active .view-lines')).some((text) => text.includes('city')));
      await editor.page.mouse.move(800, 760);
      await sleep(1500);
      await editor.picture(join(pictures, 'plan.png'));
    });
  },

  async 'picture of the debugger'() {
    const top = fresh(join(home, 'notes'), {
      'number.ns': 'SET names = []\nFOR EACH i, note IN FS.Find(".", "*.txt") DO\n  SET name = STR.Format("{:02}-{}", [i + 1, note.name])\n  MUST CALL FS.MoveFile(note.path, name)\n  SET names = names + [name]\nEND\nMUST CALL FS.WriteFile("index.md", STR.Join(names, "\\n") + "\\n")\nEMIT LEN(names), " notes"\n',
      'plans.txt': 'plans\n', 'recipes.txt': 'recipes\n', 'words.txt': 'words\n',
    });
    await withEditor('debugger', packed, { 'security.workspace.trust.enabled': false }, async (editor) => {
      await editor.open({ folder: top });
      await editor.file('number.ns');
      await editor.until('the status', async () => (await status(editor)).some((text) => text.includes('notes')));
      await editor.goto(8, 1);
      await editor.press('F9', 'F5');
      await editor.until('the breakpoint', async () => (await editor.texts('.statusbar-item')).some((text) => text.includes('Ln 8,')));
      await editor.until('the index', () => existsSync(join(top, 'index.md')));
      for (let step = 0; step < 2; step += 1) {
        await editor.button('Step Back');
        await sleep(1500);
      }
      await editor.until('the index is gone', () => !existsSync(join(top, 'index.md')));
      await shows(editor, 'name', '"03-words.txt"');
      await editor.page.mouse.move(800, 640);
      await sleep(1500);
      await editor.picture(join(pictures, 'debug.png'));
    });
  },

  async 'a workspace with several folders'() {
    const [first, second] = [fresh(join(home, 'first one'), { 'a.ns': 'MUST CALL FS.WriteFile("made.txt", "1")\n', 'a.out': '' }), fresh(join(home, 'zweites ü'), { 'a.ns': 'MUST CALL FS.WriteFile("made.txt", "2")\n', 'a.out': 'x\n' })];
    const workspace = join(home, 'both.code-workspace');
    writeFileSync(workspace, JSON.stringify({ folders: [{ path: first }, { path: second }] }));
    await withEditor('several', packed, { 'security.workspace.trust.enabled': false }, async (editor) => {
      await editor.open({ workspace });
      await editor.file('zweites ü/a.ns').catch(() => editor.file('a.ns'));
      await editor.until('the sandbox', async () => (await status(editor)).some((text) => /: (zweites ü|first one)$/.test(text.trim())));
      const sandbox = (await status(editor)).some((text) => text.includes('zweites')) ? second : first;
      await editor.command('NeuroScript: Run Script');
      await editor.until('the file', () => existsSync(join(sandbox, 'made.txt')));
      assert.ok(!existsSync(join(sandbox === first ? second : first, 'made.txt')));
      await editor.command('Testing: Focus on Test Explorer View');
      await editor.command('Test: Run All Tests');
      await editor.until('the results', async () => (await editor.texts('.test-explorer')).some((text) => text.includes('1/2')));
      const rows = await tests(editor).evaluateAll((all) => all.map((row) => row.textContent));
      assert.ok(rows.some((text) => text.includes('first one')) && rows.some((text) => text.includes('zweites ü')), rows.join('\n'));
    });
  },

  async 'nothing runs in a workspace without trust'() {
    const top = fresh(join(home, 'stranger'), { 'a.ns': 'EMIT foldr\n', 'evil/ns': `#!/bin/sh\ntouch "$(dirname "$0")/../ran"\necho ns 1.0.0\n` });
    chmodSync(join(top, 'evil/ns'), 0o755);
    mkdirSync(join(top, '.vscode'));
    writeFileSync(join(top, '.vscode/settings.json'), JSON.stringify({ 'neuroscript.path': 'evil/ns', 'neuroscript.sandbox': '/' }));
    const settings = { 'security.workspace.trust.enabled': true, 'security.workspace.trust.startupPrompt': 'never', 'security.workspace.trust.untrustedFiles': 'newWindow' };
    await withEditor('untrusted', packed, settings, async (editor) => {
      await editor.open({ folder: top });
      await editor.file('a.ns');
      await editor.until('the status', async () => (await status(editor)).some((text) => text.includes('restricted')));
      await sleep(1500);
      assert.deepEqual(processesOf(editor), [], 'a server runs');
      assert.ok(!existsSync(join(top, 'ran')), 'the program of the workspace ran');
      await editor.command('Workspaces: Manage Workspace Trust');
      await editor.page.locator('.workspace-trust-editor .monaco-button', { hasText: 'Trust' }).first().click();
      await editor.until('the program of the workspace, once it is trusted', () => existsSync(join(top, 'ran')));
    });
  },

  async 'a missing program is reported with what to do'() {
    const top = fresh(join(home, 'missing program'), { 'a.ns': 'EMIT 1\n' });
    await withEditor('missing', bare, { 'security.workspace.trust.enabled': false }, async (editor) => {
      await editor.open({ folder: top });
      await editor.file('a.ns');
      await editor.until('the message', async () => (await editor.notifications()).some((text) => text.includes('cargo install --path .')));
      await editor.until('the status', async () => (await status(editor)).some((text) => text.includes('ns is missing')));
      await editor.see('.notifications-toasts .monaco-button', 'Choose ns');
    });
  },
};

/** The processes of `ns` below the extensions of an editor. */
function processesOf(editor) {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').startsWith(join(editor.home, 'extensions'));
    } catch {
      return false;
    }
  });
}

/** The last lines that the extension logged. */
function logOf(editor) {
  const logs = join(editor?.home ?? '/none', 'user/logs');
  if (!existsSync(logs)) return [];
  const files = readdirSync(logs, { recursive: true }).filter((name) => name.endsWith('NeuroScript.log'));
  return files.flatMap((name) => readFileSync(join(logs, name), 'utf8').trim().split('\n').slice(-10));
}

/** The editor that is open, for pictures of failures. */
let current;

async function withEditor(name, vsix, settings, work) {
  const own = join(home, name);
  mkdirSync(own);
  // No `ns` of this machine: the one of the package must be found.
  const env = { PATH: '/usr/bin:/bin' };
  const editor = await Editor.start({ home: own, package: vsix, settings, env });
  current = editor;
  try {
    await work(editor);
  } catch (error) {
    await editor.picture(join(pictures, `failed-${failures + 1}.png`)).catch(() => undefined);
    throw error;
  } finally {
    current = undefined;
    await editor.stop();
  }
}

const wanted = (name) => names.length === 0 || names.some((part) => name.includes(part));
let failures = 0;

/** Plays a scene. One that fails leaves a picture, and the next is played. */
async function play(name, scene, editor) {
  try {
    await scene(editor);
    console.log(`ok  ${name}`);
  } catch (error) {
    failures += 1;
    console.log(`FAILED  ${name}: ${error.stack}`);
    for (const line of logOf(current)) console.log(`    ${line}`);
    await current?.picture(join(pictures, `failed-${failures}.png`)).catch(() => undefined);
  }
}

try {
  const own = Object.entries(scenes).filter(([name]) => wanted(name));
  if (own.length > 0) {
    fresh(folder);
    await withEditor('main', packed, { 'security.workspace.trust.enabled': false }, async (editor) => {
      await editor.open({ folder });
      await editor.file('faulty.ns');
      await editor.page.locator('.squiggly-error').first().waitFor();
      for (const [name, scene] of own) await play(name, scene, editor);
    });
  }
  for (const [name, scene] of Object.entries(apart).filter(([name]) => wanted(name))) await play(name, scene);
} finally {
  if (process.env.KEEP === undefined) rmSync(home, { recursive: true, force: true });
}
process.exit(failures === 0 ? 0 : 1);
