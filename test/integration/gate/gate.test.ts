import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync, chmodSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { practice } from '../../../electron/core/agents/practice.js';
import { launcherScript } from '../../../electron/core/gate/launcher.js';
import type { GatePorts, GateReport, PersonAnswer } from '../../../electron/core/gate/ports.js';
import { newToken, startGateServer, type GateServer } from '../../../electron/core/gate/server.js';
import { newGateSession } from '../../../electron/core/gate/session.js';
import { bench, decides, FAILS } from '../../unit/engine/bench.js';
import { removeFolder } from '../../support/folders.js';

let folder: string;
let server: GateServer;
let reports: GateReport[];
let hooks: ReturnType<typeof bench>;
let answer: PersonAnswer;
let questions: number;

const HEADER = 'x-sallyport-token';

function ports(more: Partial<GatePorts> = {}): GatePorts {
  return {
    adapter: practice,
    session: newGateSession('run_x', folder, 0),
    snapshot: () => Promise.resolve(hooks.input.snapshot),
    services: hooks.input.services,
    ask: () => {
      questions += 1;
      return Promise.resolve(answer);
    },
    report: (report) => reports.push(report),
    deadlineMs: 5_000,
    ...more,
  };
}

async function start(more: Partial<GatePorts> = {}) {
  server = await startGateServer(ports(more), join(folder, 's'), newToken());
  writeFileSync(join(folder, 'token'), `${HEADER}: ${server.token}\n`);
  writeFileSync(join(folder, 'launcher'), launcherScript('/usr/bin/curl'));
  chmodSync(join(folder, 'launcher'), 0o755);
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-gate-'));
  reports = [];
  hooks = bench();
  answer = { answer: 'deny', why: 'the user said no' };
  questions = 0;
});

afterEach(async () => {
  await server.close();
  removeFolder(folder);
});

const call = (command: string, id = command) => ({
  session: 's',
  cwd: folder,
  call: { id, tool: 'shell', input: { command } },
});

interface Reply {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: string;
}

function post(
  path: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
  method = 'POST',
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const to = request(
      `${server.httpUrl}${path}`,
      { method, headers: { [HEADER]: server.token, ...headers } },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
        });
      },
    );
    to.on('error', reject);
    to.end(body);
  });
}

const ask = async (payload: unknown, event = 'call.asked') => {
  const reply = await post(`/dispatch/${event}`, JSON.stringify(payload));
  return { ...reply, answer: JSON.parse(reply.body) as { answer: string; why?: string; input?: unknown } };
};

function launch(
  args: readonly string[],
  stdin: string,
): Promise<{ code: number | string; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(join(folder, 'launcher'), args, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : ((error as { code?: number }).code ?? 'signal'), stdout, stderr });
    });
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(stdin);
  });
}

const launchAsk = (stdin: string, socket = join(folder, 's'), header = join(folder, 'token')) =>
  launch([socket, header, '10', 'call.asked'], stdin);

describe('the gate answers every dispatch with 200, a JSON body and its length', () => {
  it('allow, deny, modify', async () => {
    await start();
    hooks.add('g', 'command.before', (event) => {
      const { command } = event.data['args'] as { command: string };
      if (command === 'bad') return decides('deny', { reason: 'not that' });
      if (command === 'old') return decides('modify', { mutations: { args: { command: 'new' } } });
      return decides('allow');
    });
    const allowed = await ask(call('ls'));
    expect(allowed).toMatchObject({ status: 200, answer: { answer: 'go' } });
    expect(allowed.headers['content-length']).toBe(String(Buffer.byteLength(allowed.body)));
    expect((await ask(call('bad'))).answer).toEqual({ answer: 'refuse', why: 'not that' });
    expect((await ask(call('old'))).answer).toEqual({ answer: 'go', input: { command: 'new' } });
  });

  it.each([
    ['no JSON', '{"call":'],
    ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
    ['nothing', ''],
    ['no call', '{"cwd":"/"}'],
    ['a call without a tool', '{"call":{"id":"x","input":{}}}'],
    ['a list', '[]'],
  ])('%s is denied with a reason', async (_name, body) => {
    await start();
    const reply = await post('/dispatch/call.asked', body);
    expect(reply.status).toBe(200);
    expect(JSON.parse(reply.body)).toMatchObject({ answer: 'refuse' });
    expect(reports.at(-1)?.kind).toBe('trouble');
  });

  it('a failing guard, a throwing engine and a passed deadline are denials', async () => {
    await start({ deadlineMs: 200 });
    hooks.add('g', 'command.before', (event) => {
      if ((event.data['args'] as { command: string }).command === 'slow') throw new Error('boom');
      return FAILS;
    });
    expect((await ask(call('x'))).answer.why).toContain('it broke');
    expect((await ask(call('slow'))).answer.why).toContain('boom');
    await server.close();
    rmSync(join(folder, 's'), { force: true });
    await start({ deadlineMs: 200, snapshot: () => new Promise(() => undefined) });
    expect((await ask(call('x'))).answer.why).toContain('no decision within');
    await server.close();
    rmSync(join(folder, 's'), { force: true });
    await start({ snapshot: () => Promise.reject(new Error('the registry is gone')) });
    expect((await ask(call('x'))).answer.why).toContain('the registry is gone');
  });

  it('an unknown event is let pass and shown', async () => {
    await start();
    expect((await ask({}, 'new.event')).answer).toEqual({ answer: 'go' });
    expect(reports).toEqual([{ kind: 'unknown', event: 'new.event' }]);
  });
});

