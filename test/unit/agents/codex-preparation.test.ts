/** What the agent is asked before a run, and which answers let one start. */
import { describe, expect, it } from 'vitest';
import { codex } from '../../../electron/core/agents/codex.js';
import { gateHooks } from '../../../electron/core/agents/codex/session-flags.js';
import type { CompileInput } from '../../../electron/core/agents/contract.js';
import type { JsonObject } from '../../../shared/json.js';

const INPUT: CompileInput = {
  gate: {
    httpUrl: 'http://127.0.0.1:4711',
    token: 'token-of-the-run',
    launcher: "/state/it's here/launch er",
    launcherArgs: ['/run/socket', '/run/token', '635'],
  },
  version: '0.171.0',
  bypass: 'none',
  prompt: '- or not',
  sessionId: '00000000-0000-4000-8000-000000000001',
  nativeTimeoutSeconds: 640,
  configFolder: '/run/config',
  agentArgs: ['-m', 'm'],
  workspaceConfig: false,
  noProxy: '127.0.0.1,localhost',
  workspace: '/ws',
  closeRoutes: false,
  learned: [],
};

interface World {
  readonly hooks: readonly JsonObject[];
  readonly layers: readonly JsonObject[];
  readonly config: JsonObject;
}

const listed = (change: JsonObject = {}): readonly JsonObject[] =>
  gateHooks(INPUT).map(({ key, command, timeoutSeconds }, i) => ({
    ...{ key, command, timeoutSec: timeoutSeconds, matcher: null, async: false, source: 'sessionFlags' },
    ...{
      sourcePath: '/<session-flags>/config.toml',
      currentHash: `sha256:${i}`,
      trustStatus: 'trusted',
      enabled: true,
    },
    ...change,
  }));
const USER_LAYER = { name: { type: 'user', file: '/home/u/.codex/config.toml' } };

function answer(world: Partial<World> = {}): string {
  const { hooks = listed(), layers = [USER_LAYER], config = {} } = world;
  return [
    { id: 1, result: {} },
    { method: 'remoteControl/status/changed', params: {} },
    { id: 2, result: { data: [{ cwd: '/ws', hooks, warnings: [], errors: [] }] } },
    { id: 3, result: { config, layers } },
  ]
    .map((line) => JSON.stringify(line))
    .join('\n');
}

const step = (...learned: readonly string[]) => codex.prepare?.({ ...INPUT, learned });
const untrusted = answer({ hooks: listed({ trustStatus: 'untrusted' }) });
const compiled = (change: Partial<CompileInput> = {}) =>
  codex.compileRun({ ...INPUT, learned: [untrusted, answer()], ...change });
const settings = (argv: readonly string[]) => argv.filter((_arg, i) => argv[i - 1] === '-c');

describe('the questions', () => {
  it('go to the app-server, first without trust, then with what it said itself', () => {
    const first = step();
    if (first?.step !== 'ask') throw new Error('nothing is asked');
    expect(first.question.argv[0]).toBe('app-server');
    expect(first.question.argv.join(' ')).not.toContain('trusted_hash');
    expect(first.question.isComplete(untrusted.split('\n').slice(0, 3))).toBe(false);
    expect(first.question.isComplete(untrusted.split('\n'))).toBe(true);
    const second = step(untrusted);
    if (second?.step !== 'ask') throw new Error('only one question');
    const state = settings(second.question.argv).find((flag) => flag.startsWith('hooks.state='));
    expect(state).toContain('"/<session-flags>/config.toml:pre_tool_use:0:0"={trusted_hash="sha256:0",enabled=true}');
    expect(step(untrusted, answer())).toEqual({ step: 'ready', findings: [] });
  });

  it('folders whose own configuration would be taken in are left out in the second one', () => {
    const above = { name: { type: 'project', dotCodexFolder: '/repo/.codex' } };
    const second = step(answer({ layers: [above, USER_LAYER] }));
    if (second?.step !== 'ask') throw new Error('only one question');
    expect(settings(second.question.argv)).toContain(
      'projects={"/ws"={trust_level="untrusted"},"/repo"={trust_level="untrusted"}}',
    );
  });
});

