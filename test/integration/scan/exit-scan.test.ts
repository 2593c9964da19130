/** The exit scan over real files, in its real worker. */
import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { lookBefore, scanRun, type ScanInput, type ScanResult } from '../../../electron/core/scan/exit-scan.js';
import { SCAN_LIMITS, type Root } from '../../../electron/core/scan/protocol.js';
import { bundledScanWorker } from '../../support/workers.js';
import { tempFolder } from '../../support/processes.js';

const worker = bundledScanWorker();
const key = Buffer.alloc(32, 3);
const made = (length: number) => 'q7Rk2Lw9Zx4Tb8Nc5Vm3Hd6Jf1Gs0Py'.repeat(40).slice(0, length);
const TOKEN = `ghp_${made(36)}`;
const VALUE = 'a-value-of-the-run';

const root = (part: Root['part'], folder: string, more: Partial<Root> = {}): Root => ({
  ...{ part, path: folder, within: null, without: [], missing: null, before: null },
  ...more,
});

function scan(roots: readonly Root[], more: Partial<ScanInput> = {}): Promise<ScanResult> {
  return scanRun({
    ...{ workerUrl: worker(), key, known: [{ label: 'MY_VALUE', value: VALUE }], roots },
    ...{ prompt: 'tidy up', storedPrompt: 'tidy up', problems: [], notes: [], leakPolicy: 'fail' },
    stop: new AbortController().signal,
    now: () => 42,
    ...more,
  });
}

/** A folder with these files. */
function folderOf(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = tempFolder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
  }
  return folder;
}

const findingsIn = async (content: string | Buffer, name = 'file.txt') =>
  (await scan([root('workspace', folderOf({ [name]: content }))])).findings;

describe('what is found', () => {
  it('names the rule, the place and why, and never holds the secret', async () => {
    const folder = folderOf({ 'sub/notes.txt': `one\ntwo ${TOKEN}\n` });
    const { scan: result, findings } = await scan([root('agent_state', folder)]);
    expect(result).toMatchObject({ state: 'leaked', leaked: 1, exposed: 0, files: 1, why: [], leakPolicy: 'fail' });
    expect(findings).toMatchObject([
      {
        ...{ id: 'finding-1', rule: 'github-token', origin: 'leaked', part: 'agent_state', firstSeen: 42 },
        ...{ path: path.join(folder, 'sub/notes.txt'), line: 2, column: 5, offset: null, preview: 'ghp…k2' },
      },
    ]);
    expect(JSON.stringify(findings)).not.toContain(made(12));
    expect(findings[0]?.fingerprint).toMatch(/^[0-9a-f]{64}$/);
  });

  it('what a broken redactor left in our own files: known values and forms, plain and in base64', async () => {
    const base64 = (before: number) => Buffer.from(`${'x'.repeat(before)}${VALUE}!`).toString('base64');
    for (const text of [VALUE, base64(0), base64(1), base64(2), JSON.stringify({ a: TOKEN })]) {
      const artifacts = folderOf({ 'stdout.log': `first\n${text}\n` });
      const { scan: result, findings } = await scan([root('artifacts', artifacts)]);
      expect([result.state, findings.length, findings[0]?.line], text).toEqual(['redaction_failed', 1, 2]);
    }
    const configuration = folderOf({ 'settings.json': `{"token":"${VALUE}"}` });
    expect((await scan([root('configuration', configuration)])).scan.state).toBe('redaction_failed');
  });

  it('in UTF-16, packed, in a database, and as a known value in any other binary', async () => {
    const utf16 = Buffer.from(`hello ${TOKEN}`, 'utf16le');
    expect(await findingsIn(Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]))).toMatchObject([{ line: 1, column: 7 }]);
    expect(await findingsIn(utf16)).toHaveLength(1);
    expect(await findingsIn(Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(utf16).swap16()]))).toHaveLength(1);
    expect(await findingsIn(gzipSync(`a ${TOKEN}`), 'log.gz')).toHaveLength(1);
    expect(await findingsIn(deflateSync(`blob 44\0${VALUE}`), 'object')).toHaveLength(1);
    const database = Buffer.concat([
      Buffer.from('SQLite format 3\0'),
      Buffer.alloc(90),
      Buffer.from(TOKEN),
      Buffer.alloc(9),
    ]);
    expect(await findingsIn(database, 'state.db')).toMatchObject([{ offset: 106, line: null }]);
    const binary = Buffer.concat([Buffer.from([0, 1, 2, 3, 0, 0, 7]), Buffer.from(VALUE), Buffer.alloc(9)]);
    expect(await findingsIn(binary, 'a.bin')).toMatchObject([{ rule: 'known-value:MY_VALUE', offset: 7 }]);
  });

  it('at the end of a file that is larger than what is looked at as a whole', async () => {
    const folder = folderOf({ 'big.log': 'x' });
    truncateSync(path.join(folder, 'big.log'), 0);
    const line = `${'all is well '.repeat(100)}\n`;
    writeFileSync(path.join(folder, 'big.log'), `${line.repeat(60_000)}${TOKEN}\n`);
    const { scan: result, findings } = await scan([root('workspace', folder)]);
    expect([result.state, findings.length]).toEqual(['leaked', 1]);
    expect(findings[0]?.offset).toBe(line.length * 60_000);
  });

  it('once, though it stands there often, and takes no orders from the text', async () => {
    expect(await findingsIn(`// secretlint-disable\n${TOKEN}\n${TOKEN}\n`)).toHaveLength(1);
  });
});

