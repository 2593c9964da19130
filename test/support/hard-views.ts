/** Views that are harder on a page than what was recorded: hostile texts, changes, faults, gaps. */
import type { Finding } from '../../shared/contracts/exit-scan.js';
import type { PreflightView, PromptView, RegistryView, RunDetail } from '../../shared/bridge/views.js';
import { recorded } from './fake-bridge.js';

const sha = (digit: string) => `sha256:${digit.repeat(8)}4f1c9a0e7d35b862${digit.repeat(40)}`;
const { trust, question } = recorded();
const registry = recorded()['registry.show'] as RegistryView;

/** A hook whose script was edited, with arguments that lie to the eye. */
export const CHANGED_TRUST: Extract<PromptView, { kind: 'trust' }> = {
  ...trust,
  id: 'ask_changed',
  subject: {
    ...trust.subject,
    title: 'Hook global:check-commands (Check commands)',
    state: 'changed',
    argv: [
      'python3',
      'scripts/check.py',
      '--allow=\u202egnp.sh',
      'cu\u0440l',
      '',
      ' two  spaces ',
      'line\none',
      '\u{1f6aa}',
    ],
    program: '/usr/bin/python3.11',
    envNames: ['CHECK_LEVEL', 'API_TOKEN'],
    cwd: '/home/ada/projects/shop',
    files: [
      { path: '/usr/bin/python3.11', digest: sha('a') },
      { path: '/home/ada/projects/shop/scripts/check.py', digest: sha('b') },
    ],
    texts: [],
    notCovered: ['what these programs load or start on their own: imports, configuration, other programs on PATH'],
    diff: [
      { side: 'same', text: '  "argv": [' },
      { side: 'same', text: '    "python3",' },
      { side: 'old', text: '    "scripts/check.py"' },
      { side: 'new', text: '    "scripts/check.py",' },
      { side: 'new', text: '    "--allow=\u202egnp.sh"' },
      { side: 'same', text: '  ]' },
    ],
  },
};

/** A question about a file write, with masked and flagged arguments. */
export const LONG_QUESTION: Extract<PromptView, { kind: 'question' }> = {
  ...question,
  id: 'ask_long',
  agent: 'Claude Code',
  toolName: 'Write',
  workspace: '/home/ada/projects/shop',
  args: [
    { name: 'file_path', text: '/home/ada/projects/shop/deploy/\\u{202e}hs.yolped', flags: ['bidirectional'] },
    {
      name: 'content (beside the present file: - goes, + comes)',
      text: `  [12 unchanged line(s)]\n${Array.from({ length: 30 }, (_, n) => `${n % 3 === 0 ? '-' : '+'} export const step${n} = run('step ${n}');`).join('\n')}`,
      flags: [],
    },
  ],
  askedBy: [
    { who: 'global:ask-before-deploy', reason: 'files below deploy/ need a person' },
    { who: 'the agent itself', reason: '' },
  ],
};

export const HARD_PLAN: PreflightView = {
  refused: 'gaps have to be accepted first: hook global:stop-when-red',
  agent: 'Claude Code',
  program: '/home/ada/.local/share/claude/versions/2.1.150',
  gaps: [
    {
      kind: 'point',
      what: 'hook global:tell-me',
      why: 'this version of Sallyport does not raise it yet',
      effect: 'left_out',
    },
    {
      kind: 'verdict',
      what: 'hook global:stop-when-red',
      why: 'the agent cannot be held at this point',
      effect: 'accept',
    },
    { kind: 'route', what: 'Agent calls of a subagent', why: 'measured on 2.1.150', effect: 'named' },
  ],
  foreign: [
    {
      kind: 'workspace-config',
      path: '/home/ada/projects/shop/.claude/settings.json',
      what: '2 hooks and 1 permission rule',
    },
    {
      kind: 'rewrite-gap',
      path: '/home/ada/.claude/settings.json',
      what: 'a hook of your own that can change arguments',
    },
  ],
  subjects: [CHANGED_TRUST.subject, { ...trust.subject, state: 'approved' }],
  notices: ['another run is live in this workspace; two agents in one folder can overwrite each other’s work'],
  hooks: [
    { id: 'no-secrets-files', scope: 'global', point: 'file.before_write' },
    { id: 'check-commands', scope: 'global', point: 'command.before' },
  ],
  registryVersion: 'reg-e4def5356c4e922c',
};

const [hook] = registry.hooks;
if (hook === undefined) throw new Error('the recorded registry has no hook');

export const HARD_REGISTRY: RegistryView = {
  version: registry.version,
  hooks: [
    hook,
    {
      ...hook,
      ...{ key: 'global::check-commands', id: 'check-commands', name: 'Check commands', description: '' },
      ...{ point: 'command.before', order: 20, handler: ['python3', 'scripts/check.py', '--strict'] },
      ...{ state: 'inert', reason: 'not approved yet; you are asked when a run starts' },
    },
    {
      ...hook,
      ...{ key: 'profile:practice:no-secrets-files', scope: 'profile', scopeKey: 'practice' },
      ...{ state: 'shadowed', reason: 'replaced by the session hook of the same id' },
    },
  ],
  faults: [
    {
      file: '/home/ada/.local/share/sallyport/hooks/global.json',
      path: 'hooks.2.point',
      message: 'is none of the hook points; did you mean "tool.before"?',
      line: 31,
      column: 16,
    },
  ],
};

/** A run that left secrets behind, of every origin, with places that are hard on a table. */
export function leakedRun(): RunDetail {
  const { summary, record, ...rest } = recorded()['runs.show'];
  const one = { line: 4, column: 17, offset: null, firstSeen: 1_790_000_000 };
  const session = '/home/ada/.claude/projects/-home-ada-projects-shop/4f1c9a0e-7d35-4b86-8201-0a1b2c3d4e5f.jsonl';
  const findings: Finding[] = [
    {
      ...{ ...one, id: 'finding-1', rule: 'github-token', origin: 'leaked', part: 'agent_state', path: session },
      ...{ preview: 'ghp…k2', fingerprint: 'a'.repeat(64) },
      why: 'the prompt did not hold it: a tool, a file or the environment brought it to the agent, which keeps it here',
    },
    {
      ...{ ...one, id: 'finding-2', rule: 'known-value:DEPLOY_TOKEN', origin: 'leaked', part: 'workspace' },
      ...{ path: '/home/ada/projects/shop/deploy/\u202egnp.sh', line: null, column: null, offset: 1_048_577 },
      ...{
        preview: 'dep…7',
        fingerprint: 'b'.repeat(64),
        why: 'the run made this file, and the prompt did not hold it',
      },
    },
    {
      ...{ ...one, id: 'finding-3', rule: 'private-key', origin: 'exposed', part: 'workspace' },
      ...{ path: '/home/ada/projects/shop/keys/old.pem', preview: '---…--', fingerprint: 'c'.repeat(64) },
      why: 'it stood in this file before the run',
    },
  ];
  const why =
    'the exit scan found 2 leaked secret(s): no prompt held them, and they stand where they did not stand before';
  return {
    ...rest,
    summary: { ...summary, colour: 'red', why: [why] },
    record: {
      ...record,
      exitScan: {
        ...{ state: 'leaked', exposed: 1, leaked: 2, redactionFailed: 0, files: 42, bytes: 3_670_016 },
        ...{ why: ['/home/ada/projects/shop/closed cannot be read (EACCES)'], rules: 'sallyport 1 + secretlint' },
        leakPolicy: 'fail',
      },
    },
    findings,
  };
}