describe('a run is refused', () => {
  const project = { name: { type: 'project', dotCodexFolder: '/ws/.codex' } };
  it.each([
    ['a hook is untrusted', answer({ hooks: listed({ trustStatus: 'untrusted' }) }), 'untrusted and enabled'],
    ['a hook was modified', answer({ hooks: listed({ trustStatus: 'modified' }) }), 'modified'],
    ['a hook is disabled', answer({ hooks: listed({ enabled: false }) }), 'not enabled'],
    ['a hook is missing', answer({ hooks: listed().slice(1) }), 'does not list it'],
    ['no hook is there', answer({ hooks: [], config: { features: { hooks: false } } }), 'hooks are switched off'],
    ['another command runs', answer({ hooks: listed({ command: 'true' }) }), 'would be skipped'],
    ['the time-out is another', answer({ hooks: listed({ timeoutSec: 1 }) }), 'would be skipped'],
    ['a matcher narrows it', answer({ hooks: listed({ matcher: 'Bash' }) }), 'would be skipped'],
    ['it does not wait for the answer', answer({ hooks: listed({ async: true }) }), 'would be skipped'],
    ['the hooks are of another source', answer({ hooks: listed({ source: 'user' }) }), 'would be skipped'],
    ['the workspace is taken in', answer({ layers: [project, USER_LAYER] }), '/ws/.codex'],
    ['the form is not known', '{"id":2,"result":{}}\n{"id":3,"result":{}}', 'not known'],
    ['there is an error', '{"id":2,"error":{"message":"broken layer"}}\n{"id":3,"result":{}}', 'broken layer'],
    ['there is no answer', '', 'gives no answer'],
  ])('where %s', (_name, second, why) => {
    const refused = step(untrusted, second);
    expect(refused?.step).toBe('refused');
    expect(refused?.step === 'refused' && refused.reason).toContain(why);
  });

  it('where the first answer names no hash already', () => {
    expect(step(answer({ hooks: listed({ currentHash: '' }) }))?.step).toBe('refused');
    expect(step('nonsense')?.step).toBe('refused');
  });

  it('a workspace whose configuration is left out is fine', () => {
    const out = { ...project, disabledReason: 'untrusted' };
    expect(step(untrusted, answer({ layers: [out, USER_LAYER] }))).toEqual({ step: 'ready', findings: [] });
  });
});

describe('hooks of others', () => {
  it('that run and can change a call are named; those that are skipped are not', () => {
    const theirs = { source: 'user', sourcePath: '/home/u/.codex/hooks.json', eventName: 'preToolUse', enabled: true };
    const hooks = [
      ...listed(),
      { ...theirs, key: 'a', trustStatus: 'trusted' },
      { ...theirs, key: 'b', trustStatus: 'untrusted' },
      { ...theirs, key: 'c', trustStatus: 'untrusted', isManaged: true, sourcePath: '/etc/codex/hooks.json' },
      { ...theirs, key: 'd', trustStatus: 'trusted', eventName: 'stop' },
    ];
    const ready = step(untrusted, answer({ hooks }));
    expect(ready?.step === 'ready' && ready.findings.map(({ kind, path }) => [kind, path])).toEqual([
      ['rewrite-gap', '/home/u/.codex/hooks.json'],
      ['rewrite-gap', '/etc/codex/hooks.json'],
    ]);
  });
});

describe('the compiled run', () => {
  it('is session flags alone: no file, no token, no bypass of trust, the prompt last', () => {
    const { files, argv, env } = compiled();
    expect(files).toEqual([]);
    expect(env).toEqual({});
    expect(argv.slice(0, 7)).toEqual(['exec', '--json', '--skip-git-repo-check', '-m', 'm', '-s', 'workspace-write']);
    expect(argv.slice(-2)).toEqual(['--', '- or not']);
    expect(argv.join(' ')).not.toContain('bypass-hook-trust');
    expect(argv.join(' ')).not.toContain(INPUT.gate.token);
    expect(settings(argv)).toContain('features.hooks=true');
  });

  it('runs what was checked: the flags of the second question', () => {
    const second = step(untrusted);
    const asked = second?.step === 'ask' ? settings(second.question.argv) : [];
    expect(settings(compiled().argv)).toEqual(asked);
  });

  it('writes every time-out in whole seconds, below the clamp where there is one', () => {
    const times = new Map(gateHooks(INPUT).map(({ event, timeoutSeconds }) => [event, timeoutSeconds]));
    expect(times.get('PreToolUse')).toBe(640);
    expect(times.get('PermissionRequest')).toBe(640);
    expect(times.get('Stop')).toBe(640);
    expect(times.get('SessionEnd')).toBe(3);
  });

  it('says the bypass level by argument, and refuses what it cannot say', () => {
    expect(compiled({ bypass: 'no_sandbox' }).argv).toContain('--dangerously-bypass-approvals-and-sandbox');
    expect(compiled({ bypass: 'no_sandbox' }).argv).not.toContain('-s');
    expect(() => compiled({ bypass: 'activate' })).toThrow('activate');
    expect(() => compiled({ learned: [] })).toThrow('not asked');
  });

  it.each([
    [{}, [], ['-s', 'workspace-write']],
    [{ sandbox_mode: 'danger-full-access' }, [], ['-s', 'workspace-write']],
    [{ sandbox_mode: 'read-only' }, [], []],
    [{ default_permissions: 'mine' }, [], []],
    [{}, ['-s', 'read-only'], ['-s', 'read-only']],
  ])('never weakens the sandbox, configured %j, given %j', (config, agentArgs, expected) => {
    const { argv } = compiled({ agentArgs, learned: [untrusted, answer({ config })] });
    const at = argv.indexOf('-s');
    expect(at < 0 ? [] : argv.slice(at, at + 2)).toEqual(expected);
  });

  it('takes hosted search away where routes are to be closed', () => {
    expect(settings(compiled({ closeRoutes: true }).argv)).toContain('web_search="disabled"');
    expect(compiled().argv.join(' ')).not.toContain('web_search');
  });
});
