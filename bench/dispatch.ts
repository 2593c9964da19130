/**
 * B1: one hook dispatch as the agent sees it, from the start of the compiled command until its answer;
 * 50 hooks in the registry, none of them for this call. Beside its floor and its peers, interleaved, in one run.
 */
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hookSchema } from '../shared/contracts/hook.js';
import { compileFilters } from '../shared/policy/filters.js';
import { resolveHook } from '../shared/policy/resolve-hook.js';
import { practice } from '../electron/core/agents/practice.js';
import { launcherScript } from '../electron/core/gate/launcher.js';
import { newToken, startGateServer, TOKEN_HEADER } from '../electron/core/gate/server.js';
import { newGateSession } from '../electron/core/gate/session.js';
import type { PreparedHook } from '../electron/core/engine/ports.js';
import { showTable, summarise, type Row } from './table.js';

const ROUNDS = 60;
const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
const at = (name: string) => join(folder, name);
const payload = JSON.stringify({
  session: 's',
  cwd: folder,
  call: { id: 'c', tool: 'shell', input: { command: 'ls' } },
});

const documents = Array.from({ length: 50 }, (_unused, index) => ({
  schema_version: 1,
  id: `hook-${index}`,
  name: 'none of these is for the call',
  point: 'tool.before',
  scope: 'global',
  mode: 'blocking',
  filters: { tools: [`NoSuchTool${index}`] },
  handler: { kind: 'builtin', builtin: 'forbidden-path' },
}));

function prepare(document: unknown): PreparedHook {
  const hook = resolveHook(hookSchema.parse(document), null);
  const matches = compileFilters(hook.filters, { ignoreCase: false });
  if (!matches.ok) throw new Error('a filter of the bench is broken');
  return { hook, matches: matches.value };
}

function program(name: string, text: string): string {
  writeFileSync(at(name), text);
  chmodSync(at(name), 0o755);
  return at(name);
}

/** Milliseconds from the start of the command until it ended with status 0. */
function once(argv: readonly string[]): Promise<number> {
  const [file = '', ...args] = argv;
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdout.resume();
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(performance.now() - started);
      else reject(new Error(`${argv.join(' ')} ended with ${code ?? 'a signal'}`));
    });
    child.stdin.end(payload);
  });
}

const hooks = documents.map(prepare);
const token = newToken();
const gate = await startGateServer(
  {
    adapter: practice,
    session: newGateSession('run_bench', folder, 0),
    snapshot: () =>
      Promise.resolve({ version: 'reg-bench', atPoint: (point) => hooks.filter((one) => one.hook.point === point) }),
    services: {
      runHandler: () => Promise.reject(new Error('no hook is for this call')),
      foldPaths: (paths) => Promise.resolve(paths),
      trace: () => undefined,
      warn: () => undefined,
      now: () => Date.now() / 1_000,
    },
    ask: () => Promise.resolve({ answer: 'deny', why: 'nobody' }),
    report: () => undefined,
    deadlineMs: 60_000,
  },
  at('gate'),
  token,
);
writeFileSync(at('token'), `${TOKEN_HEADER}: ${token}\n`);
writeFileSync(at('hooks.json'), JSON.stringify(documents));
const nothing = createServer((request, response) => {
  request.resume().on('end', () => response.end('{}'));
}).listen(at('nothing'));

const launcher = program('launcher', launcherScript('/usr/bin/curl'));
const bare = program(
  'bare',
  `#!/bin/sh\nexec /usr/bin/curl -q -sS --fail --unix-socket ${at('nothing')} --data-binary @- http://x/\n`,
);
const node = program(
  'runner.mjs',
  "let t='';process.stdin.on('data',(c)=>t+=c).on('end',()=>{JSON.parse(t);process.stdout.write('{}')});\n",
);
const python = program(
  'runner.py',
  `import json, sys, fnmatch
hooks = json.load(open(${JSON.stringify(at('hooks.json'))}))
event = json.load(sys.stdin)
for hook in hooks:
    if any(fnmatch.fnmatch(event['call']['tool'], glob) for glob in hook['filters']['tools']):
        sys.exit(2)
print('{}')
`,
);

const work: [string, readonly string[]][] = [
  ["floor: sh -c 'cat >/dev/null'", ['/bin/sh', '-c', 'cat >/dev/null']],
  ['floor: sh + curl to a server that does nothing', [bare]],
  ['Sallyport: the launcher and its gate', [launcher, at('gate'), at('token'), '60', 'call.asked']],
  ['peer: a bare Node script', [process.execPath, node]],
  ['peer: a Python runner with the same job', ['/usr/bin/env', 'python3', python]],
];
const samples = new Map<string, number[]>(work.map(([name]) => [name, []]));
for (const [, argv] of work) await once(argv);
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, argv] of work) samples.get(name)?.push(await once(argv));
}
const ours = summarise(samples.get('Sallyport: the launcher and its gate') ?? []).median;
const rows: Row[] = work.map(([name]) => {
  const { median, p99 } = summarise(samples.get(name) ?? []);
  return { name, median, p99, ratio: median / ours };
});
showTable('B1 one dispatch, ms', rows);
nothing.close();
await gate.close();
rmSync(folder, { recursive: true, force: true });
