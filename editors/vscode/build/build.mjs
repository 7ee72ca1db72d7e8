// Builds the extension into `dist/`: the bundle, the grammar, the language configuration; and `icon.png`.
// With `--tests` it bundles the unit tests into `dist-test/` as well.

import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { icon } from './icon.mjs';
import { languageConfiguration } from './language.mjs';

const here = join(dirname(fileURLToPath(import.meta.url)), '..');
const editors = join(here, '..');
const dist = join(here, 'dist');

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
const keywords = JSON.parse(readFileSync(join(editors, 'tree-sitter/keywords.json'), 'utf8'));
writeFileSync(join(dist, 'language-configuration.json'), JSON.stringify(languageConfiguration(keywords), null, 2));
cpSync(join(editors, 'textmate/neuroscript.tmLanguage.json'), join(dist, 'neuroscript.tmLanguage.json'));
writeFileSync(join(here, 'icon.png'), icon());

const common = { bundle: true, platform: 'node', target: 'node20', format: 'cjs', logLevel: 'warning', absWorkingDir: here };
await build({ ...common, entryPoints: ['src/extension.ts'], outfile: 'dist/extension.js', external: ['vscode'], minify: true });

if (process.argv.includes('--tests')) {
  const out = join(here, 'dist-test');
  rmSync(out, { recursive: true, force: true });
  const tests = readdirSync(join(here, 'test')).filter((name) => name.endsWith('.test.ts'));
  await build({ ...common, entryPoints: tests.map((name) => `test/${name}`), outdir: out, external: ['vscode'] });
}
