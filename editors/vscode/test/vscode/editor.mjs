// A real VS Code, served by code-server, in Chromium that playwright drives.

import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Time that something may take before a test fails; it is no measure. */
const PATIENCE_MS = Number(process.env.PATIENCE_MS ?? 60_000);

/** Flags for a machine without a screen, and without requests to the makers of Chromium. */
const FLAGS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--force-color-profile=srgb', '--font-render-hinting=none',
];

/** The programs that a test needs; `run` installs them. */
export const programs = {
  node: process.env.NODE_OF_CODE_SERVER,
  codeServer: process.env.CODE_SERVER,
  playwright: process.env.PLAYWRIGHT,
  chromium: process.env.CHROMIUM ?? '/usr/bin/chromium',
};

/** A port that is free now. */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Settings that keep VS Code quiet and its pictures the same. */
const QUIET = {
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  'workbench.colorTheme': 'Default Light Modern',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'chat.disableAIFeatures': true,
  'chat.commandCenter.enabled': false,
  'window.commandCenter': false,
  'git.enabled': false,
  'npm.autoDetect': 'off',
  'files.autoSave': 'off',
  'editor.cursorBlinking': 'solid',
  'editor.minimap.enabled': false,
  'debug.toolBarLocation': 'docked',
  'terminal.integrated.gpuAcceleration': 'off',
  'files.simpleDialog.enable': true,
};