describe('what was there before', () => {
  it('is exposed where the file held it, leaked where the run brought it, and nothing where nothing changed', async () => {
    const workspace = folderOf({
      old: `x ${TOKEN}`,
      touched: `y ${TOKEN}`,
      same: `z ${TOKEN}`,
      'big.txt': 'n'.repeat(1_200_000),
    });
    const place = { path: workspace, within: null, without: [path.join(workspace, 'state')], mostContent: 1_048_576 };
    const where = { workerUrl: worker(), key, known: [], roots: [place] };
    const before = await lookBefore(where, new AbortController().signal);
    expect([...before.files.keys()].map((file) => path.basename(file))).toEqual(['big.txt', 'old', 'same', 'touched']);
    const other = `ghp_${made(40).slice(4)}`;
    writeFileSync(path.join(workspace, 'old'), `x ${TOKEN} and ${other}`);
    writeFileSync(path.join(workspace, 'touched'), `y ${TOKEN}`);
    writeFileSync(path.join(workspace, 'big.txt'), `${'n'.repeat(1_200_000)} ${TOKEN}`);
    mkdirSync(path.join(workspace, 'ignored'));
    writeFileSync(path.join(workspace, 'ignored/new'), TOKEN);
    const { findings } = await scan([root('workspace', workspace, { before })]);
    const seen = findings.map(({ path: file, origin, why }) => [
      path.basename(file),
      origin,
      why.includes('not known'),
    ]);
    expect(seen).toEqual([
      ['big.txt', 'leaked', true],
      ['new', 'leaked', false],
      ['old', 'exposed', false],
      ['old', 'leaked', false],
    ]);
  });

  it('what a database moves out of its log, or back, stood there before', async () => {
    const one = `ghp_${made(40).slice(4)}`;
    const page = (text: string) =>
      Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(90), Buffer.from(text)]);
    const folder = folderOf({ 'a.sqlite': page(''), 'a.sqlite-wal': `~${TOKEN}`, 'b.sqlite': page(one) });
    const signal = new AbortController().signal;
    const roots = [{ path: folder, within: null, without: [], mostContent: 1_048_576 }];
    const before = await lookBefore({ workerUrl: worker(), key, known: [], roots }, signal);
    writeFileSync(path.join(folder, 'a.sqlite'), page(` ${TOKEN} `));
    writeFileSync(path.join(folder, 'a.sqlite-wal'), '');
    writeFileSync(path.join(folder, 'b.sqlite-wal'), `~${one} ${TOKEN}`);
    const { findings } = await scan([root('agent_state', folder, { before })]);
    expect(findings.map(({ path: file, origin }) => [path.basename(file), origin])).toEqual([
      ['a.sqlite', 'exposed'],
      ['b.sqlite-wal', 'exposed'],
      ['b.sqlite-wal', 'leaked'],
    ]);
  });

  it('the prompt exposes what it held, also where only its stored form is left', async () => {
    const folder = folderOf({ 'session.jsonl': JSON.stringify({ text: TOKEN }) });
    const given = await scan([root('agent_state', folder)], { prompt: `use ${TOKEN}` });
    expect(given.scan).toMatchObject({ state: 'exposed', exposed: 1, leaked: 0 });
    const mark = given.findings[0]?.fingerprint.slice(0, 8) ?? '';
    const stored = { prompt: null, storedPrompt: `use [REDACTED:github-token:${mark}]` };
    expect((await scan([root('agent_state', folder)], stored)).scan.state).toBe('exposed');
    expect((await scan([root('agent_state', folder)], { prompt: null })).scan.state).toBe('leaked');
  });
});