describe('asking a person', () => {
  beforeEach(() => {
    hooks.add('g', 'command.before', decides('request_approval', { reason: 'sure?' }));
  });

  it('no answer but yes runs it', async () => {
    await start();
    expect((await ask(call('x'))).answer).toEqual({ answer: 'refuse', why: 'the user said no' });
    answer = { answer: 'once' };
    expect((await ask(call('x'))).answer).toEqual({ answer: 'go' });
    expect((await ask(call('x'))).answer).toEqual({ answer: 'go' });
    expect(questions).toBe(3);
  });

  it('yes for this run holds for exactly these arguments', async () => {
    await start();
    answer = { answer: 'run' };
    await ask(call('x'));
    await ask(call('x'));
    expect(questions).toBe(1);
    await ask(call('y'));
    expect(questions).toBe(2);
  });

  it('is withdrawn when the call is gone', async () => {
    let withdrawn = false;
    await start({
      ask: (_question, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            withdrawn = true;
            resolve({ answer: 'deny', why: 'gone' });
          });
        }),
    });
    const to = request(`${server.httpUrl}/dispatch/call.asked`, {
      method: 'POST',
      headers: { [HEADER]: server.token },
    });
    to.on('error', () => undefined);
    to.end(JSON.stringify(call('x')));
    await expect.poll(() => reports.some((report) => report.kind === 'question')).toBe(true);
    to.destroy();
    await expect.poll(() => withdrawn).toBe(true);
  });
});

describe('what is executed is compared with what was judged', () => {
  const done = (command: string, id = command) => ({ ...call(command, id), ok: true, result: '' });
  const executed = () => reports.filter((report) => report.kind === 'executed').map((report) => report.asJudged);

  it('same arguments, changed by us, changed by another', async () => {
    await start();
    hooks.add('g', 'command.before', (event) =>
      (event.data['args'] as { command: string }).command === 'old'
        ? decides('modify', { mutations: { args: { command: 'new' } } })
        : decides('allow'),
    );
    await ask(call('ls', 'a'));
    await ask(done('ls', 'a'), 'call.done');
    await ask(call('old', 'b'));
    await ask(done('new', 'b'), 'call.done');
    await ask(call('ls', 'c'));
    await ask(done('rm -rf /', 'c'), 'call.done');
    expect(executed()).toEqual([true, true, false]);
  });

  it('a call that was denied and ran all the same is a difference', async () => {
    await start();
    hooks.add('g', 'command.before', decides('deny'));
    await ask(call('x'));
    await ask(done('x'), 'call.done');
    expect(executed()).toEqual([false]);
  });
});

describe('who may speak to the gate', () => {
  it.each<[string, string, Record<string, string>, string, number]>([
    ['a wrong token', '/dispatch/call.asked', { [HEADER]: 'x'.repeat(64) }, 'POST', 403],
    ['no token', '/dispatch/call.asked', { [HEADER]: '' }, 'POST', 403],
    ['a browser', '/dispatch/call.asked', { origin: 'https://evil.example' }, 'POST', 403],
    ['another host name', '/dispatch/call.asked', { host: 'evil.example' }, 'POST', 403],
    ['another method', '/dispatch/call.asked', {}, 'GET', 405],
    ['another address', '/approve/call.asked', {}, 'POST', 404],
    ['a strange event', '/dispatch/..%2f', {}, 'POST', 404],
  ])('%s is refused', async (_name, path, headers, method, status) => {
    await start();
    expect((await post(path, method === 'GET' ? '' : '{}', headers, method)).status).toBe(status);
    expect(reports).toEqual([]);
  });
});

describe('the launcher', () => {
  it('prints the answer byte for byte, with arguments that shells would mangle', async () => {
    await start();
    const odd = 'printf "%s\\n" \'$HOME\' `id` \\\\ "é\u2028"';
    hooks.add('g', 'command.before', decides('modify', { mutations: { args: { command: odd } } }));
    const ran = await launchAsk(JSON.stringify(call('x')));
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(ran.stdout)).toEqual({ answer: 'go', input: { command: odd } });
  });

  it('denies with exit 2 and a text: no gate, wrong token, no token file, bad event, wrong call', async () => {
    await start();
    const payload = JSON.stringify(call('x'));
    writeFileSync(join(folder, 'other'), `${HEADER}: wrong\n`);
    const ends = [
      await launchAsk(payload, join(folder, 'nowhere')),
      await launchAsk(payload, undefined, join(folder, 'other')),
      await launchAsk(payload, undefined, join(folder, 'missing')),
      await launch([join(folder, 's'), join(folder, 'token'), '10', 'a/../b'], payload),
      await launch(['x'], payload),
    ];
    for (const end of ends) {
      expect(end.code).toBe(2);
      expect(end.stdout).toBe('');
      expect(end.stderr).toContain('Sallyport:');
    }
  });

  it('denies when the gate closes while it waits', async () => {
    await start({ ask: () => new Promise(() => undefined) });
    hooks.add('g', 'command.before', decides('request_approval'));
    const waiting = launchAsk(JSON.stringify(call('x')));
    await expect.poll(() => reports.some((report) => report.kind === 'question')).toBe(true);
    await server.close();
    expect((await waiting).code).toBe(2);
  });

  it('carries 4 MiB', async () => {
    await start();
    const ran = await launchAsk(JSON.stringify(call('x'.repeat(4 * 1024 * 1024))));
    expect(ran.code).toBe(0);
  });
});
