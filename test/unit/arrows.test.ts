/** The arrows bite: small trees that break a rule are refused by the project's own configuration, a good one is not. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise } from 'dependency-cruiser';
import { afterEach, beforeEach, expect, it } from 'vitest';
import config from '../../.dependency-cruiser.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

let tree: string;

beforeEach(async () => {
  tree = await mkdtemp(join(tmpdir(), 'sallyport-arrows-'));
  await symlink(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
  await write('package.json', JSON.stringify({ dependencies: { zod: '*' }, devDependencies: { vitest: '*' } }));
  await write('shared/words.ts', 'export const word = 1;\n');
  await write('electron/core/spawn/seam.ts', importing('../../../shared/words.js'));
});

afterEach(async () => {
  await rm(tree, { recursive: true, force: true });
});

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(tree, path)), { recursive: true });
  await writeFile(join(tree, path), text);
}

const importing = (...paths: string[]): string =>
  [...paths.map((path, index) => `import * as m${String(index)} from '${path}';`), 'export const word = 1;\n'].join(
    '\n',
  );

/** The names of the rules that the tree breaks. */
async function broken(): Promise<string[]> {
  const { output } = await cruise(['shared', 'electron'], {
    ruleSet: { forbidden: config.forbidden ?? [] },
    validate: true,
    baseDir: tree,
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
  });
  if (typeof output === 'string') throw new Error('expected a result, not a report');
  return [...new Set(output.summary.violations.map((violation) => violation.rule.name))].sort();
}

it('lets a tree pass whose arrows point down', async () => {
  await write('electron/core/engine/decide.ts', importing('../spawn/seam.js', '../../../shared/words.js', 'zod'));
  await write('electron/core/runs/run.ts', importing('../engine/decide.js', '../spawn/seam.js'));
  await write('electron/cli/run-cli.ts', importing('../core/runs/run.js'));
  await write('electron/main/index.ts', importing('../cli/run-cli.js'));
  expect(await broken()).toEqual([]);
});

it.each([
  ['spawn using the engine', 'electron/core/spawn/up.ts', '../engine/decide.js', 'arrows-point-down-registry'],
  ['the engine using the gate', 'electron/core/engine/up.ts', '../gate/server.js', 'arrows-point-down-engine'],
  ['the gate using runs', 'electron/core/gate/up.ts', '../runs/run.js', 'arrows-point-down-gate'],
  ['shared using the core', 'shared/up.ts', '../electron/core/engine/decide.js', 'shared-is-pure'],
  ['shared using Node', 'shared/up.ts', 'node:fs', 'shared-has-no-platform'],
  ['the core using the command', 'electron/core/runs/up.ts', '../../cli/run-cli.js', 'nobody-imports-the-command'],
  ['the command using main', 'electron/cli/up.ts', '../main/index.js', 'core-knows-no-shell'],
  [
    'the core using the practice agent',
    'electron/core/runs/up.ts',
    '../../practice/agent.js',
    'nobody-imports-the-practice-agent',
  ],
  [
    'the practice agent using the engine',
    'electron/practice/up.ts',
    '../core/engine/decide.js',
    'practice-agent-is-apart',
  ],
  ['a room that is not on the map', 'electron/core/attic/up.ts', '../../../shared/words.js', 'core-has-rooms'],
  ['the product using a test', 'electron/core/runs/up.ts', '../../../test/help.js', 'product-without-tests'],
  ['the product using a development package', 'electron/core/runs/up.ts', 'vitest', 'only-shipped-packages'],
  ['an import that leads nowhere', 'electron/core/runs/up.ts', './gone.js', 'all-is-found'],
])('refuses %s', async (_, from, to, rule) => {
  for (const path of ['electron/core/engine/decide.ts', 'electron/core/gate/server.ts', 'electron/core/runs/run.ts']) {
    await write(path, importing());
  }
  for (const path of [
    'electron/cli/run-cli.ts',
    'electron/main/index.ts',
    'electron/practice/agent.ts',
    'test/help.ts',
  ]) {
    await write(path, importing());
  }
  await write(from, importing(to));
  expect(await broken()).toEqual([rule]);
});

it('refuses a circle, of types too', async () => {
  await write('electron/core/store/a.ts', "import type { B } from './b.js';\nexport type A = B | 1;\n");
  await write('electron/core/store/b.ts', "import type { A } from './a.js';\nexport type B = A | 2;\n");
  expect(await broken()).toEqual(['no-circles']);
});