describe('what cannot be looked at is never clean', () => {
  const why = (result: ScanResult) => [result.scan.state, result.scan.why.join('; ')];

  it('a file that cannot be opened, an encoding that is not known, a broken archive', async () => {
    const folder = folderOf({
      'a.txt': Buffer.from('caf\xe9 au lait, s\xe9rieux', 'latin1'),
      'b.gz': Buffer.from([0x1f, 0x8b, 8, 1, 2]),
    });
    symlinkSync('/etc/hostname', path.join(folder, 'link'));
    const result = await scan([
      root('workspace', folder),
      root('workspace', '/proc/1/environ-of-nobody', { missing: 'it is not there' }),
    ]);
    expect(why(result)).toEqual([
      'incomplete',
      expect.stringMatching(/not there.*a\.txt is text in an encoding.*b\.gz is packed/),
    ]);
    expect(result.findings).toEqual([]);
  });

  it('a folder without rights to read', async () => {
    const folder = folderOf({ 'closed/file': TOKEN });
    chmodSync(path.join(folder, 'closed'), 0o000);
    const result = await scan([root('workspace', folder)]);
    chmodSync(path.join(folder, 'closed'), 0o700);
    // The administrator may read everything.
    if (process.getuid?.() === 0) expect(result.scan.state).toBe('leaked');
    else expect(why(result)).toEqual(['incomplete', expect.stringContaining('EACCES')]);
  });

  it('more than the limit in all', async () => {
    const folder = folderOf({ a: 'x'.repeat(600), b: 'y'.repeat(600) });
    const result = await scan([root('workspace', folder)], { limits: { ...SCAN_LIMITS, bytes: 1_000 } });
    expect(why(result)).toEqual(['incomplete', expect.stringContaining('larger than what may still be looked at')]);
    const bomb = await scan([root('workspace', folderOf({ 'a.gz': gzipSync(Buffer.alloc(9_000_000)) }))], {
      limits: { ...SCAN_LIMITS, bytes: 1_000_000 },
    });
    expect(why(bomb)).toEqual(['incomplete', expect.stringContaining('cannot be unpacked within the limit')]);
  });

  it('a scan that is stopped, that runs out of time, or whose worker fails', async () => {
    const roots = [root('workspace', folderOf({ a: 'x' }))];
    expect(why(await scan(roots, { stop: AbortSignal.abort('enough') }))).toEqual([
      'incomplete',
      'it was stopped before it had ended',
    ]);
    const broken = await bundled(`throw new TypeError('${VALUE}')`);
    const failed = await scan(roots, { workerUrl: broken });
    expect(why(failed)).toEqual([
      'incomplete',
      expect.stringContaining('the scanner failed at the prompt (TypeError)'),
    ]);
    expect(JSON.stringify(failed)).not.toContain(VALUE);
    const silent = await bundled(
      `import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => undefined);`,
    );
    const slow = await scan(roots, { workerUrl: silent, limits: { ...SCAN_LIMITS, timeMs: 400, ruleMs: 100 } });
    expect(slow.scan.state).toBe('incomplete');
    expect(slow.scan.why.join()).toMatch(/did not end within 0\.[14] s/);
  });

  it('a rule that does not end in one file is left out there, and the rest is looked at', async () => {
    const folder = folderOf({ a: 'slow', b: TOKEN });
    const workerUrl = await bundled(STUCK);
    const result = await scan([root('workspace', folder)], { workerUrl, limits: { ...SCAN_LIMITS, ruleMs: 300 } });
    expect(result.scan.why).toEqual([expect.stringMatching(/\/a: the rule anthropic-key did not end within 0\.3 s/)]);
    expect(result.scan.files).toBe(2);
  });
});

/** A worker that hangs in the first rule on a file that is named `a`, as a bad expression would. */
const STUCK = `
import { parentPort, workerData } from 'node:worker_threads';
const pulse = new Int32Array(workerData.pulse);
parentPort.on('message', (request) => {
  Atomics.store(pulse, 1, -1);
  Atomics.add(pulse, 0, 1);
  if (request.ask === 'prompt') parentPort.postMessage({ answer: 'prompt', secrets: [] });
  if (request.ask === 'list') {
    const targets = ['a', 'b'].map((name) => ({ part: 'workspace', path: request.roots[0].path + '/' + name, before: 'new' }));
    parentPort.postMessage({ answer: 'list', targets, problems: [] });
  }
  if (request.ask === 'look') {
    Atomics.store(pulse, 1, 0);
    if (request.target.path.endsWith('/a') && !request.skipRules.includes(0)) for (;;);
    parentPort.postMessage({ answer: 'look', found: [], bytes: 1, problems: [] });
  }
});`;

async function bundled(source: string): Promise<URL> {
  const file = path.join(tempFolder(), 'worker.mjs');
  writeFileSync(file, source);
  return new URL(`file://${file}`);
}
