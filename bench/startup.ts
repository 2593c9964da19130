/**
 * B6: the app from its start until its icon stands in the tray, then idle without a window: memory of the whole
 * process tree and processor time. Beside it, in the same run, an Electron app that does nothing but show an icon.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { missingForDisplay, startDisplay } from '../build/display.mjs';

const ROUNDS = 6;
/** Milliseconds after which a started app counts as idle, and for how long it is watched then. */
const SETTLE_MS = 5_000;
const WATCH_MS = 8_000;
/** Clock ticks a second in /proc (USER_HZ; 100 on every Linux that Electron runs on). */
const TICKS = 100;

/** One start: until the icon, then idle. */
interface Start {
  readonly readyMs: number;
  readonly mebibytes: number;
  readonly processes: number;
  /** Milliseconds of processor time in a second of doing nothing. */
  readonly busyMs: number;
}

const EMPTY_APP = `const { app, Tray, nativeImage } = require('electron');
let tray;
app.on('window-all-closed', () => undefined);
app.whenReady().then(() => {
  tray = new Tray(nativeImage.createFromBitmap(Buffer.alloc(24 * 24 * 4, 255), { width: 24, height: 24 }));
});`;

async function main(): Promise<void> {
  const missing = missingForDisplay();
  if (missing.length > 0) throw new Error(`a display is missing: apt-get install ${missing.join(' ')}`);
  const root = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
  const display = await startDisplay();
  const env: NodeJS.ProcessEnv = {
    ...{ PATH: '/usr/local/bin:/usr/bin:/bin', SHELL: '/bin/sh', LANG: 'C.UTF-8', HOME: root },
    ...{ XDG_RUNTIME_DIR: root, XDG_CURRENT_DESKTOP: 'GNOME', ...display.env },
    SALLYPORT_HOME: join(root, 'state'),
  };
  const host = await startHost(env);
  try {
    spawnSync('sh', ['-c', 'printf pass | gnome-keyring-daemon --unlock --components=secrets'], { env });
    const empty = join(root, 'empty');
    mkdirSync(empty);
    writeFileSync(join(empty, 'package.json'), '{"name":"empty","version":"1.0.0","main":"main.js"}');
    writeFileSync(join(empty, 'main.js'), EMPTY_APP);
    const program = findElectron();
    const flags = [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-gpu'];
    const ours: Start[] = [];
    const floor: Start[] = [];
    // In turns, so that what else the machine does meets both.
    for (let round = 0; round < ROUNDS; round += 1) {
      floor.push(await startOnce(program, [empty, ...flags, `--user-data-dir=${join(root, 'empty-data')}`], env, host));
      ours.push(await startOnce(program, [process.cwd(), ...flags, '--in-tray'], env, host));
    }
    // The first start of each fills caches.
    show(ours.slice(1), floor.slice(1));
  } finally {
    host.end();
    display.end();
    rmSync(root, { recursive: true, force: true });
  }
}

/** Asked of the program that knows, since a bundle of it would look in other places. */
function findElectron(): string {
  const asked = spawnSync(process.execPath, ['build/electron-runtime.mjs'], { encoding: 'utf8' });
  const program = asked.stdout.trim().split('\n').at(-1);
  if (asked.status !== 0 || program === undefined) throw new Error(asked.stderr);
  return program;
}

interface Host {
  /** Settles when one more icon stands in the tray. */
  readonly nextItem: () => Promise<void>;
  readonly end: () => void;
}

async function startHost(env: NodeJS.ProcessEnv): Promise<Host> {
  const child = spawn('/usr/bin/python3', [join(process.cwd(), 'test/support/tray-host.py')], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const waiting: (() => void)[] = [];
  await new Promise<void>((ready) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { event } = JSON.parse(line) as { event?: string };
      if (event === 'ready') ready();
      if (event === 'item') waiting.shift()?.();
    });
  });
  return {
    nextItem: () => new Promise((resolve) => waiting.push(resolve)),
    end: () => child.kill(),
  };
}

async function startOnce(program: string, args: readonly string[], env: NodeJS.ProcessEnv, host: Host): Promise<Start> {
  const item = host.nextItem();
  const started = performance.now();
  const child = spawn(program, args, { env, stdio: 'ignore' });
  await item;
  const readyMs = performance.now() - started;
  await wait(SETTLE_MS);
  const tree = treeOf(child.pid ?? 0);
  const before = ticksOf(tree);
  await wait(WATCH_MS);
  const busyMs = ((ticksOf(tree) - before) * (1_000 / TICKS)) / (WATCH_MS / 1_000);
  const now = treeOf(child.pid ?? 0);
  const mebibytes = now.reduce((sum, pid) => sum + pssOf(pid), 0) / 1_024;
  await stop(child);
  return { readyMs, mebibytes, processes: now.length, busyMs };
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.on('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

/** A process and all below it. */
function treeOf(root: number): number[] {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), Number(fieldsOf(Number(name))[1] ?? 0)]),
  );
  const tree = [root];
  for (const pid of tree) tree.push(...[...parents].filter(([, parent]) => parent === pid).map(([child]) => child));
  return tree;
}

/** Fields of /proc/PID/stat after the name: state, parent, …; empty when it is gone. */
function fieldsOf(pid: number): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

const ticksOf = (pids: readonly number[]) =>
  pids.reduce((sum, pid) => sum + Number(fieldsOf(pid)[11] ?? 0) + Number(fieldsOf(pid)[12] ?? 0), 0);

/** Its share of memory in KiB: what is shared counts for each by its part. */
function pssOf(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

function show(ours: readonly Start[], floor: readonly Start[]): void {
  const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
  const rows = (
    [
      ['start to tray, ms', 'readyMs'],
      ['memory when idle, MiB (PSS of the tree)', 'mebibytes'],
      ['processes', 'processes'],
      ['processor time when idle, ms a second', 'busyMs'],
    ] as const
  ).map(([name, key]) => {
    const [mine, theirs] = [ours, floor].map((starts) => median(starts.map((start) => start[key])));
    return { name, ours: mine ?? Number.NaN, empty: theirs ?? Number.NaN };
  });
  console.log(`\nB6: the app without a window beside an empty Electron app, medians of ${ours.length} starts`);
  for (const { name, ours: mine, empty } of rows) {
    console.log(
      `  ${name.padEnd(42)} ${mine.toFixed(1).padStart(9)} ${empty.toFixed(1).padStart(9)} ${empty > 0 ? `${(mine / empty).toFixed(2)}x`.padStart(9) : '        –'}`,
    );
  }
  console.log(JSON.stringify({ title: 'B6', rows }));
}

await main();