export class Editor {
  /** Starts VS Code with an installed package, and opens a folder or a workspace. */
  static async start({ home, package: vsix, settings = {}, env = {} }) {
    const editor = new Editor();
    editor.home = home;
    const user = join(home, 'user');
    mkdirSync(join(user, 'User'), { recursive: true });
    writeFileSync(join(user, 'User/settings.json'), JSON.stringify({ ...QUIET, ...settings }, null, 2));
    writeFileSync(join(home, 'config.yaml'), '');
    const places = ['--config', join(home, 'config.yaml'), '--user-data-dir', user, '--extensions-dir', join(home, 'extensions')];
    editor.environment = { ...process.env, ...env, HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_DATA_HOME: join(home, 'data') };
    await editor.finish([...places, '--install-extension', vsix]);
    editor.port = await freePort();
    const quiet = ['--auth', 'none', '--disable-telemetry', '--disable-update-check', '--disable-getting-started-override'];
    const args = [programs.codeServer, ...places, ...quiet, '--bind-addr', `127.0.0.1:${editor.port}`];
    editor.server = spawn(programs.node, args, { env: editor.environment, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    process.once('exit', editor.killServer);
    editor.said = '';
    for (const stream of [editor.server.stdout, editor.server.stderr]) stream.on('data', (text) => (editor.said = (editor.said + text).slice(-20_000)));
    try {
      await editor.launch();
      await editor.reachable();
    } catch (error) {
      await editor.stop();
      throw error;
    }
    return editor;
  }

  /** Starts the browser. */
  async launch() {
    const { chromium } = createRequire(join(programs.playwright, 'package.json'))('playwright-core');
    this.browser = await chromium.launch({ executablePath: programs.chromium, args: FLAGS });
    this.context = await this.browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US' });
    await this.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  }

  /** Runs code-server for one command. */
  finish(args) {
    return new Promise((resolve, reject) => {
      const child = spawn(programs.node, [programs.codeServer, ...args], { env: this.environment, stdio: ['ignore', 'pipe', 'pipe'] });
      let said = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
      child.once('close', (code) => (code === 0 ? resolve(said) : reject(new Error(said))));
    });
  }

  async reachable() {
    for (let turn = 0; turn < 300; turn += 1) {
      const answer = await fetch(`http://127.0.0.1:${this.port}/healthz`).catch(() => undefined);
      if (answer?.ok) return;
      await sleep(200);
    }
    throw new Error(`code-server does not answer: ${this.said}`);
  }

  /** Opens a folder, or a workspace, in a new page. */
  async open({ folder, workspace }) {
    await this.page?.close();
    this.page = await this.context.newPage();
    this.page.setDefaultTimeout(PATIENCE_MS);
    const query = folder === undefined ? `workspace=${encodeURIComponent(workspace)}` : `folder=${encodeURIComponent(folder)}`;
    await this.page.goto(`http://127.0.0.1:${this.port}/?${query}`);
    await this.page.locator('.monaco-workbench .part.statusbar').waitFor();
  }

  /** Waits until a condition holds. */
  async until(what, holds, patienceMs = PATIENCE_MS) {
    let last;
    for (const end = Date.now() + patienceMs; Date.now() < end; await sleep(150)) {
      last = await holds();
      if (last) return last;
    }
    throw new Error(`never: ${what}`);
  }

  /** Presses keys. */
  async press(...keys) {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  async type(text) {
    await this.page.keyboard.type(text);
  }

  /**
   * Opens the palette, writes a text into it and does something. A view that takes the focus meanwhile closes the palette;
   * then all of it happens again.
   */
  async palette(text, work) {
    const input = this.page.locator('.quick-input-widget input[type=text]').first();
    for (let turn = 0; ; turn += 1) {
      await this.press('Escape');
      await this.press('F1');
      try {
        await input.fill(text, { timeout: 5000 });
        await work();
        await sleep(200);
        return;
      } catch (error) {
        if (turn === 5) throw error;
      }
    }
  }

  /** Presses a row of the palette, once the list does not change any more. */
  async row(text) {
    const row = this.page.locator('.quick-input-list .monaco-list-row').filter({ hasText: text }).first();
    await row.waitFor({ timeout: 10_000 });
    await sleep(300);
    await row.click({ timeout: 5000 });
  }

  /** Runs a command of the palette by its whole title. */
  async command(title) {
    await this.palette(`>${title}`, () => this.row(title));
  }

  /** Presses a button by the beginning of its label. */
  async button(label) {
    await this.page.locator(`.action-item a.action-label[aria-label^="${label}"]:visible`).first().click();
  }

  /** Opens a file of the folder by its name. */
  async file(name) {
    // The name stands before its directory.
    await this.palette(name, () => this.row(name.split('/').at(-1)));
    await this.page.locator('.tab.active').filter({ hasText: name.split('/').at(-1) }).waitFor();
    await this.editorLines().first().waitFor();
  }

  editorLines() {
    return this.page.locator('.editor-group-container.active .monaco-editor .view-line');
  }

  /** The text of the active editor, as far as it is on the screen. */
  async text() {
    const lines = await this.page.locator('.editor-group-container.active .editor-instance .view-line').evaluateAll((all) =>
      all.map((line) => ({ top: line.getBoundingClientRect().top, text: line.textContent })).sort((a, b) => a.top - b.top).map((line) => line.text),
    );
    return lines.join('\n').replaceAll('\u00a0', ' ');
  }

  /** Goes to a line and column of the active editor. */
  async goto(line, column = 1) {
    await this.palette(`:${line}:${column}`, () => this.press('Enter'));
  }

  /** The texts of elements. */
  async texts(selector) {
    return this.page.locator(selector).evaluateAll((all) => all.map((element) => element.textContent.replaceAll('\u00a0', ' ')));
  }

  /** Waits for an element with a text. */
  async see(selector, text) {
    await this.page.locator(selector).filter({ hasText: text }).first().waitFor();
  }

  /** The texts of the notifications that are shown. */
  async notifications() {
    return this.texts('.notifications-toasts .notification-list-item-message');
  }

  async closeNotifications() {
    await this.command('Notifications: Clear All Notifications');
  }

  async picture(path) {
    await this.page.screenshot({ path });
  }

  async stop() {
    try {
      await this.browser?.close();
    } finally {
      this.killServer();
      process.off('exit', this.killServer);
    }
  }

  /** Kills code-server with its children, also when this process ends before `stop`. */
  killServer = () => {
    if (this.server?.pid === undefined) return;
    try {
      process.kill(-this.server.pid, 'SIGKILL');
    } catch {
      // It ended already.
    }
  };
}
