/**
 * A made-up user of the real Codex: the program on the login shell's PATH as npm puts it there, a configuration of the
 * user's own that names a scripted model, and the way to run `sallyport run` beside that model.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { codexProgram, codexScript } from '../support/agents.mjs';
import { onLoopback } from '../support/loopback.js';
import { COMMAND, hooksFile, newestRun, newUser, runApproving, type User } from './command.js';

const MODEL = resolve(dirname(fileURLToPath(import.meta.url)), '../support/scripted-openai.mjs');
/** Free in every fresh network namespace. */
const MODEL_PORT = 8787;

/** The user's config.toml, which no run may change. */
export function userConfig(model: string, port = MODEL_PORT): string {
  return `# mine
model = "${model}"
model_provider = "scripted"
check_for_update_on_startup = false
analytics.enabled = false
features.plugins = false
features.remote_plugin = false
features.apps = false

[model_providers.scripted]
name = "scripted"
base_url = "http://127.0.0.1:${port}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
supports_websockets = false
request_max_retries = 0
stream_max_retries = 0
`;
}

export type CodexUser = User & { readonly codexHome: string };

/** Without the agent's own sandbox. */
export const NO_SANDBOX = ['--bypass', 'no_sandbox'];

/** A user with Codex of this version; gpt-5.5 is offered apply_patch. */
export function newCodexUser(version: string, model = 'gpt-5.5'): CodexUser {
  const user = newUser(null);
  const codexHome = join(user.home, '.codex');
  symlinkSync(codexScript(version), join(dirname(user.home), 'bin', 'codex'));
  mkdirSync(codexHome);
  writeFileSync(join(codexHome, 'config.toml'), userConfig(model));
  // The agent makes no helper programs, and then has no sandbox, where its home lies in the temporary folder (measured).
  const temporary = join(dirname(user.home), 'tmp');
  mkdirSync(temporary);
  return { ...user, codexHome, env: { ...user.env, TMPDIR: temporary, OPENAI_API_KEY: 'made-up-key-0123456789' } };
}

/** Marks the workspace as one that the user trusts, in the user's own configuration. */
export function trustWorkspace(user: CodexUser, more = ''): string {
  const text = `${userConfig('gpt-5.5')}${more}\n[projects.${JSON.stringify(user.workspace)}]\ntrust_level = "trusted"\n`;
  writeFileSync(join(user.codexHome, 'config.toml'), text);
  return text;
}

/** Gives the user a hook of their own, trusted as Codex itself would have it. */
export async function trustUserHook(user: CodexUser, version: string, event: string, command: string): Promise<void> {
  user.put(
    join(user.codexHome, 'hooks.json'),
    JSON.stringify({ hooks: { [event]: [{ hooks: [{ type: 'command', command }] }] } }),
  );
  const requests = [
    { id: 1, method: 'initialize', params: { clientInfo: { name: 'test', version: '1' } } },
    { method: 'initialized' },
    { id: 2, method: 'hooks/list', params: { cwds: [user.workspace] } },
  ];
  const [program, ...args] = onLoopback([codexProgram(version), 'app-server']);
  const server = spawn(program, args, { cwd: user.workspace, env: user.env, stdio: ['pipe', 'pipe', 'ignore'] });
  server.stdin.write(requests.map((request) => `${JSON.stringify(request)}\n`).join(''));
  for await (const line of createInterface({ input: server.stdout })) {
    const { id, result } = JSON.parse(line) as { id?: number; result?: { data: { hooks: ListedHook[] }[] } };
    const hook = id === 2 ? result?.data[0]?.hooks[0] : undefined;
    if (hook === undefined) continue;
    const state = `\n[hooks.state.${JSON.stringify(hook.key)}]\ntrusted_hash = "${hook.currentHash}"\n`;
    appendFileSync(join(user.codexHome, 'config.toml'), state);
    server.stdin.end();
  }
}

interface ListedHook {
  readonly key: string;
  readonly currentHash: string;
}

/** The argv of `sallyport run` with the scripted model beside it, where only loopback exists; one that lingers outlives its command by some seconds. */
export function besideCodexModel(
  user: User,
  scenario: unknown,
  args: readonly string[],
  { lingers = false }: { readonly lingers?: boolean } = {},
): readonly string[] {
  const file = user.put(join(user.home, 'scenario.json'), JSON.stringify(scenario));
  const log = join(user.home, 'model.jsonl');
  const model = [process.execPath, MODEL, '--port', String(MODEL_PORT), '--scenario', file, '--log', log];
  const wait = lingers ? ['sh', '-c', '"$@"; sleep 5', 'sh'] : [];
  return onLoopback([...model, '--', ...wait, process.execPath, COMMAND, 'run', '--agent', 'codex', ...args]);
}

/** Runs these calls under these hooks; what needs approval is approved by its digest. */
export async function runAll(user: User, scenario: unknown, hooks: readonly object[], options: readonly string[] = []) {
  const file = hooksFile(user, ...hooks);
  const ended = await runApproving(user, (approve) =>
    besideCodexModel(user, scenario, ['--hook', file, ...options, ...approve, '--', 'Do the scripted work.']),
  );
  return { ...ended, record: newestRun(user) };
}

/** A shell call. */
export const exec = (cmd: string) => ({ name: 'exec_command', input: { cmd } });
/** A freeform call of the patch tool. */
export const patch = (...lines: readonly string[]) => ({ name: 'apply_patch', input: patchText(...lines) });
/** The text of a patch. */
export const patchText = (...lines: readonly string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
