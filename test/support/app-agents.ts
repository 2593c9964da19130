/** The app with a real agent beside a scripted model. Only where nothing but the loopback network exists. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { userConfig } from '../e2e/codex-user.js';
import { claudeCodeProgram, codexScript } from './agents.mjs';
import { newDesktop, startApp, type DeskOfUser, type RunningApp } from './electron-app.js';

const ANTHROPIC = resolve(import.meta.dirname, 'scripted-anthropic.mjs');
const OPENAI = resolve(import.meta.dirname, 'scripted-openai.mjs');
const PORT = 4_711;

/** Throws where an agent could reach anything but this machine. */
export function demandLoopbackOnly(): void {
  const others = Object.keys(networkInterfaces()).filter((name) => name !== 'lo');
  if (others.length > 0) {
    throw new Error(`these tests start a real agent and there is a network (${others.join(', ')}); run: npm run check`);
  }
}

export interface AgentDesktop extends DeskOfUser {
  /** Writes a file of the workspace. */
  readonly put: (name: string, text: string) => void;
  readonly has: (name: string) => boolean;
  /** Bodies of the requests that the model got. */
  readonly asked: () => string;
}

interface Agent {
  /** Its command's name, and the file that it stands for. */
  readonly command: string;
  readonly program: string;
  /** The scripted model. */
  readonly model: string;
  readonly env: (home: string) => Readonly<Record<string, string>>;
}

/** A user with an agent on the login shell's PATH and a model that plays these steps. */
async function agentDesktop(agent: Agent, steps: readonly object[]): Promise<AgentDesktop> {
  demandLoopbackOnly();
  const desktop = await newDesktop();
  const bin = join(desktop.home, 'bin');
  mkdirSync(bin);
  symlinkSync(agent.program, join(bin, agent.command));
  const path = `'${bin}':'${dirname(process.execPath)}':/usr/local/bin:/usr/bin:/bin`;
  writeFileSync(join(desktop.home, '.profile'), `PATH=${path}\n`);
  const scenario = join(desktop.home, 'scenario.json');
  const log = join(desktop.home, 'model.jsonl');
  writeFileSync(scenario, JSON.stringify(steps));
  const args = [agent.model, '--scenario', scenario, '--port', String(PORT), '--log', log];
  const model = spawn(process.execPath, args, { stdio: 'ignore' });
  const gone = new Promise((ended) => model.on('close', ended));
  onTestFinished(async () => {
    model.kill();
    await gone;
  });
  return {
    ...desktop,
    env: { ...desktop.env, ...agent.env(desktop.home) },
    put: (name, text) => {
      const file = join(desktop.workspace, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    },
    has: (name) => existsSync(join(desktop.workspace, name)),
    asked: () => (existsSync(log) ? readFileSync(log, 'utf8') : ''),
  };
}

export function claudeDesktop(version: string, steps: readonly object[]): Promise<AgentDesktop> {
  const env = (home: string) => ({
    CLAUDE_CONFIG_DIR: join(home, '.claude'),
    ANTHROPIC_API_KEY: 'made-up-key-0123456789',
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${PORT}`,
    DISABLE_TELEMETRY: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    IS_SANDBOX: '1',
  });
  return agentDesktop({ command: 'claude', program: claudeCodeProgram(version), model: ANTHROPIC, env }, steps);
}

export function codexDesktop(version: string, steps: readonly object[]): Promise<AgentDesktop> {
  const env = (home: string) => {
    mkdirSync(join(home, '.codex'));
    writeFileSync(join(home, '.codex', 'config.toml'), userConfig('gpt-5.5', PORT));
    return { OPENAI_API_KEY: 'made-up-key-0123456789' };
  };
  return agentDesktop({ command: 'codex', program: codexScript(version), model: OPENAI, env }, steps);
}

/** Starts the app with the system's folder dialog answering the workspace, and with these hooks for every run. */
export async function startWithHooks(
  desktop: AgentDesktop,
  hooks: readonly object[],
): Promise<{ readonly started: RunningApp; readonly page: Page }> {
  mkdirSync(join(desktop.state, 'hooks'), { recursive: true, mode: 0o700 });
  writeFileSync(join(desktop.state, 'hooks', 'global.json'), JSON.stringify({ schema_version: 1, hooks }));
  const started = await startApp(desktop);
  const page = await started.main();
  await page.getByRole('heading', { level: 1 }).waitFor();
  await started.app.evaluate(({ dialog }, folder) => {
    dialog.showOpenDialog = (() => Promise.resolve({ canceled: false, filePaths: [folder] })) as never;
  }, desktop.workspace);
  return { started, page };
}

/** Puts a run together on the page as a person does, up to the plan. */
export async function planRun(
  page: Page,
  prompt: string,
  profile: string,
  ...choices: readonly string[]
): Promise<void> {
  await page
    .getByRole('link', { name: 'New run' })
    .or(page.getByRole('button', { name: 'New run' }))
    .first()
    .click();
  await page.getByRole('heading', { level: 1, name: 'New run' }).waitFor();
  await page.getByLabel('Agent', { exact: true }).selectOption(profile);
  await page.getByRole('button', { name: 'Choose a folder…' }).click();
  await page.getByLabel('Prompt', { exact: true }).fill(prompt);
  for (const choice of choices) await page.getByRole('radio', { name: choice }).check();
  await page.getByRole('button', { name: 'Show the plan' }).click();
  await page.getByRole('heading', { level: 2, name: 'Plan' }).waitFor();
}

/** Launches what was planned. */
export async function launch(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Launch', exact: true }).click();
}

/** The next prompt's window, once this text stands in it. */
export async function promptWith(started: RunningApp, text: string | RegExp): Promise<Page> {
  let found: Page | null = null;
  await expect
    .poll(
      async () => {
        const page = await started.prompt();
        found = page;
        return page
          .getByText(text)
          .first()
          .isVisible()
          .catch(() => false);
      },
      { timeout: 30_000 },
    )
    .toBe(true);
  if (found === null) throw new Error('there is no prompt');
  return found;
}
