#!/usr/bin/env node
/**
 * `npm run check`: from a fresh clone to all tests. Job: run every stage, and sum up honestly.
 * It must not retry anything, nor pass when something did not run.
 *
 * The last line is `N passed, N failed, N skipped`. The numbers are tests. A stage that is no test run (lint, types, …)
 * is not counted while it passes; when it fails it counts as one failed, so that the line never looks fine.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureDebianPackages } from './debian-packages.mjs';
import { buildPrograms, ensureModules, nodeTrouble, run } from './setup.mjs';

/** A network of its own, in which there is nothing but the loopback interface. Needs root, or user namespaces open to this user. */
const ONLY_LOOPBACK = [
  ...['unshare', ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']), '--net'],
  ...['sh', '-c', 'ip link set lo up && exec "$@"', 'sh'],
];
const reports = mkdtempSync(join(tmpdir(), 'sallyport-check-'));
const sum = { passed: 0, failed: 0, skipped: 0 };
const summary = [];

async function stage(name, work) {
  console.log(`\n=== ${name}`);
  const started = performance.now();
  const says = await work();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  summary.push(`${says === null ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)${says ? `: ${says}` : ''}`);
  if (says !== null) console.log(`FAILED: ${name}: ${says}`);
  return says === null;
}

/** A stage without tests of its own. Answers whether it passed. */
async function step(name, work) {
  const passed = await stage(name, work);
  if (!passed) sum.failed += 1;
  return passed;
}

const program = (name, command, ...args) =>
  step(name, async () => {
    const status = await run(command, args);
    return status === 0 ? null : `status ${status}`;
  });

/** Counts of a test run, from its own report. A report that is missing means that the run did not get that far. */
function countsOf(file) {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8'));
    return {
      passed: report.numPassedTests,
      failed: report.numFailedTests,
      skipped: report.numPendingTests + report.numTodoTests,
    };
  } catch {
    return { passed: 0, failed: 0, skipped: 0 };
  }
}

/** `around` is put before the command, for tests that belong in surroundings of their own. */
const tests = (name, projects, more = [], around = []) =>
  stage(name, async () => {
    const file = join(reports, `${projects.join('-')}.json`);
    const selected = projects.flatMap((project) => ['--project', project]);
    const [program, ...args] = [
      ...around,
      ...['npx', '--no-install', 'vitest', 'run', ...selected, ...more],
      ...['--reporter=default', '--reporter=json', `--outputFile.json=${file}`],
    ];
    const status = await run(program, args);
    const counts = countsOf(file);
    const failedTests = counts.failed;
    // A file that does not load, too little coverage, or no test at all: a failure without a failed test.
    if (failedTests === 0 && (status !== 0 || counts.passed === 0)) counts.failed = 1;
    for (const key of Object.keys(sum)) sum[key] += counts[key];
    if (counts.failed === 0) return null;
    return failedTests > 0 ? `${failedTests} failed` : `status ${status} after ${counts.passed} passed and none failed`;
  });

async function check() {
  const ready =
    (await step('Node', async () => nodeTrouble())) &&
    (await step('Debian packages', ensureDebianPackages)) &&
    (await step('packages', async () => ((await ensureModules()) === 0 ? null : 'npm ci failed'))) &&
    (await step('build', async () => ((await buildPrograms()) === 0 ? null : 'the build failed')));
  if (!ready) return;
  await program('lint', 'npm', 'run', '--silent', 'lint');
  await program('types', 'npm', 'run', '--silent', 'types');
  await program('arrows', 'npm', 'run', '--silent', 'arrows');
  await program('unused code', 'npm', 'run', '--silent', 'unused');
  await tests('unit and integration tests', ['unit', 'integration'], ['--coverage']);
  const agents = await program('real agents', process.execPath, 'test/support/agents.mjs');
  const electron = await program('Electron', process.execPath, 'build/electron-runtime.mjs');
  if (agents && electron) {
    await tests('end-to-end tests', ['e2e']);
    await tests('real agents in the app, on a loopback network', ['loopback'], [], ONLY_LOOPBACK);
  }
  if (electron) await tests('packaging and packaged app', ['packaging']);
}

try {
  await check();
} catch (error) {
  sum.failed += 1;
  console.error(error);
} finally {
  rmSync(reports, { recursive: true, force: true });
}

const strict = process.env.CI === 'true';
console.log(`\n${summary.join('\n')}`);
if (strict && sum.skipped > 0) console.log('A skip counts as a failure here (CI=true).');
console.log(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
process.exitCode = sum.failed > 0 || (strict && sum.skipped > 0) ? 1 : 0;
