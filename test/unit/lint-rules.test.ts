/** The doors and our other lint rules bite, with the project's own configuration. */
import { fileURLToPath } from 'node:url';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The files do not exist, so rules that need types are off; none of the rules here does. */
const eslint = new ESLint({
  cwd: ROOT,
  overrideConfig: [
    tseslint.configs.disableTypeChecked,
    {
      languageOptions: { parserOptions: { projectService: false } },
      linterOptions: { reportUnusedDisableDirectives: 'off' },
    },
  ] as NonNullable<ConstructorParameters<typeof ESLint>[0]>['overrideConfig'] & object,
});

/** The rules that refuse this text as that file. */
async function refusals(path: string, text: string): Promise<string[]> {
  const [result] = await eslint.lintText(text, { filePath: `${ROOT}${path}` });
  const rules = (result?.messages ?? []).map((message) => message.ruleId ?? message.message);
  return [...new Set(rules)].filter((rule) => rule !== '@typescript-eslint/no-unused-vars').sort();
}

const DOOR = 'sallyport/doors';

describe('doors', () => {
  it.each([
    ['electron/core/runs/x.ts', `import { spawn } from 'node:child_process';`],
    ['electron/core/runs/x.ts', `import { spawn } from 'child_process';`],
    ['electron/core/runs/x.ts', `import { execa } from 'execa';`],
    ['electron/core/runs/x.ts', `export * from 'execa';`],
    ['electron/core/runs/x.ts', `export { execa } from 'execa';`],
    ['electron/core/runs/x.ts', `export const load = () => import('node:child_process');`],
    ['electron/core/runs/x.ts', `export const load = () => process.getBuiltinModule('node:child_process');`],
    ['electron/cli/x.ts', `import { app } from 'electron';`],
    ['electron/core/runs/x.ts', `import type { App } from 'electron';`],
    ['electron/core/approvals/x.ts', `import { getPassword } from 'keytar';`],
    ['electron/core/store/x.ts', `import Database from 'libsql';`],
    ['shared/x.ts', `import { join } from 'node:path';`],
    ['shared/x.ts', `import { join } from 'path';`],
  ])('are closed for %s: %s', async (path, text) => {
    expect(await refusals(path, text)).toEqual([DOOR]);
  });

  it.each([
    ['electron/core/spawn/x.ts', `import { spawn } from 'node:child_process';\nspawn('x');`],
    [
      'electron/core/runs/x.ts',
      `import type { ChildProcess } from 'node:child_process';\nexport type C = ChildProcess;`,
    ],
    ['electron/main/x.ts', `import { app } from 'electron';\napp.quit();`],
    ['electron/keychain/run-helper.ts', `import { getPassword } from 'keytar';\ngetPassword();`],
    ['electron/core/store/index-worker.ts', `import Database from 'libsql';\nDatabase();`],
    ['electron/core/runs/x.ts', `import { join } from 'node:path';\njoin();`],
  ])('are open to their keepers: %s: %s', async (path, text) => {
    expect(await refusals(path, text)).toEqual([]);
  });
});

describe("an agent's name", () => {
  it.each([
    `export const a = (n: string) => n === 'codex';`,
    'export const a = (n: string) => n === `claude-code`;',
    `export const a = { copilot: 1 };`,
    `export type A = 'claude';`,
  ])('is refused outside its adapter: %s', async (text) => {
    expect(await refusals('electron/core/runs/x.ts', text)).toEqual(['sallyport/agent-names']);
    expect(await refusals('electron/core/agents/x.ts', text)).toEqual([]);
  });

  it('may be part of a longer text', async () => {
    expect(await refusals('electron/core/runs/x.ts', `export const a = 'see the codex of rules';`)).toEqual([]);
  });
});

describe('style', () => {
  it.each([
    ['no-restricted-exports', `export default 1;`],
    ['@typescript-eslint/no-explicit-any', `export const a = (b: any) => b;`],
    ['no-restricted-syntax', `export class Thing { a = 1; }`],
    ['no-restricted-syntax', `export { a } from './a';`],
    ['no-restricted-syntax', `export { a } from './a.ts';`],
    ['no-console', `console.log(1);`],
  ])('%s refuses: %s', async (rule, text) => {
    expect(await refusals('electron/core/runs/x.ts', text)).toEqual([rule]);
  });

  it('lets an error be a class, and a configuration be a default export', async () => {
    expect(await refusals('electron/core/runs/x.ts', `export class Refused extends Error { code = 1; }`)).toEqual([]);
    expect(await refusals('some.config.ts', `export default {};`)).toEqual([]);
  });

  it.each([`it.skip('a', () => {});`, `describe.only('a', () => {});`])('refuses in a test: %s', async (text) => {
    expect(await refusals('test/unit/x.test.ts', text)).toEqual(['no-restricted-properties']);
  });
});
